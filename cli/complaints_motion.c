// SPDX-License-Identifier: Apache-2.0
// complaints_motion.c: bounces, energies, loops.
#include <math.h>
#include <stdio.h>

#include "complaints.h"

static const double G = 9.81;

// Height of the next apex above the first contact, from a moment of flight.
static double apex(const trial *t, int step)
{
    return trial_qpos(t, step)[2] - 0.1 + trial_qvel(t, step)[2] * trial_qvel(t, step)[2] / (2 * G);
}

static finding bounce(study *s)
{
    finding f = {0};
    trial t;
    const double fall = sqrt(2 / G); // s, and twice as long from bounce to bounce
    const trial_wish w = complaint_wish("bounce", NULL, 20 * fall);
    if (study_run(s, &w, &t)) {
        double above, below, worst = 0;
        for (int i = 1; i <= 10; i++) {
            const int step = (int)lround(2 * i * fall / t.stepper.options.h);
            const double error = step <= t.taken ? fabs(apex(&t, step) - 1) : NAN;
            worst = error <= worst ? worst : error;
        }
        energy_range(&t, &above, &below);
        f.right = worst <= 1e-6 && above <= 1e-9;
        snprintf(f.ours, sizeof f.ours, "ten apexes within %.0e m, energy +%.0e J", worst, above);
    }
    trial_close(&t);
    return f;
}

static finding bounce_half(study *s)
{
    finding f = {0};
    trial t;
    const trial_wish w = complaint_wish("bounce_half", NULL, 0.7);
    if (study_run(s, &w, &t)) {
        const double height = apex(&t, t.taken);
        f.right = fabs(height - 0.25) <= 1e-6;
        snprintf(f.ours, sizeof f.ours, "%.7f m", height);
    }
    trial_close(&t);
    return f;
}

static finding spin(study *s)
{
    finding f = {0};
    trial t;
    const trial_wish w = complaint_wish("spinner", "spin", s->quick ? 6 : 60);
    if (study_run(s, &w, &t)) {
        double above, below;
        energy_range(&t, &above, &below);
        const double drift = thud_max(above, below) / t.certificate[0].kinetic;
        f.right = t.taken == t.steps && drift < 1e-6;
        snprintf(f.ours, sizeof f.ours, "energy drift %.1e in %g s", drift, w.time);
    }
    trial_close(&t);
    return f;
}

static finding chain(study *s)
{
    finding f = {0};
    trial t;
    const trial_wish w = complaint_wish("chain30", "start", 5);
    if (study_run(s, &w, &t)) {
        double above, below;
        energy_range(&t, &above, &below);
        const double start = t.certificate[0].kinetic + t.certificate[0].potential;
        f.right = t.taken == t.steps && thud_max(above, below) <= 1e-3 * start;
        snprintf(f.ours, sizeof f.ours, "%.0f J: %+.1e to %+.1e J", start, -below, above);
    }
    trial_close(&t);
    return f;
}

static finding long_chain(study *s)
{
    static const char *const names[] = {"pendulum100", "pendulum100_low"};
    finding f = {.right = true};
    double gain[2] = {0};
    for (int i = 0; i < 2; i++) {
        trial t;
        const trial_wish w = complaint_wish(names[i], "start", s->quick ? 1 : 5);
        if (study_run(s, &w, &t)) {
            double below;
            energy_range(&t, &gain[i], &below);
            gain[i] /= t.certificate[0].kinetic + t.certificate[0].potential;
            f.right = f.right && t.taken == t.steps && gain[i] <= 0.01;
        }
        trial_close(&t);
    }
    snprintf(f.ours, sizeof f.ours, "runs; energy at most %+.0e of its start, %+.0e dragging over the floor",
             gain[0], gain[1]);
    return f;
}

static double drift_of(const thud_certificate *c)
{
    return c->joint_drift;
}

static finding loops(study *s)
{
    finding f = {0};
    trial gears = {0}, bar = {0};
    const trial_wish wish[] = {complaint_wish("gears", "start", 5),
                               complaint_wish("fourbar", "start", s->quick ? 1 : 5)};
    if (study_run(s, &wish[0], &gears) && study_run(s, &wish[1], &bar)) {
        double apart = 0;
        for (int k = 0; k <= gears.taken; k++) {
            const double *q = trial_qpos(&gears, k);
            apart = thud_max(apart, thud_max(fabs(q[0] + 2 * q[1]), fabs(q[2] + 2 * q[1])));
        }
        const double stop = trial_qpos(&gears, gears.taken)[1], drift = trial_worst(&bar, drift_of);
        f.right = apart <= 1e-9 && fabs(stop - 20) < 0.02 && drift <= 1e-9;
        snprintf(f.ours, sizeof f.ours,
                 "gears within %.0e rad, stop after %.3f rad (right: 20); four-bar loop %.0e m", apart, stop,
                 drift);
    }
    trial_close(&gears);
    trial_close(&bar);
    return f;
}

const complaint complaints_impact[] = {
    {"e = 1 ball from 1 m, 10 bounces",
     "Bullet +17 % on the first, MuJoCo +1.1 % energy, Box3D -4 %, Rapier -12 %",
     "apex 1 m \302\261 1e-6, energy never gained", bounce},
    {"e = 0.5", "0.237 to 0.257 m", "0.250 m \302\261 1e-6", bounce_half},
    {0}};

const complaint complaints_motion[] = {
    {"free spin about the middle axis, 60 s, 1 ms", "MuJoCo 4.7 % (Euler), 4.4 % (implicit), 3e-12 (RK4)",
     "< 1e-6", spin},
    {"30-link chain, contacts off, 5 s, 1 ms",
     "MuJoCo 3120 J to 5171 J (Euler), -10 % (implicit), kept (RK4)", "within 0.1 %", chain},
    {"100-link pendulum, 1 ms", "MuJoCo resets with NaN by every integrator; Bullet multibody blows up",
     "runs, energy at most 1 % above its start", long_chain},
    {"joint equality with dry friction; four-bar loop", "separate, drift", "coupled to 1e-9, drift bounded",
     loops},
    {0}};
