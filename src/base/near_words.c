// SPDX-License-Identifier: Apache-2.0
// near_words.c: the distance of two words in edits, neighbours changed with each other being one edit (optimal
// string alignment), and patterns.
#include <string.h>

#include <thud/base_words.h>

enum { LONGEST = 40 }; // longer words are not compared

static int least(int a, int b)
{
    return a < b ? a : b;
}

static int distance(const char *a, int m, const char *b, int n)
{
    int row[3][LONGEST + 1]; // of the last three letters of a
    for (int j = 0; j <= n; j++) {
        row[0][j] = j;
    }
    for (int i = 1; i <= m; i++) {
        int *now = row[i % 3];
        const int *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
        now[0] = i;
        for (int j = 1; j <= n; j++) {
            now[j] = least(least(last[j], now[j - 1]) + 1, last[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                now[j] = least(now[j], before[j - 2] + 1);
            }
        }
    }
    return row[m % 3][n];
}

bool thud_word_is_near(const char *word, const char *other)
{
    const size_t m = strlen(word), n = strlen(other);
    if (m < 3 || n < 3 || m > LONGEST || n > LONGEST || strcmp(word, other) == 0) {
        return false;
    }
    return distance(word, (int)m, other, (int)n) <= (m >= 8 && n >= 8 ? 2 : 1);
}

bool thud_word_matches(const char *word, const char *pattern)
{
    const char *star = NULL, *from = word; // the last *, and the letter of the word after what it stands for
    while (*word) {
        if (*pattern == '*') {
            star = pattern++;
            from = word;
        } else if (*pattern == '?' || *pattern == *word) {
            pattern++;
            word++;
        } else if (star) { // it stands for one letter more
            pattern = star + 1;
            word = ++from;
        } else {
            return false;
        }
    }
    while (*pattern == '*') {
        pattern++;
    }
    return !*pattern;
}
