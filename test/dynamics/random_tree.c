// SPDX-License-Identifier: Apache-2.0
#include "random_tree.h"

#include <thud/spatial_inline.h>

static vec3 random_vec(test_rng *rng, double scale)
{
    return v3(scale * test_normal(rng), scale * test_normal(rng), scale * test_normal(rng));
}

static quat random_quat(test_rng *rng)
{
    return q_normalize((quat){test_normal(rng), test_normal(rng), test_normal(rng), test_normal(rng)});
}

static void add_inertial(test_rng *rng, thud_spec_body *body)
{
    // three point masses on the axes: any such diagonal obeys the triangle inequality
    const double a = test_uniform(rng, 0.01, 1), b = test_uniform(rng, 0.01, 1),
                 c = test_uniform(rng, 0.01, 1);
    body->has_inertial = true;
    body->mass = test_uniform(rng, 0.1, 3);
    body->inertia[0] = 0.1 * (b + c);
    body->inertia[1] = 0.1 * (a + c);
    body->inertia[2] = 0.1 * (a + b);
    body->ipos = random_vec(rng, 0.2);
    body->iquat = random_quat(rng);
}

static void add_joint(test_rng *rng, thud_spec *s, int body, thud_joint_type type)
{
    const int j = thud_spec_add_joint(s, body, type, NULL);
    s->joint[j].pos = random_vec(rng, 0.1);
    s->joint[j].axis = random_vec(rng, 1);
    s->joint[j].ref = test_uniform(rng, -1, 1);
    s->joint[j].armature = test_below(rng, 3) == 0 ? test_uniform(rng, 0, 0.5) : 0;
}

static void add_joints(test_rng *rng, thud_spec *s, int body)
{
    switch (test_below(rng, s->body[body].parent == 0 ? 8 : 7)) {
    case 0: // welded
        break;
    case 1:
        add_joint(rng, s, body, THUD_JOINT_BALL);
        break;
    case 2:
        add_joint(rng, s, body, THUD_JOINT_SLIDE);
        break;
    case 3:
        add_joint(rng, s, body, THUD_JOINT_SLIDE);
        add_joint(rng, s, body, THUD_JOINT_BALL);
        break;
    case 4:
        add_joint(rng, s, body, THUD_JOINT_HINGE);
        add_joint(rng, s, body, THUD_JOINT_HINGE);
        add_joint(rng, s, body, THUD_JOINT_HINGE);
        break;
    case 7:
        add_joint(rng, s, body, THUD_JOINT_FREE);
        break;
    default:
        add_joint(rng, s, body, THUD_JOINT_HINGE);
    }
}

// Alone in the world, in the frame of its principal axes: M is diagonal.
static void add_free_body(test_rng *rng, thud_spec *s)
{
    const int body = thud_spec_add_body(s, 0, NULL);
    add_inertial(rng, &s->body[body]);
    s->body[body].ipos = v3(0, 0, 0);
    s->body[body].iquat = q_identity();
    add_joint(rng, s, body, THUD_JOINT_FREE);
}

double *random_vector(test_rng *rng, int n, double scale)
{
    double *x = malloc((size_t)(n + 1) * sizeof *x);
    for (int i = 0; i < n; i++) {
        x[i] = scale * test_normal(rng);
    }
    return x;
}

random_tree random_tree_create(uint64_t seed, int bodies)
{
    test_rng rng = {seed};
    thud_spec *s;
    CHECK_OK(thud_spec_create(&s));
    s->option.gravity = random_vec(&rng, 5);
    for (int i = 1; i <= bodies; i++) {
        if (i > 2 && i == bodies && seed % 2) {
            add_free_body(&rng, s);
            break;
        }
        const int parent = i == 1 ? 0 : test_below(&rng, 4) == 0 ? test_below(&rng, i) : i - 1;
        const int body = thud_spec_add_body(s, parent, NULL);
        s->body[body].pos = random_vec(&rng, 0.5);
        s->body[body].quat = random_quat(&rng);
        s->body[body].gravcomp = test_below(&rng, 4) == 0 ? test_uniform(&rng, 0, 1) : 0;
        add_inertial(&rng, &s->body[body]);
        add_joints(&rng, s, body);
    }
    random_tree t = {0};
    thud_diag diag;
    if (thud_model_build(s, &t.m, &diag) != THUD_OK) {
        fail_msg("seed %llu: %s", (unsigned long long)seed, diag.text);
    }
    thud_spec_destroy(s);
    CHECK_OK(thud_dynamics_create(t.m, &t.d));
    double *step = random_vector(&rng, t.m->nv, 1);
    t.q = malloc((size_t)(t.m->nq + 1) * sizeof *t.q);
    thud_qpos_integrate(t.m, t.m->qpos0, step, 1, t.q);
    free(step);
    t.v = random_vector(&rng, t.m->nv, 2);
    t.a = random_vector(&rng, t.m->nv, 3);
    t.tau = random_vector(&rng, t.m->nv, 4);
    t.M = malloc((size_t)(t.m->dof_row[t.m->nv] + 1) * sizeof *t.M);
    return t;
}

void random_tree_destroy(random_tree *t)
{
    thud_dynamics_destroy(t->d);
    thud_model_destroy(t->m);
    free(t->q);
    free(t->v);
    free(t->a);
    free(t->tau);
    free(t->M);
}
