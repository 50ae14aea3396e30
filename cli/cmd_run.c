// SPDX-License-Identifier: Apache-2.0
// cmd_run.c: thud run SCENE: simulates, records, and says what the run was worth.
#include <math.h>
#include <signal.h>
#include <stdio.h>

#include "history.h"
#include "report.h"
#include "summary.h"
#include "term.h"

enum { NOT_GIVEN = -1 };

typedef struct run_options {
    start_options start;
    double time, dt; // dt 0: the scene's
    int integrator;  // thud_integrator, or NOT_GIVEN
    int every;
    const char *record, *report, *picture;
    bool json;
} run_options;

typedef struct runner {
    const run_options *o;
    const scene *scene;
    int64_t steps; // to take
    thud_step_options options;
    thud_sim *sim;
    thud_recorder *recorder; // NULL: none
    bool remembers;          // the history is kept, for a report or a picture
    history history;
    summary summary;
} runner;

static volatile sig_atomic_t stopped; // the signal that asked to stop, or 0

static void stop(int signal_number)
{
    stopped = signal_number;
}

// ---------------------------------------------------------------------------------------- the loop

static void show_progress(progress *p, const runner *r, const thud_certificate *c)
{
    if (progress_due(p)) {
        const summary *s = &r->summary;
        const double time = summary_time(s), wall = thud_clock_wall() - p->start;
        progress_draw(p, (double)s->steps / (double)r->steps, "%.2f s, %.3g x, %d contacts, worst %.0e", time,
                      time / wall, c->contacts, fmax(fmax(s->cone_residual, s->lcp_residual), s->momentum));
    }
}

static thud_status take_step(runner *r, int64_t number, thud_certificate *c)
{
    const double start = thud_clock_wall();
    thud_status status = thud_sim_step(r->sim, NULL, r->scene->state, c);
    for (int tries = 0; status == THUD_NO_MEMORY && tries < 24; tries++) { // more contacts than ever before
        THUD_TRY(thud_sim_grow(r->sim, r->scene->state));
        status = thud_sim_step(r->sim, NULL, r->scene->state, c);
    }
    THUD_TRY(status);
    r->summary.stepping += thud_clock_wall() - start;
    summary_add(&r->summary, c);
    if (r->remembers && (number % r->history.every == 0 || number == r->steps)) {
        history_add(&r->history, r->scene->state, (thud_energy){c->kinetic, c->potential}, r->summary.work);
    }
    return r->recorder && number % r->o->every == 0 ? thud_recorder_write(r->recorder, r->scene->state, c)
                                                    : THUD_OK;
}

static thud_status take_steps(runner *r)
{
    const double start = thud_clock_wall();
    progress p = progress_start();
    thud_certificate c = {0};
    thud_status status = THUD_OK;
    for (int64_t k = 1; k <= r->steps && status == THUD_OK && !stopped; k++) {
        status = take_step(r, k, &c);
        show_progress(&p, r, &c);
    }
    progress_finish(&p);
    r->summary.wall = thud_clock_wall() - start;
    r->summary.finished = r->summary.steps == r->steps && status == THUD_OK;
    return status;
}

// ---------------------------------------------------------------------------------------- before and after

// Says why a recording or a sim could not be made; what is not there yet is a matter of usage.
static int refuse(const runner *r, const command *self, thud_status status, const thud_diag *diag)
{
    if (status == THUD_BAD_ARGUMENT || status == THUD_UNSUPPORTED) {
        return args_usage(self, "%s%s%s", diag->file, diag->file[0] ? ": " : "", diag->text);
    }
    return scene_complain(r->scene->path, status, diag);
}

static int prepare(runner *r, const command *self)
{
    const run_options *o = r->o;
    thud_step_options options = thud_step_defaults(r->scene->model);
    thud_diag diag = {0};
    options.h = o->dt > 0 ? o->dt : options.h;
    options.integrator = o->integrator != NOT_GIVEN ? (thud_integrator)o->integrator : options.integrator;
    if (!(o->time / options.h < 1e12)) {
        return args_usage(self, "--time %g is too many steps of %g s", o->time, options.h);
    }
    r->options = options;
    r->steps = llround(o->time / options.h);
    thud_status status = thud_sim_create(r->scene->model, &options, &r->sim, &diag);
    if (status == THUD_OK && o->record) {
        status = thud_recorder_open(o->record, r->scene->model, &r->recorder, &diag);
    }
    if (status != THUD_OK) {
        return refuse(r, self, status, &diag);
    }
    r->remembers = o->report || o->picture;
    if (r->remembers && !history_create(&r->history, r->scene->model, r->steps)) {
        return scene_complain(r->scene->path, THUD_NO_MEMORY, &diag);
    }
    return EXIT_DONE;
}

// The first row and the first moment: the state before any step.
static thud_status note_start(runner *r)
{
    const thud_energy energy = thud_sim_energy(r->sim, r->scene->state);
    r->summary = summary_start(&r->options, energy.kinetic + energy.potential);
    if (r->remembers) {
        history_add(&r->history, r->scene->state, energy, 0);
    }
    const thud_certificate start = {.kinetic = energy.kinetic, .potential = energy.potential};
    return r->recorder ? thud_recorder_write(r->recorder, r->scene->state, &start) : THUD_OK;
}

