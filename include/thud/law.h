// SPDX-License-Identifier: Apache-2.0
// thud/law.h: every formulation of contact and friction, each solving the same assembled island.
//
// A law turns an island (<thud/contact.h>) into what a solver takes, solves it and brings the answer back as
// impulses p of the island's rows, so that nothing after it needs to know which law was used:
//
//     cone                     Coulomb's cone as it is                                           [theory 7]
//     stewart-trinkle          pyramid of K directions, gaps at the step's end, fixed point      [theory 2]
//     stewart-trinkle-linear   the same, linearised once                                         [theory 2]
//     anitescu-potra           pyramid, velocities only; positions are projected afterwards      [theory 3]
//     phantom-inertia          full-rank pyramid; static and kinetic friction, relaxation        [theory 4]
//     box                      friction axis by axis, bounds from the last step                  [theory 4]
//     hybrid                   bristles that stick, axes along the slip that slide               [theory 4]
//
// The two of Stewart and Trinkle and that of Anitescu and Potra are one problem of an island: what they ask
// of the normal rows stands in u_free, and what surrounds the solve is the step's. Directions of the
// pyramids: angles 2 pi j / K from the block's first tangent. docs/laws.md tells the laws apart.
#pragma once

#include <thud/contact.h>
#include <thud/lcp.h>

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

// Relaxation: a row that gives way like a spring k with a damper b gets epsilon = 1/(h^2 k + h b) on the
// diagonal of W, and none where k is infinite or h is 0 (a collision). [PI eq 40]
typedef struct thud_law_options {
    thud_law law;
    thud_solver solver;
    int directions;          // K of the pyramids: even, at least 4; phantom-inertia: K/2 axes that stick
    double tolerance;        // of the law's own residual
    bool aligned;            // pyramids: where a contact slides, the first direction lies along the slip
    double slip;             // m/s; a contact slower than this sticks (phantom-inertia, hybrid; aligned)
    bool lateral;            // phantom-inertia, hybrid: across the slip friction is relaxed, or there is none
    double rho;              // kg; phantom inertia; 0: each axis its own, 1 / the sum of |W_tt| over its row
    double normal_stiffness; // N/m, of normal rows and limits (phantom-inertia, box, hybrid)
    double normal_damping;   // N s/m
    double tangent_stiffness; // N/m, of the bristles of a contact that sticks (phantom-inertia, hybrid)
    double tangent_damping;   // N s/m
    bool want_rank;           // count the rank of W
    bool brief;               // cone: as in thud_cone_options
    int max_iterations;       // cone: as in thud_cone_options
} thud_law_options;

// cone, auto, 8 directions, 1e-8, slip 1e-3, lateral, bristles of 1e8 N/m and 1e5 N s/m [PI], the rest rigid.
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

// Solves the island; island->p holds a warm start in and impulses out (the best found when not solved). The
// ladder: the solver asked for (auto: the cheapest that the law has), then every other direct one that the
// law takes, surest last. Of many solutions the one of equal compliance -> 0, so that neither solver nor
// order of rows nor warm start shows [theory 7]. Outcomes besides the solver's own, island->p then being as
// it came: "refused" (thud_law_refuses says why), "bad-options", "not-filled" (no W), "too-large" and "no-memory". Takes its
// memory from scratch, at most thud_law_scratch bytes, and gives it back; only the cone of a sparse W
// allocates (thud/cone.h).
THUD_API thud_law_report thud_law_solve(const thud_island *island, const thud_law_options *options,
                                        thud_arena *scratch);
THUD_API size_t thud_law_scratch(const thud_island *island, const thud_law_options *options);

// Brings impulses that all but solve an island by the cone to a hundredth of the tolerance, by a few sweeps over its
// product and without W. They leave the choice among many solutions as it was, but for what they change. false: that was
// not enough, island->p is as it came and the report counts the sweeps.
THUD_API bool thud_law_touch_up(const thud_island *island, const thud_law_options *options,
                                thud_arena *scratch, thud_law_report *report);

// Most unknowns of the linear laws, whose matrices are dense: 300 contacts of 8 directions.
#define THUD_LAW_UNKNOWNS 3000

// The linear complementarity problem that a law is, as its solver sees it: for dumps and for studies of rank
// and of solvers. `compliant` adds what the ladder starts from, 1e-6 of the mean diagonal of W on every row,
// so that redundant contacts do not hide what the law itself does to the rank. Speeds among the unknowns are
// divided by the power of two next to that mean, their rows multiplied by it. A view of scratch, which the
// caller releases. THUD_BAD_ARGUMENT for the cone, which is none, and an island without W; THUD_NOT_SOLVED where phantom-inertia
// cannot be freed of its friction rows and loops because they are redundant and rigid; THUD_NO_MEMORY.
THUD_API THUD_MUST_USE thud_status thud_law_problem(const thud_island *island,
                                                    const thud_law_options *options, bool compliant,
                                                    thud_arena *scratch, thud_lcp *out);

// The judge of any impulses by Coulomb's exact cone, whatever law made them: thud_cone_residual of island->p.
THUD_API double thud_law_cone_residual(const thud_island *island, thud_arena *scratch);

#ifdef __cplusplus
}
#endif
