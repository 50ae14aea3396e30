// SPDX-License-Identifier: Apache-2.0
// What a stack needs of its contacts: a body at rest trembles by what the solver leaves, some 1e-9, and has
// the same contacts with the same names and all but the same normals in every step.
#include "brute.h"

enum { TREMBLES = 400 };
static const double NOISE = 1e-9;

static thud_shape box(double x, double y, double z)
{
    return (thud_shape){.kind = THUD_SHAPE_BOX, .size = {x, y, z}};
}

static placed at(thud_shape shape, double x, double y, double z, double yaw)
{
    return (placed){shape, {q_axis_angle(v3(0, 0, 1), yaw), {x, y, z}}};
}

static placed trembling(test_rng *r, placed p, double noise)
{
    p.X.p = v3_add(p.X.p, v3_scale(noise, v3(test_normal(r), test_normal(r), test_normal(r))));
    p.X.q =
        q_normalize(q_mul(q_exp(v3_scale(noise, v3(test_normal(r), test_normal(r), test_normal(r)))), p.X.q));
    return p;
}

static int touch(const placed *a, const placed *b, double margin, thud_pair_contact *c)
{
    return thud_collide_pair(&a->shape, a->X, &b->shape, b->X, margin, NULL, c);
}

// b stands on a: `want` contacts, whose features stay, whose gaps and points move by no more than a few
// times the noise, and whose normals are up.
static void check_stands(const placed *below, const placed *above, int want)
{
    test_rng r = {.s = 17};
    thud_pair_contact first[THUD_PAIR_MAX], now[THUD_PAIR_MAX];
    CHECK_INT(touch(below, above, 1e-4, first), want);
    for (int k = 0; k < TREMBLES; k++) {
        const double margin = k % 2 ? 1e-2 : 1e-7;
        const placed a = below->shape.kind == THUD_SHAPE_PLANE ? *below : trembling(&r, *below, NOISE),
                     b = trembling(&r, *above, NOISE);
        CHECK_INT(touch(&a, &b, margin, now), want);
        for (int i = 0; i < want; i++) {
            CHECK_INT(now[i].feature[0], first[i].feature[0]);
            CHECK_INT(now[i].feature[1], first[i].feature[1]);
            CHECK_BELOW(v3_norm(v3_sub(now[i].normal, v3(0, 0, 1))), 10 * NOISE);
            CHECK_BELOW(v3_norm(v3_sub(now[i].point, first[i].point)), 20 * NOISE);
            CHECK_BELOW(fabs(now[i].dist), 20 * NOISE);
        }
    }
}

TEST(a_trembling_box_keeps_its_four_corners_on_a_plane)
{
    const placed ground = at((thud_shape){.kind = THUD_SHAPE_PLANE}, 0, 0, 0, 0),
                 cube = at(box(0.5, 0.4, 0.3), 1, 2, 0.3, 0.7);
    check_stands(&ground, &cube, 4);
}

TEST(a_trembling_box_keeps_its_four_corners_on_a_larger_box)
{
    const placed table = at(box(2, 2, 0.5), 0, 0, 0, 0);
    for (int k = 0; k < 8; k++) {
        const placed cube = at(box(0.5, 0.4, 0.3), 0.3, -0.2, 0.8, 0.2 * k);
        check_stands(&table, &cube, 4);
    }
    const placed small = at(box(0.5, 0.4, 0.3), 0, 0, 0, 0.1), wide = at(box(2, 2, 0.5), 0.1, 0, 0.8, 0);
    check_stands(&small, &wide, 4);
}

TEST(equal_cubes_stacked_exactly_keep_their_four_corners)
{
    const placed lower = at(box(0.5, 0.5, 0.5), 0, 0, 0, 0), upper = at(box(0.5, 0.5, 0.5), 0, 0, 1, 0);
    check_stands(&lower, &upper, 4);
}

TEST(cubes_flush_with_one_side_or_corner_keep_their_four_contacts)
{
    const placed table = at(box(1, 0.5, 0.5), 0, 0, 0, 0);
    const placed middle = at(box(0.5, 0.5, 0.5), 0, 0, 1, 0),
                 corner = at(box(0.25, 0.25, 0.5), 0.75, 0.25, 1, 0),
                 over = at(box(0.5, 0.5, 0.5), 0.8, 0, 1, 0);
    check_stands(&table, &middle, 4);
    check_stands(&table, &corner, 4);
    check_stands(&table, &over, 4);
}

TEST(a_cube_turned_on_its_equal_keeps_eight_contacts)
{
    const placed lower = at(box(0.5, 0.5, 0.5), 0, 0, 0, 0), upper = at(box(0.5, 0.5, 0.5), 0, 0, 1, 0.7);
    check_stands(&lower, &upper, 8);
}

// A prism of `sides` sides and radius r, from -1/2 to 1/2.
static thud_hull *prism(int sides, double r)
{
    vec3 x[64];
    for (int i = 0; i < 2 * sides; i++) {
        const double angle = 6.283185307179586 * (i / 2 + 0.5) / sides;
        x[i] = v3(r * cos(angle), r * sin(angle), i % 2 ? 0.5 : -0.5);
    }
    thud_hull *hull = NULL;
    thud_diag diag;
    CHECK_OK(thud_hull_create(x, 2 * sides, NULL, &hull, &diag));
    return hull;
}

