// SPDX-License-Identifier: Apache-2.0
// gap_rate.c: how fast a contact's normal and point move over the surfaces.                   [BW 9; theory 5]
//
//     vertex on a face     n' = w1 x n                              the point is the vertex
//     edge across edge     n' = (e1 x e2)' across n, over |e1 x e2|   the point runs along both edges
//     ball on ball         n' = (c2 - c1)' across n, over |c2 - c1|   for which Baraff's n' of a face is wrong
//
// Fails    Lines that become parallel and balls that become concentric: n' is 0 there.
// Symbols  e an edge's direction, e' = w x e · c a ball's centre · h its height over a face
// Differs  Baraff differentiates n alone, his points being fixed on their bodies. The point's rate does for
//          every shape what the factor 2 of his 2 n' . (p_a' - p_b') does for a vertex.
#include <thud/collide_gap.h>
#include <thud/spatial_inline.h>

typedef struct moving { // a vector and its rate
    vec3 x, rate;
} moving;

static moving point_on(pose X, thud_motion V, vec3 at) // at and axis in the frame of the solid
{
    const vec3 r = q_rotate(X.q, at);
    return (moving){v3_add(X.p, r), v3_add(V.lin, v3_cross(V.ang, r))};
}

static moving axis_of(pose X, thud_motion V, vec3 axis)
{
    const vec3 e = q_rotate(X.q, axis);
    return (moving){e, v3_cross(V.ang, e)};
}

static moving minus(moving a, moving b)
{
    return (moving){v3_sub(a.x, b.x), v3_sub(a.rate, b.rate)};
}

static moving cross(moving a, moving b)
{
    return (moving){v3_cross(a.x, b.x), v3_add(v3_cross(a.rate, b.x), v3_cross(a.x, b.rate))};
}

static double dot_rate(moving a, moving b)
{
    return v3_dot(a.rate, b.x) + v3_dot(a.x, b.rate);
}

static moving along(moving start, moving direction, double s, double s_rate) // start + s direction
{
    return (moving){v3_axpy(s, direction.x, start.x),
                    v3_axpy(s_rate, direction.x, v3_axpy(s, direction.rate, start.rate))};
}

static moving unit(moving a)
{
    const double length = v3_norm(a.x);
    if (!(length > 0)) {
        return (moving){0};
    }
    const vec3 n = v3_scale(1 / length, a.x);
    return (moving){n, v3_scale(1 / length, v3_axpy(-v3_dot(n, a.rate), n, a.rate))};
}

// Two cores with radii, n the direction from the first to the second.
static thud_gap_rate between(moving c1, double r1, moving c2, double r2, moving n)
{
    const vec3 middle = v3_scale(0.5, v3_add(c1.rate, c2.rate));
    return (thud_gap_rate){n.rate, v3_axpy(0.5 * (r1 - r2), n.rate, middle)};
}

static thud_gap_rate plane_ball(moving x, moving n, moving c, double radius)
{
    const moving d = minus(c, x);
    const double h = v3_dot(n.x, d.x);
    return between(along(c, n, -h, -dot_rate(n, d)), 0, c, radius, n);
}

static thud_gap_rate ball_ball(moving c1, double r1, moving c2, double r2)
{
    return between(c1, r1, c2, r2, unit(minus(c2, c1)));
}

static moving foot_on_line(moving line, moving e, moving p)
{
    const moving d = minus(p, line);
    return along(line, e, v3_dot(e.x, d.x), dot_rate(e, d));
}

static thud_gap_rate line_line(moving l1, moving e1, double r1, moving l2, moving e2, double r2, vec3 normal)
{
    const moving w = minus(l2, l1), c = cross(e1, e2), we2 = cross(w, e2), we1 = cross(w, e1);
    const double c2 = v3_norm2(c.x), c2_rate = dot_rate(c, c);
    if (!(c2 > 1e-12)) {
        return between(l1, r1, l2, r2, (moving){0}); // as gap.c has it: no common normal
    }
    const double s = v3_dot(we2.x, c.x) / c2, s_rate = (dot_rate(we2, c) - s * c2_rate) / c2;
    const double t = v3_dot(we1.x, c.x) / c2, t_rate = (dot_rate(we1, c) - t * c2_rate) / c2;
    moving n = unit(c);
    n.rate = v3_scale(v3_dot(c.x, normal) < 0 ? -1 : 1, n.rate);
    return between(along(l1, e1, s, s_rate), r1, along(l2, e2, t, t_rate), r2, n);
}

static thud_gap_rate turned(thud_gap_rate v) // the two sides exchanged
{
    return (thud_gap_rate){v3_neg(v.normal), v.point};
}

bool thud_gap_rate_at(const thud_gap *gap, thud_pose X_w1, thud_motion V1, thud_pose X_w2, thud_motion V2,
                      thud_gap_rate *out)
{
    const double r1 = gap->radius[0], r2 = gap->radius[1];
    const moving p1 = point_on(X_w1, V1, gap->at[0]), p2 = point_on(X_w2, V2, gap->at[1]);
    const moving e1 = axis_of(X_w1, V1, gap->axis[0]), e2 = axis_of(X_w2, V2, gap->axis[1]);
    switch (gap->kind) {
    case THUD_GAP_PLANE_BALL:
        *out = plane_ball(p1, e1, p2, r2);
        return true;
    case THUD_GAP_BALL_PLANE:
        *out = turned(plane_ball(p2, e2, p1, r1));
        return true;
    case THUD_GAP_BALL_BALL:
        *out = ball_ball(p1, r1, p2, r2);
        return true;
    case THUD_GAP_LINE_BALL:
        *out = ball_ball(foot_on_line(p1, e1, p2), r1, p2, r2);
        return true;
    case THUD_GAP_BALL_LINE:
        *out = ball_ball(p1, r1, foot_on_line(p2, e2, p1), r2);
        return true;
    case THUD_GAP_LINE_LINE:
        *out = line_line(p1, e1, r1, p2, e2, r2, q_rotate(X_w1.q, gap->normal));
        return true;
    case THUD_GAP_DISTANCE:
        break;
    }
    return false;
}
