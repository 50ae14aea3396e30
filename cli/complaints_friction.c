// SPDX-License-Identifier: Apache-2.0
// complaints_friction.c: creep, directions, lift: what friction does elsewhere.
#include <math.h>
#include <stdio.h>

#include <thud/elementary.h>
#include <thud/spatial_inline.h>

#include "complaints.h"

static const double G = 9.81, PI = 3.14159265358979323846;

static double creep(study *s, double time, double tolerance)
{
    trial t;
    trial_wish w = complaint_wish("slope20", NULL, time);
    w.wishes.tolerance = tolerance;
    const double way = study_run(s, &w, &t) && t.taken == t.steps ? moved(&t, t.taken, 0) : NAN;
    trial_close(&t);
    return way;
}

static finding hold_on_slope(study *s)
{
    finding f = {0};
    const double time = s->quick ? 1 : 10, way = creep(s, time, 0), loose = creep(s, time, 1e-5);
    f.right = way < 1e-7 && way <= thud_max(loose, 1e-12 * time); // m: less is rounding
    snprintf(f.ours, sizeof f.ours, "%.1e m in %g s (%.1e at a tolerance of 1e-5)", way, time, loose);
    return f;
}

// The box is turned under the same gravity: every direction of sliding, seen from the box.
static finding slide_down_slope(study *s)
{
    const double right = G * (thud_sin(PI / 6) - 0.5 * thud_cos(PI / 6));
    finding f = {0};
    double low = INFINITY, high = -INFINITY, h = 0;
    for (int yaw = 0; yaw < 90; yaw += 15) {
        const double half = yaw * PI / 360, qpos[7] = {0, 0, 0.1, thud_cos(half), 0, 0, thud_sin(half)};
        trial t;
        trial_wish w = complaint_wish("slope30", NULL, 0.5);
        w.qpos = qpos;
        if (study_run(s, &w, &t)) {
            const double *v = trial_qvel(&t, t.taken), a = thud_hypot(v[0], v[1]) / t.time[t.taken];
            low = a >= low ? low : a;
            high = a <= high ? high : a;
            h = t.stepper.options.h;
        }
        trial_close(&t);
    }
    f.right = low >= right - h * G && high <= right + h * G;
    snprintf(f.ours, sizeof f.ours, "%.6f ... %.6f m/s2 in six directions", low, high);
    return f;
}

static finding slide_flat(study *s)
{
    finding f = {0};
    trial t;
    const trial_wish w = complaint_wish("slide", "start", 1.2);
    if (study_run(s, &w, &t)) {
        double lift = 0;
        for (int k = 0; k <= t.taken; k++) {
            lift = thud_max(lift, trial_qpos(&t, k)[2] - 0.05);
        }
        const double way = trial_qpos(&t, t.taken)[0];
        f.right = lift < 1e-9 && fabs(way - 25 / G) <= t.stepper.options.h * 5 / 2;
        snprintf(f.ours, sizeof f.ours, "lift %.1e m, stops after %.4f m", lift, way);
    }
    trial_close(&t);
    return f;
}

static finding pinch(study *s)
{
    finding f = {0};
    trial t;
    const double time = s->quick ? 0.5 : 5;
    const trial_wish w = complaint_wish("pinch", NULL, time);
    if (study_run(s, &w, &t)) {
        double fastest = 0;
        for (int k = 0; k < 3; k++) { // pad, pen, pad: 1 + 7 + 1 numbers each
            const double speed = moved(&t, t.taken, 9 * k + 1) / time;
            fastest = speed <= fastest ? fastest : speed;
        }
        f.right = t.taken == t.steps && fastest < 1e-9;
        snprintf(f.ours, sizeof f.ours, "%.1e m/s", fastest);
    }
    trial_close(&t);
    return f;
}

