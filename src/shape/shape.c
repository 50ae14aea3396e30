// SPDX-License-Identifier: Apache-2.0
// shape.c: names, checks, bounds and radii of shapes.
#include <thud/elementary.h>
#include <thud/shape.h>
#include <thud/spatial_inline.h>

const char *thud_shape_name(thud_shape_kind kind)
{
    static const char *const name[THUD_SHAPE_KINDS] = {"plane",    "sphere", "capsule", "ellipsoid",
                                                       "cylinder", "box",    "mesh",    "hfield"};
    THUD_ASSERT(kind >= 0 && kind < THUD_SHAPE_KINDS);
    return name[kind];
}

thud_status thud_shape_check(const thud_shape *shape, thud_diag *diag)
{
    static const int sizes[THUD_SHAPE_KINDS] = {0, 1, 2, 3, 2, 3, 0, 0};
    if ((int)shape->kind < 0 || (int)shape->kind >= THUD_SHAPE_KINDS) {
        return thud_fail(THUD_BAD_ARGUMENT, diag, NULL, 0, 0, "there is no shape of kind %d",
                         (int)shape->kind);
    }
    for (int i = 0; i < sizes[shape->kind]; i++) {
        if (!(shape->size[i] >= 0 && shape->size[i] < HUGE_VAL)) {
            return thud_fail(THUD_BAD_ARGUMENT, diag, NULL, 0, 0,
                             "size %d of a %s is %g; it must be finite and not negative", i + 1,
                             thud_shape_name(shape->kind), shape->size[i]);
        }
    }
    if ((shape->kind == THUD_SHAPE_HULL && !shape->hull) ||
        (shape->kind == THUD_SHAPE_HFIELD && !shape->hfield)) {
        return thud_fail(THUD_BAD_ARGUMENT, diag, NULL, 0, 0, "a %s has no data",
                         thud_shape_name(shape->kind));
    }
    return THUD_OK;
}

// The half extent along one of the world's axes, seen from the shape's frame, of the kinds that are symmetric about their origin.
static inline double half_extent(const thud_shape *shape, const double axis[3])
{
    const double *s = shape->size, x = axis[0], y = axis[1], z = axis[2];
    switch (shape->kind) {
    case THUD_SHAPE_SPHERE:
        return s[0];
    case THUD_SHAPE_CAPSULE:
        return s[0] + s[1] * fabs(z);
    case THUD_SHAPE_CYLINDER:
        return s[0] * sqrt(x * x + y * y) + s[1] * fabs(z);
    case THUD_SHAPE_ELLIPSOID:
        return sqrt(s[0] * s[0] * x * x + s[1] * s[1] * y * y + s[2] * s[2] * z * z);
    default:
        return s[0] * fabs(x) + s[1] * fabs(y) + s[2] * fabs(z);
    }
}

static inline vec3 half_extents(const thud_shape *shape, const mat3 *R)
{
    return v3(half_extent(shape, R->m[0]), half_extent(shape, R->m[1]), half_extent(shape, R->m[2]));
}

static inline thud_aabb symmetric_bounds(const thud_shape *shape, const mat3 *R, vec3 p)
{
    const vec3 h = half_extents(shape, R);
    return (thud_aabb){v3_sub(p, h), v3_add(p, h)};
}

