// SPDX-License-Identifier: Apache-2.0
// cone_factor.c: Cholesky and LU factors of a matrix with the block pattern of W^, node by node.
//
// Symbols  a node's columns: D its own rows, L those below it, U^T the transposed rows to its right
//          D = L_D L_D^T  or  P D = L_D U_D;   L <- L U_D^-1,   U <- L_D^-1 P U;   then for every pair of
//          nodes x <= y that it reaches:   A_yx -= L_y U_x
// Differs  rows are exchanged within a node only, so that the pattern is known beforehand. That is enough for
//          positive definite W^ + compliance, and for sliding contacts, whose rows are mixed with their own;
//          where it is not, the caller has a factor with full pivoting.
// Cost     what the pattern asks: 12 n^2 for a stack, n^3 / 3 (Cholesky) or 2 n^3 / 3 for a full matrix.
// Fails    false at a pivot that is not above rounding of its column (not positive, for Cholesky).
#include <math.h>
#include <string.h>

#include "cone_factor.h"

#include <thud/linalg_fours.h>

// y -= X a, X of `columns` columns.
THUD_INSIDE void subtract(int n, int columns, const double *restrict x, int stride, const double *restrict a,
                          int pace, double *restrict y)
{
    int k = 0;
    for (; k + 4 <= columns; k += 4) {
        const double *restrict x0 = x + (size_t)k * (size_t)stride, *restrict x1 = x0 + stride;
        const double *restrict x2 = x1 + stride, *restrict x3 = x2 + stride;
        const double a0 = a[(size_t)k * (size_t)pace], a1 = a[(size_t)(k + 1) * (size_t)pace];
        const double a2 = a[(size_t)(k + 2) * (size_t)pace], a3 = a[(size_t)(k + 3) * (size_t)pace];
        for (int i = 0; i < n; i++) {
            y[i] -= (x0[i] * a0 + x1[i] * a1) + (x2[i] * a2 + x3[i] * a3);
        }
    }
    for (; k < columns; k++) {
        const double *restrict x0 = x + (size_t)k * (size_t)stride;
        const double a0 = a[(size_t)k * (size_t)pace];
        for (int i = 0; i < n; i++) {
            y[i] -= x0[i] * a0;
        }
    }
}

// The panel of a symmetric node: L_D, and L = A L_D^-T beneath, column by column.
THUD_KERNEL static bool cholesky_panel(int size, int rows, double *a)
{
    THUD_ASSERT(0 <= size && size <= rows);
    for (int k = 0; k < size; k++) {
        double *ck = a + (size_t)k * (size_t)rows;
        const double was = ck[k];
        subtract(rows - k, k, a + k, rows, a + k, rows, ck + k);
        if (!(ck[k] > 1e-15 * was)) {
            return false;
        }
        const double inverse = 1 / sqrt(ck[k]);
        for (int i = k; i < rows; i++) {
            ck[i] *= inverse;
        }
    }
    return true;
}

// y -= X a, one column after the other, X of `columns` columns.
THUD_INSIDE void subtract_in_turn(int n, int columns, const double *restrict x, int stride,
                                  const double *restrict a, double *restrict y)
{
    int k = 0;
    for (; k + 3 <= columns; k += 3) {
        const double *restrict x0 = x + (size_t)k * (size_t)stride, *restrict x1 = x0 + stride;
        const double *restrict x2 = x1 + stride, a0 = a[k], a1 = a[k + 1], a2 = a[k + 2];
        for (int i = 0; i < n; i++) {
            y[i] = ((y[i] - x0[i] * a0) - x1[i] * a1) - x2[i] * a2;
        }
    }
    for (; k < columns; k++) {
        subtract(n, 1, x + (size_t)k * (size_t)stride, stride, a + k, 1, y);
    }
}

enum { BODY = 6 }; // rows of a node that is one body, as most are in piles

