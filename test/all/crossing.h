// SPDX-License-Identifier: Apache-2.0
// crossing.h: random scenes in which a frictionless body slides over seams that it must not feel. The truth is a closed form:
// x = x0 + v t, turned as it was.
//
//     crossing c;
//     crossing_make(seed, &c);          // c.text is MJCF; c.v, c.h, c.duration say what to do with it
#pragma once

#include "world.h"

enum { CROSSING_TEXT = 1 << 16, CROSSING_BODIES = 2 };

typedef struct crossing {
    char text[CROSSING_TEXT];
    size_t length;
    double size;             // m, of the body: about its radius
    vec3 v[CROSSING_BODIES]; // m/s, of each body
    int bodies;
    double h, duration; // s
    double lean;        // rad: how far seams that are off may tilt the body
    const char *shape, *ground;
} crossing;

static inline double crossing_between(test_rng *r, double low, double high)
{
    return test_uniform(r, low, high);
}

__attribute__((format(printf, 2, 3))) static inline void crossing_put(crossing *c, const char *format, ...)
{
    va_list of;
    va_start(of, format);
    c->length += (size_t)vsnprintf(c->text + c->length, CROSSING_TEXT - c->length, format, of);
    va_end(of);
    assert_true(c->length < CROSSING_TEXT);
}

// A prism of n corners: half the height, the radius about the axis; as a mesh of its vertices.
static inline void crossing_put_prism(crossing *c, const char *name, int n, double radius, double half)
{
    crossing_put(c, "<mesh name='%s' vertex='", name);
    for (int k = 0; k < 2 * n; k++) {
        const double angle = 2 * M_PI * (k / 2 + 0.3) / n;
        crossing_put(c, "%.17g %.17g %.17g ", radius * cos(angle), radius * sin(angle), k % 2 ? half : -half);
    }
    crossing_put(c, "'/>");
}

typedef enum crossing_shape {
    CROSSING_BOX,
    CROSSING_PUCK,    // a cylinder that stands
    CROSSING_ROLLER,  // one that lies
    CROSSING_CAPSULE, // that lies
    CROSSING_BALL,
    CROSSING_PRISM, // a hull of six sides
    CROSSING_MESH,  // one of twenty
    CROSSING_SHAPES
} crossing_shape;

typedef enum crossing_ground {
    CROSSING_SEAM,    // two boxes
    CROSSING_TILES,   // many
    CROSSING_OVERLAP, // that lie in each other
    CROSSING_GAPS,    // with slits between them
    CROSSING_HULLS,   // prisms of a mesh
    CROSSING_FIELD,   // a flat height field
    CROSSING_WALL,    // a plane, and a wall in pieces along the way
    CROSSING_DRAWER,  // and a wall on the other side, no clearance
    CROSSING_PASSING, // another body that comes along with gap 0
    CROSSING_GROUNDS
} crossing_ground;

static const char *const crossing_shape_name[] = {"box",  "puck",  "roller", "capsule",
                                                  "ball", "prism", "mesh"};
static const char *const crossing_ground_name[] = {
    "seam", "tiles", "overlapping tiles", "tiles with gaps", "hulls", "field", "wall", "drawer", "passing"};

static inline bool crossing_stands_flat(crossing_shape s)
{
    return s == CROSSING_BOX || s == CROSSING_PUCK || s == CROSSING_PRISM || s == CROSSING_MESH;
}

// The geom of a body, its half height, and how far it reaches from its axis.
static inline void crossing_body(crossing_shape s, double size, char geom[256], double *half, double *reach)
{
    *half = 0.6 * size;
    *reach = size;
    switch (s) {
    case CROSSING_BOX:
        snprintf(geom, 256, "type='box' size='%.17g %.17g %.17g'", size, 0.8 * size, *half);
        break;
    case CROSSING_PUCK:
        snprintf(geom, 256, "type='cylinder' size='%.17g %.17g'", size, *half);
        break;
    case CROSSING_ROLLER:
    case CROSSING_CAPSULE:
        snprintf(geom, 256, "type='%s' size='%.17g %.17g' quat='0.70710678118654757 0 0.70710678118654757 0'",
                 s == CROSSING_ROLLER ? "cylinder" : "capsule", *half, size);
        *reach = size + *half;
        break;
    case CROSSING_BALL:
        snprintf(geom, 256, "type='sphere' size='%.17g'", size);
        *half = size;
        break;
    default:
        snprintf(geom, 256, "type='mesh' mesh='body'");
        break;
    }
}

// Half of the seams are exact, the others are off by up to 1e-8 of the body's size.
static inline double crossing_off(test_rng *r, crossing *c, bool exact)
{
    c->lean = exact ? c->lean : 1e-8;
    return exact ? 0 : crossing_between(r, -1e-8, 1e-8) * c->size;
}

