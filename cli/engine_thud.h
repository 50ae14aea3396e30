// SPDX-License-Identifier: Apache-2.0
// engine_thud.h: Thud as one of the engines of the bench; its wishes are a step_wishes.
#pragma once

#include "engine.h"
#include "stepper.h"

extern const engine engine_thud;
