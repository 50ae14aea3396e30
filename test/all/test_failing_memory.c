// SPDX-License-Identifier: Apache-2.0
// test_failing_memory.c: when the k-th allocation fails, for every k, what was asked for fails with
// NO_MEMORY, nothing leaks, and nothing half made is handed out.
#include "test.h"

#include <thud/thud.h>

static int allocations, failing, live; // so far; the number of the one that fails; blocks not yet released

static void *count_resize(void *block, size_t bytes, void *user)
{
    (void)user;
    if (++allocations == failing) {
        return NULL;
    }
    void *made = realloc(block, bytes);
    live += !block && made;
    return made;
}

static void count_release(void *block, void *user)
{
    (void)user;
    live -= block != NULL;
    free(block);
}

// From a file to a recorded step; the status of the first call that failed.
static thud_status whole_way(const char *path)
{
    thud_spec *spec = NULL;
    thud_model *m = NULL;
    thud_state *s = NULL;
    thud_sim *sim = NULL;
    thud_recorder *recorder = NULL;
    thud_certificate c;
    thud_diag diag;
    thud_status status = thud_load_mjcf(path, &spec, &diag);
    CHECK((status == THUD_OK) == (spec != NULL));
    if (status == THUD_OK) {
        status = thud_model_build(spec, &m, &diag);
        CHECK((status == THUD_OK) == (m != NULL));
    }
    if (status == THUD_OK) {
        status = thud_state_create(m, &s);
        CHECK((status == THUD_OK) == (s != NULL));
    }
    if (status == THUD_OK) {
        const thud_step_options options = thud_step_defaults(m);
        status = thud_sim_create(m, &options, &sim, &diag);
        CHECK((status == THUD_OK) == (sim != NULL));
    }
    if (status == THUD_OK) {
        status = thud_recorder_open("/dev/null", m, &recorder, &diag);
        CHECK((status == THUD_OK) == (recorder != NULL));
    }
    if (status == THUD_OK) {
        CHECK_OK(thud_sim_step(sim, NULL, s, &c));
        CHECK_OK(thud_recorder_write(recorder, s, &c));
        status = thud_recorder_close(recorder, &diag);
    }
    thud_sim_destroy(sim);
    thud_state_destroy(s);
    thud_model_destroy(m);
    thud_spec_destroy(spec);
    return status;
}

static void fail_every_allocation(const char *path)
{
    static const thud_allocator counting = {count_resize, count_release, NULL};
    thud_allocator_set(&counting);
    thud_status status = THUD_NO_MEMORY;
    for (failing = 1; status == THUD_NO_MEMORY; failing++) {
        allocations = live = 0;
        status = whole_way(path);
        if (live != 0) {
            fail_msg("allocation %d of %s failed and %d blocks leaked", failing, path, live);
        }
    }
    thud_allocator_set(NULL);
    CHECK_OK(status);             // the last round had no failure:
    CHECK(allocations < failing); // it did not come to its k-th allocation
    CHECK(failing > 30);          // and there were rounds
}

TEST(every_allocation_on_the_way_from_a_file_to_a_recorded_step_may_fail)
{
    fail_every_allocation(THUD_SOURCE_DIR "/scenes/gymnast.xml");
    fail_every_allocation(THUD_SOURCE_DIR "/scenes/arm.xml");
    fail_every_allocation(THUD_SOURCE_DIR "/scenes/top.xml");
    fail_every_allocation(THUD_SOURCE_DIR "/scenes/herd.xml"); // sims of parts
    fail_every_allocation(THUD_SOURCE_DIR
                          "/test/mujoco/senses.xml"); // sensors, actuators, tendons, a mocap body
}

