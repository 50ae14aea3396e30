// SPDX-License-Identifier: Apache-2.0
// island_touch.c: a block's impulses as vectors of the world.
#include <math.h>

#include <thud/contact_touch.h>
#include <thud/spatial_inline.h>

static const double ON_CONE = 1e-6; // relative; solvers stop at 1e-8 of the velocities
static const double SLIP = 1e-6;    // m/s; less is the tolerance of what sticks

// Friction without a normal impulse comes from laws whose bounds lag a step behind.
static bool carries(const thud_block *b, const double *p)
{
    return p[0] > 0 || (b->dim > 1 && p[1] != 0) || (b->dim > 2 && p[2] != 0);
}

bool thud_island_touch(const thud_island *island, int k, thud_touch *out)
{
    const thud_block *b = &island->block[k];
    const double *p = island->p + b->row, *mu = island->cone[k].mu;
    if (b->kind != THUD_BLOCK_CONTACT || !carries(b, p)) {
        return false;
    }
    *out = (thud_touch){.geom1 = b->geom1,
                        .geom2 = b->geom2,
                        .body1 = b->body1,
                        .body2 = b->body2,
                        .point = b->point,
                        .normal = b->frame[0],
                        .impulse = v3_scale(p[0], b->frame[0]),
                        .normal_impulse = p[0],
                        .duration = island->h};
    const double *u = island->u_before + b->row;
    double across = 0, used = 0, slip = 0;
    for (int r = 1; r < b->dim && r < 3; r++) {
        out->impulse = v3_axpy(p[r], b->frame[r], out->impulse);
        out->friction[r - 1] = mu[r - 1];
        across += p[r] * p[r];
        slip += u[r] * u[r];
        used += mu[r - 1] > 0 ? p[r] * p[r] / (mu[r - 1] * mu[r - 1]) : 0;
    }
    out->friction_impulse = sqrt(across);
    out->used = used > 0 ? sqrt(used) / p[0] : 0;
    out->slip = sqrt(slip);
    out->slides = out->used > 1 - ON_CONE && out->slip > SLIP;
    return true;
}
