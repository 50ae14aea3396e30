// SPDX-License-Identifier: Apache-2.0
// event_columns.h: events as columns. Private to the room.
#pragma once

#include <thud/record.h>

enum { EVENT_COLUMNS = 15 };

extern const thud_column event_column[EVENT_COLUMNS];
extern const bool event_whole[EVENT_COLUMNS];
void event_columns_fill(const thud_event *e, double value[EVENT_COLUMNS]);
