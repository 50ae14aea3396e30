// SPDX-License-Identifier: Apache-2.0
// study_rod.c: the falling rod of Stewart and Trinkle, 4.1 and Figures 2 to 5.
//
// The tip's velocity along the table is that of the material point on the rim, v_x + omega (r - s (l/2) sin
// theta) for the end s = -1 or +1; the paper's printed friction vectors leave out r, and then the tip would
// lift off, which contradicts the paper's own account.
#include <math.h>

#include <thud/elementary.h>

#include "orders.h"
#include "study.h"

static const double LENGTH = 0.5, RADIUS = 0.05; // m
static const double TOUCH = 1e-9, REST = 1e-6;   // m, m/s: below these a tip touches, the rod rests
enum { STEPS = 4 };                              // sizes of step that are compared
static const double step_size[STEPS] = {0.01, 0.005, 0.0025, 0.00125};
static const double LIMIT[3] = {0.3858, 0.5474, 0.5665 - 0.5474}; // impact, slap-down, slide, as h -> 0
static const double PAPER[3] = {0.383, 0.548, 0.02};              // at h = 0.0025

static double gap(const double *q, int end)
{
    return q[1] + end * (LENGTH / 2) * thud_sin(q[2]) - RADIUS;
}

// Of the lower end.
static double tip_speed(const double *q, const double *v)
{
    const int end = gap(q, 1) < gap(q, -1) ? 1 : -1;
    return v[0] + v[2] * (RADIUS - end * (LENGTH / 2) * thud_sin(q[2]));
}

typedef struct story {
    int impact, slap, rest; // steps; 0: it did not happen
    int slides;             // the first step after the impact in which the tip slides
    double slide_speed;     // its velocity then, m/s
    int reopened;           // times that a tip left the table again
    int reversals;          // of the angular velocity between the spike and slap-down
    double spin[3];         // before the impact, in its step, and in the next
    double penetration;
} story;

static double penetration_of(const thud_certificate *c)
{
    return c->penetration;
}

static story tell(const trial *t)
{
    story s = {.penetration = trial_worst(t, penetration_of)};
    for (int k = 1; k <= t->taken; k++) {
        const double *q = trial_qpos(t, k), *v = trial_qvel(t, k), *before = trial_qpos(t, k - 1);
        const bool left = gap(q, -1) <= TOUCH, right = gap(q, 1) <= TOUCH;
        s.impact = !s.impact && (left || right) ? k : s.impact;
        s.slap = !s.slap && left && right ? k : s.slap;
        s.slides = !s.slides && s.impact && fabs(tip_speed(q, v)) > 1e-3 ? k : s.slides;
        s.reopened += (gap(before, -1) <= TOUCH && !left) + (gap(before, 1) <= TOUCH && !right);
        const bool still = fabs(v[0]) + fabs(v[1]) + fabs(v[2]) < REST;
        s.rest = !still ? 0 : s.rest ? s.rest : k;
    }
    for (int k = s.impact + 2; s.impact && k + 1 < s.slap; k++) {
        const double last = trial_qvel(t, k - 1)[2], now = trial_qvel(t, k)[2],
                     next = trial_qvel(t, k + 1)[2];
        s.reversals += (now - last) * (next - now) < 0;
    }
    for (int i = 0; i < 3 && s.impact; i++) {
        s.spin[i] = trial_qvel(t, s.impact - 1 + i)[2];
    }
    s.slide_speed = s.slides ? tip_speed(trial_qpos(t, s.slides), trial_qvel(t, s.slides)) : 0;
    return s;
}

// ---------------------------------------------------------------------------------------- tables

static void judge_time(study *s, sheet *t, double ours, double limit, double band, bool judged)
{
    sheet_cell(t, "%.4f", ours);
    if (judged) {
        sheet_cell(t, "%s", study_judge(s, fabs(ours - limit) <= band));
    } else {
        sheet_cell(t, "%s", fabs(ours - limit) <= band ? "(yes)" : "(no)");
    }
}

