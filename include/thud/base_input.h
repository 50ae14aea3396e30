// SPDX-License-Identifier: Apache-2.0
// thud/base_input.h: whole inputs, and numbers in text.
#pragma once

#include <thud/base.h>

#ifdef __cplusplus
extern "C" {
#endif

// Reads a whole input. A folder is refused, so is a device, and so is more than `most` bytes. A pipe is read to its end.
// "-" is standard input. The block ends with a zero byte that is not counted, and is the caller's (thud_free).
THUD_API THUD_MUST_USE thud_status thud_input_read(const char *path, size_t most, char **text, size_t *bytes,
                                                   thud_diag *diag);

// The number at the start of a text, after blanks: digits with a decimal point and an exponent, 0x with a power of two behind p, inf,
// infinity or nan, in either case, with a sign. The result is the nearest double, whatever the locale. *end is where the number ends; equal to text where there
// is none.
THUD_API double thud_number_read(const char *text, const char **end);

#ifdef __cplusplus
}
#endif
