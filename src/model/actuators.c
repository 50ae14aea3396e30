// SPDX-License-Identifier: Apache-2.0
// actuators.c: actuators of a model: what they act on, their forces and activations.
#include <math.h>
#include <string.h>

#include "build.h"

static const char *called(const char *name)
{
    return name ? name : "(no name)";
}

int model_count_activations(const thud_spec *spec)
{
    int count = 0;
    for (int i = 0; i < spec->actuators; i++) {
        count += spec->actuator[i].dynamics != THUD_DYNAMICS_NONE;
    }
    return count;
}

// ---------------------------------------------------------------------------------------------- checks

static bool finite_numbers(const double *x, int n)
{
    bool good = true;
    for (int i = 0; i < n; i++) {
        good &= isfinite(x[i]);
    }
    return good;
}

static bool exists(const thud_spec *s, const thud_spec_actuator *a)
{
    const bool site = a->transmission == THUD_TRANSMISSION_SITE,
               crank = a->transmission == THUD_TRANSMISSION_SLIDER_CRANK;
    const int count = site || crank                                 ? s->sites
                      : a->transmission == THUD_TRANSMISSION_BODY   ? s->bodies
                      : a->transmission == THUD_TRANSMISSION_TENDON ? s->tendons
                                                                    : s->joints;
    return (unsigned)a->transmission <= THUD_TRANSMISSION_BODY && a->target >= 0 && a->target < count &&
           a->refsite < s->sites && a->slidersite < s->sites &&
           (!crank || (a->slidersite >= 0 && a->cranklength > 0));
}

static thud_status check_range(builder *b, const thud_spec_actuator *a, bool limited, const double range[2],
                               const char *what)
{
    return !limited || (finite_numbers(range, 2) && range[0] < range[1])
               ? THUD_OK
               : FAIL_AT(b, a->place, "the %s range of actuator '%s' must grow: it is %g to %g", what,
                         called(a->name), range[0], range[1]);
}

static bool is_limited(thud_tristate word, bool has_range)
{
    return word == THUD_TRUE || (word == THUD_AUTO && has_range);
}

static thud_status check_actuator(builder *b, const thud_spec_actuator *a)
{
    if (!exists(b->spec, a)) {
        return FAIL_AT(b, a->place, "actuator '%s' acts on something that does not exist", called(a->name));
    }
    if (!finite_numbers(a->gear, 6) || !isfinite(a->cranklength) || !(a->dampratio >= 0)) {
        return FAIL_AT(b, a->place, "actuator '%s' has a number that is not finite", called(a->name));
    }
    if (!finite_numbers(a->dynprm, 3) || !finite_numbers(a->gainprm, 9) || !finite_numbers(a->biasprm, 9) ||
        !finite_numbers(a->lengthrange, 2)) {
        return FAIL_AT(b, a->place, "actuator '%s' has a number that is not finite", called(a->name));
    }
    if ((unsigned)a->dynamics > THUD_DYNAMICS_MUSCLE || (unsigned)a->gain > THUD_GAIN_MUSCLE ||
        (unsigned)a->bias > THUD_BIAS_MUSCLE || a->actdim > 1 ||
        (a->actdim == 1 && a->dynamics == THUD_DYNAMICS_NONE)) {
        return FAIL_AT(b, a->place, "actuator '%s' has dynamics that are not known here", called(a->name));
    }
    THUD_TRY(check_range(b, a, is_limited(a->ctrllimited, a->has_ctrlrange), a->ctrlrange, "control"));
    THUD_TRY(check_range(b, a, is_limited(a->forcelimited, a->has_forcerange), a->forcerange, "force"));
    return check_range(b, a, is_limited(a->actlimited, a->has_actrange), a->actrange, "activation");
}

// ---------------------------------------------------------------------------------------------- build

static void fill(builder *b, int i, int *activations)
{
    thud_model *m = b->m;
    const thud_spec_actuator *a = &b->spec->actuator[i];
    const size_t k = (size_t)i;
    const bool site = a->transmission == THUD_TRANSMISSION_SITE,
               crank = a->transmission == THUD_TRANSMISSION_SLIDER_CRANK;
    const int second = crank ? a->slidersite : site ? a->refsite : -1;
    m->actuator_transmission[i] = (int)a->transmission;
    m->actuator_target[i] =
        site || crank ? b->site_at[a->target]
        : a->transmission == THUD_TRANSMISSION_TENDON || a->transmission == THUD_TRANSMISSION_BODY
            ? a->target
            : b->joint_at[a->target];
    m->actuator_reference[i] = second < 0 ? -1 : b->site_at[second];
    memcpy(m->actuator_gear + 6 * k, a->gear, sizeof a->gear);
    m->actuator_cranklength[i] = a->cranklength;
    m->actuator_dynamics[i] = (int)a->dynamics;
    m->actuator_act[i] = a->dynamics == THUD_DYNAMICS_NONE ? -1 : (*activations)++;
    m->actuator_actearly[i] = a->actearly;
    m->actuator_timeconst[i] = thud_max(a->dynprm[0], 1e-15); // as MuJoCo: 0 follows at once
    for (int n = 0; n < 3; n++) {
        const bool muscle = a->gain == THUD_GAIN_MUSCLE;
        m->actuator_dynprm[3 * k + n] = a->dynamics == THUD_DYNAMICS_MUSCLE ? a->dynprm[n] : 0;
        m->actuator_gain[3 * k + n] = (n == 0 && !muscle) || a->gain == THUD_GAIN_AFFINE ? a->gainprm[n] : 0;
        m->actuator_bias[3 * k + n] = a->bias == THUD_BIAS_AFFINE ? a->biasprm[n] : 0;
    }
    m->actuator_limited[3 * i] = is_limited(a->ctrllimited, a->has_ctrlrange) && m->clampctrl_on;
    m->actuator_limited[3 * i + 1] = is_limited(a->forcelimited, a->has_forcerange);
    m->actuator_limited[3 * i + 2] = is_limited(a->actlimited, a->has_actrange);
    memcpy(m->actuator_ctrlrange + 2 * k, a->ctrlrange, sizeof a->ctrlrange);
    memcpy(m->actuator_forcerange + 2 * k, a->forcerange, sizeof a->forcerange);
    memcpy(m->actuator_actrange + 2 * k, a->actrange, sizeof a->actrange);
}

thud_status model_build_actuators(builder *b)
{
    thud_model *m = b->m;
    int activations = 0;
    for (int i = 0; i < m->actuators; i++) {
        THUD_TRY(check_actuator(b, &b->spec->actuator[i]));
        fill(b, i, &activations);
    }
    THUD_TRY(model_damp_actuators(b));
    return model_build_muscles(b);
}
