// SPDX-License-Identifier: Apache-2.0
// judge_place.c: whether a contact acts on the surfaces of its two bodies, along their normal, in three axes that are a frame.
//
//     |x - x_q| <= way, or the distance of x to either surface <= that of x_q + way
//     |n - n_q| <= 2 (turn + way / r)
//
// Symbols  x, n point and normal that the rows took · x_q, n_q those of the query, made at another moment of the step · turn of both
//          bodies in the step, rad · r the smaller geom's radius
// Why two  a lying cylinder's point runs along its line as it rocks: it is far from where it was and still on both surfaces. And
//          where the middle of a step was guessed badly, surfaces are not where they were: that is the step's error, not the row's.
// Cost     a few products for a contact; the distances, O(faces) of a hull, only where the point is far from where it was.
#include <math.h>

#include "approach.h"
#include "doubts.h"

static const double PART =
    0.05; // of the size of the bodies: the quick way of the point where two edges cross
static const double ROUND = 1e-9; // of axes

static double of_box(const double half[3], vec3 x)
{
    const vec3 q = v3(fabs(x.x) - half[0], fabs(x.y) - half[1], fabs(x.z) - half[2]);
    const double inside = thud_min(thud_max(q.x, thud_max(q.y, q.z)), 0);
    return inside + v3_norm(v3(thud_max(q.x, 0), thud_max(q.y, 0), thud_max(q.z, 0)));
}

// The signed distance of a point to a shape, or less outside of edges; of an ellipsoid to first order.
static double distance(const thud_shape *shape, vec3 x)
{
    const double *s = shape->size;
    switch (shape->kind) {
    case THUD_SHAPE_PLANE:
        return x.z;
    case THUD_SHAPE_SPHERE:
        return v3_norm(x) - s[0];
    case THUD_SHAPE_CAPSULE:
        return v3_norm(v3(x.x, x.y, x.z - thud_max(-s[1], thud_min(x.z, s[1])))) - s[0];
    case THUD_SHAPE_CYLINDER:
        return of_box((double[3]){s[0], s[1], INFINITY}, v3(sqrt(x.x * x.x + x.y * x.y), x.z, 0));
    case THUD_SHAPE_BOX:
        return of_box(s, x);
    case THUD_SHAPE_ELLIPSOID: {
        const vec3 a = v3(x.x / s[0], x.y / s[1], x.z / s[2]), g = v3(a.x / s[0], a.y / s[1], a.z / s[2]);
        const double k = v3_norm(a);
        return k > 0 ? k * (k - 1) / v3_norm(g) : -thud_min(s[0], thud_min(s[1], s[2]));
    }
    case THUD_SHAPE_HULL: {
        double most = -INFINITY;
        for (int f = 0; f < shape->hull->faces; f++) {
            most = thud_max(most, v3_dot(shape->hull->face[f].normal, x) - shape->hull->face[f].offset);
        }
        return most;
    }
    case THUD_SHAPE_HFIELD:
        break;
    }
    return 0; // uneven: not known
}

// How far the point is from the surface of a geom, where the links are.
static double off_surface(const thud_sim *sim, int geom, int body, vec3 point)
{
    const thud_pose X = sim_frame(sim, body, sim->m->geom_pose[geom]);
    return fabs(distance(&sim->m->geom_shape[geom], q_unrotate(X.q, v3_sub(point, X.p))));
}

static double off_surfaces(const thud_sim *sim, const thud_contact *of, vec3 point)
{
    return thud_max(off_surface(sim, of->geom1, of->body1, point),
                    off_surface(sim, of->geom2, of->body2, point));
}

static double off_frame(const thud_block *b)
{
    double worst = 0;
    for (int r = 0; r < 3 && b->dim > 1; r++) {
        for (int s = 0; s < 3; s++) {
            worst = thud_max(worst, fabs(v3_dot(b->frame[r], b->frame[s]) - (r == s)) - ROUND);
        }
    }
    return worst;
}

// rad: how far a curved geom turns across its own axis in h: about it, a cylinder or capsule stays what it was, and a ball always.
static double curved_turn(const thud_sim *sim, int geom, int body, double h)
{
    const thud_shape_kind kind = sim->m->geom_shape[geom].kind;
    const int link = sim->m->body_link[body];
    const bool round = kind == THUD_SHAPE_CAPSULE || kind == THUD_SHAPE_CYLINDER;
    if (link < 0 || !(round || kind == THUD_SHAPE_ELLIPSOID)) {
        return 0;
    }
    const vec3 w = v3_scale(0.5, v3_add(sim->fall.V[link].ang, sim->fall.V_hat[link].ang));
    const vec3 axis = q_rotate(sim_frame(sim, body, sim->m->geom_pose[geom]).q, v3(0, 0, 1));
    return h * v3_norm(round ? v3_axpy(-v3_dot(w, axis), axis, w) : w);
}

void sim_judge_spin(thud_sim *sim, const thud_contact *of, double h)
{
    static const double MOST = 0.1; // rad
    const double turn =
        thud_max(curved_turn(sim, of->geom1, of->body1, h), curved_turn(sim, of->geom2, of->body2, h));
    doubts_raise(sim->judge.doubts, THUD_DOUBT_SPIN, doubt_between_geoms(sim->m, of->geom1, of->geom2), turn,
                 MOST);
}

double sim_misplaced(const thud_sim *sim, const thud_contact *of, const thud_block *b, double speed, double h)
{
    const int link[2] = {sim->m->body_link[of->body1], sim->m->body_link[of->body2]};
    const int geom[2] = {of->geom1, of->geom2};
    double size = 0, turn = 0, least = INFINITY, worst = off_frame(b);
    for (int k = 0; k < 2; k++) {
        const double radius = thud_shape_radius(&sim->m->geom_shape[geom[k]]);
        least = radius > 0 ? thud_min(least, radius) : least;
        if (link[k] >= 0) {
            size = thud_max(size, sim->sight.extent[link[k]]);
            turn += h * (v3_norm(sim->fall.V[link[k]].ang) + v3_norm(sim->fall.V_hat[link[k]].ang));
        }
    }
    if (!(size > 0)) {
        return worst;
    }
    const double way = h * speed + fabs(of->phi) + size * (PART + thud_min(turn, 2));
    const double off = v3_norm(v3_sub(b->point, of->point)) - way;
    if (off > 0) {
        const double surface = off_surfaces(sim, of, b->point) - off_surfaces(sim, of, of->point);
        worst = thud_max(worst, thud_min(off, surface - way) / size);
    }
    const double tilt = v3_norm(v3_sub(b->frame[0], of->normal));
    return thud_max(worst, tilt - 2 * (turn + way / thud_min(size, least)));
}
