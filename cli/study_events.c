// SPDX-License-Identifier: Apache-2.0
// study_events.c: time stepping against the event-driven scheme, with the same law of contact and of impact.
//
// A collision that springs back, however little, is found by time stepping at its own time and resolved by the
// same code as an event. One that does not is not looked for: a step that closes a gap takes one part of the
// impulse, the next step the other. With friction the parts need not add up to the whole, and how large they are
// depends on where the step's end falls, however small the step: such runs approach the events only so far. So the
// scenes run with e = 0.001, and those whose collisions have friction with e = 0 as well, where nothing is claimed.
#include <math.h>
#include <stdio.h>

#include "study.h"

enum { HALVINGS = 5, POSITIONS = 64 };

typedef struct event_case {
    const char *scene;
    double time, h; // s, at whose end positions are compared; the largest step
    double restitution;
    double least; // order claimed; 0: none
} event_case;

static const event_case cases[] = {
    {"rod", 0.5, 5e-4, 0, 0.7},    {"rod", 0.5, 5e-4, 0.001, 0.7},     {"pendulum3", 2, 1e-3, 0.001, 0.7},
    {"cradle", 0.6, 4e-3, 1, 0.7}, {"balls", 0.9, 2.5e-4, 0.001, 0.7}, {"pendulum3", 2, 1e-3, 0, 0},
    {"balls", 0.9, 2.5e-4, 0, 0},
};
enum { CASES = sizeof cases / sizeof cases[0] };

// Where a run is at its end: positions, then velocities. False: it could not be begun.
static bool end_of(study *s, const event_case *c, double h, bool events, double end[2 * POSITIONS])
{
    trial_wish w = {
        .scene = c->scene, .keyframe = "start", .time = c->time, .wishes = WISHES_NONE, .bare = true};
    w.wishes.dt = events ? c->time / 100 : h;
    w.wishes.law = THUD_LAW_CONE;
    w.wishes.restitution = c->restitution;
    w.wishes.rest_speed = 2e-7;
    if (events) {
        w.wishes.scheme = THUD_SCHEME_EVENT_DRIVEN;
        w.wishes.rtol = 1e-11;
        w.wishes.atol = 1e-13;
    }
    trial t;
    const bool begun = study_run(s, &w, &t) && t.nq <= POSITIONS;
    for (int i = 0; begun && i < POSITIONS; i++) {
        const bool done = t.status == THUD_OK;
        end[i] = i >= t.nq ? 0 : done ? t.scene.state->qpos[i] : NAN;
        end[POSITIONS + i] = i >= t.nv ? 0 : done ? t.scene.state->qvel[i] : NAN;
    }
    trial_close(&t);
    return begun;
}

static double distance(const double *a, const double *b)
{
    double most = 0;
    for (int i = 0; i < POSITIONS; i++) {
        const double d = fabs(a[i] - b[i]);
        most = d <= most ? most : d; // NaN stays
    }
    return most;
}

static bool measure(study *s, const event_case *c, int halvings, double error[HALVINGS + 1])
{
    double exact[2 * POSITIONS], end[2 * POSITIONS];
    bool ok = end_of(s, c, 0, true, exact);
    for (int k = 0; ok && k <= halvings; k++) {
        ok = end_of(s, c, ldexp(c->h, -k), false, end);
        error[k] = distance(exact, end);
    }
    return ok;
}

static void show_plot(study *s, int halvings, double error[CASES][HALVINGS + 1])
{
    double h[CASES][HALVINGS + 1];
    char name[CASES][32];
    plot_line line[CASES] = {0};
    for (int i = 0; i < CASES; i++) {
        for (int k = 0; k <= halvings; k++) {
            h[i][k] = ldexp(cases[i].h, -k);
        }
        snprintf(name[i], sizeof name[i], "%s, e = %g", cases[i].scene, cases[i].restitution);
        line[i] =
            (plot_line){name[i], plot_colour(i), error[i], h[i], halvings + 1, true, !(cases[i].least > 0)};
    }
    study_plot(s, "events-plot", "Error of time stepping against the step",
               &(plot){.x_name = "h / s",
                       .y_name = "error",
                       .lines = CASES,
                       .line = line,
                       .log_x = true,
                       .log_y = true,
                       .height = 420});
}

static bool show_orders(study *s, int halvings, double error[CASES][HALVINGS + 1])
{
    static const char *const heads[] = {"scene", "e",   "t / s", "h / s", "error", "h/2",
                                        "h/4",   "h/8", "h/16",  "h/32",  "order", "band"};
    bool ok = true;
    sheet t = sheet_start(heads, 12);
    for (int i = 0; ok && i < CASES; i++) {
        const event_case *c = &cases[i];
        ok = measure(s, c, halvings, error[i]);
        const double order = log2(error[i][0] / error[i][halvings]) / halvings;
        sheet_cell(&t, "%s", c->scene);
        sheet_cell(&t, "%g", c->restitution);
        sheet_cell(&t, "%g", c->time);
        sheet_cell(&t, "%g", c->h);
        for (int k = 0; k <= halvings; k++) {
            sheet_cell(&t, "%.2e", error[i][k]);
        }
        for (int k = halvings; k < HALVINGS; k++) {
            sheet_cell(&t, "-");
        }
        sheet_cell(&t, "%.2f", order);
        if (c->least > 0) {
            sheet_cell(&t, "> %g: %s", c->least, study_judge(s, ok && order >= c->least));
        } else {
            sheet_cell(&t, "none");
        }
    }
    study_table(s, "events", "Largest error of a position, against the event-driven run at rtol 1e-11", &t);
    return ok;
}

// Velocities just before and just after the balls' first collision, which is at 0.582213 s, the next at 0.582234.
static void show_parts(study *s)
{
    static const char *const heads[] = {"e", "t / s", "h = 8e-6 s", "4e-6 s"};
    static const double moment[2] = {0.5822, 0.58223}, back[2] = {0, 0.001};
    sheet t = sheet_start(heads, 4);
    bool ok = true;
    for (int i = 0; i < 4; i++) {
        const event_case c = {"balls", moment[i % 2], 8e-6, back[i / 2], 0};
        double exact[2 * POSITIONS], end[2 * POSITIONS];
        ok = ok && end_of(s, &c, 0, true, exact);
        sheet_cell(&t, "%g", c.restitution);
        sheet_cell(&t, "%g", c.time);
        for (int k = 0; k < 2; k++) {
            const double steps = round(c.time / ldexp(c.h, -k));
            ok = ok && end_of(s, &c, c.time / steps, false, end);
            sheet_cell(&t, "%.1e", ok ? distance(exact + POSITIONS, end + POSITIONS) : NAN);
        }
    }
    study_table(s, "events-parts",
                "Largest error of a velocity of the balls, just before and just after their first collision",
                &t);
}

void study_events(study *s)
{
    double error[CASES][HALVINGS + 1] = {{0}};
    const int halvings = s->quick ? 3 : HALVINGS;
    study_title(s, "Events");
    study_event_forms(s);
    study_title(s, "Time stepping against events");
    if (show_orders(s, halvings, error)) {
        show_plot(s, halvings, error);
        study_note(s,
                   "Where e = 0 a step that closes a gap takes one part of the impulse and the next step the "
                   "other; with friction the parts do not add up to the whole, however small the step.");
    }
    if (!s->quick) {
        show_parts(s);
    }
}
