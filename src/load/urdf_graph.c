// SPDX-License-Identifier: Apache-2.0
// urdf_graph.c: links and the joints between them, in whatever order they stand, as one tree.
//
// URDF has no loops: every link but one, the root, is the child of exactly one joint. With at most one parent
// each, what is not below a root hangs on a circle. Several roots are noted.
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
    u->link = pool_push(&r->tree.pool, (size_t)u->links + 1, sizeof *u->link);
    u->joint = pool_push(&r->tree.pool, (size_t)u->joints + 1, sizeof *u->joint);
    return u->link && u->joint ? THUD_OK : THUD_NO_MEMORY;
}

static urdf_link new_link(int node, const char *name)
{
    return (urdf_link){.node = node,
                       .name = name,
                       .joint = -1,
                       .first = -1,
                       .last = -1,
                       .next_root = -1,
                       .inertial = -1,
                       .X = pose_identity()};
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
            u->link[l++] = new_link(n, d.head.name);
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
    if (strcmp(d.link, "world") == 0 && mjcf_name_find(r, MJCF_SPACE_LINK, d.link) < 0) {
        THUD_TRY(mjcf_mend(r, THUD_NOTE_CHANGED, THUD_BAD_FILE, mjcf_place(r, end, "link"),
                           "the world is meant, as in Gazebo and Drake", "there is no link named \"world\""));
        u->link[u->links] = new_link(0, "world"); // nothing of the robot's own element is a link's
        THUD_TRY(mjcf_name_add(r, MJCF_SPACE_LINK, "world", u->links++, mjcf_node(r, n)->place));
    }
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
            u->joint[j] = (urdf_joint){.node = n,
                                       .name = d.head.name,
                                       .type = (urdf_joint_type)d.type,
                                       .parent = -1,
                                       .child = -1,
                                       .next = -1,
                                       .scalar = -1};
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
    while (u->link[l].joint >= 0 && u->joint[u->link[l].joint].next < 0) {
        l = u->joint[u->link[l].joint].parent;
    }
    return u->link[l].joint < 0 ? u->link[l].next_root : u->joint[u->joint[u->link[l].joint].next].child;
}

int *urdf_heads(urdf_robot *u)
{
    int *head = pool_push(&u->r->tree.pool, (size_t)u->links, sizeof *head);
    for (int l = u->root; head && l >= 0; l = urdf_next_link(u, l)) {
        head[l] = urdf_is_fixed(u, l) ? head[u->joint[u->link[l].joint].parent] : l;
    }
    return head;
}

bool urdf_floats(const urdf_robot *u, int root)
{
    const urdf_link *link = &u->link[root];
    return u->r->floating_base && strcmp(link->name, "world") != 0 &&
           (u->roots == 1 || link->first >= 0 || urdf_child(u->r, link->node, "inertial") >= 0);
}

// Several roots are several trees in one world.
static thud_status find_roots(urdf_robot *u)
{
    mjcf_reader *r = u->r;
    int last = -1;
    u->root = -1;
    for (int l = 0; l < u->links; l++) {
        if (u->link[l].joint >= 0) {
            continue;
        }
        *(last < 0 ? &u->root : &u->link[last].next_root) = l;
        last = l;
        if (u->roots++ > 0) {
            const urdf_link *first = &u->link[u->root];
            THUD_TRY(mjcf_mend(r, THUD_NOTE_LOOK, THUD_BAD_FILE, mjcf_node(r, u->link[l].node)->place,
                               "each stands in the world by itself",
                               "a second root: no joint holds link \"%.80s\", nor link \"%.80s\" of line %d",
                               u->link[l].name, first->name, mjcf_node(r, first->node)->place.line));
        }
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
    THUD_TRY(find_roots(u));
    return refuse_circles(u);
}
