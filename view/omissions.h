// SPDX-License-Identifier: Apache-2.0
// omissions.h: physics that a scene asks for and this version does not simulate. A run that leaves something
// out says so.
#pragma once

#include "json.h"

#include <thud/spec.h>

enum { OMISSIONS_MAX = 16 };

// Names what is left out ("contact", "joint limits", ...), each once; returns how many.
int omissions_find(const thud_spec *s, const char *name[OMISSIONS_MAX]);

void omissions_json(json *j, const thud_spec *s); // the same as "not_simulated": [...]
