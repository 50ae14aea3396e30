// SPDX-License-Identifier: Apache-2.0
// product_build.c: W = S S^T laid out for sweeps: rows scaled by friction, strips padded, diagonal blocks made.
#include <math.h>
#include <string.h>

#include "product.h"

static int rows_that_act(const thud_cone_block *b)
{
    int count = 0;
    for (int r = 0; r < b->dim; r++) {
        count += cone_row_scale(b, r) > 0;
    }
    return count;
}

static int padded(int columns)
{
    return (columns + PRODUCT_LANES - 1) / PRODUCT_LANES * PRODUCT_LANES;
}

enum { LAID = 256 };                                   // blocks that one thread lays out
enum { KEYS = PRODUCT_ITEMS * PRODUCT_COLOURS, LINE }; // a pair's item and colour; or it is a line

typedef struct seat { // of a block
    int group[2];     // of a pair; where it has but one, that one again, and -1 where it has none
    int dim;          // rows that act
    int key;
    int pair, row; // which of those with its key it is
} seat;

typedef struct plan { // what is being laid out
    product_sweeps *w;
    const thud_cone_product *S;
    int *first;                        // of each group in y
    seat *seat;                        // of each block
    int shares;                        // of LAID blocks
    unsigned char *region;             // of each group
    int pair[KEYS + 1], row[KEYS + 2]; // by key: how many, then where they begin
    thud_arena *arena;
    int parts;
} plan;

static int columns_of(const thud_cone_product *S, const thud_cone_strip *strip)
{
    return S->column[strip->group + 1] - S->column[strip->group];
}

// The scaled rows of a block from a strip of it into `to`, dim x length.
static void copy_strip(const product_sweeps *w, int at, int dim, int first, const double *S, int columns,
                       int length, double *to)
{
    for (int r = 0; r < dim; r++) {
        const double *from = S + (size_t)(w->origin[at + r] - first) * (size_t)columns;
        const double scale = w->scale[at + r];
        for (int k = 0; k < length; k++) {
            to[r * length + k] = k < columns ? scale * from[k] : 0;
        }
    }
}

// to (dim x dim, column-major) += S S^T
static void add_square(const double *S, int dim, int length, double *to)
{
    for (int s = 0; s < dim; s++) {
        for (int r = 0; r < dim; r++) {
            double sum = 0;
            for (int k = 0; k < length; k++) {
                sum += S[r * length + k] * S[s * length + k];
            }
            to[r + s * dim] += sum;
        }
    }
}

// Rows of block i that carry impulses, from k on.
static void make_rows(const product_sweeps *w, int i, int k)
{
    const thud_cone_block *b = w->c->block + i;
    for (int r = 0; r < b->dim; r++) {
        const double s = cone_row_scale(b, r);
        if (s == 0) {
            continue;
        }
        const int row = b->row + r;
        w->origin[k] = row;
        w->scale[k] = s;
        if (w->extra) {
            w->extra[k] = s * s * w->c->epsilon[row];
        }
        k++;
    }
}

static double set_weight(product_sweeps *w, int at, int dim, const double *W)
{
    THUD_ASSERT(0 < dim && dim <= THUD_CONE_DIM_MAX);
    double weight = 0;
    for (int r = 0; r < dim; r++) {
        weight += W[r + r * dim] / dim;
    }
    for (int r = 0; r < dim; r++) {
        w->weight[at + r] = weight;
    }
    return weight;
}

static bool is_pair(const thud_cone_block *b, const thud_cone_product *S, int i, int dim)
{
    bool fits =
        b->kind == THUD_CONE_KIND_CONTACT && (dim == 3 || dim == 1) && S->start[i + 1] - S->start[i] <= 2;
    for (int k = S->start[i]; k < S->start[i + 1]; k++) {
        fits = fits && columns_of(S, S->strip + k) <= PAIR_COLUMNS &&
               columns_of(S, S->strip + k) > PRODUCT_LANES;
    }
    return fits;
}

