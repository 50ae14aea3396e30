// SPDX-License-Identifier: Apache-2.0
// bench_chain: dynamics of chains of 3 to 1000 hinges and of a binary tree, and a whole step beside MuJoCo's.
//
// The chain is that of acceptance.md (spheres of 1 kg, horizontal, first hinge at 1 rad/s downward, 1 ms),
// without contact, one MJCF file for both engines. Times are CPU time, the least of many short interleaved
// repeats, each from the same state 0.5 s after the start; energy is judged over 5 s. MuJoCo's reader refuses
// chains deeper than about 90 bodies.
#include <math.h>
#include <unistd.h>

#include "bench.h"
#include "peer_chain.h"

enum { REPEATS = 60 };

typedef struct ours {
    thud_spec *spec;
    thud_model *m;
    thud_state *s, *start;
    thud_sim *sim;
    thud_dynamics *d;
    double *M, *acc;
} ours;

static void must(thud_status status)
{
    if (status != THUD_OK) {
        fprintf(stderr, "bench_chain: %s\n", thud_status_text(status));
        exit(1);
    }
}

static void write_chain(const char *path, int n)
{
    FILE *f = fopen(path, "w");
    if (!f) {
        must(THUD_BAD_FILE);
    }
    fprintf(f, "<mujoco><option timestep='0.001' gravity='0 0 -9.8'/><worldbody>\n");
    for (int i = 0; i < n; i++) {
        fprintf(f,
                "<body pos='%.17g 0 %d'><joint type='hinge' axis='0 1 0'/>"
                "<geom type='sphere' size='%.17g' pos='%.17g 0 0' mass='1' contype='0' conaffinity='0'/>\n",
                i ? 6.0 / n : 0.0, i ? 0 : 10, 3.0 / n, 3.0 / n);
    }
    for (int i = 0; i < n; i++) {
        fprintf(f, "</body>");
    }
    fprintf(f, "</worldbody></mujoco>\n");
    fclose(f);
}

static void finish(ours *o)
{
    thud_diag diag;
    if (thud_model_build(o->spec, &o->m, &diag) != THUD_OK) {
        fprintf(stderr, "%s\n", diag.text);
        exit(1);
    }
    must(thud_state_create(o->m, &o->s));
    must(thud_state_create(o->m, &o->start));
    thud_step_options options = thud_step_defaults(o->m);
    options.h = 1e-3;
    must(thud_sim_create(o->m, &options, &o->sim, &diag));
    must(thud_dynamics_create(o->m, &o->d));
    o->M = malloc((size_t)o->m->dof_row[o->m->nv] * sizeof *o->M);
    o->acc = malloc((size_t)o->m->nv * sizeof *o->acc);
    o->s->qvel[0] = 1;
}

static ours open_chain(const char *path)
{
    ours o = {0};
    thud_diag diag;
    if (thud_load_mjcf(path, &o.spec, &diag) != THUD_OK) {
        fprintf(stderr, "%s\n", diag.text);
        exit(1);
    }
    finish(&o);
    return o;
}

static ours open_tree(int n) // a binary tree of ball joints
{
    ours o = {0};
    must(thud_spec_create(&o.spec));
    for (int i = 1; i <= n; i++) {
        const int b = thud_spec_add_body(o.spec, i / 2, NULL),
                  j = thud_spec_add_joint(o.spec, b, THUD_JOINT_BALL, NULL);
        const int g = thud_spec_add_geom(o.spec, b, THUD_GEOM_CAPSULE, NULL);
        o.spec->body[b].pos = (thud_vec3){0.3, i % 2 ? 0.1 : -0.1, 0};
        o.spec->joint[j].armature = 0.01;
        o.spec->geom[g].size[0] = 0.05;
        o.spec->geom[g].size[1] = 0.1;
    }
    finish(&o);
    return o;
}

static void close_ours(ours *o)
{
    free(o->M);
    free(o->acc);
    thud_dynamics_destroy(o->d);
    thud_sim_destroy(o->sim);
    thud_state_destroy(o->s);
    thud_state_destroy(o->start);
    thud_model_destroy(o->m);
    thud_spec_destroy(o->spec);
}