static void add_row(study *s, sheet *t, const trial *r, double h, bool judged)
{
    const story w = tell(r);
    sheet_cell(t, "%g", h);
    judge_time(s, t, r->time[w.impact], LIMIT[0], h * 1.0001, judged);
    judge_time(s, t, r->time[w.slap], LIMIT[1], 2 * h, judged);
    judge_time(s, t, r->time[w.rest] - r->time[w.slap], LIMIT[2], 2 * h, judged);
}

static void show_times(study *s, const trial *runs, const trial *coarse)
{
    static const char *const heads[] = {"h / s",       "impact / s", "\302\261 h", "slap-down / s",
                                        "\302\261 2h", "slide / s",  "\302\261 2h"};
    sheet t = sheet_start(heads, 7);
    add_row(s, &t, coarse, 0.04, false);
    for (int i = 0; i < STEPS; i++) {
        add_row(s, &t, &runs[i], step_size[i], true);
    }
    for (int i = 0; i < 2; i++) {
        const double *row = i ? PAPER : LIMIT;
        sheet_cell(&t, "%s", i ? "paper, 0.0025" : "limit, h \342\206\222 0");
        for (int k = 0; k < 3; k++) {
            sheet_cell(&t, i ? "\342\211\210 %.3f" : "%.4f", row[k]);
            sheet_cell(&t, "%s", "");
        }
    }
    study_table(s, "rod-times",
                "The rod's times: first touch of the table, both tips down, from there to rest", &t);
}

static void show_details(study *s, const trial *runs, const trial *coarse)
{
    static const char *const heads[] = {
        "h / s",  "\317\211 before",   "in the impact",         "after it",       "tip slides from",
        "at m/s", "contacts reopened", "reversals of \317\211", "penetration / m"};
    sheet t = sheet_start(heads, 9);
    for (int i = -1; i < STEPS; i++) {
        const trial *r = i < 0 ? coarse : &runs[i];
        const story w = tell(r);
        sheet_cell(&t, "%g", r->stepper.options.h);
        for (int k = 0; k < 3; k++) {
            sheet_cell(&t, "%.3f", w.spin[k]);
        }
        sheet_cell(&t, w.slides ? "%.4f s" : "-", r->time[w.slides]);
        sheet_cell(&t, "%+.3f", w.slide_speed);
        sheet_cell(&t, "%d", w.reopened);
        sheet_cell(&t, "%d", w.reversals);
        sheet_cell(&t, "%.1e", w.penetration);
    }
    study_table(s, "rod-details", "The spike of the angular velocity in the first contact, and what follows",
                &t);
}

// ---------------------------------------------------------------------------------------- figures

static void draw_snapshots(study *s, const trial *t)
{
    static const double moments[] = {0, 0.1, 0.2, 0.3, 0.385, 0.43, 0.48, 0.52, 0.57};
    FILE *out = study_draw(s, "rod-snapshots",
                           "Falling and spinning rod, h = 0.0025 (times in seconds), as Figure 2");
    if (!out) {
        return;
    }
    drawing d = drawing_open(out, -1.1, 1.1, -0.1, 1.35);
    drawing_line(&d, -1.1, 0, 1.1, 0, "#64748b");
    for (size_t i = 0; i < sizeof moments / sizeof moments[0]; i++) {
        int k = (int)lround(moments[i] / t->stepper.options.h);
        k = k > t->taken ? t->taken : k;
        const double *q = trial_qpos(t, k), c = LENGTH / 2 * thud_cos(q[2]), z = LENGTH / 2 * thud_sin(q[2]);
        const double side = i < 4 ? -0.55 + 0.18 * (double)i : 0; // in the air they would cover each other
        drawing_rod(&d, q[0] + side - c, q[1] - z, q[0] + side + c, q[1] + z, 2 * RADIUS,
                    plot_colour(i < 4 ? 0 : 1), 0.25);
        drawing_text(&d, q[0] + side + c, q[1] + z + 0.06, "%.3g", t->time[k]);
    }
    drawing_text(&d, -1.05, 1.28,
                 "in the air (blue) each moment is moved aside; from the impact on (red) all is in place");
    drawing_close(&d);
    study_drawn(s);
}

