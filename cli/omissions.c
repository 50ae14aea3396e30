// SPDX-License-Identifier: Apache-2.0
// omissions.c: what of a scene's physics is left out.
#include <string.h>

#include "omissions.h"

static bool has_contact(const thud_model *m)
{
    for (int a = 0; a < m->geoms; a++) {
        for (int b = a + 1; b < m->geoms; b++) {
            if (thud_filter_passes(thud_filter_geoms(m, a, b))) {
                return true;
            }
        }
    }
    return false;
}

static bool has_limits(const thud_model *m)
{
    int limited = 0;
    for (int j = 0; j < m->joints; j++) {
        limited += m->joint_limited[j];
    }
    return limited > 0;
}

static bool has_dry_friction(const thud_model *m)
{
    double sum = 0;
    for (int i = 0; i < m->nv; i++) {
        sum += m->dof_frictionloss[i];
    }
    return sum > 0;
}

// What joints have besides freedom, where equalities stand for them (maximal coordinates).
static bool has_axis_forces(const thud_model *m)
{
    bool any = false;
    for (int e = 0; e < m->equalities; e++) {
        any |= (m->limit_on && m->eq_limited[e]) || (m->frictionloss_on && m->eq_frictionloss[e] > 0) ||
               m->eq_stiffness[e] > 0 || m->eq_damping[e] > 0 || m->eq_armature[e] > 0;
    }
    return any;
}

static int add(const char *what, const char *name[OMISSIONS_MAX], int count)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(name[i], what) == 0) {
            return count;
        }
    }
    if (count < OMISSIONS_MAX) {
        name[count++] = what;
    }
    return count;
}

int omissions_find(const scene *s, const char *name[OMISSIONS_MAX])
{
    const thud_spec_option *o = &s->spec->option;
    int count = 0;
    if (o->contact_on && has_contact(s->model)) {
        count = add("contact", name, count);
    }
    if (o->limit_on && has_limits(s->model)) {
        count = add("joint limits", name, count);
    }
    if (o->frictionloss_on && has_dry_friction(s->model)) {
        count = add("dry friction in joints", name, count);
    }
    if (o->equality_on && s->model->equalities > 0) {
        count = add("equality", name, count);
    }
    if (has_axis_forces(s->model)) {
        count = add("limits, springs, dampers, rotors and dry friction of joints as equalities", name, count);
    }
    if (o->density > 0 || o->viscosity > 0) {
        count = add("drag of the medium", name, count);
    }
    for (int i = 0; i < s->spec->notes; i++) { // what the loader itself sets aside
        if (s->spec->note[i].kind == THUD_NOTE_LATER) {
            count = add(s->spec->note[i].what, name, count);
        }
    }
    return count;
}

void omissions_json(json *j, const scene *s)
{
    const char *name[OMISSIONS_MAX];
    const int count = omissions_find(s, name);
    json_begin_line(j, "not_simulated", '[');
    for (int i = 0; i < count; i++) {
        json_text(j, NULL, name[i]);
    }
    json_end(j);
}
