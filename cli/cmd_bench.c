// SPDX-License-Identifier: Apache-2.0
// cmd_bench.c: thud bench: this machine, side by side with the peers that are installed.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench_book.h"
#include "engine_thud.h"
#include "study.h"

enum { SCENES_MAX = 64 }; // on the command line

typedef struct bench_options {
    race_options race;
    step_wishes wishes;
    const char *peers, *laws, *scenes, *states, *html, *keyframe;
    bool full, json, list;
    int threads;
} bench_options;

// ---------------------------------------------------------------------------------------- who takes part

static void add_thud(const bench_options *o, int law, contestant *who, int *count)
{
    contestant *c = who + (*count)++;
    *c = (contestant){.engine = &engine_thud, .wishes = o->wishes};
    c->wishes.law = law;
    if (law == THUD_LAW_CONE && o->wishes.integrator != NOT_GIVEN) {
        snprintf(c->label, sizeof c->label, "Thud, %s",
                 thud_integrator_name((thud_integrator)o->wishes.integrator));
    } else {
        snprintf(c->label, sizeof c->label, "%s",
                 law == THUD_LAW_CONE ? "Thud" : thud_law_name((thud_law)law));
    }
}

// Thud once more, with as many threads as asked for: the first contestant has one.
static void add_threaded(const bench_options *o, contestant *who, int *count)
{
    contestant *c = who + *count;
    if (o->threads == 1) {
        return;
    }
    add_thud(o, THUD_LAW_CONE, who, count);
    c->wishes.threads = o->threads;
    c->threaded = true;
    const size_t end = strlen(c->label);
    if (o->threads == 0) {
        snprintf(c->label + end, sizeof c->label - end, ", all cores");
    } else {
        snprintf(c->label + end, sizeof c->label - end, ", %d threads", o->threads);
    }
}

// Thud by the cone, the peers, then Thud by every other law that is asked for, and with more threads.
static int gather(const bench_options *o, const peer_list *peers, contestant *who)
{
    int count = 0;
    add_thud(o, THUD_LAW_CONE, who, &count);
    for (int i = 0; i < peers->count; i++) {
        contestant *c = who + count++;
        *c = (contestant){.engine = peers->peer[i]};
        snprintf(c->label, sizeof c->label, "%s", peers->peer[i]->title);
    }
    for (int law = THUD_LAW_CONE + 1; law < THUD_LAWS && o->laws; law++) {
        if (strcmp(o->laws, "all") == 0 || peers_listed(o->laws, thud_law_name((thud_law)law))) {
            add_thud(o, law, who, &count);
        }
    }
    add_threaded(o, who, &count);
    return count;
}

// The first word of a list that `known` does not take, copied into `word`; false: there is none.
static bool unknown_word(const char *names, bool (*known)(const char *), char word[64])
{
    for (const char *at = names; at && *at;) {
        const size_t length = strcspn(at, ",");
        snprintf(word, 64, "%.*s", (int)(length < 63 ? length : 63), at);
        if (!known(word)) {
            return true;
        }
        at += length + (at[length] == ',');
    }
    return false;
}

static bool is_law(const char *word)
{
    thud_law law;
    return strcmp(word, "all") == 0 || thud_law_find(word, &law);
}

// ---------------------------------------------------------------------------------------- races

static bool is_file(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && (strcmp(dot, ".xml") == 0 || strcmp(dot, ".mjcf") == 0);
}

// A file of the command line as a scene: a second of it, whatever drives it.
static bench_scene scene_of_file(const char *path, const char *keyframe)
{
    return (bench_scene){.name = path,
                         .about = "a file",
                         .file = path,
                         .given = true,
                         .keyframe = keyframe,
                         .time = 1,
                         .energy = ENERGY_DRIVEN};
}

// Runs an opened scene once at the step `dt`; the outcome goes into the book.
static thud_status race(bench_book *b, const course *c, const race_options *o, bool precision)
{
    bench_record *r = bench_book_add(b);
    if (!r) {
        return THUD_NO_MEMORY;
    }
    r->scene = c->scene;
    r->dt = o->dt > 0 ? o->dt : c->dt;
    r->time = o->time > 0 ? o->time : c->scene->time;
    r->precision = precision;
    return race_run(c, b->who, b->count, o, r->result);
}

