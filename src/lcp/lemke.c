// SPDX-License-Identifier: Apache-2.0
// lemke.c: complementary pivoting, explicit tableau, lexicographic ratio test.     [ST 4] [theory 2, 9]
//
//     w - M z - d z0 = q;  z0 covers what of q is negative and is then driven out: whatever left the
//     basis, its complement enters; when z0 leaves, the basis is complementary and the problem solved.
//
// Symbols  m rows · variables: w_i = i, z_i = m + i, z0 = 2m · d covering vector
//          T, value the tableau (tableau.c) · a entering column · theta step of the entering variable
// Differs  the paper says only "lexicographic". Two tolerances make that work on friction problems, where
//          exact ties are the rule and rounding makes near ties of them: an element below 1e-9 of its
//          column is no pivot, and basic variables within 1e-10 of zero at the step tie. Among ties z0
//          leaves first. Rows are equilibrated, and the last basis is solved again from the original data.
//          A try that the judge refuses is followed by others: resumed from the best basis so far in a
//          fresh tableau with finer tolerances (what relaxed, nearly redundant problems need), with
//          another covering vector, and with M + epsilon I, which the report then says.
// Cost     m^2 multiplications a pivot; m/2 to m pivots on the classes of docs/solvers.md.
// Fails    RAY when no element of the column can be a pivot (M not of a class Lemke processes, or no
//          solution); CYCLED, LIMIT through rounding alone; INACCURATE when the judge refuses every try.
#include "standard_form.h"

typedef struct lemke_try {
    enum { COVER_ONES, COVER_SPREAD, COVER_Q } cover;
    bool resume;       // from the best basis so far, its tableau made afresh, instead of from z = 0
    double pivot, tie; // factors of the options' tolerances
    double epsilon;    // added to the scaled diagonal
} lemke_try;

static const lemke_try ladder[] = {
    {COVER_ONES, false, 1, 1, 0},        {COVER_ONES, true, 1e-2, 1e-4, 0},
    {COVER_SPREAD, false, 1, 1, 0},      {COVER_SPREAD, true, 1e-2, 1e-4, 0},
    {COVER_ONES, false, 1e-2, 1e-3, 0},  {COVER_SPREAD, true, 1e-3, 1e-5, 0},
    {COVER_SPREAD, false, 1e2, 1e1, 0},  {COVER_Q, true, 1e-1, 1e-1, 0},
    {COVER_ONES, true, 1e-4, 1e-4, 0},   {COVER_ONES, false, 1, 1, 1e-12},
    {COVER_SPREAD, false, 1, 1, 1e-10},  {COVER_SPREAD, false, 1, 1, 1e-8},
    {COVER_SPREAD, true, 1e-2, 1e-3, 0}, {COVER_Q, true, 1e-4, 1e-5, 0},
};
// A warm basis is believed without a pivot when its point is as good as pivoting would make it.
static const double SURE = 1e-12;

enum { TRIES = sizeof ladder / sizeof ladder[0] };

typedef struct lemke {
    lcp_form form;
    lcp_tableau t;
    int *lex;   // the variable that was basic in each row at the start: its column holds the inverse basis
    int *tied;  // rows
    bool *mark; // rows whose z a crash brings in
    double pivot_tolerance, tie_tolerance;
    int limit, pivots;
    thud_arena *arena;
} lemke;

static bool push_lemke(const thud_lcp *p, thud_arena *scratch, lemke *k)
{
    if (!lcp_form_make(p, scratch, &k->form)) {
        return false;
    }
    const int m = k->form.m;
    k->lex = thud_arena_push(scratch, (size_t)m, sizeof(int));
    k->tied = thud_arena_push(scratch, (size_t)m, sizeof(int));
    k->mark = thud_arena_push(scratch, (size_t)m, sizeof(bool));
    return lcp_tableau_push(scratch, m, m + 1, 2 * m + 1, &k->t) && k->lex && k->tied && k->mark;
}

static inline double *column_at(const lemke *k, int column)
{
    return k->t.T + (size_t)column * (size_t)k->t.stride;
}

// Columns that may never enter again are moved out of the tableau.
static void drop_column(lcp_tableau *t, int column)
{
    const int last = --t->columns;
    t->where[t->nonbasic[column]] = ~last;
    if (column != last) {
        memcpy(t->T + (size_t)column * (size_t)t->stride, t->T + (size_t)last * (size_t)t->stride,
               sizeof(double) * (size_t)t->stride);
        t->nonbasic[column] = t->nonbasic[last];
        t->where[t->nonbasic[column]] = ~column;
    }
}

// Free rows: their z in, their w (zero for ever) out of the tableau. A z that finds no pivot depends on the
// others and stays at zero; whether its row then holds is for the judge.
static void settle_free_rows(lemke *k)
{
    const int m = k->form.m;
    for (int i = 0; i < m; i++) {
        k->mark[i] = i >= k->form.active;
    }
    lcp_tableau_crash(&k->t, m, k->mark, k->form.active, m, k->pivot_tolerance);
    for (int c = k->t.columns - 1; c >= 0; c--) {
        const int variable = k->t.nonbasic[c];
        if ((variable < m ? variable : variable - m) >= k->form.active) {
            drop_column(&k->t, c);
        }
    }
}

