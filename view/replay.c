// SPDX-License-Identifier: Apache-2.0
// replay.c: keeps frames, thins them, and sums up contacts.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <thud/spatial_inline.h>

#include "replay.h"

enum { FRAMES_A_SECOND = 60, JOINTS_MAX = 200, READINGS_MAX = 200, LABEL = 64 };
static const size_t numbers_max = 3000000; // kept in all: 16 MB of a page

// The columns that every run has: X(group, name, unit, log, worst, value). Joints and sensors follow.
#define COLUMNS(X)                                                                                           \
    X("energy", "kinetic", "J", 0, 0, c->kinetic)                                                            \
    X("energy", "potential", "J", 0, 0, c->potential)                                                        \
    X("energy", "total", "J", 0, 0, c->kinetic + c->potential)                                               \
    X("where energy went", "dampers and forces", "J", 0, 0, s->work)                                         \
    X("where energy went", "contacts", "J", 0, 0, s->contact_work)                                           \
    X("where energy went", "positions put right", "J", 0, 0, s->projected)                                   \
    X("where energy went", "left over", "J", 0, 0, unaccounted(c, s))                                        \
    X("contact force", "normal, sum", "N", 0, 0, load.normal)                                                \
    X("contact force", "friction, sum", "N", 0, 0, load.friction)                                            \
    X("contacts", "contacts", "", 0, 0, load.contacts)                                                       \
    X("contacts", "that slide", "", 0, 0, load.sliding)                                                      \
    X("certificate", "cone residual", "", 1, 1, c->cone_residual)                                            \
    X("certificate", "LCP residual", "", 1, 1, c->lcp_residual)                                              \
    X("certificate", "penetration (m)", "", 1, 1, c->penetration)                                            \
    X("certificate", "joint drift", "", 1, 1, c->joint_drift)                                                \
    X("certificate", "law of motion", "", 1, 1, c->momentum)

static const replay_column fixed_columns[] = {
#define COLUMN(group, name, unit, log, worst, value) {group, name, unit, log, worst},
    COLUMNS(COLUMN)
#undef COLUMN
};
enum { FIXED = sizeof fixed_columns / sizeof fixed_columns[0] };

// ---------------------------------------------------------------------------------------- memory

float *floats_push(floats *f, size_t count)
{
    if (f->count + count > f->capacity) {
        const size_t wanted = 2 * f->capacity + count + 64;
        float *grown = thud_resize(f->at, wanted * sizeof *grown);
        if (!grown) {
            return NULL;
        }
        f->at = grown;
        f->capacity = wanted;
    }
    f->count += count;
    return f->at + f->count - count;
}

static bool is_plotted(int joint_type)
{
    return joint_type == THUD_JOINT_HINGE || joint_type == THUD_JOINT_SLIDE;
}

// Joint j's column of positions or of velocities; its name is the model's or the program's own.
static replay_column joint_column(const thud_model *m, int j, bool position)
{
    const char *name = thud_model_name(m, THUD_KIND_JOINT, j);
    const bool turns = m->joint_type[j] == THUD_JOINT_HINGE;
    return (replay_column){.group = position ? "joint position" : "joint speed",
                           .name = name ? name : "(no name)",
                           .unit = position ? (turns ? "rad" : "m") : (turns ? "rad/s" : "m/s")};
}

// How many sensors are plotted: as many as have room.
static int plotted_sensors(const thud_model *m)
{
    int i = 0;
    while (i < m->sensors && m->sensor_at[i] + m->sensor_dim[i] <= READINGS_MAX) {
        i++;
    }
    return i;
}

static void list_sensors(replay *r)
{
    static const char axis[] = "xyz";
    const thud_model *m = r->model;
    char *label = r->label;
    for (int i = 0; i < plotted_sensors(m); i++) {
        const char *name = thud_model_name(m, THUD_KIND_SENSOR, i),
                   *word = thud_sensor_word(m->sensor_type[i]);
        for (int k = 0; k < m->sensor_dim[i]; k++, label += LABEL) {
            const char letter[2] = {m->sensor_dim[i] == 4 ? "wxyz"[k] : axis[k], 0};
            snprintf(label, LABEL, "%s%s%s", name ? name : "(no name)", m->sensor_dim[i] > 1 ? " " : "",
                     m->sensor_dim[i] > 1 ? letter : "");
            r->column[r->columns++] =
                (replay_column){.group = word, .name = label, .unit = thud_sensor_unit(m, i)};
        }
    }
}

static bool is_sum(int column) // over the whole run, not of one moment
{
    return strcmp(fixed_columns[column].group, "where energy went") == 0;
}

