// SPDX-License-Identifier: Apache-2.0
// product.h: a problem W = S S^T laid out for sweeps. Private to the room.
//
// As in cone_work.h rows are scaled by their friction coefficients, so that every contact's cone is |p_t| <=
// p_n, and rows without friction are left out. A group's numbers in y are padded to lanes of four. Contacts of
// three rows, or one, between two groups of six columns (or five), which is all there is in a pile of free bodies, are
// kept as pairs: one record each, in the order they are read, and their rows of p in that order too. A sweep over thousands of
// them waits for memory, so that a record has what every visit needs, and nothing is stored twice.
//
// Many groups are cut into regions. Pairs within one region are an item, and so are those of the seam between a region and the
// next; what is left is the last item. An item is visited from its first pair to its last by one thread. Regions share no
// group, nor do every other seam, so that threads visit all regions, then the even seams, then the odd ones, with the same
// numbers for any assignment of regions to threads. A thread has the same regions in every sweep, so that their y stays in its
// cache. Items lie in memory in their order in space:
//
//     item        0   1     2   3     4   5     6   7           region r is item 2 r, the seam to the next one 2 r + 1
//     of four     R0  R0|1  R1  R1|2  R2  R2|3  R3  the rest
//
// Within an item pairs are coloured: those of one colour share no group and follow each other, so that the processor need not
// wait for one before it begins the next.
#pragma once

#include <thud/base_pool.h>
#include <thud/cone_product.h>

#include "cone_work.h"

enum { PRODUCT_LANES = 4, PAIR_COLUMNS = 6, PAIR_LENGTH = 8, PRODUCT_COLOURS = 64, PRODUCT_MEMORY = 8 };
enum { PRODUCT_REGIONS = 8, PRODUCT_ITEMS = 2 * PRODUCT_REGIONS }; // at most
enum { PAIRS_AHEAD = 6 }; // of the one that is visited, that are fetched: there are so many more, of no group
enum { SHARE = 64 };      // pairs that the judge sums together; threads take shares of so many

// Four numbers at once; the same sums on every machine.
typedef double lanes
    __attribute__((vector_size(PRODUCT_LANES * sizeof(double)), aligned(sizeof(double)), may_alias));
#define LANES_SUM(x) (((x)[0] + (x)[1]) + ((x)[2] + (x)[3]))

typedef double two_lanes __attribute__((vector_size(2 * sizeof(double)), aligned(sizeof(double)), may_alias));

typedef struct six { // the numbers of a row on one group
    lanes near;
    two_lanes far;
} six;

THUD_INSIDE six six_of(const double *x)
{
    return (six){*(const lanes *)x, *(const two_lanes *)(x + PRODUCT_LANES)};
}

THUD_INSIDE six six_of_five(const double *x) // and 0
{
    return (six){*(const lanes *)x, {x[PRODUCT_LANES], 0}};
}

THUD_INSIDE double six_sum(six x)
{
    return LANES_SUM(x.near) + (x.far[0] + x.far[1]);
}

THUD_INSIDE six six_add(six a, six b)
{
    return (six){a.near + b.near, a.far + b.far};
}

THUD_INSIDE six six_times(six a, six b)
{
    return (six){a.near * b.near, a.far * b.far};
}

THUD_INSIDE six six_scale(double s, six a)
{
    return (six){s * a.near, s * a.far};
}

typedef struct product_pair { // a contact
    int at, dim;              // its rows among those of p: 3, or 1 without friction
    int y[2];                 // where its groups begin in y; one that cannot move: where y stays 0
    double b[3];
    double W[6];         // W^_ii without extra, lower triangle by columns
    double to_normal[2]; // W_nt / W_nn, W with extra from here on
    double normal;       // 1 / W_nn
    double inverse[3];   // of A = W_tt - W_tn W_nt / W_nn: 00, 01, 11
    double weight;       // mean of the diagonal of W^_ii
    double S[2][3][PAIR_COLUMNS];
} product_pair;

typedef struct product_part { // a block's rows on one group
    double *S;                // dim x length, row-major
    int y, length;
} product_part;

typedef struct product_line { // any other block
    thud_cone_kind kind;
    int block; // of c
    int at, dim;
    int part, parts; // of product_sweeps.part
    double lo, hi;   // BOX
    double weight;
    double W[THUD_CONE_DIM_MAX * THUD_CONE_DIM_MAX]; // W^_ii with extra, column-major
} product_line;

typedef struct product_sweeps {
    const thud_cone *c;
    int n, pairs, lines, length; // scaled rows; pairs and lines; numbers of y
    int padded;                  // n and zeros up to a multiple of the lanes
    product_pair *pair;
    double *lambda; // pairs: of the slip when one that slides was last solved: where to look first
    product_line *line;
    product_part *part;
    int *origin;     // n: row of c
    double *scale;   // n: 1, or the friction coefficient
    double *b;       // n, scaled; of lines, as pairs have their own
    double *extra;   // n: epsilon, scaled twice; NULL: there is none
    double *weight;  // n: of the row's block; padded
    double *y;       // length
    double *change;  // pairs, then lines: what the last sweep changed of each, squared, as velocities
    int sweeps;      // since y was last made from p
    double trace;    // of W + epsilon, all rows of c: the judge's
    double near;     // how near to the cone a contact that slides is brought, of its opening
    int memory;      // changes that the acceleration remembers, at most PRODUCT_MEMORY
    bool local;      // what changes few contacts is swept among them
    thud_pool *pool; // NULL: the caller's thread alone
    thud_arena *arena;
    bool short_of_room;          // of the arena, somewhere on the way
    int64_t visits, in_parts;    // of contacts, by sweeps over all and over parts
    int regions;                 // 1, or an even number of them
    int item[PRODUCT_ITEMS + 1]; // first pair of each
    double *partial;             // sums of items, or of shares of pairs or rows
} product_sweeps;

