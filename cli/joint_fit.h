// SPDX-License-Identifier: Apache-2.0
// joint_fit.h: which joint positions come nearest to where a body is, and how far from them it is: the drift
// of engines that keep their joints by constraints.
#pragma once

#include <thud/model.h>

// The least-squares fit of the joints of `body` to its pose X_pb and velocity V_pb in its parent (angular,
// linear at the body's origin, along the parent's axes). qpos: in, a guess from which Newton begins and whose
// turns are kept; out, the fit; qvel: out. Only this body's entries of both are touched. Returns what is left
// over: the larger of the distance at the joint's anchor (m) and the angle (rad); 0 for a free body. NaN for
// a ball joint among others, which is not fitted. O(joints^2), some five rounds.
double joint_fit(const thud_model *m, int body, thud_pose X_pb, thud_motion V_pb, double *qpos, double *qvel);
