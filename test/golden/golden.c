// SPDX-License-Identifier: Apache-2.0
// golden.c: prints the state's hash after some steps of scenes, one line a run:
//
//     OPTION SCENE STEPS HASH            OPTION SCENE STEPS refused|absent            OPTION SCENE STEPS STATUS@STEP HASH
//
// usage: golden FOLDER OPTION... < TABLE              OPTION: default euler 1e-3 threads maximal event
//        golden --trace FOLDER OPTION < TABLE         the hash after every step, to find the first step that differs
//        golden --numerics
//
// TABLE has one line a scene: a file of FOLDER, the keyframe it starts from ("-": the reference pose), its steps, and its
// steps between events. Uses the library alone (C and expat), so that it runs wherever the library does. tools/golden.py calls it.
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <thud/thud.h>

typedef struct run {
    const char *folder, *option, *scene, *key;
    int steps;
    bool trace;
    thud_spec *spec, *wide;
    thud_model *built, *m, *wide_model; // m: built, or its view with mocap bodies
    thud_state *s, *wide_state;
    thud_sim *sim;
} run;

static void close_run(run *r)
{
    thud_sim_destroy(r->sim);
    thud_state_destroy(r->wide_state);
    thud_state_destroy(r->s);
    thud_model_destroy(r->wide_model);
    if (r->m != r->built) {
        thud_mocap_view_destroy(r->m);
    }
    thud_model_destroy(r->built);
    thud_spec_destroy(r->wide);
    thud_spec_destroy(r->spec);
}

static bool is(const run *r, const char *option)
{
    return strcmp(r->option, option) == 0;
}

static thud_status open_scene(run *r, thud_diag *diag)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", r->folder, r->scene);
    THUD_TRY(thud_load(path, NULL, &r->spec, diag));
    THUD_TRY(thud_model_build(r->spec, &r->built, diag));
    r->m = r->built;
    if (r->built->mocaps > 0) {
        thud_model *view;
        THUD_TRY(thud_mocap_view_create(r->built, &view));
        r->m = view;
    }
    THUD_TRY(thud_state_create(r->m, &r->s));
    const int key = strcmp(r->key, "-") == 0 ? -1 : thud_model_find(r->m, THUD_KIND_KEY, r->key);
    if (key < 0 && strcmp(r->key, "-") != 0) {
        return thud_fail(THUD_BAD_ARGUMENT, diag, path, 1, 1, "it has no keyframe '%s'", r->key);
    }
    THUD_TRY(thud_state_reset(r->m, key, r->s));
    if (r->m != r->built) {
        thud_mocap_view_set(r->m, r->s->mocap);
    }
    return THUD_OK;
}

// In maximal coordinates another model is stepped. UNSUPPORTED for what it cannot hold, actuators among it.
static thud_status widen(run *r, thud_diag *diag)
{
    if (r->m->actuators > 0) {
        return THUD_UNSUPPORTED;
    }
    THUD_TRY(thud_spec_maximal(r->spec, &r->wide, diag));
    THUD_TRY(thud_model_build(r->wide, &r->wide_model, diag));
    THUD_TRY(thud_state_create(r->wide_model, &r->wide_state));
    return thud_maximal_state(r->m, r->s, r->wide_model, r->wide_state);
}

static thud_status open_sim(run *r, thud_diag *diag)
{
    THUD_TRY(is(r, "maximal") ? widen(r, diag) : THUD_OK);
    thud_step_options o = thud_step_defaults(r->m);
    o.integrator = is(r, "euler") ? THUD_INTEGRATOR_EULER : o.integrator;
    o.h = is(r, "1e-3") ? 1e-3 : o.h;
    o.threads = is(r, "threads") ? 2 : 1;
    o.scheme = is(r, "event") ? THUD_SCHEME_EVENT_DRIVEN : o.scheme;
    return thud_sim_create(r->wide_model ? r->wide_model : r->m, &o, &r->sim, diag);
}

