// SPDX-License-Identifier: Apache-2.0
// camera.c: orthographic projection. The outline of a convex shape is made of its support points in the
// directions of the picture plane; capsules and spheres are drawn by their arcs.
#include <math.h>

#include <thud/spatial_inline.h>

#include "camera.h"

enum { DIRECTIONS = 64 };

static const double turn = 6.283185307179586;
static const double tilt = 0.30; // rad from above, where there is depth to see

camera camera_facing(const thud_vec3 *point, int points)
{
    double mx = 0, my = 0, xx = 0, xy = 0, yy = 0;
    for (int i = 0; i < points; i++) {
        mx += point[i].x / points;
        my += point[i].y / points;
    }
    for (int i = 0; i < points; i++) {
        const double x = point[i].x - mx, y = point[i].y - my;
        xx += x * x;
        xy += x * y;
        yy += y * y;
    }
    // Principal axis of the 2x2 covariance, and how much is left across it.
    const double mean = 0.5 * (xx + yy), half = hypot(0.5 * (xx - yy), xy);
    const bool flat = mean > 0 && mean - half < 0.02 * (mean + half);
    const double angle = half > 0.2 * mean ? 0.5 * atan2(2 * xy, xx - yy) : 0.5;
    const double phi = flat ? 0 : tilt;
    camera c = {.right = v3(cos(angle), sin(angle), 0)};
    c.toward = v3(sin(angle) * cos(phi), -cos(angle) * cos(phi), sin(phi));
    c.up = v3_cross(c.toward, c.right);
    return c;
}

// ---------------------------------------------------------------------------------------- frames

frame frame_empty(void)
{
    return (frame){INFINITY, INFINITY, -INFINITY, -INFINITY};
}

void frame_add_point(frame *f, const camera *c, thud_vec3 point)
{
    const double x = v3_dot(c->right, point), y = v3_dot(c->up, point);
    f->x0 = fmin(f->x0, x);
    f->x1 = fmax(f->x1, x);
    f->y0 = fmin(f->y0, y);
    f->y1 = fmax(f->y1, y);
}

// The world point of a shape that lies farthest along a world direction.
static vec3 farthest(const thud_shape *shape, thud_pose X_ws, vec3 dir, int *hint)
{
    const quat back = {X_ws.q.w, -X_ws.q.x, -X_ws.q.y, -X_ws.q.z};
    return v3_add(X_ws.p, q_rotate(X_ws.q, thud_shape_support(shape, q_rotate(back, dir), hint)));
}

void frame_add_shape(frame *f, const camera *c, const thud_shape *shape, thud_pose X_ws)
{
    int hint = 0;
    frame_add_point(f, c, farthest(shape, X_ws, c->right, &hint));
    frame_add_point(f, c, farthest(shape, X_ws, v3_neg(c->right), &hint));
    frame_add_point(f, c, farthest(shape, X_ws, c->up, &hint));
    frame_add_point(f, c, farthest(shape, X_ws, v3_neg(c->up), &hint));
}

double sheet_x(const sheet *s, const camera *c, thud_vec3 point)
{
    return s->scale * (v3_dot(c->right, point) - s->x0);
}

double sheet_y(const sheet *s, const camera *c, thud_vec3 point)
{
    return s->scale * (s->y0 - v3_dot(c->up, point));
}

// ---------------------------------------------------------------------------------------- outlines

// A disc of radius r swept from a to b: two lines and two arcs.
static void capsule_outline(FILE *out, double ax, double ay, double bx, double by, double r)
{
    const double length = hypot(bx - ax, by - ay);
    const double ux = length > 0.05 ? (bx - ax) / length : 1, uy = length > 0.05 ? (by - ay) / length : 0;
    const double nx = -uy * r, ny = ux * r;
    const double arc = 0.9 * r; // a radius too small is made to fit: half a circle, whatever the rounding
    fprintf(out, "M%.1f %.1fA%.1f %.1f 0 0 1 %.1f %.1fL%.1f %.1fA%.1f %.1f 0 0 1 %.1f %.1fZ", ax + nx,
            ay + ny, arc, arc, ax - nx, ay - ny, bx - nx, by - ny, arc, arc, bx + nx, by + ny);
}

