// SPDX-License-Identifier: Apache-2.0
// mjcf_drives.c: the actuators of a file, each with its target and its ranges. mjcf_actuators.c says what their words mean.
#include <string.h>

#include "mjcf_reader.h"

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
