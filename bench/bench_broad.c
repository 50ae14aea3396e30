// SPDX-License-Identifier: Apache-2.0
// bench_broad: the broad phase with 1000 to 100 000 moving boxes at constant density, beside Bullet's.
//
// Boxes of edge 0.5 to 1 m, one in 4 m^3, fly straight at up to 2 m/s along each axis with steps of 10 ms in
// a cube and turn round at its walls. Every structure sees the same motion in the same run and must end with
// the same number of overlaps; the time is the CPU time of moving all boxes and finding all overlaps; medians
// of three interleaved repeats, of the slow ones (the sweep, Bullet) above 5000 boxes one run. Then 10 000
// boxes at other speeds: what a step costs against its swaps. Bullet computes in single precision. usage:
// bench_broad [LARGEST [long]] About a minute; with "long" several: every contestant three times, and 200
// steps for every size.
#include <math.h>

#include "bench.h"
#ifdef THUD_PEER_BULLET
#include "peer_broad.h"
#endif

enum {
    CONTESTANTS = 5,
    REPEATS = 3,
    SIZES = 9,
    GROWTH_FROM = 1000,
    WARM_UP = 30,
    FILM = 4000,
    SLOW_FROM = 5000
};
static const char *const NAME[CONTESTANTS] = {"auto", "grid", "sweep", "bullet tree", "bullet sweep"};
static bool take_long; // asked for the long run
static const int SIZE[SIZES] = {16, 32, 64, 256, 1000, 3162, 10000, 31623, 100000};

typedef struct swarm {
    int n, frames; // steps between two readings of the clock
    double side, speed;
    uint64_t seed;
    thud_aabb *box, *film;
    thud_vec3 *velocity;
} swarm;

static double uniform(swarm *s)
{
    s->seed = s->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(s->seed >> 11) * 0x1p-53;
}

static void swarm_start(swarm *s, int n)
{
    s->n = n;
    s->frames = n < 2000 ? FILM / n : 1;
    s->side = cbrt(4.0 * n);
    s->seed = 1;
    for (int i = 0; i < n; i++) {
        double *lo = &s->box[i].lo.x, *hi = &s->box[i].hi.x, *v = &s->velocity[i].x;
        for (int k = 0; k < 3; k++) {
            lo[k] = s->side * uniform(s);
            hi[k] = lo[k] + 0.5 + 0.5 * uniform(s);
            v[k] = s->speed * (2 * uniform(s) - 1);
        }
    }
}

static void swarm_move(swarm *s)
{
    for (int i = 0; i < s->n; i++) {
        double *lo = &s->box[i].lo.x, *hi = &s->box[i].hi.x, *v = &s->velocity[i].x;
        for (int k = 0; k < 3; k++) {
            if ((lo[k] < 0 && v[k] < 0) || (lo[k] > s->side && v[k] > 0)) {
                v[k] = -v[k];
            }
            lo[k] += 0.01 * v[k];
            hi[k] += 0.01 * v[k];
        }
    }
}

// The next frames, taken before the clock starts.
static void swarm_film(swarm *s)
{
    for (int frame = 0; frame < s->frames; frame++) {
        swarm_move(s);
        memcpy(s->film + (size_t)frame * (size_t)s->n, s->box, (size_t)s->n * sizeof *s->box);
    }
}

typedef struct result { // per box and step
    double seconds;
    double swaps, tests, moved, fat_pairs, pairs;
    thud_broad_kind kind;
} result;

static void fail(const char *what, thud_status status)
{
    fprintf(stderr, "bench_broad: %s: %s\n", what, thud_status_text(status));
    exit(1);
}

static void note(result *r, const thud_broad_report *report, bool counted)
{
    r->swaps += counted ? (double)report->swaps : 0;
    r->tests += counted ? (double)report->tests : 0;
    r->moved += counted ? report->moved : 0;
    r->fat_pairs = report->fat_pairs;
    r->pairs = report->pairs;
    r->kind = report->kind;
}

