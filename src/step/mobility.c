// SPDX-License-Identifier: Apache-2.0
// mobility.c: whether any joint can part the two bodies of a contact, along its normal, at its point. [theory 3, 7]
//
//     mobility = max over the dofs between the two bodies of  |n . dp/dq| / reach
//
// dp/dq is the velocity of the point with the dof (slide: s, hinge: s x r), reach how fast any point of what hangs on the dof could
// be (slide: 1, hinge: distance of the point and extent of the body). 0: the point moves along the surface whatever the joints do.
// Neighbouring links of a robot whose shapes overlap around their common axis, coaxial cylinders, are such pairs: a row for them has
// W_nn = 0, asks for motions without bound, and takes forces that hold nothing. It depends on positions alone, so that a
// restored state finds the same.
//
// Symbols  n normal, p point, s axis of a dof, r from its joint to the point
// Cost     the joints between two bodies of one tree, or between one and the world; nothing for free bodies.
#include <math.h>

#include <thud/spatial_inline.h>

#include "sim.h"

// Some contact may be between links of one tree, or between a tree that is fixed by a joint and the world.
bool mobility_asks(const thud_model *m)
{
    bool asks = false;
    for (int j = 0; j < m->joints; j++) {
        asks = asks || m->link_parent[j] >= 0 || m->joint_type[j] != THUD_JOINT_FREE;
    }
    return asks;
}

// Of the dofs of a link, about whose origin the motion is.
static double mobility_by(const thud_sim *sim, int link, vec3 n, vec3 p, double extent)
{
    const thud_model *m = sim->m;
    const vec3 r = v3_sub(p, sim->d->link[link].o);
    const double reach = v3_norm(r) + extent;
    double most = 0;
    for (int i = m->joint_v[link]; i < m->joint_v[link] + m->joint_dofs[link]; i++) {
        const thud_dof *dof = &sim->d->dof[i];
        const double rate = dof->linear ? fabs(v3_dot(n, dof->s)) : fabs(v3_dot(n, v3_cross(dof->s, r)));
        most = greater_of(dof->linear ? rate : reach > 0 ? rate / reach : 0, most);
    }
    return most;
}

double contact_mobility(const thud_sim *sim, const thud_contact *c)
{
    const thud_model *m = sim->m;
    int link[2] = {m->body_link[c->body1], m->body_link[c->body2]};
    double extent[2] = {0, 0}, most = 0;
    while (link[0] != link[1]) { // parents have lower numbers
        const int k = link[0] > link[1] ? 0 : 1, at = link[k];
        extent[k] = greater_of(sim->sight.extent[at], extent[k]);
        most = greater_of(mobility_by(sim, at, c->normal, c->point, extent[k]), most);
        link[k] = m->link_parent[at];
    }
    return most;
}

bool contact_can_part(const thud_sim *sim, const thud_contact *c)
{
    static const double LITTLE = 1e-6, OVERLAP = 1e-5, OF_OVERLAPS = 1e-2; // , m,
    return !sim->ask.jointed || contact_mobility(sim, c) > (c->phi < -OVERLAP ? OF_OVERLAPS : LITTLE);
}

bool settle_counts(const thud_sim *sim, const thud_contact *c)
{
    THUD_ASSERT(sim->go.given_up.count <= OVERLAPS);
    for (int k = 0; k < sim->go.given_up.count; k++) {
        const overlap *o = &sim->go.given_up.of[k];
        if (o->geom1 == c->geom1 && o->geom2 == c->geom2) {
            return false;
        }
    }
    return contact_can_part(sim, c);
}
