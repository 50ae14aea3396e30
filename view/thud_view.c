// SPDX-License-Identifier: Apache-2.0
// thud_view.c: a state as a picture, quickly: triangles made once, one light from a sun and one from the sky, no shadows.
//
//     colour = rgb (0.62 max(n.s, 0) + 0.46 (0.6 + 0.4 n.z)),  in linear light; s towards a sun to the left behind the eye
//
// Samples are 2 x 2 a pixel for colours, and one, in its middle, for depth and geoms.
#include <math.h>
#include <string.h>

#include <thud/model_poses.h>
#include <thud/spatial_inline.h>
#include <thud/view.h>

#include "paint.h"
#include "quick.h"
#include "tessellate.h"
#include "viewpoint.h"

enum { SIDE = 2, LEVELS = 1024, PIXELS_MAX = 8192 };

typedef struct place {             // a geom's frame as rays meet it
    vec3 eye, corner, right, down; // the ray through (x, y): corner + x right + y down
    vec3 sun, up;
} place;

struct thud_view {
    const thud_model *m;
    thud_model *posed; // with the mocap bodies where a state has them; NULL: there are none
    int wide, high;
    solids solids;
    facets local; // all geoms', in their bodies' frames
    vec3 *
        flat; // the normal of each one's plane, as long as twice its area, to the side of its corners' normals
    int *first;  // of each geom, and the end of the last
    bool *solid; // of each geom: only its outside is seen
    double (*rgb)[3];
    thud_pose *X_wb, *X_ref;  // in a state, in the reference pose
    struct place *places;     // scratch, of each geom
    quick_raster fine, plain; // 2 x 2 samples a pixel; one
    unsigned char byte[LEVELS + 1];
    double size; // m, of what moves and what it touches
};

// ---------------------------------------------------------------------------------------- making one

// How far what there is reaches, in the reference pose.
static double size_of(const thud_view *v)
{
    const vec3 none = v3(INFINITY, INFINITY, INFINITY);
    thud_aabb all = {none, v3_neg(none)};
    for (int g = 0; g < v->solids.geoms; g++) {
        const solid *s = &v->solids.geom[g];
        const thud_aabb box =
            solids_bounds(&v->solids, g, s->fixed ? s->pose : pose_mul(v->X_wb[s->body], s->pose));
        if (!s->fixed && isfinite(box.lo.x)) {
            all = (thud_aabb){v3_min(all.lo, box.lo), v3_max(all.hi, box.hi)};
        }
    }
    const double size = v3_norm(v3_sub(all.hi, all.lo));
    return isfinite(size) && size > 1e-9 ? size : 1;
}

static int pieces_for(const thud_view *v, const solid *s)
{
    const double radius = s->kind == THUD_SHAPE_ELLIPSOID ? s->radius : s->size[0];
    const int pieces = 4 * (int)ceil(0.7 * sqrt(2 * radius / v->size * v->high));
    return pieces < 12 ? 12 : pieces > 64 ? 64 : pieces;
}

static void add_plane(thud_view *v, int g)
{
    const solid *s = &v->solids.geom[g];
    const bool finite = s->size[0] > 0 && s->size[1] > 0;
    const double far = 100 * v->size;
    tessellate_rectangle(&v->local, s->pose, finite ? fmin(s->size[0], far) : far,
                         finite ? fmin(s->size[1], far) : far, g);
}

static void make_triangles(thud_view *v)
{
    for (int g = 0; g < v->solids.geoms; g++) {
        const solid *s = &v->solids.geom[g];
        double rgb[3];
        v->first[g] = v->local.count;
        if (s->kind == THUD_SHAPE_PLANE && s->rgba[3] > 0) {
            add_plane(v, g);
        } else if (solids_shown(&v->solids, g)) {
            tessellate_solid(&v->local, &v->solids, g, g, pieces_for(v, s));
        }
        solids_colour(&v->solids, g, rgb);
        for (int k = 0; k < 3; k++) {
            v->rgb[g][k] = paint_linear(rgb[k]);
        }
    }
    v->first[v->solids.geoms] = v->local.count;
}

