// SPDX-License-Identifier: Apache-2.0
// loop_terms.c: terms of the rows of equalities: the polynomial of a gear, the velocity of a row.
#include <thud/spatial_inline.h>

#include "loops.h"

double loop_polynomial(const thud_model *m, int e, double x, double *slope)
{
    const double *c = m->eq_polycoef + 5 * (size_t)e;
    double f = 0;
    *slope = 0;
    for (int k = 4; k >= 0; k--) {
        *slope = *slope * x + f;
        f = f * x + c[k];
    }
    return f;
}

double loop_row_velocity(const thud_sim *sim, const thud_motion *velocity, const thud_force *row, int body)
{
    const int link = sim->m->body_link[body];
    if (link < 0) {
        return 0;
    }
    const thud_motion *V = &velocity[link];
    const vec3 at_origin = v3_sub(V->lin, v3_cross(V->ang, sim->d->link[link].o));
    return v3_dot(row->ang, V->ang) + v3_dot(row->lin, at_origin);
}
