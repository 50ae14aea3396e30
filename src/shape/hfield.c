// SPDX-License-Identifier: Apache-2.0
// hfield.c: height fields: making, reading, sampling.
#include <string.h>

#include "mesh_build.h"
#include <thud/shape_hfield.h>
#include <thud/shape_image.h>
#include <thud/spatial_inline.h>

// ---------------------------------------------------------------------------------------------- making

static thud_status check_size(const char *name, int rows, int cols, const double size[4], thud_diag *diag)
{
    static const char *const what[4] = {"radius x", "radius y", "elevation z", "base z"};
    if (rows < 2 || cols < 2 || (int64_t)rows * cols > THUD_HFIELD_MAX_POINTS) {
        return thud_fail(
            THUD_BAD_FILE, diag, name, 0, 0,
            "a height field of %d rows and %d columns; it needs two of each and at most %d points", rows,
            cols, THUD_HFIELD_MAX_POINTS);
    }
    for (int i = 0; i < 4; i++) {
        if (!(size[i] >= 0 && size[i] < HUGE_VAL) || (i < 2 && size[i] == 0)) {
            return thud_fail(THUD_BAD_ARGUMENT, diag, name, 0, 0, "the %s of a height field is %g m", what[i],
                             size[i]);
        }
    }
    return THUD_OK;
}

// Brings the heights, which hold elevations, to 0..1 and then to 0..top.
static thud_status scale_heights(thud_hfield *field, double *height, double top, const char *name,
                                 thud_diag *diag)
{
    const size_t count = (size_t)field->rows * (size_t)field->cols;
    double lo = HUGE_VAL, hi = -HUGE_VAL;
    for (size_t i = 0; i < count; i++) {
        if (!(fabs(height[i]) < 1e100)) {
            return thud_fail(THUD_BAD_FILE, diag, name, 0, 0,
                             "elevation %zu (from 0) of a height field is %g", i, height[i]);
        }
        lo = thud_min(lo, height[i]);
        hi = thud_max(hi, height[i]);
    }
    for (size_t i = 0; i < count; i++) {
        height[i] = hi > lo ? top * ((height[i] - lo) / (hi - lo)) : 0;
    }
    field->lowest = 0;
    field->highest = hi > lo ? top : 0;
    return THUD_OK;
}

// A field with room for its heights behind it, all zero; NULL without memory.
static thud_hfield *field_alloc(int rows, int cols, const double size[4])
{
    thud_hfield *field = thud_alloc(1, sizeof *field + (size_t)rows * (size_t)cols * sizeof(double));
    if (field) {
        const thud_hfield f = {.rows = rows,
                               .cols = cols,
                               .radius_x = size[0],
                               .radius_y = size[1],
                               .base = size[3],
                               .height = (const double *)(field + 1)};
        *field = f;
    }
    return field;
}

// The two sources of elevations: numbers, or the bytes of a file.
static thud_status create(int rows, int cols, const double size[4], const double *numbers,
                          const unsigned char *floats, const char *name, thud_hfield **out, thud_diag *diag)
{
    *out = NULL;
    THUD_TRY(check_size(name, rows, cols, size, diag));
    thud_hfield *field = field_alloc(rows, cols, size);
    if (!field) {
        return thud_fail(THUD_NO_MEMORY, diag, name, 0, 0, "a height field of %d x %d points: %s", rows, cols,
                         thud_status_text(THUD_NO_MEMORY));
    }
    double *height = (double *)(field + 1);
    const size_t count = (size_t)rows * (size_t)cols;
    for (size_t i = 0; i < count; i++) {
        height[i] = numbers ? numbers[i] : floats ? load_f32(floats + 4 * i) : 0;
    }
    const thud_status status = scale_heights(field, height, size[2], name, diag);
    if (status != THUD_OK) {
        thud_free(field);
        return status;
    }
    field->hash = thud_hash(THUD_HASH_START, height, count * sizeof *height);
    *out = field;
    return THUD_OK;
}

thud_status thud_hfield_create(int rows, int cols, const double size[4], const double *elevation,
                               thud_hfield **out, thud_diag *diag)
{
    return create(rows, cols, size, elevation, NULL, NULL, out, diag);
}

// As MuJoCo: the red of each pixel is its elevation, and the lower row of the picture comes first.
static thud_status parse_png(const void *bytes, size_t length, const double size[4], const char *name,
                             thud_hfield **out, thud_diag *diag)
{
    thud_image image;
    THUD_TRY(thud_image_parse(bytes, length, name, &image, diag));
    const size_t cols = (size_t)image.width, rows = (size_t)image.height;
    double *elevation = thud_alloc(rows * cols, sizeof *elevation);
    for (size_t i = 0; elevation && i < rows * cols; i++) {
        const size_t row = rows - 1 - i / cols;
        elevation[i] = image.rgba[4 * (row * cols + i % cols)];
    }
    const thud_status status =
        elevation ? create(image.height, image.width, size, elevation, NULL, name, out, diag)
                  : thud_fail(THUD_NO_MEMORY, diag, name, 0, 0, "%s", thud_status_text(THUD_NO_MEMORY));
    thud_free(elevation);
    thud_image_free(&image);
    return status;
}

