// SPDX-License-Identifier: Apache-2.0
// run_columns.c: time, positions, velocities, activations, controls, mocap poses, sensors and the certificate as columns.
#include <stdio.h>
#include <string.h>

#include "run_columns.h"

enum { LETTERS = 24 }; // of the longest name of a position or velocity: "qpos[2147483647]"

// The certificate's columns: X(member, unit).
#define CERTIFICATE(X)                                                                                       \
    X(cone_residual, "")                                                                                     \
    X(lcp_residual, "")                                                                                      \
    X(penetration, "m")                                                                                      \
    X(joint_drift, "")                                                                                       \
    X(momentum, "")                                                                                          \
    X(fixed_point, "")                                                                                       \
    X(kinetic, "J")                                                                                          \
    X(potential, "J")                                                                                        \
    X(work, "J")                                                                                             \
    X(contact_work, "J")                                                                                     \
    X(projected, "J")                                                                                        \
    X(energy_error, "J")                                                                                     \
    X(contacts, "")                                                                                          \
    X(impacts, "")                                                                                           \
    X(unconverged, "")

static const thud_column certificate_column[] = {
#define COLUMN(member, unit) {#member, unit},
    CERTIFICATE(COLUMN)
#undef COLUMN
};
enum { CERTIFICATE_COLUMNS = sizeof certificate_column / sizeof certificate_column[0] };

int run_columns_count(const thud_model *m)
{
    return 1 + m->nq + m->nv + m->activations + m->actuators + 7 * m->mocaps + m->readings +
           CERTIFICATE_COLUMNS;
}

// True for coordinate i of a joint that is a length, not an angle.
static bool is_linear(int joint_type, int i)
{
    return joint_type == THUD_JOINT_SLIDE || (joint_type == THUD_JOINT_FREE && i < 3);
}

// ---------------------------------------------------------------------------------------------- sensors

enum { EXTRA = 64 }; // letters of a sensor's column besides its name: a word, numbers, brackets

static bool is_taken(const char *label)
{
    static const char *const words[] = {"time", "qpos", "qvel", "act", "ctrl", "mocap"};
    bool taken = false;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        taken |= strcmp(label, words[i]) == 0;
    }
    for (int i = 0; i < CERTIFICATE_COLUMNS; i++) {
        taken |= strcmp(label, certificate_column[i].name) == 0;
    }
    return taken;
}

static size_t label_size(const thud_model *m, int sensor)
{
    const char *name = thud_model_name(m, THUD_KIND_SENSOR, sensor);
    return (name ? strlen(name) : 0) + EXTRA;
}

// What the columns of a sensor are called, before an index; label_size letters. `/` and brackets mean something to
// HDF5 and to its reader.
static void put_label(const thud_model *m, int sensor, char *to)
{
    const char *name = thud_model_name(m, THUD_KIND_SENSOR, sensor);
    const size_t size = label_size(m, sensor);
    if (!name || !name[0]) {
        snprintf(to, size, "%s_%d", thud_sensor_word(m->sensor_type[sensor]), sensor);
        return;
    }
    snprintf(to, size, "%s%s", is_taken(name) ? "sensor_" : "", name);
    for (char *letter = to; *letter; letter++) {
        *letter = strchr("/[]\n\"", *letter) ? '_' : *letter;
    }
    if (strcmp(to, name) != 0 && !is_taken(name)) { // it may now be called as another
        snprintf(to + strlen(to), size - strlen(to), "_%d", sensor);
    }
}

static void list_sensors(const thud_model *m, thud_column **column, char *name)
{
    for (int i = 0; i < m->sensors; i++) {
        const size_t size = label_size(m, i);
        for (int k = 0; k < m->sensor_dim[i]; k++, name += size) {
            put_label(m, i, name);
            if (m->sensor_dim[i] > 1) {
                snprintf(name + strlen(name), size - strlen(name), "[%d]", k);
            }
            *(*column)++ = (thud_column){name, thud_sensor_unit(m, i)};
        }
    }
}

static size_t sensor_letters(const thud_model *m)
{
    size_t letters = 0;
    for (int i = 0; i < m->sensors; i++) {
        letters += (size_t)m->sensor_dim[i] * label_size(m, i);
    }
    return letters;
}

// ---------------------------------------------------------------------------------------------- all

thud_column *run_columns_create(const thud_model *m)
{
    const size_t count = (size_t)run_columns_count(m), names = count; // a few more than are needed
    thud_column *column = thud_alloc(count * sizeof *column + names * LETTERS + sensor_letters(m), 1);
    if (!column) {
        return NULL;
    }
    char *name = (char *)(column + count);
    thud_column *c = column;
    *c++ = (thud_column){"time", "s"};
    for (int j = 0; j < m->joints; j++) { // positions are numbered in the order of the joints
        for (int i = 0; i < thud_joint_positions(m->joint_type[j]); i++, name += LETTERS) {
            snprintf(name, LETTERS, "qpos[%d]", m->joint_q[j] + i);
            const char *turning =
                m->joint_type[j] == THUD_JOINT_HINGE ? "rad" : ""; // a quaternion has no unit
            *c++ = (thud_column){name, is_linear(m->joint_type[j], i) ? "m" : turning};
        }
    }
    for (int j = 0; j < m->joints; j++) {
        for (int i = 0; i < thud_joint_dofs(m->joint_type[j]); i++, name += LETTERS) {
            snprintf(name, LETTERS, "qvel[%d]", m->joint_v[j] + i);
            *c++ = (thud_column){name, is_linear(m->joint_type[j], i) ? "m/s" : "rad/s"};
        }
    }
    for (int i = 0; i < m->activations; i++, name += LETTERS) {
        snprintf(name, LETTERS, "act[%d]", i);
        *c++ = (thud_column){name, ""};
    }
    for (int i = 0; i < m->actuators; i++, name += LETTERS) {
        snprintf(name, LETTERS, "ctrl[%d]", i);
        *c++ = (thud_column){name, ""};
    }
    for (int i = 0; i < 7 * m->mocaps; i++, name += LETTERS) {
        snprintf(name, LETTERS, "mocap[%d]", i);
        *c++ = (thud_column){name, i % 7 < 3 ? "m" : ""};
    }
    list_sensors(m, &c, name);
    memcpy(c, certificate_column, sizeof certificate_column);
    return column;
}

void run_columns_fill(const thud_state *s, const double *reading, int readings, const thud_certificate *c,
                      double *value)
{
    static const thud_certificate none = {0};
    const thud_certificate *from = c ? c : &none;
    *value++ = s->time;
    memcpy(value, s->qpos, (size_t)s->nq * sizeof *value);
    value += s->nq;
    memcpy(value, s->qvel, (size_t)s->nv * sizeof *value);
    value += s->nv;
    memcpy(value, s->act, (size_t)s->na * sizeof *value);
    value += s->na;
    memcpy(value, s->ctrl, (size_t)s->nu * sizeof *value);
    value += s->nu;
    memcpy(value, s->mocap, 7 * (size_t)s->nm * sizeof *value);
    value += 7 * s->nm;
    memcpy(value, reading, (size_t)readings * sizeof *value);
    value += readings;
#define VALUE(member, unit) *value++ = from->member;
    CERTIFICATE(VALUE)
#undef VALUE
}
