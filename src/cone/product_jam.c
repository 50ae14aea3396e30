// SPDX-License-Identifier: Apache-2.0
// product_jam.c: the few contacts that jam are solved by themselves.                               [theory 7, 9]
//
// Where sweeps go on and on in one direction f (product_drift.c), f is large at few contacts: those of some boxes that are
// wedged, of hundreds that have long come to an answer. These few are swept with all others held,
//
//     u_L = S_L S_L^T p_L + b_L,      b_L = S_L S_o^T p_o + b,        L: |f_i| >= SHARE_OF_JAM of the largest, o the others
//
// as the problem of its own that they are: with its own acceleration, drift, and jam within the jam. A sweep over ten
// contacts costs what ten cost; the sweeps over all that follow carry on what it changed. What these do not solve either, of
// up to SOME rows, is solved with W_L = S_L S_L^T: of few by the ladder (cone_solve.c), else by Newton's method.
//
// Symbols  L the jam · S_L its strips, its groups numbered anew · y_o = S_o^T p_o
// Cost     at most SWEEPS sweeps over the jam, and in all MOST times what the sweeps over all cost. In piles that fall three in four sweeps over all are spared.
#include <math.h>
#include <string.h>

#include "product.h"

static const double SHARE_OF_JAM = 0.03; // of the largest |f_i|: what moves with it
static const double BETTER = 0.1;        // of what a sweep changed: by so much the jam is solved
enum { SWEEPS = 100, FEW = 80, SOME = 300 };
enum { MOST = 10 }; // times as many contacts visited in jams as in sweeps over all, then no more

static double motion(const double *f, int dim, double weight)
{
    return weight * sqrt(thud_dot(dim, f, f));
}

// Pairs that move most, ascending, in list; 0 if they are many, or one, or lines are among them.
static int find_jam(const product_sweeps *w, const double *f, int *list)
{
    double most = 0;
    int count = 0;
    for (int k = 0; k < w->pairs; k++) {
        const product_pair *c = w->pair + k;
        most = fmax(most, motion(f + c->at, c->dim, c->weight));
    }
    for (int k = 0; k < w->lines; k++) {
        const product_line *l = w->line + k;
        if (motion(f + l->at, l->dim, l->weight) >= SHARE_OF_JAM * most) {
            return 0;
        }
    }
    for (int k = 0; k < w->pairs && most > 0; k++) {
        const product_pair *c = w->pair + k;
        if (motion(f + c->at, c->dim, c->weight) >= SHARE_OF_JAM * most) {
            list[count++] = k;
        }
    }
    return count > 1 && 2 * count <= w->pairs ? count : 0;
}

static bool reserve(product_sweeps *jam, const product_sweeps *w, int count)
{
    const size_t pairs = (size_t)count, rows = 3 * pairs + PRODUCT_LANES;
    *jam = (product_sweeps){.pairs = count,
                            .length = PAIR_LENGTH, // y begins with a group that rests
                            .near = w->near,
                            .memory = w->memory,
                            .arena = w->arena,
                            .colours = 1};
    jam->colour[1] = count;
    jam->pair = thud_arena_push(w->arena, pairs, sizeof *jam->pair);
    jam->slip = thud_arena_push(w->arena, pairs, sizeof *jam->slip);
    jam->weight = thud_arena_push(w->arena, rows, sizeof *jam->weight);
    jam->partial = thud_arena_push(w->arena, pairs + product_partial_numbers(3 * count), sizeof(double));
    return jam->pair && jam->slip && jam->weight && jam->partial;
}

// Copies pairs, numbers their rows and groups anew, and leaves them alone with the velocities that the others give them.
static void copy_pairs(product_sweeps *jam, const product_sweeps *w, const int *list, int *group)
{
    for (int k = 0; k < jam->pairs; k++) {
        const product_pair *from = w->pair + list[k];
        product_pair *to = jam->pair + k;
        double u[3] = {0};
        *to = *from;
        jam->slip[k] = w->slip[list[k]];
        to->at = jam->n;
        product_pair_velocity(from, from->dim, w->y, u);
        for (int r = 0; r < to->dim; r++) {
            to->b[r] += u[r];
            jam->weight[jam->n++] = to->weight;
        }
        for (int side = 0; side < 2; side++) {
            int *at = group + from->y[side];
            if (*at < 0) {
                *at = jam->length;
                jam->length += PAIR_LENGTH;
            }
            to->y[side] = *at;
        }
    }
    for (jam->padded = jam->n; jam->padded % PRODUCT_LANES; jam->padded++) {
        jam->weight[jam->padded] = 0;
    }
}

