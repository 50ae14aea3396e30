// SPDX-License-Identifier: Apache-2.0
// event.h: what the files of the event-driven scheme share. Private to the room.
#pragma once

#include "sim.h"

typedef enum hold { // how a contact or limit acts through a phase
    HOLD_OPEN,      // it does not
    HOLD_SLIDE,     // normal force; friction against the slip, if it has friction
    HOLD_STICK      // normal force and what friction it takes to stay
} hold;

typedef struct tie { // a contact or a limit that may act
    int touch;       // of sim->touch; -1: a limit
    int joint, side; // of a limit
    uint64_t id;
    bool rough;    // it has friction
    bool touching; // phi is 0, to TOUCHING
    bool resting;  // and stays so: its normal speed is 0
    hold hold;
    double slack;    // m: its gap may fall by this much before it counts as closed
    double along[2]; // direction in which it slides, in its frame

    // where last evaluated
    double phi, u[3]; // gap and velocities
    double b[3];      // what the motion alone adds to their rates: G' v
    double f[3];      // forces, N
    double room;      // N, of a contact that sticks: to the border of the cone
    double jam;       // of one that slides: 1 - mu W_nt / W_nn, and what others add to it
} tie;

typedef struct remembered { // a hold of the phase before, to tell what changed
    uint64_t id;
    hold hold;
} remembered;

struct event_drive {
    tie *tie;
    int ties, tie_capacity;
    remembered *last;
    int lasts, last_capacity;
    bool knows;     // `last` is of the moment before
    double *loop_b; // equalities x 6: G' v of their rows
    double *q_shift;
    double work, contact_work; // J, in the phase
    double time;               // s, now
    struct flow *flow;
    thud_event *log;
    int logged, log_capacity;
    int count; // of this step, phases without an event included
    char reason[160];
};
typedef struct event_drive event_drive;

enum { LOOP_ROWS = 6 };

// ------------------------------------------------------------------------------------------ event_ties.c

// All that may act before h is over, at (q_start, v_start).
substep_result ties_find(thud_sim *sim, double h);
// Their gaps and velocities at (q, v); the links are there afterwards, V are their velocities.
void ties_measure(thud_sim *sim, const double *q, const double *v);
// G' v of what holds, and of the equalities.
void ties_bias(thud_sim *sim, const double *q, const double *v);

// ------------------------------------------------------------------------------------------ event_hold.c

// Accelerations at (q, v) with what holds held: acc without constraints, push what they add, forces in the
// ties.
substep_result hold_accelerate(thud_sim *sim, const double *q, const double *v, const double *tau);
// Decides at (q_start, v_start) who holds and how. SUBSTEP_UNSOLVED: no accelerations obey the laws.
substep_result hold_decide(thud_sim *sim, const double *tau);
// Removes from v_start what speed is left along rows that hold.
substep_result hold_still(thud_sim *sim);

// ------------------------------------------------------------------------------------------ event_strike.c

substep_result strike(thud_sim *sim, bool alone); // a collision at (q_start, v_start); alone: of the fastest
substep_result strike_jam(thud_sim *sim);         // after hold_decide found no accelerations

// ------------------------------------------------------------------------------------------ event_flow.c

thud_status flow_create(thud_sim *sim, struct flow **out);
void flow_destroy(struct flow *flow);
// From (q_start, v_start) for at most h, or to the first root; *h is the time it took. Changes both.
substep_result flow_run(thud_sim *sim, const double *tau, double *h);

// ------------------------------------------------------------------------------------------ event_log.c

thud_event *log_add(thud_sim *sim, thud_event_kind kind, const tie *t); // NULL: no memory
// What changed of the holds since last time; energy: what coming to rest took.
void log_changes(thud_sim *sim, double energy);

// ------------------------------------------------------------------------------------------ event_drive.c

thud_status event_refuse(const thud_model *m, const thud_step_options *o, thud_diag *diag);
thud_status event_create(thud_sim *sim);
void event_destroy(event_drive *e);
substep_result event_advance(thud_sim *sim, const double *tau, const thud_state *s);
void event_certify(thud_sim *sim, const double *tau, const thud_state *s, thud_certificate *out);
substep_result event_fail(thud_sim *sim, substep_result result, const char *format, ...);
