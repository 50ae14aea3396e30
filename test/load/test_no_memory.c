// SPDX-License-Identifier: Apache-2.0
// Whichever allocation fails, loading and writing return a status and give back all they took.
#include "sample.h"
#include "scene.h"

typedef struct meter {
    long calls, fail_at, held;
} meter;

static void *metered_resize(void *block, size_t bytes, void *user)
{
    meter *m = user;
    if (++m->calls == m->fail_at) {
        return NULL;
    }
    void *moved = realloc(block, bytes);
    m->held += moved && !block;
    return moved;
}

static void metered_release(void *block, void *user)
{
    meter *m = user;
    m->held -= block != NULL;
    free(block);
}

static void fail_each(const char *text)
{
    long k = 1;
    for (;; k++) {
        meter m = {.fail_at = k};
        const thud_allocator metered = {metered_resize, metered_release, &m};
        thud_allocator_set(&metered);
        thud_spec *spec;
        thud_diag diag;
        char *written = NULL;
        thud_status status = thud_load_text(text, strlen(text), "sample", NULL, &spec, &diag);
        CHECK((status == THUD_OK) == (spec != NULL));
        status = status == THUD_OK ? thud_write_mjcf(spec, "sample.xml", &written, &diag) : status;
        const bool failed = m.calls >= k;
        CHECK((status == THUD_OK) == (written != NULL));
        thud_free(written);
        thud_spec_destroy(spec);
        thud_allocator_set(NULL);
        CHECK_INT(m.held, 0);
        if (!failed) {
            CHECK_INT(status, THUD_OK);
            break;
        }
        CHECK_INT(status, THUD_NO_MEMORY);
        CHECK(strstr(diag.text, "memory ran out"));
    }
    CHECK(k > 100); // it was a real load
}

TEST(every_failing_allocation_gives_a_status_and_no_leak)
{
    fail_each(sample_scene);
    fail_each(sample_robot);
}

TEST_MAIN(T(every_failing_allocation_gives_a_status_and_no_leak))
