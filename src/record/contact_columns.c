// SPDX-License-Identifier: Apache-2.0
// contact_columns.c: contacts as columns.
#include <string.h>

#include "contact_columns.h"

// X(name, unit, whole, value)
#define CONTACT(X)                                                                                           \
    X("row", "", true, (double)row)                                                                          \
    X("geom[0]", "", true, t->geom1)                                                                         \
    X("geom[1]", "", true, t->geom2)                                                                         \
    X("body[0]", "", true, t->body1)                                                                         \
    X("body[1]", "", true, t->body2)                                                                         \
    X("point[0]", "m", false, t->point.x)                                                                    \
    X("point[1]", "m", false, t->point.y)                                                                    \
    X("point[2]", "m", false, t->point.z)                                                                    \
    X("normal[0]", "", false, t->normal.x)                                                                   \
    X("normal[1]", "", false, t->normal.y)                                                                   \
    X("normal[2]", "", false, t->normal.z)                                                                   \
    X("impulse[0]", "N s", false, t->impulse.x)                                                              \
    X("impulse[1]", "N s", false, t->impulse.y)                                                              \
    X("impulse[2]", "N s", false, t->impulse.z)                                                              \
    X("friction", "", false, t->friction[0])                                                                 \
    X("slides", "", true, t->slides)                                                                         \
    X("duration", "s", false, t->duration)

const thud_column contact_column[CONTACT_COLUMNS] = {
#define COLUMN(name, unit, whole, value) {name, unit},
    CONTACT(COLUMN)
#undef COLUMN
};

const bool contact_whole[CONTACT_COLUMNS] = {
#define WHOLE(name, unit, whole, value) whole,
    CONTACT(WHOLE)
#undef WHOLE
};

void contact_columns_fill(int64_t row, const thud_touch *t, double value[CONTACT_COLUMNS])
{
    const double filled[CONTACT_COLUMNS] = {
#define VALUE(name, unit, whole, of) of,
        CONTACT(VALUE)
#undef VALUE
    };
    memcpy(value, filled, sizeof filled);
}
