// SPDX-License-Identifier: Apache-2.0
// product_jam.c: the few contacts that jam are solved by themselves.                               [theory 7, 9]
//
// Where sweeps go on and on in one direction f (product_drift.c), f is large at few contacts: those of some boxes that are
// wedged, of hundreds that have long come to an answer. These few, |f_i| > SHARE_OF_JAM of the largest, are swept with all
// others held (product_part.c) as the problem of its own that they are: with its own acceleration, drift, and jam within the
// jam. A sweep over ten contacts costs what ten cost; the sweeps over all that follow carry on what it changed. What these do
// not solve either, of up to SOME rows, is solved with W_L = S_L S_L^T: of few by the ladder (cone_auto.c), else by Newton's
// method.
//
// Cost     at most SWEEPS sweeps over the jam. In piles that fall three in four sweeps over all are spared.
#include <math.h>
#include <string.h>

#include "cone_groups.h"
#include "product.h"

static const double SHARE_OF_JAM = 0.03; // of the largest |f_i|: what moves with it
enum { SWEEPS = 100, FEW = 80, SOME = 300 };

// Pairs that move most, ascending, in list; 0 if they are many, or one, or lines are among them.
static int find_jam(const product_sweeps *w, int *list)
{
    double most = 0;
    for (int k = 0; k < w->pairs; k++) {
        most = thud_max(most, w->change[k]);
    }
    const double least = SHARE_OF_JAM * SHARE_OF_JAM * most;
    for (int k = 0; k < w->lines; k++) {
        if (w->change[w->pairs + k] >= least) {
            return 0;
        }
    }
    const int count = product_list_above(w, least, list);
    return count > 1 && 2 * count <= w->pairs ? count : 0;
}

// ---------------------------------------------------------------------------------------------- with W

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

// p stays where that fails.
static void solve_with_delassus(product_sweeps *jam, double *p)
{
    enum { STEPS = 40 };
    static const double FINE = 1e-6; // of |b|; Newton's method goes on to the last digits by itself
    const int n = jam->n;
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
    thud_cone_options o = thud_cone_defaults();
    o.tolerance = FINE;
    o.method = n <= FEW ? THUD_CONE_AUTO : THUD_CONE_NEWTON;
    o.max_iterations = n <= FEW ? 0 : STEPS;
    memcpy(answer, p, sizeof *p * (size_t)n);
    const thud_cone_report r = thud_cone_solve(&cone, &o, jam->arena, answer);
    if (r.outcome == THUD_CONE_SOLVED) {
        memcpy(p, answer, sizeof *p * (size_t)n);
    }
    jam->short_of_room = r.outcome == THUD_CONE_NO_MEMORY;
    jam->visits += (int64_t)r.iterations * jam->pairs * jam->pairs; // as long as that
}

size_t product_jam_scratch(void)
{
    double any;
    const thud_cone_product S = {.groups = SOME};
    thud_cone cone = {.rows = SOME, .blocks = SOME, .W = {SOME, SOME, SOME, &any}};
    const size_t alone = thud_cone_scratch(&cone);
    cone.product = &S;
    return alone + cone_groups_scratch(&cone) + (SOME * SOME + 3 * SOME) * sizeof any +
           SOME * (sizeof(thud_cone_block) + 2 * sizeof(thud_cone_strip) + 2 * sizeof(int));
}

// ---------------------------------------------------------------------------------------------- the call

static void loosen(product_some *x)
{
    if (!product_sweep_some(x, SWEEPS) && !x->w.short_of_room && x->w.n <= SOME) {
        solve_with_delassus(&x->w, x->h.p);
    }
}

bool product_free(product_sweeps *w, double *p)
{
    return product_solve_some(w, p, find_jam, loosen);
}
