// SPDX-License-Identifier: Apache-2.0
// stepper.c: wishes to options, options to a sim, and steps in either coordinates.
#include <math.h>
#include <string.h>

#include "stepper.h"

thud_step_options stepper_choose(const step_wishes *w, const thud_model *m)
{
    thud_step_options o = thud_step_defaults(m);
    o.h = w->dt > 0 ? w->dt : o.h;
    o.integrator = w->integrator != NOT_GIVEN ? (thud_integrator)w->integrator : o.integrator;
    o.law.law = w->law != NOT_GIVEN ? (thud_law)w->law : o.law.law;
    o.law.solver = w->solver != NOT_GIVEN ? (thud_solver)w->solver : o.law.solver;
    o.law.directions = w->directions > 0 ? w->directions : o.law.directions;
    o.law.tolerance = w->tolerance > 0 ? w->tolerance : o.law.tolerance;
    o.law.rho = w->rho > 0 ? w->rho : o.law.rho;
    o.budget = w->budget > 0 ? (int64_t)w->budget : o.budget;
    o.accept_tolerance = w->accept_tolerance > 0 ? w->accept_tolerance : o.accept_tolerance;
    o.law.aligned = w->aligned || o.law.aligned;
    o.threads = w->threads != NOT_GIVEN ? w->threads : o.threads;
    o.scheme = w->scheme != NOT_GIVEN ? (thud_scheme)w->scheme : o.scheme;
    o.event.rtol = w->rtol > 0 ? w->rtol : o.event.rtol;
    o.event.atol = w->atol > 0 ? w->atol : o.event.atol;
    o.event.collisions = w->collisions != NOT_GIVEN ? (thud_collisions)w->collisions : o.event.collisions;
    o.impacts = w->impacts != NOT_GIVEN ? (thud_impacts)(THUD_IMPACTS_LOCATED + w->impacts) : o.impacts;
    o.restitution = w->restitution >= 0 ? w->restitution : o.restitution;
    if (w->rest_speed > 0) {
        o.restitution_speed = o.event.rest_speed = w->rest_speed;
    }
    o.sleep.speed = w->sleep_speed > 0 ? w->sleep_speed : o.sleep.speed;
    o.sleep.time = w->sleep_time > 0 ? w->sleep_time : o.sleep.time;
    if (w->restitution_law != NOT_GIVEN) {
        o.restitution_law = (thud_restitution_law)w->restitution_law;
    }
    return o;
}

const thud_model *stepper_model(const stepper *p)
{
    return p->wide_model ? p->wide_model : p->scene->model;
}

thud_state *stepper_state(const stepper *p)
{
    return p->wide_state ? p->wide_state : p->scene->state;
}

// Whether some actuator exerts a force from this state on: its control is not zero, or its force has a bias.
static bool is_driven(const thud_model *m, const thud_state *s)
{
    bool any = false;
    for (int i = 0; i < m->actuators && m->actuation_on; i++) {
        const double *bias = m->actuator_bias + 3 * (size_t)i;
        const int act = m->actuator_act[i];
        any |= s->ctrl[i] != 0 || bias[0] != 0 || bias[1] != 0 || bias[2] != 0 ||
               (m->actuator_muscle[i] & 2) || (act >= 0 && s->act[act] != 0);
    }
    return any;
}

static const char no_actuators[] = "actuators need joint positions; maximal coordinates have none";

static bool wants_maximal(const stepper *p, int coordinates)
{
    const char *wish = thud_model_text(p->scene->model, "coordinates");
    const bool wished = wish && strcmp(wish, "maximal") == 0;
    return coordinates == NOT_GIVEN ? wished : coordinates != 0;
}

static void drop_wide(stepper *p)
{
    thud_state_destroy(p->wide_state);
    thud_model_destroy(p->wide_model);
    thud_spec_destroy(p->wide);
    p->wide_state = NULL;
    p->wide_model = NULL;
    p->wide = NULL;
}

static thud_status make_wide(stepper *p, thud_diag *diag)
{
    THUD_TRY(thud_spec_maximal(p->scene->spec, &p->wide, diag));
    THUD_TRY(thud_model_build(p->wide, &p->wide_model, diag));
    return thud_state_create(p->wide_model, &p->wide_state);
}

