// SPDX-License-Identifier: Apache-2.0
// forward.c: evaluates the dynamics at one state.
#include "forward.h"

void forward_free(forward *f)
{
    thud_dynamics_destroy(f->d);
    thud_drive_destroy(f->drive);
    thud_contact_set_free(&f->contacts);
    thud_free(f->X_wb);
    thud_free(f->block);
}

bool forward_create(const thud_model *m, const thud_state *s, forward *f)
{
    const size_t nv = (size_t)m->nv, sparse = (size_t)m->dof_row[m->nv];
    *f = (forward){.m = m, .s = s};
    f->X_wb = thud_alloc((size_t)m->bodies + (size_t)m->geoms, sizeof *f->X_wb);
    f->block = thud_alloc(nv * nv + 5 * nv + sparse + (size_t)m->readings + 1, sizeof(double));
    if (!f->X_wb || !f->block || thud_dynamics_create(m, &f->d) != THUD_OK ||
        thud_drive_create(m, &f->drive) != THUD_OK) {
        forward_free(f);
        return false;
    }
    f->X_wg = f->X_wb + m->bodies;
    f->bias = f->block;
    f->passive = f->bias + nv;
    f->actuator = f->passive + nv;
    f->qacc = f->actuator + nv;
    f->carried = f->qacc + nv;
    f->M = f->carried + nv;
    f->reading = f->M + nv * nv + sparse;
    return true;
}

thud_status forward_collide(forward *f)
{
    thud_collider *collider;
    THUD_TRY(thud_collider_create(f->m, NULL, &collider));
    thud_status status = thud_contact_set_reserve(&f->contacts, 64);
    while (status == THUD_OK) {
        status = thud_collide(collider, f->m, f->X_wg, 0, &f->contacts, NULL);
        if (status != THUD_NO_MEMORY) {
            break;
        }
        status = f->contacts.needed > f->contacts.capacity
                     ? thud_contact_set_reserve(&f->contacts, f->contacts.needed)
                     : thud_collider_grow(collider);
    }
    thud_collider_destroy(collider);
    return status;
}

// Springs, dampers, tendons, actuators, and carried weight: a passive force, or an actuator's where the joint
// says so.
static void add_forces(forward *f)
{
    const thud_model *m = f->m;
    const thud_state *s = f->s;
    const thud_drive_input in = {.ctrl = s->ctrl, .act = s->act, .h = m->timestep, .carried = f->carried};
    thud_passive_force(m, s->qpos, s->qvel, NULL, f->passive);
    thud_drag_force(m, f->d, f->passive);
    thud_carried_force(m, f->d, f->carried);
    thud_drive_place(m, s->qpos, f->d, f->drive);
    thud_drive_move(m, s->qvel, f->drive);
    thud_tendon_force(m, NULL, f->drive, f->passive);
    thud_actuator_force(m, &in, f->drive, f->actuator);
    f->energy.potential += thud_tendon_energy(m, f->drive);
    for (int i = 0; i < m->nv; i++) {
        *(m->joint_actgravcomp[m->dof_link[i]] ? &f->actuator[i] : &f->passive[i]) += f->carried[i];
    }
}

bool forward_compute(forward *f)
{
    const thud_model *m = f->m;
    const int nv = m->nv;
    double *sparse = f->M + (size_t)nv * (size_t)nv;
    thud_body_poses(m, f->s->qpos, f->X_wb);
    thud_geom_poses(m, f->X_wb, f->X_wg);
    thud_dynamics_place(m, f->s->qpos, f->d);
    thud_dynamics_move(m, f->s->qvel, f->d);
    thud_dynamics_crba(m, f->d, sparse);
    thud_mass_expand(m, sparse, f->M);
    thud_dynamics_rnea(m, NULL, f->d, f->bias);
    f->energy = thud_dynamics_energy(m, f->s->qpos, f->s->qvel, f->d);
    add_forces(f);
    for (int i = 0; i < nv; i++) {
        f->qacc[i] = f->passive[i] + f->actuator[i] - f->bias[i];
    }
    if (thud_mass_factor(m, sparse) >= 0) {
        return false;
    }
    thud_mass_solve(m, sparse, f->qacc);
    return true;
}

thud_status forward_sense(forward *f, thud_diag *diag)
{
    thud_step_options options = thud_step_defaults(f->m);
    options.scheme = THUD_SCHEME_TIME_STEPPING;
    thud_sim *sim = NULL;
    thud_state *s = NULL; // a copy: room for contacts is in the state, too
    thud_status status = f->m->sensors > 0 ? thud_sim_create(f->m, &options, &sim, diag) : THUD_OK;
    if (sim) {
        status = thud_state_create(f->m, &s);
        status = status == THUD_OK ? thud_state_copy(f->s, s) : status;
        status = status == THUD_OK ? thud_sim_sense(sim, s, f->reading) : status;
        for (int tries = 0; status == THUD_NO_MEMORY && s && tries < 24; tries++) {
            status = thud_sim_grow(sim, s);
            status = status == THUD_OK ? thud_sim_sense(sim, s, f->reading) : status;
        }
    }
    thud_state_destroy(s);
    thud_sim_destroy(sim);
    return status;
}
