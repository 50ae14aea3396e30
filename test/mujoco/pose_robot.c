// SPDX-License-Identifier: Apache-2.0
// pose_robot.c: where MuJoCo puts a robot; a program of its own, built by
// test/all/robots_agree_with_mujoco.sh.
//
// usage: pose_robot FILE...     for each file a line "nq nv bodies", then qpos, qvel, body masses, xpos,
//                               xquat, M and bias at a state that bends every joint, a line each
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

static int pose(const char *path)
{
    char error[1000] = "";
    mjModel *m = mj_loadXML(path, NULL, error, sizeof error);
    if (!m) {
        fprintf(stderr, "%s: %s\n", path, error);
        return 1;
    }
    m->opt.disableflags |= mjDSBL_CONSTRAINT; // bent at random, it may touch itself anywhere
    mjData *d = mj_makeData(m);
    mjtNum *turn = calloc((size_t)m->nv, sizeof *turn);
    mjtNum *M = calloc((size_t)m->nv * (size_t)m->nv, sizeof *M);
    for (int i = 0; i < m->nv; i++) {
        turn[i] = 0.8 * sin(1.0 + 2.0 * i);
        d->qvel[i] = 0.5 * cos(i);
    }
    mj_integratePos(m, d->qpos, turn, 1);
    mj_forward(m, d);
    mj_fullM(m, d, M);
    printf("%d %d %d\n", (int)m->nq, (int)m->nv, (int)m->nbody);
    print(d->qpos, m->nq);
    print(d->qvel, m->nv);
    print(m->body_mass, m->nbody);
    print(d->xpos, 3 * m->nbody);
    print(d->xquat, 4 * m->nbody);
    print(M, m->nv * m->nv);
    print(d->qfrc_bias, m->nv);
    free(turn);
    free(M);
    mj_deleteData(d);
    mj_deleteModel(m);
    return 0;
}

int main(int argc, char **argv)
{
    int failed = 0;
    for (int i = 1; i < argc; i++) {
        failed |= pose(argv[i]);
    }
    return failed;
}
