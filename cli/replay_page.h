// SPDX-License-Identifier: Apache-2.0
// replay_page.h: a run as one page that replays it in 3-D beside its plots. Everything is in the file: the
// viewer's script, a description of the run (JSON) and its numbers (single precision, base64). No network.
#pragma once

#include <stdio.h>

#include "replay.h"

// False when memory ran out.
bool replay_page_write(FILE *out, const scene *s, const summary *sum, const replay *r);
