// SPDX-License-Identifier: Apache-2.0
// rows.c: the life of a problem, and its assembly as a list of calls.
#include "wrenches.h"

#include <math.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------- create

// The dofs of a tree are consecutive where bodies are numbered depth first, as files do it. A spec made in
// code need not: then the span of a tree holds dofs of others, which its rows leave at zero.
static void find_trees(thud_rows *rows)
{
    const thud_model *m = rows->m;
    for (int i = 0; i < m->joints; i++) {
        const int up = m->link_parent[i];
        if (up < 0) {
            rows->tree[rows->trees] = (tree){.dof = m->joint_v[i], .link = i};
            rows->link_tree[i] = rows->trees++;
        } else {
            rows->link_tree[i] = rows->link_tree[up];
        }
        tree *const t = &rows->tree[rows->link_tree[i]];
        t->dofs = m->joint_v[i] + m->joint_dofs[i] - t->dof;
    }
}

// What no motion changes: which dofs a wrench on each link passes on its way to the base.
static bool find_ways(thud_rows *rows)
{
    const thud_model *m = rows->m;
    int most = 1; // dofs
    for (int t = 0; t < rows->trees; t++) {
        most = rows->tree[t].dofs > most ? rows->tree[t].dofs : most;
    }
    const size_t words = ((size_t)most + 63) / 64;
    rows->way_words = (int)words;
    rows->way = thud_alloc(words * (size_t)m->joints + 1, sizeof *rows->way);
    for (int i = 0; rows->way && i < m->joints; i++) {
        uint64_t *way = rows->way + words * (size_t)i;
        const int up = m->link_parent[i], first = m->joint_v[i] - rows->tree[rows->link_tree[i]].dof;
        if (up >= 0) {
            memcpy(way, rows->way + words * (size_t)up, words * sizeof *way);
        }
        for (int k = first; k < first + m->joint_dofs[i]; k++) {
            way[k / 64] |= UINT64_C(1) << (k % 64);
        }
    }
    return rows->way;
}

static void *sized(void *old, size_t count, size_t size)
{
    return thud_resize(old, count * size + 64);
}

static bool reserve(thud_rows *rows, int blocks)
{
    const size_t n = (size_t)blocks;
    bool good = true;
#define RESERVE(array, count)                                                                                \
    do {                                                                                                     \
        void *const grown = sized(rows->array, count, sizeof *rows->array);                                  \
        good = good && grown;                                                                                \
        rows->array = grown ? grown : rows->array;                                                           \
    } while (0)
    RESERVE(block, n);
    RESERVE(sorted, n);
    RESERVE(coned, n);
    RESERVE(cone, n);
    RESERVE(site, n);
    RESERVE(order, n);
    RESERVE(place, n);
    RESERVE(warm, n);
    RESERVE(trace, n);
    RESERVE(span, n);
    RESERVE(by_id, n);
    RESERVE(spare, n);
    RESERVE(arm, n * ARMS_A_BLOCK);
    RESERVE(wrench, n * WRENCHES_A_BLOCK);
    RESERVE(b, n * ROWS_A_BLOCK);
    RESERVE(u_free, n * ROWS_A_BLOCK);
    RESERVE(u_before, n * ROWS_A_BLOCK);
    RESERVE(p_before, n * ROWS_A_BLOCK);
    RESERVE(p, n * ROWS_A_BLOCK);
    RESERVE(epsilon, n * ROWS_A_BLOCK);
    RESERVE(u, n * ROWS_A_BLOCK);
    RESERVE(gap, n * ROWS_A_BLOCK);
#undef RESERVE
    rows->capacity = good ? blocks : rows->capacity;
    return good;
}

