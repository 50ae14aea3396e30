// SPDX-License-Identifier: Apache-2.0
// rows.h: a problem while it is put together. Private to the room.
#pragma once

#include <pthread.h>

#include <thud/contact.h>
#include <thud/spatial_lanes.h>

typedef struct arm { // a block's rows on one link: wrench r is that of row r
    int link;
    int at; // of its first wrenches in rows->wrench, as many as the block's rows fill; of a contact there are none
    int block, dim; // whose, and how many rows: the arms of a block lie together, in the order of the blocks
} arm;

static inline int rows_fours(int dim) // groups of lanes that hold so many rows
{
    return (int)(((unsigned)dim + THUD_LANES - 1) / THUD_LANES);
}

static inline void rows_set_wrench(thud_wrenches *w, int r, thud_force f) // of row r
{
    wrenches_set(w + r / THUD_LANES, r % THUD_LANES, f);
}

static inline thud_force rows_wrench(const thud_wrenches *w, int r)
{
    return wrenches_get(w + r / THUD_LANES, r % THUD_LANES);
}

// A block's innovations in one tree: dim x dofs of the tree, row-major, times D^-1/2. In a model of one tree of some dofs they are the
// block's rows of the columns that all blocks share (thud_rows, T).
typedef struct strip {
    int block, tree;
    int next;    // strip of the same tree, of a later block, once they are chained; -1: none
    int at, dim; // the block's rows among all
    double *S;   // number r, k at S[r dofs + k], or of columns at S[r + k stride]
} strip;

typedef struct stretch_of_strips { // some of them, up to `end`, and the trees that these are of
    int end;
    int low, high;
} stretch_of_strips;

typedef struct site { // where a block's parts are
    int arm, arms;
    int strip, strips;
    int island;
    int at;       // its first row among all rows, in island order
    int row, dim; // the same in its island; how many
    double *b;
    double viscous, stribeck;     // of its friction
    bool varies;                  // with the speed at which it slides
    double epsilon;               // of a compliant row
    const thud_contact_now *late; // of a contact whose rows are yet to be made; NULL: they are
} site;

typedef struct keyed {
    uint64_t id;
    int block;
} keyed;

typedef struct tree { // links that hang together
    int dof, dofs;    // the span of its dofs: first, and up to the last
    int link;         // its first
    int first, last;  // strips, once they are chained
    bool held;        // some block acts on it
    double beside;    // |b|^2 of its contacts that were left out
} tree;

typedef struct span {  // of one island
    int block, blocks; // in island order
    int row, rows;
    bool familiar;   // every block has impulses of the last step
    double trace;    // of W + epsilon
    double rho;      // of the judge
    double beside;   // of its trees
    double residual; // NaN: these impulses have not been judged
    double judged;   // the last that was found
    double norm[3];  // that it was made from
    double h;        // of its rows
    thud_mat W;
    thud_cone_sparse sparse;
    thud_cone_product product;
} span;

struct thud_rows {
    const thud_model *m;
    const thud_dynamics *d;
    double h;
    int capacity; // blocks
    int blocks, arms, wrenches, rows, islands;
    int *link_tree; // links
    int trees;
    tree *tree;
    uint64_t *way; // links: a bit for every dof of its tree on its way to the base, way_words each
    int way_words;
    thud_block *block, *sorted; // in the order they came, but for those that come late; in island order
    thud_cone_block *coned, *cone;
    site *site;
    keyed *by_id, *spare; // blocks as they came, and then by their ids; scratch of sorting
    int *order, *place;   // block number in island order -> block, and back
    int *warm;            // blocks: its impulses in the last step; -1: it has none
    double *trace;        // blocks, in island order: of its part of W + epsilon
    strip *strip;         // in the arena, block by block in island order
    int strips;
    stretch_of_strips *stretch; // all of them, in the arena
    int stretches;              // 0: not known
    double
        *T; // of one tree: innovations of all rows, dof by dof, 0 beyond the last; NULL: strips have theirs
    int stride; // of T: numbers of a dof, some lanes
    arm *arm;
    thud_wrenches *wrench; // about the link's origin
    double *b;             // rows, in the order they came
    double *u_free, *u_before, *p_before, *p, *epsilon;
    double *u, *gap; // scratch of the judge
    bool compliant;
    bool ascending;           // by_id is sorted
    int64_t edition;          // one for each problem
    size_t laid;              // of the arena: what strips have, W comes behind
    bool crowd;               // many contacts were added at once
    thud_contact_asked asked; // of these
    thud_motion *V, *V_free;  // links
    double *innovation;       // nv
    double *root;             // nv: D^-1/2
    span *span;
    thud_arena *arena;    // strips and W
    thud_pool *pool;      // NULL: one thread
    pthread_mutex_t lock; // of the arena, while threads fill islands
};

static inline int rows_tree_of(const thud_rows *rows, int a) // of an arm
{
    return rows->link_tree[rows->arm[a].link];
}

enum { FREE = 6 }; // dofs of a body that is a tree of its own
enum { ARMS_A_BLOCK = 4, WRENCHES_A_BLOCK = 4, ROWS_A_BLOCK = 6 };

// One block being added: its arms are appended with rows_arm.
thud_block *rows_open(thud_rows *rows, thud_block_kind kind, int dim, int source, uint64_t id);
bool rows_have_room(const thud_rows *rows, int arms); // for one row with so many arms
thud_wrenches *rows_arm(thud_rows *rows, int link);   // of dim rows, to fill, about the link's origin

thud_status rows_join(thud_rows *rows);       // islands; blocks in their order
thud_status rows_lay_strips(thud_rows *rows); // where each block's innovations go; D^-1/2
typedef struct strip_range {                  // of one island: they lie together
    int first, end;
} strip_range;
void rows_read_strip(const thud_rows *rows, const strip *s, double *S); // one of columns, row-major
strip_range rows_strips_of(const thud_rows *rows, const span *s);
void rows_chain_strips(thud_rows *rows, const span *s); // of an island, tree by tree
void rows_make_contact(thud_rows *rows, int k);         // the k-th block in island order, which is a late one
// mu of a contact that slides at u, where it depends on that.
void rows_set_friction(const thud_block *b, const site *s, const double *u, double mu[2]);
// Velocities of the links at v and, unless NULL, at v_free, into V and V_free.
void rows_set_twists(thud_rows *rows, const double *v, const double *v_free);
// W of an island, in an arena (NULL: the rows' own); false: no memory
bool rows_fill(thud_rows *rows, span *s, thud_arena *arena);
bool rows_fill_one(thud_rows *rows, span *s, thud_arena *arena); // all of its blocks are of one tree
// From that arena, or from the rows' own, also where threads fill.
void *rows_push(thud_rows *rows, thud_arena *arena, size_t count, size_t size);
static inline int *rows_push_ints(thud_rows *rows, thud_arena *arena, size_t count)
{
    return rows_push(rows, arena, count, sizeof(int));
}
int rows_groves(const thud_rows *rows, int links); // how many groves have about so many links
void rows_sort_ids(thud_rows *rows);               // by_id
void rows_match(thud_rows *rows, const thud_warm *warm, int warms); // every site's impulses of the last step
