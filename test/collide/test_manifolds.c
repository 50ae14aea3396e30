// SPDX-License-Identifier: Apache-2.0
// The contact manifolds that resting bodies need, claim by claim [BW 7.1, 8 and footnote 6].
#include "brute.h"

static thud_shape box(double x, double y, double z)
{
    return (thud_shape){.kind = THUD_SHAPE_BOX, .size = {x, y, z}};
}

static pose at(double x, double y, double z)
{
    return (pose){.q = {1, 0, 0, 0}, .p = {x, y, z}};
}

static pose turned(double x, double y, double z, vec3 axis, double angle)
{
    return (pose){.q = q_axis_angle(v3_normalize(axis), angle), .p = {x, y, z}};
}

static int kinds(const thud_pair_contact *c, int count, thud_feature_kind first, thud_feature_kind second)
{
    int found = 0;
    for (int i = 0; i < count; i++) {
        found +=
            thud_feature_kind_of(c[i].feature[0]) == first && thud_feature_kind_of(c[i].feature[1]) == second;
    }
    return found;
}

// Twice the area that the contacts span, seen from above.
static double spanned(const thud_pair_contact *c, int count)
{
    double cx = 0, cy = 0, area = 0;
    int order[THUD_PAIR_MAX];
    for (int i = 0; i < count; i++) {
        cx += c[i].point.x / count;
        cy += c[i].point.y / count;
        order[i] = i;
    }
    for (int i = 1; i < count; i++) {
        for (int j = i; j > 0 && atan2(c[order[j]].point.y - cy, c[order[j]].point.x - cx) <
                                     atan2(c[order[j - 1]].point.y - cy, c[order[j - 1]].point.x - cx);
             j--) {
            const int k = order[j];
            order[j] = order[j - 1];
            order[j - 1] = k;
        }
    }
    for (int i = 0; i < count; i++) {
        const vec3 p = c[order[i]].point, q = c[order[(i + 1) % count]].point;
        area += p.x * q.y - p.y * q.x;
    }
    return area;
}

static void check_all(const thud_pair_contact *c, int count, double dist, vec3 normal, double tolerance)
{
    for (int i = 0; i < count; i++) {
        CHECK_NEAR(c[i].dist, dist, tolerance);
        CHECK_NEAR(v3_norm(v3_sub(c[i].normal, normal)), 0, 1e-12);
    }
}

TEST(a_box_on_a_plane_rests_on_its_four_corners)
{
    const thud_shape ground = {.kind = THUD_SHAPE_PLANE}, cube = box(0.5, 0.4, 0.3);
    thud_pair_contact c[THUD_PAIR_MAX];
    const int count =
        thud_collide_pair(&ground, at(0, 0, 0), &cube, turned(1, 2, 0.3, v3(0, 0, 1), 0.7), 0.01, NULL, c);
    CHECK_INT(count, 4);
    check_all(c, count, 0, v3(0, 0, 1), 1e-15);
    CHECK_NEAR(spanned(c, count), 2 * 1.0 * 0.8, 1e-12);
}

TEST(a_box_on_a_larger_box_rests_on_its_four_corners)
{
    const thud_shape table = box(2, 2, 0.5), cube = box(0.5, 0.4, 0.3);
    thud_pair_contact c[THUD_PAIR_MAX];
    for (int k = 0; k < 20; k++) {
        const int count = thud_collide_pair(&table, at(0, 0, 0), &cube,
                                            turned(0.3, 0.2, 0.8, v3(0, 0, 1), 0.3 * k), 1e-9, NULL, c);
        CHECK_INT(count, 4);
        check_all(c, count, 0, v3(0, 0, 1), 1e-15);
        CHECK_INT(kinds(c, count, THUD_FEATURE_FACE, THUD_FEATURE_VERTEX), 4);
        CHECK_NEAR(spanned(c, count), 2 * 1.0 * 0.8, 1e-12);
    }
}

