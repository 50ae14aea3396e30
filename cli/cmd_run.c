// SPDX-License-Identifier: Apache-2.0
// cmd_run.c: thud run SCENE: simulates, records, and says what the run was worth.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dump.h"
#include "events.h"
#include "film.h"
#include "history.h"
#include "output.h"
#include "report.h"
#include "run_notes.h"
#include "stepper.h"
#include "stopping.h"
#include "summary.h"
#include "term.h"
#include "viewer.h"

typedef struct run_options {
    start_options start;
    file_options file;
    step_wishes wishes;
    double time, patience;
    int every;
    const char *record, *report, *picture, *save, *dump;
    bool json, contacts, events, record_contacts, strict;
    film_options film;
} run_options;

typedef struct runner {
    const run_options *o;
    const scene *scene;
    int64_t steps; // to take
    stepper stepper;
    thud_recorder *recorder; // NULL: none
    bool remembers;          // the history is kept, for a picture or a still report
    history history;
    bool replays; // frames are kept, for a report
    replay replay;
    event_list events; // of the event-driven scheme
    bool doubted;      // the last step was, and --strict ends the run there
    summary summary;
} runner;

static bool ends_in(const char *name, const char *ending)
{
    const size_t length = strlen(name), tail = strlen(ending);
    return length > tail && strcmp(name + length - tail, ending) == 0;
}

// Whether events go into the recording itself: HDF5 has a place for them; a CSV has a table beside it.
static bool keeps_events(const runner *r)
{
    return r->recorder && ends_in(r->o->record, ".h5") &&
           r->stepper.options.scheme == THUD_SCHEME_EVENT_DRIVEN;
}

// ---------------------------------------------------------------------------------------- the loop

static void show_progress(progress *p, const runner *r, const thud_certificate *c)
{
    if (progress_due(p)) {
        const summary *s = &r->summary;
        const double time = summary_time(s), wall = thud_clock_wall() - p->start;
        progress_draw(p, (double)s->steps / (double)r->steps,
                      "%.2f s, %.3g x real time, %d contacts, worst residual %.0e", time, time / wall,
                      c->contacts, fmax(fmax(s->cone_residual, s->lcp_residual), s->momentum));
    }
}

static thud_status record(runner *r, const thud_certificate *c)
{
    thud_recorder_sense(r->recorder, r->stepper.reading);
    if (r->o->record_contacts) {
        THUD_TRY(thud_recorder_contacts(r->recorder, thud_sim_rows(r->stepper.sim)));
    }
    return thud_recorder_write(r->recorder, r->scene->state, c);
}

static thud_status take_step(runner *r, int64_t number, thud_certificate *c)
{
    const double cpu = r->o->json ? thud_clock_cpu() : 0, start = thud_clock_wall();
    THUD_TRY(stepper_step(&r->stepper, c));
    r->summary.stepping += thud_clock_wall() - start;
    if (r->o->json) {
        step_times_add(&r->summary.times, 1e6 * (thud_clock_cpu() - cpu));
    }
    summary_add(&r->summary, c);
    if (r->remembers && (number % r->history.every == 0 || number == r->steps)) {
        history_add(&r->history, r->scene->state, (thud_energy){c->kinetic, c->potential},
                    summary_exchanged(&r->summary));
    }
    const bool records = r->recorder && number % r->o->every == 0;
    THUD_TRY(records || r->replays ? stepper_sense(&r->stepper) : THUD_OK);
    const replay_moment now = {
        r->scene->state,   c, thud_sim_rows(r->stepper.sim), NULL, 0, summary_sums(&r->summary),
        r->stepper.reading};
    if (r->replays && !replay_add(&r->replay, &now, number == r->steps)) {
        return THUD_NO_MEMORY;
    }
    if (!events_add(&r->events, r->stepper.sim)) {
        return THUD_NO_MEMORY;
    }
    if (keeps_events(r)) {
        int count;
        const thud_event *event = thud_sim_events(r->stepper.sim, &count);
        THUD_TRY(thud_recorder_events(r->recorder, event, count));
    }
    return records ? record(r, c) : THUD_OK;
}

