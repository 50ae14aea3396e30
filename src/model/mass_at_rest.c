// SPDX-License-Identifier: Apache-2.0
// mass_at_rest.c: the mass matrix M at the reference pose, and the masses that joints and actuators feel there.
//
//     M = sum over bodies of  m J_v^T J_v + J_w^T I J_w,  plus armature        J of the body's centre of mass
//     M = L^T D L by rows of dof_row, as Featherstone, Rigid Body Dynamics Algorithms, table 6.3
//     J M^-1 J^T = sum of y_i^2 / D_i,   L^T y = J^T                           the inverse of the mass felt along J
//
// Cost O(bodies depth^2), a lever O(n depth).
#include <math.h>

#include <thud/model_poses.h>
#include <thud/spatial_inline.h>

#include "mass_at_rest.h"

static vec3 times(const double I[6], vec3 a)
{
    return v3(I[0] * a.x + I[3] * a.y + I[4] * a.z, I[3] * a.x + I[1] * a.y + I[5] * a.z,
              I[4] * a.x + I[5] * a.y + I[2] * a.z);
}

// What dof k of joint j does to the point c of the world.
static rest_column column_of(const thud_model *m, const pose *X_wb, int j, int k, vec3 c)
{
    const pose X = X_wb[m->joint_body[j]];
    const int type = m->joint_type[j];
    const bool free = type == THUD_JOINT_FREE, slides = type == THUD_JOINT_SLIDE || (free && k < 3);
    const bool own = type == THUD_JOINT_HINGE || type == THUD_JOINT_SLIDE;
    const int turn = free ? k % 3 : k;
    vec3 a = own ? m->joint_axis[j] : v3(turn == 0, turn == 1, turn == 2);
    if (!(free && slides)) { // a free body's velocity is along the world's axes
        a = q_rotate(X.q, a);
    }
    const vec3 arm = v3_sub(c, free ? X.p : pose_point(X, m->joint_pos[j]));
    return (rest_column){m->joint_v[j] + k, slides ? v3(0, 0, 0) : a, slides ? a : v3_cross(a, arm)};
}

int model_rest_columns(const rest_mass *r, int body, vec3 c)
{
    const thud_model *m = r->m;
    int count = 0;
    for (int j = m->body_link[body]; j >= 0; j = m->link_parent[j]) {
        for (int k = m->joint_dofs[j] - 1; k >= 0; k--) {
            r->column[count++] = column_of(m, r->X_wb, j, k, c);
        }
    }
    return count;
}

static void add_body(const rest_mass *r, const thud_inertia *I, int count)
{
    for (int s = 0; s < count; s++) {
        const rest_column *c = &r->column[s];
        const vec3 L = times(I->I, c->turn), p = v3_scale(I->mass, c->go);
        double *row = r->row + r->m->dof_row[c->dof];
        for (int t = s; t < count; t++) {
            row[t - s] += v3_dot(r->column[t].turn, L) + v3_dot(r->column[t].go, p);
        }
    }
}

static void fill(const rest_mass *r)
{
    const thud_model *m = r->m;
    for (int i = 0; i < m->nv; i++) {
        r->row[m->dof_row[i]] = m->dof_armature[i];
    }
    for (int i = 1; i < m->bodies; i++) {
        const thud_inertia I = thud_inertia_map(r->X_wb[i], m->body_inertia[i]);
        if (I.mass > 0) {
            add_body(r, &I, model_rest_columns(r, i, I.com));
        }
    }
}

static bool factor(const rest_mass *r)
{
    const thud_model *m = r->m;
    for (int k = m->nv - 1; k >= 0; k--) {
        double *row = r->row + m->dof_row[k];
        if (!(row[0] > 0) || !isfinite(row[0])) {
            return false;
        }
        for (int i = m->dof_parent[k], a = 1; i >= 0; i = m->dof_parent[i], a++) {
            const double share = row[a] / row[0];
            double *above = r->row + m->dof_row[i];
            for (int64_t b = 0; b < m->dof_row[i + 1] - m->dof_row[i]; b++) {
                above[b] -= share * row[a + b];
            }
            row[a] = share;
        }
    }
    return true;
}

double model_rest_give(const rest_mass *r, double *J)
{
    const thud_model *m = r->m;
    double sum = 0;
    for (int k = m->nv - 1; k >= 0; k--) {
        const double *row = r->row + m->dof_row[k];
        for (int i = m->dof_parent[k], a = 1; i >= 0 && J[k] != 0; i = m->dof_parent[i], a++) {
            J[i] -= row[a] * J[k];
        }
        sum += J[k] * J[k] / row[0];
    }
    return sum;
}

double model_rest_acceleration(const rest_mass *r, double *J)
{
    const thud_model *m = r->m;
    double sum = 0;
    (void)model_rest_give(r, J);
    for (int k = 0; k < m->nv; k++) { // M^-1 J^T = L^-1 D^-1 y
        const double *row = r->row + m->dof_row[k];
        J[k] /= row[0];
        for (int i = m->dof_parent[k], a = 1; i >= 0; i = m->dof_parent[i], a++) {
            J[k] -= row[a] * J[i];
        }
        sum += J[k] * J[k];
    }
    return sqrt(sum);
}

thud_status model_rest_create(const thud_model *m, rest_mass *r)
{
    *r = (rest_mass){.m = m,
                     .X_wb = thud_alloc((size_t)m->bodies, sizeof *r->X_wb),
                     .column = thud_alloc((size_t)m->nv + 1, sizeof *r->column),
                     .J = thud_alloc((size_t)m->nv + 1, sizeof *r->J),
                     .row = thud_alloc((size_t)m->dof_row[m->nv] + 1, sizeof *r->row)};
    if (!r->X_wb || !r->column || !r->J || !r->row) {
        return THUD_NO_MEMORY;
    }
    thud_body_poses(m, m->qpos0, r->X_wb);
    fill(r);
    r->regular = factor(r);
    return THUD_OK;
}

void model_rest_clear(rest_mass *r)
{
    thud_free(r->X_wb);
    thud_free(r->column);
    thud_free(r->J);
    thud_free(r->row);
}
