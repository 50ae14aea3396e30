// SPDX-License-Identifier: Apache-2.0
// study_pendulum.c: the n-link pendulum of Jain et al., Table I and Figures 1 and 2: minimal against maximal
// coordinates.
//
// As printed, with the base at 10 m, the chain meets the wall and itself and cannot reach the floor; Figure 1
// shows it dragging over the floor, which it does with the base at 5 m.
#include <math.h>
#include <stdio.h>

#include <thud/elementary.h>

#include "study.h"

static const double CHAIN = 6; // m, of all links together
enum { SIZES = 6, SECONDS = 5 };
static const int links[SIZES] = {3, 6, 12, 15, 24, 30};
static const double paper[SIZES][2] = {{1.326214, 5.035574},  {1.572062, 7.585271},   {3.231113, 21.002845},
                                       {2.930593, 40.110204}, {5.989333, 117.906592}, {4.766953, 212.037019}};
static const double LIMIT[SECONDS] = {5.5047, 5.0585, 5.9226, 5.1130, 5.7241}; // m, at 1 ... 5 s, as h -> 0

// Place of the hinge of link k (k = n: the chain's end) or, half a link on, of its sphere's centre.
static void place_of(const double *q, int n, double base, double k, double *x, double *z)
{
    double angle = 0;
    *x = 0;
    *z = base;
    for (int i = 0; i < n && i < k; i++) {
        const double length = CHAIN / n * thud_min(1, k - i);
        angle += q[i];
        *x -= length * thud_cos(angle);
        *z += length * thud_sin(angle);
    }
}

static double height(const trial *t, int step)
{
    double x, z;
    place_of(trial_qpos(t, step), t->nq, 10, t->nq - 0.5, &x, &z);
    return z;
}

static trial_wish wish_of(const char *name, bool maximal, double time, bool bare)
{
    trial_wish w = {.scene = name, .keyframe = "start", .time = time, .wishes = WISHES_NONE, .bare = bare};
    w.wishes.coordinates = maximal;
    return w;
}

// ---------------------------------------------------------------------------------------- three links

static void show_heights(study *s, const trial run[2])
{
    static const char *const heads[] = {"t / s",         "minimal / m", "maximal / m", "limit / m",
                                        "\302\261 3 mm", "apart / m",   "< 5.8 mm"};
    sheet t = sheet_start(heads, 7);
    for (int k = 1; k <= SECONDS; k++) {
        const int step = (int)lround(k / run[0].stepper.options.h);
        const double a = height(&run[0], step), b = height(&run[1], step), limit = LIMIT[k - 1];
        sheet_cell(&t, "%d", k);
        sheet_cell(&t, "%.4f", a);
        sheet_cell(&t, "%.4f", b);
        sheet_cell(&t, "%.4f", limit);
        sheet_cell(&t, "%s", study_judge(s, fabs(a - limit) <= 0.003 && fabs(b - limit) <= 0.003));
        sheet_cell(&t, "%.5f", fabs(a - b));
        sheet_cell(&t, "%s", study_judge(s, fabs(a - b) <= 0.0058));
    }
    study_table(s, "pendulum-heights", "Height of the last of three links, 1 ms", &t);
}

static void plot_heights(study *s, const trial run[2])
{
    const int n = run[0].taken + 1;
    double *y = thud_alloc(2 * (size_t)n, sizeof *y);
    if (!y) {
        return;
    }
    for (int k = 0; k < n; k++) {
        y[k] = height(&run[0], k);
        y[n + k] = height(&run[1], k);
    }
    const plot_line line[] = {
        {.name = "minimal", .colour = plot_colour(0), .y = y},
        {.name = "maximal", .colour = plot_colour(1), .y = y + n, .dashed = true},
    };
    study_plot(s, "pendulum-height",
               "Height of the last link of three, minimal and maximal coordinates, as Figure 2",
               &(plot){.x_name = "time / s",
                       .y_name = "height / m",
                       .x = run[0].time,
                       .points = n,
                       .lines = 2,
                       .line = line});
    thud_free(y);
}