// ---------------------------------------------------------------------------------------------- evaluations

static void do_aba(ours *o)
{
    thud_dynamics_place(o->m, o->s->qpos, o->d);
    thud_dynamics_move(o->m, o->s->qvel, o->d);
    if (!thud_dynamics_factor(o->m, o->d)) {
        must(THUD_NOT_FINITE);
    }
    thud_dynamics_solve(o->m, NULL, o->d, o->acc);
}

static void do_crba(ours *o)
{
    thud_dynamics_crba(o->m, o->d, o->M);
    if (thud_mass_factor(o->m, o->M) >= 0) {
        must(THUD_NOT_FINITE);
    }
    thud_mass_solve(o->m, o->M, o->acc);
}

static void do_opspace(ours *o)
{
    thud_dynamics_opspace(o->m, o->d);
}

static void do_step(ours *o)
{
    must(thud_sim_step(o->sim, NULL, o->s, NULL));
}

static void do_certified_step(ours *o)
{
    thud_certificate c;
    must(thud_sim_step(o->sim, NULL, o->s, &c));
}

// Seconds of one call of work, from the start state, calls of about 30 us a repeat.
static double once(ours *o, void (*work)(ours *), int calls)
{
    thud_state_copy(o->start, o->s);
    const double t = thud_clock_cpu();
    for (int i = 0; i < calls; i++) {
        work(o);
    }
    return (thud_clock_cpu() - t) / calls;
}

static double least(ours *o, void (*work)(ours *), int calls)
{
    double best = INFINITY;
    for (int r = 0; r < REPEATS; r++) {
        best = fmin(best, once(o, work, calls));
    }
    return best;
}

static int calls_for(int n)
{
    return n >= 300 ? 10 : 3000 / n;
}

// Brings a chain to where the timing starts.
static void prepare(ours *o)
{
    for (int i = 0; i < 500; i++) {
        do_step(o);
    }
    thud_state_copy(o->s, o->start);
}

// The exponent of least squares in log t = a + b log n.
static double exponent(int count, const int *n, const double *t)
{
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int i = 0; i < count; i++) {
        const double x = log(n[i]), y = log(t[i]);
        sx += x;
        sy += y;
        sxx += x * x;
        sxy += x * y;
    }
    return (count * sxy - sx * sy) / (count * sxx - sx * sx);
}

static void growth(const char *path)
{
    static const int n[] = {3, 6, 12, 30, 100, 300, 1000};
    enum { COUNT = sizeof n / sizeof n[0] };
    double aba[COUNT], step[COUNT];
    printf("\nns a link and evaluation: chain of n hinges, then a binary tree of n ball joints\n");
    printf("%6s %8s %12s %8s %8s   %8s %8s\n", "n", "ABA", "CRBA+LTDL", "Omega", "step", "ABA tree", "Omega");
    for (int i = 0; i < COUNT; i++) {
        write_chain(path, n[i]);
        ours o = open_chain(path), tree = open_tree(n[i]);
        thud_state_copy(o.s, o.start); // at the start of the swing, where no step has to be split
        thud_state_copy(tree.s, tree.start);
        aba[i] = least(&o, do_aba, calls_for(n[i]));
        step[i] = least(&o, do_step, calls_for(n[i]));
        do_aba(&o); // CRBA and Omega read its frames and factors
        const double crba = n[i] > 300 ? least(&o, do_crba, 1) : least(&o, do_crba, calls_for(n[i]));
        do_aba(&o);
        const double opspace = least(&o, do_opspace, calls_for(n[i])),
                     tree_aba = least(&tree, do_aba, calls_for(n[i]));
        const double tree_opspace = least(&tree, do_opspace, calls_for(n[i])), ns = 1e9 / n[i];
        printf("%6d %8.1f %12.1f %8.1f %8.1f   %8.1f %8.1f\n", n[i], ns * aba[i], ns * crba, ns * opspace,
               ns * step[i], ns * tree_aba, ns * tree_opspace);
        close_ours(&o);
        close_ours(&tree);
    }
    printf("fitted exponent of time in n: ABA %.3f, default step %.3f (asked: at most 1.1)\n",
           exponent(COUNT, n, aba), exponent(COUNT, n, step));
}

