// SPDX-License-Identifier: Apache-2.0
// product_build.c: W = S S^T laid out for sweeps: rows scaled by friction, strips padded, diagonal blocks made.
#include <math.h>
#include <string.h>

#include "product.h"

static double row_scale(const thud_cone_block *b, int r)
{
    return b->kind == THUD_CONE_KIND_CONTACT && r > 0 ? b->mu[r - 1] : 1;
}

static int rows_that_act(const thud_cone_block *b)
{
    int count = 0;
    for (int r = 0; r < b->dim; r++) {
        count += row_scale(b, r) > 0;
    }
    return count;
}

static int padded(int columns)
{
    return (columns + PRODUCT_LANES - 1) / PRODUCT_LANES * PRODUCT_LANES;
}

typedef struct plan { // what is being laid out
    const thud_cone_product *S;
    const int *first; // of each group in y
    thud_arena *arena;
    int parts;
} plan;

static int columns_of(const thud_cone_product *S, int strip)
{
    return S->column[S->strip[strip].group + 1] - S->column[S->strip[strip].group];
}

// The scaled rows of a block from a strip of it into `to`, dim x length.
static void copy_strip(const product_sweeps *w, int at, int dim, int first, const double *S, int columns,
                       int length, double *to)
{
    for (int r = 0; r < dim; r++) {
        const double *from = S + (size_t)(w->origin[at + r] - first) * (size_t)columns;
        const double scale = w->scale[at + r];
        for (int k = 0; k < length; k++) {
            to[r * length + k] = k < columns ? scale * from[k] : 0;
        }
    }
}

// to (dim x dim, column-major) += S S^T
static void add_square(const double *S, int dim, int length, double *to)
{
    for (int s = 0; s < dim; s++) {
        for (int r = 0; r < dim; r++) {
            double sum = 0;
            for (int k = 0; k < length; k++) {
                sum += S[r * length + k] * S[s * length + k];
            }
            to[r + s * dim] += sum;
        }
    }
}

// Rows of block i that carry impulses, from w->n on; returns how many.
static int add_rows(product_sweeps *w, int i)
{
    const thud_cone_block *b = w->c->block + i;
    const int before = w->n;
    for (int r = 0; r < b->dim; r++) {
        const double s = row_scale(b, r);
        if (s == 0) {
            continue;
        }
        const int k = w->n++, row = b->row + r;
        w->origin[k] = row;
        w->scale[k] = s;
        w->b[k] = s * w->c->b[row];
        w->extra[k] = w->c->epsilon ? s * s * w->c->epsilon[row] : 0;
    }
    return w->n - before;
}

static double set_weight(product_sweeps *w, int at, int dim, const double *W)
{
    double weight = 0;
    for (int r = 0; r < dim; r++) {
        weight += W[r + r * dim] / dim;
    }
    for (int r = 0; r < dim; r++) {
        w->weight[at + r] = weight;
    }
    return weight;
}

static bool is_pair(const thud_cone_block *b, const thud_cone_product *S, int i, int dim)
{
    bool fits = b->kind == THUD_CONE_KIND_CONTACT && dim == 3 && S->start[i + 1] - S->start[i] <= 2;
    for (int k = S->start[i]; k < S->start[i + 1]; k++) {
        fits = fits && columns_of(S, k) <= PAIR_LENGTH && columns_of(S, k) > PRODUCT_LANES;
    }
    return fits;
}

static void add_pair(product_sweeps *w, const plan *p, int i, int at)
{
    product_pair *pair = w->pair + w->pairs++;
    *pair = (product_pair){.at = at};
    double W[9] = {0};
    for (int k = p->S->start[i], side = 0; k < p->S->start[i + 1]; k++, side++) {
        pair->y[side] = p->first[p->S->strip[k].group];
        copy_strip(w, at, 3, w->c->block[i].row, p->S->strip[k].S, columns_of(p->S, k), PAIR_LENGTH,
                   pair->S[side][0]);
        add_square(pair->S[side][0], 3, PAIR_LENGTH, W);
    }
    for (int r = 0, e = 0; r < 3; r++) {
        pair->b[r] = w->b[at + r];
        pair->extra[r] = w->extra[at + r];
        for (int s = r; s < 3; s++) {
            pair->W[e++] = W[s + 3 * r];
        }
    }
    for (int r = 0; r < 3; r++) {
        W[4 * r] += w->extra[at + r];
    }
    pair->weight = set_weight(w, at, 3, W);
    pair->normal = 1 / W[0];
    pair->to_normal[0] = W[3] / W[0];
    pair->to_normal[1] = W[6] / W[0];
    pair->A[0] = W[4] - W[1] * pair->to_normal[0];
    pair->A[1] = W[7] - W[1] * pair->to_normal[1];
    pair->A[2] = W[8] - W[2] * pair->to_normal[1];
    const double det = pair->A[0] * pair->A[2] - pair->A[1] * pair->A[1];
    pair->inverse[0] = pair->A[2] / det;
    pair->inverse[1] = -pair->A[1] / det;
    pair->inverse[2] = pair->A[0] / det;
}

