// SPDX-License-Identifier: Apache-2.0
// mujoco_chain.c: MuJoCo's side of bench_chain.
#include <mujoco/mujoco.h>
#include <stdlib.h>

#include "peer_chain.h"

struct peer_chain {
    mjModel *m;
    mjData *d;
};

peer_chain *peer_chain_open(const char *path, int rk4, char *why, int size)
{
    peer_chain *c = malloc(sizeof *c);
    c->m = mj_loadXML(path, NULL, why, size);
    if (!c->m) {
        free(c);
        return NULL;
    }
    c->m->opt.integrator = rk4 ? mjINT_RK4 : mjINT_EULER;
    c->d = mj_makeData(c->m);
    return c;
}

void peer_chain_close(peer_chain *c)
{
    mj_deleteData(c->d);
    mj_deleteModel(c->m);
    free(c);
}

void peer_chain_reset(peer_chain *c, const double *qvel)
{
    mj_resetData(c->m, c->d);
    mju_copy(c->d->qvel, qvel, c->m->nv);
}

void peer_chain_steps(peer_chain *c, int count)
{
    for (int i = 0; i < count; i++) {
        mj_step(c->m, c->d);
    }
}

double peer_chain_energy(peer_chain *c)
{
    c->m->opt.enableflags |= mjENBL_ENERGY;
    mj_forward(c->m, c->d);
    c->m->opt.enableflags &= ~mjENBL_ENERGY;
    return c->d->energy[0] + c->d->energy[1];
}