static void support_outline(FILE *out, const camera *c, const sheet *s, const thud_shape *shape,
                            thud_pose X_ws)
{
    double last_x = INFINITY, last_y = INFINITY;
    int hint = 0;
    char pen = 'M';
    for (int i = 0; i < DIRECTIONS; i++) {
        const double angle = turn * (i + 0.5) / DIRECTIONS;
        const vec3 dir = v3_add(v3_scale(cos(angle), c->right), v3_scale(sin(angle), c->up));
        const vec3 p = farthest(shape, X_ws, dir, &hint);
        const double x = sheet_x(s, c, p), y = sheet_y(s, c, p);
        if (!(hypot(x - last_x, y - last_y) < 0.1)) {
            fprintf(out, "%c%.1f %.1f", pen, x, y);
            pen = 'L';
            last_x = x;
            last_y = y;
        }
    }
    fputc('Z', out);
}

void camera_outline(FILE *out, const camera *c, const sheet *s, const thud_shape *shape, thud_pose X_ws)
{
    if (shape->kind != THUD_SHAPE_SPHERE && shape->kind != THUD_SHAPE_CAPSULE) {
        support_outline(out, c, s, shape, X_ws);
        return;
    }
    const double half = shape->kind == THUD_SHAPE_CAPSULE ? shape->size[1] : 0;
    const vec3 axis = q_rotate(X_ws.q, v3(0, 0, half));
    const vec3 a = v3_sub(X_ws.p, axis), b = v3_add(X_ws.p, axis);
    capsule_outline(out, sheet_x(s, c, a), sheet_y(s, c, a), sheet_x(s, c, b), sheet_y(s, c, b),
                    s->scale * shape->size[0]);
}

// ---------------------------------------------------------------------------------------- faces

static const double axis_seen = 1e-3; // a face whose normal is this little towards the viewer is not drawn

// The world direction of a shape's axis k (0, 1, 2), turned towards the viewer.
static vec3 axis_toward(const camera *c, thud_pose X_ws, int k)
{
    const vec3 axis = q_rotate(X_ws.q, v3(k == 0, k == 1, k == 2));
    return v3_dot(axis, c->toward) < 0 ? v3_neg(axis) : axis;
}

// The axes along which a flat face is seen: a box has three, a cylinder one (z). face counts those.
static int face_axis(const camera *c, const thud_shape *shape, thud_pose X_ws, int face)
{
    for (int k = shape->kind == THUD_SHAPE_CYLINDER ? 2 : 0; k < 3; k++) {
        if (v3_dot(axis_toward(c, X_ws, k), c->toward) > axis_seen && face-- == 0) {
            return k;
        }
    }
    return -1;
}

int camera_faces(const camera *c, const thud_shape *shape, thud_pose X_ws)
{
    int faces = 0;
    if (shape->kind == THUD_SHAPE_BOX || shape->kind == THUD_SHAPE_CYLINDER) {
        while (faces < 3 && face_axis(c, shape, X_ws, faces) >= 0) {
            faces++;
        }
    }
    return faces;
}

void camera_face(FILE *out, const camera *c, const sheet *s, const thud_shape *shape, thud_pose X_ws,
                 int face)
{
    const int k = face_axis(c, shape, X_ws, face);
    const bool round = shape->kind == THUD_SHAPE_CYLINDER;
    const double reach = round ? shape->size[1] : shape->size[k];
    const double a = round ? shape->size[0] : shape->size[(k + 1) % 3],
                 b = round ? a : shape->size[(k + 2) % 3];
    const vec3 centre = v3_axpy(reach, axis_toward(c, X_ws, k), X_ws.p);
    const vec3 e1 = axis_toward(c, X_ws, (k + 1) % 3), e2 = axis_toward(c, X_ws, (k + 2) % 3);
    const int corners = round ? DIRECTIONS : 4;
    for (int i = 0; i < corners; i++) {
        const double angle = turn * (i + 0.5) / corners,
                     lead = round ? 1 : sqrt(2); // a square's corners: (+-1, +-1)
        const vec3 p = v3_axpy(lead * a * cos(angle), e1, v3_axpy(lead * b * sin(angle), e2, centre));
        fprintf(out, "%c%.1f %.1f", i ? 'L' : 'M', sheet_x(s, c, p), sheet_y(s, c, p));
    }
    fputc('Z', out);
}

double camera_light(const camera *c, const thud_shape *shape, thud_pose X_ws, int face)
{
    const vec3 normal = axis_toward(c, X_ws, face_axis(c, shape, X_ws, face));
    const vec3 lamp = v3_normalize(v3_add(c->toward, v3_add(c->up, v3_scale(-0.6, c->right))));
    return 0.72 + 0.42 * fmax(0, v3_dot(normal, lamp));
}
