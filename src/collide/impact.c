// SPDX-License-Identifier: Apache-2.0
// impact.c: when two moving shapes meet, by conservative advancement and by bracketing [BW 7.1].
//
// Symbols  d, n     signed distance and its direction from shape 1 to 2 at time t
//          v, w     velocity of a frame's origin, angular speed; r how far from it a point can matter
// Advance  A plane across n parts the shapes with d to spare, so they cannot touch before
//              t + d / (n . (v1 - v2) + w1 r1 + w2 r2).
//          Only the points of a shape that can reach the other matter: r1 <= |o2 - o1| + radius of 2, so even
//          an infinite plane may turn.
// Bracket  False position with the Illinois rule on d - tolerance/2, a bisection when it stalls; one end is
//          apart by more than the tolerance, the other not.
// Cost     One distance an evaluation; the witness of the last is reused, which changes no number.
// Fails    A long graze may end at the limit of evaluations: the time returned is still before any contact.
#include <thud/collide_gap.h>
#include <thud/spatial_inline.h>

enum { ADVANCE_LIMIT = 10000, BRACKET_LIMIT = 200 };

thud_pose thud_path_at(const thud_path *path, double t)
{
    if (path->at) {
        return path->at(path->user, t);
    }
    return (thud_pose){q_normalize(q_mul(q_exp(v3_scale(t, path->twist.ang)), path->start.q)),
                       v3_axpy(t, path->twist.lin, path->start.p)};
}

typedef struct search { // the two motions, and the last distance seen
    const thud_shape *shape[2];
    const thud_path *path[2];
    thud_pair_cache cache;
    thud_vec3 origin[2];
    thud_impact best; // the latest time seen apart
} search;

// Distance at time t; remembers it if they are apart.
static double distance_at(search *s, double t)
{
    const pose X1 = thud_path_at(s->path[0], t), X2 = thud_path_at(s->path[1], t);
    thud_pair_gap gap = {0};
    const double d = thud_pair_distance(s->shape[0], X1, s->shape[1], X2, &s->cache, &gap);
    s->best.evaluations++;
    if (isnan(d)) {
        s->best.outcome = THUD_IMPACT_NOT_FINITE;
    } else if (d > 0 || t == 0) {
        s->best.time = t;
        s->best.gap = gap;
        s->origin[0] = X1.p;
        s->origin[1] = X2.p;
    }
    return d;
}

static double product(double spin, double radius) // 0 also for an infinite shape that does not turn
{
    return spin > 0 ? spin * radius : 0;
}

// The radius about the origin of what moves when the shape turns: of its core, without the ball around that.
static double turning_radius(const thud_shape *shape)
{
    switch (shape->kind) {
    case THUD_SHAPE_SPHERE:
        return 0;
    case THUD_SHAPE_CAPSULE:
        return shape->size[1];
    default:
        return thud_shape_radius(shape);
    }
}

// The most by which the shapes can approach along n in a second, over the remaining time.
static double approach(const search *s, vec3 n, double remaining)
{
    double speed = 0, spin[2], extra = 0;
    for (int i = 0; i < 2; i++) {
        const thud_path *p = s->path[i];
        const double along = v3_dot(n, p->twist.lin);
        speed += p->at ? p->speed : i ? -along : along;
        extra += p->at ? p->speed : v3_norm(p->twist.lin);
        spin[i] = p->at ? p->spin : v3_norm(p->twist.ang);
    }
    const double apart = v3_norm(v3_sub(s->origin[1], s->origin[0])) + extra * remaining;
    const double r1 = thud_shape_radius(s->shape[0]), r2 = thud_shape_radius(s->shape[1]);
    return speed + product(spin[0], thud_min(turning_radius(s->shape[0]), apart + r2)) +
           product(spin[1], thud_min(turning_radius(s->shape[1]), apart + r1));
}

static search start(const thud_shape *first, const thud_path *path1, const thud_shape *second,
                    const thud_path *path2, double duration, double tolerance)
{
    search s = {.shape = {first, second}, .path = {path1, path2}};
    if (!(tolerance > 0) || !(duration >= 0) || !isfinite(duration)) {
        s.best.outcome = THUD_IMPACT_NOT_FINITE;
    }
    return s;
}

static thud_impact finish(search *s, thud_impact_outcome outcome)
{
    if (s->best.outcome != THUD_IMPACT_NOT_FINITE) {
        s->best.outcome = outcome;
    }
    return s->best;
}

thud_impact thud_impact_advance(const thud_shape *first, const thud_path *path1, const thud_shape *second,
                                const thud_path *path2, double duration, double tolerance)
{
    search s = start(first, path1, second, path2, duration, tolerance);
    double t = 0, d = distance_at(&s, 0);
    if (d <= 0) {
        return finish(&s, THUD_IMPACT_AT_START);
    }
    while (s.best.outcome != THUD_IMPACT_NOT_FINITE) {
        if (d <= tolerance) {
            return finish(&s, THUD_IMPACT_FOUND);
        }
        const double speed = isinf(d) ? 0 : approach(&s, s.best.gap.normal, duration - t);
        if (isnan(speed)) {
            return finish(&s, THUD_IMPACT_NOT_FINITE);
        }
        if (speed <= 0 || t >= duration) {
            return finish(&s, THUD_IMPACT_NONE);
        }
        if (s.best.evaluations >= ADVANCE_LIMIT) {
            return finish(&s, THUD_IMPACT_LIMIT);
        }
        t = thud_min(duration,
                     t + (d - 0.5 * tolerance) / speed); // half is left, so that rounding cannot touch
        d = distance_at(&s, t);
    }
    return s.best;
}

thud_impact thud_impact_bracket(const thud_shape *first, const thud_path *path1, const thud_shape *second,
                                const thud_path *path2, double duration, double tolerance)
{
    search s = start(first, path1, second, path2, duration, tolerance);
    double a = 0, da = distance_at(&s, a); // the end that is apart
    if (da <= 0) {
        return finish(&s, THUD_IMPACT_AT_START);
    }
    double b = duration, db = distance_at(&s, b); // the end that overlaps
    if (db > tolerance) {
        return finish(&s, THUD_IMPACT_NONE);
    }
    double fa = da - 0.5 * tolerance, fb = db - 0.5 * tolerance;
    int stayed = 0; // how often running b stayed (> 0) or a did (< 0)
    while (s.best.outcome != THUD_IMPACT_NOT_FINITE) {
        if (s.best.gap.dist <= tolerance) {
            return finish(&s, THUD_IMPACT_FOUND);
        }
        if (s.best.evaluations >= BRACKET_LIMIT) {
            return finish(&s, THUD_IMPACT_LIMIT);
        }
        double t = a + (b - a) * fa / (fa - fb);
        if (!(t > a && t < b) || s.best.evaluations % 4 == 3) {
            t = 0.5 * (a + b);
        }
        const double f = distance_at(&s, t) - 0.5 * tolerance;
        if (f > 0) {
            a = t;
            fa = f;
            stayed = stayed > 0 ? stayed + 1 : 1;
            fb = stayed > 1 ? 0.5 * fb : fb; // Illinois: an end that stays counts half
        } else {
            b = t;
            fb = f;
            stayed = stayed < 0 ? stayed - 1 : -1;
            fa = stayed < -1 ? 0.5 * fa : fa;
        }
    }
    return s.best;
}
