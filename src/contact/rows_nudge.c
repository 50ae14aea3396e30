// SPDX-License-Identifier: Apache-2.0
// rows_nudge.c: small errors of positions, put right by rows that are there. [theory 3, 7]
//
//     least dq^T M dq / 2   with   e + G dq >= 0 (normals of contacts, limits),   = 0 (loops)
//     dq = M^-1 G^T l,   e + W l >= 0  _|_  l >= 0,   W = S S^T of the rows that count
//
// Which of them press is found by adding those that are passed and leaving out those that would pull, until both hold. Rows that
// say the same twice share, by a compliance far below what the errors are worth.
// Cost     half a dot product of two strips for each pair of rows that count; a Cholesky factor for each change.
// Fails    where too many rows count, who presses does not settle, or rows ask for what no motion gives.
#include <math.h>
#include <string.h>

#include "rows.h"

enum { MOST = 64 }; // rows that count

typedef struct pick { // a row that counts
    const site *of;
    const double *S; // of one tree: its innovations, one behind the other
    int r;           // its row in its block
    bool both;       // it may pull
} pick;

typedef struct nudge {
    int n;
    pick row[MOST];
    double e[MOST], l[MOST], x[MOST];
    bool on[MOST]; // it presses, or pulls
    int list[MOST];
    double *W, *A; // n x n
} nudge;

// The rows of an island that count; false: they are too many.
static bool list_rows(const thud_rows *rows, const span *of, const double *error, nudge *g)
{
    for (int k = of->block; k < of->block + of->blocks; k++) {
        const site *s = &rows->site[rows->order[k]];
        const bool both = rows->sorted[k].kind == THUD_BLOCK_LOOP;
        for (int r = 0; r < s->dim; r++) {
            const double e = error[s->row + r];
            if (!(e < INFINITY)) {
                continue;
            }
            if (g->n == MOST) {
                return false;
            }
            g->e[g->n] = e;
            g->on[g->n] = both || e < 0;
            g->row[g->n++] = (pick){s, NULL, r, both};
        }
    }
    return g->n > 0;
}

THUD_INSIDE double dot(const double *a, const double *b, int n)
{
    four sum = {0};
    double rest = 0;
    int i = 0;
    for (; i + THUD_LANES <= n; i += THUD_LANES) {
        sum += *(const four_of_numbers *)(a + i) * *(const four_of_numbers *)(b + i);
    }
    for (; i < n; i++) {
        rest += a[i] * b[i];
    }
    return sum[0] + sum[1] + sum[2] + sum[3] + rest;
}

// What an impulse on one row changes of another.
THUD_INSIDE double meet(const thud_rows *rows, const pick *a, const pick *b)
{
    double sum = 0;
    if (rows->T) {
        return dot(a->S, b->S, rows->tree[0].dofs);
    }
    for (int i = a->of->strip; i < a->of->strip + a->of->strips; i++) {
        const strip *x = &rows->strip[i];
        const int dofs = rows->tree[x->tree].dofs;
        for (int k = b->of->strip; k < b->of->strip + b->of->strips; k++) {
            const strip *y = &rows->strip[k];
            sum += x->tree == y->tree ? dot(x->S + a->r * dofs, y->S + b->r * dofs, dofs) : 0;
        }
    }
    return sum;
}

THUD_KERNEL static void fill(const thud_rows *rows, nudge *g)
{
    for (int i = 0; i < g->n; i++) {
        for (int k = 0; k <= i; k++) {
            g->W[i + k * g->n] = g->W[k + i * g->n] = meet(rows, &g->row[i], &g->row[k]);
        }
    }
}

// Of one tree: the innovations of the rows that count, taken out of the columns.
THUD_INSIDE void take_rows(const thud_rows *rows, nudge *g, double *S)
{
    const int dofs = rows->tree[0].dofs;
    for (int i = 0; i < g->n; i++, S += dofs) {
        const double *T = rows->T + g->row[i].of->at + g->row[i].r;
        g->row[i].S = S;
        for (int k = 0; k < dofs; k++, T += rows->stride) {
            S[k] = *T;
        }
    }
}

