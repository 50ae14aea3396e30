// SPDX-License-Identifier: Apache-2.0
// measure.c: velocities of rows: those that a step begins with, those that impulses leave, and how far these are from the
// law.
//
// Symbols  u = G v: the wrenches of a row on its links, times the links' velocities; four rows at a time, one in each lane
// Cost     a pass over the wrenches of all rows for either.
#include <math.h>
#include <string.h>

#include <thud/linalg_fours.h>

#include "delassus_tiles.h"
#include "innovations.h"
#include "wrenches.h"

// A velocity that is zero but for rounding must not become a task for the solvers: they work to a relative residual and
// would never be done. What counts as rounding follows from the speeds that the row was computed from; gravity's step
// stands for the accelerations in them.
THUD_INSIDE void drop_rounding(const four *size, four *u)
{
    static const double ROUNDING = 1e-13;
    four much = *u;
    fours_size(&much);
    *u = FOURS_ONLY(much > ROUNDING * *size, *u);
}

THUD_INSIDE double sum_of(vec3 v) // of absolute values: no less than its length
{
    return fabs(v.x) + fabs(v.y) + fabs(v.z);
}

THUD_INSIDE void add_size(lanes of, double times, four *to) // |of| times a number
{
    fours_size(&of.x);
    fours_size(&of.y);
    fours_size(&of.z);
    *to += (of.x + of.y + of.z) * times;
}

// u += G v of up to four rows: their part on one link that moves with V.
THUD_INSIDE void add_velocity(lanes n, lanes f, const thud_motion *V, four *u)
{
    four turning, moving;
    lanes_dot(n, V->ang, &turning);
    lanes_dot(f, V->lin, &moving);
    *u += turning + moving;
}

THUD_INSIDE void take(const double *from, int count, four *to) // so many rows; what is beyond them is 0
{
    *to = (four){from[0], count > 1 ? from[1] : 0, count > 2 ? from[2] : 0, count > 3 ? from[3] : 0};
}

THUD_INSIDE void put(const four *of, int count, double *to) // the first rows of a lane
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

// u += G v_free of up to four rows, and the size of what it is summed up from.
THUD_INSIDE void add_free(lanes n, lanes f, const thud_motion *V_free, double fall, four *u, four *size)
{
    add_velocity(n, f, V_free, u);
    add_size(f, sum_of(V_free->lin) + fall, size);
    add_size(n, sum_of(V_free->ang) + fall, size);
}

// The g-th four rows of a block, of which so many are left: u without impulses, which has b.
THUD_INSIDE void put_free(const thud_rows *rows, const site *s, int g, int left, const four *size, four *u)
{
    four b;
    take(s->b + g * THUD_LANES, left, &b);
    *u += b;
    drop_rounding(size, u);
    put(u, left, rows->u_free + s->at + g * THUD_LANES);
}

// u before the step and u without impulses.
THUD_INSIDE void measure(const start *a, int dim, const site *s, const thud_wrenches *of)
{
    const thud_rows *rows = a->rows;
    for (int g = 0, left = dim; left > 0; g++, left -= THUD_LANES) {
        four before = {0}, after = {0}, size = {0};
        for (int k = s->arm; k < s->arm + s->arms; k++) {
            const thud_wrenches *w = of + (k - s->arm) * rows_fours(dim) + g;
            const lanes n = lanes_load(w->ang), f = lanes_load(w->lin);
            add_velocity(n, f, &a->V[rows->arm[k].link], &before);
            add_free(n, f, &a->V_free[rows->arm[k].link], a->fall, &after, &size);
        }
        put(&before, left, rows->u_before + s->at + g * THUD_LANES);
        put_free(rows, s, g, left, &size, &after);
    }
}

// Impulses of the last step for the same constraint, in proportion to the time.
THUD_INSIDE void recall(const start *a, int dim, const site *s, int warm)
{
    static const double none[ROWS_A_BLOCK];
    double *p = a->rows->p + s->at, *before = a->rows->p_before + s->at, *epsilon = a->rows->epsilon + s->at;
    const double *then = warm >= 0 ? a->warm[warm].p : none, scale = a->scale, give = s->epsilon;
    for (int r = 0; r < dim; r++) {
        p[r] = before[r] = scale * then[r];
        epsilon[r] = give;
    }
}

// The k-th block in island order, once it is made.
THUD_INSIDE void start_block(const start *a, int k, int dim)
{
    thud_rows *rows = a->rows;
    const int i = rows->order[k];
    site *s = &rows->site[i];
    const thud_block *b = &rows->sorted[k];
    thud_wrenches room[WRENCHES_A_CONTACT];
    const thud_wrenches *w = wrenches_of(rows, b, s, dim, room);
    rows->trace[k] = innovate_block(rows, s, w, dim);
    measure(a, dim, s, w);
    recall(a, dim, s, rows->warm[i]);
    if (s->varies && dim >= 3) {
        rows_set_friction(b, s, rows->u_before + s->at, rows->cone[k].mu);
    }
}