// The normals of planes; and whether a geom's triangles enclose it: then those that are turned away are hidden.
static void find_sides(thud_view *v)
{
    for (int g = 0; g < v->solids.geoms; g++) {
        double volume = 0, size = 0;
        for (int i = v->first[g]; i < v->first[g + 1]; i++) {
            const facet *f = &v->local.at[i];
            const vec3 a = v3_sub(f->p[1], f->p[0]), b = v3_sub(f->p[2], f->p[0]), n = v3_cross(a, b),
                       smooth = v3_add(f->n[0], v3_add(f->n[1], f->n[2]));
            v->flat[i] = v3_dot(n, smooth) < 0 ? v3_neg(n) : n;
            const double part = v3_dot(v->flat[i], v3_sub(f->p[0], v->local.at[v->first[g]].p[0]));
            volume += part;
            size += fabs(part);
        }
        const thud_shape_kind kind = v->solids.geom[g].kind;
        v->solid[g] = kind != THUD_SHAPE_PLANE && kind != THUD_SHAPE_HFIELD && volume > 0.1 * size;
    }
}

thud_status thud_view_create(const thud_model *m, int wide, int high, thud_view **out)
{
    *out = NULL;
    if (wide < 1 || high < 1 || wide > PIXELS_MAX || high > PIXELS_MAX || !thud_model_spec(m)) {
        return THUD_BAD_ARGUMENT;
    }
    thud_view *v = thud_alloc(1, sizeof *v);
    if (!v) {
        return THUD_NO_MEMORY;
    }
    *v = (thud_view){.m = m, .wide = wide, .high = high};
    v->first = thud_alloc((size_t)m->geoms + 1, sizeof *v->first);
    v->rgb = thud_alloc((size_t)m->geoms + 1, sizeof *v->rgb);
    v->places = thud_alloc((size_t)m->geoms + 1, sizeof *v->places);
    v->X_wb = thud_alloc(2 * (size_t)m->bodies, sizeof *v->X_wb);
    if (!v->first || !v->rgb || !v->places || !v->X_wb ||
        (m->mocaps > 0 && thud_mocap_view_create(m, &v->posed) != THUD_OK) || !solids_create(&v->solids, m)) {
        thud_view_destroy(v);
        return THUD_NO_MEMORY;
    }
    v->X_ref = v->X_wb + m->bodies;
    thud_body_poses(m, m->qpos0, v->X_wb);
    thud_body_poses(m, m->qpos0, v->X_ref);
    v->size = size_of(v);
    make_triangles(v);
    v->flat = thud_alloc((size_t)v->local.count, sizeof *v->flat);
    v->solid = thud_alloc((size_t)m->geoms + 1, sizeof *v->solid);
    if (v->local.failed || !v->flat || !v->solid) {
        thud_view_destroy(v);
        return THUD_NO_MEMORY;
    }
    find_sides(v);
    for (int k = 0; k <= LEVELS; k++) {
        v->byte[k] = paint_byte((double)k / LEVELS);
    }
    *out = v;
    return THUD_OK;
}

void thud_view_destroy(thud_view *v)
{
    if (v) {
        solids_destroy(&v->solids);
        facets_free(&v->local);
        quick_destroy(&v->fine);
        quick_destroy(&v->plain);
        thud_mocap_view_destroy(v->posed);
        thud_free(v->first);
        thud_free(v->flat);
        thud_free(v->solid);
        thud_free(v->places);
        thud_free(v->rgb);
        thud_free(v->X_wb);
        thud_free(v);
    }
}

// ---------------------------------------------------------------------------------------- cameras

