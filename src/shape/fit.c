// SPDX-License-Identifier: Apache-2.0
// fit.c: the primitive that stands for a mesh, by MuJoCo's two recipes.
//
// Symbols  b half lengths of a box · I principal moments for density 1 · V volume (of a shell its area)
#include <thud/shape_mesh.h>
#include <thud/spatial_inline.h>

// A solid box has I_0 = V (b_1^2 + b_2^2) / 3, so b_0^2 = 3 (I_1 + I_2 - I_0) / (2 V).
static vec3 inertia_box(const thud_mesh_mass *mass)
{
    const double *I = mass->moment, f = 1.5 / mass->measure;
    return v3(sqrt(thud_max(0, f * (I[1] + I[2] - I[0]))), sqrt(thud_max(0, f * (I[0] + I[2] - I[1]))),
              sqrt(thud_max(0, f * (I[0] + I[1] - I[2]))));
}

thud_shape thud_mesh_fit_inertia(const thud_mesh_mass *mass, thud_shape_kind kind, pose *X)
{
    const vec3 b = inertia_box(mass);
    thud_shape shape = {.kind = kind, .size = {b.x, b.y, b.z}};
    *X = mass->X;
    switch (kind) {
    case THUD_SHAPE_SPHERE:
        shape.size[0] = (b.x + b.y + b.z) / 3;
        break;
    case THUD_SHAPE_CAPSULE:
        shape.size[0] = (b.x + b.y) / 2;
        shape.size[1] = thud_max(0, b.z - shape.size[0] / 2);
        break;
    case THUD_SHAPE_CYLINDER:
        shape.size[0] = (b.x + b.y) / 2;
        shape.size[1] = b.z;
        break;
    default:
        THUD_ASSERT(kind == THUD_SHAPE_BOX || kind == THUD_SHAPE_ELLIPSOID);
        break;
    }
    return shape;
}

// The vertices as the frame X sees them, one by one.
static vec3 seen(const thud_mesh *mesh, pose X, int v)
{
    return pose_unpoint(X, mesh->vertex[v]);
}

thud_shape thud_mesh_fit_bounds(const thud_mesh *mesh, const thud_mesh_mass *mass, thud_shape_kind kind,
                                pose *X)
{
    *X = mass->X;
    vec3 lo = seen(mesh, *X, 0), hi = lo;
    for (int v = 1; v < mesh->vertices; v++) {
        lo = v3_min(lo, seen(mesh, *X, v));
        hi = v3_max(hi, seen(mesh, *X, v));
    }
    X->p = pose_point(*X, v3_scale(0.5, v3_add(lo, hi)));
    const vec3 half = v3_scale(0.5, v3_sub(hi, lo));
    thud_shape shape = {.kind = kind, .size = {half.x, half.y, half.z}};
    if (kind == THUD_SHAPE_BOX || kind == THUD_SHAPE_ELLIPSOID) {
        return shape;
    }
    double ball = 0, radius = 0, length = 0; // farthest from the centre, from the axis, along the axis
    for (int v = 0; v < mesh->vertices; v++) {
        const vec3 x = seen(mesh, *X, v);
        ball = thud_max(ball, v3_norm(x));
        radius = thud_max(radius, sqrt(x.x * x.x + x.y * x.y));
        length = thud_max(length, fabs(x.z));
    }
    if (kind ==
        THUD_SHAPE_CAPSULE) { // the caps reach sqrt(r^2 - d^2) beyond the ends at distance d from the axis
        length = 0;
        for (int v = 0; v < mesh->vertices; v++) {
            const vec3 x = seen(mesh, *X, v);
            length = thud_max(length, fabs(x.z) - sqrt(thud_max(0, radius * radius - x.x * x.x - x.y * x.y)));
        }
    }
    shape.size[0] = kind == THUD_SHAPE_SPHERE ? ball : radius;
    shape.size[1] = length;
    shape.size[2] = 0;
    return shape;
}
