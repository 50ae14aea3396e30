// SPDX-License-Identifier: Apache-2.0
// complaints_numbers.c: states that are saved, and complementarity problems too small to get wrong.
#include <math.h>
#include <stdio.h>

#include "complaints.h"

typedef struct saved {
    int step;   // after which to save
    void *blob; // NULL: not yet
    size_t bytes;
} saved;

static void save(const trial *t, void *context)
{
    saved *b = context;
    if (t->taken == b->step) {
        b->bytes = thud_state_bytes(stepper_state(&t->stepper));
        b->blob = thud_alloc(b->bytes, 1);
        if (b->blob) {
            thud_state_save(stepper_state(&t->stepper), b->blob);
        }
    }
}

// Restores the blob into a fresh sim and takes the rest of the steps; the hash of where it ends, or 0.
static uint64_t resume(const char *path, const step_wishes *w, const saved *b, int steps)
{
    thud_diag diag = {0};
    scene s;
    stepper p = {0};
    uint64_t hash = 0;
    if (scene_open(path, NULL, &s) == EXIT_DONE) {
        thud_status status = thud_state_load(s.model, b->blob, b->bytes, s.state, &diag);
        status = status == THUD_OK ? stepper_create(&p, &s, w, &diag) : status;
        for (int k = b->step; k < steps && status == THUD_OK; k++) {
            status = stepper_step(&p, NULL);
        }
        hash = status == THUD_OK ? thud_state_hash(s.state) : 0;
    }
    stepper_destroy(&p);
    scene_close(&s);
    return hash;
}

static finding restore(study *s)
{
    finding f = {.right = true};
    int same = 0, tried = 0;
    for (int step = 232; step <= 238; step++) { // about the collision of the four balls, by both their laws
        for (int law = 0; law < 2; law++) {
            saved b = {.step = step};
            trial t;
            trial_wish w = complaint_wish("balls", "start", 0.65);
            w.wishes.law = law;
            w.watch = save;
            w.context = &b;
            if (study_run(s, &w, &t) && b.blob) {
                const uint64_t hash = thud_state_hash(t.scene.state);
                same += resume(t.path, &w.wishes, &b, t.steps) == hash;
                tried++;
            }
            thud_free(b.blob);
            trial_close(&t);
        }
    }
    f.right = tried == 14 && same == tried;
    snprintf(f.ours, sizeof f.ours, "same bits from %d of %d states in and about the collision of the balls",
             same, tried);
    return f;
}

static thud_lcp_report solve_one(double M, double q, thud_lcp_method method, double *z)
{
    const thud_lcp lcp = {.n = 1, .M = {1, 1, 1, &M}, .q = &q};
    const thud_lcp_options o = thud_lcp_defaults(method);
    thud_arena *arena;
    thud_lcp_report r = {.outcome = THUD_LCP_NO_SCRATCH};
    if (thud_arena_create(1 << 16, &arena) == THUD_OK) {
        r = thud_lcp_solve(&lcp, &o, arena, z);
        thud_arena_destroy(arena);
    }
    return r;
}

static finding small_lcp(study *s)
{
    finding f = {.right = true};
    int right = 0, refused = 0;
    (void)s;
    for (int m = 0; m < THUD_LCP_METHODS; m++) {
        double z;
        right += solve_one(2, -1, (thud_lcp_method)m, &z).outcome == THUD_LCP_SOLVED && fabs(z - 0.5) < 1e-12;
        refused += solve_one(0, -1, (thud_lcp_method)m, &z).outcome != THUD_LCP_SOLVED && isfinite(z);
    }
    f.right = right == THUD_LCP_METHODS && refused == THUD_LCP_METHODS;
    snprintf(f.ours, sizeof f.ours, "%d of %d methods right on 2z - 1; %d say that 0z - 1 has no solution",
             right, (int)THUD_LCP_METHODS, refused);
    return f;
}

const complaint complaints_numbers[] = {
    {"state saved in mid-impact and restored", "different trajectories (DART, Rapier)", "same bits", restore},
    {"1x1 LCP; M = 0 with q < 0", "wrong, or \"success\" with Inf", "right, or an explicit failure",
     small_lcp},
    {0}};
