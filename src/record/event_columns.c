// SPDX-License-Identifier: Apache-2.0
// event_columns.c: events of the event-driven scheme as columns.
#include <string.h>

#include "event_columns.h"

// X(name, unit, whole, value)
#define EVENT(X)                                                                                             \
    X("time", "s", false, e->time)                                                                           \
    X("kind", "", true, e->kind)                                                                             \
    X("body[0]", "", true, e->body1)                                                                         \
    X("body[1]", "", true, e->body2)                                                                         \
    X("joint", "", true, e->joint)                                                                           \
    X("tendon", "", true, e->tendon)                                                                         \
    X("impulse[0]", "N s", false, e->impulse[0])                                                             \
    X("impulse[1]", "N s", false, e->impulse[1])                                                             \
    X("impulse[2]", "N s", false, e->impulse[2])                                                             \
    X("speed[0]", "m/s", false, e->speed[0])                                                                 \
    X("speed[1]", "m/s", false, e->speed[1])                                                                 \
    X("slip[0]", "m/s", false, e->slip[0])                                                                   \
    X("slip[1]", "m/s", false, e->slip[1])                                                                   \
    X("energy", "J", false, e->energy)                                                                       \
    X("together", "", true, e->together)

const thud_column event_column[EVENT_COLUMNS] = {
#define COLUMN(name, unit, whole, value) {name, unit},
    EVENT(COLUMN)
#undef COLUMN
};

const bool event_whole[EVENT_COLUMNS] = {
#define WHOLE(name, unit, whole, value) whole,
    EVENT(WHOLE)
#undef WHOLE
};

void event_columns_fill(const thud_event *e, double value[EVENT_COLUMNS])
{
    const double filled[EVENT_COLUMNS] = {
#define VALUE(name, unit, whole, of) of,
        EVENT(VALUE)
#undef VALUE
    };
    memcpy(value, filled, sizeof filled);
}
