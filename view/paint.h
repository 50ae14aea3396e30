// SPDX-License-Identifier: Apache-2.0
// paint.h: colours for what the samples of a picture see.
#pragma once

#include "render.h"

// Draws r->world, as r->view sees it under r->lamps, into r->picture. False when memory ran out.
bool paint_picture(renderer *r);

// A colour as it is written, 0 to 1, to light and back to a byte.
double paint_linear(double srgb);
unsigned char paint_byte(double linear);
