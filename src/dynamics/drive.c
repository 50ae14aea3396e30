// SPDX-License-Identifier: Apache-2.0
// drive.c: lengths and levers of tendons, and the memory of a drive.
#include "drive.h"

#include "kernel.h"

// A straight piece pulls its ends apart. What both move with does not feel it, and is left out.
static void add_piece(const thud_model *m, const thud_dynamics *d, thud_drive *drive, thud_lever *l,
                      const thud_tendon_piece *piece)
{
    int one = m->body_link[piece->body1], two = m->body_link[piece->body2];
    if (one == two) {
        return;
    }
    const vec3 none = v3(0, 0, 0), apart = v3_sub(piece->p2, piece->p1);
    const vec3 along = v3_scale(piece->weight, v3_normalize(apart)), back = v3_neg(along);
    while (one != two) { // parents have smaller numbers
        if (two > one) {
            lever_add_at_joint(m, d, drive, l, two, along, none, piece->p2);
            two = m->link_parent[two];
        } else {
            lever_add_at_joint(m, d, drive, l, one, back, none, piece->p1);
            one = m->link_parent[one];
        }
    }
}

static void place_tendon(const thud_model *m, const double *qpos, const thud_dynamics *d, thud_drive *drive,
                         int t)
{
    thud_lever *l = &drive->tendon[t];
    int pieces;
    l->count = 0;
    drive->tendon_length[t] =
        thud_tendon_length(m, t, qpos, drive->store->x_ws, drive->store->X_wb, drive->store->piece, &pieces);
    for (int k = 0; k < pieces; k++) {
        add_piece(m, d, drive, l, &drive->store->piece[k]);
    }
    for (int w = m->tendon_wrap[t]; !m->tendon_spatial[t] && w < m->tendon_wrap[t] + m->tendon_wraps[t];
         w++) {
        lever_add(drive, l, m->joint_v[m->wrap_object[w]], m->wrap_coef[w]);
    }
    lever_close(drive, l);
}

static void place_sites(const thud_model *m, const thud_dynamics *d, const struct thud_drive_store *s)
{
    for (int k = 0; k < s->sites; k++) {
        const int site = s->site[k], body = m->site_body[site], link = m->body_link[body];
        s->x_ws[site] = link < 0 ? pose_point(m->body_in_link[body], m->site_pose[site].p)
                                 : v3_add(d->link[link].o, m3_mulv(&d->link[link].R, s->x_ls[site]));
    }
}

void thud_drive_place(const thud_model *m, const double *qpos, const thud_dynamics *d, thud_drive *drive)
{
    place_sites(m, d, drive->store);
    for (int k = 0; k < drive->store->bodies; k++) {
        const int body = drive->store->body[k], link = m->body_link[body];
        pose X = m->body_in_link[body];
        if (link >= 0) {
            X = pose_mul((pose){q_of_m3(&d->link[link].R), d->link[link].o}, X);
        }
        drive->store->X_wb[body] = X;
    }
    for (int t = 0; t < m->tendons; t++) {
        place_tendon(m, qpos, d, drive, t);
    }
    for (int i = 0; i < m->actuators; i++) {
        drive_place_actuator(m, qpos, d, drive, i);
    }
}

static double rate(const thud_lever *l, const double *qvel)
{
    double sum = 0;
    for (int k = 0; k < l->count; k++) {
        sum += l->value[k] * qvel[l->dof[k]];
    }
    return sum;
}

void thud_drive_move(const thud_model *m, const double *qvel, thud_drive *drive)
{
    for (int t = 0; t < m->tendons; t++) {
        drive->tendon_velocity[t] = rate(&drive->tendon[t], qvel);
    }
    for (int i = 0; i < m->actuators; i++) {
        drive->velocity[i] = rate(&drive->moment[i], qvel);
    }
}

// ---------------------------------------------------------------------------------------------- memory

static int dofs_of_body(const thud_model *m, int body)
{
    int dofs = 0;
    for (int i = m->body_link[body]; i >= 0; i = m->link_parent[i]) {
        dofs += m->joint_dofs[i];
    }
    return dofs;
}

typedef struct needs { // what levers depend on
    bool *body, *site;
} needs;

// The most dofs that a tendon's lever can have. Marks what it needs.
static int room_of_tendon(const thud_model *m, int t, needs needed)
{
    int room = 0;
    for (int w = m->tendon_wrap[t]; w < m->tendon_wrap[t] + m->tendon_wraps[t]; w++) {
        const int object = m->wrap_object[w], side = m->wrap_side[w];
        if (m->wrap_type[w] == THUD_WRAP_JOINT) {
            room++;
        } else if (m->wrap_type[w] != THUD_WRAP_PULLEY) {
            const int body = m->wrap_type[w] == THUD_WRAP_SITE ? m->site_body[object] : m->geom_body[object];
            room += dofs_of_body(m, body);
            *(m->wrap_type[w] == THUD_WRAP_SITE ? &needed.site[object] : &needed.body[body]) = true;
        }
        if (side >= 0) {
            needed.site[side] = true;
        }
    }
    return room < m->nv ? room : m->nv;
}

static int room_of_actuator(const thud_model *m, int i, const thud_lever *tendon, needs needed)
{
    const int target = m->actuator_target[i], reference = m->actuator_reference[i];
    int room = 0;
    switch (m->actuator_transmission[i]) {
    case THUD_TRANSMISSION_TENDON:
        return tendon[target].count; // its room, while the drive is made
    case THUD_TRANSMISSION_SITE:
    case THUD_TRANSMISSION_SLIDER_CRANK:
        room = dofs_of_body(m, m->site_body[target]);
        needed.body[m->site_body[target]] = true;
        if (reference >= 0) {
            room += dofs_of_body(m, m->site_body[reference]);
            needed.body[m->site_body[reference]] = true;
        }
        return room < m->nv ? room : m->nv;
    case THUD_TRANSMISSION_BODY:
        return 0;
    default:
        return m->joint_dofs[target];
    }
}

