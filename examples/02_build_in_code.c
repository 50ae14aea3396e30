// SPDX-License-Identifier: Apache-2.0
// 02_build_in_code.c: a mechanism built in C, without a file: a chain of rods on ball joints, recorded as
// CSV.
//
//     cc 02_build_in_code.c $(pkg-config --cflags --libs thud) -o build_in_code && ./build_in_code chain.csv
#include <stdio.h>

#include <thud/thud.h>

enum { RODS = 8 };

// A hanging chain: each rod 0.2 m long, on a ball joint at the end of the one before.
static thud_status build_chain(thud_model **out, thud_diag *diag)
{
    thud_spec *spec;
    THUD_TRY(thud_spec_create(&spec));
    spec->option.timestep = 0.001;
    int parent = 0; // the world
    for (int i = 0; i < RODS; i++) {
        const int body = thud_spec_add_body(spec, parent, NULL);
        const int joint = body < 0 ? -1 : thud_spec_add_joint(spec, body, THUD_JOINT_BALL, NULL);
        const int geom = joint < 0 ? -1 : thud_spec_add_geom(spec, body, THUD_GEOM_CAPSULE, NULL);
        if (geom < 0) {
            thud_spec_destroy(spec);
            return THUD_NO_MEMORY;
        }
        spec->body[body].pos.z = i == 0 ? 2 : -0.2;
        spec->geom[geom].size[0] = 0.02; // radius
        spec->geom[geom].size[1] = 0.08; // half length
        spec->geom[geom].pos.z = -0.1;
        parent = body;
    }
    const thud_status status = thud_model_build(spec, out, diag);
    thud_spec_destroy(spec); // the model keeps nothing of it
    return status;
}

// Simulates 2 s from a push to the side and records every tenth step.
static thud_status simulate(thud_sim *sim, thud_state *s, thud_recorder *recorder)
{
    thud_certificate c = {0};
    s->qvel[0] = 3; // rad/s about the first rod's x axis
    s->qvel[1] = 1;
    for (int i = 0; i < 2000; i++) {
        THUD_TRY(thud_sim_step(sim, NULL, s, &c));
        if (i % 10 == 9) {
            THUD_TRY(thud_recorder_write(recorder, s, &c));
        }
    }
    printf("%d rods, %d velocities: %g s, energy %.6f J\n", RODS, s->nv, s->time, c.kinetic + c.potential);
    return THUD_OK;
}

int main(int argc, char **argv)
{
    thud_diag diag = {.text = "memory ran out"};
    thud_model *m = NULL;
    thud_state *s = NULL;
    thud_sim *sim = NULL;
    thud_recorder *recorder = NULL;
    bool done = build_chain(&m, &diag) == THUD_OK && thud_state_create(m, &s) == THUD_OK;
    if (done) {
        const thud_step_options options = thud_step_defaults(m);
        done = thud_sim_create(m, &options, &sim, &diag) == THUD_OK &&
               thud_recorder_open(argc > 1 ? argv[1] : "chain.csv", m, &recorder, &diag) == THUD_OK;
    }
    if (done && simulate(sim, s, recorder) == THUD_OK) {
        done = thud_recorder_close(recorder, &diag) == THUD_OK;
        recorder = NULL;
    }
    if (!done) {
        fprintf(stderr, "%s\n", diag.text);
    }
    thud_recorder_abandon(recorder);
    thud_sim_destroy(sim);
    thud_state_destroy(s);
    thud_model_destroy(m);
    return done ? 0 : 1;
}
