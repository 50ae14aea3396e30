// SPDX-License-Identifier: Apache-2.0
// event_drive.c: the event-driven scheme's step: strike, decide, flow, and again. [theory 5; BW 6 to 9]
//
//     while the step is not over:
//         find what may act before its end
//         strike   while something that touches approaches                    event_strike.c
//         decide   who holds and how, or strike where nothing can             event_decide.c
//         flow     to the next root or the end                                event_flow.c
//     put right what speeds and gaps the tolerance has left
//
// Zeno sequences end because a collision slower than rest_speed does not spring back. A phase after whose end
// something overlaps that was not on its list (another feature, a graze between two steps) is repeated at
// half its length, so that it stops before. Work an event is bounded: each costs at most the phases of
// HALVINGS; the number of phases in a step is bounded by `most`, with a reason.
#include <math.h>
#include <string.h>

#include "event.h"

static const double OVERLAP = 1e-8; // m
static const double HALVINGS = 1e9; // of a step: shorter phases are not repeated
enum { STRIKES_EACH = 100 };

// ------------------------------------------------------------------------------------------ what it takes

thud_status event_refuse(const thud_step_options *o, thud_diag *diag)
{
    if (o->scheme != THUD_SCHEME_EVENT_DRIVEN) {
        return THUD_OK;
    }
#ifndef THUD_HAVE_SUNDIALS
    return thud_fail(
        THUD_UNSUPPORTED, diag, NULL, 0, 0,
        "the event-driven scheme needs SUNDIALS, and this build was made without it (THUD_SUNDIALS)");
#endif
    const thud_event_options *e = &o->event;
    if (!(e->rtol > 0) || !(e->atol > 0) || !(e->rest_speed > 0) || e->most < 1) {
        return thud_fail(THUD_BAD_ARGUMENT, diag, NULL, 0, 0,
                         "tolerances %g and %g and a rest speed of %g m/s must be above zero", e->rtol,
                         e->atol, e->rest_speed);
    }
    return THUD_OK;
}

thud_status event_create(thud_sim *sim)
{
    if (sim->o.scheme != THUD_SCHEME_EVENT_DRIVEN) {
        return THUD_OK;
    }
    event_drive *e = sim->above.event = thud_alloc(1, sizeof *e);
    if (!e) {
        return THUD_NO_MEMORY;
    }
    sim->o.restitution_speed = sim->o.event.rest_speed;
    sim->scheme = THUD_INTEGRATOR_MIDPOINT;
    e->loop_b = thud_alloc(LOOP_ROWS * (size_t)sim->m->equalities + 1, sizeof *e->loop_b);
    e->axis_b = thud_alloc(AXES * (size_t)sim->m->equalities + 1, sizeof *e->axis_b);
    e->q_shift = thud_alloc((size_t)sim->m->nq + 1, sizeof *e->q_shift);
    return e->loop_b && e->axis_b && e->q_shift ? flow_create(sim, &e->flow) : THUD_NO_MEMORY;
}

void event_destroy(event_drive *e)
{
    if (e) {
        flow_destroy(e->flow);
        thud_free(e->tie);
        thud_free(e->member);
        thud_free(e->last);
        thud_free(e->loop_b);
        thud_free(e->axis_b);
        thud_free(e->q_shift);
        thud_free(e->log);
        thud_free(e);
    }
}

// ------------------------------------------------------------------------------------------ a moment

static bool approaches(const thud_sim *sim)
{
    const event_drive *e = sim->above.event;
    bool any = false;
    for (int i = 0; i < e->ties; i++) {
        any |= e->tie[i].touching && !e->tie[i].resting && e->tie[i].u[0] < 0; // faster than rest_speed
    }
    return any;
}

static bool too_many(thud_sim *sim)
{
    event_drive *e = sim->above.event;
    if (++e->count <= sim->o.event.most) {
        return false;
    }
    (void)event_fail(sim, SUBSTEP_UNSOLVED, "more than %d events in one step of %g s", sim->o.event.most,
                     sim->o.h);
    return true;
}

