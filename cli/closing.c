// SPDX-License-Identifier: Apache-2.0
// closing.c: from a spec's notes, and from what the model itself shows, to three lines.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "closing.h"
#include "forward.h"
#include "term.h"

enum { HINTS = 8, SHOWN = 3 };

typedef struct hint { // of the model, beside the notes of the file
    char text[200];
} hint;

static const char *name_of(const thud_model *m, thud_kind kind, int i)
{
    const char *name = thud_model_name(m, kind, i);
    return name ? name : "(no name)";
}

static int hint_hulls(const scene *s, hint *out)
{
    int count = 0, worst = -1;
    double most = 1.02; // less is noise
    for (int i = 0; i < s->spec->meshes; i++) {
        const double ratio = thud_model_mesh_repair(s->model, i).hull;
        count += ratio > 1.02;
        worst = ratio > most ? i : worst;
        most = fmax(most, ratio);
    }
    if (count > 0) {
        const char *name = s->spec->mesh[worst].name ? s->spec->mesh[worst].name : "(no name)";
        snprintf(out->text, sizeof out->text,
                 "%d mesh%s not convex, and collide%s as %s: '%.60s' with %.3g times its volume", count,
                 count > 1 ? "es are" : " is", count > 1 ? "" : "s", count > 1 ? "their hulls" : "its hull",
                 name, most);
    }
    return count > 0;
}

// Of bodies of primitive geoms: between aerogel and forty times osmium.
static int hint_densities(const scene *s, hint *out)
{
    const thud_model *m = s->model;
    for (int b = 1; b < m->bodies; b++) {
        double volume = 0;
        bool known = true;
        for (int g = 0; g < m->geoms; g++) {
            if (m->geom_body[g] == b) {
                known &= m->geom_type[g] != THUD_GEOM_MESH && m->geom_type[g] != THUD_GEOM_PLANE &&
                         m->geom_type[g] != THUD_GEOM_HFIELD;
                volume += known ? thud_shape_volume(&m->geom_shape[g]) : 0;
            }
        }
        const double mass = m->body_inertia[b].mass, density = known && volume > 0 ? mass / volume : 1000;
        if (mass > 0 && (density < 0.1 || density > 1e6)) {
            snprintf(out->text, sizeof out->text,
                     "body '%.60s' has %.3g kg/m^3: is its mass in kg, are its sizes in m?",
                     name_of(m, THUD_KIND_BODY, b), density);
            return 1;
        }
    }
    return 0;
}

static int hint_sizes(const scene *s, hint *out)
{
    const thud_model *m = s->model;
    for (int g = 0; g < m->geoms; g++) {
        const bool moves = m->body_link[m->geom_body[g]] >= 0 && m->geom_type[g] != THUD_GEOM_PLANE;
        const bool drawn = m->geom_type[g] == THUD_GEOM_MESH && !m->geom_shape[g].hull;
        const double radius = moves && !drawn ? thud_shape_radius(&m->geom_shape[g]) : 0;
        if (radius > 50) {
            snprintf(out->text, sizeof out->text,
                     "body '%.60s' is %.3g m across: are its sizes in m? (a mesh in mm wants scale=\"0.001 "
                     "0.001 0.001\")",
                     name_of(m, THUD_KIND_BODY, m->geom_body[g]), 2 * radius);
            return 1;
        }
    }
    return 0;
}

static int hint_angles(const scene *s, hint *out)
{
    const thud_model *m = s->model;
    const double turn = 6.283185307179586;
    for (int j = 0; j < m->joints; j++) {
        const double *range = m->joint_range + 2 * (size_t)j;
        if (m->joint_type[j] == THUD_JOINT_HINGE && m->joint_limited[j] && range[1] - range[0] < 1e6 &&
            (range[1] > 3 * turn || range[0] < -3 * turn)) {
            snprintf(out->text, sizeof out->text,
                     "joint '%.60s' turns from %.4g to %.4g rad: are angles that are meant in degrees read "
                     "as radians?",
                     name_of(m, THUD_KIND_JOINT, j), range[0], range[1]);
            return 1;
        }
    }
    return 0;
}

// The deepest overlap in the pose that the scene starts in.
static int hint_overlaps(const scene *s, hint *out)
{
    forward f;
    if (!forward_create(s->model, s->state, &f)) {
        return 0;
    }
    const thud_contact *deepest = NULL;
    if (forward_compute(&f) && forward_collide(&f) == THUD_OK) {
        for (int i = 0; i < f.contacts.count; i++) {
            const thud_contact *c = &f.contacts.contact[i];
            deepest = !deepest || c->phi < deepest->phi ? c : deepest;
        }
    }
    const bool deep = deepest && deepest->phi < -0.002;
    if (deep) {
        snprintf(out->text, sizeof out->text,
                 "bodies '%.50s' and '%.50s' overlap by %.3g mm in the reference pose",
                 name_of(s->model, THUD_KIND_BODY, deepest->body1),
                 name_of(s->model, THUD_KIND_BODY, deepest->body2), -1e3 * deepest->phi);
    }
    forward_free(&f);
    return deep;
}

