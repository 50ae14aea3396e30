// SPDX-License-Identifier: Apache-2.0
// quick.c: projection and depth of small triangles.
//
// A corner p of a body at X is at (x, y, w) = K (X p - eye), one 3x4 matrix for the body; the sample is (x / w, y / w). Inside is where
// the three edge functions have the sign of the area; 1/w is linear over the samples. A triangle that reaches behind the eye is cut there.
#include <math.h>

#include <thud/base.h>
#include <thud/spatial_inline.h>

#include "quick.h"

static const double nearest = 1e-3; // m

bool quick_create(quick_raster *r, int wide, int high)
{
    const size_t count = (size_t)wide * (size_t)high;
    *r = (quick_raster){wide, high, thud_alloc(count, sizeof *r->near), thud_alloc(count, sizeof *r->facet)};
    if (r->near && r->facet) {
        return true;
    }
    quick_destroy(r);
    return false;
}

void quick_destroy(quick_raster *r)
{
    thud_free(r->near);
    thud_free(r->facet);
    *r = (quick_raster){0};
}

void quick_clear(quick_raster *r)
{
    const size_t count = (size_t)r->wide * (size_t)r->high;
    for (size_t i = 0; i < count; i++) {
        r->near[i] = 0;
        r->facet[i] = -1;
    }
}

typedef struct corner { // x and y in samples times w
    double x, y, w;
} corner;

typedef struct lens {
    double row[3][4];
} lens;

static lens lens_of(const view *v, thud_pose X)
{
    const thud_mat3 R = m3_of_quat(X.q);
    const vec3 d = v3_sub(X.p, v->eye);
    const vec3 along = v->forward, right = v3_axpy(0.5 * v->wide, along, v3_scale(v->scale, v->right)),
               down = v3_axpy(0.5 * v->high, along, v3_scale(-v->scale, v->up));
    const vec3 of[3] = {right, down, along};
    lens l;
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            l.row[i][k] = of[i].x * R.m[0][k] + of[i].y * R.m[1][k] + of[i].z * R.m[2][k];
        }
        l.row[i][3] = v3_dot(of[i], d);
    }
    return l;
}

static corner seen(const lens *l, vec3 p)
{
    const double x = l->row[0][0] * p.x + l->row[0][1] * p.y + l->row[0][2] * p.z + l->row[0][3],
                 y = l->row[1][0] * p.x + l->row[1][1] * p.y + l->row[1][2] * p.z + l->row[1][3],
                 w = l->row[2][0] * p.x + l->row[2][1] * p.y + l->row[2][2] * p.z + l->row[2][3];
    return (corner){x, y, w};
}

static double least(double a, double b, double c)
{
    const double ab = a < b ? a : b;
    return ab < c ? ab : c;
}

static double most(double a, double b, double c)
{
    const double ab = a > b ? a : b;
    return ab > c ? ab : c;
}

// The first whole number n with n + 0.5 >= x, within 0 and end.
static int first_sample(double x, int end)
{
    const double n = ceil(x - 0.5);
    return !(n > 0) ? 0 : n > end ? end : (int)n;
}

// All corners before the eye.
static void fill(quick_raster *r, const corner *a, const corner *b, const corner *c, int number)
{
    const double ia = 1 / a->w, ib = 1 / b->w, ic = 1 / c->w;
    const double ax = a->x * ia, ay = a->y * ia, bx = b->x * ib, by = b->y * ib, cx = c->x * ic,
                 cy = c->y * ic;
    const int x0 = first_sample(least(ax, bx, cx), r->wide), x1 = first_sample(most(ax, bx, cx), r->wide),
              y0 = first_sample(least(ay, by, cy), r->high), y1 = first_sample(most(ay, by, cy), r->high);
    const double area = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay);
    if (x0 >= x1 || y0 >= y1 || !(fabs(area) > 0)) {
        return;
    }
    // Shares of the corners b and c, and 1/w, at a sample, each linear in x and y.
    const double share_bx = (cy - ay) / area, share_by = -(cx - ax) / area, share_cx = -(by - ay) / area,
                 share_cy = (bx - ax) / area;
    const double near_x = share_bx * (ib - ia) + share_cx * (ic - ia),
                 near_y = share_by * (ib - ia) + share_cy * (ic - ia);
    for (int y = y0; y < y1; y++) {
        const double dy = y + 0.5 - ay, dx = x0 + 0.5 - ax;
        double sb = share_bx * dx + share_by * dy, sc = share_cx * dx + share_cy * dy,
               near = ia + near_x * dx + near_y * dy;
        const size_t row = (size_t)y * (size_t)r->wide;
        for (int x = x0; x < x1; x++, sb += share_bx, sc += share_cx, near += near_x) {
            if (sb >= 0 && sc >= 0 && sb + sc <= 1 && (float)near > r->near[row + (size_t)x]) {
                r->near[row + (size_t)x] = (float)near;
                r->facet[row + (size_t)x] = number;
            }
        }
    }
}

static corner cut(const corner *a, const corner *b) // where the edge passes the nearest distance
{
    const double s = (nearest - a->w) / (b->w - a->w);
    return (corner){a->x + s * (b->x - a->x), a->y + s * (b->y - a->y), nearest};
}

static void fill_cut(quick_raster *r, const corner c[3], int number)
{
    corner kept[4];
    int count = 0;
    for (int i = 0; i < 3; i++) {
        const corner *a = &c[i], *b = &c[(i + 1) % 3];
        if (a->w >= nearest) {
            kept[count++] = *a;
        }
        if ((a->w >= nearest) != (b->w >= nearest)) {
            kept[count++] = cut(a, b);
        }
    }
    for (int i = 2; i < count; i++) {
        fill(r, &kept[0], &kept[i - 1], &kept[i], number);
    }
}

void quick_draw(quick_raster *r, const view *v, const quick_part *part)
{
    const lens l = lens_of(v, part->X);
    const vec3 eye = pose_unpoint(part->X, v->eye);
    for (int i = 0; i < part->count; i++) {
        const facet *f = &part->at[i];
        if (part->flat && v3_dot(part->flat[i], v3_sub(eye, f->p[0])) <= 0) {
            continue; // seen from inside
        }
        const corner c[3] = {seen(&l, f->p[0]), seen(&l, f->p[1]), seen(&l, f->p[2])};
        if (c[0].w >= nearest && c[1].w >= nearest && c[2].w >= nearest) {
            fill(r, &c[0], &c[1], &c[2], part->first + i);
        } else if (c[0].w >= nearest || c[1].w >= nearest || c[2].w >= nearest) {
            fill_cut(r, c, part->first + i);
        }
    }
}
