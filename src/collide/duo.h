// SPDX-License-Identifier: Apache-2.0
// duo.h: two convex shapes seen from the first one, and the function whose maximum is their distance.
//
// Symbols  A, B  the two shapes' cores, in A's frame; B's own frame stands at (R, p)
//          n     a unit direction, from A to B
//          a, b  points of A farthest along n, of B farthest along -n
//          s(n)  = n . (b - a), the gap of A and B along n: the width of the slab between them, or minus
//                their overlap. The signed distance is  max s(n)  over the sphere of directions.
//          M     = B - A, the set of all b - a. s(n) = min of n . w over w in M.
// A core is a shape without its rounding: a sphere is a point, a capsule a segment. Rounding lowers s by the
// same amount in every direction, so it moves no maximum.
#pragma once

#include <thud/collide_pair.h>
#include <thud/spatial_inline.h>

typedef struct core {
    thud_shape_kind kind;
    double size[3];
    double round;          // radius of a sphere or capsule
    const thud_hull *hull; // of a box (once completed) or hull, else NULL: topology and normals
    const vec3 *vertex;    // its vertices
    vec3 corner[8];        // a box's
} core;

typedef struct duo {
    core a, b;
    mat3 R; // B's frame in A's
    vec3 p;
    double scale; // m: rounding errors are some 1e-16 of it
    double tol;   // m: values of s closer than this are equal
} duo;

// What makes a direction a candidate for the maximum. The first three are facets of M.
typedef enum facet_kind {
    FACET_NONE,
    FACET_FACE_A, // n is normal to the face feature[0]
    FACET_FACE_B,
    FACET_EDGES, // n is normal to the edges feature[0] and feature[1]
    FACET_OTHER  // an edge or a point against a smooth surface or another point
} facet_kind;

typedef struct facet {
    facet_kind kind;
    int feature[2];
    vec3 n;
    double s;
    int v[2];     // indices of a and b
    vec3 a, b;    // in A's frame
    vec3 line[2]; // directions of the edges that n is normal to; zero: none
    double room;  // facet_clearance once it was found to be positive, else 0
} facet;

// Sets the shapes and their poses. Everything but core_support and duo_value of it, and facet_of_face, needs
// duo_complete first, which gives boxes their vertices.
void duo_place(duo *d, const thud_shape *a, pose X_wa, const thud_shape *b, pose X_wb);
void duo_complete(duo *d);

// The point of c's core farthest along m, both in its frame. *v: its index, and where a search may start.
vec3 core_support(const core *c, vec3 m, int *v);

static inline vec3 core_centre(const core *c) // a point well inside, in its frame
{
    return c->kind == THUD_SHAPE_HULL ? c->hull->centre : v3(0, 0, 0);
}

static inline double least_of(double x, double y) // unlike fmin: inline, and NaN is not skipped
{
    return x < y ? x : y;
}

static inline double most_of(double x, double y)
{
    return x > y ? x : y;
}

static inline vec3 duo_to_b(const duo *d, vec3 n) // a direction, into B's frame
{
    return m3_tmulv(&d->R, n);
}

static inline vec3 duo_from_b(const duo *d, vec3 x) // a point of B, into A's frame
{
    return v3_add(m3_mulv(&d->R, x), d->p);
}

// s(n) with its points; f->v says where to search from.
double duo_value(const duo *d, vec3 n, facet *f);

// A candidate made from features: fills n and everything else of *f (f->v on entry: where to search from).
// False when the features make no direction (parallel edges) or do not exist.
bool facet_of_face(const duo *d, int side, int face, facet *f);
bool facet_of_edges(const duo *d, int edge_a, int edge_b, facet *f);

// How far the foot of the origin lies inside the facet of M that f stands on (m; negative: outside), and the
// indices of the facet's vertices next to where it is closest to the rim. FACET_OTHER has no facet but an
// edge or a point of M: 0 when the foot is on it, else negative.
double facet_clearance(const duo *d, const facet *f, int next[2][2]);

// The two closest points of A and B for a facet at a maximum: *b - *a = s n.
void facet_points(const facet *f, vec3 *a, vec3 *b);

// Raises *f to a local maximum of s near it.
void duo_ascend(const duo *d, facet *f);

// Separates A and B, starting from a direction. False when the cores overlap (or all but touch); true with
// f->n, f->s set to a direction along which they are apart by nearly their distance, or by more than
// `enough` and at least half of it.
bool duo_separate(const duo *d, vec3 from, double enough, facet *f);

// The same for another set M that has a support function, with d for its shapes and tolerances: `value` is s(n), and b - a the
// point of M.
typedef double duo_value_of(const void *of, vec3 n, facet *f);
bool duo_separate_by(duo_value_of *value, const void *of, const duo *d, vec3 from, double enough, facet *f);

// The face at vertex v of a hull whose normal is nearest to m.
int squarest_face(const thud_hull *h, int v, vec3 m);

// The facet of greatest s of two boxes; their distance if it is negative or the facet is a maximum.
void duo_part_boxes(const duo *d, facet *f);

// Finds the greatest s over all directions; *f on entry is a first guess.
void duo_cover(const duo *d, facet *f);

// Proves that a facet made from features is the maximum of s, all directions considered. False: not proven,
// which says nothing.
bool facet_is_maximum(const duo *d, facet *f);

// The choice among candidates that are equal within rounding, so that it does not depend on how the maximum
// was found: a face of A before a face of B before anything else.
void duo_settle(const duo *d, facet *f);

// The contact at a facet's closest points, in A's frame.
void facet_contact(const duo *d, const facet *f, thud_pair_contact *out);

// Contacts of A and B in A's frame along f->n, no farther apart than margin.
int duo_manifold(const duo *d, const facet *f, double margin, thud_pair_contact out[THUD_MANIFOLD_MAX]);
