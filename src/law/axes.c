// SPDX-License-Identifier: Apache-2.0
// axes.c: along which axes a contact has friction, how much, and how soft.              [theory 4] [PI]
//
//     sticking   |u_t| < v_s: the block's tangents, static friction, bristles            [PI eq 40, 42]
//                    epsilon = 1/(h^2 k + h b),  d = -epsilon (p_t + h b u_t) of the last step
//     sliding    along the friction force that goes with u_t, and across it, kinetic friction; across it
//                    epsilon_l = |u_t| / (mu_k p_n) of the last step                         [PI eq 43]
//                so that u_l + epsilon_l p_l = 0 turns the force against the velocity; or nothing across
//
// Symbols  u_t velocity at the step's start · D = diag(mu_1, mu_2) · e_t, e_l axes along and across
// Differs  anisotropic friction: the slip axes are those of D u_t and D^-1 p_t, for which the limit ellipse
//          is a circle of radius p_n, so that the force is -D^2 u_t / |D u_t|, the one that brakes most;
//          for mu_1 = mu_2 they are the paper's, scaled by mu. Where the last step had no impulse,
//          law_normals tells what to expect. epsilon_l is at most LOOSEST times the row's own W. Torsional
//          and rolling rows have one axis each and no bristles. The spring of a normal row feels penetration
//          alone: a gap is in u_free.
#include <math.h>

#include <thud/elementary.h>

#include "law_inside.h"

static const double LOOSEST = 1e4;

double law_relaxation(double h, double stiffness, double damping)
{
    THUD_ASSERT(h >= 0);
    const double stiff = h * h * stiffness + h * damping;
    return stiff > 0 ? 1 / stiff : 0; // h = 0 leaves 0 or, of an infinite stiffness, NaN
}

double law_normal_relaxation(const law_case *c, int block, double *constant)
{
    const thud_law_options *o = c->o;
    const double h = c->island->h, epsilon = law_relaxation(h, o->normal_stiffness, o->normal_damping);
    *constant =
        epsilon > 0 ? epsilon * h * o->normal_stiffness * thud_min(c->island->block[block].phi, 0) : 0;
    return epsilon;
}

static law_axis axis_of_row(int block, int row, double mu)
{
    return (law_axis){.column = {block, row, -1, 1, 0}, .mu = mu};
}

int law_axes_fixed(const law_case *c, int block, law_axis axis[LAW_AXES])
{
    const thud_block *b = c->island->block + block;
    const double *mu = c->island->cone[block].mu;
    int count = 0;
    for (int r = 1; r < b->dim; r++) {
        if (mu[r - 1] > 0) {
            axis[count++] = axis_of_row(block, b->row + r, mu[r - 1]);
        }
    }
    return count;
}

bool law_slips(const law_case *c, int block)
{
    const thud_block *b = c->island->block + block;
    const double *u = c->island->u_before + b->row;
    return b->dim > 1 && (b->dim == 2 ? fabs(u[1]) : thud_hypot(u[1], u[2])) >= c->o->slip;
}

// The block's own tangents, with bristles while it sticks.
static int tangents(const law_case *c, int block, const double mu[2], bool sticks, law_axis axis[LAW_AXES])
{
    const thud_island *island = c->island;
    const thud_block *b = island->block + block;
    const double k = c->o->tangent_stiffness, damping = c->o->tangent_damping, h = island->h;
    const double epsilon = sticks ? law_relaxation(h, k, damping) : 0;
    int count = 0;
    for (int r = 1; r < b->dim && r < 3; r++) {
        const int row = b->row + r;
        if (mu[r - 1] > 0) {
            axis[count] = axis_of_row(block, row, mu[r - 1]);
            axis[count].epsilon = epsilon;
            axis[count++].d =
                epsilon > 0 ? -epsilon * (island->p_before[row] + h * damping * island->u_before[row]) : 0;
        }
    }
    return count;
}

// Along and across the slip, where the limit ellipse is a circle: D^-1 p_t along e = D u_t / |D u_t|.
static int slip_axes(const law_case *c, int block, double normal, law_axis axis[LAW_AXES])
{
    const thud_block *b = c->island->block + block;
    const double *mu = b->kinetic_friction, *u = c->island->u_before + b->row;
    const double speed = thud_hypot(mu[0] * u[1], mu[1] * u[2]), x = mu[0] * u[1] / speed,
                 y = mu[1] * u[2] / speed;
    const int row = b->row + 1, other = b->row + 2;
    axis[0] = (law_axis){.column = {block, row, other, mu[0] * x, mu[1] * y}, .mu = 1};
    axis[1] = (law_axis){.column = {block, row, other, -mu[0] * y, mu[1] * x}, .mu = 1};
    const double a = axis[1].column.a, l = axis[1].column.b;
    const double W_ll = a * a * *law_at(c->W, row, row) + l * l * *law_at(c->W, other, other) +
                        2 * a * l * *law_at(c->W, row, other);
    axis[1].epsilon = speed < LOOSEST * W_ll * normal ? speed / normal : LOOSEST * W_ll; // [PI eq 43]
    return c->o->lateral ? 2 : 1;
}

int law_axes(const law_case *c, int block, double normal, law_axis axis[LAW_AXES], bool *sliding)
{
    const thud_block *b = c->island->block + block;
    *sliding = false;
    if (b->dim == 1) {
        return 0;
    }
    const bool slips = law_slips(c, block);
    const double *mu = slips ? b->kinetic_friction : b->static_friction;
    *sliding = slips && b->dim > 2 && mu[0] > 0 && mu[1] > 0;
    int count = *sliding ? slip_axes(c, block, normal, axis) : tangents(c, block, mu, !slips, axis);
    for (int r = 3; r < b->dim; r++) {
        const double about = c->island->cone[block].mu[r - 1];
        if (about > 0) {
            axis[count++] = axis_of_row(block, b->row + r, about);
        }
    }
    return count;
}