thud_camera thud_view_camera(thud_view *v, const thud_state *s, const thud_aim *aim)
{
    const thud_aim plain = {0}, *a = aim ? aim : &plain;
    const look l = {v->wide, v->high, a->turned, a->azimuth, a->elevation, a->zoom > 0 ? a->zoom : 1,
                    false,   false};
    const thud_certificate none = {0};
    thud_camera camera = {.eye = {1, -2, 1}};
    thud_aabb bounds;
    view found;
    replay now;
    if (!replay_create(&now, v->m, 1, false)) {
        return camera;
    }
    const replay_moment moment = {.state = s, .certificate = &none};
    if (replay_add(&now, &moment, true) &&
        viewpoint_find(&v->solids, &now, s->time, s->time, &l, v->X_wb, &bounds, &found)) {
        camera.eye = found.eye;
        camera.target = v3_add(found.eye, found.forward);
        camera.up = found.up;
        camera.angle = 2 * atan(0.5 * found.high / found.scale);
    }
    replay_destroy(&now);
    return camera;
}

thud_camera thud_camera_at(thud_pose X, double angle)
{
    return (thud_camera){X.p, pose_point(X, v3(0, 0, -1)), q_rotate(X.q, v3(0, 1, 0)), angle};
}

// False where it looks nowhere.
static bool set_view(const thud_camera *c, int wide, int high, view *out)
{
    const vec3 along = v3_sub(c->target, c->eye), up = v3_norm2(c->up) > 0 ? c->up : v3(0, 0, 1);
    const vec3 forward = v3_normalize(along);
    vec3 right = v3_cross(forward, up);
    right = v3_norm2(right) > 1e-12 * v3_norm2(up) ? right : v3_cross(forward, v3(0, 1, 0));
    right = v3_norm2(right) > 1e-12 ? v3_normalize(right) : v3(1, 0, 0);
    const double angle = c->angle > 0 ? c->angle : 0.7;
    *out = (view){.eye = c->eye,
                  .right = right,
                  .up = v3_cross(right, forward),
                  .forward = forward,
                  .scale = 0.5 * high / tan(0.5 * angle),
                  .wide = wide,
                  .high = high};
    return isfinite(v3_norm2(c->eye)) && v3_norm2(along) > 0 && isfinite(v3_norm2(along)) &&
           isfinite(v3_norm2(up)) && angle < 3.1;
}

// ---------------------------------------------------------------------------------------- drawing

// Where the triangles of a geom are: those of what is fixed are in the world as it is in the reference pose, and move with mocap bodies.
static thud_pose pose_of(const thud_view *v, const solid *s)
{
    if (!s->fixed) {
        return v->X_wb[s->body];
    }
    return v->m->body_mocap[v->m->body_weld[s->body]] < 0
               ? pose_identity()
               : pose_mul(v->X_wb[s->body], pose_inv(v->X_ref[s->body]));
}

static void draw_all(const thud_view *v, const view *seen, quick_raster *to)
{
    quick_clear(to);
    for (int g = 0; g < v->solids.geoms; g++) {
        const solid *s = &v->solids.geom[g];
        const int first = v->first[g];
        const quick_part part = {v->local.at + first, v->solid[g] ? v->flat + first : NULL,
                                 v->first[g + 1] - first, first, pose_of(v, s)};
        quick_draw(to, seen, &part);
    }
}

typedef struct lighting {
    const thud_view *v;
    const view *seen;
    vec3 sun, corner, right, down; // the world's
    double cell;                   // m, of a ground's squares
} lighting;

static void find_places(const lighting *l)
{
    for (int g = 0; g < l->v->solids.geoms; g++) {
        const thud_pose X = pose_of(l->v, &l->v->solids.geom[g]);
        l->v->places[g] =
            (place){pose_unpoint(X, l->seen->eye), q_unrotate(X.q, l->corner), q_unrotate(X.q, l->right),
                    q_unrotate(X.q, l->down),      q_unrotate(X.q, l->sun),    q_unrotate(X.q, v3(0, 0, 1))};
    }
}

static double round_length(double size)
{
    const double power = pow(10, floor(log10(size / 10))), left = size / 10 / power;
    return power * (left < 2 ? 1 : left < 5 ? 2 : 5);
}

