// SPDX-License-Identifier: Apache-2.0
// test_threads.c: a step shared among threads has the bits of one that is not, on the scenes of the bench.
#include "test.h"

#include <thud/thud.h>

#include "cli/bench_scene.h"
#include "cli/machine.h"

typedef struct trace { // of a run: all that a user can see of it
    uint64_t state, certificates;
    int taken;
    thud_status status;
} trace;

typedef struct field { // something to step, and how
    thud_spec *spec;
    thud_model *m;
    thud_step_options o;
    int steps;
    const double *v; // nv: velocities to start with; NULL: at rest
} field;

static field open_text(const char *text, size_t length)
{
    field f = {0};
    thud_diag diag = {0};
    if (thud_load_mjcf_text(text, length, "text.xml", &f.spec, &diag) != THUD_OK ||
        thud_model_build(f.spec, &f.m, &diag) != THUD_OK) {
        fail_msg("%s", diag.text);
    }
    f.o = thud_step_defaults(f.m);
    return f;
}

static field open_made(bench_made made, int count, const char *body)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    bench_make(out, &(bench_scene){.made = made, .count = count}, body);
    fclose(out);
    const field f = open_text(text, length);
    free(text);
    return f;
}

static field open_crowd(int count)
{
    char path[1024], *body = calloc(1, 1 << 16);
    snprintf(path, sizeof path, "%s/scenes/humanoid.xml", THUD_SOURCE_DIR);
    FILE *file = fopen(path, "r");
    CHECK(file && body && fread(body, 1, (1 << 16) - 1, file) > 0);
    fclose(file);
    field f = open_made(MADE_COPIES, count, body);
    free(body);
    f.o.h = 5e-3;
    return f;
}

static field open_scene(const char *name)
{
    field f = {0};
    char path[1024];
    thud_diag diag = {0};
    snprintf(path, sizeof path, "%s/scenes/%s.xml", THUD_SOURCE_DIR, name);
    if (thud_load_mjcf(path, &f.spec, &diag) != THUD_OK || thud_model_build(f.spec, &f.m, &diag) != THUD_OK) {
        fail_msg("%s", diag.text);
    }
    f.o = thud_step_defaults(f.m);
    return f;
}

static void close_field(field *f)
{
    thud_model_destroy(f->m);
    thud_spec_destroy(f->spec);
}

static trace run(const field *f, int threads)
{
    trace t = {.certificates = THUD_HASH_START};
    thud_step_options o = f->o;
    thud_sim *sim;
    thud_state *s;
    thud_diag diag = {0};
    o.threads = threads;
    CHECK_OK(thud_sim_create(f->m, &o, &sim, &diag));
    CHECK_OK(thud_state_create(f->m, &s));
    if (f->v) {
        memcpy(s->qvel, f->v, (size_t)s->nv * sizeof(double));
    }
    while (t.status == THUD_OK && t.taken < f->steps) {
        thud_certificate c = {0};
        t.status = thud_sim_step(sim, NULL, s, &c);
        if (t.status == THUD_NO_MEMORY) {
            CHECK_OK(thud_sim_grow(sim, s));
            t.status = THUD_OK;
            continue;
        }
        t.taken += t.status == THUD_OK;
        const double numbers[] = {c.cone_residual, c.lcp_residual, c.penetration, c.joint_drift,
                                  c.momentum,      c.fixed_point,  c.kinetic,     c.potential,
                                  c.work,          c.contact_work, c.projected,   c.energy_error,
                                  c.contacts,      c.iterations,   c.split};
        t.certificates =
            t.status == THUD_OK ? thud_hash(t.certificates, numbers, sizeof numbers) : t.certificates;
    }
    t.state = thud_state_hash(s);
    thud_state_destroy(s);
    thud_sim_destroy(sim);
    return t;
}

static trace check_same(const field *f)
{
    static const int threads[] = {2, 3, 8};
    const trace one = run(f, 1);
    for (int k = 0; k < 3; k++) {
        const trace many = run(f, threads[k]);
        CHECK_INT(many.status, one.status);
        CHECK_INT(many.taken, one.taken);
        CHECK(many.state == one.state);
        CHECK(many.certificates == one.certificates);
    }
    return one;
}

TEST(a_crowd_falls_with_the_same_bits_on_any_number_of_threads)
{
    field f = open_crowd(22);
    f.steps = 80; // the feet meet the floor, then the knees bend
    CHECK_INT(check_same(&f).taken, f.steps);
    close_field(&f);
}

