// SPDX-License-Identifier: Apache-2.0
// measure.c: velocities of rows: those that a step begins with, those that impulses leave, and how far these are from the
// law.
//
// Symbols  u = G v: the wrenches of a row on its links, times the links' velocities; four rows at a time, one in each lane
// Cost     a pass over the wrenches of all rows for either.
#include <math.h>
#include <string.h>

#include "wrenches.h"

// u += G v of up to four rows: their part on one link that moves with V.
THUD_INSIDE void add_velocity(lanes n, lanes f, const thud_motion *V, lane *u)
{
    lane turning, moving;
    lanes_dot(n, V->ang, &turning);
    lanes_dot(f, V->lin, &moving);
    *u += turning + moving;
}

THUD_INSIDE void put(const lane *of, int count, double *to) // the first rows of a lane
{
    for (int r = 0; r < count && r < THUD_LANES; r++) {
        to[r] = (*of)[r];
    }
}

// ---------------------------------------------------------------------------------------------- the start

typedef struct start { // of all blocks
    thud_rows *rows;
    const thud_motion *V, *V_free;
    const thud_warm *warm;
    double scale; // of impulses: this step over the one they are from; 0: they say nothing
    double fall;  // m/s, that gravity adds in the step
} start;

THUD_INSIDE double sum_of(vec3 v) // of absolute values: no less than its length
{
    return fabs(v.x) + fabs(v.y) + fabs(v.z);
}

THUD_INSIDE void add_size(lanes of, double times, lane *to) // |of| times a number
{
    for (int r = 0; r < THUD_LANES; r++) {
        (*to)[r] += (fabs(of.x[r]) + fabs(of.y[r]) + fabs(of.z[r])) * times;
    }
}

// u before the step (if asked for) and u without impulses, which has b.
//
// A velocity that is zero but for rounding must not become a task for the solvers: they work to a relative residual and
// would never be done. What counts as rounding follows from the speeds that the row was computed from; gravity's step
// stands for the accelerations in them.
THUD_INSIDE void measure(const start *a, int dim, const site *s, const thud_wrenches *of, bool also_before)
{
    static const double ROUNDING = 1e-13;
    const thud_rows *rows = a->rows;
    for (int g = 0, left = dim; left > 0; g++, left -= THUD_LANES) {
        lane before = {0}, after = {0}, size = {0};
        for (int k = s->arm; k < s->arm + s->arms; k++) {
            const thud_wrenches *w = of + (k - s->arm) * rows_fours(dim) + g;
            const lanes n = lanes_load(w->ang), f = lanes_load(w->lin);
            const thud_motion *V_free = &a->V_free[rows->arm[k].link];
            if (also_before) {
                add_velocity(n, f, &a->V[rows->arm[k].link], &before);
            }
            add_velocity(n, f, V_free, &after);
            add_size(f, sum_of(V_free->lin) + a->fall, &size);
            add_size(n, sum_of(V_free->ang) + a->fall, &size);
        }
        const int at = s->at + g * THUD_LANES;
        if (also_before) {
            put(&before, left, rows->u_before + at);
        }
        for (int r = 0; r < left && r < THUD_LANES; r++) {
            const double u = after[r] + s->b[g * THUD_LANES + r];
            rows->u_free[at + r] = fabs(u) > ROUNDING * size[r] ? u : 0;
        }
    }
}

// Impulses of the last step for the same constraint, in proportion to the time.
THUD_INSIDE void recall(const start *a, int dim, const site *s)
{
    static const double none[ROWS_A_BLOCK];
    double *p = a->rows->p + s->at, *before = a->rows->p_before + s->at, *epsilon = a->rows->epsilon + s->at;
    const double *then = s->warm >= 0 ? a->warm[s->warm].p : none, scale = a->scale, give = s->epsilon;
    for (int r = 0; r < dim; r++) {
        p[r] = before[r] = scale * then[r];
        epsilon[r] = give;
    }
}

THUD_KERNEL static void start_blocks(void *of, int first, int end, int worker)
{
    const start *a = of;
    thud_rows *rows = a->rows;
    (void)worker;
    for (int k = first; k < end; k++) {
        const int i = rows->order[k];
        const site *s = &rows->site[i];
        thud_block *b = &rows->sorted[k];
        if (s->late) {
            rows_make_contact(rows, k);
        } else {
            *b = rows->block[i];
            rows->cone[k] = rows->coned[i];
        }
        b->row = rows->cone[k].row = s->row;
        thud_wrenches room[WRENCHES_A_CONTACT];
        const thud_wrenches *w = wrenches_of(rows, b, s, room);
        rows_innovate(rows, i, w);
        if (b->dim == 3) { // nearly all of them, without loops
            measure(a, 3, s, w, true);
            recall(a, 3, s);
        } else {
            measure(a, b->dim, s, w, true);
            recall(a, b->dim, s);
        }
        if (b->kind == THUD_BLOCK_CONTACT && b->dim >= 3) {
            rows_set_friction(b, s, rows->u_before + s->at, rows->cone[k].mu);
        }
    }
}