thud_status thud_hfield_parse(const void *bytes, size_t length, const double size[4], const char *name,
                              thud_hfield **out, thud_diag *diag)
{
    enum { HEADER = 8 };
    const unsigned char *p = bytes;
    *out = NULL;
    if (thud_image_is_png(bytes, length)) {
        return parse_png(bytes, length, size, name, out, diag);
    }
    if (length < HEADER) {
        return thud_fail(THUD_BAD_FILE, diag, name, 0, 0, "a height field of %zu bytes; its header has %d",
                         length, HEADER);
    }
    const int rows = load_i32(p), cols = load_i32(p + 4);
    THUD_TRY(check_size(name, rows, cols, size, diag));
    const uint64_t want = HEADER + 4 * (uint64_t)rows * (uint64_t)cols;
    if (want != length) {
        return thud_fail(THUD_BAD_FILE, diag, name, 0, 0,
                         "the header of a height field promises %d x %d points, %llu bytes, but it has %zu",
                         rows, cols, (unsigned long long)want, length);
    }
    return create(rows, cols, size, NULL, p + HEADER, name, out, diag);
}

thud_status thud_hfield_read(const char *path, const double size[4], thud_hfield **out, thud_diag *diag)
{
    return thud_hfield_open(NULL, path, size, out, diag);
}

thud_status thud_hfield_open(const thud_files *files, const char *path, const double size[4],
                             thud_hfield **out, thud_diag *diag)
{
    *out = NULL;
    thud_bytes bytes;
    thud_diag why = {.text = ""};
    thud_status status = thud_files_open(files, path, &bytes, &why);
    if (status != THUD_OK) {
        return thud_fail(status, diag, path, 0, 0, "cannot be opened: %s", why.text);
    }
    status = bytes.length > 0 ? thud_hfield_parse(bytes.data, bytes.length, size, path, out, diag)
                              : thud_fail(THUD_BAD_FILE, diag, path, 0, 0, "the file is empty");
    thud_files_close(files, &bytes);
    return status;
}

void thud_hfield_destroy(thud_hfield *field)
{
    thud_free(field);
}

// ---------------------------------------------------------------------------------------------- geometry

static vec3 grid_point(const thud_hfield *f, int row, int col)
{
    return v3(f->radius_x * (2.0 * col / (f->cols - 1) - 1), f->radius_y * (2.0 * row / (f->rows - 1) - 1),
              f->height[(ptrdiff_t)row * f->cols + col]);
}

void thud_hfield_triangle(const thud_hfield *field, int row, int col, int half, vec3 corner[3])
{
    THUD_ASSERT(row >= 0 && row < field->rows - 1 && col >= 0 && col < field->cols - 1);
    corner[0] = grid_point(field, row, col);
    corner[1] = half == 0 ? grid_point(field, row, col + 1) : grid_point(field, row + 1, col + 1);
    corner[2] = half == 0 ? grid_point(field, row + 1, col + 1) : grid_point(field, row + 1, col);
}

void thud_hfield_prism(const thud_hfield *field, int row, int col, int half, vec3 corner[6])
{
    thud_hfield_triangle(field, row, col, half, corner);
    for (int i = 0; i < 3; i++) {
        corner[3 + i] = v3(corner[i].x, corner[i].y, thud_min(-field->base, corner[i].z));
    }
}

// The position of x along an axis of `points` grid points, in cells: 0 .. points - 1.
static double in_cells(double x, double radius, int points)
{
    return (x + radius) / (2 * radius) * (points - 1);
}

bool thud_hfield_sample(const thud_hfield *field, double x, double y, double *height, vec3 *normal)
{
    if (!(fabs(x) <= field->radius_x && fabs(y) <= field->radius_y)) {
        return false;
    }
    const double u = in_cells(x, field->radius_x, field->cols), v = in_cells(y, field->radius_y, field->rows);
    const int col = u >= field->cols - 1 ? field->cols - 2 : (int)u,
              row = v >= field->rows - 1 ? field->rows - 2 : (int)v;
    vec3 p[3];
    thud_hfield_triangle(field, row, col, u - col >= v - row ? 0 : 1, p);
    const vec3 n = v3_cross(v3_sub(p[1], p[0]), v3_sub(p[2], p[0]));
    *height = p[0].z - (n.x * (x - p[0].x) + n.y * (y - p[0].y)) / n.z;
    if (normal) {
        *normal = v3_normalize(n);
    }
    return true;
}

// The cells along one axis that [lo, hi] touches, clamped to the grid; empty when beside it.
static void cell_range(double lo, double hi, double radius, int points, int *first, int *end)
{
    *first = *end = 0;
    if (lo <= radius && hi >= -radius && lo <= hi) {
        const double a = in_cells(lo, radius, points), b = in_cells(hi, radius, points);
        *first = a <= 0 ? 0 : a >= points - 2 ? points - 2 : (int)a;
        *end = b >= points - 1 ? points - 1 : b <= 0 ? 1 : (int)b + 1;
    }
}

thud_hfield_cells thud_hfield_overlap(const thud_hfield *field, vec3 lo, vec3 hi)
{
    thud_hfield_cells cells = {0, 0, 0, 0};
    if (lo.z <= field->highest && hi.z >= -field->base) {
        cell_range(lo.x, hi.x, field->radius_x, field->cols, &cells.col_lo, &cells.col_hi);
        cell_range(lo.y, hi.y, field->radius_y, field->rows, &cells.row_lo, &cells.row_hi);
    }
    return cells;
}
