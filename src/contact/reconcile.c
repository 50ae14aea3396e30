// SPDX-License-Identifier: Apache-2.0
// reconcile.c: equations of an island that say the same twice, made to say the same. [theory 7]
//
// Loops are often redundant: a door on two hinges, a linkage in a plane. Their rows depend on each other, W is singular, and no
// impulse changes what the dependent rows ask beyond what the others do. Where that is not the same, by the little that frames
// turn in half a step or by digits of a file, no impulse solves the island. Rows of joints and loops are taken in the order of
// what they add, and those that add nothing ask for what follows from the others:
//
//     C = S W S,  S = diag(W)^-1/2 · P C P^T = L L^T by largest pivots · b_2 <- L_21 L_11^-1 b_1
//
// What contradicts by more than a hundredth stays: then the solver says so. Nothing is hidden: how far loops are open is judged
// from positions. Only rows that add no more than 1e-5 (RANK, squared) are touched: what is stiff is not redundant.
// Cost     n^3/3 for n such rows, twice where they depend on each other; more than MOST are left as they are.
#include <math.h>
#include <string.h>

#include "rows.h"

enum { MOST = 300 };
static const double RANK = 1e-10, CONTRADICTION = 0.01;

typedef struct equations {
    int count;
    int *row;        // in the island
    int *place;      // of each row of the island among these, or -1
    double *scale;   // S
    double *b;       // S u_free
    double *C;       // count x count, symmetric
    double *follows; // count: b of the dependent rows as it follows from the others
} equations;

static bool is_rigid(const thud_rows *rows, const span *s, int k, int r)
{
    return rows->cone[s->block + k].kind == THUD_CONE_KIND_FREE &&
           !(rows->compliant && rows->epsilon[s->row + r] > 0);
}

static void list_rows(const thud_rows *rows, const span *s, equations *e)
{
    e->count = 0;
    for (int k = 0; k < s->blocks; k++) {
        const thud_cone_block *b = &rows->cone[s->block + k];
        for (int r = b->row; r < b->row + b->dim; r++) {
            const bool rigid = is_rigid(rows, s, k, r);
            e->place[r] = rigid ? e->count : -1;
            if (rigid) {
                e->row[e->count++] = r;
            }
        }
    }
}

static void take_entries(const thud_island *of, equations *e)
{
    const size_t n = (size_t)e->count;
    memset(e->C, 0, n * n * sizeof *e->C);
    thud_island_copy_delassus(of, e->place, e->C, n);
}

// C of ones on its diagonal; of a row that nothing moves, of zeros. false: nothing moves any.
static bool scale(const thud_rows *rows, const span *s, equations *e)
{
    const int n = e->count;
    double largest = 0;
    for (int i = 0; i < n; i++) {
        largest = thud_max(largest, e->C[(size_t)i * (size_t)(n + 1)]);
    }
    if (!(largest > 0)) {
        return false;
    }
    for (int i = 0; i < n; i++) {
        const double own = e->C[(size_t)i * (size_t)(n + 1)];
        e->scale[i] = 1 / sqrt(thud_max(own, RANK * largest));
        e->b[i] = e->scale[i] * rows->u_free[s->row + e->row[i]];
    }
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) {
            e->C[i + (size_t)j * (size_t)n] *= e->scale[i] * e->scale[j];
        }
    }
    return true;
}

// Does every row add something to those before it? Uses C up.
static bool is_regular(const equations *e)
{
    const thud_mat L = {e->count, e->count, e->count, e->C};
    return thud_chol_factor(L) < 0 && thud_chol_least(L) > 10 * RANK;
}

static void swap(double *a, double *b)
{
    const double x = *a;
    *a = *b;
    *b = x;
}

static void exchange(equations *e, int i, int j)
{
    const size_t n = (size_t)e->count;
    for (size_t k = 0; k < n; k++) {
        swap(&e->C[(size_t)i + k * n], &e->C[(size_t)j + k * n]);
    }
    for (size_t k = 0; k < n; k++) {
        swap(&e->C[k + (size_t)i * n], &e->C[k + (size_t)j * n]);
    }
    swap(&e->b[i], &e->b[j]);
    swap(&e->scale[i], &e->scale[j]);
    const int row = e->row[i];
    e->row[i] = e->row[j];
    e->row[j] = row;
}

