// SPDX-License-Identifier: Apache-2.0
// summary.h: what a whole run was worth: the worst of its certificates, its energies and its time.
#pragma once

#include <stdint.h>

#include "doubt_list.h"
#include "events.h"
#include "replay.h"
#include "scene.h"
#include "step_times.h"

typedef struct summary {
    thud_step_options options;
    bool maximal;               // coordinates
    bool finished;              // all steps that were asked for were taken
    int64_t steps, unconverged; // taken; those whose contact problem was left unsolved
    double wall, stepping;      // s: the whole run, and the steps alone
    step_times times;           // processor time of each step; only of runs that print it
    double contacts_sum;
    int contacts_max;
    double penetration, cone_residual, lcp_residual, joint_drift, momentum; // largest of any step
    double energy_start, energy_end, energy_low, energy_high;               // J
    double kinetic_high;                                                    // J
    double work, contact_work, projected; // J, by dampers and applied forces; by contacts; by projections
    double impact_gain;                   // J, the most that a collision gained
    int64_t impacts, iterations;
    int64_t spent, spent_most,
        accepted; // of budgets: all steps, one step; islands whose residual was taken all the same
    thud_integrator integrator; // that steps were taken by
    doubt_view doubts;          // of the sim that took the steps
} summary;

summary summary_start(const thud_step_options *options, const thud_sim *sim, double energy);
void summary_add(summary *s, const thud_certificate *c);

double summary_time(const summary *s);        // simulated, s
double summary_us_per_step(const summary *s); // 0 before the first step
double summary_contacts_mean(const summary *s);
double summary_exchanged(const summary *s); // J that the energy changed by for known reasons
replay_sums summary_sums(const summary *s);
double summary_left_over(const summary *s);   // J that it changed by for none
const char *summary_scheme(const summary *s); // "midpoint", ...

void summary_print(const summary *s, const scene *of);
void summary_json(const summary *s, const scene *of, const event_list *events); // events NULL: not asked for
