// SPDX-License-Identifier: Apache-2.0
// manifold.c: the contact points of two convex shapes along a given normal [BW 7.1, 8].
//
// The two shapes' facing polygons [facing.h], seen along n, are cut with each other; every corner of the
// common polygon is a contact: a vertex of one over the face of the other, or a crossing of two edges. Its
// dist is the gap between the two faces at that place, along n.
//
// The manifold is then reduced. Dropped are, in this order:
//   1. corners farther apart than the margin;
//   2. corners that coincide with a neighbour, or lie on the line between neighbours: they span nothing;
//   3. of a cylinder's cap that is wholly supported, all but every fourth point and the lowest;
//   4. above THUD_MANIFOLD_MAX, again and again the corner whose triangle with its neighbours is smallest.
// The deepest corner always stays. So up to sixteen corners the support polygon is kept whole.
//
// Symbols  facing.h; P the polygon that cuts, Q the one that is cut.
// Differs  [BW 8] knows vertex/face and edge/edge contacts of faces that lie exactly on each other; a vertex
//          on an edge or vertex, which he leaves out as degenerate, is counted as a vertex on the face.
// Cost     O(|P| |Q|).
#include <float.h>
#include <string.h>

#include "facing.h"

enum { CORNERS = 2 * FACING_SIDES };

// Of the size: what lies no farther beyond a side still counts as inside, so that bodies stacked flush, which
// tremble by what a solver leaves (1e-9), keep the same contacts.
static const double FLUSH = 1e-7;

typedef struct corner { // of Q as it is being cut
    double x, y, z;
    uint32_t p, q;   // features of the two shapes
    uint32_t q_edge; // the way to the next corner: along this edge of Q,
    int32_t p_side;  // or, when not negative, along this side of P
    double low;      // P's height here; z - low is the gap, up to sign
    double dist;
} corner;

static uint32_t feature(thud_feature_kind kind, int index)
{
    return (uint32_t)kind << 28 | ((uint32_t)index & 0x0fffffffu);
}

// ---------------------------------------------------------------------------------------------- cutting

// Cuts in[] by side i of P; inside[] says how far each corner is within it. A corner where Q leaves P starts
// a way along P's side; where two such ways meet is a vertex of P.
static int cut(const facing *P, int i, uint32_t q_face, const double *inside, double eps, const corner *in,
               int count, corner *out)
{
    const int j = i + 1 < P->count ? i + 1 : 0;
    int made = 0;
    for (int k = 0; k < count; k++) {
        const int next = k + 1 < count ? k + 1 : 0;
        const corner *c0 = &in[k], *c1 = &in[next];
        const bool in0 = inside[k] >= -eps, in1 = inside[next] >= -eps;
        if (in0 && made < CORNERS) {
            out[made++] = *c0;
        }
        if (in0 == in1 || made == CORNERS || (count == 2 && k == 1)) {
            continue;
        }
        const double t = least_of(1, most_of(0, inside[k] / (inside[k] - inside[next])));
        out[made++] = (corner){.x = c0->x + t * (c1->x - c0->x),
                               .y = c0->y + t * (c1->y - c0->y),
                               .z = c0->z + t * (c1->z - c0->z),
                               .p = c0->p_side < 0 ? P->edge[i] : P->vertex[c0->p_side == i - 1 ? i : j],
                               .q = c0->p_side < 0 ? c0->q_edge : q_face,
                               .q_edge = c0->q_edge,
                               .p_side = in0 ? i : c0->p_side};
    }
    return made;
}