TEST(baraffs_cube_over_a_table_edge_has_two_vertex_and_two_edge_contacts)
{
    const thud_shape table = box(2, 2, 0.5), cube = box(0.5, 0.5, 0.5);
    thud_pair_contact c[THUD_PAIR_MAX];
    const int count = thud_collide_pair(&table, at(0, 0, 0), &cube, at(1.8, 0.1, 1), 1e-9, NULL, c);
    CHECK_INT(count, 4);
    CHECK_INT(kinds(c, count, THUD_FEATURE_FACE, THUD_FEATURE_VERTEX), 2);
    CHECK_INT(kinds(c, count, THUD_FEATURE_EDGE, THUD_FEATURE_EDGE), 2);
    check_all(c, count, 0, v3(0, 0, 1), 1e-15);
    CHECK_NEAR(spanned(c, count), 2 * 0.7 * 1.0, 1e-12); // x from 1.3 to the edge at 2
}

TEST(baraffs_footnote_6_equal_cubes_lowered_into_each_other_overlap)
{
    const thud_shape cube = box(0.5, 0.5, 0.5);
    thud_pair_contact c[THUD_PAIR_MAX];
    for (double depth = 1e-12; depth < 0.4; depth *= 10) {
        const int count = thud_collide_pair(&cube, at(0, 0, 0), &cube, at(0, 0, 1 - depth), 0, NULL, c);
        CHECK_INT(count, 4);
        check_all(c, count, -depth, v3(0, 0, 1), 1e-15);
        CHECK_NEAR(spanned(c, count), 2, 1e-12);
    }
}

TEST(a_capsule_on_its_side_has_two_contacts)
{
    const thud_shape ground = {.kind = THUD_SHAPE_PLANE}, table = box(2, 2, 0.5),
                     pill = {.kind = THUD_SHAPE_CAPSULE, .size = {0.1, 0.3}};
    thud_pair_contact c[THUD_PAIR_MAX];
    const double half = 1.5707963267948966;
    CHECK_INT(
        thud_collide_pair(&ground, at(0, 0, 0), &pill, turned(0, 0, 0.1, v3(1, 0.3, 0), half), 1e-9, NULL, c),
        2);
    const int count =
        thud_collide_pair(&table, at(0, 0, 0), &pill, turned(0, 0, 0.6, v3(1, 0.3, 0), half), 1e-9, NULL, c);
    CHECK_INT(count, 2);
    check_all(c, count, 0, v3_neg(v3(0, 0, -1)), 1e-15);
    CHECK_NEAR(v3_norm(v3_sub(c[0].point, c[1].point)), 0.6, 1e-12);
    const int parallel = thud_collide_pair(&pill, at(0, 0, 0), &pill, at(0.2, 0, 0.2), 1e-9, NULL, c);
    CHECK_INT(parallel, 2);
    check_all(c, parallel, 0, v3(1, 0, 0), 1e-15);
    CHECK_NEAR(v3_norm(v3_sub(c[0].point, c[1].point)), 0.4, 1e-12);
}

TEST(a_cylinder_on_its_side_has_two_contacts_and_on_its_end_four)
{
    const thud_shape ground = {.kind = THUD_SHAPE_PLANE}, table = box(2, 2, 0.5),
                     can = {.kind = THUD_SHAPE_CYLINDER, .size = {0.2, 0.3}};
    thud_pair_contact c[THUD_PAIR_MAX];
    const double half = 1.5707963267948966;
    for (int k = 0; k < 2; k++) {
        const thud_shape *below = k ? &table : &ground;
        const double top = k ? 0.5 : 0;
        int count = thud_collide_pair(below, at(0, 0, 0), &can, turned(0, 0, top + 0.2, v3(1, 0.3, 0), half),
                                      1e-9, NULL, c);
        CHECK_INT(count, 2);
        CHECK_NEAR(v3_norm(v3_sub(c[0].point, c[1].point)), 0.6, 1e-12);
        count = thud_collide_pair(below, at(0, 0, 0), &can, turned(0.1, 0, top + 0.3, v3(0, 0, 1), 0.77),
                                  1e-9, NULL, c);
        CHECK_INT(count, 4);
        check_all(c, count, 0, v3(0, 0, 1), 1e-15);
        CHECK_NEAR(spanned(c, count), 2 * 2 * 0.04, 1e-12);
    }
}

