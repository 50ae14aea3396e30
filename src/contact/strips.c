// SPDX-License-Identifier: Apache-2.0
// strips.c: what the rows of a block ask of the dofs of each tree they act on, and what impulses make of it.
// [theory 6; JO IV]
//
// Symbols  E innovations of a block's rows at the dofs of one tree · S = E D^-1/2, a strip · W = S S^T
//          M^-1 G^T p = one pass base to tips over E^T p = D^1/2 S^T p
// Cost     O(depth) a row. Of a free body whose M is diagonal (link_diagonal) E is G: no recursion, and
//          M^-1 G^T p = D^-1/2 S^T p.
#include <math.h>
#include <string.h>

#include "rows.h"

// ---------------------------------------------------------------------------------------------- innovations

// S = E D^-1/2 of a strip, in place; returns the sum of its squares.
THUD_INSIDE double weigh(double *S, const double *root, int dim, int dofs)
{
    lane squares = {0};
    double rest = 0;
    for (int r = 0; r < dim; r++, S += dofs) {
        int c = 0;
        for (; c + THUD_LANES <= dofs; c += THUD_LANES) {
            lane_of_numbers *at = (lane_of_numbers *)(S + c);
            *at *= *(const lane_of_numbers *)(root + c);
            squares += *at * *at;
        }
        for (int k = 1; k < THUD_LANES && c < dofs; k++, c++) { // few, and the compiler is told so
            S[c] *= root[c];
            rest += S[c] * S[c];
        }
    }
    return squares[0] + squares[1] + squares[2] + squares[3] + rest;
}

// S of wrenches on a free body whose M is diagonal, where E = G; returns the sum of its squares.
THUD_INSIDE double weigh_free(const thud_wrenches *w, const mat3 *R, const double *root, int dim, double *S)
{
    double sum = 0;
    for (int r = 0; r < dim; w++) {
        const lanes n = lanes_load(w->ang), f = lanes_load(w->lin);
        lane e[FREE] = {f.x * root[0], f.y * root[1], f.z * root[2]};
        for (int k = 3; k < FREE; k++) {
            lanes_dot(n, m3_col(R, k - 3), &e[k]);
            e[k] *= root[k];
        }
        lane squares = {0};
        for (int k = 0; k < FREE; k++) {
            squares += e[k] * e[k];
        }
        for (int l = 0; l < THUD_LANES && r < dim; l++, r++, S += FREE) {
            for (int k = 0; k < FREE; k++) {
                S[k] = e[k][l];
            }
            sum += squares[l];
        }
    }
    return sum;
}

// Adds the innovations of an arm's wrenches to a strip of its tree.
THUD_INSIDE void innovate(const thud_rows *rows, const arm *a, const thud_wrenches *w, int dim, const tree *t,
                          double *S)
{
    S -= t->dof;
    for (int r = 0; r < dim; r += THUD_LANES, S += THUD_LANES * t->dofs) {
        thud_dynamics_innovate(rows->m, rows->d, a->link, dim - r < THUD_LANES ? dim - r : THUD_LANES,
                               w + r / THUD_LANES, S, t->dofs);
    }
}

// The same of two arms in one tree, which go on as one from where their ways meet.
THUD_INSIDE void innovate_two(const thud_rows *rows, const arm *a, const thud_wrenches *w, int dim,
                              const tree *t, double *S)
{
    const int link[2] = {a[0].link, a[1].link};
    S -= t->dof;
    for (int r = 0; r < dim; r += THUD_LANES, S += THUD_LANES * t->dofs, w++) {
        const thud_wrenches *const wrench[2] = {w, w + rows_fours(dim)};
        thud_dynamics_innovate_two(rows->m, rows->d, link, dim - r < THUD_LANES ? dim - r : THUD_LANES,
                                   wrench, S, t->dofs);
    }
}

