// SPDX-License-Identifier: Apache-2.0
// thud/step.h: the pipeline. A sim holds the scratch of one caller and takes steps, alone or with threads of its
// own; every step can prove itself.
//
//     thud_step_options options = thud_step_defaults(model);
//     thud_sim_create(model, &options, &sim, &diag);
//     while (state->time < 5) {
//         thud_sim_step(sim, NULL, state, &certificate);
//     }
#pragma once

#include <thud/dynamics.h>
#include <thud/law.h>
#include <thud/state.h>
#include <thud/step_event.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum thud_restitution_law { // how a collision springs back [theory 6]
    THUD_RESTITUTION_POISSON,       // impulses: decompression gives back e of what compression took
    THUD_RESTITUTION_NEWTON         // velocities: u_n+ = -e u_n-
} thud_restitution_law;

typedef enum thud_impacts { // when contacts that close fast within a step are solved
    THUD_IMPACTS_BY_LAW,    // located for the cone, as printed for the papers' laws
    THUD_IMPACTS_LOCATED, // at the moment they touch: nothing passes through, landings are of the step's order
    THUD_IMPACTS_PRINTED  // by a row in the step, as the papers' fixed-step schemes are printed
} thud_impacts;

// What rests sleeps: trees (with joint limits and dry friction, but without actuators, tendons, equalities) that touch each
// other, none of whose points moved faster than `speed` for `time` seconds. Their velocities are exactly 0 and they are left
// out of the step, with the impulses that held them kept, until a contact with something awake would act on one of them, or
// its position or velocity, a force on it or a mocap body is changed. Their part of the certificate (residual, penetration)
// is that of the step in which they fell asleep; contacts and forces of what sleeps are not listed.
typedef struct thud_sleep_options {
    double speed; // m/s; 0: nothing sleeps
    double time;  // s
} thud_sleep_options;

typedef struct thud_step_options {
    double h;           // step, s
    thud_scheme scheme; // event-driven: the integrator is CVODE, `event` its options, others unused
    thud_event_options event;
    thud_integrator integrator; // as the model asks, MIDPOINT unless it says otherwise
    int rounds;                 // of the midpoint's iteration, at most (1 or more); 2 meet what we promise
    double restitution;         // of every contact, 0 to 1; negative: as the model says
    thud_restitution_law restitution_law;
    double restitution_speed; // m/s; slower contacts do not spring back
    thud_impacts impacts;
    thud_sleep_options sleep; // off; not between events, nor in models with sensors
    thud_law_options law;     // of contact; laws other than cone take the papers' semi-implicit Euler step
    int64_t
        budget; // work of a step, in about multiply-adds (thud_arena_spend); 0: THUD_BUDGET, and THUD_BUDGET_DOF more a dof
    double accept_tolerance; // a residual that will do where the budget is spent; 0: none
    int threads; // that share a step, the caller's included; 0: as many as there are cores. The motion is the same
} thud_step_options;

// What a step may cost unless the caller says otherwise: a few seconds, where steps of that size take milliseconds. All rounds, methods
// and parts of a step share it: a solve may take half of what is left, so a part that came to nothing leaves less for the next, and
// islands that are solved side by side each half. Solving counts; finding contacts, which ends by itself, does not. When a solve has spent its
// share the step is taken in smaller parts, as when it has failed, and when nothing is left the step fails with NOT_SOLVED; but a
// residual of accept_tolerance or less is taken instead, with the doubt "accepted" (coarse).
#define THUD_BUDGET INT64_C(10000000000)
#define THUD_BUDGET_DOF INT64_C(10000000)

// The scene's own wishes: its timestep and integrator, and what its <custom> texts thud:law, thud:solver,
// thud:directions, thud:tolerance, thud:rho, thud:impact, thud:impacts, thud:restitution-speed, thud:sleep-speed,
// thud:sleep-time, thud:scheme and thud:collisions say. A word that cannot be understood is left to thud_sim_create, which refuses it.
THUD_API thud_step_options thud_step_defaults(const thud_model *m);

