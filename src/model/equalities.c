// SPDX-License-Identifier: Apache-2.0
// equalities.c: what two bodies or joints have in common, as two frames that are to coincide, or a
// polynomial.
//
// Where a file leaves something out it is taken from the reference pose, as MuJoCo does: the second anchor of
// a connect, the relative pose of a weld. The numbers of a weld are MuJoCo's: `anchor` is a point of body 2,
// and the position of `relpose` the point of body 1 that it is to meet.
#include <math.h>
#include <string.h>

#include <thud/spatial_inline.h>

#include "build.h"

int thud_equality_rows(int equality_type)
{
    static const int rows[] = {
        [THUD_EQUALITY_CONNECT] = 3, [THUD_EQUALITY_WELD] = 6,  [THUD_EQUALITY_JOINT] = 1,
        [THUD_EQUALITY_TENDON] = 1,  [THUD_EQUALITY_HINGE] = 5, [THUD_EQUALITY_SLIDE] = 5};
    return rows[equality_type];
}

const char *thud_equality_name(int equality_type)
{
    static const char *const name[] = {[THUD_EQUALITY_CONNECT] = "connect", [THUD_EQUALITY_WELD] = "weld",
                                       [THUD_EQUALITY_JOINT] = "joint",     [THUD_EQUALITY_TENDON] = "tendon",
                                       [THUD_EQUALITY_HINGE] = "hinge",     [THUD_EQUALITY_SLIDE] = "slide"};
    return (unsigned)equality_type < sizeof name / sizeof *name ? name[equality_type] : "unknown";
}

int model_count_equalities(const thud_spec *spec)
{
    int count = 0;
    for (int i = 0; i < spec->equalities; i++) {
        count += spec->equality[i].type != THUD_EQUALITY_TENDON;
    }
    return count;
}

// ---------------------------------------------------------------------------------------------- checks

static bool finite_numbers(const double *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        sum += fabs(x[i]);
    }
    return isfinite(sum);
}

static thud_status check_axis(builder *b, const thud_spec_equality *e)
{
    const thud_spec_axis *a = &e->axis;
    const double numbers[] = {a->ref,     a->margin,   a->springref,   a->stiffness,
                              a->damping, a->armature, a->frictionloss};
    const bool good = finite_numbers(numbers, 7) && a->stiffness >= 0 && a->damping >= 0 &&
                      a->armature >= 0 && a->frictionloss >= 0 &&
                      (!a->limited || (finite_numbers(a->range, 2) && a->range[0] <= a->range[1]));
    return good ? THUD_OK
                : FAIL_AT(b, e->place,
                          "an equality has a limit, spring, damper, rotor or friction that cannot be");
}

static thud_status check_equality(builder *b, const thud_spec_equality *e)
{
    const thud_spec *s = b->spec;
    const bool joint = e->type == THUD_EQUALITY_JOINT;
    const int kinds = joint ? s->joints : e->sites ? s->sites : s->bodies;
    if ((unsigned)e->type > THUD_EQUALITY_SLIDE || e->object1 < 0 || e->object1 >= kinds ||
        e->object2 >= kinds || e->object2 < (joint ? -1 : 0)) {
        return FAIL_AT(b, e->place, "an equality refers to something that does not exist");
    }
    const double numbers[] = {e->anchor.x, e->anchor.y, e->anchor.z, e->torquescale};
    if (!finite_numbers(numbers, 4) || !finite_numbers(e->polycoef, 5) || !(e->torquescale >= 0) ||
        (e->has_relpose && !model_finite_pose(e->relpos, e->relquat)) ||
        !model_finite_pose(e->frame[0].p, e->frame[0].q) ||
        !model_finite_pose(e->frame[1].p, e->frame[1].q)) {
        return FAIL_AT(b, e->place,
                       "an equality has a number that is not finite or a quaternion that is not unit");
    }
    if (joint && (thud_joint_dofs((int)s->joint[e->object1].type) != 1 ||
                  (e->object2 >= 0 && thud_joint_dofs((int)s->joint[e->object2].type) != 1))) {
        return FAIL_AT(b, e->place, "an equality of joints is for hinges and slides");
    }
    return check_axis(b, e);
}

// ---------------------------------------------------------------------------------------------- frames

typedef struct place_finder {      // what equalities are laid out with
    const int *joint_at, *site_at; // model index by spec index
    const pose *X_wb;              // bodies in the reference pose
} place_finder;

static void join_joints(thud_model *m, int i, const thud_spec_equality *e, const place_finder *f)
{
    const int first = f->joint_at[e->object1], second = e->object2 < 0 ? -1 : f->joint_at[e->object2];
    m->eq_obj1[i] = first;
    m->eq_obj2[i] = second;
    m->eq_frame1[i] = m->eq_frame2[i] = pose_identity();
    m->eq_q0[2 * i] = m->qpos0[m->joint_q[first]];
    m->eq_q0[2 * i + 1] = second < 0 ? 0 : m->qpos0[m->joint_q[second]];
}

