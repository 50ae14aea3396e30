// SPDX-License-Identifier: Apache-2.0
// closing.c: from a spec's notes, and from what the model itself shows, to three lines.
#include <stdio.h>
#include <string.h>

#include "closing.h"
#include "term.h"

enum { HINTS = 8, SHOWN = 3 };

typedef struct hint { // of the model, beside the notes of the file
    char text[200];
} hint;

static int find_hints(const scene *s, hint out[HINTS])
{
    int count = 0;
    if (s->model->nv == 0) {
        snprintf(out[count++].text, sizeof out->text,
                 "nothing moves: the model has no joints (of a URDF file, --base floating frees the base)");
    }
    return count;
}

static bool is_left_out(thud_note_kind kind)
{
    return kind != THUD_NOTE_CHANGED && kind != THUD_NOTE_LOOK;
}

static bool belongs(thud_note_kind kind, thud_note_kind group) // IGNORED stands for all that is left out
{
    return group == THUD_NOTE_IGNORED ? is_left_out(kind) : kind == group;
}

static void print_table(const thud_spec *spec, thud_note_kind kind, const char *heading)
{
    bool first = true;
    for (int i = 0; i < spec->notes; i++) {
        const thud_spec_note *n = &spec->note[i];
        if (n->kind == kind) {
            if (first) {
                printf("\n%s%s%s\n", term_bold(stdout), heading, term_plain(stdout));
                first = false;
            }
            printf("  %s:%d:%d: %s: %s%s", n->place.file ? n->place.file : "", n->place.line, n->place.column,
                   n->what, n->why, n->count > 1 ? "" : "\n");
            if (n->count > 1) {
                printf(" (%d times)\n", n->count);
            }
        }
    }
}

// The first few of a group, and how many more.
static void print_line(const scene *s, const char *word, thud_note_kind group, const hint *hints, int count)
{
    int listed = 0, all = count;
    printf("%s%-10s%s", term_bold(stdout), word, term_plain(stdout));
    for (int k = 0; k < count && listed < SHOWN; k++, listed++) {
        printf("%s%s", listed ? "; " : "", hints[k].text);
    }
    for (int i = 0; i < s->spec->notes; i++) {
        const thud_spec_note *n = &s->spec->note[i];
        if (!belongs(n->kind, group)) {
            continue;
        }
        all++;
        if (listed < SHOWN) {
            printf("%s%s", listed++ ? "; " : "", n->what);
            if (n->count > 1) {
                printf(" (%d times)", n->count);
            }
        }
    }
    if (all > listed) {
        printf("; and %d more", all - listed);
    }
    printf("%s\n", all ? "" : "nothing");
}

void closing_print(const scene *s)
{
    hint hints[HINTS];
    const int count = find_hints(s, hints);
    print_table(s->spec, THUD_NOTE_CHANGED, "changed while it was read");
    print_table(s->spec, THUD_NOTE_LOOK, "worth a look");
    printf("\n");
    print_line(s, "left out", THUD_NOTE_IGNORED, NULL, 0);
    print_line(s, "changed", THUD_NOTE_CHANGED, NULL, 0);
    print_line(s, "look at", THUD_NOTE_LOOK, hints, count);
}

static void write_group(json *j, const scene *s, const char *name, thud_note_kind kind, const hint *hints,
                        int count)
{
    json_begin(j, name, '[');
    for (int k = 0; k < count; k++) {
        json_begin_line(j, NULL, '{');
        json_text(j, "what", hints[k].text);
        json_end(j);
    }
    for (int i = 0; i < s->spec->notes; i++) {
        const thud_spec_note *n = &s->spec->note[i];
        if (n->kind == kind) {
            json_begin_line(j, NULL, '{');
            json_text(j, "what", n->what);
            json_text(j, "why", n->why);
            json_text(j, "file", n->place.file);
            json_integer(j, "line", n->place.line);
            json_integer(j, "column", n->place.column);
            json_integer(j, "count", n->count);
            json_end(j);
        }
    }
    json_end(j);
}

void closing_json(json *j, const scene *s)
{
    hint hints[HINTS];
    const int count = find_hints(s, hints);
    write_group(j, s, "changed", THUD_NOTE_CHANGED, NULL, 0);
    write_group(j, s, "look_at", THUD_NOTE_LOOK, hints, count);
}
