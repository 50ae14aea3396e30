// SPDX-License-Identifier: Apache-2.0
// approach.h: how fast the two bodies of a contact are at a point, for link velocities V. Private to the room; asked of every
// contact in every step.
#pragma once

#include <contact/door.h>

#include "sim.h"

static inline vec3 point_velocity(const thud_sim *sim, const thud_motion *V, int body, vec3 x)
{
    return contact_point_velocity(sim->m, sim->d, V, body, x);
}

// The bodies of a contact lie anywhere in memory: those of one that is asked about soon are fetched now.
enum { FETCH = 8 }; // contacts before
static inline void fetch_bodies(const thud_sim *sim, const thud_motion *V, const thud_contact *c)
{
    const int body[2] = {c->body1, c->body2};
    for (int k = 0; k < 2; k++) {
        const int link = sim->m->body_link[body[k]], at = link < 0 ? 0 : link;
        __builtin_prefetch(&sim->d->link[at].o);
        __builtin_prefetch(&V[at]);
        __builtin_prefetch(&V[at].lin.z); // half of them lie across two lines
    }
}

static inline void fetch_contact(const thud_contact *c)
{
    __builtin_prefetch(c);
    __builtin_prefetch(&c->normal);
    __builtin_prefetch(&c->phi);
}

static inline vec3 relative_velocity(const thud_sim *sim, const thud_motion *V, const thud_contact *c, vec3 x)
{
    return contact_velocity(sim->m, sim->d, V, c, x);
}

// Velocity of body 2 against body 1 at x: along the normal; along normal and tangents.
static inline double sim_approach(const thud_sim *sim, const thud_motion *V, const thud_contact *c, vec3 x,
                                  vec3 n)
{
    return v3_dot(n, relative_velocity(sim, V, c, x));
}

static inline void sim_slip(const thud_sim *sim, const thud_motion *V, const thud_contact *c, vec3 x,
                            const vec3 frame[3], double u[3])
{
    const vec3 v = relative_velocity(sim, V, c, x);
    for (int k = 0; k < 3; k++) {
        u[k] = v3_dot(frame[k], v);
    }
}

// How fast both bodies are at x, added.
static inline double sim_speeds(const thud_sim *sim, const thud_motion *V, const thud_contact *c, vec3 x)
{
    return v3_norm(point_velocity(sim, V, c->body1, x)) + v3_norm(point_velocity(sim, V, c->body2, x));
}

// How far a contact that speeds reach is from the surfaces and the normal of its bodies, as a part of their size. judge_place.c
double sim_misplaced(const thud_sim *sim, const thud_contact *of, const thud_block *b, double speed,
                     double h);

// A curved geom that turns far while it presses on another is doubted. V and V_hat as in judge_step.c. judge_place.c
void sim_judge_spin(thud_sim *sim, const thud_contact *of, double h);

double
sim_width(const thud_shape *shape); // the least of a geom, m; infinite for what fills half the space. trust.c
double sim_least_width(thud_sim *sim); // of all geoms that can touch
