// SPDX-License-Identifier: Apache-2.0
// urdf_links.c: links as bodies, depth first, with their inertias.
//
// The frame of a link is that of the joint that holds it, so a joint's anchor is the body's origin. A root
// is fixed to the world, or free, or, by the name "world", the world itself.
#include <stdio.h>
#include <string.h>

#include "urdf_robot.h"

static thud_status add_inertial(urdf_robot *u, int l)
{
    mjcf_reader *r = u->r;
    const urdf_link *link = &u->link[l];
    if (link->inertial < 0) {
        return THUD_OK;
    }
    const thud_place place = mjcf_node(r, link->inertial)->place;
    if (link->body == 0) {
        return mjcf_remember(r, MJCF_REMARK_URDF_FIXED_MASS, place) ? THUD_OK : THUD_NO_MEMORY;
    }
    thud_spec_body *body = &r->spec->body[link->body];
    body->has_inertial = true;
    body->inertial_place = place;
    body->mass = link->mass;
    body->ipos = link->X.p;
    body->iquat = link->X.q;
    memcpy(body->inertia, link->inertia, sizeof body->inertia);
    mjcf_settle_inertia(body);
    return THUD_OK;
}

// Where the frame of a joint's child stands in its parent's, when the joint is at zero or cannot move.
static thud_status joint_pose(mjcf_reader *r, const urdf_joint *joint, pose *out)
{
    THUD_TRY(urdf_origin(r, joint->node, out));
    if (joint->locked != 0) {
        vec3 axis;
        THUD_TRY(urdf_axis(r, joint->node, &axis));
        const pose moved = joint->slides
                               ? (pose){q_identity(), v3_scale(joint->locked, v3_normalize(axis))}
                               : (pose){q_axis_angle(v3_normalize(axis), joint->locked), v3(0, 0, 0)};
        *out = mjcf_settle_pose(pose_mul(*out, moved));
    }
    return THUD_OK;
}

static thud_status add_body(urdf_robot *u, int l)
{
    mjcf_reader *r = u->r;
    urdf_link *link = &u->link[l];
    const urdf_joint *joint = link->joint < 0 ? NULL : &u->joint[link->joint];
    if (!joint && strcmp(link->name, "world") == 0) {
        link->body = 0;
        return THUD_OK;
    }
    pose X = pose_identity();
    THUD_TRY(joint ? joint_pose(r, joint, &X) : THUD_OK);
    const int b = thud_spec_add_body(r->spec, joint ? u->link[joint->parent].body : 0, link->name);
    if (b < 0) {
        return THUD_NO_MEMORY;
    }
    link->body = b;
    thud_spec_body *body = &r->spec->body[b];
    body->pos = X.p;
    body->quat = X.q;
    body->place = mjcf_node(r, link->node)->place;
    return mjcf_name_add(r, MJCF_SPACE_BODY, link->name, b, body->place);
}

// A root's free joint, if it is to have one.
static thud_status free_root(urdf_robot *u, int l)
{
    mjcf_reader *r = u->r;
    const urdf_link *root = &u->link[l];
    if (!urdf_floats(u, l)) {
        return THUD_OK;
    }
    static const char name[] = "floating_base";
    const thud_place place = mjcf_node(r, root->node)->place;
    const bool again = mjcf_name_find(r, MJCF_SPACE_JOINT, name) >= 0 && u->roots > 1;
    const size_t size = sizeof name + strlen(root->name) + 1;
    char *full = pool_push(&r->tree.pool, size, 1);
    if (!full) {
        return THUD_NO_MEMORY;
    }
    snprintf(full, size, "%s%s%s", name, again ? "_" : "", again ? root->name : "");
    const int i = thud_spec_add_joint(r->spec, root->body, THUD_JOINT_FREE, full);
    if (i < 0) {
        return THUD_NO_MEMORY;
    }
    r->spec->joint[i].place = place;
    return mjcf_name_add(r, MJCF_SPACE_JOINT, full, i, place);
}

static thud_status add_exclude(urdf_robot *u, int a, int b, int joint)
{
    mjcf_reader *r = u->r;
    const thud_place place = mjcf_node(r, u->joint[joint].node)->place;
    if (r->spec->excludes >= XML_NODES) {
        return MJCF_FAIL(r, THUD_BAD_FILE, place, "the base has more than %d pairs of neighbours", XML_NODES);
    }
    const int e = thud_spec_add_exclude(r->spec, u->link[a].body, u->link[b].body, NULL);
    if (e < 0) {
        return THUD_NO_MEMORY;
    }
    r->spec->exclude[e].place = place;
    return THUD_OK;
}

static bool stands(const urdf_robot *u, int head) // fixed to the world
{
    return u->link[head].joint < 0 && !urdf_floats(u, head);
}

// Neighbours do not touch. Where the parent moves, the model's own filter sees to it; where it is fixed to
// the world that filter has no say, as the world's ground must touch everything, so the pair is excluded.
static thud_status exclude_base(urdf_robot *u, const int *head)
{
    int *first = pool_push(&u->r->tree.pool, 2 * (size_t)u->links, sizeof *first), *next = first + u->links;
    for (int l = 0; first && l < u->links; l++) {
        first[l] = -1;
    }
    for (int b = u->links - 1; first && b >= 0;
         b--) {                                   // what hangs on a base, by the head of the base, ascending
        const int joint = u->link[head[b]].joint; // what holds b, and all that b is fixed to
        if (joint >= 0) {
            const int base = head[u->joint[joint].parent];
            next[b] = first[base];
            first[base] = b;
        }
    }
    for (int a = 0; first && a < u->links; a++) {
        const bool base = stands(u, head[a]) && u->link[a].body > 0;
        for (int b = base ? first[head[a]] : -1; b >= 0; b = next[b]) {
            THUD_TRY(add_exclude(u, a, b, u->link[head[b]].joint));
        }
    }
    return first ? THUD_OK : THUD_NO_MEMORY;
}

thud_status urdf_add_links(urdf_robot *u)
{
    THUD_TRY(mjcf_name_add(u->r, MJCF_SPACE_BODY, "world", 0, (thud_place){0}));
    for (int l = u->root; l >= 0; l = urdf_next_link(u, l)) {
        THUD_TRY(add_body(u, l));
        THUD_TRY(add_inertial(u, l));
        THUD_TRY(u->link[l].joint < 0 ? free_root(u, l) : urdf_add_joint(u, l));
        THUD_TRY(urdf_add_geoms(u, l));
    }
    const int *head = urdf_heads(u);
    return head ? exclude_base(u, head) : THUD_NO_MEMORY;
}
