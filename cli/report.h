// SPDX-License-Identifier: Apache-2.0
// report.h: a run as one page to look at: self-contained HTML, drawings as SVG, no script and no network.
#pragma once

#include "history.h"
#include "summary.h"

// Each returns an exit code, after saying what is wrong on stderr in one line where it is not EXIT_DONE.
int report_write(const char *path, const scene *s, const summary *sum, const history *h);
int report_picture(const char *path, const scene *s, const history *h); // the drawing alone, an SVG file
