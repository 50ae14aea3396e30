// SPDX-License-Identifier: Apache-2.0
// Gap functions of fixed feature pairs: they agree with the contacts they come from, their gradient is their
// derivative, and they stay smooth where a contact would change its features.
#include <thud/collide_gap.h>
#include <thud/spatial_inline.h>

#include "test.h"

enum { SOLIDS = 7 };

typedef struct bench { // the shapes of this test; the hull is a box's with a corner cut off
    thud_shape shape[SOLIDS];
    thud_hull *hull;
} bench;

static bench bench_open(void)
{
    const thud_vec3 point[] = {{-.5, -.4, -.3}, {.5, -.4, -.3}, {-.5, .4, -.3}, {.5, .4, -.3}, {-.5, -.4, .3},
                               {.5, -.4, .3},   {-.5, .4, .3},  {.2, .4, .3},   {.5, .1, .3},  {.5, .4, .1}};
    bench b = {.hull = NULL};
    CHECK_OK(thud_hull_create(point, 10, NULL, &b.hull, NULL));
    const thud_shape shape[SOLIDS] = {{.kind = THUD_SHAPE_PLANE},
                                      {.kind = THUD_SHAPE_SPHERE, .size = {0.4}},
                                      {.kind = THUD_SHAPE_CAPSULE, .size = {0.2, 0.5}},
                                      {.kind = THUD_SHAPE_ELLIPSOID, .size = {0.3, 0.5, 0.4}},
                                      {.kind = THUD_SHAPE_CYLINDER, .size = {0.3, 0.4}},
                                      {.kind = THUD_SHAPE_BOX, .size = {0.3, 0.4, 0.5}},
                                      {.kind = THUD_SHAPE_HULL, .hull = b.hull}};
    memcpy(b.shape, shape, sizeof shape);
    return b;
}

static vec3 random_vector(test_rng *r)
{
    return v3(test_normal(r), test_normal(r), test_normal(r));
}

static pose random_pose(test_rng *r, double distance)
{
    const quat q = {test_normal(r), test_normal(r), test_normal(r), test_normal(r)};
    return (pose){q_normalize(q), v3_scale(distance, v3_normalize(random_vector(r)))};
}

// A pose moved for time t with the spatial velocity V about the world's origin; exact to first order.
static pose moved(pose X, thud_motion V, double t)
{
    const quat turn = q_exp(v3_scale(t, V.ang));
    return (pose){q_mul(turn, X.q), v3_axpy(t, V.lin, q_rotate(turn, X.p))};
}

static thud_motion random_motion(test_rng *r)
{
    return (thud_motion){random_vector(r), random_vector(r)};
}

static double power(thud_force row, thud_motion V)
{
    return v3_dot(row.ang, V.ang) + v3_dot(row.lin, V.lin);
}

// Finds contacts of the two solids by pushing the second towards the first along a random line.
static int make_contacts(const bench *b, int i, int j, test_rng *r, pose *X1, pose *X2,
                         thud_pair_contact contact[THUD_PAIR_MAX])
{
    *X1 = random_pose(r, 0.1);
    *X2 = random_pose(r, test_uniform(r, 0.3, 1.1));
    thud_pair_gap gap;
    const double d = thud_pair_distance(&b->shape[i], *X1, &b->shape[j], *X2, NULL, &gap);
    const double leave = test_uniform(r, -0.05, 0.05);
    X2->p = v3_axpy(leave - d, gap.normal, X2->p);
    return thud_collide_pair(&b->shape[i], *X1, &b->shape[j], *X2, 0.06, NULL, contact);
}

typedef void (*gap_check)(const thud_gap *gap, pose X1, pose X2, const thud_pair_contact *c, test_rng *r);

static void for_every_pair(gap_check check, int tries, bool seen[THUD_GAP_DISTANCE + 1])
{
    bench b = bench_open();
    test_rng r = {11};
    for (int i = 0; i < SOLIDS; i++) {
        for (int j = i == 0; j < SOLIDS; j++) {
            for (int t = 0; t < tries; t++) {
                pose X1, X2;
                thud_pair_contact contact[THUD_PAIR_MAX];
                const int count = make_contacts(&b, i, j, &r, &X1, &X2, contact);
                CHECK(count >= 0);
                for (int k = 0; k < count; k++) {
                    const thud_gap g = thud_gap_of_contact(&b.shape[i], X1, &b.shape[j], X2, &contact[k]);
                    seen[g.kind] = true;
                    check(&g, X1, X2, &contact[k], &r);
                }
            }
        }
    }
    thud_hull_destroy(b.hull);
}

