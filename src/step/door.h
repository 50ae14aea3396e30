// SPDX-License-Identifier: Apache-2.0
// step/door.h: the stages of a step, for the rooms above (sense, event, sim), which run them. Not installed.
#pragma once

#include "approach.h"
#include "doubts.h"
#include "loops.h"
#include "sim.h"
