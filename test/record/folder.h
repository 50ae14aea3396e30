// SPDX-License-Identifier: Apache-2.0
// folder.h: a folder of its own for each test, and a recording in it.
#pragma once

#include "test.h"

#include <stdlib.h>
#include <unistd.h>

static char folder[] = "thud-test-XXXXXX";
static char path[128], part[160];

static int folder_enter(const char *name)
{
    memcpy(folder, "thud-test-XXXXXX", sizeof folder);
    if (!mkdtemp(folder)) {
        return -1;
    }
    snprintf(path, sizeof path, "%s/%s", folder, name);
    snprintf(part, sizeof part, "%s.part", path);
    return 0;
}

static int leave(void **state)
{
    (void)state;
    unlink(path);
    unlink(part);
    return rmdir(folder);
}