static void plot_velocity(study *s, const trial *runs, int dof, const char *name, const char *caption,
                          const char *unit)
{
    static const char *const names[STEPS] = {"h = 0.01", "h = 0.005", "h = 0.0025", "h = 0.00125"};
    plot_line line[STEPS] = {0};
    double *all[STEPS] = {0};
    bool room = true;
    for (int i = 0; i < STEPS; i++) {
        const int n = runs[i].taken + 1;
        all[i] = thud_alloc((size_t)n, sizeof(double));
        room = room && all[i];
        for (int k = 0; all[i] && k < n; k++) {
            all[i][k] = trial_qvel(&runs[i], k)[dof];
        }
        line[i] = (plot_line){names[i], plot_colour(i), all[i], runs[i].time, n, false, false};
    }
    if (room) {
        study_plot(s, name, caption,
                   &(plot){.x_name = "time / s", .y_name = unit, .lines = STEPS, .line = line});
    }
    for (int i = 0; i < STEPS; i++) {
        thud_free(all[i]);
    }
}

// ---------------------------------------------------------------------------------------- the example

static void remark(study *s, const trial *runs, const trial *coarse)
{
    const trial *fine = &runs[STEPS - 1];
    const story w = tell(fine), c = tell(coarse);
    bool calm = true;
    for (int i = 0; i < STEPS; i++) {
        const story each = tell(&runs[i]);
        calm = calm && each.reopened == 0 && each.reversals == 0;
    }
    study_note(s,
               "No chattering: a contact that is closed stays closed, and the angular velocity does not turn "
               "round between the "
               "spike and slap-down, whatever the step: %s. The spike in the first contact is the paper's: "
               "the step that ends on the "
               "table knows nothing yet of the velocity along it.",
               study_judge(s, calm));
    study_note(s,
               "Steps near 1/25 s are not sufficient, as the paper says: at h = 0.04 the rod lands at %.2f s "
               "and slaps down at %.2f s, a "
               "tenth of a second early, and its tip slides at %+.1f m/s where it should stick.",
               coarse->time[c.impact], coarse->time[c.slap], c.slide_speed);
    study_note(s,
               "Not reproduced: the paper tells that the tip first slides right, stops, and then slides "
               "left. Here it sticks in "
               "the impact and slides left from %.3f s on (h = %g). The starting height is not in the paper; "
               "1.0 m gives its times.",
               fine->time[w.slides], fine->stepper.options.h);
}

void study_rod(study *s)
{
    trial runs[STEPS] = {0}, coarse = {0};
    trial_wish wish = {.scene = "rod", .keyframe = "start", .time = 0.8, .wishes = WISHES_NONE};
    study_title(s, "The falling rod (Stewart and Trinkle 2000, 4.1)");
    wish.wishes.dt = 0.04;
    bool whole = study_run(s, &wish, &coarse);
    for (int i = 0; i < STEPS; i++) {
        wish.wishes.dt = step_size[i];
        whole = study_run(s, &wish, &runs[i]) && whole;
    }
    if (whole) {
        show_times(s, runs, &coarse);
        show_details(s, runs, &coarse);
        remark(s, runs, &coarse);
        draw_snapshots(s, &runs[2]);
        plot_velocity(s, runs, 1, "rod-vertical", "Vertical velocity for several h, as Figure 3",
                      "v / (m/s)");
        plot_velocity(s, runs, 2, "rod-angular", "Angular velocity for several h, as Figure 4",
                      "\317\211 / (rad/s)");
        plot_velocity(s, runs, 0, "rod-horizontal", "Horizontal velocity for several h, as Figure 5",
                      "v / (m/s)");
        study_orders(s, &(order_wish){"rod-orders", "rod", 0.7, 0.01, s->quick ? 3 : 4});
    }
    trial_close(&coarse);
    for (int i = 0; i < STEPS; i++) {
        trial_close(&runs[i]);
    }
}
