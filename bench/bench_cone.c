// SPDX-License-Identifier: Apache-2.0
// bench_cone: exact Coulomb friction: success and time per class of problems, beside Siconos.
//
// usage: bench_cone [--count N] [--patience SECONDS] [--fclib DIR] [--csv FILE] [--svg FILE] [--linalg]
//
// Every contestant gets the same problems in the same run, from p = 0, asked for 1e-8 by its own residual;
// whoever claims it, the residual that counts is thud_cone_residual. A time is the CPU time of the solve
// alone, the median of interleaved repeats; a class' time the median over the problems that contestant
// solved. "thud any" does not ask for the equal-compliance choice among many solutions, which the others do
// not offer. A peer has `patience` (0.5 s, of the wall clock) for one problem; whoever has spent six times
// that on a class sits out the rest of it, and the count of its problems says so.
#include <dirent.h>
#include <math.h>

#include "bench.h"
#include "profile_svg.h"
#ifdef THUD_PEER_SICONOS
#include "peer_cone.h"
#endif

static const double TOLERANCE = 1e-8;
static const double LONG = 0.02; // seconds: a solve that is not repeated
enum { REPEATS = 3, BATCH = 256, PROBLEMS_MAX = 2000, OURS = 5 };
enum { STEPS_MAX = 5000 }; // of our nsgs and admm, which on redundant contacts would go on for 20 000
static const struct {
    const char *name;
    thud_cone_method method;
    bool equal_compliance;
} ours[OURS] = {{"thud auto", THUD_CONE_AUTO, true},
                {"thud any", THUD_CONE_AUTO, false},
                {"thud nsgs", THUD_CONE_NSGS, false},
                {"thud proximal", THUD_CONE_PROXIMAL, true},
                {"thud admm", THUD_CONE_ADMM, false}};

typedef struct table {
    int contestants, problems, first; // first: of the present class
    const char *name[PROFILE_CONTESTANTS_MAX];
    double *seconds;                       // contestants x PROBLEMS_MAX
    double *residual;                      // NaN: sat out
    double spent[PROFILE_CONTESTANTS_MAX]; // CPU seconds on the present class
    double patience;
    FILE *csv; // or NULL
} table;

// One problem as the contestants take it.
typedef struct task {
    const thud_cone *c;
    thud_arena *arena;
    double *p, *judge;
    double *W, *mu; // dense copies, for the peers
} task;

// CPU seconds of one solve, over a batch of them.
static double run_ours(const task *t, int k, int batch)
{
    const thud_cone *c = t->c;
    thud_cone_options o = thud_cone_defaults();
    o.method = ours[k].method;
    o.equal_compliance = ours[k].equal_compliance;
    o.max_iterations = o.method == THUD_CONE_NSGS || o.method == THUD_CONE_ADMM ? STEPS_MAX : 0;
    double start = 0;
    for (int i = batch > 1 ? -1 : 0; i < batch; i++) { // a batch has a warm-up, as the peers' have
        start = i <= 0 ? thud_clock_cpu() : start;
        memset(t->p, 0, sizeof *t->p * (size_t)c->rows);
        thud_cone_solve(c, &o, t->arena, t->p);
    }
    return (thud_clock_cpu() - start) / batch;
}

static void dense_copy(const thud_cone *c, double *W)
{
    const size_t n = (size_t)c->rows;
    memset(W, 0, sizeof *W * n * n);
    for (int j = 0; c->W.a && j < c->rows; j++) {
        memcpy(W + (size_t)j * n, c->W.a + (size_t)j * (size_t)c->W.stride, sizeof *W * n);
    }
    for (int i = 0; !c->W.a && i < c->blocks; i++) {
        const thud_cone_block *bi = c->block + i;
        for (int k = c->sparse->start[i]; k < c->sparse->start[i + 1]; k++) {
            const thud_cone_block *bj = c->block + c->sparse->column[k];
            for (int x = 0; x < bi->dim * bj->dim; x++) {
                W[(size_t)(bi->row + x % bi->dim) + (size_t)(bj->row + x / bi->dim) * n] =
                    c->sparse->value[c->sparse->at[k] + x];
            }
        }
    }
}

