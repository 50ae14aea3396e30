// SPDX-License-Identifier: Apache-2.0
// sim.h: the scratch of a sim, shared by the files of the room. Private to it.
#pragma once

#include <stdatomic.h>
#include <string.h>

#include <thud/dynamics_drive.h>
#include <thud/step.h>

#include <law/door.h>

// A stage result carries the stamp of its input; an input gets a new stamp whenever it changes. Equal stamps: the result still holds.
typedef int64_t stamp;

typedef struct touch {           // a contact that may act in this step: a line of the cache
    const thud_contact *contact; // in a set that is held
    thud_gap *gap;               // its gap function, once it is known
    double phi;                  // at the step's start
    double u[3];                 // relative velocity there, along normal and tangents
    double
        open; // m/s, of one that is near but is left without rows: how fast its gap could close; 0: of others
    bool active; // it has rows
    bool had;    // in the problem last assembled
    bool known;  // its gap function is made: only of those that may act
    int link;    // of one that is left without rows: a link it is on
} touch;

// The last query's and the next one's; those that candidates are in, which events take from two queries.
enum { SETS = 4 };

typedef struct touching { // contacts at one configuration
    bool known;           // set is that of (qpos, qvel) and h
    double h;
    double *qpos, *qvel;       // nq, nv
    thud_contact_set *set;     // one of these
    thud_contact_set of[SETS]; // by turns
    bool held[SETS];           // candidates of the substep are in it
    double horizon;            // s: how far ahead a query between events looks at pairs that would close
    double clear;              // m: no two geoms are nearer there; 0: not known
    double wide;               // how far the next look around goes, of the way in a step; 0: none yet
    stamp twisted;             // V of the sim is that of qvel while the links stay placed this often
    stamp asked;               // how often it became that of another (qpos, qvel, h)
    stamp start;               // the same when it was last that of (q_start, v_start)
} touching;

typedef struct rows_made { // the inputs that the rows of forces were made from (stay.c)
    stamp edition;         // of the rows; 0: they are to be made anew
    stamp asked;           // the query that they are of
    stamp factors;         // the factor of M that they are of
    double h;
    int contacts;
    bool judged; // the impulses that they were given were judged, with the free velocities that there are
    bool alike;  // and these impulses are the same, and so are the free velocities
} rows_made;

typedef enum grove_known { // of the links of a grove, where they are
    GROVE_PLACED,
    GROVE_WEIGHED,  // and their inertias
    GROVE_FACTORED, // and a factor of M + implicit
    GROVE_SOLVED    // and their motion at v_solved, and acc_solved under tau_solved
} grove_known;

typedef struct bounded { // a joint with limits
    int joint, q, v;
    double low, high; // of a hinge or slide; of a ball low is infinite: nothing keeps away from that
} bounded;

// Pairs of geoms that overlap, told apart while they are few. settle.c
enum { OVERLAPS = 64 };
typedef struct overlap {
    int geom1, geom2; // as in a contact
    double depth;     // m
} overlap;
typedef struct overlaps {
    int count;
    overlap of[OVERLAPS];
} overlaps;

// ---------------------------------------------------------------------------------------------- the stages of a step
//
// Each stage writes its own struct; later ones read it. ARCHITECTURE.md has the drawing. Arrays lie in thud_sim.block.

typedef struct force_stage {   // forces of a substep but those of constraints: forces.c, levers.c, implicit.c
    thud_drive *drive;         // NULL: neither actuators nor tendons
    bool passive;              // some joint has a spring or a damper, or is driven
    bool driven;               // actuators or tendons exert forces
    const double *ctrl;        // of the state that is stepped
    double *act, *act_mean;    // na: activations at the substep's start, and where its forces are taken
    double *tendon_start;      // tendons: lengths at the substep's start
    double *servo_k, *servo_d; // nv: stiffness and damping of the servos on each dof
    double *pull, *carried;    // nv: forces of actuators; of carried weight
    double *Minv;              // nv: diagonal of M^-1 at the reference pose
    double *ahead;             // nv: theta h of each dof, how far ahead springs and dampers are taken
    double *ahead_k, *ahead_d; // nv: the stiffness and damping that these were made for
    double h_implicit;         // step for which ahead and d->implicit were made
    double *tau;               // nv: applied and passive forces of the step
} force_stage;

