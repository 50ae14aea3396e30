// SPDX-License-Identifier: Apache-2.0
// study_rank.c: the main claim of the phantom-inertia paper: its lead matrix has full rank where that of
// Anitescu and Potra has not, so that other solvers than Lemke's work on it.
//
// The problems are those of the cube's own motion, every step of it one, and of a box that starts to slide
// down a slope; each is asked of every law anew. Redundant corners would hide what a law does to the rank, so
// all have the compliance that Thud's ladder starts from, 1e-6 of the mean diagonal of W.
#include <math.h>
#include <string.h>

#include <thud/elementary.h>
#include <thud/linalg.h>

#include "study.h"

enum { METHODS = 3 };
static const thud_lcp_method method[METHODS] = {THUD_LCP_LEMKE, THUD_LCP_MURTY, THUD_LCP_JUDICE_PIRES};

typedef struct tally {
    thud_law_options law;
    bool compliant;
    int problems, size, rank_low, rank_high, solved[METHODS];
    bool no_memory;
} tally;

typedef struct tallies {
    int count;
    tally *tally;
} tallies;

// ---------------------------------------------------------------------------------------- one problem

// Rows, then columns, divided by their largest: a rank that does not depend on units.
static void equilibrate(size_t n, double *a)
{
    for (int pass = 0; pass < 2; pass++) {
        const size_t step = pass == 0 ? n : 1, line = pass == 0 ? 1 : n;
        for (size_t i = 0; i < n; i++) {
            double most = 0;
            for (size_t j = 0; j < n; j++) {
                most = thud_max(most, fabs(a[i * line + j * step]));
            }
            for (size_t j = 0; j < n && most > 0; j++) {
                a[i * line + j * step] /= most;
            }
        }
    }
}

// What a pivoted QR finds above 1e-12 of the longest column; -1: no memory.
static int rank_of(const thud_lcp *lcp, thud_arena *arena)
{
    const size_t n = (size_t)lcp->n;
    double *copy = thud_arena_push(arena, n * n, sizeof *copy),
           *work = thud_arena_push(arena, n, sizeof *work);
    if (!copy || !work) {
        return -1;
    }
    for (size_t j = 0; j < n; j++) {
        memcpy(copy + j * n, lcp->M.a + j * (size_t)lcp->M.stride, sizeof *copy * n);
    }
    equilibrate(n, copy);
    return thud_qr_rank((thud_mat){lcp->n, lcp->n, lcp->n, copy}, 1e-12, work);
}

static void ask(const thud_island *island, tally *t, thud_arena *arena)
{
    const size_t mark = thud_arena_mark(arena);
    thud_lcp lcp;
    if (thud_law_problem(island, &t->law, t->compliant, arena, &lcp) == THUD_OK) {
        const int rank = rank_of(&lcp, arena);
        double *z = thud_arena_push(arena, (size_t)lcp.n, sizeof *z);
        t->no_memory = t->no_memory || rank < 0 || !z;
        t->rank_low = t->problems == 0 || rank < t->rank_low ? rank : t->rank_low;
        t->rank_high = rank > t->rank_high ? rank : t->rank_high;
        t->size = lcp.n > t->size ? lcp.n : t->size;
        t->problems++;
        for (int m = 0; z && m < METHODS; m++) {
            const thud_lcp_options o = thud_lcp_defaults(method[m]);
            t->solved[m] += thud_lcp_solve(&lcp, &o, arena, z).outcome == THUD_LCP_SOLVED;
        }
    }
    thud_arena_release(arena, mark);
}

static void watch(const trial *run, void *context)
{
    const tallies *all = context;
    thud_rows *rows = thud_sim_rows(run->stepper.sim);
    thud_arena *arena;
    if (thud_rows_fill(rows, -1, NULL) != THUD_OK || thud_arena_create((size_t)1 << 23, &arena) != THUD_OK) {
        return;
    }
    for (int i = 0; i < thud_rows_islands(rows); i++) {
        const thud_island island = thud_rows_island(rows, i);
        for (int k = 0; k < all->count; k++) {
            ask(&island, &all->tally[k], arena);
        }
    }
    thud_arena_destroy(arena);
}

// ---------------------------------------------------------------------------------------- tables

static tally tally_of(thud_law law, int directions, double rho)
{
    tally t = {.law = thud_law_defaults(), .compliant = true};
    t.law.law = law;
    t.law.directions = directions;
    t.law.rho = rho;
    return t;
}

static void add_row(sheet *t, const char *motion, const char *law, const tally *k)
{
    sheet_cell(t, "%s", motion);
    sheet_cell(t, "%s", law);
    sheet_cell(t, "%d", k->problems);
    sheet_cell(t, "%d", k->size);
    sheet_cell(t, k->rank_low == k->rank_high ? "%d" : "%d ... %d", k->rank_low, k->rank_high);
    for (int m = 0; m < METHODS; m++) {
        sheet_cell(t, "%d", k->solved[m]);
    }
}

// Rank and solvers on the steps of one motion; the law of the motion itself does not matter much.
static bool study_motion(study *s, const trial_wish *wish, tally *each, int count)
{
    tallies all = {count, each};
    trial_wish w = *wish;
    trial run;
    w.watch = watch;
    w.context = &all;
    const bool ok = study_run(s, &w, &run);
    trial_close(&run);
    return ok;
}

