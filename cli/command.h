// SPDX-License-Identifier: Apache-2.0
// command.h: what a command of the program is, and the list of them.
//
// A new command is one file cmd_NAME.c that defines `const command cmd_NAME`, a line below, and a line in the
// table of main.c. Everything it prints for --help comes from this struct and from its table of options.
#pragma once

// The exit codes of the program; the contract of docs/cli.md.
typedef enum exit_code {
    EXIT_DONE = 0,
    EXIT_BAD_INPUT = 1,   // one line "file:line:column: sentence" on stderr
    EXIT_USAGE = 2,       // the command line is wrong
    EXIT_CERTIFICATE = 3, // the answer was computed, and is worse than asked
} exit_code;

typedef struct command {
    const char *name;
    const char *summary;  // one line, for thud --help
    const char *synopsis; // after "usage: thud NAME "
    const char *about;    // paragraphs before the options
    const char *more;     // examples and the like, after the options; may be NULL
    int operands_min, operands_max;
    int (*run)(const struct command *self, int argc, char **argv); // argv: what follows the name
} command;

extern const command cmd_run, cmd_info, cmd_forward, cmd_solve, cmd_reproduce, cmd_replay, cmd_report,
    cmd_view, cmd_bench, cmd_convert;
