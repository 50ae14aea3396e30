// SPDX-License-Identifier: Apache-2.0
// law_judge.h: the tests' own judge of each law, written from its definition and not from its matrices: a
// limit surface for the friction, and the most dissipation that it allows.
#pragma once

#include "law/law_scene.h"

// The worst violation of the options' law by s->p, as a velocity over the largest |u_free|; NaN if anything
// is. Isotropic sliding friction; for box and hybrid every contact has a p_before > 0.
double law_violation(const law_scene *s, const thud_law_options *o);
