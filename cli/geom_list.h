// SPDX-License-Identifier: Apache-2.0
// geom_list.h: the geoms of a model, and which of them may touch.
#pragma once

#include <thud/thud.h>

#include "json.h"

// The geoms with their contact properties, and how many pairs of them each rule lets meet or keeps apart.
void geoms_write(json *j, const thud_model *m); // "geom": [...], "pair", "exclude", "filter": {...}
void geoms_print(const thud_model *m);
