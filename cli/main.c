// SPDX-License-Identifier: Apache-2.0
// main.c: the program's front door: finds the command and runs it.
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <thud/thud.h>

#include "args.h"
#include "command.h"
#include "term.h"

static const command *const commands[] = {&cmd_run,    &cmd_info,   &cmd_forward, &cmd_solve, &cmd_reproduce,
                                          &cmd_replay, &cmd_report, &cmd_view,    &cmd_bench, &cmd_convert};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static void print_help(FILE *out)
{
    const char *bold = term_bold(out), *plain = term_plain(out);
    fprintf(out,
            "%susage:%s thud COMMAND [OPERANDS] [OPTIONS]\n\n"
            "Rigid multibody dynamics with hard contact and a certificate.\n"
            "Scenes are MJCF or URDF files. Units are SI and radians.\n\n"
            "%scommands%s\n",
            bold, plain, bold, plain);
    for (int i = 0; i < COMMANDS; i++) {
        term_entry(out, commands[i]->name, commands[i]->summary);
    }
    fprintf(out, "\n%soptions%s\n", bold, plain);
    term_entry(out, "--help",
               "print this page; after a command, that command's page (or: thud help COMMAND)");
    term_entry(out, "--version",
               "print the version, the commit it was built from, and which bits its results have");
    fprintf(out,
            "\n%sexit codes%s\n"
            "  0  done\n"
            "  1  bad input; stderr holds one line, file:line:column: sentence\n"
            "  2  the command line is wrong\n"
            "  3  the certificate is worse than asked\n",
            bold, plain);
}

static int unknown_command(const char *name)
{
    if (strchr(name, '.') || strchr(name, '/')) { // a file: what to do with it is missing
        fprintf(stderr, "thud: '%s' is no command; did you mean 'thud run %s'? (see 'thud --help')\n", name,
                name);
        return EXIT_USAGE;
    }
    const char *words[COMMANDS];
    for (int i = 0; i < COMMANDS; i++) {
        words[i] = commands[i]->name;
    }
    const char *near = args_nearest(name, words, COMMANDS);
    fprintf(stderr, "thud: unknown command '%s'%s%s%s (see 'thud --help')\n", name,
            near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    return EXIT_USAGE;
}

static bool is_any(const char *word, const char *a, const char *b, const char *c)
{
    return strcmp(word, a) == 0 || strcmp(word, b) == 0 || strcmp(word, c) == 0;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return EXIT_USAGE;
    }
    char help[] = "--help";
    if (argc == 3 && strcmp(argv[1], "help") == 0) { // thud help run is thud run --help
        argv[1] = argv[2];
        argv[2] = help;
    }
    const char *name = argv[1];
    if (is_any(name, "--version", "-V", "version")) {
        printf("thud %s (%s)\nnumerics: %d\nwith: %s\n", thud_version(), thud_commit(), thud_numerics(),
               thud_parts()[0] ? thud_parts() : "no optional parts");
        return EXIT_DONE;
    }
    if (is_any(name, "--help", "-h", "help")) {
        print_help(stdout);
        return EXIT_DONE;
    }
    for (int i = 0; i < COMMANDS; i++) {
        if (strcmp(name, commands[i]->name) == 0) {
            const int code = commands[i]->run(commands[i], argc - 2, argv + 2);
            if (fflush(stdout) != 0 || ferror(stdout)) {
                fprintf(stderr, "standard output:1:1: it could not be written\n");
                return EXIT_BAD_INPUT;
            }
            return code;
        }
    }
    return unknown_command(name);
}
