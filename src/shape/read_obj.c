// SPDX-License-Identifier: Apache-2.0
// read_obj.c: the geometry of Wavefront OBJ files: "v x y z" and "f i j k ...", all groups together.
//
// A face's corner is i, i/t, i//n or i/t/n; i counts vertices from 1, or back from the latest as -1. A
// positive i may name a vertex that comes later in the file. Every other statement, and what follows the
// third number of a v, is passed over.
//
// Differs  MuJoCo takes only the first group or object of a file; we take all.
#include "mesh_build.h"
#include "scan.h"
#include <thud/spatial_inline.h>

typedef struct obj_reader {
    mesh_builder *b;
    scanner s;
    int *quad; // the first of the two triangles of each quadrilateral
    int quads, quad_capacity;
    int highest;        // highest vertex asked for, from 1
    word highest_place; // by this word
    thud_diag *diag;
} obj_reader;

static thud_status fault(const obj_reader *r, word w, const char *what)
{
    return thud_fail(THUD_BAD_FILE, r->diag, r->b->name, w.line, w.column, "'%.*s' %s",
                     w.length < 40 ? w.length : 40, w.text, what);
}

static thud_status no_memory(const obj_reader *r)
{
    return thud_fail(THUD_NO_MEMORY, r->diag, r->b->name, r->s.line, 1, "an OBJ file of %d vertices: %s",
                     r->b->vertices, thud_status_text(THUD_NO_MEMORY));
}

// The nearest number of 32 bits. Through memory: gcc 12 at -O3 leaves the rounding of a pair of numbers out.
static double single(double x)
{
    volatile float rounded = (float)x;
    return rounded;
}

static thud_status read_vertex(obj_reader *r)
{
    double x[3];
    for (int i = 0; i < 3; i++) {
        const word w = scan_line_word(&r->s);
        if (w.length == 0) {
            return thud_fail(THUD_BAD_FILE, r->diag, r->b->name, w.line, w.column,
                             "a vertex has %d coordinates; it needs three", i);
        }
        if (!word_number(w, &x[i]) || !coordinate_ok(x[i])) {
            return fault(r, w, "is not a usable coordinate");
        }
    }
    if (r->b->vertices == THUD_MESH_MAX_COUNT) {
        return thud_fail(THUD_BAD_FILE, r->diag, r->b->name, r->s.line, 1, "at most %d vertices are taken",
                         THUD_MESH_MAX_COUNT);
    }
    // 32 bits, as MuJoCo keeps them and STL and MSH write them: such a mesh weighs in both the same.
    return build_vertex(r->b, v3(single(x[0]), single(x[1]), single(x[2]))) ? THUD_OK : no_memory(r);
}

// The vertex index of a corner, from 0.
static thud_status read_corner(obj_reader *r, word w, int *out)
{
    const char *p = w.text, *end = w.text + w.length;
    int n, unused;
    if (!text_integer(&p, end, &n) || n == 0) {
        return fault(r, w, "does not start with a vertex number; they count from 1, or back from -1");
    }
    for (int slashes = 0; p < end; slashes++) { // /t, //n or /t/n
        if (slashes == 2 || *p++ != '/' || (p < end && *p != '/' && !text_integer(&p, end, &unused))) {
            return fault(r, w, "is not of the form i, i/t, i//n or i/t/n");
        }
    }
    if (n < 0 && n < -r->b->vertices) {
        return thud_fail(THUD_BAD_FILE, r->diag, r->b->name, w.line, w.column,
                         "'%.*s' counts back %d vertices, but only %d came before",
                         w.length < 40 ? w.length : 40, w.text, -n, r->b->vertices);
    }
    if (n > r->highest) {
        r->highest = n;
        r->highest_place = w;
    }
    *out = n > 0 ? n - 1 : r->b->vertices + n;
    return THUD_OK;
}

static thud_status read_face(obj_reader *r)
{
    int first = -1, last = -1, count = 0;
    const int start = r->b->triangles;
    for (word w = scan_line_word(&r->s); w.length > 0; w = scan_line_word(&r->s), count++) {
        int v = -1;
        THUD_TRY(read_corner(r, w, &v));
        if (count >= 2 && !build_triangle(r->b, first, last, v)) {
            return no_memory(r);
        }
        if (r->b->triangles > THUD_MESH_MAX_COUNT) {
            return thud_fail(THUD_BAD_FILE, r->diag, r->b->name, w.line, w.column,
                             "at most %d triangles are taken", THUD_MESH_MAX_COUNT);
        }
        first = count == 0 ? v : first;
        last = v;
    }
    if (count < 3) {
        return thud_fail(THUD_BAD_FILE, r->diag, r->b->name, r->s.line, 1,
                         "a face has %d corners; it needs at least three", count);
    }
    if (count == 4) {
        if (!thud_grow((void **)&r->quad, &r->quad_capacity, r->quads, sizeof *r->quad)) {
            return no_memory(r);
        }
        r->quad[r->quads++] = start;
    }
    return THUD_OK;
}

static thud_status read_statements(obj_reader *r)
{
    while (r->s.at < r->s.end) {
        const word w = scan_line_word(&r->s);
        if (word_is(w, "v")) {
            THUD_TRY(read_vertex(r));
        } else if (word_is(w, "f")) {
            THUD_TRY(read_face(r));
        }
        scan_skip_line(&r->s);
    }
    if (r->highest > r->b->vertices) {
        return thud_fail(THUD_BAD_FILE, r->diag, r->b->name, r->highest_place.line, r->highest_place.column,
                         "a face asks for vertex %d, but the file has only %d", r->highest, r->b->vertices);
    }
    return THUD_OK;
}

// Quadrilaterals (a, b, c, d) were cut along a-c; where b-d is shorter, cut there, as other readers do.
static void choose_diagonals(obj_reader *r)
{
    const vec3 *x = r->b->vertex;
    for (int q = 0; q < r->quads; q++) {
        int(*t)[3] = r->b->triangle + r->quad[q];
        const int a = t[0][0], b = t[0][1], c = t[0][2], d = t[1][2];
        if (!(v3_norm2(v3_sub(x[a], x[c])) < v3_norm2(v3_sub(x[b], x[d])))) {
            t[0][2] = d; // (a, b, d) and (b, c, d)
            t[1][0] = b;
            t[1][1] = c;
        }
    }
}

thud_status read_obj(mesh_builder *b, const unsigned char *bytes, size_t size, thud_diag *diag)
{
    obj_reader r = {.b = b, .s = scan_start(bytes, size), .diag = diag};
    const thud_status status = read_statements(&r);
    if (status == THUD_OK) {
        choose_diagonals(&r);
    }
    thud_free(r.quad);
    return status;
}