static void add_covering_column(lemke *k, const lemke_try *try)
{
    lcp_tableau *t = &k->t;
    const int c = t->columns++;
    double *column = column_at(k, c);
    memset(column, 0, sizeof(double) * (size_t)t->stride);
    for (int i = 0; i < k->form.active; i++) {
        const double golden = 0.6180339887498949 * (i + 1);
        column[i] = try->cover == COVER_ONES     ? -1
                    : try->cover == COVER_SPREAD ? -(1 + golden - floor(golden))
                                                 : -(0.0625 + fabs(k->form.q[i]));
    }
    t->nonbasic[c] = 2 * k->form.m;
    t->where[2 * k->form.m] = ~c;
}

// Where z0 = 0 is covered from: the row that needs it most; the last of equals, which keeps every row of
// [value, inverse basis] lexicographically positive.
static int first_row(const lemke *k, const double *a)
{
    int row = -1;
    double worst = 0;
    for (int i = 0; i < k->form.active; i++) {
        const double need = k->t.value[i] / a[i]; // a < 0
        if (k->t.value[i] < 0 && need >= worst) {
            worst = need;
            row = i;
        }
    }
    return row;
}

// Of the tied rows the one with the lexicographically smallest row of [inverse basis] / a.
static int lexicographic_row(const lemke *k, const double *a, int count)
{
    const lcp_tableau *t = &k->t;
    int *tied = k->tied;
    for (int j = 0; j < k->form.active && count > 1; j++) {
        const int at = t->where[k->lex[j]];
        const double *column = at < 0 ? column_at(k, ~at) : NULL; // else the unit vector of row `at`
        double smallest = INFINITY, largest = 0;
        for (int s = 0; s < count; s++) {
            const double ratio = (column ? column[tied[s]] : tied[s] == at) / a[tied[s]];
            smallest = ratio < smallest ? ratio : smallest;
            largest = fabs(ratio) > largest ? fabs(ratio) : largest;
        }
        const double bound = smallest + k->tie_tolerance * largest;
        int kept = 0;
        for (int s = 0; s < count; s++) {
            const double ratio = (column ? column[tied[s]] : tied[s] == at) / a[tied[s]];
            if (ratio <= bound) {
                tied[kept++] = tied[s];
            }
        }
        count = kept;
    }
    int row = tied[0];
    for (int s = 1; s < count; s++) { // equal to tolerance in all: the safest pivot
        row = a[tied[s]] > a[row] ? tied[s] : row;
    }
    return row;
}

typedef struct ratio {
    double smallest_pivot, theta, size; // of a pivot; of the entering variable; of the largest basic variable
} ratio;

// The ratio test without its ties: theta = min of value / a over the elements that can be pivots.
THUD_KERNEL static ratio smallest_ratio(int rows, double pivot_tolerance, const double *restrict a,
                                        const double *restrict value)
{
    int64_t largest = 0, size = 0, theta = lcp_bits(INFINITY);
    for (int i = 0; i < rows; i++) {
        const int64_t a_i = lcp_bits(fabs(a[i])), value_i = lcp_bits(value[i]);
        largest = a_i > largest ? a_i : largest;
        size = value_i > size ? value_i : size;
    }
    const double smallest_pivot = pivot_tolerance * lcp_of_bits(largest);
    for (int i = 0; i < rows; i++) {
        const double v = value[i] > 0 ? value[i] : 0, t = v / a[i];
        const int64_t t_i = lcp_bits(a[i] > smallest_pivot ? t : INFINITY);
        theta = t_i < theta ? t_i : theta;
    }
    return (ratio){smallest_pivot, lcp_of_bits(theta), lcp_of_bits(size)};
}

// The row whose variable leaves when the entering one grows, or -1: nothing stops it, a ray.
static int leaving_row(lemke *k, const double *a)
{
    const lcp_tableau *t = &k->t;
    const ratio r = smallest_ratio(k->form.active, k->pivot_tolerance, a, t->value);
    const double zero = k->tie_tolerance * r.size;
    int count = 0;
    for (int i = 0; i < k->form.active; i++) {
        if (a[i] > r.smallest_pivot && t->value[i] - r.theta * a[i] <= zero) {
            if (t->basic[i] == 2 * k->form.m) {
                return i; // the artificial variable leaves first
            }
            k->tied[count++] = i;
        }
    }
    return count > 1 ? lexicographic_row(k, a, count) : count == 1 ? k->tied[0] : -1;
}

