// SPDX-License-Identifier: Apache-2.0
// event_cvode.h: one of CVODE's methods, ready for use. Private to the room; only with SUNDIALS.
#pragma once

#include <stdbool.h>

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>

typedef struct integrator { // zeros: none yet
    void *cvode;
    SUNNonlinearSolver iteration; // Adams
    SUNMatrix jacobian;           // BDF
    SUNLinearSolver newton;
} integrator;

// Adams with a fixed-point iteration; stiff: BDF with Newton's, its Jacobian by differences (n evaluations and
// n^2 numbers). steps: as many as one call may take. False: no memory; destroy it all the same.
bool integrator_create(integrator *i, bool stiff, long steps, CVRhsFn rates, void *user, N_Vector y,
                       SUNContext context);
void integrator_destroy(integrator *i);
