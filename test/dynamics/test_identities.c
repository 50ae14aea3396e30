// SPDX-License-Identifier: Apache-2.0
// Identities between recursions that share no code beyond the links' frames, on random trees.
#include "random_tree.h"

#include <string.h>

#include <thud/spatial_inline.h>

enum { TREES = 300 };

static double largest(int n, const double *x)
{
    double most = 0;
    for (int i = 0; i < n; i++) {
        most = !(fabs(x[i]) <= most) ? fabs(x[i]) : most;
    }
    return most;
}

static void place(random_tree *t)
{
    thud_dynamics_place(t->m, t->q, t->d);
    thud_dynamics_move(t->m, t->v, t->d);
}

// y = M x for the sparse M.
static void mass_times(const thud_model *m, const double *M, const double *x, double *y)
{
    for (int i = 0; i < m->nv; i++) {
        y[i] = 0;
    }
    for (int i = 0; i < m->nv; i++) {
        const double *entry = M + m->dof_row[i];
        y[i] += *entry++ * x[i];
        for (int k = m->dof_parent[i]; k >= 0; k = m->dof_parent[k], entry++) {
            y[i] += *entry * x[k];
            y[k] += *entry * x[i];
        }
    }
}

TEST(mass_times_acceleration_plus_bias_is_newton_euler)
{
    (void)test_state;
    double worst = 0;
    for (int seed = 0; seed < TREES; seed++) {
        random_tree t = random_tree_create((uint64_t)seed, 2 + seed % 14);
        const int nv = t.m->nv;
        double *bias = random_vector(&(test_rng){1}, nv, 1), *Ma = random_vector(&(test_rng){1}, nv, 1);
        place(&t);
        thud_dynamics_rnea(t.m, NULL, t.d, bias);
        thud_dynamics_rnea(t.m, t.a, t.d, t.tau);
        thud_dynamics_crba(t.m, t.d, t.M);
        mass_times(t.m, t.M, t.a, Ma);
        for (int i = 0; i < nv; i++) {
            worst = fmax(worst, fabs(Ma[i] + bias[i] - t.tau[i]) / (1 + largest(nv, t.tau)));
        }
        free(bias);
        free(Ma);
        random_tree_destroy(&t);
    }
    CHECK_BELOW(worst, 1e-13); // worst seen 4e-15
}

TEST(articulated_bodies_invert_the_mass_matrix)
{
    (void)test_state;
    double worst = 0;
    for (int seed = 0; seed < TREES; seed++) {
        random_tree t = random_tree_create((uint64_t)seed, 2 + seed % 14);
        const int nv = t.m->nv;
        double *acc = random_vector(&(test_rng){1}, nv, 1), *bias = random_vector(&(test_rng){1}, nv, 1);
        for (int i = 0; i < nv; i++) {
            t.d->implicit[i] = seed % 2 ? 0.3 * (i % 4) : 0; // the recursions carry M + implicit
        }
        place(&t);
        thud_dynamics_rnea(t.m, NULL, t.d, bias);
        thud_dynamics_crba(t.m, t.d, t.M);
        for (int i = 0; i < nv; i++) {
            t.M[t.m->dof_row[i]] += t.d->implicit[i];
        }
        CHECK_INT(thud_mass_factor(t.m, t.M), -1);
        CHECK(thud_dynamics_factor(t.m, t.d));
        thud_dynamics_solve(t.m, t.tau, t.d, acc);
        for (int i = 0; i < nv; i++) {
            bias[i] = t.tau[i] - bias[i];
        }
        thud_mass_solve(t.m, t.M, bias); // M^-1 (tau - c)
        for (int i = 0; i < nv; i++) {
            worst = fmax(worst, fabs(acc[i] - bias[i]) / (1 + largest(nv, acc)));
        }
        free(acc);
        free(bias);
        random_tree_destroy(&t);
    }
    CHECK_BELOW(worst, 1e-11); // worst seen 6e-14
}

