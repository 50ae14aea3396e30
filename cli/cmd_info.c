// SPDX-License-Identifier: Apache-2.0
// cmd_info.c: thud info SCENE: what a scene holds, and what of it is not simulated.
#include <math.h>
#include <stdio.h>

#include "closing.h"
#include "drive_list.h"
#include "geom_list.h"
#include "json.h"
#include "omissions.h"
#include "scene.h"
#include "term.h"

static const char *const joint_names[] = {[THUD_JOINT_HINGE] = "hinge",
                                          [THUD_JOINT_SLIDE] = "slide",
                                          [THUD_JOINT_BALL] = "ball",
                                          [THUD_JOINT_FREE] = "free"};

static const char *const note_names[] = {
    [THUD_NOTE_VISUAL] = "visual",           [THUD_NOTE_SOFT] = "soft contact",
    [THUD_NOTE_LATER] = "not simulated yet", [THUD_NOTE_IGNORED] = "for other programs",
    [THUD_NOTE_CHANGED] = "changed",         [THUD_NOTE_LOOK] = "worth a look"};

// The energy of the reference pose at rest.
static thud_status find_energy(const scene *s, thud_energy *out)
{
    const thud_step_options options = thud_step_defaults(s->model);
    thud_sim *sim;
    THUD_TRY(thud_sim_create(s->model, &options, &sim, NULL));
    *out = thud_sim_energy(sim, s->state);
    thud_sim_destroy(sim);
    return THUD_OK;
}

// ---------------------------------------------------------------------------------------- JSON

static void write_sizes(json *j, const scene *s)
{
    const thud_model *m = s->model;
    json_text(j, "scene", s->path);
    json_text(j, "model", s->spec->model);
    json_integer(j, "nq", m->nq);
    json_integer(j, "nv", m->nv);
    json_integer(j, "bodies", m->bodies);
    json_integer(j, "joints", m->joints);
    json_integer(j, "geoms", m->geoms);
    json_integer(j, "sites", m->sites);
    json_integer(j, "actuators", s->model->actuators);
    json_integer(j, "sensors", s->model->sensors);
    json_integer(j, "activations", s->model->activations);
    json_integer(j, "tendons", s->model->tendons);
    json_integer(j, "keyframes", m->keys);
    json_number(j, "timestep", m->timestep);
    json_text(j, "integrator", thud_integrator_name(m->integrator));
    json_numbers(j, "gravity", (double[]){m->gravity.x, m->gravity.y, m->gravity.z}, 3);
    json_number(j, "total_mass", m->total_mass);
}

static void write_bodies(json *j, const thud_model *m)
{
    json_begin(j, "body", '[');
    for (int b = 0; b < m->bodies; b++) {
        const thud_inertia *i = &m->body_inertia[b];
        json_begin_line(j, NULL, '{');
        json_text(j, "name", thud_model_name(m, THUD_KIND_BODY, b));
        json_integer(j, "parent", m->body_parent[b]);
        json_number(j, "mass", i->mass);
        json_numbers(j, "com", (double[]){i->com.x, i->com.y, i->com.z}, 3);
        json_numbers(j, "inertia", i->I, 6);
        json_end(j);
    }
    json_end(j);
}

static void write_joints(json *j, const thud_model *m)
{
    json_begin(j, "joint", '[');
    for (int k = 0; k < m->joints; k++) {
        json_begin_line(j, NULL, '{');
        json_text(j, "name", thud_model_name(m, THUD_KIND_JOINT, k));
        json_text(j, "type", joint_names[m->joint_type[k]]);
        json_integer(j, "body", m->joint_body[k]);
        json_integer(j, "qpos", m->joint_q[k]);
        json_integer(j, "qvel", m->joint_v[k]);
        json_bool(j, "limited", m->joint_limited[k]);
        if (m->joint_limited[k]) {
            json_numbers(j, "range", m->joint_range + 2 * k, 2);
        }
        json_end(j);
    }
    json_end(j);
}