static result run_thud(swarm *s, thud_broad_kind kind, int steps)
{
    thud_broad_options o = thud_broad_defaults();
    o.kind = kind;
    o.boxes = s->n;
    o.pairs = 16 * s->n;
    thud_broad *broad;
    thud_status status = thud_broad_create(&o, &broad);
    if (status != THUD_OK) {
        fail("create", status);
    }
    for (int i = 0; i < s->n && status == THUD_OK; i++) {
        status = thud_broad_insert(broad, i, &s->box[i]);
    }
    result r = {0};
    for (int step = -WARM_UP; step < steps; step += s->frames) {
        swarm_film(s);
        const double start = thud_clock_cpu();
        for (int frame = 0; frame < s->frames; frame++) {
            const thud_aabb *box = s->film + (size_t)frame * (size_t)s->n;
            thud_broad_report report;
            for (int i = 0; i < s->n && status == THUD_OK; i++) {
                status = thud_broad_move(broad, i, &box[i]);
            }
            if (status != THUD_OK || (status = thud_broad_update(broad, &report)) != THUD_OK) {
                fail("update", status);
            }
            note(&r, &report, step >= 0);
        }
        r.seconds += step >= 0 ? thud_clock_cpu() - start : 0;
    }
    thud_broad_destroy(broad);
    r.seconds /= (double)steps * s->n;
    r.swaps /= (double)steps * s->n;
    r.tests /= (double)steps * s->n;
    r.moved /= (double)steps * s->n;
    r.fat_pairs /= s->n;
    r.pairs /= s->n;
    return r;
}

#ifdef THUD_PEER_BULLET
static result run_peer(swarm *s, peer_broad_kind kind, int steps)
{
    const thud_aabb world = {{-2, -2, -2}, {s->side + 2, s->side + 2, s->side + 2}};
    peer_broad *p = peer_broad_open(kind, s->n, s->box, &world);
    result r = {0};
    for (int step = -WARM_UP; step < steps; step += s->frames) {
        swarm_film(s);
        const double start = thud_clock_cpu();
        for (int frame = 0; frame < s->frames; frame++) {
            peer_broad_step(p, s->film + (size_t)frame * (size_t)s->n);
        }
        r.seconds += step >= 0 ? thud_clock_cpu() - start : 0;
    }
    r.fat_pairs = (double)peer_broad_pairs(p) / s->n;
    r.pairs = (double)peer_broad_tight_pairs(p, s->box) / s->n;
    peer_broad_close(p);
    r.seconds /= (double)steps * s->n;
    return r;
}
#endif

// The slope of log y over log x: 1 is linear growth of the whole step when y is the time of a whole step.
static double growth(const double *x, const double *y, int n)
{
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int i = 0; i < n; i++) {
        const double a = log(x[i]), b = log(y[i]);
        sx += a, sy += b, sxx += a * a, sxy += a * b;
    }
    return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

static bool takes_part(int contestant, int n)
{
#ifndef THUD_PEER_BULLET
    if (contestant >= 3) {
        return false;
    }
#endif
    return contestant != 4 || n <= 10000; // it takes n^2 to fill
}

static result run(int contestant, swarm *s, int n)
{
    static const thud_broad_kind KIND[] = {THUD_BROAD_AUTO, THUD_BROAD_GRID, THUD_BROAD_SWEEP};
    swarm_start(s, n);
    const int least = take_long ? 200 : 20;
    const int steps = s->frames * ((least + 100000 / n + s->frames) / s->frames);
#ifdef THUD_PEER_BULLET
    if (contestant >= 3) {
        return run_peer(s, contestant == 3 ? PEER_BROAD_TREE : PEER_BROAD_SWEEP, steps);
    }
#endif
    return run_thud(s, KIND[contestant], steps);
}

