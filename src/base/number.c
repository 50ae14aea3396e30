// SPDX-License-Identifier: Apache-2.0
// number.c: doubles as text that reads back as the same bits, whatever the locale.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <thud/base.h>

const char *thud_number_format(double value, char out[THUD_NUMBER_SIZE])
{
    if (!isfinite(value)) {
        snprintf(out, THUD_NUMBER_SIZE, "%s", isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
        return out;
    }
    for (int digits = 15; digits <= 17; digits++) { // 17 always suffice, 15 often do
        snprintf(out, THUD_NUMBER_SIZE, "%.*g", digits, value);
        if (strtod(out, NULL) == value) {
            break;
        }
    }
    for (char *c = out; *c; c++) { // a locale's decimal comma
        if (*c == ',') {
            *c = '.';
        }
    }
    return out;
}
