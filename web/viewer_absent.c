// SPDX-License-Identifier: Apache-2.0
// viewer_absent.c: stands in for the bundle where the viewer's packages are not installed.
#include "viewer.h"

const viewer viewer_embedded = {NULL, 0};
