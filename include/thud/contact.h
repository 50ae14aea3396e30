// SPDX-License-Identifier: Apache-2.0
// thud/contact.h: the one assembled problem of a step, from which every law starts.     [theory 1, 6, 7; JO]
//
//     u+ = W p + u_free,      W = G M^-1 G^T,   u_free = G v_f + b
//
// p are impulses (N s, N m s), u relative velocities (m/s, rad/s), row for row. A block of rows is a contact,
// a joint's limit, the dry friction of a dof or an equality constraint (a loop closure). Blocks that share a
// moving tree belong to one island; islands do not see each other and are solved one by one.
//
// A row of G is a wrench on each link it acts on. Handed down to the base (the psi of the operational space)
// it leaves at every dof on its way an innovation e; with D of the articulated bodies
//
//     W = E D^-1 E^T,       M^-1 G^T p = one pass base to tips over E^T p
//
// so neither M^-1 nor a dense J is formed: O(depth) a row, and W is block-sparse between free bodies.
//
//     thud_rows_begin(rows, dynamics, h);                     after thud_dynamics_factor
//     thud_rows_add_contact, _limit, _dry, _loop ...          which constraints there are
//     thud_rows_finish(rows, v, v_free, state);               islands, W, velocities, warm start
//     for each i: island = thud_rows_island(rows, i);  a law fills island.p
//     thud_rows_respond(rows, dynamics, dv);                  dv = M^-1 G^T p
//
// What the warm start leaves is known without W, from one pass over the trees; where that is already the
// answer (thud_rows_prepare, _respond, _judge), W need not be made.
#pragma once

#include <thud/base_pool.h>
#include <thud/collide.h>
#include <thud/cone_product.h>
#include <thud/dynamics.h>
#include <thud/state.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------- what laws see

typedef enum thud_block_kind {
    THUD_BLOCK_CONTACT, // p in the friction cone; normal row first
    THUD_BLOCK_LIMIT,   // one row: p >= 0 pushes the joint back into its range
    THUD_BLOCK_DRY,     // one row: |p| <= h frictionloss
    THUD_BLOCK_LOOP     // 1 to 6 rows: u = 0 whatever p
} thud_block_kind;

typedef struct thud_block {
    thud_block_kind kind;
    int row, dim;               // its rows in its island
    int source;                 // the caller's number: contact, joint, dof or equality it comes from
    uint64_t id;                // the same constraint has it again in the next step
    double phi;                 // CONTACT, LIMIT: gap at the step's start, m or rad
    double static_friction[2];  // CONTACT: sliding coefficients along its two tangents
    double kinetic_friction[2]; // the same once it slides
    thud_vec3 point, frame[3];  // CONTACT: world; normal and the two tangents
    int body1, body2;           // CONTACT, LOOP: the papers' B and A; p acts on A, -p on B
    int geom1, geom2;           // CONTACT
} thud_block;

// What `source` counts: geoms of a CONTACT have their contact, others their joint, tendon or equality (DRY of a
// joint: its dof).
THUD_API thud_kind thud_block_owner(const thud_block *block);

// An island as matrices. Nothing here is to be changed but p.
typedef struct thud_island {
    int blocks, rows;
    const thud_block *block;
    const int *number;           // of each block: which of all that were added it is, from 0
    const thud_cone_block *cone; // the same blocks as the exact law takes them: friction mu, bounds lo and hi
    thud_mat W;                  // dense, rows x rows; W.a NULL: sparse
    const thud_cone_sparse *sparse;   // both NULL: not filled yet
    const thud_cone_product *product; // W = S S^T without W; NULL: not asked for
    const double *u_free;             // rows: G v_f + b, what p = 0 leaves: the law's constant term
    const double *u_before;           // rows: G v, at the step's start
    const double *epsilon;            // rows: compliance asked for by the model (0: rigid), or NULL
    const double *p_before; // rows: impulses of the last step scaled to this one's h; 0 where there were none
    bool familiar;          // every block has impulses of the last step
    double residual;        // of p by the exact cone, as thud_rows_judge last found it; NaN before
    double beside;          // m^2/s^2: of contacts that were left out, as thud_cone has it
    double h;               // s; 0 in a collision, which takes no time
    double *p;              // rows: warm start in, impulses out
} thud_island;

// The island as the room `cone` takes it: a view.
static inline thud_cone thud_island_cone(const thud_island *island)
{
    thud_cone cone;
    cone.rows = island->rows;
    cone.blocks = island->blocks;
    cone.block = island->cone;
    cone.W = island->W;
    cone.sparse = island->sparse;
    cone.b = island->u_free;
    cone.epsilon = island->epsilon;
    cone.product = island->product;
    cone.beside = island->beside;
    return cone;
}

