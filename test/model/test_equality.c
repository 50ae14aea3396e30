// SPDX-License-Identifier: Apache-2.0
// Equalities as two frames: what a file leaves out comes from the reference pose, by MuJoCo's rules.
#include <thud/model.h>
#include <thud/spatial_inline.h>
#include <thud/spec_elements.h>

#include "test.h"

enum { ARM = 1, HAND, LID };

// arm - hand, and a lid beside them, all turned and moved at random; joints and sites out of order.
static thud_spec *tree(uint64_t seed)
{
    test_rng rng = {seed};
    thud_spec *s;
    CHECK_OK(thud_spec_create(&s));
    for (int i = 0; i < 3; i++) {
        const int b = thud_spec_add_body(s, i == 1 ? ARM : 0, NULL);
        thud_spec_body *body = &s->body[b];
        body->pos = v3(test_normal(&rng), test_normal(&rng), test_normal(&rng));
        body->quat = q_normalize((quat){test_normal(&rng), test_normal(&rng), test_normal(&rng), 0.3});
        body->has_inertial = true;
        body->mass = body->inertia[0] = body->inertia[1] = body->inertia[2] = 1;
    }
    for (int b = LID; b >= ARM; b--) { // spec joint 0 is on the lid
        const int j = thud_spec_add_joint(s, b, b == LID ? THUD_JOINT_SLIDE : THUD_JOINT_HINGE, NULL);
        s->joint[j].ref = 0.1 * b;
        const int site = thud_spec_add_site(s, b, NULL);
        s->site[site].pos = v3(b, 0, 0);
        s->site[site].quat = q_normalize((quat){1, b, 0, 0});
    }
    return s;
}

static thud_model *build(thud_spec *s)
{
    thud_model *m;
    thud_diag diag = {.text = ""};
    if (thud_model_build(s, &m, &diag) != THUD_OK) {
        fail_msg("%s", diag.text);
    }
    thud_spec_destroy(s);
    return m;
}

static pose in_world(const thud_model *m, int body)
{
    return body == 0 ? pose_identity() : pose_mul(in_world(m, m->body_parent[body]), m->body_pose[body]);
}

static double apart(vec3 a, vec3 b)
{
    return v3_norm(v3_sub(a, b));
}

static double turned(quat a, quat b)
{
    return v3_norm(q_log(q_mul(q_conj(a), b)));
}

static pose frame1(const thud_model *m, int i)
{
    return pose_mul(in_world(m, m->eq_obj1[i]), m->eq_frame1[i]);
}

static pose frame2(const thud_model *m, int i)
{
    return pose_mul(in_world(m, m->eq_obj2[i]), m->eq_frame2[i]);
}

// Tolerances: 1e-15 for each of about ten products of numbers of size 1 to 4.
static const double EXACT = 2e-14;

TEST(a_connect_meets_in_the_reference_pose_at_the_anchor_of_body_1)
{
    for (uint64_t seed = 1; seed < 20; seed++) {
        thud_spec *s = tree(seed);
        const int e = thud_spec_add_equality(s, THUD_EQUALITY_CONNECT, "pin");
        s->equality[e].object1 = HAND;
        s->equality[e].object2 = seed % 2 ? LID : 0;
        s->equality[e].anchor = v3(0.1, 0.2, 0.3);
        thud_model *m = build(s);
        CHECK_NEAR(apart(m->eq_frame1[0].p, v3(0.1, 0.2, 0.3)), 0, 0);
        CHECK_BELOW(apart(frame1(m, 0).p, frame2(m, 0).p), EXACT);
        CHECK_BELOW(turned(frame1(m, 0).q, frame2(m, 0).q), EXACT);
        CHECK_INT(m->eq_obj2[0], seed % 2 ? LID : 0);
        CHECK_INT(thud_model_find(m, THUD_KIND_EQUALITY, "pin"), 0);
        thud_model_destroy(m);
    }
}

TEST(a_weld_without_relpose_holds_the_reference_pose_and_with_one_what_it_says)
{
    for (uint64_t seed = 1; seed < 20; seed++) {
        thud_spec *s = tree(seed);
        for (int k = 0; k < 2; k++) {
            const int e = thud_spec_add_equality(s, THUD_EQUALITY_WELD, NULL);
            s->equality[e].object1 = HAND;
            s->equality[e].object2 = LID;
            s->equality[e].anchor = v3(1, 2, 3);
            s->equality[e].has_relpose = k == 1;
            s->equality[e].relpos = v3(4, 5, 6);
            s->equality[e].relquat = q_axis_angle(v3(0, 0, 1), 1);
            s->equality[e].torquescale = 0.5;
        }
        thud_model *m = build(s);
        CHECK_BELOW(apart(frame1(m, 0).p, frame2(m, 0).p), EXACT);
        CHECK_BELOW(turned(frame1(m, 0).q, frame2(m, 0).q), EXACT);
        CHECK_NEAR(apart(m->eq_frame2[0].p, v3(1, 2, 3)), 0, 0); // the anchor is in body 2
        CHECK_NEAR(apart(m->eq_frame1[1].p, v3(4, 5, 6)), 0, 0);
        CHECK_BELOW(turned(m->eq_frame1[1].q, q_axis_angle(v3(0, 0, 1), 1)), 1e-15);
        CHECK_NEAR(m->eq_torquescale[1], 0.5, 0);
        thud_model_destroy(m);
    }
}