static void write_equalities(json *j, const thud_model *m)
{
    json_begin(j, "equality", '[');
    for (int e = 0; e < m->equalities; e++) {
        json_begin_line(j, NULL, '{');
        json_text(j, "name", thud_model_name(m, THUD_KIND_EQUALITY, e));
        json_text(j, "type", thud_equality_name(m->eq_type[e]));
        json_bool(j, "active", m->eq_active[e]);
        const int type = m->eq_type[e];
        const bool joints = type == THUD_EQUALITY_JOINT, tendons = type == THUD_EQUALITY_TENDON;
        json_integer(j, joints ? "joint1" : tendons ? "tendon1" : "body1", m->eq_obj1[e]);
        json_integer(j, joints ? "joint2" : tendons ? "tendon2" : "body2", m->eq_obj2[e]);
        json_end(j);
    }
    json_end(j);
}

static void write_notes(json *j, const thud_spec *spec)
{
    json_begin(j, "ignored", '[');
    for (int i = 0; i < spec->notes; i++) {
        const thud_spec_note *n = &spec->note[i];
        if (n->kind == THUD_NOTE_CHANGED || n->kind == THUD_NOTE_LOOK) {
            continue;
        }
        json_begin_line(j, NULL, '{');
        json_text(j, "kind", note_names[n->kind]);
        json_text(j, "what", n->what);
        json_text(j, "why", n->why);
        json_text(j, "file", n->place.file);
        json_integer(j, "line", n->place.line);
        json_integer(j, "column", n->place.column);
        json_integer(j, "count", n->count);
        json_end(j);
    }
    json_end(j);
}

enum { TEXTS = 4 };

// What was done to the i-th mesh, in words; how many sentences.
static int repair_texts(const scene *s, int i, char text[TEXTS][160])
{
    const thud_mesh_repair r = thud_model_mesh_repair(s->model, i);
    const char *name = s->spec->mesh[i].name ? s->spec->mesh[i].name : "(no name)";
    int count = 0;
    if (r.thickened > 0) {
        snprintf(text[count++], sizeof *text, "mesh '%s' is flat: its hull was made %.3g m thick", name,
                 r.thickened);
    }
    if (r.open_edges > 0) {
        snprintf(text[count++], sizeof *text, "mesh '%s' has %d open edges: its volume and mass are a guess",
                 name, r.open_edges);
    }
    if (r.hull > 1.02) {
        snprintf(text[count++], sizeof *text,
                 "mesh '%s' is not convex: it collides as its hull, which has %.3g times its volume", name,
                 r.hull);
    }
    if (r.legacy > 0 && fabs(r.legacy - 1) > 1e-3) {
        snprintf(text[count++], sizeof *text,
                 "mesh '%s' weighs %+.2g %% of its volume by MuJoCo's \"legacy\" rule: inertia=\"exact\" "
                 "says the true one",
                 name, 100 * (r.legacy - 1));
    }
    return count;
}

static void write_repairs(json *j, const scene *s)
{
    json_begin(j, "repaired", '[');
    for (int i = 0; i < s->spec->meshes; i++) {
        char text[TEXTS][160];
        const int count = repair_texts(s, i, text);
        for (int k = 0; k < count; k++) {
            json_begin_line(j, NULL, '{');
            json_text(j, "what", text[k]);
            json_text(j, "file", s->spec->mesh[i].place.file);
            json_integer(j, "line", s->spec->mesh[i].place.line);
            json_integer(j, "column", s->spec->mesh[i].place.column);
            json_end(j);
        }
    }
    json_end(j);
}

