// SPDX-License-Identifier: Apache-2.0
// tiles_factor.c: LU factors of a matrix of tiles, and solutions with them.
//
// Symbols  of the k-th group: D its own tile, R_j those to its right, B_j those beneath, kept transposed
//          P D = L U;   R_j <- D^-1 R_j;   then A_ij -= B_i R_j for all i, j that it reaches.  B stays as it is.
//          A x = r:  z_k = D^-1 r_k,  r_j -= B_j z_k  forwards;  x_k = z_k - sum R_j x_j  backwards
// Differs  rows are exchanged within a tile only, so that the pattern is known beforehand. No tile is inverted: where contacts
//          stick the condition of D is that of 1 / compliance, and a product with D^-1 would double the loss of digits.
// Cost     in piles a body reaches two others, so that all is in the tiles: of a register a row, one operation each.
// Fails    false at a pivot that is not above rounding of its column.
#include <math.h>
#include <string.h>

#include "cone_tiles.h"

#define ROW(x, r) (*(eight_of_numbers *)((x) + (r)*TILE_ROW))
#define ROW_OF(x, r) (*(const eight_of_numbers *)((x) + (r)*TILE_ROW))

// to -= A^T B
THUD_INSIDE void subtract(const double *A, const double *B, double *to)
{
    const eight b0 = ROW_OF(B, 0), b1 = ROW_OF(B, 1), b2 = ROW_OF(B, 2);
    const eight b3 = ROW_OF(B, 3), b4 = ROW_OF(B, 4), b5 = ROW_OF(B, 5);
    for (int r = 0; r < GROUP; r++) {
        ROW(to, r) -= (A[r] * b0 + A[TILE_ROW + r] * b1) +
                      (A[2 * TILE_ROW + r] * b2 + A[3 * TILE_ROW + r] * b3) +
                      (A[4 * TILE_ROW + r] * b4 + A[5 * TILE_ROW + r] * b5);
    }
}

// P D = L U in its place: L below the diagonal, U above it, and on it the inverse of U's.
THUD_INSIDE bool factor_own(double *D, int *pivot)
{
    static const double KEPT[GROUP][TILE_ROW] = {{0, 1, 1, 1, 1, 1}, {0, 0, 1, 1, 1, 1}, {0, 0, 0, 1, 1, 1},
                                                 {0, 0, 0, 0, 1, 1}, {0, 0, 0, 0, 0, 1}, {0}};
    double largest[GROUP] = {0};
    for (int r = 0; r < GROUP; r++) {
        for (int c = 0; c < GROUP; c++) {
            largest[c] = fabs(D[r * TILE_ROW + c]) > largest[c] ? fabs(D[r * TILE_ROW + c]) : largest[c];
        }
    }
    for (int k = 0; k < GROUP; k++) {
        int best = k;
        for (int r = k + 1; r < GROUP; r++) {
            best = fabs(D[r * TILE_ROW + k]) > fabs(D[best * TILE_ROW + k]) ? r : best;
        }
        pivot[k] = best;
        if (best != k) {
            const eight keep = ROW(D, k);
            ROW(D, k) = ROW(D, best);
            ROW(D, best) = keep;
        }
        const double at = D[k * TILE_ROW + k];
        if (!(fabs(at) > 1e-15 * largest[k])) {
            return false;
        }
        const double inverse = 1 / at;
        const eight right = ROW(D, k) * ROW_OF(KEPT[k], 0);
        for (int r = k + 1; r < GROUP; r++) {
            const double l = D[r * TILE_ROW + k] * inverse;
            ROW(D, r) -= l * right;
            D[r * TILE_ROW + k] = l;
        }
        D[k * TILE_ROW + k] = inverse;
    }
    return true;
}

// R <- D^-1 R
THUD_INSIDE void divide(const double *D, const int *pivot, double *R)
{
    eight x[GROUP];
    for (int k = 0; k < GROUP; k++) {
        if (pivot[k] != k) {
            const eight keep = ROW(R, k);
            ROW(R, k) = ROW(R, pivot[k]);
            ROW(R, pivot[k]) = keep;
        }
        x[k] = ROW(R, k);
    }
    for (int r = 1; r < GROUP; r++) {
        for (int k = 0; k < r; k++) {
            x[r] -= D[r * TILE_ROW + k] * x[k];
        }
    }
    for (int r = GROUP - 1; r >= 0; r--) {
        for (int k = r + 1; k < GROUP; k++) {
            x[r] -= D[r * TILE_ROW + k] * x[k];
        }
        x[r] *= D[r * TILE_ROW + r];
        ROW(R, r) = x[r];
    }
}