// L in the first columns of C, as many as are returned: those that add something.
static int factor(equations *e)
{
    const int n = e->count;
    for (int k = 0; k < n; k++) {
        int most = k;
        for (int i = k + 1; i < n; i++) {
            most = e->C[(size_t)i * (size_t)(n + 1)] > e->C[(size_t)most * (size_t)(n + 1)] ? i : most;
        }
        if (!(e->C[(size_t)most * (size_t)(n + 1)] > RANK)) {
            return k;
        }
        exchange(e, k, most);
        double *L = e->C + (size_t)k * (size_t)n;
        const double pivot = sqrt(L[k]);
        for (int i = k; i < n; i++) {
            L[i] /= pivot;
        }
        for (int j = k + 1; j < n; j++) {
            for (int i = k + 1; i < n; i++) {
                e->C[i + (size_t)j * (size_t)n] -= L[i] * L[j];
            }
        }
    }
    return n;
}

// What the others make of the dependent rows' b; returns by how much of the largest b they differ.
static double follow(const equations *e, int rank)
{
    const int n = e->count;
    double *y = e->follows, most = 0, off = 0;
    for (int i = 0; i < n; i++) {
        y[i] = e->b[i];
        most = thud_max(most, fabs(y[i]));
    }
    for (int k = 0; k < rank; k++) {
        const double *L = e->C + (size_t)k * (size_t)n;
        y[k] /= L[k];
        for (int i = k + 1; i < n; i++) {
            y[i] -= L[i] * y[k];
        }
    }
    for (int i = rank; i < n; i++) { // what is left of b
        off = thud_max(off, fabs(y[i]));
        y[i] = e->b[i] - y[i];
    }
    return most > 0 ? off / most : 0;
}

static thud_status reconcile(thud_rows *rows, int island, thud_arena *scratch, bool *changed)
{
    const span *s = &rows->span[island];
    const thud_island of = thud_rows_island(rows, island);
    const size_t all = (size_t)s->rows;
    equations e = {.row = thud_arena_push(scratch, all, sizeof *e.row),
                   .place = thud_arena_push(scratch, all, sizeof *e.place)};
    if (!e.row || !e.place) {
        return THUD_NO_MEMORY;
    }
    list_rows(rows, s, &e);
    const size_t n = (size_t)e.count;
    if (n < 2 || n > MOST) {
        return THUD_OK;
    }
    e.scale = thud_arena_push(scratch, n, sizeof *e.scale);
    e.b = thud_arena_push(scratch, n, sizeof *e.b);
    e.C = thud_arena_push(scratch, n * n, sizeof *e.C);
    e.follows = thud_arena_push(scratch, n, sizeof *e.follows);
    if (!e.scale || !e.b || !e.C || !e.follows) {
        return THUD_NO_MEMORY;
    }
    take_entries(&of, &e);
    if (is_regular(&e)) {
        return THUD_OK;
    }
    take_entries(&of, &e);
    if (!scale(rows, s, &e)) {
        return THUD_OK;
    }
    const int rank = factor(&e);
    if (follow(&e, rank) <= CONTRADICTION) {
        for (int i = rank; i < e.count; i++) {
            double *u = &rows->u_free[s->row + e.row[i]];
            const double follows = e.follows[i] / e.scale[i];
            *changed = *changed || *u != follows;
            *u = follows;
        }
    }
    return THUD_OK;
}

thud_status thud_rows_reconcile(thud_rows *rows, int island, thud_arena *scratch, bool *changed)
{
    THUD_ASSERT(island >= 0 && island < rows->islands);
    const size_t mark = thud_arena_mark(scratch);
    *changed = false;
    rows->edition++;
    const thud_status status = reconcile(rows, island, scratch, changed);
    thud_arena_release(scratch, mark);
    return status;
}
