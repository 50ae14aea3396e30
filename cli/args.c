// SPDX-License-Identifier: Apache-2.0
// args.c: reads a command line by its table.
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <thud/base_input.h>

#include "args.h"
#include "term.h"

int args_usage(const command *self, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "thud %s: ", self->name);
    vfprintf(stderr, format, args);
    fprintf(stderr, " (see 'thud %s --help')\n", self->name);
    va_end(args);
    return EXIT_USAGE;
}

void number_list_free(number_list *list)
{
    thud_free(list->value);
    *list = (number_list){0};
}

void text_list_free(text_list *list)
{
    thud_free(list->text);
    *list = (text_list){0};
}

// ---------------------------------------------------------------------------------------- did you mean

enum { LONGEST_WORD = 63 };

static int least(int a, int b, int c)
{
    const int ab = a < b ? a : b;
    return ab < c ? ab : c;
}

// Levenshtein's distance: the least number of letters to insert, delete or change.
static int edits(const char *a, const char *b)
{
    int row[LONGEST_WORD + 1];
    const int na = (int)strlen(a), nb = (int)strlen(b);
    if (na > LONGEST_WORD || nb > LONGEST_WORD) {
        return LONGEST_WORD;
    }
    for (int j = 0; j <= nb; j++) {
        row[j] = j;
    }
    for (int i = 1; i <= na; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= nb; j++) {
            const int above = row[j];
            row[j] = least(above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]));
            diagonal = above;
        }
    }
    return row[nb];
}

const char *args_nearest(const char *word, const char *const *words, int count)
{
    const char *best = NULL;
    int best_edits = 1 + (int)strlen(word) / 3; // one slip in a short word, more in a long one
    for (int i = 0; i < count; i++) {
        const int e = edits(word, words[i]);
        if (e <= best_edits && (!best || e < best_edits)) {
            best = words[i];
            best_edits = e;
        }
    }
    return best;
}

static const char *nearest_option(const char *name, const arg_option *table, int options)
{
    const char *words[64];
    int count = 0;
    for (int i = 0; i < options && count < 63; i++) {
        if (table[i].kind != ARG_HEADING) {
            words[count++] = table[i].name;
        }
    }
    words[count++] = "help";
    return args_nearest(name, words, count);
}

// ---------------------------------------------------------------------------------------- values

static bool read_number(const char *text, double *out)
{
    const char *end;
    *out = thud_number_read(text, &end);
    return end != text && *end == '\0' && isfinite(*out);
}

static bool read_int(const char *text, int *out)
{
    char *end;
    errno = 0;
    const long value = strtol(text, &end, 10);
    *out = (int)value;
    return end != text && *end == '\0' && errno == 0 && value >= 0 && value <= 1000000000;
}

// The place of `word` among "a|b|c", or -1.
static int read_choice(const char *choices, const char *word)
{
    const size_t length = strlen(word);
    int place = 0;
    for (const char *c = choices;; c = strchr(c, '|') + 1, place++) {
        if (length > 0 && strncmp(c, word, length) == 0 && (c[length] == '|' || c[length] == '\0')) {
            return place;
        }
        if (!strchr(c, '|')) {
            return -1;
        }
    }
}

// Says that `word` is none of the option's words, and which of them it may have meant.
static int refuse_choice(const command *self, const arg_option *o, const char *word)
{
    enum { MOST = 16 };
    char text[256], lower[LONGEST_WORD + 1] = "";
    const char *words[MOST], *near = NULL;
    int count = 0;
    for (size_t i = 0; word[i] && i < LONGEST_WORD; i++) {
        lower[i] = (char)tolower((unsigned char)word[i]);
    }
    if (snprintf(text, sizeof text, "%s", o->value) < (int)sizeof text) {
        for (char *rest = text, *w; count < MOST && (w = strtok_r(rest, "|", &rest)); count++) {
            words[count] = w;
        }
        near = args_nearest(lower, words, count);
    }
    return near ? args_usage(self, "--%s is one of %s, not '%s'; did you mean %s?", o->name, o->value, word,
                             near)
                : args_usage(self, "--%s is one of %s, not '%s'", o->name, o->value, word);
}

// Numbers between commas or blanks; an empty text is an empty list. On failure *bad is where it stopped.
bool args_read_list(const char *text, number_list *out, const char **bad)
{
    number_list_free(out);
    out->given = true;
    int capacity = 0;
    const char *c = text + strspn(text, " \t\n");
    while (*c) {
        const char *end;
        const double value = thud_number_read(c, &end);
        *bad = c;
        if (end == c || !isfinite(value) ||
            !thud_grow((void **)&out->value, &capacity, out->count, sizeof *out->value)) {
            return false;
        }
        out->value[out->count++] = value;
        c = end + strspn(end, " \t\n");
        if (*c == ',') {
            c += 1 + strspn(c + 1, " \t\n");
            *bad = c;
            if (*c == '\0') {
                return false; // "1,2,"
            }
        } else if (c == end && *c) {
            return false; // "1x"
        }
    }
    return true;
}

