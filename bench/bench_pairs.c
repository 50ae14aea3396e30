// SPDX-License-Identifier: Apache-2.0
// bench_pairs.c: one pair check of polyhedra that move coherently: ours with its witnesses (all contacts, and
// the deepest alone: thud_pair_distance), ours without, libccd's GJK/EPA (which gives one contact) and
// Bullet's narrow phase, in one run. CPU time; medians of interleaved repeats.
//
// Three motions, PAIRS pairs each, STEPS steps: apart (drifting and turning at a gap of some percent of the
// size), touching (rolling over each other, overlapping by 1e-4 of the size) and resting (face on face,
// moving by 1e-9). The error is |dist - d| / size over the steps in contact, d being the greatest gap along
// any of the normals that the engines returned: each of those is a lower bound of the signed distance.
// usage: bench_pairs [VERTICES (0: boxes) [MOTION]]
#include "bench.h"

#include <math.h>
#include <thud/collide_pair.h>
#include <thud/spatial_inline.h>

#include "peer_pairs.h"

enum { PAIRS = 24, STEPS = 250, REPEATS = 5 };

typedef enum motion { APART, TOUCHING, RESTING, MOTIONS } motion;
typedef enum engine { WARM, ONE, COLD, CCD, BULLET, ENGINES } engine;

static const char *const motion_name[MOTIONS] = {"apart", "touching", "resting"};

typedef struct pair {
    thud_shape shape[2];
    thud_pose X[STEPS][2];
    thud_pair_cache cache, one;
#ifdef THUD_PEER_CCD
    ccd_pair *ccd;
#endif
#ifdef THUD_PEER_BULLET
    bullet_pair *bullet;
#endif
} pair;

static uint64_t state = 1;

