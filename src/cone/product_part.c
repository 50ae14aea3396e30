// SPDX-License-Identifier: Apache-2.0
// product_part.c: some contacts as a problem of their own, with the others held.                   [theory 7, 9]
//
//     u_L = S_L S_L^T p_L + b_L,      b_L = S_L S_o^T p_o + b
//
// Symbols  L those contacts, o the others · S_L their strips, their groups numbered anew · y_o = S_o^T p_o
// Cost     their records and rows are copied, there and the rows back; a sweep over ten contacts costs what ten cost. Parts
//          that lead nowhere cost no more than MOST times what the sweeps over all do.
#include <string.h>

#include "product.h"

enum { MANY = 1000 }; // pairs that threads share

// Items are those of the whole.
static void keep_items(product_sweeps *to, const product_sweeps *from, const int *list)
{
    to->regions = from->regions;
    for (int k = 0, i = 0; k <= 2 * from->regions; k++) {
        while (i < to->pairs && list[i] < from->item[k]) {
            i++;
        }
        to->item[k] = i;
    }
}

static bool reserve(product_sweeps *to, const product_sweeps *from, int count)
{
    const size_t pairs = (size_t)count, rows = 3 * pairs + PRODUCT_LANES;
    *to = (product_sweeps){.pairs = count,
                           .length = PAIR_LENGTH, // y begins with a group that rests
                           .near = from->near,
                           .memory = from->memory,
                           .local = from->local,
                           .pool = count > MANY ? from->pool : NULL,
                           .arena = from->arena};
    to->pair = product_reserve_pairs(from->arena, count);
    to->lambda = thud_arena_push(from->arena, pairs, sizeof *to->lambda);
    to->extra = from->extra ? thud_arena_push(from->arena, rows, sizeof *to->extra) : NULL;
    to->change = thud_arena_push(from->arena, pairs, sizeof *to->change);
    to->weight = thud_arena_push(from->arena, rows, sizeof *to->weight);
    to->partial =
        thud_arena_push(from->arena, PRODUCT_ITEMS + product_partial_numbers(3 * count), sizeof(double));
    return to->pair && to->lambda && (to->extra || !from->extra) && to->change && to->weight && to->partial;
}

// Copies pairs, numbers their rows and groups anew, and adds the velocities by the impulses of the other contacts to b.
static void copy_pairs(product_sweeps *to, const product_sweeps *from, const int *list, int *group)
{
    for (int k = 0; k < to->pairs; k++) {
        const product_pair *old = from->pair + list[k];
        product_pair *pair = to->pair + k;
        double u[3] = {0};
        *pair = *old;
        to->lambda[k] = from->lambda[list[k]];
        pair->at = to->n;
        product_pair_velocity(old, old->dim, from->y, u);
        for (int r = 0; r < pair->dim; r++) {
            pair->b[r] += u[r];
            if (to->extra) {
                to->extra[to->n] = from->extra[old->at + r];
            }
            to->weight[to->n++] = pair->weight;
        }
        for (int side = 0; side < 2; side++) {
            int *at = group + old->y[side];
            if (*at < 0) {
                *at = to->length;
                to->length += PAIR_LENGTH;
            }
            pair->y[side] = *at;
        }
    }
    for (to->padded = to->n; to->padded % PRODUCT_LANES; to->padded++) {
        to->weight[to->padded] = 0;
    }
}

static bool lay_out(product_sweeps *to, const product_sweeps *from, const int *list)
{
    int *group = thud_arena_push(from->arena, (size_t)from->length, sizeof *group);
    if (!group) {
        return false;
    }
    for (int k = 0; k < to->pairs; k++) {
        const int *y = from->pair[list[k]].y;
        group[y[0]] = group[y[1]] = -1; // the others are not read
    }
    group[0] = 0;
    keep_items(to, from, list);
    copy_pairs(to, from, list, group);
    to->y = thud_arena_push(from->arena, (size_t)to->length, sizeof *to->y);
    return to->y != NULL;
}

// y of the whole without the part's impulses (sign -1), or with them again (1).
static void push_all(const product_some *x, int count, double sign)
{
    THUD_ASSERT(sign == 1 || sign == -1);
    for (int k = 0; k < count; k++) {
        const product_pair *c = x->whole->pair + x->list[k];
        double delta[3] = {0};
        for (int r = 0; r < c->dim; r++) {
            delta[r] = sign * x->p[c->at + r];
        }
        product_pair_push(c, c->dim, delta, x->whole->y);
    }
}

static void copy_rows(product_some *x, bool back)
{
    for (int k = 0; k < x->w.pairs; k++) {
        const product_pair *c = x->w.pair + k;
        double *part = x->h.p + c->at, *whole = x->p + x->whole->pair[x->list[k]].at;
        memcpy(back ? whole : part, back ? part : whole, sizeof *part * (size_t)c->dim);
    }
}

int product_list_above(const product_sweeps *w, double least, int *list)
{
    int count = 0;
    for (int k = 0; k < w->pairs; k++) {
        list[count] = k;
        count += w->change[k] > least;
    }
    return count;
}

// false: there is no room.
static bool begin(product_some *x, int count)
{
    if (!reserve(&x->w, x->whole, count) || !lay_out(&x->w, x->whole, x->list) ||
        !product_begin(&x->h, &x->w)) {
        return false;
    }
    copy_rows(x, false);
    product_accumulate(&x->w, x->h.p);
    return true;
}

bool product_part_begin(product_sweeps *whole, double *p, int count, product_some *x)
{
    THUD_ASSERT(0 < count && count <= whole->pairs);
    x->whole = whole;
    x->p = p;
    x->count = count;
    push_all(x, count, -1);
    return begin(x, count);
}

void product_part_end(product_some *x, bool begun)
{
    THUD_ASSERT(x->count > 0);
    product_sweeps *whole = x->whole;
    if (begun) {
        copy_rows(x, true);
        whole->in_parts += x->w.visits + x->w.in_parts;
    }
    push_all(x, x->count, 1);
    whole->short_of_room = !begun || x->w.short_of_room;
}

bool product_part_pays(const product_sweeps *whole)
{
    enum { MOST = 10 }; // times as many contacts visited in parts as in sweeps over all, then no more parts
    return whole->in_parts <= MOST * whole->visits;
}
