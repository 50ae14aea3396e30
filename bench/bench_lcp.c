// SPDX-License-Identifier: Apache-2.0
// bench_lcp: every LCP method beside Siconos and ODE's Dantzig, class by class, in one run.
//
// usage: bench_lcp [--count N] [--patience SECONDS] [--csv FILE] [--svg FILE] [CLASS...]
//
// The problems are those of `thud solve --random`. A time is the CPU time of one call, the median of
// interleaved repeats, each the mean over as many calls as the clock needs; a class' time is the median over
// its problems. Solved means max |min(z, M z + q)| <= 1e-6 max |q|, computed here and for everybody alike,
// which is the line of the published figures; ours stop at 1e-8 by a stricter judge. Whoever has spent
// its patience (3 s) on a class sits out the rest of it, and the count of its problems says so.
#include <math.h>

#include "bench.h"
#include "peer_lcp.h"
#include "profile_svg.h"

static const double SOLVED = 1e-6;
static const double LONG = 0.02; // seconds: a call that is not repeated
enum { REPEATS = 5, BATCH = 8, CLASSES_MAX = 64, COUNT_MAX = 1000 };

typedef struct contestant {
    const char *name;
    peer_lcp_solve *peer; // NULL: ours
    thud_lcp_method method;
    bool symmetric_only;
} contestant;

static const contestant contestants[] = {
    {"thud lemke", NULL, THUD_LCP_LEMKE, false},
    {"thud judice-pires", NULL, THUD_LCP_JUDICE_PIRES, false},
    {"thud murty", NULL, THUD_LCP_MURTY, false},
    {"thud dantzig", NULL, THUD_LCP_DANTZIG, true},
    {"thud pgs", NULL, THUD_LCP_PGS, true},
#ifdef THUD_PEER_SICONOS
    {"siconos lemke", peer_siconos_lemke, 0, false},
    {"siconos newton-fb", peer_siconos_newton, 0, false},
#endif
#ifdef THUD_PEER_ODE
    {"ode dantzig", peer_ode_dantzig, 0, true},
#endif
};
enum { CONTESTANTS = sizeof contestants / sizeof contestants[0] };

typedef struct bench {
    int count;       // problems a class
    double patience; // seconds a class
    FILE *csv;       // or NULL
    int problems;    // so far, over all classes
    double *seconds; // CONTESTANTS x (CLASSES_MAX * COUNT_MAX); INFINITY: not solved
    double *z;       // of the largest problem
    thud_arena *scratch;
    size_t scratch_size;
} bench;

static int place_of(const char *name) // or -1
{
    int c = CONTESTANTS - 1;
    while (c >= 0 && strcmp(contestants[c].name, name) != 0) {
        c--;
    }
    return c;
}

static double residual(const thud_lcp *p, const double *z)
{
    double worst = 0;
    for (int i = 0; i < p->n; i++) {
        double w = p->q[i];
        for (int j = 0; j < p->n; j++) {
            w += p->M.a[i + (size_t)j * (size_t)p->n] * z[j];
        }
        const double r = fabs(fmin(z[i], w));
        worst = r <= worst ? worst : r; // also NaN
    }
    return worst / thud_norm_inf(p->n, p->q);
}

// Seconds a call, over a batch of calls.
static double run_batch(bench *b, const contestant *c, const thud_lcp *p, int batch)
{
    if (c->peer) {
        return c->peer(p->n, p->M.a, p->q, b->z, batch);
    }
    const thud_lcp_options o = thud_lcp_defaults(c->method);
    const double start = thud_clock_cpu();
    for (int i = 0; i < batch; i++) {
        thud_lcp_solve(p, &o, b->scratch, b->z);
    }
    return (thud_clock_cpu() - start) / batch;
}

// The time of every contestant that is in the game on one problem, in interleaved repeats, and its residual;
// NaN for the others. spent: seconds on this class so far.
static void run_problem(bench *b, const thud_lcp *p, const bool *plays, double *spent, double *time,
                        double *left)
{
    double times[CONTESTANTS][REPEATS], first[CONTESTANTS];
    for (int c = 0; c < CONTESTANTS; c++) { // once to warm up and to see how long it takes
        time[c] = left[c] = NAN;
        if (plays[c]) {
            time[c] = first[c] = run_batch(b, &contestants[c], p, 1);
            left[c] = residual(p, b->z);
            spent[c] += first[c];
        }
    }
    for (int r = 0; r < REPEATS; r++) {
        for (int c = 0; c < CONTESTANTS; c++) {
            if (plays[c] && first[c] < LONG) {
                const int batch = (int)fmin(BATCH, 1 + 2e-4 / first[c]);
                times[c][r] = run_batch(b, &contestants[c], p, batch);
                spent[c] += batch * times[c][r];
            }
        }
    }
    for (int c = 0; c < CONTESTANTS; c++) {
        if (plays[c] && first[c] < LONG) {
            time[c] = bench_median(times[c], REPEATS);
        }
    }
}

