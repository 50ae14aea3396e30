// SPDX-License-Identifier: Apache-2.0
// viewpoint.h: where to stand to see a run.
#pragma once

#include "render.h"

// A perspective view, in samples, that fills the picture with all that moves between two times, without what flies
// off, and with what stands among it; and the bounds of that. X_wb: scratch. False when memory ran out.
bool viewpoint_find(const solids *s, const replay *run, double from, double to, const look *l,
                    thud_pose *X_wb, thud_aabb *bounds, view *out);