thud_status thud_rows_create(const thud_model *m, int blocks, size_t bytes, thud_rows **out)
{
    *out = NULL;
    thud_rows *rows = thud_alloc(1, sizeof *rows);
    if (!rows) {
        return THUD_NO_MEMORY;
    }
    rows->m = m;
    pthread_mutex_init(&rows->lock, NULL);
    const size_t links = (size_t)m->joints, nv = (size_t)m->nv;
    rows->link_tree = thud_alloc(links + 1, sizeof *rows->link_tree);
    rows->tree = thud_alloc(links + 1, sizeof *rows->tree);
    rows->V = thud_alloc(2 * links + 1, sizeof *rows->V);
    rows->V_free = rows->V + links;
    rows->innovation = thud_alloc(nv + 1, sizeof *rows->innovation);
    rows->root = thud_alloc(nv + 1, sizeof *rows->root);
    if (!rows->link_tree || !rows->tree || !rows->V || !rows->innovation || !rows->root ||
        !reserve(rows, blocks) || thud_arena_create(bytes, &rows->arena) != THUD_OK) {
        thud_rows_destroy(rows);
        return THUD_NO_MEMORY;
    }
    find_trees(rows);
    rows->edition = 1;
    if (!find_ways(rows)) {
        thud_rows_destroy(rows);
        return THUD_NO_MEMORY;
    }
    *out = rows;
    return THUD_OK;
}

void thud_rows_destroy(thud_rows *rows)
{
    if (!rows) {
        return;
    }
    void *const blocks[] = {rows->link_tree, rows->tree,   rows->V,     rows->innovation, rows->root,
                            rows->block,     rows->sorted, rows->coned, rows->cone,       rows->site,
                            rows->order,     rows->place,  rows->span,  rows->arm,        rows->wrench,
                            rows->b,         rows->u_free, rows->p,     rows->u_before,   rows->p_before,
                            rows->epsilon,   rows->u,      rows->gap,   rows->by_id,      rows->spare,
                            rows->way,       rows->warm,   rows->trace};
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        thud_free(blocks[i]);
    }
    thud_arena_destroy(rows->arena);
    pthread_mutex_destroy(&rows->lock);
    thud_free(rows);
}

void thud_rows_share(thud_rows *rows, thud_pool *pool)
{
    rows->pool = pool;
}

thud_status thud_rows_grow(thud_rows *rows)
{
    thud_arena *arena;
    THUD_TRY(thud_arena_create(2 * thud_arena_size(rows->arena), &arena));
    thud_arena_destroy(rows->arena);
    rows->arena = arena;
    rows->blocks = rows->islands = 0;
    rows->edition++;
    return reserve(rows, 2 * rows->capacity) ? THUD_OK : THUD_NO_MEMORY;
}

// ---------------------------------------------------------------------------------------------- assembly

void thud_rows_begin(thud_rows *rows, const thud_dynamics *d, double h)
{
    THUD_ASSERT(d && h >= 0);
    rows->d = d;
    rows->h = h;
    rows->blocks = rows->arms = rows->wrenches = rows->rows = rows->islands = 0;
    rows->stretches = 0;
    rows->compliant = rows->ascending = false;
    rows->edition++;
    rows->crowd = false;
    rows->T = NULL;
    for (int t = 0; t < rows->trees; t++) {
        rows->tree[t].beside = 0;
    }
    thud_arena_release(rows->arena, 0);
}

bool rows_have_room(const thud_rows *rows, int arms)
{
    return rows->arms + arms <= rows->capacity * ARMS_A_BLOCK &&
           rows->wrenches + arms <= rows->capacity * WRENCHES_A_BLOCK;
}

thud_block *rows_open(thud_rows *rows, thud_block_kind kind, int dim, int source, uint64_t id)
{
    if (rows->blocks == rows->capacity || !rows_have_room(rows, ARMS_A_BLOCK)) {
        return NULL; // rows of tendons may have many arms
    }
    const int i = rows->blocks++;
    rows->site[i] = (site){.arm = rows->arms, .dim = dim, .b = rows->b + rows->rows};
    rows->coned[i] = (thud_cone_block){.dim = dim};
    rows->block[i] = (thud_block){.kind = kind, .dim = dim, .source = source, .id = id};
    rows->by_id[i] = (keyed){id, i};
    for (int r = 0; r < dim; r++) {
        rows->site[i].b[r] = 0;
    }
    rows->rows += dim;
    return &rows->block[i];
}

thud_wrenches *rows_arm(thud_rows *rows, int link)
{
    const int i = rows->blocks - 1, dim = rows->site[i].dim;
    rows->arm[rows->arms++] = (arm){link, rows->wrenches, i, dim};
    rows->site[i].arms++;
    thud_wrenches *const first = rows->wrench + rows->wrenches;
    rows->wrenches += rows_fours(dim);
    return first;
}

