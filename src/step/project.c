// SPDX-License-Identifier: Apache-2.0
// project.c: positions after a step, moved to where nothing overlaps and no loop is open. [theory 3, 7]
//
//     least dq^T M dq / 2   with   phi + J_n dq >= 0,   g + J_b dq = 0        linearised, repeated
//
// Velocities are left alone; the energy it costs (potential, and kinetic where M depends on q) is booked. A
// step that closed a gap ends half a step too deep (its positions moved with the mean of the old and new
// velocity) and is put back to the surface here.
//
// Fails    where the constraints contradict each other: what is left is in the certificate as penetration or
//          drift.
// Cost     one query; a factor and a small problem only when something is violated.
#include <math.h>
#include <string.h>

#include <thud/spatial_inline.h>

#include "sim.h"

// m, rad: violations below are left. Who asks for a rough solution is not given exact positions.
static double slop(const thud_sim *sim)
{
    return fmax(1e-9, 0.1 * sim->o.law.tolerance);
}

enum { MOST_ROUNDS = 8 };

static double deepest(const thud_sim *sim)
{
    double worst = 0;
    for (int i = 0; sim->collider && i < sim->here.set.count; i++) {
        worst = fmax(worst, -sim->here.set.contact[i].phi);
    }
    return worst;
}

// Rows in metres instead of metres a second: every contact that is or might come to be violated, and all
// loops.
static thud_status assemble(thud_sim *sim, double reach)
{
    thud_rows_begin(sim->rows, sim->d, 1);
    for (int i = 0; sim->collider && i < sim->here.set.count; i++) {
        const thud_contact *c = &sim->here.set.contact[i];
        if (c->phi <= reach && !sim_contact_sleeps(sim, c)) { // who sleeps is woken by the next step
            const thud_contact_row row = {c, c->point, {c->normal}, c->phi, {c->phi, 0, 0}, 1};
            THUD_TRY(thud_rows_add_contact(sim->rows, &row, i));
        }
    }
    THUD_TRY(loops_correct(sim, reach));
    memset(sim->V_hat, 0, (size_t)sim->m->joints * sizeof *sim->V_hat);
    return thud_rows_prepare(sim->rows, sim->V_hat, sim->V_hat, NULL, 0, 0);
}

static substep_result correct_with(thud_sim *sim, double reach)
{
    if (!sim_factor(sim, sim->q_next)) {
        return SUBSTEP_FAILED;
    }
    const thud_status status = assemble(sim, reach);
    if (status != THUD_OK) {
        return substep_of(status);
    }
    thud_law_options o = sim->o.law;
    o.law = THUD_LAW_CONE;
    o.solver = THUD_SOLVER_AUTO;
    o.tolerance = fmax(1e-6, o.tolerance);
    sim_solve_islands(sim, &o, NULL); // judged by the next query
    for (int i = 0; i < thud_rows_islands(sim->rows); i++) {
        if (sim->verdict[i].status != THUD_OK) {
            return substep_of(sim->verdict[i].status);
        }
    }
    thud_rows_respond(sim->rows, sim->d, sim->v);
    sim_integrate(sim, sim->q_next, sim->v, 1, sim->q_next);
    return SUBSTEP_DONE;
}

static void swap_rows(thud_sim *sim)
{
    thud_rows *rows = sim->rows;
    sim->rows = sim->other_rows;
    sim->other_rows = rows;
}

// The step's own problem stays as it was solved: thud_sim_rows shows it.
static substep_result correct(thud_sim *sim, double reach)
{
    swap_rows(sim);
    const substep_result result = correct_with(sim, reach);
    swap_rows(sim);
    return result;
}

static double energy(thud_sim *sim) // at (q_next, v_next)
{
    const thud_energy e = sim_energy_at(sim, sim->q_next, sim->v_next);
    return e.kinetic + e.potential;
}

// The largest error at q_next, by a fresh query.
static substep_result measure(thud_sim *sim, double h, double *worst)
{
    const thud_status status = touch_query(sim, sim->q_next, sim->v_next, h);
    if (status != THUD_OK) {
        return substep_of(status);
    }
    sim->c.penetration = deepest(sim);
    sim->c.joint_drift = loops_error(sim, sim->q_next);
    *worst = fmax(sim->c.penetration, sim->c.joint_drift);
    return SUBSTEP_DONE;
}

// Back to the best positions met: deep overlaps whose ways out contradict each other get worse by corrections.
static substep_result take_back(thud_sim *sim, double h)
{
    double worst;
    memcpy(sim->q_next, sim->q, (size_t)sim->m->nq * sizeof(double));
    return measure(sim, h, &worst);
}

substep_result sim_project(thud_sim *sim, double h)
{
    double best = INFINITY, last = INFINITY, start = 0, worst;
    int worse = 0; // rounds that did not help: one may uncover what the query before did not list
    for (int round = 0;; round++) {
        substep_result result = measure(sim, h, &worst);
        if (result != SUBSTEP_DONE) {
            return result;
        }
        worse += !(worst < last);
        if (worst < best) {
            best = worst;
            memcpy(sim->q, sim->q_next, (size_t)sim->m->nq * sizeof(double));
        }
        if (worst <= slop(sim) || round == MOST_ROUNDS || worse > 1) {
            result = worst > best ? take_back(sim, h) : SUBSTEP_DONE;
            sim->c.projected += round > 0 && sim->certify ? energy(sim) - start : 0;
            return result;
        }
        start = round == 0 && sim->certify ? energy(sim) : start;
        last = worst;
        result = correct(sim, worst + slop(sim));
        if (result != SUBSTEP_DONE) {
            return result;
        }
        sim->c.projections++;
    }
}
