// SPDX-License-Identifier: Apache-2.0
// lcp_text.c: reads the plain-text LCP file of thud/problem_lcp.h. Whatever is wrong, the answer is the line
// and column of the word that cannot be, and nothing is left allocated.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <thud/base_input.h>
#include <thud/problem_lcp.h>

enum { WORD_MAX = 63, MOST_BYTES = 1 << 30 };

typedef struct reader {
    const char *at, *end, *line_start;
    const char *name;
    int line;
    thud_diag *diag;
    char word[WORD_MAX + 1]; // the last word; "" at the end of the text
    int word_line, word_column;
} reader;

static thud_status fail_at_word(const reader *r, const char *sentence)
{
    if (r->word[0] == '\0') {
        return thud_fail(THUD_BAD_FILE, r->diag, r->name, r->word_line, r->word_column,
                         "the text ends where %s", sentence);
    }
    return thud_fail(THUD_BAD_FILE, r->diag, r->name, r->word_line, r->word_column, "'%s' stands where %s",
                     r->word, sentence);
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static void skip_space(reader *r)
{
    bool comment = false;
    while (r->at < r->end && (comment || is_space(*r->at) || *r->at == '#')) {
        comment = *r->at == '#' || (comment && *r->at != '\n');
        if (*r->at == '\n') {
            r->line++;
            r->line_start = r->at + 1;
        }
        r->at++;
    }
}

// Moves to the next word; false when it is longer than any word of the format.
static thud_status next_word(reader *r)
{
    skip_space(r);
    r->word_line = r->line;
    r->word_column = (int)(r->at - r->line_start) + 1;
    int length = 0;
    for (; r->at < r->end && !is_space(*r->at) && *r->at != '#'; r->at++) {
        if (length == WORD_MAX || (unsigned char)*r->at < ' ' || (unsigned char)*r->at > '~') {
            return thud_fail(
                THUD_BAD_FILE, r->diag, r->name, r->word_line, r->word_column,
                length == WORD_MAX
                    ? "a word of more than %d characters"
                    : "a character that is none of this format's (words have at most %d, in ASCII)",
                WORD_MAX);
        }
        r->word[length++] = *r->at;
    }
    r->word[length] = '\0';
    return THUD_OK;
}

static thud_status read_number(reader *r, double *out)
{
    THUD_TRY(next_word(r));
    const char *end;
    *out = thud_number_read(r->word, &end);
    if (end == r->word || *end != '\0') {
        return fail_at_word(r, "a number should");
    }
    return THUD_OK;
}

static thud_status read_integer(reader *r, long least, long most, const char *what, int *out)
{
    THUD_TRY(next_word(r));
    char *end;
    errno = 0;
    const long value = strtol(r->word, &end, 10);
    if (end == r->word || *end != '\0' || errno != 0 || value < least || value > most) {
        char sentence[128];
        snprintf(sentence, sizeof sentence, "%s should: a whole number from %ld to %ld", what, least, most);
        return fail_at_word(r, sentence);
    }
    *out = (int)value;
    return THUD_OK;
}

static thud_status read_vector(reader *r, int n, double *x)
{
    for (int i = 0; i < n; i++) {
        THUD_TRY(read_number(r, &x[i]));
    }
    return THUD_OK;
}

static thud_status read_dense(reader *r, int n, double *M)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            THUD_TRY(read_number(r, &M[i + (size_t)j * (size_t)n]));
        }
    }
    return THUD_OK;
}

static thud_status read_sparse(reader *r, int n, double *M)
{
    const size_t elements = (size_t)n * (size_t)n;
    int count = 0;
    THUD_TRY(read_integer(r, 0, elements < INT32_MAX ? (long)elements : INT32_MAX,
                          "the count of M's elements", &count));
    bool *given = thud_alloc(elements, sizeof(bool));
    if (!given) {
        return THUD_NO_MEMORY;
    }
    thud_status status = THUD_OK;
    for (int k = 0; k < count && status == THUD_OK; k++) {
        int row = 0, column = 0;
        status = read_integer(r, 1, n, "a row of M", &row);
        if (status == THUD_OK) {
            status = read_integer(r, 1, n, "a column of M", &column);
        }
        if (status != THUD_OK) {
            break;
        }
        const size_t at = (size_t)(row - 1) + (size_t)(column - 1) * (size_t)n;
        status = given[at] ? thud_fail(THUD_BAD_FILE, r->diag, r->name, r->word_line, r->word_column,
                                       "the element of row %d, column %d is given twice", row, column)
                           : read_number(r, &M[at]);
        given[at] = true;
    }
    thud_free(given);
    return status;
}

