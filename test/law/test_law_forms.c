// SPDX-License-Identifier: Apache-2.0
// Closed forms: one point on a plane, one cube on its corners; what each law must give, and no other does.
#include "test.h"

#include "law/law_scene.h"

static const double H = 0.01, G = 9.81, TURN = 2 * 3.14159265358979323846;

static double impulse(void) // of the weight of 1 kg over a step
{
    return H * G;
}

static thud_law_options rigid(thud_law law)
{
    thud_law_options o = law_options(law, THUD_SOLVER_AUTO);
    o.tangent_stiffness = INFINITY;
    return o;
}

static void solve(law_scene *s, thud_law_options o)
{
    const thud_law_report r = scene_solve(s, &o);
    if (!r.solved) {
        fail_msg("%s: %s, residual %g", thud_law_name(o.law), r.outcome, r.residual);
    }
}

// A point of 1 kg with static friction 0.6, kinetic 0.4 and the cone's 0.5; the last step pressed twice as
// hard.
static void make_point(law_scene *s, double speed, double angle)
{
    scene_point(s, 0.5, speed * cos(angle), speed * sin(angle));
    for (int k = 0; k < 2; k++) {
        s->block[0].static_friction[k] = 0.6;
        s->block[0].kinetic_friction[k] = 0.4;
    }
    scene_finish(s, H, G);
    s->p_before[0] = 2 * impulse();
}

// ---------------------------------------------------------------------------------------------- one point

TEST(a_point_that_leaves_the_plane_carries_nothing)
{
    static law_scene s;
    for (int law = 0; law < THUD_LAWS; law++) {
        scene_point(&s, 0.5, 1, 2);
        s.v[2] = 1;
        scene_finish(&s, H, G);
        solve(&s, rigid((thud_law)law));
        for (int i = 0; i < 3; i++) {
            CHECK(s.p[i] == 0);
        }
    }
}

TEST(a_point_pushed_less_than_friction_holds_stays)
{
    static law_scene s;
    double u[3];
    for (int law = 0; law < THUD_LAWS; law++) {
        make_point(&s, 9e-4, 0.7); // slower than v_s, and than 0.4 g h
        solve(&s, rigid((thud_law)law));
        scene_velocity(&s, u);
        for (int i = 0; i < 3; i++) {
            CHECK_NEAR(u[i], 0, 1e-12);
        }
        CHECK_NEAR(s.p[0], impulse(), 1e-12);
    }
}

TEST(a_sliding_point_has_each_laws_own_friction)
{
    static law_scene s;
    const double N = impulse(), angle = TURN / 18; // 20 degrees off the first tangent
    const double cone[2] = {0.5 * N * cos(angle), 0.5 * N * sin(angle)}, vertex[2] = {0.5 * N, 0};
    const double kinetic[2] = {0.4 * N * cos(angle), 0.4 * N * sin(angle)};
    const double axes[2] = {0.5 * 2 * N, 0.5 * 2 * N}, lagging[2] = {2 * kinetic[0], 2 * kinetic[1]};
    const double *want[THUD_LAWS] = {cone, vertex, vertex, vertex, kinetic, axes, lagging};
    for (int law = 0; law < THUD_LAWS; law++) {
        make_point(&s, 2, angle);
        solve(&s, rigid((thud_law)law));
        CHECK_NEAR(s.p[0], N, 1e-12);
        CHECK_NEAR(s.p[1], -want[law][0], 1e-12);
        CHECK_NEAR(s.p[2], -want[law][1], 1e-12);
    }
}

TEST(friction_of_the_cone_is_opposite_to_the_slip_in_every_direction)
{
    static law_scene s;
    for (int k = 0; k < 64; k++) {
        make_point(&s, 1, TURN * k / 64);
        solve(&s, rigid(THUD_LAW_CONE));
        CHECK_NEAR(s.p[1], -0.5 * impulse() * cos(TURN * k / 64), 1e-10); // worst seen 1e-17
        CHECK_NEAR(s.p[2], -0.5 * impulse() * sin(TURN * k / 64), 1e-10);
    }
}