typedef struct begun_stage {   // where a substep begins, and the guess of its motion: advance.c
    double *q_start, *v_start; // nq, nv
    int64_t step;              // the state's count of steps
    double *guess;             // nv: acceleration with constraints that the midpoint rule starts from
    bool guessed;              // from steps that were alike; otherwise 0, or the last part of the step
    bool steady;               // the acceleration of the last steps was all but the same
    bool one_steady;           // at least that of one grove
    bool stopped;              // the last step brought everything to rest
    bool sketch;               // the motion was not guessed: another round will follow this one
    bool by_euler;  // this substep: the midpoint's contact problem has no solution, however short it is
    bool exhausted; // too many impacts in this step: the rest of it is without restitution
} begun_stage;

typedef struct fall_stage { // links and their motion without constraints, cached grove by grove: groves.c
    double *q_placed;       // nq: where the links are
    bool placed;            // they are there
    grove_known *known;     // groves: how much is computed of each there
    stamp placements;       // how often they were moved
    double *factored_with;  // nv: implicit that M was factored with
    stamp factors;          // how often that was done
    double *v_solved, *tau_solved, *acc_solved; // nv: of groves that are GROVE_SOLVED
    double *q, *v;                              // nq, nv: where the dynamics were last evaluated
    double *acc, *before;                       // nv: acceleration last solved for, and the one before
    double *v_free, *v_hat;                     // nv: without constraints; from q_start to q in h
    thud_motion *V, *V_free, *V_hat;            // links, at v_start, v_free, v_hat
    stamp fallen; // V_free is that of v_free while the links stay placed this often; 0: it is not
} fall_stage;

typedef struct sight_stage { // contacts within reach, and where geoms are: touch.c, activate.c, spread.c
    thud_collider *collider; // NULL: nothing can touch
    touching here;           // the query last made
    double fast;   // m/s, at least the speed of every geom in the middle of the substep; infinite: not known
    touch *touch;  // candidates of the substep
    thud_gap *gap; // of each
    int touches, touch_capacity;
    int listed; // candidates of the query `listed_of`: they stay while nothing moves
    stamp listed_of;
    double *extent;      // links: how far their geoms reach from their origins
    thud_pose *X_wg;     // geoms, of the query last made
    thud_motion *V_wg;   // geoms, likewise: of their origins
    thud_pose *X_lg;     // geoms, in their links
    int *traced, traces; // geoms that can touch something, and do not stay where they are for good
    thud_pose *X_now;    // geoms, where the links are: of those with now_at == placements
    int64_t *now_at;
    thud_shift *shift;   // geoms since the query last made: of those with moved_at / 2 == placements
    int64_t *moved_at;   // odd: by no more than half the tolerance of its size; only rough tolerances ask
    atomic_bool *wanted; // geoms that are to be found
} sight_stage;

typedef struct ask_stage {  // rows: constrain.c, loops.c, axes_of_loops.c, tendon_rows.c, stay.c
    bool loops;             // it has a limit, dry friction or a loop
    bool jointed;           // some contacts may be between bodies that no joint can part
    bool dry;               // it has dry friction in a dof
    bool tendon_rows;       // tendons have limits, dry friction or equalities
    bounded *bounded;       // joints with limits, in their order
    int bounds;             // how many
    thud_rows *rows;        // of the problem of forces; while positions are put right, of that one
    thud_rows *other_rows;  // the other of the two
    rows_made made;         // `rows`
    double *loop_u;         // equalities x 6: velocities of their rows at the step's start
    double *loop_g;         // the same: errors of their rows there
    bool torn;              // at the step's start some loop does not hold
    thud_vec3 *loop_across; // equalities: the direction in which nothing moves, in frame 1; 0: there is none
} ask_stage;

typedef struct answer_stage {                  // impulses: constrain.c, answer.c
    thud_arena *scratch;                       // of the law, and W of the island that it is asked about
    thud_arena *scratch_of[THUD_POOL_THREADS]; // of each worker; the first is `scratch`
    bool borrows;                              // them from the sim that it is a part of
    law_verdict *verdict;                      // of each island; warm_capacity
    thud_warm *warm;                           // impulses of the last substep, sorted by id
    int warm_count, warm_capacity;
    double warm_h;
    double *push;       // nv: the constraints' share of the acceleration
    double *held;       // nv: change of velocities by the impulses that were judged last
    thud_force *wrench; // links: impulses
    bool sketched;      // another round has to follow: some island of this one was solved roughly
    double cone_residual, lcp_residual; // of the problem last solved; the worst of its islands
    char reason[200];                   // why an island of this step was not solved; "" where all were
} answer_stage;

