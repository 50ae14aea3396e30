// SPDX-License-Identifier: Apache-2.0
// event.h: what the files of the event-driven scheme share. Private to the room.
//
//     event_drive    a step: strike, decide, flow, and again        event_ties     what may act, and how near it is
//     event_strike   impulses                                       event_own      limits and dry friction as ties
//     event_decide   who holds: inequalities                        event_bias     G' v
//     event_hold     forces of what holds: equations                event_rows     the rows of what holds
//     event_flow     phases, roots                                  event_motion   x' = f(t, x)
//     event_log      what happened when
#pragma once

#include <math.h>

#include <sense/door.h>
#include <settle/door.h>

#include "door.h"

enum { TIE_ROWS = 6, LOOP_ROWS = 6, AXES = 3 };

typedef enum tie_kind {
    TIE_CONTACT,
    TIE_LIMIT, // of a joint, a tendon, an equality's axis
    TIE_TENDON_LIMIT,
    TIE_AXIS_LIMIT,
    TIE_DRY, // friction of a dof, a tendon, an equality's axis
    TIE_TENDON_DRY,
    TIE_AXIS_DRY
} tie_kind;

typedef enum hold { // how a tie acts through a phase
    HOLD_OPEN,      // it does not
    HOLD_SLIDE,     // normal force; friction against the slip, if it has friction
    HOLD_STICK      // normal force and what friction it takes to stay
} hold;

typedef struct tie { // a contact, a limit or dry friction that may act
    tie_kind kind;
    int of, part;  // the touch, joint, dof, tendon or equality; which side or axis of it
    uint64_t id;   // of its rows
    int slips;     // directions in which friction acts: 0, of contacts 2, 3 or 5, of dry friction 1
    double bound;  // N, N m: of dry friction
    bool touching; // phi is 0, to TOUCHING
    bool resting;  // and stays so: its normal speed is 0
    hold hold;
    double slack;               // m: its gap may fall by this much before it counts as closed
    double along[TIE_ROWS - 1]; // direction in which it slides, in its frame

    // Where last evaluated. Component 0 is the normal one, which dry friction lacks; slips follow.
    thud_gap_value gap; // of a contact
    double phi, u[TIE_ROWS];
    double b[TIE_ROWS]; // what the motion alone adds to the rates of u: G' v
    double f[TIE_ROWS]; // forces, N
    double room;        // N, of what sticks: to the border of its cone
    double jam;         // of a contact that slides: 1 - mu W_nt / W_nn
} tie;

typedef struct member { // what a block of the rows was made from
    int tie;            // -1: an equality, or what acts along its axes
    bool given;         // its force is known beforehand
    double force;       // N, then
} member;

typedef struct remembered { // a hold of the phase before, to tell what changed
    uint64_t id;
    hold hold;
} remembered;

struct event_drive {
    const double *tau; // of the step
    tie *tie;
    int ties, tie_capacity;
    member *member;
    int member_capacity;
    remembered *last;
    int lasts, last_capacity;
    bool knows;              // `last` is of the moment before
    double *loop_b, *axis_b; // equalities x LOOP_ROWS, x AXES: G' v of their rows and of their free axes
    double *q_shift;
    double work, contact_work; // J, in the phase
    double power;              // W: of all that holds
    double start, done;        // s: time at the step's start; how much of it is over
    bool stands;               // nothing moves or begins to
    struct flow *flow;
    thud_event *log;
    int logged, log_capacity;
    int count; // of this step, phases without an event included
    char reason[160];
};
typedef struct event_drive event_drive;

static inline bool tie_is_dry(const tie *t)
{
    return t->kind >= TIE_DRY;
}
static inline double tie_slip(const tie *t) // m/s, rad/s
{
    double sum = 0;
    for (int k = 1; k <= t->slips; k++) {
        sum += t->u[k] * t->u[k];
    }
    return sqrt(sum);
}

// ------------------------------------------------------------------------------------------ event_ties.c

// All that may act before h is over, at (q_start, v_start).
substep_result ties_find(thud_sim *sim, double h);
// Puts links and tendons at q; V are the velocities of v.
void ties_place(thud_sim *sim, const double *q, const double *v);
// Gaps and velocities at (q, v), where the links are.
void tie_measure(thud_sim *sim, tie *t, const double *q, const double *v);
void ties_measure(thud_sim *sim, const double *q, const double *v); // places, and measures all

// ------------------------------------------------------------------------------------------ event_own.c

int own_most(const thud_model *m); // limits and dry frictions there are
void own_list(thud_sim *sim);      // appends them to the ties
void own_measure(thud_sim *sim, tie *t, const double *q, const double *v);
thud_status own_add(thud_sim *sim, const tie *t, const double *q); // its row

