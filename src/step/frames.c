// SPDX-License-Identifier: Apache-2.0
// frames.c: where frames of bodies are, and how fast links turn, where the links are.
#include <math.h>

#include <thud/spatial_inline.h>

#include "sim.h"

static thud_pose link_pose(const thud_sim *sim, int link)
{
    return (thud_pose){q_of_m3(&sim->d->link[link].R), sim->d->link[link].o};
}

thud_pose sim_frame(const thud_sim *sim, int body, thud_pose in_body)
{
    THUD_ASSERT(body >= 0 && body < sim->m->bodies);
    const thud_model *m = sim->m;
    const int link = m->body_link[body];
    const thud_pose X_lf = pose_mul(m->body_in_link[body], in_body);
    if (link < 0) {
        return X_lf;
    }
    return pose_mul(link_pose(sim, link), X_lf);
}

static inline double fastest_of(const thud_sim *sim, int first, int end) // (rad/s)^2
{
    double fastest = 0;
    for (int i = first; i < end; i++) {
        const thud_vec3 w = sim->d->link[i].w;
        fastest = greater_of(w.x * w.x + w.y * w.y + w.z * w.z, fastest);
    }
    return fastest;
}

static void find_fastest(const void *of, int first, int end, double *here)
{
    *here = fastest_of(of, first, end);
}

double sim_fastest_turn(const thud_sim *sim)
{
    enum { LEAST = 500 }; // links
    double fastest;
    if (!sim->pool) {
        return sqrt(fastest_of(sim, 0, sim->m->joints));
    }
    thud_pool_most(sim->pool, sim->m->joints, LEAST, find_fastest, sim, 1, &fastest);
    return sqrt(fastest);
}