static start start_of(thud_rows *rows, const thud_motion *V, const thud_motion *V_free, const thud_warm *warm,
                      double warm_h)
{
    return (start){rows,
                   V,
                   V_free,
                   warm,
                   warm_h > 0 && rows->h > 0 ? rows->h / warm_h : 0,
                   v3_norm(rows->m->gravity) * rows->h};
}

thud_status thud_rows_prepare(thud_rows *rows, const thud_motion *V, const thud_motion *V_free,
                              const thud_warm *warm, int warms, double warm_h)
{
    enum { LEAST = 16 }; // blocks
    start a = start_of(rows, V, V_free, warm, warm_h);
    rows->edition++;
    rows_join(rows);
    THUD_TRY(rows_lay_strips(rows));
    rows->laid = thud_arena_mark(rows->arena);
    rows_match(rows, warm, warms);
    thud_pool_run(rows->pool, rows->blocks, LEAST, start_blocks, &a);
    for (int k = 0; k < rows->islands; k++) {
        rows->span[k].familiar = a.scale > 0;
    }
    for (int k = 0; k < rows->blocks; k++) {
        const site *s = &rows->site[rows->order[k]];
        rows->span[s->island].trace += s->trace;
        rows->span[s->island].familiar &= s->warm >= 0;
    }
    return THUD_OK;
}

// ---------------------------------------------------------------------------------------------- once more

THUD_KERNEL static void repeat_blocks(void *of, int first, int end, int worker)
{
    const start *a = of;
    const thud_rows *rows = a->rows;
    (void)worker;
    for (int k = first; k < end; k++) {
        const site *s = &rows->site[rows->order[k]];
        const thud_block *b = &rows->sorted[k];
        thud_wrenches room[WRENCHES_A_CONTACT];
        const thud_wrenches *w = wrenches_of(rows, b, s, room);
        if (b->dim == 3) {
            measure(a, 3, s, w, false);
            recall(a, 3, s);
        } else {
            measure(a, b->dim, s, w, false);
            recall(a, b->dim, s);
        }
    }
}

bool thud_rows_repeat(thud_rows *rows, const thud_motion *V_free, const thud_warm *warm, int warms,
                      double warm_h)
{
    enum { LEAST = 32 }; // blocks
    start a = start_of(rows, NULL, V_free, warm, warm_h);
    if (!(a.scale > 0) || !rows_match_all(rows, warm, warms)) {
        return false;
    }
    thud_arena_release(rows->arena, rows->laid);
    thud_pool_run(rows->pool, rows->blocks, LEAST, repeat_blocks, &a);
    for (int k = 0; k < rows->islands; k++) {
        thud_rows_forget(rows, k);
        rows->span[k].familiar = true;
        rows->span[k].residual = NAN;
    }
    return true;
}

// ---------------------------------------------------------------------------------------------- the judge

// u = G dv + u_free + epsilon p.
THUD_INSIDE void move(const thud_rows *rows, int dim, const site *s, const thud_wrenches *of)
{
    for (int g = 0, left = dim; left > 0; g++, left -= THUD_LANES) {
        lane u = {0};
        for (int x = s->arm; x < s->arm + s->arms; x++) {
            const thud_wrenches *w = of + (x - s->arm) * rows_fours(dim) + g;
            const lanes n = lanes_load(w->ang), f = lanes_load(w->lin);
            add_velocity(n, f, &rows->V[rows->arm[x].link], &u);
        }
        for (int r = 0, at = s->at + g * THUD_LANES; r < left && r < THUD_LANES; r++, at++) {
            rows->u[at] = u[r] + (rows->u_free[at] + rows->epsilon[at] * rows->p[at]);
        }
    }
}

// Velocities under dv, and how far they and p are from the law.
THUD_KERNEL static void judge_blocks(void *of, int first, int end, int worker)
{
    const thud_rows *rows = of;
    (void)worker;
    for (int k = first; k < end; k++) {
        const site *s = &rows->site[rows->order[k]];
        thud_wrenches room[WRENCHES_A_CONTACT];
        const thud_wrenches *w = wrenches_of(rows, &rows->sorted[k], s, room);
        if (rows->sorted[k].dim == 3) {
            move(rows, 3, s, w);
        } else {
            move(rows, rows->sorted[k].dim, s, w);
        }
        const span *island = &rows->span[s->island];
        thud_cone_gap(&rows->cone[k], rows->p + s->at, rows->u + s->at,
                      thud_cone_rho(island->rows, island->trace), rows->gap + s->at);
    }
}

void thud_rows_judge(thud_rows *rows, const double *dv)
{
    enum { LEAST = 25 }; // blocks
    rows_set_twists(rows, dv, NULL);
    thud_pool_run(rows->pool, rows->blocks, LEAST, judge_blocks, rows);
    for (int i = 0; i < rows->islands; i++) {
        span *s = &rows->span[i];
        const thud_cone cone = {.rows = s->rows, .b = rows->u_free + s->row};
        s->residual = thud_cone_residual_of(&cone, rows->p + s->row, s->trace, rows->gap + s->row);
    }
}
