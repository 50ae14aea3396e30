// SPDX-License-Identifier: Apache-2.0
// cmd_report.c: thud report A.h5 [B.h5]: recordings as one page, two of them side by side.
#include <stdio.h>
#include <string.h>

#include "args.h"
#include "filed.h"
#include "output.h"
#include "replay_page.h"
#include "viewer.h"

enum { RUNS_MAX = 2 };

// What tells two runs apart: the law, or else the names of their files.
static const char *label_of(const filed *f, int runs, int i)
{
    const char *law = f[i].run.law, *other = f[runs - 1 - i].run.law, *slash = strrchr(f[i].path, '/');
    const bool differ = runs == 2 && law && other && strcmp(law, other) != 0;
    return differ || (runs == 1 && law) ? law : slash ? slash + 1 : f[i].path;
}

static int write_page(const char *path, const filed *f, int runs)
{
    page_run page[RUNS_MAX];
    thud_output o;
    for (int i = 0; i < runs; i++) {
        page[i] = (page_run){&f[i].run.replay, &f[i].run.facts, f[i].scene.path,
                             f[i].run.how[0] ? f[i].run.how : NULL, label_of(f, runs, i)};
    }
    const int code = output_open(&o, path);
    if (code != EXIT_DONE) {
        return code;
    }
    if (replay_page_write(o.file, page, runs)) {
        return output_close(&o);
    }
    thud_output_discard(&o);
    return scene_complain(path, THUD_NO_MEMORY, &(thud_diag){0});
}

static int run(const command *self, int argc, char **argv)
{
    const char *out = "report.html", *at = NULL;
    const arg_option table[] = {
        {"out", ARG_TEXT, "FILE.html", "where the page goes (report.html)", &out},
        {"scene", ARG_TEXT, "SCENE", "where the scene is now (where it was when recorded)", &at},
    };
    int code;
    if (!args_parse(self, table, sizeof table / sizeof table[0], &argc, argv, &code)) {
        return code;
    }
    if (viewer_embedded.size == 0) {
        return args_usage(self,
                          "this program was built without the viewer (npm ci in web/, and build again)");
    }
    filed f[RUNS_MAX] = {0};
    for (int i = 0; i < argc && code == EXIT_DONE; i++) {
        code = filed_open(&f[i], argv[i], at);
    }
    code = code == EXIT_DONE ? write_page(out, f, argc) : code;
    if (code == EXIT_DONE) {
        printf("%s: written\n", out);
    }
    for (int i = 0; i < argc; i++) {
        filed_close(&f[i]);
    }
    return code;
}

const command cmd_report = {
    .name = "report",
    .summary = "show one recorded run as a page, or two side by side",
    .synopsis = "A.h5 [B.h5] [OPTIONS]",
    .about = "Writes the page of run --report from what was recorded: nothing is simulated. Contact forces "
             "are shown where\n"
             "they were recorded (run --record-contacts). Two runs share one camera and one clock, and their "
             "plots lie\n"
             "over each other.",
    .more = "  thud run scenes/push.xml --record cone.h5 --record-contacts\n"
            "  thud run scenes/push.xml --law box --record box.h5 --record-contacts\n"
            "  thud report cone.h5 box.h5 --out compare.html",
    .operands_min = 1,
    .operands_max = RUNS_MAX,
    .run = run,
};