// Squares of two greys, less and less apart with the distance.
static double squares(const lighting *l, const solid *s, vec3 local, double far)
{
    const vec3 p = pose_unpoint(s->pose, local);
    const int64_t odd = ((int64_t)floor(p.x / l->cell) + (int64_t)floor(p.y / l->cell)) & 1;
    const double near = far / (8 * l->v->size);
    return 1 + (odd ? -0.12 : 0.12) / (1 + near * near);
}

static vec3 ray_at(vec3 corner, vec3 right, vec3 down, double x, double y)
{
    return v3_axpy(x, right, v3_axpy(y, down, corner));
}

// The light of a facet where the ray through (x, y), in samples, meets its plane.
static void shade_at(const lighting *l, int number, double x, double y, double rgb[3])
{
    const thud_view *v = l->v;
    const facet *f = &v->local.at[number];
    const place *at = &v->places[f->surface];
    const solid *s = &v->solids.geom[f->surface];
    const vec3 ray = ray_at(at->corner, at->right, at->down, x, y), flat = v->flat[number];
    const double along = v3_dot(flat, ray),
                 t = along != 0 ? v3_dot(flat, v3_sub(f->p[0], at->eye)) / along : 0;
    const vec3 point = v3_axpy(t, ray, at->eye);
    vec3 n = flat;
    if (s->kind != THUD_SHAPE_PLANE) {
        const vec3 a = v3_sub(f->p[1], f->p[0]), b = v3_sub(f->p[2], f->p[0]), d = v3_sub(point, f->p[0]),
                   w = v3_cross(a, b);
        const double area = v3_norm2(flat);
        const double s1 = fmin(fmax(v3_dot(v3_cross(d, b), w) / area, 0), 1),
                     s2 = fmin(fmax(v3_dot(v3_cross(a, d), w) / area, 0), 1 - s1);
        n = v3_axpy(1 - s1 - s2, f->n[0], v3_axpy(s1, f->n[1], v3_scale(s2, f->n[2])));
    }
    const double length = v3_norm(n), side = (v3_dot(n, ray) > 0 ? -1 : 1) / (length > 0 ? length : 1);
    double light = 0.62 * fmax(side * v3_dot(n, at->sun), 0) + 0.46 * (0.6 + 0.4 * side * v3_dot(n, at->up));
    if (s->kind == THUD_SHAPE_PLANE) {
        light *= squares(l, s, point, t * v3_norm(ray));
    }
    for (int k = 0; k < 3; k++) {
        rgb[k] += light * v->rgb[f->surface][k];
    }
}

static void sky_at(const lighting *l, double x, double y, double rgb[3])
{
    static const double horizon[3] = {0.800, 0.842, 0.888}, zenith[3] = {0.550, 0.660, 0.790};
    const vec3 ray = ray_at(l->corner, l->right, l->down, x, y);
    const double up = fmax(ray.z / v3_norm(ray), 0);
    for (int k = 0; k < 3; k++) {
        rgb[k] += horizon[k] + up * (zenith[k] - horizon[k]);
    }
}

static void light_at(const lighting *l, int facet_number, double x, double y, double rgb[3])
{
    if (facet_number < 0) {
        sky_at(l, x, y, rgb);
    } else {
        shade_at(l, facet_number, x, y, rgb);
    }
}

static void put_colour(const thud_view *v, const double rgb[3], unsigned char *to)
{
    for (int k = 0; k < 3; k++) {
        to[k] = v->byte[(int)(LEVELS * fmin(fmax(rgb[k], 0), 1) + 0.5)];
    }
}

