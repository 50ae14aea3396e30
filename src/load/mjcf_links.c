// SPDX-License-Identifier: Apache-2.0
// mjcf_links.c: contact pairs and excludes, tendons with their stations, and equalities.
#include <string.h>

#include "mjcf_reader.h"

#define ASK(space, name, word, out) mjcf_name_ask(r, MJCF_SPACE_##space, name, mjcf_place(r, n, word), out)

static thud_status read_pair(mjcf_reader *r, int n)
{
    draft_pair d;
    THUD_TRY(mjcf_read_element(r, n, 0, &d));
    THUD_TRY(ASK(GEOM, d.geom1, "geom1", &d.to.geom1));
    THUD_TRY(ASK(GEOM, d.geom2, "geom2", &d.to.geom2));
    const int i = thud_spec_add_pair(r->spec, d.to.geom1, d.to.geom2, d.head.name);
    if (i < 0) {
        return THUD_NO_MEMORY;
    }
    d.to.name = r->spec->pair[i].name;
    d.to.place = mjcf_node(r, n)->place;
    r->spec->pair[i] = d.to;
    return mjcf_name_add(r, MJCF_SPACE_PAIR, d.head.name, i, d.to.place);
}

static thud_status read_exclude(mjcf_reader *r, int n)
{
    draft_pair d = {0};
    int body1, body2;
    THUD_TRY(mjcf_read_attributes(r, n, &d));
    THUD_TRY(ASK(BODY, d.body1, "body1", &body1));
    THUD_TRY(ASK(BODY, d.body2, "body2", &body2));
    const int i = thud_spec_add_exclude(r->spec, body1, body2, d.head.name);
    if (i < 0) {
        return THUD_NO_MEMORY;
    }
    r->spec->exclude[i].place = mjcf_node(r, n)->place;
    return mjcf_name_add(r, MJCF_SPACE_EXCLUDE, d.head.name, i, mjcf_node(r, n)->place);
}

// ---------------------------------------------------------------------------------------------- tendons

static bool is_scalar(const mjcf_reader *r, int joint)
{
    const thud_joint_type type = r->spec->joint[joint].type;
    return type == THUD_JOINT_HINGE || type == THUD_JOINT_SLIDE;
}

// A joint in a linear combination has one coordinate; what a tendon goes around is a sphere or a cylinder.
static thud_status check_wrap(mjcf_reader *r, int n, thud_wrap_type type, int object)
{
    if (type == THUD_WRAP_JOINT && !is_scalar(r, object)) {
        return MJCF_FAIL(r, THUD_BAD_FILE, mjcf_place(r, n, "joint"),
                         "a fixed tendon takes hinges and slides");
    }
    if (type == THUD_WRAP_GEOM && r->spec->geom[object].type != THUD_GEOM_SPHERE &&
        r->spec->geom[object].type != THUD_GEOM_CYLINDER) {
        return MJCF_FAIL(r, THUD_BAD_FILE, mjcf_place(r, n, "geom"),
                         "a tendon goes around a sphere or a cylinder; this geom is neither");
    }
    return THUD_OK;
}

// A spatial tendon goes from site to site; geoms stand between two sites, pulleys begin a new branch.
static thud_status check_path(mjcf_reader *r, int n, const thud_spec_tendon *t)
{
    const thud_place place = mjcf_node(r, n)->place;
    const thud_spec_wrap *w = &r->spec->wrap[t->first];
    int sites = 0; // in this branch
    if (!t->wraps) {
        return MJCF_FAIL(r, THUD_BAD_FILE, place, "the tendon has no path");
    }
    for (int i = 0; t->spatial && i <= t->wraps; i++) {
        const bool ends = i == t->wraps || w[i].type == THUD_WRAP_PULLEY;
        if (ends && sites < 2 && i > 0) {
            return MJCF_FAIL(r, THUD_BAD_FILE, i < t->wraps ? w[i].place : place,
                             "each branch of a tendon goes through at least two sites");
        }
        if (!ends && w[i].type == THUD_WRAP_GEOM &&
            (i == 0 || w[i - 1].type != THUD_WRAP_SITE || i + 1 == t->wraps ||
             w[i + 1].type != THUD_WRAP_SITE)) {
            return MJCF_FAIL(r, THUD_BAD_FILE, w[i].place, "a geom in a tendon stands between two sites");
        }
        sites = ends ? 0 : sites + (w[i].type == THUD_WRAP_SITE);
    }
    return THUD_OK;
}

