// SPDX-License-Identifier: Apache-2.0
// trial.h: a run of a scene whose every state and certificate is kept, for studies. It takes the steps that
// `thud run` with the same options takes.
#pragma once

#include "stepper.h"

struct trial;

typedef struct trial_wish {
    const char *scene;    // name of its file, without .xml
    const char *keyframe; // NULL: the reference pose, at rest
    const double *qpos;   // nq numbers to start from instead; NULL: as the keyframe has them
    const double *qvel;   // nv numbers, likewise
    const char *ctrl; // table of controls to play, beside the scene, without .csv; NULL: the keyframe's hold
    double time;      // s
    step_wishes wishes;
    bool bare; // without certificates, as fast as it goes; only the last state is kept
    void (*watch)(const struct trial *t, void *context); // called after every step; NULL: nobody
    void *context;
} trial_wish;

typedef struct trial {
    scene scene;
    stepper stepper;
    char path[512];
    int steps, taken;    // asked for; taken before the motion ended or the law could not be solved
    thud_status status;  // how it ended
    int nq, nv;          // of the scene's model
    double *time;        // taken + 1: the start first; so are the next three
    double *qpos, *qvel; // nq and nv for each
    thud_certificate *certificate;
    double cpu; // s, of the steps alone
} trial;

// Loads and runs. Returns an exit code, after saying what is wrong on stderr where it is not EXIT_DONE; a
// motion that could not be finished is no such failure, but a status. Close it in every case.
int trial_run(const command *self, const char *folder, const trial_wish *wish, trial *out);
void trial_close(trial *t);

const double *trial_qpos(const trial *t, int step);
const double *trial_qvel(const trial *t, int step);
double trial_worst(const trial *t, double (*of)(const thud_certificate *)); // largest over all steps

// A free body's angular velocity in the world: first its first number in qpos, then in qvel.
thud_vec3 trial_spin(const trial *t, int step, int qpos, int qvel);