// ---------------------------------------------------------------------------------------------- assembling

typedef struct thud_rows thud_rows; // scratch of one thread

// Room for so many blocks (3 rows each on average) to begin with, and so many bytes for W. The model is only
// read and must outlive the rows.
THUD_API THUD_MUST_USE thud_status thud_rows_create(const thud_model *m, int blocks, size_t bytes,
                                                    thud_rows **out);
THUD_API void thud_rows_destroy(thud_rows *rows);                   // NULL is allowed
THUD_API THUD_MUST_USE thud_status thud_rows_grow(thud_rows *rows); // twice the room, after NO_MEMORY
// Lets the threads of a pool take part from now on (NULL: none); it must outlive their use. The numbers stay the same
// to the last bit. thud_rows_fill of different islands may then be called from different threads.
THUD_API void thud_rows_share(thud_rows *rows, thud_pool *pool);

// Forgets all blocks. The links are where d has them; h > 0, or 0 for a collision.
THUD_API void thud_rows_begin(thud_rows *rows, const thud_dynamics *d, double h);

// What a contact is made from. The friction is the contact law's; dim 1 leaves only the normal row. Of a
// contact that slides at u_t at the step's start, the coefficient is
//
//     mu = mu_k + (mu_s - mu_k) exp(-(|u_t| / v_stribeck)^2) + viscous |u_t|,     without v_stribeck: mu_s
//     below
//                                                                                 1 mm/s, mu_k above
typedef struct thud_contact_row {
    const thud_contact *contact;
    thud_vec3 point, frame[3]; // where the links are now, world; dim 1 needs no tangents
    double phi;                // the gap it is listed with
    double b[6];               // added to u_free, row for row
    int dim;                   // 1, 3, 4, 6
} thud_contact_row;

// That coefficient along the two tangents at a sliding speed.
THUD_API void thud_contact_friction(const thud_contact_law *law, double speed, double mu[2]);

// The frame of a contact with this normal (unit), where the links of d are: the normal and two tangents. t1
// lies along the contact's own friction axis, if it has one and that is not along the normal; otherwise t1 =
// z x n for a steep contact, so that it is level, and the x axis laid into the plane for a flat one (|n_z| >
// 0.9).
THUD_API void thud_contact_frame(const thud_model *m, const thud_dynamics *d, const thud_contact *c,
                                 thud_vec3 normal, thud_vec3 frame[3]);

// Ids of the rows that a model itself brings: the id of their blocks.
typedef enum thud_row_source {
    THUD_ROW_LIMIT = 1, // of a joint: number = 2 joint + (upper ? 1 : 0)
    THUD_ROW_DRY,       // dof
    THUD_ROW_LOOP,      // equality
    THUD_ROW_AXIS,      // 16 equality + part
    THUD_ROW_LEVER      // 4 source + part
} thud_row_source;
THUD_API uint64_t thud_row_id(thud_row_source source, int number);
// The way back; false: it is the id of a contact.
THUD_API bool thud_row_id_read(uint64_t id, thud_row_source *source, int *number);

// Each adds one block and fails with NO_MEMORY when there is no room. A constraint between bodies that cannot
// move adds nothing.
THUD_API THUD_MUST_USE thud_status thud_rows_add_contact(thud_rows *rows, const thud_contact_row *c,
                                                         int source);

// Many of them, in this order, by all threads; once between begin and prepare. NO_MEMORY: none was added. Their rows are made while
// the blocks are prepared: the gaps and the velocities must last until then.
typedef enum thud_ask { // what a law asks of the normal row of a contact [theory 7]
    THUD_ASK_GAP,       // u_n+ >= -max(phi, 0)/h: a gap may close but not pass zero
    THUD_ASK_POSITION, // phi(q^) + J_n (q+ - q^) >= min(phi(q), 0): the gap at the step's end, linearised at q^
    THUD_ASK_VELOCITY, // u_n+ >= 0 for what touches; what does not is left out
    THUD_ASK_GIVEN     // u_n+ >= -b: what the caller says
} thud_ask;
typedef struct thud_contact_now { // a contact where the links are now
    const thud_contact *contact;  // as it was listed
    thud_vec3 point, normal;      // now, world
    double phi, now;              // m: as it was listed; now
    double u[3];                  // relative velocity as it was listed, along its frame
    double b;                     // THUD_ASK_GIVEN
    int dim;                      // of its row
    int source;
} thud_contact_now;
typedef struct thud_contact_asked { // of all gaps
    thud_ask ask;
    bool moved;               // the links are not where the contacts were listed
    double closed;            // m: gaps up to this one count as closed
    double small;             // m/s: turns of G v that are left out, where the links moved
    const thud_motion *V;     // links: velocities at the step's start
    const thud_motion *V_hat; // links: (q^ - q)/h, of THUD_ASK_POSITION
} thud_contact_asked;
THUD_API THUD_MUST_USE thud_status thud_rows_add_contacts(thud_rows *rows, const thud_contact_asked *asked,
                                                          const thud_contact_now *gap, int count);
