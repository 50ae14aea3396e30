// SPDX-License-Identifier: Apache-2.0
// surfaces.c: geoms that touch others alike.
//
// Of thousands of geoms most have the same few surfaces, and the law of two of them is read from ten arrays of the model for
// each. Whoever asks pair after pair need not where both surfaces are those of the pair before.
//
// Cost     O(geoms KINDS). A geom of a further kind has a surface of its own, and so has one with an axis, which turns with it.
#include "collider.h"

static bool alike(const thud_model *m, int g, int h)
{
    const double *f = m->geom_friction + 3 * (size_t)g, *e = m->geom_friction + 3 * (size_t)h;
    return m->geom_priority[g] == m->geom_priority[h] && m->geom_condim[g] == m->geom_condim[h] &&
           f[0] == e[0] && f[1] == e[1] && f[2] == e[2] && m->geom_margin[g] == m->geom_margin[h] &&
           m->geom_gap[g] == m->geom_gap[h] && m->geom_restitution[g] == m->geom_restitution[h] &&
           m->geom_friction_kinetic[g] == m->geom_friction_kinetic[h] &&
           m->geom_friction_viscous[g] == m->geom_friction_viscous[h] &&
           m->geom_stribeck[g] == m->geom_stribeck[h];
}

static bool has_axis(const thud_model *m, int g)
{
    const thud_vec3 a = m->geom_friction_axis[g];
    return a.x != 0 || a.y != 0 || a.z != 0;
}

void surfaces_find(const thud_model *m, int *surface)
{
    enum { KINDS = 16 };
    int kind[KINDS], kinds = 0;
    for (int g = 0; g < m->geoms; g++) {
        int k = 0;
        while (k < kinds && !alike(m, g, kind[k])) {
            k++;
        }
        if (k == kinds && kinds < KINDS && !has_axis(m, g)) {
            kind[kinds++] = g;
        }
        surface[g] = k < kinds && !has_axis(m, g) && m->pairs == 0 ? k : -1;
    }
}
