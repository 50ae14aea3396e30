// SPDX-License-Identifier: Apache-2.0
// bench_islands: the contact problems that the engine itself makes: how many are solved, how fast, beside
// Siconos.
//
// usage: bench_islands [--patience SECONDS]
//
// A scene is stepped; of every so many steps the largest island is solved again, from the impulses of the
// step before (as the engine does) and from zero, asked for 1e-8 and judged by thud_cone_residual. Times are
// CPU time, the median over the islands of a scene; a peer starts from zero and has `patience` (0.5 s) for
// one island.
#include <math.h>

#include "bench.h"
#ifdef THUD_PEER_SICONOS
#include "peer_cone.h"
#endif

enum { ISLANDS_MAX = 64, PEER_ROWS = 300 };

static const struct {
    const char *scene;
    int steps, every;
} scenes[] = {{"stack10", 100, 5},     {"stack20", 60, 5},   {"heavy_on_stack9", 60, 5},
              {"card_house", 200, 10}, {"arch", 200, 10},    {"wall", 12, 2},
              {"dominoes", 600, 30},   {"pile100", 170, 5},  {"humanoid", 200, 10},
              {"quadruped", 200, 10},  {"slope20", 200, 10}, {"slide", 100, 5}};

typedef struct tally {
    int islands, unsolved, rows, peers; // rows: of the largest
    double warm[ISLANDS_MAX], cold[ISLANDS_MAX], ratio[ISLANDS_MAX], residual;
    double patience;
} tally;

static void *take(size_t count, size_t size)
{
    void *room = calloc(count + 1, size);
    if (!room) {
        exit(1);
    }
    return room;
}

// CPU seconds of a solve from `start`, the mean of a batch of some 2 ms.
static double solve(const thud_cone *c, const double *start, thud_arena *arena, double *p,
                    thud_cone_report *r)
{
    const thud_cone_options o = thud_cone_defaults();
    const double begin = thud_clock_cpu();
    int count = 0;
    do {
        memcpy(p, start, sizeof *p * (size_t)c->rows);
        *r = thud_cone_solve(c, &o, arena, p);
        count++;
    } while (thud_clock_cpu() - begin < 2e-3);
    return (thud_clock_cpu() - begin) / count;
}

#ifdef THUD_PEER_SICONOS
// The fastest of Siconos' solvers whose answer the judge accepts; INFINITY: none, or not a problem it takes.
static double fastest_peer(const thud_cone *c, double patience)
{
    const size_t n = (size_t)c->rows;
    double fastest = INFINITY, *mu = take((size_t)c->blocks, sizeof *mu);
    double *p = take(n, sizeof *p), *judge = take(2 * n + 6, sizeof *judge);
    bool fits = c->W.a && c->W.stride == c->rows && c->rows <= PEER_ROWS;
    for (int i = 0; i < c->blocks; i++) {
        const thud_cone_block *b = c->block + i;
        fits = fits && b->kind == THUD_CONE_KIND_CONTACT && b->dim == 3 && b->mu[0] == b->mu[1];
        mu[i] = b->mu[0];
    }
    for (int k = 0; fits && k < peer_cone_solvers(); k++) {
        const peer_cone problem = {3, c->blocks, c->W.a, c->b, mu};
        double seconds;
        peer_cone_solve(k, &problem, 1e-8, patience, true, p, &seconds);
        if (isfinite(seconds) && thud_cone_residual(c, p, judge) <= 1e-8) {
            fastest = fmin(fastest, seconds);
        }
    }
    free(mu);
    free(p);
    free(judge);
    return fastest;
}
#else
static double fastest_peer(const thud_cone *c, double patience)
{
    (void)c, (void)patience;
    return INFINITY;
}
#endif