// A_ij -= B_i R_j for all that the k-th reaches.
THUD_INSIDE void update(const cone_tiles *t, int k)
{
    const int end = t->start[k + 1];
    for (int a = t->start[k]; a < end; a++) {
        if (!cone_tiles_reaches(t, a)) {
            continue;
        }
        const int i = t->reach[a];
        const double *R = cone_tiles_right(t, a), *B = cone_tiles_below(t, a);
        subtract(B, R, cone_tiles_diagonal(t, i));
        for (int b = a + 1, to = t->start[i]; b < end; b++) {
            if (!cone_tiles_reaches(t, b)) {
                continue;
            }
            while (t->reach[to] != t->reach[b]) {
                to++;
            }
            cone_tiles_fill(t, to);
            subtract(B, cone_tiles_right(t, b), cone_tiles_right(t, to));
            subtract(R, cone_tiles_below(t, b), cone_tiles_below(t, to));
        }
    }
}

void cone_tiles_clear(cone_tiles *t)
{
    memset(t->filled, 0, sizeof *t->filled * (size_t)(t->groups + t->start[t->groups]));
}

THUD_KERNEL bool cone_tiles_factor(cone_tiles *t)
{
    for (int k = 0; k < t->groups; k++) {
        double *D = cone_tiles_diagonal(t, k);
        int *pivot = t->pivot + (size_t)k * GROUP;
        if (!t->filled[k]) {
            continue;
        }
        if (!factor_own(D, pivot)) {
            return false;
        }
        for (int e = t->start[k]; e < t->start[k + 1]; e++) {
            if (cone_tiles_reaches(t, e)) {
                divide(D, pivot, cone_tiles_right(t, e));
            }
        }
        update(t, k);
    }
    return true;
}

// ---------------------------------------------------------------------------------------------- solving

// x <- D^-1 x
THUD_INSIDE void divide_one(const double *D, const int *pivot, double *x)
{
    for (int k = 0; k < GROUP; k++) {
        const double keep = x[k];
        x[k] = x[pivot[k]];
        x[pivot[k]] = keep;
    }
    for (int r = 1; r < GROUP; r++) {
        for (int k = 0; k < r; k++) {
            x[r] -= D[r * TILE_ROW + k] * x[k];
        }
    }
    for (int r = GROUP - 1; r >= 0; r--) {
        for (int k = r + 1; k < GROUP; k++) {
            x[r] -= D[r * TILE_ROW + k] * x[k];
        }
        x[r] *= D[r * TILE_ROW + r];
    }
}

THUD_KERNEL void cone_tiles_solve(const cone_tiles *t, double *x)
{
    for (int k = 0; k < t->groups; k++) {
        double *mine = x + (size_t)k * TILE_ROW;
        if (!t->filled[k]) {
            continue;
        }
        divide_one(cone_tiles_diagonal(t, k), t->pivot + (size_t)k * GROUP, mine);
        for (int e = t->start[k]; e < t->start[k + 1]; e++) {
            if (!cone_tiles_reaches(t, e)) {
                continue;
            }
            const double *B = cone_tiles_below(t, e);
            double *to = x + (size_t)t->reach[e] * TILE_ROW;
            ROW(to, 0) -= (ROW_OF(B, 0) * mine[0] + ROW_OF(B, 1) * mine[1]) +
                          (ROW_OF(B, 2) * mine[2] + ROW_OF(B, 3) * mine[3]) +
                          (ROW_OF(B, 4) * mine[4] + ROW_OF(B, 5) * mine[5]);
        }
    }
    for (int k = t->groups - 1; k >= 0; k--) {
        eight sum[GROUP] = {{0}};
        if (!t->filled[k]) {
            continue;
        }
        for (int e = t->start[k]; e < t->start[k + 1]; e++) {
            if (!cone_tiles_reaches(t, e)) {
                continue;
            }
            const double *R = cone_tiles_right(t, e);
            const eight y = ROW_OF(x + (size_t)t->reach[e] * TILE_ROW, 0);
            for (int r = 0; r < GROUP; r++) {
                sum[r] += ROW_OF(R, r) * y;
            }
        }
        for (int r = 0; r < GROUP; r++) {
            const eight s = sum[r];
            x[(size_t)k * TILE_ROW + (size_t)r] -= ((s[0] + s[1]) + (s[2] + s[3])) + (s[4] + s[5]);
        }
    }
}