// ------------------------------------------------------------------------------------------ event_bias.c

// G' v at (q, v). Of what has no closed form by differences: moves the links.
void bias_by_differences(thud_sim *sim, const double *q, const double *v);
// Of contacts, where the links are moved to (q, v) and measured.
void bias_of_contacts(thud_sim *sim);

// ------------------------------------------------------------------------------------------ event_rows.c

typedef enum rates { // what the rows' unknowns have to balance
    RATES_FORCE,     // accelerations
    RATES_STILL,     // velocities, which are to be 0
    RATES_JAM        // the velocities after JAM_STEP
} rates;
static const double JAM_STEP = 1e-5; // s

typedef struct unknown { // one force of a reduced island
    int row;             // the first row it acts on
    int shares;          // and, sliding, on so many after it
    double c[TIE_ROWS - 1];
} unknown;

typedef struct reduced { // B x + b: an island whose sliding contacts have one unknown each
    int n, blocks;
    unknown *unknown;
    double *B, *b, *x; // B column-major
    double *given;     // rows of the island: forces known beforehand
    double *diagonal;  // blocks: W_nn
    tie **tie;         // of each block; NULL: an equality
    int *of;           // its number in the island
    thud_block *block;
    thud_cone_block *cone;
    thud_island island; // all this as every law takes it
} reduced;

// Rows of all that holds, where the links are; what was not measured there must not hold.
thud_status rows_assemble(thud_sim *sim, const double *q, const double *v, const double *a_free);
tie *rows_tie(const thud_sim *sim, const thud_island *island, int k); // NULL: an equality
substep_result rows_reduce(thud_sim *sim, const thud_island *island, rates what, reduced *out);
void rows_spread(const reduced *r, const thud_island *island); // x to the island's rows
double tie_friction(const thud_sim *sim, const tie *t, int k); // static, along slip k (from 0)
// The length of friction f_t (slips of them) in units of its bound at a normal force of 1.
double tie_strain(const thud_sim *sim, const tie *t, const double *f_t);

// ------------------------------------------------------------------------------------------ event_hold.c

// Accelerations at (q, v), t into the phase, with what holds held: acc without constraints, push what they
// add, forces in the ties.
substep_result hold_accelerate(thud_sim *sim, const double *q, const double *v, double t);
// Places the links at (q, v) and assembles the rows of what holds; *none: nothing does.
substep_result hold_prepare(thud_sim *sim, const double *q, const double *v, double t, bool *none);
// Removes from v_start what speed is left along rows that hold.
substep_result hold_still(thud_sim *sim);
// B x = -b for the unknowns that are on (NULL: all), the shortest x; the others are 0. UNSOLVED: not even
// B + epsilon has an inverse.
substep_result hold_solve(thud_sim *sim, reduced *r, const bool *on);

// ------------------------------------------------------------------------------------------ event_decide.c

// Decides at (q_start, v_start) who holds and how. SUBSTEP_UNSOLVED: no accelerations obey the laws.
substep_result hold_decide(thud_sim *sim);

// ------------------------------------------------------------------------------------------ event_strike.c

substep_result strike(thud_sim *sim, bool alone); // a collision at (q_start, v_start); alone: of the fastest
substep_result strike_jam(thud_sim *sim);         // after hold_decide found no accelerations
double strike_energy(thud_sim *sim);              // kinetic, at (q_start, v_start)

// ------------------------------------------------------------------------------------------ event_motion.c

// x = (q, v, work, contact work): how many numbers, and x' at t into the phase. q: room for positions with
// unit quaternions, those of x afterwards.
int motion_size(const thud_model *m);
substep_result motion_rate(thud_sim *sim, double t, const double *x, double *q, double *rate);
void motion_bend(const thud_sim *sim, const double *x, const double *rate, double *bend); // x'' of positions
void motion_normalise(const thud_model *m, const double *x, double *q);

// ------------------------------------------------------------------------------------------ event_flow.c

thud_status flow_create(thud_sim *sim, struct flow **out);
void flow_destroy(struct flow *flow);
void flow_begin(struct flow *flow); // a step
// From (q_start, v_start) for at most h, or to the first root; *h is the time it took. Changes both.
substep_result flow_run(thud_sim *sim, double *h);

// ------------------------------------------------------------------------------------------ event_log.c

thud_event *log_add(thud_sim *sim, thud_event_kind kind, const tie *t); // NULL: no memory
// What changed of the holds since last time; energy: what coming to rest took. False: no memory.
bool log_changes(thud_sim *sim, double energy);

// ------------------------------------------------------------------------------------------ event_drive.c

// The step: door.h. Why a part of it fails.
substep_result event_fail(thud_sim *sim, substep_result result, const char *format, ...);
