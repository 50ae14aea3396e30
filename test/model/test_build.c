// SPDX-License-Identifier: Apache-2.0
// What a spec becomes: numbering, masses, links, and what is refused.
#include <thud/model.h>

#include <thud/spatial_inline.h>

#include "test.h"

static thud_spec *start(void)
{
    thud_spec *s;
    CHECK_OK(thud_spec_create(&s));
    return s;
}

static thud_model *build(const thud_spec *s)
{
    thud_model *m;
    thud_diag diag = {.text = ""};
    if (thud_model_build(s, &m, &diag) != THUD_OK) {
        fail_msg("%s", diag.text);
    }
    return m;
}

static void check_refused(thud_spec *s, const char *part)
{
    thud_model *m;
    thud_diag diag = {.text = ""};
    CHECK_INT(thud_model_build(s, &m, &diag), THUD_BAD_MODEL);
    CHECK(m == NULL);
    if (!strstr(diag.text, part)) {
        fail_msg("'%s' does not say '%s'", diag.text, part);
    }
    thud_spec_destroy(s);
}

static int add_box(thud_spec *s, int parent, double half)
{
    const int b = thud_spec_add_body(s, parent, NULL), g = thud_spec_add_geom(s, b, THUD_GEOM_BOX, NULL);
    s->geom[g].size[0] = s->geom[g].size[1] = s->geom[g].size[2] = half;
    return b;
}

TEST(a_box_of_water_weighs_a_tonne_a_cubic_metre)
{
    (void)test_state;
    thud_spec *s = start();
    const int b = add_box(s, 0, 0.5);
    thud_spec_add_joint(s, b, THUD_JOINT_FREE, NULL);
    thud_model *m = build(s);
    CHECK_NEAR(m->body_inertia[b].mass, 1000, 1e-9);
    CHECK_NEAR(m->body_inertia[b].I[0], 1000.0 / 6, 1e-9);
    CHECK_NEAR(m->total_mass, 1000, 1e-9);
    thud_model_destroy(m);
    thud_spec_destroy(s);
}

TEST(an_inertial_wins_over_geoms_unless_the_compiler_says_otherwise)
{
    (void)test_state;
    const thud_tristate rule[] = {THUD_AUTO, THUD_TRUE, THUD_FALSE};
    const double want[] = {7, 1000, 7};
    for (int k = 0; k < 3; k++) {
        thud_spec *s = start();
        const int b = add_box(s, 0, 0.5);
        thud_spec_add_joint(s, b, THUD_JOINT_FREE, NULL);
        s->body[b].has_inertial = true;
        s->body[b].mass = 7;
        s->body[b].inertia[0] = s->body[b].inertia[1] = s->body[b].inertia[2] = 1;
        s->compiler.inertiafromgeom = rule[k];
        thud_model *m = build(s);
        CHECK_NEAR(m->body_inertia[b].mass, want[k], 1e-9);
        thud_model_destroy(m);
        thud_spec_destroy(s);
    }
}

TEST(welded_bodies_are_one_link_and_weigh_together)
{
    (void)test_state;
    thud_spec *s = start();
    const int a = add_box(s, 0, 0.5), b = add_box(s, a, 0.5), c = add_box(s, b, 0.5);
    s->body[b].pos = v3(1, 0, 0);
    thud_spec_add_joint(s, a, THUD_JOINT_HINGE, NULL);
    thud_spec_add_joint(s, c, THUD_JOINT_HINGE, NULL);
    thud_model *m = build(s);
    CHECK_INT(m->joints, 2);
    CHECK_INT(m->body_link[b], m->body_link[a]);
    CHECK_INT(m->body_weld[b], a);
    CHECK_INT(m->body_weld[c], c);
    CHECK_NEAR(m->link_mass[0], 2000, 1e-9);
    CHECK_NEAR(m->link_moment[0].x, 1000, 1e-9);
    thud_model_destroy(m);
    thud_spec_destroy(s);
}

TEST(joints_and_geoms_are_numbered_by_body)
{
    (void)test_state;
    thud_spec *s = start();
    const int a = add_box(s, 0, 0.1), b = add_box(s, a, 0.1);
    thud_spec_add_joint(s, b, THUD_JOINT_SLIDE, "second");
    thud_spec_add_joint(s, a, THUD_JOINT_BALL, "first");
    thud_spec_add_geom(s, a, THUD_GEOM_SPHERE, "late");
    s->geom[2].size[0] = 0.1;
    thud_model *m = build(s);
    CHECK_TEXT(thud_model_name(m, THUD_KIND_JOINT, 0), "first");
    CHECK_INT(m->joint_q[1], 4);
    CHECK_INT(m->joint_v[1], 3);
    CHECK_INT(thud_model_find(m, THUD_KIND_GEOM, "late"), 1);
    CHECK_INT(thud_model_find(m, THUD_KIND_GEOM, "none"), -1);
    CHECK_INT(m->dof_parent[3], 2);
    CHECK_INT(m->dof_row[4], 1 + 2 + 3 + 4);
    thud_model_destroy(m);
    thud_spec_destroy(s);
}

