// SPDX-License-Identifier: Apache-2.0
// Signed distances of all pairs of convex shapes, proven from both sides over 10^5 poses.
//
// For any direction n the gap s(n) along it is a lower bound of the signed distance d; the normal that is
// returned must reach it, s(normal) = d. Shapes that are apart: the two points returned lie in the two
// shapes, so d is an upper bound too. Shapes that overlap: no direction may have a greater s; we try all
// faces and edge pairs of polyhedra, and for the rest directions spread over the sphere with a search from
// the best. One pose in ten is searched thoroughly; with THUD_THOROUGH=1 in the environment every one is,
// which takes some minutes.
#include "brute.h"

#ifdef THUD_SANITIZED
enum { POSES = 400 };
#else
enum { POSES = 5200 }; // x 20 pairs of kinds: 10^5
#endif

typedef enum pose_class { APART, GRAZING, SHALLOW, DEEP, COINCIDENT, PARALLEL, CLASSES } pose_class;

static quat quarter_turns(test_rng *r)
{
    quat q = {1, 0, 0, 0};
    for (int i = 0; i < 3; i++) {
        const vec3 axis = v3(i == 0, i == 1, i == 2);
        q = q_mul(q, q_axis_angle(axis, 1.5707963267948966 * test_below(r, 4)));
    }
    return q;
}

// Moves b along dir until the shapes are `want` apart (negative: overlap).
static void bring_to(const placed *a, placed *b, vec3 dir, double want, double size)
{
    double low = 0, high = 1.5 * size + fmax(0, want);
    for (int k = 0; k < 36; k++) {
        thud_pair_gap g;
        const double middle = 0.5 * (low + high);
        b->X.p = v3_axpy(middle, dir, a->X.p);
        if (thud_pair_distance(&a->shape, a->X, &b->shape, b->X, NULL, &g) > want) {
            high = middle;
        } else {
            low = middle;
        }
    }
}

static void random_pair(test_rng *r, thud_shape_kind ka, thud_shape_kind kb, pose_class class, placed *a,
                        placed *b)
{
    *a = (placed){random_shape(r, ka, 0.1, 1), {random_rotation(r), {0, 0, 0}}};
    *b = (placed){random_shape(r, kb, 0.1, 1), {random_rotation(r), {0, 0, 0}}};
    a->X.p = v3(test_uniform(r, -1, 1), test_uniform(r, -1, 1), test_uniform(r, -1, 1));
    b->X.p = a->X.p;
    const double size = shape_size(&a->shape) + shape_size(&b->shape);
    const vec3 dir = random_unit(r);
    switch (class) {
    case APART:
        b->X.p = v3_axpy(test_uniform(r, 0.7, 2) * size, dir, a->X.p);
        break;
    case GRAZING:
        bring_to(a, b, dir, test_uniform(r, -1e-7, 1e-7) * size, size);
        break;
    case SHALLOW:
        bring_to(a, b, dir, -pow(10, test_uniform(r, -5, -1.5)) * size, size);
        break;
    case DEEP:
        b->X.p = v3_axpy(test_uniform(r, 0, 0.4) * size, dir, a->X.p);
        break;
    case COINCIDENT:
        b->X.p = v3_axpy(test_below(r, 2) * 1e-12, dir, a->X.p);
        break;
    default: // faces, edges and axes parallel
        b->X.q = q_mul(a->X.q, quarter_turns(r));
        b->X.p = v3_axpy(test_uniform(r, 0, 0.9) * size,
                         q_rotate(a->X.q, quarter_turns(r).w > 0.8 ? dir : v3(0, 0, 1)), a->X.p);
        break;
    }
}

static bool polyhedron(const placed *p)
{
    return p->shape.kind == THUD_SHAPE_BOX || p->shape.kind == THUD_SHAPE_HULL;
}

static double worst_error, worst_gap, worst_normal;
static char which[80]; // the case at hand, for messages

