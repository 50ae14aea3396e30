// SPDX-License-Identifier: Apache-2.0
// thud/elementary.h: elementary functions with the same bits everywhere.
//
// The C library's differ in their last bits from version to version, from CPU to CPU and from one C library to the next. These use
// IEEE additions, multiplications, divisions and square roots only, in a fixed order, so every machine and compiler gives the same
// bits (build with -ffp-contract=off).
// Error     at most 1 unit in the last place, measured against MPFR (test/elementary); thud_pow at most 2
// Special   signed zeros, infinities, NaN and subnormal numbers as in C17 annex F; errno and floating-point flags are not promised
// Allowed   of the C library: sqrt, fabs, floor, ceil, trunc, round, rint, nearbyint, copysign, fmod, remainder, frexp, ldexp, which
//           are exact or correctly rounded. `make check` looks for others (tools/check_libm.py)
#pragma once

#include <thud/base.h>

#ifdef __cplusplus
extern "C" {
#endif

THUD_API double thud_sin(double x);
THUD_API double thud_cos(double x);
THUD_API double thud_asin(double x);
THUD_API double thud_acos(double x);
THUD_API double thud_atan2(double y, double x); // the angle of (x, y) in [-pi, pi]

THUD_API double thud_exp(double x);
THUD_API double thud_expm1(double x); // e^x - 1
THUD_API double thud_sinh(double x);
THUD_API double thud_cosh(double x);
THUD_API double thud_log(double x);
THUD_API double thud_pow(double x, double y);
THUD_API double thud_cbrt(double x);
THUD_API double thud_hypot(double x, double y); // sqrt(x^2 + y^2) without overflow or underflow on the way

#ifdef __cplusplus
}
#endif
