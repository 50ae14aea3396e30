// SPDX-License-Identifier: Apache-2.0
// Damaged files never crash the loader: a fixed sequence of random damage to a valid scene.
#include "fuzz_mjcf.h"
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
                                     "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17"};

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

static int damage(test_rng *rng, char *text, int length)
{
    const int at = length ? test_below(rng, length) : 0;
    switch (test_below(rng, 6)) {
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
    default: // the end is missing
        return test_below(rng, 4) ? length : at;
    }
}

TEST(random_damage_never_crashes_the_loader)
{
    test_rng rng = {2026};
    char *text = malloc(ROOM);
    const int whole = (int)strlen(sample_scene);
    const double start = thud_clock_cpu();
    int tried = 0;
    for (; tried < 4000 && thud_clock_cpu() - start < 20; tried++) {
        int length = whole;
        memcpy(text, sample_scene, (size_t)whole);
        for (int n = 1 + test_below(&rng, 5); n > 0; n--) {
            length = damage(&rng, text, length);
        }
        LLVMFuzzerTestOneInput((const uint8_t *)text, (size_t)length);
    }
    CHECK(tried >= 500);
    free(text);
}

TEST(every_prefix_of_a_file_is_refused)
{
    thud_spec *spec;
    thud_diag diag;
    const size_t whole = strlen(sample_scene) - 1; // without the last line end
    for (size_t length = 0; length < whole; length += 7) {
        CHECK_INT(thud_load_mjcf_text(sample_scene, length, "prefix.xml", &spec, &diag), THUD_BAD_FILE);
        CHECK(diag.text[0] && diag.line >= 1);
    }
}

TEST_MAIN(T(random_damage_never_crashes_the_loader), T(every_prefix_of_a_file_is_refused))