typedef struct product_history { // what the acceleration remembers
    double *p, *from;            // n: the point, and what it was before the sweep
    // f, g and S^T g of the last sweep, of the one before, ...: their changes are taken where they are asked for, and none is copied
    double *f[PRODUCT_MEMORY + 1], *g[PRODUCT_MEMORY + 1], *y[PRODUCT_MEMORY + 1];
    double square[PRODUCT_MEMORY][PRODUCT_MEMORY]; // dF^T dF
    int count, last;                               // changes remembered; which of them is the last
    bool known;                                    // a sweep is remembered
    double size, now;                              // |f|^2 of the sweep before the last, and of the last
    double with_f[PRODUCT_MEMORY],
        with_last[PRODUCT_MEMORY]; // products of each change with f and with the last change
    double focused;                // |f|^2 when a part was last swept, if that is of use
    int pause;                     // sweeps over all until the next part
} product_history;

THUD_INSIDE double product_extra(const product_sweeps *w, int row)
{
    return w->extra ? w->extra[row] : 0;
}

// product_build.c. false: scratch is too small.
// The work of a sweep over all of w; false: there is no room for it in the budget.
static inline bool product_spend(const product_sweeps *w)
{
    enum { EACH = 60 }; // multiply-adds a visit
    return thud_arena_spend(w->arena, EACH * ((int64_t)w->pairs + w->lines));
}

product_pair *product_reserve_pairs(thud_arena *arena, int count); // NULL: no room
bool product_build(const thud_cone *c, const thud_cone_product *S, thud_arena *arena, product_sweeps *w);
// Bytes that a solve takes at most: all of it, the history, and jams within jams, each at most half of what it is in.
size_t product_scratch(const thud_cone *c, const thud_cone_product *S);
void product_in(const product_sweeps *w, const double *p, double *p_hat);
void product_out(const product_sweeps *w, const double *p_hat, double *p); // rows left out become 0

// product_sweep.c
// All blocks once; p before goes to `from`. Returns |weight change of p|^2.
double product_sweep(product_sweeps *w, double *p, double *from);
void product_accumulate(product_sweeps *w, double *p); // y = S^T p
typedef struct product_gap {                           // of the caller's rows
    double squares;                                    // of p - Proj(p - rho u), the judge's
    double size;                                       // of p
} product_gap;
product_gap product_judge(product_sweeps *w, double *p); // of p, with its y

// product_accelerate.c
size_t product_partial_numbers(int rows); // of product_sweeps.partial, that so many rows take
bool product_begin(product_history *h, product_sweeps *w);
void product_forget(product_history *h);
// f of the last sweep and its products with what is remembered. true: f is what it was the sweep before.
bool product_measure(product_history *h, product_sweeps *w);
// Then: h->p and y become the combination that the next sweep starts from.
void product_accelerate(product_history *h, product_sweeps *w);

// product_part.c
typedef struct product_some { // pairs of a larger problem, with all that is not among them held
    product_sweeps *whole;
    int *list, count; // ascending
    double *p;        // of the whole
    product_sweeps w;
    product_history h;
} product_some;
bool product_part_pays(const product_sweeps *whole); // parts have not cost too much so far
// x->list becomes a problem of its own. false: no room; end it all the same.
bool product_part_begin(product_sweeps *whole, double *p, int count, product_some *x);
void product_part_end(product_some *x, bool begun); // p and y of the whole are what the part found
int product_list_above(const product_sweeps *w, double least, int *list); // pairs whose change is larger

// product_step.c
// After a sweep of h->p: h->p and y become what the next one starts from.
void product_step(product_history *h, product_sweeps *w);

// product_jam.c
void product_jam_solve(product_sweeps *jam, double *p); // with its own W; p stays where that fails
size_t product_jam_scratch(void);                       // that it takes, in bytes

// product_drift.c
// From p, which the next sweeps would all move by f: p goes as far as that leads, and y with it. false: nowhere.
bool product_drift(product_sweeps *w, const double *f, double *p);

// ---------------------------------------------------------------------------------------------- pairs

THUD_INSIDE void product_pair_velocity(const product_pair *c, int dim, const double *y, double u[3])
{
    const six y0 = six_of(y + c->y[0]), y1 = six_of(y + c->y[1]);
    for (int r = 0; r < dim; r++) {
        u[r] = six_sum(six_add(six_times(six_of(c->S[0][r]), y0), six_times(six_of(c->S[1][r]), y1)));
    }
}

THUD_INSIDE void product_pair_push(const product_pair *c, int dim, const double *delta, double *y)
{
    for (int side = 0; side < 2 && c->y[side] > 0; side++) { // the group that rests is everybody's
        double *to = y + c->y[side];
        six sum = six_scale(delta[0], six_of(c->S[side][0]));
        for (int r = 1; r < dim; r++) {
            sum = six_add(sum, six_scale(delta[r], six_of(c->S[side][r])));
        }
        *(lanes *)to += sum.near;
        *(two_lanes *)(to + PRODUCT_LANES) += sum.far;
    }
}