static thud_status read_wrap(mjcf_reader *r, int n)
{
    const thud_wrap_type type = (thud_wrap_type)mjcf_node(r, n)->element->variant;
    draft_wrap d = {0};
    int object = -1, side = -1;
    THUD_TRY(mjcf_read_attributes(r, n, &d));
    if (type == THUD_WRAP_JOINT) {
        THUD_TRY(ASK(JOINT, d.object, "joint", &object));
    } else if (type == THUD_WRAP_SITE) {
        THUD_TRY(ASK(SITE, d.object, "site", &object));
    } else if (type == THUD_WRAP_GEOM) {
        THUD_TRY(ASK(GEOM, d.object, "geom", &object));
        THUD_TRY(d.sidesite ? ASK(SITE, d.sidesite, "sidesite", &side) : THUD_OK);
    }
    THUD_TRY(check_wrap(r, n, type, object));
    const int i = thud_spec_add_wrap(r->spec, type, object, d.coef);
    if (i < 0) {
        return THUD_NO_MEMORY;
    }
    r->spec->wrap[i].sidesite = side;
    r->spec->wrap[i].place = mjcf_node(r, n)->place;
    return THUD_OK;
}

static thud_status read_tendon(mjcf_reader *r, int n)
{
    draft_tendon d;
    THUD_TRY(mjcf_read_element(r, n, 0, &d));
    const bool spatial = mjcf_node(r, n)->element->variant != 0;
    const int i = thud_spec_add_tendon(r->spec, spatial, d.head.name);
    if (i < 0) {
        return THUD_NO_MEMORY;
    }
    d.to.name = r->spec->tendon[i].name;
    d.to.spatial = spatial;
    d.to.first = r->spec->tendon[i].first;
    d.to.place = mjcf_node(r, n)->place;
    d.to.has_range = mjcf_is_range(d.to.range);
    d.to.has_actfrcrange = mjcf_is_range(d.to.actfrcrange);
    r->spec->tendon[i] = d.to;
    THUD_TRY(mjcf_check_range(r, n, "range", d.to.range));
    THUD_TRY(mjcf_check_limited(r, n, "limited", d.to.limited, "range", d.to.has_range));
    THUD_TRY(mjcf_name_add(r, MJCF_SPACE_TENDON, d.head.name, i, d.to.place));
    for (int w = mjcf_node(r, n)->first; w >= 0; w = mjcf_node(r, w)->next) {
        THUD_TRY(read_wrap(r, w));
    }
    return check_path(r, n, &r->spec->tendon[i]);
}

// ---------------------------------------------------------------------------------------------- equalities

static thud_status find_ends(mjcf_reader *r, int n, const draft_equality *d, thud_spec_equality *to)
{
    const bool bodies = d->body1 || d->body2, sites = d->site1 || d->site2;
    const bool connect = to->type == THUD_EQUALITY_CONNECT;
    to->sites = sites;
    to->object2 = 0; // the world
    if (bodies == sites || (sites && (!d->site1 || !d->site2)) || (bodies && !d->body1)) {
        return MJCF_FAIL(r, THUD_BAD_FILE, mjcf_node(r, n)->place,
                         "<%s> links site1 with site2, or body1 with body2 or the world",
                         mjcf_node(r, n)->name);
    }
    if (sites && (d->head.given & (GIVEN_ANCHOR | GIVEN_RELPOSE))) {
        return MJCF_FAIL(r, THUD_BAD_FILE,
                         mjcf_place(r, n, d->head.given & GIVEN_ANCHOR ? "anchor" : "relpose"),
                         "two sites say it all; anchor and relpose are for bodies");
    }
    if (bodies && connect && !(d->head.given & GIVEN_ANCHOR)) {
        return MJCF_FAIL(r, THUD_BAD_FILE, mjcf_node(r, n)->place, "<connect> of bodies needs an anchor");
    }
    if (sites) {
        THUD_TRY(ASK(SITE, d->site1, "site1", &to->object1));
        return ASK(SITE, d->site2, "site2", &to->object2);
    }
    THUD_TRY(ASK(BODY, d->body1, "body1", &to->object1));
    return d->body2 ? ASK(BODY, d->body2, "body2", &to->object2) : THUD_OK;
}

