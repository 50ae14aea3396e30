// SPDX-License-Identifier: Apache-2.0
// bench.h: what every benchmark shares. Times are CPU seconds; compare only ratios taken in one run.
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <thud/thud.h>

static inline int bench_compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static inline double bench_median(double *x, int n) // sorts x
{
    qsort(x, (size_t)n, sizeof *x, bench_compare);
    return n % 2 ? x[n / 2] : 0.5 * (x[n / 2 - 1] + x[n / 2]);
}
