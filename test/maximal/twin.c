// SPDX-License-Identifier: Apache-2.0
#include "twin.h"

#include <thud/spatial_inline.h>

static vec3 random_vec(test_rng *rng, double scale)
{
    return v3(scale * test_normal(rng), scale * test_normal(rng), scale * test_normal(rng));
}

static quat random_quat(test_rng *rng)
{
    return q_normalize((quat){test_normal(rng), test_normal(rng), test_normal(rng), test_normal(rng)});
}

static void add_joint(test_rng *rng, thud_spec *s, int body)
{
    static const thud_joint_type type[] = {THUD_JOINT_HINGE, THUD_JOINT_HINGE, THUD_JOINT_SLIDE,
                                           THUD_JOINT_BALL};
    const bool free = s->body[body].parent == 0 && test_below(rng, 4) == 0;
    if (!free && test_below(rng, 5) == 0) {
        return; // welded
    }
    char name[16];
    snprintf(name, sizeof name, "joint%d", body);
    const int j = thud_spec_add_joint(s, body, free ? THUD_JOINT_FREE : type[test_below(rng, 4)], name);
    s->joint[j].pos = random_vec(rng, 0.1);
    s->joint[j].axis = random_vec(rng, 1);
    s->joint[j].ref = test_uniform(rng, -1, 1);
}

thud_spec *twin_spec(test_rng *rng, int bodies)
{
    thud_spec *s;
    CHECK_OK(thud_spec_create(&s));
    s->option.gravity = random_vec(rng, 5);
    for (int i = 1; i <= bodies; i++) {
        const int parent = test_below(rng, 3) == 0 ? test_below(rng, i) : i - 1;
        const int b = thud_spec_add_body(s, parent, NULL);
        thud_spec_body *body = &s->body[b];
        body->pos = random_vec(rng, 0.5);
        body->quat = random_quat(rng);
        body->has_inertial = true;
        body->mass = test_uniform(rng, 0.5, 2);
        body->ipos = random_vec(rng, 0.2);
        body->iquat = random_quat(rng);
        body->inertia[0] = body->inertia[1] = test_uniform(rng, 0.1, 0.2);
        body->inertia[2] = 0.15;
        add_joint(rng, s, b);
        if (test_below(rng, 4) > 0) {
            const int g = thud_spec_add_geom(s, b, THUD_GEOM_SPHERE, NULL);
            s->geom[g].size[0] = 0.1;
        }
    }
    return s;
}

void twin_rewrite(const thud_spec *spec, thud_spec **wide, thud_model **maximal)
{
    thud_diag diag = {.text = ""};
    if (thud_spec_maximal(spec, wide, &diag) != THUD_OK ||
        thud_model_build(*wide, maximal, &diag) != THUD_OK) {
        fail_msg("%s", diag.text);
    }
}

twin twin_create(uint64_t seed, int bodies)
{
    test_rng rng = {seed};
    twin w = {.spec = twin_spec(&rng, bodies)};
    CHECK_OK(thud_model_build(w.spec, &w.minimal, NULL));
    twin_rewrite(w.spec, &w.wide, &w.maximal);
    CHECK_OK(thud_state_create(w.minimal, &w.s));
    CHECK_OK(thud_state_create(w.maximal, &w.t));
    for (int i = 0; i < w.minimal->nv; i++) {
        w.s->qvel[i] = 2 * test_normal(&rng);
    }
    thud_qpos_integrate(w.minimal, w.s->qpos, w.s->qvel, 1, w.s->qpos);
    for (int i = 0; i < w.minimal->nv; i++) {
        w.s->qvel[i] = test_normal(&rng);
    }
    CHECK_OK(thud_maximal_state(w.minimal, w.s, w.maximal, w.t));
    w.X = malloc((size_t)(bodies + 1) * sizeof *w.X);
    w.Y = malloc((size_t)(bodies + 1) * sizeof *w.Y);
    thud_body_poses(w.minimal, w.s->qpos, w.X);
    thud_body_poses(w.maximal, w.t->qpos, w.Y);
    return w;
}

void twin_destroy(twin *w)
{
    thud_state_destroy(w->s);
    thud_state_destroy(w->t);
    thud_model_destroy(w->minimal);
    thud_model_destroy(w->maximal);
    thud_spec_destroy(w->spec);
    thud_spec_destroy(w->wide);
    free(w->X);
    free(w->Y);
}
