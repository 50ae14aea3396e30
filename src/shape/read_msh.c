// SPDX-License-Identifier: Apache-2.0
// read_msh.c: MuJoCo's binary mesh format, little-endian:
//
//     int32    nvertex, nnormal, ntexcoord, nface     nnormal and ntexcoord are 0 or nvertex
//     float32  vertex[nvertex][3], normal[nnormal][3], texcoord[ntexcoord][2]
//     int32    face[nface][3]
#include "mesh_build.h"

enum { HEADER = 16 };

static thud_status check_header(const mesh_builder *b, const int32_t count[4], size_t size, thud_diag *diag)
{
    for (int i = 0; i < 4; i++) {
        if (count[i] < 0 || count[i] > THUD_MESH_MAX_COUNT) {
            return thud_fail(THUD_BAD_FILE, diag, b->name, 0, 0,
                             "the count at byte %d of an MSH file is %d; 0 to %d are taken", 4 * i, count[i],
                             THUD_MESH_MAX_COUNT);
        }
    }
    if ((count[1] != 0 && count[1] != count[0]) || (count[2] != 0 && count[2] != count[0])) {
        return thud_fail(THUD_BAD_FILE, diag, b->name, 0, 0,
                         "an MSH file of %d vertices has %d normals and %d texture coordinates; it must have "
                         "as many, or none",
                         count[0], count[1], count[2]);
    }
    const uint64_t want = HEADER + UINT64_C(12) * (uint64_t)count[0] + UINT64_C(12) * (uint64_t)count[1] +
                          UINT64_C(8) * (uint64_t)count[2] + UINT64_C(12) * (uint64_t)count[3];
    if (want != size) {
        return thud_fail(THUD_BAD_FILE, diag, b->name, 0, 0,
                         "the header of an MSH file promises %llu bytes, but it has %zu",
                         (unsigned long long)want, size);
    }
    return THUD_OK;
}

thud_status read_msh(mesh_builder *b, const unsigned char *bytes, size_t size, thud_diag *diag)
{
    if (size < HEADER) {
        return thud_fail(THUD_BAD_FILE, diag, b->name, 0, 0, "an MSH file of %zu bytes; its header has %d",
                         size, HEADER);
    }
    const int32_t count[4] = {load_i32(bytes), load_i32(bytes + 4), load_i32(bytes + 8),
                              load_i32(bytes + 12)};
    THUD_TRY(check_header(b, count, size, diag));
    const unsigned char *p = bytes + HEADER;
    bool ok = true;
    for (int32_t i = 0; i < count[0] && ok; i++, p += 12) {
        const thud_vec3 v = {load_f32(p), load_f32(p + 4), load_f32(p + 8)};
        if (!coordinate_ok(v.x) || !coordinate_ok(v.y) || !coordinate_ok(v.z)) {
            return thud_fail(THUD_BAD_FILE, diag, b->name, 0, 0,
                             "vertex %d (from 0, at byte %td) is (%g, %g, %g)", i, p - bytes, v.x, v.y, v.z);
        }
        ok = build_vertex(b, v);
    }
    p += (size_t)count[1] * 12 + (size_t)count[2] * 8;
    for (int32_t i = 0; i < count[3] && ok; i++, p += 12) {
        ok = build_triangle(b, load_i32(p), load_i32(p + 4), load_i32(p + 8));
    }
    return ok ? THUD_OK
              : thud_fail(THUD_NO_MEMORY, diag, b->name, 0, 0, "an MSH file of %zu bytes: %s", size,
                          thud_status_text(THUD_NO_MEMORY));
}
