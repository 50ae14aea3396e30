// SPDX-License-Identifier: Apache-2.0
// scene.c: loads a scene, builds its model and sets the starting state.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <thud/base_input.h>

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

// The folders of ROS_PACKAGE_PATH, then "share" in each of AMENT_PREFIX_PATH (ROS 2), as one list.
static const char *package_folders(void)
{
    static char list[16384];
    const char *path = getenv("ROS_PACKAGE_PATH"), *prefix = getenv("AMENT_PREFIX_PATH");
    size_t used = (size_t)snprintf(list, sizeof list, "%s", path ? path : "");
    used = used < sizeof list ? used : sizeof list - 1;
    while (prefix && *prefix) {
        const size_t length = strcspn(prefix, ":");
        if (length > 0 && used + length + sizeof ":/share" < sizeof list) {
            used += (size_t)snprintf(list + used, sizeof list - used, ":%.*s/share", (int)length, prefix);
        }
        prefix += length + (prefix[length] == ':');
    }
    return list;
}

thud_load_options scene_load_options(const file_options *o)
{
    return (thud_load_options){.strict_file = o && o->strict, .packages = package_folders()};
}

// A file by its path, or "-": standard input, whose includes are sought in the current folder.
static thud_status load(const char *path, const thud_load_options *options, thud_spec **spec, thud_diag *diag)
{
    if (strcmp(path, "-") != 0) {
        return thud_load(path, options, spec, diag);
    }
    char *text;
    size_t length;
    THUD_TRY(thud_input_read(path, (size_t)1 << 30, &text, &length, diag));
    const thud_status status = thud_load_text(text, length, path, options, spec, diag);
    thud_free(text);
    return status;
}

int scene_open(const char *path, const file_options *o, scene *out)
{
    thud_diag diag = {0};
    *out = (scene){.path = path};
    const thud_load_options options = scene_load_options(o);
    thud_status status = load(path, &options, &out->spec, &diag);
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
    thud_free(s->settings);
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
    text_list_free(&o->set);
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

// Takes NAME=NUMBERS apart; name has room for all of it.
static int read_setting(const scene *s, const char *text, char *name, number_list *numbers)
{
    thud_diag diag = {0};
    const char *equals = strchr(text, '='), *bad = "";
    if (equals && equals[1] && args_read_list(equals + 1, numbers, &bad) && numbers->count > 0) {
        memcpy(name, text, (size_t)(equals - text));
        name[equals - text] = '\0';
        return EXIT_DONE;
    }
    const thud_status status =
        equals ? thud_fail(THUD_BAD_ARGUMENT, &diag, NULL, 0, 0,
                           "--set %.200s: after '=' stand numbers between commas", text)
               : thud_fail(THUD_BAD_ARGUMENT, &diag, NULL, 0, 0,
                           "--set %.200s: it is TYPE/NAME.ATTRIBUTE=VALUE, as geom/floor.friction=0.3", text);
    return scene_complain(s->path, status, &diag);
}

// The model, its view and its state are those of the variant.
static thud_status take_variant(scene *s, thud_model *variant)
{
    thud_state_destroy(s->state);
    if (s->model != s->built) {
        thud_mocap_view_destroy(s->model);
    }
    thud_model_destroy(s->built);
    s->state = NULL;
    s->model = s->built = variant;
    if (variant->mocaps > 0) {
        s->model = NULL;
        THUD_TRY(thud_mocap_view_create(variant, &s->model));
    }
    return thud_state_create(s->model, &s->state);
}

// The settings of --set as one text, for the notes of a recording: `replay` needs them.
static bool note_settings(scene *s, const char *const *settings, int count)
{
    size_t bytes = 1;
    for (int i = 0; i < count; i++) {
        bytes += strlen(settings[i]) + 1;
    }
    char *at = s->settings = thud_alloc(bytes, 1);
    for (int i = 0; at && i < count; i++) {
        at += sprintf(at, "%s%s", i ? "\n" : "", settings[i]);
    }
    return at != NULL;
}

static thud_status vary(scene *s, const thud_setting *set, int count, thud_diag *diag)
{
    thud_model *variant = NULL;
    THUD_TRY(thud_model_vary(s->built, set, count, &variant, diag));
    return take_variant(s, variant);
}

int scene_vary(scene *s, const char *const *settings, int count)
{
    thud_diag diag = {0};
    number_list *numbers = thud_alloc((size_t)count, sizeof *numbers);
    thud_setting *set = thud_alloc((size_t)count, sizeof *set);
    int code = numbers && set && note_settings(s, settings, count)
                   ? EXIT_DONE
                   : scene_complain(s->path, THUD_NO_MEMORY, &diag);
    for (int i = 0; i < count && code == EXIT_DONE; i++) {
        char *name = thud_alloc(strlen(settings[i]) + 1, 1);
        code = name ? read_setting(s, settings[i], name, &numbers[i])
                    : scene_complain(s->path, THUD_NO_MEMORY, &diag);
        set[i] = (thud_setting){name, numbers[i].value, numbers[i].count};
    }
    if (code == EXIT_DONE) {
        const thud_status status = vary(s, set, count, &diag);
        code = status == THUD_OK ? EXIT_DONE : scene_complain(s->path, status, &diag);
    }
    for (int i = 0; i < count && numbers && set; i++) {
        number_list_free(&numbers[i]);
        thud_free((char *)set[i].name);
    }
    thud_free(numbers);
    thud_free(set);
    return code;
}

int scene_vary_lines(scene *s, const char *lines)
{
    text_list list = {0};
    char *text = thud_strdup(lines);
    bool good = text != NULL;
    for (char *line = text; good && line;) {
        char *end = strchr(line, '\n');
        good = thud_grow((void **)&list.text, &list.capacity, list.count, sizeof *list.text);
        if (good) {
            list.text[list.count++] = line;
        }
        if (end) {
            *end++ = '\0';
        }
        line = end;
    }
    const int code = good ? scene_vary(s, list.text, list.count)
                          : scene_complain(s->path, THUD_NO_MEMORY, &(thud_diag){0});
    text_list_free(&list);
    thud_free(text);
    return code;
}

int scene_start(const command *self, scene *s, const start_options *o)
{
    if (o->set.count > 0) {
        const int code = scene_vary(s, o->set.text, o->set.count);
        if (code != EXIT_DONE) {
            return code;
        }
    }
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
