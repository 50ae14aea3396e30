// SPDX-License-Identifier: Apache-2.0
// cmd_view.c: thud view SCENE: thud run with a report that is opened in the browser.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thud/base.h>

#include "args.h"

// Shows a file with the desktop's own program for it; false where there is none.
static bool open_file(const char *path)
{
    const pid_t child = fork();
    if (child == 0) {
        execlp("xdg-open", "xdg-open", path, (char *)NULL);
        _exit(127);
    }
    int status;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool asks_for_help(int argc, char **argv)
{
    for (int i = 0; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            return true;
        }
    }
    return false;
}

static int run(const command *self, int argc, char **argv)
{
    if (asks_for_help(argc, argv)) {
        return cmd_run.run(self, argc, argv);
    }
    char path[4096];
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/thud-view-%ld.html", folder && *folder ? folder : P_tmpdir,
             (long)getpid());
    char **words = thud_alloc((size_t)argc + 3, sizeof *words);
    if (!words) {
        fprintf(stderr, "%s:1:1: %s\n", path, thud_status_text(THUD_NO_MEMORY));
        return EXIT_BAD_INPUT;
    }
    char report[] =
        "--report"; // before the user's own words, so that their --report, if any, is the one taken
    words[0] = report;
    words[1] = path;
    memcpy(words + 2, argv, (size_t)argc * sizeof *argv);
    const int code = cmd_run.run(self, argc + 2, words);
    thud_free(words);
    if (access(path, R_OK) == 0 && !open_file(path)) {
        printf("open %s in a browser\n", path);
    }
    return code;
}

const command cmd_view = {
    .name = "view",
    .summary = "simulate a scene and look at it in the browser",
    .synopsis = "SCENE [OPTIONS]",
    .about = "thud run with a report in the folder for temporary files, opened by xdg-open. Takes the "
             "options of run.",
    .more = "  thud view scenes/humanoid.xml --time 3",
    .operands_min = 1,
    .operands_max = 1,
    .run = run,
};
