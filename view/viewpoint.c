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

typedef struct sights { // boxes around what is to be seen
    int count, capacity;
    thud_aabb *box;
    double *value; // scratch, capacity
} sights;

static bool is_seen(const solid *g)
{
    return g->kind != THUD_SHAPE_PLANE && g->rgba[3] > 0;
}

static void add_moment(sights *e, const solids *s, const replay *run, double time, thud_pose *X_wb)
{
    replay_poses_at(run, time, X_wb);
    for (int i = 0; i < s->geoms; i++) {
        const solid *g = &s->geom[i];
        if (is_seen(g) && !g->fixed) {
            const thud_aabb box = solids_bounds(s, i, pose_mul(X_wb[g->body], g->pose));
            e->box[e->count] = box;
            e->count += isfinite(box.lo.x);
        }
    }
}

// The end k (0 to 2: lower, 3 to 5: upper) of a box.
static double end_of(const thud_aabb *b, int k)
{
    return k < 3 ? v3_get(b->lo, k) : v3_get(b->hi, k - 3);
}

// The bounds of all but the outermost half per cent of the boxes, on each side.
static thud_aabb bounds_of(sights *e)
{
    double end[6];
    for (int k = 0; k < 6; k++) {
        for (int i = 0; i < e->count; i++) {
            e->value[i] = end_of(&e->box[i], k);
        }
        qsort(e->value, (size_t)e->count, sizeof *e->value, ascending);
        end[k] = e->value[(int)lround((k < 3 ? 0.005 : 0.995) * (e->count - 1))];
    }
    return (thud_aabb){v3(end[0], end[1], end[2]), v3(end[3], end[4], end[5])};
}

static double diagonal(const thud_aabb *b)
{
    return v3_norm(v3_sub(b->hi, b->lo));
}

static void clip_boxes(sights *e, const thud_aabb *to)
{
    for (int i = 0; i < e->count; i++) {
        thud_aabb *b = &e->box[i];
        *b = (thud_aabb){v3_max(v3_min(b->lo, to->hi), to->lo), v3_max(v3_min(b->hi, to->hi), to->lo)};
    }
}

// What stands fixed is looked at too, unless it is far away or much larger than what moves.
static void add_fixed(sights *e, const solids *s, thud_aabb *bounds)
{
    const double most = e->count > 0 ? 1.6 * diagonal(bounds) : INFINITY;
    for (int i = 0; i < s->geoms; i++) {
        if (is_seen(&s->geom[i]) && s->geom[i].fixed) {
            const thud_aabb box = solids_bounds(s, i, s->geom[i].pose);
            const thud_aabb both = {v3_min(bounds->lo, box.lo), v3_max(bounds->hi, box.hi)};
            if (diagonal(&both) < most && isfinite(box.lo.x)) {
                *bounds = both;
                e->box[e->count++] = box;
            }
        }
    }
}

static void gather(sights *e, const solids *s, const replay *run, const int frame[3], double from,
                   thud_pose *X_wb, thud_aabb *bounds)
{
    const vec3 none = v3(INFINITY, INFINITY, INFINITY);
    add_moment(e, s, run, from, X_wb);
    for (int f = frame[0] + frame[2]; f <= frame[1]; f += frame[2]) { // first, last, stride
        add_moment(e, s, run, (double)run->time.at[f], X_wb);
    }
    *bounds = e->count > 0 ? bounds_of(e) : (thud_aabb){none, v3_neg(none)};
    clip_boxes(e, bounds);
    add_fixed(e, s, bounds);
    if (!isfinite(diagonal(bounds)) || !(diagonal(bounds) > 1e-9)) {
        *bounds = (thud_aabb){v3(-0.5, -0.5, 0), v3(0.5, 0.5, 1)};
        e->count = 1;
        e->box[0] = *bounds;
    }
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

// The least distance from `target` at which every corner is inside the picture.
static double fit(const view *v, const sights *e, vec3 target, double slope_x, double slope_y)
{
    double far = 0;
    for (int i = 0; i < 8 * e->count; i++) {
        const vec3 d = v3_sub(corner_of(&e->box[i / 8], i % 8), target);
        const double x = fabs(v3_dot(v->right, d)), y = fabs(v3_dot(v->up, d)), ahead = v3_dot(v->forward, d);
        far = fmax(far, fmax(x / slope_x, y / slope_y) - ahead);
    }
    return far;
}

// Moves the target to the middle of what is seen from this far.
static vec3 centred(const view *v, const sights *e, vec3 target, double far)
{
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int i = 0; i < 8 * e->count; i++) {
        const vec3 d = v3_sub(corner_of(&e->box[i / 8], i % 8), target);
        const double ahead = far + v3_dot(v->forward, d);
        const double at[2] = {v3_dot(v->right, d) / ahead, v3_dot(v->up, d) / ahead};
        for (int k = 0; k < 2; k++) {
            low[k] = fmin(low[k], at[k]);
            high[k] = fmax(high[k], at[k]);
        }
    }
    const vec3 across = v3_axpy(0.5 * far * (low[0] + high[0]), v->right, target);
    return v3_axpy(0.5 * far * (low[1] + high[1]), v->up, across);
}

static view choose(const look *l, const sights *e, const thud_aabb *bounds)
{
    const vec3 back = toward_viewer(l, bounds), world_up = fabs(back.z) > 0.999 ? v3(0, 1, 0) : v3(0, 0, 1);
    view v = {.forward = v3_neg(back), .wide = SAMPLES * l->wide, .high = SAMPLES * l->high};
    v.right = v3_normalize(v3_cross(v.forward, world_up));
    v.up = v3_cross(v.right, v.forward);
    v.scale = 0.5 * v.high / tan(half_angle);
    const double slope_y = filled * tan(half_angle), slope_x = slope_y * l->wide / l->high;
    vec3 target = v3_scale(0.5, v3_add(bounds->lo, bounds->hi));
    double far = fit(&v, e, target, slope_x, slope_y);
    for (int round = 0; round < 4; round++) {
        target = centred(&v, e, target, far);
        far = fit(&v, e, target, slope_x, slope_y);
    }
    v.eye = v3_axpy(far / (l->zoom > 0 ? l->zoom : 1), back, target);
    return v;
}

bool viewpoint_find(const solids *s, const replay *run, double from, double to, const look *l,
                    thud_pose *X_wb, thud_aabb *bounds, view *out)
{
    const int first = replay_frame_at(run, from), last = replay_frame_at(run, to);
    const int stride = 1 + (int)((int64_t)(last - first) * s->geoms / BOXES_MAX);
    sights e = {.capacity = ((last - first) / stride + 3) * (s->geoms + 1)};
    e.box = thud_alloc((size_t)e.capacity, sizeof *e.box);
    e.value = thud_alloc((size_t)e.capacity, sizeof *e.value);
    const bool whole = e.box && e.value;
    if (whole) {
        gather(&e, s, run, (int[]){first, last, stride}, from, X_wb, bounds);
        *out = choose(l, &e, bounds);
    }
    thud_free(e.box);
    thud_free(e.value);
    return whole;
}