// The common polygon of P and Q, on Q's plane. Returns the number of corners; *c points at buffer[0] or [1].
static int intersect(const facing *P, const facing *Q, double eps, corner buffer[2][CORNERS], corner **c)
{
    double inside[CORNERS];
    corner *from = buffer[0], *to = buffer[1];
    int count = Q->count;
    for (int k = 0; k < count; k++) {
        from[k] = (corner){.x = Q->x[k],
                           .y = Q->y[k],
                           .z = Q->z[k],
                           .p = P->face,
                           .q = Q->vertex[k],
                           .q_edge = Q->edge[k],
                           .p_side = -1};
    }
    for (int i = 0; i < P->count && count > 0; i++) {
        const int j = i + 1 < P->count ? i + 1 : 0;
        const double ex = P->orientation * (P->x[j] - P->x[i]), ey = P->orientation * (P->y[j] - P->y[i]);
        const double slack = eps * (fabs(ex) + fabs(ey)); // inside[] is a distance times the side's length
        double least = DBL_MAX;
        for (int k = 0; k < count; k++) {
            inside[k] = ex * (from[k].y - P->y[i]) - ey * (from[k].x - P->x[i]);
            least = least_of(least, inside[k]);
        }
        if (least >= -slack) {
            continue; // all of it
        }
        count = cut(P, i, Q->face, inside, slack, from, count, to);
        corner *other = from;
        from = to;
        to = other;
    }
    *c = from;
    return count;
}

// ---------------------------------------------------------------------------------------------- reducing

// Twice the area of the triangle that corner i spans with its neighbours.
static double spanned(const corner *c, int count, int i)
{
    const corner *x = &c[i], *before = &c[i > 0 ? i - 1 : count - 1], *after = &c[i + 1 < count ? i + 1 : 0];
    return fabs((x->x - before->x) * (after->y - x->y) - (x->y - before->y) * (after->x - x->x));
}

static void drop(corner *c, int *count, int i)
{
    memmove(&c[i], &c[i + 1], (size_t)(*count - i - 1) * sizeof *c);
    --*count;
}

static int deepest(const corner *c, int count)
{
    int best = 0;
    for (int i = 1; i < count; i++) {
        best = c[i].dist < c[best].dist ? i : best;
    }
    return best;
}

static bool is_rim(uint32_t f)
{
    return thud_feature_kind_of(f) == THUD_FEATURE_VERTEX || thud_feature_kind_of(f) == THUD_FEATURE_POINT;
}

// A cylinder's cap whose points are all corners needs no more than every fourth of them.
static void thin_cap(corner *c, int *count, bool of_p)
{
    for (int i = 0; i < *count; i++) {
        if (!is_rim(of_p ? c[i].p : c[i].q)) {
            return;
        }
    }
    for (int i = *count - 1; i >= 0 && *count > 4; i--) {
        const uint32_t f = of_p ? c[i].p : c[i].q;
        if (thud_feature_kind_of(f) == THUD_FEATURE_VERTEX && thud_feature_index_of(f) % 4 != 0) {
            drop(c, count, i);
        }
    }
}

static bool is_vertex(const corner *c) // of either polygon, over the other's face
{
    return thud_feature_kind_of(c->p) == THUD_FEATURE_FACE || thud_feature_kind_of(c->q) == THUD_FEATURE_FACE;
}

// Which of two is dropped follows from their features, never from gaps that differ by a trembling.
static void drop_coincident(corner *c, int *count, double same)
{
    for (int i = 0; i<*count && * count> 1;) {
        const int j = i + 1 < *count ? i + 1 : 0;
        const double dx = c[i].x - c[j].x, dy = c[i].y - c[j].y;
        if (dx * dx + dy * dy <= same * same) {
            drop(c, count, is_vertex(&c[j]) && !is_vertex(&c[i]) ? i : j);
        } else {
            i++;
        }
    }
}

static void drop_unneeded(corner *c, int *count, double flat)
{
    for (int least = 0; least >= 0 && *count > 2;) {
        const int keep = deepest(c, *count);
        double area = *count > THUD_MANIFOLD_MAX ? DBL_MAX : flat;
        least = -1;
        for (int i = 0; i < *count; i++) {
            const double span = spanned(c, *count, i);
            if (i != keep && span < area) {
                area = span;
                least = i;
            }
        }
        if (least >= 0) {
            drop(c, count, least);
        }
    }
}

// ---------------------------------------------------------------------------------------------- contacts

static uint32_t support_feature(const core *c, int v)
{
    return c->hull || c->kind == THUD_SHAPE_CAPSULE ? feature(THUD_FEATURE_VERTEX, v)
                                                    : feature(THUD_FEATURE_POINT, v);
}

