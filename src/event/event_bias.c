// SPDX-License-Identifier: Apache-2.0
// event_bias.c: what the motion alone adds to the rates of u = G v: G' v.                       [theory 5; BW 9]
//
//     contacts   u_n' = n . (a2(p) - a1(p)) + n' . (v2 - v1)(p) + n . (w2 x (p' - v2) - w1 x (p' - v1))
//
// with a_i(p), v_i(p) of the material points now at p, at qacc = 0, and n', p' the rates of the contact's
// normal and point over the surfaces (gap_rate.c). For a vertex on a face p' = v2 and this is Baraff's
//     b = n . (a2 - a1) + 2 n' . (v2 - v1)
// and for edges his with n' of e1 x e2; for a rolling ball it is right where his, for material points, is not.
// Rows along the tangents are equations only while nothing slips, so t' . (v2 - v1) is 0 there and left out.
//
//     others     G' v = d/ds G(q + s v) v  at  s = 0
//
// by a central difference of fourth order, over a turn of a thousandth: relative error 1e-12. Others are
// equalities, tendons, balls' limits and surfaces without closed form (ellipsoids, cylinders on edge).
#include <math.h>
#include <string.h>

#include <thud/spatial_inline.h>

#include "event.h"

static bool closed_form(const thud_sim *sim, const tie *t)
{
    const bool distance = t->kind == TIE_CONTACT && sim->sight.touch[t->of].gap->kind == THUD_GAP_DISTANCE;
    const bool ball = t->kind == TIE_LIMIT && sim->m->joint_type[t->of] == THUD_JOINT_BALL;
    return t->kind == TIE_DRY || (t->kind == TIE_LIMIT && !ball) || (t->kind == TIE_CONTACT && !distance);
}

// ------------------------------------------------------------------------------------------ contacts

typedef struct material { // the point of a body that is now somewhere
    vec3 v, w, a, spin;   // velocities; accelerations at qacc = 0, linear and angular
} material;

static material material_at(const thud_sim *sim, int body, vec3 p)
{
    const int i = sim->m->body_link[body];
    if (i < 0) {
        return (material){0};
    }
    const thud_link *l = &sim->d->link[i];
    const vec3 r = v3_sub(p, l->o), wr = v3_cross(l->w, r);
    const vec3 a = v3_add(v3_add(l->bv, sim->m->gravity), v3_add(v3_cross(l->bw, r), v3_cross(l->w, wr)));
    return (material){v3_add(l->v, wr), l->w, a, l->bw};
}

static thud_motion motion_of(const thud_sim *sim, int geom, pose X_wg)
{
    const material m = material_at(sim, sim->m->geom_body[geom], X_wg.p);
    return (thud_motion){m.w, m.v};
}

static void bias_of_contact(thud_sim *sim, tie *t)
{
    const touch *of = &sim->sight.touch[t->of];
    const thud_contact *c = of->contact;
    const pose X1 = sim_frame(sim, sim->m->geom_body[c->geom1], sim->m->geom_pose[c->geom1]);
    const pose X2 = sim_frame(sim, sim->m->geom_body[c->geom2], sim->m->geom_pose[c->geom2]);
    thud_gap_rate rate;
    if (!thud_gap_rate_at(of->gap, X1, motion_of(sim, c->geom1, X1), X2, motion_of(sim, c->geom2, X2),
                          &rate)) {
        return;
    }
    const vec3 p = v3_scale(0.5, v3_add(t->gap.point[0], t->gap.point[1]));
    const material m1 = material_at(sim, c->body1, p), m2 = material_at(sim, c->body2, p);
    const vec3 run =
        v3_sub(v3_cross(m2.w, v3_sub(rate.point, m2.v)), v3_cross(m1.w, v3_sub(rate.point, m1.v)));
    const vec3 a = v3_add(v3_sub(m2.a, m1.a), run), turn = v3_sub(m2.spin, m1.spin);
    vec3 frame[3];
    thud_contact_frame(sim->m, sim->d, c, t->gap.normal, frame);
    for (int k = 0; k < 3; k++) {
        t->b[k] = v3_dot(frame[k], a);
        t->b[3 + k] = v3_dot(frame[k], turn);
    }
    t->b[0] += v3_dot(rate.normal, v3_sub(m2.v, m1.v));
}

void bias_of_contacts(thud_sim *sim)
{
    for (int i = 0; i < sim->above.event->ties; i++) {
        tie *t = &sim->above.event->tie[i];
        if (t->hold != HOLD_OPEN && t->kind == TIE_CONTACT) {
            bias_of_contact(sim, t);
        }
    }
}

// ------------------------------------------------------------------------------------------ others

// The largest speed, in turns a second or metres a second, to find how far to go for a difference.
static double quickest(const thud_sim *sim)
{
    double most = 0;
    for (int i = 0; i < sim->m->joints; i++) {
        most = thud_max(most, v3_norm(sim->fall.V[i].ang) + v3_norm(sim->fall.V[i].lin));
    }
    return most;
}

static bool differs(const thud_sim *sim, const tie *t)
{
    return t->hold != HOLD_OPEN && !closed_form(sim, t);
}

static void add_difference(thud_sim *sim, const double *q, const double *v, double weight)
{
    event_drive *e = sim->above.event;
    ties_place(sim, q, v);
    for (int i = 0; i < e->ties; i++) {
        tie *t = &e->tie[i];
        if (differs(sim, t)) {
            tie there = *t;
            tie_measure(sim, &there, q, v);
            for (int k = 0; k < TIE_ROWS; k++) {
                t->b[k] += weight * there.u[k];
            }
        }
    }
    for (int i = 0; i < sim->m->equalities; i++) {
        double u[LOOP_ROWS] = {0};
        freedom f[AXES];
        loops_velocity(sim, i, q, v, u);
        for (int k = 0; k < LOOP_ROWS; k++) {
            e->loop_b[LOOP_ROWS * i + k] += weight * u[k];
        }
        const int axes =
            loop_has_axes(sim->m, i) && sim->m->eq_armature[i] > 0 ? loop_freedoms(sim, i, f) : 0;
        for (int k = 0; k < axes; k++) {
            e->axis_b[AXES * i + k] += weight * loop_axis_velocity(sim, i, &f[k]);
        }
    }
}

void bias_by_differences(thud_sim *sim, const double *q, const double *v)
{
    static const double place[4] = {-2, -1, 1, 2}, weight[4] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
    static const double TURN = 1e-3;
    event_drive *e = sim->above.event;
    bool any = sim->m->equality_on && sim->m->equalities > 0;
    for (int i = 0; i < e->ties; i++) {
        memset(e->tie[i].b, 0, sizeof e->tie[i].b);
        any |= differs(sim, &e->tie[i]);
    }
    if (!any) {
        return;
    }
    memset(e->loop_b, 0, LOOP_ROWS * (size_t)sim->m->equalities * sizeof *e->loop_b);
    memset(e->axis_b, 0, AXES * (size_t)sim->m->equalities * sizeof *e->axis_b);
    ties_place(sim, q, v);
    const double s = TURN / (quickest(sim) + 1e-3);
    for (int k = 0; k < 4; k++) {
        thud_qpos_integrate(sim->m, q, v, place[k] * s, e->q_shift);
        add_difference(sim, e->q_shift, v, weight[k] / s);
    }
}
