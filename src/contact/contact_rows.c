// SPDX-License-Identifier: Apache-2.0
// contact_rows.c: the rows of a contact: normal, sliding, torsional, rolling. [theory 1, 7]
//
//     row 0       velocity along n, from body 1 (B) to body 2 (A)
//     rows 1, 2   velocity along t1, t2
//     row 3       angular velocity about n                    (dim 4, 6)
//     rows 4, 5   angular velocity about t1, t2               (dim 6)
// Tangents are tied to the world's axes: a pyramid of few directions shows them [theory 9].
#include <math.h>
#include <string.h>

#include <thud/elementary.h>

#include "door.h"
#include "rows.h"

// A friction axis, fixed in a body, in the world.
static vec3 friction_axis(const thud_model *m, const thud_dynamics *d, int body, vec3 axis)
{
    const vec3 in_link = q_rotate(m->body_in_link[body].q, axis);
    const int link = m->body_link[body];
    return link < 0 ? in_link : m3_mulv(&d->link[link].R, in_link);
}

// The first tangent before it has its length 1: along the contact's own axis, or level on what is steep and along x on what
// is flat.
static vec3 first_tangent(const thud_model *m, const thud_dynamics *d, const thud_contact *c, vec3 n)
{
    if (c->law.axis_body >= 0) {
        const vec3 axis = friction_axis(m, d, c->law.axis_body, c->law.axis);
        const vec3 along = v3_axpy(-v3_dot(axis, n), n, axis);
        if (v3_norm2(along) > 1e-12) {
            return along;
        }
    }
    return fabs(n.z) > 0.9 ? v3_axpy(-n.x, n, v3(1, 0, 0)) : v3(-n.y, n.x, 0);
}

void thud_contact_frame(const thud_model *m, const thud_dynamics *d, const thud_contact *c, vec3 n,
                        vec3 frame[3])
{
    frame[0] = n;
    if (n.x == 0 && n.y == 0 && n.z == 1 && c->law.axis_body < 0) { // level ground: the world's own axes
        frame[1] = v3(1, 0, 0);
        frame[2] = v3(0, 1, 0);
        return;
    }
    const vec3 along = first_tangent(m, d, c, n);
    frame[1] = v3_norm2(along) == 1 ? along : v3_normalize(along); // upright walls, without a root
    frame[2] = v3_cross(n, frame[1]);
}

// ---------------------------------------------------------------------------------------------- their places

typedef struct extent { // of some contacts: their blocks, arms and rows
    int blocks, arms, rows;
} extent;

static extent extent_sum(extent a, extent b)
{
    return (extent){a.blocks + b.blocks, a.arms + b.arms, a.rows + b.rows};
}

static extent extent_of(const thud_rows *rows, const thud_contact *c, int dim)
{
    const int arms = (rows->m->body_link[c->body1] >= 0) + (rows->m->body_link[c->body2] >= 0);
    return arms > 0 ? (extent){1, arms, dim} : (extent){0};
}

static extent extent_so_far(const thud_rows *rows)
{
    return (extent){rows->blocks, rows->arms, rows->rows};
}

static bool there_is_room(const thud_rows *rows, extent all)
{
    return all.blocks <= rows->capacity && all.arms <= rows->capacity * ARMS_A_BLOCK;
}

static void take_room(thud_rows *rows, extent all)
{
    rows->blocks = all.blocks;
    rows->arms = all.arms;
    rows->rows = all.rows;
}

// Where a contact's arms and rows are, from `at` on, and what is asked of it before it is made. Returns where they end: what
// acts on nothing takes nothing.
static inline extent place_contact(thud_rows *rows, const thud_contact_now *e, extent at)
{
    THUD_ASSERT(e->dim >= 1 && e->dim <= ROWS_A_BLOCK);
    const thud_contact *c = e->contact;
    const int dim = e->dim;
    const int one = rows->m->body_link[c->body1], two = rows->m->body_link[c->body2];
    site *s = &rows->site[at.blocks];
    arm *a = rows->arm + at.arms;
    int arms = 0;
    if (one >= 0) {
        a[arms++] = (arm){one, -1, at.blocks, dim};
    }
    if (two >= 0) {
        a[arms++] = (arm){two, -1, at.blocks, dim};
    }
    if (arms == 0) {
        return at;
    }
    s->arm = at.arms;
    s->arms = arms;
    s->dim = dim;
    s->b = rows->b + at.rows;
    s->epsilon = 0;
    s->late = e;
    rows->by_id[at.blocks] = (keyed){c->id, at.blocks};
    return (extent){at.blocks + 1, at.arms + arms, at.rows + dim};
}

// ---------------------------------------------------------------------------------------------- making them

