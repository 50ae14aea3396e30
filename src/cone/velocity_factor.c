// SPDX-License-Identifier: Apache-2.0
// velocity_factor.c: H = I + S^T K S by rows, and its factors L U in place.
//
// H is symmetric but for contacts that slide. The diagonal is the pivot unless it is small beside its column, and rows below the
// pivot that have a zero there are left alone: with columns from the tips of a tree to its root that is most of them.
// Cost     the sum over blocks of dim x columns^2 for H, at most 2 m^3 / 3 for its factors.
#include <math.h>
#include <string.h>

#include "velocity.h"

static const double SMALL = 1e-3; // a pivot, of the largest number below it in its column

bool velocity_factor_begin(const velocity_view *s, thud_arena *arena, velocity_factor *f)
{
    THUD_ASSERT(s->m <= VELOCITY_COLUMNS);
    const size_t stride = ((size_t)s->m + FOUR - 1) / FOUR * FOUR;
    *f = (velocity_factor){.m = s->m, .stride = (int)stride};
    f->H = thud_arena_push(arena, stride * stride, sizeof *f->H);
    f->room = thud_arena_push(arena, stride * (stride + THUD_CONE_DIM_MAX), sizeof *f->room);
    f->pivot = thud_arena_push(arena, (size_t)s->m, sizeof *f->pivot);
    return f->H && f->room && f->pivot;
}

// KS (dim x width) = K S.
THUD_INSIDE void multiply_block(int dim, int width, const double *K, const double *S, double *KS)
{
    for (int r = 0; r < dim; r++) {
        for (int c = 0; c < width; c += FOUR) {
            four sum = {0};
            for (int q = 0; q < dim; q++) {
                sum += K[r * dim + q] * *fours_of(S + q * width + c);
            }
            *fours_at(KS + r * width + c) = sum;
        }
    }
}

// to (columns x width) += S^T KS, or where nothing is there yet = S^T KS.
THUD_INSIDE void add_product(int dim, int columns, int width, const double *S, const double *KS, bool there,
                             double *to)
{
    for (int a = 0; a < columns; a++, to += width) {
        for (int c = 0; c < width; c += FOUR) {
            four sum = {0};
            if (there) {
                sum = *fours_of(to + c);
            }
            for (int r = 0; r < dim; r++) {
                sum += S[r * width + a] * *fours_of(KS + r * width + c);
            }
            *fours_at(to + c) = sum;
        }
    }
}

THUD_INSIDE void add_as(int dim, int columns, int width, const double *K, const double *S, bool there,
                        double *KS, double *to)
{
    multiply_block(dim, width, K, S, KS);
    if (there) {
        add_product(dim, columns, width, S, KS, true, to);
    } else {
        add_product(dim, columns, width, S, KS, false, to);
    }
}

THUD_KERNEL static void add_block(int dim, int columns, int width, const double *K, const double *S,
                                  bool there, double *KS, double *to)
{
    if (dim == 3) { // of known size, without loops
        add_as(3, columns, width, K, S, there, KS, to);
    } else if (dim == 1) {
        add_as(1, columns, width, K, S, there, KS, to);
    } else {
        add_as(dim, columns, width, K, S, there, KS, to);
    }
}

static void scatter(const int *column, int columns, int width, const double *from, velocity_factor *f)
{
    for (int a = 0; a < columns; a++, from += width) {
        double *to = f->H + (size_t)column[a] * (size_t)f->stride;
        for (int c = 0; c < columns; c++) {
            to[column[c]] += from[c];
        }
    }
}

static bool is_zero(int count, const double *K)
{
    bool zero = true;
    for (int i = 0; i < count; i++) {
        zero = zero && K[i] == 0;
    }
    return zero;
}

void velocity_factor_make(const cone_work *w, const velocity_view *s, const double *K, velocity_factor *f)
{
    THUD_ASSERT(f->m == s->m);
    const size_t stride = (size_t)f->stride;
    memset(f->H, 0, sizeof *f->H * stride * (size_t)f->m);
    for (int j = 0; j < f->m; j++) {
        f->H[(size_t)j * (stride + 1)] = 1;
    }
    double *product = f->room + THUD_CONE_DIM_MAX * stride;
    for (int i = 0; i < s->blocks;) {
        const int columns = velocity_columns(s, i), width = velocity_width(s, i), first = i;
        bool any = false;
        do { // blocks of the same columns are added up first
            const int dim = w->block[i].dim;
            const double *own = K + (size_t)i * VELOCITY_BLOCK;
            if (!is_zero(dim * dim, own)) {
                add_block(dim, columns, width, own, s->S + s->at[i], any, f->room, product);
                any = true;
            }
            i++;
        } while (i < s->blocks && s->repeated[i]);
        if (any) {
            scatter(s->column + s->start[first], columns, width, product, f);
        }
    }
}

// row -= factor pivot, from column `from` on.
THUD_INSIDE void subtract_row(int from, int stride, double factor, const double *pivot, double *row)
{
    for (int c = from; c < stride; c += FOUR) {
        *fours_at(row + c) -= factor * *fours_of(pivot + c);
    }
}

// The row to be the pivot of column k.
static int choose_pivot(const velocity_factor *f, int k)
{
    const size_t stride = (size_t)f->stride;
    double most = 0;
    int at = k;
    for (int i = k + 1; i < f->m; i++) {
        const double x = fabs(f->H[(size_t)i * stride + (size_t)k]);
        if (x > most) {
            most = x;
            at = i;
        }
    }
    return fabs(f->H[(size_t)k * (stride + 1)]) < SMALL * most ? at : k;
}

THUD_KERNEL bool velocity_factor_invert(velocity_factor *f)
{
    const int m = f->m;
    const size_t stride = (size_t)f->stride;
    for (int k = 0; k < m; k++) {
        double *pivot = f->H + (size_t)k * stride;
        f->pivot[k] = choose_pivot(f, k);
        if (f->pivot[k] != k) {
            double *other = f->H + (size_t)f->pivot[k] * stride;
            for (int c = 0; c < m; c++) {
                const double x = pivot[c];
                pivot[c] = other[c];
                other[c] = x;
            }
        }
        if (!(fabs(pivot[k]) > 0) || !(fabs(pivot[k]) < INFINITY)) {
            return false;
        }
        const double inverse = 1 / pivot[k];
        const int whole = (k + FOUR) / FOUR * FOUR; // the first four behind column k
        for (int i = k + 1; i < m; i++) {
            double *row = f->H + (size_t)i * stride;
            if (row[k] != 0) {
                const double factor = row[k] * inverse;
                for (int c = k + 1; c < whole && c < m; c++) {
                    row[c] -= factor * pivot[c];
                }
                subtract_row(whole, f->stride, factor, pivot, row);
                row[k] = factor;
            }
        }
    }
    return true;
}

void velocity_factor_solve(const velocity_factor *f, double *x)
{
    const int m = f->m;
    const size_t stride = (size_t)f->stride;
    for (int k = 0; k < m; k++) {
        const double at = x[f->pivot[k]];
        x[f->pivot[k]] = x[k];
        x[k] = at;
    }
    for (int i = 1; i < m; i++) {
        const double *row = f->H + (size_t)i * stride;
        double sum = 0;
        for (int c = 0; c < i; c++) {
            sum += row[c] * x[c];
        }
        x[i] -= sum;
    }
    for (int i = m - 1; i >= 0; i--) {
        const double *row = f->H + (size_t)i * stride;
        double sum = x[i];
        for (int c = i + 1; c < m; c++) {
            sum -= row[c] * x[c];
        }
        x[i] = sum / row[i];
    }
}