static void check_agreement(const thud_gap *gap, pose X1, pose X2, const thud_pair_contact *c, test_rng *r)
{
    (void)r;
    const thud_gap_value v = thud_gap_at(gap, X1, X2);
    // Crossing edges of two faces are measured along their own common normal, at most 1.8 degrees off.
    const bool edges = gap->kind == THUD_GAP_LINE_LINE;
    CHECK_NEAR(v.phi, c->dist, edges ? 1e-3 : 1e-9);
    CHECK_BELOW(v3_norm(v3_sub(v.normal, c->normal)), edges ? 0.033 : 5e-5);

    CHECK_BELOW(v3_norm(v3_sub(v3_sub(v.point[1], v.point[0]), v3_scale(v.phi, v.normal))), 1e-9);
}

TEST(a_gap_function_is_the_contacts_distance_where_it_was_found)
{
    (void)test_state;
    bool seen[THUD_GAP_DISTANCE + 1] = {false};
    for_every_pair(check_agreement, 60, seen);
    for (int kind = 0; kind <= THUD_GAP_DISTANCE; kind++) {
        CHECK(seen[kind]); // every kind of gap occurs
    }
}

static int answered, answered_round; // gaps that needed no function: at a plane, and of balls

static void check_without_function(const thud_gap *gap, pose X1, pose X2, const thud_pair_contact *c,
                                   test_rng *r)
{
    const pose Y1 = moved(X1, random_motion(r), 0.01), Y2 = moved(X2, random_motion(r), 0.01);
    const thud_shift first = thud_shift_between(X1, Y1), second = thud_shift_between(X2, Y2);
    thud_gap_value v;
    for (int k = 0; k < 4; k++) { // who moved
        const bool first_moved = k & 1, second_moved = k & 2;
        if (thud_gap_after(gap->solid[0], first_moved ? &first : NULL, gap->solid[1],
                           second_moved ? &second : NULL, c, &v)) {
            const thud_gap_value want = thud_gap_at(gap, first_moved ? Y1 : X1, second_moved ? Y2 : X2);
            const bool plane = gap->kind == THUD_GAP_PLANE_BALL || gap->kind == THUD_GAP_BALL_PLANE;
            CHECK(plane || gap->kind == THUD_GAP_BALL_BALL || gap->kind == THUD_GAP_LINE_BALL ||
                  gap->kind == THUD_GAP_BALL_LINE);
            const double small = plane ? 1e-14 : 1e-13; // of numbers up to 3, and directions over a tenth
            CHECK_NEAR(v.phi, want.phi, 1e-14);
            CHECK_BELOW(v3_norm(v3_sub(v.normal, want.normal)), small);
            CHECK_BELOW(v3_norm(v3_sub(v.point[0], want.point[0])), small);
            CHECK_BELOW(v3_norm(v3_sub(v.point[1], want.point[1])), small);
            *(plane ? &answered : &answered_round) += 1;
        }
    }
}

TEST(the_gap_of_a_point_and_a_plane_or_of_two_balls_is_known_without_a_function)
{
    (void)test_state;
    bool seen[THUD_GAP_DISTANCE + 1] = {false};
    answered = answered_round = 0;
    for_every_pair(check_without_function, 60, seen);
    CHECK(answered > 1000);
    CHECK(answered_round > 100);
}

// Largest error of a central difference with h = 1e-4 here: 2e-6 (ellipsoids, cylinders), 1e-8 (closed
// forms).
static void check_gradient(const thud_gap *gap, pose X1, pose X2, const thud_pair_contact *c, test_rng *r)
{
    (void)c;
    const double h = 1e-4;
    for (int far = 0; far < 2; far++) { // at the contact's poses, and away from them
        const thud_motion nudge = random_motion(r), V1 = random_motion(r), V2 = random_motion(r);
        const pose Y1 = moved(X1, nudge, far * 0.01), Y2 = X2;
        const double ahead = thud_gap_at(gap, moved(Y1, V1, h), moved(Y2, V2, h)).phi;
        const double behind = thud_gap_at(gap, moved(Y1, V1, -h), moved(Y2, V2, -h)).phi;
        const thud_gap_value v = thud_gap_at(gap, Y1, Y2);
        const double rate = power(thud_gap_row(&v, 0), V1) + power(thud_gap_row(&v, 1), V2);
        CHECK_NEAR(rate, (ahead - behind) / (2 * h), 2e-5);
    }
}

