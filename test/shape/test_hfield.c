// SPDX-License-Identifier: Apache-2.0
#include <thud/shape.h>
#include <thud/spatial_inline.h>

#include "test.h"

static const double size[4] = {3, 2, 0.5, 0.1};

// A plane z = 1/4 + x/12 + y/16 on a 5 x 4 grid, as elevations in odd units: from 7 to 9.
static thud_hfield *sloped(void)
{
    double elevation[20];
    for (int i = 0; i < 20; i++) {
        const double x = 3 * (2.0 * (i % 5) / 4 - 1), y = 2 * (2.0 * (i / 5) / 3 - 1);
        elevation[i] = 8 + (x / 12 + y / 8) * 2;
    }
    thud_hfield *field;
    CHECK_OK(thud_hfield_create(4, 5, size, elevation, &field, NULL));
    return field;
}

TEST(elevations_are_brought_to_the_full_height)
{
    (void)test_state;
    thud_hfield *field = sloped();
    CHECK_NEAR(field->height[0], 0, 1e-15);
    CHECK_NEAR(field->height[19], 0.5, 1e-15);
    CHECK_NEAR(field->lowest, 0, 0);
    CHECK_NEAR(field->highest, 0.5, 0);
    thud_hfield_destroy(field);
    CHECK_OK(thud_hfield_create(2, 2, size, NULL, &field, NULL));
    CHECK_NEAR(field->highest, 0, 0);
    thud_hfield_destroy(field);
}

TEST(sampling_a_slope_gives_the_slope)
{
    (void)test_state;
    thud_hfield *field = sloped();
    test_rng rng = {1};
    for (int trial = 0; trial < 1000; trial++) {
        const double x = trial < 4 ? (trial & 1 ? 3 : -3) : test_uniform(&rng, -3, 3),
                     y = trial < 4 ? (trial & 2 ? 2 : -2) : test_uniform(&rng, -2, 2);
        double z = NAN;
        vec3 n;
        CHECK(thud_hfield_sample(field, x, y, &z, &n));
        CHECK_NEAR(z, 0.25 + (x / 12 + y / 8) / 2, 1e-15);
        CHECK_NEAR(v3_dot(n, v3_normalize(v3(-1.0 / 24, -1.0 / 16, 1))), 1, 1e-15);
    }
    double z = 7;
    CHECK(!thud_hfield_sample(field, 3.001, 0, &z, NULL));
    CHECK(!thud_hfield_sample(field, NAN, 0, &z, NULL));
    CHECK_NEAR(z, 7, 0);
    thud_hfield_destroy(field);
}

TEST(a_cell_is_folded_along_the_diagonal_from_its_lower_left_corner)
{
    (void)test_state;
    const double corner[4] = {0, 1, 0, 0}, unit[4] = {1, 1, 1, 0}; // a spike at the lower right
    thud_hfield *field;
    double z;
    CHECK_OK(thud_hfield_create(2, 2, unit, corner, &field, NULL));
    CHECK(thud_hfield_sample(field, 0, 0, &z, NULL));
    CHECK_NEAR(z, 0, 1e-16); // on the fold
    CHECK(thud_hfield_sample(field, -0.5, 0.5, &z, NULL));
    CHECK_NEAR(z, 0, 1e-16); // above it
    CHECK(thud_hfield_sample(field, 0.5, -0.5, &z, NULL));
    CHECK_NEAR(z, 0.5, 1e-16); // below it, half way to the spike
    thud_hfield_destroy(field);
}

TEST(triangles_cover_the_grid_once_and_face_up)
{
    (void)test_state;
    thud_hfield *field = sloped();
    double area = 0, volume = 0;
    for (int row = 0; row < 3; row++) {
        for (int col = 0; col < 4; col++) {
            for (int half = 0; half < 2; half++) {
                vec3 p[6];
                thud_hfield_prism(field, row, col, half, p);
                const vec3 n = v3_cross(v3_sub(p[1], p[0]), v3_sub(p[2], p[0]));
                CHECK(n.z > 0);
                area += 0.5 * n.z;
                volume += 0.5 * n.z * (p[0].z + p[1].z + p[2].z + 3 * field->base) / 3;
                CHECK_NEAR(p[4].z, -0.1, 0);
                double z;
                const vec3 middle = v3_scale(1.0 / 3, v3_add(v3_add(p[0], p[1]), p[2]));
                CHECK(thud_hfield_sample(field, middle.x, middle.y, &z, NULL));
                CHECK_NEAR(z, middle.z, 1e-15);
            }
        }
    }
    CHECK_NEAR(area, 24, 1e-13);
    CHECK_NEAR(volume, 24 * (0.25 + 0.1), 1e-13); // the mean height of a plane is that of its middle
    thud_hfield_destroy(field);
}