// Strikes until nothing approaches. After so many of one contact at a time, all at once.
static substep_result strike_out(thud_sim *sim, double left)
{
    substep_result result = ties_find(sim, left);
    for (int k = 0; result == SUBSTEP_DONE && approaches(sim); k++) {
        const bool alone = sim->o.event.collisions == THUD_COLLISIONS_SEQUENTIAL &&
                           k < STRIKES_EACH * sim->above.event->ties;
        if (too_many(sim)) {
            return SUBSTEP_UNSOLVED;
        }
        result = strike(sim, alone);
        result = result == SUBSTEP_DONE ? ties_find(sim, left) : result;
    }
    return result;
}

// What holds from here on has no speed left along the rows that hold.
static substep_result bring_to_rest(thud_sim *sim)
{
    const event_drive *e = sim->above.event;
    bool moves = false;
    for (int i = 0; i < e->ties; i++) {
        const tie *t = &e->tie[i];
        moves |= t->hold != HOLD_OPEN && fabs(t->u[0]) > 1e-13;
        moves |= t->hold == HOLD_STICK && tie_slip(t) > 1e-13;
    }
    double change = 0;
    substep_result result = SUBSTEP_DONE;
    if (moves) {
        sim->above.event->stands = false;
        change = -strike_energy(sim);
        result = hold_still(sim);
        change += strike_energy(sim);
        sim->judge.c.contact_work += change;
    }
    return log_changes(sim, change) ? result : SUBSTEP_NO_MEMORY;
}

static substep_result settle(thud_sim *sim, double left)
{
    substep_result result = strike_out(sim, left);
    if (result != SUBSTEP_DONE) {
        return result;
    }
    result = hold_decide(sim);
    while (result == SUBSTEP_UNSOLVED) {
        if (too_many(sim)) {
            return SUBSTEP_UNSOLVED;
        }
        const int logged = sim->above.event->logged;
        result = strike_jam(sim);
        if (result == SUBSTEP_DONE && sim->above.event->logged == logged) {
            return event_fail(sim, SUBSTEP_UNSOLVED,
                              "no accelerations obey friction and contact, and no impulses either");
        }
        result = result == SUBSTEP_DONE ? strike_out(sim, left) : result;
        if (result != SUBSTEP_DONE) {
            return result;
        }
        result = hold_decide(sim);
    }
    return result == SUBSTEP_DONE ? bring_to_rest(sim) : result;
}

// ------------------------------------------------------------------------------------------ a phase

static bool was_listed(const event_drive *e, uint64_t id)
{
    for (int i = 0; i < e->ties; i++) {
        if (e->tie[i].id == id) {
            return true;
        }
    }
    return false;
}

// Something overlaps at (q_start, v_start) that the phase should have stopped for.
static substep_result missed(thud_sim *sim, bool *out)
{
    const event_drive *e = sim->above.event;
    *out = false;
    if (!sim->constrained) {
        return SUBSTEP_DONE;
    }
    ties_measure(sim, sim->begun.q_start, sim->begun.v_start);
    for (int i = 0; i < e->ties; i++) {
        const tie *t = &e->tie[i];
        *out |= t->hold == HOLD_OPEN && !t->resting && t->phi < -OVERLAP;
    }
    if (*out) {
        return SUBSTEP_DONE;
    }
    const thud_status status = touch_query(sim, sim->begun.q_start, sim->begun.v_start, 0);
    for (int i = 0; status == THUD_OK && sim->sight.collider && i < sim->sight.here.set->count; i++) {
        const thud_contact *c = &sim->sight.here.set->contact[i];
        *out |= c->phi < -OVERLAP && !was_listed(e, c->id);
    }
    return substep_of(status);
}

// Flows for at most *h; again (NULL: let it): it would have gone through something, and is back where it was.
static substep_result flow_safely(thud_sim *sim, double *h, bool *again)
{
    THUD_ASSERT(*h > 0);
    if (sim->above.event->stands) { // as it is, to the end
        sim->above.event->work = sim->above.event->contact_work = 0;
        return SUBSTEP_DONE;
    }
    const thud_model *m = sim->m;
    const size_t nq = (size_t)m->nq * sizeof(double), nv = (size_t)m->nv * sizeof(double);
    memcpy(sim->go.q_next, sim->begun.q_start, nq);
    memcpy(sim->go.v_next, sim->begun.v_start, nv);
    substep_result result = flow_run(sim, h);
    result = result == SUBSTEP_DONE && again ? missed(sim, again) : result;
    if (again && *again) {
        memcpy(sim->begun.q_start, sim->go.q_next, nq);
        memcpy(sim->begun.v_start, sim->go.v_next, nv);
    }
    return result;
}

