// SPDX-License-Identifier: Apache-2.0
// urdf_graph.c: links and the joints between them, in whatever order they stand, as one tree.
//
// URDF has no loops: every link but one, the root, is the child of exactly one joint. With at most one parent
// each, what is not below a root hangs on a circle.
#include <string.h>

#include "urdf_robot.h"

static bool is(const mjcf_reader *r, int n, const char *name)
{
    return strcmp(mjcf_node(r, n)->name, name) == 0;
}

static thud_status make_room(urdf_robot *u)
{
    mjcf_reader *r = u->r;
    for (int n = mjcf_node(r, 0)->first; n >= 0; n = mjcf_node(r, n)->next) {
        u->links += is(r, n, "link");
        u->joints += is(r, n, "joint");
    }
    if (!u->links) {
        return MJCF_FAIL(r, THUD_BAD_FILE, mjcf_node(r, 0)->place, "a robot has at least one <link>");
    }
    u->link = pool_push(&r->tree.pool, (size_t)u->links, sizeof *u->link);
    u->joint = pool_push(&r->tree.pool, (size_t)u->joints + 1, sizeof *u->joint);
    return u->link && u->joint ? THUD_OK : THUD_NO_MEMORY;
}

static thud_status read_links(urdf_robot *u)
{
    mjcf_reader *r = u->r;
    int l = 0;
    for (int n = mjcf_node(r, 0)->first; n >= 0; n = mjcf_node(r, n)->next) {
        if (is(r, n, "link")) {
            draft_link d = {0};
            THUD_TRY(mjcf_read_attributes(r, n, &d));
            THUD_TRY(mjcf_name_add(r, MJCF_SPACE_LINK, d.head.name, l, mjcf_node(r, n)->place));
            u->link[l++] = (urdf_link){n, d.head.name, -1, -1, -1, 0};
        }
    }
    return THUD_OK;
}

static thud_status read_end(urdf_robot *u, int n, const char *word, int *link)
{
    mjcf_reader *r = u->r;
    draft_end d = {0};
    const int end = urdf_child(r, n, word);
    THUD_TRY(mjcf_read_attributes(r, end, &d));
    return mjcf_name_ask(r, MJCF_SPACE_LINK, d.link, mjcf_place(r, end, "link"), link);
}

// Hangs the joint's child on its parent.
static thud_status connect(urdf_robot *u, int j)
{
    mjcf_reader *r = u->r;
    const urdf_joint *joint = &u->joint[j];
    urdf_link *child = &u->link[joint->child], *parent = &u->link[joint->parent];
    if (child->joint >= 0) {
        const urdf_joint *other = &u->joint[child->joint];
        return MJCF_FAIL(r, THUD_BAD_FILE, mjcf_place(r, urdf_child(r, joint->node, "child"), "link"),
                         "link \"%.80s\" has two parents, by joint \"%.80s\" and by joint \"%.80s\" of line "
                         "%d; URDF has no loops: convert the tree to MJCF and close it by an <equality>",
                         child->name, joint->name, other->name, mjcf_node(r, other->node)->place.line);
    }
    child->joint = j;
    *(parent->last >= 0 ? &u->joint[parent->last].next : &parent->first) = j;
    parent->last = j;
    return THUD_OK;
}

static thud_status read_joints(urdf_robot *u)
{
    mjcf_reader *r = u->r;
    int j = 0;
    for (int n = mjcf_node(r, 0)->first; n >= 0; n = mjcf_node(r, n)->next) {
        if (is(r, n, "joint")) {
            draft_urdf_joint d = {0};
            THUD_TRY(mjcf_read_attributes(r, n, &d));
            THUD_TRY(mjcf_name_add(r, MJCF_SPACE_JOINT, d.head.name, j, mjcf_node(r, n)->place));
            u->joint[j] = (urdf_joint){n, d.head.name, (urdf_joint_type)d.type, -1, -1, -1, -1};
            THUD_TRY(read_end(u, n, "parent", &u->joint[j].parent));
            THUD_TRY(read_end(u, n, "child", &u->joint[j].child));
            THUD_TRY(connect(u, j++));
        }
    }
    return THUD_OK;
}

int urdf_next_link(const urdf_robot *u, int l)
{
    if (u->link[l].first >= 0) {
        return u->joint[u->link[l].first].child;
    }
    while (l != u->root && u->joint[u->link[l].joint].next < 0) {
        l = u->joint[u->link[l].joint].parent;
    }
    return l == u->root ? -1 : u->joint[u->joint[u->link[l].joint].next].child;
}

static thud_status find_root(urdf_robot *u)
{
    mjcf_reader *r = u->r;
    u->root = -1;
    for (int l = 0; l < u->links; l++) {
        if (u->link[l].joint >= 0) {
            continue;
        }
        if (u->root >= 0) {
            const urdf_link *first = &u->link[u->root];
            return MJCF_FAIL(r, THUD_BAD_FILE, mjcf_node(r, u->link[l].node)->place,
                             "a second root: no joint holds link \"%.80s\", nor link \"%.80s\" of line %d",
                             u->link[l].name, first->name, mjcf_node(r, first->node)->place.line);
        }
        u->root = l;
    }
    return THUD_OK;
}

// Fails where some links are not below the root: from any of them, going up ends in the circle.
static thud_status refuse_circles(urdf_robot *u)
{
    mjcf_reader *r = u->r;
    bool *below = pool_push(&r->tree.pool, (size_t)u->links, sizeof *below);
    if (!below) {
        return THUD_NO_MEMORY;
    }
    for (int l = u->root; l >= 0; l = urdf_next_link(u, l)) {
        below[l] = true;
    }
    int l = 0;
    while (l < u->links && below[l]) {
        l++;
    }
    if (l == u->links) {
        return THUD_OK;
    }
    for (int up = 0; up < u->links; up++) {
        l = u->joint[u->link[l].joint].parent;
    }
    const urdf_joint *joint = &u->joint[u->link[l].joint];
    return MJCF_FAIL(r, THUD_BAD_FILE, mjcf_node(r, joint->node)->place,
                     "the joints go round in a circle: joint \"%.80s\" hangs link \"%.80s\" on what hangs "
                     "on it",
                     joint->name, u->link[l].name);
}

thud_status urdf_read_graph(urdf_robot *u)
{
    THUD_TRY(make_room(u));
    THUD_TRY(read_links(u));
    THUD_TRY(read_joints(u));
    THUD_TRY(find_root(u));
    return refuse_circles(u);
}
