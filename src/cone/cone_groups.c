// SPDX-License-Identifier: Apache-2.0
// cone_groups.c: Newton's linear systems among the columns of S, where W^ = S S^T.                 [theory 7, 9]
//
//     A (W^ + e) dp + B dp = r,  A, B block diagonal         (cone_jacobian.c)
//     dp = T^-1 (r - A S y),  T = A e + B,  K = T^-1 A,       y = S^T dp
//     (I + S^T K S) y = S^T T^-1 r
//
// The groups of S are bodies, and bodies that touch are fewer than what they touch with: of 90 boxes with 360 contacts the
// matrix has 540 rows instead of 1080, meets fewer others in each, and is factored in a fifth of the time. It is ordered and
// factored as W^ is (cone_order.c, cone_factor.c), a group for a block.
//
// Differs  T is as small as e where contacts stick, so that of a step 1e-16 / e is lost; the next one makes that good.
// Cost     of a contact some 500 multiplications, and the factor.
#include <math.h>
#include <string.h>

#include "cone_groups.h"

#include <thud/cone_product.h>

// ---------------------------------------------------------------------------------------------- the groups

// Contacts of few rows, between few columns, which are clearly fewer than these rows: else W^ is factored as soon.
static bool suits(const cone_work *w)
{
    enum {
        SOME = 12
    }; // groups: the factor of fewer costs little, and loses less where masses differ by a million
    const thud_cone_product *S = w->c->product;
    bool good = S && S->groups >= SOME && 3 * GROUP * S->groups <= 2 * w->n;
    for (int i = 0; good && i < w->blocks; i++) {
        good = w->block[i].kind == THUD_CONE_KIND_CONTACT && w->c->block[i].dim <= PAIR &&
               S->start[i + 1] - S->start[i] <= 2;
        for (int k = S->start[i]; good && k < S->start[i + 1]; k++) {
            good = S->column[S->strip[k].group + 1] - S->column[S->strip[k].group] <= GROUP;
        }
    }
    return good;
}

// Its strips, and groups that are met first numbered in that order.
static void copy_strips(const cone_work *w, cone_groups *g, int i, int *number)
{
    const thud_cone_product *S = w->c->product;
    cone_pair *pair = g->pair + i;
    *pair = (cone_pair){.dim = w->block[i].dim, .group = {-1, -1}};
    for (int k = S->start[i], side = 0; k < S->start[i + 1]; k++, side++) {
        const int group = S->strip[k].group, columns = S->column[group + 1] - S->column[group];
        number[group] = number[group] < 0 ? g->groups++ : number[group];
        pair->group[side] = number[group];
        for (int r = 0; r < pair->dim; r++) {
            const int row = w->block[i].row + r;
            const double *from = S->strip[k].S + (w->origin[row] - w->c->block[i].row) * columns;
            for (int c = 0; c < columns; c++) {
                pair->S[side][r][c] = w->scale[row] * from[c];
            }
        }
    }
    for (int r = w->block[i].row; r < w->block[i].row + pair->dim; r++) {
        g->compliance[r] = w->c->epsilon ? w->scale[r] * w->c->epsilon[w->origin[r]] * w->scale[r] : 0;
    }
}

// ---------------------------------------------------------------------------------------------- their pattern

// Which groups share a contact, as bits: row of `meets` by row.
static void meet(const cone_groups *g, int pairs, int words, uint64_t *meets)
{
    memset(meets, 0, sizeof *meets * (size_t)g->groups * (size_t)words);
    for (int i = 0; i < g->groups; i++) {
        meets[i * words + i / 64] |= (uint64_t)1 << (i % 64);
    }
    for (int i = 0; i < pairs; i++) {
        const int *of = g->pair[i].group;
        if (of[0] < g->groups && of[1] < g->groups) {
            meets[of[0] * words + of[1] / 64] |= (uint64_t)1 << (of[1] % 64);
            meets[of[1] * words + of[0] / 64] |= (uint64_t)1 << (of[0] % 64);
        }
    }
}

static int count_meets(const uint64_t *meets, int words)
{
    int count = 0;
    for (int k = 0; k < words; k++) {
        count += __builtin_popcountll(meets[k]);
    }
    return count;
}