static int find_hints(const scene *s, hint out[HINTS])
{
    int count = 0;
    if (s->model->nv == 0) {
        snprintf(out[count++].text, sizeof out->text,
                 "nothing moves: the model has no joints (of a URDF file, --base floating frees the base)");
    }
    count += hint_hulls(s, &out[count]);
    count += hint_densities(s, &out[count]);
    count += hint_sizes(s, &out[count]);
    count += hint_angles(s, &out[count]);
    count += hint_overlaps(s, &out[count]);
    return count;
}

static bool is_left_out(thud_note_kind kind)
{
    return kind != THUD_NOTE_CHANGED && kind != THUD_NOTE_LOOK;
}

static bool belongs(thud_note_kind kind, thud_note_kind group) // IGNORED stands for all that is left out
{
    return group == THUD_NOTE_IGNORED ? is_left_out(kind) : kind == group;
}

static void print_table(const thud_spec *spec, thud_note_kind kind, const char *heading)
{
    bool first = true;
    for (int i = 0; i < spec->notes; i++) {
        const thud_spec_note *n = &spec->note[i];
        if (n->kind == kind) {
            if (first) {
                printf("\n%s%s%s\n", term_bold(stdout), heading, term_plain(stdout));
                first = false;
            }
            printf("  %s:%d:%d: %s: %s%s", n->place.file ? n->place.file : "", n->place.line, n->place.column,
                   n->what, n->why, n->count > 1 ? "" : "\n");
            if (n->count > 1) {
                printf(" (%d times)\n", n->count);
            }
        }
    }
}

// The first few of a group, and how many more.
static void print_line(const scene *s, const char *word, thud_note_kind group, const hint *hints, int count)
{
    int listed = 0, all = count;
    printf("%s%-10s%s", term_bold(stdout), word, term_plain(stdout));
    for (int k = 0; k < count && listed < SHOWN; k++, listed++) {
        printf("%s%s", listed ? "; " : "", hints[k].text);
    }
    for (int i = 0; i < s->spec->notes; i++) {
        const thud_spec_note *n = &s->spec->note[i];
        if (!belongs(n->kind, group)) {
            continue;
        }
        all++;
        if (listed < SHOWN) {
            printf("%s%s", listed++ ? "; " : "", n->what);
            if (n->count > 1) {
                printf(" (%d times)", n->count);
            }
        }
    }
    if (all > listed) {
        printf("; and %d more", all - listed);
    }
    printf("%s\n", all ? "" : "nothing");
}

void closing_print(const scene *s)
{
    hint hints[HINTS];
    const int count = find_hints(s, hints);
    print_table(s->spec, THUD_NOTE_CHANGED, "changed while it was read");
    print_table(s->spec, THUD_NOTE_LOOK, "worth a look");
    printf("\n");
    print_line(s, "left out", THUD_NOTE_IGNORED, NULL, 0);
    print_line(s, "changed", THUD_NOTE_CHANGED, NULL, 0);
    print_line(s, "look at", THUD_NOTE_LOOK, hints, count);
}

static void write_group(json *j, const scene *s, const char *name, thud_note_kind kind, const hint *hints,
                        int count)
{
    json_begin(j, name, '[');
    for (int k = 0; k < count; k++) {
        json_begin_line(j, NULL, '{');
        json_text(j, "what", hints[k].text);
        json_end(j);
    }
    for (int i = 0; i < s->spec->notes; i++) {
        const thud_spec_note *n = &s->spec->note[i];
        if (n->kind == kind) {
            json_begin_line(j, NULL, '{');
            json_text(j, "what", n->what);
            json_text(j, "why", n->why);
            json_text(j, "file", n->place.file);
            json_integer(j, "line", n->place.line);
            json_integer(j, "column", n->place.column);
            json_integer(j, "count", n->count);
            json_end(j);
        }
    }
    json_end(j);
}

void closing_json(json *j, const scene *s)
{
    hint hints[HINTS];
    const int count = find_hints(s, hints);
    write_group(j, s, "changed", THUD_NOTE_CHANGED, NULL, 0);
    write_group(j, s, "look_at", THUD_NOTE_LOOK, hints, count);
}
