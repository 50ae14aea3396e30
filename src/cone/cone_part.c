// SPDX-License-Identifier: Apache-2.0
// cone_part.c: some blocks of a problem that has groups, as a problem of their own, the others held.   [theory 7, 9]
//
//     u_L = S_L S_L^T p_L + b_L,      b_L = u_L of the whole - S_L S_L^T p_L
//
// Symbols  L those blocks · S_L their strips, their groups numbered anew
// Scales (rho, |b|, the mean diagonal) are the whole's: residuals of the part and of the rest add up as squares.
// Cost     their records are copied and their groups ordered: of 20 contacts some 20 us.
#include <string.h>

#include "cone_groups.h"

// Blocks in the order of the list, their rows one after the other; the judge's blocks keep the rows of the whole, as origin does.
static bool copy_blocks(const cone_work *whole, const int *list, int count, cone_part *part)
{
    cone_work *w = &part->w;
    thud_cone_block *judged = thud_arena_push(w->arena, (size_t)count, sizeof *judged);
    w->block = thud_arena_push(w->arena, (size_t)count, sizeof *w->block);
    if (!judged || !w->block) {
        return false;
    }
    w->n = 0;
    w->blocks = count;
    for (int k = 0; k < count; k++) {
        judged[k] = whole->c->block[list[k]];
        w->block[k] = whole->block[list[k]];
        w->block[k].row = w->n;
        w->n += w->block[k].dim;
    }
    part->c = *whole->c;
    part->c.block = judged;
    part->c.blocks = count;
    w->c = &part->c;
    return true;
}

static bool copy_rows(const cone_work *whole, const int *list, cone_part *part)
{
    cone_work *w = &part->w;
    const size_t n = (size_t)w->n;
    w->origin = thud_arena_push(w->arena, n, sizeof *w->origin);
    w->scale = thud_arena_push(w->arena, n, sizeof *w->scale);
    w->shape = thud_arena_push(w->arena, n, sizeof *w->shape);
    w->b = thud_arena_push(w->arena, n, sizeof *w->b);
    part->p = thud_arena_push(w->arena, n, sizeof *part->p);
    w->groups->compliance = thud_arena_push(w->arena, n, sizeof *w->groups->compliance);
    if (!w->origin || !w->scale || !w->shape || !w->b || !part->p || !w->groups->compliance) {
        return false;
    }
    for (int k = 0; k < w->blocks; k++) {
        const cone_rows *b = w->block + k;
        const int from = whole->block[list[k]].row;
        const size_t bytes = sizeof(double) * (size_t)b->dim;
        memcpy(w->origin + b->row, whole->origin + from, sizeof(int) * (size_t)b->dim);
        memcpy(w->scale + b->row, whole->scale + from, bytes);
        memcpy(w->shape + b->row, whole->shape + from, bytes);
        memcpy(w->groups->compliance + b->row, whole->groups->compliance + from, bytes);
    }
    return true;
}

// Groups in the order in which they are met; -1 until all are.
static bool copy_pairs(const cone_work *whole, const int *list, cone_part *part)
{
    cone_groups *g = part->w.groups;
    const int all = whole->groups->groups, count = part->w.blocks;
    thud_arena *arena = part->w.arena;
    int *number = thud_arena_push(arena, (size_t)all + 1, sizeof *number);
    g->pair = thud_arena_push(arena, (size_t)count, sizeof *g->pair);
    if (!number || !g->pair) {
        return false;
    }
    for (int k = 0; k <= all; k++) {
        number[k] = -1;
    }
    g->groups = 0;
    for (int k = 0; k < 2 * count; k++) {
        cone_pair *pair = g->pair + k / 2;
        if (k % 2 == 0) {
            *pair = whole->groups->pair[list[k / 2]];
        }
        int *of = pair->group + k % 2, *to = number + *of;
        *to = *to < 0 && *of < all ? g->groups++ : *to;
        *of = *to;
    }
    for (int k = 0; k < 2 * count; k++) {
        int *of = g->pair[k / 2].group + k % 2;
        *of = *of < 0 ? g->groups : *of;
    }
    g->y = thud_arena_push(arena, ((size_t)g->groups + 1) * TILE_ROW, sizeof *g->y);
    return g->y && cone_groups_order(g, arena, count, whole->W.a);
}

