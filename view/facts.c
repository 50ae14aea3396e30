// SPDX-License-Identifier: Apache-2.0
// facts.c: a growing list of names and texts.
#include <stdarg.h>
#include <stdio.h>

#include "facts.h"

void facts_add(facts *f, const char *name, const char *format, ...)
{
    char text[300];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (!thud_grow((void **)&f->at, &f->capacity, f->count, sizeof *f->at)) {
        f->failed = true;
        return;
    }
    struct fact *to = &f->at[f->count];
    *to = (struct fact){thud_strdup(name), thud_strdup(text)};
    f->failed = f->failed || !to->name || !to->text;
    f->count++;
}

void facts_free(facts *f)
{
    for (int i = 0; i < f->count; i++) {
        thud_free(f->at[i].name);
        thud_free(f->at[i].text);
    }
    thud_free(f->at);
    *f = (facts){0};
}