static void list_columns(replay *r)
{
    const thud_model *m = r->model;
    for (int c = 0; c < FIXED; c++) {
        if (r->summed || !is_sum(c)) {
            r->column[r->columns++] = fixed_columns[c];
        }
    }
    for (int position = 1; position >= 0; position--) {
        int joints = 0;
        for (int j = 0; j < m->joints && joints < JOINTS_MAX; j++) {
            if (is_plotted(m->joint_type[j])) {
                r->column[r->columns++] = joint_column(m, j, position);
                joints++;
            }
        }
    }
    list_sensors(r);
}

bool replay_create(replay *r, const thud_model *m, double h, bool summed)
{
    const size_t columns = FIXED + 2 * (size_t)JOINTS_MAX + READINGS_MAX;
    *r = (replay){.model = m, .summed = summed, .every = llround(1 / (FRAMES_A_SECOND * h))};
    r->every = r->every > 0 ? r->every : 1;
    r->body = thud_alloc((size_t)m->bodies, sizeof *r->body);
    r->X_wb = thud_alloc((size_t)m->bodies, sizeof *r->X_wb);
    r->column = thud_alloc(columns, sizeof *r->column);
    r->row = thud_alloc(columns, sizeof *r->row);
    r->worst = thud_alloc(columns, sizeof *r->worst);
    r->label = thud_alloc(READINGS_MAX, LABEL);
    if (!r->body || !r->X_wb || !r->column || !r->row || !r->worst || !r->label) {
        replay_destroy(r);
        return false;
    }
    for (int b = 1; b < m->bodies; b++) {
        if (m->body_link[b] >= 0) {
            r->body[r->moving++] = b;
        }
    }
    list_columns(r);
    return true;
}

void replay_destroy(replay *r)
{
    void *const owned[] = {r->body,    r->X_wb,    r->column,     r->row,      r->worst,   r->label,
                           r->time.at, r->pose.at, r->contact.at, r->start.at, r->value.at};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++) {
        thud_free(owned[i]);
    }
    *r = (replay){0};
}

// ---------------------------------------------------------------------------------------- a frame

typedef struct contact_load { // of all contacts of a step
    double normal, friction;  // N, sums of the magnitudes
    int contacts, sliding;
} contact_load;

// Adds a contact to the sums, and its numbers at `to`.
static void note_touch(const thud_touch *t, contact_load *load, float *to)
{
    const vec3 force = v3_scale(1 / t->duration, t->impulse);
    const double value[REPLAY_CONTACT] = {t->point.x,  t->point.y,     t->point.z,  force.x,
                                          force.y,     force.z,        t->normal.x, t->normal.y,
                                          t->normal.z, t->friction[0], t->slides};
    load->normal += t->normal_impulse / t->duration;
    load->friction += t->friction_impulse / t->duration;
    load->sliding += t->slides;
    load->contacts++;
    for (int i = 0; i < REPLAY_CONTACT; i++) {
        to[i] = (float)value[i];
    }
}

static bool push_touch(const thud_touch *t, contact_load *load, floats *to)
{
    float *place = floats_push(to, REPLAY_CONTACT);
    if (place) {
        note_touch(t, load, place);
    }
    return place;
}

// Every loaded contact of a step; collisions take no time and have no force. False when memory ran out.
static bool read_contacts(const replay_moment *now, contact_load *load, floats *to)
{
    bool whole = true;
    for (int i = 0; now->rows && i < thud_rows_islands(now->rows); i++) {
        const thud_island island = thud_rows_island(now->rows, i);
        for (int k = 0; k < island.blocks && whole; k++) {
            thud_touch touch;
            if (thud_island_touch(&island, k, &touch) && touch.duration > 0) {
                whole = push_touch(&touch, load, to);
            }
        }
    }
    for (int i = 0; !now->rows && i < now->touches && whole; i++) {
        if (now->touch[i].duration > 0) {
            whole = push_touch(&now->touch[i], load, to);
        }
    }
    return whole;
}

static double unaccounted(const thud_certificate *c, const replay_sums *s)
{
    return c->kinetic + c->potential - s->energy_start - s->work - s->contact_work - s->projected;
}

