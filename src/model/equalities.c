// SPDX-License-Identifier: Apache-2.0
// equalities.c: what two bodies or joints have in common, as two frames that are to coincide, or a
// polynomial.
//
// Where a file leaves something out it is taken from the reference pose, as MuJoCo does: the second anchor of
// a connect, the relative pose of a weld. The numbers of a weld are MuJoCo's: `anchor` is a point of body 2,
// and the position of `relpose` the point of body 1 that it is to meet.
#include <math.h>
#include <string.h>

#include <thud/model_poses.h>
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
    const bool joint = e->type == THUD_EQUALITY_JOINT, tendon = e->type == THUD_EQUALITY_TENDON;
    const int kinds = joint ? s->joints : tendon ? s->tendons : e->sites ? s->sites : s->bodies;
    if ((unsigned)e->type > THUD_EQUALITY_SLIDE || e->object1 < 0 || e->object1 >= kinds ||
        e->object2 >= kinds || e->object2 < (joint || tendon ? -1 : 0)) {
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

static void join_tendons(thud_model *m, int i, const thud_spec_equality *e)
{
    m->eq_obj1[i] = e->object1;
    m->eq_obj2[i] = e->object2;
    m->eq_frame1[i] = m->eq_frame2[i] = pose_identity();
    m->eq_q0[2 * i] = m->tendon_length0[e->object1];
    m->eq_q0[2 * i + 1] = e->object2 < 0 ? 0 : m->tendon_length0[e->object2];
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

static void build(builder *b, pose *X_wb)
{
    thud_model *m = b->m;
    const place_finder finder = {b->joint_at, b->site_at, X_wb};
    thud_body_poses(m, m->qpos0, X_wb);
    for (int i = 0; i < m->equalities; i++) {
        const thud_spec_equality *e = &b->spec->equality[i];
        fill(m, i, e);
        if (e->type == THUD_EQUALITY_JOINT) {
            join_joints(m, i, e, &finder);
        } else if (e->type == THUD_EQUALITY_TENDON) {
            join_tendons(m, i, e);
        } else {
            join_bodies(m, i, e, &finder);
            m->eq_active[i] &= !is_one_body(m, i);
        }
        m->eq_frame1[i].q = q_normalize(m->eq_frame1[i].q);
        m->eq_frame2[i].q = q_normalize(m->eq_frame2[i].q);
        m->eq_spec[i] = i;
    }
}

thud_status model_build_equalities(builder *b)
{
    thud_model *m = b->m;
    for (int i = 0; i < m->equalities; i++) {
        THUD_TRY(check_equality(b, &b->spec->equality[i]));
    }
    pose *X_wb = thud_alloc((size_t)m->bodies, sizeof *X_wb);
    if (!X_wb) {
        return THUD_NO_MEMORY;
    }
    build(b, X_wb);
    thud_free(X_wb);
    return THUD_OK;
}