// The pattern as block columns; `at` is the number of an entry, and so is from of the factor's.
static bool list_pattern(cone_groups *g, thud_arena *arena, const uint64_t *meets, int words)
{
    const int entries = count_meets(meets, g->groups * words);
    cone_columns *to = &g->pattern.sparse;
    to->start = thud_arena_push(arena, (size_t)g->groups + 1, sizeof(int));
    to->row = thud_arena_push(arena, (size_t)entries, sizeof(int));
    to->at = thud_arena_push(arena, (size_t)entries, sizeof(int));
    to->value = thud_arena_push(arena, GROUP * GROUP, sizeof(double)); // the same for all: symmetric
    if (!to->start || !to->row || !to->at || !to->value) {
        return false;
    }
    memset(to->value, 0, sizeof(double) * GROUP * GROUP);
    int k = 0;
    for (int j = 0; j < g->groups; j++) {
        to->start[j] = k;
        for (int i = 0; i < g->groups; i++) {
            if (meets[j * words + i / 64] >> (i % 64) & 1) {
                to->row[k] = i;
                to->at[k++] = 0;
            }
        }
    }
    to->start[g->groups] = k;
    return true;
}

// Each pair's place among the factor's entries, which are few of a group.
static bool find_entries(cone_groups *g, thud_arena *arena, int pairs)
{
    const size_t mark = thud_arena_mark(arena);
    const cone_factor *f = &g->factor;
    const int *start = g->pattern.sparse.start, *row = g->pattern.sparse.row;
    int *entry = thud_arena_push(arena, (size_t)start[g->groups], sizeof *entry);
    if (!entry) {
        return false;
    }
    for (int x = 0; x < f->entries; x++) {
        int k = start[f->entry[x].j];
        while (row[k] != f->entry[x].i) {
            k++;
        }
        entry[k] = x;
    }
    for (int i = 0; i < 4 * pairs; i++) {
        cone_pair *pair = g->pair + i / 4;
        const int a = i / 2 % 2, b = i % 2, of = pair->group[b];
        pair->entry[a][b] = -1;
        if (of == g->groups || pair->group[a] == g->groups) {
            continue;
        }
        int k = start[of];
        while (row[k] != pair->group[a]) {
            k++;
        }
        pair->entry[a][b] = entry[k];
    }
    thud_arena_release(arena, mark);
    return true;
}

bool cone_groups_order(cone_groups *g, thud_arena *arena, int pairs, bool bounded)
{
    const int words = (g->groups + 63) / 64;
    uint64_t *meets = thud_arena_push(arena, (size_t)g->groups * (size_t)words, sizeof *meets);
    cone_work *pattern = &g->pattern;
    *pattern = (cone_work){.n = GROUP * g->groups, .blocks = g->groups, .arena = arena, .bounded = bounded};
    pattern->block = thud_arena_push(arena, (size_t)g->groups, sizeof *pattern->block);
    if (!meets || !pattern->block) {
        return false;
    }
    for (int i = 0; i < g->groups; i++) {
        pattern->block[i] = (cone_rows){.kind = THUD_CONE_KIND_FREE, .row = GROUP * i, .dim = GROUP};
    }
    meet(g, pairs, words, meets);
    return list_pattern(g, arena, meets, words) && cone_factor_begin(pattern, &g->factor) &&
           find_entries(g, arena, pairs);
}

bool cone_groups_begin(cone_work *w)
{
    if (!suits(w)) {
        return true;
    }
    cone_groups *g = thud_arena_push(w->arena, 1, sizeof *g);
    int *number = thud_arena_push(w->arena, (size_t)w->c->product->groups, sizeof *number);
    if (!g || !number) {
        return false;
    }
    *g = (cone_groups){.pair = thud_arena_push(w->arena, (size_t)w->blocks, sizeof *g->pair),
                       .compliance = thud_arena_push(w->arena, (size_t)w->n, sizeof *g->compliance)};
    if (!g->pair || !g->compliance) {
        return false;
    }
    for (int k = 0; k < w->c->product->groups; k++) {
        number[k] = -1;
    }
    for (int i = 0; i < w->blocks; i++) {
        copy_strips(w, g, i, number);
    }
    for (int i = 0; i < 2 * w->blocks; i++) {
        int *of = g->pair[i / 2].group + i % 2;
        *of = *of < 0 ? g->groups : *of;
    }
    g->y = thud_arena_push(w->arena, ((size_t)g->groups + 1) * GROUP, sizeof *g->y);
    if (!g->y || !cone_groups_order(g, w->arena, w->blocks, w->W.a)) {
        return false;
    }
    w->groups = g;
    return true;
}

