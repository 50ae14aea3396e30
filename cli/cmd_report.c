// SPDX-License-Identifier: Apache-2.0
// cmd_report.c: thud report A.h5 [B.h5]: recordings as one page, two of them side by side.
#include <stdio.h>
#include <string.h>

#include "args.h"
#include "report.h"
#include "rerun.h"
#include "viewer.h"

enum { RUNS_MAX = 2 };

// What tells two runs apart: the law, or else the names of their files.
static const char *label_of(const rerun *r, int runs, int i)
{
    const thud_law law = r[i].summary.options.law.law;
    const bool same = runs == 2 && law == r[1 - i].summary.options.law.law;
    const char *slash = strrchr(r[i].path, '/');
    return !same ? thud_law_name(law) : slash ? slash + 1 : r[i].path;
}

static int write_page(const char *out, const rerun *r, int runs)
{
    report_run run[RUNS_MAX];
    for (int i = 0; i < runs; i++) {
        run[i] = (report_run){&r[i].scene, &r[i].summary, &r[i].replay, label_of(r, runs, i)};
    }
    return report_replay(out, run, runs);
}

static int run(const command *self, int argc, char **argv)
{
    const char *out = "report.html";
    const arg_option table[] = {
        {"out", ARG_TEXT, "FILE.html", "where the page goes (report.html)", &out},
    };
    int code;
    if (!args_parse(self, table, sizeof table / sizeof table[0], &argc, argv, &code)) {
        return code;
    }
    if (viewer_embedded.size == 0) {
        return args_usage(self,
                          "this program was built without the viewer (npm ci in web/, and build again)");
    }
    rerun r[RUNS_MAX] = {0};
    for (int i = 0; i < argc && code == EXIT_DONE; i++) {
        code = rerun_open(&r[i], argv[i], NULL, true);
        code = code == EXIT_DONE ? rerun_go(&r[i]) : code;
        if (code == EXIT_DONE && r[i].differ > 0) {
            printf("%s: simulated again, and not to the same bits: %.3g at most\n", argv[i], r[i].difference);
        }
    }
    code = code == EXIT_DONE ? write_page(out, r, argc) : code;
    if (code == EXIT_DONE) {
        printf("%s: written\n", out);
    }
    for (int i = 0; i < argc; i++) {
        rerun_close(&r[i]);
    }
    return code;
}

const command cmd_report = {
    .name = "report",
    .summary = "show one recorded run as a page, or two side by side",
    .synopsis = "A.h5 [B.h5] [OPTIONS]",
    .about = "Simulates recorded runs again and writes the page of --report; two runs share one camera and "
             "one clock,\n"
             "and their plots lie over each other.",
    .more = "  thud run scenes/push.xml --record cone.h5\n"
            "  thud run scenes/push.xml --law box --record box.h5\n"
            "  thud report cone.h5 box.h5 --out compare.html",
    .operands_min = 1,
    .operands_max = RUNS_MAX,
    .run = run,
};
