// SPDX-License-Identifier: Apache-2.0
// race.c: one look at each engine's motion, then interleaved repeats against the clock.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"
#include "race.h"

typedef struct runway { // scratch of a race
    const course *course;
    const race_options *o;
    double dt, time;
    int steps;
    int calm; // steps that each engine takes by its own law before it is measured
    double *qpos, *qvel;
    thud_pose *X_wb;
    thud_motion *V_wb;
} runway;

static engine_start start_of(const runway *r, const contestant *who, bool certified)
{
    engine_start start = course_start(r->course, &who->wishes, r->dt);
    start.control = r->course->scene->control;
    start.certified = certified;
    return start;
}

// ---------------------------------------------------------------------------------------- the look

static thud_status look(runway *r, const engine *e, void *world, double time, yardstick *y)
{
    const course *c = r->course;
    if (e->joints) {
        e->joints(world, r->qpos, r->qvel);
        return yardstick_look_joints(y, time, r->qpos, r->qvel);
    }
    memcpy(r->X_wb, c->X_wb, sizeof *r->X_wb * (size_t)c->model->bodies); // fixed bodies stay
    memcpy(r->V_wb, c->V_wb, sizeof *r->V_wb * (size_t)c->model->bodies);
    e->bodies(world, r->X_wb, r->V_wb);
    return yardstick_look(y, time, r->X_wb, r->V_wb);
}

// A pile that rests in one engine moves a little in another: each brings it to rest by its own law, or as near to
// that as its patience lasts, before it is looked at or timed. False: it broke down. pace: whose steps it is to take, no
// more and no fewer, whatever the patience; NULL: nobody's.
static bool calm_down(const runway *r, const engine *e, void *world, const race_result *pace,
                      race_result *out)
{
    const double begin = thud_clock_cpu();
    const int most = pace ? pace->calmed : r->calm;
    bool good = true;
    for (out->calmed = 0; good && out->calmed < most && (pace || thud_clock_cpu() - begin < r->o->patience);
         out->calmed++) {
        good = e->step(world, 1) == 1;
    }
    return good;
}

// How far the motion ended from the scene's answer.
static double error_of(const course *c, const yardstick *y)
{
    const bench_answer *answer = &c->scene->answer;
    const measures worth = yardstick_read(y);
    double sum = 0;
    switch (answer->kind) {
    case ANSWER_PLACE: {
        const thud_vec3 centre = yardstick_centre(y, c->model->bodies - 1);
        const double got[3] = {centre.x, centre.y, centre.z};
        for (int i = 0; i < 3; i++) {
            sum += answer->axis[i] ? (got[i] - answer->place[i]) * (got[i] - answer->place[i]) : 0;
        }
        return sqrt(sum);
    }
    case ANSWER_ENERGY:
        return worth.error / worth.turnover;
    case ANSWER_PENETRATION:
        return worth.penetration;
    default:
        return NAN;
    }
}