// What dim rows add to their velocities, and their friction.
THUD_INSIDE void ask_for(const thud_contact_row *row, int dim, double *b, double *mu)
{
    for (int r = 0; r < dim; r++) {
        b[r] = row->b[r];
    }
    for (int r = 0; r + 1 < dim; r++) {
        mu[r] = row->contact->law.friction[r];
    }
}

static void fill_contact(const thud_contact_row *row, int source, site *s, thud_block *block,
                         thud_cone_block *cone)
{
    const thud_contact *c = row->contact;
    block->kind = THUD_BLOCK_CONTACT;
    block->dim = s->dim;
    block->source = source;
    block->id = c->id;
    block->phi = row->phi;
    block->point = row->point;
    block->body1 = c->body1;
    block->body2 = c->body2;
    block->geom1 = c->geom1;
    block->geom2 = c->geom2;
    memcpy(block->frame, row->frame, sizeof block->frame);
    memcpy(block->static_friction, c->law.friction, sizeof block->static_friction);
    memcpy(block->kinetic_friction, c->law.kinetic, sizeof block->kinetic_friction);
    *cone = (thud_cone_block){.kind = THUD_CONE_KIND_CONTACT, .dim = row->dim};
    if (row->dim == 3) { // nearly all of them, without loops
        ask_for(row, 3, s->b, cone->mu);
    } else {
        ask_for(row, row->dim, s->b, cone->mu);
    }
    const double *rests = c->law.friction, *slides = c->law.kinetic;
    s->varies = !(c->law.viscous == 0 && rests[0] == slides[0] && rests[1] == slides[1]);
    s->viscous = c->law.viscous;
    s->stribeck = c->law.stribeck;
}

// b = (G(q_m) - G(q)) v of a contact, left out where it is small beside what gravity does in a step: the contact then
// works p . b / 2 in that step, no more than if all sank by a micrometre a second (at 2 ms). Contacts that stick in a jam are so
// asked for what all of them can do together, nothing, and not for a hundred different little turns.
static void add_turn(const thud_rows *rows, const thud_contact_now *g, thud_contact_row *row)
{
    const vec3 v = contact_velocity(rows->m, rows->d, rows->asked.V, g->contact, row->point);
    double u[3], most = 0;
    for (int k = 0; k < 3; k++) {
        u[k] = v3_dot(row->frame[k], v) - g->u[k];
        most = fabs(u[k]) > most ? fabs(u[k]) : most;
    }
    if (most > rows->asked.small) {
        memcpy(row->b, u, sizeof u);
    }
}

// What the law asks of the rows, b. [theory 7]
static void ask(const thud_rows *rows, const thud_contact_now *g, thud_contact_row *row)
{
    const thud_contact_asked *asked = &rows->asked;
    const double closing = g->phi > asked->closed ? g->phi / rows->h : 0; // m/s: what closes the gap within h
    switch (asked->ask) {
    case THUD_ASK_GAP:
        if (asked->moved) {
            add_turn(rows, g, row);
        }
        row->b[0] += closing;
        break;
    case THUD_ASK_VELOCITY:
        row->b[0] = closing;
        break;
    case THUD_ASK_POSITION: {
        const vec3 v = contact_velocity(rows->m, rows->d, asked->V_hat, g->contact, row->point);
        row->b[0] = (g->now - (g->phi < 0 ? g->phi : 0)) / rows->h - v3_dot(g->normal, v);
        break;
    }
    case THUD_ASK_GIVEN:
        row->b[0] = g->b;
    }
}

void rows_make_contact(thud_rows *rows, int k)
{
    THUD_ASSERT(rows->site[rows->order[k]].late);
    site *s = &rows->site[rows->order[k]];
    const thud_contact_now *g = s->late;
    thud_contact_row row = {.contact = g->contact, .point = g->point, .phi = g->phi, .dim = g->dim};
    if (rows->asked.ask == THUD_ASK_GIVEN) {
        row.frame[0] = g->normal; // normal rows alone: no tangents
    } else {
        thud_contact_frame(rows->m, rows->d, g->contact, g->normal, row.frame);
    }
    ask(rows, g, &row);
    fill_contact(&row, g->source, s, &rows->sorted[k], &rows->cone[k]);
}

thud_status thud_rows_add_contact(thud_rows *rows, const thud_contact_row *row, int source)
{
    const extent at = extent_so_far(rows), taken = extent_of(rows, row->contact, row->dim);
    const extent all = extent_sum(at, taken);
    if (taken.blocks == 0 || !there_is_room(rows, all)) {
        return taken.blocks == 0 ? THUD_OK : THUD_NO_MEMORY;
    }
    site *s = &rows->site[at.blocks];
    (void)place_contact(rows, &(thud_contact_now){.contact = row->contact, .dim = row->dim}, at);
    fill_contact(row, source, s, &rows->block[at.blocks], &rows->coned[at.blocks]);
    s->late = NULL;
    take_room(rows, all);
    return THUD_OK;
}

