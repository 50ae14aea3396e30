// SPDX-License-Identifier: Apache-2.0
// drive_list.h: the tendons, actuators and sensors of a model.
#pragma once

#include <thud/thud.h>

#include "json.h"

void drives_write(json *j, const thud_model *m); // "tendon": [...], "actuator": [...]
void drives_print(const thud_model *m);
void sensors_write(json *j, const thud_model *m); // "sensor": [...]
void sensors_print(const thud_model *m);
