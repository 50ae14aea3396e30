// SPDX-License-Identifier: Apache-2.0
// asks.c: when a gap counts as closed, and how fast it may close.
#include "sim.h"

double sim_no_gap(const thud_sim *sim, double h)
{
    static const double LEAST = 1e-8, MOST = 1e-6; // m
    return !sim_exact(sim) ? LEAST : greater_of(LEAST, lesser_of(MOST, 0.025 * sim->g * h * h));
}

double sim_closing(const thud_sim *sim, double phi, double h)
{
    return phi > sim_no_gap(sim, h) ? phi / h : 0;
}
