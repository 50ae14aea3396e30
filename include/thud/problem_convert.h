// SPDX-License-Identifier: Apache-2.0
// thud/problem_convert.h: one kind of problem as the other, so that any of them goes to either file format.
//
// A linear complementarity problem is a cone problem without friction: the same numbers, seen differently. A
// cone problem is a linear one where it has no friction; its round cones become pyramids otherwise.
#pragma once

#include <thud/cone.h>
#include <thud/problem_lcp.h>

#ifdef __cplusplus
extern "C" {
#endif

// The same problem as a cone problem: p is z, u is w. A view of p's numbers and of `block`, which is filled
// here and has room for p->n: plain rows become contacts of dim 1, rows without bounds free, the rest boxes.
// What p->q_size says has no place in it.
THUD_API thud_cone thud_lcp_as_cone(const thud_lcp *p, thud_cone_block *block);

// The LCP of Stewart and Trinkle for the same contacts [theory 2]: z = (p_n, beta, lambda) with the rows of
// boxes and joints in their places among the p_n, then for each contact with friction the impulses beta along
// its directions, then for each of them its lambda. Sliding in space has `directions` of them (even, >= 4),
// in the plane two, torsion and rolling two an axis; the pyramid stands inside the cone and has its edges on
// it, so that in the plane nothing is lost. epsilon goes into M. THUD_BAD_ARGUMENT where c does not pass
// thud_cone_check or the directions cannot be; dense, O(n^2) memory and O(n rows^2) time.
THUD_API THUD_MUST_USE thud_status thud_cone_pyramid(const thud_cone *c, int directions,
                                                     thud_lcp_problem **out, thud_diag *diag);

#ifdef __cplusplus
}
#endif
