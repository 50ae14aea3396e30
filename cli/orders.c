// SPDX-License-Identifier: Apache-2.0
// orders.c: convergence under step halving, law by law.
#include <math.h>
#include <stdio.h>

#include "orders.h"

enum { MOST = 6, COUNT = 64 }; // steps, positions

const char *order_law(int i, step_wishes *out)
{
    *out = (step_wishes)WISHES_NONE;
    out->law = i < THUD_LAWS ? i : (int)THUD_LAW_ANITESCU_POTRA;
    out->directions = 8;
    out->aligned = i == THUD_LAWS;
    return i < THUD_LAWS ? thud_law_name((thud_law)i) : "anitescu-potra, aligned";
}

typedef struct measured {
    double error[MOST]; // NaN where the law could not be run to the end; so is `end`
    double end[COUNT];  // of the smallest step, the exact one
    int count;
} measured;

static double distance(int count, const double *a, const double *b)
{
    double most = 0;
    for (int i = 0; i < count; i++) {
        const double d = fabs(a[i] - b[i]);
        most = d <= most ? most : d; // NaN stays
    }
    return most;
}

static bool run_to_end(study *s, const trial_wish *wish, measured *out)
{
    trial t;
    const bool ok = study_run(s, wish, &t);
    out->count = ok && t.nq < COUNT ? t.nq : 0;
    for (int i = 0; i < out->count; i++) {
        out->end[i] = t.status == THUD_OK ? trial_qpos(&t, t.taken)[i] : NAN;
    }
    trial_close(&t);
    return ok;
}

static bool measure(study *s, const order_wish *wish, step_wishes w, measured *out)
{
    measured coarse;
    trial_wish run = {.scene = wish->scene, .keyframe = "start", .time = wish->time, .wishes = w};
    run.wishes.dt = ldexp(wish->h, -wish->halvings - 2);
    bool ok = run_to_end(s, &run, out);
    for (int k = 0; ok && k <= wish->halvings; k++) {
        run.wishes.dt = ldexp(wish->h, -k);
        ok = run_to_end(s, &run, &coarse);
        out->error[k] = ok ? distance(out->count, out->end, coarse.end) : NAN;
    }
    return ok;
}

static void show_plot(study *s, const order_wish *wish, const measured law[ORDER_LAWS])
{
    char name[64], caption[160];
    step_wishes unused;
    double h[MOST];
    plot_line line[ORDER_LAWS] = {0};
    for (int k = 0; k <= wish->halvings; k++) {
        h[k] = ldexp(wish->h, -k);
    }
    for (int i = 0; i < ORDER_LAWS; i++) {
        line[i] = (plot_line){
            .name = order_law(i, &unused), .colour = plot_colour(i), .y = law[i].error, .dots = true};
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

// Says which laws end somewhere else altogether.
static void note_strangers(study *s, const measured law[ORDER_LAWS])
{
    char names[256] = "";
    size_t used = 0;
    for (int i = 0; i < ORDER_LAWS && used < sizeof names; i++) {
        step_wishes unused;
        const char *name = order_law(i, &unused);
        if (!(distance(law[i].count, law[i].end, law[0].end) <= 0.1)) {
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? "; " : "", name);
        }
    }
    if (used) {
        study_note(s, "More than 0.1 m from where the cone ends even with the smallest step: %s.", names);
    }
}

void study_orders(study *s, const order_wish *wish)
{
    static char heading[MOST][24];
    const char *heads[MOST + 3] = {"law"};
    measured law[ORDER_LAWS] = {{{0}, {0}, 0}};
    const int last = wish->halvings;
    for (int k = 0; k <= last; k++) {
        snprintf(heading[k], sizeof heading[k], "h = %g s", ldexp(wish->h, -k));
        heads[k + 1] = heading[k];
    }
    heads[last + 2] = "order";
    heads[last + 3] = "from the cone";
    sheet t = sheet_start(heads, last + 4);
    bool ok = true;
    for (int i = 0; ok && i < ORDER_LAWS; i++) {
        step_wishes w;
        sheet_cell(&t, "%s", order_law(i, &w));
        ok = measure(s, wish, w, &law[i]);
        for (int k = 0; k <= last; k++) {
            sheet_cell(&t, "%.2e", law[i].error[k]);
        }
        sheet_cell(&t, "%.2f", log2(law[i].error[0] / law[i].error[last]) / last);
        sheet_cell(&t, "%.1e", distance(law[i].count, law[i].end, law[0].end));
    }
    char caption[240];
    snprintf(
        caption, sizeof caption,
        "Largest error of a position after %g s, against the law's own run at h = %g s, and how far that run "
        "is from the cone's",
        wish->time, ldexp(wish->h, -last - 2));
    study_table(s, wish->name, caption, &t);
    if (ok) {
        note_strangers(s, law);
        show_plot(s, wish, law);
    }
}
