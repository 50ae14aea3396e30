// SPDX-License-Identifier: Apache-2.0
// whole.c: a step as a list of calls.
//
// The stages are those of the room step (step/sim.h); between them the senses see each substep and each collision while its rows
// are there. The event-driven scheme is the other way through a step (event/door.h).
#include "whole.h"

// ---------------------------------------------------------------------------------------------- life

static thud_status create(const thud_model *m, const thud_step_options *options, bool borrows, thud_sim **out)
{
    THUD_TRY(sim_create(m, options, borrows, out));
    THUD_TRY(event_create(*out));
    return senses_create(*out);
}

thud_status whole_create(const thud_model *m, const thud_step_options *options, bool borrows, thud_sim **out,
                         thud_diag *diag)
{
    *out = NULL;
    THUD_TRY(sim_refuse(m, options, diag));
    THUD_TRY(event_refuse(options, diag));
    const thud_status status = create(m, options, borrows, out);
    if (status != THUD_OK) {
        whole_destroy(*out);
        *out = NULL;
        return thud_fail(status, diag, NULL, 0, 0,
                         status == THUD_NO_MEMORY ? "memory ran out while making a sim"
                                                  : "a geom's shape cannot collide");
    }
    return THUD_OK;
}

void whole_destroy(thud_sim *sim)
{
    if (sim) {
        event_destroy(sim->above.event);
        senses_destroy(sim);
        sim_destroy(sim);
    }
}

// ---------------------------------------------------------------------------------------------- a step

// Collisions with restitution at the start of the substep.
static substep_result collide_first(thud_sim *sim, advance *a)
{
    THUD_ASSERT(a->left > 0);
    substep_result result = step_open(sim, a);
    while (result == SUBSTEP_DONE) {
        if (step_wakes(sim, a)) {
            result = step_open(sim, a);
            continue;
        }
        if (!step_collides(sim)) {
            break;
        }
        double kinetic;
        result = sim_bounce(sim, &kinetic);
        if (result == SUBSTEP_UNSOLVED) { // of many that meet at once: rows solve it in the step
            strike_give_up(sim);
            result = SUBSTEP_DONE;
        } else if (result == SUBSTEP_DONE) {
            sim_judge_collision(sim);
            feel_collision(sim);
            sim_bounce_end(sim, kinetic);
            result = step_open(sim, a);
        }
    }
    return result;
}

// Covers the step in one substep or in several. The result is in q_next and v_next.
static substep_result run_stages(thud_sim *sim, const double *tau, const thud_state *s)
{
    advance a;
    substep_result result = step_begin(sim, tau, s, &a);
    while (result == SUBSTEP_DONE && a.left > 0) {
        result = collide_first(sim, &a);
        result = result == SUBSTEP_DONE ? step_solve(sim, &a) : result;
        if (result == SUBSTEP_AGAIN) {
            result = SUBSTEP_DONE;
            continue;
        }
        if (result == SUBSTEP_DONE) {
            feel_substep(sim, a.h);
            result = step_close(sim, &a);
        }
        if (result == SUBSTEP_DONE && sim->constrained) {
            result = settle_positions(sim, a.h);
        }
        if (result == SUBSTEP_DONE && a.left > 0) {
            feel_settle(sim);
            step_go_on(sim, &a);
        }
    }
    return result;
}

thud_status whole_enter(thud_sim *sim, const double *tau, const thud_state *s, bool certify)
{
    THUD_TRY(step_enter(sim, tau, s, certify));
    feel_begin(sim);
    return THUD_OK;
}

thud_status whole_advance(thud_sim *sim, const double *tau, thud_state *s, thud_certificate *certificate)
{
    THUD_ASSERT((sim->above.event != NULL) == sim_by_events(sim));
    THUD_TRY(sim_status((sim->above.event ? event_advance : run_stages)(sim, tau, s)));
    THUD_TRY(step_settle(sim, tau, s));
    if (certificate) {
        (sim->above.event ? event_certify : sim_certify)(sim, tau, s, certificate);
        sim_judge_end(sim, s, certificate);
    }
    sim_settle_doubts(sim, certificate);
    step_keep(sim, s);
    sim->above.felt_steps = s->steps;
    return THUD_OK;
}

thud_status whole_step(thud_sim *sim, const double *tau, thud_state *s, thud_certificate *certificate)
{
    THUD_TRY(whole_enter(sim, tau, s, certificate != NULL));
    return whole_advance(sim, tau, s, certificate);
}