// Says how a run ended early; the recording so far stays beside its place.
static int end_early(runner *r, thud_status status)
{
    const char *part = r->recorder ? "; the recording up to here is " : "",
               *name = r->recorder ? r->o->record : "";
    thud_recorder_abandon(r->recorder);
    r->recorder = NULL;
    fprintf(stderr, "%s:1:1: at t = %g s %s%s%s%s\n", r->scene->path, r->scene->state->time,
            status == THUD_OK ? "the run was stopped" : "the motion is no longer finite; try a smaller --dt",
            part, name, *name ? ".part" : "");
    return status == THUD_OK ? 128 + stopped : EXIT_CERTIFICATE;
}

static int finish(runner *r, thud_status status)
{
    const run_options *o = r->o;
    int code = EXIT_DONE;
    if (status == THUD_NOT_FINITE || (status == THUD_OK && stopped)) {
        code = end_early(r, status);
    } else if (r->recorder) {
        thud_diag diag = {0};
        status = thud_recorder_close(r->recorder, &diag);
        r->recorder = NULL;
        if (status != THUD_OK) {
            return scene_complain(o->record, status, &diag);
        }
    }
    if (o->json) {
        summary_json(&r->summary, r->scene);
    } else {
        summary_print(&r->summary, r->scene);
    }
    if (code == EXIT_DONE && o->report) {
        code = report_write(o->report, r->scene, &r->summary, &r->history);
    }
    if (code == EXIT_DONE && o->picture) {
        code = report_picture(o->picture, r->scene, &r->history);
    }
    return code;
}

static int simulate(const command *self, const run_options *o, const scene *s)
{
    runner r = {.o = o, .scene = s};
    int code = prepare(&r, self);
    if (code == EXIT_DONE) {
        const struct sigaction action = {.sa_handler = stop, .sa_flags = SA_RESETHAND};
        sigaction(SIGINT, &action, NULL);
        sigaction(SIGTERM, &action, NULL);
        thud_status status = note_start(&r);
        if (status == THUD_OK) {
            status = take_steps(&r);
        }
        code = finish(&r, status);
    }
    thud_recorder_abandon(r.recorder);
    thud_sim_destroy(r.sim);
    history_destroy(&r.history);
    return code;
}

// ---------------------------------------------------------------------------------------- the command

static const char no_contact[] = "this version simulates jointed mechanisms without contact";

static int run(const command *self, int argc, char **argv)
{
    run_options o = {.time = 1, .integrator = NOT_GIVEN, .every = 1};
    const arg_option table[] = {
        {"time", ARG_NUMBER, "T", "seconds to simulate (1)", &o.time},
        {"dt", ARG_POSITIVE, "H", "step in seconds (the scene's)", &o.dt},
        {"integrator", ARG_CHOICE, "midpoint|euler|rk4", "how a step is taken (the scene's, or midpoint)",
         &o.integrator},
        START_OPTIONS(&o.start),
        {"record", ARG_TEXT, "FILE.csv", "write the run as a table, a row a step", &o.record},
        {"every", ARG_INT, "N", "record every N-th step (1)", &o.every},
        {"report", ARG_TEXT, "FILE.html",
         "write a page with a picture of the motion, its energies and certificate", &o.report},
        {"picture", ARG_TEXT, "FILE.svg", "write the picture of the motion alone", &o.picture},
        {"json", ARG_FLAG, NULL, "print the summary as one JSON object", &o.json},
        {"law", ARG_ABSENT, "", no_contact, NULL},
        {"directions", ARG_ABSENT, "", no_contact, NULL},
        {"solver", ARG_ABSENT, "", no_contact, NULL},
        {"scheme", ARG_ABSENT, "", no_contact, NULL},
        {"restitution", ARG_ABSENT, "", no_contact, NULL},
        {"restitution-law", ARG_ABSENT, "", no_contact, NULL},
        {"tolerance", ARG_ABSENT, "", no_contact, NULL},
        {"coordinates", ARG_ABSENT, "", "maximal coordinates come with contact; this version is minimal",
         NULL},
        {"threads", ARG_ABSENT, "", "this version runs in one thread", NULL},
    };
    int code;
    scene s = {0};
    if (args_parse(self, table, sizeof table / sizeof table[0], &argc, argv, &code)) {
        if (!(o.time >= 0)) {
            code = args_usage(self, "--time %g is before the start", o.time);
        } else if (o.every < 1) {
            code = args_usage(self, "--every 0 records nothing");
        }
        code = code == EXIT_DONE ? scene_open(argv[0], &s) : code;
        code = code == EXIT_DONE ? scene_start(self, &s, &o.start) : code;
        code = code == EXIT_DONE ? simulate(self, &o, &s) : code;
    }
    scene_close(&s);
    start_options_free(&o.start);
    return code;
}

const command cmd_run = {
    .name = "run",
    .summary = "simulate a scene and say what the run was worth",
    .synopsis = "SCENE [OPTIONS]",
    .about =
        "Simulates a scene from its reference pose, or from where --keyframe, --qpos and --qvel put it, and\n"
        "prints the certificate of the run: how well energy was kept, how well each step obeyed the law of\n"
        "motion, how far joints drifted.",
    .more = "Files appear whole or not at all. A recording is written to FILE.csv.part and renamed at the "
            "end; one cut\n"
            "off by a kill is readable there up to half a second before. Its columns are time, qpos[i], "
            "qvel[i] and\n"
            "the certificate of each step; its first row is the start.\n\n"
            "  thud run scenes/gymnast.xml --keyframe handstand --time 4 --report gymnast.html\n"
            "  thud run scenes/chain30.xml --keyframe start --time 5 --record chain.csv --every 10\n"
            "  thud run scenes/double_pendulum.xml --qpos=2,0 --integrator rk4 --dt 0.0005 --json",
    .operands_min = 1,
    .operands_max = 1,
    .run = run,
};