// W += S S^T of a pair's dim scaled rows on one group, its lower triangle by columns; the rows go to `to`. From registers:
// numbers just stored are not at hand yet.
THUD_INSIDE void add_rows(const product_sweeps *w, int at, int dim, const double *S, int columns,
                          double to[3][PAIR_COLUMNS], double W[6])
{
    const int first = w->origin[at];
    six row[3] = {0};
    for (int r = 0; r < dim; r++) {
        const double *from = S + (w->origin[at + r] - first) * columns;
        row[r] = six_scale(w->scale[at + r], columns == PAIR_COLUMNS ? six_of(from) : six_of_five(from));
    }
    for (int r = 0, e = 0; r < 3; r++) {
        *(lanes *)to[r] = row[r].near;
        *(two_lanes *)(to[r] + PRODUCT_LANES) = row[r].far;
        for (int s = r; s < 3; s++) {
            W[e++] += six_sum(six_times(row[r], row[s]));
        }
    }
}

THUD_INSIDE void add_side(const product_sweeps *w, const plan *p, const thud_cone_strip *strip, int dim,
                          int side, product_pair *c, double W[6])
{
    const int columns = columns_of(p->S, strip);
    c->y[side] = p->first[strip->group];
    if (columns == PAIR_COLUMNS) {
        add_rows(w, c->at, dim, strip->S, PAIR_COLUMNS, c->S[side], W);
    } else {
        add_rows(w, c->at, dim, strip->S, columns, c->S[side], W);
    }
}

// What a solve of the contact alone needs of W^_ii with the compliance e.
THUD_INSIDE void prepare_pair(const double W[6], const double e[3], int dim, product_pair *c)
{
    const double normal = 1 / (W[0] + e[0]), to[2] = {W[1] * normal, W[2] * normal};
    const double A[3] = {W[3] + e[1] - W[1] * to[0], W[4] - W[1] * to[1], W[5] + e[2] - W[2] * to[1]};
    const double det = A[0] * A[2] - A[1] * A[1], over = dim == 3 ? 1 / det : 0;
    for (int k = 0; k < 6; k++) { // a memcpy would keep W in memory
        c->W[k] = W[k];
    }
    c->to_normal[0] = to[0];
    c->to_normal[1] = to[1];
    c->normal = normal;
    c->inverse[0] = A[2] * over;
    c->inverse[1] = -A[1] * over;
    c->inverse[2] = A[0] * over;
    c->weight = (W[0] + e[0] + W[3] + e[1] + W[5] + e[2]) / dim;
}

// The pair that block i becomes, of dim rows.
THUD_INSIDE void make_pair(const product_sweeps *w, const plan *p, int i, int dim)
{
    const seat *s = &p->seat[i];
    const int at = p->row[s->key] + s->row, k = p->pair[s->key] + s->pair;
    const int sides = p->S->start[i + 1] - p->S->start[i];
    const thud_cone_strip *strip = p->S->strip + p->S->start[i];
    product_pair *c = w->pair + k;
    double extra[3] = {0}, W[6] = {0};
    c->at = at;
    c->dim = dim;
    c->y[0] = c->y[1] = 0;
    if (sides > 0) {
        add_side(w, p, strip, dim, 0, c, W);
    }
    if (sides > 1) {
        add_side(w, p, strip + 1, dim, 1, c, W);
    } else { // it has no other
        memset(c->S[sides], 0, sizeof *c->S * (size_t)(2 - sides));
    }
    for (int r = 0; r < 3; r++) {
        c->b[r] = r < dim ? w->scale[at + r] * w->c->b[w->origin[at + r]] : 0;
        extra[r] = r < dim ? product_extra(w, at + r) : 0;
    }
    w->lambda[k] = 0;
    prepare_pair(W, extra, dim, c);
    for (int r = 0; r < dim; r++) {
        w->weight[at + r] = c->weight;
    }
}