// L = A U_D^-1 beneath a node of BODY columns, all of them in one pass; the sums of subtract_in_turn.
THUD_INSIDE void below_body(int rows, double *a)
{
    const size_t stride = (size_t)rows;
    double inverse[BODY];
    for (int k = 0; k < BODY; k++) {
        inverse[k] = 1 / a[(size_t)k * (stride + 1)];
    }
    int i = BODY;
    for (; i + FOUR <= rows; i += FOUR) {
        four_of_numbers x[BODY];
        for (int k = 0; k < BODY; k++) {
            x[k] = *fours_of(a + (size_t)k * stride + i);
            for (int j = 0; j < k; j++) {
                x[k] -= x[j] * a[(size_t)k * stride + (size_t)j];
            }
            x[k] *= inverse[k];
            *fours_at(a + (size_t)k * stride + i) = x[k];
        }
    }
    for (; i < rows; i++) {
        double x[BODY];
        for (int k = 0; k < BODY; k++) {
            x[k] = a[(size_t)k * stride + (size_t)i];
            for (int j = 0; j < k; j++) {
                x[k] -= x[j] * a[(size_t)k * stride + (size_t)j];
            }
            x[k] *= inverse[k];
            a[(size_t)k * stride + (size_t)i] = x[k];
        }
    }
}

// P D = L_D U_D, L = A U_D^-1 beneath; pivots among the node's own rows.
THUD_KERNEL static bool lu_panel(int size, int rows, double *a, int *pivot)
{
    THUD_ASSERT(0 <= size && size <= rows);
    for (int k = 0; k < size; k++) {
        double *ck = a + (size_t)k * (size_t)rows, largest = 0;
        for (int i = 0; i < size; i++) {
            largest = fabs(ck[i]) > largest ? fabs(ck[i]) : largest;
        }
        for (int j = 0; j < k; j++) { // the exchanges so far, then L_D y = a_k
            const double keep = ck[j];
            ck[j] = ck[pivot[j]];
            ck[pivot[j]] = keep;
        }
        for (int j = 0; j < k; j++) {
            subtract(size - j - 1, 1, a + (size_t)j * (size_t)rows + j + 1, rows, ck + j, 1, ck + j + 1);
        }
        int best = k;
        for (int i = k + 1; i < size; i++) {
            best = fabs(ck[i]) > fabs(ck[best]) ? i : best;
        }
        pivot[k] = best;
        if (!(fabs(ck[best]) > 1e-15 * largest)) {
            return false;
        }
        for (int j = 0; j <= k && best != k; j++) {
            double *cj = a + (size_t)j * (size_t)rows, keep = cj[k];
            cj[k] = cj[best];
            cj[best] = keep;
        }
        const double inverse = 1 / ck[k];
        for (int i = k + 1; i < size; i++) {
            ck[i] *= inverse;
        }
        if (size != BODY) { // and the rows beneath
            subtract_in_turn(rows - size, k, a + size, rows, ck, ck + size);
            for (int i = size; i < rows; i++) {
                ck[i] *= inverse;
            }
        }
    }
    if (size == BODY) {
        below_body(rows, a);
    }
    return true;
}

// L of the LU panel is divided by its pivots; U^T <- (L_D^-1 P U)^T, whose columns are rows of U.
THUD_KERNEL static void lu_across(int size, int rows, const double *a, const int *pivot, int below, double *u)
{
    for (int k = 0; k < size; k++) {
        double *x = u + (size_t)k * (size_t)below, *y = u + (size_t)pivot[k] * (size_t)below;
        for (int i = 0; i < below && x != y; i++) {
            const double keep = x[i];
            x[i] = y[i];
            y[i] = keep;
        }
    }
    for (int k = 0; k < size; k++) {
        subtract(below, k, u, below, a + k, rows, u + (size_t)k * (size_t)below);
    }
}

// Three columns of -X a at once, as `subtract` has each of them.
THUD_INSIDE void product_of_three(int n, int columns, const double *restrict x, int stride,
                                  const double *restrict a, int pace, double *restrict y)
{
    double *restrict y1 = y + n, *restrict y2 = y1 + n;
    int k = 0;
    for (; k + 4 <= columns; k += 4) {
        const double *restrict x0 = x + (size_t)k * (size_t)stride, *restrict x1 = x0 + stride;
        const double *restrict x2 = x1 + stride, *restrict x3 = x2 + stride;
        const double *a0 = a + (size_t)k * (size_t)pace, *a1 = a0 + pace, *a2 = a1 + pace, *a3 = a2 + pace;
        for (int i = 0; i < n; i++) {
            y[i] -= (x0[i] * a0[0] + x1[i] * a1[0]) + (x2[i] * a2[0] + x3[i] * a3[0]);
            y1[i] -= (x0[i] * a0[1] + x1[i] * a1[1]) + (x2[i] * a2[1] + x3[i] * a3[1]);
            y2[i] -= (x0[i] * a0[2] + x1[i] * a1[2]) + (x2[i] * a2[2] + x3[i] * a3[2]);
        }
    }
    for (; k < columns; k++) {
        const double *restrict x0 = x + (size_t)k * (size_t)stride, *a0 = a + (size_t)k * (size_t)pace;
        for (int i = 0; i < n; i++) {
            y[i] -= x0[i] * a0[0];
            y1[i] -= x0[i] * a0[1];
            y2[i] -= x0[i] * a0[2];
        }
    }
}

