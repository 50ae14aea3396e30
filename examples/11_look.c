// SPDX-License-Identifier: Apache-2.0
// 11_look.c: see what the robot did, from the loop. A box is dropped; every tenth step a camera takes a small picture with depth, as a
// robot's would; then the recorded run becomes a page, a picture with shadows and a glTF file.
//
//     cc 11_look.c $(pkg-config --cflags --libs thud_view) -lm -o look && ./look FOLDER
#include <stdio.h>
#include <string.h>

#include <thud/thud.h>
#include <thud/view.h>

enum { WIDE = 64, HIGH = 48 };

static const char scene[] =
    "<mujoco><worldbody><geom type='plane' size='0 0 1'/><body name='box' pos='0 0 1' euler='20 30 "
    "0'><freejoint/>"
    "<geom type='box' size='0.1 0.1 0.1' rgba='0.8 0.2 0.1 1'/></body></worldbody></mujoco>";

static thud_status simulate(const thud_model *m, thud_recorder *recorder, thud_diag *diag)
{
    static unsigned char rgb[3 * WIDE * HIGH];
    static float depth[WIDE * HIGH];
    const thud_step_options options = thud_step_defaults(m);
    const thud_camera above = {.eye = {0, 0, 3}, .target = {0, 0, 0}, .up = {0, 1, 0}, .angle = 0.3};
    thud_certificate c;
    thud_state *s = NULL;
    thud_sim *sim = NULL;
    thud_view *view = NULL;
    thud_status status = thud_state_create(m, &s);
    status = status == THUD_OK ? thud_sim_create(m, &options, &sim, diag) : status;
    status = status == THUD_OK ? thud_view_create(m, WIDE, HIGH, &view) : status;
    status = status == THUD_OK ? thud_recorder_keep_contacts(recorder, diag) : status;
    for (int k = 0; k < 500 && status == THUD_OK; k++) {
        status = thud_sim_step(sim, NULL, s, &c);
        status = status == THUD_OK ? thud_recorder_contacts(recorder, thud_sim_rows(sim)) : status;
        status = status == THUD_OK ? thud_recorder_write(recorder, s, &c) : status;
        if (status == THUD_OK && k % 10 == 0) {
            status = thud_view_draw(view, s, &above, &(thud_picture){.rgb = rgb, .depth = depth});
        }
    }
    if (status == THUD_OK) {
        printf("the camera sees the box %.3f m below it; its top is at %.3f m\n",
               (double)depth[HIGH / 2 * WIDE + WIDE / 2], s->qpos[2] + 0.1);
    }
    thud_view_destroy(view);
    thud_sim_destroy(sim);
    thud_state_destroy(s);
    return status;
}

static thud_status write_all(const char *folder, const thud_model *m, const thud_recording *run,
                             thud_diag *diag)
{
    char path[1024];
    const thud_film_options small = {.wide = 320, .high = 240, .forces = true};
    snprintf(path, sizeof path, "%s/run.glb", folder);
    THUD_TRY(thud_gltf_write(path, m, run, diag));
    snprintf(path, sizeof path, "%s/run.png", folder);
    THUD_TRY(thud_snapshot_write(path, m, run, 1, &small, diag));
    snprintf(path, sizeof path, "%s/run.html", folder);
    const thud_status status = thud_report_write(path, m, run, "a box", diag);
    printf("glTF, picture%s written\n", status == THUD_OK ? " and page" : "");
    return status == THUD_UNSUPPORTED ? THUD_OK : status; // a library that was built without npm has no page
}

int main(int argc, char **argv)
{
    thud_diag diag = {.text = "memory ran out, or the motion did not stay finite"};
    thud_spec *spec = NULL;
    thud_model *m = NULL;
    thud_recorder *recorder = NULL;
    thud_recording *run = NULL;
    bool done = thud_load_mjcf_text(scene, strlen(scene), "look", &spec, &diag) == THUD_OK &&
                thud_model_build(spec, &m, &diag) == THUD_OK &&
                thud_recorder_open(NULL, m, &recorder, &diag) == THUD_OK;
    if (done) {
        const thud_status status = simulate(m, recorder, &diag);
        done = thud_recorder_take(recorder, &run, &diag) == THUD_OK && status == THUD_OK &&
               write_all(argc > 1 ? argv[1] : ".", m, run, &diag) == THUD_OK;
    }
    if (!done) {
        fprintf(stderr, "%s\n", diag.text);
    }
    thud_recording_destroy(run);
    thud_model_destroy(m);
    thud_spec_destroy(spec);
    return done ? 0 : 1;
}
