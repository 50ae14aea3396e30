// SPDX-License-Identifier: Apache-2.0
// viewpoint.c: bounds of a run, and a camera from them.
#include <math.h>
#include <stdlib.h>

#include <thud/spatial_inline.h>

#include "viewpoint.h"

enum { BOXES_MAX = 40000 };

static const double half_angle = 0.314; // rad, of the picture's height: 36 degrees in all
static const double filled = 0.84;      // of the picture, by the bounds

// ---------------------------------------------------------------------------------------- bounds

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// The value of `count` that `share` of them are below.
static double quantile(double *value, int count, double share)
{
    qsort(value, (size_t)count, sizeof *value, ascending);
    return value[(int)lround(share * (count - 1))];
}

static bool is_seen(const solid *g)
{
    return g->kind != THUD_SHAPE_PLANE && g->rgba[3] > 0;
}

// The boxes of all that moves at some frames: lower and upper ends, axis by axis, `count` of each.
typedef struct ends {
    int count, capacity;
    double *at; // 6 x capacity
} ends;

static void add_box(ends *e, const thud_aabb *box)
{
    const double value[6] = {box->lo.x, box->lo.y, box->lo.z, box->hi.x, box->hi.y, box->hi.z};
    for (int k = 0; k < 6; k++) {
        e->at[(size_t)k * (size_t)e->capacity + (size_t)e->count] = value[k];
    }
    e->count++;
}

static void add_moment(ends *e, const solids *s, const replay *run, double time, thud_pose *X_wb)
{
    replay_poses_at(run, time, X_wb);
    for (int i = 0; i < s->geoms; i++) {
        const solid *g = &s->geom[i];
        if (is_seen(g) && !g->fixed) {
            const thud_aabb box = solids_bounds(s, i, pose_mul(X_wb[g->body], g->pose));
            if (isfinite(box.lo.x)) {
                add_box(e, &box);
            }
        }
    }
}

static thud_aabb middle_of(ends *e)
{
    double value[6];
    for (int k = 0; k < 6; k++) {
        value[k] = quantile(e->at + (size_t)k * (size_t)e->capacity, e->count, k < 3 ? 0.005 : 0.995);
    }
    return (thud_aabb){v3(value[0], value[1], value[2]), v3(value[3], value[4], value[5])};
}

static double diagonal(const thud_aabb *b)
{
    return v3_norm(v3_sub(b->hi, b->lo));
}

// What stands fixed is looked at too, unless it is far away or much larger than what moves.
static void add_fixed(const solids *s, thud_aabb *b, bool any)
{
    const double most = any ? 1.6 * diagonal(b) : INFINITY;
    for (int i = 0; i < s->geoms; i++) {
        if (is_seen(&s->geom[i]) && s->geom[i].fixed) {
            const thud_aabb box = solids_bounds(s, i, s->geom[i].pose);
            const thud_aabb both = {v3_min(b->lo, box.lo), v3_max(b->hi, box.hi)};
            *b = diagonal(&both) < most ? both : *b;
        }
    }
}

bool viewpoint_bounds(const solids *s, const replay *run, double from, double to, thud_pose *X_wb,
                      thud_aabb *out)
{
    const int first = replay_frame_at(run, from), last = replay_frame_at(run, to);
    const int stride = 1 + (int)((int64_t)(last - first) * s->geoms / BOXES_MAX);
    ends e = {.capacity = ((last - first) / stride + 2) * (s->geoms + 1)};
    e.at = thud_alloc(6 * (size_t)e.capacity, sizeof *e.at);
    if (!e.at) {
        return false;
    }
    add_moment(&e, s, run, from, X_wb);
    for (int f = first + stride; f <= last; f += stride) {
        add_moment(&e, s, run, (double)run->time.at[f], X_wb);
    }
    const vec3 none = v3(INFINITY, INFINITY, INFINITY);
    *out = e.count > 0 ? middle_of(&e) : (thud_aabb){none, v3_neg(none)};
    add_fixed(s, out, e.count > 0);
    if (!isfinite(diagonal(out)) || !(diagonal(out) > 1e-9)) {
        *out = (thud_aabb){v3(-0.5, -0.5, 0), v3(0.5, 0.5, 1)};
    }
    thud_free(e.at);
    return true;
}

// ---------------------------------------------------------------------------------------- the camera

// From the side that shows the widest spread, a little from above, unless told otherwise.
static vec3 toward_viewer(const look *l, const thud_aabb *b)
{
    if (l->turned) {
        return v3(cos(l->elevation) * cos(l->azimuth), cos(l->elevation) * sin(l->azimuth),
                  sin(l->elevation));
    }
    const bool along_x = b->hi.x - b->lo.x >= b->hi.y - b->lo.y;
    return v3_normalize(along_x ? v3(0.5, -1, 0.42) : v3(1, -0.5, 0.42));
}

static vec3 corner_of(const thud_aabb *b, int i)
{
    return v3(i & 1 ? b->hi.x : b->lo.x, i & 2 ? b->hi.y : b->lo.y, i & 4 ? b->hi.z : b->lo.z);
}

// The least distance from `target` at which every corner is inside the picture; and where they are in it.
static double fit(const view *v, const thud_aabb *b, vec3 target, double slope_x, double slope_y)
{
    double far = 0;
    for (int i = 0; i < 8; i++) {
        const vec3 d = v3_sub(corner_of(b, i), target);
        const double x = fabs(v3_dot(v->right, d)), y = fabs(v3_dot(v->up, d)), ahead = v3_dot(v->forward, d);
        far = fmax(far, fmax(x / slope_x, y / slope_y) - ahead);
    }
    return far;
}

// Moves the target to the middle of what is seen from this far.
static vec3 centred(const view *v, const thud_aabb *b, vec3 target, double far)
{
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int i = 0; i < 8; i++) {
        const vec3 d = v3_sub(corner_of(b, i), target);
        const double ahead = far + v3_dot(v->forward, d);
        const double at[2] = {v3_dot(v->right, d) / ahead, v3_dot(v->up, d) / ahead};
        for (int k = 0; k < 2; k++) {
            low[k] = fmin(low[k], at[k]);
            high[k] = fmax(high[k], at[k]);
        }
    }
    return v3_axpy(0.5 * far * (low[0] + high[0]), v->right,
                   v3_axpy(0.5 * far * (low[1] + high[1]), v->up, target));
}

view viewpoint_choose(const look *l, const thud_aabb *b)
{
    const vec3 back = toward_viewer(l, b), world_up = fabs(back.z) > 0.999 ? v3(0, 1, 0) : v3(0, 0, 1);
    view v = {.forward = v3_neg(back), .wide = SAMPLES * l->wide, .high = SAMPLES * l->high};
    v.right = v3_normalize(v3_cross(v.forward, world_up));
    v.up = v3_cross(v.right, v.forward);
    v.scale = 0.5 * v.high / tan(half_angle);
    const double slope_y = filled * tan(half_angle), slope_x = slope_y * l->wide / l->high;
    vec3 target = v3_scale(0.5, v3_add(b->lo, b->hi));
    double far = fit(&v, b, target, slope_x, slope_y);
    for (int round = 0; round < 4; round++) {
        target = centred(&v, b, target, far);
        far = fit(&v, b, target, slope_x, slope_y);
    }
    v.eye = v3_axpy(far / (l->zoom > 0 ? l->zoom : 1), back, target);
    return v;
}