TEST(a_capsule_that_points_at_another_ones_side_touches_with_its_end)
{
    const thud_shape hip = {.kind = THUD_SHAPE_CAPSULE, .size = {0.1, 0.08}},
                     arm = {.kind = THUD_SHAPE_CAPSULE, .size = {0.034, 0.115}};
    thud_pair_contact c[THUD_PAIR_MAX];
    for (int k = 1; k < 8; k++) { // an arm 0.24 m beside a hip that lies across: 0.24 - 0.08 - 0.1 - 0.034
        CHECK_INT(thud_collide_pair(&hip, turned(0, 0, 1.4, v3(1, 0, 0), 1.5707963267948966), &arm,
                                    at(0, -0.24, 1.365), 0.03 * k, NULL, c),
                  1);
        CHECK_NEAR(c[0].dist, 0.026, 1e-12);
    }
}

// Whatever the margin: a manifold's contacts are no deeper than the shapes are, and one is as deep. Half of
// the poses are turned by right angles, where edges are parallel and axes point along normals.
TEST(no_contact_is_deeper_than_the_shapes_whatever_the_margin)
{
    static const thud_shape_kind kind[] = {THUD_SHAPE_SPHERE, THUD_SHAPE_CAPSULE,   THUD_SHAPE_CYLINDER,
                                           THUD_SHAPE_BOX,    THUD_SHAPE_ELLIPSOID, THUD_SHAPE_HULL};
    test_rng r = {11};
    thud_pair_contact c[THUD_PAIR_MAX];
    for (int i = 0; i < 40000; i++) {
        placed s[2];
        const bool square = i % 2;
        const int axis = test_below(&r, 3);
        for (int k = 0; k < 2; k++) {
            const quat turn = q_axis_angle(test_below(&r, 2) ? v3(1, 0, 0) : v3(0, 1, 0),
                                           1.5707963267948966 * test_below(&r, 3));
            s[k].shape = random_shape(&r, kind[test_below(&r, 6)], 0.1, 1);
            s[k].X = (pose){square ? turn : random_rotation(&r), v3(0, 0, 0)};
        }
        const double far = shape_size(&s[0].shape) + shape_size(&s[1].shape);
        const vec3 way = square ? v3(axis == 0, axis == 1, axis == 2) : random_unit(&r);
        vec3 aside =
            v3(test_uniform(&r, -0.2, 0.2), test_uniform(&r, -0.2, 0.2), test_uniform(&r, -0.2, 0.2));
        aside = v3(aside.x * test_below(&r, 2), aside.y * test_below(&r, 2), aside.z * test_below(&r, 2));
        s[1].X.p = v3_axpy(far * test_uniform(&r, 0.2, 1.2), way, v3_scale(far, aside));
        thud_pair_gap gap;
        const double dist = thud_pair_distance(&s[0].shape, s[0].X, &s[1].shape, s[1].X, NULL, &gap);
        const double margin = test_uniform(&r, 0, 1) * far;
        const int count = thud_collide_pair(&s[0].shape, s[0].X, &s[1].shape, s[1].X, margin, NULL, c);
        CHECK_INT(count > 0, dist <= margin);
        double least = count > 0 ? 1e9 : dist;
        for (int k = 0; k < count; k++) {
            least = fmin(least, c[k].dist);
        }
        CHECK_NEAR(least, dist, 1e-7 * far);
    }
}

TEST_MAIN(T(a_capsule_that_points_at_another_ones_side_touches_with_its_end),
          T(no_contact_is_deeper_than_the_shapes_whatever_the_margin),
          T(a_box_on_a_plane_rests_on_its_four_corners), T(a_box_on_a_larger_box_rests_on_its_four_corners),
          T(baraffs_cube_over_a_table_edge_has_two_vertex_and_two_edge_contacts),
          T(baraffs_footnote_6_equal_cubes_lowered_into_each_other_overlap),
          T(a_capsule_on_its_side_has_two_contacts),
          T(a_cylinder_on_its_side_has_two_contacts_and_on_its_end_four))
