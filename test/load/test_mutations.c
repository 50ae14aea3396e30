// SPDX-License-Identifier: Apache-2.0
// Damaged files never crash the loaders: a fixed sequence of random damage to a valid scene and robot.
#include <thud/model.h>

#include "fuzz_load.h"
#include "sample.h"
#include "scene.h"

enum { ROOM = 16384 };

static const char *const pieces[] = {"<body>",
                                     "</body>",
                                     "<geom/>",
                                     "nan",
                                     "1e999",
                                     "-1",
                                     "0",
                                     "''",
                                     "'",
                                     "<",
                                     "/>",
                                     "name='arm'",
                                     "&lt;",
                                     "99999999",
                                     "<frame>",
                                     "</frame>",
                                     "<replicate count='9'>",
                                     "</replicate>",
                                     "class='arm'",
                                     "<include file='fuzz.xml'/>",
                                     "<default class='x'>",
                                     "</default>",
                                     "\xff",
                                     "childclass='none'",
                                     "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17",
                                     "1e300",
                                     "1e-300",
                                     "-0",
                                     "<link name='tip'/>",
                                     "</link>",
                                     "<origin rpy='1 2 3'/>",
                                     "name='tip'",
                                     "link='base'",
                                     "joint='slide'",
                                     "floating",
                                     "<sphere radius='1'/>",
                                     "world"};

// Replaces `gone` bytes at `at` by a piece.
static int splice(char *text, int length, int at, int gone, const char *piece, int size)
{
    gone = at + gone > length ? length - at : gone;
    if (length - gone + size >= ROOM) {
        return length;
    }
    memmove(text + at + size, text + at + gone, (size_t)(length - at - gone));
    memcpy(text + at, piece, (size_t)size);
    return length - gone + size;
}

// Gives an attribute another value: the text stays XML, so that the reader behind it is reached.
static int change_value(test_rng *rng, char *text, int length, int at)
{
    static const char *const values[] = {
        "0",     "-1",         "1",         "-0",       "1e300",  "1e-300", "1e-8",  "0 0 0",    "1 2 3",
        "0 0 1", "1 1 1 1",    "-1 1",      "true",     "false",  "auto",   "world", "arm",      "hand",
        "tip",   "base",       "waist",     "slide",    "ball",   "free",   "hinge", "plane",    "mesh",
        "box",   "capsule",    "ellipsoid", "cylinder", "tetra",  "exact",  "shell", "floating", "planar",
        "fixed", "continuous", "prismatic", "radian",   "global", "7",      "180"};
    const char *open = memchr(text + at, '\'', (size_t)(length - at));
    const char *close = open ? memchr(open + 1, '\'', (size_t)(length - 1 - (int)(open - text))) : NULL;
    if (!close) {
        return length;
    }
    const char *value = values[test_below(rng, (int)(sizeof values / sizeof values[0]))];
    return splice(text, length, (int)(open - text) + 1, (int)(close - open) - 1, value, (int)strlen(value));
}

static int damage(test_rng *rng, char *text, int length)
{
    const int at = length ? test_below(rng, length) : 0;
    switch (test_below(rng, 10)) {
    case 0: { // one byte
        const char byte = (char)test_below(rng, 256);
        return splice(text, length, at, 1, &byte, 1);
    }
    case 1: // a hole
        return splice(text, length, at, 1 + test_below(rng, 20), "", 0);
    case 2: { // a piece
        const char *piece = pieces[test_below(rng, (int)(sizeof pieces / sizeof pieces[0]))];
        return splice(text, length, at, test_below(rng, 8), piece, (int)strlen(piece));
    }
    case 3: { // a stretch from elsewhere
        char copy[200];
        const int from = length ? test_below(rng, length) : 0;
        const int size = length - from < 200 ? length - from : 1 + test_below(rng, 199);
        memcpy(copy, text + from, (size_t)size);
        return splice(text, length, at, 0, copy, size);
    }
    case 4: { // a digit
        const char digit = (char)('0' + test_below(rng, 10));
        for (int i = at; i < length; i++) {
            if (text[i] >= '0' && text[i] <= '9') {
                return splice(text, length, i, 1, &digit, 1);
            }
        }
        return length;
    }
    case 5: // the end is missing
        return test_below(rng, 4) ? length : at;
    default:
        return change_value(rng, text, length, at);
    }
}

// Damages a text at random, with a fixed seed, and throws it at a loader; some of it must still load.
static void throw_at(void (*target)(const uint8_t *data, size_t size), const char *sample)
{
    test_rng rng = {2026};
    char *text = malloc(ROOM);
    const int whole = (int)strlen(sample);
    const double start = thud_clock_cpu();
    int tried = 0;
    for (; tried < 4000 && thud_clock_cpu() - start < 10; tried++) {
        int length = whole;
        memcpy(text, sample, (size_t)whole);
        for (int n = 1 + test_below(&rng, 5); n > 0; n--) {
            length = damage(&rng, text, length);
        }
        target((const uint8_t *)text, (size_t)length);
    }
    CHECK(tried >= 500);
    free(text);
}

TEST(random_damage_to_a_scene_is_refused_or_reads_back_as_it_is_written)
{
    throw_at(fuzz_mjcf, sample_scene);
}

TEST(random_damage_to_a_robot_is_refused_or_reads_back_as_it_is_written)
{
    throw_at(fuzz_urdf, sample_robot);
}

TEST(the_samples_are_whole_models)
{
    const char *const samples[] = {sample_scene, sample_robot};
    for (int i = 0; i < 2; i++) {
        thud_spec *spec;
        thud_model *m;
        thud_diag diag = {0};
        CHECK_OK(thud_load_text(samples[i], strlen(samples[i]), "sample", NULL, &spec, &diag));
        if (thud_model_build(spec, &m, &diag) != THUD_OK) {
            fail_msg("%d:%d: %s", diag.line, diag.column, diag.text);
        }
        thud_model_destroy(m);
        thud_spec_destroy(spec);
    }
}

TEST(every_prefix_of_a_file_is_refused)
{
    const char *const samples[] = {sample_scene, sample_robot};
    for (int i = 0; i < 2; i++) {
        thud_spec *spec;
        thud_diag diag;
        const size_t whole = strlen(samples[i]) - 1; // without the last line end
        for (size_t length = 0; length < whole; length += 7) {
            CHECK_INT(thud_load_text(samples[i], length, "prefix", NULL, &spec, &diag), THUD_BAD_FILE);
            CHECK(diag.text[0] && diag.line >= 1);
        }
    }
}

TEST_MAIN(T(random_damage_to_a_scene_is_refused_or_reads_back_as_it_is_written),
          T(random_damage_to_a_robot_is_refused_or_reads_back_as_it_is_written),
          T(the_samples_are_whole_models), T(every_prefix_of_a_file_is_refused))