void facet_contact(const duo *d, const facet *f, thud_pair_contact *out)
{
    vec3 a, b;
    facet_points(f, &a, &b);
    a = v3_axpy(d->a.round, f->n, a);
    b = v3_axpy(-d->b.round, f->n, b);
    out->point = v3_scale(0.5, v3_add(a, b));
    out->normal = f->n;
    out->dist = f->s - d->a.round - d->b.round;
    for (int side = 0; side < 2; side++) {
        const core *c = side == 0 ? &d->a : &d->b;
        const bool face = f->kind == (side == 0 ? FACET_FACE_A : FACET_FACE_B);
        const bool edge = v3_norm2(f->line[side]) > 0;
        out->feature[side] = face   ? feature(THUD_FEATURE_FACE, f->feature[side])
                             : edge ? feature(THUD_FEATURE_EDGE, f->feature[side])
                                    : support_feature(c, f->v[side]);
    }
}

// Two segments, nearly parallel seen along n: the ends of their common part. Where they lie `aside` of each
// other the gap between the round surfaces, of radii that sum to r, is a little more than the height.
static int along_segments(const duo *d, const facing *P, const facing *Q, double margin, corner *out)
{
    const double r = d->a.size[0] + d->b.size[0];
    const double ux = P->x[1] - P->x[0], uy = P->y[1] - P->y[0], uz = P->z[1] - P->z[0];
    const double wx = Q->x[1] - Q->x[0], wy = Q->y[1] - Q->y[0], wz = Q->z[1] - Q->z[0];
    const double uu = ux * ux + uy * uy, uw = ux * wx + uy * wy, ww = wx * wx + wy * wy;
    if (!(uw * uw > 0.9 * uu * ww)) {
        return 0;
    }
    const double t0 = (ux * (Q->x[0] - P->x[0]) + uy * (Q->y[0] - P->y[0])) / uu, t1 = t0 + uw / uu;
    const double low = most_of(0, least_of(t0, t1)), high = least_of(1, most_of(t0, t1));
    int made = 0;
    for (int end = 0; end < 2 && low < high; end++) {
        const double t = end == 0 ? low : high, k = (t - t0) * uu / uw;
        const double px = P->x[0] + t * ux, py = P->y[0] + t * uy, pz = P->z[0] + t * uz;
        const double qx = Q->x[0] + k * wx, qy = Q->y[0] + k * wy, qz = Q->z[0] + k * wz;
        const double h = qz - pz, aside2 = (qx - px) * (qx - px) + (qy - py) * (qy - py);
        const double dist = sqrt((h + r) * (h + r) + aside2) - r;
        if (aside2 > 0.0004 * r * r || dist > margin) {
            continue;
        }
        const bool at_p = t == (end == 0 ? 0 : 1);
        out[made++] = (corner){.x = 0.5 * (px + qx),
                               .y = 0.5 * (py + qy),
                               .z = qz,
                               .low = pz,
                               .p = at_p ? P->vertex[end] : P->edge[0],
                               .q = t == t0   ? Q->vertex[0]
                                    : t == t1 ? Q->vertex[1]
                                              : Q->edge[0],
                               .dist = dist};
    }
    return made;
}

// The corners of two polygons, with their gaps, no farther apart than margin.
static int common_corners(const facing *P, const facing *Q, double eps, double margin,
                          corner buffer[2][CORNERS], corner **c)
{
    if (P->steep) {
        return 0;
    }
    const int count = intersect(P, Q, eps, buffer, c);
    int kept = 0;
    for (int k = 0; k < count; k++) {
        corner x = (*c)[k];
        x.low = P->z[0] + P->gx * (x.x - P->x[0]) + P->gy * (x.y - P->y[0]);
        x.dist = P->orientation * (x.z - x.low);
        if (x.dist <= margin) {
            (*c)[kept++] = x;
        }
    }
    return kept;
}

// -------------------------------------------------------------------------------------- one contact alone

// How far from vertex v of a hull, across the direction m (inward), its surface stays within `deep` of it;
// infinite when a whole edge does.
static double spread_of_vertex(const core *c, int v, vec3 m, double deep)
{
    const thud_hull *h = c->hull;
    double most = 0;
    for (int k = h->near_start[v]; k < h->near_start[v + 1]; k++) {
        const vec3 e = v3_sub(c->vertex[h->near[k]], c->vertex[v]);
        const double rise = v3_dot(m, e), aside2 = v3_norm2(e) - rise * rise;
        if (!(rise > deep)) {
            return DBL_MAX;
        }
        most = most_of(most, aside2 / (rise * rise));
    }
    return deep * sqrt(most);
}

