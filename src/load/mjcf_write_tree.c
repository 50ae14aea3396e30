// SPDX-License-Identifier: Apache-2.0
// mjcf_write_tree.c: bodies with all in them, without recursion.
//
// Geoms keep the order they have in the spec, which a model remembers: a body's geoms stand before or between
// its children where they come first.
#include <limits.h>
#include <math.h>
#include <string.h>

#include "mjcf_write.h"

typedef struct spot {      // of a body, while the tree is written
    int first, next;       // child, sibling; -1: none
    int last;              // child so far
    int joint, geom, site; // first of its own, linked by `after`; -1: none
    int least;             // the first geom of it and all below it
} spot;

typedef struct tree_writer {
    mjcf_writer *w;
    spot *at;
    int *joint_after, *geom_after, *site_after;
} tree_writer;

// Chains the elements 0..count-1 by their bodies, in their own order.
static void chain(int count, const void *body_field, size_t stride, int *after, spot *at, size_t head)
{
    for (int i = count - 1; i >= 0; i--) {
        int *first =
            (int *)((char *)&at[*(const int *)((const char *)body_field + (size_t)i * stride)] + head);
        after[i] = *first;
        *first = i;
    }
}

static bool find_spots(tree_writer *t)
{
    const thud_spec *s = t->w->spec;
    load_pool *pool = &t->w->scratch.tree.pool;
    t->at = pool_push(pool, (size_t)s->bodies, sizeof *t->at);
    t->joint_after = pool_push(pool, (size_t)s->joints + 1, sizeof(int));
    t->geom_after = pool_push(pool, (size_t)s->geoms + 1, sizeof(int));
    t->site_after = pool_push(pool, (size_t)s->sites + 1, sizeof(int));
    if (!t->at || !t->joint_after || !t->geom_after || !t->site_after) {
        return false;
    }
    for (int b = 0; b < s->bodies; b++) {
        t->at[b] = (spot){-1, -1, -1, -1, -1, -1, INT_MAX};
    }
    chain(s->joints, s->joints ? &s->joint->body : NULL, sizeof *s->joint, t->joint_after, t->at,
          offsetof(spot, joint));
    chain(s->geoms, s->geoms ? &s->geom->body : NULL, sizeof *s->geom, t->geom_after, t->at,
          offsetof(spot, geom));
    chain(s->sites, s->sites ? &s->site->body : NULL, sizeof *s->site, t->site_after, t->at,
          offsetof(spot, site));
    for (int b = 1; b < s->bodies; b++) {
        spot *parent = &t->at[s->body[b].parent];
        *(parent->last >= 0 ? &t->at[parent->last].next : &parent->first) = b;
        parent->last = b;
    }
    for (int b = s->bodies - 1; b >= 0; b--) {
        spot *here = &t->at[b];
        here->least = here->geom >= 0 && here->geom < here->least ? here->geom : here->least;
        if (b > 0 && here->least < t->at[s->body[b].parent].least) {
            t->at[s->body[b].parent].least = here->least;
        }
    }
    return true;
}

// ---------------------------------------------------------------------------------------------- elements

static void put_inertial(mjcf_writer *w, const thud_spec_body *body)
{
    thud_spec_body settled = *body;
    mjcf_settle_inertia(&settled);
    draft_inertial d = {.pos = settled.ipos, .mass = settled.mass};
    const double *I = settled.inertia;
    if (I[3] == 0 && I[4] == 0 && I[5] == 0) {
        d.head.given = GIVEN_DIAGINERTIA;
        memcpy(d.diaginertia, I, sizeof d.diaginertia);
    } else {
        d.head.given = GIVEN_FULLINERTIA;
        memcpy(d.fullinertia, I, sizeof d.fullinertia);
    }
    mjcf_turn(settled.iquat, &d.head, &d.turn);
    mjcf_put(w, mjcf_find_child(mjcf_body_children, "inertial"), &d, &(draft_inertial){0});
}

static bool is_plain_free(const thud_spec_joint *j)
{
    return j->type == THUD_JOINT_FREE && j->limited != THUD_TRUE && !j->has_range &&
           j->actfrclimited != THUD_TRUE && !j->has_actfrcrange && !j->actgravcomp && j->stiffness == 0 &&
           j->damping == 0 && j->armature == 0 && j->frictionloss == 0 && j->springdamper[0] == 0 &&
           j->margin == 0 && j->ref == 0 && j->springref == 0;
}