TEST(overlapping_cells_are_those_a_search_finds)
{
    (void)test_state;
    thud_hfield *field = sloped();
    test_rng rng = {2};
    for (int trial = 0; trial < 5000; trial++) {
        const vec3 a = v3(test_uniform(&rng, -5, 5), test_uniform(&rng, -4, 4), test_uniform(&rng, -1, 1));
        const vec3 b =
            v3_add(a, v3(test_uniform(&rng, 0, 3), test_uniform(&rng, 0, 3), test_uniform(&rng, 0, 1)));
        const thud_hfield_cells cells = thud_hfield_overlap(field, a, b);
        for (int i = 0; i < 12; i++) {
            const int row = i / 4, col = i % 4;
            const double x = -3 + 1.5 * col, y = -2 + 4.0 / 3 * row;
            const bool want =
                a.x <= x + 1.5 && b.x >= x && a.y <= y + 4.0 / 3 && b.y >= y && a.z <= 0.5 && b.z >= -0.1;
            const bool got =
                row >= cells.row_lo && row < cells.row_hi && col >= cells.col_lo && col < cells.col_hi;
            CHECK_INT(got, want);
        }
    }
    const vec3 far = v3(1e300, 1e300, 0);
    const thud_hfield_cells all = thud_hfield_overlap(field, v3_neg(far), far);
    CHECK(all.row_lo == 0 && all.row_hi == 3 && all.col_lo == 0 && all.col_hi == 4);
    thud_hfield_destroy(field);
}

TEST(bounds_hold_the_surface_and_the_base)
{
    (void)test_state;
    thud_hfield *field = sloped();
    const thud_shape shape = {.kind = THUD_SHAPE_HFIELD, .hfield = field};
    const thud_aabb box = thud_shape_bounds(&shape, (pose){{1, 0, 0, 0}, {10, 20, 30}});
    CHECK_NEAR(v3_norm(v3_sub(box.lo, v3(7, 18, 29.9))), 0, 1e-14);
    CHECK_NEAR(v3_norm(v3_sub(box.hi, v3(13, 22, 30.5))), 0, 1e-14);
    CHECK_NEAR(thud_shape_volume(&shape), 0, 0);
    thud_hfield_destroy(field);
}

TEST(a_binary_file_says_its_size_and_a_wrong_one_is_refused)
{
    (void)test_state;
    struct {
        int32_t rows, cols;
        float z[6];
    } file = {2, 3, {0, 1, 2, 3, 4, 8}};
    thud_hfield *field;
    thud_diag diag;
    CHECK_OK(thud_hfield_parse(&file, sizeof file, size, "hills.bin", &field, &diag));
    CHECK_INT(field->rows, 2);
    CHECK_NEAR(field->height[3], 0.5 * 3 / 8, 1e-16);
    thud_hfield_destroy(field);
    CHECK_INT(thud_hfield_parse(&file, sizeof file - 1, size, "hills.bin", &field, &diag), THUD_BAD_FILE);
    CHECK_TEXT(diag.text, "the header of a height field promises 2 x 3 points, 32 bytes, but it has 31");
    CHECK(field == NULL);
    CHECK_INT(thud_hfield_parse(&file, 7, size, NULL, &field, &diag), THUD_BAD_FILE);
    file.z[2] = NAN;
    CHECK_INT(thud_hfield_parse(&file, sizeof file, size, NULL, &field, &diag), THUD_BAD_FILE);
    CHECK_TEXT(diag.text, "elevation 2 (from 0) of a height field is nan");
    file.rows = 0x7fffffff;
    file.cols = 0x7fffffff;
    CHECK_INT(thud_hfield_parse(&file, sizeof file, size, NULL, &field, &diag), THUD_BAD_FILE);
    CHECK_INT(thud_hfield_read("absent.bin", size, &field, &diag), THUD_BAD_FILE);
    const double flat[4] = {1, 0, 1, 1};
    CHECK_INT(thud_hfield_create(2, 2, flat, NULL, &field, &diag), THUD_BAD_ARGUMENT);
    CHECK_TEXT(diag.text, "the radius y of a height field is 0 m");
}

TEST_MAIN(T(elevations_are_brought_to_the_full_height), T(sampling_a_slope_gives_the_slope),
          T(a_cell_is_folded_along_the_diagonal_from_its_lower_left_corner),
          T(triangles_cover_the_grid_once_and_face_up), T(overlapping_cells_are_those_a_search_finds),
          T(bounds_hold_the_surface_and_the_base), T(a_binary_file_says_its_size_and_a_wrong_one_is_refused))
