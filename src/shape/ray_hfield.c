// SPDX-License-Identifier: Apache-2.0
// ray_hfield.c: rays against height fields.
//
// Over the grid's rectangle the ray is followed from cell to cell (Amanatides and Woo 1987), in each over its
// two triangles, one after the other. Over a triangle the height of the ray above the ground is linear in t,
// so it crosses where its sign changes. The sign is carried from triangle to triangle: a crossing that
// rounding puts between two of them is found at the seam, and nothing slips through.
//
// Symbols  u, v position along x and y in cells · rise height above the ground
// Cost     the cells on the way
#include "ray.h"

typedef struct walk { // along the ray over the grid
    const thud_hfield *f;
    const ray *r;
    double u, v, du, dv; // in cells, at t = 0 and for each t
    bool known, above;   // side of the ground at the end of the last triangle
    crossing hit;
} walk;

// The ground over triangle `half` of a cell, at (x, y) = the ray's at t: height above it, and its normal.
static double rise(const walk *w, int row, int col, int half, double t, vec3 *normal)
{
    vec3 c[3];
    thud_hfield_triangle(w->f, row, col, half, c);
    *normal = v3_normalize(v3_cross(v3_sub(c[1], c[0]), v3_sub(c[2], c[0])));
    return v3_dot(*normal, v3_sub(ray_at(w->r, t), c[0])) / normal->z;
}

// Over one triangle, from t0 to t1. True: the ray has crossed the ground.
static bool over_triangle(walk *w, int row, int col, int half, double t0, double t1)
{
    vec3 n;
    const double start = rise(w, row, col, half, t0, &n), end = rise(w, row, col, half, t1, &n);
    const bool above = start > 0 || (start == 0 && end > 0);
    if (w->known && above != w->above) {
        w->hit = (crossing){t0, n}; // at the seam
        return true;
    }
    w->known = true;
    w->above = end > 0 || (end == 0 && above);
    if (w->above != above) {
        w->hit = (crossing){t0 + (t1 - t0) * (start / (start - end)), n};
        return true;
    }
    return false;
}

// Over one cell: below its diagonal (u >= v within it) is triangle 0, above it triangle 1.
static bool over_cell(walk *w, int row, int col, double t0, double t1)
{
    const double slope = w->du - w->dv, start = (w->u - col) - (w->v - row) + t0 * slope;
    const double t = slope != 0 ? t0 - start / slope : t1;
    const double middle = t > t0 && t < t1 ? t : t1;
    const double early = (w->u - col) - (w->v - row) + 0.5 * (t0 + middle) * slope;
    const int half = early >= 0 ? 0 : 1;
    return over_triangle(w, row, col, half, t0, middle) ||
           (middle < t1 && over_triangle(w, row, col, 1 - half, middle, t1));
}

static int clamp(double x, int most)
{
    return x <= 0 ? 0 : x >= most ? most : (int)x;
}

// The first crossing of the ground between t0 and t1, over the rectangle.
static void over_ground(walk *w, double t0, double t1)
{
    const int cols = w->f->cols - 1, rows = w->f->rows - 1;
    int col = clamp(w->u + t0 * w->du, cols - 1), row = clamp(w->v + t0 * w->dv, rows - 1);
    while (t0 < t1) {
        const double next_u = w->du > 0   ? (col + 1 - w->u) / w->du
                              : w->du < 0 ? (col - w->u) / w->du
                                          : HUGE_VAL,
                     next_v = w->dv > 0   ? (row + 1 - w->v) / w->dv
                              : w->dv < 0 ? (row - w->v) / w->dv
                                          : HUGE_VAL;
        const double end = thud_max(t0, thud_min(t1, thud_min(next_u, next_v)));
        if (over_cell(w, row, col, t0, end)) {
            return;
        }
        col += next_u <= next_v ? (w->du > 0 ? 1 : -1) : 0;
        row += next_v <= next_u ? (w->dv > 0 ? 1 : -1) : 0;
        if (col < 0 || row < 0 || col >= cols || row >= rows) {
            return;
        }
        t0 = end;
    }
}

// What is left of t0..t1 between lo and hi of x + t d; the wall where it is entered or left, as a sign.
static void clip(double x, double d, double radius, double *t0, double *t1, int *wall0, int *wall1, int axis)
{
    if (d == 0) {
        *t1 = fabs(x) <= radius ? *t1 : -HUGE_VAL;
        return;
    }
    const double in = (-copysign(radius, d) - x) / d, out = (copysign(radius, d) - x) / d;
    if (in > *t0) {
        *t0 = in;
        *wall0 = d > 0 ? -axis : axis;
    }
    if (out < *t1) {
        *t1 = out;
        *wall1 = d > 0 ? axis : -axis;
    }
}

static vec3 wall_normal(int wall)
{
    return v3(wall == 1 ? 1 : wall == -1 ? -1 : 0, wall == 2 ? 1 : wall == -2 ? -1 : 0, 0);
}

// The ray is in the wall's plane at t: does it meet the wall, between the base and the ground?
static void meet_wall(const thud_hfield *f, const ray *r, double t, int wall, crossing *best)
{
    const vec3 x = ray_at(r, t);
    double top;
    if (wall != 0 && t >= 0 && (best->t < 0 || t < best->t) && x.z >= -f->base &&
        thud_hfield_sample(f, thud_max(-f->radius_x, thud_min(f->radius_x, x.x)),
                           thud_max(-f->radius_y, thud_min(f->radius_y, x.y)), &top, NULL) &&
        x.z <= top) {
        *best = (crossing){t, wall_normal(wall)};
    }
}

// Straight up or down: one point of the ground.
static void over_point(walk *w)
{
    double top;
    vec3 n;
    if (thud_hfield_sample(w->f, w->r->p.x, w->r->p.y, &top, &n)) {
        const double t = (top - w->r->p.z) / w->r->d.z;
        w->hit = t >= 0 ? (crossing){t, n} : w->hit;
    }
}

crossing ray_hfield(const thud_hfield *f, const ray *r)
{
    const double su = (f->cols - 1) / (2 * f->radius_x), sv = (f->rows - 1) / (2 * f->radius_y);
    walk w = {.f = f,
              .r = r,
              .u = (r->p.x + f->radius_x) * su,
              .v = (r->p.y + f->radius_y) * sv,
              .du = r->d.x * su,
              .dv = r->d.y * sv,
              .hit = {-1, {0, 0, 0}}};
    double t0 = 0, t1 = HUGE_VAL;
    int wall0 = 0, wall1 = 0;
    clip(r->p.x, r->d.x, f->radius_x, &t0, &t1, &wall0, &wall1, 1);
    clip(r->p.y, r->d.y, f->radius_y, &t0, &t1, &wall0, &wall1, 2);
    if (!(t0 <= t1)) {
        return w.hit;
    }
    if (w.du == 0 && w.dv == 0) {
        over_point(&w);
    } else {
        over_ground(&w, t0, t1);
    }
    meet_wall(f, r, t0, wall0, &w.hit);
    meet_wall(f, r, t1, wall1, &w.hit);
    const double t = r->d.z != 0 ? (-f->base - r->p.z) / r->d.z : -1; // the base
    if (t >= t0 && t <= t1 && (w.hit.t < 0 || t < w.hit.t)) {
        w.hit = (crossing){t, v3(0, 0, -1)};
    }
    return w.hit;
}