size_t cone_groups_scratch(const thud_cone *c)
{
    const size_t blocks = (size_t)c->blocks, rows = (size_t)c->rows, all = (size_t)c->product->groups;
    const size_t groups = all < 2 * blocks ? all : 2 * blocks, entries = groups + 2 * blocks;
    const size_t bits = 4 * groups * (groups / 64 + 2) * sizeof(uint64_t);
    const size_t numbers = rows + groups * GROUP * (CONE_NODE + 3) + GROUP * GROUP;
    return blocks * sizeof(cone_pair) + all * sizeof(int) + numbers * sizeof(double) + bits +
           entries * (sizeof(cone_entry) + sizeof(int[3])) +
           groups * (sizeof(cone_rows) + sizeof(cone_node) + sizeof(int[20])) + 40 * 64 +
           (c->W.a ? rows * rows * (sizeof(double) + sizeof(int)) : 0);
}

void cone_groups_end(cone_work *w)
{
    if (w->groups) {
        cone_factor_end(&w->groups->factor);
    }
}

// ---------------------------------------------------------------------------------------------- products with S

typedef double pair_of_numbers
    __attribute__((vector_size(2 * sizeof(double)), aligned(sizeof(double)), may_alias));

typedef struct row { // of S, or six numbers of y
    four_of_numbers near;
    pair_of_numbers far;
} row;

THUD_INSIDE row row_of(const double *x)
{
    return (row){*fours_of(x), *(const pair_of_numbers *)(x + FOUR)};
}

THUD_INSIDE row row_sum(row a, double x, row b) // a + x b
{
    return (row){a.near + x * b.near, a.far + x * b.far};
}

THUD_INSIDE void row_put(row a, double *to)
{
    *fours_at(to) = a.near;
    *(pair_of_numbers *)(to + FOUR) = a.far;
}

THUD_INSIDE void push(const cone_pair *pair, const double p[PAIR], double *y) // y += S_i^T p_i
{
    for (int side = 0; side < 2; side++) {
        double *to = y + GROUP * pair->group[side];
        row sum = row_of(to);
        for (int r = 0; r < PAIR; r++) {
            sum = row_sum(sum, p[r], row_of(pair->S[side][r]));
        }
        row_put(sum, to);
    }
}

THUD_INSIDE void pull(const cone_pair *pair, const double *y, double u[PAIR]) // u = S_i y
{
    const row y0 = row_of(y + GROUP * pair->group[0]), y1 = row_of(y + GROUP * pair->group[1]);
    for (int r = 0; r < PAIR; r++) {
        const row a = row_of(pair->S[0][r]), b = row_of(pair->S[1][r]);
        const four_of_numbers near = a.near * y0.near + b.near * y1.near;
        const pair_of_numbers far = a.far * y0.far + b.far * y1.far;
        u[r] = ((near[0] + near[1]) + (near[2] + near[3])) + (far[0] + far[1]);
    }
}

THUD_INSIDE void take_rows(int dim, const double *x, double to[PAIR]) // and zeros
{
    for (int r = 0; r < PAIR; r++) {
        to[r] = r < dim ? x[r] : 0;
    }
}

static void clear_groups(const cone_groups *g)
{
    memset(g->y, 0, sizeof *g->y * ((size_t)g->groups + 1) * GROUP);
}

THUD_KERNEL void cone_groups_multiply(cone_groups *g, const cone_work *w, const double *p, double *u)
{
    clear_groups(g);
    for (int i = 0; i < w->blocks; i++) {
        double mine[PAIR];
        take_rows(w->block[i].dim, p + w->block[i].row, mine);
        push(g->pair + i, mine, g->y);
    }
    for (int i = 0; i < w->blocks; i++) {
        const int at = w->block[i].row;
        double mine[PAIR];
        pull(g->pair + i, g->y, mine);
        for (int r = 0; r < w->block[i].dim; r++) {
            u[at + r] = mine[r] + w->b[at + r] + g->compliance[at + r] * p[at + r];
        }
    }
}

// ---------------------------------------------------------------------------------------------- the matrix

void cone_groups_clear(cone_groups *g)
{
    cone_factor *f = &g->factor;
    memset(f->value, 0, sizeof *f->value * f->values);
    for (int x = 0; x < f->nodes; x++) {
        for (int k = 0; k < f->node[x].size; k++) {
            f->value[f->node[x].panel + (size_t)k * ((size_t)f->node[x].stride + 1)] = 1;
        }
    }
}

static bool invert(double a[PAIR][PAIR], double to[PAIR][PAIR])
{
    for (int r = 0; r < PAIR; r++) { // cofactors, transposed
        const int r1 = (r + 1) % PAIR, r2 = (r + 2) % PAIR;
        for (int c = 0; c < PAIR; c++) {
            const int c1 = (c + 1) % PAIR, c2 = (c + 2) % PAIR;
            to[c][r] = a[r1][c1] * a[r2][c2] - a[r1][c2] * a[r2][c1];
        }
    }
    const double det = a[0][0] * to[0][0] + a[0][1] * to[1][0] + a[0][2] * to[2][0];
    for (int r = 0; r < PAIR; r++) {
        for (int c = 0; c < PAIR; c++) {
            to[r][c] /= det;
        }
    }
    return isfinite(1 / det);
}