// The force points to a vertex, so its direction is off by up to half the angle between two, pi / K.
TEST(a_pyramid_is_off_by_its_geometry_and_no_more)
{
    static law_scene s;
    for (int K = 4; K <= 64; K *= 2) {
        double worst = 0;
        for (int k = 0; k < 360; k++) {
            const double angle = TURN * (k + 0.3) / 360;
            make_point(&s, 1000, angle); // so fast that the step does not turn it onto a facet
            thud_law_options o = rigid(THUD_LAW_ANITESCU_POTRA);
            o.directions = K;
            solve(&s, o);
            const double size = hypot(s.p[1], s.p[2]);
            CHECK_NEAR(size, 0.5 * impulse(), 1e-9);
            worst = fmax(worst, fabs(remainder(atan2(-s.p[2], -s.p[1]) - angle, TURN)));
        }
        CHECK_BELOW(worst, 0.5 * TURN / K);
        CHECK_BELOW(0.5 * TURN / K - TURN / 360, worst);
    }
}

TEST(an_aligned_pyramid_and_phantom_inertia_are_opposite_to_the_slip_with_four_directions)
{
    static law_scene s;
    for (int k = 0; k < 36; k++) {
        const double angle = TURN * k / 36 + 0.01;
        thud_law_options o = rigid(THUD_LAW_ANITESCU_POTRA);
        o.directions = 4;
        o.aligned = true;
        make_point(&s, 1, angle);
        solve(&s, o);
        CHECK_NEAR(s.p[1], -0.5 * impulse() * cos(angle), 1e-12);
        CHECK_NEAR(s.p[2], -0.5 * impulse() * sin(angle), 1e-12);
        for (int lateral = 0; lateral < 2; lateral++) {
            o = rigid(THUD_LAW_PHANTOM_INERTIA);
            o.lateral = lateral == 1;
            solve(&s, o);
            CHECK_NEAR(s.p[1], -0.4 * impulse() * cos(angle), 1e-12);
            CHECK_NEAR(s.p[2], -0.4 * impulse() * sin(angle), 1e-12);
        }
    }
}

// Its pyramid is circumscribed: K facets at the distance mu, vertices at mu / cos(pi / K).
TEST(phantom_inertia_bounds_what_sticks_by_facets)
{
    static law_scene s;
    for (int K = 4; K <= 32; K *= 2) {
        thud_law_options o = rigid(THUD_LAW_PHANTOM_INERTIA);
        o.directions = K;
        o.slip = 10; // all of it sticks
        make_point(&s, 1, 0.5 * TURN / K + 1e-3);
        solve(&s, o);
        CHECK_NEAR(hypot(s.p[1], s.p[2]), 0.6 * impulse() / cos(0.5 * TURN / K), 1e-12);
    }
}

TEST(a_contact_sticks_by_its_static_and_slides_by_its_kinetic_coefficient)
{
    static law_scene s;
    double u[3];
    make_point(&s, 9e-4, 0);
    s.u_free[1] = 0.5 * impulse(); // pushed by more than 0.4, less than 0.6 of the normal
    solve(&s, rigid(THUD_LAW_PHANTOM_INERTIA));
    scene_velocity(&s, u);
    CHECK_NEAR(u[1], 0, 1e-12);
    make_point(&s, 2e-3, 0); // the same push, but it slides already
    s.u_free[1] = 0.5 * impulse();
    solve(&s, rigid(THUD_LAW_PHANTOM_INERTIA));
    scene_velocity(&s, u);
    CHECK_NEAR(u[1], 0.1 * impulse(), 1e-12);
}

TEST(in_the_plane_too_what_slides_has_the_kinetic_coefficient)
{
    static law_scene s;
    const double x[3] = {0, 0, 0}, up[3] = {0, 0, 1};
    const double want[THUD_LAWS] = {0.5, 0.5, 0.5, 0.5, 0.4, 0.5, 0.4};
    for (int law = 0; law < THUD_LAWS; law++) {
        memset(&s, 0, sizeof s);
        scene_contact(&s, scene_body(&s, 1, 0, 0, 0, 0), -1, x, up, 2, 0.5);
        s.block[0].static_friction[0] = 0.6;
        s.block[0].kinetic_friction[0] = 0.4;
        s.v[0] = -1;
        scene_finish(&s, H, G);
        solve(&s, rigid((thud_law)law));
        CHECK_NEAR(s.p[1], want[law] * impulse(), 1e-12);
    }
}