TEST(every_allocation_while_a_spec_is_built_in_code_may_fail)
{
    static const thud_allocator counting = {count_resize, count_release, NULL};
    thud_allocator_set(&counting);
    bool whole = false;
    for (failing = 1; !whole; failing++) {
        thud_spec *spec = NULL;
        allocations = live = 0;
        whole = thud_spec_create(&spec) == THUD_OK;
        for (int i = 0; i < 40 && whole; i++) {
            char name[16];
            snprintf(name, sizeof name, "body%d", i);
            const int body = thud_spec_add_body(spec, i, name);
            whole = body >= 0 && thud_spec_add_joint(spec, body, THUD_JOINT_HINGE, NULL) >= 0 &&
                    thud_spec_add_geom(spec, body, THUD_GEOM_SPHERE, NULL) >= 0;
        }
        thud_spec_destroy(spec);
        CHECK_INT(live, 0);
    }
    thud_allocator_set(NULL);
    CHECK(failing > 40);
}

// Two rows of boxes that stand: more contacts than a sim begins with.
static thud_model *crowd(void)
{
    char text[8192], *at = text;
    thud_spec *spec;
    thud_model *m;
    at += sprintf(at, "<mujoco><worldbody><geom type='plane' size='0 0 1'/>");
    for (int i = 0; i < 24; i++) {
        at += sprintf(at, "<body pos='%g 0 0.05'><freejoint/><geom type='box' size='0.05 0.05 0.05'/></body>",
                      0.3 * i);
    }
    sprintf(at, "</worldbody></mujoco>");
    CHECK_OK(thud_load_mjcf_text(text, strlen(text), "crowd.xml", &spec, NULL));
    CHECK_OK(thud_model_build(spec, &m, NULL));
    thud_spec_destroy(spec);
    return m;
}

// Makes a sim and steps, growing as asked; when growing fails, once more. Returns the first failure, OK:
// there was none.
static thud_status make_and_grow(const thud_model *m)
{
    thud_state *s = NULL;
    thud_sim *sim = NULL;
    thud_diag diag = {.text = ""};
    const thud_step_options options = thud_step_defaults(m);
    thud_status first = thud_state_create(m, &s);
    if (first == THUD_OK) {
        first = thud_sim_create(m, &options, &sim, &diag);
        CHECK((first == THUD_OK) == (sim != NULL));
        CHECK(first == THUD_OK || strlen(diag.text) > 0);
    }
    const uint64_t before = s ? thud_state_hash(s) : 0;
    thud_status status = first == THUD_OK ? THUD_NO_MEMORY : THUD_OK;
    for (int tries = 0; status == THUD_NO_MEMORY && tries < 12; tries++) {
        status = thud_sim_step(sim, NULL, s, NULL);
        if (status == THUD_NO_MEMORY) {
            CHECK(thud_state_hash(s) == before);
            const thud_status grown = thud_sim_grow(sim, s); // may fail; the next one will not
            CHECK(grown == THUD_OK || grown == THUD_NO_MEMORY);
            first = first == THUD_OK ? grown : first;
        }
    }
    CHECK_OK(status);
    thud_sim_destroy(sim);
    thud_state_destroy(s);
    return first;
}

TEST(every_allocation_of_a_sim_and_of_its_growing_may_fail_and_it_goes_on_afterwards)
{
    static const thud_allocator counting = {count_resize, count_release, NULL};
    thud_model *m = crowd();
    thud_allocator_set(&counting);
    thud_status status = THUD_NO_MEMORY;
    for (failing = 1; status == THUD_NO_MEMORY; failing++) {
        allocations = live = 0;
        status = make_and_grow(m);
        if (live != 0) {
            fail_msg("allocation %d failed and %d blocks leaked", failing, live);
        }
    }
    CHECK_OK(status);
    CHECK(allocations < failing && failing > 60); // a sim is more than sixty blocks, with its growing
    failing = 0;
    thud_allocator_set(NULL);
    thud_model_destroy(m);
}

TEST_MAIN(T(every_allocation_on_the_way_from_a_file_to_a_recorded_step_may_fail),
          T(every_allocation_while_a_spec_is_built_in_code_may_fail),
          T(every_allocation_of_a_sim_and_of_its_growing_may_fail_and_it_goes_on_afterwards))