// J M^-1 J^T between two bodies, column by column through the factors.
static void compliance_by_factors(const random_tree *t, int body_i, int body_j, double omega[36])
{
    const int nv = t->m->nv;
    const size_t bytes = 6 * (size_t)(nv + 1) * sizeof(double);
    double *J_i = malloc(bytes), *J_j = malloc(bytes), *x = malloc(bytes);
    const int link_i = t->m->body_link[body_i], link_j = t->m->body_link[body_j];
    thud_dynamics_jacobian(t->m, t->d, body_i, t->d->link[link_i].o, J_i);
    thud_dynamics_jacobian(t->m, t->d, body_j, t->d->link[link_j].o, J_j);
    for (int c = 0; c < 6; c++) {
        memcpy(x, J_j + c * nv, (size_t)nv * sizeof *x);
        thud_mass_solve(t->m, t->M, x);
        for (int r = 0; r < 6; r++) {
            omega[6 * r + c] = 0;
            for (int k = 0; k < nv; k++) {
                omega[6 * r + c] += J_i[r * nv + k] * x[k];
            }
        }
    }
    free(J_i);
    free(J_j);
    free(x);
}

TEST(operational_space_blocks_are_j_minv_jt)
{
    (void)test_state;
    double worst = 0;
    int blocks = 0;
    for (int seed = 0; seed < TREES; seed++) {
        random_tree t = random_tree_create((uint64_t)seed + 1000, 3 + seed % 12);
        for (int i = 0; i < t.m->nv; i++) {
            t.d->implicit[i] = seed % 2 ? 0.2 * (i % 3) : 0;
        }
        place(&t);
        thud_dynamics_crba(t.m, t.d, t.M);
        for (int i = 0; i < t.m->nv; i++) {
            t.M[t.m->dof_row[i]] += t.d->implicit[i];
        }
        CHECK_INT(thud_mass_factor(t.m, t.M), -1);
        CHECK(thud_dynamics_factor(t.m, t.d));
        thud_dynamics_opspace(t.m, t.d);
        for (int i = 1; i < t.m->bodies; i++) {
            for (int j = 1; j < t.m->bodies; j++) {
                if (t.m->body_link[i] < 0 || t.m->body_link[j] < 0) {
                    continue;
                }
                double want[36], got[36];
                compliance_by_factors(&t, i, j, want);
                thud_opspace_block(t.m, t.d, t.m->body_link[i], t.m->body_link[j], got);
                for (int k = 0; k < 36; k++) {
                    worst = fmax(worst, fabs(got[k] - want[k]) / (1 + largest(36, want)));
                }
                blocks++;
            }
        }
        random_tree_destroy(&t);
    }
    CHECK(blocks > 5000);
    CHECK_BELOW(worst, 1e-11); // worst seen 5e-14
}

TEST(each_dof_knows_its_entry_of_the_inverse_mass_matrix)
{
    (void)test_state;
    for (int seed = 0; seed < 60; seed++) {
        random_tree t = random_tree_create((uint64_t)seed + 50, 2 + seed % 10);
        const int nv = t.m->nv;
        place(&t);
        thud_dynamics_crba(t.m, t.d, t.M);
        CHECK_INT(thud_mass_factor(t.m, t.M), -1);
        CHECK(thud_dynamics_factor(t.m, t.d));
        thud_dynamics_opspace(t.m, t.d);
        for (int i = 0; i < nv; i++) {
            double *e = random_vector(&(test_rng){1}, nv, 0);
            e[i] = 1;
            thud_mass_solve(t.m, t.M, e);
            CHECK_NEAR(t.d->dof[i].Minv, e[i], 1e-11 * (1 + e[i]));
            free(e);
        }
        random_tree_destroy(&t);
    }
}

TEST(kinetic_energy_is_half_v_m_v)
{
    (void)test_state;
    for (int seed = 0; seed < TREES; seed++) {
        random_tree t = random_tree_create((uint64_t)seed + 77, 2 + seed % 14);
        const int nv = t.m->nv;
        double *Mv = random_vector(&(test_rng){1}, nv, 1), twice = 0;
        place(&t);
        thud_dynamics_crba(t.m, t.d, t.M);
        mass_times(t.m, t.M, t.v, Mv);
        for (int i = 0; i < nv; i++) {
            twice += t.v[i] * Mv[i];
        }
        CHECK_NEAR(thud_dynamics_energy(t.m, t.q, t.v, t.d).kinetic, 0.5 * twice, 1e-13 * (1 + twice));
        free(Mv);
        random_tree_destroy(&t);
    }
}