TEST(anisotropic_friction_brakes_most)
{
    static law_scene s;
    const double mu[2] = {0.3, 0.6}, u[2] = {2, 1}, size = hypot(mu[0] * u[0], mu[1] * u[1]);
    const thud_law laws[] = {THUD_LAW_CONE, THUD_LAW_ANITESCU_POTRA, THUD_LAW_PHANTOM_INERTIA};
    for (int k = 0; k < 3; k++) {
        scene_point(&s, 0.5, u[0], u[1]);
        for (int i = 0; i < 2; i++) {
            s.cone[0].mu[i] = s.block[0].static_friction[i] = s.block[0].kinetic_friction[i] = mu[i];
        }
        scene_finish(&s, H, G);
        thud_law_options o = rigid(laws[k]);
        o.aligned = true;
        o.directions = 400;
        solve(&s, o);
        for (int i = 0; i < 2;
             i++) { // -D^2 u / |D u|; the slip turns by mu g h / |u| = 2 % of itself in the step
            CHECK_NEAR(s.p[1 + i], -impulse() * mu[i] * mu[i] * u[i] / size, 0.02 * impulse());
        }
    }
}

TEST(a_spinning_point_is_braked_by_torsion)
{
    static law_scene s;
    for (int law = 0; law < THUD_LAWS; law++) {
        memset(&s, 0, sizeof s);
        const double x[3] = {0, 0, 0}, up[3] = {0, 0, 1};
        scene_contact(&s, scene_body(&s, 1, 0.1, 0, 0, 0), -1, x, up, 6, 0.5);
        s.v[5] = 3;
        scene_finish(&s, H, G);
        solve(&s, rigid((thud_law)law));
        CHECK_NEAR(s.p[3], -0.05 * impulse(), 1e-11); // mu of torsion: 0.05 m
        CHECK_NEAR(hypot(s.p[1], s.p[2]) + hypot(s.p[4], s.p[5]), 0, 1e-11);
    }
}

// ---------------------------------------------------------------------------------------------- compliance

TEST(bristles_give_way_like_springs)
{
    static law_scene s;
    const double k = 1e4, b = 20, epsilon = 1 / (H * H * k + H * b), v = 9e-4;
    const thud_law laws[] = {THUD_LAW_PHANTOM_INERTIA, THUD_LAW_HYBRID};
    for (int i = 0; i < 2; i++) {
        thud_law_options o = law_options(laws[i], THUD_SOLVER_AUTO);
        o.tangent_stiffness = k;
        o.tangent_damping = b;
        make_point(&s, v, 0);
        s.p_before[1] = 1e-4;
        solve(&s, o);
        // u + epsilon p = epsilon (p_before + h b u_before),  u = v + p
        const double p = (epsilon * (1e-4 + H * b * v) - v) / (1 + epsilon);
        CHECK_NEAR(s.p[1], p, 1e-12);
    }
}

TEST(a_soft_normal_gives_way_like_a_spring)
{
    static law_scene s;
    const double k = 1e4, b = 20, epsilon = 1 / (H * H * k + H * b), phi = -1e-3;
    const thud_law laws[] = {THUD_LAW_PHANTOM_INERTIA, THUD_LAW_BOX, THUD_LAW_HYBRID};
    for (int i = 0; i < 3; i++) {
        thud_law_options o = rigid(laws[i]);
        o.normal_stiffness = k;
        o.normal_damping = b;
        make_point(&s, 0, 0);
        s.block[0].phi = phi;
        solve(&s, o);
        CHECK_NEAR(s.p[0], (impulse() - epsilon * H * k * phi) / (1 + epsilon), 1e-12); // u = -gh + p
        make_point(&s, 0, 0);
        s.block[0].phi = 1e-3; // a gap is the step's to put into u_free, and pulls nothing here
        solve(&s, o);
        CHECK_NEAR(s.p[0], impulse() / (1 + epsilon), 1e-12);
        make_point(&s, 0, 0);
        s.island.h = 0; // a collision takes no time, so nothing gives way
        s.block[0].phi = phi;
        solve(&s, o);
        CHECK_NEAR(s.p[0], impulse(), 1e-12);
    }
}