// The links of a block lie anywhere in memory: those of one that is made soon are fetched now.
enum { MANY = 256, FETCH = 4 }; // blocks, of more than so many; so many before
THUD_INSIDE void fetch_links(const start *a, int i)
{
    const thud_rows *rows = a->rows;
    const site *s = &rows->site[i];
    for (int k = s->arm; k < s->arm + s->arms; k++) {
        const int link = rows->arm[k].link;
        __builtin_prefetch(&rows->d->link[link].o);
        __builtin_prefetch(&rows->d->link[link].R.m[1][0]);
        __builtin_prefetch(&rows->d->link[link].R.m[2][2]);
        __builtin_prefetch(&a->V[link]);
        __builtin_prefetch(&a->V_free[link]);
        __builtin_prefetch(rows->root + rows->m->joint_v[link]);
        __builtin_prefetch(&rows->tree[rows->link_tree[link]]);
    }
}

THUD_KERNEL static void start_blocks(void *of, int first, int end, int worker)
{
    const start *a = of;
    thud_rows *rows = a->rows;
    const int fetched = rows->blocks > MANY ? end - FETCH : 0;
    (void)worker;
    for (int k = first; k < end; k++) {
        const int i = rows->order[k];
        const site *s = &rows->site[i];
        thud_block *b = &rows->sorted[k];
        if (k < fetched) {
            fetch_links(a, rows->order[k + FETCH]);
        }
        if (s->late) {
            rows_make_contact(rows, k);
        } else {
            *b = rows->block[i];
            rows->cone[k] = rows->coned[i];
        }
        b->row = rows->cone[k].row = s->row;
        if (b->dim == 3) { // nearly all of them, without loops
            start_block(a, k, 3);
        } else {
            start_block(a, k, b->dim);
        }
    }
}

static double scale_of(const thud_rows *rows, double warm_h) // of the impulses of a step of warm_h
{
    return warm_h > 0 && rows->h > 0 ? rows->h / warm_h : 0;
}

static double fall_of(const thud_rows *rows)
{
    return v3_norm(rows->m->gravity) * rows->h;
}

thud_status thud_rows_prepare(thud_rows *rows, const thud_motion *V, const thud_motion *V_free,
                              const thud_warm *warm, int warms, double warm_h)
{
    THUD_ASSERT(V && V_free && warm_h >= 0 && warms >= 0);
    enum { LEAST = 16 }; // blocks
    start a = {rows, V, V_free, warm, scale_of(rows, warm_h), fall_of(rows)};
    rows->edition++;
    THUD_TRY(rows_join(rows));
    THUD_TRY(rows_lay_strips(rows));
    rows->laid = thud_arena_mark(rows->arena);
    rows_match(rows, warm, warms);
    thud_pool_run(rows->pool, rows->blocks, LEAST, start_blocks, &a);
    for (int i = 0; i < rows->islands; i++) {
        span *s = &rows->span[i];
        s->familiar = a.scale > 0;
        for (int k = s->block; k < s->block + s->blocks; k++) {
            s->trace += rows->trace[k];
            s->familiar &= rows->warm[rows->order[k]] >= 0;
        }
        s->rho = thud_cone_rho(s->rows, s->trace);
    }
    return THUD_OK;
}

// ---------------------------------------------------------------------------------------------- once more

THUD_INSIDE bool same_bits(double a, double b)
{
    uint64_t one, other;
    memcpy(&one, &a, sizeof one);
    memcpy(&other, &b, sizeof other);
    return one == other;
}

// true: they are those that were recalled last time.
THUD_INSIDE bool recall_impulses(const thud_rows *rows, int at, int dim, double scale, const thud_warm *warm)
{
    double *before = rows->p_before + at;
    bool alike = true;
    for (int r = 0; r < dim; r++) {
        const double p = scale * warm->p[r];
        alike = alike && same_bits(p, before[r]);
        rows->p[at + r] = before[r] = p;
    }
    return alike;
}

bool thud_rows_repeat(thud_rows *rows, const thud_warm *warm, int warms, double warm_h, bool *alike)
{
    const double scale = scale_of(rows, warm_h);
    *alike = true;
    if (warms != rows->blocks || !(scale > 0)) {
        return false;
    }
    rows_sort_ids(rows);
    for (int k = 0; k < warms; k++) {
        const site *s = &rows->site[rows->by_id[k].block];
        if (rows->by_id[k].id != warm[k].id) {
            return false;
        }
        if (s->dim == 3) {
            *alike &= recall_impulses(rows, s->at, 3, scale, &warm[k]);
        } else {
            *alike &= recall_impulses(rows, s->at, s->dim, scale, &warm[k]);
        }
    }
    thud_arena_release(rows->arena, rows->laid);
    for (int k = 0; k < rows->islands; k++) {
        thud_rows_forget(rows, k);
        rows->span[k].familiar = true;
        rows->span[k].residual = NAN;
    }
    return true;
}

