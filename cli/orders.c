// SPDX-License-Identifier: Apache-2.0
// orders.c: convergence under step halving, law by law.
#include <math.h>
#include <stdio.h>

#include "orders.h"

enum { MOST = 6 };

const char *order_law(int i, step_wishes *out)
{
    *out = (step_wishes)WISHES_NONE;
    out->law = i < THUD_LAWS ? i : (int)THUD_LAW_ANITESCU_POTRA;
    out->directions = 8;
    out->aligned = i == THUD_LAWS;
    return i < THUD_LAWS ? thud_law_name((thud_law)i) : "anitescu-potra, aligned";
}

static double distance(const trial *a, const trial *b)
{
    double most = 0;
    for (int i = 0; i < a->nq; i++) {
        const double d = fabs(trial_qpos(a, a->taken)[i] - trial_qpos(b, b->taken)[i]);
        most = d <= most ? most : d;
    }
    return most;
}

// The errors of one law; NaN where it could not be run to the end.
static bool measure(study *s, const order_wish *wish, step_wishes w, double error[MOST])
{
    trial exact, coarse;
    trial_wish run = {.scene = wish->scene, .keyframe = "start", .time = wish->time, .wishes = w};
    run.wishes.dt = ldexp(wish->h, -wish->halvings - 2);
    bool ok = study_run(s, &run, &exact);
    for (int k = 0; ok && k <= wish->halvings; k++) {
        run.wishes.dt = ldexp(wish->h, -k);
        ok = study_run(s, &run, &coarse);
        error[k] =
            ok && exact.status == THUD_OK && coarse.status == THUD_OK ? distance(&exact, &coarse) : NAN;
        trial_close(&coarse);
    }
    trial_close(&exact);
    return ok;
}

static void show_plot(study *s, const order_wish *wish, double error[ORDER_LAWS][MOST])
{
    char name[64], caption[160];
    step_wishes unused;
    double h[MOST];
    plot_line line[ORDER_LAWS] = {0};
    for (int k = 0; k <= wish->halvings; k++) {
        h[k] = ldexp(wish->h, -k);
    }
    for (int i = 0; i < ORDER_LAWS; i++) {
        line[i] =
            (plot_line){.name = order_law(i, &unused), .colour = plot_colour(i), .y = error[i], .dots = true};
    }
    snprintf(name, sizeof name, "%s-plot", wish->name);
    snprintf(caption, sizeof caption, "Error at %g s against the step, law by law", wish->time);
    study_plot(s, name, caption,
               &(plot){.x_name = "h / s",
                       .y_name = "error",
                       .x = h,
                       .points = wish->halvings + 1,
                       .lines = ORDER_LAWS,
                       .line = line,
                       .log_x = true,
                       .log_y = true,
                       .height = 380});
}

void study_orders(study *s, const order_wish *wish)
{
    static char heading[MOST][24];
    const char *heads[MOST + 2] = {"law"};
    double error[ORDER_LAWS][MOST] = {{0}};
    const int last = wish->halvings;
    for (int k = 0; k <= last; k++) {
        snprintf(heading[k], sizeof heading[k], "h = %g s", ldexp(wish->h, -k));
        heads[k + 1] = heading[k];
    }
    heads[last + 2] = "order";
    sheet t = sheet_start(heads, last + 3);
    bool ok = true;
    for (int i = 0; ok && i < ORDER_LAWS; i++) {
        step_wishes w;
        sheet_cell(&t, "%s", order_law(i, &w));
        ok = measure(s, wish, w, error[i]);
        for (int k = 0; k <= last; k++) {
            sheet_cell(&t, "%.2e", error[i][k]);
        }
        sheet_cell(&t, "%.2f", log2(error[i][0] / error[i][last]) / last);
    }
    char caption[200];
    snprintf(caption, sizeof caption,
             "Largest error of a position after %g s, against the law's own run at h = %g s", wish->time,
             ldexp(wish->h, -last - 2));
    study_table(s, wish->name, caption, &t);
    show_plot(s, wish, error);
}
