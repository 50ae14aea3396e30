// SPDX-License-Identifier: Apache-2.0
// law_case.c: the parts that every law's problem is put together from.                          [theory 2-4]
//
// Symbols  C column j of it is the direction of impulse j · M = C^T W C · q = C^T u_free
// Cost     n rows + n^2 for M: a column of W C has two columns of W in it.
#include <math.h>
#include <string.h>

#include "law_inside.h"

static const double IMMOVABLE = 1e-9; // of the mean: a row that no impulse moves, across the plane of a loop

static bool copy_W(law_case *c)
{
    const thud_island *island = c->island;
    const int rows = island->rows;
    double *a = thud_arena_push(c->arena, (size_t)rows * (size_t)rows, sizeof *a);
    if (!a) {
        return false;
    }
    c->W = (thud_mat){rows, rows, rows, a};
    memset(a, 0, sizeof *a * (size_t)rows * (size_t)rows);
    thud_island_copy_delassus(island, NULL, a, (size_t)rows);
    return true;
}

static bool is_linear(const thud_block *b, int r) // measured in 1/kg, as an angular row is not
{
    return b->kind == THUD_BLOCK_CONTACT && r < 3;
}

static void measure(law_case *c)
{
    const thud_island *island = c->island;
    double sum = 0, all = 0;
    int count = 0;
    for (int i = 0; i < island->blocks; i++) {
        const thud_block *b = island->block + i;
        for (int r = 0; r < b->dim; r++) {
            const double diagonal = *law_at(c->W, b->row + r, b->row + r);
            all += diagonal;
            sum += is_linear(b, r) ? diagonal : 0;
            count += is_linear(b, r);
        }
    }
    const double mean = count > 0 ? sum / count : all / island->rows;
    c->mean = mean > 0 && isfinite(mean) ? mean : 1;
    int exponent;
    const double part = frexp(c->mean, &exponent);
    c->s = ldexp(1, part < 0.70710678118654752 ? exponent - 1
                                               : exponent); // the power of two nearest to the mean
    for (int i = 0; i < island->blocks; i++) {
        const thud_block *b = island->block + i;
        for (int r = 0; r < b->dim; r++) { // as the cone's room shares it out: a radian is not a metre
            const double diagonal = *law_at(c->W, b->row + r, b->row + r);
            const bool own = !is_linear(b, r) && diagonal > IMMOVABLE * c->mean;
            c->ease[b->row + r] = own ? diagonal : c->mean;
        }
    }
}

bool law_case_open(law_case *c, const thud_island *island, const thud_law_options *o, thud_arena *arena)
{
    *c = (law_case){.island = island, .o = o, .arena = arena};
    c->ease = thud_arena_push(arena, (size_t)island->rows, sizeof *c->ease);
    c->u = thud_arena_push(arena, (size_t)island->rows, sizeof *c->u);
    if (!c->ease || !c->u || !copy_W(c)) {
        return false;
    }
    measure(c);
    thud_mat_mulvec(c->W, island->p, c->u);
    for (int i = 0; i < island->rows; i++) {
        c->u[i] += island->u_free[i];
        c->warm = c->warm || island->p[i] != 0;
    }
    return true;
}

bool law_case_size(law_case *c, int n)
{
    THUD_ASSERT(n >= 0);
    const size_t size = (size_t)n;
    double *a = thud_arena_push(c->arena, size * size, sizeof *a);
    c->column = thud_arena_push(c->arena, size, sizeof *c->column);
    c->q = thud_arena_push(c->arena, size, sizeof *c->q);
    c->lo = thud_arena_push(c->arena, size, sizeof *c->lo);
    c->hi = thud_arena_push(c->arena, size, sizeof *c->hi);
    c->q_size = thud_arena_push(c->arena, size, sizeof *c->q_size);
    c->start = thud_arena_push(c->arena, size, sizeof *c->start);
    if (!a || !c->column || !c->q || !c->lo || !c->hi || !c->q_size || !c->start) {
        return false;
    }
    memset(a, 0, sizeof *a * size * size);
    memset(c->q, 0, sizeof *c->q * size);
    memset(c->start, THUD_LCP_AT_LOWER, size);
    c->n = n;
    c->M = (thud_mat){n, n, n, a};
    c->lcp = (thud_lcp){n, c->M, c->q, c->lo, c->hi, c->q_size};
    return true;
}

int law_case_add(law_case *c, law_column column, double lo, double hi)
{
    THUD_ASSERT(c->used < c->n);
    c->column[c->used] = column;
    c->lo[c->used] = lo;
    c->hi[c->used] = hi;
    return c->used++;
}

void law_case_add_rows(law_case *c, int block)
{
    const thud_block *b = c->island->block + block;
    const thud_cone_block *cone = c->island->cone + block;
    const int rows = b->kind == THUD_BLOCK_LOOP ? b->dim : 1;
    const double lo = b->kind == THUD_BLOCK_LOOP ? -INFINITY : b->kind == THUD_BLOCK_DRY ? cone->lo : 0;
    const double hi = b->kind == THUD_BLOCK_DRY ? cone->hi : INFINITY;
    for (int r = 0; r < rows; r++) {
        const int j = law_case_add(c, (law_column){block, b->row + r, -1, 1, 0}, lo, hi);
        const double p = c->island->p[b->row + r];
        c->start[j] = p > lo && p < hi ? THUD_LCP_BETWEEN : p >= hi ? THUD_LCP_AT_UPPER : THUD_LCP_AT_LOWER;
    }
}

double law_column_dot(const law_column *column, const double *x)
{
    if (column->row < 0) {
        return 0;
    }
    return column->a * x[column->row] + (column->other < 0 ? 0 : column->b * x[column->other]);
}

// What q is a sum of: velocities of the bodies, of the size of the block's fastest row; and of a loop, whose
// error may stand in it over h, positions of about a metre.
static double size_of_terms(const thud_island *island, int block)
{
    const thud_block *b = island->block + block;
    const double positions = b->kind == THUD_BLOCK_LOOP && island->h > 0 ? 1 / island->h : 0;
    return positions + thud_norm_inf(b->dim, island->u_free + b->row) +
           thud_norm_inf(b->dim, island->u_before + b->row);
}

void law_case_couple(law_case *c)
{
    const thud_island *island = c->island;
    for (int j = 0; j < c->n; j++) {
        const law_column *column = c->column + j;
        c->q_size[j] = 0;
        if (column->row < 0) {
            continue;
        }
        const double *first = law_at(c->W, 0, column->row);
        const double *second = column->other < 0 ? first : law_at(c->W, 0, column->other);
        const double b = column->other < 0 ? 0 : column->b;
        for (int i = 0; i < c->n; i++) { // c_i^T W c_j
            *law_at(c->M, i, j) +=
                column->a * law_column_dot(c->column + i, first) + b * law_column_dot(c->column + i, second);
        }
        c->q[j] += law_column_dot(column, island->u_free);
        c->q_size[j] = size_of_terms(island, column->block);
    }
}

void law_case_impulses(const law_case *c, const double *z, double *p)
{
    memset(p, 0, sizeof *p * (size_t)c->island->rows);
    for (int j = 0; j < c->n; j++) {
        const law_column *column = c->column + j;
        if (column->row >= 0) {
            p[column->row] += column->a * z[j];
        }
        if (column->other >= 0) {
            p[column->other] += column->b * z[j];
        }
    }
}