// The state of a file, saved in either coordinates; if in maximal ones, the wide model is made for it, and the scene's follows.
static thud_status start_from(stepper *p, const char *path, thud_diag *diag)
{
    const thud_model *m = p->scene->model;
    thud_diag other = {0};
    const thud_status status = thud_state_read(m, path, p->scene->state, diag);
    if (status == THUD_OK || make_wide(p, &other) != THUD_OK ||
        thud_state_read(p->wide_model, path, p->wide_state, &other) != THUD_OK) {
        drop_wide(p);
        return status;
    }
    *diag = (thud_diag){0};
    return thud_minimal_state(p->wide_model, p->wide_state, m, p->scene->state);
}

// In maximal coordinates another model is stepped, and every state brought back.
static thud_status choose_coordinates(stepper *p, int coordinates, thud_diag *diag)
{
    if (!wants_maximal(p, coordinates)) {
        drop_wide(p);
        return THUD_OK;
    }
    if (is_driven(p->scene->model, p->scene->state)) {
        return thud_fail(THUD_UNSUPPORTED, diag, NULL, 0, 0, "%s", no_actuators);
    }
    if (p->wide_state) { // saved in these
        return THUD_OK;
    }
    THUD_TRY(make_wide(p, diag));
    return thud_maximal_state(p->scene->model, p->scene->state, p->wide_model, p->wide_state);
}

thud_status stepper_create(stepper *p, const scene *s, const step_wishes *w, thud_diag *diag)
{
    *p = (stepper){.scene = s, .options = stepper_choose(w, s->model)};
    THUD_TRY(w->from ? start_from(p, w->from, diag) : THUD_OK);
    scene_see(s);
    THUD_TRY(choose_coordinates(p, w->coordinates, diag));
    p->reading =
        thud_alloc((size_t)s->model->readings + (size_t)stepper_model(p)->readings + 1, sizeof(double));
    return p->reading ? thud_sim_create(stepper_model(p), &p->options, &p->sim, diag) : THUD_NO_MEMORY;
}

void stepper_destroy(stepper *p)
{
    thud_sim_destroy(p->sim);
    signal_free(&p->signal);
    thud_free(p->reading);
    drop_wide(p);
    *p = (stepper){0};
}

thud_status stepper_play(stepper *p, const char *path, thud_diag *diag)
{
    if (p->wide_model) {
        return thud_fail(THUD_UNSUPPORTED, diag, path, 0, 0, "%s", no_actuators);
    }
    return signal_read(path, p->scene->model, p->scene->state->ctrl, &p->signal, diag);
}

thud_status stepper_step(stepper *p, thud_certificate *certificate)
{
    thud_state *s = stepper_state(p);
    const double *ctrl = signal_at(&p->signal, s->time + 1e-6 * p->options.h); // times are sums of steps
    THUD_TRY(ctrl ? thud_state_control(s, ctrl, NULL) : THUD_OK);
    thud_status status = thud_sim_step(p->sim, p->tau, s, certificate);
    for (int tries = 0; status == THUD_NO_MEMORY && tries < 24; tries++) { // more contacts than ever before
        THUD_TRY(thud_sim_grow(p->sim, s));
        status = thud_sim_step(p->sim, p->tau, s, certificate);
    }
    if (status != THUD_OK || !p->wide_state) {
        return status;
    }
    return thud_minimal_state(p->wide_model, p->wide_state, p->scene->model, p->scene->state);
}

thud_status stepper_sense(stepper *p)
{
    const thud_model *m = p->scene->model, *stepped = stepper_model(p);
    double *raw = p->reading + (p->wide_model ? m->readings : 0);
    thud_status status = thud_sim_sense(p->sim, stepper_state(p), raw);
    for (int tries = 0; status == THUD_NO_MEMORY && tries < 24; tries++) {
        THUD_TRY(thud_sim_grow(p->sim, stepper_state(p)));
        status = thud_sim_sense(p->sim, stepper_state(p), raw);
    }
    for (int i = 0, k = 0; p->wide_model && i < m->sensors; i++) { // what is left is in the same order
        const bool kept = m->sensor_object_type[i] < THUD_OBJECT_JOINT;
        for (int r = 0; r < m->sensor_dim[i]; r++) {
            p->reading[m->sensor_at[i] + r] = kept ? raw[stepped->sensor_at[k] + r] : NAN;
        }
        k += kept;
    }
    return status == THUD_NO_MEMORY ? status : THUD_OK; // what could not be solved, a step will tell
}
