// SPDX-License-Identifier: Apache-2.0
// png.h: pictures as PNG files, one or several that play (APNG).
#pragma once

#include <stdio.h>

#include "render.h"

bool png_write(FILE *out, const image *picture); // false when memory ran out

// A file that plays, for ever. Of each picture only what differs from the one before it is kept, and a
// difference that cannot be seen is none.
typedef struct apng {
    FILE *out;
    int pictures, fps;   // announced
    unsigned next;       // number of the next chunk that counts
    image shown;         // so far
    unsigned char *rgba; // scratch
} apng;

apng apng_open(FILE *out, int pictures, int fps);
bool apng_add(apng *a, const image *picture); // false when memory ran out
void apng_close(apng *a);                     // the file stays open
