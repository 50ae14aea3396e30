// SPDX-License-Identifier: Apache-2.0
// sim.h: the scratch of a sim, shared by the integrators. Private to the room.
#pragma once

#include <thud/step.h>

struct thud_sim {
    const thud_model *m;
    thud_step_options o;
    thud_dynamics *d;
    bool passive;         // some joint has a spring or a damper
    double *Minv;         // nv: diagonal of M^-1 at the reference pose
    double *ahead;        // nv: theta h of each dof, how far ahead springs and dampers are taken
    double *tau;          // nv: applied and passive forces of the step
    double *q, *v;        // nq, nv: where the dynamics were last evaluated
    double *acc, *before; // nv: acceleration last solved for, and the one before
    double *q_next, *v_next;
    double *v_mean; // nv: velocity along which positions moved
    double *k[4],
        *u[4];          // RK4: accelerations and displacement rates of the stages; scratch of the certificate
    double fixed_point; // relative change that the midpoint's last evaluation still made
    int split;          // the step was taken in 2^split parts
    double *block;      // all of the arrays above
};

// Acceleration at (q, v) under tau: motion, carried weight, articulated bodies. False: an inertia is not
// positive.
bool sim_accelerate(thud_sim *sim, const double *q, const double *v, const double *tau, double *acc);
// The same at another velocity v, where the links already are.
void sim_accelerate_again(thud_sim *sim, const double *v, const double *tau, double *acc);

// Each integrator fills q_next, v_next and acc from s and tau. False: the numbers failed.
bool step_midpoint(thud_sim *sim, const double *tau, const thud_state *s);
bool step_euler(thud_sim *sim, const double *tau, const thud_state *s);
bool step_rk4(thud_sim *sim, const double *tau, const thud_state *s);

// theta of every dof for a step of h: fills ahead and d->implicit.
void sim_set_implicit(thud_sim *sim, double h);
void sim_measure_inertia(thud_sim *sim); // fills Minv and passive

// Judges the step from s to (q_next, v_next).
void sim_certify(thud_sim *sim, const double *tau, const thud_state *s, thud_certificate *out);