static void put_joint(mjcf_writer *w, int i)
{
    draft_joint d = {.head = {.name = w->name[KEPT_JOINT][i]}, .to = w->spec->joint[i]};
    if (is_plain_free(&d.to)) {
        mjcf_put(w, mjcf_find_child(mjcf_body_children, "freejoint"), &d,
                 &(draft_joint){.to = {.align = THUD_AUTO}});
    } else {
        mjcf_put(w, &mjcf_joint, &d, mjcf_default_draft(w, MJCF_DRAFT_JOINT));
    }
}

static void put_geom(mjcf_writer *w, int i)
{
    const thud_spec_geom *g = &w->spec->geom[i];
    draft_geom d = {.head = {.name = w->name[KEPT_GEOM][i]}, .to = *g};
    d.mesh = g->mesh >= 0 ? w->name[KEPT_MESH][g->mesh] : NULL;
    d.hfield = g->hfield >= 0 ? w->name[KEPT_HFIELD][g->hfield] : NULL;
    mjcf_turn(g->quat, &d.head, &d.turn);
    mjcf_put(w, &mjcf_geom, &d, mjcf_default_draft(w, MJCF_DRAFT_GEOM));
}

static void put_site(mjcf_writer *w, int i)
{
    draft_site d = {.head = {.name = w->name[KEPT_SITE][i]}, .to = w->spec->site[i]};
    mjcf_turn(d.to.quat, &d.head, &d.turn);
    mjcf_put(w, &mjcf_site, &d, mjcf_default_draft(w, MJCF_DRAFT_SITE));
}

// ---------------------------------------------------------------------------------------------- bodies

static bool is_empty(const tree_writer *t, int b)
{
    const spot *here = &t->at[b];
    return here->first < 0 && here->joint < 0 && here->geom < 0 && here->site < 0 &&
           !t->w->spec->body[b].has_inertial;
}

static void begin_body(tree_writer *t, int b)
{
    mjcf_writer *w = t->w;
    const thud_spec_body *body = &w->spec->body[b];
    if (b == 0) {
        mjcf_begin_section(w, "worldbody");
    } else {
        draft_body d = {.head = {.name = w->name[KEPT_BODY][b]},
                        .pos = body->pos,
                        .gravcomp = body->gravcomp,
                        .mocap = body->mocap};
        mjcf_turn(body->quat, &d.head, &d.turn);
        const mjcf_element *element = mjcf_find_child(mjcf_body_children, "body");
        (is_empty(t, b) ? mjcf_put : mjcf_begin)(w, element, &d, &(draft_body){0});
    }
    if (body->has_inertial) {
        put_inertial(w, body);
    }
    for (int i = t->at[b].joint; i >= 0; i = t->joint_after[i]) {
        put_joint(w, i);
    }
    for (int i = t->at[b].site; i >= 0; i = t->site_after[i]) {
        put_site(w, i);
    }
}

// The geoms of a body that come before `end`.
static void put_geoms(tree_writer *t, int b, int end)
{
    int *i = &t->at[b].geom;
    for (; *i >= 0 && *i < end; *i = t->geom_after[*i]) {
        put_geom(t->w, *i);
    }
}

static void end_body(tree_writer *t, int b)
{
    const bool empty = b > 0 && is_empty(t, b);
    put_geoms(t, b, INT_MAX);
    if (!empty) {
        mjcf_end(t->w, b == 0 ? "worldbody" : "body");
    }
}

thud_status mjcf_write_tree(mjcf_writer *w)
{
    tree_writer t = {.w = w};
    if (!find_spots(&t)) {
        return THUD_NO_MEMORY;
    }
    for (int b = 0;;) {
        begin_body(&t, b);
        if (t.at[b].first >= 0) {
            const int child = t.at[b].first;
            put_geoms(&t, b, t.at[child].least);
            b = child;
            continue;
        }
        end_body(&t, b);
        while (b > 0 && t.at[b].next < 0) {
            b = w->spec->body[b].parent;
            end_body(&t, b);
        }
        if (b == 0) {
            return THUD_OK;
        }
        b = t.at[b].next;
        put_geoms(&t, w->spec->body[b].parent, t.at[b].least);
    }
}