TEST(total_mass_and_bounds_are_applied)
{
    (void)test_state;
    thud_spec *s = start();
    const int a = add_box(s, 0, 0.5), b = add_box(s, a, 0.05);
    thud_spec_add_joint(s, a, THUD_JOINT_FREE, NULL);
    thud_spec_add_joint(s, b, THUD_JOINT_HINGE, NULL);
    s->compiler.settotalmass = 12;
    s->compiler.boundmass = 2;
    s->compiler.boundinertia = 0.5;
    thud_model *m = build(s);
    CHECK_NEAR(m->total_mass, 12, 1e-12);
    CHECK_NEAR(m->body_inertia[b].mass / m->body_inertia[a].mass, 2.0 / 1000, 1e-15);
    CHECK_NEAR(m->body_inertia[b].I[0], 0.5 * 12 / 1002, 1e-15);
    thud_model_destroy(m);
    thud_spec_destroy(s);
}

TEST(a_box_fitted_to_the_mesh_of_a_box_is_that_box)
{
    (void)test_state;
    thud_spec *s = start();
    const int b = thud_spec_add_body(s, 0, NULL), mesh = thud_spec_add_mesh(s, "brick");
    thud_spec_add_joint(s, b, THUD_JOINT_FREE, NULL);
    s->mesh[mesh].vertices = 8;
    s->mesh[mesh].vertex = thud_alloc(24, sizeof(double));
    for (int i = 0; i < 24; i++) {
        const double half[] = {0.3, 0.2, 0.1}, middle[] = {1, 2, 3};
        s->mesh[mesh].vertex[i] = middle[i % 3] + ((i / 3) >> (i % 3) & 1 ? 1 : -1) * half[i % 3];
    }
    s->mesh[mesh].inertia = THUD_MESH_INERTIA_CONVEX;
    for (int k = 0; k < 2; k++) {
        const int g = thud_spec_add_geom(s, b, k ? THUD_GEOM_MESH : THUD_GEOM_BOX, NULL);
        s->geom[g].mesh = mesh;
    }
    thud_model *m = build(s);
    for (int k = 0; k < 2; k++) {
        CHECK_NEAR(v3_norm(v3_sub(m->geom_pose[k].p, v3(1, 2, 3))), 0, 1e-12);
    }
    double size[3] = {m->geom_shape[0].size[0], m->geom_shape[0].size[1], m->geom_shape[0].size[2]};
    CHECK_NEAR(size[0] * size[1] * size[2], 0.3 * 0.2 * 0.1, 1e-12);
    CHECK_NEAR(size[0] + size[1] + size[2], 0.6, 1e-12);
    CHECK_INT(m->geom_shape[1].hull->vertices, 8);
    CHECK_NEAR(m->total_mass, 2 * 1000 * 0.6 * 0.4 * 0.2, 1e-9);
    thud_model_destroy(m);
    thud_spec_destroy(s);
}

// ---------------------------------------------------------------------------------------------- refusals

TEST(what_cannot_move_or_be_is_refused_with_a_sentence)
{
    (void)test_state;
    thud_spec *s = start();
    thud_spec_add_joint(s, thud_spec_add_body(s, 0, "ghost"), THUD_JOINT_HINGE, NULL);
    check_refused(s, "body 'ghost' moves but has mass 0");

    s = start();
    thud_spec_add_joint(s, add_box(s, add_box(s, 0, 1), 1), THUD_JOINT_FREE, "loose");
    check_refused(s, "free joint 'loose' is allowed only on a child of the world");

    s = start();
    int b = add_box(s, 0, 1);
    for (int i = 0; i < 4; i++) {
        thud_spec_add_joint(s, b, THUD_JOINT_HINGE, NULL);
    }
    check_refused(s, "more freedom than a rigid body has");

    s = start();
    b = add_box(s, 0, 1);
    thud_spec_add_joint(s, b, THUD_JOINT_HINGE, "j");
    s->joint[0].damping = -1;
    check_refused(s, "must not be negative");

    s = start();
    b = add_box(s, 0, 1);
    s->body[b].pos.x = NAN;
    check_refused(s, "not finite");

    s = start();
    b = add_box(s, 0, 1);
    s->body[b].has_inertial = true;
    s->body[b].mass = 1;
    s->body[b].inertia[0] = 1;
    s->body[b].inertia[1] = s->body[b].inertia[2] = 0.1;
    check_refused(s, "triangle inequality");

    s = start();
    thud_spec_add_body(s, 0, "twin");
    thud_spec_add_body(s, 0, "twin");
    check_refused(s, "a second body is called 'twin'");

    s = start();
    add_box(s, 0, -1);
    check_refused(s, "geom");
}

TEST(keyframes_must_have_the_models_size)
{
    (void)test_state;
    thud_spec *s = start();
    thud_spec_add_joint(s, add_box(s, 0, 1), THUD_JOINT_FREE, NULL);
    const int k = thud_spec_add_key(s, "home");
    s->key[k].qpos = thud_alloc(6, sizeof(double));
    s->key[k].nqpos = 6;
    check_refused(s, "keyframe 'home' has 6 positions; the model has 7");
}

TEST_MAIN(T(a_box_of_water_weighs_a_tonne_a_cubic_metre),
          T(an_inertial_wins_over_geoms_unless_the_compiler_says_otherwise),
          T(welded_bodies_are_one_link_and_weigh_together), T(joints_and_geoms_are_numbered_by_body),
          T(total_mass_and_bounds_are_applied), T(a_box_fitted_to_the_mesh_of_a_box_is_that_box),
          T(what_cannot_move_or_be_is_refused_with_a_sentence), T(keyframes_must_have_the_models_size))