// Tells of a contact on a link that gets no rows, because it will stay open: its normal row would have asked for b > 0 (m/s).
// The residual of an island is relative to what all contacts of its bodies ask for.
THUD_API void thud_rows_leave_out(thud_rows *rows, int link, double b);
// A limit of hinge, slide or ball: sign +1 pushes the joint forward (lower limit), -1 back. A ball's axis
// (unit, in the body frame of the joint) is that of its rotation; others ignore it.
THUD_API THUD_MUST_USE thud_status thud_rows_add_limit(thud_rows *rows, int joint, int sign, thud_vec3 axis,
                                                       double phi, double b);
THUD_API THUD_MUST_USE thud_status thud_rows_add_dry(thud_rows *rows, int dof, double bound);
// A bilateral constraint between body1 and body2 (0: the world) with dim rows: row r is the velocity of body2
// less that of body1, measured by the wrench row[r] about the world's origin. b: dim, added to u_free.
THUD_API THUD_MUST_USE thud_status thud_rows_add_loop(thud_rows *rows, int equality, int body1, int body2,
                                                      int dim, const thud_force *row, const double *b);
// The same between two dofs: u = v[dof1] - ratio v[dof2] (dof2 -1: none).
THUD_API THUD_MUST_USE thud_status thud_rows_add_gear(thud_rows *rows, int equality, int dof1, int dof2,
                                                      double ratio, double b);

// One row between two bodies: a LIMIT (with phi), DRY (with bound) or LOOP, which may be compliant: u +
// epsilon p = 0.
typedef struct thud_axis_row {
    thud_block_kind kind;
    int equality, part; // whose row it is, and which of its rows (0 to 15)
    int body1, body2;
    thud_force row; // as in thud_rows_add_loop
    double b, phi, bound, epsilon;
} thud_axis_row;
THUD_API THUD_MUST_USE thud_status thud_rows_add_axis(thud_rows *rows, const thud_axis_row *axis);

// A row of G as numbers of dofs: u = sum over both levers of scale value[k] v[dof[k]]. A LIMIT (with phi),
// DRY (with bound) or LOOP of a tendon or an equality of tendons.
typedef struct thud_row_lever {
    int count; // 0: none
    const int *dof;
    const double *value;
    double scale;
} thud_row_lever;
typedef struct thud_lever_row {
    thud_block_kind kind;
    int source, part; // whose row it is (of a LOOP the equality), and which of its rows (0 to 3)
    thud_row_lever lever[2];
    double b, phi, bound;
} thud_lever_row;
THUD_API THUD_MUST_USE thud_status thud_rows_add_lever(thud_rows *rows, const thud_lever_row *row);

// Islands, W, u_before = G v, u_free = G v_free + b; p and p_before from the impulses (sorted by id) of a
// step of warm_h, by their ids, in proportion to the time.
THUD_API THUD_MUST_USE thud_status thud_rows_finish(thud_rows *rows, const double *v, const double *v_free,
                                                    const thud_warm *warm, int warms, double warm_h);
// The same but for W, which thud_rows_fill makes: of island i, or (-1) of all that have none. Both together
// are thud_rows_finish; here v and v_free are given as the velocities of the links (thud_dynamics_twists).
// W of one island may be made in an arena of the caller's (NULL: the rows' own), who forgets it before he releases that: a
// thread that solves one island after the other then has W always in the same place, which is in its core's cache.
THUD_API THUD_MUST_USE thud_status thud_rows_prepare(thud_rows *rows, const thud_motion *V,
                                                     const thud_motion *V_free, const thud_warm *warm,
                                                     int warms, double warm_h);
// What was last prepared becomes the next problem: of a caller who is sure that it would be begun with the same h where the
// links are the same to the bit, and that the same blocks would be added and prepared with the same V. Impulses are recalled
// anew, and free velocities are to be measured (thud_rows_measure, or by the judge); the numbers are then those of a fresh
// assembly. false: the impulses are not those of exactly these blocks, and all is to be begun again. alike: they are those that
// were recalled last time, to the bit.
THUD_API THUD_MUST_USE bool thud_rows_repeat(thud_rows *rows, const thud_warm *warm, int warms, double warm_h,
                                             bool *alike);
