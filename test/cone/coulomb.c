// SPDX-License-Identifier: Apache-2.0
#include "coulomb.h"

#include <math.h>
#include <stdlib.h>

static double entry(const thud_cone *c, int i, int j, int r, int s)
{
    if (c->W.a) {
        return c->W.a[c->block[i].row + r + (size_t)(c->block[j].row + s) * (size_t)c->W.stride];
    }
    for (int k = c->sparse->start[i]; k < c->sparse->start[i + 1]; k++) {
        if (c->sparse->column[k] == j) {
            return c->sparse->value[c->sparse->at[k] + r + s * c->block[i].dim];
        }
    }
    return 0;
}

void coulomb_velocity(const thud_cone *c, const double *p, double *u)
{
    for (int i = 0; i < c->blocks; i++) {
        for (int r = 0; r < c->block[i].dim; r++) {
            const int row = c->block[i].row + r;
            double sum = c->b[row] + (c->epsilon ? c->epsilon[row] * p[row] : 0);
            for (int j = 0; j < c->blocks; j++) {
                for (int s = 0; s < c->block[j].dim; s++) {
                    sum += entry(c, i, j, r, s) * p[c->block[j].row + s];
                }
            }
            u[row] = sum;
        }
    }
}

static double worse(double a, double b) // NaN wins
{
    return b <= a ? b == b ? a : b : a == a ? b : a;
}

// A contact: each line is one sentence of Coulomb's law.
static double contact_violation(const thud_cone_block *b, const double *p, const double *u, double stiffness)
{
    double edge = 0, slip = 0, power = 0, bad = 0;
    for (int k = 1; k < b->dim; k++) {
        const double mu = b->mu[k - 1];
        if (mu == 0) {
            bad = worse(bad, stiffness * fabs(p[k])); // no friction, no impulse
            continue;
        }
        edge += p[k] / mu * (p[k] / mu);
        slip += mu * u[k] * (mu * u[k]);
        power += p[k] * u[k];
    }
    edge = sqrt(edge);
    slip = sqrt(slip);
    bad = worse(bad, -stiffness * p[0]);
    bad = worse(bad, -u[0]);
    bad = worse(bad, fmin(stiffness * p[0], fabs(u[0])));
    bad = worse(bad, stiffness * (edge - p[0]));
    // The power of friction is the least that the cone allows: p_t . u_t = -p_n |D u_t|.
    bad = worse(bad, stiffness * p[0] > 0 ? (power + p[0] * slip) / fmax(p[0], 1e-300) : 0);
    return bad;
}

double coulomb_violation(const thud_cone *c, const double *p)
{
    double *u = malloc(sizeof *u * (size_t)(c->rows + 1)), trace = 0, bad = 0;
    coulomb_velocity(c, p, u);
    for (int i = 0; i < c->blocks; i++) {
        for (int r = 0; r < c->block[i].dim; r++) {
            trace += entry(c, i, i, r, r);
        }
    }
    const double stiffness = c->rows > 0 ? trace / c->rows : 1;
    for (int i = 0; i < c->blocks; i++) {
        const thud_cone_block *b = c->block + i;
        const double *pi = p + b->row, *ui = u + b->row;
        if (b->kind == THUD_CONE_KIND_CONTACT) {
            bad = worse(bad, contact_violation(b, pi, ui, stiffness));
            continue;
        }
        for (int r = 0; r < b->dim; r++) {
            const bool box = b->kind == THUD_CONE_KIND_BOX;
            const double above = box ? stiffness * (pi[r] - b->lo) : INFINITY;
            const double below = box ? stiffness * (b->hi - pi[r]) : INFINITY;
            bad = worse(bad, -above);
            bad = worse(bad, -below);
            bad = worse(bad, ui[r] > 0 ? fmin(ui[r], above) : ui[r] < 0 ? fmin(-ui[r], below) : ui[r]);
        }
    }
    free(u);
    return bad;
}
