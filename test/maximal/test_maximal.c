// SPDX-License-Identifier: Apache-2.0
// Minimal and maximal coordinates describe one mechanism: poses, velocities, energies, forces, filters,
// keyframes.
//
// Tolerances: chains of up to 12 random frames of size 1 round at 2e-15 (poses) to 1e-14 (positions read
// back); the claims allow 13 to 20 times that.
#include <thud/collide.h>
#include <thud/spatial_inline.h>

#include "twin.h"

enum { SEEDS = 60, BODIES = 12 };

static double apart(pose a, pose b)
{
    return v3_norm(v3_sub(a.p, b.p)) + v3_norm(q_log(q_mul(q_conj(a.q), b.q)));
}

TEST(every_body_is_where_it_was_and_the_mass_is_the_same)
{
    double worst = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        twin w = twin_create(seed, BODIES);
        CHECK_INT(w.maximal->bodies, w.minimal->bodies);
        CHECK_NEAR(w.maximal->total_mass, w.minimal->total_mass, 0);
        for (int i = 0; i < w.minimal->bodies; i++) {
            worst = fmax(worst, apart(w.X[i], w.Y[i]));
            CHECK(isfinite(worst));
        }
        thud_state_destroy(w.t); // also the reference pose
        CHECK_OK(thud_state_create(w.maximal, &w.t));
        thud_body_poses(w.minimal, w.minimal->qpos0, w.X);
        thud_body_poses(w.maximal, w.t->qpos, w.Y);
        for (int i = 0; i < w.minimal->bodies; i++) {
            worst = fmax(worst, apart(w.X[i], w.Y[i]));
        }
        twin_destroy(&w);
    }
    CHECK_BELOW(worst, 3e-14);
}

static thud_energy energy(const thud_model *m, const thud_state *s)
{
    thud_dynamics *d;
    CHECK_OK(thud_dynamics_create(m, &d));
    thud_dynamics_place(m, s->qpos, d);
    thud_dynamics_move(m, s->qvel, d);
    const thud_energy e = thud_dynamics_energy(m, s->qpos, s->qvel, d);
    thud_dynamics_destroy(d);
    return e;
}

TEST(kinetic_and_potential_energy_are_the_same)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        twin w = twin_create(seed, BODIES);
        const thud_energy e = energy(w.minimal, w.s), f = energy(w.maximal, w.t);
        CHECK_NEAR(f.kinetic, e.kinetic, 3e-14 * (1 + e.kinetic));
        CHECK_NEAR(f.potential, e.potential, 3e-14 * (10 + fabs(e.potential)));
        twin_destroy(&w);
    }
}

// ---------------------------------------------------------------------------------------- rows

typedef struct row { // of an equality: direction of relative velocity at F2's origin, world
    vec3 angular, linear;
} row;

// The rows that thud_equality_rows promises, for F1 at this pose.
static int make_rows(int type, pose F, row out[6])
{
    const vec3 axis[3] = {q_rotate(F.q, v3(1, 0, 0)), q_rotate(F.q, v3(0, 1, 0)), q_rotate(F.q, v3(0, 0, 1))};
    const int linear = type == THUD_EQUALITY_SLIDE ? 2 : 3, angular = type == THUD_EQUALITY_CONNECT ? 0
                                                                      : type == THUD_EQUALITY_HINGE ? 2
                                                                                                    : 3;
    int n = 0;
    for (int k = 0; k < linear; k++) {
        out[n++] = (row){{0, 0, 0}, axis[k]};
    }
    for (int k = 0; k < angular; k++) {
        out[n++] = (row){axis[k], {0, 0, 0}};
    }
    CHECK_INT(n, thud_equality_rows(type));
    return n;
}

static pose frame1(const twin *w, int e)
{
    return pose_mul(w->Y[w->maximal->eq_obj1[e]], w->maximal->eq_frame1[e]);
}

static pose frame2(const twin *w, int e)
{
    return pose_mul(w->Y[w->maximal->eq_obj2[e]], w->maximal->eq_frame2[e]);
}