static void print_row(const char *name, int n, const contestant *c, int solved, int count, double median,
                      double worst, double ratio)
{
    printf("%-22s %4d  %-18s %4d/%-4d %12.1f %10.1e", name, n, c->name, solved, count, 1e6 * median, worst);
    if (isfinite(ratio)) {
        printf(" %8.2f", ratio);
    }
    putchar('\n');
}

// One class, contestants x count: prints how many were solved, the median time, and that over our Lemke's.
static void report_class(bench *b, const char *name, int n, const double *time, const double *left)
{
    const int count = b->count;
    for (int c = 0; c < CONTESTANTS; c++) {
        double mine[COUNT_MAX], ratio[COUNT_MAX], worst = 0;
        int solved = 0, ran = 0, both = 0;
        for (int k = 0; k < count; k++) {
            const double t = time[c * count + k], r = left[c * count + k];
            if (!isnan(t)) {
                mine[ran++] = t;
            }
            if (r <= SOLVED) {
                solved++;
                worst = fmax(worst, r);
                if (left[k] <= SOLVED) {
                    ratio[both++] = t / time[k]; // contestant 0 is our Lemke
                }
            }
        }
        if (ran > 0) {
            const double median = bench_median(mine, ran), over = both > 0 ? bench_median(ratio, both) : NAN;
            print_row(name, n, &contestants[c], solved, ran, median, worst, over);
            if (b->csv) {
                fprintf(b->csv, "%s,%d,%s,%d,%d,%.9g,%.3g,%.4g\n", name, n, contestants[c].name, solved, ran,
                        median, worst, over);
            }
        }
    }
    fflush(stdout);
}

// What is asked of us beside a peer, over the problems of the class that both solve.
static void report_asked(bench *b, const char *name, const double *time, const double *left)
{
    static const struct {
        const char *ours, *peer;
        double asked;
    } asked[] = {{"thud lemke", "siconos lemke", 0.5}, {"thud dantzig", "ode dantzig", 1}};
    for (size_t a = 0; a < sizeof asked / sizeof *asked; a++) {
        double ratio[COUNT_MAX];
        int both = 0;
        const int us = place_of(asked[a].ours) * b->count, peer = place_of(asked[a].peer) * b->count;
        for (int k = 0; us >= 0 && peer >= 0 && k < b->count; k++) {
            if (left[us + k] <= SOLVED && left[peer + k] <= SOLVED) {
                ratio[both++] = time[us + k] / time[peer + k];
            }
        }
        if (both > 0) {
            const double median = bench_median(ratio, both);
            printf("%-28s %s / %s: %.2f over %d problems, asked %.1f%s\n", name, asked[a].ours, asked[a].peer,
                   median, both, asked[a].asked, median <= asked[a].asked ? "" : ": MISSED");
        }
    }
    fflush(stdout);
}

static void run_class(bench *b, const char *text)
{
    thud_random_class class_;
    thud_diag diag;
    if (thud_random_class_parse(text, &class_, &diag) != THUD_OK) {
        fprintf(stderr, "bench_lcp: %s\n", diag.text);
        exit(2);
    }
    const bool symmetric = class_.directions == 0;
    double *time = thud_alloc((size_t)(CONTESTANTS * b->count), sizeof *time);
    double *left = thud_alloc((size_t)(CONTESTANTS * b->count), sizeof *left);
    double spent[CONTESTANTS] = {0};
    bool plays[CONTESTANTS];
    int n = 0;
    for (int k = 0; k < b->count; k++) {
        thud_lcp_problem *p;
        if (thud_random_lcp(class_, (uint64_t)k, &p) != THUD_OK) {
            fprintf(stderr, "bench_lcp: out of memory\n");
            exit(1);
        }
        n = p->lcp.n;
        double one_time[CONTESTANTS], one_left[CONTESTANTS];
        for (int c = 0; c < CONTESTANTS; c++) {
            plays[c] = (symmetric || !contestants[c].symmetric_only) && spent[c] < b->patience;
        }
        run_problem(b, &p->lcp, plays, spent, one_time, one_left);
        for (int c = 0; c < CONTESTANTS; c++) {
            time[c * b->count + k] = one_time[c];
            left[c * b->count + k] = one_left[c];
            b->seconds[(size_t)c * (CLASSES_MAX * COUNT_MAX) + (size_t)b->problems] =
                one_left[c] <= SOLVED ? one_time[c] : INFINITY;
        }
        b->problems++;
        thud_lcp_problem_destroy(p);
    }
    report_class(b, text, n, time, left);
    report_asked(b, text, time, left);
    thud_free(time);
    thud_free(left);
}

