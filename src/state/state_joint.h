// SPDX-License-Identifier: Apache-2.0
// state_joint.h: how a state knows the joints it is of.
#pragma once

#include <thud/state.h>

enum { STATE_JOINT_TYPE = 3 }; // the bits that hold a joint's type

// Type and name of a joint, as one number.
uint64_t state_joint(const thud_model *m, int j);