static void write_json(const scene *s, thud_energy energy)
{
    json j;
    json_open(&j, stdout);
    json_begin(&j, NULL, '{');
    write_sizes(&j, s);
    json_begin_line(&j, "energy", '{');
    json_number(&j, "kinetic", energy.kinetic);
    json_number(&j, "potential", energy.potential);
    json_end(&j);
    write_bodies(&j, s->model);
    write_joints(&j, s->model);
    geoms_write(&j, s->model);
    drives_write(&j, s->model);
    sensors_write(&j, s->model);
    write_equalities(&j, s->model);
    write_notes(&j, s->spec);
    write_repairs(&j, s);
    closing_json(&j, s);
    omissions_json(&j, s->spec);
    json_end(&j);
    json_close(&j);
}

// ---------------------------------------------------------------------------------------- tables

static void heading(const char *text)
{
    printf("\n%s%s%s\n", term_bold(stdout), text, term_plain(stdout));
}

static void print_sizes(const scene *s, thud_energy energy)
{
    const thud_model *m = s->model;
    printf("%s%s%s  %s\n", term_bold(stdout), s->spec->model ? s->spec->model : "(no name)",
           term_plain(stdout), s->path);
    heading("sizes");
    printf("  positions nq %d, velocities nv %d\n", m->nq, m->nv);
    printf("  %d bodies (the world is one), %d joints, %d geoms, %d sites, %d actuators, %d sensors, %d "
           "keyframes\n",
           m->bodies, m->joints, m->geoms, m->sites, s->spec->actuators, m->sensors, m->keys);
    printf("  step %g s, %s, gravity (%g, %g, %g) m/s^2\n", m->timestep, thud_integrator_name(m->integrator),
           m->gravity.x, m->gravity.y, m->gravity.z);
    printf("  total mass %.9g kg; energy of the reference pose %.9g J\n", m->total_mass,
           energy.kinetic + energy.potential);
}

static void print_bodies(const thud_model *m)
{
    heading("bodies");
    printf("%5s  %-28s %6s %12s   %-34s\n", "", "name", "parent", "mass / kg",
           "centre of mass in its frame / m");
    for (int b = 1; b < m->bodies; b++) {
        const char *name = thud_model_name(m, THUD_KIND_BODY, b);
        const thud_inertia *i = &m->body_inertia[b];
        printf("%5d  %-28s %6d %12.6g   %.5g, %.5g, %.5g\n", b, name ? name : "", m->body_parent[b], i->mass,
               i->com.x, i->com.y, i->com.z);
    }
}

static void print_joints(const thud_model *m)
{
    heading("joints");
    printf("%5s  %-28s %-6s %5s %5s %5s   %s\n", "", "name", "type", "body", "qpos", "qvel", "range");
    for (int k = 0; k < m->joints; k++) {
        const char *name = thud_model_name(m, THUD_KIND_JOINT, k);
        printf("%5d  %-28s %-6s %5d %5d %5d", k, name ? name : "", joint_names[m->joint_type[k]],
               m->joint_body[k], m->joint_q[k], m->joint_v[k]);
        if (m->joint_limited[k]) {
            printf("   %.4g .. %.4g", m->joint_range[2 * k], m->joint_range[2 * k + 1]);
        }
        printf("\n");
    }
}

static void print_equalities(const thud_model *m)
{
    if (m->equalities > 0) {
        heading("equalities");
        printf("%5s  %-28s %-8s %5s   %s\n", "", "name", "type", "rows", "between");
    }
    for (int e = 0; e < m->equalities; e++) {
        const int type = m->eq_type[e];
        const char *name = thud_model_name(m, THUD_KIND_EQUALITY, e),
                   *what = type == THUD_EQUALITY_JOINT    ? "joint"
                           : type == THUD_EQUALITY_TENDON ? "tendon"
                                                          : "body";
        printf("%5d  %-28s %-8s %5d   %s %d", e, name ? name : "", thud_equality_name(m->eq_type[e]),
               thud_equality_rows(m->eq_type[e]), what, m->eq_obj1[e]);
        if (m->eq_obj2[e] >= 0) {
            printf(" and %d", m->eq_obj2[e]);
        }
        printf("%s\n", m->eq_active[e] ? "" : ", not active");
    }
}

