// SPDX-License-Identifier: Apache-2.0
// joint_fit.c: Gauss-Newton on the few joints between a body and its parent.
//
// Problem.  With X(q) the pose that the joints give the body in its parent, and E = X(q)^-1 X_pb the pose
//   that is left over, minimise |r|^2, r = (log of E's rotation, E p - p), p the last joint's anchor.
// Symbols.  r(q) 6 numbers, J = dr/dq by differences, A = J^T J.
// Cost.     6 k^2 a round for k joints. Fails: where two axes of a body coincide, A is singular; the fit
//   then stays at the guess along what it cannot tell.
#include <math.h>
#include <string.h>

#include <thud/spatial_inline.h>

#include "joint_fit.h"

enum { FIT_MAX = 6, FIT_ROUNDS = 12 };

typedef struct fit {
    const thud_model *m;
    int body, first, count; // its joints
    pose X_pb;
    vec3 anchor; // in the body
} fit;

// The pose that joints at q give the body in its parent.
static pose joints_pose(const fit *f, const double q[FIT_MAX])
{
    const thud_model *m = f->m;
    pose X = m->body_pose[f->body];
    for (int k = 0; k < f->count; k++) {
        const int j = f->first + k;
        const double by = q[k] - m->qpos0[m->joint_q[j]];
        if (m->joint_type[j] == THUD_JOINT_SLIDE) {
            X.p = v3_add(X.p, q_rotate(X.q, v3_scale(by, m->joint_axis[j])));
        } else {
            const quat R = q_axis_angle(m->joint_axis[j], by);
            const vec3 p = m->joint_pos[j];
            X = pose_mul(X, (pose){R, v3_sub(p, q_rotate(R, p))});
        }
    }
    return X;
}

static void leftover(const fit *f, const double q[FIT_MAX], double r[6])
{
    const pose E = pose_mul(pose_inv(joints_pose(f, q)), f->X_pb);
    const vec3 angle = q_log(E.q), shift = v3_sub(pose_point(E, f->anchor), f->anchor);
    const double out[6] = {angle.x, angle.y, angle.z, shift.x, shift.y, shift.z};
    memcpy(r, out, sizeof out);
}

static void differentiate(const fit *f, const double q[FIT_MAX], double J[6][FIT_MAX])
{
    const double step = 1e-6;
    for (int k = 0; k < f->count; k++) {
        double moved[FIT_MAX], up[6], down[6];
        memcpy(moved, q, sizeof moved);
        moved[k] = q[k] + step;
        leftover(f, moved, up);
        moved[k] = q[k] - step;
        leftover(f, moved, down);
        for (int i = 0; i < 6; i++) {
            J[i][k] = (up[i] - down[i]) / (2 * step);
        }
    }
}

// x = (J^T J)^-1 J^T b by Gauss-Jordan; a pivot of nothing leaves its x at 0.
static void least_squares(int n, double J[6][FIT_MAX], const double b[6], double x[FIT_MAX])
{
    double A[FIT_MAX][FIT_MAX + 1] = {{0}};
    for (int i = 0; i < n; i++) {
        for (int r = 0; r < 6; r++) {
            for (int k = 0; k < n; k++) {
                A[i][k] += J[r][i] * J[r][k];
            }
            A[i][n] += J[r][i] * b[r];
        }
    }
    for (int i = 0; i < n; i++) {
        if (A[i][i] > 1e-9) {
            for (int r = 0; r < n; r++) {
                const double by = r == i ? 0 : A[r][i] / A[i][i];
                for (int k = 0; k <= n; k++) {
                    A[r][k] -= by * A[i][k];
                }
            }
        }
    }
    for (int i = 0; i < n; i++) {
        x[i] = A[i][i] > 1e-9 ? A[i][n] / A[i][i] : 0;
    }
}