static bool lay_out(product_sweeps *jam, const product_sweeps *w, const int *list)
{
    int *group = thud_arena_push(w->arena, (size_t)w->length, sizeof *group);
    if (!group) {
        return false;
    }
    memset(group, -1, sizeof *group * (size_t)w->length);
    group[0] = 0;
    copy_pairs(jam, w, list, group);
    jam->y = thud_arena_push(w->arena, (size_t)jam->length, sizeof *jam->y);
    return jam->y != NULL;
}

// y without the jam's impulses (sign -1), or with them again (1).
static void push_all(product_sweeps *w, const int *list, int count, double sign, const double *p)
{
    for (int k = 0; k < count; k++) {
        const product_pair *c = w->pair + list[k];
        double delta[3] = {0};
        for (int r = 0; r < c->dim; r++) {
            delta[r] = sign * p[c->at + r];
        }
        product_pair_push(c, c->dim, delta, w->y);
    }
}

static void copy_rows(const product_sweeps *w, const product_sweeps *jam, const int *list, double *of_jam,
                      double *p, bool back)
{
    for (int k = 0; k < jam->pairs; k++) {
        const product_pair *c = jam->pair + k;
        double *small = of_jam + c->at, *large = p + w->pair[list[k]].at;
        memcpy(back ? large : small, back ? small : large, sizeof *p * (size_t)c->dim);
    }
}

// true: the last sweep changed little beside the first.
static bool sweep(product_sweeps *jam, product_history *h)
{
    double enough = 0;
    for (int k = 0; k < SWEEPS && !jam->short_of_room; k++) {
        const double change = product_sweep(jam, h->p, h->from);
        enough = k == 0 ? BETTER * BETTER * change : enough;
        if (change <= enough) {
            return true;
        }
        product_accelerate(h, jam);
    }
    return false;
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
static void state(const product_sweeps *jam, thud_cone_block *block, double *W, double *b)
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
        for (int r = 0; r < c->dim; r++) {
            W[(c->at + r) * (n + 1)] += jam->slip[i].extra[r];
        }
    }
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
           *answer = thud_arena_push(jam->arena, (size_t)n, sizeof *answer);
    if (!W || !b || !answer || !block) {
        jam->short_of_room = true;
        return;
    }
    state(jam, block, W, b);
    const thud_cone cone = {.rows = n, .blocks = jam->pairs, .block = block, .W = {n, n, n, W}, .b = b};
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
    const thud_cone cone = {.rows = SOME, .blocks = SOME, .W = {SOME, SOME, SOME, &any}};
    return thud_cone_scratch(&cone) + (SOME * SOME + 2 * SOME) * sizeof any + SOME * sizeof(thud_cone_block);
}

// ---------------------------------------------------------------------------------------------- the call

// The jam in list, with y of the others alone.
static bool solve(product_sweeps *w, const int *list, int count, double *p)
{
    product_sweeps jam;
    product_history h;
    if (!reserve(&jam, w, count) || !lay_out(&jam, w, list) || !product_begin(&h, &jam)) {
        return false;
    }
    copy_rows(w, &jam, list, h.p, p, false);
    product_accumulate(&jam, h.p);
    if (!sweep(&jam, &h) && !jam.short_of_room && jam.n <= SOME) {
        solve_with_delassus(&jam, h.p);
    }
    w->in_jams += jam.visits + jam.in_jams;
    copy_rows(w, &jam, list, h.p, p, true);
    return !jam.short_of_room;
}

bool product_free(product_sweeps *w, const double *f, double *p)
{
    if (w->in_jams > MOST * w->visits) { // jams that do not come loose
        return false;
    }
    const size_t mark = thud_arena_mark(w->arena);
    int *list = thud_arena_push(w->arena, (size_t)w->pairs, sizeof *list);
    const int count = list ? find_jam(w, f, list) : 0;
    w->short_of_room = !list;
    if (count > 0) {
        push_all(w, list, count, -1, p);
        w->short_of_room = !solve(w, list, count, p);
        push_all(w, list, count, 1, p);
    }
    thud_arena_release(w->arena, mark);
    return count > 0 || w->short_of_room;
}
