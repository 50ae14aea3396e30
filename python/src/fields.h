// SPDX-License-Identifier: Apache-2.0
// fields.h: made by tools/make_python.py from include/thud/step.h. X(type, name, meaning).
#pragma once

// clang-format off
#define THUD_CERTIFICATE_FIELDS(X) \
    X(double, cone_residual, "by Coulomb's exact cone, whatever the law") \
    X(double, lcp_residual, "the law's own, of laws that end in an LCP") \
    X(double, penetration, "m, at the new positions, by a fresh query") \
    X(double, joint_drift, "largest error of a unit quaternion, m or rad of a loop or limit") \
    X(double, momentum, "|(M + implicit) a - (tau - bias) - G^T p/h| by Newton-Euler, of what acts in the same tree") \
    X(double, fixed_point, "change of velocity that the last evaluation still made, relative") \
    X(double, kinetic, "J, at the new state") \
    X(double, potential, "J, at the new state") \
    X(double, work, "J, done in this step by applied forces and dampers") \
    X(double, contact_work, "J, done by contacts, limits and loops: what they dissipate is negative") \
    X(double, projected, "J, potential energy added by putting positions right") \
    X(double, energy_error, "J, change of energy in this step less all of these") \
    X(int, split, "the step was taken in 2^split parts") \
    X(int, contacts, "that had rows") \
    X(int, iterations, "of the solvers") \
    X(int, projections, "rounds of putting positions right") \
    X(int, impacts, "collisions with restitution in this step") \
    X(double, impact_gain, "J, the most that one of them gained; 0: none did") \
    X(int, asleep, "trees") \
    X(int, accepted, "islands whose residual is above the tolerance and at most accept_tolerance of the budget") \
    X(int, unconverged, "islands left unsolved; 0 in a step that was taken") \
    X(int, wrong, "doubts of this step, by grade: thud/step_doubt.h lists them") \
    X(int, coarse, "doubts of this step, by grade: thud/step_doubt.h lists them") \
    X(int, noted, "doubts of this step, by grade: thud/step_doubt.h lists them")
// clang-format on
