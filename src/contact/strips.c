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

// The strip of block i in a tree; NULL: it has none yet.
static strip *strip_of(const thud_rows *rows, int i, int t)
{
    const site *s = &rows->site[i];
    for (int k = s->strip; k < s->strip + s->strips; k++) {
        if (rows->strip[k].tree == t) {
            return &rows->strip[k];
        }
    }
    return NULL;
}

// A new strip of block i, the last of its tree. Its numbers are not set.
static bool add_strip(thud_rows *rows, int i, int t)
{
    site *s = &rows->site[i];
    tree *const where = &rows->tree[t];
    const int at = s->strip + s->strips++;
    const size_t count = (size_t)rows->block[i].dim * (size_t)where->dofs;
    rows->strip[at] =
        (strip){.block = i, .tree = t, .next = -1, .S = thud_arena_push(rows->arena, count, sizeof(double))};
    if (where->last >= 0) {
        rows->strip[where->last].next = at;
    } else {
        where->first = at;
    }
    where->last = at;
    return rows->strip[at].S;
}

// S = E D^-1/2 of a strip, in place; returns the sum of its squares.
LANES_INLINE double weigh(double *S, const double *root, int dim, int dofs)
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
        for (; c < dofs; c++) {
            S[c] *= root[c];
            rest += S[c] * S[c];
        }
    }
    return squares[0] + squares[1] + squares[2] + squares[3] + rest;
}

// S of wrenches on a free body whose M is diagonal, where E = G; returns the sum of its squares.
LANES_INLINE double weigh_free(const thud_wrenches *w, const mat3 *R, const double *root, int dim, double *S)
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
LANES_INLINE void innovate(const thud_rows *rows, const arm *a, int dim, const tree *t, double *S)
{
    S -= t->dof;
    for (int r = 0; r < dim; r += THUD_LANES, S += THUD_LANES * t->dofs) {
        thud_dynamics_innovate(rows->m, rows->d, a->link, dim - r < THUD_LANES ? dim - r : THUD_LANES,
                               &rows->wrench[a->at + r / THUD_LANES], S, t->dofs);
    }
}

// Of a strip that several arms may share.
LANES_INLINE double innovate_strip(const thud_rows *rows, const site *s, int dim, const strip *to)
{
    const tree *t = &rows->tree[to->tree];
    memset(to->S, 0, (size_t)dim * (size_t)t->dofs * sizeof *to->S);
    for (int a = s->arm; a < s->arm + s->arms; a++) {
        if (rows->link_tree[rows->arm[a].link] == to->tree) {
            innovate(rows, &rows->arm[a], dim, t, to->S);
        }
    }
    return weigh(to->S, rows->root + t->dof, dim, t->dofs);
}

THUD_KERNEL void rows_innovate(thud_rows *rows, int i)
{
    site *s = &rows->site[i];
    const int dim = rows->block[i].dim;
    double trace = dim * s->epsilon; // of W + epsilon over the block's rows
    for (int k = 0; k < s->strips; k++) {
        const strip *to = &rows->strip[s->strip + k];
        const arm *a = &rows->arm[s->arm + k]; // of this strip and no other, where there are as many
        const bool alone = s->arms == s->strips && rows->m->link_diagonal[a->link];
        trace += alone ? weigh_free(&rows->wrench[a->at], &rows->d->link[a->link].R,
                                    rows->root + rows->tree[to->tree].dof, dim, to->S)
                       : innovate_strip(rows, s, dim, to);
    }
    s->trace = trace;
}

static void take_roots(void *of, int first, int end, int worker)
{
    thud_rows *rows = of;
    (void)worker;
    for (int i = first; i < end; i++) {
        rows->root[i] = sqrt(rows->d->dof[i].Dinv);
    }
}

thud_status rows_lay_strips(thud_rows *rows)
{
    enum { LEAST = 2000 }; // dofs
    thud_pool_run(rows->pool, rows->m->nv, LEAST, take_roots, rows);
    rows->strip = thud_arena_push(rows->arena, (size_t)rows->arms, sizeof(strip));
    if (!rows->strip) {
        return THUD_NO_MEMORY;
    }
    int at = 0;
    for (int k = 0; k < rows->blocks; k++) { // in island order, so that strips of a tree ascend in it
        const int i = rows->order[k];
        site *s = &rows->site[i];
        s->strip = at;
        s->strips = 0;
        for (int a = s->arm; a < s->arm + s->arms; a++) {
            const int t = rows->link_tree[rows->arm[a].link];
            if (!strip_of(rows, i, t) && !add_strip(rows, i, t)) {
                return THUD_NO_MEMORY;
            }
        }
        at += s->strips;
    }
    return THUD_OK;
}

// ---------------------------------------------------------------------------------------------- response

typedef struct response {
    const thud_rows *rows;
    thud_dynamics *d;
    double *dv;
} response;

// The sum of p S over a tree's strips, in the order of their blocks.
LANES_INLINE void add_impulses(const thud_rows *rows, const tree *t, int dofs, double *e)
{
    for (int x = t->first; x >= 0; x = rows->strip[x].next) {
        const int i = rows->strip[x].block;
        const double *S = rows->strip[x].S, *p = rows->p + rows->site[i].at;
        for (int r = 0; r < rows->block[i].dim; r++, S += dofs) {
            for (int c = 0; c < dofs; c++) {
                e[c] += p[r] * S[c];
            }
        }
    }
}

// M^-1 G^T p = D^-1/2 S^T p of a tree whose M is diagonal.
LANES_INLINE void respond_free(const thud_rows *rows, const tree *t, double *dv)
{
    double e[FREE] = {0};
    add_impulses(rows, t, FREE, e);
    for (int k = 0; k < FREE; k++) {
        dv[t->dof + k] = e[k] * rows->root[t->dof + k];
    }
}

LANES_INLINE void respond_grove(const response *a, int g)
{
    const thud_rows *rows = a->rows;
    const thud_model *m = rows->m;
    const int link = a->d->grove[g], last = a->d->grove[g + 1] - 1;
    const int first = m->joint_v[link], end = m->joint_v[last] + m->joint_dofs[last];
    const int trees = last + 1 < m->joints ? rows->link_tree[last + 1] : rows->trees;
    if (m->link_diagonal[link] && link == last) {
        respond_free(rows, &rows->tree[rows->link_tree[link]], a->dv);
        return;
    }
    bool held = false;
    for (int i = first; i < end; i++) {
        rows->innovation[i] = 0;
    }
    for (int t = rows->link_tree[link]; t < trees; t++) {
        const tree *of = &rows->tree[t];
        add_impulses(rows, of, of->dofs, rows->innovation + of->dof);
        held |= of->first >= 0;
    }
    if (!held) {
        memset(a->dv + first, 0, (size_t)(end - first) * sizeof *a->dv);
        return;
    }
    for (int i = first; i < end; i++) {
        rows->innovation[i] /= rows->root[i]; // S was E D^-1/2
    }
    thud_dynamics part = thud_dynamics_part(a->d, g, g + 1);
    thud_dynamics_respond(m, &part, rows->innovation, a->dv);
}

THUD_KERNEL static void respond_groves(void *of, int first, int end, int worker)
{
    (void)worker;
    for (int g = first; g < end; g++) {
        respond_grove(of, g);
    }
}

void thud_rows_respond(const thud_rows *rows, thud_dynamics *d, double *dv)
{
    enum { LEAST = 50 }; // links
    response a = {rows, d, dv};
    thud_pool_run(rows->pool, d->groves, rows_groves(rows, LEAST), respond_groves, &a);
}