static void measure(const thud_island *island, tally *t)
{
    const thud_cone c = thud_island_cone(island);
    double *p = take((size_t)c.rows, sizeof *p), *zero = take((size_t)c.rows, sizeof *zero);
    thud_arena *arena;
    thud_cone_report warm, cold;
    if (thud_arena_create(thud_cone_scratch(&c), &arena) != THUD_OK) {
        exit(1);
    }
    t->warm[t->islands] = solve(&c, island->p_before, arena, p, &warm);
    t->cold[t->islands] = solve(&c, zero, arena, p, &cold);
    t->unsolved += warm.outcome != THUD_CONE_SOLVED || cold.outcome != THUD_CONE_SOLVED;
    t->residual = fmax(t->residual, fmax(warm.residual, cold.residual));
    t->rows = t->rows > c.rows ? t->rows : c.rows;
    const double peer = fastest_peer(&c, t->patience);
    if (isfinite(peer)) {
        t->ratio[t->peers++] = t->cold[t->islands] / peer;
    }
    t->islands++;
    thud_arena_destroy(arena);
    free(p);
    free(zero);
}

static void measure_largest(thud_rows *rows, tally *t)
{
    int largest = -1, size = 0;
    for (int i = 0; rows && i < thud_rows_islands(rows); i++) {
        const int here = thud_rows_island(rows, i).rows;
        if (here > size) {
            size = here;
            largest = i;
        }
    }
    if (largest >= 0 && t->islands < ISLANDS_MAX) {
        if (thud_rows_fill(rows, largest, NULL) != THUD_OK) {
            fprintf(stderr, "no memory for an island of %d rows\n", size);
            exit(1);
        }
        const thud_island island = thud_rows_island(rows, largest);
        measure(&island, t);
    }
}

static void run_scene(int k, double patience)
{
    char path[512];
    thud_spec *spec;
    thud_model *m;
    thud_state *s;
    thud_sim *sim;
    thud_diag diag;
    tally t = {.patience = patience};
    snprintf(path, sizeof path, "%s/scenes/%s.xml", THUD_SOURCE_DIR, scenes[k].scene);
    if (thud_load_mjcf(path, &spec, &diag) != THUD_OK || thud_model_build(spec, &m, &diag) != THUD_OK) {
        fprintf(stderr, "%s\n", diag.text);
        exit(1);
    }
    const int key = thud_model_find(m, THUD_KIND_KEY, "start");
    const thud_step_options o = thud_step_defaults(m);
    if (thud_state_create(m, &s) != THUD_OK || (key >= 0 && thud_state_reset(m, key, s) != THUD_OK) ||
        thud_sim_create(m, &o, &sim, &diag) != THUD_OK) {
        exit(1);
    }
    for (int i = 0; i < scenes[k].steps; i++) {
        thud_status status;
        while ((status = thud_sim_step(sim, NULL, s, NULL)) == THUD_NO_MEMORY) {
            if (thud_sim_grow(sim, s) != THUD_OK) {
                exit(1);
            }
        }
        if (i % scenes[k].every == 0 || status != THUD_OK) {
            measure_largest(thud_sim_rows(sim), &t);
        }
        if (status != THUD_OK) {
            break;
        }
    }
    if (t.islands > 0) {
        printf("%-18s %6d %8d %9d %10.1f %10.1f %10.1e", scenes[k].scene, t.rows, t.islands, t.unsolved,
               1e6 * bench_median(t.warm, t.islands), 1e6 * bench_median(t.cold, t.islands), t.residual);
        if (t.peers > 0) {
            printf(" %9.2f over %d", bench_median(t.ratio, t.peers), t.peers);
        }
        printf("\n");
    }
    thud_sim_destroy(sim);
    thud_state_destroy(s);
    thud_model_destroy(m);
    thud_spec_destroy(spec);
}

int main(int argc, char **argv)
{
    double patience = 0.5;
    for (int i = 1; i + 1 < argc; i += 2) {
        patience = strcmp(argv[i], "--patience") == 0 ? atof(argv[i + 1]) : patience;
    }
    printf("%-18s %6s %8s %9s %10s %10s %10s %s\n", "scene", "rows", "islands", "unsolved", "warm us",
           "cold us", "worst", "cold / Siconos' fastest");
    for (int k = 0; k < (int)(sizeof scenes / sizeof *scenes); k++) {
        run_scene(k, patience);
    }
    return 0;
}
