// SPDX-License-Identifier: Apache-2.0
// sense_scene.c: what sensors read in MuJoCo in a state that moves; a program of its own, built by
// test/all/sensors_agree_with_mujoco.sh.
//
// usage: sense_scene SCENE       qpos, qvel, ctrl, then for each sensor a line "type number number ..."
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
    mjModel *m = argc == 2 ? mj_loadXML(argv[1], NULL, error, sizeof error) : NULL;
    if (!m) {
        fprintf(stderr, "%s\n", error);
        return 1;
    }
    m->opt.disableflags |= mjDSBL_CONTACT | mjDSBL_LIMIT | mjDSBL_FRICTIONLOSS | mjDSBL_EQUALITY;
    mjData *d = mj_makeData(m);
    if (m->nkey > 0) {
        mj_resetDataKeyframe(m, d, 0);
    }
    for (int i = 0; i < m->nv; i++) {
        d->qvel[i] = 0.7 * sin(1.0 + i);
    }
    for (int i = 0; i < m->nu; i++) {
        d->ctrl[i] = 0.3 * cos(i);
    }
    mj_integratePos(m, d->qpos, d->qvel, 0.5);
    mj_forward(m, d);
    print(d->qpos, m->nq);
    print(d->qvel, m->nv);
    print(d->ctrl, m->nu);
    for (int i = 0; i < m->nsensor; i++) {
        printf("%d ", m->sensor_type[i]);
        print(d->sensordata + m->sensor_adr[i], m->sensor_dim[i]);
    }
    mj_deleteData(d);
    mj_deleteModel(m);
    return 0;
}
