// SPDX-License-Identifier: Apache-2.0
// laws.c: the laws, one row each, and who may solve them. A new law is a row here, its name in THUD_LAW_LIST (thud/law.h), and, if it is
// no problem of a form that is there, a row of `forms` in law.c.
#include <string.h>

#include "law_inside.h"

static const law_traits traits[THUD_LAWS] = {
    //                                   form             asks of normal rows  repeats
    [THUD_LAW_CONE] = {LAW_FORM_CONE, THUD_ASK_GAP, false},
    [THUD_LAW_STEWART_TRINKLE] = {LAW_FORM_PYRAMID, THUD_ASK_POSITION, true},
    [THUD_LAW_STEWART_TRINKLE_LINEAR] = {LAW_FORM_PYRAMID, THUD_ASK_POSITION, false},
    [THUD_LAW_ANITESCU_POTRA] = {LAW_FORM_PYRAMID, THUD_ASK_VELOCITY, false},
    [THUD_LAW_PHANTOM_INERTIA] = {LAW_FORM_PHANTOM, THUD_ASK_VELOCITY, false},
    [THUD_LAW_BOX] = {LAW_FORM_BOXED, THUD_ASK_VELOCITY, false},
    [THUD_LAW_HYBRID] = {LAW_FORM_BOXED, THUD_ASK_VELOCITY, false},
};

const law_traits *law_traits_of(thud_law law)
{
    THUD_ASSERT((unsigned)law < THUD_LAWS);
    return &traits[law];
}

// ---------------------------------------------------------------------------------------------- names

static const char *const law_names[THUD_LAWS] = {
#define LAW(name, word) [THUD_LAW_##name] = (word),
    THUD_LAW_LIST(LAW)
#undef LAW
};

static const char *const solver_names[THUD_SOLVERS] = {
#define SOLVER(name, word) [THUD_SOLVER_##name] = (word),
    THUD_SOLVER_LIST(SOLVER)
#undef SOLVER
};

static int find(const char *const *names, int count, const char *name)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0) {
            return i;
        }
    }
    return -1;
}

const char *thud_law_name(thud_law law)
{
    return (unsigned)law < THUD_LAWS ? law_names[law] : "?";
}

bool thud_law_find(const char *name, thud_law *out)
{
    const int i = find(law_names, THUD_LAWS, name);
    *out = i < 0 ? *out : (thud_law)i;
    return i >= 0;
}

const char *thud_solver_name(thud_solver solver)
{
    return (unsigned)solver < THUD_SOLVERS ? solver_names[solver] : "?";
}

bool thud_solver_find(const char *name, thud_solver *out)
{
    const int i = find(solver_names, THUD_SOLVERS, name);
    *out = i < 0 ? *out : (thud_solver)i;
    return i >= 0;
}

thud_solver law_solver_of(thud_lcp_method method)
{
    static const thud_solver solver[THUD_LCP_METHODS] = {
        [THUD_LCP_LEMKE] = THUD_SOLVER_LEMKE,
        [THUD_LCP_MURTY] = THUD_SOLVER_MURTY,
        [THUD_LCP_JUDICE_PIRES] = THUD_SOLVER_JUDICE_PIRES,
        [THUD_LCP_DANTZIG] = THUD_SOLVER_DANTZIG,
        [THUD_LCP_PGS] = THUD_SOLVER_PGS,
    };
    return solver[method];
}

// ---------------------------------------------------------------------------------------------- refusals

static const char *pyramid_refuses(thud_solver solver)
{
    switch (solver) {
    case THUD_SOLVER_MURTY:
    case THUD_SOLVER_JUDICE_PIRES:
        return "the pyramid's matrix is rank deficient, and this method needs a regular one; take lemke";
    case THUD_SOLVER_DANTZIG:
        return "the pyramid's matrix is not symmetric, and dantzig needs one that is; take lemke";
    case THUD_SOLVER_PGS:
        return "the pyramid's matrix has zeros on its diagonal, which pgs divides by; take lemke";
    default:
        return NULL;
    }
}

static const char *phantom_refuses(thud_solver solver)
{
    switch (solver) {
    case THUD_SOLVER_DANTZIG:
        return "the matrix of phantom-inertia is not symmetric, and dantzig needs one that is; take "
               "judice-pires";
    case THUD_SOLVER_PGS:
        return "the matrix of phantom-inertia is not positive, and pgs would diverge; take judice-pires";
    default:
        return NULL;
    }
}

const char *thud_law_refuses(thud_law law, thud_solver solver)
{
    if (solver == THUD_SOLVER_AUTO) {
        return NULL;
    }
    const bool conic = solver >= THUD_SOLVER_NSGS;
    const law_form form = law_traits_of(law)->form;
    if (form == LAW_FORM_CONE) {
        return conic ? NULL
                     : "the exact cone is no linear complementarity problem; take nsgs, newton, proximal or "
                       "admm";
    }
    if (conic) {
        return "this solver is for the exact cone; the law is a linear complementarity problem";
    }
    return form == LAW_FORM_PHANTOM ? phantom_refuses(solver)
           : form == LAW_FORM_BOXED ? NULL
                                    : pyramid_refuses(solver);
}