// ---------------------------------------------------------------------------------------------- the judge

typedef struct look { // at all blocks
    const thud_rows *rows;
    const thud_motion *V_free; // NULL: u_free is known
    double fall;
    bool judges;
} look;

// u = G dv + u_free + epsilon p; before that, u_free.
THUD_INSIDE void move(const look *a, int dim, const site *s, const thud_wrenches *of)
{
    const thud_rows *rows = a->rows;
    for (int g = 0, left = dim; left > 0; g++, left -= THUD_LANES) {
        four u = {0}, after = {0}, size = {0};
        for (int x = s->arm; x < s->arm + s->arms; x++) {
            const thud_wrenches *w = of + (x - s->arm) * rows_fours(dim) + g;
            const lanes n = lanes_load(w->ang), f = lanes_load(w->lin);
            const int link = rows->arm[x].link;
            add_velocity(n, f, &rows->V[link], &u);
            if (a->V_free) {
                add_free(n, f, &a->V_free[link], a->fall, &after, &size);
            }
        }
        const int at = s->at + g * THUD_LANES;
        four p, give;
        take(rows->p + at, left, &p);
        take(rows->epsilon + at, left, &give);
        if (a->V_free) {
            put_free(rows, s, g, left, &size, &after);
        } else {
            four kept;
            take(rows->u_free + at, left, &kept);
            after = kept;
        }
        u += after + give * p;
        put(&u, left, rows->u + at);
    }
}

// Velocities under dv, and how far they and p are from the law.
THUD_INSIDE void look_at(const look *a, int k, int dim)
{
    const thud_rows *rows = a->rows;
    const site *s = &rows->site[rows->order[k]];
    thud_wrenches room[WRENCHES_A_CONTACT];
    move(a, dim, s, wrenches_of(rows, &rows->sorted[k], s, dim, room));
    if (a->judges) {
        thud_cone_gap(&rows->cone[k], rows->p + s->at, rows->u + s->at, rows->span[s->island].rho,
                      rows->gap + s->at);
    }
}

THUD_INSIDE void fetch_moving(const look *a, int i) // as fetch_links
{
    const site *s = &a->rows->site[i];
    for (int k = s->arm; k < s->arm + s->arms; k++) {
        const int link = a->rows->arm[k].link;
        __builtin_prefetch(&a->rows->d->link[link].o);
        __builtin_prefetch(&a->rows->V[link]);
    }
}

THUD_KERNEL static void look_at_blocks(void *of, int first, int end, int worker)
{
    const look *a = of;
    const int fetched = a->rows->blocks > MANY ? end - FETCH : 0;
    (void)worker;
    for (int k = first; k < end; k++) {
        const int dim = a->rows->sorted[k].dim;
        if (k < fetched) {
            fetch_moving(a, a->rows->order[k + FETCH]);
        }
        if (dim == 3) {
            look_at(a, k, 3);
        } else {
            look_at(a, k, dim);
        }
    }
}

static void look_at_all(const thud_rows *rows, const thud_motion *V_free, bool judges)
{
    enum { LEAST = 25 }; // blocks
    look a = {rows, V_free, fall_of(rows), judges};
    thud_pool_run(rows->pool, rows->blocks, LEAST, look_at_blocks, &a);
}

void thud_rows_measure(thud_rows *rows, const thud_motion *V_free)
{
    THUD_ASSERT(V_free);
    look_at_all(rows, V_free, false); // u is of any dv
}

// The numbers that a residual is made from, of three vectors: threads take one each.
enum { GAP, ASKED, IMPULSES, NORMS };

static void measure_norms(void *of, int first, int end, int worker)
{
    const thud_rows *rows = of;
    const double *const vector[NORMS] = {rows->gap, rows->u_free, rows->p};
    (void)worker;
    for (int k = first; k < end; k++) { // one vector after the other: most often one island has nearly all
        const int which = k / rows->islands;
        span *s = &rows->span[k % rows->islands];
        s->norm[which] = thud_norm2(s->rows, vector[which] + s->row);
    }
}

void thud_rows_judge(thud_rows *rows, const thud_motion *V_free, const double *dv)
{
    THUD_ASSERT(dv);
    enum { SHARED = 4000 }; // rows, or more
    rows_set_twists(rows, dv, NULL);
    look_at_all(rows, V_free, true);
    thud_pool_run(rows->rows > SHARED ? rows->pool : NULL, NORMS * rows->islands, 1, measure_norms, rows);
    for (int i = 0; i < rows->islands; i++) {
        span *s = &rows->span[i];
        s->judged = thud_cone_residual_by(s->rho, s->norm[GAP], s->norm[ASKED], s->norm[IMPULSES]);
    }
    thud_rows_judge_alike(rows);
}

void thud_rows_judge_alike(thud_rows *rows)
{
    for (int i = 0; i < rows->islands; i++) {
        rows->span[i].residual = rows->span[i].judged;
    }
}
