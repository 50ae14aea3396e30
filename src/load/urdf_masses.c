// SPDX-License-Identifier: Apache-2.0
// urdf_masses.c: masses and inertias as the links say them, and what is put in place of those that no body can have.
//
// A body moves as one with all that is fixed to it: a *group*, called by its topmost link, its head. What counts is
// the group's mass. A group that joints move and that has none gets, the first that can be had,
//   1. the mass of its collision shapes, else of its visual ones, at 1000 kg/m^3, as MuJoCo gives it;
//   2. none, where it carries by joints something that has mass: it moves as that allows (a universal joint);
//   3. none, and its joint is left out: it is fixed to what carries it.
// An inertia that breaks the triangle inequality or is negative becomes the mean of its principal values about
// every axis, as MuJoCo's balanceinertia does, or, where that is not positive, that of a ball of water.
#include <math.h>
#include <string.h>

#include "urdf_robot.h"

static const double least = 1e-15; // masses and inertias up to here are none: MuJoCo's mjMINVAL

static thud_place place_of(const urdf_robot *u, int l)
{
    const int n = u->link[l].inertial;
    return mjcf_node(u->r, n >= 0 ? n : u->link[l].node)->place;
}

#define MEND(u, l, why, ...)                                                                                 \
    mjcf_mend((u)->r, THUD_NOTE_CHANGED, THUD_BAD_MODEL, place_of(u, l), why, __VA_ARGS__)

// ---------------------------------------------------------------------------------------------- reading

// Bullet's factor on the inertia of a link.
static thud_status read_scaling(urdf_robot *u, int l, double *out)
{
    mjcf_reader *r = u->r;
    draft_value d = {.value = 1};
    const int contact = urdf_child(r, u->link[l].node, "contact"),
              n = contact < 0 ? -1 : urdf_child(r, contact, "inertia_scaling");
    THUD_TRY(n >= 0 ? mjcf_read_attributes(r, n, &d) : THUD_OK);
    *out = d.value;
    if (d.value == 1) {
        return THUD_OK;
    }
    *out = d.value > 0 ? d.value : 1;
    return mjcf_mend(r, THUD_NOTE_CHANGED, THUD_UNSUPPORTED, mjcf_node(r, n)->place,
                     d.value > 0 ? "the inertia is multiplied by it, as in Bullet" : "passed over",
                     "inertia_scaling falsifies the inertia; give the one that is meant");
}

static thud_status read_inertial(urdf_robot *u, int l)
{
    mjcf_reader *r = u->r;
    urdf_link *link = &u->link[l];
    const int n = urdf_child(r, link->node, "inertial");
    double scaling;
    THUD_TRY(read_scaling(u, l, &scaling));
    link->inertial = n;
    if (n < 0) {
        return THUD_OK;
    }
    draft_value mass = {0};
    draft_moments moments = {0};
    const int m = urdf_child(r, n, "mass"), i = urdf_child(r, n, "inertia");
    if (m < 0 || i < 0) {
        THUD_TRY(mjcf_mend(r, THUD_NOTE_CHANGED, THUD_BAD_FILE, mjcf_node(r, n)->place, "taken as zero",
                           "<inertial> needs a <%s>", m < 0 ? "mass" : "inertia"));
    }
    THUD_TRY(urdf_origin(r, n, &link->X));
    THUD_TRY(m >= 0 ? mjcf_read_attributes(r, m, &mass) : THUD_OK);
    THUD_TRY(i >= 0 ? mjcf_read_attributes(r, i, &moments) : THUD_OK);
    link->mass = mass.value;
    for (int k = 0; k < 6; k++) {
        link->inertia[k] = scaling * moments.inertia[k];
    }
    return THUD_OK;
}

// ---------------------------------------------------------------------------------------------- inertias

static void set_round(urdf_link *link, double moment)
{
    memcpy(link->inertia, (double[]){moment, moment, moment, 0, 0, 0}, sizeof link->inertia);
}

// The moment of a ball of this mass and the density of water: 2/5 m r^2.
static double ball_of_water(double mass)
{
    const double radius = cbrt(mass / 1000 * 3 / (4 * 3.14159265358979323846));
    return 0.4 * mass * radius * radius;
}

// Makes good an inertia that no body has. `whole`: it must be positive about every axis.
static thud_status mend_inertia(urdf_robot *u, int l, bool whole)
{
    urdf_link *link = &u->link[l];
    double v[3];
    quat axes;
    thud_sym3_eigen(link->inertia, v, &axes);
    if (v[2] < 0 && v[2] >= -1e-9 * v[0]) { // rounded in the file
        for (int k = 0; k < 3; k++) {
            link->inertia[k] -= 2 * v[2];
        }
        thud_sym3_eigen(link->inertia, v, &axes);
    }
    const bool broken =
        v[2] < 0 || (!u->r->spec->compiler.balanceinertia && v[0] > (v[1] + v[2]) * (1 + 1e-6));
    if (!broken && (!whole || v[2] > least)) {
        return THUD_OK;
    }
    const double mean = (v[0] + v[1] + v[2]) / 3;
    set_round(link, mean > least ? mean : ball_of_water(link->mass));
    return MEND(u, l,
                mean > least ? "their mean is taken about every axis, as compiler balanceinertia does"
                             : "that of a ball of water is taken",
                "no body has the inertia of link \"%.80s\": its principal values are %g, %g, %g", link->name,
                v[0], v[1], v[2]);
}

