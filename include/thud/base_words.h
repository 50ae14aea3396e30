// SPDX-License-Identifier: Apache-2.0
// thud/base_words.h: words that people write: which one was likely meant, and which ones a pattern means.
#pragma once

#include <thud/base.h>

#ifdef __cplusplus
extern "C" {
#endif

// Whether two different words are so alike that one is likely the other mistyped: one letter too many, missing,
// changed or changed with its neighbour; two of them in words of eight letters and more. O(product of lengths).
THUD_API bool thud_word_is_near(const char *word, const char *other);

// Whether a word is one that a pattern means, in which * stands for any letters, or none, and ? for one letter.
// O(product of lengths).
THUD_API bool thud_word_matches(const char *word, const char *pattern);

#ifdef __cplusplus
}
#endif