typedef struct go_stage { // where a substep leads: midpoint.c, euler.c, rk4.c; project.c, nudge.c, settle.c
    double *q_next, *v_next;
    double *v_mean;      // nv: velocity along which positions moved
    double *k[4], *u[4]; // nv: RK4: accelerations and displacement rates; scratch of the certificate
    double *dq;          // nv: displacement that puts positions right
    double *q_found;     // nq: positions before they were put right
    double misfit;       // m, rad: the largest error that was found there
    overlaps given_up;   // pairs that the last projection could not part
} go_stage;

typedef struct judge_stage { // the certificate and the doubts: certificate.c, judge_*.c, trust.c, doubts.c
    thud_certificate c;
    bool certify;
    struct doubts *doubts;
    bool energy_known; // of the state the last certificate was for: q_known, v_known
    double *q_known, *v_known;
    thud_energy energy;
    double servo_work; // J, of actuators, in the step so far
} judge_stage;

typedef struct work_stage { // what a step may still cost: law/solve_islands.c
    int64_t budget, left;   // of a step, and what is left of it
    int stop;               // not 0: the step is called off
    const int *stop_at;     // that of the sim that the user holds
} work_stage;

typedef struct above_stage {        // data of the rooms above; this room does not read them
    struct parts *parts;            // NULL: it is stepped as a whole
    struct event_drive *event;      // of the event-driven scheme; NULL otherwise
    struct contact_forces *contact; // that the last step exerted; NULL: none can be
    struct senses *senses;          // NULL: the model has no sensors
    int64_t felt_steps; // steps of the state that they belong to, which is (q_next, v_next); -1: of none
} above_stage;

typedef struct strike_stage { // contacts that meet within a substep: strike.c
    bool locates;             // those that close fast are solved at the moment they touch
    bool lands;               // so are those that are not so fast
    double speed;             // m/s: what closes slower does not strike
    bool strikes;             // in this step
    int turned;               // substeps that were shortened because something near something else spins
    int stalls;               // substeps of next to no length
    int *hits;                // links: of a root, collisions of its tree in this step
} strike_stage;

struct thud_sim {
    const thud_model *m; // the view below, if there is one
    thud_model *view;    // with the mocap bodies where the state has them; NULL: there are none
    double *mocap;       // where they were last
    thud_step_options o;
    const law_traits *law;  // of the options
    thud_integrator scheme; // how its substeps are taken: the option, but EULER for the papers' laws
    double g;               // m/s^2, size of gravity
    bool constrained;       // the model has something that can touch, a limit, dry friction or a loop
    bool bounces;           // something in it springs back
    thud_pool *pool;        // NULL: one thread
    thud_dynamics *d;
    double *zero;        // nv
    double *block;       // all arrays of the stages
    struct sleep *sleep; // NULL: nothing sleeps

    begun_stage begun;
    strike_stage strike;
    force_stage force;
    sight_stage sight;
    fall_stage fall;
    ask_stage ask;
    answer_stage answer;
    go_stage go;
    judge_stage judge;
    work_stage work;
    above_stage above;
};

typedef enum substep_result { // of one attempt
    SUBSTEP_DONE,
    SUBSTEP_UNSOLVED, // a law's residual is above the tolerance
    SUBSTEP_WAKE,     // a contact would act on something asleep
    SUBSTEP_AGAIN,    // the step goes on with another attempt
    SUBSTEP_CANCELLED,
    SUBSTEP_FAILED, // numbers that are not finite, an inertia that is not positive
    SUBSTEP_NO_MEMORY
} substep_result;

static inline substep_result substep_of(thud_status status)
{
    return status == THUD_OK ? SUBSTEP_DONE : status == THUD_NO_MEMORY ? SUBSTEP_NO_MEMORY : SUBSTEP_FAILED;
}

thud_status sim_status(substep_result result); // the way back

