// SPDX-License-Identifier: Apache-2.0
// thud/problem_fclib.h: frictional contact problems in FCLIB's HDF5 layout, read and written.
//
// A local problem holds W, q, mu (and perhaps equality rows V, R, s); a global one M, H, f, w, mu (and
// perhaps equality rows G, b), which is reduced on reading: W = H^T M^-1 H. Contacts of 2 or 3 rows, normal
// first. Matrices are triplets (nz >= 0: i is the row, p the column, repeated ones summed, x may be longer),
// compressed columns (nz = -1) or compressed rows (-2). A stored solution or guess is not read.
#pragma once

#include <thud/cone_problem.h>

#ifdef __cplusplus
extern "C" {
#endif

// Reads a local or a global problem. A file that is cut off, damaged or of another kind gives THUD_BAD_FILE
// and a sentence that names the part which cannot be; nothing is printed.
THUD_API THUD_MUST_USE thud_status thud_fclib_read(const char *path, thud_cone_problem **out,
                                                   thud_diag *diag);

// Writes any problem. One whose blocks are all contacts of 2 rows, or all of 3, each with one coefficient of
// friction and no epsilon, is a local FCLIB problem that other programs read. What FCLIB has no words for
// goes to a group of our own, beside which there is no FCLIB one:
//
//     /thud_cone/W/...  as in FCLIB     /thud_cone/vectors/{q,epsilon}
//     /thud_cone/blocks/{kind,dim}  int[blocks]     /thud_cone/blocks/{mu,lo,hi}  double[5 blocks], [blocks],
//     [blocks]
//
// Reading it again gives the same numbers, bit for bit. The file appears whole or not at all. title may be
// NULL.
THUD_API THUD_MUST_USE thud_status thud_fclib_write(const thud_cone *cone, const char *title,
                                                    const char *path, thud_diag *diag);

#ifdef __cplusplus
}
#endif
