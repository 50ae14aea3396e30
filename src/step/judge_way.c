// SPDX-License-Identifier: Apache-2.0
// judge_way.c: whether a body went through another one between the ends of a substep. [theory 7]
//
// Of the pairs that were near at its start, those are looked at that moved by more than their gap and a quarter of the thinner one.
// Who ends with the direction between the two turned round, and overlaps by a tenth on the straight way, has passed.
//
// Cost     a pass over dofs and links; over the candidates where something goes farther than a quarter of the thinnest geom.
// Fails    for what never was a candidate, or began deeper than the width of the thinner one, which is told as an overlap.
#include <math.h>

#include <thud/collide_gap.h>

#include "approach.h"
#include "doubts.h"

static const double SUSPECT = 0.25, THROUGH = 0.1; // of the width

static double geom_width(const thud_sim *sim, const thud_contact *c)
{
    return thud_min(sim_width(&sim->m->geom_shape[c->geom1]), sim_width(&sim->m->geom_shape[c->geom2]));
}

static bool is_far(const thud_sim *sim, double least) // does any link move by so much
{
    for (int i = 0; i < sim->m->joints; i++) {
        const thud_motion *d = &sim->fall.V_hat[i];
        if (v3_norm(d->lin) + sim->sight.extent[i] * v3_norm(d->ang) > least) {
            return true;
        }
    }
    return false;
}

// The way of a geom that ends where the links are, in one unit of time.
static thud_path way_of(const thud_sim *sim, int geom, int body)
{
    const thud_pose end = sim_frame(sim, body, sim->m->geom_pose[geom]);
    const int link = sim->m->body_link[body];
    thud_path path = {.start = end};
    if (link >= 0) {
        path.twist =
            (thud_motion){sim->fall.V_hat[link].ang, point_velocity(sim, sim->fall.V_hat, body, end.p)};
        path.start.p = v3_sub(end.p, path.twist.lin);
        path.start.q = q_normalize(q_mul(q_exp(v3_neg(path.twist.ang)), end.q));
    }
    return path;
}

// Over uneven ground: its middle was above and is below.
static bool is_under(const thud_sim *sim, const thud_contact *c)
{
    const bool first = sim->m->geom_shape[c->geom1].kind == THUD_SHAPE_HFIELD;
    const int ground = first ? c->geom1 : c->geom2, other = first ? c->geom2 : c->geom1;
    const int below = first ? c->body1 : c->body2, above = first ? c->body2 : c->body1;
    const thud_path of_ground = way_of(sim, ground, below), of_other = way_of(sim, other, above);
    double over[2];
    for (int k = 0; k < 2; k++) {
        const thud_pose X = thud_path_at(&of_ground, k);
        const vec3 x = q_unrotate(X.q, v3_sub(thud_path_at(&of_other, k).p, X.p));
        double height;
        vec3 normal;
        if (!thud_hfield_sample(sim->m->geom_shape[ground].hfield, x.x, x.y, &height, &normal)) {
            return false;
        }
        over[k] = x.z - height;
    }
    return over[0] > 0 && over[1] < 0;
}

typedef struct ways { // of a pair
    const thud_shape *shape[2];
    thud_path path[2];
    thud_pair_cache cache;
    thud_pair_gap gap; // when it was last looked at
} ways;

static double look(ways *w, double t)
{
    return thud_pair_distance(w->shape[0], thud_path_at(&w->path[0], t), w->shape[1],
                              thud_path_at(&w->path[1], t), &w->cache, &w->gap);
}

// Does the straight way, so long, lead through, and does it end on the other side?
static bool goes_through(const thud_sim *sim, const thud_contact *c, double width, double way)
{
    static const double SIDE = 0.5;               // cosine
    static const double LEAST = 64, MOST = 20000; // steps of the walk
    const thud_shape *shape = sim->m->geom_shape;
    if (shape[c->geom1].kind == THUD_SHAPE_HFIELD || shape[c->geom2].kind == THUD_SHAPE_HFIELD) {
        return is_under(sim, c);
    }
    ways w = {.shape = {&shape[c->geom1], &shape[c->geom2]},
              .path = {way_of(sim, c->geom1, c->body1), way_of(sim, c->geom2, c->body2)}};
    (void)look(&w, 0);
    const vec3 normal = w.gap.normal;
    (void)look(&w, 1);
    if (v3_dot(w.gap.normal, normal) >= SIDE) {
        return false;
    }
    const double steps = thud_max(LEAST, thud_min(MOST, 4 * way / width));
    double deepest = INFINITY;
    for (int k = 1; k < steps && deepest >= -THROUGH * width; k++) {
        deepest = thud_min(deepest, look(&w, k / steps));
    }
    return deepest < -THROUGH * width;
}

// How far two geoms may have come nearer, whatever they turned, m.
static double approach_of(const thud_sim *sim, const thud_contact *c)
{
    const int geom[2] = {c->geom1, c->geom2}, body[2] = {c->body1, c->body2};
    vec3 way[2];
    double turned = 0;
    for (int k = 0; k < 2; k++) {
        const int link = sim->m->body_link[body[k]];
        const vec3 at = link < 0 ? v3(0, 0, 0) : sim_frame(sim, body[k], sim->m->geom_pose[geom[k]]).p;
        way[k] = point_velocity(sim, sim->fall.V_hat, body[k], at);
        const double angle = link < 0 ? 0 : v3_norm(sim->fall.V_hat[link].ang);
        turned += angle > 0 ? thud_min(angle, 2) * thud_shape_radius(&sim->m->geom_shape[geom[k]]) : 0;
    }
    return v3_norm(v3_sub(way[1], way[0])) + turned;
}

void sim_judge_way(thud_sim *sim)
{
    const thud_model *m = sim->m;
    if (!sim->sight.collider || sim_by_events(sim) || sim->sight.touches == 0) {
        return;
    }
    thud_qpos_difference(m, sim->begun.q_start, sim->go.q_next, sim->go.u[0]);
    thud_dynamics_twists(m, sim->d, sim->go.u[0], sim->fall.V_hat);
    if (!is_far(sim, SUSPECT * sim_least_width(sim))) {
        return;
    }
    bool placed = false;
    for (int i = 0; i < sim->sight.touches; i++) {
        const thud_contact *c = sim->sight.touch[i].contact;
        const double width = geom_width(sim, c);
        const double beyond = approach_of(sim, c) - c->phi;
        if (c->phi < -width || beyond < SUSPECT * width || !(width < INFINITY)) {
            continue;
        }
        if (!placed) {
            sim_place_frames(sim, sim->go.q_next);
            placed = true;
        }
        if (goes_through(sim, c, width, beyond + c->phi)) {
            doubts_raise(sim->judge.doubts, THUD_DOUBT_PASSED, doubt_between_geoms(m, c->geom1, c->geom2),
                         beyond, 0);
        }
    }
}