void *rows_push(thud_rows *rows, thud_arena *arena, size_t count, size_t size)
{
    if (arena || !rows->pool) {
        return thud_arena_push(arena ? arena : rows->arena, count, size);
    }
    pthread_mutex_lock(&rows->lock);
    void *const block = thud_arena_push(rows->arena, count, size);
    pthread_mutex_unlock(&rows->lock);
    return block;
}

int rows_groves(const thud_rows *rows, int links)
{
    const int groves = rows->d->groves, some = (int)((int64_t)links * groves / (rows->m->joints + 1));
    return some > 1 ? some : 1;
}

void thud_rows_forget(thud_rows *rows, int island)
{
    THUD_ASSERT(island >= 0 && island < rows->islands);
    span *s = &rows->span[island];
    s->W = (thud_mat){0};
    s->sparse = (thud_cone_sparse){0};
    s->product = (thud_cone_product){0};
}

void thud_rows_soften(thud_rows *rows, int island, double part)
{
    THUD_ASSERT(part > 0 && island >= 0 && island < rows->islands);
    const span *s = &rows->span[island];
    const double give = s->rows > 0 ? part * s->trace / s->rows : 0;
    rows->edition++;
    for (int r = s->row; r < s->row + s->rows; r++) {
        rows->epsilon[r] = give;
        rows->p[r] = 0;
    }
    rows->compliant = true;
}

typedef struct twists {
    thud_rows *rows;
    const double *v[2];
    thud_motion *V[2];
} twists;

static void find_twists(void *of, int first, int end, int worker)
{
    const twists *a = of;
    const thud_dynamics part = thud_dynamics_part(a->rows->d, first, end);
    (void)worker;
    for (int k = 0; k < 2; k++) {
        if (a->v[k]) {
            thud_dynamics_twists(a->rows->m, &part, a->v[k], a->V[k]);
        }
    }
}

void rows_set_twists(thud_rows *rows, const double *v, const double *v_free)
{
    enum { LEAST = 400 }; // links
    if (!rows->pool && !v_free) {
        thud_dynamics_twists(rows->m, rows->d, v, rows->V);
        return;
    }
    twists a = {rows, {v, v_free}, {rows->V, rows->V_free}};
    thud_pool_run(rows->pool, rows->d->groves, rows_groves(rows, LEAST), find_twists, &a);
}

// ---------------------------------------------------------------------------------------------- answers

int thud_rows_islands(const thud_rows *rows)
{
    return rows->islands;
}

int thud_rows_blocks(const thud_rows *rows)
{
    return rows->blocks;
}

int64_t thud_rows_edition(const thud_rows *rows)
{
    return rows->edition;
}

bool thud_rows_hold(const thud_rows *rows, int island, int link)
{
    THUD_ASSERT(island >= 0 && island < rows->islands);
    const span *of = &rows->span[island];
    for (int k = of->block; k < of->block + of->blocks; k++) {
        const site *s = &rows->site[rows->order[k]];
        for (int a = s->arm; a < s->arm + s->arms; a++) {
            if (rows_tree_of(rows, a) == rows->link_tree[link]) {
                return true;
            }
        }
    }
    return false;
}

thud_island thud_rows_island(const thud_rows *rows, int i)
{
    THUD_ASSERT(i >= 0 && i < rows->islands);
    const span *s = &rows->span[i];
    return (thud_island){.blocks = s->blocks,
                         .rows = s->rows,
                         .block = rows->sorted + s->block,
                         .number = rows->order + s->block,
                         .cone = rows->cone + s->block,
                         .W = s->W,
                         .sparse = s->sparse.value ? &s->sparse : NULL,
                         .product = s->product.start ? &s->product : NULL,
                         .u_free = rows->u_free + s->row,
                         .u_before = rows->u_before + s->row,
                         .epsilon = rows->compliant ? rows->epsilon + s->row : NULL,
                         .p_before = rows->p_before + s->row,
                         .familiar = s->familiar,
                         .residual = s->residual,
                         .beside = s->beside,
                         .h = s->h,
                         .p = rows->p + s->row};
}

thud_standing thud_rows_standing(const thud_rows *rows, int i)
{
    THUD_ASSERT(i >= 0 && i < rows->islands);
    const span *s = &rows->span[i];
    return (thud_standing){s->blocks, s->rows, s->familiar, s->residual};
}

static void copy_entry(const int *place, int r, int c, double value, double *to, size_t stride)
{
    const int row = place ? place[r] : r, column = place ? place[c] : c;
    if (row >= 0 && column >= 0) {
        to[(size_t)row + (size_t)column * stride] = value;
    }
}

