// SPDX-License-Identifier: Apache-2.0
// law/door.h: what laws differ in, and who solves the islands of a problem, for the rooms above. Not installed.
#pragma once

#include <thud/law.h>

typedef enum law_form { // the problem that a law is
    LAW_FORM_CONE,      // Coulomb's cone itself [theory 7]
    LAW_FORM_PYRAMID,   // an LCP with directions of friction [theory 2, 3]
    LAW_FORM_PHANTOM,   // an LCP of full rank [theory 4]
    LAW_FORM_BOXED,     // a boxed LCP [theory 4]
    LAW_FORMS
} law_form;

typedef struct law_traits {
    law_form form;
    thud_ask ask; // of normal rows
    bool repeats; // the rows are taken where the step ends, again until that stays [theory 2]
} law_traits;

const law_traits *law_traits_of(thud_law law);

// Coulomb's cone itself: it is stepped by the option's integrator and keeps impulses that still hold. All others take the papers'
// semi-implicit Euler step, and their impulses are judged by two residuals.
static inline bool law_is_exact(thud_law law)
{
    return law_traits_of(law)->form == LAW_FORM_CONE;
}

// ---------------------------------------------------------------------------------------------- islands

typedef struct law_work { // the islands of a problem, and what they are solved with
    thud_rows *rows;
    thud_pool *pool;            // NULL: one thread
    thud_arena *const *scratch; // of each worker of the pool
    bool loops;                 // the model has equalities
    bool crowd;                 // many trees
    bool sketch;                // another round follows, for which a rough answer will do
    bool certify;               // also by the exact cone's residual
    int64_t *left;              // of a budget of work
    const int *stop;            // not 0: nothing is solved any more
} law_work;

typedef struct law_verdict { // what came of an island
    bool held;               // in: it is left as it is; nothing else is set
    bool sketched;           // solved roughly, for the next round to start from
    thud_status status;      // of filling and solving it: whether there was room for that
    thud_law_report law;
    int64_t spent; // of the budget
    bool cut;      // it had spent its share
    double cone;   // residual by the exact cone, of other laws where certificates are asked for
} law_verdict;

// One island that has its W, by the law. What it costs counts in the budget.
void law_solve_alone(const law_work *w, const thud_law_options *o, const thud_island *island, law_verdict *v);
// Fills and solves, with all threads, every island but those that are held; verdict: of each island, cleared but for `held`.
void law_solve_islands(const law_work *w, const thud_law_options *o, law_verdict *verdict);
// Once more, those that were not solved: compliant by `part` of the mean diagonal of W. All of o's methods are then tried.
void law_solve_softly(const law_work *w, const thud_law_options *o, double part, law_verdict *verdict);