static inline bool sim_cancelled(const thud_sim *sim)
{
    return __atomic_load_n(sim->work.stop_at, __ATOMIC_RELAXED) != 0;
}

static inline double greater_of(double a, double b) // fmax without its care for NaN, which would be a call
{
    return a > b ? a : b;
}

static inline double lesser_of(double a, double b)
{
    return a < b ? a : b;
}

// Few numbers are copied and compared here, bit by bit: a call of memcpy or memcmp costs more than they do. Four to eight are copied
// as the first four and the last four.
enum { FEW_NUMBERS = 8 };
static inline void copy_numbers(int n, const double *from, double *to)
{
    if (n > FEW_NUMBERS) {
        memcpy(to, from, (size_t)n * sizeof *to);
        return;
    }
    if (n >= 4) {
        double head[4], tail[4];
        memcpy(head, from, sizeof head);
        memcpy(tail, from + n - 4, sizeof tail);
        memcpy(to, head, sizeof head);
        memcpy(to + n - 4, tail, sizeof tail);
        return;
    }
    for (int i = 0; i < 4 && i < n; i++) { // few, and the compiler is told so
        to[i] = from[i];
    }
}

// Passes over many dofs take four at a time; the last four may have been taken before, which must change nothing. Few take less
// time one by one: four numbers that were just written one by one would have to be waited for.
static inline bool sim_many(int dofs)
{
    return dofs > FEW_NUMBERS;
}

static inline int sim_last_four(int i, int end)
{
    return i + THUD_LANES <= end ? i : end - THUD_LANES;
}

static inline bool same_numbers(int n, const double *a, const double *b)
{
    if (n > FEW_NUMBERS) {
        return memcmp(a, b, (size_t)n * sizeof *a) == 0;
    }
    for (int i = 0; i < n; i++) {
        uint64_t one, other;
        memcpy(&one, a + i, sizeof one);
        memcpy(&other, b + i, sizeof other);
        if (one != other) {
            return false;
        }
    }
    return true;
}

static const double TOUCHING = 1e-8; // m, rad: a gap below this takes part in a collision

static inline bool sim_by_events(const thud_sim *sim)
{
    return sim->o.scheme == THUD_SCHEME_EVENT_DRIVEN;
}

// The scene's <custom> words into options; BAD_MODEL with a sentence for one that is not understood.
thud_status sim_read_wishes(const thud_model *m, thud_step_options *o, thud_diag *diag);

typedef struct grove_range { // of the links, positions and velocities of some groves
    int link, link_end;
    int q, q_end;
    int v, v_end;
} grove_range;

grove_range sim_range(const thud_sim *sim, int first, int end); // of groves first to end - 1

// Sees the mocap bodies where s has them. Before anything is done with s.
void sim_see(thud_sim *sim, const thud_state *s);
// Notes how fast geoms go along the substep, by the velocities of their links; NULL: those of the last evaluation. touch.c
void touch_clock(thud_sim *sim, const thud_motion *V);
// Puts the links where qpos has them; nothing is done with those that are there.
void sim_place(thud_sim *sim, const double *qpos);
void sim_place_frames(thud_sim *sim, const double *qpos); // the same without their inertias
bool sim_factor(thud_sim *sim, const double *qpos); // and makes a factor of M + implicit; false: not positive
// Velocities and bias of all links at v, where they are; sim_forget_motion: they were overwritten.
void sim_move(const thud_sim *sim, const double *v);
void sim_forget_motion(const thud_sim *sim);
void sim_twists(thud_sim *sim, const double *v, thud_motion *V); // velocities of the links, where they are
void sim_integrate(thud_sim *sim, const double *from, const double *v, double h, double *to); // positions
void sim_place_moving(thud_sim *sim, const double *q, const double *v, thud_motion *V); // places, then twists

// Work on the dofs of a grove, done first by the thread that then takes the grove: numbers that one thread writes and
// another reads have to come from its cache.
typedef struct dof_pass {
    void (*work)(const thud_sim *sim, double h, int first,
                 int end); // to dofs first to end - 1; NULL: nothing
    double h;
} dof_pass;
void sim_twists_of_two(thud_sim *sim, dof_pass first, const double *v, thud_motion *V, const double *w,
                       thud_motion *W);
void sim_integrate_after(thud_sim *sim, dof_pass first, const double *from, const double *v, double h,
                         double *to);

