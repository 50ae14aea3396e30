// SPDX-License-Identifier: Apache-2.0
// nearest.h: the word that was likely meant by one that is not known.
#pragma once

#include <stdbool.h>

// Whether two different words are so alike that one is likely the other mistyped: one letter too many, missing,
// changed or changed with its neighbour; two of them in words of eight letters and more. O(product of lengths).
bool load_is_near(const char *word, const char *other);
