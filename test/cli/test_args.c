// SPDX-License-Identifier: Apache-2.0
// test_args.c: how a command line is read.
#include "test.h"

#include "cli/args.h"

static const command cmd = {
    .name = "try", .synopsis = "SCENE [OPTIONS]", .about = "", .operands_min = 1, .operands_max = 2};

typedef struct options {
    double time;
    int every, method;
    const char *record;
    bool json;
    number_list qpos;
} options;

static char complaint[512];

// Parses the words of `line` (split at blanks); stderr goes to `complaint`. Returns the exit code.
static int parse(const char *line, options *o, int *argc, char **argv)
{
    static char words[512];
    snprintf(words, sizeof words, "%s", line);
    *argc = 0;
    for (char *w = strtok(words, " "); w; w = strtok(NULL, " ")) {
        argv[(*argc)++] = w;
    }
    const arg_option table[] = {
        {"time", ARG_POSITIVE, "T", "", &o->time},
        {"every", ARG_INT, "N", "", &o->every},
        {"method", ARG_CHOICE, "midpoint|euler|rk4", "", &o->method},
        {"record", ARG_TEXT, "FILE", "", &o->record},
        {"json", ARG_FLAG, NULL, "", &o->json},
        {"qpos", ARG_LIST, "a,b", "", &o->qpos},
    };
    int code = -1;
    FILE *saved = stderr, *memory = fmemopen(complaint, sizeof complaint, "w");
    stderr = memory;
    args_parse(&cmd, table, (int)(sizeof table / sizeof *table), argc, argv, &code);
    fclose(memory);
    stderr = saved;
    return code;
}

static void refused(const char *line, const char *words)
{
    options o = {0};
    int argc;
    char *argv[32];
    complaint[0] = '\0';
    CHECK_INT(parse(line, &o, &argc, argv), EXIT_USAGE);
    if (!strstr(complaint, words)) {
        fail_msg("'%s' was refused with \"%s\", which does not say \"%s\"", line, complaint, words);
    }
    CHECK(strchr(complaint, '\n') && strchr(complaint, '\n')[1] == '\0'); // exactly one line
    number_list_free(&o.qpos);
}

TEST(options_are_taken_with_a_blank_or_an_equals_sign)
{
    options o = {0};
    int argc;
    char *argv[32];
    CHECK_INT(parse("--time 2.5 scene.xml --every=10 --method rk4 --record=a=b.csv --json", &o, &argc, argv),
              EXIT_DONE);
    CHECK_INT(argc, 1);
    CHECK_TEXT(argv[0], "scene.xml");
    CHECK_NEAR(o.time, 2.5, 0);
    CHECK_INT(o.every, 10);
    CHECK_INT(o.method, 2);
    CHECK_TEXT(o.record, "a=b.csv");
    CHECK(o.json);
    CHECK(!o.qpos.given);
}

TEST(lists_take_commas_and_negative_numbers)
{
    options o = {0};
    int argc;
    char *argv[32];
    CHECK_INT(parse("s.xml --qpos -1,2e-3,+4", &o, &argc, argv), EXIT_DONE);
    CHECK_INT(o.qpos.count, 3);
    CHECK_NEAR(o.qpos.value[0], -1, 0);
    CHECK_NEAR(o.qpos.value[1], 2e-3, 0);
    CHECK_NEAR(o.qpos.value[2], 4, 0);
    CHECK_INT(parse("s.xml --qpos=", &o, &argc, argv), EXIT_DONE);
    CHECK(o.qpos.given);
    CHECK_INT(o.qpos.count, 0);
    number_list_free(&o.qpos);
}

TEST(two_dashes_end_the_options)
{
    options o = {0};
    int argc;
    char *argv[32];
    CHECK_INT(parse("-- --json", &o, &argc, argv), EXIT_DONE);
    CHECK_INT(argc, 1);
    CHECK_TEXT(argv[0], "--json");
    CHECK(!o.json);
}

TEST(a_wrong_line_is_refused_in_one_helpful_line)
{
    refused("s.xml --tiem 2", "unknown option --tiem; did you mean --time?");
    refused("s.xml --recrod=x", "did you mean --record?");
    refused("s.xml --zzz", "unknown option --zzz (");
    refused("s.xml -t", "unknown option -t");
    refused("s.xml --time", "--time needs a value (T)");
    refused("s.xml --time --json", "--time needs a value (T)");
    refused("s.xml --time 0", "above zero, not '0'");
    refused("s.xml --time nan", "above zero, not 'nan'");
    refused("s.xml --time 1e999", "above zero, not '1e999'");
    refused("s.xml --time 1s", "above zero, not '1s'");
    refused("s.xml --every -1", "whole number, not '-1'");
    refused("s.xml --every 99999999999", "whole number");
    refused("s.xml --method rk", "one of midpoint|euler|rk4, not 'rk'");
    refused("s.xml --json=yes", "takes no value");
    refused("s.xml --qpos 1,,2", "number 2 cannot be read");
    refused("s.xml --qpos 1,2,", "number 3 cannot be read");
    refused("s.xml --qpos 1,inf", "number 2 cannot be read");
    refused("s.xml --qpos 1x", "cannot be read");
    refused("--json", "SCENE is missing");
    refused("a b c", "'c' is one operand too many");
}

TEST_MAIN(T(options_are_taken_with_a_blank_or_an_equals_sign), T(lists_take_commas_and_negative_numbers),
          T(two_dashes_end_the_options), T(a_wrong_line_is_refused_in_one_helpful_line))
