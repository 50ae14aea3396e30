// SPDX-License-Identifier: Apache-2.0
// rows_settle.c: the motion that comes nearest to what the rows of an island ask for, whatever they ask. [theory 3, 7]
//
//     least  |z|^2/2 + sum (e + S z)^2/2 eps     over the rows that are passed (contacts, limits: e + S z < 0) and all of loops,
//     z = M^(1/2) dq,   l = -(e + S z)/eps,   z = S^T l
//
// A strictly convex problem in as many unknowns as the trees of the island have dofs: it has one answer, bounded by the errors,
// however many rows say the same or contradict each other. eps = part^2 W_ii: a row gives way by about part^2 of its error,
// and rows that contradict each other share it. Newton's method on the faces, with a line search along each direction.
//
// Symbols  e error of a row, S its innovations, l impulse
// Cost     a Cholesky factor of (dofs)^3/3 and rows (dofs)^2/2 for each of some ten steps.
// Fails    where the trees have too many dofs.
#include <math.h>
#include <string.h>

#include "rows.h"

typedef struct settling {
    int n, rows;
    double *S; // rows x n, row-major
    const double *e;
    double *eps, *y; // rows: compliance; e + S z
    bool *both, *on; // rows: of a loop; in the sum now
    double *z, *g, *H;
} settling;

static bool make_room(settling *s, thud_arena *scratch)
{
    const size_t n = (size_t)s->n, rows = (size_t)s->rows;
    s->S = thud_arena_push(scratch, n * rows, sizeof *s->S);
    s->eps = thud_arena_push(scratch, rows, sizeof *s->eps);
    s->y = thud_arena_push(scratch, rows, sizeof *s->y);
    s->both = thud_arena_push(scratch, rows, sizeof *s->both);
    s->on = thud_arena_push(scratch, rows, sizeof *s->on);
    s->z = thud_arena_push(scratch, n, sizeof *s->z);
    s->g = thud_arena_push(scratch, n, sizeof *s->g);
    s->H = thud_arena_push(scratch, n * n, sizeof *s->H);
    return s->S && s->eps && s->y && s->both && s->on && s->z && s->g && s->H;
}

// The first unknown of every tree of the island into its `last`; returns how many there are.
static int number_unknowns(thud_rows *rows, strip_range of)
{
    int n = 0;
    for (int x = of.first; x < of.end; x++) {
        rows->tree[rows->strip[x].tree].last = -1;
    }
    for (int x = of.first; x < of.end; x++) {
        tree *t = &rows->tree[rows->strip[x].tree];
        if (t->last < 0) {
            t->last = n;
            n += t->dofs;
        }
    }
    return n;
}

// The rows of the island, and how far each gives way: loops by one compliance, so that those that contradict each other share alike.
static void lay_rows(const thud_rows *rows, const span *of, double part, settling *s)
{
    double most = 0;
    memset(s->S, 0, (size_t)s->n * (size_t)s->rows * sizeof *s->S);
    for (int k = of->block; k < of->block + of->blocks; k++) {
        const site *at = &rows->site[rows->order[k]];
        for (int x = at->strip; x < at->strip + at->strips; x++) {
            const tree *t = &rows->tree[rows->strip[x].tree];
            for (int r = 0; r < at->dim; r++) {
                double *to = s->S + (size_t)(at->row + r) * (size_t)s->n + t->last;
                const double *from = rows->strip[x].S;
                for (int d = 0; d < t->dofs; d++) {
                    to[d] = rows->T ? rows->T[at->at + r + d * rows->stride] : from[r * t->dofs + d];
                }
            }
        }
        for (int r = 0; r < at->dim; r++) {
            const double *row = s->S + (size_t)(at->row + r) * (size_t)s->n;
            double W = 0;
            for (int d = 0; d < s->n; d++) {
                W += row[d] * row[d];
            }
            s->both[at->row + r] = rows->sorted[k].kind == THUD_BLOCK_LOOP;
            s->eps[at->row + r] = part * part * W;
            most = thud_max(most, rows->sorted[k].kind == THUD_BLOCK_CONTACT ? 0 : part * part * W);
        }
    }
    for (int k = of->block; k < of->block + of->blocks; k++) {
        const site *at = &rows->site[rows->order[k]];
        for (int r = 0; r < at->dim && rows->sorted[k].kind != THUD_BLOCK_CONTACT; r++) {
            s->eps[at->row + r] = most;
        }
    }
}

