// SPDX-License-Identifier: Apache-2.0
// actuation.c: forces of actuators and of tendons' springs and dampers, and the activations' own motion.
//
//     f = (g0 + g1 l + g2 v) x + b0 + b1 l + b2 v      x the control or the activation, l, v along the lever; of muscles: muscle.c
//     k = -df/dl,  d = -df/dv                          what an implicit step adds to the diagonal of M
//
// A lever J of one dof gives k J^2 there. Of several dofs J^T k J is not diagonal; its row sums k |J_i| sum
// |J_j| make a diagonal that is not less, which is all that stability asks for.
#include <thud/elementary.h>

#include "drive.h"

#include "kernel.h"
#include "muscle.h"

static double clamp(double x, const double range[2])
{
    return x < range[0] ? range[0] : x > range[1] ? range[1] : x;
}

static double control_of(const thud_model *m, int i, const double *ctrl)
{
    return m->actuator_limited[3 * i] ? clamp(ctrl[i], m->actuator_ctrlrange + 2 * (size_t)i) : ctrl[i];
}

// ---------------------------------------------------------------------------------------------- activations

// At a constant control: exact, so that no step is too long for a filter. (Of a muscle: second order.)
static double next_activation(const thud_model *m, int i, double u, double a, double h)
{
    const double t = m->actuator_timeconst[i];
    switch (m->actuator_dynamics[i]) {
    case THUD_DYNAMICS_INTEGRATOR:
        a += h * u;
        break;
    case THUD_DYNAMICS_MUSCLE:
        a = muscle_activate(m->actuator_dynprm + 3 * (size_t)i, u, a, h);
        break;
    default: // both filters
        a += (u - a) * -thud_expm1(-h / t);
    }
    return m->actuator_limited[3 * i + 2] ? clamp(a, m->actuator_actrange + 2 * (size_t)i) : a;
}

void thud_activation_advance(const thud_model *m, const double *ctrl, const double *act, double h,
                             double *out)
{
    for (int i = 0; i < m->actuators; i++) {
        const int k = m->actuator_act[i];
        if (k >= 0) {
            out[k] = m->actuation_on ? next_activation(m, i, control_of(m, i, ctrl), act[k], h) : act[k];
        }
    }
}

// What the force is proportional to.
static double input_of(const thud_model *m, int i, const double *ctrl, const double *act, double h)
{
    const int k = m->actuator_act[i];
    const double u = control_of(m, i, ctrl);
    return k < 0 ? u : m->actuator_actearly[i] && h > 0 ? next_activation(m, i, u, act[k], h) : act[k];
}

// ---------------------------------------------------------------------------------------------- forces

// How much farther a length is when each dof has gone on by its own shift.
static double lead(const thud_lever *l, const double *shift)
{
    double sum = 0;
    for (int k = 0; shift && k < l->count; k++) {
        sum += l->value[k] * shift[l->dof[k]];
    }
    return sum;
}

static void spread(const thud_lever *l, double force, double *tau)
{
    for (int k = 0; k < l->count; k++) {
        tau[l->dof[k]] += l->value[k] * force;
    }
}

// A servo turns a ball the short way: its error is wrapped to half a turn either way, as in MuJoCo 4. Returns the length that is as far
// from the control x as the wrapped error says.
static double short_way(const thud_model *m, int i, double x, double length)
{
    const double *g = m->actuator_gain + 3 * (size_t)i, *b = m->actuator_bias + 3 * (size_t)i;
    const bool joint = m->actuator_transmission[i] == THUD_TRANSMISSION_JOINT ||
                       m->actuator_transmission[i] == THUD_TRANSMISSION_JOINT_IN_PARENT;
    if (!joint || m->joint_type[m->actuator_target[i]] != THUD_JOINT_BALL || b[1] == 0 || g[0] != -b[1] ||
        g[1] != 0 || g[2] != 0) {
        return length;
    }
    const double *gear = m->actuator_gear + 6 * (size_t)i;
    const double turn = 6.283185307179586 * v3_norm(v3(gear[0], gear[1], gear[2]));
    return turn > 0 ? length + turn * nearbyint((x - length) / turn) : length;
}

// The force x (gain) + bias at a length and a velocity, and how it changes with them.
static muscle_force force_of(const thud_model *m, int i, double x, double l, double v)
{
    const double *g = m->actuator_gain + 3 * (size_t)i, *b = m->actuator_bias + 3 * (size_t)i;
    if (!m->actuator_muscle[i]) {
        return (muscle_force){(g[0] + g[1] * l + g[2] * v) * x + b[0] + b[1] * l + b[2] * v, g[1] * x + b[1],
                              g[2] * x + b[2]};
    }
    muscle_force gain = {g[0] + g[1] * l + g[2] * v, g[1], g[2]},
                 bias = {b[0] + b[1] * l + b[2] * v, b[1], b[2]};
    if (m->actuator_muscle[i] & 1) {
        gain = muscle_pull(m->actuator_pull + 9 * (size_t)i, l, v);
    }
    if (m->actuator_muscle[i] & 2) {
        bias = muscle_passive(m->actuator_passive + 9 * (size_t)i, l);
    }
    return (muscle_force){gain.value * x + bias.value, gain.by_length * x + bias.by_length,
                          gain.by_velocity * x + bias.by_velocity};
}