TEST(sites_bring_their_own_frames_and_bodies)
{
    thud_spec *s = tree(3);
    const int e = thud_spec_add_equality(s, THUD_EQUALITY_WELD, NULL);
    s->equality[e].sites = true;
    s->equality[e].object1 = 0; // on the lid
    s->equality[e].object2 = 2; // on the arm
    thud_model *m = build(s);
    CHECK_INT(m->eq_obj1[0], LID);
    CHECK_INT(m->eq_obj2[0], ARM);
    CHECK_NEAR(m->eq_frame1[0].p.x, LID, 0);
    CHECK_BELOW(turned(m->eq_frame2[0].q, q_normalize((quat){1, ARM, 0, 0})), 1e-15);
    thud_model_destroy(m);
}

TEST(equal_joints_are_numbered_as_the_model_does_and_know_their_references)
{
    thud_spec *s = tree(4);
    const int e = thud_spec_add_equality(s, THUD_EQUALITY_JOINT, "gear"),
              f = thud_spec_add_equality(s, THUD_EQUALITY_JOINT, "held");
    s->equality[e].object1 = 0;
    s->equality[e].object2 = 2;
    s->equality[e].polycoef[2] = 7;
    s->equality[f].object1 = 1;
    s->equality[f].active = false;
    thud_model *m = build(s);
    CHECK_INT(m->equalities, 2);
    CHECK_INT(m->eq_obj1[0], 2); // the lid's joint comes last
    CHECK_INT(m->eq_obj2[0], 0);
    CHECK_NEAR(m->eq_q0[0], 0.1 * LID, 0);
    CHECK_NEAR(m->eq_q0[1], 0.1 * ARM, 0);
    CHECK_NEAR(m->eq_polycoef[2], 7, 0);
    CHECK_INT(m->eq_obj2[1], -1);
    CHECK(m->eq_active[0] && !m->eq_active[1]);
    CHECK_INT(m->eq_spec[1], f);
    CHECK_TEXT(thud_model_name(m, THUD_KIND_EQUALITY, 0), "gear");
    thud_model_destroy(m);
}

TEST(equal_tendons_know_their_lengths_in_the_reference_pose)
{
    thud_spec *s = tree(4);
    thud_spec_add_tendon(s, false, "cord");
    thud_spec_add_wrap(s, THUD_WRAP_JOINT, 0, 3);
    const int e = thud_spec_add_equality(s, THUD_EQUALITY_TENDON, NULL);
    s->equality[e].object1 = 0;
    s->equality[e].object2 = -1;
    thud_model *m = build(s);
    CHECK_INT(m->eq_obj1[0], 0);
    CHECK_INT(m->eq_obj2[0], -1);
    CHECK_NEAR(m->eq_q0[0], 3 * 0.1 * LID, 1e-15);
    CHECK_INT(thud_model_find(m, THUD_KIND_TENDON, "cord"), 0);
    thud_model_destroy(m);
}

TEST(an_equality_of_bodies_that_are_one_is_never_active)
{
    thud_spec *s = tree(8);
    const int plate = thud_spec_add_body(s, HAND, NULL), post = thud_spec_add_body(s, 0, NULL);
    const int pairs[][2] = {{HAND, plate}, {HAND, HAND}, {post, 0}, {plate, post}, {ARM, plate}};
    for (int k = 0; k < 5; k++) {
        const int e = thud_spec_add_equality(s, THUD_EQUALITY_CONNECT, NULL);
        s->equality[e].object1 = pairs[k][0];
        s->equality[e].object2 = pairs[k][1];
    }
    thud_model *m = build(s);
    for (int k = 0; k < 5; k++) {
        CHECK_INT(m->eq_active[k], k >= 3);
    }
    thud_model_destroy(m);
}

TEST(rows_count_what_each_kind_takes_away)
{
    CHECK_INT(thud_equality_rows(THUD_EQUALITY_CONNECT), 3);
    CHECK_INT(thud_equality_rows(THUD_EQUALITY_WELD), 6);
    CHECK_INT(thud_equality_rows(THUD_EQUALITY_JOINT), 1);
    CHECK_INT(thud_equality_rows(THUD_EQUALITY_HINGE), 5);
    CHECK_INT(thud_equality_rows(THUD_EQUALITY_SLIDE), 5);
    CHECK_TEXT(thud_equality_name(THUD_EQUALITY_SLIDE), "slide");
    CHECK_TEXT(thud_equality_name(77), "unknown");
}

