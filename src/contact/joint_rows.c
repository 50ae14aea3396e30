// SPDX-License-Identifier: Apache-2.0
// joint_rows.c: rows of joints: limits, dry friction, gears and loops. [theory 1]
//
// A force on a dof is a pair of opposite wrenches on the two links it joins, so a joint's row is like any
// other.
#include <string.h>

#include "rows.h"

uint64_t thud_row_id(thud_row_source source, int number)
{
    return UINT64_C(0xF) << 60 | (uint64_t)source << 56 | (uint64_t)number;
}

bool thud_row_id_read(uint64_t id, thud_row_source *source, int *number)
{
    *source = (thud_row_source)(id >> 56 & 0xF);
    *number = (int)(id & UINT32_MAX);
    return id >> 60 == 0xF;
}

thud_kind thud_block_owner(const thud_block *block)
{
    thud_row_source source;
    int number;
    if (!thud_row_id_read(block->id, &source, &number)) {
        return THUD_KIND_GEOM;
    }
    switch (source) {
    case THUD_ROW_LIMIT:
    case THUD_ROW_DRY:
        return THUD_KIND_JOINT;
    case THUD_ROW_LOOP:
    case THUD_ROW_AXIS:
        return THUD_KIND_EQUALITY;
    case THUD_ROW_LEVER:
        return THUD_KIND_TENDON;
    default:
        return THUD_KIND_GEOM;
    }
}

// An equality as ids count it; loops may be added that are none of the model's.
static int number_of(const thud_rows *rows, int equality)
{
    return equality < rows->m->equalities ? rows->m->eq_number[equality] : equality;
}

static void put(thud_wrenches *to, thud_force one)
{
    *to = (thud_wrenches){0};
    wrenches_set(to, 0, one);
}

// Wrenches on a link and, opposite, on its parent, for a motion s that is angular or linear at the link's
// origin.
static void grip(thud_rows *rows, int link, vec3 s, bool linear, double scale)
{
    const int up = rows->m->link_parent[link];
    const vec3 f = v3_scale(scale, s), none = v3(0, 0, 0);
    put(rows_arm(rows, link), linear ? (thud_force){none, f} : (thud_force){f, none});
    if (up >= 0) {
        const vec3 back = v3_neg(f);
        put(rows_arm(rows, up),
            linear ? (thud_force){v3_cross(rows->d->link[link].r, back), back} : (thud_force){back, none});
    }
}

static void grip_dof(thud_rows *rows, int dof, double scale)
{
    grip(rows, rows->m->dof_link[dof], rows->d->dof[dof].s, rows->d->dof[dof].linear, scale);
}

thud_status thud_rows_add_limit(thud_rows *rows, int joint, int sign, vec3 axis, double phi, double b)
{
    THUD_ASSERT(joint >= 0 && joint < rows->m->joints && (sign == 1 || sign == -1));
    const thud_model *m = rows->m;
    thud_block *block = rows_open(rows, THUD_BLOCK_LIMIT, 1, joint,
                                  thud_row_id(THUD_ROW_LIMIT, 2 * rows->m->joint_number[joint] + (sign < 0)));
    if (!block) {
        return THUD_NO_MEMORY;
    }
    block->phi = phi;
    rows->coned[rows->blocks - 1].kind = THUD_CONE_KIND_CONTACT;
    rows->site[rows->blocks - 1].b[0] = b;
    if (m->joint_type[joint] == THUD_JOINT_BALL) {
        grip(rows, joint, m3_mulv(&rows->d->link[joint].R, axis), false, sign);
    } else {
        grip_dof(rows, m->joint_v[joint], sign);
    }
    return THUD_OK;
}

thud_status thud_rows_add_dry(thud_rows *rows, int dof, double bound)
{
    THUD_ASSERT(dof >= 0 && dof < rows->m->nv && bound >= 0);
    if (!rows_open(rows, THUD_BLOCK_DRY, 1, dof, thud_row_id(THUD_ROW_DRY, rows->m->dof_number[dof]))) {
        return THUD_NO_MEMORY;
    }
    thud_cone_block *cone = &rows->coned[rows->blocks - 1];
    cone->kind = THUD_CONE_KIND_BOX;
    cone->lo = -bound;
    cone->hi = bound;
    grip_dof(rows, dof, 1);
    return THUD_OK;
}

static thud_status open_loop(thud_rows *rows, int equality, int dim, const double *b)
{
    if (!rows_open(rows, THUD_BLOCK_LOOP, dim, equality,
                   thud_row_id(THUD_ROW_LOOP, number_of(rows, equality)))) {
        return THUD_NO_MEMORY;
    }
    rows->coned[rows->blocks - 1].kind = THUD_CONE_KIND_FREE;
    for (int r = 0; r < dim; r++) {
        rows->site[rows->blocks - 1].b[r] = b[r];
    }
    return THUD_OK;
}

