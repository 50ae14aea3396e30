// SPDX-License-Identifier: Apache-2.0
// test_raster.c: which samples triangles cover, and where light reaches.
#include "test.h"

#include <thud/spatial_inline.h>

#include "view/lamps.h"
#include "view/tessellate.h"

enum { SIDE = 64 };

// Looks down the z axis from a height of 4 at a square of 2 x 2 metres.
static view from_above(bool straight)
{
    return (view){.eye = {0, 0, 4},
                  .right = {1, 0, 0},
                  .up = {0, 1, 0},
                  .forward = {0, 0, -1},
                  .scale = straight ? SIDE / 2.0 : 4 * SIDE / 2.0,
                  .straight = straight,
                  .wide = SIDE,
                  .high = SIDE};
}

static facet triangle(vec3 a, vec3 b, vec3 c)
{
    const vec3 up = {0, 0, 1};
    return (facet){{a, b, c}, {up, up, up}, 0};
}

// Draws triangles one by one into cleared rasters and returns how many samples each of `many` covers in sum;
// covered[i] counts sample i.
static void count_covers(const facet *f, int many, bool straight, int covered[SIDE * SIDE])
{
    const view v = from_above(straight);
    raster r;
    assert_true(raster_create(&r, SIDE, SIDE, true));
    memset(covered, 0, SIDE * SIDE * sizeof *covered);
    for (int i = 0; i < many; i++) {
        outlines o = {0};
        outlines_add(&o, &v, &f[i], i, SAMPLES_ALL);
        raster_clear(&r);
        raster_draw(&r, &o);
        for (int k = 0; k < SIDE * SIDE; k++) {
            covered[k] += r.facet[k] == i;
        }
        outlines_free(&o);
    }
    raster_destroy(&r);
}

// A fan around any point inside a square leaves no gap and covers nothing twice, cut at the view's edge or not.
TEST(triangles_that_share_edges_cover_every_sample_once)
{
    test_rng rng = {11};
    for (int trial = 0; trial < 200; trial++) {
        const double s = trial % 2 ? 1.5 : 0.9; // beyond the view, or inside it
        // Anywhere; or on the centre of a sample of the diagonal, so that edges run exactly through centres.
        const double c = (test_below(&rng, 50) + 7.5) / 32 - 1;
        const vec3 at =
            trial % 3 ? v3(test_uniform(&rng, -0.8, 0.8), test_uniform(&rng, -0.8, 0.8), 0) : v3(c, c, 0);
        const vec3 corner[4] = {v3(-s, -s, 0), v3(s, -s, 0), v3(s, s, 0), v3(-s, s, 0)};
        facet fan[4];
        int covered[SIDE * SIDE];
        for (int i = 0; i < 4; i++) { // two of them seen from behind
            fan[i] = i % 2 ? triangle(at, corner[i], corner[(i + 1) % 4])
                           : triangle(at, corner[(i + 1) % 4], corner[i]);
        }
        count_covers(fan, 4, trial % 4 < 2, covered);
        int once = 0;
        for (int k = 0; k < SIDE * SIDE; k++) {
            CHECK_BELOW(covered[k], 1);
            once += covered[k];
        }
        const int across = s > 1 ? SIDE : 58; // 57.6 of 64 samples, the outermost centres included
        CHECK_INT(once, across * across);
    }
}

TEST(the_nearer_triangle_is_seen_whatever_their_order)
{
    const facet low = triangle(v3(-1, -1, 0), v3(1, -1, 0), v3(0, 1, 0)),
                high = triangle(v3(-1, -1, 1), v3(1, -1, 1), v3(0, 1, 1));
    for (int turn = 0; turn < 4; turn++) {
        const view v = from_above(turn / 2);
        raster r;
        outlines o = {0};
        assert_true(raster_create(&r, SIDE, SIDE, true));
        raster_clear(&r);
        outlines_add(&o, &v, turn % 2 ? &low : &high, turn % 2 ? 0 : 1, SAMPLES_ALL);
        outlines_add(&o, &v, turn % 2 ? &high : &low, turn % 2 ? 1 : 0, SAMPLES_ALL);
        raster_draw(&r, &o);
        CHECK_INT(r.facet[SIDE * SIDE / 2 + SIDE / 2], 1);
        outlines_free(&o);
        raster_destroy(&r);
    }
}

