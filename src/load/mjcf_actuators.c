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

static bool is_servo(const thud_spec_actuator *to)
{
    return to->bias == THUD_BIAS_AFFINE && to->gainprm[0] == -to->biasprm[1];
}

// A positive biasprm[2] of what has the gain and the bias of a servo is a damping ratio, whatever word wrote it.
static void settle_dampratio(thud_spec_actuator *to)
{
    if (is_servo(to) && to->biasprm[2] > 0) {
        to->dampratio = to->biasprm[2];
        to->biasprm[2] = 0;
    }
}

static thud_status find_target(mjcf_reader *r, int n, unsigned given, draft_actuator *a)
{
    static const struct {
        unsigned bit;
        const char *word;
        mjcf_space space;
        thud_transmission transmission;
    } kind[] = {{GIVEN_JOINT, "joint", MJCF_SPACE_JOINT, THUD_TRANSMISSION_JOINT},
                {GIVEN_PARENTJOINT, "jointinparent", MJCF_SPACE_JOINT, THUD_TRANSMISSION_JOINT_IN_PARENT},
                {GIVEN_TENDON, "tendon", MJCF_SPACE_TENDON, THUD_TRANSMISSION_TENDON},
                {GIVEN_SITE, "site", MJCF_SPACE_SITE, THUD_TRANSMISSION_SITE},
                {GIVEN_CRANKSITE, "cranksite", MJCF_SPACE_SITE, THUD_TRANSMISSION_SLIDER_CRANK},
                {GIVEN_BODY, "body", MJCF_SPACE_BODY, THUD_TRANSMISSION_BODY}};
    for (int k = 0; k < 6; k++) {
        if (given & kind[k].bit) {
            a->to.transmission = kind[k].transmission;
            THUD_TRY(
                mjcf_name_ask(r, kind[k].space, a->target, mjcf_place(r, n, kind[k].word), &a->to.target));
        }
    }
    if (!(given & GIVEN_TRANSMISSION)) {
        return MJCF_FAIL(r, THUD_BAD_FILE, mjcf_node(r, n)->place,
                         "an actuator acts on a joint, tendon or site; this one names none");
    }
    const bool crank = a->to.transmission == THUD_TRANSMISSION_SLIDER_CRANK;
    if (crank != (a->slidersite != NULL) || (crank && !(a->to.cranklength > 0))) {
        return MJCF_FAIL(r, THUD_BAD_FILE, mjcf_node(r, n)->place,
                         "a slider-crank has cranksite, slidersite and a positive cranklength");
    }
    if (crank) {
        THUD_TRY(mjcf_name_ask(r, MJCF_SPACE_SITE, a->slidersite, mjcf_place(r, n, "slidersite"),
                               &a->to.slidersite));
    }
    if (a->refsite && a->to.transmission != THUD_TRANSMISSION_SITE) {
        return MJCF_FAIL(r, THUD_BAD_FILE, mjcf_place(r, n, "refsite"), "refsite goes with a site");
    }
    return a->refsite
               ? mjcf_name_ask(r, MJCF_SPACE_SITE, a->refsite, mjcf_place(r, n, "refsite"), &a->to.refsite)
               : THUD_OK;
}

// A servo's control range is the range of what it moves, scaled about the middle.
static thud_status inherit_range(mjcf_reader *r, int n, draft_actuator *a)
{
    thud_spec_actuator *to = &a->to;
    const bool integrates = mjcf_node(r, n)->element->variant == MJCF_INTVELOCITY;
    double *range = integrates ? to->actrange : to->ctrlrange;
    const double *target = NULL;
    if (to->transmission == THUD_TRANSMISSION_JOINT && r->spec->joint[to->target].has_range) {
        target = r->spec->joint[to->target].range;
    } else if (to->transmission == THUD_TRANSMISSION_TENDON && r->spec->tendon[to->target].has_range) {
        target = r->spec->tendon[to->target].range;
    }
    const thud_place place = mjcf_place(r, n, "inheritrange");
    if (!target) {
        return MJCF_FAIL(r, THUD_BAD_FILE, place, "inheritrange needs a joint or tendon that has a range");
    }
    if (mjcf_is_range(range) && !integrates) { // of a class of another kind of actuator
        return THUD_OK;
    }
    const double middle = 0.5 * (target[0] + target[1]);
    const double half = 0.5 * (target[1] - target[0]) * a->inheritrange;
    range[0] = middle - half;
    range[1] = middle + half;
    return THUD_OK;
}

static thud_status read_actuator(mjcf_reader *r, int n)
{
    draft_actuator a;
    THUD_TRY(mjcf_read_element(r, n, 0, &a));
    const unsigned given = a.head.given;
    THUD_TRY(mjcf_lower_actuator(r, n, &a));
    settle_dampratio(&a.to);
    THUD_TRY(find_target(r, n, given, &a));
    const int word = mjcf_node(r, n)->element->variant;
    if (a.inheritrange > 0 &&
        (word == MJCF_INTVELOCITY ? (given & GIVEN_INHERITRANGE) != 0
                                  : word == MJCF_POSITION || (word == MJCF_GENERAL && is_servo(&a.to)))) {
        THUD_TRY(inherit_range(r, n, &a));
    }
    const int i = thud_spec_add_actuator(r->spec, a.to.transmission, a.to.target, a.head.name);
    if (i < 0) {
        return THUD_NO_MEMORY;
    }
    a.to.name = r->spec->actuator[i].name;
    a.to.place = mjcf_node(r, n)->place;
    a.to.has_ctrlrange = mjcf_is_range(a.to.ctrlrange);
    a.to.has_forcerange = mjcf_is_range(a.to.forcerange);
    a.to.has_actrange = mjcf_is_range(a.to.actrange);
    r->spec->actuator[i] = a.to;
    THUD_TRY(mjcf_check_range(r, n, "ctrlrange", a.to.ctrlrange));
    THUD_TRY(mjcf_check_range(r, n, "forcerange", a.to.forcerange));
    THUD_TRY(mjcf_check_range(r, n, "actrange", a.to.actrange));
    THUD_TRY(mjcf_check_limited(r, n, "ctrllimited", a.to.ctrllimited, "ctrlrange", a.to.has_ctrlrange));
    THUD_TRY(mjcf_check_limited(r, n, "forcelimited", a.to.forcelimited, "forcerange", a.to.has_forcerange));
    THUD_TRY(mjcf_check_limited(r, n, "actlimited", a.to.actlimited, "actrange", a.to.has_actrange));
    return mjcf_name_add(r, MJCF_SPACE_ACTUATOR, a.head.name, i, a.to.place);
}

thud_status mjcf_read_actuators(mjcf_reader *r)
{
    for (int s = mjcf_node(r, 0)->first; s >= 0; s = mjcf_node(r, s)->next) {
        if (mjcf_node(r, s)->element->role == MJCF_ROLE_ACTUATORS) {
            for (int n = mjcf_node(r, s)->first; n >= 0; n = mjcf_node(r, n)->next) {
                THUD_TRY(read_actuator(r, n));
            }
        }
    }
    return THUD_OK;
}