// X^T Y, of three rows each, into its block of the factor: column by column, or row by row where those are contiguous.
THUD_INSIDE void add_block(const cone_entry *e, double X[PAIR][GROUP], double Y[PAIR][GROUP], double *value)
{
    const bool tall = e->down == 1;
    const int pace = tall ? e->pace : e->down;
    double *to = value + e->to;
    double(*const by)[GROUP] = tall ? Y : X, (*const of)[GROUP] = tall ? X : Y;
    const row of0 = row_of(of[0]), of1 = row_of(of[1]), of2 = row_of(of[2]);
    for (int c = 0; c < GROUP; c++, to += pace) {
        row_put(row_sum(row_sum(row_sum(row_of(to), by[0][c], of0), by[1][c], of1), by[2][c], of2), to);
    }
}

THUD_KERNEL static void add_pair(cone_pair *pair, const cone_factor *f)
{
    for (int b = 0; b < 2; b++) {
        double KS[PAIR][GROUP];
        const row S0 = row_of(pair->S[b][0]), S1 = row_of(pair->S[b][1]), S2 = row_of(pair->S[b][2]);
        for (int r = 0; r < PAIR; r++) {
            const double *K = pair->K[r];
            row_put(row_sum(row_sum((row){K[0] * S0.near, K[0] * S0.far}, K[1], S1), K[2], S2), KS[r]);
        }
        for (int a = 0; a < 2; a++) {
            if (pair->entry[a][b] >= 0) {
                add_block(f->entry + pair->entry[a][b], pair->S[a], KS, f->value);
            }
        }
    }
}

bool cone_groups_put(cone_groups *g, int block, double A[PAIR][PAIR], double own[PAIR][PAIR])
{
    cone_pair *pair = g->pair + block;
    for (int r = pair->dim; r < PAIR; r++) {
        own[r][r] = 1;
    }
    if (!invert(own, pair->inverse)) {
        return false;
    }
    for (int r = 0; r < PAIR; r++) {
        const double *T = pair->inverse[r];
        for (int c = 0; c < PAIR; c++) {
            pair->K[r][c] = T[0] * A[0][c] + T[1] * A[1][c] + T[2] * A[2][c];
        }
    }
    add_pair(pair, &g->factor);
    return true;
}

void cone_groups_hold(cone_groups *g, int block)
{
    cone_pair *pair = g->pair + block;
    for (int r = 0; r < PAIR; r++) {
        for (int c = 0; c < PAIR; c++) {
            pair->inverse[r][c] = r == c;
            pair->K[r][c] = 0;
        }
    }
}

bool cone_groups_factor(cone_groups *g, bool symmetric)
{
    return symmetric ? cone_factor_cholesky(&g->factor) : cone_factor_lu(&g->factor);
}

// ---------------------------------------------------------------------------------------------- the solution

// x_i <- T^-1 x_i, and y = S^T x.
THUD_KERNEL static void gather(const cone_groups *g, const cone_work *w, double *x)
{
    clear_groups(g);
    for (int i = 0; i < w->blocks; i++) {
        const cone_pair *pair = g->pair + i;
        double *mine = x + w->block[i].row, was[PAIR], is[PAIR];
        take_rows(pair->dim, mine, was);
        for (int r = 0; r < PAIR; r++) {
            is[r] =
                pair->inverse[r][0] * was[0] + pair->inverse[r][1] * was[1] + pair->inverse[r][2] * was[2];
        }
        memcpy(mine, is, sizeof *is * (size_t)pair->dim);
        push(pair, is, g->y);
    }
}

// x_i -= K_i S_i y
THUD_KERNEL static void hand_out(const cone_groups *g, const cone_work *w, double *x)
{
    for (int i = 0; i < w->blocks; i++) {
        const cone_pair *pair = g->pair + i;
        double *mine = x + w->block[i].row, u[PAIR];
        pull(pair, g->y, u);
        for (int r = 0; r < pair->dim; r++) {
            mine[r] -= pair->K[r][0] * u[0] + pair->K[r][1] * u[1] + pair->K[r][2] * u[2];
        }
    }
}

void cone_groups_solve(cone_groups *g, const cone_work *w, bool symmetric, double *x)
{
    gather(g, w, x);
    (symmetric ? cone_factor_cholesky_solve : cone_factor_lu_solve)(&g->factor, g->y);
    hand_out(g, w, x);
}
