// SPDX-License-Identifier: Apache-2.0
// strips.c: what impulses make of innovations. [theory 6; JO IV]
//
// Symbols  S, T innovations as innovations.h has them
//          M^-1 G^T p = one pass base to tips over E^T p = D^1/2 S^T p
// Cost     O(depth) a row. Of a free body whose M is diagonal (link_diagonal) no recursion: M^-1 G^T p = D^-1/2 S^T p.
#include <string.h>

#include "rows.h"

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

// The same of three rows in a tree of many dofs, in the same order.
THUD_INSIDE void add_three(const double *S, const double *p, int dofs, double *e)
{
    const double *T = S + dofs, *U = T + dofs, x = p[0], y = p[1], z = p[2];
    int c = 0;
    for (; c + THUD_LANES <= dofs; c += THUD_LANES) {
        *(four_of_numbers *)(e + c) = *(four_of_numbers *)(e + c) + x * *(const four_of_numbers *)(S + c) +
                                      y * *(const four_of_numbers *)(T + c) +
                                      z * *(const four_of_numbers *)(U + c);
    }
    for (int k = 1; k < THUD_LANES && c < dofs; k++, c++) {
        e[c] = e[c] + x * S[c] + y * T[c] + z * U[c];
    }
}

// Where there are many strips, what one of them is added to lies anywhere in memory, and is fetched so many before.
enum { MANY = 256, FETCH = 8 };

THUD_INSIDE void fetch_strip(const thud_rows *rows, const strip *s)
{
    __builtin_prefetch(rows->innovation + rows->tree[s->tree].dof, 1);
    __builtin_prefetch(s->S);
    __builtin_prefetch(s->S + 8);
}

typedef struct free_sum { // of a tree of FREE dofs, in registers
    four low;
    double high[FREE - THUD_LANES];
} free_sum;

// e += S^T p of one strip of such a tree
THUD_INSIDE void add_rows(const strip *s, const double *p, int dim, free_sum *e)
{
    const double *S = s->S;
    for (int r = 0; r < dim; r++, S += FREE) {
        e->low += p[r] * *(const four_of_numbers *)S;
        for (int k = 0; k < FREE - THUD_LANES; k++) {
            e->high[k] += p[r] * S[THUD_LANES + k];
        }
    }
}

// Strips of one tree of FREE dofs that follow each other, from s on; returns where they end.
THUD_INSIDE const strip *gather_free(const thud_rows *rows, const double *p, const strip *s,
                                     const strip *stop, const strip *fetched)
{
    const int t = s->tree;
    double *sum = rows->innovation + rows->tree[t].dof;
    free_sum e = {*(const four_of_numbers *)sum, {sum[THUD_LANES], sum[THUD_LANES + 1]}};
    for (; s < stop && s->tree == t; s++) {
        if (s < fetched) {
            fetch_strip(rows, &s[FETCH]);
        }
        if (s->dim == 3) { // nearly all of them, without loops
            add_rows(s, p + s->at, 3, &e);
        } else {
            add_rows(s, p + s->at, s->dim, &e);
        }
    }
    *(four_of_numbers *)sum = e.low;
    for (int k = 0; k < FREE - THUD_LANES; k++) {
        sum[THUD_LANES + k] = e.high[k];
    }
    return s;
}

// Adds the sums S^T p of some strips to those of the trees of some groves.
THUD_INSIDE void gather_stretch(const thud_rows *rows, const double *p, span_of_groves of, int first, int end)
{
    const strip *const fetched = rows->strip + (rows->strips > MANY ? rows->strips - FETCH : 0);
    for (const strip *s = rows->strip + first, *stop = rows->strip + end; s < stop;) {
        const tree *t = &rows->tree[s->tree];
        if (s->tree < of.tree || s->tree >= of.tree_end) {
            s++;
            continue;
        }
        if (t->dofs == FREE) {
            s = gather_free(rows, p, s, stop, fetched);
            continue;
        }
        if (s < fetched) {
            fetch_strip(rows, &s[FETCH]);
        }
        if (s->dim == 3) {
            add_three(s->S, p + s->at, t->dofs, rows->innovation + t->dof);
        } else {
            add_impulses(s->S, p + s->at, s->dim, t->dofs, rows->innovation + t->dof);
        }
        s++;
    }
}

// The sums S^T p of the trees of some groves, in the order of their blocks: the strips lie in memory as they are read, and
// what they are added to is small. Stretches without such trees are not looked at.
THUD_INSIDE void gather(const thud_rows *rows, const double *p, span_of_groves of)
{
    for (int i = of.dof; i < of.dof_end; i++) {
        rows->innovation[i] = 0;
    }
    if (rows->stretches == 0) {
        gather_stretch(rows, p, of, 0, rows->strips);
    }
    for (int k = 0; k < rows->stretches; k++) {
        const stretch_of_strips *here = &rows->stretch[k];
        if (here->low < of.tree_end && here->high >= of.tree) {
            gather_stretch(rows, p, of, k > 0 ? rows->stretch[k - 1].end : 0, here->end);
        }
    }
}

// The same of a model of one tree, T p, of up to four dofs at once, whose columns are `stride` apart.
THUD_INSIDE void gather_some(const double *T, int stride, const double *p, int n, int dofs, double *out)
{
    four sum[THUD_LANES] = {{0}};
    double rest[THUD_LANES] = {0};
    int r = 0;
    for (; r + THUD_LANES <= n; r += THUD_LANES) {
        const four x = *(const four_of_numbers *)(p + r);
        for (int k = 0; k < dofs; k++) {
            sum[k] += *(const four_of_numbers *)(T + k * stride + r) * x;
        }
    }
    for (; r < n; r++) {
        for (int k = 0; k < dofs; k++) {
            rest[k] += T[k * stride + r] * p[r];
        }
    }
    for (int k = 0; k < dofs; k++) {
        out[k] = sum[k][0] + sum[k][1] + sum[k][2] + sum[k][3] + rest[k];
    }
}

THUD_INSIDE void gather_columns(const thud_rows *rows, const double *p)
{
    const int dofs = rows->tree[0].dofs, stride = rows->stride, n = rows->rows;
    int k = 0;
    for (; k + THUD_LANES <= dofs; k += THUD_LANES) {
        gather_some(rows->T + (size_t)k * (size_t)stride, stride, p, n, THUD_LANES, rows->innovation + k);
    }
    for (; k < dofs; k++) {
        gather_some(rows->T + (size_t)k * (size_t)stride, stride, p, n, 1, rows->innovation + k);
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
    if (a->rows->T) {
        gather_columns(a->rows, a->p);
    } else {
        gather(a->rows, a->p, span_of(a, first, end));
    }
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
    enum { LEAST = 50, RANGES = 4 }; // links; ranges a thread
    if (!rows->pool) {
        respond_all(&(response){rows, d, p, dv, 1});
        return;
    }
    const int threads = thud_pool_threads(rows->pool), some = rows->m->joints / LEAST;
    const int wanted = RANGES * threads, most = wanted < d->groves ? wanted : d->groves;
    const int ranges = some < most ? some : most;
    response a = {rows, d, p, dv, ranges > 1 ? ranges : 1};
    thud_pool_run(rows->pool, a.ranges, 1, respond_ranges, &a);
}

void thud_rows_respond(const thud_rows *rows, thud_dynamics *d, double *dv)
{
    thud_rows_respond_to(rows, d, rows->p, dv);
}
