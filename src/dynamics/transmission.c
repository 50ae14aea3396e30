// SPDX-License-Identifier: Apache-2.0
// transmission.c: lengths and levers of actuators. Meanings and signs are MuJoCo's (mj_transmission).
//
//     joint         hinge, slide: length = gear q. ball: the rotation vector along gear. free: 0; gear is a
//                   force in the world and a torque in the body (or, "in parent", in the world)
//     tendon        gear times its length
//     site          gear is a wrench in the site's frame; or in the reference site's, and length what moves
//                   along it
//     slider-crank  the slider's way along its axis z, a rod's length l from the crank:  z = a.v -
//     sqrt((a.v)^2
//                   + l^2 - v^2), v from slider to crank
#include "drive.h"

#include "kernel.h"

static vec3 get_vec(const double *x)
{
    return v3(x[0], x[1], x[2]);
}

static void add_vec(thud_drive *drive, thud_lever *l, int dof, vec3 x)
{
    lever_add(drive, l, dof, x.x);
    lever_add(drive, l, dof + 1, x.y);
    lever_add(drive, l, dof + 2, x.z);
}

// A hinge or slide: nothing is to be added up.
static double on_single_joint(const thud_model *m, const double *qpos, thud_drive *drive, int i)
{
    thud_lever *l = &drive->moment[i];
    const int j = m->actuator_target[i];
    const double gear = m->actuator_gear[6 * (size_t)i];
    l->count = 1;
    l->dof[0] = m->joint_v[j];
    l->value[0] = gear;
    return gear * qpos[m->joint_q[j]];
}

// Nor of a tendon, which has each of its dofs once.
static double on_tendon(const thud_model *m, thud_drive *drive, int i)
{
    thud_lever *l = &drive->moment[i];
    const int t = m->actuator_target[i];
    const double gear = m->actuator_gear[6 * (size_t)i];
    for (int k = 0; k < drive->tendon[t].count; k++) {
        l->dof[k] = drive->tendon[t].dof[k];
        l->value[k] = gear * drive->tendon[t].value[k];
    }
    l->count = drive->tendon[t].count;
    return gear * drive->tendon_length[t];
}

// A ball or a free joint.
static double on_joint(const thud_model *m, const double *qpos, thud_drive *drive, int i)
{
    thud_lever *l = &drive->moment[i];
    const int j = m->actuator_target[i], dof = m->joint_v[j], type = m->joint_type[j];
    const double *gear = m->actuator_gear + 6 * (size_t)i, *q = qpos + m->joint_q[j];
    const bool free = type == THUD_JOINT_FREE;
    const double *r = free ? q + 3 : q;
    const quat turn = q_normalize((quat){r[0], r[1], r[2], r[3]});
    vec3 axis = get_vec(free ? gear + 3 : gear);
    if (m->actuator_transmission[i] == THUD_TRANSMISSION_JOINT_IN_PARENT) {
        axis = q_unrotate(turn, axis);
    }
    if (free) {
        add_vec(drive, l, dof, get_vec(gear));
    }
    add_vec(drive, l, free ? dof + 3 : dof, axis);
    return free ? 0 : v3_dot(q_log(turn), axis);
}

static pose site_pose(const thud_model *m, const thud_drive *drive, int site)
{
    return pose_mul(drive->store->X_wb[m->site_body[site]], m->site_pose[site]);
}

// What both sites move with does not change what is between them.
static void forget_common(const thud_model *m, thud_drive *drive, int link1, int link2)
{
    while (link1 != link2) { // parents have smaller numbers
        if (link1 > link2) {
            link1 = m->link_parent[link1];
        } else {
            link2 = m->link_parent[link2];
        }
    }
    for (; link1 >= 0; link1 = m->link_parent[link1]) {
        for (int k = m->joint_v[link1]; k < m->joint_v[link1] + m->joint_dofs[link1]; k++) {
            drive->store->row[k] = 0;
        }
    }
}

static double on_site(const thud_model *m, const thud_dynamics *d, thud_drive *drive, int i)
{
    thud_lever *l = &drive->moment[i];
    const int site = m->actuator_target[i], reference = m->actuator_reference[i];
    const double *gear = m->actuator_gear + 6 * (size_t)i;
    const vec3 push = get_vec(gear), turn = get_vec(gear + 3);
    const pose X = site_pose(m, drive, site);
    const pose F = reference < 0 ? X : site_pose(m, drive, reference); // the frame of gear
    const vec3 force = q_rotate(F.q, push), torque = q_rotate(F.q, turn);
    lever_add_wrench(m, d, drive, l, m->site_body[site], force, torque, X.p);
    if (reference < 0) {
        return 0;
    }
    lever_add_wrench(m, d, drive, l, m->site_body[reference], v3_neg(force), v3_neg(torque), F.p);
    forget_common(m, drive, m->body_link[m->site_body[site]], m->body_link[m->site_body[reference]]);
    return v3_dot(pose_unpoint(F, X.p), push) + v3_dot(q_log(q_mul(q_conj(F.q), X.q)), turn);
}

static double on_crank(const thud_model *m, const thud_dynamics *d, thud_drive *drive, int i)
{
    thud_lever *l = &drive->moment[i];
    const int crank = m->actuator_target[i], slider = m->actuator_reference[i];
    const double gear = m->actuator_gear[6 * (size_t)i], rod = m->actuator_cranklength[i];
    const pose C = site_pose(m, drive, crank), S = site_pose(m, drive, slider);
    const vec3 a = q_rotate(S.q, v3(0, 0, 1)), v = v3_sub(C.p, S.p);
    const double av = v3_dot(a, v), det = av * av + rod * rod - v3_norm2(v);
    const bool reaches = det > 0;
    const double root = reaches ? sqrt(det) : 0;
    vec3 by_v = a, by_a = v; // derivatives of the length
    if (reaches) {
        by_v = v3_add(v3_scale(1 - av / root, a), v3_scale(1 / root, v));
        by_a = v3_scale(1 - av / root, v);
    }
    by_v = v3_scale(gear, by_v);
    by_a = v3_scale(gear, by_a);
    lever_add_wrench(m, d, drive, l, m->site_body[crank], by_v, v3(0, 0, 0), C.p);
    lever_add_wrench(m, d, drive, l, m->site_body[slider], v3_neg(by_v), v3_cross(a, by_a), S.p);
    return gear * (av - root);
}

void drive_place_actuator(const thud_model *m, const double *qpos, const thud_dynamics *d, thud_drive *drive,
                          int i)
{
    thud_lever *l = &drive->moment[i];
    l->count = 0;
    switch (m->actuator_transmission[i]) {
    case THUD_TRANSMISSION_TENDON:
        drive->length[i] = on_tendon(m, drive, i);
        return;
    case THUD_TRANSMISSION_SITE:
        drive->length[i] = on_site(m, d, drive, i);
        break;
    case THUD_TRANSMISSION_SLIDER_CRANK:
        drive->length[i] = on_crank(m, d, drive, i);
        break;
    case THUD_TRANSMISSION_BODY:
        drive->length[i] = 0;
        return;
    default:
        if (m->joint_dofs[m->actuator_target[i]] == 1) {
            drive->length[i] = on_single_joint(m, qpos, drive, i);
            return;
        }
        drive->length[i] = on_joint(m, qpos, drive, i);
    }
    lever_close(drive, l);
}
