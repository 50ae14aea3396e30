// SPDX-License-Identifier: Apache-2.0
// cmd_forward.c: thud forward SCENE: the dynamics of a scene at one state.
#include <stdio.h>

#include "forward.h"
#include "json.h"
#include "scene.h"
#include "term.h"

// ---------------------------------------------------------------------------------------- JSON

static void write_contacts(json *j, const thud_contact_set *set)
{
    json_begin(j, "contacts", '[');
    for (int i = 0; i < set->count; i++) {
        const thud_contact *c = &set->contact[i];
        json_begin_line(j, NULL, '{');
        json_integer(j, "geom1", c->geom1);
        json_integer(j, "geom2", c->geom2);
        json_numbers(j, "pos", (double[]){c->point.x, c->point.y, c->point.z}, 3);
        json_numbers(j, "normal", (double[]){c->normal.x, c->normal.y, c->normal.z}, 3);
        json_number(j, "dist", c->phi);
        json_integer(j, "condim", c->law.condim);
        json_numbers(j, "friction", c->law.friction, 5);
        json_end(j);
    }
    json_end(j);
}

static void write_json(const forward *f)
{
    const thud_model *m = f->m;
    const size_t nv = (size_t)m->nv;
    json j;
    json_open(&j, stdout);
    json_begin(&j, NULL, '{');
    json_integer(&j, "nq", m->nq);
    json_integer(&j, "nv", m->nv);
    json_number(&j, "time", f->s->time);
    json_numbers(&j, "qpos", f->s->qpos, (size_t)m->nq);
    json_numbers(&j, "qvel", f->s->qvel, nv);
    json_begin_line(&j, "xpos", '[');
    for (int b = 0; b < m->bodies; b++) {
        const thud_vec3 p = f->X_wb[b].p;
        json_number(&j, NULL, p.x);
        json_number(&j, NULL, p.y);
        json_number(&j, NULL, p.z);
    }
    json_end(&j);
    json_begin_line(&j, "xquat", '[');
    for (int b = 0; b < m->bodies; b++) {
        const thud_quat q = f->X_wb[b].q;
        json_number(&j, NULL, q.w);
        json_number(&j, NULL, q.x);
        json_number(&j, NULL, q.y);
        json_number(&j, NULL, q.z);
    }
    json_end(&j);
    json_numbers(&j, "M", f->M, nv * nv);
    json_numbers(&j, "bias", f->bias, nv);
    json_numbers(&j, "qfrc_passive", f->passive, nv);
    json_numbers(&j, "qfrc_actuator", f->actuator, nv);
    json_numbers(&j, "qacc_free", f->qacc, nv);
    json_begin_line(&j, "energy", '{');
    json_number(&j, "kinetic", f->energy.kinetic);
    json_number(&j, "potential", f->energy.potential);
    json_end(&j);
    write_contacts(&j, &f->contacts);
    json_numbers(&j, "sensordata", f->reading, (size_t)m->readings);
    json_end(&j);
    json_close(&j);
}

// ---------------------------------------------------------------------------------------- tables

enum { SMALL = 12 }; // the largest mass matrix that is printed for reading

static void print_bodies(const forward *f)
{
    const thud_model *m = f->m;
    printf("%s%5s  %-24s %10s %10s %10s   %9s %9s %9s %9s%s\n", term_bold(stdout), "body", "name", "x / m",
           "y / m", "z / m", "quat w", "x", "y", "z", term_plain(stdout));
    for (int b = 0; b < m->bodies; b++) {
        const char *name = thud_model_name(m, THUD_KIND_BODY, b);
        const thud_pose X = f->X_wb[b];
        printf("%5d  %-24s %10.5g %10.5g %10.5g   %9.6f %9.6f %9.6f %9.6f\n", b, name ? name : "", X.p.x,
               X.p.y, X.p.z, X.q.w, X.q.x, X.q.y, X.q.z);
    }
}

static void print_dofs(const forward *f)
{
    const thud_model *m = f->m;
    printf("\n%s%5s  %-24s %12s %12s %12s %12s %12s%s\n", term_bold(stdout), "dof", "joint", "qvel", "bias",
           "passive", "actuator", "qacc", term_plain(stdout));
    for (int i = 0; i < m->nv; i++) {
        const char *name = thud_model_name(m, THUD_KIND_JOINT, m->dof_link[i]);
        printf("%5d  %-24s %12.6g %12.6g %12.6g %12.6g %12.6g\n", i, name ? name : "", f->s->qvel[i] + 0.0,
               f->bias[i] + 0.0, f->passive[i] + 0.0, f->actuator[i] + 0.0,
               f->qacc[i] + 0.0); // + 0.0: no minus zero
    }
}

static void print_matrix(const forward *f)
{
    const int nv = f->m->nv;
    printf("\n%smass matrix%s", term_bold(stdout), term_plain(stdout));
    if (nv > SMALL) {
        printf(" of %d x %d: --json prints it\n", nv, nv);
        return;
    }
    printf("\n");
    for (int i = 0; i < nv; i++) {
        for (int k = 0; k < nv; k++) {
            printf(" %11.5g", f->M[i * nv + k]);
        }
        printf("\n");
    }
}

static const char *geom_name(const forward *f, int geom)
{
    const char *name = thud_model_name(f->m, THUD_KIND_GEOM, geom);
    return name ? name : "";
}