static void print_keyframes(const thud_model *m)
{
    if (m->keys > 0) {
        heading("keyframes");
    }
    for (int k = 0; k < m->keys; k++) {
        const char *name = thud_model_name(m, THUD_KIND_KEY, k);
        printf("%5d  %s\n", k, name ? name : "");
    }
}

static void print_note(const thud_spec_note *n)
{
    char place[256];
    snprintf(place, sizeof place, "%s:%d:%d", n->place.file ? n->place.file : "", n->place.line,
             n->place.column);
    printf("  %-18s %6d  %s: %s\n%29s%s\n", note_names[n->kind], n->count, n->what, n->why, "", place);
}

// One table of all that was understood and has no effect; what would change the motion stands first.
static void print_notes(const thud_spec *spec)
{
    static const thud_note_kind order[] = {THUD_NOTE_LATER, THUD_NOTE_SOFT, THUD_NOTE_VISUAL,
                                           THUD_NOTE_IGNORED};
    bool first = true;
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < spec->notes; i++) {
            if (spec->note[i].kind != order[k]) {
                continue;
            }
            if (first) {
                heading("read and not simulated");
                printf("  %-18s %6s  %s\n", "kind", "times", "what, why, and where first");
                first = false;
            }
            print_note(&spec->note[i]);
        }
    }
}

static void print_repairs(const scene *s)
{
    bool first = true;
    for (int i = 0; i < s->spec->meshes; i++) {
        char text[TEXTS][160];
        const int count = repair_texts(s, i, text);
        for (int k = 0; k < count; k++) {
            if (first) {
                heading("meshes that are taken for others");
                first = false;
            }
            const thud_place *p = &s->spec->mesh[i].place;
            printf("  %s:%d:%d: %s\n", p->file ? p->file : "", p->line, p->column, text[k]);
        }
    }
}

static int show(const scene *s, bool as_json)
{
    thud_energy energy;
    const thud_status status = find_energy(s, &energy);
    if (status != THUD_OK) {
        return scene_complain(s->path, status, &(thud_diag){0});
    }
    if (as_json) {
        write_json(s, energy);
        return EXIT_DONE;
    }
    print_sizes(s, energy);
    print_bodies(s->model);
    print_joints(s->model);
    geoms_print(s->model);
    drives_print(s->model);
    sensors_print(s->model);
    print_equalities(s->model);
    print_keyframes(s->model);
    print_notes(s->spec);
    print_repairs(s);
    closing_print(s);
    return EXIT_DONE;
}

static int run(const command *self, int argc, char **argv)
{
    bool as_json = false;
    file_options file = {0};
    const arg_option table[] = {
        FILE_OPTIONS(&file),
        {"json", ARG_FLAG, NULL, "print one JSON object", &as_json},
    };
    int code;
    scene s = {0};
    if (args_parse(self, table, sizeof table / sizeof table[0], &argc, argv, &code)) {
        code = scene_open(argv[0], &file, &s);
        code = code == EXIT_DONE ? show(&s, as_json) : code;
    }
    scene_close(&s);
    return code;
}

const command cmd_info = {
    .name = "info",
    .summary = "what a scene holds, and what of it is not simulated",
    .synopsis = "SCENE [--strict-file] [--json]",
    .about =
        "Loads a scene, builds its model and lists its sizes, the masses of its bodies, its joints, its "
        "geoms\n"
        "and which of them may touch, its equalities, the energy of its reference pose, and everything that "
        "was\n"
        "read and is not simulated, each with its place in the file: things that are only drawn, parameters\n"
        "of soft contact, physics of a later version. The last three lines say what was left out, what was "
        "changed\n"
        "because the file is wrong, and what to look at.",
    .more = "  thud info scenes/gymnast.xml",
    .operands_min = 1,
    .operands_max = 1,
    .run = run,
};
