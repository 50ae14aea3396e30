// SPDX-License-Identifier: Apache-2.0
// drive_scene.c: steps a scene in MuJoCo with contact, limits, dry friction and equalities off; a program of
// its own, built by test/all/motion_agrees_with_mujoco.sh.
//
// usage: drive_scene SCENE STEP SECONDS     RK4 at constant controls ctrl[i] = 0.3 cos(i) from a state that
//                                           moves, printed as "nq nv nu na", qpos, qvel, ctrl at the start,
//                                           qfrc_passive, qfrc_actuator and qacc there, then qpos, qvel, act
//                                           at the end, a line each
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <mujoco/mujoco.h>

static void print(const mjtNum *x, int n)
{
    for (int i = 0; i < n; i++) {
        printf("%.17g ", x[i]);
    }
    printf("\n");
}

int main(int argc, char **argv)
{
    char error[1000] = "";
    mjModel *m = argc == 4 ? mj_loadXML(argv[1], NULL, error, sizeof error) : NULL;
    if (!m) {
        fprintf(stderr, "%s\n", error);
        return 1;
    }
    m->opt.timestep = atof(argv[2]);
    m->opt.integrator = mjINT_RK4;
    m->opt.disableflags |= mjDSBL_CONTACT | mjDSBL_LIMIT | mjDSBL_FRICTIONLOSS | mjDSBL_EQUALITY;
    mjData *d = mj_makeData(m);
    if (m->nkey > 0) {
        mj_resetDataKeyframe(m, d, 0);
    }
    for (int i = 0; i < m->nv; i++) {
        d->qvel[i] = 0.2 * sin(1.0 + i);
    }
    for (int i = 0; i < m->nu; i++) {
        d->ctrl[i] = 0.3 * cos(i);
    }
    printf("%d %d %d %d\n", (int)m->nq, (int)m->nv, (int)m->nu, (int)m->na);
    print(d->qpos, m->nq);
    print(d->qvel, m->nv);
    print(d->ctrl, m->nu);
    mj_forward(m, d);
    print(d->qfrc_passive, m->nv);
    print(d->qfrc_actuator, m->nv);
    print(d->qacc, m->nv);
    for (int k = 0, steps = (int)lround(atof(argv[3]) / m->opt.timestep); k < steps; k++) {
        mj_step(m, d);
    }
    print(d->qpos, m->nq);
    print(d->qvel, m->nv);
    print(d->act, m->na);
    mj_deleteData(d);
    mj_deleteModel(m);
    return 0;
}
