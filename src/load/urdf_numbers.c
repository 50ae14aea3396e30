// SPDX-License-Identifier: Apache-2.0
// urdf_numbers.c: numbers as the authors of URDF files write them and other programs read them.
#include <string.h>

#include "urdf_robot.h"

// Blanks out a "$(optenv NAME VALUE)", which roslaunch replaces by VALUE, but for VALUE.
static bool strip_optenv(char *text)
{
    static const char word[] = "$(optenv ";
    char *open = strstr(text, word), *close = open ? strchr(open, ')') : NULL;
    if (!close) {
        return false;
    }
    char *p = open + strlen(word);
    p += strspn(p, " ");
    p += strcspn(p, " )");
    memset(open, ' ', (size_t)(p - open));
    *close = ' ';
    return true;
}

static bool blank_commas(char *text)
{
    bool some = false;
    for (; *text; text++) {
        some |= *text == ',';
        *text = *text == ',' ? ' ' : *text;
    }
    return some;
}

const char *urdf_plain_numbers(mjcf_reader *r, thud_place place, const char *text)
{
    if (!strchr(text, ',') && !strchr(text, '$')) {
        return text;
    }
    char *copy = pool_text(&r->tree.pool, text, strlen(text));
    if (!copy) {
        return NULL;
    }
    if (strip_optenv(copy) && mjcf_note(r, THUD_NOTE_CHANGED, place, "its default value is taken",
                                        "$(optenv NAME VALUE) in a number")) {
        return NULL;
    }
    if (blank_commas(copy) &&
        mjcf_note(r, THUD_NOTE_CHANGED, place, "read as blanks", "commas between numbers")) {
        return NULL;
    }
    return copy;
}
