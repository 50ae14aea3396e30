// SPDX-License-Identifier: Apache-2.0
// thud/law.h: every formulation of contact and friction, each solving the same assembled island.   [theory
// 2-4, 7]
//
// A law turns an island (<thud/contact.h>) into what a solver takes, solves it and brings the answer back as
// impulses p of the island's rows, so that nothing after it needs to know which law was used:
//
//     cone                     Coulomb's cone as it is [theory 7] stewart-trinkle          pyramid of K
//     directions, gaps at the end of the step, fixed point        [theory 2] stewart-trinkle-linear   the
//     same, one linearisation anitescu-potra           pyramid, velocities only, then a projection of the
//     positions             [theory 3] phantom-inertia          full-rank pyramid; static and kinetic
//     friction, relaxation               [theory 4] box                      friction bounds from the last
//     step, axis by axis                         [theory 4] hybrid                   bristles that stick,
//     axes along the slip that slide                      [theory 4]
//
// The first four pyramids differ in what the step asks of the normal rows (the law sees it in u_free) and in
// the lead matrix. Directions of the pyramids: angle 2 pi j / K from the block's first tangent.
#pragma once

#include <thud/contact.h>

#ifdef __cplusplus
extern "C" {
#endif

#define THUD_LAW_LIST(X)                                                                                     \
    X(CONE, "cone")                                                                                          \
    X(STEWART_TRINKLE, "stewart-trinkle")                                                                    \
    X(STEWART_TRINKLE_LINEAR, "stewart-trinkle-linear")                                                      \
    X(ANITESCU_POTRA, "anitescu-potra")                                                                      \
    X(PHANTOM_INERTIA, "phantom-inertia")                                                                    \
    X(BOX, "box")                                                                                            \
    X(HYBRID, "hybrid")

typedef enum thud_law {
#define THUD_LAW_ENUM(name, word) THUD_LAW_##name,
    THUD_LAW_LIST(THUD_LAW_ENUM)
#undef THUD_LAW_ENUM
        THUD_LAWS // how many
} thud_law;

#define THUD_SOLVER_LIST(X)                                                                                  \
    X(AUTO, "auto")                                                                                          \
    X(LEMKE, "lemke")                                                                                        \
    X(MURTY, "murty")                                                                                        \
    X(JUDICE_PIRES, "judice-pires")                                                                          \
    X(DANTZIG, "dantzig")                                                                                    \
    X(PGS, "pgs")                                                                                            \
    X(NSGS, "nsgs")                                                                                          \
    X(NEWTON, "newton")                                                                                      \
    X(PROXIMAL, "proximal")                                                                                  \
    X(ADMM, "admm")

typedef enum thud_solver {
#define THUD_SOLVER_ENUM(name, word) THUD_SOLVER_##name,
    THUD_SOLVER_LIST(THUD_SOLVER_ENUM)
#undef THUD_SOLVER_ENUM
        THUD_SOLVERS // how many
} thud_solver;

THUD_API const char *thud_law_name(thud_law law);                   // "stewart-trinkle"
THUD_API bool thud_law_find(const char *name, thud_law *out);       // false: no such law
THUD_API const char *thud_solver_name(thud_solver solver);          // "judice-pires"
THUD_API bool thud_solver_find(const char *name, thud_solver *out); // false: no such solver

// NULL when the law can be solved that way; otherwise a sentence that says why not.
THUD_API const char *thud_law_refuses(thud_law law, thud_solver solver);

typedef struct thud_law_options {
    thud_law law;
    thud_solver solver;
    int directions;   // K of the pyramids: even, at least 4 (2 in the plane); phantom-inertia: K/2 axes
    double tolerance; // of the law's own residual
    double slip;      // m/s; slower contacts stick (phantom-inertia, hybrid)
    double rho;       // kg; phantom inertia; 0: the inverse of the mean diagonal of W_tt
    bool lateral; // phantom-inertia: a sliding contact's lateral axis is relaxed (true) or carries nothing
    // relaxation of rows, row i by 1/(h^2 k + h b); infinite: rigid [PI 3.4]
    double normal_stiffness, normal_damping; // N/m, N s/m
    double tangent_stiffness,
        tangent_damping; // bristles of hybrid (and of phantom-inertia where not infinite)
    bool want_rank;      // count the rank of W
} thud_law_options;

// cone, auto, 8 directions, 1e-8, the paper's slip speed 1e-3 and bristles, everything else rigid.
THUD_API thud_law_options thud_law_defaults(void);

typedef struct thud_law_report {
    bool solved;         // the law's own residual is at most the tolerance
    const char *outcome; // the solver's word: "solved", "ray", "stalled", ...
    thud_solver solver;  // that gave the answer
    int size;            // unknowns the solver saw
    int iterations;      // pivots, sweeps or Newton steps
    int tries;           // solvers tried; more than 1: the first failed
    double residual;     // the law's own, by its judge (thud_lcp_relative or thud_cone_residual)
    int rank;            // of W; -1: not asked
} thud_law_report;

// Solves the island; island->p holds a warm start in and impulses out (the best found when not solved). Takes
// all its memory from scratch; outcome "no-memory" when that is too small (island->p is then as it came). The
// ladder: the solver asked for (auto: the cheapest the law has), then every other one that the law takes,
// surest last.
THUD_API thud_law_report thud_law_solve(const thud_island *island, const thud_law_options *options,
                                        thud_arena *scratch);

// The judge of any impulses by Coulomb's exact cone, whatever law made them: thud_cone_residual of island->p.
THUD_API double thud_law_cone_residual(const thud_island *island, thud_arena *scratch);

#ifdef __cplusplus
}
#endif
