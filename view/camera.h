// SPDX-License-Identifier: Apache-2.0
// camera.h: looks at bodies from far away (no perspective) and gives their outlines in the plane.
#pragma once

#include <stdio.h>

#include <thud/thud.h>

typedef struct camera { // unit vectors of the world; toward points at the viewer
    thud_vec3 right, up, toward;
} camera;

typedef struct frame { // a rectangle of the plane, in metres, y up
    double x0, y0, x1, y1;
} frame;

typedef struct sheet { // where the plane lies on the paper: X = scale (x - x0), Y = scale (y0 - y)
    double x0, y0, scale;
} sheet;

// Sees the widest horizontal spread of the points from the side; a little from above where they spread in
// depth.
camera camera_facing(const thud_vec3 *point, int points);

frame frame_empty(void);
void frame_add_point(frame *f, const camera *c, thud_vec3 point);
void frame_add_shape(frame *f, const camera *c, const thud_shape *shape,
                     thud_pose X_ws); // convex shapes only

double sheet_x(const sheet *s, const camera *c, thud_vec3 point);
double sheet_y(const sheet *s, const camera *c, thud_vec3 point);

// Writes the outline of a convex shape as the data of an SVG path.
void camera_outline(FILE *out, const camera *c, const sheet *s, const thud_shape *shape, thud_pose X_ws);

// How many flat faces of a shape (of a box or a cylinder) the viewer sees, and one of them as the data of a
// path.
int camera_faces(const camera *c, const thud_shape *shape, thud_pose X_ws);
void camera_face(FILE *out, const camera *c, const sheet *s, const thud_shape *shape, thud_pose X_ws,
                 int face);
// How bright that face is: 1 as its colour, less where it is turned away from the light.
double camera_light(const camera *c, const thud_shape *shape, thud_pose X_ws, int face);