TEST(the_gradient_is_the_rate_of_phi_along_random_motions)
{
    (void)test_state;
    bool seen[THUD_GAP_DISTANCE + 1] = {false};
    for_every_pair(check_gradient, 30, seen);
}

static vec3 middle(thud_gap_value v)
{
    return v3_scale(0.5, v3_add(v.point[0], v.point[1]));
}

static thud_motion at_frame(thud_motion V, pose X) // from the world's origin
{
    return (thud_motion){V.ang, v3_add(V.lin, v3_cross(V.ang, X.p))};
}

// Largest error of a central difference with h = 1e-5 here: 1e-8 of 1 + its square.
static void check_rate(const thud_gap *gap, pose X1, pose X2, const thud_pair_contact *c, test_rng *r)
{
    (void)c;
    const double h = 1e-5;
    const thud_motion V1 = random_motion(r), V2 = random_motion(r);
    thud_gap_rate rate;
    if (!thud_gap_rate_at(gap, X1, at_frame(V1, X1), X2, at_frame(V2, X2), &rate)) {
        CHECK_INT(gap->kind, THUD_GAP_DISTANCE);
        return;
    }
    const thud_gap_value ahead = thud_gap_at(gap, moved(X1, V1, h), moved(X2, V2, h));
    const thud_gap_value behind = thud_gap_at(gap, moved(X1, V1, -h), moved(X2, V2, -h));
    const vec3 n = v3_scale(0.5 / h, v3_sub(ahead.normal, behind.normal));
    const vec3 p = v3_scale(0.5 / h, v3_sub(middle(ahead), middle(behind)));
    CHECK_BELOW(v3_norm(v3_sub(rate.normal, n)), 1e-7 * (1 + v3_norm2(n)));
    CHECK_BELOW(v3_norm(v3_sub(rate.point, p)), 1e-7 * (1 + v3_norm2(p)));
}

TEST(normal_and_point_move_over_the_surfaces_as_the_closed_forms_say)
{
    (void)test_state;
    bool seen[THUD_GAP_DISTANCE + 1] = {false};
    for_every_pair(check_rate, 60, seen);
}

// Stewart and Trinkle's iteration: step to where the linearised gap closes, evaluate again, repeat.
static void check_newton(const thud_gap *gap, pose X1, pose X2, const thud_pair_contact *c, test_rng *r)
{
    (void)c;
    thud_gap_value v = thud_gap_at(gap, X1, X2);
    thud_motion V = {v3_scale(0.3, random_vector(r)), v3_add(v.normal, v3_scale(0.3, random_vector(r)))};
    if (power(thud_gap_row(&v, 1), V) < 0.3) {
        return; // hardly any approach: no claim
    }
    double t = 0;
    for (int k = 0; k < 15; k++) {
        const double rate = power(thud_gap_row(&v, 1), V); // V turns with the body; near enough for a secant
        t -= v.phi / rate;
        v = thud_gap_at(gap, X1, moved(X2, V, t));
    }
    CHECK_BELOW(fabs(v.phi), 1e-9);
}

TEST(newton_steps_along_a_motion_close_the_gap)
{
    (void)test_state;
    bool seen[THUD_GAP_DISTANCE + 1] = {false};
    for_every_pair(check_newton, 30, seen);
}

static int exact[THUD_GAP_DISTANCE + 1]; // how often each kind was compared

// Near by, where the same two features are still the closest, phi is the distance of the solids.
static void check_exactness(const thud_gap *gap, const thud_shape *a, pose X1, const thud_shape *b, pose X2,
                            const thud_pair_contact *c, test_rng *r)
{
    for (int k = 0; k < 4; k++) {
        const pose Y1 = moved(X1, random_motion(r), 1e-3), Y2 = moved(X2, random_motion(r), 1e-3);
        thud_pair_gap d;
        thud_pair_distance(a, Y1, b, Y2, NULL, &d);
        if (d.feature[0] == c->feature[0] && d.feature[1] == c->feature[1]) {
            CHECK_NEAR(thud_gap_at(gap, Y1, Y2).phi, d.dist, 1e-9);
            exact[gap->kind]++;
        }
    }
}

