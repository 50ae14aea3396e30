// SPDX-License-Identifier: Apache-2.0
// scene.c: loads a scene, builds its model and sets the starting state.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene.h"

int scene_complain(const char *path, thud_status status, const thud_diag *diag)
{
    thud_diag d = *diag;
    char line[sizeof d.file + sizeof d.text + 32];
    if (!d.text[0]) {
        snprintf(d.text, sizeof d.text, "%s", thud_status_text(status));
    }
    if (!d.file[0]) {
        snprintf(d.file, sizeof d.file, "%s", path);
    }
    thud_diag_format(&d, line, sizeof line);
    for (char *c = line; *c; c++) { // one line, whatever a name holds
        *c = *c == '\n' || *c == '\r' ? ' ' : *c;
    }
    fprintf(stderr, "%s\n", line);
    return EXIT_BAD_INPUT;
}

thud_load_options scene_load_options(const file_options *o)
{
    return (thud_load_options){.strict_file = o && o->strict, .packages = getenv("ROS_PACKAGE_PATH")};
}

int scene_open(const char *path, const file_options *o, scene *out)
{
    thud_diag diag = {0};
    *out = (scene){.path = path};
    const thud_load_options options = scene_load_options(o);
    thud_status status = thud_load(path, &options, &out->spec, &diag);
    if (status == THUD_OK) {
        status = thud_model_build(out->spec, &out->built, &diag);
    }
    if (status == THUD_OK && out->built->mocaps > 0) {
        status = thud_mocap_view_create(out->built, &out->model);
    } else {
        out->model = out->built;
    }
    if (status == THUD_OK) {
        status = thud_state_create(out->model, &out->state);
    }
    if (status == THUD_OK) {
        return EXIT_DONE;
    }
    scene_close(out);
    return scene_complain(path, status, &diag);
}

void scene_close(scene *s)
{
    thud_state_destroy(s->state);
    if (s->model != s->built) {
        thud_mocap_view_destroy(s->model);
    }
    thud_model_destroy(s->built);
    thud_spec_destroy(s->spec);
    *s = (scene){0};
}

void scene_see(const scene *s)
{
    if (s->model != s->built) {
        thud_mocap_view_set(s->model, s->state->mocap);
    }
}

void start_options_free(start_options *o)
{
    number_list_free(&o->qpos);
    number_list_free(&o->qvel);
    number_list_free(&o->ctrl);
    number_list_free(&o->act);
}

// A keyframe by its name or else by its index; -1 when there is none such.
static int find_keyframe(const thud_model *m, const char *word)
{
    const int named = thud_model_find(m, THUD_KIND_KEY, word);
    char *end;
    const long index = strtol(word, &end, 10);
    return named >= 0 ? named : end != word && !*end && index >= 0 && index < m->keys ? (int)index : -1;
}

static int refuse_keyframe(const command *self, const scene *s, const char *word)
{
    char names[256] = "none";
    size_t used = 0;
    for (int k = 0; k < s->model->keys && used < sizeof names; k++) {
        const char *name = thud_model_name(s->model, THUD_KIND_KEY, k);
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", k ? ", " : "",
                                 name ? name : "(no name)");
    }
    return args_usage(self, "%s has no keyframe '%s'; it has: %s", s->path, word, names);
}

static int check_count(const command *self, const char *option, const number_list *list, int want,
                       const char *what)
{
    if (!list->given || list->count == want) {
        return EXIT_DONE;
    }
    return args_usage(self, "--%s holds %d numbers; this scene has %s = %d", option, list->count, what, want);
}

int scene_start(const command *self, const scene *s, const start_options *o)
{
    const thud_model *m = s->model;
    if (o->keyframe) {
        const int key = find_keyframe(m, o->keyframe);
        if (key < 0) {
            return refuse_keyframe(self, s, o->keyframe);
        }
        if (thud_state_reset(m, key, s->state) != THUD_OK) {
            return args_usage(self, "keyframe '%s' is not a state of this model", o->keyframe);
        }
        scene_see(s);
    }
    if (check_count(self, "qpos", &o->qpos, m->nq, "nq") != EXIT_DONE ||
        check_count(self, "qvel", &o->qvel, m->nv, "nv") != EXIT_DONE ||
        check_count(self, "act", &o->act, m->activations, "na") != EXIT_DONE ||
        check_count(self, "ctrl", &o->ctrl, m->actuators, "nu") != EXIT_DONE) {
        return EXIT_USAGE;
    }
    if ((o->ctrl.given || o->act.given) &&
        thud_state_control(s->state, o->ctrl.value, o->act.value) != THUD_OK) {
        return args_usage(self, "--ctrl or --act holds a number that is not finite");
    }
    if ((o->qpos.given || o->qvel.given) &&
        thud_state_set(m, o->qpos.value, o->qvel.value, s->state) != THUD_OK) {
        return args_usage(self,
                          "--qpos or --qvel is no state of this model: a quaternion in it has no length");
    }
    return EXIT_DONE;
}