TEST(jacobians_are_the_derivatives_of_positions)
{
    (void)test_state;
    for (int seed = 0; seed < 100; seed++) {
        random_tree t = random_tree_create((uint64_t)seed + 3000, 2 + seed % 10);
        const int nv = t.m->nv, body = t.m->bodies - 1;
        const double e = 1e-6;
        pose *X = malloc((size_t)t.m->bodies * sizeof *X), *Y = malloc((size_t)t.m->bodies * sizeof *Y);
        double *J = malloc(6 * (size_t)(nv + 1) * sizeof *J), *q = malloc((size_t)(t.m->nq + 1) * sizeof *q);
        const vec3 local = v3(0.3, -0.2, 0.5);
        place(&t);
        thud_body_poses(t.m, t.q, X);
        thud_dynamics_jacobian(t.m, t.d, body, pose_point(X[body], local), J);
        thud_qpos_integrate(t.m, t.q, t.v, e, q);
        thud_body_poses(t.m, q, Y);
        thud_qpos_integrate(t.m, t.q, t.v, -e, q);
        thud_body_poses(t.m, q, X);
        const vec3 dp = v3_scale(0.5 / e, v3_sub(pose_point(Y[body], local), pose_point(X[body], local)));
        const vec3 turn = v3_scale(0.5 / e, q_log(q_mul(Y[body].q, q_conj(X[body].q))));
        const double want[6] = {turn.x, turn.y, turn.z, dp.x, dp.y, dp.z};
        for (int r = 0; r < 6; r++) {
            double got = 0;
            for (int k = 0; k < nv; k++) {
                got += J[r * nv + k] * t.v[k];
            }
            CHECK_NEAR(got, want[r], 1e-7 * (1 + largest(6, want))); // central differences: e^2 and 1e-16 / e
        }
        free(X);
        free(Y);
        free(J);
        free(q);
        random_tree_destroy(&t);
    }
}

TEST(links_are_where_the_bodies_are)
{
    (void)test_state;
    for (int seed = 0; seed < TREES; seed++) {
        random_tree t = random_tree_create((uint64_t)seed + 9, 2 + seed % 14);
        pose *X = malloc((size_t)t.m->bodies * sizeof *X);
        place(&t);
        thud_body_poses(t.m, t.q, X);
        for (int i = 1; i < t.m->bodies; i++) {
            const int l = t.m->body_link[i];
            if (l < 0) {
                continue;
            }
            const pose X_lb = t.m->body_in_link[i];
            const vec3 p = v3(0.1, 0.2, -0.3), in_link = pose_point(X_lb, p);
            const vec3 by_link = v3_add(t.d->link[l].o, m3_mulv(&t.d->link[l].R, in_link));
            CHECK_NEAR(v3_norm(v3_sub(by_link, pose_point(X[i], p))), 0, 1e-13);
        }
        free(X);
        random_tree_destroy(&t);
    }
}

TEST(bias_is_the_rate_of_momentum_that_lagrange_asks_for)
{
    (void)test_state;
    // c = d/dt (M v) at fixed v, less dT/dq, plus dV/dq: power v.c = dV/dt + (half v.dM/dt v), tested as
    // dE/dt = 0 at tau = 0
    for (int seed = 0; seed < 100; seed++) {
        random_tree t = random_tree_create((uint64_t)seed + 400, 2 + seed % 10);
        const int nv = t.m->nv;
        double *acc = random_vector(&(test_rng){1}, nv, 1), *q = malloc((size_t)(t.m->nq + 1) * sizeof *q);
        double *v = random_vector(&(test_rng){1}, nv, 1), E[2], size = 0;
        place(&t);
        thud_dynamics_carry(t.m, t.d);
        CHECK(thud_dynamics_factor(t.m, t.d));
        thud_dynamics_solve(t.m, NULL, t.d, acc);
        const double e = 1e-5;
        for (int side = 0; side < 2; side++) {
            const double s = side ? e : -e;
            for (int i = 0; i < nv; i++) {
                v[i] = t.v[i] + s * acc[i];
            }
            thud_qpos_integrate(t.m, t.q, t.v, s, q); // second-order terms cancel between the sides
            thud_dynamics_place(t.m, q, t.d);
            thud_dynamics_move(t.m, v, t.d);
            const thud_energy energy = thud_dynamics_energy(t.m, q, v, t.d);
            E[side] = energy.kinetic + energy.potential;
            size = fmax(size, energy.kinetic + fabs(energy.potential));
        }
        CHECK_NEAR((E[1] - E[0]) / (2 * e), 0, 1e-5 * (1 + size)); // worst seen 6e-7 of the size
        free(acc);
        free(q);
        free(v);
        random_tree_destroy(&t);
    }
}

