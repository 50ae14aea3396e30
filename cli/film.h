// SPDX-License-Identifier: Apache-2.0
// film.h: a run as a picture or a film, for the commands that have a replay of one.
#pragma once

#include "args.h"
#include "render.h"

typedef struct film_options {
    const char *snapshot, *video; // files, or NULL
    double time;                  // of the snapshot, s; negative: the end
    double speed;                 // of the film: 0.1 shows a tenth of a second in one
    int fps;
    const char *size;   // "1280x720"
    number_list camera; // azimuth and elevation in degrees, and how much nearer
    bool forces, cones;
} film_options;

#define FILM_NONE                                                                                            \
    {                                                                                                        \
        .time = -1, .speed = 1, .fps = 30, .size = "1280x720"                                                \
    }

// The lines of a table of options that read film_options.
#define FILM_OPTIONS(o)                                                                                      \
    {"snapshot", ARG_TEXT, "FILE.png", "draw the scene as it is at the end, or at --snapshot-time",          \
     &(o)->snapshot},                                                                                        \
        {"snapshot-time", ARG_NUMBER, "T", "when that is, in seconds (the end)", &(o)->time},                \
        {"video", ARG_TEXT, "FILE.mp4|FILE.png",                                                             \
         "draw the run as a film: .mp4 through ffmpeg, an animated .png by Thud itself", &(o)->video},       \
        {"fps", ARG_INT, "N", "pictures of a film a second (30)", &(o)->fps},                                \
        {"speed", ARG_POSITIVE, "X", "of a film: 0.1 is slow motion (1)", &(o)->speed},                      \
        {"size", ARG_TEXT, "WxH", "of a picture or film, in pixels (1280x720)", &(o)->size},                 \
        {"camera", ARG_LIST, "AZIMUTH,ELEVATION[,ZOOM]",                                                     \
         "where to look from, in degrees: 0,0 along the x axis, -90,20 from the front and above",            \
         &(o)->camera},                                                                                      \
        {"forces", ARG_FLAG, NULL, "draw contact forces: green sticks, orange slides", &(o)->forces},        \
    {                                                                                                        \
        "cones", ARG_FLAG, NULL, "draw friction cones", &(o)->cones                                          \
    }

void film_options_free(film_options *o);

static inline bool film_wanted(const film_options *o)
{
    return o->snapshot || o->video;
}

// Each returns an exit code, after saying what is wrong on stderr in one line where it is not EXIT_DONE.
// The check is for before the run: sizes and names, and whether ffmpeg is there if it will be needed.
int film_check(const command *self, const film_options *o);
int film_make(const film_options *o, const thud_model *m, const replay *run);
