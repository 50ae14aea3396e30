// SPDX-License-Identifier: Apache-2.0
// gap.c: the gap function of a fixed pair of features, for the fixed-point iteration of [ST 3.4].
//
// Each feature becomes a small shape in its solid's frame, with the part that a solver cares about kept and
// its borders taken away: a face a half-space, a vertex or round end a ball (radius 0 or more), an edge a
// (round) line, anything else the solid. Symbols follow [ST 2]: phi gap, n normal from body 1 (B) to 2 (A).
//
// Differs  The normal of a face is the contact's, fixed in the face's solid from then on.
// Cost     O(1); THUD_GAP_DISTANCE costs one thud_pair_distance.
// Fails    Lines that become parallel and balls that become concentric keep the contact's own normal.
#include <thud/collide.h>
#include <thud/spatial_inline.h>

#include "gap_sides.h"

static const double LEAST_SINE = 0.1;          // of the angle between edges that count as crossing
static const double LEAST_COSINE = 1 - 0.5e-3; // of the angle between their common normal and the contact's

typedef enum role { ROLE_BALL, ROLE_LINE, ROLE_PLANE, ROLE_SOLID } role;

// One feature while it is being made. surface: the contact's point on it; inward: into its solid. World.
typedef struct side {
    const thud_shape *solid;
    const pose *X_ws;
    vec3 surface, inward;
    role role;
    double radius;
    vec3 direction; // of a line, world
} side;

static vec3 edge_direction(const thud_hull *hull, int edge)
{
    const thud_edge *e = &hull->edge[edge];
    return v3_normalize(v3_sub(hull->vertex[e->vertex[1]], hull->vertex[e->vertex[0]]));
}

static void set_line(side *s, vec3 direction_in_solid, double radius)
{
    s->role = ROLE_LINE;
    s->direction = q_rotate(s->X_ws->q, direction_in_solid);
    s->radius = radius;
}

// Vertices of a box are numbered by the signs along its axes, so an edge runs along the axis of the one bit that differs.
static vec3 box_edge_direction(const double half[3], int edge)
{
    const thud_edge *e = &thud_hull_unit_box.edge[edge];
    const int axis = (e->vertex[0] ^ e->vertex[1]) >> 1; // 1, 2, 4 to 0, 1, 2
    const double length = half[axis] + half[axis];
    return v3_normalize(v3(axis == 0 ? length : 0, axis == 1 ? length : 0, axis == 2 ? length : 0));
}

static void set_edge(side *s, int index)
{
    switch (s->solid->kind) {
    case THUD_SHAPE_CAPSULE:
    case THUD_SHAPE_CYLINDER:
        set_line(s, v3(0, 0, 1), s->solid->size[0]);
        break;
    case THUD_SHAPE_BOX:
        set_line(s, box_edge_direction(s->solid->size, index), 0);
        break;
    case THUD_SHAPE_HULL:
        set_line(s, edge_direction(s->solid->hull, index), 0);
        break;
    default:
        break; // an edge of a height field: the contact's point
    }
}

// Whether a cylinder touches with its side: then it may roll, and a point of its rim is not one of the
// body's.
static bool lies_on_side(const side *s)
{
    return fabs(v3_dot(q_rotate(s->X_ws->q, v3(0, 0, 1)), s->inward)) < M_SQRT1_2;
}

static side side_of(const thud_shape *solid, const pose *X_ws, uint32_t feature, vec3 surface, vec3 inward)
{
    side s = {.solid = solid, .X_ws = X_ws, .surface = surface, .inward = inward, .role = ROLE_BALL};
    const thud_feature_kind kind = thud_feature_kind_of(feature);
    if (kind == THUD_FEATURE_FACE || solid->kind == THUD_SHAPE_PLANE) {
        s.role = ROLE_PLANE;
    } else if (kind == THUD_FEATURE_EDGE) {
        set_edge(&s, thud_feature_index_of(feature));
    } else if (solid->kind == THUD_SHAPE_SPHERE || solid->kind == THUD_SHAPE_CAPSULE) {
        s.radius = solid->size[0];
    } else if (solid->kind == THUD_SHAPE_ELLIPSOID ||
               (solid->kind == THUD_SHAPE_CYLINDER && (kind == THUD_FEATURE_POINT || lies_on_side(&s)))) {
        s.role = ROLE_SOLID;
    }
    return s;
}

