// SPDX-License-Identifier: Apache-2.0
// Distances that can be written down.
#include "brute.h"

static const double PI = 3.141592653589793;

static double dist(const thud_shape *a, pose X, const thud_shape *b, pose Y)
{
    thud_pair_gap g;
    return thud_pair_distance(a, X, b, Y, NULL, &g);
}

static pose at(vec3 p)
{
    return (pose){.q = {1, 0, 0, 0}, .p = p};
}

TEST(two_spheres_are_their_centres_less_their_radii_apart)
{
    test_rng r = {.s = 1};
    for (int k = 0; k < 2000; k++) {
        const thud_shape a = {.kind = THUD_SHAPE_SPHERE, .size = {test_uniform(&r, 0, 1)}},
                         b = {.kind = THUD_SHAPE_SPHERE, .size = {test_uniform(&r, 0, 1)}};
        const vec3 p = v3_scale(test_uniform(&r, 0, 3), random_unit(&r));
        CHECK_NEAR(dist(&a, pose_identity(), &b, at(p)), v3_norm(p) - a.size[0] - b.size[0], 1e-15 * 4);
    }
}

// A plane meets the lowest point: centre height less the support of the shape.
TEST(everything_is_as_far_from_a_plane_as_its_lowest_point)
{
    test_rng r = {.s = 2};
    const thud_shape plane = {.kind = THUD_SHAPE_PLANE};
    for (int k = 0; k < 4000; k++) {
        const pose P = {random_rotation(&r), random_unit(&r)},
                   X = {random_rotation(&r), v3_scale(2, random_unit(&r))};
        const vec3 up = q_rotate(P.q, v3(0, 0, 1)), z = q_rotate(X.q, v3(0, 0, 1));
        const double height = v3_dot(up, v3_sub(X.p, P.p)), c = fabs(v3_dot(up, z)), s = sqrt(1 - c * c);
        const thud_shape pill = {.kind = THUD_SHAPE_CAPSULE, .size = {0.2, 0.5}},
                         can = {.kind = THUD_SHAPE_CYLINDER, .size = {0.2, 0.5}},
                         egg = {.kind = THUD_SHAPE_ELLIPSOID, .size = {0.2, 0.3, 0.5}},
                         box = {.kind = THUD_SHAPE_BOX, .size = {0.2, 0.3, 0.5}};
        const vec3 m = q_unrotate(X.q, up);
        CHECK_NEAR(dist(&plane, P, &pill, X), height - 0.5 * c - 0.2, 1e-14);
        CHECK_NEAR(dist(&plane, P, &can, X), height - 0.5 * c - 0.2 * s,
                   1e-8); // s loses digits near the axis
        CHECK_NEAR(dist(&plane, P, &egg, X), height - v3_norm(v3(0.2 * m.x, 0.3 * m.y, 0.5 * m.z)), 1e-14);
        CHECK_NEAR(dist(&plane, P, &box, X), height - 0.2 * fabs(m.x) - 0.3 * fabs(m.y) - 0.5 * fabs(m.z),
                   1e-14);
    }
}

TEST(crossed_capsules_and_cylinders_are_apart_along_the_common_normal)
{
    const thud_shape pill = {.kind = THUD_SHAPE_CAPSULE, .size = {0.1, 1}},
                     can = {.kind = THUD_SHAPE_CYLINDER, .size = {0.1, 1}};
    for (int k = 0; k < 100; k++) {
        const double angle = 0.05 + 0.03 * k, gap = 0.02 * k - 1;
        const pose X = {q_axis_angle(v3(1, 0, 0), angle), {gap, 0.01, 0.02}};
        const bool same_side = fabs(gap) < 0.2; // deep ones may leave sideways
        CHECK_NEAR(dist(&pill, pose_identity(), &pill, X), fabs(gap) - 0.2, same_side ? 1 : 1e-14);
        CHECK_NEAR(dist(&can, pose_identity(), &can, X), fabs(gap) - 0.2, same_side ? 1 : 1e-13);
        CHECK_NEAR(dist(&pill, pose_identity(), &can, X), fabs(gap) - 0.2, same_side ? 1 : 1e-13);
    }
}

