// SPDX-License-Identifier: Apache-2.0
// study_complaints.c: the table of complaints: others, the right answer, ours.
#include <math.h>

#include <thud/elementary.h>

#include "complaints.h"

trial_wish complaint_wish(const char *name, const char *keyframe, double time)
{
    return (trial_wish){.scene = name, .keyframe = keyframe, .time = time, .wishes = WISHES_NONE};
}

double moved(const trial *t, int step, int qpos)
{
    const double *a = trial_qpos(t, 0) + qpos, *b = trial_qpos(t, step) + qpos;
    return thud_hypot(thud_hypot(b[0] - a[0], b[1] - a[1]), b[2] - a[2]);
}

void energy_range(const trial *t, double *above, double *below)
{
    const double start = t->certificate[0].kinetic + t->certificate[0].potential;
    *above = *below = 0;
    for (int k = 1; k <= t->taken; k++) {
        const double e = t->certificate[k].kinetic + t->certificate[k].potential - start;
        *above = e <= *above ? *above : e; // NaN stays
        *below = -e <= *below ? *below : -e;
    }
}

static void add_rows(study *s, sheet *t, const complaint *list)
{
    for (; list->scene && s->code == EXIT_DONE; list++) {
        const finding f = list->measure(s);
        sheet_cell(t, "%s", list->scene);
        sheet_cell(t, "%s", list->others);
        sheet_cell(t, "%s", list->answer);
        sheet_cell(t, "%s", f.ours);
        sheet_cell(t, "%s", study_judge(s, f.right));
    }
}

void study_complaints(study *s)
{
    static const char *const heads[] = {"scene", "others", "right answer", "Thud", "right"};
    const complaint *const lists[] = {complaints_friction, complaints_rest, complaints_impact,
                                      complaints_motion, complaints_numbers};
    sheet t = sheet_start(heads, 5);
    study_title(s, "What users of other engines complain about");
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        add_rows(s, &t, lists[i]);
    }
    study_table(s, "complaints", "The others' figures are from their own builds on a machine like this one",
                &t);
}
