// SPDX-License-Identifier: Apache-2.0
// cmd_convert.c: thud convert IN OUT.xml: a robot or scene as one flat MJCF file.
//
// Nothing is believed: what was written is read back and built, and the file gets its name only when the two
// models are the same to the bit.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <thud/view.h>

#include "filed.h"
#include "output.h"
#include "scene.h"

typedef struct conversion {
    const char *in, *out;
    int base; // 0: fixed, 1: floating
    file_options file;
    thud_spec *spec;
    thud_model *model;
    char *text; // of the file
} conversion;

static void clear(conversion *c)
{
    thud_free(c->text);
    thud_model_destroy(c->model);
    thud_spec_destroy(c->spec);
}

static bool is_same_file(const char *a, const char *b)
{
    struct stat x, y;
    return a && stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

// The file among those that the spec was read from which the output would overwrite, or NULL.
static const char *find_overwritten(const conversion *c)
{
    const thud_spec *s = c->spec;
    const char *last = NULL;
    if (is_same_file(c->in, c->out)) {
        return c->in;
    }
#define LOOK(array, count, field)                                                                            \
    for (int i = 0; i < s->count; i++) {                                                                     \
        if (s->array[i].field != last && is_same_file(s->array[i].field, c->out)) {                          \
            return s->array[i].field;                                                                        \
        }                                                                                                    \
        last = s->array[i].field;                                                                            \
    }
    LOOK(body, bodies, place.file)
    LOOK(geom, geoms, place.file)
    LOOK(mesh, meshes, file)
    LOOK(mesh, meshes, place.file)
    LOOK(hfield, hfields, file)
    LOOK(actuator, actuators, place.file)
    LOOK(sensor, sensors, place.file)
    LOOK(equality, equalities, place.file)
    LOOK(key, keys, place.file)
#undef LOOK
    return NULL;
}

static thud_status load(conversion *c, thud_diag *diag)
{
    thud_load_options options = scene_load_options(&c->file);
    options.floating_base = c->base == 1;
    THUD_TRY(thud_load(c->in, &options, &c->spec, diag));
    return thud_model_build(c->spec, &c->model, diag);
}

// Reads the text back as if it were the file, and compares the models.
static thud_status check(const conversion *c, bool *same, thud_diag *diag)
{
    thud_spec *spec;
    thud_model *model = NULL;
    THUD_TRY(thud_load_mjcf_text(c->text, strlen(c->text), c->out, &spec, diag));
    const thud_status status = thud_model_build(spec, &model, diag);
    *same = model && model->hash == c->model->hash;
    thud_model_destroy(model);
    thud_spec_destroy(spec);
    return status;
}

static int write_file(const conversion *c)
{
    thud_output o;
    const int code = output_open(&o, c->out);
    if (code != EXIT_DONE) {
        return code;
    }
    fputs(c->text, o.file);
    return output_close(&o);
}

static int convert(const command *self, conversion *c)
{
    thud_diag diag = {0};
    bool same = false;
    thud_status status = load(c, &diag);
    if (status != THUD_OK) {
        return scene_complain(c->in, status, &diag);
    }
    if (c->base == 1 && thud_model_find(c->model, THUD_KIND_JOINT, "floating_base") < 0) {
        return args_usage(self, "--base is for URDF whose root link is not the world");
    }
    const char *source = find_overwritten(c);
    if (source) {
        fprintf(stderr, "%s:1:1: it is read from, and would be overwritten; name another file\n", source);
        return EXIT_BAD_INPUT;
    }
    status = thud_write_mjcf(c->spec, c->out, &c->text, &diag);
    status = status == THUD_OK ? check(c, &same, &diag) : status;
    if (status != THUD_OK) {
        return scene_complain(c->out, status, &diag);
    }
    if (!same) {
        fprintf(stderr, "%s:1:1: it would not read back as the same model, and is not written\n", c->out);
        return EXIT_BAD_INPUT;
    }
    const int code = write_file(c);
    if (code == EXIT_DONE) {
        printf("%s: %d bodies, %d joints, %d geoms; it reads back as the model of %s, to the bit\n", c->out,
               c->model->bodies, c->model->joints, c->model->geoms, c->in);
    }
    return code;
}

static bool ends_in(const char *name, const char *ending)
{
    const size_t length = strlen(name), tail = strlen(ending);
    return length > tail && strcmp(name + length - tail, ending) == 0;
}

// A recorded run as glTF.
static int convert_run(const char *in, const char *out, const char *at)
{
    filed f;
    thud_diag diag = {0};
    int code = filed_open(&f, in, at);
    if (code == EXIT_DONE) {
        const thud_status status = thud_gltf_write(out, f.scene.model, f.recording, &diag);
        code = status == THUD_OK ? EXIT_DONE : scene_complain(out, status, &diag);
    }
    if (code == EXIT_DONE) {
        printf("%s: %d bodies that move, %d frames\n", out, f.run.replay.moving, f.run.replay.frames);
    }
    filed_close(&f);
    return code;
}

static int run(const command *self, int argc, char **argv)
{
    conversion c = {0};
    const char *at = NULL;
    const arg_option table[] = {
        {"scene", ARG_TEXT, "SCENE", "a recording: where its scene is now (where it was when recorded)", &at},
        {"base", ARG_CHOICE, "fixed|floating", "URDF: what holds the root link (fixed)", &c.base},
        FILE_OPTIONS(&c.file),
    };
    int code;
    if (!args_parse(self, table, sizeof table / sizeof table[0], &argc, argv, &code)) {
        return code;
    }
    c.in = argv[0];
    c.out = argv[1];
    if (ends_in(c.out, ".glb")) {
        return convert_run(c.in, c.out, at);
    }
    if (at || ends_in(c.in, ".h5")) {
        return args_usage(self, "a recording becomes glTF; name the output .glb, not '%s'", c.out);
    }
    const char *ending = strrchr(c.out, '.');
    if (ending && strcmp(ending, ".urdf") == 0) {
        return args_usage(self, "MJCF is written; name the output .xml, not .urdf");
    }
    code = convert(self, &c);
    clear(&c);
    return code;
}

const command cmd_convert = {
    .name = "convert",
    .summary = "write a robot or scene as one MJCF file, or a recorded run as glTF",
    .synopsis = "IN.urdf|IN.xml OUT.xml [OPTIONS], or RUN.h5 OUT.glb [--scene SCENE]",
    .about =
        "Writes one MJCF file in which includes, default classes, frames and copies are written out, angles "
        "are\n"
        "radians and paths of meshes are relative to it. It reads back as the same model to the bit, which "
        "is\n"
        "checked before the file appears. What is only drawn and no geom (cameras, lights, textures) is left "
        "out.\n\n"
        "A recorded run becomes binary glTF 2.0 with its motion as an animation, for Blender, three.js and "
        "others. What\n"
        "was recorded is taken; nothing is simulated.",
    .more = "  thud convert scenes/picker.urdf picker.xml\n"
            "  thud convert scenes/humanoid.xml flat.xml\n"
            "  thud convert fall.h5 fall.glb",
    .operands_min = 2,
    .operands_max = 2,
    .run = run,
};
