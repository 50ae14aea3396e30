// SPDX-License-Identifier: Apache-2.0
// 10_files_in_memory.c: a scene, what it includes and its mesh come from an array of texts; no file is opened. Then the same function
// refuses what is not in the array, and thud_files_within what is outside a folder.
//
//     cc 10_files_in_memory.c $(pkg-config --cflags --libs thud) -lm -o files && ./files
#include <stdio.h>
#include <string.h>

#include <thud/thud.h>

static const struct {
    const char *name, *text;
} box[] = {
    {"scene.xml",
     "<mujoco><include file='parts/floor.xml'/><asset><mesh name='wedge' file='meshes/wedge.obj'/></asset>"
     "<worldbody><body pos='0 0 1'><freejoint/><geom type='mesh' mesh='wedge'/></body></worldbody></mujoco>"},
    {"parts/floor.xml", "<mujoco><worldbody><geom type='plane' size='5 5 1'/></worldbody></mujoco>"},
    {"meshes/wedge.obj", "v 0 0 0\nv 0.3 0 0\nv 0 0.3 0\nv 0 0 0.3\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"},
    {"evil.xml", "<mujoco><include file='../secret.xml'/></mujoco>"}};

static thud_status open_in_box(void *opened, const char *name, thud_bytes *out, thud_diag *diag)
{
    for (size_t i = 0; i < sizeof box / sizeof box[0]; i++) {
        if (strcmp(box[i].name, name) == 0) {
            *out = (thud_bytes){box[i].text, strlen(box[i].text), NULL}; // nothing to close
            ++*(int *)opened;
            return THUD_OK;
        }
    }
    return thud_fail(THUD_BAD_FILE, diag, NULL, 0, 0, "it is not in the box");
}

static void refuse(const char *name, thud_files files)
{
    const thud_load_options options = {.files = files};
    thud_spec *spec;
    thud_diag diag;
    char text[1100];
    if (thud_load(name, &options, &spec, &diag) != THUD_OK) {
        thud_diag_format(&diag, text, sizeof text);
        printf("refused: %s\n", text);
        return;
    }
    thud_spec_destroy(spec);
}

int main(void)
{
    int opened = 0;
    const thud_load_options options = {.files = {open_in_box, NULL, &opened}};
    thud_diag diag;
    thud_spec *spec = NULL;
    thud_model *m = NULL;
    const bool done = thud_load("scene.xml", &options, &spec, &diag) == THUD_OK &&
                      thud_model_build(spec, &m, &diag) == THUD_OK;
    if (done) {
        printf("%d geoms, %.3f kg, nothing from the disk: %s\n", m->geoms, m->total_mass,
               opened >= 3 ? "yes" : "no");
        refuse("evil.xml", options.files);
        refuse("/etc/hostname", thud_files_within("/tmp"));
    } else {
        fprintf(stderr, "%s\n", diag.text);
    }
    thud_model_destroy(m);
    thud_spec_destroy(spec);
    return done ? 0 : 1;
}