#ifdef THUD_PEER_SICONOS
static double run_peer(const task *t, int k, double patience, int batch)
{
    const peer_cone problem = {t->c->block[0].dim, t->c->blocks, t->W, t->c->b, t->mu};
    double seconds;
    peer_cone_solve(k, &problem, TOLERANCE, patience, batch > 1, t->p, &seconds);
    return seconds;
}
#else
static double run_peer(const task *t, int k, double patience, int batch)
{
    (void)t, (void)k, (void)patience, (void)batch;
    return NAN;
}
#endif

static double run_one(const table *t, const task *task_, int k, int batch)
{
    return k < OURS ? run_ours(task_, k, batch) : run_peer(task_, k - OURS, t->patience, batch);
}

// Everybody who is still in the game: once, which is judged and says how long it takes; then, if that is
// short, in interleaved batches.
static void run_everybody(table *t, const task *one, size_t at)
{
    double times[PROFILE_CONTESTANTS_MAX][REPEATS], first[PROFILE_CONTESTANTS_MAX];
    for (int k = 0; k < t->contestants; k++) {
        first[k] = INFINITY;
        t->residual[(size_t)k * PROBLEMS_MAX + at] = NAN;
        if (t->spent[k] < 6 * t->patience) {
            first[k] = run_one(t, one, k, 1);
        }
        if (isfinite(first[k])) {
            t->residual[(size_t)k * PROBLEMS_MAX + at] = thud_cone_residual(one->c, one->p, one->judge);
            t->spent[k] += first[k];
        }
        t->seconds[(size_t)k * PROBLEMS_MAX + at] = first[k];
    }
    for (int r = 0; r < REPEATS; r++) {
        for (int k = 0; k < t->contestants; k++) {
            if (first[k] < LONG) {
                const int batch = (int)fmin(BATCH, 2 + 2e-4 / first[k]);
                times[k][r] = run_one(t, one, k, batch);
                t->spent[k] += batch * times[k][r];
            }
        }
    }
    for (int k = 0; k < t->contestants; k++) {
        if (first[k] < LONG) {
            t->seconds[(size_t)k * PROBLEMS_MAX + at] = bench_median(times[k], REPEATS);
        }
    }
}

// One problem, everybody.
static void run_problem(table *t, const thud_cone *c)
{
    const size_t n = (size_t)c->rows;
    task one = {.c = c,
                .p = malloc(sizeof(double) * n),
                .judge = malloc(sizeof(double) * (2 * n + 6)),
                .W = malloc(sizeof(double) * n * n),
                .mu = malloc(sizeof(double) * (size_t)c->blocks)};
    if (!one.p || !one.judge || !one.W || !one.mu ||
        thud_arena_create(thud_cone_scratch(c), &one.arena) != THUD_OK) {
        exit(1);
    }
    dense_copy(c, one.W);
    for (int i = 0; i < c->blocks; i++) {
        one.mu[i] = c->block[i].mu[0];
    }
    run_everybody(t, &one, (size_t)t->problems++);
    thud_arena_destroy(one.arena);
    free(one.p);
    free(one.judge);
    free(one.W);
    free(one.mu);
}

static void print_header(const table *t)
{
    printf("%-22s", "solved/all median us");
    for (int k = 0; k < t->contestants; k++) {
        printf(" %18s", t->name[k]);
    }
    printf("\n");
}

static double seconds_of(const table *t, int k, int problem) // INFINITY: not solved, or sat out
{
    const size_t at = (size_t)k * PROBLEMS_MAX + (size_t)problem;
    return t->residual[at] <= TOLERANCE ? t->seconds[at] : INFINITY;
}

// Our auto's time over the best of the peers [from, to), the median over the problems that both solve.
static void report_ratio(const table *t, const char *name, const char *peer, int from, int to)
{
    double ratio[PROBLEMS_MAX];
    int both = 0;
    for (int i = t->first; i < t->problems; i++) {
        double best = INFINITY;
        for (int k = from; k < to; k++) {
            best = fmin(best, seconds_of(t, k, i));
        }
        if (isfinite(best) && isfinite(seconds_of(t, 0, i))) {
            ratio[both++] = seconds_of(t, 0, i) / best;
        }
    }
    if (both > 0) {
        printf("%-22s   thud auto / %s: %.2f over %d of %d problems\n", name, peer, bench_median(ratio, both),
               both, t->problems - t->first);
    }
}