static void write_profile(const bench *b, const char *path)
{
    double *packed = thud_alloc((size_t)CONTESTANTS * (size_t)b->problems, sizeof *packed);
    profile p = {.title = "LCP solvers: fraction of the problems solved",
                 .contestants = CONTESTANTS,
                 .problems = b->problems,
                 .seconds = packed,
                 .tau_max = 1000};
    for (int c = 0; c < CONTESTANTS; c++) {
        p.name[c] = contestants[c].name;
        memcpy(packed + (size_t)c * (size_t)b->problems, b->seconds + (size_t)c * (CLASSES_MAX * COUNT_MAX),
               sizeof *packed * (size_t)b->problems);
    }
    if (profile_write(&p, path) != 0) {
        fprintf(stderr, "bench_lcp: %s could not be written\n", path);
        exit(1);
    }
    thud_free(packed);
}

int main(int argc, char **argv)
{
    static const char *const standard[] = {"positive-definite:25",
                                           "positive-definite:50",
                                           "positive-definite:100",
                                           "positive-definite:200",
                                           "positive-definite:400",
                                           "rank-deficient:50",
                                           "rank-deficient:100",
                                           "stewart-trinkle:5/4",
                                           "stewart-trinkle:10/4",
                                           "stewart-trinkle:20/4",
                                           "stewart-trinkle:50/4",
                                           "box:1/4",
                                           "doubled:5/4",
                                           "doubled:10/4",
                                           "stack:5/4",
                                           "stack:10/4"};
    const char *asked[CLASSES_MAX], *svg = NULL;
    int classes = 0;
    bench b = {.count = 40, .patience = 3};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--count") == 0 && i + 1 < argc) {
            b.count = atoi(argv[++i]);
        } else if (strcmp(argv[i], "--patience") == 0 && i + 1 < argc) {
            b.patience = atof(argv[++i]);
        } else if (strcmp(argv[i], "--csv") == 0 && i + 1 < argc) {
            b.csv = fopen(argv[++i], "w");
        } else if (strcmp(argv[i], "--svg") == 0 && i + 1 < argc) {
            svg = argv[++i];
        } else if (argv[i][0] != '-' && classes < CLASSES_MAX) {
            asked[classes++] = argv[i];
        } else {
            fprintf(stderr, "usage: bench_lcp [--count N] [--patience SECONDS] [--csv FILE] [--svg FILE] "
                            "[CLASS...]\n");
            return 2;
        }
    }
    b.count = b.count < 1 ? 1 : b.count > COUNT_MAX ? COUNT_MAX : b.count;
    b.seconds = thud_alloc((size_t)CONTESTANTS * CLASSES_MAX * COUNT_MAX, sizeof *b.seconds);
    b.z = thud_alloc(4096, sizeof *b.z);
    if (!b.seconds || !b.z || thud_arena_create((size_t)256 << 20, &b.scratch) != THUD_OK) {
        return 1;
    }
    printf("%-22s %4s  %-18s %9s %12s %10s %8s\n", "class", "n", "solver", "solved", "median us", "worst",
           "/ lemke");
    if (b.csv) {
        fprintf(b.csv, "class,n,solver,solved,problems,median_s,worst_residual,over_thud_lemke\n");
    }
    const int standards = (int)(sizeof standard / sizeof standard[0]);
    for (int i = 0; i < (classes > 0 ? classes : standards); i++) {
        run_class(&b, classes > 0 ? asked[i] : standard[i]);
    }
    if (svg) {
        write_profile(&b, svg);
    }
    if (b.csv) {
        fclose(b.csv);
    }
    return 0;
}