// `count` columns of -X A, of n rows each, one after the other in y; column c of A from a + c on.
THUD_KERNEL static void product(int n, int columns, const double *x, int stride, const double *a, int pace,
                                int count, double *y)
{
    for (int i = 0; i < n * count; i++) {
        y[i] = 0;
    }
    int c = 0;
    for (; c + 3 <= count; c += 3) {
        product_of_three(n, columns, x, stride, a + c, pace, y + (size_t)c * (size_t)n);
    }
    for (; c < count; c++) {
        subtract(n, columns, x, stride, a + c, pace, y + (size_t)c * (size_t)n);
    }
}

// Adds what `product` left for the nodes from the k-th reach of `from` on to a column of node x's panel.
static void scatter(const cone_factor *f, const cone_node *from, int k, const int *at, const double *y,
                    double *column)
{
    const int base = f->reach_at[from->reach + k];
    for (int b = k; b < from->reaches; b++) {
        const int begin = f->reach_at[from->reach + b];
        const int end = b + 1 < from->reaches ? f->reach_at[from->reach + b + 1] : from->stride;
        double *to = column + at[b];
        for (int i = begin; i < end; i++) {
            to[i - begin] += y[i - base];
        }
    }
}

// Where the nodes that `from` reaches, from its k-th on, stand in the panel of that k-th.
static void match(const cone_factor *f, const cone_node *from, int k, int *at)
{
    const cone_node *to = f->node + f->reach[from->reach + k];
    int y = to->reach;
    at[k] = 0;
    for (int b = k + 1; b < from->reaches; b++) {
        while (f->reach[y] != f->reach[from->reach + b]) {
            y++;
        }
        at[b] = f->reach_at[y];
    }
}

// A_yx -= L_y U_x for all x <= y that the node reaches (and A_xy, when it is not symmetric).
static void update(const cone_factor *f, const cone_node *node, bool symmetric, int *at)
{
    const int below = node->stride - node->size;
    const double *L = f->value + node->panel + node->size, *U = f->value + node->across;
    for (int k = 0; k < node->reaches; k++) {
        const cone_node *to = f->node + f->reach[node->reach + k];
        const int begin = f->reach_at[node->reach + k] - node->size, wide = to->stride - to->size;
        match(f, node, k, at);
        const int rows = below - begin, after = begin + to->size;
        product(rows, node->size, L + begin, node->stride, (symmetric ? L : U) + begin,
                symmetric ? node->stride : below, to->size, f->work);
        for (int c = 0; c < to->size; c++) {
            scatter(f, node, k, at, f->work + (size_t)c * (size_t)rows,
                    f->value + to->panel + (size_t)c * (size_t)to->stride);
        }
        if (symmetric || after == below) {
            continue;
        }
        product(below - after, node->size, U + after, below, L + begin, node->stride, to->size, f->work);
        for (int c = 0; c < to->size; c++) {
            double *across = f->value + to->across + (size_t)c * (size_t)wide; // has no rows of its own
            scatter(f, node, k + 1, at, f->work + (size_t)c * (size_t)(below - after), across - to->size);
        }
    }
}

bool cone_factor_cholesky(cone_factor *f)
{
    int *at = (int *)(f->work + (size_t)CONE_NODE * (size_t)f->n);
    for (int x = 0; x < f->nodes; x++) {
        const cone_node *node = f->node + x;
        if (!cholesky_panel(node->size, node->stride, f->value + node->panel)) {
            return false;
        }
        update(f, node, true, at);
    }
    return true;
}

bool cone_factor_lu(cone_factor *f)
{
    int *at = (int *)(f->work + (size_t)CONE_NODE * (size_t)f->n);
    for (int x = 0; x < f->nodes; x++) {
        const cone_node *node = f->node + x;
        double *panel = f->value + node->panel;
        if (!lu_panel(node->size, node->stride, panel, f->pivot + node->row)) {
            return false;
        }
        lu_across(node->size, node->stride, panel, f->pivot + node->row, node->stride - node->size,
                  f->value + node->across);
        update(f, node, false, at);
    }
    return true;
}

