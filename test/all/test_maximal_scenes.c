// SPDX-License-Identifier: Apache-2.0
// test_maximal_scenes.c: every scene in scenes/ is rewritten in maximal coordinates, or refused for one of
// two reasons.
#include <glob.h>

#include "test.h"

#include <thud/thud.h>

// Poses of all geoms, for comparison.
static thud_pose *geom_poses(const thud_model *m, const thud_state *s)
{
    thud_pose *X = malloc((size_t)m->bodies * sizeof *X), *Y = malloc((size_t)m->geoms * sizeof *Y + 1);
    thud_body_poses(m, s->qpos, X);
    thud_geom_poses(m, X, Y);
    free(X);
    return Y;
}

static void compare(const thud_model *m, const thud_model *n, int key)
{
    thud_state *s, *t, *u;
    CHECK_OK(thud_state_create(m, &s));
    CHECK_OK(thud_state_create(n, &t));
    CHECK_OK(thud_state_create(n, &u));
    CHECK_OK(thud_state_reset(m, key, s));
    CHECK_OK(thud_state_reset(n, key, t));
    CHECK_OK(thud_maximal_state(m, s, n, u));
    for (int i = 0; i < n->nv; i++) { // keyframes and states are widened by the same rule
        CHECK_NEAR(t->qvel[i], u->qvel[i], 0);
    }
    thud_pose *X = geom_poses(m, s), *Y = geom_poses(n, t);
    for (int g = 0; g < m->geoms; g++) { // measured: below 3e-15
        CHECK_NEAR(X[g].p.x, Y[g].p.x, 4e-14);
        CHECK_NEAR(X[g].p.y, Y[g].p.y, 4e-14);
        CHECK_NEAR(X[g].p.z, Y[g].p.z, 4e-14);
    }
    free(X);
    free(Y);
    thud_state_destroy(s);
    thud_state_destroy(t);
    thud_state_destroy(u);
}

TEST(every_scene_is_rewritten_or_refused_with_a_reason)
{
    glob_t scenes;
    int rewritten = 0, refused = 0;
    CHECK_INT(glob(THUD_SOURCE_DIR "/scenes/*.xml", 0, NULL, &scenes), 0);
    for (size_t i = 0; i < scenes.gl_pathc; i++) {
        thud_spec *spec, *wide;
        thud_model *m, *n;
        thud_diag diag = {.text = ""};
        CHECK_OK(thud_load_mjcf(scenes.gl_pathv[i], &spec, &diag));
        CHECK_OK(thud_model_build(spec, &m, &diag));
        const thud_status status = thud_spec_maximal(spec, &wide, &diag);
        if (status == THUD_OK) {
            CHECK_OK(thud_model_build(wide, &n, &diag));
            for (int key = -1; key < m->keys; key++) {
                compare(m, n, key);
            }
            thud_model_destroy(n);
            thud_spec_destroy(wide);
            rewritten++;
        } else {
            CHECK_INT(status, THUD_UNSUPPORTED);
            CHECK(diag.line > 0);
            CHECK(strstr(diag.text, "several joints") || strstr(diag.text, "joint positions"));
            refused++;
        }
        thud_model_destroy(m);
        thud_spec_destroy(spec);
    }
    CHECK(rewritten > 5 * refused);
    globfree(&scenes);
}

TEST_MAIN(T(every_scene_is_rewritten_or_refused_with_a_reason))
