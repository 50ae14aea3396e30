// SPDX-License-Identifier: Apache-2.0
// judice_pires.c: block principal pivoting for mixed and boxed problems.     [Judice & Pires 1994] [PI]
//
//     Solve M_FF z_F = -(q_F + M_FR z_R) for the rows F between their bounds; every row that breaks its
//     condition then changes its state, all at once. When that has not lowered the number of broken rows
//     for PATIENCE rounds, one row a round, the last that is broken, until it has: single pivots are
//     Murty's, and finite.
//
// Symbols  F between, R at rest · best: the fewest broken rows so far
// Differs  the paper gives up when M_FF is singular in a block step; we undo the block and go on with
//          single pivots.
// Cost     |F|^3 / 3 a round; 4 to 8 rounds on random positive definite problems of any size.
// Fails    SINGULAR when M_FF is singular in a single step (rank-deficient problems: take Lemke);
//          CYCLED, LIMIT when M is no P-matrix.
#include "lcp_inside.h"

enum { PATIENCE = 10 };
static const double BROKEN = 1e-11; // relative: what of a violated condition is rounding

typedef struct block {
    const thud_lcp *p;
    lcp_basis_work work;
    unsigned char *row, *wanted; // the states now, and those the conditions ask for
    double *z, *w;
    double w_zero, z_zero;
} block;

// Fills `wanted` from z and w; returns the number of broken rows.
static int judge_rows(block *b)
{
    int broken = 0;
    for (int i = 0; i < b->p->n; i++) {
        const double lo = lcp_lo(b->p, i), hi = lcp_hi(b->p, i), z = b->z[i], w = b->w[i];
        unsigned char next = b->row[i];
        if (next == THUD_LCP_BETWEEN) {
            next = z < lo - b->z_zero ? THUD_LCP_AT_LOWER : z > hi + b->z_zero ? THUD_LCP_AT_UPPER : next;
        } else if (lo < hi && (next == THUD_LCP_AT_LOWER ? w < -b->w_zero : w > b->w_zero)) {
            next = THUD_LCP_BETWEEN;
        }
        b->wanted[i] = next;
        broken += next != b->row[i];
    }
    return broken;
}

static void exchange(block *b, int i)
{
    const unsigned char old = b->row[i];
    b->row[i] = b->wanted[i];
    b->wanted[i] = old;
}

static void exchange_all(block *b) // done twice it undoes itself
{
    for (int i = 0; i < b->p->n; i++) {
        exchange(b, i);
    }
}

static int last_broken(const block *b)
{
    int i = b->p->n - 1;
    while (b->wanted[i] == b->row[i]) {
        i--;
    }
    return i;
}

// Changes one row's state and solves. False when that basis is singular.
static bool single_step(block *b, lcp_cycle *cycle, bool *repeats)
{
    const int n = b->p->n, i = last_broken(b);
    *repeats = lcp_cycle_step(cycle, i + n * b->row[i], i + n * b->wanted[i]);
    exchange(b, i);
    return lcp_basis_point(b->p, b->row, &b->work, b->z);
}

static thud_lcp_report run(block *b, const thud_lcp_options *o, thud_arena *arena)
{
    const int n = b->p->n;
    int best = n + 1, patience = PATIENCE;
    lcp_cycle cycle;
    if (!lcp_basis_point(b->p, b->row, &b->work, b->z)) {
        return lcp_ended(THUD_LCP_SINGULAR, 0);
    }
    for (int rounds = 0; rounds < o->limit && thud_arena_spend(arena, lcp_square(n) * (n / 3 + 1));
         rounds++) {
        lcp_w(b->p, b->z, b->w);
        const int broken = judge_rows(b);
        if (broken == 0) {
            return lcp_ended(THUD_LCP_SOLVED, rounds);
        }
        if (broken < best) {
            best = broken;
            patience = PATIENCE;
        } else if (patience > 0) {
            patience--;
        }
        if (patience == PATIENCE) {
            lcp_cycle_start(&cycle);
        }
        if (patience > 0) {
            exchange_all(b);
            if (lcp_basis_point(b->p, b->row, &b->work, b->z)) {
                continue;
            }
            exchange_all(b);
            patience = 0;
        }
        bool repeats;
        if (!single_step(b, &cycle, &repeats)) {
            return lcp_ended(THUD_LCP_SINGULAR, rounds);
        }
        if (repeats) {
            return lcp_ended(THUD_LCP_CYCLED, rounds);
        }
    }
    return lcp_ended(THUD_LCP_LIMIT, o->limit);
}

thud_lcp_report lcp_judice_pires(const thud_lcp *p, const thud_lcp_options *o, thud_arena *scratch, double *z,
                                 unsigned char *row)
{
    block b = {.p = p, .row = row, .z = z};
    b.wanted = thud_arena_push(scratch, (size_t)p->n, 1);
    b.w = lcp_push(scratch, (size_t)p->n);
    if (!b.wanted || !b.w || !lcp_basis_work_push(scratch, p->n, &b.work)) {
        return lcp_ended(THUD_LCP_NO_SCRATCH, 0);
    }
    b.w_zero = BROKEN * lcp_task(p);
    b.z_zero = b.w_zero * lcp_natural_step(p);
    lcp_basis_start(p, o, row);
    for (int i = 0; i < p->n; i++) {
        z[i] = lcp_rest(p, i, row[i]);
    }
    const thud_lcp_report report = run(&b, o, scratch);
    for (int i = 0; i < p->n; i++) {
        z[i] = lcp_mid(lcp_lo(p, i), z[i], lcp_hi(p, i));
    }
    return report;
}
