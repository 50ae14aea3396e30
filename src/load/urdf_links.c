// SPDX-License-Identifier: Apache-2.0
// urdf_links.c: links as bodies, depth first, with their inertias; and which of them lack one.
//
// The frame of a link is that of the joint that holds it, so a joint's anchor is the body's origin. The root
// is fixed to the world, or free, or, by the name "world", the world itself.
#include <string.h>

#include "urdf_robot.h"

static thud_status read_inertial(urdf_robot *u, int l)
{
    mjcf_reader *r = u->r;
    const int n = urdf_child(r, u->link[l].node, "inertial");
    if (n < 0) {
        return THUD_OK;
    }
    const thud_place place = mjcf_node(r, n)->place;
    if (u->link[l].body == 0) {
        return mjcf_remember(r, MJCF_REMARK_URDF_FIXED_MASS, place) ? THUD_OK : THUD_NO_MEMORY;
    }
    pose X;
    draft_value mass = {0};
    draft_moments moments = {0};
    THUD_TRY(urdf_origin(r, n, &X));
    THUD_TRY(mjcf_read_attributes(r, urdf_child(r, n, "mass"), &mass));
    THUD_TRY(mjcf_read_attributes(r, urdf_child(r, n, "inertia"), &moments));
    thud_spec_body *body = &r->spec->body[u->link[l].body];
    body->has_inertial = true;
    body->inertial_place = place;
    body->mass = mass.value;
    body->ipos = X.p;
    body->iquat = X.q;
    memcpy(body->inertia, moments.inertia, sizeof body->inertia);
    mjcf_settle_inertia(body);
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
    THUD_TRY(joint ? urdf_origin(r, joint->node, &X) : THUD_OK);
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

// The root's free joint, if it is to have one.
static thud_status free_root(urdf_robot *u)
{
    mjcf_reader *r = u->r;
    const urdf_link *root = &u->link[u->root];
    if (!r->floating_base || root->body == 0) {
        return THUD_OK;
    }
    const thud_place place = mjcf_node(r, root->node)->place;
    const int i = thud_spec_add_joint(r->spec, root->body, THUD_JOINT_FREE, "floating_base");
    if (i < 0) {
        return THUD_NO_MEMORY;
    }
    r->spec->joint[i].place = place;
    return mjcf_name_add(r, MJCF_SPACE_JOINT, "floating_base", i, place);
}

// Of each link the topmost that it is fixed to.
static int *find_heads(urdf_robot *u)
{
    int *head = pool_push(&u->r->tree.pool, (size_t)u->links, sizeof *head);
    for (int l = u->root; head && l >= 0; l = urdf_next_link(u, l)) {
        head[l] = urdf_is_fixed(u, l) ? head[u->joint[u->link[l].joint].parent] : l;
    }
    return head;
}

static bool is_free(const urdf_robot *u) // the root
{
    return u->r->floating_base && u->link[u->root].body > 0;
}

// What joints move must weigh something: a link, or one of those that are fixed to it.
static thud_status refuse_weightless(urdf_robot *u, const int *head)
{
    mjcf_reader *r = u->r;
    const thud_spec_compiler *c = &r->spec->compiler;
    double *mass = pool_push(&r->tree.pool, (size_t)u->links, sizeof *mass);
    if (!mass) {
        return THUD_NO_MEMORY;
    }
    for (int l = 0; l < u->links; l++) {
        mass[head[l]] += r->spec->body[u->link[l].body].mass;
    }
    for (int l = 0; l < u->links; l++) {
        const urdf_link *link = &u->link[l];
        const bool moves = l == u->root ? is_free(u) : !urdf_is_fixed(u, l);
        const bool given = c->boundmass > 0 || c->inertiafromgeom == THUD_TRUE;
        if (moves && !given && !(mass[l] > 0)) {
            const bool has = r->spec->body[link->body].has_inertial;
            return MJCF_FAIL(r, THUD_BAD_MODEL,
                             has ? r->spec->body[link->body].inertial_place : mjcf_node(r, link->node)->place,
                             "link \"%.80s\" moves and has no %s; give it one, or fix a link that has one to "
                             "it",
                             link->name, has ? "mass" : "<inertial>");
        }
    }
    return THUD_OK;
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

// Neighbours do not touch. Where the parent moves, the model's own filter sees to it; where it is fixed to
// the world that filter has no say, as the world's ground must touch everything, so the pair is excluded.
static thud_status exclude_base(urdf_robot *u, const int *head)
{
    int *near = pool_push(&u->r->tree.pool, (size_t)u->links, sizeof *near), count = 0;
    for (int b = 0; near && b < u->links && !is_free(u); b++) {
        const int joint = u->link[head[b]].joint; // what holds b, and all that b is fixed to
        if (joint >= 0 && head[u->joint[joint].parent] == u->root) {
            near[count++] = b;
        }
    }
    for (int a = 0; a < u->links; a++) {
        for (int k = 0; k < count && head[a] == u->root && u->link[a].body > 0; k++) {
            THUD_TRY(add_exclude(u, a, near[k], u->link[head[near[k]]].joint));
        }
    }
    return near ? THUD_OK : THUD_NO_MEMORY;
}

thud_status urdf_add_links(urdf_robot *u)
{
    THUD_TRY(mjcf_name_add(u->r, MJCF_SPACE_BODY, "world", 0, (thud_place){0}));
    for (int l = u->root; l >= 0; l = urdf_next_link(u, l)) {
        THUD_TRY(add_body(u, l));
        THUD_TRY(read_inertial(u, l));
        THUD_TRY(l == u->root ? free_root(u) : urdf_add_joint(u, l));
        THUD_TRY(urdf_add_geoms(u, l));
    }
    const int *head = find_heads(u);
    if (!head) {
        return THUD_NO_MEMORY;
    }
    THUD_TRY(refuse_weightless(u, head));
    return exclude_base(u, head);
}
