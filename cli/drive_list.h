// SPDX-License-Identifier: Apache-2.0
// drive_list.h: the tendons and actuators of a model.
#pragma once

#include <thud/thud.h>

#include "json.h"

void drives_write(json *j, const thud_model *m); // "tendon": [...], "actuator": [...]
void drives_print(const thud_model *m);