// What the tolerance has left of speeds and gaps is put right, and the law of motion judged at the end, as
// certificate.c does it.
static substep_result conclude(thud_sim *sim)
{
    const size_t nq = (size_t)sim->m->nq * sizeof(double), nv = (size_t)sim->m->nv * sizeof(double);
    memcpy(sim->go.q_next, sim->begun.q_start, nq);
    memcpy(sim->go.v_next, sim->begun.v_start, nv);
    substep_result result = sim->constrained ? sim_project(sim, sim->o.h) : SUBSTEP_DONE;
    memcpy(sim->begun.q_start, sim->go.q_next, nq);
    if (!sim->above.event->stands) {
        result = result == SUBSTEP_DONE ? hold_still(sim) : result;
        memcpy(sim->go.v_next, sim->begun.v_start, nv);
        result =
            result == SUBSTEP_DONE ? hold_accelerate(sim, sim->begun.q_start, sim->begun.v_start, 0) : result;
    }
    if (result == SUBSTEP_DONE && sim->judge.certify && sim->constrained) {
        const double work = sim->judge.c.contact_work;
        sim_judge(sim, 1);
        sim->judge.c.contact_work = work;
    }
    if (result == SUBSTEP_DONE) {
        feel_moment(sim, sim->begun.q_start, sim->begun.v_start, 1, 0);
    }
    for (int i = 0; i < sim->above.event->ties; i++) {
        const tie *t = &sim->above.event->tie[i];
        sim->judge.c.contacts += t->kind == TIE_CONTACT && t->hold != HOLD_OPEN;
    }
    return result;
}

static void begin(thud_sim *sim, const double *tau, const thud_state *s)
{
    event_drive *e = sim->above.event;
    memcpy(sim->begun.q_start, s->qpos, (size_t)sim->m->nq * sizeof(double));
    memcpy(sim->begun.v_start, s->qvel, (size_t)sim->m->nv * sizeof(double));
    memcpy(sim->force.act, s->act, (size_t)s->na * sizeof(double));
    sim->force.ctrl = s->ctrl;
    e->tau = tau;
    e->start = s->time;
    e->done = 0;
    flow_begin(e->flow);
    e->logged = e->count = 0;
    e->reason[0] = '\0';
    sim->begun.exhausted = false;
    sim->answer.warm_count = 0;
}

substep_result event_advance(thud_sim *sim, const double *tau, const thud_state *s)
{
    THUD_ASSERT(sim->above.event && sim->o.h > 0);
    event_drive *e = sim->above.event;
    const double h = sim->o.h;
    double work = 0, reach = h; // how far a phase may go
    begin(sim, tau, s);
    while (e->done < h) {
        if (sim_cancelled(sim)) {
            return SUBSTEP_CANCELLED;
        }
        double part = thud_min(reach, h - e->done);
        bool again = false;
        const bool least = reach < h / HALVINGS; // what overlaps then is put right at the end
        substep_result result = settle(sim, part);
        result = result == SUBSTEP_DONE ? flow_safely(sim, &part, least ? NULL : &again) : result;
        if (result != SUBSTEP_DONE || too_many(sim)) {
            return result != SUBSTEP_DONE ? result : SUBSTEP_UNSOLVED;
        }
        if (again) {
            reach = 0.5 * part;
            continue;
        }
        reach = h;
        e->done = part >= h - e->done ? h : e->done + part;
        work += e->work;
        sim->judge.c.contact_work += e->contact_work;
    }
    e->work = work;
    const substep_result result = conclude(sim);
    thud_activation_advance(sim->m, sim->force.ctrl, sim->force.act, h, sim->force.act);
    return result;
}

void event_certify(thud_sim *sim, const double *tau, const thud_state *s, thud_certificate *out)
{
    sim_certify(sim, tau, s, out);
    out->energy_error += out->work - sim->above.event->work;
    out->work = sim->above.event->work;
}