// How fast the surface falls away from an edge of a hull, on its slower side; n is normal to the edge.
static double fall_at_edge(const thud_hull *h, int edge, vec3 n)
{
    double least = DBL_MAX;
    for (int k = 0; k < 2; k++) {
        const double along = v3_dot(h->face[h->edge[edge].face[k]].normal, n);
        least = least_of(least, along > 0 ? sqrt(most_of(0, 1 - along * along)) / along : 0);
    }
    return least;
}

// Is the facet's own contact the only one within the margin? A vertex over a face: yes if the part of its
// shape within the margin is a tip that lies over the face's inside. Two edges: yes if both fall away so fast
// that the lens between them ends before either edge does. (No: perhaps.)
static bool is_alone(const duo *d, const facet *f, double margin)
{
    int next[2][2];
    const double deep = margin - (f->s - d->a.round - d->b.round);
    double needs = DBL_MAX; // room about the facet's foot
    if (f->kind == FACET_FACE_A && d->b.hull) {
        needs = spread_of_vertex(&d->b, f->v[1], duo_to_b(d, f->n), deep);
    } else if (f->kind == FACET_FACE_B && d->a.hull) {
        needs = spread_of_vertex(&d->a, f->v[0], v3_neg(f->n), deep);
    } else if (f->kind == FACET_EDGES && d->a.hull && d->b.hull) {
        needs = deep / least_of(fall_at_edge(d->a.hull, f->feature[0], f->n),
                                fall_at_edge(d->b.hull, f->feature[1], v3_neg(duo_to_b(d, f->n))));
    }
    return deep >= 0 && needs < d->scale && needs < (f->room > 0 ? f->room : facet_clearance(d, f, next));
}

// ---------------------------------------------------------------------------------------------- the manifold

int duo_manifold(const duo *d, const facet *f, double margin, thud_pair_contact out[THUD_MANIFOLD_MAX])
{
    if (is_alone(d, f, margin)) {
        facet_contact(d, f, &out[0]);
        return 1;
    }
    facing side[2];
    corner buffer[2][CORNERS], *c = buffer[0];
    const frame w = frame_about(f->n);
    facing_of(d, f, &w, 0, &side[0]);
    facing_of(d, f, &w, 1, &side[1]);
    const bool segments = side[0].count == 2 && side[1].count == 2;
    const int p = side[0].count > 2 || segments ? 0 : 1; // whose polygon cuts the other's
    int count = 0;
    if (segments) {
        count = along_segments(d, &side[0], &side[1], margin, c);
    } else if (side[p].count > 2 && side[1 - p].count > 1) {
        count = common_corners(&side[p], &side[1 - p], FLUSH * d->scale, margin, buffer, &c);
    }
    drop_coincident(c, &count, 4 * FLUSH * d->scale);
    for (int k = 0; k < 2; k++) {
        if ((k == 0 ? &d->a : &d->b)->kind == THUD_SHAPE_CYLINDER && count >= FACING_RIM) {
            thin_cap(c, &count, k == p);
        }
    }
    drop_unneeded(c, &count, 1e-12 * d->scale * d->scale);
    for (int i = 0; i < count; i++) {
        const double z = 0.5 * (c[i].z + c[i].low);
        out[i].point = v3_axpy(c[i].x, w.t1, v3_axpy(c[i].y, w.t2, v3_scale(z, w.n)));
        out[i].normal = f->n;
        out[i].dist = c[i].dist;
        out[i].feature[p] = c[i].p;
        out[i].feature[1 - p] = c[i].q;
    }
    if (count == 0 || f->s - d->a.round - d->b.round < c[deepest(c, count)].dist - 1e-9 * d->scale) {
        thud_pair_contact witness; // the closest points themselves are no corner
        facet_contact(d, f, &witness);
        if (witness.dist <= margin) {
            out[count < THUD_MANIFOLD_MAX ? count++ : count - 1] = witness;
        }
    }
    return count;
}
