// SPDX-License-Identifier: Apache-2.0
// gather.c: problems of parts, one behind the other: copies with other numbers. Innovations stay where they are, but for those of
// a part of one tree, whose strips are laid out in another way.
#include <string.h>

#include <thud/contact_gather.h>

#include "rows.h"

// What a block of the part is called in the whole.
static void rename_block(const thud_model_part *of, thud_block *b)
{
    switch (thud_block_owner(b)) {
    case THUD_KIND_GEOM:
        b->geom1 = of->geom[b->geom1];
        b->geom2 = of->geom[b->geom2];
        break;
    case THUD_KIND_EQUALITY:
        b->source = of->equality[b->source];
        break;
    default: // a limit of its joint, dry friction of its dof
        b->source += b->kind == THUD_BLOCK_DRY ? of->v : of->link;
    }
    if (b->kind == THUD_BLOCK_CONTACT || b->kind == THUD_BLOCK_LOOP) {
        b->body1 = of->body[b->body1];
        b->body2 = of->body[b->body2];
    }
}

static void copy_blocks(thud_rows *to, const thud_rows *from, const thud_model_part *of)
{
    for (int i = 0; i < from->blocks; i++) {
        const int k = to->blocks + i;
        to->sorted[k] = from->sorted[i];
        rename_block(of, &to->sorted[k]);
        to->cone[k] = from->cone[i];
        to->order[k] = to->blocks + from->order[i];
        to->place[k] = to->blocks + from->place[i];
        to->by_id[k] = (keyed){from->by_id[i].id, to->blocks + from->by_id[i].block};
        site *s = &to->site[k];
        *s = from->site[i];
        s->arm += to->arms;
        s->strip += to->strips;
        s->island += to->islands;
        s->at += to->rows;
        s->b = to->b + to->rows + (s->b - from->b);
        s->late = NULL;
    }
}

static void copy_arms(thud_rows *to, const thud_rows *from, const thud_model_part *of)
{
    for (int i = 0; i < from->arms; i++) {
        const arm a = from->arm[i];
        to->arm[to->arms + i] =
            (arm){a.link + of->link, a.at < 0 ? -1 : a.at + to->wrenches, a.block + to->blocks, a.dim};
    }
    memcpy(to->wrench + to->wrenches, from->wrench, (size_t)from->wrenches * sizeof *to->wrench);
}

static void copy_rows(thud_rows *to, const thud_rows *from)
{
    double *const list[] = {to->b, to->u_free, to->u_before, to->p_before, to->p, to->epsilon};
    const double *const source[] = {from->b,        from->u_free, from->u_before,
                                    from->p_before, from->p,      from->epsilon};
    for (size_t k = 0; k < sizeof list / sizeof list[0]; k++) {
        memcpy(list[k] + to->rows, source[k], (size_t)from->rows * sizeof(double));
    }
}

static void copy_islands(thud_rows *to, const thud_rows *from)
{
    for (int i = 0; i < from->islands; i++) {
        span *s = &to->span[to->islands + i];
        *s = from->span[i];
        s->block += to->blocks;
        s->row += to->rows;
        s->W = (thud_mat){0};
        s->sparse = (thud_cone_sparse){0};
        s->product = (thud_cone_product){0};
    }
}

// Those of a part of one tree are copied as well: the whole has several. false: no memory.
static bool copy_strips(thud_rows *to, const thud_rows *from, const thud_model_part *of)
{
    const size_t dofs = (size_t)from->tree[0].dofs, numbers = from->T ? (size_t)from->rows * dofs : 0;
    double *S = thud_arena_push(to->arena, numbers, sizeof *S);
    for (int i = 0; S && i < from->strips; i++) {
        strip *s = &to->strip[to->strips + i];
        *s = from->strip[i];
        if (from->T) {
            rows_read_strip(from, s, S);
            s->S = S;
            S += (size_t)s->dim * dofs;
        }
        s->block += to->blocks;
        s->tree += to->link_tree[of->link];
        s->at += to->rows;
    }
    return S;
}

static bool add_part(thud_rows *rows, const thud_rows *part, const thud_model_part *of)
{
    copy_blocks(rows, part, of);
    copy_arms(rows, part, of);
    copy_rows(rows, part);
    copy_islands(rows, part);
    const bool room = copy_strips(rows, part, of);
    rows->strips += part->strips;
    rows->blocks += part->blocks;
    rows->arms += part->arms;
    rows->wrenches += part->wrenches;
    rows->rows += part->rows;
    rows->islands += part->islands;
    rows->compliant = rows->compliant || part->compliant;
    return room;
}

// As much for W as all parts have together.
static bool widen_arena(thud_rows *rows, int parts, const thud_rows_part *part)
{
    size_t bytes = 0;
    for (int k = 0; k < parts; k++) {
        bytes += thud_arena_size(part[k].rows->arena);
    }
    thud_arena *made = NULL;
    if (thud_arena_size(rows->arena) < bytes && thud_arena_create(bytes, &made) == THUD_OK) {
        thud_arena_destroy(rows->arena);
        rows->arena = made;
    }
    return thud_arena_size(rows->arena) >= bytes;
}

// Whether the whole has room for all.
static bool fit(const thud_rows *rows, int parts, const thud_rows_part *part, int *strips)
{
    int blocks = 0, arms = 0, wrenches = 0, all = 0;
    *strips = 0;
    for (int k = 0; k < parts; k++) {
        const thud_rows *r = part[k].rows;
        blocks += r->blocks;
        arms += r->arms;
        wrenches += r->wrenches;
        all += r->rows;
        *strips += r->blocks > 0 ? r->strips : 0;
    }
    return blocks <= rows->capacity && arms <= rows->capacity * ARMS_A_BLOCK &&
           wrenches <= rows->capacity * WRENCHES_A_BLOCK && all <= rows->capacity * ROWS_A_BLOCK;
}

thud_status thud_rows_gather(thud_rows *rows, const thud_dynamics *d, int parts, const thud_rows_part *part)
{
    int strips;
    thud_rows_begin(rows, d, parts > 0 ? part[0].rows->h : 0);
    const bool fits = fit(rows, parts, part, &strips) && widen_arena(rows, parts, part);
    rows->strip = thud_arena_push(rows->arena, (size_t)strips, sizeof *rows->strip);
    rows->strips = 0;
    if (!fits || !rows->strip) {
        return THUD_NO_MEMORY;
    }
    bool room = true;
    for (int k = 0; room && k < parts; k++) {
        room = part[k].rows->islands == 0 || add_part(rows, part[k].rows, part[k].of);
    }
    return room ? THUD_OK : THUD_NO_MEMORY;
}
