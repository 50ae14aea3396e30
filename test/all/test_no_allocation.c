// SPDX-License-Identifier: Apache-2.0
// test_no_allocation.c: a step allocates nothing, whatever the model and the integrator.
//
// Two guards: the library's own allocator is set to one that fails the test, and (but for sanitized builds,
// which have a malloc of their own) malloc itself is replaced by one that counts.
#include "test.h"

#include <glob.h>
#include <string.h>

#include <thud/thud.h>

static int forbidden_calls; // of malloc and its friends while watching
static bool watching;

#ifndef THUD_SANITIZED
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size)
{
    forbidden_calls += watching;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    forbidden_calls += watching;
    return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size)
{
    forbidden_calls += watching;
    return __libc_realloc(block, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    forbidden_calls += watching;
    return __libc_memalign(alignment, size);
}
#endif

static void *refuse_resize(void *block, size_t bytes, void *user)
{
    (void)block;
    (void)bytes;
    (void)user;
    forbidden_calls++;
    return NULL;
}

static void refuse_release(void *block, void *user)
{
    (void)user;
    forbidden_calls += block != NULL;
}

// Twenty steps that may ask for room: afterwards there is enough for the same ones again.
static void make_room(const thud_model *m, thud_sim *sim, thud_state *s)
{
    for (int i = 0; i < 20; i++) {
        thud_status status = thud_sim_step(sim, NULL, s, NULL);
        for (int tries = 0; status == THUD_NO_MEMORY && tries < 20; tries++) {
            CHECK_OK(thud_sim_grow(sim, s));
            status = thud_sim_step(sim, NULL, s, NULL);
        }
        CHECK_OK(status);
    }
    CHECK_OK(thud_state_reset(m, m->keys > 0 ? 0 : -1, s));
}

static void step_without_memory(const thud_model *m, thud_integrator integrator)
{
    static const thud_allocator refuse = {refuse_resize, refuse_release, NULL};
    thud_step_options options = thud_step_defaults(m);
    options.integrator = integrator;
    thud_state *s;
    thud_sim *sim;
    thud_recorder *recorder;
    CHECK_OK(thud_state_create(m, &s));
    CHECK_OK(thud_sim_create(m, &options, &sim, NULL));
    CHECK_OK(thud_recorder_open("/dev/null", m, &recorder, NULL));
    if (m->keys > 0) {
        CHECK_OK(thud_state_reset(m, 0, s));
    }
    make_room(m, sim, s);
    thud_status status = THUD_OK;
    thud_certificate c;
    double reading[256];
    CHECK(m->readings <= 256);
    forbidden_calls = 0;
    thud_allocator_set(&refuse);
    watching = true;
    for (int i = 0; i < 20 && status == THUD_OK; i++) {
        status = thud_sim_step(sim, NULL, s, i % 2 ? &c : NULL);
        status = status == THUD_OK && m->readings > 0 ? thud_sim_sense(sim, s, reading) : status;
        if (status == THUD_OK && i % 2) {
            status = thud_recorder_write(recorder, s, &c);
        }
    }
    watching = false;
    thud_allocator_set(NULL);
    CHECK_OK(status);
    CHECK_INT(forbidden_calls, 0);
    CHECK_OK(thud_recorder_close(recorder, NULL));
    thud_sim_destroy(sim);
    thud_state_destroy(s);
}

TEST(a_step_allocates_nothing_in_any_scene_with_any_integrator)
{
    glob_t scenes;
    CHECK_INT(glob(THUD_SOURCE_DIR "/scenes/*.xml", 0, NULL, &scenes), 0);
    CHECK(scenes.gl_pathc >= 8);
    for (size_t i = 0; i < scenes.gl_pathc; i++) {
        if (strstr(scenes.gl_pathv[i], "wall.xml")) {
            continue; // islands of thousands of rows: sparse factors allocate, as cone.h says
        }
        thud_spec *spec;
        thud_model *m;
        CHECK_OK(thud_load_mjcf(scenes.gl_pathv[i], &spec, NULL));
        CHECK_OK(thud_model_build(spec, &m, NULL));
        step_without_memory(m, THUD_INTEGRATOR_MIDPOINT);
        step_without_memory(m, THUD_INTEGRATOR_EULER);
        step_without_memory(m, THUD_INTEGRATOR_RK4);
        thud_model_destroy(m);
        thud_spec_destroy(spec);
    }
    globfree(&scenes);
}

TEST(reading_sensors_allocates_nothing)
{
    thud_spec *spec;
    thud_model *m;
    CHECK_OK(thud_load_mjcf(THUD_SOURCE_DIR "/test/mujoco/senses.xml", &spec, NULL));
    CHECK_OK(thud_model_build(spec, &m, NULL));
    CHECK(m->readings > 100);
    step_without_memory(m, THUD_INTEGRATOR_MIDPOINT);
    step_without_memory(m, THUD_INTEGRATOR_RK4);
    thud_model_destroy(m);
    thud_spec_destroy(spec);
}

TEST(the_guards_see_an_allocation)
{
    static const thud_allocator refuse = {refuse_resize, refuse_release, NULL};
    forbidden_calls = 0;
    thud_allocator_set(&refuse);
    CHECK(thud_alloc(1, 8) == NULL);
    thud_allocator_set(NULL);
    CHECK_INT(forbidden_calls, 1);
#ifndef THUD_SANITIZED
    watching = true;
    void *volatile block = malloc(8);
    watching = false;
    free(block);
    CHECK_INT(forbidden_calls, 2);
#endif
}

TEST_MAIN(T(a_step_allocates_nothing_in_any_scene_with_any_integrator), T(reading_sensors_allocates_nothing),
          T(the_guards_see_an_allocation))