void sim_pass(const thud_sim *sim, dof_pass pass); // over all dofs, by all threads; with a pool
// Whether a test holds of all parts of n numbers, by all threads; with a pool.
typedef bool number_test(int n, const double *a, const double *b);
bool sim_all_hold(const thud_sim *sim, number_test *holds, int n, const double *a, const double *b);

// Acceleration at (q, v) under tau: motion, carried weight, articulated bodies. False: an inertia is not
// positive.
bool sim_accelerate(thud_sim *sim, const double *q, const double *v, const double *tau, double *acc);
// The same at `to`, where `from` gets with v over h.
bool sim_accelerate_along(thud_sim *sim, dof_pass first, const double *from, const double *v, double h,
                          double *to, const double *tau, double *acc);
// The same at another velocity v, where the links already are.
void sim_accelerate_again(thud_sim *sim, dof_pass first, const double *v, const double *tau, double *acc);

// Each integrator takes one substep of h from (q_start, v_start) to (q_next, v_next), along v_mean. `settled`
// is the relative change of velocity by its last evaluation.
substep_result step_midpoint(thud_sim *sim, const double *tau, double h, double *settled);
substep_result step_euler(thud_sim *sim, const double *tau, double h);
substep_result step_rk4(thud_sim *sim, const double *tau, double h);

double sim_fastest_turn(const thud_sim *sim); // rad/s, of the links, where they were last evaluated
// Velocities of dofs first to end - 1 at the end of a substep under acc and push; slow dofs of held bodies come to rest. A dof_pass.
void sim_go(const thud_sim *sim, double h, int first, int end);

// theta of every dof for a step of h: fills ahead and d->implicit. free_only: without actuators whose force
// is clamped.
void sim_set_implicit(thud_sim *sim, double h, bool free_only);
void sim_measure_inertia(thud_sim *sim); // fills Minv and passive

// Forces of a substep into sim->force.tau: tau, springs, dampers, tendons and actuators, taken ahead as implicit.c
// says; after sim_set_implicit. And all of them as they are at (q, v), t after the substep's start.
void sim_set_forces(thud_sim *sim, const double *tau, double h);
void sim_set_forces_at(thud_sim *sim, const double *q, const double *v, const double *tau, double t,
                       double h);
bool sim_is_driven(const thud_model *m);
// Levers of actuators and tendons at q, where the links are, with velocities of v; of a substep of h, where its middle is guessed to be;
// how far into the substep that is, s.
void levers_place(thud_sim *sim, const double *q, const double *v);
void levers_place_ahead(thud_sim *sim, double h);
double levers_ahead(const thud_sim *sim, double h);
// Power of actuators, tendon dampers and drag at v, where forces were set and the links moved last; and their
// work over the step, from the forces at its mean, which moves the links; that of actuators only if they count.
double sim_drive_power(thud_sim *sim, const double *v);
double sim_drive_work(thud_sim *sim, const double *q_mean, const double *v_mean, bool actuators);
thud_energy sim_energy_at(thud_sim *sim, const double *qpos, const double *qvel); // moves the links

// ---------------------------------------------------------------------------------------------- constraints

static inline thud_ask sim_ask(const thud_sim *sim) // of normal rows
{
    return sim->law->ask;
}

static inline bool sim_exact(const thud_sim *sim) // the law is Coulomb's cone itself
{
    return sim->law->form == LAW_FORM_CONE;
}

static inline bool sim_rough(const thud_sim *sim) // the exact cone to a tolerance above THUD_ROUGH
{
    return sim_exact(sim) && sim->o.law.tolerance > THUD_ROUGH;
}

static inline double sim_touch(const thud_sim *sim, double h) // m: contacts nearer than this always act
{
    return 1e-7 + 4 * sim->g * h * h;
}

static inline double sim_slop(const thud_sim *sim) // m, rad: violations below are left
{
    return greater_of(0.1 * sim->o.law.tolerance,
                      1e-9); // a rough tolerance gives no exact positions
}

