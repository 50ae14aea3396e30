// SPDX-License-Identifier: Apache-2.0
// study_event_forms.c: events against what is known of them in closed form.
#include <math.h>
#include <stdio.h>

#include <thud/elementary.h>

#include "events.h"
#include "study.h"

static const double G = 9.81;

typedef struct told { // a run and all its events
    trial trial;
    event_list events;
    bool whole; // it was run to its end, and no event is missing
} told;

static void listen(const trial *t, void *context)
{
    told *r = context;
    r->whole &= events_add(&r->events, t->stepper.sim);
}

typedef struct asked {
    const char *of, *keyframe; // scene; NULL: it starts at rest
    double dt, time, e;        // restitution
    thud_collisions collisions;
} asked;

static told run(study *s, asked a)
{
    told r = {.whole = true};
    trial_wish w = {.scene = a.of,
                    .keyframe = a.keyframe,
                    .time = a.time,
                    .wishes = WISHES_NONE,
                    .watch = listen,
                    .context = &r};
    w.wishes.dt = a.dt;
    w.wishes.restitution = a.e;
    w.wishes.law = THUD_LAW_CONE;
    w.wishes.scheme = THUD_SCHEME_EVENT_DRIVEN;
    w.wishes.collisions = (int)a.collisions;
    const bool begun = study_run(s, &w, &r.trial);
    r.whole &= begun && r.trial.status == THUD_OK;
    return r;
}

static void end(told *r)
{
    trial_close(&r->trial);
    events_free(&r->events);
}

// The n-th event of a kind; one of NaN where there is none.
static thud_event nth(const told *r, thud_event_kind kind, int n)
{
    for (int i = 0; r->whole && i < r->events.count; i++) {
        if (r->events.event[i].kind == kind && n-- == 0) {
            return r->events.event[i];
        }
    }
    return (thud_event){
        .time = NAN, .impulse = {NAN}, .speed = {NAN, NAN}, .slip = {NAN, NAN}, .energy = NAN};
}

static int count(const told *r, thud_event_kind kind)
{
    int sum = 0;
    for (int i = 0; i < r->events.count; i++) {
        sum += r->events.event[i].kind == kind;
    }
    return sum;
}

static void line(study *s, sheet *t, const char *what, double right, double found, double band)
{
    const double error = fabs(found - right);
    sheet_cell(t, "%s", what);
    sheet_cell(t, "%.10g", right);
    sheet_cell(t, "%.10g", found);
    sheet_cell(t, "%.1e", error);
    sheet_cell(t, "%g: %s", band, study_judge(s, error <= band));
}

// ---------------------------------------------------------------------------------------- bouncing

// From 1 m: first touch after t0, then flights of 2 t0 e^k to apexes of e^(2k).
static void bounces(study *s, sheet *t, double e)
{
    const double t0 = sqrt(2 / G),
                 last = e == 1 ? 20 * t0 : t0 * (1 + 2 * e * (1 - thud_pow(e, 9)) / (1 - e));
    char what[64];
    told r = run(s, (asked){.of = "bounce", .dt = 0.05, .time = last + 0.05, .e = e});
    double when = t0, worst_time = 0, worst_height = 0;
    for (int k = 0; k < 10; k++) {
        const thud_event hit = nth(&r, THUD_EVENT_IMPACT, k);
        const double late = fabs(hit.time - when),
                     high = fabs(hit.speed[1] * hit.speed[1] / (2 * G) - thud_pow(e, 2 * k + 2));
        worst_time = late <= worst_time ? worst_time : late;
        worst_height = high <= worst_height ? worst_height : high;
        when += 2 * t0 * thud_pow(e, k + 1);
    }
    snprintf(what, sizeof what, "ball, e = %g: worst of 10 impact times / s", e);
    line(s, t, what, 0, worst_time, 1e-9);
    snprintf(what, sizeof what, "ball, e = %g: worst of 10 heights / m", e);
    line(s, t, what, 0, worst_height, 1e-9);
    end(&r);
}

static void series(study *s, sheet *t, double e)
{
    const double last = sqrt(2 / G) * (1 + e) / (1 - e);
    char what[64];
    told r = run(s, (asked){.of = "bounce", .dt = 0.05, .time = last + 0.1, .e = e});
    snprintf(what, sizeof what, "ball, e = %g: end of the series / s", e);
    line(s, t, what, last, nth(&r, THUD_EVENT_REST, 0).time, 1e-6);
    end(&r);
}

static void thousand(study *s, sheet *t)
{
    told r = run(s, (asked){.of = "bounce", .dt = 1, .time = 905, .e = 1});
    const bool enough = r.whole && count(&r, THUD_EVENT_IMPACT) >= 1000;
    const thud_certificate *c = r.trial.certificate;
    const double before = r.whole ? c[0].kinetic + c[0].potential : NAN;
    const int n = r.trial.taken;
    line(s, t, "ball, e = 1: energy after 1000 impacts / J", before,
         enough ? c[n].kinetic + c[n].potential : NAN, 1e-6);
    end(&r);
}

