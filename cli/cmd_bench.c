// SPDX-License-Identifier: Apache-2.0
// cmd_bench.c: thud bench: this machine, side by side with the peers that are installed.
#include <stdio.h>
#include <string.h>

#include "bench_table.h"
#include "engine_thud.h"
#include "peers.h"
#include "race.h"
#include "sheet.h"
#include "study.h"
#include "term.h"

enum { CONTESTANTS_MAX = PEERS_MAX + THUD_LAWS };

typedef struct bench_options {
    race_options race;
    step_wishes wishes;
    const char *peers, *laws, *scenes, *states;
    bool full, json, list;
} bench_options;

static void add_thud(const bench_options *o, int law, contestant *who, int *count)
{
    contestant *c = who + (*count)++;
    *c = (contestant){.engine = &engine_thud, .wishes = o->wishes};
    c->wishes.law = law;
    snprintf(c->label, sizeof c->label, "%s", law == THUD_LAW_CONE ? "Thud" : thud_law_name((thud_law)law));
}

// Thud by the cone, by every other law that is asked for, then the peers.
static int gather(const bench_options *o, const peer_list *peers, contestant *who)
{
    int count = 0;
    add_thud(o, THUD_LAW_CONE, who, &count);
    for (int law = 1; law < THUD_LAWS && o->laws; law++) {
        if (strcmp(o->laws, "all") == 0 || strstr(o->laws, thud_law_name((thud_law)law))) {
            add_thud(o, law, who, &count);
        }
    }
    for (int i = 0; i < peers->count; i++) {
        contestant *c = who + count++;
        *c = (contestant){.engine = peers->peer[i]};
        snprintf(c->label, sizeof c->label, "%s", peers->peer[i]->title);
    }
    return count;
}

static int bench_one(const bench_options *o, const bench_scene *which, const contestant *who, int count)
{
    course c;
    thud_diag diag = {0};
    race_result result[CONTESTANTS_MAX];
    thud_status status = course_open(&c, which, o->scenes, o->states, &diag);
    status = status == THUD_OK ? race_run(&c, who, count, &o->race, result) : status;
    if (status == THUD_OK) {
        bench_print(&c, who, count, result);
    }
    const int code = status == THUD_OK ? EXIT_DONE : scene_complain(c.path, status, &diag);
    course_close(&c);
    return code;
}

static int list_scenes(void)
{
    for (const bench_scene *s = bench_scenes; s->name; s++) {
        term_entry(stdout, s->name, s->about);
    }
    return EXIT_DONE;
}

static int run(const command *self, int argc, char **argv)
{
    static char found[512];
    bench_options o = {.race = {.repeats = 5, .patience = 20}, .wishes = WISHES_NONE};
    const arg_option list[] = {
        {"dt", ARG_POSITIVE, "H", "time step of every engine, s (each scene's own)", &o.race.dt},
        {"time", ARG_POSITIVE, "T", "seconds to simulate (each scene's own)", &o.race.time},
        {"repeats", ARG_INT, "N", "timed runs of each engine, in turns (5)", &o.race.repeats},
        {"patience", ARG_POSITIVE, "S", "CPU seconds for one run of one engine (20)", &o.race.patience},
        {"tolerance", ARG_POSITIVE, "EPS", "Thud's tolerance", &o.wishes.tolerance},
        {"peers", ARG_TEXT, "a,b,...", "of mujoco, ode, bullet; or none (all that are there)", &o.peers},
        {"laws", ARG_TEXT, "a,b,...", "Thud's other laws beside the cone; or all", &o.laws},
        {"certified", ARG_FLAG, NULL, "time Thud with the certificate of every step", &o.race.certified},
        {"full", ARG_FLAG, NULL, "every scene, not only the quick ones", &o.full},
        {"list", ARG_FLAG, NULL, "list the scenes", &o.list},
        {"states", ARG_TEXT, "DIR", "keep settled piles here from run to run", &o.states},
        {"scenes", ARG_TEXT, "DIR", "the folder of the scenes (scenes, or where they are installed)",
         &o.scenes},
    };
    int code;
    if (!args_parse(self, list, sizeof list / sizeof list[0], &argc, argv, &code)) {
        return code;
    }
    if (o.list) {
        return list_scenes();
    }
    for (int i = 0; i < argc; i++) {
        if (!bench_scene_find(argv[i])) {
            return args_usage(self, "no scene '%s' (see thud bench --list)", argv[i]);
        }
    }
    if (o.race.repeats < 1 || o.race.repeats > REPEATS_MAX) {
        return args_usage(self, "--repeats is from 1 to %d", REPEATS_MAX);
    }
    o.scenes = o.scenes ? o.scenes : study_scenes(found);
    const peer_list peers = peers_load(o.peers);
    contestant who[CONTESTANTS_MAX];
    const int count = gather(&o, &peers, who);
    for (int i = 0; i < peers.absent; i++) {
        printf("%s is left out: %s\n", peers.absent_name[i], peers.why[i]);
    }
    for (const bench_scene *s = bench_scenes; s->name && code == EXIT_DONE; s++) {
        bool wanted = argc == 0 && (o.full || s->quick);
        for (int i = 0; i < argc; i++) {
            wanted = wanted || strcmp(argv[i], s->name) == 0;
        }
        code = wanted ? bench_one(&o, s, who, count) : code;
    }
    return code;
}

const command cmd_bench = {
    .name = "bench",
    .summary = "time the engine beside MuJoCo, ODE and Bullet, with yardsticks of accuracy",
    .synopsis = "[SCENE ...] [OPTIONS]",
    .about =
        "Runs scenes in Thud and in every peer that is there, all in one run, and prints for each engine\n"
        "the CPU time of a step (median of interleaved repeats) beside the same yardsticks, computed by\n"
        "us from where its bodies are.",
    .more = "  thud bench\n"
            "  thud bench stack10 humanoid --repeats 9\n",
    .operands_min = 0,
    .operands_max = 64,
    .run = run,
};
