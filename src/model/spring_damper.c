// SPDX-License-Identifier: Apache-2.0
// spring_damper.c: joints whose spring and damper are written as a time constant T and a damping ratio z.
//
//     I = n / sum of (M^-1)_ii over the joint's n dofs        M at the reference pose, armature included
//     stiffness = I / (T z)^2,   damping = 2 I / T            as MuJoCo's mjCModel::AutoSpringDamper
#include <math.h>

#include "mass_at_rest.h"

static bool asks(const builder *b, int j)
{
    const double *word = b->spec->joint[b->joint_of[j]].springdamper;
    return word[0] > 0 && word[1] > 0;
}

static thud_status set_joint(builder *b, int j, const rest_mass *r)
{
    thud_model *m = b->m;
    const thud_spec_joint *joint = &b->spec->joint[b->joint_of[j]];
    const double T = joint->springdamper[0], Tz = T * joint->springdamper[1];
    const double least = 1e-15; // MuJoCo's mjMINVAL
    const int dofs = m->joint_dofs[j], first = m->joint_v[j];
    double sum = 0;
    if (!r->regular) {
        return FAIL_AT(b, joint->place,
                       "springdamper of joint '%s' asks what mass it moves, and some joint moves none",
                       joint->name ? joint->name : "(no name)");
    }
    for (int k = 0; k < dofs; k++) {
        for (int i = 0; i < m->nv; i++) {
            r->J[i] = i == first + k;
        }
        sum += model_rest_give(r, r->J);
    }
    const double I = dofs / fmax(least, sum);
    m->joint_stiffness[j] = m->spring_on ? I / fmax(least, Tz * Tz) : 0;
    m->has_springs |= m->joint_stiffness[j] > 0;
    for (int k = first; k < first + dofs; k++) {
        m->dof_damping[k] = m->damper_on ? 2 * I / fmax(least, T) : 0;
    }
    return THUD_OK;
}

thud_status model_build_spring_dampers(builder *b)
{
    rest_mass r = {0};
    thud_status status = THUD_OK;
    for (int j = 0; j < b->m->joints && status == THUD_OK; j++) {
        if (asks(b, j)) {
            status = r.m ? THUD_OK : model_rest_create(b->m, &r);
            status = status == THUD_OK ? set_joint(b, j, &r) : status;
        }
    }
    model_rest_clear(&r);
    return status;
}