// The Jacobian of all rows in maximal coordinates, row-major; their number.
static int make_jacobian(const twin *w, thud_dynamics *d, double *J)
{
    const thud_model *m = w->maximal;
    const int nv = m->nv;
    double *one = malloc(12 * (size_t)nv * sizeof *one), *two = one + 6 * nv;
    int count = 0;
    for (int e = 0; e < m->equalities; e++) {
        row rows[6];
        const pose F = frame1(w, e);
        const int n = make_rows(m->eq_type[e], F, rows);
        thud_dynamics_jacobian(m, d, m->eq_obj1[e], frame2(w, e).p, one);
        thud_dynamics_jacobian(m, d, m->eq_obj2[e], frame2(w, e).p, two);
        for (int k = 0; k < n; k++, count++) {
            const double r[6] = {rows[k].angular.x, rows[k].angular.y, rows[k].angular.z,
                                 rows[k].linear.x,  rows[k].linear.y,  rows[k].linear.z};
            for (int i = 0; i < nv; i++) {
                double sum = 0;
                for (int c = 0; c < 6; c++) {
                    sum += r[c] * (two[c * nv + i] - one[c * nv + i]);
                }
                J[count * nv + i] = sum;
            }
        }
    }
    free(one);
    return count;
}

TEST(frames_meet_and_rows_vanish_on_every_motion_that_the_joints_allow)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        twin w = twin_create(seed, BODIES);
        const thud_model *m = w.maximal;
        thud_dynamics *d;
        CHECK_OK(thud_dynamics_create(m, &d));
        thud_dynamics_place(m, w.t->qpos, d);
        double *J = malloc(6 * (size_t)BODIES * (size_t)(m->nv + 1) * sizeof *J);
        const int rows = make_jacobian(&w, d, J);
        CHECK_INT(m->nv - rows, w.minimal->nv); // freedom is neither lost nor gained
        for (int r = 0; r < rows; r++) {
            double sum = 0;
            for (int i = 0; i < m->nv; i++) {
                sum += J[r * m->nv + i] * w.t->qvel[i];
            }
            CHECK_NEAR(sum, 0, 2e-13);
        }
        for (int e = 0; e < m->equalities; e++) {
            const pose X = pose_mul(pose_inv(frame1(&w, e)), frame2(&w, e));
            const bool slide = m->eq_type[e] == THUD_EQUALITY_SLIDE,
                       hinge = m->eq_type[e] == THUD_EQUALITY_HINGE;
            CHECK_NEAR(hypot(X.p.x, X.p.y) + (slide ? 0 : fabs(X.p.z)), 0, 3e-14);
            CHECK_NEAR((slide || hinge ? hypot(X.q.x, X.q.y) : 0) + (slide ? fabs(X.q.z) : 0), 0, 3e-14);
        }
        free(J);
        thud_dynamics_destroy(d);
        twin_destroy(&w);
    }
}

TEST(the_coordinate_that_an_equality_leaves_is_the_joints_own)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        twin w = twin_create(seed, BODIES);
        const thud_model *m = w.maximal;
        for (int e = 0; e < m->equalities; e++) {
            const int j =
                thud_model_find(w.minimal, THUD_KIND_JOINT, thud_model_name(m, THUD_KIND_EQUALITY, e));
            CHECK(j >= 0);
            const pose X = pose_mul(pose_inv(frame1(&w, e)), frame2(&w, e));
            const double q = w.s->qpos[w.minimal->joint_q[j]];
            if (m->eq_type[e] == THUD_EQUALITY_SLIDE) {
                CHECK_INT(w.minimal->joint_type[j], THUD_JOINT_SLIDE);
                CHECK_NEAR(m->eq_ref[e] + X.p.z, q, 3e-14);
            } else if (m->eq_type[e] == THUD_EQUALITY_HINGE) {
                const double angle = m->eq_ref[e] + 2 * atan2(X.q.z, X.q.w);
                CHECK_NEAR(sin((angle - q) / 2), 0, 3e-14); // equal but for whole turns
            } else {
                CHECK_INT(w.minimal->joint_type[j], THUD_JOINT_BALL);
            }
        }
        twin_destroy(&w);
    }
}

// ---------------------------------------------------------------------------------------- dynamics

