// SPDX-License-Identifier: Apache-2.0
// scene.h: from the name of a file to a model and the state a command starts from.
#pragma once

#include <thud/thud.h>

#include "args.h"

typedef struct scene {
    const char *path;
    thud_spec *spec;
    thud_model *model; // a view of `built`, with the mocap bodies where the state starts, if there are any
    thud_model *built;
    thud_state *state;
    char *settings; // of --set, a line each; NULL: none
} scene;

typedef struct file_options { // how a file is read
    bool strict;
} file_options;

// The lines of a table of options that read file_options.
#define FILE_OPTIONS(o)                                                                                      \
    {                                                                                                        \
        "strict-file", ARG_FLAG, NULL,                                                                       \
            "URDF: what would be made good or passed over with a note is an error", &(o)->strict             \
    }

typedef struct start_options { // where a command starts; what is not given is the model's reference pose, at
                               // rest
    const char *keyframe;      // name or index
    number_list qpos, qvel, ctrl, act;
    text_list set; // TYPE/NAME.ATTRIBUTE=VALUE
} start_options;

// The lines of a table of options that read start_options.
#define START_OPTIONS(o)                                                                                     \
    {"keyframe", ARG_TEXT, "NAME|INDEX", "start in this keyframe of the scene", &(o)->keyframe},             \
        {"qpos", ARG_LIST, "a,b,...", "start at these positions, as many as nq", &(o)->qpos},                \
        {"qvel", ARG_LIST, "a,b,...", "start with these velocities, as many as nv", &(o)->qvel},             \
        {"act", ARG_LIST, "a,b,...", "start with these activations, as many as na", &(o)->act},              \
        {"ctrl", ARG_SIGNAL, "a,b,...|FILE.csv",                                                             \
         "hold the actuators at these controls, as many as nu; run: or play them from a table", &(o)->ctrl}, \
    {                                                                                                        \
        "set", ARG_EACH, "TYPE/NAME.ATTRIBUTE=VALUE",                                                        \
            "change a number of the model, as geom/floor.friction=0.3; a pattern (geom/*.friction) sets "    \
            "many; may be given again",                                                                      \
            &(o)->set                                                                                        \
    }

void start_options_free(start_options *o);

// Each returns an exit code, after saying what is wrong on stderr in one line where it is not EXIT_DONE.
int scene_open(const char *path, const file_options *o, scene *out); // o: NULL for none given
int scene_start(const command *self, scene *s, const start_options *o);
// Changes the model by settings, before it starts; also those of a recording, a line each.
int scene_vary(scene *s, const char *const *settings, int count);
int scene_vary_lines(scene *s, const char *lines);
void scene_close(scene *s);

// Puts the mocap bodies of the model where the state has them: after the state was set in another way.
void scene_see(const scene *s);

// The options of the library: those, and the folders of packages that the environment names.
thud_load_options scene_load_options(const file_options *o);

// Says a failure of the library on stderr as "file:line:column: sentence"; returns EXIT_BAD_INPUT.
int scene_complain(const char *path, thud_status status, const thud_diag *diag);
