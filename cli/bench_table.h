// SPDX-License-Identifier: Apache-2.0
// bench_table.h: the results of `thud bench` as text.
#pragma once

#include "race.h"

// One scene: a line an engine.
void bench_print(const course *c, const contestant *who, int count, const race_result *result);