// Of a strip that several arms may share.
THUD_INSIDE double innovate_strip(const thud_rows *rows, const site *s, const thud_wrenches *w, int dim,
                                  const strip *to)
{
    const tree *t = &rows->tree[to->tree];
    memset(to->S, 0, (size_t)dim * (size_t)t->dofs * sizeof *to->S);
    if (s->arms == 2 && s->strips == 1) {
        innovate_two(rows, &rows->arm[s->arm], w, dim, t, to->S);
        return weigh(to->S, rows->root + t->dof, dim, t->dofs);
    }
    for (int a = s->arm; a < s->arm + s->arms; a++) {
        if (rows_tree_of(rows, a) == to->tree) {
            innovate(rows, &rows->arm[a], w + (a - s->arm) * rows_fours(dim), dim, t, to->S);
        }
    }
    return weigh(to->S, rows->root + t->dof, dim, t->dofs);
}

THUD_KERNEL void rows_innovate(thud_rows *rows, int i, const thud_wrenches *w)
{
    site *s = &rows->site[i];
    const int dim = s->dim;
    double trace = dim * s->epsilon; // of W + epsilon over the block's rows
    for (int k = 0; k < s->strips; k++) {
        const strip *to = &rows->strip[s->strip + k];
        const arm *a = &rows->arm[s->arm + k]; // of this strip and no other, where there are as many
        const bool alone = s->arms == s->strips && rows->m->link_diagonal[a->link];
        trace += alone ? weigh_free(w + k * rows_fours(dim), &rows->d->link[a->link].R,
                                    rows->root + rows->tree[to->tree].dof, dim, to->S)
                       : innovate_strip(rows, s, w, dim, to);
    }
    s->trace = trace;
}

// ---------------------------------------------------------------------------------------------- response

typedef struct response {
    const thud_rows *rows;
    thud_dynamics *d;
    const double *p; // of all rows
    double *dv;
    int ranges; // of groves
} response;

typedef struct span_of_groves {
    int tree, tree_end;
    int dof, dof_end;
} span_of_groves;

static span_of_groves span_of(const response *a, int first, int end)
{
    const thud_model *m = a->rows->m;
    const int link = a->d->grove[first], next = a->d->grove[end];
    const bool last = next == m->joints;
    return (span_of_groves){a->rows->link_tree[link], last ? a->rows->trees : a->rows->link_tree[next],
                            m->joint_v[link], last ? m->nv : m->joint_v[next]};
}

// e += S^T p of one strip of dim rows
THUD_INSIDE void add_impulses(const double *S, const double *p, int dim, int dofs, double *e)
{
    for (int r = 0; r < dim; r++, S += dofs) {
        for (int c = 0; c < dofs; c++) {
            e[c] += p[r] * S[c];
        }
    }
}

// The same in a tree of FREE dofs.
THUD_INSIDE void add_free(const strip *s, const double *p, double *innovation)
{
    double e[FREE]; // in registers
    memcpy(e, innovation, sizeof e);
    if (s->dim == 3) { // nearly all of them, without loops
        add_impulses(s->S, p, 3, FREE, e);
    } else {
        add_impulses(s->S, p, s->dim, FREE, e);
    }
    memcpy(innovation, e, sizeof e);
}

// The same of three rows in a tree of many dofs, in the same order.
THUD_INSIDE void add_three(const double *S, const double *p, int dofs, double *e)
{
    const double *T = S + dofs, *U = T + dofs, x = p[0], y = p[1], z = p[2];
    int c = 0;
    for (; c + THUD_LANES <= dofs; c += THUD_LANES) {
        *(lane_of_numbers *)(e + c) = *(lane_of_numbers *)(e + c) + x * *(const lane_of_numbers *)(S + c) +
                                      y * *(const lane_of_numbers *)(T + c) +
                                      z * *(const lane_of_numbers *)(U + c);
    }
    for (int k = 1; k < THUD_LANES && c < dofs; k++, c++) {
        e[c] = e[c] + x * S[c] + y * T[c] + z * U[c];
    }
}

// Where there are many strips, what one of them is added to lies anywhere in memory, and is fetched so many before.
enum { MANY = 256, FETCH = 8 };