static bool add_line(product_sweeps *w, plan *p, int i, int at, int dim)
{
    const thud_cone_block *b = w->c->block + i;
    product_line *l = w->line + w->lines++;
    *l = (product_line){.kind = b->kind, .at = at, .dim = dim, .lo = b->lo, .hi = b->hi, .part = p->parts};
    for (int k = p->S->start[i]; k < p->S->start[i + 1]; k++) {
        const int columns = columns_of(p->S, k), length = padded(columns);
        double *S = thud_arena_push(p->arena, (size_t)dim * (size_t)length, sizeof *S);
        if (!S) {
            return false;
        }
        copy_strip(w, at, dim, b->row, p->S->strip[k].S, columns, length, S);
        add_square(S, dim, length, l->W);
        w->part[p->parts++] = (product_part){S, p->first[p->S->strip[k].group], length};
        l->parts++;
    }
    for (int r = 0; r < dim; r++) {
        l->W[r + r * dim] += w->extra[at + r];
    }
    l->weight = set_weight(w, at, dim, l->W);
    return true;
}

// trace(W + epsilon) by the caller's rows: what the judge's rho is made of.
static double trace_of(const thud_cone *c, const thud_cone_product *S)
{
    double trace = 0;
    for (int i = 0; i < c->blocks; i++) {
        const thud_cone_block *b = c->block + i;
        for (int k = S->start[i]; k < S->start[i + 1]; k++) {
            const int count = b->dim * columns_of(S, k);
            for (int e = 0; e < count; e++) {
                trace += S->strip[k].S[e] * S->strip[k].S[e];
            }
        }
        for (int r = 0; r < b->dim && c->epsilon; r++) {
            trace += c->epsilon[b->row + r];
        }
    }
    return trace;
}

static bool reserve(product_sweeps *w, const thud_cone_product *S, thud_arena *arena)
{
    const size_t rows = (size_t)w->c->rows, blocks = (size_t)w->c->blocks;
    int pairs = 0;
    for (int i = 0; i < w->c->blocks; i++) {
        pairs += is_pair(w->c->block + i, S, i, rows_that_act(w->c->block + i));
    }
    w->pair = thud_arena_push(arena, (size_t)pairs, sizeof *w->pair);
    w->line = thud_arena_push(arena, blocks, sizeof *w->line);
    w->part = thud_arena_push(arena, (size_t)S->start[w->c->blocks], sizeof *w->part);
    w->origin = thud_arena_push(arena, rows, sizeof *w->origin);
    w->scale = thud_arena_push(arena, rows, sizeof *w->scale);
    w->b = thud_arena_push(arena, rows, sizeof *w->b);
    w->extra = thud_arena_push(arena, rows, sizeof *w->extra);
    w->weight = thud_arena_push(arena, rows, sizeof *w->weight);
    return w->pair && w->line && w->part && w->origin && w->scale && w->b && w->extra && w->weight;
}

bool product_build(const thud_cone *c, const thud_cone_product *S, thud_arena *arena, product_sweeps *w)
{
    *w = (product_sweeps){
        .c = c, .length = PAIR_LENGTH, .trace = trace_of(c, S)}; // y begins with a group that rests
    int *first = thud_arena_push(arena, (size_t)S->groups, sizeof *first);
    if (!first || !reserve(w, S, arena)) {
        return false;
    }
    for (int g = 0; g < S->groups; g++) {
        const int columns = S->column[g + 1] - S->column[g];
        first[g] = w->length;
        w->length += padded(columns);
    }
    plan p = {.S = S, .first = first, .arena = arena};
    for (int i = 0; i < c->blocks; i++) {
        const int at = w->n, dim = add_rows(w, i);
        if (is_pair(c->block + i, S, i, dim)) {
            add_pair(w, &p, i, at);
        } else if (!add_line(w, &p, i, at, dim)) {
            return false;
        }
    }
    w->y = thud_arena_push(arena, (size_t)w->length, sizeof *w->y);
    return w->y != NULL;
}

void product_in(const product_sweeps *w, const double *p, double *p_hat)
{
    for (int i = 0; i < w->n; i++) {
        p_hat[i] = p[w->origin[i]] / w->scale[i];
    }
}

void product_out(const product_sweeps *w, const double *p_hat, double *p)
{
    memset(p, 0, sizeof *p * (size_t)w->c->rows);
    for (int i = 0; i < w->n; i++) {
        p[w->origin[i]] = p_hat[i] * w->scale[i];
    }
}