static double dot(const double *a, const double *b, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

// y at z, and which rows count there; returns whether others than before.
static bool look(settling *s)
{
    bool changed = false;
    for (int r = 0; r < s->rows; r++) {
        s->y[r] = s->e[r] + dot(s->S + (size_t)r * (size_t)s->n, s->z, s->n);
        const bool on = s->eps[r] > 0 && (s->both[r] || s->y[r] < 0);
        changed = changed || on != s->on[r];
        s->on[r] = on;
    }
    return changed;
}

// Newton's direction from z into g. false: no factor, which NaN leaves.
static bool find_direction(settling *s)
{
    const int n = s->n;
    const thud_mat H = {n, n, n, s->H};
    memset(s->H, 0, (size_t)n * (size_t)n * sizeof *s->H);
    for (int d = 0; d < n; d++) {
        s->H[d + d * n] = 1;
        s->g[d] = -s->z[d];
    }
    for (int r = 0; r < s->rows; r++) {
        const double *row = s->S + (size_t)r * (size_t)n;
        if (!s->on[r]) {
            continue;
        }
        for (int c = 0; c < n; c++) {
            const double of = row[c] / s->eps[r];
            s->g[c] -= of * s->y[r];
            for (int i = c; of != 0 && i < n; i++) {
                s->H[i + c * n] += of * row[i];
            }
        }
    }
    if (thud_chol_factor(H) >= 0) {
        return false;
    }
    thud_chol_solve(H, s->g);
    return true;
}

// The slope of the sum along g at z + a g: piecewise linear and rising in a. u: rows, S g.
static double slope_at(const settling *s, const double *u, double a)
{
    double slope = 0;
    for (int d = 0; d < s->n; d++) {
        slope += s->g[d] * (s->z[d] + a * s->g[d]);
    }
    for (int r = 0; r < s->rows; r++) {
        const double y = s->y[r] + a * u[r];
        slope += s->eps[r] > 0 && (s->both[r] || y < 0) ? u[r] * y / s->eps[r] : 0;
    }
    return slope;
}

// How far to go along g: all the way where the sum still falls there, otherwise to where it is least.
static double find_length(const settling *s, const double *u)
{
    enum { MOST = 40 };
    static const double ENOUGH = 1e-3;
    const double start = fabs(slope_at(s, u, 0));
    double low = 0, high = 1, a = 1, slope = slope_at(s, u, 1);
    if (!(slope > 0)) {
        return 1;
    }
    for (int k = 0; k < MOST && fabs(slope) > ENOUGH * start; k++) {
        low = slope < 0 ? a : low;
        high = slope < 0 ? high : a;
        a = 0.5 * (low + high);
        slope = slope_at(s, u, a);
    }
    return a;
}

static bool solve(settling *s, double *u)
{
    enum { MOST = 40 };
    memset(s->z, 0, (size_t)s->n * sizeof *s->z);
    memset(s->on, 0, (size_t)s->rows * sizeof *s->on);
    (void)look(s);
    for (int k = 0; k < MOST; k++) {
        if (!find_direction(s)) {
            return false;
        }
        for (int r = 0; r < s->rows; r++) {
            u[r] = dot(s->S + (size_t)r * (size_t)s->n, s->g, s->n);
        }
        const double a = find_length(s, u);
        for (int d = 0; d < s->n; d++) {
            s->z[d] += a * s->g[d];
        }
        if (!look(s) && a == 1) {
            break;
        }
    }
    return true;
}

thud_status thud_rows_settle(thud_rows *rows, int island, double part, thud_arena *scratch, bool *found)
{
    THUD_ASSERT(island >= 0 && island < rows->islands && part > 0);
    enum { MOST = 400 }; // dofs
    const span *of = &rows->span[island];
    const size_t mark = thud_arena_mark(scratch);
    settling s = {.n = number_unknowns(rows, rows_strips_of(rows, of)), .rows = of->rows};
    *found = false;
    if (s.n > MOST) {
        return THUD_OK;
    }
    double *u = thud_arena_push(scratch, (size_t)s.rows, sizeof *u);
    s.e = rows->u_free + of->row;
    if (!u || !make_room(&s, scratch)) {
        thud_arena_release(scratch, mark);
        return THUD_NO_MEMORY;
    }
    lay_rows(rows, of, part, &s);
    *found = solve(&s, u);
    for (int r = 0; r < s.rows; r++) {
        rows->p[of->row + r] = *found && s.on[r] ? -s.y[r] / s.eps[r] : 0;
    }
    thud_arena_release(scratch, mark);
    return THUD_OK;
}

void thud_rows_scale(thud_rows *rows, int island, double part)
{
    const span *of = &rows->span[island];
    for (int r = of->row; r < of->row + of->rows; r++) {
        rows->p[r] *= part;
    }
}
