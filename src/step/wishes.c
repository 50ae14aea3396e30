// SPDX-License-Identifier: Apache-2.0
// wishes.c: how a scene wants to be stepped: its options, their words, and its <custom> words.
#include <stdlib.h>
#include <string.h>

#include <thud/base_input.h>

#include "sim.h"

static const char *const integrator_names[] = {[THUD_INTEGRATOR_MIDPOINT] = "midpoint",
                                               [THUD_INTEGRATOR_EULER] = "euler",
                                               [THUD_INTEGRATOR_RK4] = "rk4"};

const char *thud_integrator_name(thud_integrator integrator)
{
    return integrator_names[integrator];
}

bool thud_integrator_find(const char *name, thud_integrator *out)
{
    for (int i = 0; i < 3; i++) {
        if (strcmp(name, integrator_names[i]) == 0) {
            *out = (thud_integrator)i;
            return true;
        }
    }
    return false;
}

static const char *const restitution_names[] = {
    [THUD_RESTITUTION_POISSON] = "poisson", [THUD_RESTITUTION_NEWTON] = "newton"};

const char *thud_restitution_name(thud_restitution_law law)
{
    return restitution_names[law];
}

bool thud_restitution_find(const char *name, thud_restitution_law *out)
{
    for (int i = 0; i < 2; i++) {
        if (strcmp(name, restitution_names[i]) == 0) {
            *out = (thud_restitution_law)i;
            return true;
        }
    }
    return false;
}

static const char *const impacts_names[] = {
    [THUD_IMPACTS_BY_LAW] = "by-law", [THUD_IMPACTS_LOCATED] = "located", [THUD_IMPACTS_PRINTED] = "printed"};

const char *thud_impacts_name(thud_impacts impacts)
{
    return impacts_names[impacts];
}

bool thud_impacts_find(const char *name, thud_impacts *out)
{
    for (int i = 0; i < 3; i++) {
        if (strcmp(name, impacts_names[i]) == 0) {
            *out = (thud_impacts)i;
            return true;
        }
    }
    return false;
}

static const char *const schemes[] = {"time-stepping", "event-driven"};
static const char *const ways[] = {"simultaneous", "sequential"};

const char *thud_scheme_name(thud_scheme scheme)
{
    return schemes[scheme];
}

const char *thud_collisions_name(thud_collisions collisions)
{
    return ways[collisions];
}

static int find(const char *const *names, int count, const char *name) // -1: not there
{
    while (--count >= 0 && strcmp(names[count], name) != 0) {
    }
    return count;
}

bool thud_scheme_find(const char *name, thud_scheme *out)
{
    const int at = find(schemes, 2, name);
    *out = at < 0 ? *out : (thud_scheme)at;
    return at >= 0;
}

bool thud_collisions_find(const char *name, thud_collisions *out)
{
    const int at = find(ways, 2, name);
    *out = at < 0 ? *out : (thud_collisions)at;
    return at >= 0;
}

thud_event_options thud_event_defaults(void)
{
    return (thud_event_options){.rtol = 1e-9, .atol = 1e-11, .rest_speed = 2e-7, .most = 10000};
}

// A number written as a text or as a <numeric>. False: a text that is none.
static bool read_number(const thud_model *m, const char *key, double *out)
{
    const char *text = thud_model_text(m, key);
    int count = 0;
    const double *number = thud_model_numbers(m, key, &count);
    if (text) {
        const char *end;
        const double value = thud_number_read(text, &end);
        *out = value;
        return end != text && *end == '\0' && value == value;
    }
    *out = number && count > 0 ? number[0] : *out;
    return true;
}

static thud_status not_understood(const thud_model *m, const char *key, thud_diag *diag)
{
    const char *text = thud_model_text(m, key);
    return thud_fail(THUD_BAD_MODEL, diag, NULL, 0, 0,
                     "thud:%s is '%s' in this scene, and there is no such one", key,
                     text ? text : "a number");
}

thud_status sim_read_wishes(const thud_model *m, thud_step_options *o, thud_diag *diag)
{
    const char *text = thud_model_text(m, "law");
    if (text && !thud_law_find(text, &o->law.law)) {
        return not_understood(m, "law", diag);
    }
    text = thud_model_text(m, "solver");
    if (text && !thud_solver_find(text, &o->law.solver)) {
        return not_understood(m, "solver", diag);
    }
    text = thud_model_text(m, "impact");
    if (text && !thud_restitution_find(text, &o->restitution_law)) {
        return not_understood(m, "impact", diag);
    }
    text = thud_model_text(m, "impacts");
    if (text && !thud_impacts_find(text, &o->impacts)) {
        return not_understood(m, "impacts", diag);
    }
    text = thud_model_text(m, "scheme");
    if (text && !thud_scheme_find(text, &o->scheme)) {
        return not_understood(m, "scheme", diag);
    }
    text = thud_model_text(m, "collisions");
    if (text && !thud_collisions_find(text, &o->event.collisions)) {
        return not_understood(m, "collisions", diag);
    }
    double directions = o->law.directions;
    if (!read_number(m, "directions", &directions) || !(directions >= 1 && directions <= 1e6)) {
        return not_understood(m, "directions", diag);
    }
    o->law.directions = (int)directions;
    if (!read_number(m, "tolerance", &o->law.tolerance)) {
        return not_understood(m, "tolerance", diag);
    }
    if (!read_number(m, "rho", &o->law.rho)) {
        return not_understood(m, "rho", diag);
    }
    if (!read_number(m, "sleep-speed", &o->sleep.speed)) {
        return not_understood(m, "sleep-speed", diag);
    }
    if (!read_number(m, "sleep-time", &o->sleep.time)) {
        return not_understood(m, "sleep-time", diag);
    }
    return read_number(m, "restitution-speed", &o->restitution_speed)
               ? THUD_OK
               : not_understood(m, "restitution-speed", diag);
}

thud_step_options thud_step_defaults(const thud_model *m)
{
    thud_step_options o = {.h = m->timestep,
                           .integrator = m->integrator,
                           .rounds = 2,
                           .threads = 1,
                           .restitution = -1,
                           .restitution_speed = 1e-3,
                           .sleep = {.speed = 0, .time = 0.5},
                           .event = thud_event_defaults(),
                           .law = thud_law_defaults()};
    (void)sim_read_wishes(m, &o, NULL); // words that are not understood are refused by thud_sim_create
    return o;
}
