// SPDX-License-Identifier: Apache-2.0
// muscles.c: the numbers of muscles, from what a file says of them: lengths in optimal lengths, forces in peak forces.
#include <math.h>

#include "mass_at_rest.h"

static const double TINY = 1e-15; // as MuJoCo: divisors are not less

static const char *called(const thud_spec_actuator *a)
{
    return a->name ? a->name : "(no name)";
}

// prm: operating range (2), force, scale, lmin, lmax, vmax, fpmax, fvmax.
static void set_numbers(const double prm[9], const double range[2], double acceleration, double *p)
{
    p[0] = prm[2] < 0 ? prm[3] / thud_max(TINY, acceleration) : prm[2];
    p[1] = prm[0];
    p[2] = range[0];
    p[3] = thud_max(TINY, (range[1] - range[0]) / thud_max(TINY, prm[1] - prm[0]));
    for (int k = 4; k < 9; k++) {
        p[k] = prm[k];
    }
}

static thud_status build_muscle(builder *b, int i, rest_mass *r)
{
    thud_model *m = b->m;
    const thud_spec_actuator *a = &b->spec->actuator[i];
    const bool pulls = a->gain == THUD_GAIN_MUSCLE, stretches = a->bias == THUD_BIAS_MUSCLE;
    double range[2] = {a->lengthrange[0], a->lengthrange[1]}, acceleration = 0;
    m->actuator_muscle[i] = (pulls ? 1 : 0) | (stretches ? 2 : 0);
    if (!pulls && !stretches) {
        return THUD_OK;
    }
    if (!(range[0] < range[1])) {
        THUD_TRY(model_find_length_range(b, i, range));
    }
    if ((pulls && a->gainprm[2] < 0) || (stretches && a->biasprm[2] < 0)) {
        THUD_TRY(r->m ? THUD_OK : model_rest_create(m, r));
        if (!r->regular) {
            return FAIL_AT(
                b, a->place,
                "the force of muscle '%s' is to follow from the mass it moves, and some joint moves none",
                called(a));
        }
        THUD_TRY(model_rest_lever(b, i, r));
        acceleration = model_rest_acceleration(r, r->J);
    }
    if (pulls) {
        set_numbers(a->gainprm, range, acceleration, m->actuator_pull + 9 * (size_t)i);
    }
    if (stretches) {
        set_numbers(a->biasprm, range, acceleration, m->actuator_passive + 9 * (size_t)i);
    }
    return THUD_OK;
}

thud_status model_build_muscles(builder *b)
{
    rest_mass r = {0};
    thud_status status = THUD_OK;
    for (int i = 0; i < b->m->actuators && status == THUD_OK; i++) {
        status = build_muscle(b, i, &r);
    }
    model_rest_clear(&r);
    return status;
}
