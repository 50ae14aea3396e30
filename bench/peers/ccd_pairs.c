// SPDX-License-Identifier: Apache-2.0
// ccd_pairs.c: libccd's GJK and EPA. It is given our own hull supports with their hints, which are faster
// than a plain loop over the vertices.
#include <ccd/ccd.h>
#include <peer_pairs.h>
#include <stdlib.h>
#include <thud/spatial_inline.h>

typedef struct solid {
    thud_shape shape;
    thud_pose X;
    int hint;
} solid;

struct ccd_pair {
    ccd_t ccd;
    solid first, second;
};

static void support(const void *object, const ccd_vec3_t *dir, ccd_vec3_t *out)
{
    solid *s = (solid *)(uintptr_t)object; // the hint is ours to move
    const vec3 d = q_unrotate(s->X.q, v3(dir->v[0], dir->v[1], dir->v[2]));
    const vec3 x = pose_point(s->X, thud_shape_support(&s->shape, d, &s->hint));
    ccdVec3Set(out, x.x, x.y, x.z);
}

ccd_pair *ccd_pair_open(const thud_shape *first, const thud_shape *second)
{
    ccd_pair *p = calloc(1, sizeof *p);
    CCD_INIT(&p->ccd);
    p->ccd.support1 = support;
    p->ccd.support2 = support;
    p->ccd.max_iterations = 200;
    p->ccd.epa_tolerance = 1e-9;
    p->first.shape = *first;
    p->second.shape = *second;
    return p;
}

void ccd_pair_check(ccd_pair *p, thud_pose X_w1, thud_pose X_w2, peer_answer *out)
{
    ccd_real_t depth;
    ccd_vec3_t dir, pos;
    p->first.X = X_w1;
    p->second.X = X_w2;
    out->contacts = ccdGJKPenetration(&p->first, &p->second, &p->ccd, &depth, &dir, &pos) == 0;
    out->dist = out->contacts ? -depth : 0;
    out->normal = out->contacts ? v3(dir.v[0], dir.v[1], dir.v[2]) : v3(0, 0, 0);
}

void ccd_pair_close(ccd_pair *p)
{
    free(p);
}