static void print_contacts(const forward *f)
{
    if (f->contacts.count > 0) {
        printf("\n%s%5s  %-20s %5s  %-20s %12s   %-28s %s%s\n", term_bold(stdout), "geom", "", "geom", "",
               "gap / m", "point / m", "normal", term_plain(stdout));
    }
    for (int i = 0; i < f->contacts.count; i++) {
        const thud_contact *c = &f->contacts.contact[i];
        char point[64];
        snprintf(point, sizeof point, "%.4g, %.4g, %.4g", c->point.x, c->point.y, c->point.z);
        printf("%5d  %-20s %5d  %-20s %12.4g   %-28s %.3f, %.3f, %.3f\n", c->geom1, geom_name(f, c->geom1),
               c->geom2, geom_name(f, c->geom2), c->phi, point, c->normal.x, c->normal.y, c->normal.z);
    }
}

static void print_sensors(const forward *f)
{
    const thud_model *m = f->m;
    if (m->sensors > 0) {
        printf("\n%s%6s  %-24s %-18s %s%s\n", term_bold(stdout), "sensor", "name", "type", "reads",
               term_plain(stdout));
    }
    for (int i = 0; i < m->sensors; i++) {
        const char *name = thud_model_name(m, THUD_KIND_SENSOR, i);
        printf("%6d  %-24s %-18s", i, name ? name : "", thud_sensor_word(m->sensor_type[i]));
        for (int k = 0; k < m->sensor_dim[i]; k++) {
            printf(" %.6g", f->reading[m->sensor_at[i] + k] + 0.0);
        }
        printf(" %s\n", thud_sensor_unit(m, i));
    }
}

static void print_tables(const forward *f)
{
    print_bodies(f);
    print_dofs(f);
    print_matrix(f);
    print_contacts(f);
    print_sensors(f);
    printf("\n%senergy%s  kinetic %.9g J, potential %.9g J\n", term_bold(stdout), term_plain(stdout),
           f->energy.kinetic, f->energy.potential);
}

// ---------------------------------------------------------------------------------------- the command

static int show(const scene *s, bool as_json)
{
    forward f;
    if (!forward_create(s->model, s->state, &f)) {
        return scene_complain(s->path, THUD_NO_MEMORY, &(thud_diag){0});
    }
    int code = EXIT_DONE;
    thud_diag diag = {0};
    const bool regular = forward_compute(&f);
    thud_status status = forward_collide(&f);
    status = status == THUD_OK && regular ? forward_sense(&f, &diag) : status;
    if (status != THUD_OK) {
        code = scene_complain(s->path, status, &diag);
    } else if (!regular) {
        code =
            scene_complain(s->path, THUD_BAD_MODEL, &(thud_diag){.text = "the mass matrix is singular here"});
    } else if (as_json) {
        write_json(&f);
    } else {
        print_tables(&f);
    }
    forward_free(&f);
    return code;
}

static int run(const command *self, int argc, char **argv)
{
    start_options start = {0};
    file_options file = {0};
    bool as_json = false;
    const arg_option table[] = {
        FILE_OPTIONS(&file),
        START_OPTIONS(&start),
        {"json", ARG_FLAG, NULL, "print one JSON object", &as_json},
    };
    int code;
    scene s = {0};
    if (args_parse(self, table, sizeof table / sizeof table[0], &argc, argv, &code)) {
        code = scene_open(argv[0], &file, &s);
        if (code == EXIT_DONE && start.ctrl.file) {
            code = args_usage(self, "--ctrl takes numbers here; 'thud run' plays a file");
        }
        code = code == EXIT_DONE ? scene_start(self, &s, &start) : code;
        code = code == EXIT_DONE ? show(&s, as_json) : code;
    }
    scene_close(&s);
    start_options_free(&start);
    return code;
}

const command cmd_forward = {
    .name = "forward",
    .summary = "poses, mass matrix, forces and energies at one state",
    .synopsis = "SCENE [--keyframe NAME|INDEX] [--qpos a,b,...] [--qvel a,b,...]\n            [--ctrl "
                "a,b,...] [--act a,b,...] [--strict-file] [--json]",
    .about =
        "Evaluates the dynamics of a scene once and prints what they are. Bodies, joints and degrees of\n"
        "freedom are numbered as in MuJoCo: body 0 is the world; a free joint's velocity is linear in the\n"
        "world and angular in the body.",
    .more =
        "The JSON object holds nq nv time qpos qvel, xpos (bodies x 3), xquat (bodies x 4: w x y z),\n"
        "M (nv x nv), bias (gyroscopic forces and weight, MuJoCo's qfrc_bias), qfrc_passive (springs,\n"
        "dampers, carried weight), qfrc_actuator, qacc_free (the acceleration they give without contact),\n"
        "energy {kinetic, potential}, contacts {geom1, geom2, pos, normal, dist, condim, friction}, the "
        "normal\n"
        "from geom1 to geom2, and sensordata: all readings in the order of the file; those of forces and\n"
        "accelerations are with contact, as it would act over one step. Arrays are flat and row-major.\n\n"
        "  thud forward scenes/arm.xml --keyframe reach --json\n"
        "  thud forward scenes/double_pendulum.xml --qpos=1,0.5 --qvel=0,-2",
    .operands_min = 1,
    .operands_max = 1,
    .run = run,
};
