// SPDX-License-Identifier: Apache-2.0
// A copied spec is the same mechanism and lives on its own.
#include <thud/model.h>

#include "sample.h"
#include "scene.h"

static thud_model *build(const thud_spec *spec)
{
    thud_model *m;
    thud_diag diag = {.text = ""};
    if (thud_model_build(spec, &m, &diag) != THUD_OK) {
        fail_msg("%s", diag.text);
    }
    return m;
}

TEST(a_copy_builds_the_same_model_after_the_first_is_gone)
{
    thud_spec *first = scene(sample_scene), *copy;
    CHECK_OK(thud_spec_copy(first, &copy));
    thud_model *m = build(first);
    const uint64_t hash = m->hash;
    thud_model_destroy(m);
    CHECK_INT(copy->notes, first->notes);
    CHECK_INT(copy->sensors, first->sensors);
    CHECK_INT(copy->actuators, first->actuators);
    CHECK_INT(copy->wraps, first->wraps);
    CHECK(copy->model != first->model && strcmp(copy->model, first->model) == 0);
    CHECK(copy->note[0].what != first->note[0].what);
    CHECK(copy->body[1].place.file != first->body[1].place.file);
    const int keys = first->keys, meshes = first->meshes;
    for (int k = 0; k < keys; k++) {
        CHECK(!first->key[k].qpos || copy->key[k].qpos != first->key[k].qpos);
    }
    CHECK(keys > 0 && meshes > 0); // what has blocks of its own
    thud_spec_destroy(first);
    m = build(copy);
    CHECK(m->hash == hash);
    thud_model_destroy(m);
    CHECK(thud_spec_add_body(copy, 0, "new") > 0); // it grows as any spec
    CHECK(thud_spec_add_equality(copy, THUD_EQUALITY_CONNECT, "tie") >= 0);
    thud_spec_destroy(copy);
}

TEST(what_is_changed_in_a_copy_stays_in_the_copy)
{
    thud_spec *first = scene("<mujoco><worldbody><body name='b'><joint/><geom size='1'/></body></worldbody>"
                             "<keyframe><key qpos='2'/></keyframe></mujoco>"),
              *copy;
    CHECK_OK(thud_spec_copy(first, &copy));
    copy->key[0].qpos[0] = 5;
    copy->geom[0].size[0] = 3;
    CHECK_NEAR(first->key[0].qpos[0], 2, 0);
    CHECK_NEAR(first->geom[0].size[0], 1, 0);
    thud_spec_destroy(copy);
    thud_spec_destroy(first);
}

static int calls, fail_at, held;

static void *metered_resize(void *block, size_t bytes, void *user)
{
    (void)user;
    if (++calls == fail_at) {
        return NULL;
    }
    void *moved = realloc(block, bytes);
    held += moved && !block;
    return moved;
}

static void metered_release(void *block, void *user)
{
    (void)user;
    held -= block != NULL;
    free(block);
}

TEST(whichever_allocation_fails_no_half_copy_is_given_and_nothing_leaks)
{
    const thud_allocator metered = {metered_resize, metered_release, NULL};
    thud_spec *first = scene(sample_scene), *copy;
    thud_status status = THUD_NO_MEMORY;
    for (fail_at = 1; status == THUD_NO_MEMORY; fail_at++) {
        calls = held = 0;
        thud_allocator_set(&metered);
        status = thud_spec_copy(first, &copy);
        CHECK((copy != NULL) == (status == THUD_OK));
        thud_spec_destroy(copy);
        thud_allocator_set(NULL);
        CHECK_INT(held, 0);
    }
    CHECK_OK(status);
    CHECK(fail_at > 50); // it was a real copy
    thud_spec_destroy(first);
}

TEST_MAIN(T(a_copy_builds_the_same_model_after_the_first_is_gone),
          T(what_is_changed_in_a_copy_stays_in_the_copy),
          T(whichever_allocation_fails_no_half_copy_is_given_and_nothing_leaks))