// ---------------------------------------------------------------------------------------------- beside
// MuJoCo

static double our_drift(ours *o)
{
    double worst = 0;
    must(thud_state_reset(o->m, -1, o->s));
    o->s->qvel[0] = 1;
    const thud_energy e = thud_sim_energy(o->sim, o->s);
    for (int i = 0; i < 5000; i++) {
        thud_certificate c;
        must(thud_sim_step(o->sim, NULL, o->s, &c));
        worst = fmax(worst, fabs((c.kinetic + c.potential) / (e.kinetic + e.potential) - 1));
    }
    return worst;
}

#ifdef THUD_PEER_MUJOCO
static double peer_drift(peer_chain *c, const double *qvel)
{
    double worst = 0;
    peer_chain_reset(c, qvel);
    const double E = peer_chain_energy(c);
    for (int i = 0; i < 500; i++) {
        peer_chain_steps(c, 10);
        worst = fmax(worst, fabs(peer_chain_energy(c) / E - 1));
    }
    return worst;
}

static double peer_once(peer_chain *c, const double *qvel, int calls)
{
    peer_chain_reset(c, qvel);
    const double t = thud_clock_cpu();
    peer_chain_steps(c, calls);
    return (thud_clock_cpu() - t) / calls;
}

static void compare(const char *path)
{
    static const int n[] = {3, 6, 12, 15, 24, 30};
    printf(
        "\na whole step beside MuJoCo, one run: us a step, ratio of ours to theirs, energy error over 5 s\n");
    printf("%4s | %8s %9s %9s | %8s %6s %9s | %8s %6s %9s\n", "n", "thud", "+certif.", "energy", "Euler",
           "ratio", "energy", "RK4", "ratio", "energy");
    for (size_t i = 0; i < sizeof n / sizeof n[0]; i++) {
        char why[500];
        write_chain(path, n[i]);
        ours o = open_chain(path);
        peer_chain *euler = peer_chain_open(path, 0, why, sizeof why),
                   *rk4 = peer_chain_open(path, 1, why, sizeof why);
        if (!euler || !rk4) {
            fprintf(stderr, "MuJoCo: %s\n", why);
            exit(1);
        }
        double qvel[64] = {1}, best[4] = {INFINITY, INFINITY, INFINITY, INFINITY};
        const int calls = 300 / n[i];
        prepare(&o);
        for (int r = 0; r < 5 * REPEATS; r++) { // interleaved
            best[0] = fmin(best[0], once(&o, do_step, calls));
            best[1] = fmin(best[1], once(&o, do_certified_step, calls));
            best[2] = fmin(best[2], peer_once(euler, qvel, calls));
            best[3] = fmin(best[3], peer_once(rk4, qvel, calls));
        }
        printf("%4d | %8.3f %9.3f %9.2g | %8.3f %6.2f %9.2g | %8.3f %6.2f %9.2g\n", n[i], 1e6 * best[0],
               1e6 * best[1], our_drift(&o), 1e6 * best[2], best[0] / best[2], peer_drift(euler, qvel),
               1e6 * best[3], best[0] / best[3], peer_drift(rk4, qvel));
        peer_chain_close(euler);
        peer_chain_close(rk4);
        close_ours(&o);
    }
    printf("asked: at most 1.00 of Euler and 0.30 of RK4, with energy within 1e-3\n");
}
#else
static void compare(const char *path)
{
    (void)path;
    printf("\nMuJoCo is not installed: its columns are left out\n");
}
#endif

int main(void)
{
    char path[] = "bench_chain_XXXXXX";
    const int file = mkstemp(path);
    if (file < 0) {
        must(THUD_BAD_FILE);
    }
    close(file);
    growth(path);
    compare(path);
    printf("\n100 links: energy error over 5 s ");
    write_chain(path, 100);
    ours o = open_chain(path);
    printf("%.2g\n", our_drift(&o));
    close_ours(&o);
    remove(path);
    return 0;
}
