// SPDX-License-Identifier: Apache-2.0
// study_events.c: time stepping against the event-driven scheme, with the same law of contact and of impact.
//
// The four balls and the cradle stand 0.01 mm apart. With restitution time stepping finds the time of each
// collision and resolves it by the same code, so no step need be below gap/speed; a cradle, which does
// nothing else, is then of second order. Without restitution the balls do not converge to this solution: a
// step that closes a gap takes one part of the impulse and the next the other, and with friction at two
// contacts the parts do not add up to the whole.
#include <math.h>
#include <stdio.h>

#include "study.h"

enum { HALVINGS = 3, POSITIONS = 64 };

typedef struct event_case {
    const char *scene;
    double time, h; // s, at whose end positions are compared; the largest step
    double restitution;
    double least; // order claimed
} event_case;

static const event_case cases[] = {
    {"rod", 0.5, 5e-4, 0, 0.7},
    {"pendulum3", 2, 1e-3, 0, 0.7},
    {"cradle", 0.6, 4e-3, 1, 0.7},
    {"balls", 0.9, 1e-3, 0.2, 0.7},
};
enum { CASES = sizeof cases / sizeof cases[0] };

// The positions at the end of a run; false: it could not be begun.
static bool end_of(study *s, const event_case *c, double h, bool events, double end[POSITIONS])
{
    trial_wish w = {
        .scene = c->scene, .keyframe = "start", .time = c->time, .wishes = WISHES_NONE, .bare = true};
    w.wishes.dt = events ? c->time / 100 : h;
    w.wishes.law = THUD_LAW_CONE;
    w.wishes.restitution = c->restitution;
    if (events) {
        w.wishes.scheme = THUD_SCHEME_EVENT_DRIVEN;
        w.wishes.rtol = 1e-11;
        w.wishes.atol = 1e-13;
    }
    trial t;
    const bool begun = study_run(s, &w, &t) && t.nq <= POSITIONS;
    for (int i = 0; begun && i < POSITIONS; i++) {
        end[i] = i >= t.nq ? 0 : t.status == THUD_OK ? t.scene.state->qpos[i] : NAN;
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

static bool measure(study *s, const event_case *c, double error[HALVINGS + 1])
{
    double exact[POSITIONS], end[POSITIONS];
    bool ok = end_of(s, c, 0, true, exact);
    for (int k = 0; ok && k <= HALVINGS; k++) {
        ok = end_of(s, c, ldexp(c->h, -k), false, end);
        error[k] = distance(exact, end);
    }
    return ok;
}

static void show_plot(study *s, double error[CASES][HALVINGS + 1])
{
    double h[CASES][HALVINGS + 1];
    plot_line line[CASES] = {0};
    for (int i = 0; i < CASES; i++) {
        for (int k = 0; k <= HALVINGS; k++) {
            h[i][k] = ldexp(cases[i].h, -k);
        }
        line[i] = (plot_line){cases[i].scene, plot_colour(i), error[i], h[i], HALVINGS + 1, true, false};
    }
    study_plot(s, "events-plot", "Error of time stepping against the step",
               &(plot){.x_name = "h / s",
                       .y_name = "error",
                       .lines = CASES,
                       .line = line,
                       .log_x = true,
                       .log_y = true,
                       .height = 380});
}

void study_events(study *s)
{
    static const char *const heads[] = {"scene", "e",   "t / s", "h / s", "error",
                                        "h/2",   "h/4", "h/8",   "order", "band"};
    double error[CASES][HALVINGS + 1] = {{0}};
    bool ok = true;
    study_title(s, "Time stepping against events");
    sheet t = sheet_start(heads, 10);
    for (int i = 0; ok && i < CASES; i++) {
        const event_case *c = &cases[i];
        ok = measure(s, c, error[i]);
        const double order = log2(error[i][0] / error[i][HALVINGS]) / HALVINGS;
        sheet_cell(&t, "%s", c->scene);
        sheet_cell(&t, "%g", c->restitution);
        sheet_cell(&t, "%g", c->time);
        sheet_cell(&t, "%g", c->h);
        for (int k = 0; k <= HALVINGS; k++) {
            sheet_cell(&t, "%.2e", error[i][k]);
        }
        sheet_cell(&t, "%.2f", order);
        sheet_cell(&t, "> %g: %s", c->least, study_judge(s, ok && order >= c->least));
    }
    study_table(s, "events", "Largest error of a position, against the event-driven run at rtol 1e-11", &t);
    if (ok) {
        show_plot(s, error);
    }
}