// Every position, every velocity, and of_dofs (nv; NULL: nothing more).
bool sim_is_finite(const thud_sim *sim, const thud_state *s, const double *of_dofs);
bool sim_holds(const thud_sim *sim); // contacts or loops act in the problem last solved
// m/s: the speed that closes a gap within h
double sim_closing(const thud_sim *sim, double phi, double h);
double sim_no_gap(const thud_sim *sim, double h); // m: gaps of less are none
// Whether a contact may be of a pair that no joint can part; the largest share of the motions of its joints that goes along the
// normal of one, where the links are; and whether that is enough to part it. mobility.c
bool mobility_asks(const thud_model *m);
double contact_mobility(const thud_sim *sim, const thud_contact *c);
bool contact_can_part(const thud_sim *sim, const thud_contact *c);
void sim_measure_extents(thud_sim *sim);

// Contacts at qpos within reach of a motion v over h, into sim->sight.here; nothing is done if they are known.
thud_status touch_query(thud_sim *sim, const double *qpos, const double *v, double h);
// Candidates of a substep from (q_start, v_start): all that may act before its end.
thud_status touch_begin(thud_sim *sim, double h);
// Candidates, and velocities of the rows of loops, at the start of a substep of h. look.c
thud_status sim_look(thud_sim *sim, double h);
bool touch_can(const thud_model *m, int geom); // touch anything
// Where the geoms are at (qpos, v), and how fast, as a query there leaves them: X_wg and V_wg. Whether they are so already.
bool touch_knows(const thud_sim *sim, const double *qpos, const double *v);
// Whether links and V are those of the last query. touch.c
bool touch_is_there(const thud_sim *sim);
void touch_trace(thud_sim *sim, const double *qpos, const double *v);
// Then: how far around itself a geom may reach in a step, as a query reckons, by its radius and the most that geoms are listed
// before they touch.
double touch_reach(const thud_sim *sim, int geom, double radius, double margin);
// One more of them, from the query's set, which then has to be held until the next substep begins.
void touch_add(thud_sim *sim, const thud_contact *c, int number);
void touch_hold(thud_sim *sim);
void touch_spread(thud_sim *sim); // of geoms deep inside each other four stay. spread.c

// As memcpy; large blocks are shared by the threads.
void sim_copy_shared(const thud_sim *sim, const void *from, size_t bytes, void *to);
static inline void sim_copy(const thud_sim *sim, const void *from, size_t bytes, void *to)
{
    if (sim->pool) {
        sim_copy_shared(sim, from, bytes, to);
    } else {
        memcpy(to, from, bytes); // of small scenes each call counts
    }
}
static inline void sim_copy_numbers(const thud_sim *sim, int n, const double *from, double *to)
{
    if (sim->pool) {
        sim_copy_shared(sim, from, (size_t)n * sizeof *to, to);
    } else {
        copy_numbers(n, from, to);
    }
}

// A frame of a body in the world, where the links are.
thud_pose sim_frame(const thud_sim *sim, int body, thud_pose in_body);

// ---------------------------------------------------------------------------------------------- sleep

thud_status sleep_create(thud_sim *sim); // if the options ask for it
void sleep_destroy(struct sleep *z);     // NULL is allowed
bool sim_grove_sleeps(const thud_sim *sim, int grove);
bool sim_link_sleeps(const thud_sim *sim, int link);                 // false for -1
bool sim_contact_sleeps(const thud_sim *sim, const thud_contact *c); // one side of it
const bool *sleep_still(const thud_sim *sim);                        // geoms, for a query; NULL: all may move
void sleep_none(thud_sim *sim);                                      // all are awake
// Finds the sleepers as a step from s begins, under tau, and the impulses of those just woken. False: no room for these.
bool sleep_begin(thud_sim *sim, const thud_state *s, const double *tau);
// Whether a contact that is active has a side that sleeps; and, then, the groups of those awake. False: no room.
bool sleep_is_touched(const thud_sim *sim);
bool sleep_wake(thud_sim *sim, const thud_state *s);
// Puts groves to sleep at (q_next, v_next), with the links there; counts them in the certificate.
void sleep_settle(thud_sim *sim, const thud_state *s, const double *tau);
bool sleep_fits(const thud_sim *sim, const thud_state *s); // there is room for the impulses of sleepers
void sleep_keep(const thud_sim *sim, thud_state *s);