static thud_lcp_outcome run(lemke *k, const lemke_try *try)
{
    lcp_tableau *t = &k->t;
    const int m = k->form.m, z0 = 2 * m;
    add_covering_column(k, try);
    memcpy(k->lex, t->basic, sizeof(int) * (size_t)k->form.active);
    int entering = z0, row = first_row(k, column_at(k, ~t->where[z0]));
    if (row < 0) {
        return THUD_LCP_SOLVED; // q >= 0, or the crash basis is the answer
    }
    lcp_cycle cycle;
    lcp_cycle_start(&cycle);
    for (int pivot = 0; pivot < k->limit && thud_arena_spend(k->arena, 2 * lcp_square(m)); pivot++) {
        const int leaving = t->basic[row];
        lcp_tableau_pivot(t, row, ~t->where[entering], 0, 0);
        k->pivots++;
        if (leaving == z0) {
            return THUD_LCP_SOLVED;
        }
        if (lcp_cycle_step(&cycle, leaving, entering)) {
            return THUD_LCP_CYCLED;
        }
        entering = leaving < m ? leaving + m : leaving - m;
        row = leaving_row(k, column_at(k, ~t->where[entering]));
        if (row < 0) {
            return THUD_LCP_RAY;
        }
    }
    return THUD_LCP_LIMIT;
}

// One try from the start: fill, free rows, the warm basis if there is one, pivot, read.
static thud_lcp_outcome attempt(lemke *k, const thud_lcp *p, const thud_lcp_options *o, const lemke_try *try,
                                const unsigned char *start, double *z, unsigned char *row)
{
    k->pivot_tolerance = o->pivot_tolerance * try->pivot;
    k->tie_tolerance = o->tie_tolerance * try->tie;
    lcp_form_fill(&k->form, p, try->epsilon, &k->t);
    settle_free_rows(k);
    if (start) {
        lcp_form_marks(&k->form, start, k->mark);
        if (lcp_tableau_crash(&k->t, k->form.m, k->mark, 0, k->form.active, k->pivot_tolerance) >
            0) { // not a basis: start cold
            lcp_form_fill(&k->form, p, try->epsilon, &k->t);
            settle_free_rows(k);
        }
    }
    const thud_lcp_outcome outcome = run(k, try);
    lcp_form_read(&k->form, p, &k->t, z, row);
    return outcome;
}

// The usual case of a step after another: the old basis still solves, and no tableau is needed to see it.
static bool still_right(const thud_lcp *p, const thud_lcp_options *o, const unsigned char *start,
                        lcp_basis_work *work, double *z, unsigned char *row)
{
    for (int i = 0; i < p->n; i++) {
        z[i] = lcp_rest(p, i, start[i]);
        row[i] = start[i];
    }
    return lcp_polish(p, row, work, z).relative <= thud_min(o->tolerance, SURE);
}

// The start of a try: the best basis so far, the caller's, or none.
static const unsigned char *basis_of(const lemke_try *try, bool warm, const unsigned char *start,
                                     const unsigned char *best)
{
    return try->resume ? best : warm ? start : NULL;
}

thud_lcp_report lcp_lemke(const thud_lcp *p, const thud_lcp_options *o, thud_arena *scratch, double *z,
                          unsigned char *row)
{
    lemke k = {.limit = o->limit, .arena = scratch};
    lcp_basis_work work;
    unsigned char *start = thud_arena_push(scratch, (size_t)p->n, 1),
                  *new_row = thud_arena_push(scratch, (size_t)p->n, 1);
    double *new_z = lcp_push(scratch, (size_t)p->n);
    if (!start || !new_row || !new_z || !push_lemke(p, scratch, &k) ||
        !lcp_basis_work_push(scratch, p->n, &work)) {
        return lcp_ended(THUD_LCP_NO_SCRATCH, 0);
    }
    lcp_basis_start(p, o, start);
    if (o->warm && still_right(p, o, start, &work, z, row)) {
        return lcp_ended(THUD_LCP_SOLVED, 0);
    }
    thud_lcp_report report = {.outcome = THUD_LCP_RAY, .relative = INFINITY};
    const int tries = o->attempts < TRIES ? o->attempts : TRIES;
    for (int i = 0; i < tries && (i == 0 || thud_arena_may_go_on(scratch)); i++) {
        const unsigned char *from = basis_of(&ladder[i], o->warm && i == 0, start, row);
        const thud_lcp_outcome outcome = attempt(&k, p, o, &ladder[i], from, new_z, new_row);
        const lcp_verdict verdict = lcp_polish(p, new_row, &work, new_z);
        report.attempts = i + 1;
        if (i == 0 || verdict.relative < report.relative) {
            report.outcome = outcome;
            report.relative = verdict.relative;
            report.regularised = ladder[i].epsilon > 0;
            memcpy(z, new_z, sizeof(double) * (size_t)p->n);
            memcpy(row, new_row, (size_t)p->n);
        }
        if (report.relative <= o->tolerance) {
            report.outcome = THUD_LCP_SOLVED;
            break;
        }
    }
    report.pivots = k.pivots;
    return report;
}
