// SPDX-License-Identifier: Apache-2.0
// plane_loops.c: loops whose links move in parallel planes.
//
// A point that two bodies have in common is three equations. Where all joints between them are hinges about one direction n and
// slides across it, nothing can move the two points apart along n: that equation is 0 = 0 in every pose, W has nothing to
// answer it with but rounding, and of the forces that could act there the least is none. It is left out.
#include <thud/spatial_inline.h>

#include "loops.h"

// rad: as well as files that give directions to four digits say it. Rigid links would lock if they were so little out of their
// planes; here they move, and the certificate's drift of joints tells by how much their ends then pass each other.
static const double PARALLEL = 1e-4;

static bool turns(const thud_sim *sim, int i)
{
    return sim->m->joint_type[i] == THUD_JOINT_HINGE;
}

static bool agrees(const thud_sim *sim, int i, vec3 n)
{
    const vec3 axis = sim->d->dof[sim->m->joint_v[i]].s;
    const bool slides = sim->m->joint_type[i] == THUD_JOINT_SLIDE;
    return turns(sim, i) ? v3_norm(v3_cross(axis, n)) <= PARALLEL
                         : slides && v3_dot(axis, n) <= PARALLEL && v3_dot(axis, n) >= -PARALLEL;
}

// The next link on the way from a and b to the link that both hang on; -1 where they meet.
static int next_between(const thud_model *m, int *a, int *b)
{
    if (*a == *b) {
        return -1;
    }
    int *lower = *a > *b ? a : b; // parents come before their children
    const int link = *lower;
    *lower = m->link_parent[link];
    return link;
}

// The direction across the planes of the links between two bodies, where the links are; 0: there is none.
static vec3 normal_between(const thud_sim *sim, int body1, int body2)
{
    const thud_model *m = sim->m;
    const vec3 none = {0, 0, 0};
    vec3 n = none;
    int a = m->body_link[body1], b = m->body_link[body2];
    for (int i = next_between(m, &a, &b); i >= 0; i = next_between(m, &a, &b)) {
        n = turns(sim, i) ? sim->d->dof[m->joint_v[i]].s : n;
    }
    a = m->body_link[body1];
    b = m->body_link[body2];
    for (int i = next_between(m, &a, &b); i >= 0; i = next_between(m, &a, &b)) {
        n = agrees(sim, i, n) ? n : none;
    }
    return n;
}

// Links on a mocap body turn as the state has it.
static bool is_led(const thud_model *m, int body)
{
    return m->mocaps > 0 && m->body_link[body] < 0;
}

void loops_find_planes(thud_sim *sim)
{
    const thud_model *m = sim->m;
    sim_place(sim, m->qpos0);
    for (int e = 0; e < m->equalities; e++) {
        if (m->eq_type[e] == THUD_EQUALITY_CONNECT && !is_led(m, m->eq_obj1[e]) &&
            !is_led(m, m->eq_obj2[e])) {
            const thud_pose F1 = sim_frame(sim, m->eq_obj1[e], m->eq_frame1[e]);
            sim->ask.loop_across[e] = q_unrotate(F1.q, normal_between(sim, m->eq_obj1[e], m->eq_obj2[e]));
        }
    }
}