// ---------------------------------------------------------------------------------------------- solving

static void permute(const cone_factor *f, const double *x, double *y)
{
    for (int i = 0; i < f->n; i++) {
        y[f->place[i]] = x[i];
    }
}

static void permute_back(const cone_factor *f, const double *y, double *x)
{
    for (int i = 0; i < f->n; i++) {
        x[i] = y[f->place[i]];
    }
}

// Rows of the nodes below: y -= A x, with A the part of a panel beneath (stride given).
static void subtract_below(const cone_factor *f, const cone_node *node, const double *a, const double *x,
                           double *y)
{
    for (int b = 0; b < node->reaches; b++) {
        const cone_node *to = f->node + f->reach[node->reach + b];
        const double *rows = a + f->reach_at[node->reach + b];
        for (int k = 0; k < node->size; k++) {
            for (int i = 0; i < to->size; i++) {
                y[to->row + i] -= rows[i + (size_t)k * (size_t)node->stride] * x[k];
            }
        }
    }
}

// x_k -= (column k of A) . y over the nodes below.
static void subtract_dots(const cone_factor *f, const cone_node *node, const double *a, int stride, int base,
                          const double *y, double *x)
{
    for (int b = 0; b < node->reaches; b++) {
        const cone_node *of = f->node + f->reach[node->reach + b];
        const double *rows = a + f->reach_at[node->reach + b] - base;
        for (int k = 0; k < node->size; k++) {
            x[k] -= thud_dot(of->size, rows + (size_t)k * (size_t)stride, y + of->row);
        }
    }
}

void cone_factor_cholesky_solve(const cone_factor *f, double *x)
{
    THUD_ASSERT(f->n >= 0 && f->work);
    double *y = f->work;
    permute(f, x, y);
    for (int n = 0; n < f->nodes; n++) {
        const cone_node *node = f->node + n;
        const double *a = f->value + node->panel;
        double *mine = y + node->row;
        for (int k = 0; k < node->size; k++) {
            mine[k] /= a[k + (size_t)k * (size_t)node->stride];
            for (int i = k + 1; i < node->size; i++) {
                mine[i] -= a[i + (size_t)k * (size_t)node->stride] * mine[k];
            }
        }
        subtract_below(f, node, a, mine, y);
    }
    for (int n = f->nodes - 1; n >= 0; n--) {
        const cone_node *node = f->node + n;
        const double *a = f->value + node->panel;
        double *mine = y + node->row;
        subtract_dots(f, node, a, node->stride, 0, y, mine);
        for (int k = node->size - 1; k >= 0; k--) {
            for (int i = k + 1; i < node->size; i++) {
                mine[k] -= a[i + (size_t)k * (size_t)node->stride] * mine[i];
            }
            mine[k] /= a[k + (size_t)k * (size_t)node->stride];
        }
    }
    permute_back(f, y, x);
}

void cone_factor_lu_solve(const cone_factor *f, double *x)
{
    double *y = f->work;
    permute(f, x, y);
    for (int n = 0; n < f->nodes; n++) {
        const cone_node *node = f->node + n;
        const double *a = f->value + node->panel;
        double *mine = y + node->row;
        for (int k = 0; k < node->size; k++) {
            const int p = f->pivot[node->row + k];
            const double keep = mine[k];
            mine[k] = mine[p];
            mine[p] = keep;
        }
        for (int k = 0; k < node->size; k++) {
            for (int i = k + 1; i < node->size; i++) {
                mine[i] -= a[i + (size_t)k * (size_t)node->stride] * mine[k];
            }
        }
        subtract_below(f, node, a, mine, y);
    }
    for (int n = f->nodes - 1; n >= 0; n--) {
        const cone_node *node = f->node + n;
        const double *a = f->value + node->panel;
        double *mine = y + node->row;
        subtract_dots(f, node, f->value + node->across, node->stride - node->size, node->size, y, mine);
        for (int k = node->size - 1; k >= 0; k--) {
            mine[k] /= a[k + (size_t)k * (size_t)node->stride];
            for (int i = 0; i < k; i++) {
                mine[i] -= a[i + (size_t)k * (size_t)node->stride] * mine[k];
            }
        }
    }
    permute_back(f, y, x);
}
