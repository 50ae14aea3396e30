// SPDX-License-Identifier: Apache-2.0
// input.h: a file of the file system as one block, for the readers of this room.
#pragma once

#include <thud/base.h>

// As thud_input_read, without standard input; *why is the reason of a failure.
thud_status input_read(const char *path, size_t most, char **text, size_t *bytes, const char **why);
