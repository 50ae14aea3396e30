// SPDX-License-Identifier: Apache-2.0
// stepper.h: a scene that is stepped, in joint coordinates or in six for each body, as the scene wishes and
// as the command line wishes over it. What run and reproduce have in common, so that they give the same bits.
#pragma once

#include "scene.h"
#include "signal_file.h"

// The words of --law and --solver in the order of their enumerations.
#define LAW_WORDS "cone|stewart-trinkle|stewart-trinkle-linear|anitescu-potra|phantom-inertia|box|hybrid"
#define SOLVER_WORDS "auto|lemke|murty|judice-pires|dantzig|pgs|nsgs|newton|proximal|admm"

enum { NOT_GIVEN = -1 };

// What goes before the scene's own wishes; start from WISHES_NONE.
typedef struct step_wishes {
    double dt;             // 0: the scene's; so are the next three
    double tolerance, rho; // kg
    int directions;
    double restitution; // negative: the scene's
    int integrator;     // thud_integrator, or NOT_GIVEN; so are the next four
    int law, solver, restitution_law, coordinates;
    int scheme, collisions;         // thud_scheme, thud_collisions, or NOT_GIVEN
    int impacts;                    // 0: located, 1: printed, or NOT_GIVEN: by the law
    double rtol, atol;              // 0: the scheme's own
    double rest_speed;              // m/s; 0: the scheme's own
    double sleep_speed, sleep_time; // m/s, s; 0: the scene's own
    double budget;                  // of a step; 0: its own
    double accept_tolerance;        // 0: none
    bool aligned;                   // pyramids turn into the slip
    int threads;                    // 0: as many as there are cores, or NOT_GIVEN
    const char *from;               // a saved state, in either coordinates; NULL: the scene's
} step_wishes;

#define WISHES_NONE                                                                                          \
    {                                                                                                        \
        .restitution = NOT_GIVEN, .integrator = NOT_GIVEN, .law = NOT_GIVEN, .solver = NOT_GIVEN,            \
        .restitution_law = NOT_GIVEN, .coordinates = NOT_GIVEN, .scheme = NOT_GIVEN,                         \
        .collisions = NOT_GIVEN, .impacts = NOT_GIVEN, .threads = NOT_GIVEN                                  \
    }

typedef struct stepper {
    const scene *scene; // its state is where the motion is
    thud_step_options options;
    thud_sim *sim;
    control_signal signal; // no rows: the controls stay as they are
    const double *tau;     // the caller's own forces on the joints, in minimal coordinates; NULL: none
    double *reading;       // of the scene's sensors, and behind them of those of the model that is stepped
    thud_spec *wide;       // maximal coordinates: what is stepped; otherwise NULL, and the scene's own are
    thud_model *wide_model;
    thud_state *wide_state;
} stepper;

thud_step_options stepper_choose(const step_wishes *w, const thud_model *m);

// Ready to step from the saved state, or from the scene's, which may have been set. Destroy it also after a failure.
thud_status stepper_create(stepper *p, const scene *s, const step_wishes *w, thud_diag *diag);
void stepper_destroy(stepper *p);

// Plays the controls of a file from now on.
thud_status stepper_play(stepper *p, const char *path, thud_diag *diag);

// One step, with as much room for contacts as it takes; the scene's state follows. certificate may be NULL.
thud_status stepper_step(stepper *p, thud_certificate *certificate);

// What the sensors of the scene read now, into p->reading; in maximal coordinates those of joints, tendons and
// actuators are NaN.
thud_status stepper_sense(stepper *p);

const thud_model *stepper_model(const stepper *p); // that is stepped
thud_state *stepper_state(const stepper *p);       // of that model