TEST(boxes_a_corner_an_edge_or_a_face_apart)
{
    const thud_shape box = {.kind = THUD_SHAPE_BOX, .size = {1, 1, 1}};
    CHECK_NEAR(dist(&box, pose_identity(), &box, at(v3(3, 4, 6))), sqrt(1 + 4 + 16), 1e-14);
    CHECK_NEAR(dist(&box, pose_identity(), &box, at(v3(5, 6, 0.5))), 5, 1e-14);
    CHECK_NEAR(dist(&box, pose_identity(), &box, at(v3(2.5, 0.3, 0.2))), 0.5, 1e-14);
    CHECK_NEAR(dist(&box, pose_identity(), &box, at(v3(1.5, 1.4, 0.2))), -0.5, 1e-14);
    // edge on edge, at right angles and both at 45 degrees
    const pose X = {q_axis_angle(v3(1, 0, 0), 0.7853981633974483), {0, 0, 0}},
               Y = {q_axis_angle(v3(0, 1, 0), 0.7853981633974483), {0, 0, 2.5}};
    CHECK_NEAR(dist(&box, X, &box, Y), 2.5 - 2 * sqrt(2), 1e-14);
}

// Parallel ellipsoids of equal shape become spheres by scaling one axis; along an axis of symmetry the
// distance is that of the vertices.
TEST(ellipsoids_on_a_common_axis_are_their_tips_apart)
{
    test_rng r = {.s = 4};
    for (int k = 0; k < 500; k++) {
        thud_shape a = random_shape(&r, THUD_SHAPE_ELLIPSOID, 0.2, 1),
                   b = random_shape(&r, THUD_SHAPE_ELLIPSOID, 0.2, 1);
        const double apart = a.size[2] + b.size[2] + test_uniform(&r, 0, 1);
        const pose X = {q_axis_angle(v3(0, 0, 1), test_uniform(&r, 0, 6)), {0, 0, apart}};
        CHECK_NEAR(dist(&a, pose_identity(), &b, X), apart - a.size[2] - b.size[2], 1e-12);
    }
}

// A sphere is an ellipsoid of equal axes, a capsule of no length, and so on: other code, same answer.
TEST(one_solid_described_in_two_ways_has_one_distance)
{
    test_rng r = {.s = 5};
    for (int k = 0; k < 3000; k++) {
        const double radius = test_uniform(&r, 0.1, 1);
        const thud_shape ball = {.kind = THUD_SHAPE_SPHERE, .size = {radius}},
                         egg = {.kind = THUD_SHAPE_ELLIPSOID, .size = {radius, radius, radius}},
                         pill = {.kind = THUD_SHAPE_CAPSULE, .size = {radius, 0}};
        const thud_shape other = random_shape(&r, (thud_shape_kind)(THUD_SHAPE_CAPSULE + k % 5), 0.1, 1);
        const pose X = {random_rotation(&r), v3_scale(test_uniform(&r, 0, 2), random_unit(&r))};
        const double d = dist(&ball, pose_identity(), &other, X);
        CHECK_NEAR(dist(&egg, pose_identity(), &other, X), d, 1e-11);
        CHECK_NEAR(dist(&pill, pose_identity(), &other, X), d, 1e-12);
    }
}

TEST(a_box_and_its_hull_have_the_same_contacts)
{
    test_rng r = {.s = 6};
    for (int k = 0; k < 1000; k++) {
        const thud_shape box = random_shape(&r, THUD_SHAPE_BOX, 0.2, 1),
                         other = random_shape(&r, THUD_SHAPE_BOX, 0.2, 1);
        thud_hull_box made;
        thud_hull_of_box(box.size, &made);
        const thud_shape hull = {.kind = THUD_SHAPE_HULL, .hull = &made.hull};
        const pose X = {random_rotation(&r), v3_scale(test_uniform(&r, 0.2, 1.2), random_unit(&r))};
        thud_pair_contact c[THUD_PAIR_MAX], e[THUD_PAIR_MAX];
        CHECK_NEAR(dist(&box, pose_identity(), &other, X), dist(&hull, pose_identity(), &other, X), 1e-12);
        const int n = thud_collide_pair(&box, pose_identity(), &other, X, 0.01, NULL, c);
        if (thud_collide_pair(&hull, pose_identity(), &other, X, 0.01, NULL, e) == n && n > 0) {
            double low = 1, low_hull = 1;
            for (int i = 0; i < n; i++) {
                low = fmin(low, c[i].dist);
                low_hull = fmin(low_hull, e[i].dist);
            }
            CHECK_NEAR(low, low_hull, 1e-12);
        }
    }
}

