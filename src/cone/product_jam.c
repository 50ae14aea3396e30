// SPDX-License-Identifier: Apache-2.0
// product_jam.c: a few contacts with their own W.                                                   [theory 7, 9]
//
// Contacts that sweeps go on moving alike (product_step.c) are solved with W_L = S_L S_L^T by Newton's method.
#include <math.h>
#include <string.h>

#include "cone_groups.h"
#include "product.h"

enum { FEW = 80, SOME = 300 }; // rows

// S_i S_j^T into W, n rows.
static void multiply(const product_pair *i, const product_pair *j, int n, double *W)
{
    for (int e = 0; e < i->dim * j->dim; e++) {
        const int r = e % i->dim, s = e / i->dim;
        double sum = 0;
        for (int side = 0; side < 4; side++) {
            const int of_i = side / 2, of_j = side % 2;
            sum += i->y[of_i] == j->y[of_j] ? thud_dot(PAIR_COLUMNS, i->S[of_i][r], j->S[of_j][s]) : 0;
        }
        W[i->at + r + (j->at + s) * n] = sum;
    }
}

// The jam as a problem of its own, its rows scaled as they are.
static void state(const product_sweeps *jam, thud_cone_block *block, double *W, double *b, double *epsilon)
{
    const int n = jam->n;
    for (int i = 0; i < jam->pairs; i++) {
        const product_pair *c = jam->pair + i;
        block[i] =
            (thud_cone_block){.kind = THUD_CONE_KIND_CONTACT, .row = c->at, .dim = c->dim, .mu = {1, 1}};
        memcpy(b + c->at, c->b, sizeof *b * (size_t)c->dim);
        for (int j = 0; j < jam->pairs; j++) {
            multiply(c, jam->pair + j, n, W);
        }
        for (int r = c->at; r < c->at + c->dim; r++) {
            epsilon[r] = product_extra(jam, r);
        }
    }
}

// The same as a product: groups of y but for the one that rests. false: no room.
static bool state_product(const product_sweeps *jam, thud_cone_product *S)
{
    const int groups = jam->length / PAIR_LENGTH - 1;
    int *column = thud_arena_push(jam->arena, (size_t)groups + 1, sizeof *column),
        *start = thud_arena_push(jam->arena, (size_t)jam->pairs + 1, sizeof *start), k = 0;
    thud_cone_strip *strip = thud_arena_push(jam->arena, 2 * (size_t)jam->pairs, sizeof *strip);
    if (!column || !start || !strip) {
        return false;
    }
    *S = (thud_cone_product){.groups = groups, .column = column, .start = start, .strip = strip};
    for (int g = 0; g <= groups; g++) {
        column[g] = g * PAIR_COLUMNS;
    }
    for (int i = 0; i < jam->pairs; i++) {
        const product_pair *c = jam->pair + i;
        start[i] = k;
        for (int side = 0; side < 2; side++) {
            if (c->y[side] > 0) {
                strip[k++] = (thud_cone_strip){c->y[side] / PAIR_LENGTH - 1, c->S[side][0]};
            }
        }
    }
    start[jam->pairs] = k;
    return true;
}

// Newton's method on the scaled problem; of few rows on the faces of the guess first, and along them last.
static thud_cone_outcome solve(const thud_cone *c, thud_arena *arena, double *p, int *steps)
{
    enum { STEPS = 40 };
    static const double FINE = 1e-6; // of |b|; Newton's method goes on to the last digits by itself
    const size_t mark = thud_arena_mark(arena);
    cone_work w;
    bool equal;
    double *p_hat = cone_work_begin(c, FINE, arena, &w);
    thud_cone_outcome outcome = p_hat ? THUD_CONE_STALLED : THUD_CONE_NO_MEMORY;
    if (p_hat) {
        cone_work_in(&w, p, p_hat);
        const bool few = c->rows <= FEW, solved = few && cone_small(&w, p_hat);
        outcome = solved ? THUD_CONE_SOLVED : cone_newton(&w, p_hat, STEPS, &equal);
        outcome =
            few && outcome == THUD_CONE_STALLED && cone_small_walk(&w, p_hat) ? THUD_CONE_SOLVED : outcome;
        *steps = w.iterations;
        if (outcome == THUD_CONE_SOLVED) {
            cone_work_out(&w, p_hat, p);
        }
        cone_groups_end(&w);
    }
    thud_arena_release(arena, mark);
    return outcome;
}

void product_jam_solve(product_sweeps *jam, double *p)
{
    THUD_ASSERT(jam->lines == 0);
    const int n = jam->n;
    if (n > SOME) {
        return;
    }
    thud_cone_block *block = thud_arena_push(jam->arena, (size_t)jam->pairs, sizeof *block);
    double *W = thud_arena_push(jam->arena, (size_t)n * (size_t)n, sizeof *W),
           *b = thud_arena_push(jam->arena, (size_t)n, sizeof *b),
           *epsilon = thud_arena_push(jam->arena, (size_t)n, sizeof *epsilon),
           *answer = thud_arena_push(jam->arena, (size_t)n, sizeof *answer);
    thud_cone_product S;
    if (!W || !b || !epsilon || !answer || !block || !state_product(jam, &S)) {
        jam->short_of_room = true;
        return;
    }
    state(jam, block, W, b, epsilon);
    const thud_cone cone = {.rows = n,
                            .blocks = jam->pairs,
                            .block = block,
                            .W = {n, n, n, W},
                            .b = b,
                            .epsilon = epsilon,
                            .product = n > FEW ? &S : NULL};
    int steps = 0;
    memcpy(answer, p, sizeof *p * (size_t)n);
    const thud_cone_outcome outcome = solve(&cone, jam->arena, answer, &steps);
    if (outcome == THUD_CONE_SOLVED) {
        memcpy(p, answer, sizeof *p * (size_t)n);
    }
    jam->short_of_room = outcome == THUD_CONE_NO_MEMORY;
    jam->visits += (int64_t)steps * jam->pairs * jam->pairs; // as long as that
}

size_t product_jam_scratch(void)
{
    double any;
    const thud_cone_product S = {.groups = SOME};
    thud_cone cone = {.rows = SOME, .blocks = SOME, .W = {SOME, SOME, SOME, &any}};
    const size_t alone = cone_work_scratch(&cone);
    cone.product = &S;
    return alone + cone_groups_scratch(&cone) + (SOME * SOME + 3 * SOME) * sizeof any +
           SOME * (sizeof(thud_cone_block) + 2 * sizeof(thud_cone_strip) + 2 * sizeof(int));
}