static void hold(thud_rows *rows, int link, int dim, const thud_force *row, double sign)
{
    thud_wrenches *w = rows_arm(rows, link);
    memset(w, 0, (size_t)rows_fours(dim) * sizeof *w);
    for (int r = 0; r < dim; r++) { // from the world's origin to the link's
        const vec3 ang = v3_sub(row[r].ang, v3_cross(rows->d->link[link].o, row[r].lin));
        rows_set_wrench(w, r, (thud_force){v3_scale(sign, ang), v3_scale(sign, row[r].lin)});
    }
}

thud_status thud_rows_add_loop(thud_rows *rows, int equality, int body1, int body2, int dim,
                               const thud_force *row, const double *b)
{
    THUD_ASSERT(dim >= 1 && dim <= ROWS_A_BLOCK);
    const int link1 = rows->m->body_link[body1], link2 = rows->m->body_link[body2];
    if (link1 < 0 && link2 < 0) {
        return THUD_OK;
    }
    THUD_TRY(open_loop(rows, equality, dim, b));
    rows->block[rows->blocks - 1].body1 = body1;
    rows->block[rows->blocks - 1].body2 = body2;
    if (link1 >= 0) {
        hold(rows, link1, dim, row, -1);
    }
    if (link2 >= 0) {
        hold(rows, link2, dim, row, 1);
    }
    return THUD_OK;
}

thud_status thud_rows_add_axis(thud_rows *rows, const thud_axis_row *axis)
{
    THUD_ASSERT(axis->part >= 0 && axis->part < 16);
    const int link1 = rows->m->body_link[axis->body1], link2 = rows->m->body_link[axis->body2];
    if (link1 < 0 && link2 < 0) {
        return THUD_OK;
    }
    const uint64_t id = thud_row_id(THUD_ROW_AXIS, 16 * number_of(rows, axis->equality) + axis->part);
    thud_block *block = rows_open(rows, axis->kind, 1, axis->equality, id);
    if (!block) {
        return THUD_NO_MEMORY;
    }
    thud_cone_block *cone = &rows->coned[rows->blocks - 1];
    block->phi = axis->phi;
    block->body1 = axis->body1;
    block->body2 = axis->body2;
    cone->kind = axis->kind == THUD_BLOCK_LIMIT ? THUD_CONE_KIND_CONTACT
                 : axis->kind == THUD_BLOCK_DRY ? THUD_CONE_KIND_BOX
                                                : THUD_CONE_KIND_FREE;
    cone->lo = -axis->bound;
    cone->hi = axis->bound;
    rows->site[rows->blocks - 1].b[0] = axis->b;
    rows->site[rows->blocks - 1].epsilon = axis->epsilon;
    rows->compliant |= axis->epsilon > 0;
    if (link1 >= 0) {
        hold(rows, link1, 1, &axis->row, -1);
    }
    if (link2 >= 0) {
        hold(rows, link2, 1, &axis->row, 1);
    }
    return THUD_OK;
}

thud_status thud_rows_add_lever(thud_rows *rows, const thud_lever_row *row)
{
    THUD_ASSERT(row->part >= 0 && row->part < 4);
    const int arms = 2 * (row->lever[0].count + row->lever[1].count);
    const bool loop = row->kind == THUD_BLOCK_LOOP;
    const uint64_t id = loop ? thud_row_id(THUD_ROW_LOOP, number_of(rows, row->source))
                             : thud_row_id(THUD_ROW_LEVER, 4 * row->source + row->part);
    if (arms == 0) {
        return THUD_OK; // nothing that moves
    }
    thud_block *block = rows_have_room(rows, arms) ? rows_open(rows, row->kind, 1, row->source, id) : NULL;
    if (!block) {
        return THUD_NO_MEMORY;
    }
    thud_cone_block *cone = &rows->coned[rows->blocks - 1];
    block->phi = row->phi;
    cone->kind = row->kind == THUD_BLOCK_LIMIT ? THUD_CONE_KIND_CONTACT
                 : loop                        ? THUD_CONE_KIND_FREE
                                               : THUD_CONE_KIND_BOX;
    cone->lo = -row->bound;
    cone->hi = row->bound;
    rows->site[rows->blocks - 1].b[0] = row->b;
    for (int n = 0; n < 2; n++) {
        const thud_row_lever *l = &row->lever[n];
        for (int k = 0; k < l->count; k++) {
            grip_dof(rows, l->dof[k], l->scale * l->value[k]);
        }
    }
    return THUD_OK;
}

thud_status thud_rows_add_gear(thud_rows *rows, int equality, int dof1, int dof2, double ratio, double b)
{
    THUD_ASSERT(dof1 >= 0 && dof1 < rows->m->nv && dof2 < rows->m->nv);
    THUD_TRY(open_loop(rows, equality, 1, &b));
    grip_dof(rows, dof1, 1);
    if (dof2 >= 0) {
        grip_dof(rows, dof2, -ratio);
    }
    return THUD_OK;
}
