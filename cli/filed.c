// SPDX-License-Identifier: Apache-2.0
// filed.c: opens a recording and its scene, and draws them.
#include <stdio.h>
#include <string.h>

#include "filed.h"

static int say(const char *path, const char *why)
{
    fprintf(stderr, "%s:1:1: %s\n", path, why);
    return EXIT_BAD_INPUT;
}

int filed_scene(const char *path, const thud_recording *r, const char *at, scene *out)
{
    const char *where = at ? at : thud_recording_text(r, "scene"),
               *settings = thud_recording_text(r, "settings");
    *out = (scene){0};
    if (!where) {
        return say(path, "it does not say which scene it is of: --scene SCENE does");
    }
    int code = scene_open(where, NULL, out);
    code = code == EXIT_DONE && settings ? scene_vary_lines(out, settings) : code;
    if (code != EXIT_DONE) {
        return code;
    }
    char hash[20];
    const char *noted = thud_recording_text(r, "model_hash");
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)out->model->hash);
    return noted && strcmp(noted, hash) != 0
               ? say(path, "its scene is not the same any more, or is built by another version")
               : EXIT_DONE;
}

int filed_open(filed *f, const char *path, const char *at)
{
    thud_diag diag = {0};
    *f = (filed){.path = path};
    thud_status status = thud_recording_read(path, &f->recording, &diag);
    if (status != THUD_OK) {
        return scene_complain(path, status, &diag);
    }
    const int code = filed_scene(path, f->recording, at, &f->scene);
    if (code != EXIT_DONE) {
        return code;
    }
    status = recorded_open(&f->run, f->scene.model, f->recording, &diag);
    return status == THUD_OK ? EXIT_DONE : scene_complain(path, status, &diag);
}

void filed_close(filed *f)
{
    recorded_close(&f->run);
    scene_close(&f->scene);
    thud_recording_destroy(f->recording);
    *f = (filed){0};
}
