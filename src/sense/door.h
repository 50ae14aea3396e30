// SPDX-License-Identifier: Apache-2.0
// sense/door.h: sensors' forces over a step, and dynamics with contact at one state, for the rooms above (event, sim). Not installed.
#pragma once

#include <thud/step_sense.h>

#include <step/door.h>

typedef struct contact_forces { // of a step, summed up when they are asked for
    double owed;       // 1/s: the factor with which the rows' impulses are still to be added; 0: none is
    thud_force push[]; // bodies, about the world's origin
} contact_forces;

// The contact forces and sensors of a sim: sim->above.senses and sim->above.contact, if there is need.
thud_status senses_create(thud_sim *sim);
void senses_destroy(thud_sim *sim);

// How many sensors of forces and accelerations there are. Their readings over the last step, where it was felt; NULL: there are none.
int senses_felt(const thud_model *m);
double *senses_mean(const thud_sim *sim);

// Sums of forces and accelerations: cleared; of a substep that will stand, after step_solve; of a collision, after sim_bounce, while the links are
// where they were solved; at a moment, the rows being impulses over h.
void feel_begin(thud_sim *sim);
void feel_contacts(const thud_sim *sim, double share); // the forces of contacts alone: impulses times share
void feel_push(thud_sim *sim, const thud_contact *c, double share, thud_force on_body2); // and more of one
void feel_settle(const thud_sim *sim); // those that are owed, before the rows are others
void feel_substep(thud_sim *sim, double h);
void feel_collision(thud_sim *sim);
void feel_moment(thud_sim *sim, const double *q, const double *v, double h, double early);

// thud_sim_forward, thud_sim_inverse and thud_sim_constraint_force, of a sim whose rows are its own.
thud_status moment_forward(thud_sim *sim, const double *tau, const thud_state *s, double *qacc);
thud_status moment_inverse(thud_sim *sim, const double *qacc, const thud_state *s, double *tau);
void moment_constraint_force(thud_sim *sim, double *force);
// Whether the last step of this sim led to s. thud_sim_sense, likewise, by moment_forward where it did not.
bool senses_follow(const thud_sim *sim, const thud_state *s);
thud_status senses_read(thud_sim *sim, const thud_state *s, double *reading);
