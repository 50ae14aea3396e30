// SPDX-License-Identifier: Apache-2.0
// closing.h: the last three lines of thud info: what of a file was left out, what was changed, what to look at.
#pragma once

#include "json.h"
#include "scene.h"

// The tables "changed" and "worth a look", then the three lines.
void closing_print(const scene *s);
// "changed": [...], "look_at": [...]
void closing_json(json *j, const scene *s);