THUD_API void thud_rows_measure(thud_rows *rows, const thud_motion *V_free); // u_free
// Another number, never met before, whenever the blocks or what they ask for may have become others, but by repeating.
THUD_API int64_t thud_rows_edition(const thud_rows *rows);
THUD_API THUD_MUST_USE thud_status thud_rows_fill(thud_rows *rows, int island, thud_arena *arena);
// W of an island as a product, for solvers that do without its entries, which may use the threads of pool (NULL:
// none); in an arena as above. O(blocks).
THUD_API THUD_MUST_USE thud_status thud_rows_factor(thud_rows *rows, int island, thud_pool *pool,
                                                    thud_arena *arena);
THUD_API void thud_rows_forget(thud_rows *rows, int island); // W, in whatever form; p stays
// Joints and loops of an island with W that say the same twice: what the dependent rows ask becomes what follows from the
// others, if it was that to a hundredth. changed: something became another number.
THUD_API THUD_MUST_USE thud_status thud_rows_reconcile(thud_rows *rows, int island, thud_arena *scratch,
                                                       bool *changed);
// Makes all rows of an island compliant, by `part` of the mean diagonal of W: what rows ask together that no motion gives, they
// then come as near to as they can. p becomes 0.
THUD_API void thud_rows_soften(thud_rows *rows, int island, double part);
// Positions again, of an island whose rows ask for what no motion gives: the impulses whose response comes nearest, each row giving way
// by about part^2 of its error; b of its rows are their errors, contacts have one row. Always bounded. found: false, and p is
// 0, where its trees have more than 400 dofs.
THUD_API THUD_MUST_USE thud_status thud_rows_settle(thud_rows *rows, int island, double part,
                                                    thud_arena *scratch, bool *found);
// Those impulses times a part.
THUD_API void thud_rows_scale(thud_rows *rows, int island, double part);
// The residual of every island's p among its own rows (as if nothing had been left out), given dv = M^-1 G^T p, where the
// links are still the same. V_free: u_free is measured on the way (NULL: it is known). O(rows + N).
THUD_API void thud_rows_judge(thud_rows *rows, const thud_motion *V_free, const double *dv);
// What it found the last time, for impulses (thud_rows_repeat) and free velocities that are the same to the bit.
THUD_API void thud_rows_judge_alike(thud_rows *rows);
THUD_API int thud_rows_islands(const thud_rows *rows);
THUD_API thud_island thud_rows_island(const thud_rows *rows, int i);
THUD_API bool thud_rows_hold(const thud_rows *rows, int island,
                             int link); // something of it acts on the link's tree
typedef struct thud_standing { // of an island: some of what thud_rows_island says, for who asks often
    int blocks, rows;
    bool familiar;
    double residual;
} thud_standing;
THUD_API thud_standing thud_rows_standing(const thud_rows *rows, int i);
// W of an island, dense or sparse, and its compliance, into the upper left corner of `to`, dense; entries that sparse W has not
// are left alone. place (rows): which row and column of `to` each is, -1: none; NULL: its own.
THUD_API void thud_island_copy_delassus(const thud_island *of, const int *place, double *to, size_t stride);

// dv = M^-1 G^T p of all islands (nv numbers). O(rows depth + N).
THUD_API void thud_rows_respond(const thud_rows *rows, thud_dynamics *d, double *dv);
// The same of other impulses than the islands have: p of the rows of all islands, one after the other.
THUD_API void thud_rows_respond_to(const thud_rows *rows, thud_dynamics *d, const double *p, double *dv);
// Positions instead of velocities: the impulses l of an island's rows whose response is the least motion dq (by M) that puts right
// what they are off, error + G dq >= 0 for normals of contacts and for limits, 0 for loops. error: of every row; INFINITY: it does
// not count. found: false, and l is 0, where nothing counts or more than 64 rows do, who presses does not settle, or rows ask for what no motion gives.
THUD_API THUD_MUST_USE thud_status thud_rows_nudge(const thud_rows *rows, int island, const double *error,
                                                   thud_arena *scratch, double *l, bool *found);
// The impulse of every link (about its origin) under p: sum of the rows' wrenches. links wrenches, set.
THUD_API void thud_rows_wrenches(const thud_rows *rows, thud_force *wrench);
// The same without contacts, for who finds their forces without these rows.
THUD_API void thud_rows_joint_wrenches(const thud_rows *rows, thud_force *wrench);
// The impulse of a block of an island on its body2 under p, about the world's origin; the opposite acts on
// body1. Zero for rows of joints and tendons. While the links are where the rows were added.
THUD_API thud_force thud_rows_push(const thud_rows *rows, int island, int block);
// Writes the impulses p of all blocks, sorted by id, and returns how many; -1 when there is no room for them.
THUD_API int thud_rows_impulses(thud_rows *rows, thud_warm *out, int capacity);
THUD_API int thud_rows_blocks(const thud_rows *rows);

#ifdef __cplusplus
}
#endif