// The sums S^T p of the trees of some groves, in the order of their blocks: the strips lie in memory as they are read, and
// what they are added to is small.
THUD_INSIDE void gather(const thud_rows *rows, const double *p, span_of_groves of)
{
    for (int i = of.dof; i < of.dof_end; i++) {
        rows->innovation[i] = 0;
    }
    const strip *const fetched = rows->strip + (rows->strips > MANY ? rows->strips - FETCH : 0);
    for (const strip *s = rows->strip, *end = s + rows->strips; s < end; s++) {
        if (s->tree < of.tree || s->tree >= of.tree_end) {
            continue;
        }
        const tree *t = &rows->tree[s->tree];
        if (s < fetched) {
            __builtin_prefetch(rows->innovation + rows->tree[s[FETCH].tree].dof, 1);
            __builtin_prefetch(s[FETCH].S);
            __builtin_prefetch(s[FETCH].S + 8);
        }
        if (t->dofs == FREE) {
            add_free(s, p + s->at, rows->innovation + t->dof);
        } else if (s->dim == 3) {
            add_three(s->S, p + s->at, t->dofs, rows->innovation + t->dof);
        } else {
            add_impulses(s->S, p + s->at, s->dim, t->dofs, rows->innovation + t->dof);
        }
    }
}

// M^-1 G^T p = D^-1/2 S^T p of a tree whose M is diagonal.
THUD_INSIDE void respond_free(const thud_rows *rows, int first, double *dv)
{
    for (int k = first; k < first + FREE; k++) {
        dv[k] = rows->innovation[k] * rows->root[k];
    }
}

THUD_INSIDE void respond_grove(const response *a, int g)
{
    const thud_rows *rows = a->rows;
    const thud_model *m = rows->m;
    const int link = a->d->grove[g], last = a->d->grove[g + 1] - 1;
    const span_of_groves of = span_of(a, g, g + 1);
    if (m->link_diagonal[link] && link == last) {
        respond_free(rows, of.dof, a->dv);
        return;
    }
    bool held = false;
    for (int t = of.tree; t < of.tree_end; t++) {
        held |= rows->tree[t].held;
    }
    if (!held) {
        memset(a->dv + of.dof, 0, (size_t)(of.dof_end - of.dof) * sizeof *a->dv);
        return;
    }
    for (int i = of.dof; i < of.dof_end; i++) {
        rows->innovation[i] /= rows->root[i]; // S was E D^-1/2
    }
    if (a->d->groves == 1) {
        thud_dynamics_respond(m, a->d, rows->innovation, a->dv);
        return;
    }
    thud_dynamics part = thud_dynamics_part(a->d, g, g + 1);
    thud_dynamics_respond(m, &part, rows->innovation, a->dv);
}

THUD_INSIDE void respond_range(const response *a, int first, int end)
{
    gather(a->rows, a->p, span_of(a, first, end));
    for (int g = first; g < end; g++) {
        respond_grove(a, g);
    }
}

THUD_KERNEL static void respond_all(const response *a)
{
    respond_range(a, 0, a->d->groves);
}

THUD_KERNEL static void respond_ranges(void *of, int first, int end, int worker)
{
    const response *a = of;
    const int groves = a->d->groves;
    (void)worker;
    for (int k = first; k < end; k++) {
        respond_range(a, (int)((int64_t)groves * k / a->ranges),
                      (int)((int64_t)groves * (k + 1) / a->ranges));
    }
}

void thud_rows_respond_to(const thud_rows *rows, thud_dynamics *d, const double *p, double *dv)
{
    enum { LEAST = 50 }; // links
    if (!rows->pool) {
        respond_all(&(response){rows, d, p, dv, 1});
        return;
    }
    const int threads = thud_pool_threads(rows->pool), some = rows->m->joints / LEAST;
    const int most = threads < d->groves ? threads : d->groves, ranges = some < most ? some : most;
    response a = {rows, d, p, dv, ranges > 1 ? ranges : 1};
    thud_pool_run(rows->pool, a.ranges, 1, respond_ranges, &a);
}

void thud_rows_respond(const thud_rows *rows, thud_dynamics *d, double *dv)
{
    thud_rows_respond_to(rows, d, rows->p, dv);
}