// One run with looks between the steps, not timed.
static thud_status measure(runway *r, const contestant *who, const race_result *pace, race_result *out)
{
    const engine *e = who->engine;
    const engine_start start = start_of(r, who, true);
    if (r->course->scene->large && e->certificate && who->wishes.law > THUD_LAW_CONE) {
        snprintf(out->why, sizeof out->why, "too many contacts for an LCP");
        return THUD_OK;
    }
    void *world = e->open(&start, out->why);
    yardstick *y = NULL;
    if (!world) {
        return THUD_OK;
    }
    out->ran = true;
    thud_status status = yardstick_create(r->course->model, 0.75 * r->time, &y);
    status = status == THUD_OK && !calm_down(r, e, world, pace, out) ? THUD_NOT_SOLVED : status;
    status = status == THUD_OK ? look(r, e, world, 0, y) : status;
    double spent = 0, waited = 0;
    const int every = r->steps > LOOKS ? r->steps / LOOKS : 1, steps = pace ? pace->taken : r->steps;
    int done = 0;
    while (status == THUD_OK && done < steps && (pace || spent < 3 * r->o->patience)) {
        const int count = done + every < steps ? every : steps - done;
        const double begin = thud_clock_cpu(), wall = thud_clock_wall();
        const int good = e->step(world, count);
        spent += thud_clock_cpu() - begin;
        waited += thud_clock_wall() - wall;
        done += good;
        status = good == count ? look(r, e, world, done * r->dt, y) : THUD_NOT_SOLVED;
    }
    out->taken = done;
    out->once = pace ? pace->once : spent >= 3 * r->o->patience; // no more of it
    out->wall = done > 0 ? 1e6 * waited / done : NAN;
    out->machine = who->threaded ? machine_speedup(who->wishes.threads) : NAN;
    out->speedup = out->speedup_least = out->speedup_most = pace ? pace->wall / out->wall : NAN;
    out->us = out->us_least = out->us_most = done > 0 ? 1e6 * spent / done : NAN;
    if (status == THUD_NOT_FINITE || status == THUD_NOT_SOLVED) {
        out->broke = done * r->dt;
        snprintf(out->why, sizeof out->why, "broke down at %.3g s", out->broke);
        status = THUD_OK;
    }
    if (y) {
        out->worth = yardstick_read(y);
        out->error = done < r->steps ? NAN : error_of(r->course, y);
    }
    if (e->certificate) {
        out->certificate = e->certificate(world);
    }
    yardstick_destroy(y);
    e->close(world);
    return status;
}

// ---------------------------------------------------------------------------------------- the clock

typedef struct lap {
    double cpu, wall; // seconds a step
    double machine;   // what the threads were worth just before
} lap;

typedef struct stretch { // what runs add up to
    double cpu, wall;    // s
    int steps;
} stretch;

// Whether a run that began then has taken longer than the patience lasts. The wall clock, which costs next to nothing to ask,
// is asked first.
static bool impatient(const runway *r, double cpu, double wall)
{
    return thud_clock_wall() - wall >= r->o->patience && thud_clock_cpu() - cpu >= r->o->patience;
}

// One run from the start. False: there is no second one to be had.
static bool run_once(const runway *r, const contestant *who, const race_result *pace, race_result *out,
                     stretch *sum)
{
    const engine *e = who->engine;
    const engine_start start = start_of(r, who, r->o->certified);
    char why[ENGINE_WHY_SIZE];
    void *world = e->open(&start, why);
    if (!world) {
        return false;
    }
    const int batch = r->steps > 64 ? r->steps / 64 : 1; // the clock is asked rarely
    bool good = calm_down(r, e, world, pace, out);
    const int steps = pace ? pace->taken : r->steps;
    const double cpu = thud_clock_cpu(), wall = thud_clock_wall();
    int done = 0;
    while (good && done < steps && (pace || !impatient(r, cpu, wall))) {
        const int count = done + batch < steps ? batch : steps - done, taken = e->step(world, count);
        done += taken;
        good = taken == count;
    }
    sum->cpu += thud_clock_cpu() - cpu;
    sum->wall += thud_clock_wall() - wall;
    sum->steps += done;
    e->close(world);
    out->taken = done;
    return good && done == steps;
}