// A contact's gap as the query found it; and where the links are. The gap function is made when first needed, at the poses of the query.
thud_gap_value touch_found(const thud_contact *c);
thud_gap_value touch_gap(thud_sim *sim, touch *t);
// The motion of a geom since the query; NULL: none. Whether it is too small to matter at a rough tolerance.
const thud_shift *touch_shift(thud_sim *sim, int geom, int body);
bool touch_stays(thud_sim *sim, const thud_contact *c);
// Finds where the geoms of active contacts are, so that threads may ask for their gaps.
void touch_find_geoms(thud_sim *sim);

// Which candidates act, given V and V_free: all that are near, if asked or needed (true), or only those that touch. Then those
// that were left out and close under what push, now a change of velocity, makes of v_free: whether there are any.
bool activate_near(thud_sim *sim, double h, bool all);
bool activate_missed(thud_sim *sim, double h);

// The constraints' share of the acceleration, given the smooth one (acc) where the dynamics were last
// evaluated (at q): fills push. again: it was just asked there, and only acc has changed since.
substep_result sim_constrain(thud_sim *sim, double h, bool again);

// Whether the rows of the problem last assembled are those that a step of h would assemble now, to the bit; and notes what those
// just assembled were made from. there: the links are where the query was. stay.c
bool rows_stay(const thud_sim *sim, double h, bool there);
void rows_note(thud_sim *sim, double h, bool there);

// Keeps the impulses just solved for, to start the next problem from. False: there is no room for them.
bool sim_remember(thud_sim *sim, double h);

substep_result sim_solve_island(thud_sim *sim, const thud_island *island); // by the law, into the certificate
// The verdict on an island of so many blocks, likewise.
substep_result sim_accept(thud_sim *sim, int blocks, const law_verdict *v);
// Memory, threads and switches for solving the islands of the rows. answer.c
law_work sim_work(thud_sim *sim);

// A contact's restitution if it is approaching fast enough; 0 otherwise. With restitution it flies on until it
// touches.
double bounce_of(const thud_sim *sim, const touch *t);
// Contacts that meet within a substep: strike.c. Whether one has no rows because it strikes, or strikes or leaves; whether something
// that strikes touches at (q_start, v_start); a collision of it is counted.
bool touch_strikes(const thud_sim *sim, const touch *t);
bool touch_flies(const thud_sim *sim, const touch *t);
bool strike_now(const thud_sim *sim);
bool bounce_now(const thud_sim *sim); // of those, something that springs back
void strike_count(thud_sim *sim);
void strike_count_cut(thud_sim *sim,
                      double h); // a substep of h ended; where time does not go on any more, nothing strikes
void strike_give_up(thud_sim *sim); // nothing strikes for the rest of the step
void strike_create(thud_sim *sim);
void strike_begin(thud_sim *sim); // of a step
// Shortens a substep of h, which was tried, to where the first of them touches, or comes back.
double strike_limit(thud_sim *sim,
                    double h); // a substep of h, shortened where something spins fast near something else
substep_result strike_find(thud_sim *sim, const double *tau, double *h);
bool touch_leaves(const thud_sim *sim, const touch *t);  // it has sprung back and will come back
bool touch_is_fast(const thud_sim *sim, const touch *t); // it could pass through
// From (q_start, v_start) over h to (q_next, v_next); after touch_begin; and by which integrator. attempt.c
thud_integrator attempt_scheme(const thud_sim *sim);
substep_result step_attempt(thud_sim *sim, const double *tau, double h, double *settled);
const thud_pose *touch_place(thud_sim *sim,
                             int geom); // of a geom where the links are. touch.c
// The collision of all that touches at q_start: its impulses into `rows`, the velocities that they add into push; *kinetic: J, before
// it. Then v_start changes by them.
substep_result sim_bounce(thud_sim *sim, double *kinetic);
void sim_bounce_end(thud_sim *sim, double kinetic);

// Rows of joint limits, dry friction and equalities where the links are; the same as corrections of q_next;
// and the largest error at qpos, where the links are, of those that can be put right; beside: of those that cannot.
bool loops_any(const thud_model *m);
thud_status loops_create(thud_sim *sim); // lists the joints with limits
void loops_find_planes(thud_sim *sim);   // moves the links
bool tendon_rows_any(const thud_model *m);
void loops_begin(thud_sim *sim); // at (q_start, v_start), where the links are
thud_status loops_add(thud_sim *sim, double h);
bool loops_stay(const thud_sim *sim,
                double h);             // its rows follow from h and where the links are