TEST(a_push_on_a_body_acts_through_its_jacobian)
{
    (void)test_state;
    for (int seed = 0; seed < 100; seed++) {
        random_tree t = random_tree_create((uint64_t)seed + 600, 2 + seed % 10);
        const int nv = t.m->nv, body = t.m->bodies - 1;
        double *before = random_vector(&(test_rng){1}, nv, 1), *J = malloc(6 * (size_t)(nv + 1) * sizeof *J);
        const vec3 f = v3(1, -2, 3), n = v3(0.3, 0.2, -0.1), at = v3(0.4, 0.1, -0.6);
        place(&t);
        thud_dynamics_rnea(t.m, t.a, t.d, before);
        thud_dynamics_jacobian(t.m, t.d, body, at, J);
        thud_dynamics_push(t.m, body, f, n, at, t.d);
        thud_dynamics_rnea(t.m, t.a, t.d, t.tau);
        for (int k = 0; k < nv; k++) {
            const double work = J[k] * n.x + J[nv + k] * n.y + J[2 * nv + k] * n.z + J[3 * nv + k] * f.x +
                                J[4 * nv + k] * f.y + J[5 * nv + k] * f.z;
            CHECK_NEAR(before[k] - t.tau[k], work, 1e-12 * (1 + largest(nv, before)));
        }
        free(before);
        free(J);
        random_tree_destroy(&t);
    }
}

TEST(carried_weight_is_the_same_as_a_wrench_and_as_joint_forces)
{
    (void)test_state;
    for (int seed = 0; seed < 100; seed++) {
        random_tree t = random_tree_create((uint64_t)seed + 800, 2 + seed % 10);
        const int nv = t.m->nv;
        double *without = random_vector(&(test_rng){1}, nv, 1),
               *carried = random_vector(&(test_rng){1}, nv, 0);
        place(&t);
        thud_dynamics_rnea(t.m, NULL, t.d, without);
        thud_carried_force(t.m, t.d, carried);
        thud_dynamics_carry(t.m, t.d);
        thud_dynamics_rnea(t.m, NULL, t.d, t.tau);
        for (int k = 0; k < nv; k++) {
            CHECK_NEAR(without[k] - t.tau[k], carried[k], 1e-12 * (1 + largest(nv, without)));
        }
        free(without);
        free(carried);
        random_tree_destroy(&t);
    }
}

TEST(differences_of_positions_undo_integration)
{
    (void)test_state;
    for (int seed = 0; seed < 100; seed++) {
        random_tree t = random_tree_create((uint64_t)seed + 900, 2 + seed % 10);
        double *q = malloc((size_t)(t.m->nq + 1) * sizeof *q);
        thud_qpos_integrate(t.m, t.q, t.v, 0.3, q); // turns stay below pi
        thud_qpos_difference(t.m, t.q, q, t.a);
        thud_qpos_integrate(t.m, t.q, t.a, 1, t.q);
        thud_qpos_difference(t.m, t.q, q, t.a);
        CHECK_BELOW(largest(t.m->nv, t.a), 1e-13);
        free(q);
        random_tree_destroy(&t);
    }
}