// Accelerations from rest in maximal coordinates: [M -J^T; J 0] (a, p) = (tau - bias, 0).
static void accelerate(const twin *w, double *a)
{
    const thud_model *m = w->maximal;
    const int nv = m->nv, most = nv + 6 * BODIES;
    thud_dynamics *d;
    CHECK_OK(thud_dynamics_create(m, &d));
    thud_dynamics_place(m, w->t->qpos, d);
    thud_dynamics_move(m, w->t->qvel, d);
    double *J = calloc((size_t)(6 * BODIES * nv), sizeof *J), *bias = calloc((size_t)nv, sizeof *bias);
    double *sparse = calloc((size_t)m->dof_row[nv], sizeof *sparse),
           *M = calloc((size_t)(nv * nv), sizeof *M);
    double *K = calloc((size_t)(most * most), sizeof *K), *b = calloc((size_t)most, sizeof *b);
    int *pivot = calloc((size_t)most, sizeof *pivot);
    const int rows = make_jacobian(w, d, J), n = nv + rows;
    thud_dynamics_rnea(m, NULL, d, bias);
    thud_dynamics_crba(m, d, sparse);
    thud_mass_expand(m, sparse, M);
    for (int i = 0; i < nv; i++) {
        b[i] = -bias[i];
        for (int k = 0; k < nv; k++) {
            K[i + k * n] = M[i * nv + k];
        }
        for (int r = 0; r < rows; r++) {
            K[nv + r + i * n] = J[r * nv + i];
            K[i + (nv + r) * n] = -J[r * nv + i];
        }
    }
    const thud_mat A = {n, n, n, K};
    CHECK_INT(thud_lu_factor(A, pivot), -1);
    thud_lu_solve(A, pivot, b);
    memcpy(a, b, (size_t)nv * sizeof *a);
    thud_dynamics_destroy(d);
    double *const all[] = {J, bias, sparse, M, K, b};
    for (int i = 0; i < 6; i++) {
        free(all[i]);
    }
    free(pivot);
}

TEST(bodies_let_go_from_rest_accelerate_alike_with_joints_as_rows)
{
    for (uint64_t seed = 1; seed <= 20;
         seed++) { // Gauss: the accelerations that the rows allow, least constrained
        twin w = twin_create(seed, BODIES);
        const thud_model *m = w.minimal;
        memset(w.s->qvel, 0, (size_t)m->nv * sizeof(double));
        memset(w.t->qvel, 0, (size_t)w.maximal->nv * sizeof(double));
        thud_dynamics *d;
        double *a = calloc((size_t)w.maximal->nv, sizeof *a);
        CHECK_OK(thud_dynamics_create(m, &d));
        thud_dynamics_place(m, w.s->qpos, d);
        thud_dynamics_move(m, w.s->qvel, d);
        CHECK(thud_dynamics_factor(m, d));
        accelerate(&w, a);
        thud_dynamics_solve(m, NULL, d, w.s->qvel);           // accelerations in the place of velocities:
        CHECK_OK(thud_maximal_state(m, w.s, w.maximal, w.t)); // from rest they transform alike
        double scale = 1;
        for (int i = 0; i < w.maximal->nv; i++) {
            scale = fmax(scale, fabs(w.t->qvel[i]));
        }
        for (int i = 0; i < w.maximal->nv; i++) {
            CHECK_NEAR(a[i], w.t->qvel[i], 2e-12 * scale); // measured: below 1e-13 of the largest
        }
        free(a);
        thud_dynamics_destroy(d);
        twin_destroy(&w);
    }
}

// ---------------------------------------------------------------------------------------- states

TEST(there_and_back_is_the_same_state_turns_included)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        twin w = twin_create(seed, BODIES);
        const thud_model *m = w.minimal;
        thud_state *back;
        for (int j = 0; j < m->joints; j++) {
            w.s->qpos[m->joint_q[j]] += m->joint_type[j] == THUD_JOINT_HINGE ? 40 : 0; // six turns and some
        }
        w.s->time = 3.5;
        w.s->steps = 7;
        CHECK_OK(thud_maximal_state(m, w.s, w.maximal, w.t));
        CHECK_NEAR(w.t->time, 3.5, 0);
        CHECK_OK(thud_state_create(m, &back));
        for (int i = 0; i < m->nq; i++) { // what it held: nearly there
            back->qpos[i] = w.s->qpos[i] + 0.5 * sin(i);
        }
        CHECK_OK(thud_minimal_state(w.maximal, w.t, m, back));
        CHECK_INT(back->steps, 7);
        double *gap = malloc((size_t)m->nv * sizeof *gap + 1);
        thud_qpos_difference(m, w.s->qpos, back->qpos, gap); // quaternions have two signs
        for (int i = 0; i < m->nv; i++) {
            CHECK_NEAR(gap[i], 0, 2e-13);
            CHECK_NEAR(back->qvel[i], w.s->qvel[i], 2e-13);
        }
        free(gap);
        thud_state_destroy(back);
        twin_destroy(&w);
    }
}