// ---------------------------------------------------------------------------------------------- features

static vec3 core_of(const side *s) // the ball's centre, or the point of the line, within the surface point
{
    return v3_axpy(s->radius, s->inward, s->surface);
}

// The feature as a shape of its own and its frame in its solid's, for THUD_GAP_DISTANCE. A cylinder's rim against a
// face is the rim's disc.
static void make_shape(const thud_gap *gap, int which, thud_shape *feature, pose *place)
{
    const thud_shape *solid = gap->solid[which];
    *place = (pose){q_of_zaxis(gap->axis[which]), gap->at[which]};
    switch ((role)gap->role[which]) {
    case ROLE_BALL:
        *feature = (thud_shape){.kind = THUD_SHAPE_SPHERE, .size = {gap->radius[which]}};
        return;
    case ROLE_LINE:
        *feature =
            (thud_shape){.kind = THUD_SHAPE_CAPSULE, .size = {gap->radius[which], thud_shape_radius(solid)}};
        return;
    case ROLE_PLANE:
        *feature = (thud_shape){.kind = THUD_SHAPE_PLANE};
        return;
    case ROLE_SOLID:
        break;
    }
    *feature = *solid;
    *place = pose_identity();
    if (solid->kind == THUD_SHAPE_CYLINDER && gap->role[1 - which] == ROLE_PLANE) {
        *feature = (thud_shape){.kind = THUD_SHAPE_CYLINDER, .size = {solid->size[0], 0}};
        place->p.z = gap->at[which].z < 0 ? -solid->size[1] : solid->size[1];
    }
}

static void make(const side *s, int which, thud_gap *gap)
{
    const bool plane = s->role == ROLE_PLANE, line = s->role == ROLE_LINE;
    gap->at[which] = pose_unpoint(*s->X_ws, plane ? s->surface : core_of(s));
    gap->axis[which] = plane || line || gap->kind == THUD_GAP_DISTANCE
                           ? q_unrotate(s->X_ws->q, plane  ? v3_neg(s->inward)
                                                    : line ? s->direction
                                                           : s->inward)
                           : v3(0, 0, 0); // a ball has none
    gap->radius[which] = s->radius;
    gap->solid[which] = s->solid;
    gap->role[which] = s->role;
}

static bool lines_cross(const side *a, const side *b, vec3 normal)
{
    const vec3 c = v3_cross(a->direction, b->direction);
    const double sine = v3_norm(c);
    return sine > LEAST_SINE && fabs(v3_dot(c, normal)) > LEAST_COSINE * sine;
}

// What always works: a plane of the first across the normal, and the second's point.
static thud_gap_kind as_plane(side *a, side *b)
{
    a->role = ROLE_PLANE;
    b->role = ROLE_BALL;
    b->radius = 0;
    return THUD_GAP_PLANE_BALL;
}

// The closed form for two roles. May change a role: a line is a ball where only its point matters, and what
// has no closed form becomes a plane of the first and a point of the second.
static thud_gap_kind match(side *a, side *b, vec3 normal)
{
    if (a->role == ROLE_LINE && b->role == ROLE_LINE && lines_cross(a, b, normal)) {
        return THUD_GAP_LINE_LINE;
    }
    if ((a->role == ROLE_SOLID || b->role == ROLE_SOLID) &&
        !(a->role == ROLE_PLANE && b->role == ROLE_PLANE)) {
        return THUD_GAP_DISTANCE;
    }
    if (b->role == ROLE_LINE && a->role != ROLE_BALL) {
        b->role = ROLE_BALL;
    }
    if (a->role == ROLE_LINE && b->role != ROLE_BALL) {
        a->role = ROLE_BALL;
    }
    if (a->role == ROLE_PLANE && b->role == ROLE_BALL) {
        return THUD_GAP_PLANE_BALL;
    }
    if (a->role == ROLE_BALL && b->role == ROLE_PLANE) {
        return THUD_GAP_BALL_PLANE;
    }
    if (a->role != ROLE_PLANE && b->role != ROLE_PLANE && a->radius + b->radius > 0) {
        return a->role == ROLE_LINE   ? THUD_GAP_LINE_BALL
               : b->role == ROLE_LINE ? THUD_GAP_BALL_LINE
                                      : THUD_GAP_BALL_BALL;
    }
    return as_plane(a, b); // without a radius a distance has a kink at zero
}