TEST(factor_and_solve_at_once_have_the_bits_of_one_after_the_other)
{
    (void)test_state;
    for (int seed = 0; seed < TREES; seed++) {
        random_tree t = random_tree_create((uint64_t)seed, 2 + seed % 14);
        double *acc = random_vector(&(test_rng){1}, t.m->nv, 1);
        place(&t);
        CHECK(thud_dynamics_factor(t.m, t.d));
        thud_dynamics_solve(t.m, t.tau, t.d, acc);
        CHECK(thud_dynamics_accelerate(t.m, t.tau, t.d, t.a));
        CHECK(memcmp(acc, t.a, (size_t)t.m->nv * sizeof *acc) == 0);
        free(acc);
        random_tree_destroy(&t);
    }
}

// More of them than are looked up together, some of them turned by more than anything turns.
static thud_wrenches random_wrenches(test_rng *r)
{
    thud_wrenches w;
    for (int k = 0; k < 3; k++) {
        for (int l = 0; l < THUD_LANES; l++) {
            w.ang[k][l] = test_uniform(r, -1, 1);
            w.lin[k][l] = test_uniform(r, -1, 1);
        }
    }
    return w;
}

TEST(wrenches_on_two_links_ask_together_for_what_each_asks_for_alone)
{
    (void)test_state;
    double worst = 0;
    test_rng r = {5};
    for (int seed = 0; seed < TREES; seed++) {
        random_tree t = random_tree_create((uint64_t)seed + 9000, 2 + seed % 14);
        const int nv = t.m->nv, link[2] = {seed % t.m->joints, seed / 3 % t.m->joints};
        const thud_wrenches first = random_wrenches(&r), second = random_wrenches(&r);
        const thud_wrenches *const both[2] = {&first, &second};
        double *e = thud_alloc(2 * THUD_LANES * (size_t)nv, sizeof *e), *alone = e + THUD_LANES * nv;
        place(&t);
        CHECK(thud_dynamics_factor(t.m, t.d));
        thud_dynamics_innovate_two(t.m, t.d, link, THUD_LANES, both, e, nv);
        for (int k = 0; k < 2; k++) {
            thud_dynamics_innovate(t.m, t.d, link[k], THUD_LANES, both[k], alone, nv);
        }
        const double size = 1 + largest(THUD_LANES * nv, alone);
        for (int i = 0; i < THUD_LANES * nv; i++) {
            worst = fmax(worst, fabs(e[i] - alone[i]) / size);
        }
        thud_free(e);
        random_tree_destroy(&t);
    }
    CHECK_BELOW(worst, 1e-13); // worst seen 8e-16
}

// Bodies on three hinges or a ball each, whose axes cross in one point, some of them at their parent's origin.
static thud_model *crossing_hinges(void)
{
    enum { BODIES = 12 };
    thud_spec *s;
    thud_model *m;
    CHECK_OK(thud_spec_create(&s));
    test_rng r = {17};
    for (int i = 0; i < BODIES; i++) {
        const int body = thud_spec_add_body(s, i, NULL), hinges = i % 4 == 3 ? 0 : 3;
        s->body[body].pos.z = i % 3 == 1 ? 0 : 0.3;
        for (int k = 0; k < hinges; k++) {
            const int j = thud_spec_add_joint(s, body, THUD_JOINT_HINGE, NULL);
            s->joint[j].axis = v3(test_normal(&r), test_normal(&r), test_normal(&r));
            s->joint[j].pos.x = 0.1 * (i % 2);
        }
        if (hinges == 0) {
            thud_spec_add_joint(s, body, THUD_JOINT_BALL, NULL);
        }
        const int ball = thud_spec_add_geom(s, body, THUD_GEOM_SPHERE, NULL);
        s->geom[ball].size[0] = 0.1;
        s->geom[ball].pos.y = 0.05;
    }
    CHECK_OK(thud_model_build(s, &m, NULL));
    thud_spec_destroy(s);
    return m;
}