TEST(models_that_do_not_belong_together_are_refused_and_the_state_is_untouched)
{
    twin a = twin_create(3, BODIES), b = twin_create(4, BODIES);
    const uint64_t before = thud_state_hash(b.t), below = thud_state_hash(b.s);
    CHECK_INT(thud_maximal_state(a.minimal, a.s, b.maximal, b.t), THUD_BAD_ARGUMENT);
    CHECK_INT(thud_minimal_state(a.maximal, a.t, b.minimal, b.s), THUD_BAD_ARGUMENT);
    CHECK(thud_state_hash(b.t) == before && thud_state_hash(b.s) == below);
    twin_destroy(&a);
    twin_destroy(&b);
}

TEST(keyframes_are_the_same_configurations)
{
    test_rng rng = {11};
    thud_spec *spec = twin_spec(&rng, BODIES), *wide;
    thud_model *m, *n;
    CHECK_OK(thud_model_build(spec, &m, NULL));
    const int k = thud_spec_add_key(spec, "swing"), empty = thud_spec_add_key(spec, "rest");
    spec->key[k].time = 2;
    spec->key[k].nqpos = m->nq;
    spec->key[k].nqvel = m->nv;
    spec->key[k].qpos = thud_alloc((size_t)m->nq, sizeof(double));
    spec->key[k].qvel = thud_alloc((size_t)m->nv, sizeof(double));
    for (int i = 0; i < m->nv; i++) {
        spec->key[k].qvel[i] = test_normal(&rng);
    }
    thud_qpos_integrate(m, m->qpos0, spec->key[k].qvel, 1, spec->key[k].qpos);
    thud_model_destroy(m);
    CHECK_OK(thud_model_build(spec, &m, NULL));
    twin_rewrite(spec, &wide, &n);
    thud_state *s, *t, *want;
    CHECK_OK(thud_state_create(m, &s));
    CHECK_OK(thud_state_create(n, &t));
    CHECK_OK(thud_state_create(n, &want));
    for (int key = k; key <= empty; key++) {
        CHECK_OK(thud_state_reset(m, key, s));
        CHECK_OK(thud_state_reset(n, key, t));
        CHECK_OK(thud_maximal_state(m, s, n, want));
        CHECK_NEAR(t->time, key == k ? 2 : 0, 0);
        for (int i = 0; i < n->nq; i++) {
            CHECK_NEAR(t->qpos[i], want->qpos[i], 1e-15);
        }
        for (int i = 0; i < n->nv; i++) {
            CHECK_NEAR(t->qvel[i], want->qvel[i], 0);
        }
    }
    thud_state_destroy(s);
    thud_state_destroy(t);
    thud_state_destroy(want);
    thud_model_destroy(m);
    thud_model_destroy(n);
    thud_spec_destroy(spec);
    thud_spec_destroy(wide);
}

// ---------------------------------------------------------------------------------------- what stays

TEST(who_may_touch_whom_stays)
{
    int parents = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        test_rng rng = {seed};
        thud_spec *spec = twin_spec(&rng, BODIES), *wide;
        thud_model *m, *n;
        spec->option.filterparent_on = seed % 4 != 0;
        if (spec->geoms > 2) {
            thud_spec_add_pair(spec, 0, 1, NULL);
            thud_spec_add_exclude(spec, spec->geom[0].body, spec->geom[2].body, NULL);
        }
        CHECK_OK(thud_model_build(spec, &m, NULL));
        twin_rewrite(spec, &wide, &n);
        CHECK_INT(n->geoms, m->geoms);
        for (int a = 0; a < m->geoms; a++) {
            CHECK_INT(n->geom_body[a], m->geom_body[a]);
            for (int b = a + 1; b < m->geoms; b++) {
                const thud_filter before = thud_filter_geoms(m, a, b), after = thud_filter_geoms(n, a, b);
                CHECK_INT(thud_filter_passes(after), thud_filter_passes(before));
                parents += before == THUD_FILTER_PARENT;
            }
        }
        thud_model_destroy(m);
        thud_model_destroy(n);
        thud_spec_destroy(spec);
        thud_spec_destroy(wide);
    }
    CHECK(parents > SEEDS); // there was something to keep apart
}