// ---------------------------------------------------------------------------------------------- groups

typedef struct group { // of the links that are fixed to each other, told by their head
    double mass;
    bool solid;          // some link has mass, and inertia about every axis
    bool touches, shows; // some link has a collision shape, a visual one that can be weighed
    bool heavy;          // it, or what it carries by joints, has mass
} group;

static bool is_moved(const urdf_robot *u, int head)
{
    return u->link[head].joint < 0 ? urdf_floats(u, head) : true;
}

static bool can_weigh(urdf_robot *u, int l, const char *word)
{
    mjcf_reader *r = u->r;
    for (int n = mjcf_node(r, u->link[l].node)->first; n >= 0; n = mjcf_node(r, n)->next) {
        if (strcmp(mjcf_node(r, n)->name, word) == 0 && !mjcf_node(r, n)->element->opaque &&
            urdf_is_solid(r, urdf_child(r, n, "geometry"))) {
            return true;
        }
    }
    return false;
}

static int parent_head(const urdf_robot *u, const int *head, int l)
{
    return head[u->joint[u->link[l].joint].parent];
}

static bool is_solid(const urdf_link *link)
{
    double v[3];
    quat axes;
    thud_sym3_eigen(link->inertia, v, &axes);
    return link->mass > least && v[2] > least;
}

static group *find_groups(urdf_robot *u, const int *head, const int *order, int links)
{
    group *g = pool_push(&u->r->tree.pool, (size_t)u->links, sizeof *g);
    for (int k = 0; g && k < links; k++) {
        const int l = order[k];
        g[head[l]].mass += u->link[l].mass;
        g[head[l]].solid |= is_solid(&u->link[l]);
        g[head[l]].touches |= can_weigh(u, l, "collision");
        g[head[l]].shows |= can_weigh(u, l, "visual");
    }
    for (int k = links - 1; g && k >= 0; k--) { // children before their parents
        const int l = order[k];
        if (head[l] == l) {
            g[l].heavy |= g[l].mass > least || g[l].touches || g[l].shows;
            if (u->link[l].joint >= 0) {
                g[parent_head(u, head, l)].heavy |= g[l].heavy;
            }
        }
    }
    return g;
}

// What a group that moves and has no mass becomes: see above.
static thud_status mend_massless(urdf_robot *u, int l, const group *g)
{
    urdf_link *link = &u->link[l];
    const char *has = link->inertial >= 0 ? "mass" : "<inertial>";
    static const char sentence[] =
        "link \"%.80s\" moves and has no %s; give it one, or fix a link that has one to it";
    if (g->touches || g->shows) {
        link->weigh = g->touches ? URDF_WEIGH_COLLISION : URDF_WEIGH_VISUAL;
        return MEND(u, l,
                    g->touches
                        ? "it has the mass of its collision shapes at 1000 kg/m^3 (meshes: of their hulls)"
                        : "it has the mass of its visual shapes at 1000 kg/m^3 (meshes: of their hulls)",
                    sentence, link->name, has);
    }
    if (g->heavy && link->joint >= 0) {
        return MEND(u, l, "it moves as the links that it carries do", sentence, link->name, has);
    }
    if (link->joint < 0) {
        return MJCF_FAIL(u->r, THUD_BAD_MODEL, place_of(u, l),
                         "the base floats and has no mass; give link \"%.80s\" an <inertial>", link->name);
    }
    u->joint[link->joint].type = URDF_FIXED;
    return MEND(u, l, "its joint is left out, and it is fixed to what carries it", sentence, link->name, has);
}

// What joints move must weigh something.
static thud_status mend_groups(urdf_robot *u, const int *head, const int *order, int links)
{
    const group *g = find_groups(u, head, order, links);
    const thud_spec_compiler *c = &u->r->spec->compiler;
    if (!g) {
        return THUD_NO_MEMORY;
    }
    for (int k = 0; k < links; k++) {
        const int l = order[k], h = head[l];
        const bool moved = is_moved(u, h), massless = moved && !(g[h].mass > least);
        if (massless && h == l && !(c->boundmass > 0)) {
            THUD_TRY(mend_massless(u, l, &g[l]));
        } else if (massless && h != l) {
            u->link[l].weigh = u->link[h].weigh;
        }
        if (massless) {
            u->link[l].mass = 0;
            u->link[l].inertial = -1;
        } else if (u->link[l].inertial >= 0 && !u->r->strict) {
            THUD_TRY(mend_inertia(u, l,
                                  moved && !g[h].solid && u->link[l].mass > least && !(c->boundinertia > 0)));
        }
    }
    return THUD_OK;
}

thud_status urdf_read_masses(urdf_robot *u)
{
    int *order = pool_push(&u->r->tree.pool, (size_t)u->links, sizeof *order), links = 0;
    const int *head = urdf_heads(u);
    if (!order || !head) {
        return THUD_NO_MEMORY;
    }
    for (int l = u->root; l >= 0; l = urdf_next_link(u, l)) {
        order[links++] = l;
        THUD_TRY(read_inertial(u, l));
    }
    return u->r->spec->compiler.inertiafromgeom == THUD_TRUE ? THUD_OK : mend_groups(u, head, order, links);
}