// l of those that press. false: no factor, which NaN leaves.
static bool press(nudge *g, double soft)
{
    int count = 0;
    for (int i = 0; i < g->n; i++) {
        g->l[i] = 0;
        g->list[count] = i;
        count += g->on[i];
    }
    const thud_mat A = {count, count, count, g->A};
    for (int c = 0; c < count; c++) {
        for (int r = c; r < count; r++) {
            g->A[r + c * count] = g->W[g->list[r] + g->list[c] * g->n];
        }
        g->A[c + c * count] += soft;
        g->x[c] = -g->e[g->list[c]];
    }
    if (thud_chol_factor(A) >= 0) {
        return false;
    }
    thud_chol_solve(A, g->x);
    for (int c = 0; c < count; c++) {
        g->l[g->list[c]] = g->x[c];
    }
    return true;
}

static bool leave_out_pulling(nudge *g)
{
    bool any = false;
    for (int i = 0; i < g->n; i++) {
        const bool pulls = g->on[i] && !g->row[i].both && g->l[i] < 0;
        g->on[i] = g->on[i] && !pulls;
        any = any || pulls;
    }
    return any;
}

static bool take_in_passed(nudge *g, double passed)
{
    bool any = false;
    for (int i = 0; i < g->n; i++) {
        if (g->on[i]) {
            continue;
        }
        double w = g->e[i];
        for (int k = 0; k < g->n; k++) {
            w += g->W[i + k * g->n] * g->l[k];
        }
        g->on[i] = w < -passed;
        any = any || g->on[i];
    }
    return any;
}

// Is what was found all but the answer without the compliance? Not where rows ask for what no motion gives.
static bool closes(const nudge *g, double soft, double worst)
{
    static const double PART = 0.1;
    double most = 0;
    for (int i = 0; i < g->n; i++) {
        most = thud_max(most, fabs(g->l[i]));
    }
    return soft * most <= PART * worst;
}

// Who presses, and how much. false: it does not settle.
static bool settle(nudge *g)
{
    enum { CHANGES = 12 };
    static const double SOFT = 1e-10, LITTLE = 1e-4; // of the mean diagonal, of the largest error
    double trace = 0, worst = 0;
    for (int i = 0; i < g->n; i++) {
        trace += g->W[i + i * g->n];
        worst = thud_max(worst, g->row[i].both ? fabs(g->e[i]) : -g->e[i]);
    }
    for (int k = 0; k < CHANGES; k++) {
        if (!press(g, SOFT * trace / g->n)) {
            return false;
        }
        if (!leave_out_pulling(g) && !take_in_passed(g, LITTLE * worst)) {
            return closes(g, SOFT * trace / g->n, worst);
        }
    }
    return false;
}

thud_status thud_rows_nudge(const thud_rows *rows, int island, const double *error, thud_arena *scratch,
                            double *l, bool *found)
{
    THUD_ASSERT(island >= 0 && island < rows->islands);
    nudge g;
    g.n = 0; // the rest is set as far as it is needed
    const span *of = &rows->span[island];
    *found = list_rows(rows, of, error, &g);
    memset(l, 0, (size_t)of->rows * sizeof *l);
    if (!*found) {
        return THUD_OK;
    }
    const size_t mark = thud_arena_mark(scratch), n = (size_t)g.n;
    g.W = thud_arena_push(scratch, n * n, sizeof *g.W);
    g.A = thud_arena_push(scratch, n * n, sizeof *g.A);
    double *S = thud_arena_push(scratch, rows->T ? n * (size_t)rows->tree[0].dofs : 0, sizeof *S);
    const bool room = g.W && g.A && S;
    if (room) {
        if (rows->T) {
            take_rows(rows, &g, S);
        }
        fill(rows, &g);
        *found = settle(&g);
    }
    for (int i = 0; room && *found && i < g.n; i++) {
        l[g.row[i].of->row + g.row[i].r] = g.l[i];
    }
    thud_arena_release(scratch, mark);
    return room ? THUD_OK : THUD_NO_MEMORY;
}
