// SPDX-License-Identifier: Apache-2.0
// tendons.c: tendons of a model, and their way through it.
#include <math.h>
#include <string.h>

#include <thud/model_poses.h>
#include <thud/shape_wrap.h>
#include <thud/spatial_inline.h>

#include "build.h"

// ---------------------------------------------------------------------------------------------- length

typedef struct path { // a spatial tendon while it is followed
    const thud_model *m;
    const vec3 *x_ws;
    const pose *X_wb;
    thud_tendon_piece *piece; // NULL: not wanted
    int pieces;
    double weight, length;
} path;

static void go_straight(path *p, int body1, vec3 p1, int body2, vec3 p2)
{
    p->length += p->weight * v3_norm(v3_sub(p2, p1));
    if (p->piece) {
        p->piece[p->pieces] = (thud_tendon_piece){body1, body2, p1, p2, p->weight};
    }
    p->pieces++;
}

// From one site to another, around a geom (a station w; -1: none) that may stand between them.
static void go_on(path *p, int site1, int w, int site2)
{
    const thud_model *m = p->m;
    const vec3 a = p->x_ws[site1], b = p->x_ws[site2];
    const int body1 = m->site_body[site1], body2 = m->site_body[site2];
    thud_bend bend = {0};
    int body = -1;
    if (w >= 0) {
        const int geom = m->wrap_object[w], side = m->wrap_side[w];
        const vec3 beside = side < 0 ? v3(0, 0, 0) : p->x_ws[side];
        body = m->geom_body[geom];
        bend = thud_bend_around(m->geom_shape[geom].kind == THUD_SHAPE_CYLINDER, m->geom_shape[geom].size[0],
                                pose_mul(p->X_wb[body], m->geom_pose[geom]), a, b, side < 0 ? NULL : &beside);
    }
    if (!bend.touches) {
        go_straight(p, body1, a, body2, b);
        return;
    }
    go_straight(p, body1, a, body, bend.p1);
    p->length += p->weight * bend.arc;
    go_straight(p, body, bend.p2, body2, b);
}

static double spatial_length(path *p, int t)
{
    const thud_model *m = p->m;
    const int first = m->tendon_wrap[t], last = first + m->tendon_wraps[t];
    int from = -1, geom = -1; // the last site of this branch, and the geom since
    for (int w = first; w < last; w++) {
        switch (m->wrap_type[w]) {
        case THUD_WRAP_PULLEY:
            p->weight = 1 / m->wrap_coef[w];
            from = geom = -1;
            break;
        case THUD_WRAP_GEOM:
            geom = w;
            break;
        default:
            if (from >= 0) {
                go_on(p, from, geom, m->wrap_object[w]);
            }
            from = m->wrap_object[w];
            geom = -1;
        }
    }
    return p->length;
}

double thud_tendon_length(const thud_model *m, int t, const double *qpos, const thud_vec3 *x_ws,
                          const thud_pose *X_wb, thud_tendon_piece *piece, int *pieces)
{
    path p = {.m = m, .x_ws = x_ws, .X_wb = X_wb, .piece = piece, .weight = 1};
    if (m->tendon_spatial[t]) {
        (void)spatial_length(&p, t);
    } else {
        for (int w = m->tendon_wrap[t]; w < m->tendon_wrap[t] + m->tendon_wraps[t]; w++) {
            p.length += m->wrap_coef[w] * qpos[m->joint_q[m->wrap_object[w]]];
        }
    }
    if (pieces) {
        *pieces = p.pieces;
    }
    return p.length;
}

// ---------------------------------------------------------------------------------------------- checks

static const char *called(const char *name)
{
    return name ? name : "(no name)";
}

static bool finite_and_positive(const double *x, int n) // not negative
{
    bool good = true;
    for (int i = 0; i < n; i++) {
        good &= isfinite(x[i]) && x[i] >= 0;
    }
    return good;
}

static thud_status check_wrap(builder *b, const thud_spec_tendon *t, const thud_spec_wrap *w)
{
    const thud_spec *s = b->spec;
    const int count = w->type == THUD_WRAP_JOINT  ? s->joints
                      : w->type == THUD_WRAP_SITE ? s->sites
                      : w->type == THUD_WRAP_GEOM ? s->geoms
                                                  : 0;
    if ((unsigned)w->type > THUD_WRAP_PULLEY || (w->type == THUD_WRAP_JOINT) == t->spatial ||
        (w->type != THUD_WRAP_PULLEY && (w->object < 0 || w->object >= count)) || w->sidesite >= s->sites) {
        return FAIL_AT(b, w->place, "tendon '%s' goes through something that does not exist",
                       called(t->name));
    }
    if (!isfinite(w->coef) || (w->type == THUD_WRAP_PULLEY && !(w->coef > 0))) {
        return FAIL_AT(b, w->place, "tendon '%s' has a coefficient that is not finite or a divisor of %g",
                       called(t->name), w->coef);
    }
    if (w->type == THUD_WRAP_JOINT && thud_joint_dofs((int)s->joint[w->object].type) != 1) {
        return FAIL_AT(b, w->place, "fixed tendon '%s' takes hinges and slides", called(t->name));
    }
    const thud_geom_type type = w->type == THUD_WRAP_GEOM ? s->geom[w->object].type : THUD_GEOM_SPHERE;
    if (type != THUD_GEOM_SPHERE && type != THUD_GEOM_CYLINDER) {
        return FAIL_AT(b, w->place, "tendon '%s' goes around a sphere or a cylinder; this geom is neither",
                       called(t->name));
    }
    return THUD_OK;
}

