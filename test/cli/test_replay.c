// SPDX-License-Identifier: Apache-2.0
// A run that a program of the user's own recorded, with its forces, is run again by `thud replay` to the same bits; and where other
// forces were recorded than acted, it is told with code 3.
#include <sys/wait.h>

#include <thud/thud.h>

#include "test.h"

static const char scene[] =
    "<mujoco><option timestep='0.005'/><worldbody><geom type='plane' size='0 0 1'/><body pos='0 0 0.6'>"
    "<joint name='shoulder' axis='0 1 0'/><geom type='capsule' fromto='0 0 0 0.4 0 0' size='0.05'/>"
    "<body pos='0.4 0 0'><joint name='elbow' axis='0 1 0'/><geom type='capsule' fromto='0 0 0 0.4 0 0' "
    "size='0.05'/>"
    "</body></body></worldbody></mujoco>";

static void write_scene(const char *path)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(scene, f);
    fclose(f);
}

// Records 100 steps under forces that the program makes; `lie` is added to those that are recorded.
static void record(const char *folder, const char *name, double lie, int every)
{
    char path[128], at[128];
    thud_spec *spec;
    thud_model *m;
    thud_state *s;
    thud_sim *sim;
    thud_recorder *r;
    thud_diag diag = {.text = ""};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    snprintf(at, sizeof at, "%s/scene.xml", folder);
    CHECK_OK(thud_load(at, NULL, &spec, &diag));
    CHECK_OK(thud_model_build(spec, &m, &diag));
    CHECK_OK(thud_state_create(m, &s));
    const thud_step_options options = thud_step_defaults(m);
    CHECK_OK(thud_sim_create(m, &options, &sim, &diag));
    CHECK_OK(thud_recorder_open(path, m, &r, &diag));
    CHECK_OK(thud_recorder_describe(r, &options, at, every));
    CHECK_OK(thud_recorder_keep_contacts(r, &diag));
    CHECK_OK(thud_recorder_keep_forces(r, &diag));
    CHECK_OK(thud_recorder_write(r, s, NULL));
    for (int k = 1; k <= 100; k++) {
        thud_certificate c;
        const int row = (k + every - 1) / every;
        const double tau[2] = {3 * sin(0.1 * row), row % 7 == 0 ? 0 : 1.5}, told[2] = {tau[0] + lie, tau[1]};
        const bool none = row % 10 == 0; // no forces at all in some steps
        CHECK_OK(thud_sim_step(sim, none ? NULL : tau, s, &c));
        if (k % every == 0) {
            CHECK_OK(thud_recorder_contacts(r, thud_sim_rows(sim)));
            CHECK_OK(thud_recorder_forces(r, none ? NULL : told));
            CHECK_OK(thud_recorder_write(r, s, &c));
        }
    }
    CHECK_OK(thud_recorder_close(r, &diag));
    thud_sim_destroy(sim);
    thud_state_destroy(s);
    thud_model_destroy(m);
    thud_spec_destroy(spec);
}

static int run(const char *folder, const char *words)
{
    char line[512];
    snprintf(line, sizeof line, "cd '%s' && '%s' %s >out 2>err", folder, THUD_PROGRAM, words);
    const int status = system(line);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(a_run_of_a_users_own_program_is_run_again_with_its_forces)
{
    char folder[] = "/tmp/thud_replay_XXXXXX", path[64], words[128];
    CHECK(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/scene.xml", folder);
    write_scene(path);
    if (!strstr(thud_parts(), "hdf5")) {
        test_skip("the library was built without HDF5");
    }
    record(folder, "true.h5", 0, 1);
    record(folder, "thin.h5", 0, 4);
    record(folder, "lie.h5", 0.25, 1);
    CHECK_INT(run(folder, "replay true.h5"), 0);
    CHECK_INT(run(folder, "replay thin.h5"), 0);
    CHECK_INT(run(folder, "replay lie.h5"), 3);
    CHECK_INT(run(folder, "convert lie.h5 lie.glb"), 0); // what was recorded is shown all the same
    CHECK_INT(run(folder, "replay true.h5 --snapshot s.png --size 64x48"), 0);
    snprintf(words, sizeof words, "rm -r '%s'", folder);
    CHECK_INT(system(words), 0);
}

TEST(forces_and_notes_are_kept_in_memory_too)
{
    thud_spec *spec;
    thud_model *m;
    thud_state *s;
    thud_recorder *r;
    thud_recording *got;
    CHECK_OK(thud_load_mjcf_text(scene, strlen(scene), "scene.xml", &spec, NULL));
    CHECK_OK(thud_model_build(spec, &m, NULL));
    CHECK_OK(thud_state_create(m, &s));
    const thud_step_options options = thud_step_defaults(m);
    CHECK_OK(thud_recorder_open(NULL, m, &r, NULL));
    CHECK_OK(thud_recorder_describe(r, &options, NULL, 1));
    CHECK_OK(thud_recorder_keep_forces(r, NULL));
    CHECK_OK(thud_recorder_write(r, s, NULL));
    CHECK_OK(thud_recorder_forces(r, (double[]){1.5, -2}));
    CHECK_OK(thud_recorder_write(r, s, NULL));
    CHECK_OK(thud_recorder_take(r, &got, NULL));
    CHECK_INT(got->force.columns, 3);
    CHECK_INT(got->force.rows, 1);
    CHECK_NEAR(got->force.value[0], 1, 0); // the second row
    CHECK_NEAR(got->force.value[1], 1.5, 0);
    CHECK_NEAR(got->force.value[2], -2, 0);
    CHECK_TEXT(thud_recording_text(got, "law"), "cone");
    CHECK_NEAR(thud_recording_number(got, "dt", 0), 0.005, 0);
    CHECK(thud_recording_text(got, "scene") == NULL);
    thud_recording_destroy(got);
    CHECK_INT(thud_recorder_open("/tmp/thud_forces.csv", m, &r, NULL), THUD_OK);
    CHECK_INT(thud_recorder_keep_forces(r, NULL), THUD_UNSUPPORTED);
    thud_recorder_abandon(r);
    remove("/tmp/thud_forces.csv.part");
    thud_state_destroy(s);
    thud_model_destroy(m);
    thud_spec_destroy(spec);
}

TEST_MAIN(T(a_run_of_a_users_own_program_is_run_again_with_its_forces),
          T(forces_and_notes_are_kept_in_memory_too))
