// SPDX-License-Identifier: Apache-2.0
// world_rules.h: what MJCF says about a scene and engines of rigid bodies do not know: which geoms meet, how
// rough they are together, what such an engine cannot hold. For the adapters of ODE and Bullet, which read a
// thud_model and link with nothing of Thud's.
#pragma once

#include <math.h>
#include <stdio.h>

#include <thud/spatial_inline.h>

#include "engine.h"

// True when two geoms may touch, by MuJoCo's rules: masks, welded bodies, parent and child, excluded bodies.
static inline bool rules_meet(const thud_model *m, int g1, int g2)
{
    const int b1 = m->geom_body[g1], b2 = m->geom_body[g2], w1 = m->body_weld[b1], w2 = m->body_weld[b2];
    if (w1 == w2 || !((m->geom_contype[g1] & m->geom_conaffinity[g2]) ||
                      (m->geom_contype[g2] & m->geom_conaffinity[g1]))) {
        return false;
    }
    const int p1 = w1 > 0 ? m->body_weld[m->body_parent[w1]] : 0,
              p2 = w2 > 0 ? m->body_weld[m->body_parent[w2]] : 0;
    if (m->filterparent_on && ((p1 == w2 && w2 > 0) || (p2 == w1 && w1 > 0))) {
        return false;
    }
    for (int k = 0; k < m->excludes; k++) {
        const int e1 = m->exclude_body[2 * k], e2 = m->exclude_body[2 * k + 1];
        if ((e1 == b1 && e2 == b2) || (e1 == b2 && e2 == b1)) {
            return false;
        }
    }
    return true;
}

// True for geoms that can touch anything at all.
static inline bool rules_solid(const thud_model *m, int g)
{
    return m->contact_on && (m->geom_contype[g] || m->geom_conaffinity[g]);
}

// Friction of two geoms: that of the one with priority, or the larger.
static inline double rules_friction(const thud_model *m, int g1, int g2)
{
    const double mu1 = m->geom_condim[g1] > 1 ? m->geom_friction[3 * g1] : 0,
                 mu2 = m->geom_condim[g2] > 1 ? m->geom_friction[3 * g2] : 0;
    const int first = m->geom_priority[g1] - m->geom_priority[g2];
    return first > 0 ? mu1 : first < 0 ? mu2 : fmax(mu1, mu2);
}

// NULL, or what stands in the scene that no engine of rigid bodies holds.
static inline const char *rules_refuse(const engine_start *start)
{
    const thud_model *m = start->model;
    for (int i = 0; i < start->rigids; i++) {
        const engine_rigid *r = &start->rigid[i];
        if (!(r->mass > 0 && r->I.x > 0 && r->I.y > 0 && r->I.z > 0)) {
            return "a body without mass or inertia";
        }
        if (m->body_joints[r->body] != 1) {
            return "a body with several joints";
        }
    }
    for (int e = 0; e < m->equalities; e++) {
        if (m->eq_active[e] && m->eq_type[e] != THUD_EQUALITY_CONNECT) {
            return "an equality that is not a connect";
        }
    }
    for (int v = 0; v < m->nv; v++) {
        if (m->dof_frictionloss[v] > 0 && m->frictionloss_on) {
            return "dry friction in a joint";
        }
    }
    return m->actuators > 0    ? "actuators"
           : m->tendons > 0    ? "tendons"
           : m->pairs > 0      ? "contact pairs with numbers of their own"
           : m->carries_weight ? "gravity compensation"
           : m->has_drag       ? "drag"
                               : NULL;
}

// Why a geom of a kind that the engine does not have is refused.
static inline void rules_no_shape(thud_shape_kind kind, char why[ENGINE_WHY_SIZE])
{
    static const char *const name[] = {"plane",    "sphere", "capsule", "ellipsoid",
                                       "cylinder", "box",    "mesh",    "height field"};
    snprintf(why, ENGINE_WHY_SIZE, "a geom that is a %s", name[kind]);
}

// The pose of a geom in its rigid body, or in the world where it is fixed.
static inline thud_pose rules_geom_pose(const engine_start *start, int g)
{
    return pose_mul(start->X_cb[start->model->geom_body[g]], start->model->geom_pose[g]);
}

// Where a joint is held and its axis, in the world at the start.
static inline thud_vec3 rules_anchor(const engine_start *start, int j)
{
    return pose_point(start->X_wb[start->model->joint_body[j]], start->model->joint_pos[j]);
}

static inline thud_vec3 rules_axis(const engine_start *start, int j)
{
    return q_rotate(start->X_wb[start->model->joint_body[j]].q, start->model->joint_axis[j]);
}

// The rigid body that joint j holds on to; -1: the world.
static inline int rules_parent(const engine_start *start, int j)
{
    return start->rigid_of[start->model->body_parent[start->model->joint_body[j]]];
}

// Force of the spring and the damper of a hinge or slide that has moved by `moved` since the start.
static inline double rules_passive(const engine_start *start, int j, double moved, double rate)
{
    const thud_model *m = start->model;
    const int q = m->joint_q[j];
    const double stretch = start->state->qpos[q] + moved - m->qpos_spring[q];
    return -(m->spring_on ? m->joint_stiffness[j] : 0) * stretch -
           (m->damper_on ? m->dof_damping[m->joint_v[j]] : 0) * rate;
}

// True where that force is ever other than zero.
static inline bool rules_sprung(const thud_model *m, int j)
{
    return m->joint_dofs[j] == 1 && ((m->spring_on && m->joint_stiffness[j] > 0) ||
                                     (m->damper_on && m->dof_damping[m->joint_v[j]] > 0));
}

// Where all bodies are, from where the rigid bodies are.
static inline void rules_place(const engine_start *start, int rigid, thud_pose X_wc, thud_vec3 w, thud_vec3 v,
                               thud_pose *X_wb, thud_motion *V_wb)
{
    for (int b = start->rigid[rigid].body; b < start->model->bodies; b++) {
        if (start->rigid_of[b] == rigid) {
            X_wb[b] = pose_mul(X_wc, start->X_cb[b]);
            V_wb[b].ang = w;
            V_wb[b].lin = v3_add(v, v3_cross(w, v3_sub(X_wb[b].p, X_wc.p)));
        } else if (start->model->body_root[b] != start->model->body_root[start->rigid[rigid].body]) {
            break; // bodies of one tree stand together
        }
    }
}
