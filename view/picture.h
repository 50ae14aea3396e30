// SPDX-License-Identifier: Apache-2.0
// picture.h: a run as one drawing (SVG). A mechanism that travels is exposed many times on one plate, with
// the paths of its tips; one that stays in its place is shown as a strip of moments.
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include <thud/thud.h>

#include "history.h"

typedef enum picture_use {
    PICTURE_INLINE,    // part of a page that has its own background
    PICTURE_STANDALONE // a file of its own
} picture_use;

bool picture_write(FILE *out, const thud_model *m, const history *h, picture_use use); // false: no memory