// Runs from the start, one after another, until they are worth a look at the clock: one of a millisecond is mostly about
// what the engine before it has left in the caches. NaN when not a single step went well.
static lap run_lap(const runway *r, const contestant *who, const race_result *pace, race_result *out)
{
    static const double WORTH = 0.02; // s
    enum { MOST = 20 };               // an engine may take its time to open a world
    const double machine = who->threaded ? machine_speedup(who->wishes.threads) : NAN;
    stretch sum = {0};
    for (int k = 0; k < MOST && sum.cpu < WORTH && run_once(r, who, pace, out, &sum); k++) {
    }
    return sum.steps > 0 ? (lap){sum.cpu / sum.steps, sum.wall / sum.steps, machine} : (lap){NAN, NAN, NAN};
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

typedef struct spread {
    double median, least, most;
} spread;

static spread spread_of(double *value, int n) // sorts them
{
    qsort(value, (size_t)n, sizeof *value, compare);
    return (spread){0.5 * (value[(n - 1) / 2] + value[n / 2]), value[0], value[n - 1]};
}

// first: the laps of the first contestant, in the same repeats.
static void note_times(const lap *laps, const lap *first, int n, race_result *out)
{
    double value[REPEATS_MAX];
    for (int k = 0; k < n; k++) {
        value[k] = 1e6 * laps[k].cpu;
    }
    const spread cpu = spread_of(value, n);
    out->us = cpu.median;
    out->us_least = cpu.least;
    out->us_most = cpu.most;
    for (int k = 0; k < n; k++) {
        value[k] = 1e6 * laps[k].wall;
    }
    out->wall = spread_of(value, n).median;
    for (int k = 0; k < n; k++) {
        value[k] = first[k].wall / laps[k].wall;
    }
    const spread ratio = spread_of(value, n);
    out->speedup = ratio.median;
    out->speedup_least = ratio.least;
    out->speedup_most = ratio.most;
    for (int k = 0; k < n; k++) {
        value[k] = laps[k].machine;
    }
    out->machine = spread_of(value, n).median;
}

// ---------------------------------------------------------------------------------------- the race

static thud_status run_all(runway *r, const contestant *who, int count, race_result *out)
{
    const int repeats = r->o->repeats;
    lap *laps = thud_alloc((size_t)count * (size_t)repeats, sizeof *laps);
    if (!laps) {
        return THUD_NO_MEMORY;
    }
    thud_status status = THUD_OK;
    for (int i = 0; i < count && status == THUD_OK; i++) {
        out[i] = (race_result){.dt = r->dt,
                               .steps = r->steps,
                               .broke = NAN,
                               .us = NAN,
                               .wall = NAN,
                               .speedup = NAN,
                               .error = NAN,
                               .certificate = {NAN, NAN}};
        status = measure(r, who + i, who[i].threaded ? out : NULL, out + i);
    }
    for (int k = 0; k < repeats && status == THUD_OK; k++) {
        for (int i = 0; i < count; i++) {
            const race_result *pace = who[i].threaded ? out : NULL;
            laps[i * repeats + k] =
                out[i].ran && !out[i].once ? run_lap(r, who + i, pace, out + i) : (lap){NAN, NAN, NAN};
        }
    }
    for (int i = 0; i < count && status == THUD_OK; i++) {
        if (out[i].ran && !out[i].once) {
            note_times(laps + (size_t)i * (size_t)repeats, laps, repeats, out + i);
        }
    }
    thud_free(laps);
    return status;
}

thud_status race_run(const course *c, const contestant *who, int count, const race_options *o,
                     race_result *out)
{
    runway r = {.course = c, .o = o};
    r.dt = o->dt > 0 ? o->dt : c->dt;
    r.time = o->time > 0 ? o->time : c->scene->time;
    r.steps = (int)fmax(1, round(r.time / r.dt));
    r.calm = (int)round(c->scene->calm / r.dt);
    r.qpos = thud_alloc((size_t)c->model->nq + 1, sizeof *r.qpos);
    r.qvel = thud_alloc((size_t)c->model->nv + 1, sizeof *r.qvel);
    r.X_wb = thud_alloc((size_t)c->model->bodies, sizeof *r.X_wb);
    r.V_wb = thud_alloc((size_t)c->model->bodies, sizeof *r.V_wb);
    const bool room = r.qpos && r.qvel && r.X_wb && r.V_wb;
    const thud_status status = room ? run_all(&r, who, count, out) : THUD_NO_MEMORY;
    thud_free(r.qpos);
    thud_free(r.qvel);
    thud_free(r.X_wb);
    thud_free(r.V_wb);
    return status;
}