TEST(what_the_model_makes_soft_is_soft_by_every_law)
{
    static law_scene s;
    const double epsilon[3] = {0.25, 0.5, 0.5};
    for (int law = 0; law < THUD_LAWS; law++) {
        make_point(&s, 1e-4, 0);
        s.island.epsilon = epsilon;
        solve(&s, rigid((thud_law)law));
        CHECK_NEAR(s.p[0], impulse() / 1.25, 1e-12); // (W + epsilon) p = g h
        CHECK_NEAR(s.p[1], -1e-4 / 1.5, 1e-12);
    }
}

TEST(a_first_contact_rubs_by_the_normal_impulse_of_the_same_step)
{
    static law_scene s;
    const thud_law laws[] = {THUD_LAW_BOX, THUD_LAW_HYBRID};
    for (int i = 0; i < 2; i++) {
        make_point(&s, 2, 0);
        s.p_before[0] = 0;
        solve(&s, rigid(laws[i]));
        CHECK_NEAR(s.p[1], -(i == 0 ? 0.5 : 0.4) * impulse(), 1e-12);
    }
}

// ---------------------------------------------------------------------------------------------- many
// contacts

TEST(all_laws_agree_without_friction)
{
    static law_scene s;
    static double first[SCENE_ROWS];
    double u[SCENE_ROWS];
    for (int k = 0; k < SCENE_CORPUS; k++) {
        for (int law = 0; law < THUD_LAWS; law++) {
            scene_corpus(k, &s);
            for (int i = 0; i < s.blocks; i++) {
                memset(s.cone[i].mu, 0, sizeof s.cone[i].mu);
                memset(s.block[i].static_friction, 0, sizeof s.block[i].static_friction);
                memset(s.block[i].kinetic_friction, 0, sizeof s.block[i].kinetic_friction);
            }
            solve(&s, rigid((thud_law)law));
            scene_velocity(&s, u);
            for (int i = 0; i < s.rows; i++) {
                first[i] = law == 0 ? u[i] : first[i];
                CHECK_NEAR(u[i], first[i], 3e-7); // worst seen 2e-8, the tolerance 1e-8 of speeds of 2 m/s
            }
        }
    }
}

TEST(all_laws_hold_a_cube_that_friction_can_hold)
{
    static law_scene s;
    double u[SCENE_ROWS];
    for (int law = 0; law < THUD_LAWS; law++) {
        scene_cube(&s, 0.5);
        s.v[0] = 5e-4;
        s.v[5] = 5e-4;
        scene_finish(&s, H, G);
        solve(&s, rigid((thud_law)law));
        scene_velocity(&s, u);
        CHECK_BELOW(thud_norm_inf(s.rows, u),
                    1e-9); // worst seen 2e-11: the tolerance 1e-8 of a speed of 0.1 m/s
    }
}

// Equal springs under the corners of a rigid plate take f = F/4 (1 + 2 x X + 2 y Y) of a load at (X, Y),
// corners at (x, y) = +-1, half side 1/2: the linear load that has its centre there.
TEST(four_corners_share_an_eccentric_load_as_equal_springs_do_in_any_order)
{
    static law_scene s;
    const double X = 0.1, Y = 0.05;
    for (int law = 0; law < THUD_LAWS; law++) {
        for (int order = 0; order < 24; order++) {
            memset(&s, 0, sizeof s);
            const int body = scene_body(&s, 1, 1.0 / 6, X, Y, 0.5);
            int left[4] = {0, 1, 2, 3}, corner[4];
            for (int k = 0, code = order; k < 4; k++) { // the order's k-th of those left
                const int at = code % (4 - k);
                corner[k] = left[at];
                code /= 4 - k;
                memmove(left + at, left + at + 1, sizeof *left * (size_t)(3 - at));
            }
            for (int k = 0; k < 4; k++) {
                const double x[3] = {corner[k] & 1 ? 0.5 : -0.5, corner[k] & 2 ? 0.5 : -0.5, 0},
                             up[3] = {0, 0, 1};
                scene_contact(&s, body, -1, x, up, 3, 0.5);
            }
            scene_finish(&s, H, G);
            solve(&s, rigid((thud_law)law));
            for (int k = 0; k < 4; k++) {
                const double x = corner[k] & 1 ? 1 : -1, y = corner[k] & 2 ? 1 : -1;
                CHECK_NEAR(s.p[3 * k], impulse() / 4 * (1 + 2 * x * X + 2 * y * Y), 3e-7 * impulse());
            }
        }
    }
}