thud_status loops_hold(thud_sim *sim); // in a collision at q_start
thud_status loops_correct(thud_sim *sim, double reach);
double loops_error(const thud_sim *sim, const double *qpos, double *beside);

// q_next along dq. A joint that does not move keeps every bit, so that the next query finds it unchanged.
void sim_move_some(thud_sim *sim);
// Contacts that are to be put right: those that some joint parts and that are not given up. mobility.c
bool settle_counts(const thud_sim *sim, const thud_contact *c);

// ---------------------------------------------------------------------------------------------- certificate

// Judges the step from s to (q_next, v_next).
void sim_certify(thud_sim *sim, const double *tau, const thud_state *s, thud_certificate *out);
// Judges a substep where it was solved: momentum, velocities, contacts; and the work of the constraints. The same of a collision at
// q_start, before v_start changes by push. judge_step.c
void sim_judge(thud_sim *sim, double h);
void sim_judge_collision(thud_sim *sim);
// How far bodies moved from q_found to q_next, where errors up to `misfit` were put right. Judges where a step from s ended, after
// it is certified: overlaps, loops and limits, energy. trust.c
void sim_judge_projection(thud_sim *sim);
// Who went through another body between q_start and q_next is doubted. judge_way.c
void sim_judge_way(thud_sim *sim);
bool sim_projected_too_far(thud_sim *sim); // before the judge would say so
void sim_judge_end(thud_sim *sim, const thud_state *s, const thud_certificate *c);
void sim_settle_doubts(thud_sim *sim,
                       thud_certificate *c); // the step stands; c NULL: without a certificate. doubts.c

// ---------------------------------------------------------------------------------------------- a step

typedef struct advance { // how far a step is
    const thud_state *s; // it began from
    const double *tau;
    double part;        // s: the longest substep that is tried
    double left;        // s: of the step, when this substep begins
    double h;           // s: this substep
    double settled;     // relative change of velocity by its last evaluation
    double fixed_point; // the most of these: the certificate's
} advance;

// A step of s under tau, from its check to the state that it leads to (whole.c of the room above calls these in turn):
//
//     step_enter                                  the scratch is that of this step
//     step_begin                                  where it begins, and the guess of its accelerations
//     while time is left:
//         step_open                               the next substep: constraints that may act in it
//         while step_collides: sim_bounce, sim_bounce_end, step_open
//         step_solve                              q_next, v_next; SUBSTEP_AGAIN: from step_open, shorter or with others awake
//         step_close                              activations, impulses
//         settle_positions (settle/door.h)        positions put right
//         step_go_on                              if the step is not over: from where this substep ended
//     step_settle, sim_certify, step_keep         the result is finite and fits; the certificate; the state
//
// NOT_FINITE: s or tau are not. SUBSTEP_NO_MEMORY: more contacts than there is room for.
thud_status step_enter(thud_sim *sim, const double *tau, const thud_state *s, bool certify);
substep_result step_begin(thud_sim *sim, const double *tau, const thud_state *s, advance *a);
substep_result step_open(thud_sim *sim, advance *a);
// Whether what would collide now touches something asleep, which is then awake: the substep is to be opened again.
bool step_wakes(thud_sim *sim, const advance *a);
bool step_collides(thud_sim *sim);
substep_result step_solve(thud_sim *sim, advance *a);
substep_result step_close(thud_sim *sim, advance *a);
void step_go_on(thud_sim *sim, const advance *a);
thud_status step_settle(thud_sim *sim, const double *tau,
                        const thud_state *s); // the result is finite and fits; sleep
void step_keep(thud_sim *sim, thud_state *s); // into s: the step stands

// create.c: a sim without the parts of the rooms above. sim_destroy(NULL) is allowed.
thud_status sim_refuse(const thud_model *m, const thud_step_options *o, thud_diag *diag);
// o: that sim_refuse let pass; borrows: it is a part of another sim, and has no scratch of its own. NULL unless OK.
thud_status sim_create(const thud_model *m, const thud_step_options *o, bool borrows, thud_sim **out);
void sim_destroy(thud_sim *sim);
// Room for more contacts, but for scratch; the scratch of all workers.
thud_status sim_reserve_more(thud_sim *sim, thud_state *s);
thud_status sim_renew_scratch(thud_sim *sim, size_t bytes);
