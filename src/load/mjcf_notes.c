// SPDX-License-Identifier: Apache-2.0
// mjcf_notes.c: what is told of a file beside the model it gives, each text once with its first place.
#include <stdarg.h>
#include <stdio.h>

#include "mjcf_reader.h"

thud_status mjcf_note(mjcf_reader *r, thud_note_kind kind, thud_place place, const char *why,
                      const char *what)
{
    const int same = mjcf_name_find(r, MJCF_SPACE_NOTE, what);
    if (same >= 0) {
        r->spec->note[same].count++;
        return THUD_OK;
    }
    const int note = thud_spec_add_note(r->spec, kind, what, why, place);
    return note < 0 ? THUD_NO_MEMORY : mjcf_name_add(r, MJCF_SPACE_NOTE, what, note, place);
}

thud_status mjcf_mend(mjcf_reader *r, thud_note_kind kind, thud_status refused, thud_place place,
                      const char *why, const char *what, ...)
{
    char text[400];
    va_list args;
    va_start(args, what);
    vsnprintf(text, sizeof text, what, args);
    va_end(args);
    return r->strict ? MJCF_FAIL(r, refused, place, "%s", text) : mjcf_note(r, kind, place, why, text);
}
