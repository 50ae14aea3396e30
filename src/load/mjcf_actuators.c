// SPDX-License-Identifier: Apache-2.0
// mjcf_actuators.c: actuators. Motors, servos, dampers and cylinders become a gain, a bias and their
// dynamics.
#include <string.h>

#include "mjcf_reader.h"

const draft_muscle mjcf_no_muscle = {{-1, -1}, -1, {-1, -1, -1, -1, -1, -1, -1, -1, -1}};

static void set_kinds(thud_spec_actuator *to, thud_actuator_gain gain, thud_actuator_bias bias)
{
    to->gain = gain;
    to->bias = bias;
}

// What makes the force and the activation is inherited, as in MuJoCo 4, from the nearest class whose actuator was last written
// with the same word or, where it has a gain of the same kind, as <general>; the rest (ranges, gear) from the class itself.
void mjcf_inherit_actuator(const draft_actuator *from, int word, int class_, draft_actuator *out)
{
    const thud_actuator_gain kind = word == MJCF_DAMPER   ? THUD_GAIN_AFFINE
                                    : word == MJCF_MUSCLE ? THUD_GAIN_MUSCLE
                                                          : THUD_GAIN_FIXED;
    const draft_actuator *of = from;
    while (of && word != MJCF_GENERAL && of->word != word &&
           (of->word != MJCF_GENERAL || of->to.gain != kind)) {
        of = of->up;
    }
    thud_spec_actuator *to = &out->to;
    memset(to->gainprm, 0, sizeof to->gainprm);
    memset(to->biasprm, 0, sizeof to->biasprm);
    memset(to->dynprm, 0, sizeof to->dynprm);
    to->gainprm[0] = to->dynprm[0] = 1;
    to->dynamics = THUD_DYNAMICS_NONE;
    set_kinds(to, THUD_GAIN_FIXED, THUD_BIAS_NONE);
    if (of) {
        memcpy(to->gainprm, of->to.gainprm, sizeof to->gainprm);
        memcpy(to->biasprm, of->to.biasprm, sizeof to->biasprm);
        memcpy(to->dynprm, of->to.dynprm, sizeof to->dynprm);
        to->dynamics = of->to.dynamics;
        set_kinds(to, of->to.gain, of->to.bias);
    }
    if (word == MJCF_POSITION && of->word == MJCF_GENERAL) {
        to->dynamics = THUD_DYNAMICS_NONE;
    }
    if (word != MJCF_GENERAL && word != MJCF_INTVELOCITY &&
        word != MJCF_MUSCLE) { // no range of the activation
        to->actlimited = THUD_AUTO;
        to->actrange[0] = to->actrange[1] = 0;
    }
    out->up = class_ >= 0 && from->class_ == class_ ? from->up : from;
    out->word = word;
    out->class_ = class_;
}

// force = kp (u - length) - kv velocity. While a draft may still be inherited, a damping ratio stands in biasprm[2] with its
// positive sign, as in MuJoCo: a class of any other kind of actuator then overwrites it with what it means.
static void lower_servo(draft_actuator *a, bool integrates)
{
    thud_spec_actuator *to = &a->to;
    const double kp = a->head.given & GIVEN_KP ? a->kp : to->gainprm[0];
    set_kinds(to, THUD_GAIN_FIXED, THUD_BIAS_AFFINE);
    to->gainprm[0] = kp;
    to->biasprm[0] = 0;
    to->biasprm[1] = -kp;
    if (a->head.given & GIVEN_KV) {
        to->biasprm[2] = -a->kv;
    } else if (a->head.given & GIVEN_DAMPRATIO) {
        to->biasprm[2] = to->dampratio;
    }
    if (integrates) {
        to->dynamics = THUD_DYNAMICS_INTEGRATOR;
        to->actlimited = THUD_TRUE;
    } else if (a->head.given & GIVEN_TIMECONST) {
        to->dynprm[0] = a->timeconst;
        to->dynamics = a->timeconst > 0 ? THUD_DYNAMICS_FILTER_EXACT : THUD_DYNAMICS_NONE;
    }
}

// force = kv (u - velocity)
static void lower_velocity(draft_actuator *a)
{
    thud_spec_actuator *to = &a->to;
    const double kv = a->head.given & GIVEN_KV ? a->kv : to->gainprm[0];
    set_kinds(to, THUD_GAIN_FIXED, THUD_BIAS_AFFINE);
    to->dynamics = THUD_DYNAMICS_NONE;
    memset(to->biasprm, 0, sizeof to->biasprm);
    to->gainprm[0] = kv;
    to->biasprm[2] = -kv;
}

// force = -kv velocity u
static thud_status lower_damper(mjcf_reader *r, int n, draft_actuator *a)
{
    thud_spec_actuator *to = &a->to;
    const double kv = a->head.given & GIVEN_KV ? a->kv : to->gainprm[2] < 0 ? -to->gainprm[2] : 0;
    if (to->ctrlrange[0] < 0 || to->ctrlrange[1] < 0) {
        return MJCF_FAIL(r, THUD_BAD_FILE, mjcf_place(r, n, "ctrlrange"),
                         "a damper's control is not negative");
    }
    set_kinds(to, THUD_GAIN_AFFINE, THUD_BIAS_NONE);
    to->dynamics = THUD_DYNAMICS_NONE;
    memset(to->gainprm, 0, sizeof to->gainprm);
    to->gainprm[2] = -kv;
    return THUD_OK;
}