void thud_island_copy_delassus(const thud_island *of, const int *place, double *to, size_t stride)
{
    for (int c = 0; c < of->rows && of->W.a; c++) {
        for (int r = 0; r < of->rows; r++) {
            copy_entry(place, r, c, of->W.a[r + (size_t)c * (size_t)of->W.stride], to, stride);
        }
    }
    for (int i = 0; i < of->blocks && !of->W.a; i++) {
        const thud_cone_sparse *W = of->sparse;
        const thud_block *block = &of->block[i];
        for (int k = W->start[i]; k < W->start[i + 1]; k++) {
            const thud_block *other = &of->block[W->column[k]];
            for (int e = 0; e < block->dim * other->dim; e++) {
                copy_entry(place, block->row + e % block->dim, other->row + e / block->dim,
                           W->value[W->at[k] + e], to, stride);
            }
        }
    }
    for (int r = 0; of->epsilon && r < of->rows; r++) {
        const int at = place ? place[r] : r;
        if (at >= 0) {
            to[(size_t)at * (stride + 1)] += of->epsilon[r];
        }
    }
}

// contacts: theirs as well.
static void sum_wrenches(const thud_rows *rows, bool contacts, thud_force *wrench)
{
    memset(wrench, 0, (size_t)rows->m->joints * sizeof *wrench);
    for (int i = 0; i < rows->blocks; i++) {
        const site *s = &rows->site[i];
        const thud_block *b = &rows->sorted[rows->place[i]];
        if (b->kind == THUD_BLOCK_CONTACT && !contacts) {
            continue;
        }
        thud_wrenches room[WRENCHES_A_CONTACT];
        const thud_wrenches *w = wrenches_of(rows, b, s, b->dim, room);
        for (int a = 0; a < s->arms; a++) {
            thud_force *sum = &wrench[rows->arm[s->arm + a].link];
            for (int r = 0; r < b->dim; r++) {
                const thud_force f = rows_wrench(w + a * rows_fours(b->dim), r);
                sum->ang = v3_axpy(rows->p[s->at + r], f.ang, sum->ang);
                sum->lin = v3_axpy(rows->p[s->at + r], f.lin, sum->lin);
            }
        }
    }
}

void thud_rows_wrenches(const thud_rows *rows, thud_force *wrench)
{
    sum_wrenches(rows, true, wrench);
}

void thud_rows_joint_wrenches(const thud_rows *rows, thud_force *wrench)
{
    sum_wrenches(rows, false, wrench);
}

// Of a contact from its frame at its point; of a loop from its last arm, or the first turned back.
thud_force thud_rows_push(const thud_rows *rows, int island, int block)
{
    THUD_ASSERT(island >= 0 && island < rows->islands);
    const span *of = &rows->span[island];
    const int i = rows->order[of->block + block];
    const thud_block *b = &rows->sorted[of->block + block];
    const site *s = &rows->site[i];
    const double *p = rows->p + s->at;
    const bool second = rows->m->body_link[b->body2] >= 0; // its arm is the last
    thud_force sum = {{0, 0, 0}, {0, 0, 0}};
    if (b->kind == THUD_BLOCK_CONTACT) {
        for (int r = 0; r < b->dim && r < 3; r++) {
            sum.lin = v3_axpy(p[r], b->frame[r], sum.lin);
        }
        sum.ang = v3_cross(b->point, sum.lin);
        for (int r = 3; r < b->dim; r++) {
            sum.ang = v3_axpy(p[r], b->frame[r - 3], sum.ang);
        }
        return sum;
    }
    if (!second && rows->m->body_link[b->body1] < 0) {
        return sum; // of a joint or a tendon
    }
    const arm *a = &rows->arm[second ? s->arm + s->arms - 1 : s->arm];
    for (int r = 0; r < b->dim; r++) {
        const thud_force f = rows_wrench(rows->wrench + a->at, r);
        sum.ang = v3_axpy(second ? p[r] : -p[r], f.ang, sum.ang);
        sum.lin = v3_axpy(second ? p[r] : -p[r], f.lin, sum.lin);
    }
    sum.ang = v3_add(sum.ang, v3_cross(rows->d->link[a->link].o, sum.lin));
    return sum;
}