static double fit_scalars(const fit *f, thud_motion V_pb, double *qpos, double *qvel)
{
    const thud_model *m = f->m;
    const int first_q = m->joint_q[f->first], first_v = m->joint_v[f->first];
    double q[FIT_MAX] = {0}, r[6], J[6][FIT_MAX], x[FIT_MAX];
    memcpy(q, qpos + first_q, sizeof *q * (size_t)f->count);
    double change = INFINITY;
    for (int round = 0; round < FIT_ROUNDS && change > 1e-12; round++) {
        leftover(f, q, r);
        differentiate(f, q, J);
        least_squares(f->count, J, r, x);
        change = 0;
        for (int k = 0; k < f->count; k++) {
            q[k] -= x[k];
            change = fmax(change, fabs(x[k]));
        }
    }
    leftover(f, q, r);
    differentiate(f, q, J);
    const vec3 w = q_unrotate(f->X_pb.q, V_pb.ang); // dr/dt of the fit is minus the velocity
    const vec3 v = v3_add(q_unrotate(f->X_pb.q, V_pb.lin), v3_cross(w, f->anchor));
    const double rate[6] = {-w.x, -w.y, -w.z, -v.x, -v.y, -v.z};
    least_squares(f->count, J, rate, x);
    memcpy(qpos + first_q, q, sizeof *q * (size_t)f->count);
    memcpy(qvel + first_v, x, sizeof *x * (size_t)f->count);
    return fmax(v3_norm(v3(r[0], r[1], r[2])), v3_norm(v3(r[3], r[4], r[5])));
}

static double fit_ball(const fit *f, thud_motion V_pb, double *qpos, double *qvel)
{
    const thud_model *m = f->m;
    const pose X0 = m->body_pose[f->body];
    const quat Q = q_normalize(q_mul(q_conj(X0.q), f->X_pb.q));
    const vec3 w = q_unrotate(f->X_pb.q, V_pb.ang);
    double *q = qpos + m->joint_q[f->first], *v = qvel + m->joint_v[f->first];
    q[0] = Q.w, q[1] = Q.x, q[2] = Q.y, q[3] = Q.z;
    v[0] = w.x, v[1] = w.y, v[2] = w.z;
    return v3_norm(v3_sub(pose_point(f->X_pb, f->anchor), pose_point(X0, f->anchor)));
}

static double fit_free(const fit *f, thud_motion V_pb, double *qpos, double *qvel)
{
    const pose X = f->X_pb;
    const vec3 w = q_unrotate(X.q, V_pb.ang);
    const double q[7] = {X.p.x, X.p.y, X.p.z, X.q.w, X.q.x, X.q.y, X.q.z};
    const double v[6] = {V_pb.lin.x, V_pb.lin.y, V_pb.lin.z, w.x, w.y, w.z};
    memcpy(qpos + f->m->joint_q[f->first], q, sizeof q);
    memcpy(qvel + f->m->joint_v[f->first], v, sizeof v);
    return 0;
}

double joint_fit(const thud_model *m, int body, thud_pose X_pb, thud_motion V_pb, double *qpos, double *qvel)
{
    fit f = {.m = m, .body = body, .first = m->body_joint[body], .count = m->body_joints[body], .X_pb = X_pb};
    if (f.count == 0) { // welded
        const pose E = pose_mul(pose_inv(m->body_pose[body]), X_pb);
        return fmax(v3_norm(q_log(E.q)), v3_norm(E.p));
    }
    const int last = f.first + f.count - 1;
    f.anchor = m->joint_pos[last];
    if (m->joint_type[f.first] == THUD_JOINT_FREE) {
        return fit_free(&f, V_pb, qpos, qvel);
    }
    if (m->joint_type[f.first] == THUD_JOINT_BALL && f.count == 1) {
        return fit_ball(&f, V_pb, qpos, qvel);
    }
    for (int j = f.first; j <= last; j++) {
        if (m->joint_type[j] == THUD_JOINT_BALL || f.count > FIT_MAX) {
            return NAN;
        }
    }
    return fit_scalars(&f, V_pb, qpos, qvel);
}