static void fill_row(const replay *r, const replay_moment *now, contact_load load)
{
    const thud_certificate *c = now->certificate;
    const replay_sums *s = &now->sums;
    const thud_model *m = r->model;
    float *to = r->row;
    const float fixed[FIXED] = {
#define VALUE(group, name, unit, log, worst, value) (float)(value),
        COLUMNS(VALUE)
#undef VALUE
    };
    for (int i = 0; i < FIXED; i++) {
        if (r->summed || !is_sum(i)) {
            *to++ = fixed[i];
        }
    }
    for (int position = 1; position >= 0; position--) {
        int joints = 0;
        for (int j = 0; j < m->joints && joints < JOINTS_MAX; j++) {
            if (is_plotted(m->joint_type[j])) {
                *to++ = (float)(position ? now->state->qpos[m->joint_q[j]] : now->state->qvel[m->joint_v[j]]);
                joints++;
            }
        }
    }
    for (int i = 0, sensors = plotted_sensors(m); i < sensors; i++) {
        for (int k = 0; k < m->sensor_dim[i]; k++) {
            *to++ = now->reading ? (float)now->reading[m->sensor_at[i] + k] : 0;
        }
    }
}

static void raise_worst(const replay *r, const float *row, float *worst)
{
    for (int c = 0; c < r->columns; c++) {
        worst[c] = r->column[c].worst ? fmaxf(worst[c], row[c]) : row[c];
    }
}

static bool push_poses(replay *r, const double *qpos)
{
    float *to = floats_push(&r->pose, (size_t)r->moving * REPLAY_POSE);
    if (!to) {
        return false;
    }
    thud_body_poses(r->model, qpos, r->X_wb);
    for (int i = 0; i < r->moving; i++) {
        const thud_pose X = r->X_wb[r->body[i]];
        const double value[REPLAY_POSE] = {X.p.x, X.p.y, X.p.z, X.q.w, X.q.x, X.q.y, X.q.z};
        for (int k = 0; k < REPLAY_POSE; k++) {
            *to++ = (float)value[k];
        }
    }
    return true;
}

// ---------------------------------------------------------------------------------------- thinning

static void keep_even(floats *f, size_t width, int frames)
{
    for (int i = 1; 2 * i < frames; i++) {
        memmove(f->at + (size_t)i * width, f->at + 2 * (size_t)i * width, width * sizeof *f->at);
    }
    f->count = (size_t)((frames + 1) / 2) * width;
}

static void keep_even_contacts(replay *r)
{
    size_t count = 0;
    for (int i = 0; 2 * i < r->frames; i++) {
        const size_t from = (size_t)r->start.at[2 * i];
        const size_t to =
            2 * i + 1 < r->frames ? (size_t)r->start.at[2 * i + 1] : r->contact.count / REPLAY_CONTACT;
        memmove(r->contact.at + count * REPLAY_CONTACT, r->contact.at + from * REPLAY_CONTACT,
                (to - from) * REPLAY_CONTACT * sizeof *r->contact.at);
        r->start.at[i] = (float)count;
        count += to - from;
    }
    r->contact.count = count * REPLAY_CONTACT;
    r->start.count = (size_t)((r->frames + 1) / 2);
}

// Drops every second frame; the worst of a dropped one goes to the next.
static void thin(replay *r)
{
    const size_t columns = (size_t)r->columns;
    for (int i = 2; i < r->frames; i += 2) {
        for (int c = 0; c < r->columns; c++) {
            float *value = r->value.at + (size_t)i * columns + c;
            *value = r->column[c].worst ? fmaxf(*value, value[-(ptrdiff_t)columns]) : *value;
        }
    }
    if (r->contact.at) {
        keep_even_contacts(r);
    } else {
        keep_even(&r->start, 1, r->frames);
    }
    keep_even(&r->time, 1, r->frames);
    if (r->pose.at) {
        keep_even(&r->pose, (size_t)r->moving * REPLAY_POSE, r->frames);
    }
    keep_even(&r->value, columns, r->frames);
    r->frames = (r->frames + 1) / 2;
    r->every *= 2;
}

bool replay_add(replay *r, const replay_moment *now, bool last)
{
    const bool due = r->steps++ % r->every == 0 || last;
    const size_t first = r->contact.count / REPLAY_CONTACT; // contact of this frame
    contact_load load = {0};
    bool done = !due || read_contacts(now, &load, &r->contact);
    fill_row(r, now, load);
    raise_worst(r, r->row, r->worst);
    if (!due) {
        return true;
    }
    float *time = floats_push(&r->time, 1), *start = floats_push(&r->start, 1);
    float *value = floats_push(&r->value, (size_t)r->columns);
    done = done && time && start && value && push_poses(r, now->state->qpos);
    if (done) {
        *time = (float)now->state->time;
        *start = (float)first;
        memcpy(value, r->worst, (size_t)r->columns * sizeof *value);
        memset(r->worst, 0, (size_t)r->columns * sizeof *r->worst);
        r->frames++;
        if (r->pose.count + r->contact.count + r->value.count > numbers_max && r->frames > 2 && !last) {
            thin(r);
        }
    }
    return done;
}
