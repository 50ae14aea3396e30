// SPDX-License-Identifier: Apache-2.0
// coulomb.h: the tests' own judge of a cone problem, written from Coulomb's law and not from the room's code.
#pragma once

#include <thud/cone.h>

// The worst violation over all blocks, in units of velocity (impulses times `stiffness`): for a contact of
// p_n >= 0, u_n >= 0, p_n u_n = 0, |D^-1 p_t| <= p_n, and u_t = 0 or p_t opposite to it and on the cone's
// edge; for a box and free rows likewise. NaN if anything is.
double coulomb_violation(const thud_cone *c, const double *p);

// u = (W + diag epsilon) p + b by plain sums.
void coulomb_velocity(const thud_cone *c, const double *p, double *u);