// ---------------------------------------------------------------------------------------------- phi

// Two cores at c1 and c2 whose nearest direction is n, with radii: the surfaces between them.
static thud_gap_value between(vec3 c1, double r1, vec3 c2, double r2, double distance, vec3 n)
{
    return (thud_gap_value){distance - r1 - r2, n, {v3_axpy(r1, n, c1), v3_axpy(-r2, n, c2)}};
}

static thud_gap_value plane_ball(vec3 x, vec3 n, vec3 centre, double radius)
{
    const double height = v3_dot(n, v3_sub(centre, x)); // phi = n . (c - x) - r
    return (thud_gap_value){height - radius, n, {v3_axpy(-height, n, centre), v3_axpy(-radius, n, centre)}};
}

static thud_gap_value ball_ball(vec3 c1, double r1, vec3 c2, double r2, vec3 contact_normal)
{
    const vec3 d = v3_sub(c2, c1);
    const double length = v3_norm(d); // phi = |c2 - c1| - r1 - r2
    return between(c1, r1, c2, r2, length, length > 0 ? v3_scale(1 / length, d) : contact_normal);
}

static vec3 foot_on_line(vec3 x, vec3 e, vec3 p)
{
    return v3_axpy(v3_dot(e, v3_sub(p, x)), e, x);
}

static thud_gap_value line_line(vec3 x1, vec3 e1, double r1, vec3 x2, vec3 e2, double r2, vec3 contact_normal)
{
    const vec3 w = v3_sub(x2, x1), c = v3_cross(e1, e2);
    const double c2 = v3_norm2(c);
    if (!(c2 > 1e-12)) {
        return between(x1, r1, x2, r2, v3_dot(contact_normal, w), contact_normal);
    }
    const double sign = v3_dot(c, contact_normal) < 0 ? -1 : 1;
    const vec3 n = v3_scale(sign / sqrt(c2), c);
    const double s = v3_dot(v3_cross(w, e2), c) / c2, t = v3_dot(v3_cross(w, e1), c) / c2;
    return between(v3_axpy(s, e1, x1), r1, v3_axpy(t, e2, x2), r2, v3_dot(n, w), n); // phi = n . w - r1 - r2
}

static thud_gap_value turned(thud_gap_value v) // the two sides exchanged
{
    return (thud_gap_value){v.phi, v3_neg(v.normal), {v.point[1], v.point[0]}};
}

thud_gap_value thud_gap_at(const thud_gap *gap, thud_pose X_w1, thud_pose X_w2)
{
    const vec3 x1 = pose_point(X_w1, gap->at[0]), x2 = pose_point(X_w2, gap->at[1]);
    const double r1 = gap->radius[0], r2 = gap->radius[1];
#define NORMAL q_rotate(X_w1.q, gap->normal)
#define AXIS1 q_rotate(X_w1.q, gap->axis[0])
#define AXIS2 q_rotate(X_w2.q, gap->axis[1])
    switch (gap->kind) {
    case THUD_GAP_PLANE_BALL:
        return plane_ball(x1, AXIS1, x2, r2);
    case THUD_GAP_BALL_PLANE:
        return turned(plane_ball(x2, AXIS2, x1, r1));
    case THUD_GAP_BALL_BALL:
        return ball_ball(x1, r1, x2, r2, NORMAL);
    case THUD_GAP_LINE_BALL:
        return ball_ball(foot_on_line(x1, AXIS1, x2), r1, x2, r2, NORMAL);
    case THUD_GAP_BALL_LINE:
        return ball_ball(x1, r1, foot_on_line(x2, AXIS2, x1), r2, NORMAL);
    case THUD_GAP_LINE_LINE:
        return line_line(x1, AXIS1, r1, x2, AXIS2, r2, NORMAL);
    case THUD_GAP_DISTANCE:
        break;
    }
#undef NORMAL
#undef AXIS1
#undef AXIS2
    thud_pair_gap d;
    thud_shape feature[2];
    pose place[2];
    make_shape(gap, 0, &feature[0], &place[0]);
    make_shape(gap, 1, &feature[1], &place[1]);
    thud_pair_distance(&feature[0], pose_mul(X_w1, place[0]), &feature[1], pose_mul(X_w2, place[1]), NULL,
                       &d);
    return (thud_gap_value){d.dist, d.normal, {d.point[0], d.point[1]}};
}

