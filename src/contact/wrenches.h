// SPDX-License-Identifier: Apache-2.0
// wrenches.h: the rows of a block as wrenches on the links they act on. Private to the room.
//
// Those of contacts follow from a point and a frame, and are made where they are needed: written down for all contacts of a
// pile they would be the largest part of what a step reads and writes.
#pragma once

#include "rows.h"

enum { WRENCHES_A_CONTACT = 4 }; // of up to six rows on two links

// The wrenches of a contact's dim rows on one link: along n, t1, t2 at the point; then about them.
THUD_INSIDE void lay_contact(const thud_block *b, int dim, vec3 o, double sign, thud_wrenches *w)
{
    const vec3 none = v3(0, 0, 0), lever = v3_sub(b->point, o), a = v3_scale(sign, b->frame[0]);
    const vec3 s = dim > 1 ? v3_scale(sign, b->frame[1]) : none;
    const vec3 t = dim > 1 ? v3_scale(sign, b->frame[2]) : none;
    const four x = {a.x, s.x, t.x, 0}, y = {a.y, s.y, t.y, 0}, z = {a.z, s.z, t.z, 0};
    const lanes f = {x, y, z};
    const lanes n = lanes_cross(lever, f);
    lanes_store(n, w->ang);
    lanes_store(f, w->lin);
    if (dim > 3) {
        wrenches_set(w, 3, (thud_force){a, none});
    }
    if (dim > 4) {
        w[1] = (thud_wrenches){0};
        wrenches_set(&w[1], 0, (thud_force){s, none});
        wrenches_set(&w[1], 1, (thud_force){t, none});
    }
}

// Of a block's dim rows about the origins of its links, arm by arm, rows_fours(dim) each; laid out in `room` if it is a
// contact.
THUD_INSIDE const thud_wrenches *wrenches_of(const thud_rows *rows, const thud_block *b, const site *s,
                                             int dim, thud_wrenches room[WRENCHES_A_CONTACT])
{
    if (b->kind != THUD_BLOCK_CONTACT) {
        return rows->wrench + rows->arm[s->arm].at;
    }
    const bool first = rows->m->body_link[b->body1] >= 0; // then its arm is the first
    for (int a = 0; a < s->arms; a++) {
        lay_contact(b, dim, rows->d->link[rows->arm[s->arm + a].link].o, first && a == 0 ? -1 : 1,
                    room + a * rows_fours(dim));
    }
    return room;
}
