// SPDX-License-Identifier: Apache-2.0
// mocap.c: a model with its mocap bodies elsewhere. The arrays that differ lie behind the struct of the view; it points at
// the model's own for all others.
#include <string.h>

#include <thud/model_poses.h>
#include <thud/spatial_inline.h>

#include "build.h"

// The arrays that mocap bodies change: X(type, name, count).
#define CHANGED(X)                                                                                           \
    X(thud_pose, body_pose, bodies)                                                                          \
    X(thud_pose, body_in_link, bodies)                                                                       \
    X(thud_mat3, link_rot, joints)                                                                           \
    X(thud_vec3, link_pos, joints)                                                                           \
    X(int, link_aligned, joints)

thud_status thud_mocap_view_create(const thud_model *m, thud_model **out)
{
    size_t bytes = sizeof *m;
#define MEASURE(type, name, count) bytes += (size_t)m->count * sizeof(type);
    CHANGED(MEASURE)
#undef MEASURE
    unsigned char *at = thud_alloc(1, bytes);
    *out = (thud_model *)at;
    if (!at) {
        return THUD_NO_MEMORY;
    }
    memcpy(at, m, sizeof *m);
    at += sizeof *m;
#define COPY(type, name, count)                                                                              \
    memcpy(at, m->name, (size_t)m->count * sizeof(type));                                                    \
    (*out)->name = (type *)(void *)at;                                                                       \
    at += (size_t)m->count * sizeof(type);
    CHANGED(COPY)
#undef COPY
    return THUD_OK;
}

void thud_mocap_view_destroy(thud_model *view)
{
    thud_free(view);
}

// Whether the body or one that it hangs on, without a joint between them, is a mocap body; then its joints, too, stand
// elsewhere.
static bool follows_mocap(const thud_model *m, int body)
{
    const int up = m->body_parent[body];
    return m->body_mocap[body] >= 0 || (m->body_link[up] < 0 && m->body_mocap[m->body_weld[up]] >= 0);
}

void thud_mocap_view_set(thud_model *view, const double *mocap)
{
    for (int i = 1; i < view->bodies; i++) {
        if (!follows_mocap(view, i)) {
            continue;
        }
        if (view->body_mocap[i] >= 0) {
            const double *x = mocap + 7 * (size_t)view->body_mocap[i];
            view->body_pose[i] = (pose){{x[3], x[4], x[5], x[6]}, {x[0], x[1], x[2]}};
        }
        model_place_body(view, i);
    }
}
