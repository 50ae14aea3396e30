// SPDX-License-Identifier: Apache-2.0
// lapack.h: the dense factorisations that LAPACK does from a certain size on, private to the room.
//
// OpenBLAS is held to one thread, so that sums are taken in one order whatever the machine's load. Its
// kernels are chosen by the CPU, so its last bits differ between machines, and ours do not; our LU is as fast
// as its dgetrf up to about n = 400 (one thread, same run) and half as fast at 600, so ours is kept up to
// 511.
#pragma once

#include <limits.h>

#include <thud/linalg.h>

#ifdef THUD_HAVE_LAPACK
enum { LAPACK_LU_SIZE = 512 };
#else
enum { LAPACK_LU_SIZE = INT_MAX }; // never
#endif

void lapack_start(void);                      // before anything that may call the BLAS
int lapack_lu_factor(thud_mat A, int *pivot); // as thud_lu_factor
