// SPDX-License-Identifier: Apache-2.0
// thud/problem_lcp.h: linear complementarity problems that own their numbers, and their plain-text file.
//
// A file is a sequence of words. '#' starts a comment that runs to the end of its line. After the size the
// sections come in any order, each at most once; M and q are required. Numbers are decimal or hexadecimal
// floating point; inf, -inf and nan are numbers, so that the dump of a broken step can be read again (the
// solver says THUD_LCP_NOT_FINITE).
//
//     thud-lcp 1              # format and version
//     n 3
//     M dense                 # then n rows of n numbers
//       2 -1  0
//      -1  2 -1
//       0 -1  2
//     q      -1 0 0.5         # n numbers, and likewise:
//     lo      0 0 -inf        # lower bounds; absent: 0
//     hi    inf inf inf       # upper bounds; absent: inf
//     q_size  9.81 9.81 0.5   # size of the terms q was assembled from (thud/lcp.h); absent: unknown
//     end
//
// or `M sparse COUNT`, then COUNT times `row column value`, rows and columns from 1, none twice. Writing a
// problem and reading it again gives the same bits.
#pragma once

#include <thud/lcp.h>

#ifdef __cplusplus
extern "C" {
#endif

// `lcp` is the view that solvers take, of the arrays behind it, which may be written.
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

// Reads a file, or text in memory that `name` is to stand for in diagnostics. A file loads whole, or fails
// with the line and column of the word that cannot be.
THUD_API THUD_MUST_USE thud_status thud_lcp_read(const char *path, thud_lcp_problem **out, thud_diag *diag);
THUD_API THUD_MUST_USE thud_status thud_lcp_read_text(const char *text, size_t length, const char *name,
                                                      thud_lcp_problem **out, thud_diag *diag);
// Writes any problem, sparse where most of M is zero. The file appears whole or not at all.
THUD_API THUD_MUST_USE thud_status thud_lcp_write(const thud_lcp *p, const char *path, thud_diag *diag);

#ifdef __cplusplus
}
#endif