static thud_status read_matrix(reader *r, thud_lcp_problem *problem)
{
    THUD_TRY(next_word(r));
    if (strcmp(r->word, "dense") == 0) {
        return read_dense(r, problem->lcp.n, problem->M);
    }
    if (strcmp(r->word, "sparse") == 0) {
        return read_sparse(r, problem->lcp.n, problem->M);
    }
    return fail_at_word(r, "'dense' or 'sparse' should");
}

// The array of a section of n numbers, made when it is first asked for; NULL when memory runs out.
static double *section_array(thud_lcp_problem *problem, double **array)
{
    if (!*array) {
        *array = thud_alloc((size_t)problem->lcp.n, sizeof(double));
    }
    return *array;
}

enum { SECTION_M, SECTION_Q, SECTION_LO, SECTION_HI, SECTION_Q_SIZE, SECTIONS };
static const char *const section_names[SECTIONS] = {"M", "q", "lo", "hi", "q_size"};

static thud_status read_section(reader *r, int section, thud_lcp_problem *problem)
{
    if (section == SECTION_M) {
        return read_matrix(r, problem);
    }
    double **const arrays[SECTIONS] = {NULL, &problem->q, &problem->lo, &problem->hi, &problem->q_size};
    double *x = section_array(problem, arrays[section]);
    return x ? read_vector(r, problem->lcp.n, x) : THUD_NO_MEMORY;
}

static thud_status read_sections(reader *r, thud_lcp_problem *problem)
{
    bool seen[SECTIONS] = {false};
    for (;;) {
        THUD_TRY(next_word(r));
        if (strcmp(r->word, "end") == 0) {
            break;
        }
        int section = 0;
        while (section < SECTIONS && strcmp(r->word, section_names[section]) != 0) {
            section++;
        }
        if (section == SECTIONS) {
            return fail_at_word(r, "M, q, lo, hi, q_size or end should");
        }
        if (seen[section]) {
            return thud_fail(THUD_BAD_FILE, r->diag, r->name, r->word_line, r->word_column,
                             "section %s is given twice", r->word);
        }
        seen[section] = true;
        THUD_TRY(read_section(r, section, problem));
    }
    if (!seen[SECTION_M] || !seen[SECTION_Q]) {
        return thud_fail(THUD_BAD_FILE, r->diag, r->name, r->word_line, r->word_column,
                         "the problem ends without its %s", seen[SECTION_M] ? "q" : "M");
    }
    THUD_TRY(next_word(r));
    return r->word[0] == '\0' ? THUD_OK : fail_at_word(r, "nothing should: the problem has ended");
}

static thud_status read_header(reader *r, int *n)
{
    int version;
    THUD_TRY(next_word(r));
    if (strcmp(r->word, "thud-lcp") != 0) {
        return fail_at_word(r, "'thud-lcp' should: this is no LCP file");
    }
    THUD_TRY(read_integer(r, 1, 1, "the version of the format", &version));
    THUD_TRY(next_word(r));
    if (strcmp(r->word, "n") != 0) {
        return fail_at_word(r, "'n' and the size of the problem should");
    }
    const long most = (long)(r->end - r->at) / 2; // q alone needs two characters a row
    return read_integer(r, 0, most < INT32_MAX / 4 ? most : INT32_MAX / 4,
                        "the size (no more than the text can hold)", n);
}

thud_status thud_lcp_read_text(const char *text, size_t length, const char *name, thud_lcp_problem **out,
                               thud_diag *diag)
{
    *out = NULL;
    reader r = {.at = text, .end = text + length, .line_start = text, .name = name, .line = 1, .diag = diag};
    int n = 0;
    THUD_TRY(read_header(&r, &n));
    thud_lcp_problem *problem;
    thud_status status = thud_lcp_problem_create(n, &problem);
    if (status == THUD_OK) {
        status = read_sections(&r, problem);
    }
    if (status == THUD_NO_MEMORY) {
        thud_fail(status, diag, name, 0, 0, "there is no memory for a problem of %d rows", n);
    }
    if (status != THUD_OK) {
        thud_lcp_problem_destroy(problem);
        return status;
    }
    problem->lcp.lo = problem->lo;
    problem->lcp.hi = problem->hi;
    problem->lcp.q_size = problem->q_size;
    *out = problem;
    return THUD_OK;
}

thud_status thud_lcp_read(const char *path, thud_lcp_problem **out, thud_diag *diag)
{
    *out = NULL;
    char *text;
    size_t length;
    thud_status status = thud_input_read(path, MOST_BYTES, &text, &length, diag);
    if (status == THUD_OK) {
        status = thud_lcp_read_text(text, length, path, out, diag);
        thud_free(text);
    }
    return status;
}
