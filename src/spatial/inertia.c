// SPDX-License-Identifier: Apache-2.0
// inertia.c: moving and adding rigid inertias, and their principal axes.
//
// Symbols  S = (xx, yy, zz, xy, xz, yz) a symmetric matrix · c centre of mass · m mass
#include <thud/spatial_inline.h>

static mat3 sym3_expand(const double S[6])
{
    const mat3 A = {{{S[0], S[3], S[4]}, {S[3], S[1], S[5]}, {S[4], S[5], S[2]}}};
    return A;
}

thud_inertia thud_inertia_map(pose X_ab, thud_inertia I_b)
{
    const mat3 R = m3_of_quat(X_ab.q);
    const mat3 I = sym3_expand(I_b.I);
    const mat3 RI = m3_mul(&R, &I);
    thud_inertia I_a = {I_b.mass, pose_point(X_ab, I_b.com), {0}};
    static const int row[6] = {0, 1, 2, 0, 0, 1}, col[6] = {0, 1, 2, 1, 2, 2};
    for (int k = 0; k < 6; k++) { // R I R^T
        const int i = row[k], j = col[k];
        I_a.I[k] = RI.m[i][0] * R.m[j][0] + RI.m[i][1] * R.m[j][1] + RI.m[i][2] * R.m[j][2];
    }
    return I_a;
}

// Adds m (|d|^2 1 - d d^T), the parallel-axis term.
static void add_parallel_axis(double m, vec3 d, double S[6])
{
    S[0] += m * (d.y * d.y + d.z * d.z);
    S[1] += m * (d.x * d.x + d.z * d.z);
    S[2] += m * (d.x * d.x + d.y * d.y);
    S[3] -= m * d.x * d.y;
    S[4] -= m * d.x * d.z;
    S[5] -= m * d.y * d.z;
}

thud_inertia thud_inertia_add(thud_inertia a, thud_inertia b)
{
    const double mass = a.mass + b.mass;
    if (!(mass > 0)) {
        thud_inertia none = {0, {0, 0, 0}, {0}};
        for (int k = 0; k < 6; k++) {
            none.I[k] = a.I[k] + b.I[k];
        }
        return none;
    }
    thud_inertia sum = {mass, v3_scale(1 / mass, v3_axpy(a.mass, a.com, v3_scale(b.mass, b.com))), {0}};
    for (int k = 0; k < 6; k++) {
        sum.I[k] = a.I[k] + b.I[k];
    }
    add_parallel_axis(a.mass, v3_sub(a.com, sum.com), sum.I);
    add_parallel_axis(b.mass, v3_sub(b.com, sum.com), sum.I);
    return sum;
}

// One Jacobi rotation in the plane (i, j) that makes A[i][j] vanish; V collects the rotations.
static void jacobi_rotate(mat3 *A, mat3 *V, int i, int j)
{
    const double a = A->m[i][j];
    if (a == 0) {
        return;
    }
    const double theta = (A->m[j][j] - A->m[i][i]) / (2 * a);
    const double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
    const double c = 1 / sqrt(t * t + 1), s = t * c;
    for (int k = 0; k < 3; k++) { // A <- A G
        const double p = A->m[k][i], q = A->m[k][j];
        A->m[k][i] = c * p - s * q;
        A->m[k][j] = s * p + c * q;
    }
    for (int k = 0; k < 3; k++) { // A <- G^T A
        const double p = A->m[i][k], q = A->m[j][k];
        A->m[i][k] = c * p - s * q;
        A->m[j][k] = s * p + c * q;
    }
    for (int k = 0; k < 3; k++) { // V <- V G
        const double p = V->m[k][i], q = V->m[k][j];
        V->m[k][i] = c * p - s * q;
        V->m[k][j] = s * p + c * q;
    }
    A->m[i][j] = A->m[j][i] = 0;
}

void thud_sym3_eigen(const double S[6], double value[3], quat *axes)
{
    enum { SWEEPS = 30 }; // Jacobi converges quadratically: 5 or 6 are enough
    mat3 A = sym3_expand(S), V = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        if (A.m[0][1] == 0 && A.m[0][2] == 0 && A.m[1][2] == 0) {
            break;
        }
        jacobi_rotate(&A, &V, 0, 1);
        jacobi_rotate(&A, &V, 0, 2);
        jacobi_rotate(&A, &V, 1, 2);
    }
    int order[3] = {0, 1, 2};
    for (int i = 0; i < 2; i++) { // descending
        for (int j = i + 1; j < 3; j++) {
            if (A.m[order[j]][order[j]] > A.m[order[i]][order[i]]) {
                const int swap = order[i];
                order[i] = order[j];
                order[j] = swap;
            }
        }
    }
    for (int i = 0; i < 3; i++) {
        value[i] = A.m[order[i]][order[i]];
    }
    const vec3 a = m3_col(&V, order[0]), b = m3_col(&V, order[1]);
    const mat3 R = m3_columns(a, b, v3_cross(a, b));
    *axes = q_of_m3(&R);
}
