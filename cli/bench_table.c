// SPDX-License-Identifier: Apache-2.0
// bench_table.c: the results of `thud bench` as text.
#include <math.h>
#include <stdio.h>

#include "bench_table.h"
#include "sheet.h"
#include "term.h"

static void cell(sheet *t, const char *format, double value)
{
    if (isfinite(value)) {
        sheet_cell(t, format, value);
    } else {
        sheet_cell(t, "-");
    }
}

static void add_engine(sheet *t, const course *c, const contestant *who, const race_result *r, double ours)
{
    const measures *w = &r->worth;
    const bench_energy kind = c->scene->energy;
    sheet_cell(t, "%s", who->label);
    if (!r->ran) {
        for (int k = 1; k < t->columns - 1; k++) {
            sheet_cell(t, "-");
        }
        sheet_cell(t, "%s", r->why);
        return;
    }
    cell(t, "%.2f", r->us);
    cell(t, "%.2f", ours / r->us);
    cell(t, "%.1f", w->contacts);
    cell(t, "%.1e", w->penetration);
    cell(t, "%.1e", c->scene->rests ? w->creep : NAN);
    cell(t, "%.1e", c->scene->rests ? w->kinetic_rest : NAN);
    cell(t, "%.1e", w->drift);
    cell(t, "%.1e", kind == ENERGY_FALLS ? w->rise : kind == ENERGY_STAYS ? w->error : NAN);
    cell(t, "%.0e", r->certificate.cone);
    if (r->why[0]) {
        sheet_cell(t, "%s", r->why);
    } else if (r->taken < r->steps) {
        sheet_cell(t, "timed over %d of %d steps", r->taken, r->steps);
    } else {
        sheet_cell(t, " ");
    }
}

void bench_print(const course *c, const contestant *who, int count, const race_result *result)
{
    static const char *const heads[] = {"engine",        "us/step",   "Thud's ratio", "contacts",
                                        "penetration m", "creep m/s", "kinetic J",    "drift m",
                                        "energy J",      "residual",  "remark"};
    sheet t = sheet_start(heads, 11);
    printf("\n%s%s%s: %s, dt %g s\n", term_bold(stdout), c->scene->name, term_plain(stdout), c->scene->about,
           result[0].dt);
    for (int i = 0; i < count; i++) {
        add_engine(&t, c, who + i, result + i, result[0].us);
    }
    sheet_text(&t, stdout);
    sheet_free(&t);
    fflush(stdout);
}
