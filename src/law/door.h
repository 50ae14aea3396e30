// SPDX-License-Identifier: Apache-2.0
// law/door.h: what laws differ in, for the rooms above. Not installed.
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
