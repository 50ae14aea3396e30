// SPDX-License-Identifier: Apache-2.0
// viewpoint.h: where to stand to see a run.
#pragma once

#include "render.h"

// What moves between two times, without what flies off, and what stands among it. X_wb: scratch. False when
// memory ran out.
bool viewpoint_bounds(const solids *s, const replay *run, double from, double to, thud_pose *X_wb,
                      thud_aabb *out);

// A perspective view, in samples, that has the bounds in its middle and fills the picture with them.
view viewpoint_choose(const look *l, const thud_aabb *bounds);
