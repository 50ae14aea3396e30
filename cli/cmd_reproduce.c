// SPDX-License-Identifier: Apache-2.0
// cmd_reproduce.c: thud reproduce: the papers' examples, and what users of other engines complain about.
#include <string.h>

#include "study.h"

typedef struct example {
    const char *name;
    void (*run)(study *);
} example;

static const example examples[] = {{"rod", study_rod},           {"balls", study_balls},
                                   {"box", study_box},           {"box", study_rank},
                                   {"pendulum", study_pendulum}, {"complaints", study_complaints},
                                   {"events", study_events},     {"laws", study_laws},
                                   {"robots", study_robots},     {"robots", study_models}};
enum { EXAMPLES = sizeof examples / sizeof examples[0] };

static int run(const command *self, int argc, char **argv)
{
    study s = {.self = self};
    const arg_option list[] = {
        {"out", ARG_TEXT, "DIR", "write tables as CSV, figures as SVG and a page, index.html, that shows all",
         &s.out},
        {"scenes", ARG_TEXT, "DIR", "the folder of the scenes (scenes, or where they are installed)",
         &s.scenes},
        {"models", ARG_TEXT, "DIR", "robots: a folder of MuJoCo Menagerie, whose models are run as well",
         &s.models},
        {"quick", ARG_FLAG, NULL, "fewer and coarser steps", &s.quick},
    };
    int code;
    if (!args_parse(self, list, sizeof list / sizeof list[0], &argc, argv, &code)) {
        return code;
    }
    const bool all = strcmp(argv[0], "all") == 0;
    bool found = false;
    for (int i = 0; i < EXAMPLES; i++) {
        if (all || strcmp(argv[0], examples[i].name) == 0) {
            if (!found && study_open(&s) != EXIT_DONE) {
                break;
            }
            examples[i].run(&s);
            found = true;
        }
    }
    if (!found && s.code == EXIT_DONE) {
        return args_usage(
            self, "'%s' is none of rod, balls, box, pendulum, complaints, events, laws, robots and all",
            argv[0]);
    }
    return study_close(&s);
}

const command cmd_reproduce = {
    .name = "reproduce",
    .summary = "show the papers' examples beside the papers' own numbers",
    .synopsis = "rod|balls|box|pendulum|complaints|events|laws|robots|all [OPTIONS]",
    .about = "Runs the examples of the papers that Thud is made from and prints its numbers beside theirs:\n"
             "  rod         Stewart and Trinkle 2000, 4.1: a rod lands on its tip\n"
             "  balls       the same, 4.2: a cascade of impulses through four balls\n"
             "  box         Peiret et al. 2017, phantom inertia: a sliding, spinning cube, by every law\n"
             "  pendulum    Jain et al. 2012: minimal against maximal coordinates\n"
             "  complaints  what users of other engines complain about, beside the right answers\n"
             "  events      time stepping converging to the event-driven solution\n"
             "  laws        what each law of contact gets wrong: directions, breaking loose, landing\n"
             "  robots      our own at work, and published ones holding their keyframes",
    .more = "Exit code 3: a figure is outside its band; the tables say which.\n\n"
            "  thud reproduce rod\n"
            "  thud reproduce all --out papers && xdg-open papers/index.html",
    .operands_min = 1,
    .operands_max = 1,
    .run = run,
};
