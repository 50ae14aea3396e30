// SPDX-License-Identifier: Apache-2.0
// omissions.c: what of a scene's physics is left out.
#include <string.h>

#include "omissions.h"

// Two geoms can touch: their masks meet, and they are on bodies that are neither joined rigidly nor parent
// and child.
static bool can_touch(const thud_model *m, int a, int b)
{
    const int body_a = m->body_weld[m->geom_body[a]], body_b = m->body_weld[m->geom_body[b]];
    const bool masks =
        (m->geom_contype[a] & m->geom_conaffinity[b]) || (m->geom_contype[b] & m->geom_conaffinity[a]);
    const int parent_a = body_a > 0 ? m->body_weld[m->body_parent[body_a]] : 0;
    const int parent_b = body_b > 0 ? m->body_weld[m->body_parent[body_b]] : 0;
    const bool family = (parent_a == body_b && body_b > 0) || (parent_b == body_a && body_a > 0);
    return masks && body_a != body_b && !family;
}

static bool has_contact(const thud_model *m)
{
    for (int a = 0; a < m->geoms; a++) {
        for (int b = a + 1; b < m->geoms; b++) {
            if (can_touch(m, a, b)) {
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
