// SPDX-License-Identifier: Apache-2.0
// study_laws.c: what each law of contact gets wrong, on problems whose answer is known: a block thrown in every
// direction stops after v^2 / (2 mu g); one that is pulled breaks loose at mu m g; a ball that lands stops
// when it touches.
#include <math.h>
#include <stdio.h>

#include <thud/elementary.h>

#include "study.h"

static const double right_angle = 1.5707963267948966, turn_degrees = 57.29577951308232;
static const double mu = 0.5, gravity = 9.81, mass = 1; // of the scenes push and pull

typedef struct law_case {
    const char *name;
    int law, directions;
    bool aligned;
} law_case;

static const law_case cases[] = {
    {"cone", THUD_LAW_CONE, 8, false},
    {"anitescu-potra, 4 directions", THUD_LAW_ANITESCU_POTRA, 4, false},
    {"anitescu-potra, 8 directions", THUD_LAW_ANITESCU_POTRA, 8, false},
    {"anitescu-potra, 4, aligned", THUD_LAW_ANITESCU_POTRA, 4, true},
    {"stewart-trinkle, 8 directions", THUD_LAW_STEWART_TRINKLE, 8, false},
    {"stewart-trinkle-linear, 8", THUD_LAW_STEWART_TRINKLE_LINEAR, 8, false},
    {"phantom-inertia", THUD_LAW_PHANTOM_INERTIA, 8, false},
    {"box", THUD_LAW_BOX, 8, false},
    {"hybrid", THUD_LAW_HYBRID, 8, false},
};
enum { CASES = sizeof cases / sizeof cases[0], HEADINGS = 31, STEPS = 5 };

static const int drawn[] = {0, 1, 2, 7, 8}; // the cases that differ enough to be seen in a figure
enum { DRAWN = sizeof drawn / sizeof drawn[0] };

static step_wishes wishes_of(const law_case *c, double h)
{
    step_wishes w = WISHES_NONE;
    w.law = c->law;
    w.directions = c->directions;
    w.aligned = c->aligned;
    w.dt = h;
    return w;
}

// ---------------------------------------------------------------------------------------- thrown

typedef struct throws {
    double way[HEADINGS];   // over the right one
    double aside[HEADINGS]; // degrees from the heading, to the left
    double worst_way, worst_aside;
} throws;

static void throw_block(study *s, const law_case *c, int k, int headings, throws *out)
{
    const double heading = right_angle * k / (headings - 1), speed = 2;
    const double qvel[6] = {speed * thud_cos(heading), speed * thud_sin(heading)};
    trial t;
    const trial_wish w = {
        .scene = "push", .qvel = qvel, .time = 0.8, .wishes = wishes_of(c, 0), .bare = true};
    const bool ran = study_run(s, &w, &t) && t.status == THUD_OK;
    const double *q = ran ? t.scene.state->qpos : NULL;
    out->way[k] = ran ? thud_hypot(q[0], q[1]) / (speed * speed / (2 * mu * gravity)) : NAN;
    out->aside[k] = ran ? turn_degrees * (thud_atan2(q[1], q[0]) - heading) : NAN;
    out->worst_way = thud_max(out->worst_way, fabs(out->way[k] - 1));
    out->worst_aside = thud_max(out->worst_aside, fabs(out->aside[k]));
    trial_close(&t);
}

static void show_throws(study *s, throws result[CASES])
{
    const int headings = s->quick ? 7 : HEADINGS;
    double heading[HEADINGS];
    for (int k = 0; k < headings; k++) {
        heading[k] = 90.0 * k / (headings - 1);
    }
    for (int i = 0; i < CASES; i++) {
        for (int k = 0; k < headings; k++) {
            throw_block(s, &cases[i], k, headings, &result[i]);
        }
    }
    plot_line way[DRAWN] = {0}, aside[DRAWN] = {0};
    for (int i = 0; i < DRAWN; i++) {
        const int k = drawn[i];
        way[i] =
            (plot_line){.name = cases[k].name, .colour = plot_colour(i), .y = result[k].way, .dots = true};
        aside[i] = way[i];
        aside[i].y = result[k].aside;
    }
    plot p = {.x_name = "heading / degrees",
              .y_name = "way over the right one",
              .x = heading,
              .points = headings,
              .lines = DRAWN,
              .line = way,
              .height = 380};
    study_plot(s, "laws-way", "How far a block slides, against the direction it was thrown in", &p);
    p.line = aside;
    p.y_name = "turned aside / degrees";
    study_plot(s, "laws-aside", "How far it is turned aside", &p);
}

// ---------------------------------------------------------------------------------------- pulled

static const double rate = 2, span = 4; // N/s, s
enum { PULL_STEPS = 2000 };

static void pull_harder(const trial *t, void *context)
{
    (void)context;
    t->scene.state->ctrl[0] = rate * t->scene.state->time;
}

// The force at which the block begins to slide, over mu m g; NaN: it does not.
static double breaks_at(const trial *t, double speed[PULL_STEPS + 1])
{
    double force = NAN;
    for (int k = 0; k <= t->taken && k <= PULL_STEPS; k++) {
        speed[k] = thud_hypot(trial_qvel(t, k)[0], trial_qvel(t, k)[1]);
        force = isnan(force) && speed[k] > 1e-5 ? rate * t->time[k] : force;
    }
    return force / (mu * mass * gravity);
}

