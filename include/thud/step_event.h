// SPDX-License-Identifier: Apache-2.0
// thud/step_event.h: the event-driven scheme: smooth motion to a tolerance, stopped at every event. [theory
// 5]
//
//     options.scheme = THUD_SCHEME_EVENT_DRIVEN;
//     options.event.rtol = 1e-11;
//     thud_sim_create(model, &options, &sim, &diag);
//     thud_sim_step(sim, NULL, state, &certificate);       // to time + h, through all events on the way
//     const thud_event *event = thud_sim_events(sim, &count);
//
// A step of h is only where results are wanted: impacts, losses of contact, stick and slip happen at their
// own times within it. Each step starts the integrator anew, so a state is all there is to know: restored
// into a fresh sim it goes on with the same bits. This scheme allocates in a step. docs/events.md tells how
// it works.
#pragma once

#include <thud/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum thud_scheme {
    THUD_SCHEME_TIME_STEPPING, // steps of h, events felt at their ends (impacts with restitution excepted)
    THUD_SCHEME_EVENT_DRIVEN
} thud_scheme;

typedef enum thud_collisions {    // of several contacts at one moment
    THUD_COLLISIONS_SIMULTANEOUS, // one problem for all of them
    THUD_COLLISIONS_SEQUENTIAL    // the fastest first, alone, until none collides [BW 8]
} thud_collisions;

typedef struct thud_event_options {
    double rtol, atol; // of the integrator, for positions and velocities
    double rest_speed; // m/s, rad/s; slower collisions do not spring back: the end of a Zeno sequence
    thud_collisions collisions;
    int most; // events in one step, beyond which it stops with a reason
} thud_event_options;

// 1e-9, 1e-11, 2e-7 m/s, simultaneous, 10000.
THUD_API thud_event_options thud_event_defaults(void);

typedef enum thud_event_kind {
    THUD_EVENT_IMPACT,  // a collision that may spring back
    THUD_EVENT_REST,    // one too slow to: contact lasts from here
    THUD_EVENT_RELEASE, // the contact force has fallen to 0
    THUD_EVENT_STICK,   // sliding has stopped
    THUD_EVENT_SLIP,    // friction no longer holds
    THUD_EVENT_LIMIT,   // a joint reaches a limit
    THUD_EVENT_JAM,     // no acceleration obeys friction and contact (Painleve): an impulse does
    THUD_EVENT_KINDS
} thud_event_kind;
THUD_API const char *thud_event_name(thud_event_kind kind); // "impact", ...

typedef struct thud_event {
    double time; // s
    thud_event_kind kind;
    int body1, body2;  // of a joint: its body twice; of a tendon: 0
    int joint, tendon; // whose limit or dry friction it is; otherwise -1
    double impulse[3]; // N s: normal and the two tangents; 0 where there is none
    double speed[2];   // m/s: along the normal, before and after
    double slip[2];    // m/s: speed across it, before and after
    double energy;     // J: change of kinetic energy at this moment, of all contacts of a collision together
    int together;      // how many contacts shared it
} thud_event;

struct thud_sim;
// The events of the last step, in the order of time; none of another scheme. Valid until the next step.
THUD_API const thud_event *thud_sim_events(const struct thud_sim *sim, int *count);
// Why the last step failed, if that can be told: a sentence, or "". Valid until the next step.
THUD_API const char *thud_sim_reason(const struct thud_sim *sim);

THUD_API const char *thud_scheme_name(thud_scheme scheme);                  // "time-stepping", "event-driven"
THUD_API bool thud_scheme_find(const char *name, thud_scheme *out);         // false: no such name
THUD_API const char *thud_collisions_name(thud_collisions collisions);      // "simultaneous", "sequential"
THUD_API bool thud_collisions_find(const char *name, thud_collisions *out); // false: no such name

#ifdef __cplusplus
}
#endif
