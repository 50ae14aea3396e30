// SPDX-License-Identifier: Apache-2.0
// mjcf_table_words.c: words that many tables share.
#include "mjcf_rows.h"

const mjcf_word mjcf_booleans[] = {{"false", 0}, {"true", 1}, {NULL, 0}};
const mjcf_word mjcf_tristates[] = {
    {"false", THUD_FALSE}, {"true", THUD_TRUE}, {"auto", THUD_AUTO}, {NULL, 0}};
