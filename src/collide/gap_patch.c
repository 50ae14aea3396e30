// SPDX-License-Identifier: Apache-2.0
// gap_patch.c: gap functions of contacts of the same two geoms with one normal, up to four at a time, one in each lane. [ST 2, 3.4]
//
// Each lane is computed as plane_after of gap.c does it with one contact: the numbers are the same to the last bit.
#include <thud/collide.h>
#include <thud/spatial_lanes.h>

#include "gap_sides.h"

THUD_INSIDE lanes shift_points(const thud_shift *s, lanes x)
{
    if (!s) {
        return x;
    }
    const lanes r = {x.x - s->from.x, x.y - s->from.y, x.z - s->from.z};
    lanes y;
    lanes_dot(r, v3(s->R.m[0][0], s->R.m[0][1], s->R.m[0][2]), &y.x);
    lanes_dot(r, v3(s->R.m[1][0], s->R.m[1][1], s->R.m[1][2]), &y.y);
    lanes_dot(r, v3(s->R.m[2][0], s->R.m[2][1], s->R.m[2][2]), &y.z);
    const lanes to = {y.x + s->to.x, y.y + s->to.y, y.z + s->to.z};
    return to;
}

typedef struct sides { // of a patch: a plane of one geom, balls of the other
    const thud_shift *plane, *ball;
    vec3 n; // of the plane, before it moved
    double radius;
} sides;

// Beyond the last contact the last one again.
THUD_KERNEL static void move_patch(const sides *s, const thud_contact *c, int count, vec3 normal,
                                   double point[3][THUD_LANES])
{
    const int last = count - 1;
    const thud_contact *const d = c + (last < 1 ? last : 1), *const e = c + (last < 2 ? last : 2),
                              *const f = c + last;
    const four half = 0.5 * (four){c->phi, d->phi, e->phi, f->phi}, out = half + s->radius;
    const lanes p = {{c->point.x, d->point.x, e->point.x, f->point.x},
                     {c->point.y, d->point.y, e->point.y, f->point.y},
                     {c->point.z, d->point.z, e->point.z, f->point.z}};
    const lanes x = shift_points(s->plane, lanes_axpy(-half, s->n, p)),
                centre = shift_points(s->ball, lanes_axpy(out, s->n, p));
    const lanes way = {centre.x - x.x, centre.y - x.y, centre.z - x.z};
    const four radius = {s->radius, s->radius, s->radius, s->radius};
    four height;
    lanes_dot(way, normal, &height);
    const lanes foot = lanes_axpy(-height, normal, centre), tip = lanes_axpy(-radius, normal, centre);
    const lanes middle = {0.5 * (foot.x + tip.x), 0.5 * (foot.y + tip.y), 0.5 * (foot.z + tip.z)};
    lanes_store(middle, point);
}

int thud_contact_patch_after(const thud_model *m, const thud_contact *c, int count, const thud_shift *moved1,
                             const thud_shift *moved2, thud_vec3 *normal, double point[3][THUD_LANES])
{
    const thud_shape *first = &m->geom_shape[c->geom1], *second = &m->geom_shape[c->geom2];
    const bool plane1 = is_plane(first, c->feature[0]);
    const double r = plane1 ? ball_radius(second, c->feature[1]) : ball_radius(first, c->feature[0]);
    int fit = 0;
    while (fit < count && is_plane(first, c[fit].feature[0]) == plane1 &&
           (plane1 ? !is_plane(second, c[fit].feature[1]) : is_plane(second, c[fit].feature[1]))) {
        fit++;
    }
    if (!(r >= 0) || fit == 0) {
        return 0;
    }
    const sides s = {plane1 ? moved1 : moved2, plane1 ? moved2 : moved1, v3_scale(plane1 ? 1 : -1, c->normal),
                     r};
    const vec3 n = s.plane ? m3_mulv(&s.plane->R, s.n) : s.n;
    move_patch(&s, c, fit, n, point);
    *normal = plane1 ? n : v3_neg(n);
    return fit;
}