// The same scene at five steps, from four times its own to a quarter, for its diagram.
static thud_status study_precision(bench_book *b, const course *c, const race_options *o)
{
    race_options once = *o;
    thud_status status = THUD_OK;
    once.repeats = o->repeats < 3 ? o->repeats : 3;
    once.patience = fmin(o->patience, 1); // who is slower has no dot
    for (double factor = 4; factor > 0.2 && status == THUD_OK; factor /= 2) {
        once.dt = factor * (o->dt > 0 ? o->dt : c->dt);
        status = race(b, c, &once, true);
    }
    return status;
}

static int bench_one(bench_book *b, const bench_options *o, const bench_scene *which)
{
    course c;
    thud_diag diag = {0};
    const course_place place = {o->scenes, o->states};
    thud_status status = course_open(&c, which, &place, &diag);
    status = status == THUD_OK ? race(b, &c, &o->race, false) : status;
    if (status == THUD_OK) {
        bench_text(b, b->record + b->records - 1, o->json ? stderr : stdout);
        status = o->html && which->answer.kind != ANSWER_NONE ? study_precision(b, &c, &o->race) : status;
    }
    const int code = status == THUD_OK ? EXIT_DONE : scene_complain(c.path, status, &diag);
    course_close(&c);
    return code;
}

static int bench_all(const bench_options *o, int names, char **name)
{
    contestant who[CONTESTANTS_MAX];
    bench_scene file[SCENES_MAX];
    const peer_list peers = peers_load(o->peers);
    bench_book b = {.who = who, .count = gather(o, &peers, who), .peers = &peers, .repeats = o->race.repeats};
    FILE *out = o->json ? stderr : stdout;
    int code = EXIT_DONE, done = 0;
    for (int i = 0; i < peers.absent; i++) {
        fprintf(out, "%s is left out: %s\n", peers.absent_name[i], peers.why[i]);
    }
    for (int i = 0; i < names && code == EXIT_DONE; i++) {
        if (is_file(name[i])) {
            file[i] = scene_of_file(name[i], o->keyframe);
            code = bench_one(&b, o, file + i);
            done++;
        }
    }
    for (const bench_scene *s = bench_scenes; s->name && code == EXIT_DONE; s++) {
        bool wanted = names == 0 && (o->full ? !s->named : s->quick);
        for (int i = 0; i < names; i++) {
            wanted = wanted || strcmp(name[i], s->name) == 0;
        }
        code = wanted ? bench_one(&b, o, s) : code;
        done += wanted;
    }
    if (code == EXIT_DONE && done > 1) {
        bench_text_summary(&b, out);
    }
    if (code == EXIT_DONE && o->json) {
        bench_json(&b, stdout);
    }
    code = code == EXIT_DONE && o->html ? bench_page(&b, o->html) : code;
    bench_book_free(&b);
    return code;
}

// ---------------------------------------------------------------------------------------- the command

static int list_scenes(void)
{
    for (const bench_scene *s = bench_scenes; s->name; s++) {
        term_entry(stdout, s->name, s->about);
    }
    return EXIT_DONE;
}

static int check(const command *self, const bench_options *o, int names, char **name)
{
    char word[64];
    for (int i = 0; i < names; i++) {
        if (!is_file(name[i]) && !bench_scene_find(name[i])) {
            return args_usage(self, "no scene '%s' (thud bench --list names them; or give a file)", name[i]);
        }
    }
    if (o->race.repeats < 1 || o->race.repeats > REPEATS_MAX) {
        return args_usage(self, "--repeats is from 1 to %d", REPEATS_MAX);
    }
    if (o->threads > THUD_POOL_THREADS) {
        return args_usage(self, "%d threads are not possible; they are 1 to %d, or 0 for all cores",
                          o->threads, THUD_POOL_THREADS);
    }
    if (unknown_word(o->peers, peers_known, word)) {
        return args_usage(self, "--peers: '%s' is none of mujoco, ode, bullet and none", word);
    }
    if (unknown_word(o->laws, is_law, word)) {
        return args_usage(self, "--laws: '%s' is no law (see thud run --help)", word);
    }
    return EXIT_DONE;
}

