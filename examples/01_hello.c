// SPDX-License-Identifier: Apache-2.0
// 01_hello.c: load a scene and simulate it.
//
//     cc 01_hello.c $(pkg-config --cflags --libs thud) -o hello && ./hello scenes/double_pendulum.xml
#include <stdio.h>

#include <thud/thud.h>

// Says why on stderr and gives the exit code.
static int fail(const thud_diag *diag)
{
    char line[1100];
    thud_diag_format(diag, line, sizeof line);
    fprintf(stderr, "%s\n", line);
    return 1;
}

int main(int argc, char **argv)
{
    thud_diag diag = {0};
    thud_spec *spec = NULL;
    thud_model *model = NULL;
    thud_state *state = NULL;
    thud_sim *sim = NULL;

    if (argc != 2) {
        fprintf(stderr, "usage: %s SCENE\n", argv[0]);
        return 2;
    }
    if (thud_load_mjcf(argv[1], &spec, &diag) != THUD_OK ||
        thud_model_build(spec, &model, &diag) != THUD_OK) {
        return fail(&diag);
    }
    const thud_step_options options = thud_step_defaults(model);
    if (thud_state_create(model, &state) != THUD_OK ||
        thud_sim_create(model, &options, &sim, &diag) != THUD_OK) {
        return fail(&diag);
    }

    if (model->keys > 0 && thud_state_reset(model, 0, state) != THUD_OK) {
        return 1;
    }
    const thud_energy start = thud_sim_energy(sim, state);
    thud_certificate certificate = {0};
    while (state->time < 5) {
        if (thud_sim_step(sim, NULL, state, &certificate) != THUD_OK) {
            fprintf(stderr, "the motion is no longer finite\n");
            return 3;
        }
    }

    printf("%d degrees of freedom, %g s\n", model->nv, state->time);
    for (int i = 0; i < model->nq; i++) {
        printf("qpos[%d] = %+.6f\n", i, state->qpos[i]);
    }
    printf("energy %.6f J, at the start %.6f J\n", certificate.kinetic + certificate.potential,
           start.kinetic + start.potential);

    thud_sim_destroy(sim);
    thud_state_destroy(state);
    thud_model_destroy(model);
    thud_spec_destroy(spec);
    return 0;
}
