// SPDX-License-Identifier: Apache-2.0
// bad_table.h: files that are wrong, and what is to be said of each.
#pragma once

#include "scene.h"

typedef struct bad {
    thud_status status;
    const char *says, *xml; // a mark @ stands where the message must point
} bad;

static void check_all(const bad *b, int count,
                      void (*check)(const char *xml, thud_status want, const char *says))
{
    for (int i = 0; i < count; i++) {
        check(b[i].xml, b[i].status, b[i].says);
    }
}

#define CHECK_ALL(table, check) check_all(table, (int)(sizeof table / sizeof table[0]), check)