thud_force thud_gap_row(const thud_gap_value *value, int which)
{
    const vec3 n = which ? value->normal : v3_neg(value->normal);
    return (thud_force){v3_cross(value->point[which], n), n};
}

// ---------------------------------------------------------------------------------------------- without making one

thud_shift thud_shift_between(thud_pose then, thud_pose now)
{
    return (thud_shift){m3_of_quat(q_mul(now.q, q_conj(then.q))), then.p, now.p, now.q};
}

static inline vec3 shift_point(const thud_shift *s, vec3 x)
{
    return s ? v3_add(m3_mulv(&s->R, v3_sub(x, s->from)), s->to) : x;
}

static inline bool plane_after(const thud_shape *first, const thud_shift *moved1, const thud_shape *second,
                               const thud_shift *moved2, const thud_pair_contact *c, thud_gap_value *out)
{
    const bool plane1 = is_plane(first, c->feature[0]);
    const double r = plane1 ? ball_radius(second, c->feature[1]) : ball_radius(first, c->feature[0]);
    if (!(r >= 0)) {
        return false;
    }
    const thud_shift *of_plane = plane1 ? moved1 : moved2, *of_ball = plane1 ? moved2 : moved1;
    const double away = plane1 ? 1 : -1, half = 0.5 * c->dist; // n points from the plane to the ball, or back
    const vec3 n = v3_scale(away, c->normal);
    const vec3 x = shift_point(of_plane, v3_axpy(-half, n, c->point));
    const vec3 centre = shift_point(of_ball, v3_axpy(half + r, n, c->point));
    *out = plane_ball(x, of_plane ? m3_mulv(&of_plane->R, n) : n, centre, r);
    if (!plane1) {
        *out = turned(*out);
    }
    return true;
}

// A sphere and a sphere or capsule whose cores keep a distance: of a capsule's side the line that has moved must be known.
static bool round_after(const thud_shape *first, const thud_shift *moved1, const thud_shape *second,
                        const thud_shift *moved2, const thud_pair_contact *c, thud_gap_value *out)
{
    static const double APART = 1e-3; // of the radii
    const double r1 = ball_radius(first, c->feature[0]), r2 = ball_radius(second, c->feature[1]);
    const bool line1 = thud_feature_kind_of(c->feature[0]) == THUD_FEATURE_EDGE,
               line2 = thud_feature_kind_of(c->feature[1]) == THUD_FEATURE_EDGE;
    const bool sphere = first->kind == THUD_SHAPE_SPHERE || second->kind == THUD_SHAPE_SPHERE;
    if (!sphere || !(r1 > 0) || !(r2 > 0) || !(c->dist + r1 + r2 > APART * (r1 + r2)) || (line1 && !moved1) ||
        (line2 && !moved2)) {
        return false;
    }
    const double half = 0.5 * c->dist;
    const vec3 x1 = shift_point(moved1, v3_axpy(-half - r1, c->normal, c->point)),
               x2 = shift_point(moved2, v3_axpy(half + r2, c->normal, c->point));
    const vec3 z = v3(0, 0, 1); // a capsule's axis
    *out = ball_ball(line1 ? foot_on_line(x1, q_rotate(moved1->q, z), x2) : x1, r1,
                     line2 ? foot_on_line(x2, q_rotate(moved2->q, z), x1) : x2, r2, c->normal);
    return true;
}