static double uniform(double lo, double hi)
{
    uint64_t z = (state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return lo + (hi - lo) * ((double)((z ^ (z >> 31)) >> 11) * 0x1p-53);
}

static vec3 some_unit(void)
{
    for (;;) {
        const vec3 u = v3(uniform(-1, 1), uniform(-1, 1), uniform(-1, 1));
        if (v3_norm2(u) < 1 && v3_norm2(u) > 1e-3) {
            return v3_normalize(u);
        }
    }
}

// vertices = 0: a box. Otherwise a hull of points on a sphere, half of them moved to the plane of its foot,
// so that there is a face to rest on.
static thud_shape some_shape(int vertices)
{
    thud_shape s = {.kind = THUD_SHAPE_BOX,
                    .size = {uniform(0.3, 0.6), uniform(0.3, 0.6), uniform(0.3, 0.6)}};
    if (vertices == 0) {
        return s;
    }
    vec3 *x = malloc((size_t)vertices * sizeof *x);
    for (int i = 0; i < vertices; i++) {
        x[i] = v3_scale(0.5, some_unit());
        if (i < 4) { // the foot: a square
            x[i] = v3(i & 1 ? 0.3 : -0.3, i & 2 ? 0.3 : -0.3, -0.4);
        }
        x[i].z = fmax(x[i].z, -0.4);
    }
    thud_hull *hull = NULL;
    thud_diag diag;
    if (thud_hull_create(x, vertices, NULL, &hull, &diag) != THUD_OK) {
        fprintf(stderr, "%s\n", diag.text);
        exit(1);
    }
    free(x);
    return (thud_shape){.kind = THUD_SHAPE_HULL, .hull = hull};
}

static void make_motion(pair *p, motion how)
{
    const double size = thud_shape_radius(&p->shape[0]) + thud_shape_radius(&p->shape[1]);
    const bool rest = how == RESTING;
    thud_pose A = {.q = {1, 0, 0, 0}}, B = {.q = {1, 0, 0, 0}};
    const vec3 top = thud_shape_support(&p->shape[0], v3(0, 0, -1), NULL);
    if (rest) { // foot to foot
        A.q = q_axis_angle(v3(1, 0, 0), 3.141592653589793);
        B.q = q_axis_angle(v3(0, 0, 1), uniform(0, 3));
        B.p = v3(0.1, 0.05, -top.z - thud_shape_support(&p->shape[1], v3(0, 0, -1), NULL).z - 1e-6);
    } else {
        B.p = v3_scale(0.6 * size, some_unit());
        B.q = q_exp(v3_scale(2, some_unit()));
    }
    const vec3 spin_a = v3_scale(rest ? 1e-9 : 0.01, some_unit()),
               spin_b = v3_scale(rest ? 1e-9 : 0.01, some_unit());
    for (int k = 0; k < STEPS; k++) {
        A.q = q_normalize(q_mul(q_exp(spin_a), A.q));
        B.q = q_normalize(q_mul(q_exp(spin_b), B.q));
        if (!rest) { // bring the gap back to where it should be
            const double want = how == APART ? (0.03 + 0.02 * sin(0.1 * k)) * size : -1e-4 * size;
            for (int again = 0; again < 3; again++) {
                thud_pair_gap g;
                thud_pair_distance(&p->shape[0], A, &p->shape[1], B, NULL, &g);
                B.p = v3_axpy(want - g.dist, g.normal, B.p);
            }
        }
        p->X[k][0] = A;
        p->X[k][1] = B;
    }
}

static void check(pair *p, engine e, int k, peer_answer *out)
{
    if (e == WARM || e == COLD) {
        thud_pair_contact c[THUD_PAIR_MAX];
        out->contacts = thud_collide_pair(&p->shape[0], p->X[k][0], &p->shape[1], p->X[k][1], 0,
                                          e == WARM ? &p->cache : NULL, c);
        int deepest = 0;
        for (int i = 1; i < out->contacts; i++) {
            deepest = c[i].dist < c[deepest].dist ? i : deepest;
        }
        if (out->contacts > 0) {
            out->dist = c[deepest].dist;
            out->normal = c[deepest].normal;
        }
        return;
    }
    if (e == ONE) {
        thud_pair_gap g;
        out->dist = thud_pair_distance(&p->shape[0], p->X[k][0], &p->shape[1], p->X[k][1], &p->one, &g);
        out->normal = g.normal;
        out->contacts = g.dist <= 0;
        return;
    }
#ifdef THUD_PEER_CCD
    if (e == CCD) {
        ccd_pair_check(p->ccd, p->X[k][0], p->X[k][1], out);
    }
#endif
#ifdef THUD_PEER_BULLET
    if (e == BULLET) {
        bullet_pair_check(p->bullet, p->X[k][0], p->X[k][1], out);
    }
#endif
}

static double gap_along(const pair *p, int k, vec3 n)
{
    const thud_pose A = p->X[k][0], B = p->X[k][1];
    const vec3 x = pose_point(A, thud_shape_support(&p->shape[0], q_unrotate(A.q, n), NULL));
    const vec3 y = pose_point(B, thud_shape_support(&p->shape[1], q_unrotate(B.q, v3_neg(n)), NULL));
    return v3_dot(n, v3_sub(y, x));
}

static double run(pair *pairs, engine e) // ns a check
{
    double sum = 0;
    const double start = thud_clock_cpu();
    for (int i = 0; i < PAIRS; i++) {
        for (int k = 0; k < STEPS; k++) {
            peer_answer a = {0};
            check(&pairs[i], e, k, &a);
            sum += a.dist;
        }
    }
    const double ns = (thud_clock_cpu() - start) * 1e9 / (PAIRS * STEPS);
    return isfinite(sum) ? ns : NAN;
}

typedef struct account { // of one run, untimed
    double error[ENGINES];
    long contacts[ENGINES], path[4], checks;
} account;

static account judge(pair *pairs)
{
    account acc = {.checks = PAIRS * STEPS};
    for (int i = 0; i < PAIRS; i++) {
        pair *p = &pairs[i];
        const double size = thud_shape_radius(&p->shape[0]) + thud_shape_radius(&p->shape[1]);
        memset(&p->cache, 0, sizeof p->cache);
        memset(&p->one, 0, sizeof p->one);
        for (int k = 0; k < STEPS; k++) {
            peer_answer a[ENGINES] = {{0}};
            double best = -INFINITY;
            for (engine e = 0; e < ENGINES; e++) {
                check(p, e, k, &a[e]);
                acc.contacts[e] += a[e].contacts;
                if (a[e].contacts > 0) {
                    best = fmax(best, gap_along(p, k, v3_normalize(a[e].normal)));
                }
            }
            acc.path[p->cache.path]++;
            for (engine e = 0; e < ENGINES; e++) {
                if (a[e].contacts > 0) {
                    acc.error[e] = fmax(acc.error[e], fabs(a[e].dist - best) / size);
                }
            }
        }
    }
    return acc;
}

static void print_peer(double time, double error, long contacts, double ours)
{
    if (time > 0) {
        printf(" | %8.0f %8.1e %4.1f  %5.3f", time, error, (double)contacts / (PAIRS * STEPS), ours / time);
    } else {
        printf(" | %8s %8s %4s  %5s", "-", "-", "-", "-");
    }
}

static void bench_case(int vertices, motion how)
{
    static pair pairs[PAIRS];
    double time[ENGINES][REPEATS], median[ENGINES];
    for (int i = 0; i < PAIRS; i++) {
        pair *p = &pairs[i];
        p->shape[0] = some_shape(vertices);
        p->shape[1] = some_shape(vertices);
        make_motion(p, how);
#ifdef THUD_PEER_CCD
        p->ccd = ccd_pair_open(&p->shape[0], &p->shape[1]);
#endif
#ifdef THUD_PEER_BULLET
        p->bullet = bullet_pair_open(&p->shape[0], &p->shape[1]);
#endif
    }
    const account acc = judge(pairs);
    for (int r = 0; r < REPEATS; r++) {
        for (engine e = 0; e < ENGINES; e++) {
            time[e][r] = run(pairs, e);
        }
    }
    for (engine e = 0; e < ENGINES; e++) {
        median[e] = bench_median(time[e], REPEATS);
    }
#ifndef THUD_PEER_CCD
    median[CCD] = 0;
#endif
#ifndef THUD_PEER_BULLET
    median[BULLET] = 0;
#endif
    const double percent = 100.0 / (double)acc.checks;
    printf("%5d %-9s %5.1f %5.1f %6.0f %8.1e %4.1f %6.0f %7.0f", vertices ? vertices : 8, motion_name[how],
           percent * (double)acc.path[THUD_PAIR_WITNESS], percent * (double)acc.path[THUD_PAIR_NEIGHBOUR],
           median[WARM], acc.error[WARM], (double)acc.contacts[WARM] / (double)acc.checks, median[ONE],
           median[COLD]);
    print_peer(median[CCD], acc.error[CCD], acc.contacts[CCD], median[WARM]);
    if (median[CCD] > 0 && how != APART) { // apart, libccd says no more than that
        printf("  %5.3f", median[ONE] / median[CCD]);
    } else {
        printf("  %5s", "-");
    }
    print_peer(median[BULLET], acc.error[BULLET], acc.contacts[BULLET], median[WARM]);
    printf("%s\n", vertices ? "" : "  (boxes)");
    fflush(stdout);
    for (int i = 0; i < PAIRS; i++) {
#ifdef THUD_PEER_CCD
        ccd_pair_close(pairs[i].ccd);
#endif
#ifdef THUD_PEER_BULLET
        bullet_pair_close(pairs[i].bullet);
#endif
        for (int side = 0; side < 2; side++) {
            thud_hull_destroy((thud_hull *)(uintptr_t)pairs[i].shape[side].hull);
        }
    }
}

int main(int argc, char **argv)
{
    static const int sizes[] = {0, 8, 20, 50, 100, 250, 500};
    const int only = argc > 1 ? atoi(argv[1]) : -1;
    const char *const motion_only = argc > 2 ? argv[2] : "";
    printf("ns a pair check, error of the deepest distance over the size, contacts; ratio = ours warm / "
           "theirs;\nwit%%: last time's features proved it, near%%: their neighbours did\n");
    printf("%5s %-9s %5s %5s %6s %8s %4s %6s %7s | %8s %8s %4s  %5s  %5s | %8s %8s %4s  %5s\n", "vert",
           "motion", "wit%", "near%", "warm", "error", "cont", "one", "cold", "libccd", "error", "cont",
           "ratio", "one", "Bullet", "error", "cont", "ratio");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (motion how = 0; how < MOTIONS; how++) {
            if ((only < 0 || only == sizes[i]) &&
                (!motion_only[0] || strcmp(motion_only, motion_name[how]) == 0)) {
                bench_case(sizes[i], how);
            }
        }
    }
    return 0;
}