// A half-space is bounded only along an axis that its normal lies on exactly.
static thud_aabb plane_bounds(vec3 normal, vec3 p)
{
    thud_aabb box = {{-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, {HUGE_VAL, HUGE_VAL, HUGE_VAL}};
    if (normal.y == 0 && normal.z == 0) {
        *(normal.x > 0 ? &box.hi.x : &box.lo.x) = p.x;
    } else if (normal.x == 0 && normal.z == 0) {
        *(normal.y > 0 ? &box.hi.y : &box.lo.y) = p.y;
    } else if (normal.x == 0 && normal.y == 0) {
        *(normal.z > 0 ? &box.hi.z : &box.lo.z) = p.z;
    }
    return box;
}

static thud_aabb hull_bounds(const thud_hull *hull, const mat3 *R, vec3 p)
{
    double lo[3], hi[3];
    for (int i = 0; i < 3; i++) { // farthest vertices along the world's axes, seen from the hull's frame
        const vec3 axis = v3(R->m[i][0], R->m[i][1], R->m[i][2]);
        hi[i] = v3_dot(axis, hull->vertex[thud_hull_support(hull, axis, 0)]);
        lo[i] = v3_dot(axis, hull->vertex[thud_hull_support(hull, v3_neg(axis), 0)]);
    }
    const thud_aabb box = {v3_add(p, v3(lo[0], lo[1], lo[2])), v3_add(p, v3(hi[0], hi[1], hi[2]))};
    return box;
}

// The box in which a height field's prisms lie.
static thud_aabb hfield_bounds(const thud_hfield *field, const mat3 *R, vec3 p)
{
    const double top = field->highest, bottom = field->lowest < -field->base ? field->lowest : -field->base;
    const thud_shape box = {.kind = THUD_SHAPE_BOX,
                            .size = {field->radius_x, field->radius_y, 0.5 * (top - bottom)}};
    const vec3 centre = v3_axpy(0.5 * (top + bottom), m3_col(R, 2), p), h = half_extents(&box, R);
    const thud_aabb bounds = {v3_sub(centre, h), v3_add(centre, h)};
    return bounds;
}

thud_aabb thud_shape_bounds(const thud_shape *shape, pose X_ws)
{
    const mat3 R = m3_of_quat(X_ws.q);
    switch (shape->kind) {
    case THUD_SHAPE_PLANE:
        return plane_bounds(m3_col(&R, 2), X_ws.p);
    case THUD_SHAPE_HULL:
        return hull_bounds(shape->hull, &R, X_ws.p);
    case THUD_SHAPE_HFIELD:
        return hfield_bounds(shape->hfield, &R, X_ws.p);
    default:
        return symmetric_bounds(shape, &R, X_ws.p);
    }
}

// A sphere or a capsule: nothing of how it is turned is needed but its axis.
static thud_aabb round_bounds(const thud_shape *shape, pose X_ws)
{
    const double r = shape->size[0];
    const bool line = shape->kind == THUD_SHAPE_CAPSULE;
    const vec3 z = line ? v3_abs(q_zaxis(X_ws.q)) : v3(0, 0, 0);
    const vec3 h = v3_axpy(line ? shape->size[1] : 0, z, v3(r, r, r));
    return (thud_aabb){v3_sub(X_ws.p, h), v3_add(X_ws.p, h)};
}

thud_aabb thud_shape_around(const thud_shape *shape, pose X_ws)
{
    if (shape->kind == THUD_SHAPE_SPHERE || shape->kind == THUD_SHAPE_CAPSULE) {
        return round_bounds(shape, X_ws);
    }
    if (shape->kind == THUD_SHAPE_PLANE || shape->kind == THUD_SHAPE_HFIELD) {
        return thud_shape_bounds(shape, X_ws);
    }
    const mat3 R = m3_of_quat(X_ws.q);
    if (shape->kind != THUD_SHAPE_HULL) {
        return symmetric_bounds(shape, &R, X_ws.p);
    }
    const thud_hull *hull = shape->hull;
    const thud_shape box = {.kind = THUD_SHAPE_BOX, .size = {hull->half.x, hull->half.y, hull->half.z}};
    return symmetric_bounds(&box, &R, pose_point(X_ws, hull->middle));
}

double thud_shape_bottom(const thud_shape *shape, const pose *X_ws)
{
    switch (shape->kind) {
    case THUD_SHAPE_PLANE:
    case THUD_SHAPE_HULL:
    case THUD_SHAPE_HFIELD:
        return thud_shape_around(shape, *X_ws).lo.z;
    default: {
        const mat3 R = m3_of_quat(X_ws->q);
        return X_ws->p.z - half_extent(shape, R.m[2]);
    }
    }
}

double thud_shape_radius(const thud_shape *shape)
{
    const double *s = shape->size;
    switch (shape->kind) {
    case THUD_SHAPE_PLANE:
        return HUGE_VAL;
    case THUD_SHAPE_SPHERE:
        return s[0];
    case THUD_SHAPE_CAPSULE:
        return s[0] + s[1];
    case THUD_SHAPE_ELLIPSOID:
        return thud_max(s[0], thud_max(s[1], s[2]));
    case THUD_SHAPE_CYLINDER:
        return thud_hypot(s[0], s[1]);
    case THUD_SHAPE_BOX:
        return v3_norm(v3(s[0], s[1], s[2]));
    case THUD_SHAPE_HULL:
        return shape->hull->radius;
    default: {
        const thud_hfield *f = shape->hfield;
        return v3_norm(
            v3(f->radius_x, f->radius_y, thud_max(fabs(f->highest), thud_max(fabs(f->lowest), f->base))));
    }
    }
}
