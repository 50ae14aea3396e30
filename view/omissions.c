// SPDX-License-Identifier: Apache-2.0
// omissions.c: what of a scene's physics is left out.
#include <string.h>

#include "omissions.h"

static int add(const char *what, const char *name[OMISSIONS_MAX], int count)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(name[i], what) == 0) {
            return count;
        }
    }
    if (count < OMISSIONS_MAX) {
        name[count++] = what;
    }
    return count;
}

int omissions_find(const thud_spec *s, const char *name[OMISSIONS_MAX])
{
    int count = 0;
    for (int i = 0; i < s->notes; i++) { // what the loader itself sets aside
        if (s->note[i].kind == THUD_NOTE_LATER) {
            count = add(s->note[i].what, name, count);
        }
    }
    return count;
}

void omissions_json(json *j, const thud_spec *s)
{
    const char *name[OMISSIONS_MAX];
    const int count = omissions_find(s, name);
    json_begin_line(j, "not_simulated", '[');
    for (int i = 0; i < count; i++) {
        json_text(j, NULL, name[i]);
    }
    json_end(j);
}