static void join_bodies(thud_model *m, int i, const thud_spec_equality *e, const place_finder *f)
{
    if (e->sites) {
        const int site1 = f->site_at[e->object1], site2 = f->site_at[e->object2];
        m->eq_obj1[i] = m->site_body[site1];
        m->eq_obj2[i] = m->site_body[site2];
        m->eq_frame1[i] = m->site_pose[site1];
        m->eq_frame2[i] = m->site_pose[site2];
        return;
    }
    const pose X_21 = pose_mul(pose_inv(f->X_wb[e->object2]), f->X_wb[e->object1]);
    m->eq_obj1[i] = e->object1;
    m->eq_obj2[i] = e->object2;
    if (e->type == THUD_EQUALITY_CONNECT) {
        m->eq_frame1[i] = (pose){e->frame[0].q, e->anchor};
        m->eq_frame2[i] = pose_mul(X_21, m->eq_frame1[i]);
    } else if (e->type == THUD_EQUALITY_WELD) {
        m->eq_frame2[i] = (pose){q_identity(), e->anchor};
        m->eq_frame1[i] =
            e->has_relpose ? (pose){e->relquat, e->relpos} : pose_mul(pose_inv(X_21), m->eq_frame2[i]);
    } else {
        m->eq_frame1[i] = e->frame[0];
        m->eq_frame2[i] = e->frame[1];
    }
}

// Bodies that are welded together, or both fixed: nothing that moves could change what is between them.
static bool is_one_body(const thud_model *m, int i)
{
    return m->body_link[m->eq_obj1[i]] == m->body_link[m->eq_obj2[i]];
}

static void fill(thud_model *m, int i, const thud_spec_equality *e)
{
    const thud_spec_axis *a = &e->axis;
    m->eq_type[i] = (int)e->type;
    m->eq_active[i] = e->active;
    m->eq_torquescale[i] = e->torquescale;
    memcpy(m->eq_polycoef + 5 * (size_t)i, e->polycoef, sizeof e->polycoef);
    m->eq_ref[i] = a->ref;
    m->eq_limited[i] = a->limited;
    memcpy(m->eq_range + 2 * (size_t)i, a->range, sizeof a->range);
    m->eq_margin[i] = a->margin;
    m->eq_stiffness[i] = m->spring_on ? a->stiffness : 0;
    m->eq_springref[i] = a->springref;
    m->eq_damping[i] = m->damper_on ? a->damping : 0;
    m->eq_armature[i] = a->armature;
    m->eq_frictionloss[i] = a->frictionloss;
}

static void build(builder *b, int *joint_at, int *site_at, pose *X_wb)
{
    thud_model *m = b->m;
    const place_finder finder = {joint_at, site_at, X_wb};
    for (int j = 0; j < m->joints; j++) {
        joint_at[b->joint_of[j]] = j;
    }
    for (int k = 0; k < m->sites; k++) {
        site_at[b->site_of[k]] = k;
    }
    X_wb[0] = pose_identity();
    for (int k = 1; k < m->bodies; k++) { // joints move nothing in the reference pose
        X_wb[k] = pose_mul(X_wb[m->body_parent[k]], m->body_pose[k]);
        X_wb[k].q = q_normalize(X_wb[k].q);
    }
    for (int s = 0, i = 0; s < b->spec->equalities; s++) {
        const thud_spec_equality *e = &b->spec->equality[s];
        if (e->type != THUD_EQUALITY_TENDON) {
            fill(m, i, e);
            (e->type == THUD_EQUALITY_JOINT ? join_joints : join_bodies)(m, i, e, &finder);
            m->eq_active[i] &= e->type == THUD_EQUALITY_JOINT || !is_one_body(m, i);
            m->eq_frame1[i].q = q_normalize(m->eq_frame1[i].q);
            m->eq_frame2[i].q = q_normalize(m->eq_frame2[i].q);
            m->eq_spec[i++] = s;
        }
    }
}

thud_status model_build_equalities(builder *b)
{
    thud_model *m = b->m;
    for (int i = 0; i < b->spec->equalities; i++) {
        THUD_TRY(b->spec->equality[i].type == THUD_EQUALITY_TENDON
                     ? THUD_OK
                     : check_equality(b, &b->spec->equality[i]));
    }
    if (m->equalities == 0) {
        return THUD_OK;
    }
    int *at = thud_alloc((size_t)m->joints + (size_t)m->sites, sizeof *at);
    pose *X_wb = thud_alloc((size_t)m->bodies, sizeof *X_wb);
    if (at && X_wb) {
        build(b, at, at + m->joints, X_wb);
    }
    const thud_status status = at && X_wb ? THUD_OK : THUD_NO_MEMORY;
    thud_free(at);
    thud_free(X_wb);
    return status;
}