// What is behind the eye is cut away, not turned upside down.
TEST(a_triangle_through_the_eye_covers_only_what_is_before_it)
{
    const view v = from_above(false);
    const facet f = triangle(v3(-0.2, 0.5, 0), v3(0.2, 0.5, 0), v3(0, 0.5, 40));
    raster r;
    outlines o = {0};
    assert_true(raster_create(&r, SIDE, SIDE, true));
    raster_clear(&r);
    outlines_add(&o, &v, &f, 0, SAMPLES_ALL);
    raster_draw(&r, &o);
    for (int k = SIDE * SIDE / 2; k < SIDE * SIDE; k++) { // y < 0: below the middle of the picture
        CHECK_INT(r.facet[k], -1);
    }
    CHECK_INT(r.facet[SIDE / 8 * SIDE + SIDE / 2], 0);
    outlines_free(&o);
    raster_destroy(&r);
}

// A ball of 2 m at a height of 3 m: below it, on the side away from the sun, no sun; the sky is half hidden.
TEST(a_ball_keeps_the_sun_and_some_of_the_sky_from_the_ground)
{
    lamps l;
    facets ball = {0};
    const vec3 up = v3(0, 0, 1), centre = v3(0, 0, 3);
    assert_true(lamps_create(&l, v3(0, 1, 0)));
    tessellate_ball(&ball, centre, 2, 0, 48);
    assert_true(lamps_aim(&l, &ball, centre, 4));
    const vec3 sun = lamps_sun(&l),
               shaded = v3_axpy(-3 / sun.z, sun, centre); // where its axis meets the ground
    CHECK_NEAR(lamps_reach(&l, shaded, up).sun, 0, 0);
    CHECK_NEAR(lamps_reach(&l, v3(30, 30, 0), up).sun, sun.z, 1e-12);
    // Open ground: the mean of 2 cos over the rings of equal solid angle is 1 exactly.
    CHECK_NEAR(lamps_reach(&l, v3(30, 30, 0), up).sky, 1, 1e-12);
    // A ball of angular radius a overhead hides sin^2 a of a level place's sky: (2/3)^2. With 64 directions 0.008
    // less was seen; five times that.
    CHECK_NEAR(lamps_reach(&l, v3(0, 0, 0), up).sky, 1 - 4.0 / 9, 0.04);
    facets_free(&ball);
    lamps_destroy(&l);
}

// Closed and outward: the flux of a constant field through each solid's surface is 0, of (x, y, z) 3 volumes.
TEST(solids_are_closed_and_their_normals_point_outward)
{
    const struct {
        thud_shape_kind kind;
        double size[3], volume, flat; // flat: relative loss by flat pieces, twice the 1.8e-3 seen
    } cases[] = {{THUD_SHAPE_BOX, {0.1, 0.2, 0.3}, 8 * 0.1 * 0.2 * 0.3, 1e-12},
                 {THUD_SHAPE_SPHERE, {0.4}, 4.0 / 3 * 3.14159265 * 0.064, 4e-3},
                 {THUD_SHAPE_CAPSULE, {0.2, 0.5}, 3.14159265 * 0.04 * (1 + 0.8 / 3), 4e-3},
                 {THUD_SHAPE_CYLINDER, {0.2, 0.5}, 3.14159265 * 0.04, 4e-3},
                 {THUD_SHAPE_ELLIPSOID, {0.1, 0.2, 0.3}, 4.0 / 3 * 3.14159265 * 0.006, 4e-3}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        solid g = {.kind = cases[i].kind, .mesh = -1, .pose = {q_axis_angle(v3(0.6, 0, 0.8), 1), {1, 2, 3}}};
        memcpy(g.size, cases[i].size, sizeof g.size);
        const solids all = {.geoms = 1, .geom = &g};
        facets f = {0};
        tessellate_solid(&f, &all, 0, 0, 96);
        double volume = 0;
        vec3 area = v3(0, 0, 0);
        for (int k = 0; k < f.count; k++) {
            const vec3 a = v3_scale(
                0.5, v3_cross(v3_sub(f.at[k].p[1], f.at[k].p[0]), v3_sub(f.at[k].p[2], f.at[k].p[0])));
            const vec3 out = v3_dot(a, f.at[k].n[0]) < 0 ? v3_neg(a) : a; // triangles may be wound either way
            volume += v3_dot(out, v3_sub(f.at[k].p[0], g.pose.p)) / 3;
            area = v3_add(area, out);
        }
        CHECK_BELOW(v3_norm(area), 1e-12);
        CHECK_NEAR(volume, cases[i].volume, cases[i].flat * cases[i].volume);
        facets_free(&f);
    }
}

TEST_MAIN(T(triangles_that_share_edges_cover_every_sample_once),
          T(the_nearer_triangle_is_seen_whatever_their_order),
          T(a_triangle_through_the_eye_covers_only_what_is_before_it),
          T(a_ball_keeps_the_sun_and_some_of_the_sky_from_the_ground),
          T(solids_are_closed_and_their_normals_point_outward))