// Also where corners are level, one above the other or just at the margin.
TEST(a_box_and_its_hull_have_the_same_contacts_with_a_plane_to_the_bit)
{
    static const thud_shape plane = {.kind = THUD_SHAPE_PLANE};
    test_rng r = {.s = 7};
    int corners[5] = {0};
    for (int k = 0; k < 4000; k++) {
        const thud_shape box = random_shape(&r, THUD_SHAPE_BOX, 0.2, 1);
        thud_hull_box made;
        thud_hull_of_box(box.size, &made);
        const thud_shape hull = {.kind = THUD_SHAPE_HULL, .hull = &made.hull};
        const vec3 turn = v3(k % 2 ? test_normal(&r) : 0, k % 4 > 1 ? test_normal(&r) : 0, test_normal(&r));
        const quat tilt = k % 8 > 3 ? random_rotation(&r) : q_exp(v3_scale(k % 16 > 7 ? 1e-3 : 1, turn));
        const pose X_wa = {k % 32 > 15 ? random_rotation(&r) : q_identity(), random_unit(&r)};
        const double depth = -thud_shape_bounds(&box, (pose){tilt, {0, 0, 0}}).lo.z;
        const pose X = {tilt, v3(test_normal(&r), test_normal(&r), depth + test_uniform(&r, -0.2, 0.02))};
        thud_pair_contact c[THUD_PAIR_MAX], e[THUD_PAIR_MAX];
        const double lowest = X.p.z - depth, up = test_uniform(&r, 0, 0.5);
        const double margin = k % 3 == 0 ? 0.01 : k % 3 == 1 ? lowest : lowest + up;
        const int n = thud_collide_pair(&plane, X_wa, &box, pose_mul(X_wa, X), margin, NULL, c);
        CHECK_INT(thud_collide_pair(&plane, X_wa, &hull, pose_mul(X_wa, X), margin, NULL, e), n);
        CHECK_INT(memcmp(c, e, (size_t)n * sizeof *c), 0);
        corners[n < 4 ? n : 4]++;
    }
    for (int n = 0; n < 5; n++) {
        CHECK(corners[n] > 100);
    }
}

// So thin that the corners of its end are all but one point, or a line.
TEST(a_needle_on_its_end_touches_as_its_hull_does_to_the_bit)
{
    static const thud_shape plane = {.kind = THUD_SHAPE_PLANE};
    test_rng r = {.s = 9};
    int all = 0, some = 0;
    for (int k = 0; k < 2000; k++) {
        const double thin = exp(test_uniform(&r, log(1e-9), log(1e-3))), wide = k % 2 ? thin : 0.1;
        const thud_shape box = {.kind = THUD_SHAPE_BOX, .size = {wide, thin, 1}};
        thud_hull_box made;
        thud_hull_of_box(box.size, &made);
        const thud_shape hull = {.kind = THUD_SHAPE_HULL, .hull = &made.hull};
        const pose X = {q_exp(v3(0, 0, test_normal(&r))), v3(test_normal(&r), test_normal(&r), 1)};
        thud_pair_contact c[THUD_PAIR_MAX], e[THUD_PAIR_MAX];
        const int n = thud_collide_pair(&plane, pose_identity(), &box, X, 0.01, NULL, c);
        CHECK_INT(thud_collide_pair(&plane, pose_identity(), &hull, X, 0.01, NULL, e), n);
        CHECK_INT(memcmp(c, e, (size_t)n * sizeof *c), 0);
        all += n == 4;
        some += n < 4;
    }
    CHECK(all > 100 && some > 100);
}

static bool same_vector(vec3 a, vec3 b) // zeros of either sign are the same
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

