// SPDX-License-Identifier: Apache-2.0
// complaints_rest.c: stacks that should stand, and a table that should say what its legs bear.
#include <math.h>
#include <stdio.h>

#include "complaints.h"

// The most that any free body has moved, m.
static double most_moved(const trial *t, int bodies)
{
    double most = 0;
    for (int b = 0; b < bodies; b++) {
        const double way = moved(t, t->taken, 7 * b);
        most = way <= most ? most : way;
    }
    return most;
}

static double penetration_of(const thud_certificate *c)
{
    return c->penetration;
}

static finding heavy(study *s)
{
    static const char *const names[] = {"heavy_on_light", "heavy_on_stack4", "heavy_on_stack9"};
    static const int bodies[] = {2, 5, 10};
    finding f = {.right = true};
    double deepest = 0, way = 0;
    for (int i = 0; i < 6; i++) {
        trial t;
        trial_wish w = complaint_wish(names[i / 2], NULL, s->quick ? 1 : 5);
        w.wishes.dt = i % 2 ? 0.005 : 0;
        if (study_run(s, &w, &t)) {
            deepest = fmax(deepest, trial_worst(&t, penetration_of));
            way = fmax(way, most_moved(&t, bodies[i / 2]));
            f.right = f.right && t.taken == t.steps;
        }
        trial_close(&t);
    }
    f.right = f.right && deepest < 1e-4 && way < 1e-4;
    snprintf(f.ours, sizeof f.ours, "all hold; penetration %.0e m, moved by %.0e m", deepest, way);
    return f;
}

static finding stack(study *s)
{
    finding f = {0};
    trial t;
    const trial_wish w = complaint_wish("stack20", NULL, s->quick ? 1 : 10);
    if (study_run(s, &w, &t)) {
        const double way = most_moved(&t, 20);
        f.right = t.taken == t.steps && way < 1e-3;
        snprintf(f.ours, sizeof f.ours, "stands, drift %.0e m in %g s", way, w.time);
    }
    trial_close(&t);
    return f;
}

// Rank of the only island, by the exact law; -1: it could not be asked.
static int rank_of(const trial *t, thud_island island)
{
    thud_law_options o = t->stepper.options.law;
    thud_arena *arena;
    double p[64] = {0};
    if (island.rows > 64) {
        return -1;
    }
    o.want_rank = true;
    island.p = p;
    if (thud_arena_create(thud_law_scratch(&island, &o), &arena) != THUD_OK) {
        return -1;
    }
    const int rank = thud_law_solve(&island, &o, arena).rank;
    thud_arena_destroy(arena);
    return rank;
}

static finding table_legs(study *s)
{
    static const double right[] = {33.84, 29.92, 28.94, 25.02}; // N, feet at (+ +), (+ -), (- +), (- -)
    finding f = {0};
    trial t;
    const trial_wish w = complaint_wish("table", NULL, 0.1);
    thud_rows *rows = study_run(s, &w, &t) ? thud_sim_rows(t.stepper.sim) : NULL;
    if (rows && thud_rows_islands(rows) == 1 && thud_rows_fill(rows, 0, NULL) == THUD_OK) {
        const thud_island island = thud_rows_island(rows, 0);
        double load[4] = {0}, sum = 0, error = 0;
        for (int b = 0; b < island.blocks; b++) {
            const thud_vec3 p = island.block[b].point;
            load[(p.x < 0 ? 2 : 0) + (p.y < 0 ? 1 : 0)] += island.p[island.block[b].row] / island.h;
        }
        for (int i = 0; i < 4; i++) {
            sum += load[i];
            error = fmax(error, fabs(load[i] - right[i]));
        }
        const int rank = rank_of(&t, island);
        f.right = error < 0.01 && fabs(sum - 12 * 9.81) < 1e-6 && rank == 6;
        snprintf(f.ours, sizeof f.ours, "%.2f %.2f %.2f %.2f N, sum %.4f N, rank %d of %d", load[0], load[1],
                 load[2], load[3], sum, rank, island.rows);
    }
    trial_close(&t);
    return f;
}

const complaint complaints_rest[] = {
    {"1000 kg on 1, 4 and 9 light boxes, dt 1/60 s and 5 ms",
     "Jolt, Bullet, ODE, Rapier collapse; MuJoCo sinks 7.7 mm; DART's direct solver holds", "holds, < 0.1 mm",
     heavy},
    {"stack of 20 boxes, 10 s, dt 1/60 s", "Jolt, Bullet, ODE fall at 5 to 6 s", "stands, drift < 1 mm",
     stack},
    {"four-legged table", "no engine answers", "33.84 29.92 28.94 25.02 N, sum the weight, rank 6 of 12",
     table_legs},
    {0}};