static bool add_line(product_sweeps *w, plan *p, int i, int at, int dim)
{
    const thud_cone_block *b = w->c->block + i;
    product_line *l = w->line + w->lines++;
    *l = (product_line){
        .kind = b->kind, .block = i, .at = at, .dim = dim, .lo = b->lo, .hi = b->hi, .part = p->parts};
    for (int k = p->S->start[i]; k < p->S->start[i + 1]; k++) {
        const int columns = columns_of(p->S, p->S->strip + k), length = padded(columns);
        double *S = thud_arena_push(p->arena, (size_t)dim * (size_t)length, sizeof *S);
        if (!S) {
            return false;
        }
        copy_strip(w, at, dim, b->row, p->S->strip[k].S, columns, length, S);
        add_square(S, dim, length, l->W);
        w->part[p->parts++] = (product_part){S, p->first[p->S->strip[k].group], length};
        l->parts++;
    }
    for (int r = 0; r < dim; r++) {
        w->b[at + r] = w->scale[at + r] * w->c->b[w->origin[at + r]];
        l->W[r + r * dim] += product_extra(w, at + r);
    }
    l->weight = set_weight(w, at, dim, l->W);
    return true;
}

// What blocks first to end - 1 are.
static void sort_out(void *of, int first, int end, int worker)
{
    const plan *p = of;
    const thud_cone *c = p->w->c;
    (void)worker;
    for (int i = first; i < end; i++) {
        const int from = p->S->start[i], strips = p->S->start[i + 1] - from;
        seat *s = &p->seat[i];
        s->dim = rows_that_act(c->block + i);
        s->group[0] = s->group[1] = -1;
        s->key = is_pair(c->block + i, p->S, i, s->dim) ? 0 : LINE;
        if (s->key != LINE && strips > 0) {
            s->group[0] = p->S->strip[from].group;
            s->group[1] = p->S->strip[from + strips - 1].group;
        }
    }
}

// As many groups in each. A region has some hundred pairs at least.
static void find_regions(const plan *p, const int *ranked)
{
    enum { SOME = 512, MANY = 4096 }; // pairs
    product_sweeps *w = p->w;
    const int blocks = w->c->blocks, groups = p->S->groups;
    w->regions = blocks < SOME ? 1 : blocks < MANY ? PRODUCT_REGIONS / 2 : PRODUCT_REGIONS;
    for (int k = 0; k < groups; k++) {
        p->region[ranked ? ranked[k] : k] = (unsigned char)((int64_t)k * w->regions / groups);
    }
}

// y has its groups in their order in space, behind one that rests.
static bool place_groups(plan *p)
{
    const thud_cone_product *S = p->S;
    product_sweeps *w = p->w;
    int *ranked = S->rank ? thud_arena_push(p->arena, (size_t)S->groups, sizeof *ranked) : NULL;
    if (S->rank && !ranked) {
        return false;
    }
    for (int g = 0; g < S->groups && S->rank; g++) {
        ranked[S->rank[g]] = g;
    }
    for (int k = 0; k < S->groups; k++) {
        const int g = ranked ? ranked[k] : k;
        p->first[g] = w->length;
        w->length += padded(S->column[g + 1] - S->column[g]);
    }
    find_regions(p, ranked);
    return true;
}

// Of a pair.
static int item_of(const plan *p, const seat *s)
{
    if (s->group[0] < 0) {
        return 0;
    }
    const int a = p->region[s->group[0]], b = p->region[s->group[1]];
    return a == b ? 2 * a : a - b == 1 || b - a == 1 ? a + b : 2 * p->w->regions - 1;
}

// The lowest colour that neither group of a pair has; the last where they have all.
static int colour_of(const seat *s, uint64_t *taken)
{
    if (s->group[0] < 0) {
        return 0;
    }
    const uint64_t both = taken[s->group[0]] | taken[s->group[1]];
    const int colour = ~both ? __builtin_ctzll(~both) : PRODUCT_COLOURS - 1;
    taken[s->group[0]] |= (uint64_t)1 << colour;
    taken[s->group[1]] |= (uint64_t)1 << colour;
    return colour;
}

// One block after the other.
static void seat_all(plan *p, uint64_t *taken)
{
    memset(taken, 0, sizeof *taken * (size_t)p->S->groups);
    for (int i = 0; i < p->w->c->blocks; i++) {
        seat *s = &p->seat[i];
        if (s->key != LINE) {
            s->key = item_of(p, s) * PRODUCT_COLOURS + colour_of(s, taken);
            s->pair = p->pair[s->key]++;
        }
        s->row = p->row[s->key];
        p->row[s->key] += s->dim;
    }
}

