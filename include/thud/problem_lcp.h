// SPDX-License-Identifier: Apache-2.0
// thud/problem_lcp.h: linear complementarity problems that own their numbers.
#pragma once

#include <thud/lcp.h>

#ifdef __cplusplus
extern "C" {
#endif

// `lcp` is a view of this problem's own numbers; `number` may be written, `lcp` is for solvers.
typedef struct thud_lcp_problem {
    thud_lcp lcp;
    double *M;                    // n x n, column-major
    double *q, *lo, *hi, *q_size; // n each; lo, hi, q_size NULL where lcp's are
} thud_lcp_problem;

// A plain problem of zeros. THUD_NO_MEMORY leaves *out NULL.
THUD_API THUD_MUST_USE thud_status thud_lcp_problem_create(int n, thud_lcp_problem **out);
THUD_API void thud_lcp_problem_destroy(thud_lcp_problem *problem); // NULL is allowed
// Gives the problem arrays lo = 0 and hi = inf to be written; does nothing if it has them.
THUD_API THUD_MUST_USE thud_status thud_lcp_problem_add_bounds(thud_lcp_problem *problem);

#ifdef __cplusplus
}
#endif
