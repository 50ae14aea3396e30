// SPDX-License-Identifier: Apache-2.0
// parts_reach.c: whether parts may touch each other: boxes of all, then of robots, then of geoms.
#include "parts.h"

#include <math.h>

#include <thud/spatial_inline.h>

static thud_aabb widened(thud_aabb box, double by)
{
    const vec3 r = v3(by, by, by);
    return (thud_aabb){v3_sub(box.lo, r), v3_add(box.hi, r)};
}

static const thud_aabb NOTHING = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static void include(thud_aabb *box, const thud_aabb *more)
{
    box->lo = v3_min(box->lo, more->lo);
    box->hi = v3_max(box->hi, more->hi);
}

// Where a part is, and what it may reach, from where a sim has its geoms: its own, or the whole's (number: what they are
// called there).
static void find_boxes(crowd_part *of, const thud_sim *sim, const int *number, double margin)
{
    of->reach = NOTHING;
    for (int i = 0; i < of->robots; i++) {
        robot *r = &of->robot[i];
        r->reach = NOTHING;
        for (int k = r->first; k < r->end; k++) {
            solid *s = &of->solid[k];
            const int geom = number ? number[s->geom] : s->geom;
            s->X = &sim->sight.X_wg[geom];
            s->wide = touch_reach(sim, geom, s->radius, margin);
            s->reach = widened((thud_aabb){s->X->p, s->X->p}, s->radius + s->wide);
            include(&r->reach, &s->reach);
        }
        include(&of->reach, &r->reach);
    }
}

void parts_find_own_boxes(crowd_part *of, double margin)
{
    THUD_ASSERT(of->state && margin >= 0);
    if (of->solids > 0) {
        touch_trace(of->sim, of->state->qpos, of->state->qvel);
    }
    find_boxes(of, of->sim, NULL, margin);
    of->known = true;
}

void parts_find_boxes_in(crowd_part *of, const thud_sim *whole, double margin)
{
    find_boxes(of, whole, of->of.geom, margin);
    of->known = false;
}

// The box of a geom itself, and what it may reach around it or nothing.
static thud_aabb box_of(const crowd_part *of, const solid *s, bool reach)
{
    return widened(thud_shape_around(&of->of.m->geom_shape[s->geom], *s->X), reach ? s->wide : 0);
}

// Balls are seen at a glance, boxes where those meet.
static bool solids_meet(const crowd_part *a, const solid *one, const crowd_part *b, const solid *other,
                        bool reach)
{
    if (!thud_aabb_overlap(&one->reach, &other->reach)) {
        return false;
    }
    const thud_aabb x = box_of(a, one, reach), y = box_of(b, other, reach);
    return thud_aabb_overlap(&x, &y);
}

static bool robots_meet(const crowd_part *a, const robot *x, const crowd_part *b, const robot *y, bool reach)
{
    bool met = false;
    for (int i = x->first; i < x->end && !met; i++) {
        const solid *one = &a->solid[i];
        for (int k = y->first; thud_aabb_overlap(&one->reach, &y->reach) && k < y->end && !met; k++) {
            met = solids_meet(a, one, b, &b->solid[k], reach);
        }
    }
    return met;
}

static bool parts_meet(const crowd_part *a, const crowd_part *b, bool reach)
{
    bool met = false;
    for (int i = 0; thud_aabb_overlap(&a->reach, &b->reach) && i < a->robots && !met; i++) {
        const robot *x = &a->robot[i];
        for (int k = 0; thud_aabb_overlap(&x->reach, &b->reach) && k < b->robots && !met; k++) {
            const robot *y = &b->robot[k];
            met = thud_aabb_overlap(&x->reach, &y->reach) && robots_meet(a, x, b, y, reach);
        }
    }
    return met;
}

bool parts_are_apart(const parts *p, bool reach)
{
    bool apart = true;
    for (int i = 0; i < p->count && apart; i++) {
        for (int k = 0; k < i && apart; k++) {
            apart = !parts_meet(&p->part[i], &p->part[k], reach);
        }
    }
    return apart;
}