// The samples of a pixel; those that see one facet are lit together.
static void colour_pixel(const lighting *l, int px, int py, unsigned char *to)
{
    enum { MANY = SIDE * SIDE };
    const quick_raster *r = &l->v->fine;
    int seen[MANY];
    double sum[3] = {0};
    for (int i = 0; i < MANY; i++) {
        seen[i] = r->facet[(size_t)(SIDE * py + i / SIDE) * (size_t)r->wide + (size_t)(SIDE * px + i % SIDE)];
    }
    if (seen[0] == seen[1] && seen[0] == seen[2] && seen[0] == seen[3]) { // as most are
        light_at(l, seen[0], SIDE * (px + 0.5), SIDE * (py + 0.5), sum);
        put_colour(l->v, sum, to);
        return;
    }
    for (int i = 0; i < MANY; i++) {
        double x = 0, y = 0, rgb[3] = {0};
        int count = 0;
        for (int k = i; k < MANY && seen[i] != -2; k++) {
            if (seen[k] == seen[i]) {
                x += k % SIDE + 0.5;
                const int row = k / SIDE;
                y += row + 0.5;
                count++;
            }
        }
        if (count == 0) {
            continue;
        }
        x = SIDE * px + x / count;
        y = SIDE * py + y / count;
        light_at(l, seen[i], x, y, rgb);
        for (int k = 0; k < 3; k++) {
            sum[k] += rgb[k] * count / MANY;
        }
        for (int k = MANY - 1; k >= i; k--) {
            seen[k] = seen[k] == seen[i] ? -2 : seen[k];
        }
    }
    put_colour(l->v, sum, to);
}

static thud_status draw_colours(thud_view *v, const thud_camera *camera, unsigned char *rgb)
{
    view seen;
    if (!set_view(camera, SIDE * v->wide, SIDE * v->high, &seen)) {
        return THUD_BAD_ARGUMENT;
    }
    if (!v->fine.near && !quick_create(&v->fine, SIDE * v->wide, SIDE * v->high)) {
        return THUD_NO_MEMORY;
    }
    const double azimuth = atan2(-seen.forward.y, -seen.forward.x) - 0.95;
    const lighting l = {.v = v,
                        .seen = &seen,
                        .sun = v3_normalize(v3(cos(azimuth), sin(azimuth), 1.15)),
                        .corner =
                            v3_axpy(-0.5 * seen.wide, seen.right,
                                    v3_axpy(0.5 * seen.high, seen.up, v3_scale(seen.scale, seen.forward))),
                        .right = seen.right,
                        .down = v3_neg(seen.up),
                        .cell = round_length(v->size)};
    find_places(&l);
    draw_all(v, &seen, &v->fine);
    for (int y = 0; y < v->high; y++) {
        for (int x = 0; x < v->wide; x++) {
            colour_pixel(&l, x, y, rgb + 3 * ((size_t)y * (size_t)v->wide + (size_t)x));
        }
    }
    return THUD_OK;
}

static thud_status draw_plain(thud_view *v, const thud_camera *camera, const thud_picture *out)
{
    view seen;
    if (!set_view(camera, v->wide, v->high, &seen)) {
        return THUD_BAD_ARGUMENT;
    }
    if (!v->plain.near && !quick_create(&v->plain, v->wide, v->high)) {
        return THUD_NO_MEMORY;
    }
    draw_all(v, &seen, &v->plain);
    const size_t pixels = (size_t)v->wide * (size_t)v->high;
    for (size_t i = 0; i < pixels; i++) {
        const int f = v->plain.facet[i];
        if (out->depth) {
            out->depth[i] = f < 0 ? INFINITY : 1 / v->plain.near[i];
        }
        if (out->geom) {
            out->geom[i] = f < 0 ? -1 : v->local.at[f].surface;
        }
    }
    return THUD_OK;
}

static void place_bodies(thud_view *v, const thud_state *s)
{
    if (v->posed) {
        thud_mocap_view_set(v->posed, s->mocap);
    }
    thud_body_poses(v->posed ? v->posed : v->m, s->qpos, v->X_wb);
}

thud_status thud_view_draw(thud_view *v, const thud_state *s, const thud_camera *camera,
                           const thud_picture *out)
{
    place_bodies(v, s);
    THUD_TRY(out->rgb ? draw_colours(v, camera, out->rgb) : THUD_OK);
    return out->depth || out->geom ? draw_plain(v, camera, out) : THUD_OK;
}