static thud_status check_tendon(builder *b, const thud_spec_tendon *t)
{
    const double numbers[] = {t->stiffness, t->damping, t->frictionloss, t->armature};
    if (t->first < 0 || t->wraps < 1 || t->first + t->wraps > b->spec->wraps) {
        return FAIL_AT(b, t->place, "tendon '%s' has no path", called(t->name));
    }
    if (!finite_and_positive(numbers, 4) || !isfinite(t->margin)) {
        return FAIL_AT(b, t->place,
                       "stiffness, damping and friction of tendon '%s' must be finite and not negative",
                       called(t->name));
    }
    if (t->armature > 0) {
        return FAIL_AT(b, t->place,
                       "tendon '%s' has armature, which is not supported: give it to the joints it moves",
                       called(t->name));
    }
    for (int i = 0; i < t->wraps; i++) {
        THUD_TRY(check_wrap(b, t, &b->spec->wrap[t->first + i]));
    }
    return THUD_OK;
}

// ---------------------------------------------------------------------------------------------- build

static bool is_limited(thud_tristate word, bool has_range)
{
    return word == THUD_TRUE || (word == THUD_AUTO && has_range);
}

static void fill(builder *b, int i)
{
    thud_model *m = b->m;
    const thud_spec_tendon *t = &b->spec->tendon[i];
    m->tendon_spatial[i] = t->spatial;
    m->tendon_wrap[i] = t->first;
    m->tendon_wraps[i] = t->wraps;
    m->tendon_stiffness[i] = m->spring_on ? t->stiffness : 0;
    m->tendon_damping[i] = m->damper_on ? t->damping : 0;
    m->tendon_frictionloss[i] = t->frictionloss;
    m->tendon_limited[i] = is_limited(t->limited, t->has_range);
    m->tendon_margin[i] = t->margin;
    m->tendon_actfrclimited[i] = is_limited(t->actfrclimited, t->has_actfrcrange);
    memcpy(m->tendon_range + 2 * (size_t)i, t->range, sizeof t->range);
    memcpy(m->tendon_actfrcrange + 2 * (size_t)i, t->actfrcrange, sizeof t->actfrcrange);
    for (int w = t->first; w < t->first + t->wraps; w++) {
        const thud_spec_wrap *from = &b->spec->wrap[w];
        const int *at = from->type == THUD_WRAP_JOINT  ? b->joint_at
                        : from->type == THUD_WRAP_SITE ? b->site_at
                                                       : b->geom_at;
        m->wrap_type[w] = (int)from->type;
        m->wrap_object[w] = from->type == THUD_WRAP_PULLEY ? -1 : at[from->object];
        m->wrap_side[w] = from->sidesite < 0 ? -1 : b->site_at[from->sidesite];
        m->wrap_coef[w] = from->coef;
    }
}

static void place(const thud_model *m, const double *qpos, vec3 *x_ws, pose *X_wb)
{
    thud_body_poses(m, qpos, X_wb);
    for (int i = 0; i < m->sites; i++) {
        x_ws[i] = pose_point(X_wb[m->site_body[i]], m->site_pose[i].p);
    }
}

// Lengths in the reference pose, and where a spring rests whose length is not given: in the springs' pose.
static void measure(builder *b, vec3 *x_ws, pose *X_wb)
{
    thud_model *m = b->m;
    place(m, m->qpos0, x_ws, X_wb);
    for (int t = 0; t < m->tendons; t++) {
        m->tendon_length0[t] = thud_tendon_length(m, t, m->qpos0, x_ws, X_wb, NULL, NULL);
    }
    place(m, m->qpos_spring, x_ws, X_wb);
    for (int t = 0; t < m->tendons; t++) {
        const double *given = b->spec->tendon[t].springlength;
        const bool own = given[0] == -1 && given[1] == -1;
        const double rest = own ? thud_tendon_length(m, t, m->qpos_spring, x_ws, X_wb, NULL, NULL) : 0;
        m->tendon_spring[2 * t] = own ? rest : given[0];
        m->tendon_spring[2 * t + 1] = own ? rest : given[1];
    }
}

thud_status model_build_tendons(builder *b)
{
    thud_model *m = b->m;
    for (int i = 0; i < m->tendons; i++) {
        THUD_TRY(check_tendon(b, &b->spec->tendon[i]));
        fill(b, i);
    }
    pose *X_wb = thud_alloc((size_t)m->bodies, sizeof *X_wb);
    vec3 *x_ws = thud_alloc((size_t)m->sites + 1, sizeof *x_ws);
    if (X_wb && x_ws) {
        measure(b, x_ws, X_wb);
    }
    const thud_status status = X_wb && x_ws ? THUD_OK : THUD_NO_MEMORY;
    thud_free(x_ws);
    thud_free(X_wb);
    return status;
}