static void show_pulls(study *s, double loose[CASES])
{
    static double speed[CASES][PULL_STEPS + 1], force[PULL_STEPS + 1], right[PULL_STEPS + 1];
    const int count = (int)lround(span / 0.002) + 1;
    for (int k = 0; k < count; k++) {
        const double beyond = thud_max(0, rate * k * 0.002 - mu * mass * gravity);
        force[k] = rate * k * 0.002;
        right[k] = beyond * beyond / (2 * rate * mass);
    }
    for (int i = 0; i < CASES; i++) {
        trial t;
        const trial_wish w = {
            .scene = "pull", .time = span, .wishes = wishes_of(&cases[i], 0), .watch = pull_harder};
        loose[i] = study_run(s, &w, &t) && t.status == THUD_OK ? breaks_at(&t, speed[i]) : NAN;
        trial_close(&t);
    }
    plot_line line[DRAWN + 1] = {{.name = "right", .colour = "#000", .y = right, .dashed = true}};
    for (int i = 0; i < DRAWN; i++) {
        line[i + 1] =
            (plot_line){.name = cases[drawn[i]].name, .colour = plot_colour(i), .y = speed[drawn[i]]};
    }
    study_plot(s, "laws-pull", "The speed of a block pulled ever harder, at 45 degrees to the axes",
               &(plot){.x_name = "force / N",
                       .y_name = "speed / (m/s)",
                       .x = force,
                       .points = count,
                       .lines = DRAWN + 1,
                       .line = line,
                       .height = 380});
}

// ---------------------------------------------------------------------------------------- landing

// A ball that falls from 1 m to the floor and stays, in steps of 10 ms, by three laws.
static void show_landing(study *s)
{
    enum { LAWS = 3, MOST = 64 };
    static const int law[LAWS] = {0, 4, 1};
    static const char *const name[LAWS] = {"cone", "stewart-trinkle", "anitescu-potra"};
    double time[MOST], speed[LAWS][MOST], right[MOST];
    const double h = 0.01, fall = sqrt(2 / gravity);
    const int first = 40, count = 12;
    for (int i = 0; i < LAWS; i++) {
        trial t;
        trial_wish w = {.scene = "bounce_half", .time = 0.6, .wishes = wishes_of(&cases[law[i]], h)};
        w.wishes.restitution = 0;
        const bool ran = study_run(s, &w, &t) && t.status == THUD_OK && t.taken >= first + count;
        for (int k = 0; k < count; k++) {
            time[k] = (first + k) * h;
            speed[i][k] = ran ? trial_qvel(&t, first + k)[2] : NAN;
            right[k] = time[k] < fall ? -gravity * time[k] : 0;
        }
        trial_close(&t);
    }
    plot_line line[LAWS + 1] = {{.name = "right", .colour = "#000", .y = right, .dashed = true}};
    for (int i = 0; i < LAWS; i++) {
        line[i + 1] = (plot_line){.name = name[i], .colour = plot_colour(i), .y = speed[i], .dots = true};
    }
    study_plot(s, "laws-landing",
               "A ball lands at 0.4515 s, in steps of 10 ms: its velocity at the end of each step",
               &(plot){.x_name = "time / s",
                       .y_name = "velocity / (m/s)",
                       .x = time,
                       .points = count,
                       .lines = LAWS + 1,
                       .line = line});
}

// ---------------------------------------------------------------------------------------- put right

static double projected(const trial *t)
{
    double sum = 0;
    for (int k = 1; k <= t->taken; k++) {
        sum += fabs(t->certificate[k].projected);
    }
    return sum;
}

// The rod of Stewart and Trinkle: energy that putting positions right takes or gives, against the step.
static void show_projections(study *s, double energy[CASES][STEPS])
{
    double h[STEPS];
    static const int law[] = {0, 4, 5, 2};
    static const char *const name[] = {"cone", "stewart-trinkle (none)", "stewart-trinkle-linear",
                                       "anitescu-potra"};
    enum { LAWS = sizeof law / sizeof law[0] };
    plot_line line[LAWS] = {0};
    for (int i = 0; i < LAWS; i++) {
        for (int k = 0; k < STEPS; k++) {
            h[k] = ldexp(0.01, -k);
            trial t;
            const trial_wish w = {
                .scene = "rod", .keyframe = "start", .time = 0.7, .wishes = wishes_of(&cases[law[i]], h[k])};
            const bool ran = study_run(s, &w, &t) && t.status == THUD_OK;
            energy[law[i]][k] = ran ? projected(&t) : NAN;
            trial_close(&t);
        }
        line[i] = (plot_line){.name = name[i], .colour = plot_colour(i), .y = energy[law[i]], .dots = true};
    }
    study_plot(s, "laws-projected",
               "The falling rod: energy moved by putting positions right, against the step",
               &(plot){.x_name = "h / s",
                       .y_name = "energy / J",
                       .x = h,
                       .points = STEPS,
                       .lines = LAWS,
                       .line = line,
                       .log_x = true,
                       .log_y = true});
}

void study_laws(study *s)
{
    static const char *const heads[] = {"law", "way off by", "turned aside / deg", "breaks loose at / mu m g",
                                        "right"};
    static throws result[CASES];
    static double energy[CASES][STEPS];
    double loose[CASES];
    study_title(s, "What each law gets wrong");
    show_throws(s, result);
    show_pulls(s, loose);
    sheet t = sheet_start(heads, 5);
    for (int i = 0; i < CASES; i++) {
        const bool exact = cases[i].law == THUD_LAW_CONE;
        sheet_cell(&t, "%s", cases[i].name);
        sheet_cell(&t, "%.2f %%", 100 * result[i].worst_way);
        sheet_cell(&t, "%.2f", result[i].worst_aside);
        sheet_cell(&t, "%.3f", loose[i]);
        sheet_cell(&t, "%s",
                   !exact ? "-" : study_judge(s, result[i].worst_way < 1e-4 && fabs(loose[i] - 1) < 0.01));
    }
    study_table(s, "laws",
                "Blocks thrown in every direction, and pulled between the axes: the worst of each law", &t);
    show_landing(s);
    show_projections(s, energy);
}