TEST(prisms_stacked_exactly_keep_all_their_corners)
{
    for (int sides = 3; sides <= 12; sides++) {
        thud_hull *wide = prism(sides, 0.6), *narrow = prism(sides, 0.5);
        const thud_shape shape = {.kind = THUD_SHAPE_HULL, .hull = wide},
                         small = {.kind = THUD_SHAPE_HULL, .hull = narrow};
        const placed lower = at(shape, 0, 0, 0, 0), equal = at(shape, 0, 0, 1, 0),
                     less = at(small, 0, 0, 1, 0), turned = at(small, 0.01, 0, 1, 0.05),
                     table = at(box(2, 2, 0.5), 0, 0, 0, 0);
        check_stands(&lower, &equal, sides);
        check_stands(&lower, &less, sides);
        check_stands(&lower, &turned, sides);
        check_stands(&table, &equal, sides);
        thud_hull_destroy(wide);
        thud_hull_destroy(narrow);
    }
}

TEST(a_trembling_cylinder_keeps_its_contacts)
{
    const placed table = at(box(2, 2, 0.5), 0, 0, 0, 0),
                 ground = at((thud_shape){.kind = THUD_SHAPE_PLANE}, 0, 0, 0.5, 0);
    const placed can = at((thud_shape){.kind = THUD_SHAPE_CYLINDER, .size = {0.2, 0.3}}, 0.1, 0.2, 0.8, 0.4);
    check_stands(&ground, &can, 4);
    check_stands(&table, &can, 4);
}

// A box that leans by 1e-4 within a margin of 1e-3: all four corners are listed, each at its own height.
TEST(a_box_that_leans_within_the_margin_lists_every_corner)
{
    test_rng r = {.s = 3};
    const placed ground = at((thud_shape){.kind = THUD_SHAPE_PLANE}, 0, 0, 0.5, 0);
    const placed table = at(box(2, 2, 0.5), 0, 0, 0, 0);
    for (int k = 0; k < 400; k++) {
        placed cube = at(box(0.5, 0.4, 0.3), 0.1, 0.2, 0.8, test_uniform(&r, 0, 3));
        cube = trembling(&r, cube, 5e-5);
        for (int j = 0; j < 2; j++) {
            thud_pair_contact c[THUD_PAIR_MAX];
            CHECK_INT(touch(j ? &table : &ground, &cube, 1e-3, c), 4);
            for (int i = 0; i < 4; i++) {
                CHECK_INT(thud_feature_kind_of(c[i].feature[1]), THUD_FEATURE_VERTEX);
                const vec3 x = thud_hull_unit_box.vertex[thud_feature_index_of(c[i].feature[1])];
                const vec3 corner = pose_point(cube.X, v3(0.5 * x.x, 0.4 * x.y, 0.3 * x.z));
                CHECK_NEAR(c[i].dist, corner.z - 0.5, 1e-7); // along normals that are 1e-4 off
            }
        }
    }
}

// A ball or a pill carried over the edge of a box and its corner: the deepest gap and the normal are
// continuous, the gap with slope at most one, the normal turning no faster than over the radius.
static void check_continuous(const thud_shape *moving, quat q)
{
    const placed table = at(box(0.5, 0.5, 0.5), 0, 0, 0, 0);
    const double step = 1e-4, radius = moving->size[0];
    vec3 normal = {0, 0, 0};
    double last = 0;
    for (int k = 0; k < 6000; k++) {
        placed p = {*moving, {q, {0.3 + step * k, 0.2 + 0.7 * step * k, 0}}};
        p.X.p.z = 0.5 + 0.9 * radius + fabs(q_rotate(q, v3(0, 0, moving->size[1])).z); // the core stays out
        thud_pair_contact c[THUD_PAIR_MAX];
        const int count = touch(&table, &p, 1, c);
        int deepest = 0;
        for (int i = 1; i < count; i++) {
            deepest = c[i].dist < c[deepest].dist ? i : deepest;
        }
        CHECK(count > 0);
        if (k > 0) {
            CHECK_BELOW(fabs(c[deepest].dist - last), 1.3 * step);
            CHECK_BELOW(v3_norm(v3_sub(c[deepest].normal, normal)), 3 * step / radius);
        }
        last = c[deepest].dist;
        normal = c[deepest].normal;
    }
}

TEST(balls_and_pills_pass_over_edges_without_a_jump)
{
    const thud_shape ball = {.kind = THUD_SHAPE_SPHERE, .size = {0.2}},
                     pill = {.kind = THUD_SHAPE_CAPSULE, .size = {0.2, 0.3}};
    check_continuous(&ball, (quat){1, 0, 0, 0});
    check_continuous(&pill, (quat){1, 0, 0, 0});
    check_continuous(&pill, q_axis_angle(v3(1, 0, 0), 1.5707963267948966));
    check_continuous(&pill, q_axis_angle(v3_normalize(v3(1, 0.3, 0.2)), 1.3));
}

TEST_MAIN(T(a_trembling_box_keeps_its_four_corners_on_a_plane),
          T(a_trembling_box_keeps_its_four_corners_on_a_larger_box),
          T(equal_cubes_stacked_exactly_keep_their_four_corners),
          T(cubes_flush_with_one_side_or_corner_keep_their_four_contacts),
          T(a_cube_turned_on_its_equal_keeps_eight_contacts),
          T(prisms_stacked_exactly_keep_all_their_corners), T(a_trembling_cylinder_keeps_its_contacts),
          T(a_box_that_leans_within_the_margin_lists_every_corner),
          T(balls_and_pills_pass_over_edges_without_a_jump))