static void show_three(study *s)
{
    trial run[2] = {0};
    const trial_wish minimal = wish_of("pendulum3", false, SECONDS, false);
    const trial_wish maximal = wish_of("pendulum3", true, SECONDS, false);
    if (study_run(s, &minimal, &run[0]) && study_run(s, &maximal, &run[1])) {
        show_heights(s, run);
        plot_heights(s, run);
    }
    trial_close(&run[0]);
    trial_close(&run[1]);
}

// ---------------------------------------------------------------------------------------- times

static double time_of(study *s, int n, bool maximal, double span)
{
    char name[32];
    trial run;
    snprintf(name, sizeof name, "pendulum%d", n);
    const trial_wish w = wish_of(name, maximal, span, true);
    const bool ok = study_run(s, &w, &run);
    const double cpu = ok && run.status == THUD_OK ? run.cpu : NAN;
    trial_close(&run);
    return cpu;
}

static double median(const double t[3])
{
    return thud_max(thud_min(t[0], t[1]), thud_min(thud_max(t[0], t[1]), t[2]));
}

// Medians of three runs of each, taken in turn; what takes long is taken once.
static void time_both(study *s, int n, double span, double *minimal, double *maximal)
{
    double a[3], b[3];
    for (int i = 0; i < 3; i++) {
        a[i] = i > 0 && a[0] > 1 ? a[0] : time_of(s, n, false, span);
        b[i] = i > 0 && b[0] > 1 ? b[0] : time_of(s, n, true, span);
    }
    *minimal = median(a);
    *maximal = median(b);
}

// How far apart the last link is in both coordinates after a second (0.1 s: quick), before chaos has grown.
static double apart(study *s, int n)
{
    char name[32];
    double z[2] = {NAN, NAN};
    snprintf(name, sizeof name, "pendulum%d", n);
    for (int maximal = 0; maximal < 2; maximal++) {
        trial run;
        const trial_wish w = wish_of(name, maximal == 1, s->quick ? 0.1 : 1, true);
        z[maximal] =
            study_run(s, &w, &run) ? height(&run, 1) : NAN; // of a bare run only the last state is kept
        trial_close(&run);
    }
    return fabs(z[1] - z[0]);
}

static void show_times(study *s)
{
    static const char *const heads[] = {"links", "minimal / s",        "maximal / s",
                                        "ratio", "paper: minimal / s", "maximal / s",
                                        "ratio", "apart after 1 s / m"};
    const double span = s->quick ? 0.1 : SECONDS;
    double n[SIZES], y[4][SIZES];
    sheet t = sheet_start(heads, 8);
    for (int i = 0; i < SIZES; i++) {
        n[i] = links[i];
        time_both(s, links[i], span, &y[0][i], &y[1][i]);
        y[2][i] = paper[i][0];
        y[3][i] = paper[i][1];
        sheet_cell(&t, "%d", links[i]);
        for (int k = 0; k < 4; k += 2) {
            sheet_cell(&t, "%.3f", y[k][i]);
            sheet_cell(&t, "%.3f", y[k + 1][i]);
            sheet_cell(&t, "%.1f", y[k + 1][i] / y[k][i]);
        }
        sheet_cell(&t, "%.0e", apart(s, links[i]));
    }
    char caption[120];
    snprintf(caption, sizeof caption, "Table I: CPU time for %g s of motion at 1 ms (the paper's: 5 s)",
             span);
    study_table(s, "pendulum-table1", caption, &t);
    const plot_line line[] = {
        {.name = "minimal", .colour = plot_colour(0), .y = y[0], .dots = true},
        {.name = "maximal", .colour = plot_colour(1), .y = y[1], .dots = true},
        {.name = "minimal, paper", .colour = plot_colour(0), .y = y[2], .dashed = true},
        {.name = "maximal, paper", .colour = plot_colour(1), .y = y[3], .dashed = true}};
    study_plot(s, "pendulum-times", "Time for the pendulum against its links, as Table I",
               &(plot){.x_name = "links",
                       .y_name = "CPU time / s",
                       .x = n,
                       .points = SIZES,
                       .lines = 4,
                       .line = line,
                       .log_x = true,
                       .log_y = true});
}