// ---------------------------------------------------------------------------------------------- many of them
//
// Threads place shares of the contacts: what each share takes is counted first, and where it begins follows.

enum { SHARE = 256 }; // contacts

typedef struct arrival { // of new blocks
    thud_rows *rows;
    const thud_contact_now *gap;
    int count;
    extent *share; // what each takes, then where it begins
} arrival;

static void measure_shares(void *of, int first, int end, int worker)
{
    const arrival *a = of;
    (void)worker;
    for (int k = first; k < end; k++) {
        extent sum = {0};
        for (int i = k * SHARE; i < thud_share_end(k, SHARE, a->count); i++) {
            sum = extent_sum(sum, extent_of(a->rows, a->gap[i].contact, a->gap[i].dim));
        }
        a->share[k] = sum;
    }
}

enum { FETCH = 8 }; // contacts: those that do not act lie in between

// Places contacts from `at` on; returns where they end.
static extent place_contacts(thud_rows *rows, const thud_contact_now *gap, int count, extent at)
{
    const int fetched = count >= SHARE ? count - FETCH : 0;
    for (int i = 0; i < count; i++) {
        const thud_contact_now *e = &gap[i];
        if (i < fetched) {
            __builtin_prefetch(e[FETCH].contact);
        }
        at = place_contact(rows, e, at);
    }
    return at;
}

static void place_shares(void *of, int first, int end, int worker)
{
    const arrival *a = of;
    (void)worker;
    for (int k = first; k < end; k++) {
        const int from = k * SHARE;
        (void)place_contacts(a->rows, a->gap + from, thud_share_end(k, SHARE, a->count) - from, a->share[k]);
    }
}

// Few contacts, or those of one thread, for which there is room whatever they take.
static bool place_few(thud_rows *rows, const thud_contact_now *gap, int count)
{
    const extent at = extent_so_far(rows), most = {count, 2 * count, 0};
    const bool few = (count <= SHARE || !rows->pool) && there_is_room(rows, extent_sum(at, most));
    if (few) {
        take_room(rows, place_contacts(rows, gap, count, at));
    }
    return few;
}

thud_status thud_rows_add_contacts(thud_rows *rows, const thud_contact_asked *asked,
                                   const thud_contact_now *gap, int count)
{
    THUD_ASSERT(asked->ask != THUD_ASK_POSITION || asked->V_hat);
    THUD_ASSERT(!rows->crowd);
    rows->asked = *asked;
    rows->crowd = true;
    if (place_few(rows, gap, count)) {
        return THUD_OK;
    }
    const int shares = (count + SHARE - 1) / SHARE;
    const size_t mark = thud_arena_mark(rows->arena);
    arrival a = {rows, gap, count, thud_arena_push(rows->arena, (size_t)shares, sizeof *a.share)};
    if (!a.share) {
        return THUD_NO_MEMORY;
    }
    thud_pool_run(rows->pool, shares, 1, measure_shares, &a);
    extent all = extent_so_far(rows);
    for (int k = 0; k < shares; k++) {
        const extent share = a.share[k];
        a.share[k] = all;
        all = extent_sum(all, share);
    }
    const bool room = there_is_room(rows, all);
    if (room) {
        thud_pool_run(rows->pool, shares, 1, place_shares, &a);
        take_room(rows, all);
    }
    thud_arena_release(rows->arena, mark);
    return room ? THUD_OK : THUD_NO_MEMORY;
}

void thud_rows_leave_out(thud_rows *rows, int link, double b)
{
    THUD_ASSERT(link >= 0 && link < rows->m->joints);
    rows->tree[rows->link_tree[link]].beside += b * b;
}

static const double SLIP = 1e-3; // m/s, between static and kinetic friction where nothing else is said

static double friction_at(double sticking, double kinetic, double viscous, double stribeck, double speed)
{
    const double x = speed / stribeck,
                 fallen = stribeck > 0 ? thud_exp(-x * x) : speed < SLIP; // 1: static, 0: kinetic
    return kinetic + (sticking - kinetic) * fallen + viscous * speed;
}

void thud_contact_friction(const thud_contact_law *law, double speed, double mu[2])
{
    for (int k = 0; k < 2; k++) {
        mu[k] = friction_at(law->friction[k], law->kinetic[k], law->viscous, law->stribeck, speed);
    }
}

void rows_set_friction(const thud_block *b, const site *s, const double *u, double mu[2])
{
    const double *rests = b->static_friction, *slides = b->kinetic_friction;
    const double speed = thud_hypot(u[1], u[2]);
    for (int k = 0; k < 2; k++) {
        mu[k] = friction_at(rests[k], slides[k], s->viscous, s->stribeck, speed);
    }
}