// What a step is worth. Every number is recomputed from the result, not taken from the method's word. [theory
// 7]
typedef struct thud_certificate {
    double cone_residual; // by Coulomb's exact cone, whatever the law
    double lcp_residual;  // the law's own, of laws that end in an LCP
    double penetration;   // m, at the new positions, by a fresh query
    double joint_drift;   // largest error of a unit quaternion, m or rad of a loop or limit
    double
        momentum; // |(M + implicit) a - (tau - bias) - G^T p/h| by Newton-Euler, of what acts in the same tree
    double fixed_point;        // change of velocity that the last evaluation still made, relative
    double kinetic, potential; // J, at the new state
    double work;               // J, done in this step by applied forces and dampers
    double contact_work;       // J, done by contacts, limits and loops: what they dissipate is negative
    double projected;          // J, potential energy added by putting positions right
    double energy_error;       // J, change of energy in this step less all of these
    int split;                 // the step was taken in 2^split parts
    int contacts;              // that had rows
    int iterations;            // of the solvers
    int projections;           // rounds of putting positions right
    int impacts;               // collisions with restitution in this step
    double impact_gain;        // J, the most that one of them gained; 0: none did
    int asleep;                // trees
    int accepted;              // islands whose residual is above the tolerance and at most accept_tolerance
    int64_t spent;             // of the budget
    int unconverged;           // islands left unsolved; 0 in a step that was taken
    int wrong, coarse, noted;  // doubts of this step, by grade: thud/step_doubt.h lists them
} thud_certificate;

typedef struct thud_sim thud_sim;
THUD_API THUD_MUST_USE thud_status thud_sim_create(const thud_model *m, const thud_step_options *options,
                                                   thud_sim **out, thud_diag *diag);
THUD_API void thud_sim_destroy(thud_sim *sim); // NULL is allowed

// One step of s. A model of several robots is stepped robot by robot while they keep out of each other's reach
// (docs/robots.md); it cannot be seen in what follows. tau: nv applied joint forces, or NULL. certificate may be NULL: then it is not computed,
// which saves about half the time of a step. Allocates nothing, but for islands of more than 240 rows that
// are not one tree, whose sparse factors do. On failure s is untouched: NOT_FINITE, or
// NOT_SOLVED when a contact problem could not be solved to the tolerance, not in smaller steps either, or
// NO_MEMORY when there are more contacts than there is room for: thud_sim_grow, and step again, or CANCELLED.
THUD_API THUD_MUST_USE thud_status thud_sim_step(thud_sim *sim, const double *tau, thud_state *s,
                                                 thud_certificate *certificate);

// Calls off the step that is being taken, or else the next one: it ends with CANCELLED within 50 ms or so, and the state is as it was
// before. From any thread, and from a signal handler.
THUD_API void thud_sim_cancel(thud_sim *sim);

// Twice the room for contacts, in the sim and in the state it is used with.
THUD_API THUD_MUST_USE thud_status thud_sim_grow(thud_sim *sim, thud_state *s);

// The contact problem of forces or of a collision that the last step solved last (not that of putting
// positions right); after NOT_SOLVED the one that failed. Valid until the next step. Its islands may have no W
// before thud_rows_fill. NULL for a model in which nothing can touch or hold.
THUD_API thud_rows *thud_sim_rows(const thud_sim *sim);

// Kinetic and potential energy of a state. Uses the sim's scratch.
THUD_API thud_energy thud_sim_energy(thud_sim *sim, const thud_state *s);

// How the sim takes its steps. It is not what the options ask for where something can touch or hold and they ask for RK4, or
// where the law is one of the papers'. Between events: of the steps' ends.
THUD_API thud_integrator thud_sim_integrator(const thud_sim *sim);

// Whether a body sleeps in this state: its velocity is exactly 0 and stays so.
THUD_API bool thud_sim_sleeps(const thud_sim *sim, const thud_state *s, int body);

THUD_API const char *thud_integrator_name(thud_integrator integrator);      // "midpoint", "euler", "rk4"
THUD_API bool thud_integrator_find(const char *name, thud_integrator *out); // false: no such name
THUD_API const char *thud_impacts_name(thud_impacts impacts);               // "by-law", "located", "printed"
THUD_API bool thud_impacts_find(const char *name, thud_impacts *out);
THUD_API const char *thud_restitution_name(thud_restitution_law law);             // "poisson", "newton"
THUD_API bool thud_restitution_find(const char *name, thud_restitution_law *out); // false: no such name

#ifdef __cplusplus
}
#endif