typedef struct curve { // of each contestant: times of a step over the number of boxes
    int points[CONTESTANTS];
    double n[CONTESTANTS][SIZES], seconds[CONTESTANTS][SIZES], swaps[SIZES], tests[SIZES];
} curve;

// All contestants in turn, repeatedly; prints a line for each.
static void compare(swarm *s, int n, curve *out)
{
    static const char *const KIND_NAME[] = {"auto", "sweep", "grid"};
    double seconds[CONTESTANTS][REPEATS];
    result last[CONTESTANTS] = {{0}};
    int repeats[CONTESTANTS];
    for (int c = 0; c < CONTESTANTS; c++) {
        repeats[c] = c >= 2 && n > SLOW_FROM && !take_long ? 1 : REPEATS;
    }
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        for (int c = 0; c < CONTESTANTS; c++) {
            if (takes_part(c, n) && repeat < repeats[c]) {
                last[c] = run(c, s, n);
                seconds[c][repeat] = last[c].seconds;
            }
        }
    }
    for (int c = 0; c < CONTESTANTS; c++) {
        if (!takes_part(c, n)) {
            continue;
        }
        const result *r = &last[c];
        const double t = bench_median(seconds[c], repeats[c]);
        printf("%7d %-12s %6.4g %10.1f %9.1f %9.1f %9.3f %9.2f %9.4f%s%s%s\n", n, NAME[c], s->speed, 1e9 * t,
               r->swaps, r->tests, r->moved, r->fat_pairs, r->pairs, c ? "" : "  by ",
               c ? "" : KIND_NAME[r->kind], fabs(r->pairs - last[0].pairs) * n < 0.5 ? "" : "  OTHER PAIRS");
        if (out && n >= GROWTH_FROM) {
            const int point = out->points[c]++;
            out->n[c][point] = n;
            out->seconds[c][point] = t * n;
            out->swaps[point] = c == 2 ? r->swaps * n : out->swaps[point];
            out->tests[point] = c == 0 ? r->tests * n : out->tests[point];
        }
    }
    fflush(stdout);
}

static void print_growth(const curve *all)
{
    printf("\ngrowth of a step's time with the number of boxes from %d on (1 is linear):\n", GROWTH_FROM);
    for (int c = 0; c < CONTESTANTS; c++) {
        if (all->points[c] > 1) {
            printf("  %-12s n^%.2f\n", NAME[c], growth(all->n[c], all->seconds[c], all->points[c]));
        }
    }
    if (all->points[2] > 1) {
        printf("  %-12s n^%.2f\n", "auto, tests", growth(all->n[0], all->tests, all->points[0]));
        printf("  %-12s n^%.2f\n", "sweep, swaps", growth(all->n[2], all->swaps, all->points[2]));
    }
    printf("\n");
}

int main(int argc, char **argv)
{
    const int largest = argc > 1 ? atoi(argv[1]) : SIZE[SIZES - 1];
    take_long = argc > 2 && strcmp(argv[2], "long") == 0;
    swarm s = {.speed = 2,
               .box = calloc((size_t)SIZE[SIZES - 1], sizeof *s.box),
               .film = calloc((size_t)SIZE[SIZES - 1], sizeof *s.film),
               .velocity = calloc((size_t)SIZE[SIZES - 1], sizeof *s.velocity)};
    if (!s.box || !s.film || !s.velocity) {
        return 1;
    }
    static curve all;
    const char *const heading =
        "  boxes structure       m/s     ns/box swaps/box tests/box moved/box   fat/box"
        " pairs/box\n";
    printf("%s", heading);
    for (int k = 0; k < SIZES && SIZE[k] <= largest; k++) {
        compare(&s, SIZE[k], &all);
    }
    print_growth(&all);
    printf("%s", heading);
    for (s.speed = 0.125; s.speed <= 32 && largest >= 10000; s.speed *= 4) {
        compare(&s, 10000, NULL);
    }
    free(s.box);
    free(s.film);
    free(s.velocity);
    return 0;
}