TEST(limits_springs_dampers_rotors_and_friction_go_with_the_equality)
{
    thud_spec *s, *wide;
    thud_model *n;
    CHECK_OK(thud_spec_create(&s));
    for (int i = 0; i < 3; i++) {
        const int b = thud_spec_add_body(s, i, i == 1 ? "hand" : NULL);
        const int j = thud_spec_add_joint(s, b, (thud_joint_type)i, i == 0 ? "pin" : NULL);
        s->body[b].has_inertial = true;
        s->body[b].mass = s->body[b].inertia[0] = s->body[b].inertia[1] = s->body[b].inertia[2] = 1;
        thud_spec_joint *joint = &s->joint[j];
        joint->ref = 0.25;
        joint->springref = 0.5;
        joint->stiffness = 1 + i;
        joint->damping = 2 + i;
        joint->armature = 3 + i;
        joint->frictionloss = 4 + i;
        joint->margin = 0.125;
        joint->range[1] = 5 + i;
        joint->has_range = i != 1;
    }
    thud_spec_add_site(s, 2, "tip");
    thud_spec_add_actuator(s, THUD_TRANSMISSION_JOINT, 0, "motor");
    thud_spec_add_sensor(s, THUD_SENSOR_JOINTPOS, 0, NULL);
    thud_spec_add_sensor(s, THUD_SENSOR_GYRO, 0, "gyro");
    twin_rewrite(s, &wide, &n);
    CHECK_INT(n->equalities, 3);
    for (int e = 0; e < 3; e++) {
        CHECK_INT(n->eq_obj1[e], e);
        CHECK_INT(n->eq_obj2[e], e + 1);
        CHECK_NEAR(n->eq_stiffness[e], 1 + e, 0);
        CHECK_NEAR(n->eq_damping[e], 2 + e, 0);
        CHECK_NEAR(n->eq_armature[e], 3 + e, 0);
        CHECK_NEAR(n->eq_frictionloss[e], 4 + e, 0);
        CHECK_NEAR(n->eq_range[2 * e + 1], 5 + e, 0);
        CHECK_NEAR(n->eq_margin[e], 0.125, 0);
        CHECK_INT(n->eq_limited[e], e != 1);
        CHECK_NEAR(n->eq_ref[e], e < 2 ? 0.25 : 0, 0); // a ball's is its quaternion
        CHECK_NEAR(n->eq_springref[e], e < 2 ? 0.5 : 0, 0);
        CHECK_INT(n->joint_type[e], THUD_JOINT_FREE);
        CHECK_NEAR(n->joint_stiffness[e] + n->dof_damping[6 * e] + n->dof_armature[6 * e], 0, 0);
    }
    CHECK_INT(n->eq_type[2], THUD_EQUALITY_CONNECT);
    CHECK_TEXT(thud_model_name(n, THUD_KIND_EQUALITY, 0), "pin");
    CHECK_INT(thud_model_find(n, THUD_KIND_BODY, "hand"), 2);
    CHECK_INT(thud_model_find(n, THUD_KIND_SITE, "tip"), 0);
    CHECK_INT(wide->actuators, 0); // and told so
    CHECK_INT(wide->sensors, 1);
    CHECK_TEXT(wide->sensor[0].name, "gyro");
    CHECK_INT(wide->notes, 2);
    thud_model_destroy(n);
    thud_spec_destroy(s);
    thud_spec_destroy(wide);
}

TEST(loops_of_the_file_are_closed_as_before)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        test_rng rng = {seed};
        thud_spec *s = twin_spec(&rng, BODIES), *wide;
        thud_model *m, *n;
        for (int k = 0; k < 2; k++) {
            const int e = thud_spec_add_equality(s, k ? THUD_EQUALITY_WELD : THUD_EQUALITY_CONNECT, NULL);
            s->equality[e].object1 = 3;
            s->equality[e].object2 = BODIES;
            s->equality[e].anchor = v3(1, 2, 3);
        }
        s->option.equality_on = seed % 2; // a word about these two, not about joints
        CHECK_OK(thud_model_build(s, &m, NULL));
        twin_rewrite(s, &wide, &n);
        CHECK(n->equality_on);
        for (int e = 0; e < n->equalities; e++) {
            CHECK_INT(n->eq_active[e], e >= 2 || seed % 2);
        }
        for (int e = 0; e < 2; e++) {
            CHECK_INT(n->eq_spec[e], e);
            CHECK_BELOW(apart(m->eq_frame1[e], n->eq_frame1[e]), 3e-14);
            CHECK_BELOW(apart(m->eq_frame2[e], n->eq_frame2[e]), 3e-14);
        }
        thud_model_destroy(m);
        thud_model_destroy(n);
        thud_spec_destroy(s);
        thud_spec_destroy(wide);
    }
}