static void end_class(table *t, const char *name)
{
    printf("%-22s", name);
    for (int k = 0; k < t->contestants; k++) {
        double time[PROBLEMS_MAX], worst = 0;
        int solved = 0, ran = 0;
        for (int i = t->first; i < t->problems; i++) {
            const size_t at = (size_t)k * PROBLEMS_MAX + (size_t)i;
            ran += !isnan(t->residual[at]);
            if (isfinite(seconds_of(t, k, i))) {
                time[solved++] = t->seconds[at];
                worst = fmax(worst, t->residual[at]);
            }
        }
        const double median = solved > 0 ? bench_median(time, solved) : NAN;
        printf("   %3d/%-3d %8.4g", solved, ran, 1e6 * median);
        if (t->csv) {
            fprintf(t->csv, "%s,%s,%d,%d,%.9g,%.3g\n", name, t->name[k], solved, ran, median, worst);
        }
        t->spent[k] = 0;
    }
    printf("\n");
    if (t->contestants > OURS) {
        report_ratio(t, name, "siconos nsgs", OURS, OURS + 1);
        report_ratio(t, name, "the best of siconos", OURS, t->contestants);
    }
    fflush(stdout);
    t->first = t->problems;
}

// Well-conditioned contacts without bodies: the positive definite LCPs' M as W, mu from 0.2 to 1.
static void definite_class(table *t, int contacts, int count)
{
    const thud_random_class class_ = {THUD_RANDOM_POSITIVE_DEFINITE, 3 * contacts, 0};
    char name[64];
    for (int seed = 1; seed <= count; seed++) {
        thud_lcp_problem *r;
        if (thud_random_lcp(class_, (uint64_t)seed, &r) != THUD_OK) {
            exit(1);
        }
        thud_cone_block *block = calloc((size_t)contacts, sizeof *block);
        for (int i = 0; i < contacts; i++) {
            const double mu = 0.2 + 0.8 * ((i * 7 + seed) % 11) / 10.0;
            block[i] =
                (thud_cone_block){.kind = THUD_CONE_KIND_CONTACT, .row = 3 * i, .dim = 3, .mu = {mu, mu}};
        }
        r->q[0] = -fabs(r->q[0]); // the first contact closes: never the problem whose answer is 0
        const thud_cone c = {
            .rows = 3 * contacts, .blocks = contacts, .block = block, .W = r->lcp.M, .b = r->lcp.q};
        run_problem(t, &c);
        free(block);
        thud_lcp_problem_destroy(r);
    }
    snprintf(name, sizeof name, "definite:%d", contacts);
    end_class(t, name);
}