static thud_status find_others(mjcf_reader *r, int n, const draft_equality *d, thud_spec_equality *to)
{
    const bool joints = to->type == THUD_EQUALITY_JOINT;
    const mjcf_space space = joints ? MJCF_SPACE_JOINT : MJCF_SPACE_TENDON;
    THUD_TRY(
        mjcf_name_ask(r, space, d->other1, mjcf_place(r, n, joints ? "joint1" : "tendon1"), &to->object1));
    to->object2 = -1;
    if (d->other2) {
        THUD_TRY(mjcf_name_ask(r, space, d->other2, mjcf_place(r, n, joints ? "joint2" : "tendon2"),
                               &to->object2));
    }
    return !joints || (is_scalar(r, to->object1) && (to->object2 < 0 || is_scalar(r, to->object2)))
               ? THUD_OK
               : MJCF_FAIL(r, THUD_BAD_FILE, mjcf_node(r, n)->place, "<joint> equates hinges and slides");
}

static thud_status read_equality(mjcf_reader *r, int n)
{
    draft_equality d;
    THUD_TRY(mjcf_read_element(r, n, 0, &d));
    d.to.type = (thud_equality_type)mjcf_node(r, n)->element->variant;
    const bool ends = d.to.type == THUD_EQUALITY_CONNECT || d.to.type == THUD_EQUALITY_WELD;
    THUD_TRY(ends ? find_ends(r, n, &d, &d.to) : find_others(r, n, &d, &d.to));
    const double *p = d.relpose;
    const quat q = {p[3], p[4], p[5], p[6]};
    d.to.has_relpose =
        (d.head.given & GIVEN_RELPOSE) && q_norm(q) > 0; // MJCF: a zero quaternion asks for none
    if (d.to.has_relpose) {
        d.to.relpos = v3(p[0], p[1], p[2]);
        d.to.relquat = mjcf_unit(q);
    }
    const int i = thud_spec_add_equality(r->spec, d.to.type, d.head.name);
    if (i < 0) {
        return THUD_NO_MEMORY;
    }
    d.to.name = r->spec->equality[i].name;
    d.to.place = mjcf_node(r, n)->place;
    r->spec->equality[i] = d.to;
    return mjcf_name_add(r, MJCF_SPACE_EQUALITY, d.head.name, i, d.to.place);
}

// ---------------------------------------------------------------------------------------------- sections

static thud_status read_sections(mjcf_reader *r, mjcf_role section)
{
    for (int s = mjcf_node(r, 0)->first; s >= 0; s = mjcf_node(r, s)->next) {
        if (mjcf_node(r, s)->element->role != section) {
            continue;
        }
        for (int n = mjcf_node(r, s)->first; n >= 0; n = mjcf_node(r, n)->next) {
            const mjcf_role role = mjcf_node(r, n)->element->role;
            THUD_TRY(role == MJCF_ROLE_PAIR      ? read_pair(r, n)
                     : role == MJCF_ROLE_EXCLUDE ? read_exclude(r, n)
                     : role == MJCF_ROLE_TENDON  ? read_tendon(r, n)
                                                 : read_equality(r, n));
        }
    }
    return THUD_OK;
}

thud_status mjcf_read_links(mjcf_reader *r)
{
    THUD_TRY(read_sections(r, MJCF_ROLE_CONTACT));
    THUD_TRY(read_sections(r, MJCF_ROLE_TENDONS));
    return read_sections(r, MJCF_ROLE_EQUALITIES);
}