// Where each key begins: rows of lines, then pairs by item and colour and their rows in the same order.
static void place_keys(plan *p)
{
    product_sweeps *w = p->w;
    int pair = 0, row = p->row[LINE];
    p->row[LINE] = 0;
    for (int key = 0; key < 2 * w->regions * PRODUCT_COLOURS; key++) {
        const int pairs = p->pair[key], rows = p->row[key];
        if (key % PRODUCT_COLOURS == 0) {
            w->item[key / PRODUCT_COLOURS] = pair;
        }
        p->pair[key] = pair;
        p->row[key] = row;
        pair += pairs;
        row += rows;
    }
    w->item[2 * w->regions] = w->pairs = pair;
    w->n = row;
}

// Which rows and which pair each block becomes. false: scratch is too small.
static bool lay_out(plan *p)
{
    const size_t blocks = (size_t)p->w->c->blocks, groups = (size_t)p->S->groups;
    uint64_t *taken = thud_arena_push(p->arena, groups, sizeof *taken);
    p->shares = (p->w->c->blocks + LAID - 1) / LAID;
    p->first = thud_arena_push(p->arena, groups, sizeof *p->first);
    p->region = thud_arena_push(p->arena, groups, sizeof *p->region);
    p->seat = thud_arena_push(p->arena, blocks, sizeof *p->seat);
    if (!taken || !p->first || !p->region || !p->seat || !place_groups(p)) {
        return false;
    }
    thud_pool_run(p->w->pool, p->w->c->blocks, LAID, sort_out, p);
    seat_all(p, taken);
    place_keys(p);
    return true;
}

product_pair *product_reserve_pairs(thud_arena *arena, int count)
{
    THUD_ASSERT(count >= 0);
    product_pair *pair = thud_arena_push(arena, (size_t)count + PAIRS_AHEAD, sizeof *pair);
    for (int i = count; pair && i < count + PAIRS_AHEAD; i++) {
        pair[i].y[0] = pair[i].y[1] = 0; // where y stays 0
    }
    return pair;
}

static bool reserve(product_sweeps *w, const thud_cone_product *S, thud_arena *arena)
{
    const size_t rows = (size_t)w->c->rows, lines = (size_t)(w->c->blocks - w->pairs);
    w->pair = product_reserve_pairs(arena, w->pairs);
    w->lambda = thud_arena_push(arena, (size_t)w->pairs, sizeof *w->lambda);
    w->line = thud_arena_push(arena, lines, sizeof *w->line);
    w->part = thud_arena_push(arena, (size_t)S->start[w->c->blocks], sizeof *w->part);
    w->origin = thud_arena_push(arena, rows, sizeof *w->origin);
    w->scale = thud_arena_push(arena, rows, sizeof *w->scale);
    w->b = thud_arena_push(arena, rows, sizeof *w->b);
    w->extra = w->c->epsilon ? thud_arena_push(arena, rows, sizeof *w->extra) : NULL;
    w->weight = thud_arena_push(arena, rows + PRODUCT_LANES, sizeof *w->weight);
    w->y = thud_arena_push(arena, (size_t)w->length, sizeof *w->y);
    w->change = thud_arena_push(arena, (size_t)w->c->blocks, sizeof *w->change);
    w->partial = thud_arena_push(arena, rows + PRODUCT_ITEMS + 64, sizeof *w->partial);
    return w->pair && w->lambda && w->line && w->part && w->origin && w->scale && w->b &&
           (w->extra || !w->c->epsilon) && w->weight && w->y && w->change && w->partial;
}

static int pair_of(const plan *p, const seat *s) // which it becomes
{
    return p->pair[s->key] + s->pair;
}

// Pairs are read one after the other but written here and there, one place a colour.
THUD_INSIDE void fetch_pair(const plan *p, int i)
{
    enum { BYTES = 64 }; // of a line
    const int k = pair_of(p, &p->seat[i]);
    const char *pair = (const char *)(p->w->pair + k);
    for (size_t at = 0; at < sizeof *p->w->pair; at += BYTES) {
        __builtin_prefetch(pair + at, 1);
    }
}