TEST(what_has_no_row_is_refused_with_a_sentence_and_its_place)
{
    for (int fault = 0; fault < 3; fault++) {
        test_rng rng = {5};
        thud_spec *s = twin_spec(&rng, 3), *wide = s;
        thud_diag diag = {.text = ""};
        const int b = thud_spec_add_body(s, 0, "two");
        s->body[b].has_inertial = true;
        s->body[b].mass = s->body[b].inertia[0] = s->body[b].inertia[1] = s->body[b].inertia[2] = fault < 2;
        const int j = thud_spec_add_joint(s, b, THUD_JOINT_HINGE, NULL);
        if (fault == 0) {
            const int k = thud_spec_add_joint(s, b, THUD_JOINT_HINGE, NULL);
            s->joint[k].place = (thud_place){"scene.xml", 7, 3};
        } else if (fault == 1) {
            const int e = thud_spec_add_equality(s, THUD_EQUALITY_JOINT, "gear");
            s->equality[e].object1 = j;
            s->equality[e].place = (thud_place){"scene.xml", 7, 3};
        }
        const thud_status status = thud_spec_maximal(s, &wide, &diag);
        CHECK_INT(status, fault < 2 ? THUD_UNSUPPORTED : THUD_BAD_MODEL); // the last has no mass
        CHECK(!wide);
        CHECK(strstr(diag.text, fault == 0 ? "several joints" : fault == 1 ? "joint positions" : "mass"));
        CHECK_INT(diag.line, fault < 2 ? 7 : 0);
        thud_spec_destroy(s);
    }
}

// ---------------------------------------------------------------------------------------- memory

typedef struct meter {
    long calls, fail_at, held;
} meter;

static void *metered_resize(void *block, size_t bytes, void *user)
{
    meter *m = user;
    if (++m->calls == m->fail_at) {
        return NULL;
    }
    void *moved = realloc(block, bytes);
    m->held += moved && !block;
    return moved;
}

static void metered_release(void *block, void *user)
{
    meter *m = user;
    m->held -= block != NULL;
    free(block);
}

TEST(whichever_allocation_fails_nothing_leaks_and_nothing_half_made_is_given)
{
    twin w = twin_create(9, 6);
    const int k = thud_spec_add_key(w.spec, "key"); // blocks of its own
    w.spec->key[k].nqvel = w.minimal->nv;
    w.spec->key[k].qvel = thud_alloc((size_t)w.minimal->nv, sizeof(double));
    thud_status status = THUD_NO_MEMORY;
    for (long fail = 1; status == THUD_NO_MEMORY; fail++) {
        meter m = {.fail_at = fail};
        const thud_allocator metered = {metered_resize, metered_release, &m};
        thud_spec *wide;
        thud_diag diag;
        thud_allocator_set(&metered);
        status = thud_spec_maximal(w.spec, &wide, &diag);
        thud_status there = status == THUD_OK ? thud_maximal_state(w.minimal, w.s, w.maximal, w.t) : status;
        there = there == THUD_OK ? thud_minimal_state(w.maximal, w.t, w.minimal, w.s) : there;
        CHECK((wide != NULL) == (status == THUD_OK));
        thud_spec_destroy(wide);
        thud_allocator_set(NULL);
        CHECK_INT(m.held, 0);
        CHECK(there == THUD_OK || there == THUD_NO_MEMORY);
        status = there;
    }
    CHECK_OK(status);
    twin_destroy(&w);
}

TEST_MAIN(T(every_body_is_where_it_was_and_the_mass_is_the_same),
          T(kinetic_and_potential_energy_are_the_same),
          T(frames_meet_and_rows_vanish_on_every_motion_that_the_joints_allow),
          T(the_coordinate_that_an_equality_leaves_is_the_joints_own),
          T(bodies_let_go_from_rest_accelerate_alike_with_joints_as_rows),
          T(there_and_back_is_the_same_state_turns_included),
          T(models_that_do_not_belong_together_are_refused_and_the_state_is_untouched),
          T(keyframes_are_the_same_configurations), T(who_may_touch_whom_stays),
          T(limits_springs_dampers_rotors_and_friction_go_with_the_equality),
          T(loops_of_the_file_are_closed_as_before),
          T(what_has_no_row_is_refused_with_a_sentence_and_its_place),
          T(whichever_allocation_fails_nothing_leaks_and_nothing_half_made_is_given))