static bool copy_dense(const cone_work *whole, const int *list, cone_work *w)
{
    const size_t n = (size_t)w->n;
    w->W = (thud_mat){w->n, w->n, w->n, thud_arena_push(w->arena, n * n, sizeof(double))};
    for (int j = 0; j < w->blocks && w->W.a; j++) {
        for (int s = 0; s < w->block[j].dim; s++) {
            const double *from = whole->W.a + (size_t)(whole->block[list[j]].row + s) * (size_t)whole->n;
            double *to = w->W.a + (size_t)(w->block[j].row + s) * n;
            for (int i = 0; i < w->blocks; i++) {
                memcpy(to + w->block[i].row, from + whole->block[list[i]].row,
                       sizeof *to * (size_t)w->block[i].dim);
            }
        }
    }
    return w->W.a;
}

// Columns of the part; the numbers stay where they are.
static bool copy_sparse(const cone_work *whole, const int *list, cone_work *w)
{
    const cone_columns *from = &whole->sparse;
    cone_columns *to = &w->sparse;
    int *index = thud_arena_push(w->arena, (size_t)whole->blocks, sizeof *index), most = 0, at = 0;
    for (int k = 0; k < w->blocks; k++) {
        most += from->start[list[k] + 1] - from->start[list[k]];
    }
    to->start = thud_arena_push(w->arena, (size_t)w->blocks + 1, sizeof(int));
    to->row = thud_arena_push(w->arena, (size_t)most, sizeof(int));
    to->at = thud_arena_push(w->arena, (size_t)most, sizeof(int));
    if (!index || !to->start || !to->row || !to->at) {
        return false;
    }
    memset(index, -1, sizeof *index * (size_t)whole->blocks);
    for (int k = 0; k < w->blocks; k++) {
        index[list[k]] = k;
    }
    for (int k = 0; k < w->blocks; k++) {
        to->start[k] = at;
        for (int e = from->start[list[k]]; e < from->start[list[k] + 1]; e++) {
            to->row[at] = index[from->row[e]];
            to->at[at] = from->at[e];
            at += to->row[at] >= 0;
        }
    }
    to->start[w->blocks] = at;
    return true;
}

// b, and the impulses to start from, where all of the whole have p and move with u.
static bool hold_others(const cone_work *whole, const int *list, const double *p, const double *u,
                        cone_part *part)
{
    cone_work *w = &part->w;
    double *own = thud_arena_push(w->arena, (size_t)w->n, sizeof *own);
    if (!own) {
        return false;
    }
    for (int k = 0; k < w->blocks; k++) {
        memcpy(part->p + w->block[k].row, p + whole->block[list[k]].row, sizeof *p * (size_t)w->block[k].dim);
    }
    memset(w->b, 0, sizeof *w->b * (size_t)w->n);
    cone_work_multiply(w, part->p, own);
    for (int k = 0; k < w->blocks; k++) {
        for (int r = 0; r < w->block[k].dim; r++) {
            const int row = w->block[k].row + r;
            w->b[row] = u[whole->block[list[k]].row + r] - own[row];
        }
    }
    return true;
}

bool cone_part_begin(const cone_work *whole, const int *list, int count, const double *p, const double *u,
                     cone_part *part)
{
    THUD_ASSERT(0 < count && count <= whole->blocks);
    *part = (cone_part){.w = *whole, .list = list};
    part->w.groups = &part->groups;
    part->w.iterations = part->w.factorizations = 0;
    return copy_blocks(whole, list, count, part) && copy_rows(whole, list, part) &&
           copy_pairs(whole, list, part) && (whole->W.a ? copy_dense : copy_sparse)(whole, list, &part->w) &&
           hold_others(whole, list, p, u, part);
}

void cone_part_take(const cone_work *whole, const cone_part *part, double *p)
{
    THUD_ASSERT(part->w.n <= whole->n);
    for (int k = 0; k < part->w.blocks; k++) {
        memcpy(p + whole->block[part->list[k]].row, part->p + part->w.block[k].row,
               sizeof *p * (size_t)part->w.block[k].dim);
    }
}

void cone_part_end(cone_part *part)
{
    cone_groups_end(&part->w);
}