static inline void crossing_put_floor(crossing *c, test_rng *r, crossing_ground g, double way)
{
    const bool exact = test_uniform(r, 0, 1) < 0.5;
    const double wide = 4 * (way + c->size), thick = crossing_between(r, 0.3, 2) * c->size;
    if (g == CROSSING_FIELD) {
        crossing_put(c, "<geom type='hfield' hfield='ground'/>");
        return;
    }
    if (g == CROSSING_SEAM) {
        const double seam = crossing_between(r, 0.2, 0.8) * way;
        for (int k = 0; k < 2; k++) {
            crossing_put(c, "<geom type='box' size='%.17g %.17g %.17g' pos='%.17g 0 %.17g'/>", wide, wide,
                         thick, k ? seam + wide : seam - wide, -thick + (k ? crossing_off(r, c, exact) : 0));
        }
        return;
    }
    const double half = g == CROSSING_HULLS ? c->size
                                            : crossing_between(r, g == CROSSING_GAPS ? 1 : 0.3, 3) * c->size,
                 pitch = g == CROSSING_OVERLAP ? crossing_between(r, 0.6, 0.95) * 2 * half
                         : g == CROSSING_GAPS  ? 2 * half + crossing_between(r, 0.05, 0.3) * c->size
                                               : 2 * half;
    const int tiles = (int)ceil((way + 6 * c->size) / pitch) + 1;
    for (int k = 0; k < tiles; k++) {
        const double x = -3 * c->size + half + k * pitch, top = crossing_off(r, c, exact);
        if (g == CROSSING_HULLS) {
            crossing_put(c, "<geom type='mesh' mesh='tile' pos='%.17g 0 %.17g'/>",
                         -3 * c->size + c->size * (1 + 2 * k), -c->size + top);
        } else {
            crossing_put(c, "<geom type='box' size='%.17g %.17g %.17g' pos='%.17g 0 %.17g'/>", half, wide,
                         thick, x, -thick + top);
        }
    }
}

// Walls in pieces along x, their faces at y = side.
static inline void crossing_put_wall(crossing *c, test_rng *r, double way, double side)
{
    const bool exact = test_uniform(r, 0, 1) < 0.5;
    const double half = crossing_between(r, 0.5, 3) * c->size;
    const int pieces = (int)ceil((way + 6 * c->size) / (2 * half)) + 1;
    for (int k = 0; k < pieces; k++) {
        const double y = side + (side > 0 ? c->size : -c->size);
        crossing_put(c, "<geom type='box' size='%.17g %.17g %.17g' pos='%.17g %.17g %.17g'/>", half, c->size,
                     c->size, -3 * c->size + half + 2 * half * k,
                     y + (side > 0 ? 1 : -1) * fabs(crossing_off(r, c, exact)), c->size);
    }
}

static inline void crossing_make(uint64_t seed, crossing *c)
{
    static const double STEP[] = {0.0005, 0.001, 0.002, 0.004, 0.008};
    test_rng rng = {seed}, *r = &rng;
    c->length = 0;
    c->lean = 0;
    const crossing_ground g = (crossing_ground)test_below(r, CROSSING_GROUNDS);
    crossing_shape s = (crossing_shape)test_below(r, CROSSING_SHAPES);
    const bool aligned = g >= CROSSING_WALL;
    if (g == CROSSING_GAPS && !crossing_stands_flat(s)) {
        s = CROSSING_BOX;
    } else if (aligned) {
        s = test_uniform(r, 0, 1) < 0.5 ? CROSSING_BOX : CROSSING_PUCK;
    }
    c->shape = crossing_shape_name[s];
    c->ground = crossing_ground_name[g];
    c->size = exp(crossing_between(r, log(0.02), log(0.3)));
    c->h = STEP[test_below(r, 5)];
    const double speed = exp(crossing_between(r, log(0.05), log(10)));
    double way = crossing_between(r, 3, 8) * c->size;
    enum { MOST = 1500 }; // steps
    const double steps = fmin(MOST, fmax(8, ceil(way / (speed * c->h))));
    way = steps * speed * c->h;
    c->duration = steps * c->h;
    char geom[256];
    double half, reach;
    crossing_body(s, c->size, geom, &half, &reach);
    const double yaw = aligned ? 0 : crossing_between(r, -M_PI, M_PI),
                 aside = aligned ? 0 : crossing_between(r, -0.5, 0.5), // rad
        start = crossing_between(r, 0, 0.5) * c->size;
    crossing_put(
        c,
        "<mujoco><compiler angle='radian'/><option timestep='%.17g'/><default><geom friction='0'/></default>",
        c->h);
    crossing_put(c, "<asset>");
    crossing_put_prism(c, "body", s == CROSSING_MESH ? 20 : 6, c->size, half);
    const double wide = 4 * (way + c->size);
    crossing_put(
        c,
        "<mesh name='tile' vertex='%.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g "
        "%.17g %.17g %.17g %.17g %.17g %.17g'/>",
        -c->size, -wide, c->size, c->size, -wide, c->size, c->size, wide, c->size, -c->size, wide, c->size,
        0.0, -wide, -c->size, 0.0, wide, -c->size);
    crossing_put(c, "<hfield name='ground' nrow='12' ncol='12' size='%.17g %.17g 1 1'/>", wide, wide);
    crossing_put(c, "</asset><worldbody>");
    if (aligned) {
        crossing_put(c, "<geom type='plane' size='0 0 1'/>");
    } else {
        crossing_put_floor(c, r, g, way);
    }
    const double side = s == CROSSING_BOX ? 0.8 * c->size : c->size;
    if (g == CROSSING_WALL || g == CROSSING_DRAWER) {
        crossing_put_wall(c, r, way, side);
    }
    if (g == CROSSING_DRAWER) {
        crossing_put_wall(c, r, way, -side);
    }
    c->bodies = g == CROSSING_PASSING ? 2 : 1;
    c->v[0] = v3(speed * cos(aside), speed * sin(aside), 0);
    const double other = -crossing_between(r, 0, 1) * speed;
    c->v[1] = v3(other, 0, 0);
    const double graze = s == CROSSING_PUCK ? exp(crossing_between(r, log(1e-4), log(0.3))) * c->size : 0;
    for (int b = 0; b < c->bodies; b++) {
        const double x = b ? start + crossing_between(r, 0.1, 1) * (way - other * c->duration) : start;
        crossing_put(c, "<body pos='%.17g %.17g %.17g' euler='0 0 %.17g'><freejoint/><geom %s/></body>", x,
                     b ? 2 * side + graze : 0, half, yaw, geom);
    }
    crossing_put(c, "</worldbody></mujoco>");
}