// Spread of the way over all 24 directions, relative; directions 0: the exact cone.
static double spread_of_push(study *s, int directions, double *least, double *most, bool *straight)
{
    *least = INFINITY;
    *most = 0;
    for (int key = 0; key < 24; key++) {
        char name[16];
        trial t;
        trial_wish w = complaint_wish("push", name, 0.5);
        snprintf(name, sizeof name, "%d", key);
        w.wishes.law = (int)(directions ? THUD_LAW_ANITESCU_POTRA : THUD_LAW_CONE);
        w.wishes.directions = directions;
        if (study_run(s, &w, &t)) {
            const double *q = trial_qpos(&t, t.taken), way = thud_hypot(q[0], q[1]);
            *least = way >= *least ? *least : way;
            *most = way <= *most ? *most : way;
            *straight = *straight && fabs(remainder(thud_atan2(q[1], q[0]) - key * PI / 12, 2 * PI)) < 1e-6;
        }
        trial_close(&t);
    }
    return (*most - *least) / *least;
}

static finding push_every_way(study *s)
{
    finding f = {0};
    double least, most, unused[2];
    bool straight = true, crooked = true;
    const double spread = spread_of_push(s, 0, &least, &most, &straight);
    const double eight = spread_of_push(s, 8, &unused[0], &unused[1], &crooked);
    const double many = spread_of_push(s, s->quick ? 8 : 32, &unused[0], &unused[1], &crooked);
    f.right = straight && spread < 1e-6 && fabs(least - 4 / G) <= 0.002;
    snprintf(f.ours, sizeof f.ours, "%.4f m, spread %.0e, straight: %s (8 directions %.1e, 32: %.1e)", least,
             spread, straight ? "yes" : "no", eight, many);
    return f;
}

// First moment without slip.
static double rolling_time(const trial *t)
{
    for (int k = 1; k <= t->taken; k++) {
        const thud_vec3 w = trial_spin(t, k, 0, 0);
        const double *v = trial_qvel(t, k), r = 0.0285;
        if (thud_hypot(v[0] - w.y * r, v[1] + w.x * r) < 1e-6) {
            return t->time[k];
        }
    }
    return NAN;
}

static finding roll(study *s)
{
    finding f = {.right = true};
    double low = INFINITY, high = 0;
    for (int key = 0; key < 4; key++) {
        char name[16];
        trial t;
        const trial_wish w = complaint_wish("billiard", name, 0.4);
        snprintf(name, sizeof name, "%d", key);
        if (study_run(s, &w, &t)) {
            const double time = rolling_time(&t);
            low = time >= low ? low : time;
            high = time <= high ? high : time;
            f.right = f.right && fabs(time - 4 / (7 * 0.2 * G)) <= t.stepper.options.h;
        }
        trial_close(&t);
    }
    snprintf(f.ours, sizeof f.ours, "%.3f ... %.3f s in four directions", low, high);
    return f;
}

const complaint complaints_friction[] = {
    {"box at rest on a slope of 20\302\260, mu 0.5",
     "MuJoCo creeps 1.8 mm/s (pyramid), 0.98 (elliptic); ODE 2 mm/s",
     "0: < 1e-7 m in 10 s, and falling with the tolerance", hold_on_slope},
    {"slope of 30\302\260, between the box's axes", "ODE, DART stick (pyramid); Bullet -3 %",
     "0.657145 m/s2 within g dt in every direction", slide_down_slope},
    {"flat box, 5 m/s, mu 0.5", "MuJoCo lifts off: 9 mm ... 0.21 m; Genesis 318 mm",
     "no lift; stops after 2.548 m (\302\261 h v/2)", slide_flat},
    {"capsule pinched by two pads, 12 to 60 N", "MuJoCo 155 um/s at recommended settings", "0: < 1e-9 m/s",
     pinch},
    {"block pushed at every angle", "Bullet: period of 45\302\260", "0.4077 m, uniform with the exact cone",
     push_every_way},
    {"billiard ball, sliding to rolling", "ODE off-axis 14 % early",
     "2v/(7 mu g) = 0.291 s (\302\261 h), every direction", roll},
    {0}};