TEST(the_rank_of_a_cube_on_four_corners_is_that_of_a_body)
{
    static law_scene s;
    for (int law = 0; law < THUD_LAWS; law++) {
        scene_cube(&s, 0.5);
        scene_finish(&s, H, G);
        thud_law_options o = law_options((thud_law)law, THUD_SOLVER_AUTO);
        CHECK_INT(scene_solve(&s, &o).rank, -1);
        o.want_rank = true;
        CHECK_INT(scene_solve(&s, &o).rank, 6);
    }
}

TEST(loops_hold_and_dry_rows_stay_within_their_bounds)
{
    static law_scene s;
    double u[SCENE_ROWS];
    for (int k = 7; k < SCENE_CORPUS; k += 8) {
        for (int law = 0; law < THUD_LAWS; law++) {
            scene_corpus(k, &s);
            thud_law_options o = rigid((thud_law)law);
            o.tolerance = 1e-13; // of speeds of a few m/s
            solve(&s, o);
            scene_velocity(&s, u);
            for (int i = 0; i < s.blocks; i++) {
                const thud_block *b = s.block + i;
                for (int r = 0; r < b->dim && b->kind == THUD_BLOCK_LOOP; r++) {
                    CHECK_NEAR(u[b->row + r], 0, law == THUD_LAW_CONE ? 1e-10 : 1e-12);
                }
                if (b->kind == THUD_BLOCK_DRY) {
                    CHECK(s.p[b->row] >= s.cone[i].lo && s.p[b->row] <= s.cone[i].hi);
                    CHECK(fabs(u[b->row]) < 1e-9 || u[b->row] * s.p[b->row] < 0);
                }
                if (b->kind == THUD_BLOCK_LIMIT) {
                    CHECK(s.p[b->row] >= 0 && u[b->row] > -1e-9);
                }
            }
        }
    }
}

TEST(the_cones_judge_passes_the_cone_and_tells_what_a_pyramid_is_off_by)
{
    static law_scene s;
    thud_arena *arena;
    CHECK_OK(thud_arena_create(1 << 16, &arena));
    make_point(&s, 1, 0.3);
    solve(&s, rigid(THUD_LAW_CONE));
    CHECK_BELOW(thud_law_cone_residual(&s.island, arena), 1e-8);
    for (int K = 4; K <= 1024; K *= 4) { // 0.3 rad lies off every vertex, by up to pi / K
        thud_law_options o = rigid(THUD_LAW_ANITESCU_POTRA);
        o.directions = K;
        solve(&s, o);
        const double residual = thud_law_cone_residual(&s.island, arena);
        CHECK(residual > 1e-8);
        CHECK_BELOW(residual, 0.5 * impulse() * 0.5 * TURN / K); // the impulse's error, over a speed of 1
    }
    thud_arena_destroy(arena);
}

TEST_MAIN(T(a_point_that_leaves_the_plane_carries_nothing), T(a_point_pushed_less_than_friction_holds_stays),
          T(a_sliding_point_has_each_laws_own_friction),
          T(friction_of_the_cone_is_opposite_to_the_slip_in_every_direction),
          T(a_pyramid_is_off_by_its_geometry_and_no_more),
          T(an_aligned_pyramid_and_phantom_inertia_are_opposite_to_the_slip_with_four_directions),
          T(phantom_inertia_bounds_what_sticks_by_facets),
          T(a_contact_sticks_by_its_static_and_slides_by_its_kinetic_coefficient),
          T(in_the_plane_too_what_slides_has_the_kinetic_coefficient), T(anisotropic_friction_brakes_most),
          T(what_the_model_makes_soft_is_soft_by_every_law), T(a_spinning_point_is_braked_by_torsion),
          T(bristles_give_way_like_springs), T(a_soft_normal_gives_way_like_a_spring),
          T(a_first_contact_rubs_by_the_normal_impulse_of_the_same_step), T(all_laws_agree_without_friction),
          T(all_laws_hold_a_cube_that_friction_can_hold),
          T(four_corners_share_an_eccentric_load_as_equal_springs_do_in_any_order),
          T(the_rank_of_a_cube_on_four_corners_is_that_of_a_body),
          T(loops_hold_and_dry_rows_stay_within_their_bounds),
          T(the_cones_judge_passes_the_cone_and_tells_what_a_pyramid_is_off_by))