// force = area pressure + bias, the pressure following u with a time constant
static void lower_cylinder(draft_actuator *a)
{
    static const double pi = 3.14159265358979323846;
    thud_spec_actuator *to = &a->to;
    set_kinds(to, THUD_GAIN_FIXED, THUD_BIAS_AFFINE);
    to->dynamics = THUD_DYNAMICS_FILTER;
    if (a->head.given & GIVEN_TIMECONST) {
        to->dynprm[0] = a->timeconst;
    }
    if (a->head.given & GIVEN_AREA) {
        to->gainprm[0] = a->area;
    }
    if (a->head.given & GIVEN_DIAMETER) {
        to->gainprm[0] = pi / 4 * a->diameter * a->diameter;
    }
    if (a->head.given & GIVEN_BIAS) {
        memcpy(to->biasprm, a->bias, sizeof a->bias);
    }
}

static void lower_motor(draft_actuator *a)
{
    thud_spec_actuator *to = &a->to;
    set_kinds(to, THUD_GAIN_FIXED, THUD_BIAS_NONE);
    to->dynamics = THUD_DYNAMICS_NONE;
    memset(to->gainprm, 0, sizeof to->gainprm);
    memset(to->biasprm, 0, sizeof to->biasprm);
    to->gainprm[0] = 1;
}

// As MuJoCo: where a class left the numbers of another actuator, a muscle's own; then those that are given, below zero none.
static void lower_muscle(draft_actuator *a)
{
    static const double dyn[] = {1, 0}, gain[] = {1, 0, 0, 0, 0, 0, 0, 0, 0}; // of a <general>
    static const double own_dyn[] = {0.01, 0.04}, own[] = {0.75, 1.05, -1, 200, 0.5, 1.6, 1.5, 1.3, 1.2};
    thud_spec_actuator *to = &a->to;
    to->dynamics = THUD_DYNAMICS_MUSCLE;
    set_kinds(to, THUD_GAIN_MUSCLE, THUD_BIAS_MUSCLE);
    for (int k = 0; k < 2; k++) {
        const double held = to->dynprm[k] == dyn[k] ? own_dyn[k] : to->dynprm[k];
        to->dynprm[k] = a->muscle.timeconst[k] >= 0 ? a->muscle.timeconst[k] : held;
    }
    to->dynprm[2] = a->muscle.tausmooth >= 0 ? a->muscle.tausmooth : to->dynprm[2];
    for (int k = 0; k < 9; k++) {
        const double held = to->gainprm[k] == gain[k] ? own[k] : to->gainprm[k];
        to->gainprm[k] = a->muscle.prm[k] >= 0 ? a->muscle.prm[k] : held;
        to->biasprm[k] = to->gainprm[k];
    }
    a->muscle = mjcf_no_muscle;
}

// force = gain u, between the body and what it touches
static void lower_adhesion(draft_actuator *a)
{
    thud_spec_actuator *to = &a->to;
    const double gain = a->gain;
    lower_motor(a);
    to->gainprm[0] = a->head.given & GIVEN_KP ? gain : 1;
    to->ctrllimited = THUD_TRUE;
}

// Of a control range and a word that makes one, the last written in a chain of classes counts.
static thud_status settle_ctrlrange(mjcf_reader *r, int n, draft_actuator *a)
{
    const unsigned both = GIVEN_CTRLRANGE | GIVEN_INHERITRANGE;
    if (mjcf_node(r, n)->element->variant == MJCF_INTVELOCITY) { // it makes a range of the activation
        return THUD_OK;
    }
    if ((a->head.given & both) == both) {
        return MJCF_FAIL(r, THUD_BAD_FILE, mjcf_place(r, n, "inheritrange"),
                         "a range is given already; inheritrange would replace it");
    }
    if (a->head.given & GIVEN_CTRLRANGE) {
        a->inheritrange = 0;
    } else if (a->head.given & GIVEN_INHERITRANGE) {
        a->to.ctrlrange[0] = a->to.ctrlrange[1] = 0;
    }
    return THUD_OK;
}

thud_status mjcf_lower_actuator(mjcf_reader *r, int n, draft_actuator *a)
{
    thud_status status = settle_ctrlrange(r, n, a);
    switch ((mjcf_actuator_word)mjcf_node(r, n)->element->variant) {
    case MJCF_MOTOR:
        lower_motor(a);
        break;
    case MJCF_POSITION:
    case MJCF_INTVELOCITY:
        lower_servo(a, mjcf_node(r, n)->element->variant == MJCF_INTVELOCITY);
        break;
    case MJCF_VELOCITY:
        lower_velocity(a);
        break;
    case MJCF_DAMPER:
        status = lower_damper(r, n, a);
        break;
    case MJCF_CYLINDER:
        lower_cylinder(a);
        break;
    case MJCF_ADHESION:
        lower_adhesion(a);
        break;
    case MJCF_MUSCLE:
        lower_muscle(a);
        break;
    case MJCF_GENERAL:
        break;
    }
    a->head.given = 0; // what follows inherits the result, not the words
    a->to.dampratio = 0;
    return status;
}