THUD_KERNEL static void make_shares(void *of, int first, int end, int worker)
{
    enum { AHEAD = 6 };
    const plan *p = of;
    const int stop = thud_share_end(end - 1, LAID, p->w->c->blocks);
    (void)worker;
    for (int i = first * LAID; i < stop; i++) {
        const seat *s = &p->seat[i];
        if (i + AHEAD < stop && s[AHEAD].key != LINE) {
            fetch_pair(p, i + AHEAD);
        }
        make_rows(p->w, i, p->row[s->key] + s->row);
        if (s->key != LINE && s->dim == 3) { // nearly all of them, without loops
            make_pair(p->w, p, i, 3);
        } else if (s->key != LINE) {
            make_pair(p->w, p, i, 1);
        }
    }
}

bool product_build(const thud_cone *c, const thud_cone_product *S, thud_arena *arena, product_sweeps *w)
{
    THUD_ASSERT(c->rows > 0 && S->groups >= 0);
    *w = (product_sweeps){.c = c,
                          .length = PAIR_LENGTH,
                          .trace = S->trace,
                          .arena = arena,
                          .pool = S->pool}; // y begins with a group that rests
    plan p = {.w = w, .S = S, .arena = arena};
    if (!lay_out(&p) || !reserve(w, S, arena)) {
        return false;
    }
    thud_pool_run(w->pool, p.shares, 1, make_shares, &p);
    for (int i = 0; i < c->blocks && w->pairs < c->blocks; i++) {
        if (p.seat[i].key == LINE && !add_line(w, &p, i, p.seat[i].row, p.seat[i].dim)) {
            return false;
        }
    }
    w->padded = padded(w->n);
    for (int i = w->n; i < w->padded; i++) {
        w->weight[i] = 0;
    }
    return true;
}

size_t product_scratch(const thud_cone *c, const thud_cone_product *S)
{
    enum { ROW_VECTORS = 13 + 2 * PRODUCT_MEMORY, GROUP_VECTORS = 4 + PRODUCT_MEMORY, PUSHES = 1024 };
    const size_t rows = (size_t)padded(c->rows) + PRODUCT_LANES, blocks = (size_t)c->blocks + 1 + PAIRS_AHEAD;
    size_t length = PAIR_LENGTH, strips = 0;
    for (int g = 0; g < S->groups; g++) {
        length += (size_t)padded(S->column[g + 1] - S->column[g]);
    }
    for (int i = 0; i < c->blocks; i++) {
        for (int k = S->start[i]; k < S->start[i + 1]; k++) {
            strips += (size_t)c->block[i].dim * (size_t)padded(columns_of(S, S->strip + k)) * sizeof(double) +
                      sizeof(product_part) + 64;
        }
    }
    const size_t whole =
        blocks * (sizeof(product_pair) + sizeof(double) + sizeof(product_line) + sizeof(seat) + sizeof(int)) +
        (ROW_VECTORS * rows + GROUP_VECTORS * length) * sizeof(double) + (size_t)S->groups * sizeof(int[8]);
    return 2 * whole + strips + product_jam_scratch() + PUSHES * 64;
}

typedef struct entry { // of impulses
    const product_sweeps *w;
    const double *p;
    double *p_hat;
} entry;

static void enter_some(void *of, int first, int end, int worker)
{
    const entry *e = of;
    (void)worker;
    cone_rows_in(end - first, e->w->origin + first, e->w->scale + first, e->p, e->p_hat + first);
}

void product_in(const product_sweeps *w, const double *p, double *p_hat)
{
    enum { LEAST = 4000 }; // rows
    thud_pool_run(w->pool, w->n, LEAST, enter_some, &(entry){w, p, p_hat});
}

typedef struct leaving { // of impulses
    const product_sweeps *w;
    const double *p_hat;
    double *p;
} leaving;

static void leave_some(void *of, int first, int end, int worker)
{
    const leaving *l = of;
    (void)worker;
    for (int i = first; i < end; i++) {
        l->p[l->w->origin[i]] = l->p_hat[i] * l->w->scale[i];
    }
}

void product_out(const product_sweeps *w, const double *p_hat, double *p)
{
    enum { LEAST = 2000 }; // rows
    if (w->n < w->c->rows) {
        memset(p, 0, sizeof *p * (size_t)w->c->rows);
    }
    thud_pool_run(w->pool, w->n, LEAST, leave_some, &(leaving){w, p_hat, p});
}