TEST(joints_that_cross_move_as_if_something_were_between_them)
{
    (void)test_state;
    thud_model *m = crossing_hinges();
    thud_dynamics *d, *longer;
    CHECK_OK(thud_dynamics_create(m, &d));
    CHECK_OK(thud_dynamics_create(m, &longer));
    int joined = 0;
    for (int i = 0; i < m->joints; i++) {
        joined += d->link[i].joined;
        longer->link[i].joined = 0;
    }
    CHECK(joined > m->joints / 2 && joined < m->joints);
    test_rng r = {18};
    double *step = random_vector(&r, m->nv, 1), *v = random_vector(&r, m->nv, 2);
    double *q = random_vector(&r, m->nq, 1);
    thud_qpos_integrate(m, m->qpos0, step, 1, q);
    thud_dynamics *const both[2] = {d, longer};
    for (int k = 0; k < 2; k++) {
        thud_dynamics_place(m, q, both[k]);
        thud_dynamics_move(m, v, both[k]);
    }
    for (int i = 0; i < m->joints; i++) {
        const thud_link *a = &d->link[i], *b = &longer->link[i];
        const vec3 one[] = {a->o, a->v, a->w, a->bv, a->bw, a->n0, a->f0},
                   other[] = {b->o, b->v, b->w, b->bv, b->bw, b->n0, b->f0};
        for (size_t k = 0; k < sizeof one / sizeof one[0]; k++) {
            CHECK_BELOW(v3_norm(v3_sub(one[k], other[k])), 0);
        }
    }
    free(step);
    free(v);
    free(q);
    thud_dynamics_destroy(d);
    thud_dynamics_destroy(longer);
    thud_model_destroy(m);
}

TEST(hinges_turn_by_the_sine_and_the_cosine_of_their_angles)
{
    (void)test_state;
    enum { HINGES = 75, ROUNDS = 2000 };
    thud_spec *s;
    thud_model *m;
    thud_dynamics *d;
    CHECK_OK(thud_spec_create(&s));
    for (int i = 0; i < HINGES; i++) {
        const int body = thud_spec_add_body(s, 0, NULL);
        thud_spec_add_joint(s, body, THUD_JOINT_HINGE, NULL);
        const int ball = thud_spec_add_geom(s, body, THUD_GEOM_SPHERE, NULL);
        s->geom[ball].size[0] = 0.1;
    }
    CHECK_OK(thud_model_build(s, &m, NULL));
    CHECK_OK(thud_dynamics_create(m, &d));
    test_rng r = {4};
    double q[HINGES], worst = 0;
    for (int round = 0; round < ROUNDS; round++) {
        static const double REACH[] = {1e-3, 7, 1e3, 2e5, 1e9};
        for (int i = 0; i < HINGES; i++) {
            q[i] = test_uniform(&r, -1, 1) * REACH[(i + round) % 5];
            q[i] = i % 7 == 0 ? 0.5 * M_PI * round : q[i]; // where one of them is all but 0
        }
        thud_dynamics_place(m, q, d);
        for (int i = 0; i < HINGES; i++) {
            const mat3 *R = &d->link[i].R;
            worst = fmax(worst, fabs(R->m[0][0] - cos(q[i])) / fabs(cos(q[i])));
            worst = fmax(worst, fabs(R->m[1][0] - sin(q[i])) / (q[i] == 0 ? 1 : fabs(sin(q[i]))));
        }
    }
    CHECK_BELOW(worst, 3e-16); // both within one unit in the last place of the truth; worst seen 2.2e-16
    thud_dynamics_destroy(d);
    thud_model_destroy(m);
    thud_spec_destroy(s);
}

TEST_MAIN(T(mass_times_acceleration_plus_bias_is_newton_euler), T(articulated_bodies_invert_the_mass_matrix),
          T(operational_space_blocks_are_j_minv_jt), T(each_dof_knows_its_entry_of_the_inverse_mass_matrix),
          T(kinetic_energy_is_half_v_m_v), T(jacobians_are_the_derivatives_of_positions),
          T(links_are_where_the_bodies_are), T(bias_is_the_rate_of_momentum_that_lagrange_asks_for),
          T(a_push_on_a_body_acts_through_its_jacobian),
          T(carried_weight_is_the_same_as_a_wrench_and_as_joint_forces),
          T(differences_of_positions_undo_integration),
          T(factor_and_solve_at_once_have_the_bits_of_one_after_the_other),
          T(wrenches_on_two_links_ask_together_for_what_each_asks_for_alone),
          T(joints_that_cross_move_as_if_something_were_between_them),
          T(hinges_turn_by_the_sine_and_the_cosine_of_their_angles))
