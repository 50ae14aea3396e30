// SPDX-License-Identifier: Apache-2.0
// qr.c: how many columns of a matrix are independent, by Householder QR with column pivoting.
#include <math.h>

#include <thud/linalg.h>

static void swap_columns(thud_mat A, int i, int j)
{
    double *a = A.a + (size_t)i * A.stride, *b = A.a + (size_t)j * A.stride;
    for (int r = 0; r < A.rows && i != j; r++) {
        const double keep = a[r];
        a[r] = b[r];
        b[r] = keep;
    }
}

// Reflects column k's rows k.. onto its first; v is left in the column. Returns v^T v / 2, 0 for a zero
// column.
static double reflect(thud_mat A, int k)
{
    double *v = A.a + (size_t)k * A.stride + k;
    const int m = A.rows - k;
    const double norm = thud_norm2(m, v);
    if (!(norm > 0)) {
        return 0;
    }
    for (int i = 0; i < m; i++) {
        v[i] /= norm;
    }
    const double half = 1 + fabs(v[0]);
    v[0] += v[0] < 0 ? -1 : 1;
    return half;
}

int thud_qr_rank(thud_mat A, double tolerance, double *scratch)
{
    const int steps = A.rows < A.cols ? A.rows : A.cols;
    double longest = 0;
    for (int k = 0; k < steps; k++) {
        int best = k;
        for (int j = k; j < A.cols; j++) { // what is left of each column, computed afresh: no cancellation
            scratch[j] = thud_norm2(A.rows - k, A.a + (size_t)j * A.stride + k);
            best = scratch[j] > scratch[best] ? j : best;
        }
        longest = k == 0 ? scratch[best] : longest;
        if (!(scratch[best] > tolerance * longest)) {
            return k;
        }
        swap_columns(A, k, best);
        const double half = reflect(A, k);
        const double *v = A.a + (size_t)k * A.stride + k;
        for (int j = k + 1; j < A.cols; j++) { // a -= v (v . a) / (v . v / 2)
            double *a = A.a + (size_t)j * A.stride + k;
            const double s = thud_dot(A.rows - k, v, a) / half;
            for (int i = 0; i < A.rows - k; i++) {
                a[i] -= s * v[i];
            }
        }
    }
    return steps;
}