// Sets one option from its value; EXIT_DONE, or EXIT_USAGE after saying why.
static int set_option(const command *self, const arg_option *o, const char *value)
{
    const char *bad = value;
    switch (o->kind) {
    case ARG_INT:
        return read_int(value, o->out)
                   ? EXIT_DONE
                   : args_usage(self, "--%s takes a whole number, not '%s'", o->name, value);
    case ARG_NUMBER:
        return read_number(value, o->out) ? EXIT_DONE
                                          : args_usage(self, "--%s takes a number, not '%s'", o->name, value);
    case ARG_POSITIVE:
        return read_number(value, o->out) && *(double *)o->out > 0
                   ? EXIT_DONE
                   : args_usage(self, "--%s takes a number above zero, not '%s'", o->name, value);
    case ARG_CHOICE:
        *(int *)o->out = read_choice(o->value, value);
        return *(int *)o->out >= 0 ? EXIT_DONE : refuse_choice(self, o, value);
    case ARG_SIGNAL:
        if (strlen(value) > 4 && strcmp(value + strlen(value) - 4, ".csv") == 0) {
            ((number_list *)o->out)->file = value;
            return EXIT_DONE;
        }
        __attribute__((fallthrough));
    case ARG_LIST:
        return args_read_list(value, o->out, &bad)
                   ? EXIT_DONE
                   : args_usage(self,
                                "--%s takes numbers between commas: number %d cannot be read at '%.20s'",
                                o->name, ((number_list *)o->out)->count + 1, bad);
    case ARG_EACH: {
        text_list *list = o->out;
        if (!thud_grow((void **)&list->text, &list->capacity, list->count, sizeof *list->text)) {
            return args_usage(self, "--%s: memory ran out", o->name);
        }
        list->text[list->count++] = value;
        return EXIT_DONE;
    }
    default:
        *(const char **)o->out = value;
        return EXIT_DONE;
    }
}

// ---------------------------------------------------------------------------------------- help

static void print_help(const command *self, const arg_option *table, int options)
{
    const char *bold = term_bold(stdout), *plain = term_plain(stdout);
    printf("%susage:%s thud %s %s\n\n", bold, plain, self->name, self->synopsis);
    term_paragraph(stdout, self->about);
    if (options == 0 || table[0].kind != ARG_HEADING) {
        printf("\n%soptions%s\n", bold, plain);
    }
    for (int i = 0; i < options; i++) {
        const arg_option *o = &table[i];
        if (o->kind == ARG_HEADING) {
            printf("\n%s%s%s\n", bold, o->name, plain);
            continue;
        }
        char left[128];
        snprintf(left, sizeof left, "--%s%s%s", o->name, o->value ? " " : "", o->value ? o->value : "");
        term_entry(stdout, left, o->help);
    }
    term_entry(stdout, "--help", "print this page");
    if (self->more) {
        printf("\n%s\n", self->more);
    }
}

// ---------------------------------------------------------------------------------------- the parser

// Handles argv[*i], which starts with "--"; moves *i past its value.
static int take_option(const command *self, const arg_option *table, int options, int argc, char **argv,
                       int *i)
{
    const char *name = argv[*i] + 2, *equals = strchr(name, '=');
    const size_t length = equals ? (size_t)(equals - name) : strlen(name);
    const arg_option *o = NULL;
    for (int k = 0; k < options && !o; k++) {
        if (table[k].kind == ARG_HEADING) {
            continue;
        }
        o = strlen(table[k].name) == length && strncmp(table[k].name, name, length) == 0 ? &table[k] : NULL;
    }
    if (!o) {
        char word[LONGEST_WORD + 1];
        snprintf(word, sizeof word, "%.*s", (int)length, name);
        const char *near = nearest_option(word, table, options);
        return near ? args_usage(self, "unknown option --%s; did you mean --%s?", word, near)
                    : args_usage(self, "unknown option --%s", word);
    }
    if (o->kind == ARG_FLAG) {
        *(bool *)o->out = true;
        return equals ? args_usage(self, "--%s takes no value", o->name) : EXIT_DONE;
    }
    if (equals) {
        return set_option(self, o, equals + 1);
    }
    if (*i + 1 >= argc || strncmp(argv[*i + 1], "--", 2) == 0) {
        return args_usage(self, "--%s needs a value (%s)", o->name, o->value);
    }
    return set_option(self, o, argv[++*i]);
}

static int check_operands(const command *self, int count, char **argv)
{
    if (count < self->operands_min) {
        return args_usage(self, "%.*s is missing", (int)strcspn(self->synopsis, " "), self->synopsis);
    }
    if (count > self->operands_max) {
        return args_usage(self, "'%s' is one operand too many", argv[self->operands_max]);
    }
    return EXIT_DONE;
}

bool args_parse(const command *self, const arg_option *table, int options, int *argc, char **argv, int *code)
{
    int operands = 0;
    bool only_operands = false;
    *code = EXIT_DONE;
    for (int i = 0; i < *argc && *code == EXIT_DONE; i++) {
        char *a = argv[i];
        if (!only_operands && (strcmp(a, "--help") == 0 || strcmp(a, "-h") == 0)) {
            print_help(self, table, options);
            return false;
        }
        if (!only_operands && strcmp(a, "--") == 0) {
            only_operands = true;
        } else if (!only_operands && a[0] == '-' && a[1] == '-') {
            *code = take_option(self, table, options, *argc, argv, &i);
        } else if (!only_operands && a[0] == '-' && isalpha((unsigned char)a[1])) {
            *code = args_usage(self, "unknown option %s; options are words after two dashes", a);
        } else {
            argv[operands++] = a;
        }
    }
    *argc = operands;
    if (*code == EXIT_DONE) {
        *code = check_operands(self, operands, argv);
    }
    return *code == EXIT_DONE;
}
