// SPDX-License-Identifier: Apache-2.0
// hull_box.c: a box as a hull. All boxes share one topology; only vertices and offsets differ.
//
// Vertex i stands at the signs of its bits (x: 1, y: 2, z: 4).
#include <thud/shape_hull.h>
#include <thud/spatial_inline.h>

static const int box_face_start[7] = {0, 4, 8, 12, 16, 20, 24};
static const int box_face_vertex[24] = {0, 4, 6, 2,  // -x
                                        1, 3, 7, 5,  // +x
                                        0, 1, 5, 4,  // -y
                                        2, 6, 7, 3,  // +y
                                        0, 2, 3, 1,  // -z
                                        4, 5, 7, 6}; // +z
static const thud_edge box_edge[12] = {{{0, 1}, {2, 4}}, {{0, 2}, {4, 0}}, {{0, 4}, {0, 2}},
                                       {{1, 3}, {1, 4}}, {{1, 5}, {2, 1}}, {{2, 3}, {4, 3}},
                                       {{2, 6}, {3, 0}}, {{3, 7}, {1, 3}}, {{4, 5}, {5, 2}},
                                       {{4, 6}, {0, 5}}, {{5, 7}, {5, 1}}, {{6, 7}, {3, 5}}};
static const int box_face_edge[24] = {2, 9,  6, 1, 3, 7, 10, 4, 0, 4,  8,  2,
                                      6, 11, 7, 5, 1, 5, 3,  0, 8, 10, 11, 9};
static const int box_near_start[9] = {0, 3, 6, 9, 12, 15, 18, 21, 24};
static const int box_near[24] = {1, 2, 4, 0, 3, 5, 0, 3, 6, 1, 2, 7, 0, 5, 6, 1, 4, 7, 2, 4, 7, 3, 5, 6};
static const int box_near_edge[24] = {0, 1, 2, 0, 3, 4,  1, 5, 6,  3, 5,  7,
                                      2, 8, 9, 4, 8, 10, 6, 9, 11, 7, 10, 11};

static const thud_plane box_face[6] = {{{-1, 0, 0}, 1}, {{1, 0, 0}, 1},  {{0, -1, 0}, 1},
                                       {{0, 1, 0}, 1},  {{0, 0, -1}, 1}, {{0, 0, 1}, 1}};
static const thud_vec3 box_vertex[8] = {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1},
                                        {-1, -1, 1},  {1, -1, 1},  {-1, 1, 1},  {1, 1, 1}};

const thud_hull thud_hull_unit_box = {.vertices = 8,
                                      .edges = 12,
                                      .faces = 6,
                                      .vertex = box_vertex,
                                      .edge = box_edge,
                                      .face = box_face,
                                      .face_start = box_face_start,
                                      .face_vertex = box_face_vertex,
                                      .face_edge = box_face_edge,
                                      .near_start = box_near_start,
                                      .near = box_near,
                                      .near_edge = box_near_edge,
                                      .thickness = 0,
                                      .radius = 1.7320508075688772,
                                      .half = {1, 1, 1}};

void thud_hull_of_box(const double half[3], thud_hull_box *out)
{
    for (int i = 0; i < 8; i++) {
        const vec3 sign = box_vertex[i];
        out->vertex[i] = v3(sign.x * half[0], sign.y * half[1], sign.z * half[2]);
    }
    for (int f = 0; f < 6; f++) {
        out->face[f].normal = box_face[f].normal;
        out->face[f].offset = half[f / 2];
    }
    out->hull = thud_hull_unit_box;
    out->hull.vertex = out->vertex;
    out->hull.face = out->face;
    out->hull.radius = v3_norm(out->vertex[7]);
    out->hull.half = out->vertex[7];
}
