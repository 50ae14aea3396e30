// SPDX-License-Identifier: Apache-2.0
// 06_save_restore.c: a state holds all that the next step depends on. A scene runs to its half, is saved as
// bytes, runs to its end; then the bytes go into a new state and a new sim, which reach the same end, to the
// bit. The same with other controls, forces or options is how one looks ahead.
//
//     cc 06_save_restore.c $(pkg-config --cflags --libs thud) -o save_restore
//     ./save_restore scenes/balls.xml
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <thud/thud.h>

static const double half = 0.5; // s

// Steps to a time; makes room where there are more contacts than expected.
static thud_status run_to(double time, thud_sim *sim, thud_state *s)
{
    while (s->time < time) {
        thud_status status = thud_sim_step(sim, NULL, s, NULL);
        while (status == THUD_NO_MEMORY) { // the state is untouched: grow, and step again
            THUD_TRY(thud_sim_grow(sim, s));
            status = thud_sim_step(sim, NULL, s, NULL);
        }
        THUD_TRY(status);
    }
    return THUD_OK;
}

// Runs from bytes of a state to the end, in a sim that knows nothing of the past.
static thud_status run_again(const thud_model *m, const void *bytes, size_t count, uint64_t *hash)
{
    thud_state *s = NULL;
    thud_sim *sim = NULL;
    const thud_step_options options = thud_step_defaults(m);
    thud_status status = thud_state_create(m, &s);
    status = status == THUD_OK ? thud_state_load(m, bytes, count, s, NULL) : status;
    status = status == THUD_OK ? thud_sim_create(m, &options, &sim, NULL) : status;
    status = status == THUD_OK ? run_to(2 * half, sim, s) : status;
    *hash = status == THUD_OK ? thud_state_hash(s) : 0;
    thud_sim_destroy(sim);
    thud_state_destroy(s);
    return status;
}

static thud_status compare(const thud_model *m, thud_sim *sim, thud_state *s)
{
    THUD_TRY(run_to(half, sim, s));
    const size_t count = thud_state_bytes(s);
    void *bytes = malloc(count);
    if (!bytes) {
        return THUD_NO_MEMORY;
    }
    thud_state_save(s, bytes);
    uint64_t again = 0;
    thud_status status = run_to(2 * half, sim, s);
    status = status == THUD_OK ? run_again(m, bytes, count, &again) : status;
    free(bytes);
    printf("saved %zu bytes at %g s\n", count, half);
    printf("went on to %g s:       state %016" PRIx64 "\n", s->time, thud_state_hash(s));
    printf("restored, and again:  state %016" PRIx64 " (%s)\n", again,
           again == thud_state_hash(s) ? "the same bits" : "not the same");
    return status;
}

int main(int argc, char **argv)
{
    thud_diag diag = {.text = "memory ran out, or a step failed"};
    thud_spec *spec = NULL;
    thud_model *m = NULL;
    thud_state *s = NULL;
    thud_sim *sim = NULL;
    if (argc != 2) {
        fprintf(stderr, "usage: %s SCENE\n", argv[0]);
        return 2;
    }
    bool done = thud_load_mjcf(argv[1], &spec, &diag) == THUD_OK &&
                thud_model_build(spec, &m, &diag) == THUD_OK && thud_state_create(m, &s) == THUD_OK &&
                (m->keys == 0 || thud_state_reset(m, 0, s) == THUD_OK);
    if (done) {
        const thud_step_options options = thud_step_defaults(m);
        done = thud_sim_create(m, &options, &sim, &diag) == THUD_OK && compare(m, sim, s) == THUD_OK;
    }
    if (!done) {
        fprintf(stderr, "%s\n", diag.text);
    }
    thud_sim_destroy(sim);
    thud_state_destroy(s);
    thud_model_destroy(m);
    thud_spec_destroy(spec);
    return done ? 0 : 1;
}
