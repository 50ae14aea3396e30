// SPDX-License-Identifier: Apache-2.0
// args.h: the command line, read by a table. One table gives the parsing, the error messages and the help.
//
//     run_options o = {.time = 1};
//     const arg_option table[] = {
//         {"time", ARG_NUMBER, "T", "seconds to simulate", &o.time},
//         {"json", ARG_FLAG, NULL, "print one JSON object", &o.json},
//     };
//     if (args_parse(self, table, 2, &argc, argv, &code)) { ... argv[0 .. argc-1] are the operands ... }
//
// Options are written `--time 2` or `--time=2`; `--` ends them. What is not given keeps the value it had.
#pragma once

#include <stdbool.h>

#include "command.h"

typedef enum arg_kind {
    ARG_FLAG,     // bool: true when the option is there
    ARG_INT,      // int, zero or more
    ARG_POSITIVE, // double, finite, above zero
    ARG_NUMBER,   // double, finite
    ARG_TEXT,     // const char *, into argv
    ARG_CHOICE,   // int: the place, from 0, of the word in `value` ("midpoint|euler|rk4")
    ARG_LIST,     // number_list: numbers between commas or blanks
    ARG_SIGNAL,   // the same, or the name of a file that ends in .csv
    ARG_EACH,     // text_list: the option may be given many times
    ARG_HEADING   // no option: `name` stands above those that follow in the help
} arg_kind;

typedef struct arg_option {
    const char *name; // without the dashes
    arg_kind kind;
    const char *value; // its name in the help; for a choice the words, separated by '|'
    const char *help;
    void *out;
} arg_option;

typedef struct number_list {
    double *value; // freed by number_list_free
    int count;
    bool given;
    const char *file; // ARG_SIGNAL: then there are no numbers
} number_list;

typedef struct text_list {
    const char **text; // into argv; freed by text_list_free
    int count, capacity;
} text_list;

void number_list_free(number_list *list);
void text_list_free(text_list *list);

// Numbers between commas or blanks; false with *bad where they end.
bool args_read_list(const char *text, number_list *out, const char **bad);

// Reads the options into where the table points and moves the operands to argv[0 .. *argc-1]. Returns false
// when the command is over: --help was printed (*code EXIT_DONE), or what is wrong was said on stderr in one
// line (*code EXIT_USAGE).
bool args_parse(const command *self, const arg_option *table, int options, int *argc, char **argv, int *code);

// Says on stderr what is wrong with the command line; returns EXIT_USAGE.
int args_usage(const command *self, const char *format, ...) __attribute__((format(printf, 2, 3)));

// The word of `count` nearest to `word` in edits, or NULL when none is near.
const char *args_nearest(const char *word, const char *const *words, int count);
