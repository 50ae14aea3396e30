// SPDX-License-Identifier: Apache-2.0
// test_law_matrix.c: every law with every solver either takes its steps in every scene or is refused with a
// sentence.
#include <glob.h>

#include "world.h"

static bool is_one_of(const char *name, const char *const *list)
{
    for (; *list; list++) {
        if (strcmp(name, *list) == 0) {
            return true;
        }
    }
    return false;
}

static void take_steps(world *w, const char *scene)
{
    static const char *const slow[] = {"heavy_on_stack9", "mass_ratio", "stack20", "stack10", "arch", NULL};
    char what[512];
    snprintf(what, sizeof what, "%s, %s, %s", scene, thud_law_name(w->o.law.law),
             thud_solver_name(w->o.law.solver));
    world_begin(w, w->m->keys > 0 ? 0 : -1);
    for (int k = 0; k < (is_one_of(scene, slow) ? 1 : 3); k++) {
        const thud_status status = world_try(w, NULL);
        if (status != THUD_OK) {
            fail_msg("%s, step %d: %s", what, k, thud_status_text(status));
        }
        const double own = w->o.law.law == THUD_LAW_CONE ? w->c.cone_residual : w->c.lcp_residual;
        if (!(own <= w->o.law.tolerance) || w->c.unconverged != 0) {
            fail_msg("%s, step %d: residual %g", what, k, own);
        }
        if (!(w->c.penetration <= 1e-8) || !(w->c.joint_drift <= 1e-8)) {
            fail_msg("%s, step %d: overlap %g, drift %g", what, k, w->c.penetration, w->c.joint_drift);
        }
        if (!(w->c.momentum <= 1e-7)) { // impulses of a residual of 1e-8
            fail_msg("%s, step %d: law of motion broken by %g", what, k, w->c.momentum);
        }
    }
}

static void check_refusal(const world *w, const char *sentence)
{
    thud_sim *sim;
    thud_diag diag = {.text = ""};
    CHECK_INT(thud_sim_create(w->m, &w->o, &sim, &diag), THUD_BAD_ARGUMENT);
    CHECK(sim == NULL);
    CHECK_TEXT(diag.text, sentence);
    CHECK(strlen(sentence) > 20 && strchr(sentence, ' ')); // a sentence
}

TEST(every_law_and_solver_steps_every_scene_or_is_refused_with_a_sentence)
{
    static const char *const large[] = {"wall", NULL};
    glob_t scenes;
    CHECK_INT(glob(THUD_SOURCE_DIR "/scenes/*.xml", 0, NULL, &scenes), 0);
    int taken = 0, refused = 0;
    for (size_t i = 0; i < scenes.gl_pathc; i++) {
        char name[256];
        snprintf(name, sizeof name, "%s", strrchr(scenes.gl_pathv[i], '/') + 1);
        *strrchr(name, '.') = 0;
        if (is_one_of(name, large)) {
            continue;
        }
        world w = world_scene(name);
        for (int pair = 0; pair < THUD_LAWS * THUD_SOLVERS; pair++) {
            w.o.law.law = (thud_law)(pair / THUD_SOLVERS);
            w.o.law.solver = (thud_solver)(pair % THUD_SOLVERS);
            const char *sentence = thud_law_refuses(w.o.law.law, w.o.law.solver);
            if (sentence) {
                check_refusal(&w, sentence);
                refused++;
            } else {
                take_steps(&w, name);
                taken++;
            }
        }
        world_end(&w);
    }
    CHECK_INT(taken,
              27 * ((int)scenes.gl_pathc - 1)); // the table of docs/laws.md, and auto: 5, 3 x 2, 4, 2 x 6
    CHECK_INT(refused, 43 * ((int)scenes.gl_pathc - 1));
    globfree(&scenes);
}

TEST(every_law_can_be_solved_at_least_by_auto_and_by_one_solver_of_its_own)
{
    for (int law = 0; law < THUD_LAWS; law++) {
        int ways = 0;
        for (int solver = 0; solver < THUD_SOLVERS; solver++) {
            ways += thud_law_refuses((thud_law)law, (thud_solver)solver) == NULL;
        }
        CHECK(thud_law_refuses((thud_law)law, THUD_SOLVER_AUTO) == NULL);
        CHECK(ways >= 2);
    }
}

TEST(a_wall_is_taken_by_the_cone_and_said_to_be_too_large_for_pyramids)
{
    world w = world_scene("wall");
    world_begin(&w, -1);
    world_step(&w);
    CHECK_INT(w.c.contacts, 760);
    CHECK_BELOW(world_moved(&w, -1), 1e-6);
    w.o.law.law = THUD_LAW_ANITESCU_POTRA;
    world_begin(&w, -1);
    const uint64_t before = thud_state_hash(w.s);
    CHECK_INT(world_try(&w, NULL), THUD_NOT_SOLVED);
    CHECK(thud_state_hash(w.s) == before);
    world_end(&w);
}

TEST_MAIN(T(every_law_and_solver_steps_every_scene_or_is_refused_with_a_sentence),
          T(every_law_can_be_solved_at_least_by_auto_and_by_one_solver_of_its_own),
          T(a_wall_is_taken_by_the_cone_and_said_to_be_too_large_for_pyramids))
