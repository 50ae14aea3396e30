// SPDX-License-Identifier: Apache-2.0
// viewer.h: the script of the report's page, bundled from web/ when the program is built (web/bundle.mjs).
#pragma once

#include <stddef.h>

typedef struct viewer {
    const unsigned char *script;
    size_t size; // 0: built without npm, so that reports are pages without a replay
} viewer;

extern const viewer viewer_embedded;
