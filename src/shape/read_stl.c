// SPDX-License-Identifier: Apache-2.0
// read_stl.c: STL files, binary and ASCII. The stored normals are not used: the order of corners tells.
//
// Binary: 80 bytes of header, a count, then 50 bytes a triangle: normal, three corners (12 floats), 2 spare
// bytes. Some exporters start a binary header with "solid", so it is the size that decides.
#include <string.h>

#include "mesh_build.h"
#include "scan.h"

enum { HEADER = 84, RECORD = 50 };

static thud_status no_memory(const mesh_builder *b, thud_diag *diag)
{
    return thud_fail(THUD_NO_MEMORY, diag, b->name, 0, 0, "an STL file of %d triangles: %s", b->triangles,
                     thud_status_text(THUD_NO_MEMORY));
}

static thud_status read_binary(mesh_builder *b, const unsigned char *bytes, size_t size, thud_diag *diag)
{
    if (size < HEADER) {
        return thud_fail(
            THUD_BAD_FILE, diag, b->name, 0, 0,
            "an STL file of %zu bytes; a binary one has a header of %d, an ASCII one starts with "
            "'solid'",
            size, HEADER);
    }
    const uint32_t count = load_u32(bytes + 80);
    if ((uint64_t)count * RECORD != size - HEADER) {
        return thud_fail(THUD_BAD_FILE, diag, b->name, 0, 0,
                         "the count at byte 80 promises %u triangles, a file of %llu bytes, but it has %zu",
                         count, (unsigned long long)count * RECORD + HEADER, size);
    }
    if (count > THUD_MESH_MAX_COUNT / 3) {
        return thud_fail(THUD_BAD_FILE, diag, b->name, 0, 0, "%u triangles; at most %d are taken", count,
                         THUD_MESH_MAX_COUNT / 3);
    }
    for (uint32_t t = 0; t < count; t++) {
        const size_t record = HEADER + (size_t)t * RECORD;
        for (size_t c = 0; c < 3; c++) {
            const unsigned char *p = bytes + record + 12 * (c + 1);
            const thud_vec3 v = {load_f32(p), load_f32(p + 4), load_f32(p + 8)};
            if (!coordinate_ok(v.x) || !coordinate_ok(v.y) || !coordinate_ok(v.z)) {
                return thud_fail(THUD_BAD_FILE, diag, b->name, 0, 0,
                                 "corner %zu of triangle %u (from 0, at byte %zu) is (%g, %g, %g)", c, t,
                                 record + 12 * (c + 1), v.x, v.y, v.z);
            }
            if (!build_vertex(b, v)) {
                return no_memory(b, diag);
            }
        }
        if (!build_triangle(b, b->vertices - 3, b->vertices - 2, b->vertices - 1)) {
            return no_memory(b, diag);
        }
    }
    return THUD_OK;
}

static thud_status expect(mesh_builder *b, scanner *s, const char *keyword, thud_diag *diag)
{
    const word w = scan_word(s);
    if (!word_is(w, keyword)) {
        return thud_fail(THUD_BAD_FILE, diag, b->name, w.line, w.column, "expected '%s', found '%.*s'",
                         keyword, w.length < 40 ? w.length : 40, w.text);
    }
    return THUD_OK;
}

static thud_status number(mesh_builder *b, scanner *s, double *out, thud_diag *diag)
{
    const word w = scan_word(s);
    if (!word_number(w, out) || !coordinate_ok(*out)) {
        return thud_fail(THUD_BAD_FILE, diag, b->name, w.line, w.column, "'%.*s' is not a usable coordinate",
                         w.length < 40 ? w.length : 40, w.text);
    }
    return THUD_OK;
}

// After "facet": normal x y z outer loop vertex x y z (three times) endloop endfacet
static thud_status read_facet(mesh_builder *b, scanner *s, thud_diag *diag)
{
    THUD_TRY(expect(b, s, "normal", diag));
    for (int i = 0; i < 3; i++) {
        scan_word(s); // exporters write "nan" for the normals of degenerate triangles
    }
    THUD_TRY(expect(b, s, "outer", diag));
    THUD_TRY(expect(b, s, "loop", diag));
    for (int c = 0; c < 3; c++) {
        thud_vec3 v = {0, 0, 0};
        THUD_TRY(expect(b, s, "vertex", diag));
        THUD_TRY(number(b, s, &v.x, diag));
        THUD_TRY(number(b, s, &v.y, diag));
        THUD_TRY(number(b, s, &v.z, diag));
        if (!build_vertex(b, v)) {
            return no_memory(b, diag);
        }
    }
    THUD_TRY(expect(b, s, "endloop", diag));
    THUD_TRY(expect(b, s, "endfacet", diag));
    return build_triangle(b, b->vertices - 3, b->vertices - 2, b->vertices - 1) ? THUD_OK
                                                                                : no_memory(b, diag);
}

// solid NAME { facet ... } endsolid NAME, any number of times
static thud_status read_ascii(mesh_builder *b, const unsigned char *bytes, size_t size, thud_diag *diag)
{
    scanner s = scan_start(bytes, size);
    for (word w = scan_word(&s); w.length > 0; w = scan_word(&s)) {
        if (!word_is(w, "solid")) {
            return thud_fail(THUD_BAD_FILE, diag, b->name, w.line, w.column, "expected 'solid', found '%.*s'",
                             w.length < 40 ? w.length : 40, w.text);
        }
        scan_skip_line(&s);
        for (w = scan_word(&s); word_is(w, "facet"); w = scan_word(&s)) {
            THUD_TRY(read_facet(b, &s, diag));
        }
        if (!word_is(w, "endsolid")) {
            return thud_fail(THUD_BAD_FILE, diag, b->name, w.line, w.column,
                             w.length ? "expected 'facet' or 'endsolid', found '%.*s'"
                                      : "the file ends before 'endsolid'%.*s",
                             w.length < 40 ? w.length : 40, w.text);
        }
        scan_skip_line(&s);
    }
    return THUD_OK;
}

// Whether a file whose size is not that of a binary one is text: it starts with "solid" and its beginning has
// no zero byte, with which binary headers are padded.
static bool is_text(const unsigned char *bytes, size_t size)
{
    scanner s = scan_start(bytes, size);
    return word_is(scan_word(&s), "solid") && !memchr(bytes, 0, size < HEADER ? size : HEADER);
}

thud_status read_stl(mesh_builder *b, const unsigned char *bytes, size_t size, thud_diag *diag)
{
    const bool fits = size >= HEADER && (uint64_t)load_u32(bytes + 80) * RECORD == size - HEADER;
    return !fits && is_text(bytes, size) ? read_ascii(b, bytes, size, diag)
                                         : read_binary(b, bytes, size, diag);
}
