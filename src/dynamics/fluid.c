// SPDX-License-Identifier: Apache-2.0
// fluid.c: drag of the medium, by MuJoCo's simple model: every body is the box that has its inertia.
//
// Symbols  b edges of the box · d = mean of b, diameter of a sphere · rho density, beta viscosity
//          w, v angular velocity, velocity of the centre against the wind, along the principal axes
//     Stokes  n = -pi d^3 beta w,                                     f = -3 pi d beta v
//     drag    n_i = -rho b_i (b_j^4 + b_k^4) |w_i| w_i / 64,          f_i = -rho b_j b_k |v_i| v_i / 2
// Cost     about 150 flops a body.
#include "kernel.h"

static const double PI = 3.14159265358979323846;

typedef struct wrench { // at the centre of mass, principal axes
    double n[3], f[3];
} wrench;

static wrench resist(const thud_model *m, const double b[3], const double w[3], const double v[3])
{
    const double d = (b[0] + b[1] + b[2]) / 3, beta = m->viscosity, rho = m->density;
    wrench out;
    for (int i = 0; i < 3; i++) {
        const double x = b[i], y = b[(i + 1) % 3], z = b[(i + 2) % 3];
        out.n[i] = -PI * d * d * d * beta * w[i] -
                   rho * x * (y * y * y * y + z * z * z * z) * fabs(w[i]) * w[i] / 64;
        out.f[i] = -3 * PI * d * beta * v[i] - 0.5 * rho * y * z * fabs(v[i]) * v[i];
    }
    return out;
}

// Adds scale times the drag on a body to the wrench (n, f) about its link's origin.
static void add_drag(const thud_model *m, int body, const thud_link *l, double scale, vec3 *n, vec3 *f)
{
    const pose X_wl = {q_of_m3(&l->R), l->o}, X_wb = pose_mul(X_wl, m->body_in_link[body]);
    const vec3 arm = v3_sub(pose_point(X_wb, m->body_inertia[body].com), l->o);
    const quat q = q_mul(X_wb.q, m->body_iquat[body]);
    const vec3 w = q_unrotate(q, l->w), v = q_unrotate(q, v3_sub(v3_add(l->v, v3_cross(l->w, arm)), m->wind));
    const double b[3] = {m->body_box[body].x, m->body_box[body].y, m->body_box[body].z};
    const wrench r = resist(m, b, (double[]){w.x, w.y, w.z}, (double[]){v.x, v.y, v.z});
    const vec3 force = q_rotate(q, v3(r.f[0], r.f[1], r.f[2]));
    const vec3 torque = v3_add(q_rotate(q, v3(r.n[0], r.n[1], r.n[2])), v3_cross(arm, force));
    *n = v3_axpy(scale, torque, *n);
    *f = v3_axpy(scale, force, *f);
}

static bool feels(const thud_model *m, int body)
{
    return m->body_link[body] >= 0 && m->body_inertia[body].mass > 0;
}

void thud_dynamics_drag(const thud_model *m, thud_dynamics *d)
{
    for (int i = 1; m->has_drag && i < m->bodies; i++) {
        const int link = m->body_link[i];
        if (feels(m, i) && link >= d->first && link < d->end) {
            thud_link *l = &d->link[link];
            add_drag(m, i, l, -1, &l->n0, &l->f0); // the bias is what the motion needs
        }
    }
}

void thud_drag_force(const thud_model *m, thud_dynamics *d, double *tau)
{
    if (!m->has_drag) {
        return;
    }
    for (int i = 0; i < m->joints; i++) {
        d->link[i].zn = d->link[i].zf = v3(0, 0, 0);
    }
    for (int i = 1; i < m->bodies; i++) {
        if (feels(m, i)) {
            thud_link *l = &d->link[m->body_link[i]];
            add_drag(m, i, l, 1, &l->zn, &l->zf);
        }
    }
    dynamics_project(m, d, tau);
}