// Towers of boxes that stand apart, an island each, with a pendulum of three links between any two of them.
static field open_towers(void)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    fputs("<mujoco><worldbody><geom type='plane' size='0 0 1'/>\n", out);
    for (int i = 0; i < 16; i++) {
        for (int k = 0; k < 1 + i % 2; k++) {
            fprintf(out,
                    "<body pos='%d 0 %.17g' euler='0 0 %d'><freejoint/><geom type='box' size='0.1 0.1 "
                    "0.1'/></body>\n",
                    i, 0.1 + 0.2 * k, 7 * k);
        }
        fprintf(out,
                "<body pos='%d 3 0.9'><joint axis='0 1 0'/><geom type='capsule' fromto='0 0 0 0.3 0 0' "
                "size='0.03'/>"
                "<body pos='0.4 0 0'><joint axis='0 1 0' damping='0.01'/><geom type='capsule' fromto='0 0 0 "
                "0.3 0 0' size='0.03'/>"
                "<body pos='0.4 0 0'><joint axis='0 1 0' range='-20 20' limited='true'/><geom type='sphere' "
                "size='0.1'/>"
                "</body></body></body>\n",
                2 * i);
    }
    fputs("</worldbody></mujoco>\n", out);
    fclose(out);
    const field f = open_text(text, length);
    free(text);
    return f;
}

TEST(many_islands_move_with_the_same_bits_by_the_cone_and_by_laws_that_are_lcps)
{
    static const thud_law laws[] = {THUD_LAW_CONE, THUD_LAW_ANITESCU_POTRA, THUD_LAW_PHANTOM_INERTIA};
    field f = open_towers();
    double v[1000];
    CHECK(f.m->nv < 1000);
    for (int i = 0; i < f.m->nv; i++) {
        v[i] = 0.1 * sin(i);
    }
    f.v = v;
    for (int k = 0; k < 3; k++) {
        f.o.law.law = laws[k];
        f.steps = k == 0 ? 100 : 25;
        CHECK_INT(check_same(&f).taken, f.steps);
    }
    close_field(&f);
}

TEST(a_pile_falls_together_with_the_same_bits)
{
    field f = open_made(MADE_SPHERES, 300, NULL);
    f.o.law.tolerance = 1e-3;
    f.steps = 45; // most of them have met: one island of some 600 contacts, which the threads share within
    CHECK_INT(check_same(&f).taken, f.steps);
    close_field(&f);
    f = open_made(MADE_BOXES, 60, NULL);
    f.o.law.tolerance = 1e-3;
    f.steps = 12;
    CHECK_INT(check_same(&f).taken, f.steps);
    close_field(&f);
}

TEST(one_large_island_is_solved_with_the_same_bits)
{
    field f = open_scene("wall");
    f.steps = 4;
    for (int k = 0; k < 2; k++) {
        f.o.law.tolerance = k == 0 ? 1e-3 : 1e-8;
        CHECK_INT(check_same(&f).taken, f.steps);
    }
    close_field(&f);
}

TEST(a_step_that_fails_in_one_of_many_islands_fails_alike)
{
    field f = open_towers();
    f.o.law.law = THUD_LAW_BOX;
    f.o.law.tolerance = 1e-18; // nobody can
    f.steps = 5;
    const trace one = check_same(&f);
    CHECK_INT(one.status, THUD_NOT_SOLVED);
    CHECK_INT(one.taken, 0);
    close_field(&f);
}

TEST(impossible_numbers_of_threads_are_refused)
{
    field f = open_towers();
    thud_sim *sim;
    thud_diag diag = {0};
    f.o.threads = THUD_POOL_THREADS + 1;
    CHECK_INT(thud_sim_create(f.m, &f.o, &sim, &diag), THUD_BAD_ARGUMENT);
    CHECK(strstr(diag.text, "65 threads"));
    f.o.threads = -1;
    CHECK_INT(thud_sim_create(f.m, &f.o, &sim, &diag), THUD_BAD_ARGUMENT);
    f.o.threads = 0;
    CHECK_OK(thud_sim_create(f.m, &f.o, &sim, &diag));
    thud_sim_destroy(sim);
    close_field(&f);
}

// By a factor of three, whatever else the machine does: sums that a compiler leaves out take no time.
TEST(a_thread_alone_is_as_fast_as_itself_and_two_are_not_slower_by_much)
{
    (void)test_state;
    const double one = machine_speedup(1), two = machine_speedup(2);
    CHECK(one > 0.33 && one < 3);
    CHECK(two > 0.33 && two < 3);
}

TEST_MAIN(T(a_thread_alone_is_as_fast_as_itself_and_two_are_not_slower_by_much),
          T(a_crowd_falls_with_the_same_bits_on_any_number_of_threads),
          T(many_islands_move_with_the_same_bits_by_the_cone_and_by_laws_that_are_lcps),
          T(a_pile_falls_together_with_the_same_bits), T(one_large_island_is_solved_with_the_same_bits),
          T(a_step_that_fails_in_one_of_many_islands_fails_alike),
          T(impossible_numbers_of_threads_are_refused))