TEST(an_equality_that_cannot_be_is_refused)
{
    for (int fault = 0; fault < 8; fault++) {
        thud_spec *s = tree(5);
        thud_model *m;
        thud_diag diag;
        const int i =
            thud_spec_add_equality(s, fault < 2 ? THUD_EQUALITY_JOINT : THUD_EQUALITY_CONNECT, NULL);
        thud_spec_equality *e = &s->equality[i];
        e->object1 = fault == 0 ? 99 : 1;
        e->object2 = fault == 1 ? -2 : fault == 2 ? -1 : 0;
        e->anchor.x = fault == 3 ? INFINITY : 0;
        e->frame[0].q.w = fault == 4 ? 2 : 1;
        e->axis.damping = fault == 5 ? -1 : 0;
        e->axis.limited = fault == 6;
        e->axis.range[0] = 1;
        e->polycoef[4] = fault == 7 ? NAN : 0;
        CHECK_INT(thud_model_build(s, &m, &diag), THUD_BAD_MODEL);
        CHECK(!m);
        thud_spec_destroy(s);
    }
}

TEST(the_flags_of_the_options_reach_the_model)
{
    for (int flag = 0; flag < 5; flag++) {
        thud_spec *s = tree(6);
        thud_spec_option *o = &s->option;
        bool *const flags[] = {&o->contact_on, &o->limit_on, &o->frictionloss_on, &o->equality_on,
                               &o->filterparent_on};
        *flags[flag] = false;
        thud_model *m = build(s);
        const bool got[] = {m->contact_on, m->limit_on, m->frictionloss_on, m->equality_on,
                            m->filterparent_on};
        for (int k = 0; k < 5; k++) {
            CHECK_INT(got[k], k != flag);
        }
        thud_model_destroy(m);
    }
}

// A ball, an octahedron and a hill on the arm, which keeps its own inertia.
static thud_spec *tree_with_shapes(void)
{
    static const double corner[] = {1, 0, 0, -1, 0, 0, 0, 2, 0, 0, -2, 0, 0, 0, 3, 0, 0, -3},
                        height[] = {0, 1, 0.5, 0.25};
    thud_spec *s = tree(7);
    const int ball = thud_spec_add_geom(s, ARM, THUD_GEOM_SPHERE, NULL);
    const int octahedron = thud_spec_add_geom(s, ARM, THUD_GEOM_MESH, NULL);
    const int hill = thud_spec_add_geom(s, 0, THUD_GEOM_HFIELD, NULL);
    s->geom[ball].size[0] = 0.1;
    s->geom[octahedron].mesh = thud_spec_add_mesh(s, NULL);
    s->mesh[0].vertices = 6;
    s->mesh[0].vertex = thud_alloc(18, sizeof(double));
    memcpy(s->mesh[0].vertex, corner, sizeof corner);
    s->geom[hill].hfield = thud_spec_add_hfield(s, NULL);
    s->hfield[0].rows = s->hfield[0].columns = 2;
    s->hfield[0].size[0] = s->hfield[0].size[1] = s->hfield[0].size[2] = s->hfield[0].size[3] = 1;
    s->hfield[0].elevation = thud_alloc(4, sizeof(double));
    memcpy(s->hfield[0].elevation, height, sizeof height);
    return s;
}

TEST(the_hash_changes_with_every_part_of_a_model)
{
    thud_model *plain = build(tree_with_shapes());
    for (int part = 0; part < 11; part++) {
        thud_spec *s = tree_with_shapes();
        s->option.gravity.z += part == 0 ? 1e-15 : 0;
        s->option.contact_on = part != 1;
        s->body[HAND].mass += part == 2 ? 1e-15 : 0;
        s->joint[1].axis.x = part == 3 ? 1e-9 : 0;
        s->site[2].pos.x += part == 4 ? 1e-9 : 0;
        s->geom[0].size[0] += part == 6 ? 1e-9 : 0;
        s->geom[1].type = part == 7 ? THUD_GEOM_BOX : THUD_GEOM_MESH; // fitted to it
        s->mesh[0].scale.z += part == 8 ? 1e-9 : 0;
        s->hfield[0].elevation[2] += part == 9 ? 1e-9 : 0;
        if (part == 5) {
            const int e = thud_spec_add_equality(s, THUD_EQUALITY_JOINT, NULL);
            s->equality[e].object1 = 0;
        }
        thud_model *m = build(s);
        CHECK_INT(m->hash == plain->hash, part == 10);
        thud_model_destroy(m);
    }
    thud_model_destroy(plain);
}

TEST_MAIN(T(a_connect_meets_in_the_reference_pose_at_the_anchor_of_body_1),
          T(a_weld_without_relpose_holds_the_reference_pose_and_with_one_what_it_says),
          T(sites_bring_their_own_frames_and_bodies),
          T(equal_joints_are_numbered_as_the_model_does_and_know_their_references),
          T(equal_tendons_know_their_lengths_in_the_reference_pose),
          T(an_equality_of_bodies_that_are_one_is_never_active), T(rows_count_what_each_kind_takes_away),
          T(an_equality_that_cannot_be_is_refused), T(the_flags_of_the_options_reach_the_model),
          T(the_hash_changes_with_every_part_of_a_model))