static thud_status take_steps(runner *r)
{
    const double start = thud_clock_wall();
    progress p = progress_start();
    thud_certificate c = {0};
    thud_status status = THUD_OK;
    for (int64_t k = 1; k <= r->steps && status == THUD_OK && !stopping_signal() && !r->doubted; k++) {
        status = take_step(r, k, &c);
        r->doubted = r->o->strict && c.wrong + c.coarse > 0;
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
    thud_diag diag = {0};
    const double h = stepper_choose(&o->wishes, r->scene->model).h;
    if (!(o->time / h < 1e12)) {
        return args_usage(self, "--time %g is too many steps of %g s", o->time, h);
    }
    r->steps = (int64_t)ceil(o->time / h - 1e-6);
    if (fabs(o->time / h - (double)r->steps) > 1e-6) {
        fprintf(stderr, "%s: note: --time %g is no whole number of steps of %g s; the run ends at %g s\n",
                r->scene->path, o->time, h, (double)r->steps * h);
    }
    thud_status status = stepper_create(&r->stepper, r->scene, &o->wishes, &diag);
    if (status == THUD_OK && o->start.ctrl.file) {
        status = stepper_play(&r->stepper, o->start.ctrl.file, &diag);
    }
    if (status == THUD_OK && o->record) {
        status = thud_recorder_open(o->record, r->scene->model, &r->recorder, &diag);
    }
    if (status == THUD_OK && o->record_contacts) {
        status = thud_recorder_keep_contacts(r->recorder, &diag);
    }
    if (status == THUD_OK && keeps_events(r)) {
        status = thud_recorder_keep_events(r->recorder, &diag);
    }
    if (status != THUD_OK) {
        return refuse(r, self, status, &diag);
    }
    if (r->recorder) {
        const run_notes notes = {r->scene->path, o->time, o->every, r->scene->settings,
                                 o->wishes.from != NULL};
        run_notes_write(r->recorder, &notes, &r->stepper);
    }
    const bool page = o->report && viewer_embedded.size > 0;
    r->replays = page || film_wanted(&o->film);
    r->remembers = o->picture || (o->report && !page);
    if ((r->remembers && !history_create(&r->history, r->scene->model, r->steps)) ||
        (r->replays && !replay_create(&r->replay, r->scene->model, r->stepper.options.h, true))) {
        return scene_complain(r->scene->path, THUD_NO_MEMORY, &diag);
    }
    return EXIT_DONE;
}

// The first row and the first moment: the state before any step.
static thud_status note_start(runner *r)
{
    const thud_energy energy = thud_sim_energy(r->stepper.sim, stepper_state(&r->stepper));
    r->summary = summary_start(&r->stepper.options, r->stepper.sim, energy.kinetic + energy.potential);
    r->summary.maximal = r->stepper.wide_model != NULL;
    r->summary.doubts = (doubt_view){r->stepper.sim, stepper_model(&r->stepper)};
    if (r->remembers) {
        history_add(&r->history, r->scene->state, energy, 0);
    }
    const thud_certificate start = {.kinetic = energy.kinetic, .potential = energy.potential};
    THUD_TRY(stepper_sense(&r->stepper));
    const replay_moment now = {r->scene->state,   &start, NULL, NULL, 0, summary_sums(&r->summary),
                               r->stepper.reading};
    if (r->replays && !replay_add(&r->replay, &now, false)) {
        return THUD_NO_MEMORY;
    }
    return r->recorder ? record(r, &start) : THUD_OK;
}

// The first doubt of this grade or worse, in a line.
static void why_doubted(const runner *r, thud_doubt_grade least, char *text, size_t size)
{
    int count;
    const thud_doubt *list = thud_sim_doubts(r->stepper.sim, &count);
    for (int i = 0; i < count; i++) {
        if (list[i].grade >= least) {
            doubt_line(stepper_model(&r->stepper), &list[i], text, size);
            return;
        }
    }
}

static void why_early(const runner *r, thud_status status, char *text, size_t size)
{
    const char *reason = thud_sim_reason(r->stepper.sim);
    if (r->doubted && status == THUD_OK) {
        why_doubted(r, THUD_DOUBT_COARSE, text, size);
        return;
    }
    const bool events = r->stepper.options.scheme == THUD_SCHEME_EVENT_DRIVEN;
    if (events && reason[0]) {
        snprintf(text, size, "%s", reason);
    } else if (status == THUD_NOT_SOLVED) {
        snprintf(text, size,
                 "a contact problem could not be solved to the tolerance, not in smaller steps either%s%s "
                 "(a smaller --dt, another --solver or --law, a larger --tolerance, --budget or "
                 "--accept-tolerance may help)",
                 reason[0] ? ": " : "", reason);
    } else {
        snprintf(text, size, "the motion is no longer finite; try a smaller --dt");
    }
}

static int close_recording(runner *r)
{
    thud_diag diag = {0};
    const bool in_file = keeps_events(r);
    const thud_status status = thud_recorder_close(r->recorder, &diag);
    r->recorder = NULL;
    if (status != THUD_OK) {
        return scene_complain(r->o->record, status, &diag);
    }
    const bool beside = r->stepper.options.scheme == THUD_SCHEME_EVENT_DRIVEN && !in_file;
    return beside && events_write(&r->events, r->o->record) ? EXIT_BAD_INPUT : EXIT_DONE;
}

// Of a run that was stopped from outside all is kept.
static int end_stopped(runner *r)
{
    const int code = r->recorder ? close_recording(r) : EXIT_DONE;
    fprintf(stderr, "%s:1:1: at t = %g s the run was stopped %s\n", r->scene->path, r->scene->state->time,
            stopping_word());
    return code == EXIT_DONE ? stopping_code() : code;
}

// Says how a run ended early; the recording so far stays beside its place.
static int end_early(runner *r, thud_status status)
{
    const char *part = r->recorder ? "; the recording up to here is " : "",
               *name = r->recorder ? thud_recorder_part(r->recorder) : "";
    char why[800];
    why_early(r, status, why, sizeof why);
    fprintf(stderr, "%s:1:1: at t = %g s %s%s%s\n", r->scene->path, r->scene->state->time, why, part, name);
    thud_recorder_abandon(r->recorder);
    r->recorder = NULL;
    if (status == THUD_NOT_SOLVED && r->o->dump) {
        dump_problem(r->o->dump, r->stepper.sim, &r->stepper.options, stepper_state(&r->stepper));
    }
    return EXIT_CERTIFICATE;
}

// A run that went to its end, but is not what the law says.
static int judge_run(const runner *r)
{
    char why[800] = "";
    const int wrong = doubt_view_count(&r->summary.doubts, THUD_DOUBT_WRONG);
    if (wrong == 0) {
        return EXIT_DONE;
    }
    why_doubted(r, THUD_DOUBT_WRONG, why, sizeof why);
    fprintf(stderr, "%s:1:1: the run is graded wrong: %s%s\n", r->scene->path, why,
            wrong > 1 ? "; and more" : "");
    return EXIT_CERTIFICATE;
}

// The last state and the pages, of a run that was stopped too.
static int keep(const runner *r)
{
    const run_options *o = r->o;
    int code = EXIT_DONE;
    if (o->save) {
        thud_diag diag = {0};
        const thud_status status = thud_state_write(stepper_state(&r->stepper), o->save, &diag);
        code = status == THUD_OK ? EXIT_DONE : scene_complain(o->save, status, &diag);
    }
    if (code == EXIT_DONE && o->report) {
        code = viewer_embedded.size > 0
                   ? report_replay(o->report, &(report_run){r->scene, &r->summary, &r->replay, NULL}, 1)
                   : report_write(o->report, r->scene, &r->summary, &r->history);
    }
    if (code == EXIT_DONE && o->picture) {
        code = report_picture(o->picture, r->scene, &r->history);
    }
    return code;
}

static int finish(runner *r, thud_status status)
{
    const run_options *o = r->o;
    int code = EXIT_DONE;
    if (status == THUD_NO_MEMORY) {
        return scene_complain(r->scene->path, status, &(thud_diag){0});
    }
    r->summary.unconverged += status == THUD_NOT_SOLVED;
    const bool stopped = stopping_signal() && (status == THUD_OK || status == THUD_CANCELLED);
    if (stopped) {
        code = end_stopped(r);
    } else if (status == THUD_NOT_FINITE || status == THUD_NOT_SOLVED || (status == THUD_OK && r->doubted)) {
        code = end_early(r, status);
    } else if (r->recorder && (code = close_recording(r)) != EXIT_DONE) {
        return code;
    }
    if (o->json) {
        summary_json(&r->summary, r->scene, o->events ? &r->events : NULL);
    } else {
        summary_print(&r->summary, r->scene);
    }
    if (o->events && !o->json) {
        events_print(&r->events, stepper_model(&r->stepper));
    }
    if (o->contacts && !o->json) {
        contacts_print(thud_sim_rows(r->stepper.sim), stepper_model(&r->stepper));
    }
    const int kept = code == EXIT_DONE || stopped ? keep(r) : EXIT_DONE;
    if (code == EXIT_DONE && kept == EXIT_DONE) {
        code = film_make(&o->film, r->scene->model, &r->replay);
    }
    return kept != EXIT_DONE ? kept : code == EXIT_DONE ? judge_run(r) : code;
}

static int simulate(const command *self, const run_options *o, const scene *s)
{
    runner r = {.o = o, .scene = s};
    int code = prepare(&r, self);
    if (code == EXIT_DONE) {
        stopping_watch(r.stepper.sim);
        thud_status status = note_start(&r);
        if (status == THUD_OK) {
            status = take_steps(&r);
        }
        code = finish(&r, status);
    }
    stopping_watch(NULL);
    thud_recorder_abandon(r.recorder);
    stepper_destroy(&r.stepper);
    history_destroy(&r.history);
    replay_destroy(&r.replay);
    events_free(&r.events);
    return code;
}

// ---------------------------------------------------------------------------------------- the command

// What is wrong with the options by themselves, found before anything is simulated.
static int check(const command *self, const run_options *o, const char *path)
{
    if (!(o->time >= 0)) {
        return args_usage(self, "--time %g is before the start", o->time);
    }
    if (o->every < 1) {
        return args_usage(self, "--every 0 records nothing");
    }
    if (o->record_contacts && !(o->record && ends_in(o->record, ".h5"))) {
        return args_usage(self, "--record-contacts needs --record FILE.h5");
    }
    if (o->report && !ends_in(o->report, ".html")) {
        return args_usage(self, "--report writes HTML: '%s' should end in .html", o->report);
    }
    if (o->picture && !ends_in(o->picture, ".svg")) {
        return args_usage(self, "--picture writes SVG: '%s' should end in .svg", o->picture);
    }
    int code = film_check(self, &o->film);
    const char *const files[] = {o->record, o->report, o->picture, o->save, o->film.snapshot, o->film.video};
    return code == EXIT_DONE ? outputs_possible(files, sizeof files / sizeof files[0], path) : code;
}

static int run(const command *self, int argc, char **argv)
{
    run_options o = {.time = 1, .wishes = WISHES_NONE, .every = 1, .film = FILM_NONE};
    const arg_option table[] = {
        {"motion", ARG_HEADING, NULL, NULL, NULL},
        {"time", ARG_NUMBER, "T", "seconds to simulate (1)", &o.time},
        {"dt", ARG_POSITIVE, "H", "step in seconds (the scene's)", &o.wishes.dt},
        {"integrator", ARG_CHOICE, "midpoint|euler|rk4", "how a step is taken (the scene's, or midpoint)",
         &o.wishes.integrator},
        {"threads", ARG_INT, "N",
         "that share a step; 0: as many as there are cores; the motion is the same (1)", &o.wishes.threads},
        {"patience", ARG_POSITIVE, "SECONDS",
         "wall time; then the run is stopped as by a signal, and exits with 124 (any)", &o.patience},
        START_OPTIONS(&o.start),
        FILE_OPTIONS(&o.file),
        {"output", ARG_HEADING, NULL, NULL, NULL},
        {"record", ARG_TEXT, "FILE.csv|FILE.h5", "write the run as a table, a row a step", &o.record},
        {"record-contacts", ARG_FLAG, NULL,
         "keep the contacts of every recorded step too (FILE.h5): points, impulses, stick or slip",
         &o.record_contacts},
        {"every", ARG_INT, "N", "record every N-th step (1)", &o.every},
        {"report", ARG_TEXT, "FILE.html", "write a page with a 3-D replay, plots and the certificate",
         &o.report},
        {"picture", ARG_TEXT, "FILE.svg", "write the picture of the motion alone", &o.picture},
        FILM_OPTIONS(&o.film),
        {"json", ARG_FLAG, NULL, "print the summary as one JSON object", &o.json},
        {"strict", ARG_FLAG, NULL, "end at the first doubt that is graded wrong or coarse, with exit code 3",
         &o.strict},
        {"contact", ARG_HEADING, NULL, NULL, NULL},
        {"law", ARG_CHOICE, LAW_WORDS, "how contact and friction are modelled (the scene's, or cone)",
         &o.wishes.law},
        {"directions", ARG_INT, "K", "directions of the friction pyramids (the scene's, or 8)",
         &o.wishes.directions},
        {"aligned", ARG_FLAG, NULL, "pyramids: turn them into the slip of each contact that slides",
         &o.wishes.aligned},
        {"rho", ARG_POSITIVE, "KG", "phantom inertia (each axis its own)", &o.wishes.rho},
        {"solver", ARG_CHOICE, SOLVER_WORDS, "how the law is solved (auto: the cheapest that works)",
         &o.wishes.solver},
        {"tolerance", ARG_POSITIVE, "EPS", "residual to which every contact problem is solved (1e-8)",
         &o.wishes.tolerance},
        {"budget", ARG_POSITIVE, "WORK",
         "multiply-adds that solving may cost in a step (1e10, and 1e7 more a degree of freedom)",
         &o.wishes.budget},
        {"accept-tolerance", ARG_POSITIVE, "EPS",
         "residual that will do, with a doubt, where the budget is spent (none)", &o.wishes.accept_tolerance},
        {"restitution", ARG_NUMBER, "E", "of every contact, 0 to 1 (the scene's)", &o.wishes.restitution},
        {"restitution-law", ARG_CHOICE, "poisson|newton", "what restitution means (the scene's, or poisson)",
         &o.wishes.restitution_law},
        {"impacts", ARG_CHOICE, "located|printed",
         "contacts that close fast: at the moment they touch, or by a row in the step (cone: located)",
         &o.wishes.impacts},
        {"rest-speed", ARG_POSITIVE, "V",
         "m/s; slower collisions do not spring back (the scene's, or 1e-3; event-driven: 2e-7)",
         &o.wishes.rest_speed},
        {"sleep", ARG_POSITIVE, "V",
         "m/s; what touches and is slower for --sleep-time sleeps until touched (off)",
         &o.wishes.sleep_speed},
        {"sleep-time", ARG_POSITIVE, "T", "s (0.5)", &o.wishes.sleep_time},
        {"coordinates", ARG_CHOICE, "minimal|maximal", "joint positions, or six for each body (minimal)",
         &o.wishes.coordinates},
        {"contacts", ARG_FLAG, NULL, "print a table of the contacts at the end: forces, stick or slip",
         &o.contacts},
        {"saving, and what failed", ARG_HEADING, NULL, NULL, NULL},
        {"load-state", ARG_TEXT, "FILE", "start from a saved state", &o.wishes.from},
        {"save-state", ARG_TEXT, "FILE", "save the last state", &o.save},
        {"dump-on-fail", ARG_TEXT, "DIR", "write a contact problem that could not be solved, and the state",
         &o.dump},
        {"events", ARG_HEADING, NULL, NULL, NULL},
        {"scheme", ARG_CHOICE, "time-stepping|event-driven",
         "steps of --dt, or events at their own times (the scene's, or time-stepping)", &o.wishes.scheme},
        {"rtol", ARG_POSITIVE, "R", "event-driven: relative tolerance of the motion (1e-9)", &o.wishes.rtol},
        {"atol", ARG_POSITIVE, "A", "event-driven: absolute tolerance of the motion (1e-11)", &o.wishes.atol},
        {"collisions", ARG_CHOICE, "simultaneous|sequential",
         "event-driven: contacts that collide at one moment, all at once or one at a time (simultaneous)",
         &o.wishes.collisions},
        {"events", ARG_FLAG, NULL, "event-driven: print every event: when, what, impulse, speeds, energy",
         &o.events},
    };
    int code;
    scene s = {0};
    if (args_parse(self, table, sizeof table / sizeof table[0], &argc, argv, &code)) {
        stopping_begin(o.patience);
        code = check(self, &o, argv[0]);
        code = code == EXIT_DONE ? scene_open(argv[0], &o.file, &s) : code;
        code = code == EXIT_DONE ? scene_start(self, &s, &o.start) : code;
        code = code == EXIT_DONE ? simulate(self, &o, &s) : code;
    }
    scene_close(&s);
    start_options_free(&o.start);
    film_options_free(&o.film);
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
    .more =
        "Files appear whole or not at all. A recording is written to FILE.part and renamed at the end;\n"
        "one cut off by a kill is readable there up to half a second before. Its columns are time,\n"
        "qpos[i], qvel[i], act[i], ctrl[i] and the certificate of each step; its first row is the start.\n\n"
        "  thud run scenes/gymnast.xml --keyframe handstand --time 4 --report gymnast.html\n"
        "  thud run scenes/dominoes.xml --keyframe start --snapshot fall.png --snapshot-time 0.4 --forces\n"
        "  thud run scenes/chain30.xml --keyframe start --time 5 --record chain.csv --every 10\n"
        "  thud run scenes/double_pendulum.xml --qpos=2,0 --integrator rk4 --dt 0.0005 --json",
    .operands_min = 1,
    .operands_max = 1,
    .run = run,
};