TEST(the_gap_is_the_distance_of_the_solids_while_the_features_last)
{
    (void)test_state;
    bench b = bench_open();
    test_rng r = {12};
    memset(exact, 0, sizeof exact);
    for (int i = 0; i < SOLIDS; i++) {
        for (int j = i == 0; j < SOLIDS; j++) {
            for (int t = 0; t < 40; t++) {
                pose X1, X2;
                thud_pair_contact c[THUD_PAIR_MAX];
                const int count = make_contacts(&b, i, j, &r, &X1, &X2, c);
                if (count == 1) { // else they share a normal, which is not each one's own
                    const thud_gap g = thud_gap_of_contact(&b.shape[i], X1, &b.shape[j], X2, &c[0]);
                    check_exactness(&g, &b.shape[i], X1, &b.shape[j], X2, &c[0], &r);
                }
            }
        }
    }
    for (int kind = 0; kind <= THUD_GAP_DISTANCE; kind++) {
        CHECK(exact[kind] > 20);
    }
    thud_hull_destroy(b.hull);
}

TEST(rolling_leaves_the_gap_as_it_is)
{
    (void)test_state;
    const thud_shape ground = {.kind = THUD_SHAPE_PLANE};
    const thud_shape round[] = {{.kind = THUD_SHAPE_SPHERE, .size = {0.2}},
                                {.kind = THUD_SHAPE_CAPSULE, .size = {0.2, 0.5}},
                                {.kind = THUD_SHAPE_CYLINDER, .size = {0.2, 0.5}}};
    for (int i = 0; i < 3; i++) {
        const pose X = {q_axis_angle(v3(1, 0, 0), M_PI / 2), {0, 0, 0.21}}; // the axis lies along y
        thud_pair_contact contact[THUD_PAIR_MAX];
        const int count = thud_collide_pair(&ground, pose_identity(), &round[i], X, 0.05, NULL, contact);
        CHECK(count >= 1);
        for (int k = 0; k < count; k++) {
            const thud_gap g = thud_gap_of_contact(&ground, pose_identity(), &round[i], X, &contact[k]);
            for (double angle = -1; angle <= 1; angle += 0.25) {
                const pose Y = {q_mul(q_axis_angle(v3(0, 1, 0), angle), X.q), {0.2 * angle, 0, 0.21}};
                CHECK_NEAR(thud_gap_at(&g, pose_identity(), Y).phi, 0.01, 1e-12);
            }
        }
    }
}

TEST(a_vertex_keeps_to_the_plane_of_its_face_beyond_the_faces_border)
{
    (void)test_state;
    const thud_shape table = {.kind = THUD_SHAPE_BOX, .size = {1, 1, 1}};
    const thud_shape die = {.kind = THUD_SHAPE_BOX, .size = {0.1, 0.1, 0.1}};
    const pose X_table = {q_identity(), {0, 0, -1}};
    const pose X = {q_normalize(q_mul(q_axis_angle(v3(1, 0, 0), 0.7), q_axis_angle(v3(0, 1, 0), 0.5))),
                    {0.95, 0, 0.155}};
    thud_pair_contact contact[THUD_PAIR_MAX];
    CHECK_INT(thud_collide_pair(&table, X_table, &die, X, 0.03, NULL, contact), 1);
    const thud_gap g = thud_gap_of_contact(&table, X_table, &die, X, &contact[0]);
    for (double x = 0; x < 2; x += 0.1) { // slides over the edge of the table at x = 1
        const pose Y = {X.q, {x, 0, 0.155}};
        CHECK_NEAR(thud_gap_at(&g, X_table, Y).phi, contact[0].dist, 1e-12);
    }
}

TEST_MAIN(T(a_gap_function_is_the_contacts_distance_where_it_was_found),
          T(the_gap_of_a_point_and_a_plane_or_of_two_balls_is_known_without_a_function),
          T(the_gradient_is_the_rate_of_phi_along_random_motions),
          T(normal_and_point_move_over_the_surfaces_as_the_closed_forms_say),
          T(newton_steps_along_a_motion_close_the_gap),
          T(the_gap_is_the_distance_of_the_solids_while_the_features_last),
          T(rolling_leaves_the_gap_as_it_is),
          T(a_vertex_keeps_to_the_plane_of_its_face_beyond_the_faces_border))