static void cradle(study *s, sheet *t)
{
    told one = run(s, (asked){.of = "cradle_touching",
                              .keyframe = "start",
                              .dt = 0.05,
                              .time = 0.2,
                              .e = 1,
                              .collisions = THUD_COLLISIONS_SEQUENTIAL});
    told all = run(s, (asked){.of = "cradle_touching", .keyframe = "start", .dt = 0.05, .time = 0.2, .e = 1});
    const double *v = one.whole ? one.trial.scene.state->qvel : NULL,
                 *w = all.whole ? all.trial.scene.state->qvel : NULL;
    line(s, t, "touching cradle, one at a time: last ball / (m/s)", 1, v ? v[4] : NAN, 1e-9);
    line(s, t, "touching cradle, all at once: first ball / (m/s)", -0.6, w ? w[0] : NAN, 1e-9);
    line(s, t, "touching cradle, all at once: last ball / (m/s)", 0.4, w ? w[4] : NAN, 1e-9);
    end(&one);
    end(&all);
}

// ---------------------------------------------------------------------------------------- contact that lasts

static void friction(study *s, sheet *t)
{
    told ball = run(s, (asked){.of = "billiard", .keyframe = "start", .dt = 0.01, .time = 0.4});
    told block = run(s, (asked){.of = "slide", .keyframe = "start", .dt = 0.01, .time = 1.1});
    line(s, t, "billiard ball begins to roll / s", 4 / (7 * 0.2 * G), nth(&ball, THUD_EVENT_STICK, 0).time,
         1e-8);
    line(s, t, "block stops / s", 5 / (0.5 * G), nth(&block, THUD_EVENT_STICK, 0).time, 1e-8);
    end(&ball);
    end(&block);
}

static void hump(study *s, sheet *t)
{
    const double R = 1.1, v = 0.5;
    told r = run(s, (asked){.of = "hump", .keyframe = "start", .dt = 0.01, .time = 1});
    line(s, t, "hump: speed where the ball leaves / (m/s)", sqrt((2 * G * R + v * v) / 3),
         nth(&r, THUD_EVENT_RELEASE, 0).slip[0], 1e-7);
    end(&r);
}

static void rocking(study *s, sheet *t)
{
    const double b = 0.1, h = 0.5, tilt = 0.1, R = thud_hypot(b, h), a = thud_atan2(b, h),
                 I = 4.0 / 3 * R * R;
    const double w2 = 2 * G * R / I * (thud_cos(a - tilt) - thud_cos(a)),
                 left = 1 - 1.5 * thud_sin(a) * thud_sin(a);
    told r = run(s, (asked){.of = "rocking", .keyframe = "start", .dt = 0.01, .time = 0.4});
    line(s, t, "rocking block: energy of the first change / J", -0.5 * I * w2 * (1 - left * left),
         nth(&r, THUD_EVENT_IMPACT, 0).energy, 1e-7);
    end(&r);
}

static void rod(study *s, sheet *t)
{
    double when = 0.38; // 1 - g t^2 / 2 - sin(30 deg + 4 t) / 4 - 0.05 = 0, by Newton
    for (int k = 0; k < 20; k++) {
        const double angle = M_PI / 6 + 4 * when;
        when -= (0.95 - G * when * when / 2 - thud_sin(angle) / 4) / (-G * when - thud_cos(angle));
    }
    told r = run(s, (asked){.of = "rod", .keyframe = "start", .dt = 0.0025, .time = 0.6});
    line(s, t, "rod lands / s", when, nth(&r, THUD_EVENT_IMPACT, 0).time, 1e-9);
    line(s, t, "rod: slip of its tip after that / (m/s)", 0, nth(&r, THUD_EVENT_IMPACT, 0).slip[1], 1e-9);
    line(s, t, "rod: inconsistent states", 0, count(&r, THUD_EVENT_JAM), 0);
    end(&r);
}

static void painleve(study *s, sheet *t)
{
    const double a = 1.25, I = 1.0 / 12, x = 0.5 * thud_cos(a), z = 0.5 * thud_sin(a) + 0.001, u = 3;
    const double Wnn = 1 + x * x / I, Wtt = 1 + z * z / I, Wnt = x * z / I;
    told r = run(s, (asked){.of = "painleve", .keyframe = "start", .dt = 0.01, .time = 0.05});
    line(s, t, "Painleve's rod: energy of the jam / J", -0.5 * u * u * Wnn / (Wnn * Wtt - Wnt * Wnt),
         nth(&r, THUD_EVENT_JAM, 0).energy, 1e-8);
    end(&r);
}

static void pendulum(study *s, sheet *t)
{
    told r = run(s, (asked){.of = "wall_pendulum", .keyframe = "start", .dt = 0.01, .time = 1, .e = 0.7});
    const thud_event hit = nth(&r, THUD_EVENT_IMPACT, 0);
    line(s, t, "pendulum at a wall: energy of the impact / J",
         0.5 * hit.impulse[0] * (hit.speed[0] + hit.speed[1]), hit.energy, 1e-8);
    end(&r);
}

void study_event_forms(study *s)
{
    static const char *const heads[] = {"what", "right", "found", "error", "band"};
    sheet t = sheet_start(heads, 5);
    bounces(s, &t, 1);
    bounces(s, &t, 0.9);
    bounces(s, &t, 0.5);
    series(s, &t, 0.9);
    series(s, &t, 0.5);
    thousand(s, &t);
    cradle(s, &t);
    friction(s, &t);
    hump(s, &t);
    rod(s, &t);
    painleve(s, &t);
    rocking(s, &t);
    pendulum(s, &t);
    study_table(s, "events-forms", "Events against closed forms, at the default tolerances", &t);
}