static void show_rank(study *s)
{
    static const char *const heads[] = {"steps of", "law",   "problems", "unknowns",
                                        "rank",     "lemke", "murty",    "judice-pires"};
    static const char *const names[] = {"anitescu-potra, 4 directions", "anitescu-potra, 8 directions",
                                        "anitescu-potra, 12 directions", "phantom-inertia, 2 axes",
                                        "phantom-inertia, 4 axes"};
    trial_wish wish = {.scene = "box", .keyframe = "start", .time = 0.6, .wishes = WISHES_NONE};
    wish.wishes.law = (int)THUD_LAW_ANITESCU_POTRA;
    wish.wishes.aligned = true;
    wish.wishes.dt = 0.01;
    sheet t = sheet_start(heads, 8);
    bool good = true;
    for (int motion = 0; motion < 2; motion++) {
        tally k[] = {tally_of(THUD_LAW_ANITESCU_POTRA, 4, 0), tally_of(THUD_LAW_ANITESCU_POTRA, 8, 0),
                     tally_of(THUD_LAW_ANITESCU_POTRA, 12, 0), tally_of(THUD_LAW_PHANTOM_INERTIA, 4, 0),
                     tally_of(THUD_LAW_PHANTOM_INERTIA, 8, 0)};
        if (motion == 1) { // at 20 us a step it is below the threshold of slip for a while, but not held
            wish = (trial_wish){.scene = "slope30", .time = 0.0008, .wishes = wish.wishes};
            wish.wishes.dt = 2e-5;
        }
        if (!study_motion(s, &wish, k, 5)) {
            break;
        }
        for (int i = 0; i < 5; i++) {
            add_row(&t, motion ? "slope30, breaking loose" : "box, sliding", names[i], &k[i]);
            good = good && (i < 3 ? k[i].rank_high < k[i].size : k[i].rank_low == k[i].size);
        }
    }
    study_table(s, "box-rank", "Rank of the lead matrix, and how many problems each solver solves", &t);
    study_note(s,
               "Full rank with phantom inertia and a deficient one without, in every problem: %s. The "
               "pyramid has rank 5 a "
               "contact whatever its directions: normal, two tangents, lambda and its row. Murty and "
               "Judice-Pires fail on it, though "
               "not always; on phantom inertia with two axes they work. With more axes its matrix is "
               "regular, but no P-matrix: the "
               "paper saw trouble with block pivots; here Murty's single ones fail as well, and Lemke does "
               "not mind.",
               study_judge(s, good));
}

// The cube's run with one phantom inertia (0: each axis its own); false: it did not run.
static bool run_sweep(study *s, tally *k, double stop[2])
{
    tallies all = {1, k};
    trial_wish wish = {.scene = "box", .keyframe = "start", .time = 0.8, .wishes = WISHES_NONE};
    trial run;
    wish.wishes.law = (int)THUD_LAW_PHANTOM_INERTIA;
    wish.wishes.directions = 4;
    wish.wishes.dt = 0.01;
    wish.wishes.rho = k->law.rho;
    wish.watch = watch;
    wish.context = &all;
    const bool ok = study_run(s, &wish, &run);
    if (ok) {
        memcpy(stop, trial_qpos(&run, run.taken), 2 * sizeof *stop);
    }
    trial_close(&run);
    return ok;
}

static void show_sweep(study *s)
{
    static const char *const heads[] = {"rho / kg",     "unknowns",         "rank", "lemke", "murty",
                                        "judice-pires", "stop moves by / m"};
    sheet t = sheet_start(heads, 7);
    double own[2] = {0};
    for (int power = 0; power >= -10; power -= 2) {
        double stop[2];
        tally k = tally_of(THUD_LAW_PHANTOM_INERTIA, 4, power < 0 ? thud_pow(10, power) : 0);
        if (!run_sweep(s, &k, power < 0 ? stop : own)) {
            break;
        }
        if (power < 0) {
            sheet_cell(&t, "1e%d", power);
        } else {
            sheet_cell(&t, "each axis its own");
        }
        sheet_cell(&t, "%d", k.size);
        sheet_cell(&t, k.rank_low == k.rank_high ? "%d" : "%d ... %d", k.rank_low, k.rank_high);
        for (int m = 0; m < METHODS; m++) {
            sheet_cell(&t, "%d of %d", k.solved[m], k.problems);
        }
        sheet_cell(&t, "%.1e", power < 0 ? thud_hypot(stop[0] - own[0], stop[1] - own[1]) : 0);
    }
    study_table(s, "box-rho", "The sweep of the phantom inertia, all steps of the cube at 10 ms", &t);
    study_note(s, "The paper found its matrix rank-deficient below 1e-8 kg and no effect on the motion. "
                  "Where the rank is full the "
                  "motion should not depend on rho at all; where the last column is not small, one of many "
                  "force solutions was taken "
                  "that is not the one of equal compliance.");
}

void study_rank(study *s)
{
    study_title(s, "The rank of the lead matrix (Peiret et al. 2017)");
    show_rank(s);
    show_sweep(s);
}