static inline bool value_after(const thud_shape *first, const thud_shift *moved1, const thud_shape *second,
                               const thud_shift *moved2, const thud_pair_contact *c, thud_gap_value *out)
{
    const bool plane = is_plane(first, c->feature[0]) || is_plane(second, c->feature[1]);
    return plane ? plane_after(first, moved1, second, moved2, c, out)
                 : round_after(first, moved1, second, moved2, c, out);
}

bool thud_gap_after(const thud_shape *first, const thud_shift *moved1, const thud_shape *second,
                    const thud_shift *moved2, const thud_pair_contact *c, thud_gap_value *out)
{
    return value_after(first, moved1, second, moved2, c, out);
}

static inline thud_pair_contact pair_of(const thud_contact *c)
{
    return (thud_pair_contact){c->point, c->normal, c->phi, {c->feature[0], c->feature[1]}};
}

bool thud_contact_gap_after(const thud_model *m, const thud_contact *contact, const thud_shift *moved1,
                            const thud_shift *moved2, thud_gap_value *out)
{
    const thud_pair_contact p = pair_of(contact);
    return value_after(&m->geom_shape[contact->geom1], moved1, &m->geom_shape[contact->geom2], moved2, &p,
                       out);
}

// ---------------------------------------------------------------------------------------------- making one

static thud_gap make_gap(const side *a, const side *b, thud_gap_kind kind, vec3 normal)
{
    thud_gap gap;
    gap.kind = kind;
    gap.normal = normal;
    make(a, 0, &gap);
    make(b, 1, &gap);
    return gap;
}

// Whether the features alone are as far apart as the solids: a vertex deep inside a solid may be nearer to
// another side of it than the one it came through. A point and a plane across the normal are, as they are made.
static bool agrees(const thud_gap *gap, const side *a, const side *b, const thud_pair_contact *c)
{
    if (gap->kind == THUD_GAP_PLANE_BALL || gap->kind == THUD_GAP_BALL_PLANE) {
        return true;
    }
    const thud_gap_value v = thud_gap_at(gap, *a->X_ws, *b->X_ws);
    const double cosine = v3_dot(v.normal, c->normal);
    const double size = thud_min(thud_shape_radius(a->solid), thud_shape_radius(b->solid));
    const double error = fabs(v.phi - c->dist);
    if (gap->kind == THUD_GAP_LINE_LINE) { // across both edges: not quite across a face they border
        return cosine > LEAST_COSINE && error <= 1e-3 * size;
    }
    return cosine > 1 - 1e-9 && error <= 1e-9 * (fabs(c->dist) + size);
}

thud_gap thud_gap_of_contact(const thud_shape *first, thud_pose X_w1, const thud_shape *second,
                             thud_pose X_w2, const thud_pair_contact *contact)
{
    const vec3 n = contact->normal, half = v3_scale(0.5 * contact->dist, n);
    const vec3 n1 = q_unrotate(X_w1.q, n);
    side a = side_of(first, &X_w1, contact->feature[0], v3_sub(contact->point, half), v3_neg(n));
    side b = side_of(second, &X_w2, contact->feature[1], v3_add(contact->point, half), n);
    const thud_gap gap = make_gap(&a, &b, match(&a, &b, n), n1);
    if (agrees(&gap, &a, &b, contact)) {
        return gap;
    }
    return make_gap(&a, &b, as_plane(&a, &b), n1);
}

thud_gap thud_contact_gap(const thud_model *m, const thud_pose *X_wg, const thud_contact *contact)
{
    const int g1 = contact->geom1, g2 = contact->geom2;
    const thud_pair_contact p = pair_of(contact);
    return thud_gap_of_contact(&m->geom_shape[g1], X_wg[g1], &m->geom_shape[g2], X_wg[g2], &p);
}
