// SPDX-License-Identifier: Apache-2.0
// read_scene.c: what MuJoCo makes of scenes; a program of its own, built by
// test/all/scenes_load_in_mujoco.sh.
//
// usage: read_scene SCENE...       one line each, "nq nv bodies geoms keyframes mass"; exit 1 at an error or
// a warning
#include <stdio.h>
#include <stdlib.h>

#include <mujoco/mujoco.h>

static int complaints;

static void complain(const char *sentence)
{
    fprintf(stderr, "%s\n", sentence);
    complaints++;
}

static void read_scene(const char *path)
{
    char error[1000] = "";
    mjModel *m = mj_loadXML(path, NULL, error, sizeof error);
    if (!m || error[0]) {
        fprintf(stderr, "%s: %s\n", path, error);
        complaints++;
    }
    if (m) {
        printf("%d %d %d %d %d %.17g\n", (int)m->nq, (int)m->nv, (int)m->nbody, (int)m->ngeom, (int)m->nkey,
               mj_getTotalmass(m));
        mjData *d = mj_makeData(m);
        mj_forward(m, d);
        mj_deleteData(d);
        mj_deleteModel(m);
    }
}

int main(int argc, char **argv)
{
    mju_user_warning = complain;
    for (int i = 1; i < argc; i++) {
        read_scene(argv[i]);
    }
    return complaints > 0;
}