static void set_force(const thud_model *m, const thud_drive_input *in, thud_drive *drive, int i)
{
    const double x = input_of(m, i, in->ctrl, in->act, in->h), v = drive->velocity[i];
    const double l = short_way(m, i, x, drive->length[i] + lead(&drive->moment[i], in->shift));
    const double force = force_of(m, i, x, l, v).value;
    const double *range = m->actuator_forcerange + 2 * (size_t)i;
    drive->force[i] = m->actuator_limited[3 * i + 1] ? clamp(force, range) : force;
    drive->clamped[i] = drive->force[i] != force;
}

// The sum of the forces on a tendon is clamped by making each smaller in proportion.
static void clamp_tendons(const thud_model *m, thud_drive *drive)
{
    double *total = drive->store->total;
    for (int t = 0; t < m->tendons; t++) {
        total[t] = 0;
    }
    for (int i = 0; i < m->actuators; i++) {
        if (m->actuator_transmission[i] == THUD_TRANSMISSION_TENDON) {
            total[m->actuator_target[i]] += drive->force[i];
        }
    }
    for (int i = 0; i < m->actuators; i++) {
        const int t = m->actuator_target[i];
        if (m->actuator_transmission[i] == THUD_TRANSMISSION_TENDON && m->tendon_actfrclimited[t]) {
            const double held = clamp(total[t], m->tendon_actfrcrange + 2 * (size_t)t);
            drive->clamped[i] |= held != total[t];
            drive->force[i] *= held != total[t] ? held / total[t] : 1;
        }
    }
}

void thud_actuator_force(const thud_model *m, const thud_drive_input *in, thud_drive *drive, double *tau)
{
    for (int k = 0; k < m->nv; k++) {
        tau[k] = 0;
    }
    for (int i = 0; i < m->actuators; i++) {
        drive->force[i] = 0;
        drive->clamped[i] = !m->actuation_on;
        if (m->actuation_on) {
            set_force(m, in, drive, i);
        }
    }
    if (m->tendons > 0) {
        clamp_tendons(m, drive);
    }
    for (int i = 0; i < m->actuators; i++) {
        spread(&drive->moment[i], drive->force[i], tau);
    }
    for (int j = 0; j < m->joints; j++) {
        if (m->joint_actfrclimited[j]) {
            double *t = &tau[m->joint_v[j]];
            const double carried = m->joint_actgravcomp[j] && in->carried ? in->carried[m->joint_v[j]] : 0;
            *t = clamp(*t + carried, m->joint_actfrcrange + 2 * (size_t)j) - carried;
        }
    }
}

static double spring_of(const thud_model *m, int t, double length)
{
    const double *rest = m->tendon_spring + 2 * (size_t)t;
    return length > rest[1] ? length - rest[1] : length < rest[0] ? length - rest[0] : 0;
}

void thud_tendon_force(const thud_model *m, const double *shift, const thud_drive *drive, double *tau)
{
    for (int t = 0; t < m->tendons; t++) {
        const double k = m->tendon_stiffness[t], d = m->tendon_damping[t];
        if (k > 0 || d > 0) {
            const double length = drive->tendon_length[t] + lead(&drive->tendon[t], shift);
            spread(&drive->tendon[t], -k * spring_of(m, t, length) - d * drive->tendon_velocity[t], tau);
        }
    }
}

double thud_tendon_energy(const thud_model *m, const thud_drive *drive)
{
    double energy = 0;
    for (int t = 0; t < m->tendons; t++) {
        const double x = spring_of(m, t, drive->tendon_length[t]);
        energy += 0.5 * m->tendon_stiffness[t] * x * x;
    }
    return energy;
}

// ---------------------------------------------------------------------------------------------- stiffness

static void stiffen(const thud_lever *l, double stiffness, double damping, double *k, double *d)
{
    const double stiff = stiffness > 0 ? stiffness : 0, damped = damping > 0 ? damping : 0;
    double sum = 0;
    if (stiff + damped == 0) {
        return;
    }
    for (int n = 0; n < l->count; n++) {
        sum += fabs(l->value[n]);
    }
    for (int n = 0; n < l->count; n++) {
        const double share = fabs(l->value[n]) * sum;
        k[l->dof[n]] += stiff * share;
        d[l->dof[n]] += damped * share;
    }
}

void thud_drive_stiffness(const thud_model *m, const double *ctrl, const double *act, const thud_drive *drive,
                          bool free_only, double *k, double *d)
{
    for (int t = 0; t < m->tendons; t++) {
        const bool taut = spring_of(m, t, drive->tendon_length[t]) != 0;
        stiffen(&drive->tendon[t], taut ? m->tendon_stiffness[t] : 0, m->tendon_damping[t], k, d);
    }
    for (int i = 0; m->actuation_on && i < m->actuators; i++) {
        const muscle_force f =
            force_of(m, i, input_of(m, i, ctrl, act, 0), drive->length[i], drive->velocity[i]);
        if (!(free_only && drive->clamped[i])) {
            stiffen(&drive->moment[i], -f.by_length, -f.by_velocity, k, d);
        }
    }
}
