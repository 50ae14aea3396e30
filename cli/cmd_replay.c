// SPDX-License-Identifier: Apache-2.0
// cmd_replay.c: thud replay FILE.h5: simulates a recorded run again and checks the bits.
#include <stdio.h>

#include "args.h"
#include "filed.h"
#include "film.h"
#include "json.h"
#include "rerun.h"

// Which bits the program had that recorded it; 0: it does not say.
static int numerics_of(const rerun *r)
{
    return (int)thud_recording_number(r->recording, "thud_numerics", 0);
}

static void print(const rerun *r)
{
    printf("%s: %s, %lld steps again\n", r->path, r->notes.scene, (long long)r->summary.steps);
    if (r->differ == 0) {
        printf("  all %lld rows have the same bits\n", (long long)r->rows);
    } else {
        printf("  %lld of %lld rows differ, the first at t = %g s; by %.3g at most\n", (long long)r->differ,
               (long long)r->rows, r->first, r->difference);
        if (numerics_of(r) != thud_numerics()) {
            printf("  it was recorded with numerics %d, and this program has numerics %d\n", numerics_of(r),
                   thud_numerics());
        }
    }
}

static void print_json(const rerun *r)
{
    json j;
    json_open(&j, stdout);
    json_begin(&j, NULL, '{');
    json_text(&j, "recording", r->path);
    json_text(&j, "scene", r->notes.scene);
    json_integer(&j, "steps", r->summary.steps);
    json_integer(&j, "rows", r->rows);
    json_integer(&j, "rows_that_differ", r->differ);
    json_number(&j, "difference_max", r->difference);
    json_integer(&j, "numerics_recorded", numerics_of(r));
    json_integer(&j, "numerics", thud_numerics());
    json_end(&j);
    json_close(&j);
}

// Draws the recorded motion; nothing is simulated.
static int draw(const film_options *film, const char *path, const char *at)
{
    filed f;
    int code = filed_open(&f, path, at);
    code = code == EXIT_DONE ? film_make(film, f.scene.model, &f.run.replay) : code;
    filed_close(&f);
    return code;
}

static int run(const command *self, int argc, char **argv)
{
    const char *at = NULL;
    bool as_json = false;
    film_options film = FILM_NONE;
    const arg_option table[] = {
        {"scene", ARG_TEXT, "SCENE", "where the scene is now (where it was when recorded)", &at},
        {"json", ARG_FLAG, NULL, "print one JSON object", &as_json},
        FILM_OPTIONS(&film),
    };
    int code;
    if (!args_parse(self, table, sizeof table / sizeof table[0], &argc, argv, &code)) {
        film_options_free(&film);
        return code;
    }
    rerun r = {0};
    code = film_check(self, &film);
    code = code == EXIT_DONE && film_wanted(&film) ? draw(&film, argv[0], at) : code;
    code = code == EXIT_DONE ? rerun_open(&r, argv[0], at) : code;
    code = code == EXIT_DONE ? rerun_go(&r) : code;
    if (code == EXIT_DONE) {
        (as_json ? print_json : print)(&r);
        code = r.differ == 0 ? EXIT_DONE : EXIT_CERTIFICATE;
    }
    rerun_close(&r);
    film_options_free(&film);
    return code;
}

const command cmd_replay = {
    .name = "replay",
    .summary = "simulate a recorded run again and check that every bit is the same",
    .synopsis = "FILE.h5 [OPTIONS]",
    .about =
        "Reads the scene, the options and the start from a recording, simulates it again and compares every\n"
        "row. Exits with 3 where a bit differs. A recording cut off by a kill (FILE.h5.part) will do.",
    .more = "  thud run scenes/humanoid.xml --time 3 --record fall.h5\n"
            "  thud replay fall.h5\n"
            "  thud replay fall.h5 --video fall.mp4 --forces",
    .operands_min = 1,
    .operands_max = 1,
    .run = run,
};
