// SPDX-License-Identifier: Apache-2.0
// sense_frames.c: sensors of frames and of subtrees.
//
// Symbols  x, w, v position, angular and linear velocity, world · _r of the frame it is seen from
//          seen from a frame:  R_r^T (x - x_r),   R_r^T (w - w_r),   R_r^T (v - v_r - w_r x (x - x_r))
#include "sense.h"

void sense_place(thud_sim *sim, const double *q, const double *v)
{
    thud_dynamics_place(sim->m, q, sim->above.senses->d);
    thud_dynamics_move(sim->m, v, sim->above.senses->d);
    sense_bodies(sim, sim->above.senses->d);
}

void sense_bodies(thud_sim *sim, const thud_dynamics *d)
{
    const thud_model *m = sim->m;
    senses *s = sim->above.senses;
    for (int i = 0; i < m->bodies; i++) {
        sensed_body *b = &s->body[i];
        const int link = m->body_link[i];
        *b = (sensed_body){.X = m->body_in_link[i]};
        if (link >= 0) {
            const thud_link *l = &d->link[link];
            b->X = pose_mul((pose){q_of_m3(&l->R), l->o}, b->X);
            b->w = l->w;
            b->v = v3_add(l->v, v3_cross(l->w, v3_sub(b->X.p, l->o)));
        }
        s->X_wb[i] = b->X;
    }
}

thud_pose sense_frame(const thud_sim *sim, int object_type, int object, int *body)
{
    const thud_model *m = sim->m;
    pose in_body = pose_identity();
    *body = object;
    switch (object_type) {
    case THUD_OBJECT_BODY:
        in_body = (pose){m->body_iquat[object], m->body_inertia[object].com};
        break;
    case THUD_OBJECT_GEOM:
        in_body = m->geom_pose[object];
        *body = m->geom_body[object];
        break;
    case THUD_OBJECT_SITE:
        in_body = m->site_pose[object];
        *body = m->site_body[object];
        break;
    default:
        break;
    }
    return pose_mul(sim->above.senses->body[*body].X, in_body);
}

// ---------------------------------------------------------------------------------------------- frames

static vec3 column(quat q, int axis)
{
    return q_rotate(q, v3(axis == 0, axis == 1, axis == 2));
}

void sense_frame_position(const thud_sim *sim, int sensor, double *to)
{
    const thud_model *m = sim->m;
    const int type = m->sensor_type[sensor];
    int body, from;
    pose X = sense_frame(sim, m->sensor_object_type[sensor], m->sensor_object[sensor], &body);
    if (m->sensor_reference_type[sensor] != THUD_OBJECT_NONE) {
        const pose X_r =
            sense_frame(sim, m->sensor_reference_type[sensor], m->sensor_reference[sensor], &from);
        X = pose_mul(pose_inv(X_r), X);
    }
    if (type == THUD_SENSOR_FRAMEPOS) {
        put_vec(X.p, to);
    } else if (type == THUD_SENSOR_FRAMEQUAT) {
        to[0] = X.q.w;
        put_vec(v3(X.q.x, X.q.y, X.q.z), to + 1);
    } else {
        put_vec(column(X.q, type - THUD_SENSOR_FRAMEXAXIS), to);
    }
}

static vec3 velocity_at(const sensed_body *b, vec3 x)
{
    return v3_add(b->v, v3_cross(b->w, v3_sub(x, b->X.p)));
}

void sense_frame_velocity(const thud_sim *sim, int sensor, double *to)
{
    const thud_model *m = sim->m;
    const bool turning = m->sensor_type[sensor] == THUD_SENSOR_FRAMEANGVEL;
    int body, from;
    const pose X = sense_frame(sim, m->sensor_object_type[sensor], m->sensor_object[sensor], &body);
    const sensed_body *b = &sim->above.senses->body[body];
    vec3 u = turning ? b->w : velocity_at(b, X.p);
    if (m->sensor_reference_type[sensor] != THUD_OBJECT_NONE) {
        const pose X_r =
            sense_frame(sim, m->sensor_reference_type[sensor], m->sensor_reference[sensor], &from);
        const sensed_body *r = &sim->above.senses->body[from];
        u = q_unrotate(X_r.q, v3_sub(u, turning ? r->w : velocity_at(r, X.p)));
    }
    put_vec(u, to);
}

// ---------------------------------------------------------------------------------------------- subtrees

static vec3 centre(const thud_sim *sim, int body)
{
    return pose_point(sim->above.senses->body[body].X, sim->m->body_inertia[body].com);
}

vec3 sense_inertia(const thud_sim *sim, int body, vec3 x)
{
    THUD_ASSERT(body >= 0 && body < sim->m->bodies);
    const double *I = sim->m->body_inertia[body].I;
    const quat q = sim->above.senses->body[body].X.q;
    const vec3 y = q_unrotate(q, x);
    return q_rotate(q, v3(I[0] * y.x + I[3] * y.y + I[4] * y.z, I[3] * y.x + I[1] * y.y + I[5] * y.z,
                          I[4] * y.x + I[5] * y.y + I[2] * y.z));
}

void sense_subtree(thud_sim *sim, int sensor, double *to)
{
    const thud_model *m = sim->m;
    senses *s = sim->above.senses;
    const int top = m->sensor_object[sensor];
    double mass = 0;
    vec3 moment = v3(0, 0, 0), momentum = v3(0, 0, 0), spin = v3(0, 0, 0);
    for (int i = 0; i < m->bodies; i++) {
        s->inside[i] = i == top || (m->body_parent[i] >= 0 && s->inside[m->body_parent[i]]);
        if (s->inside[i]) {
            const double share = m->body_inertia[i].mass;
            const vec3 c = centre(sim, i), p = v3_scale(share, velocity_at(&s->body[i], c));
            mass += share;
            moment = v3_axpy(share, c, moment);
            momentum = v3_add(momentum, p);
            spin = v3_add(spin, v3_add(sense_inertia(sim, i, s->body[i].w), v3_cross(c, p)));
        }
    }
    const bool heavy = mass > 1e-15;
    const vec3 com = heavy ? v3_scale(1 / mass, moment) : centre(sim, top);
    if (m->sensor_type[sensor] == THUD_SENSOR_SUBTREECOM) {
        put_vec(com, to);
    } else if (m->sensor_type[sensor] == THUD_SENSOR_SUBTREELINVEL) {
        put_vec(heavy ? v3_scale(1 / mass, momentum) : momentum, to);
    } else {
        put_vec(v3_sub(spin, v3_cross(com, momentum)), to);
    }
}
