// SPDX-License-Identifier: Apache-2.0
// event_cvode.c: CVODE's two methods, made and given back.
#ifdef THUD_HAVE_SUNDIALS
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "event_cvode.h"

static void quiet(int code, const char *module, const char *function, char *message, void *user)
{
    (void)code;
    (void)module;
    (void)function;
    (void)message;
    (void)user; // the library never prints; flow_run tells
}

static bool set_iteration(integrator *i, bool stiff, N_Vector y, SUNContext context)
{
    if (!stiff) {
        i->iteration = SUNNonlinSol_FixedPoint(y, 0, context);
        return i->iteration && CVodeSetNonlinearSolver(i->cvode, i->iteration) == CV_SUCCESS;
    }
    const sunindextype n = NV_LENGTH_S(y);
    i->jacobian = SUNDenseMatrix(n, n, context);
    i->newton = i->jacobian ? SUNLinSol_Dense(y, i->jacobian, context) : NULL;
    return i->newton && CVodeSetLinearSolver(i->cvode, i->newton, i->jacobian) == CV_SUCCESS;
}

bool integrator_create(integrator *i, bool stiff, long steps, CVRhsFn rates, void *user, N_Vector y,
                       SUNContext context)
{
    enum { MOST_FAILURES = 60 }; // a slip that dies away turns fast: steps shrink with it
    i->cvode = CVodeCreate(stiff ? CV_BDF : CV_ADAMS, context);
    N_VConst(0, y);
    return i->cvode && CVodeSetErrHandlerFn(i->cvode, quiet, NULL) == CV_SUCCESS &&
           CVodeInit(i->cvode, rates, 0, y) == CV_SUCCESS && CVodeSetUserData(i->cvode, user) == CV_SUCCESS &&
           CVodeSetMaxNumSteps(i->cvode, steps) == CV_SUCCESS &&
           CVodeSetMaxConvFails(i->cvode, MOST_FAILURES) == CV_SUCCESS &&
           CVodeSetMaxErrTestFails(i->cvode, MOST_FAILURES) == CV_SUCCESS &&
           set_iteration(i, stiff, y, context);
}

void integrator_destroy(integrator *i)
{
    CVodeFree(&i->cvode);
    if (i->iteration) {
        SUNNonlinSolFree(i->iteration);
    }
    if (i->newton) {
        SUNLinSolFree(i->newton);
    }
    if (i->jacobian) {
        SUNMatDestroy(i->jacobian);
    }
}
#else
typedef int nothing_to_integrate_with; // a file of nothing is not C
#endif