// Controls that move every actuator to and fro in the middle half of its range: u goes from -1 to 1 and back every 64 steps,
// each actuator an eighth of that after the one before.
static void drive(const run *r, thud_state *s, int step)
{
    for (int i = 0; i < s->nu; i++) {
        const int phase = (step + 8 * i) & 63;
        const double u = (phase < 32 ? phase - 16 : 48 - phase) / 16.0,
                     *range = r->m->actuator_ctrlrange + 2 * (size_t)i;
        s->ctrl[i] = r->m->actuator_limited[3 * i]
                         ? 0.5 * (range[0] + range[1]) + 0.25 * (range[1] - range[0]) * u
                         : u;
    }
}

static thud_status step(const run *r, thud_state *s)
{
    thud_status status = thud_sim_step(r->sim, NULL, s, NULL);
    for (int tries = 0; status == THUD_NO_MEMORY && tries < 24; tries++) {
        THUD_TRY(thud_sim_grow(r->sim, s));
        status = thud_sim_step(r->sim, NULL, s, NULL);
    }
    return status;
}

static void take_steps(run *r)
{
    thud_state *s = r->wide_state ? r->wide_state : r->s;
    thud_status status = THUD_OK;
    int k = 0;
    while (k < r->steps && status == THUD_OK) {
        drive(r, s, k);
        status = step(r, s);
        k += status == THUD_OK;
        if (r->trace) {
            printf("%s %s %d %016llx\n", r->option, r->scene, k, (unsigned long long)thud_state_hash(s));
        }
    }
    printf("%s %s %d ", r->option, r->scene, r->steps);
    if (status != THUD_OK) {
        printf("%s@%d ",
               status == THUD_NOT_SOLVED   ? "not-solved"
               : status == THUD_NOT_FINITE ? "not-finite"
                                           : "failed",
               k);
    }
    printf("%016llx\n", (unsigned long long)thud_state_hash(s));
}

static bool do_run(run *r)
{
    thud_diag diag = {.text = ""};
    thud_status status = open_scene(r, &diag);
    if (status != THUD_OK) {
        fprintf(stderr, "%s/%s:%d:%d: %s\n", r->folder, r->scene, diag.line, diag.column,
                diag.text[0] ? diag.text : thud_status_text(status));
        return false;
    }
    if (is(r, "event") && !strstr(thud_parts(), "sundials")) {
        printf("%s %s %d absent\n", r->option, r->scene, r->steps);
        return true;
    }
    status = open_sim(r, &diag);
    if (status == THUD_OK) {
        take_steps(r);
    } else if (status == THUD_UNSUPPORTED || status == THUD_BAD_ARGUMENT) {
        printf("%s %s %d refused\n", r->option, r->scene, r->steps);
    } else {
        fprintf(stderr, "%s/%s:1:1: %s\n", r->folder, r->scene, thud_status_text(status));
        return false;
    }
    return fflush(stdout) == 0;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--numerics") == 0) {
        printf("%d\n", thud_numerics());
        return 0;
    }
    const bool trace = argc > 1 && strcmp(argv[1], "--trace") == 0;
    const int first = trace ? 2 : 1;
    char line[512], scene[256], key[256];
    int steps, event_steps;
    bool good = argc > first + 1;
    while (good && fgets(line, sizeof line, stdin)) {
        if (line[0] == '#' || line[0] == '\n') {
            continue;
        }
        if (sscanf(line, "%255s %255s %d %d", scene, key, &steps, &event_steps) != 4) {
            fprintf(stderr, "golden: this line is no scene, keyframe, steps, steps between events: %s", line);
            return 1;
        }
        for (int i = first + 1; i < argc && good; i++) {
            run r = {.folder = argv[first], .option = argv[i], .scene = scene, .key = key, .trace = trace};
            r.steps = is(&r, "event") ? event_steps : steps;
            good = do_run(&r);
            close_run(&r);
        }
    }
    return good ? 0 : 1;
}