static void list_needs(const thud_model *m, needs needed, struct thud_drive_store *s)
{
    for (int i = 0; i < m->bodies; i++) {
        if (needed.body[i]) {
            s->body[s->bodies++] = i;
        }
    }
    for (int i = 0; i < m->sites; i++) {
        if (needed.site[i]) {
            s->site[s->sites++] = i;
            s->x_ls[i] = pose_point(m->body_in_link[m->site_body[i]], m->site_pose[i].p);
        }
    }
}

// Room of every lever, in its count for now; returns the sum.
static size_t measure(const thud_model *m, thud_drive *drive, needs needed)
{
    size_t room = 0;
    for (int t = 0; t < m->tendons; t++) {
        drive->tendon[t].count = room_of_tendon(m, t, needed);
        room += (size_t)drive->tendon[t].count;
    }
    for (int i = 0; i < m->actuators; i++) {
        drive->moment[i].count = room_of_actuator(m, i, drive->tendon, needed);
        room += (size_t)drive->moment[i].count;
    }
    list_needs(m, needed, drive->store);
    return room;
}

// The first joint that lengths and levers depend on, where they depend on joints alone.
static int first_joint(const thud_model *m)
{
    int first = m->joints;
    for (int w = 0; w < m->wraps; w++) {
        first = m->wrap_type[w] == THUD_WRAP_JOINT && m->wrap_object[w] < first ? m->wrap_object[w] : first;
    }
    for (int i = 0; i < m->actuators; i++) {
        const int target = m->actuator_target[i];
        const bool joint = m->actuator_transmission[i] == THUD_TRANSMISSION_JOINT ||
                           m->actuator_transmission[i] == THUD_TRANSMISSION_JOINT_IN_PARENT;
        first = joint && target < first ? target : first;
    }
    return first;
}

static void hand_out(thud_lever *lever, int count, int **dofs, double **values)
{
    for (int i = 0; i < count; i++) {
        lever[i].dof = *dofs;
        lever[i].value = *values;
        *dofs += lever[i].count;
        *values += lever[i].count;
        lever[i].count = 0;
    }
}

static bool allocate(const thud_model *m, thud_drive *drive)
{
    struct thud_drive_store *s = drive->store;
    const size_t tendons = (size_t)m->tendons, actuators = (size_t)m->actuators, nv = (size_t)m->nv;
    drive->tendon = thud_alloc(tendons + 1, sizeof *drive->tendon);
    drive->moment = thud_alloc(actuators + 1, sizeof *drive->moment);
    drive->clamped = thud_alloc(actuators + 1, sizeof *drive->clamped);
    const size_t bodies = (size_t)m->bodies, sites = (size_t)m->sites;
    s->x_ws = thud_alloc(2 * sites + 1, sizeof *s->x_ws);
    s->X_wb = thud_alloc(bodies, sizeof *s->X_wb);
    s->body = thud_alloc(bodies + sites, sizeof *s->body);
    s->used = thud_alloc(nv + bodies + sites, sizeof *s->used); // at first also what is needed
    s->piece = thud_alloc(2 * (size_t)m->wraps + 1, sizeof *s->piece);
    s->numbers = thud_alloc(3 * tendons + 3 * actuators + nv + 1, sizeof *s->numbers);
    if (!drive->tendon || !drive->moment || !drive->clamped || !s->x_ws || !s->X_wb || !s->body || !s->used ||
        !s->piece || !s->numbers) {
        return false;
    }
    s->x_ls = s->x_ws + sites;
    s->site = s->body + bodies;
    const size_t room = measure(m, drive, (needs){s->used + nv, s->used + nv + bodies});
    drive->spatial = s->bodies + s->sites > 0;
    drive->joint = drive->spatial ? 0 : first_joint(m);
    s->dofs = thud_alloc(room + 1, sizeof *s->dofs);
    s->values = thud_alloc(room + 1, sizeof *s->values);
    if (!s->dofs || !s->values) {
        return false;
    }
    int *dofs = s->dofs;
    double *values = s->values, *at = s->numbers;
    hand_out(drive->tendon, m->tendons, &dofs, &values);
    hand_out(drive->moment, m->actuators, &dofs, &values);
    drive->tendon_length = at;
    drive->tendon_velocity = at += tendons;
    s->total = at += tendons;
    drive->length = at += tendons;
    drive->velocity = at += actuators;
    drive->force = at += actuators;
    s->row = at + actuators;
    return true;
}

thud_status thud_drive_create(const thud_model *m, thud_drive **out)
{
    thud_drive *drive = *out = thud_alloc(1, sizeof *drive);
    if (!drive) {
        return THUD_NO_MEMORY;
    }
    drive->store = thud_alloc(1, sizeof *drive->store);
    if (!drive->store || !allocate(m, drive)) {
        thud_drive_destroy(drive);
        *out = NULL;
        return THUD_NO_MEMORY;
    }
    return THUD_OK;
}

void thud_drive_destroy(thud_drive *drive)
{
    if (!drive) {
        return;
    }
    if (drive->store) {
        thud_free(drive->store->dofs);
        thud_free(drive->store->values);
        thud_free(drive->store->numbers);
        thud_free(drive->store->x_ws);
        thud_free(drive->store->X_wb);
        thud_free(drive->store->body);
        thud_free(drive->store->used);
        thud_free(drive->store->piece);
    }
    thud_free(drive->store);
    thud_free(drive->tendon);
    thud_free(drive->moment);
    thud_free(drive->clamped);
    thud_free(drive);
}
