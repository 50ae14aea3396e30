// SPDX-License-Identifier: Apache-2.0
// facts.h: the table of a page: names and texts.
#pragma once

#include <stdbool.h>

#include <thud/base.h>

typedef struct facts {
    struct fact {
        char *name, *text;
    } * at;
    int count, capacity;
    bool failed; // memory ran out, and some are missing
} facts;

void facts_add(facts *f, const char *name, const char *format, ...) THUD_PRINTF(3, 4);
void facts_free(facts *f);
