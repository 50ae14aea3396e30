// SPDX-License-Identifier: Apache-2.0
// whole.h: what becomes of an output (thud/base_output.h) when all of it was written, or could not be.
#pragma once

#include <thud/base_output.h>

// Gives the file its name where status is OK; else takes it away. Returns what came of it.
thud_status whole_close(thud_output *o, thud_status status, thud_diag *diag);