// A plane or a sphere that is not turned is seen without its frame; of the negative quaternion, which is the same turn, its frame is used.
TEST(a_quaternion_and_its_negative_give_the_same_contacts_to_the_bit)
{
    test_rng r = {.s = 8};
    int touching = 0;
    for (int k = 0; k < 4000; k++) {
        const thud_shape first = k % 2 ? (thud_shape){.kind = THUD_SHAPE_PLANE}
                                       : (thud_shape){.kind = THUD_SHAPE_SPHERE,
                                                      .size = {test_uniform(&r, 0.1, 1)}},
                         other = random_shape(&r, (thud_shape_kind)(THUD_SHAPE_SPHERE + k / 2 % 6), 0.1, 1);
        const vec3 p = random_unit(&r);
        const pose X = {random_rotation(&r), v3_add(p, v3_scale(test_uniform(&r, 0, 1.5), random_unit(&r)))};
        thud_pair_contact c[THUD_PAIR_MAX], e[THUD_PAIR_MAX];
        const int n = thud_collide_pair(&first, at(p), &other, X, 0.1, NULL, c);
        CHECK_INT(thud_collide_pair(&first, (pose){{-1, 0, 0, 0}, p}, &other, X, 0.1, NULL, e), n);
        for (int i = 0; i < n; i++) {
            CHECK(same_vector(c[i].point, e[i].point) && same_vector(c[i].normal, e[i].normal) &&
                  c[i].dist == e[i].dist && c[i].feature[0] == e[i].feature[0] &&
                  c[i].feature[1] == e[i].feature[1]);
        }
        touching += n > 0;
    }
    CHECK(touching > 1000);
}

// A disc with a round edge of n corners and a peak, standing on the disc.
static thud_hull *make_sole(int n)
{
    enum { MOST = 5000 };
    static vec3 corner[MOST + 1];
    thud_hull *hull;
    for (int k = 0; k < n; k++) {
        const double a = 2 * PI * k / n;
        corner[k] = v3(0.1 * cos(a), 0.1 * sin(a), -0.02);
    }
    corner[n] = v3(0, 0, 0.05);
    CHECK_OK(thud_hull_create(corner, n + 1, &(thud_hull_options){.max_vertices = -1}, &hull, NULL));
    return hull;
}

// Before, 256 vertices around the lowest were all that counted: of these soles only an arc. 5000 vertices outrun the list of those that wait.
TEST(a_mesh_with_a_round_edge_is_met_all_around)
{
    static const thud_shape plane = {.kind = THUD_SHAPE_PLANE};
    static const int corners[] = {12, 60, 300, 800, 5000};
    test_rng r = {.s = 10};
    for (size_t i = 0; i < sizeof corners / sizeof corners[0]; i++) {
        thud_hull *hull = make_sole(corners[i]);
        const thud_shape sole = {.kind = THUD_SHAPE_HULL, .hull = hull};
        for (int k = 0; k < 50; k++) {
            const quat tilt = q_exp(v3_scale(1e-3, random_unit(&r))),
                       spin = q_exp(v3(0, 0, test_uniform(&r, 0, 6)));
            const pose X = {q_mul(tilt, spin), v3(test_normal(&r), test_normal(&r), 0.02)};
            double least = INFINITY, lowest = INFINITY, narrow = INFINITY;
            for (int v = 0; v < hull->vertices; v++) {
                lowest = fmin(lowest, pose_point(X, hull->vertex[v]).z);
            }
            thud_pair_contact c[THUD_PAIR_MAX];
            const int n = thud_collide_pair(&plane, pose_identity(), &sole, X, 1e-3, NULL, c);
            CHECK(n >= 12 && n <= THUD_MANIFOLD_MAX);
            for (int j = 0; j < n; j++) {
                least = fmin(least, c[j].dist);
            }
            for (int d = 0; d < 360; d++) {
                double wide = 0;
                for (int j = 0; j < n; j++) {
                    const vec3 from = v3_sub(c[j].point, X.p);
                    wide = fmax(wide, from.x * cos(d * PI / 180) + from.y * sin(d * PI / 180));
                }
                narrow = fmin(narrow, wide);
            }
            CHECK_NEAR(least, lowest, 1e-15);
            CHECK(narrow > 0.095); // of 0.1 m; measured 0.0951 with 60 corners, 0.0958 with many
        }
        thud_hull_destroy(hull);
    }
}

TEST_MAIN(T(a_mesh_with_a_round_edge_is_met_all_around),
          T(two_spheres_are_their_centres_less_their_radii_apart),
          T(everything_is_as_far_from_a_plane_as_its_lowest_point),
          T(crossed_capsules_and_cylinders_are_apart_along_the_common_normal),
          T(boxes_a_corner_an_edge_or_a_face_apart), T(ellipsoids_on_a_common_axis_are_their_tips_apart),
          T(one_solid_described_in_two_ways_has_one_distance), T(a_box_and_its_hull_have_the_same_contacts),
          T(a_box_and_its_hull_have_the_same_contacts_with_a_plane_to_the_bit),
          T(a_needle_on_its_end_touches_as_its_hull_does_to_the_bit),
          T(a_quaternion_and_its_negative_give_the_same_contacts_to_the_bit))
