// SPDX-License-Identifier: Apache-2.0
// cone_groups.c: Newton's linear systems among the columns of S, where W^ = S S^T.                 [theory 7, 9]
//
//     A (W^ + e) dp + B dp = r,  A, B block diagonal         (cone_jacobian.c)
//     dp = T^-1 (r - A S y),  T = A e + B,  K = T^-1 A,       y = S^T dp
//     (I + S^T K S) y = S^T T^-1 r
//
// The groups of S are bodies, and bodies that touch are fewer than what they touch with: of 90 boxes with 360 contacts the
// matrix has 540 rows instead of 1080, meets fewer others in each, and is factored in a fifth of the time. It is factored in
// tiles of a group (tiles_factor.c).
//
// Differs  T is as small as e where contacts stick, so that of a step 1e-16 / e is lost; the next one makes that good.
// Cost     of a contact some 500 multiplications, and the factor.
#include <math.h>
#include <string.h>

#include "cone_groups.h"

#include <thud/cone_product.h>

// ---------------------------------------------------------------------------------------------- the groups

// Contacts of up to three rows between groups of up to six columns, with clearly fewer columns than rows: else a factor of W^ is as cheap.
static bool suits(const cone_work *w)
{
    enum {
        SOME = 4
    }; // groups: the factor of fewer costs little, and loses less where masses differ by a million
    const thud_cone_product *S = w->c->product;
    bool good = S && S->groups >= SOME && GROUP * S->groups <= 2 * w->n;
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

// Pairs know their groups by the turns of these, the earlier one first, and where their tiles are.
static void number_anew(cone_groups *g, cone_pair *pair)
{
    for (int side = 0; side < 2; side++) {
        pair->group[side] = pair->group[side] < g->groups ? g->tiles.turn[pair->group[side]] : g->groups;
    }
    if (pair->group[0] > pair->group[1]) {
        const cone_pair was = *pair;
        pair->group[0] = was.group[1];
        pair->group[1] = was.group[0];
        memcpy(pair->S[0], was.S[1], sizeof was.S[1]);
        memcpy(pair->S[1], was.S[0], sizeof was.S[0]);
    }
    pair->reach = pair->group[0] < pair->group[1] && pair->group[1] < g->groups
                      ? cone_tiles_find(&g->tiles, pair->group[0], pair->group[1])
                      : -1;
}

bool cone_groups_order(cone_groups *g, thud_arena *arena, int pairs, bool bounded)
{
    THUD_ASSERT(pairs >= 0 && g->groups >= 0);
    const int words = (g->groups + 63) / 64;
    uint64_t *meets = thud_arena_push(arena, (size_t)g->groups * (size_t)words, sizeof *meets);
    if (!meets) {
        return false;
    }
    meet(g, pairs, words, meets);
    if (!cone_tiles_begin(&g->tiles, g->groups, meets, arena, bounded)) {
        return false;
    }
    for (int i = 0; i < pairs; i++) {
        number_anew(g, g->pair + i);
    }
    return true;
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
    g->y = thud_arena_push(w->arena, ((size_t)g->groups + 1) * TILE_ROW, sizeof *g->y);
    if (!g->y || !cone_groups_order(g, w->arena, w->blocks, w->W.a)) {
        return false;
    }
    w->groups = g;
    return true;
}

size_t cone_groups_scratch(const thud_cone *c)
{
    const size_t blocks = (size_t)c->blocks, rows = (size_t)c->rows, all = (size_t)c->product->groups;
    const size_t most = 2 * rows / GROUP, groups = all < most ? all : most; // of those that suit
    const size_t bits = groups * (groups / 64 + 1) * sizeof(uint64_t),
                 tiles = groups * groups * (TILE_NUMBERS * sizeof(double) + sizeof(int));
    return blocks * sizeof(cone_pair) + sizeof(cone_groups) + all * sizeof(int) +
           (rows + (groups + 1) * TILE_ROW) * sizeof(double) + bits + groups * sizeof(int[4 + GROUP]) +
           40 * 64 + (c->W.a ? tiles : 0);
}

void cone_groups_end(cone_work *w)
{
    if (w->groups) {
        cone_tiles_end(&w->groups->tiles);
    }
}

// ---------------------------------------------------------------------------------------------- products with S

#define ROW(x) (*(eight_of_numbers *)(x))
#define ROW_OF(x) (*(const eight_of_numbers *)(x))

THUD_INSIDE void push(const cone_pair *pair, const double p[PAIR], double *y) // y += S_i^T p_i
{
    for (int side = 0; side < 2; side++) {
        const double(*S)[TILE_ROW] = pair->S[side];
        double *to = y + TILE_ROW * pair->group[side];
        ROW(to) += (p[0] * ROW_OF(S[0]) + p[1] * ROW_OF(S[1])) + p[2] * ROW_OF(S[2]);
    }
}

THUD_INSIDE void pull(const cone_pair *pair, const double *y, double u[PAIR]) // u = S_i y
{
    const eight y0 = ROW_OF(y + TILE_ROW * pair->group[0]), y1 = ROW_OF(y + TILE_ROW * pair->group[1]);
    for (int r = 0; r < PAIR; r++) {
        const eight s = ROW_OF(pair->S[0][r]) * y0 + ROW_OF(pair->S[1][r]) * y1;
        u[r] = ((s[0] + s[1]) + (s[2] + s[3])) + (s[4] + s[5]);
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
    memset(g->y, 0, sizeof *g->y * ((size_t)g->groups + 1) * TILE_ROW);
}

THUD_KERNEL void cone_groups_multiply(cone_groups *g, const cone_work *w, const double *p, double *u)
{
    THUD_ASSERT(p != u);
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

THUD_INSIDE double sum_row(eight s)
{
    return ((s[0] + s[1]) + (s[2] + s[3])) + (s[4] + s[5]);
}

// p_i of one row to where u_i = 0, or to 0.
THUD_INSIDE void relax_row(const cone_pair *pair, double b, double e, double *y, double *p)
{
    const eight S0 = ROW_OF(pair->S[0][0]), S1 = ROW_OF(pair->S[1][0]);
    double *y0 = y + TILE_ROW * pair->group[0], *y1 = y + TILE_ROW * pair->group[1];
    const double W = sum_row(S0 * S0 + S1 * S1) + e,
                 u = sum_row(S0 * ROW_OF(y0) + S1 * ROW_OF(y1)) + b + e * *p;
    const double to = *p - u / W, is = to > 0 ? to : 0, by = is - *p;
    if (by != 0 && W > 0) {
        ROW(y0) += by * S0;
        ROW(y1) += by * S1;
        *p = is;
    }
}

THUD_KERNEL void cone_groups_relax(cone_groups *g, const cone_work *w, int sweeps, double *p)
{
    THUD_ASSERT(sweeps >= 0);
    clear_groups(g);
    for (int i = 0; i < w->blocks; i++) {
        const double mine[PAIR] = {p[w->block[i].row]};
        push(g->pair + i, mine, g->y);
    }
    for (int k = 0; k < sweeps; k++) {
        for (int j = 0; j < w->blocks; j++) {
            const int i = k % 2 == 0 ? j : w->blocks - 1 - j, row = w->block[i].row; // to and fro
            relax_row(g->pair + i, w->b[row], g->compliance[row], g->y, p + row);
        }
    }
}

// ---------------------------------------------------------------------------------------------- the matrix

void cone_groups_clear(cone_groups *g)
{
    cone_tiles_clear(&g->tiles);
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

// A tile and X^T Y, of three rows each, or of the first alone.
THUD_INSIDE void add_tile(int rows, double X[PAIR][TILE_ROW], double Y[PAIR][TILE_ROW], double *to)
{
    const eight y0 = ROW_OF(Y[0]);
    if (rows == 1) {
        for (int r = 0; r < GROUP; r++, to += TILE_ROW) {
            ROW(to) += X[0][r] * y0;
        }
        return;
    }
    const eight y1 = ROW_OF(Y[1]), y2 = ROW_OF(Y[2]);
    for (int r = 0; r < GROUP; r++, to += TILE_ROW) {
        ROW(to) += (X[0][r] * y0 + X[1][r] * y1) + X[2][r] * y2;
    }
}

// S^T K S, where KS is known
THUD_INSIDE void add_product(int rows, cone_pair *pair, double KS[2][PAIR][TILE_ROW], const cone_tiles *t)
{
    for (int b = 0; b < 2 && pair->group[b] < t->groups; b++) {
        cone_tiles_fill_own(t, pair->group[b]);
        add_tile(rows, pair->S[b], KS[b], cone_tiles_diagonal(t, pair->group[b]));
    }
    if (pair->reach >= 0) {
        cone_tiles_fill(t, pair->reach);
        add_tile(rows, pair->S[0], KS[1], cone_tiles_right(t, pair->reach));
        add_tile(rows, KS[0], pair->S[1], cone_tiles_below(t, pair->reach));
    }
}

THUD_KERNEL static void add_pair(cone_pair *pair, const cone_tiles *t)
{
    double KS[2][PAIR][TILE_ROW];
    for (int b = 0; b < 2; b++) {
        const eight S0 = ROW_OF(pair->S[b][0]), S1 = ROW_OF(pair->S[b][1]), S2 = ROW_OF(pair->S[b][2]);
        for (int r = 0; r < PAIR; r++) {
            const double *K = pair->K[r];
            ROW(KS[b][r]) = (K[0] * S0 + K[1] * S1) + K[2] * S2;
        }
    }
    add_product(PAIR, pair, KS, t);
}

// The same where K is diagonal, of one row a third of the work.
THUD_KERNEL static void add_diagonal(cone_pair *pair, const cone_tiles *t)
{
    double KS[2][PAIR][TILE_ROW];
    for (int b = 0; b < 2; b++) {
        for (int r = 0; r < PAIR; r++) {
            ROW(KS[b][r]) = pair->K[r][r] * ROW_OF(pair->S[b][r]);
        }
    }
    if (pair->dim == 1) {
        add_product(1, pair, KS, t);
    } else {
        add_product(PAIR, pair, KS, t);
    }
}

bool cone_groups_put(cone_groups *g, int block, double A[PAIR][PAIR], double own[PAIR][PAIR])
{
    THUD_ASSERT(0 <= block && g->pair[block].dim <= PAIR);
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
    add_pair(pair, &g->tiles);
    return true;
}

static void set_diagonal(double to[PAIR][PAIR], double x0, double x1, double x2)
{
    memset(to, 0, sizeof(double[PAIR][PAIR]));
    to[0][0] = x0;
    to[1][1] = x1;
    to[2][2] = x2;
}

void cone_groups_stick(cone_groups *g, int block, const double *rho, const double e[PAIR])
{
    THUD_ASSERT(rho[0] > 0);
    cone_pair *pair = g->pair + block;
    double K[PAIR] = {0}, inverse[PAIR] = {1, 1, 1};
    for (int r = 0; r < pair->dim; r++) {
        K[r] = 1 / e[r];
        inverse[r] = K[r] / rho[r];
    }
    set_diagonal(pair->K, K[0], K[1], K[2]);
    set_diagonal(pair->inverse, inverse[0], inverse[1], inverse[2]);
    add_diagonal(pair, &g->tiles);
}

void cone_groups_hold(cone_groups *g, int block)
{
    set_diagonal(g->pair[block].inverse, 1, 1, 1);
    set_diagonal(g->pair[block].K, 0, 0, 0);
}

bool cone_groups_factor(cone_groups *g)
{
    return cone_tiles_factor(&g->tiles);
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
        for (int r = 0; r < pair->dim; r++) {
            mine[r] = is[r];
        }
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

void cone_groups_solve(cone_groups *g, const cone_work *w, double *x)
{
    gather(g, w, x);
    cone_tiles_solve(&g->tiles, g->y);
    hand_out(g, w, x);
}