static int run(const command *self, int argc, char **argv)
{
    static char found[512];
    bench_options o = {.race = {.repeats = 5, .patience = 10}, .wishes = WISHES_NONE, .threads = 1};
    const arg_option list[] = {
        {"full", ARG_FLAG, NULL, "every scene but the largest piles and those at rest, which are to be named",
         &o.full},
        {"list", ARG_FLAG, NULL, "list the scenes", &o.list},
        {"keyframe", ARG_TEXT, "NAME", "where scenes that are files start", &o.keyframe},
        {"peers", ARG_TEXT, "a,b,...", "of mujoco, ode, bullet; or none (all that are there)", &o.peers},
        {"laws", ARG_TEXT, "a,b,...", "Thud's other laws beside the cone; or all", &o.laws},
        {"dt", ARG_POSITIVE, "H", "time step of every engine, s (each scene's own)", &o.race.dt},
        {"time", ARG_POSITIVE, "T", "seconds to simulate (each scene's own)", &o.race.time},
        {"repeats", ARG_INT, "N", "timed runs of each engine, in turns (5)", &o.race.repeats},
        {"patience", ARG_POSITIVE, "S", "CPU seconds for one run of one engine (10)", &o.race.patience},
        {"integrator", ARG_CHOICE, "midpoint|euler|rk4",
         "how Thud's cone takes a step (the scene's, or midpoint); its peers take Euler's",
         &o.wishes.integrator},
        {"tolerance", ARG_POSITIVE, "EPS", "Thud's tolerance", &o.wishes.tolerance},
        {"solver", ARG_CHOICE, SOLVER_WORDS, "Thud's solver", &o.wishes.solver},
        {"threads", ARG_INT, "N",
         "time Thud with N threads too, by the wall clock, against one; 0: all cores (1)", &o.threads},
        {"certified", ARG_FLAG, NULL, "time Thud with the certificate of every step", &o.race.certified},
        {"states", ARG_TEXT, "DIR", "keep settled piles here from run to run", &o.states},
        {"scenes", ARG_TEXT, "DIR", "the folder of the scenes (scenes, or where they are installed)",
         &o.scenes},
        {"html", ARG_TEXT, "FILE.html", "write a page with work-precision diagrams and the tables", &o.html},
        {"json", ARG_FLAG, NULL, "print one JSON object; the tables go to stderr", &o.json},
    };
    int code;
    if (!args_parse(self, list, sizeof list / sizeof list[0], &argc, argv, &code)) {
        return code;
    }
    code = check(self, &o, argc, argv);
    if (code != EXIT_DONE) {
        return code;
    }
    o.scenes = o.scenes ? o.scenes : study_scenes(found);
    return o.list ? list_scenes() : bench_all(&o, argc, argv);
}

const command cmd_bench = {
    .name = "bench",
    .summary = "time the engine beside MuJoCo, ODE and Bullet, with yardsticks of accuracy",
    .synopsis = "[SCENE|FILE.xml ...] [OPTIONS]",
    .about =
        "Runs scenes in Thud and in every peer that is there, all in one run, and prints for each engine\n"
        "the CPU time of a step (median of interleaved repeats) beside the same yardsticks, computed by\n"
        "us from where its bodies are.",
    .more = "A ratio is Thud's time over the other's. docs/speed.md defines the yardsticks.\n\n"
            "  thud bench                                       the quick ones\n"
            "  thud bench stack10 humanoid --repeats 9\n"
            "  thud bench --full --laws all --html bench.html --json >bench.json\n"
            "  thud bench robot.xml --keyframe home --peers mujoco",
    .operands_min = 0,
    .operands_max = SCENES_MAX,
    .run = run,
};