static void random_class(table *t, const char *text, int count)
{
    thud_random_class class_;
    if (thud_random_class_parse(text, &class_, NULL) != THUD_OK) {
        exit(1);
    }
    for (int seed = 1; seed <= count; seed++) {
        thud_random_contacts *r;
        if (thud_random_contact(class_, (uint64_t)seed, &r) != THUD_OK) {
            exit(1);
        }
        thud_cone_block *block = calloc((size_t)r->contacts, sizeof *block);
        for (int i = 0; i < r->contacts; i++) {
            block[i] = (thud_cone_block){
                .kind = THUD_CONE_KIND_CONTACT, .row = 3 * i, .dim = 3, .mu = {r->mu[i], r->mu[i]}};
        }
        const thud_cone c = {
            .rows = 3 * r->contacts, .blocks = r->contacts, .block = block, .W = r->W, .b = r->u_f};
        run_problem(t, &c);
        free(block);
        thud_random_contacts_destroy(r);
    }
    end_class(t, text);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void fclib_folder(table *t, const char *folder)
{
    char path[1024], *name[PROBLEMS_MAX];
    int names = 0;
    DIR *dir = opendir(folder);
    if (!dir) {
        printf("(no FCLIB problems: %s is not there)\n", folder);
        return;
    }
    for (struct dirent *e = readdir(dir); e && names < PROBLEMS_MAX; e = readdir(dir)) {
        if (strstr(e->d_name, ".hdf5")) {
            name[names++] = strdup(e->d_name);
        }
    }
    closedir(dir);
    qsort(name, (size_t)names, sizeof *name, by_name);
    for (int k = 0; k < names; k++) {
        thud_cone_problem *q;
        snprintf(path, sizeof path, "%s/%s", folder, name[k]);
        if (thud_fclib_read(path, &q, NULL) == THUD_OK) {
            run_problem(t, &q->cone);
            name[k][strcspn(name[k], ".")] = 0;
            name[k][22 < strlen(name[k]) ? 22 : strlen(name[k])] = 0;
            end_class(t, name[k]);
            thud_cone_problem_destroy(q);
        }
        free(name[k]);
    }
}

// CPU time of an LU factor by its size.
static void time_factors(void)
{
    printf("LU of n x n: us, Gflop/s\n");
    for (int n = 16; n <= 1024; n += n < 128 ? 16 : n / 4) {
        double *A = malloc(sizeof *A * (size_t)n * (size_t)n), time[REPEATS];
        int *pivot = malloc(sizeof *pivot * (size_t)n);
        for (int r = 0; r < REPEATS; r++) {
            time[r] = 0;
            int times = 0;
            while (time[r] < 2e-3) {
                uint64_t s = 1;
                for (size_t i = 0; i < (size_t)n * (size_t)n; i++) {
                    s = s * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
                    A[i] = (double)(s >> 11) * 0x1p-53 - 0.5;
                }
                const double start = thud_clock_cpu();
                thud_lu_factor((thud_mat){n, n, n, A}, pivot);
                time[r] += thud_clock_cpu() - start;
                times++;
            }
            time[r] /= times;
        }
        const double t = bench_median(time, REPEATS);
        printf("%5d %9.2f %6.2f\n", n, 1e6 * t, 2e-9 / 3 * n * (double)n * n / t);
        free(A);
        free(pivot);
    }
}

static int write_profile(const table *t, const char *path)
{
    double *packed = malloc(sizeof *packed * (size_t)t->contestants * (size_t)t->problems);
    profile p = {.title = "Contact problems with exact friction solved to 1e-8",
                 .contestants = t->contestants,
                 .problems = t->problems,
                 .seconds = packed,
                 .tau_max = 1e4};
    memcpy(p.name, t->name, sizeof p.name);
    for (int k = 0; k < t->contestants; k++) {
        for (int i = 0; i < t->problems; i++) {
            packed[(size_t)k * (size_t)t->problems + (size_t)i] = seconds_of(t, k, i);
        }
    }
    const int failed = profile_write(&p, path);
    free(packed);
    return failed == 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
    static const char *const classes[] = {"stewart-trinkle:1",
                                          "stewart-trinkle:5",
                                          "stewart-trinkle:10",
                                          "stewart-trinkle:20",
                                          "stewart-trinkle:50",
                                          "box:1",
                                          "doubled:10",
                                          "stack:2",
                                          "stack:5",
                                          "stack:10"};
    int count = 40;
    table t = {.contestants = OURS, .patience = 0.5};
    const char *fclib = THUD_SOURCE_DIR "/../shared/fclib", *svg = NULL;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--linalg") == 0) {
            time_factors();
            return 0;
        }
        if (strcmp(argv[i], "--count") == 0 && i + 1 < argc) {
            count = atoi(argv[++i]);
        } else if (strcmp(argv[i], "--patience") == 0 && i + 1 < argc) {
            t.patience = atof(argv[++i]);
        } else if (strcmp(argv[i], "--csv") == 0 && i + 1 < argc) {
            t.csv = fopen(argv[++i], "w");
        } else if (strcmp(argv[i], "--fclib") == 0 && i + 1 < argc) {
            fclib = argv[++i];
        } else if (strcmp(argv[i], "--svg") == 0 && i + 1 < argc) {
            svg = argv[++i];
        }
    }
    for (int k = 0; k < OURS; k++) {
        t.name[k] = ours[k].name;
    }
#ifdef THUD_PEER_SICONOS
    for (int k = 0; k < peer_cone_solvers(); k++) {
        t.name[t.contestants++] = peer_cone_name(k);
    }
#endif
    t.seconds = calloc((size_t)t.contestants * PROBLEMS_MAX, sizeof *t.seconds);
    t.residual = calloc((size_t)t.contestants * PROBLEMS_MAX, sizeof *t.residual);
    print_header(&t);
    if (t.csv) {
        fprintf(t.csv, "class,solver,solved,problems,median_s,worst_residual\n");
    }
    for (int contacts = 1; contacts <= 50; contacts = contacts == 1   ? 5
                                                      : contacts == 5 ? 10
                                                                      : contacts + 20) {
        definite_class(&t, contacts, count);
    }
    for (size_t k = 0; k < sizeof classes / sizeof *classes; k++) {
        random_class(&t, classes[k], count);
    }
    if (fclib[0]) {
        fclib_folder(&t, fclib);
    }
    if (t.csv) {
        fclose(t.csv);
    }
    return svg ? write_profile(&t, svg) : 0;
}