// The first 0.3 s, in which nothing touches: the cost of the recursions alone.
static void show_growth(study *s)
{
    static const int sizes[] = {6, 12, 24, 30, 100};
    static const char *const heads[] = {"links", "\302\265s a step", "\302\265s a link"};
    sheet t = sheet_start(heads, 3);
    for (int i = 0; i < 5; i++) {
        const double step = 1e6 * time_of(s, sizes[i], false, 0.3) / 300;
        sheet_cell(&t, "%d", sizes[i]);
        sheet_cell(&t, "%.2f", step);
        sheet_cell(&t, "%.3f", step / sizes[i]);
    }
    study_table(s, "pendulum-growth",
                "Cost of a step in minimal coordinates before anything touches: linear in the links", &t);
}

// ---------------------------------------------------------------------------------------- fifteen links

static void draw_series(study *s, const trial *t)
{
    enum { ACROSS = 4, DOWN = 3 };
    static const double moment[ACROSS * DOWN] = {0, 0.4, 0.8, 1, 1.2, 1.5, 1.8, 2.2, 2.6, 3.2, 4, 5};
    FILE *out =
        study_draw(s, "pendulum-series", "Fifteen links, the base at 5 m, times in seconds, as Figure 1");
    if (!out) {
        return;
    }
    drawing d = drawing_open(out, 0, 11.6 * ACROSS, -9.0 * (DOWN - 1) - 0.6, 8.4);
    for (int i = 0; i < ACROSS * DOWN; i++) {
        const double left = 6.6 + 11.6 * (i % ACROSS),
                     low = -9.0 * (i / ACROSS); // NOLINT(bugprone-integer-division)
        const int step = (int)lround(moment[i] / t->stepper.options.h);
        drawing_line(&d, left - 6.4, low + 0.1, left + 3.9, low + 0.1, "#64748b");
        drawing_line(&d, left + 3.9, low + 0.1, left + 3.9, low + 8, "#64748b");
        drawing_text(&d, left - 6, low + 7.4, "%g s", moment[i]);
        for (int k = 0; k < t->nq && step <= t->taken; k++) {
            double x, z;
            place_of(trial_qpos(t, step), t->nq, 5, k + 0.5, &x, &z);
            drawing_disc(&d, left + x, low + z, CHAIN / 2 / t->nq, plot_colour(0), 0.75);
        }
    }
    drawing_close(&d);
    study_drawn(s);
}

static void show_fifteen(study *s)
{
    trial run;
    const trial_wish w = wish_of("pendulum15_low", false, SECONDS, false);
    if (study_run(s, &w, &run)) {
        const double start = run.certificate[0].kinetic + run.certificate[0].potential;
        double highest = -INFINITY, deepest = 0;
        int most = 0;
        for (int k = 1; k <= run.taken; k++) {
            const thud_certificate *c = &run.certificate[k];
            highest = thud_max(highest, c->kinetic + c->potential - start);
            deepest = thud_max(deepest, c->penetration);
            most = c->contacts > most ? c->contacts : most;
        }
        study_note(s,
                   "Fifteen links with the base at 5 m: up to %d contacts at once with floor, wall and each "
                   "other; penetration at "
                   "most %.1e m; energy at most %.1e of its start above it (band 1 %%: %s).",
                   most, deepest, highest / start,
                   study_judge(s, run.taken == run.steps && highest <= 0.01 * start));
        draw_series(s, &run);
    }
    trial_close(&run);
}

void study_pendulum(study *s)
{
    study_title(s, "The n-link pendulum (Jain et al. 2012)");
    show_three(s);
    show_times(s);
    study_note(s, "Both coordinates run the same pipeline; the maximal ones have block-sparse factors. Time "
                  "depends on how "
                  "often the chain meets itself, which differs from one number of links to the next.");
    show_growth(s);
    show_fifteen(s);
}