#define CLAIM_BELOW(got, bound)                                                                              \
    do {                                                                                                     \
        const double claim_got = (got), claim_bound = (bound);                                               \
        if (!(claim_got <= claim_bound)) {                                                                   \
            fail_msg("%s: %s is %.6g, at most %.6g was claimed", which, #got, claim_got, claim_bound);       \
        }                                                                                                    \
    } while (0)

static void check_distance(const placed *a, const placed *b, bool search)
{
    thud_pair_gap g, h;
    const double size = shape_size(&a->shape) + shape_size(&b->shape);
    const double d = thud_pair_distance(&a->shape, a->X, &b->shape, b->X, NULL, &g);
    CLAIM_BELOW(fabs(v3_norm(g.normal) - 1), 1e-12);
    const double reached = fabs(brute_gap_along(a, b, g.normal) - d);
    worst_gap = fmax(worst_gap, reached / size);
    CLAIM_BELOW(reached, 1e-11 * size);
    CLAIM_BELOW(v3_norm(v3_sub(v3_sub(g.point[1], g.point[0]), v3_scale(d, g.normal))), 1e-12 * size);
    CLAIM_BELOW(brute_outside(a, g.point[0]), 1e-10 * size);
    CLAIM_BELOW(brute_outside(b, g.point[1]), 1e-10 * size);
    if (d <= 0) {
        vec3 n = g.normal;
        const bool exact = polyhedron(a) && polyhedron(b) &&
                           (a->shape.kind == THUD_SHAPE_BOX || a->shape.hull->edges < 60) &&
                           (b->shape.kind == THUD_SHAPE_BOX || b->shape.hull->edges < 60);
        const double most = exact && search ? brute_polyhedra(a, b)
                                            : brute_distance(a, b, search ? 300 : 40, search ? 3 : 0, &n);
        worst_error = fmax(worst_error, (most - d) / size);
        CLAIM_BELOW(most - d, 1e-9 * size);
    }
    // Swapped: the same bits.
    thud_pair_distance(&b->shape, b->X, &a->shape, a->X, NULL, &h);
    CHECK(h.dist == g.dist && h.normal.x == -g.normal.x && h.normal.y == -g.normal.y &&
          h.normal.z == -g.normal.z);
    CHECK(memcmp(&h.point[0], &g.point[1], sizeof h.point[0]) == 0 && h.feature[0] == g.feature[1]);
}

// The normal is the gradient of the distance with respect to moving b, wherever it has one.
static void check_gradient(const placed *a, const placed *b)
{
    thud_pair_gap g, lo, hi;
    const double size = shape_size(&a->shape) + shape_size(&b->shape), step = 1e-6 * size;
    const double d = thud_pair_distance(&a->shape, a->X, &b->shape, b->X, NULL, &g);
    for (int i = 0; i < 3; i++) {
        const vec3 e = v3(i == 0, i == 1, i == 2);
        placed up = *b, down = *b;
        up.X.p = v3_axpy(step, e, b->X.p);
        down.X.p = v3_axpy(-step, e, b->X.p);
        const double rise = (thud_pair_distance(&a->shape, a->X, &up.shape, up.X, NULL, &hi) - d) / step;
        const double fall = (d - thud_pair_distance(&a->shape, a->X, &down.shape, down.X, NULL, &lo)) / step;
        if (fabs(rise - fall) > 1e-3) {
            continue; // a kink: two ways out
        }
        worst_normal = fmax(worst_normal, fabs(0.5 * (rise + fall) - v3_dot(g.normal, e)));
        CLAIM_BELOW(fabs(0.5 * (rise + fall) - v3_dot(g.normal, e)), 1e-3);
    }
}

static void check_pair_of_kinds(thud_shape_kind ka, thud_shape_kind kb)
{
    test_rng r = {.s = (uint64_t)(100 * ka + kb)};
    const bool thorough = getenv("THUD_THOROUGH") != NULL;
    for (int k = 0; k < POSES; k++) {
        placed a, b;
        random_pair(&r, ka, kb, (pose_class)(k % CLASSES), &a, &b);
        snprintf(which, sizeof which, "%s and %s, pose %d, class %d", thud_shape_name(ka),
                 thud_shape_name(kb), k, k % CLASSES);
        check_distance(&a, &b, thorough || k % 60 < 6);
        if (thorough || k % 60 < 6) {
            check_gradient(&a, &b);
        }
    }
}

static void check_row(thud_shape_kind ka)
{
    worst_error = worst_gap = worst_normal = 0;
    for (thud_shape_kind kb = ka; kb <= THUD_SHAPE_HULL; kb++) {
        check_pair_of_kinds(ka, kb);
    }
    print_message("%-9s above d %.1e, s(n) - d %.1e, normal %.1e\n", thud_shape_name(ka), worst_error,
                  worst_gap, worst_normal);
}

TEST(sphere_distances_are_proven_from_both_sides)
{
    check_row(THUD_SHAPE_SPHERE);
}

TEST(capsule_distances_are_proven_from_both_sides)
{
    check_row(THUD_SHAPE_CAPSULE);
}

TEST(ellipsoid_distances_are_proven_from_both_sides)
{
    check_row(THUD_SHAPE_ELLIPSOID);
}

TEST(cylinder_distances_are_proven_from_both_sides)
{
    check_row(THUD_SHAPE_CYLINDER);
}

TEST(box_and_hull_distances_are_proven_from_both_sides)
{
    check_row(THUD_SHAPE_BOX);
    check_row(THUD_SHAPE_HULL);
}

TEST_MAIN(T(sphere_distances_are_proven_from_both_sides), T(capsule_distances_are_proven_from_both_sides),
          T(ellipsoid_distances_are_proven_from_both_sides), T(cylinder_distances_are_proven_from_both_sides),
          T(box_and_hull_distances_are_proven_from_both_sides))
