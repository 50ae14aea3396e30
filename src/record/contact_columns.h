// SPDX-License-Identifier: Apache-2.0
// contact_columns.h: the columns of a recorded run's contacts, a row for each contact of each step.
#pragma once

#include <thud/contact_touch.h>
#include <thud/record.h>

enum { CONTACT_COLUMNS = 17 };

extern const thud_column contact_column[CONTACT_COLUMNS];
extern const bool contact_whole[CONTACT_COLUMNS]; // numbers, not quantities

// The values of a contact that belongs to row number `row` of the run.
void contact_columns_fill(int64_t row, const thud_touch *t, double value[CONTACT_COLUMNS]);
