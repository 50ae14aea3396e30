// SPDX-License-Identifier: Apache-2.0
// constrain.c: the contact problem of one evaluation: rows, islands, a law, and the constraints' share of the
// acceleration.
//
// The demand of a normal row [theory 7], by law:
//     cone                                u_n+ >= -max(phi, 0)/h: a gap may close but not pass zero
//     stewart-trinkle, its linear form    phi(q^) + J_n (q+ - q^) >= min(phi(q), 0): an overlap at the start is not
//                                         removed through v, which would be a kick of -phi/h, but by projection
//     the others                          u_n+ >= 0 if it touches; otherwise it has no row. A gap of less
//                                         than 4 g h^2 counts as touching, and may close the rest of its
//                                         gap: a projection can leave that much, and the next step must not
//                                         miss it.
//
// The midpoint step takes G from q_m but means velocities at its ends, v in the frame of q and v+ in that of
// q+. The frames turn by the same amount in both halves, so it adds (G(q_m) - G(q)) v to u+. Then G(q_m)(v +
// v+) = 0 for a contact or loop that holds at both ends, and it does no work; without the term every turning
// constraint would be a small impact in every step (a four-bar linkage lost 7 % of its energy in 2 s at 1 ms;
// with it the error is 1e-4 and of second order).
#include <math.h>
#include <string.h>

#include "approach.h"

typedef struct question { // asked of every contact
    thud_sim *sim;
    double h;
    thud_ask ask;
    bool there; // the links are where the query was
} question;

// Those of some contacts that are asked for soon: in between are others that do not act.
enum { CROWD = 400, SOON = 4 }; // among more than so many; so many at once
static void fetch_contacts(const touch *t)
{
    for (int k = 0; k < SOON; k++) {
        if (t[k].active) {
            fetch_contact(t[k].contact);
            __builtin_prefetch(t[k].contact->law.kinetic);
        }
    }
}

// A contact where the links are.
static void find_gap(const question *q, int number, thud_contact_now *to)
{
    thud_sim *sim = q->sim;
    THUD_ASSERT(number >= 0 && number < sim->sight.touches && sim->sight.touch[number].active);
    touch *t = &sim->sight.touch[number];
    const thud_contact *c = t->contact;
    if (sim->sight.touches > CROWD && number + FETCH < sim->sight.touches) {
        fetch_contacts(t + FETCH - SOON);
    }
    const thud_gap_value g = q->there ? touch_found(c) : touch_gap(sim, t);
    *to = (thud_contact_now){.contact = c,
                             .point = v3_scale(0.5, v3_add(g.point[0], g.point[1])),
                             .normal = g.normal,
                             .phi = t->phi,
                             .now = g.phi,
                             .u = {t->u[0], t->u[1], t->u[2]},
                             .dim = c->law.condim,
                             .source = number};
}

enum { SHARE = 64 }; // contacts that one thread lists
static const double TURN =
    1e-4; // of gravity's change of velocity in a step: turns of G v below it are left out

typedef struct left_out { // a contact that is near but without rows
    int link;
    double open;
} left_out;

typedef struct tally { // of some contacts
    int act, left;
} tally;

typedef struct listing { // of contacts
    const question *of;
    const thud_sim *sim;
    tally *share;          // how many of each, then where they begin
    thud_contact_now *gap; // of those that act
    left_out *left;        // that are near but do not
} listing;

static inline bool is_left_out(const touch *t)
{
    return !t->active && t->open > 0;
}

static void count_some(void *of, int first, int end, int worker)
{
    const listing *l = of;
    (void)worker;
    for (int k = first; k < end; k++) {
        tally count = {0, 0};
        for (int i = k * SHARE; i < thud_share_end(k, SHARE, l->sim->sight.touches); i++) {
            count.act += l->sim->sight.touch[i].active;
            count.left += is_left_out(&l->sim->sight.touch[i]);
        }
        l->share[k] = count;
    }
}

// Contacts first to end - 1, from `at` on; returns where they end.
static tally list_range(const listing *l, int first, int end, tally at)
{
    THUD_ASSERT(0 <= first && first <= end && end <= l->sim->sight.touches);
    for (int i = first; i < end; i++) {
        const touch *t = &l->sim->sight.touch[i];
        if (t->active) {
            find_gap(l->of, i, &l->gap[at.act++]);
        } else if (is_left_out(t)) {
            l->left[at.left++] = (left_out){t->link, t->open};
        }
    }
    return at;
}

static void list_some(void *of, int first, int end, int worker)
{
    const listing *l = of;
    (void)worker;
    for (int k = first; k < end; k++) {
        (void)list_range(l, k * SHARE, thud_share_end(k, SHARE, l->sim->sight.touches), l->share[k]);
    }
}

// By all threads; returns how many there are.
static tally list_shares(thud_sim *sim, listing *l, int shares)
{
    enum { FEW = 4 }; // shares of a list, about 4 us
    tally all = {0, 0};
    thud_pool_run(sim->pool, shares, FEW, count_some, l);
    for (int k = 0; k < shares; k++) {
        const tally here = l->share[k];
        l->share[k] = all;
        all = (tally){all.act + here.act, all.left + here.left};
    }
    thud_pool_run(sim->pool, shares, 1, list_some, l);
    return all;
}

// Their memory is the arena's, until the rows are prepared.
static thud_status add_contacts(const question *q)
{
    thud_sim *sim = q->sim;
    const int shares = (sim->sight.touches + SHARE - 1) / SHARE;
    const size_t touches = (size_t)sim->sight.touches;
    listing l = {q, sim, thud_arena_push(sim->answer.scratch, (size_t)shares, sizeof *l.share),
                 thud_arena_push(sim->answer.scratch, touches, sizeof *l.gap),
                 thud_arena_push(sim->answer.scratch, touches, sizeof *l.left)};
    if (!l.share || !l.gap || !l.left) {
        return THUD_NO_MEMORY;
    }
    if (!q->there) {
        touch_find_geoms(sim);
    }
    const tally all = shares == 1 || !sim->pool ? list_range(&l, 0, sim->sight.touches, (tally){0, 0})
                                                : list_shares(sim, &l, shares);
    const thud_contact_asked asked = {.ask = q->ask,
                                      .moved = !q->there,
                                      .closed = sim_no_gap(sim, q->h),
                                      .small = TURN * sim->g * q->h,
                                      .V = sim->fall.V,
                                      .V_hat = sim->fall.V_hat};
    const thud_status status = thud_rows_add_contacts(sim->ask.rows, &asked, l.gap, all.act);
    for (int k = 0; k < all.left; k++) {
        thud_rows_leave_out(sim->ask.rows, l.left[k].link, l.left[k].open);
    }
    sim->judge.c.contacts = all.act;
    return status;
}

static void fall(const thud_sim *sim, double h, int first, int end)
{
    const double *v = sim->begun.v_start, *acc = sim->fall.acc;
    double *restrict free = sim->fall.v_free;
    for (int i = first; i < end; i++) {
        free[i] = v[i] + h * acc[i];
    }
}

// The same where the links are those of the query: a body at rest often has the free velocity of the last step, to the bit.
static void fall_in_place(thud_sim *sim, double h)
{
    bool other = sim->fall.fallen != sim->fall.placements || sim->sleep;
    for (int i = 0; i < sim->m->nv; i++) {
        const double to = sim->begun.v_start[i] + h * sim->fall.acc[i];
        other = other || !same_numbers(1, &to, &sim->fall.v_free[i]);
        sim->fall.v_free[i] = to;
    }
    sim->ask.made.alike = !other;
    if (other) {
        sim_twists(sim, sim->fall.v_free, sim->fall.V_free);
        sim->fall.fallen = sim->fall.placements;
    }
}

// Velocities without impulses. again: the links are where they were.
static void move_freely(thud_sim *sim, double h, thud_ask a, bool again)
{
    const thud_model *m = sim->m;
    sim->ask.made.alike = false;
    if (again) {
        fall(sim, h, 0, m->nv);
        sim_twists(sim, sim->fall.v_free, sim->fall.V_free);
    } else if (touch_is_there(sim)) {
        fall_in_place(sim, h);
    } else {
        sim_twists_of_two(sim, (dof_pass){fall, h}, sim->begun.v_start, sim->fall.V, sim->fall.v_free,
                          sim->fall.V_free);
    }
    if (a == THUD_ASK_POSITION) {
        thud_qpos_difference(m, sim->begun.q_start, sim->fall.q, sim->fall.v_hat);
        for (int i = 0; i < m->nv; i++) {
            sim->fall.v_hat[i] /= h;
        }
        sim_twists(sim, sim->fall.v_hat, sim->fall.V_hat);
    }
}

static int count_active(const thud_sim *sim)
{
    int count = 0;
    for (int i = 0; i < sim->sight.touches; i++) {
        count += sim->sight.touch[i].active;
    }
    return count;
}

// Whether the rows are the last ones: those of a round at the same place if no contact has come to act, or those of what has not
// moved by a bit.
static bool are_there(thud_sim *sim, double h, bool again, bool there)
{
    if (again && count_active(sim) == sim->judge.c.contacts) {
        return true;
    }
    const bool stay = rows_stay(sim, h, there);
    sim->judge.c.contacts = stay ? sim->ask.made.contacts : sim->judge.c.contacts;
    return stay;
}

static thud_status make_rows(const question *q)
{
    thud_sim *sim = q->sim;
    thud_rows_begin(sim->ask.rows, sim->d, q->h);
    THUD_TRY(add_contacts(q));
    THUD_TRY(loops_add(sim, q->h));
    if (thud_rows_blocks(sim->ask.rows) > 0) {
        THUD_TRY(thud_rows_prepare(sim->ask.rows, sim->fall.V, sim->fall.V_free, sim->answer.warm,
                                   sim->answer.warm_count, sim->answer.warm_h));
        rows_note(sim, q->h, q->there);
    }
    return THUD_OK;
}

// stays: the rows are the last ones; their free velocities are yet to be measured.
static thud_status assemble(thud_sim *sim, double h, bool again, bool *stays)
{
    const thud_ask ask = sim_ask(sim);
    question q = {sim, h, ask, ask != THUD_ASK_POSITION && touch_is_there(sim)};
    bool same = false; // impulses
    *stays =
        are_there(sim, h, again, q.there) &&
        thud_rows_repeat(sim->ask.rows, sim->answer.warm, sim->answer.warm_count, sim->answer.warm_h, &same);
    sim->ask.made.alike = sim->ask.made.alike && sim->ask.made.judged && *stays && same;
    if (*stays) {
        return THUD_OK;
    }
    const size_t mark = thud_arena_mark(sim->answer.scratch);
    const thud_status status = make_rows(&q);
    thud_arena_release(sim->answer.scratch, mark);
    return status;
}

bool sim_holds(const thud_sim *sim)
{
    return sim->constrained && thud_rows_blocks(sim->ask.rows) > 0;
}

// The last step's impulses may still be the answer: nothing moves, or moves steadily. Their residual shows it
// to a hundredth of the tolerance, for one pass over the trees, where a solve needs W and a factor. It does
// not show whether they are still the choice of equal compliance among many [theory 7]; they were, and what
// does not change its residual changes the choice but slowly, so every 256th step is solved all the same. Who asks for a
// rough answer takes any, and what is new may be without impulses. Of few contacts that act on each other it is known
// beforehand that they do not: where accelerations changed in the last step, so do impulses in this one.
static bool may_still_hold(const thud_sim *sim)
{
    enum { RENEWED = 256, FEW = 100 };
    if (sim_rough(sim)) {
        return sim->answer.warm_count > 0;
    }
    const bool steady = thud_rows_islands(sim->ask.rows) == 1 ? sim->begun.steady : sim->begun.one_steady;
    bool may = false;
    for (int i = 0; !may && i < thud_rows_islands(sim->ask.rows); i++) {
        const thud_standing island = thud_rows_standing(sim->ask.rows, i);
        may = island.familiar && (steady || island.blocks > FEW);
    }
    return may && sim_exact(sim) && sim->begun.step % RENEWED != 0;
}

// Impulses that brought the bodies to rest are those of halfway there, and loads turn with what they press on: held, they
// would leave a motion that the next solve has to stop again, and so on. Those of the step after it hold.
static bool still_holds(const thud_sim *sim, const thud_standing *island)
{
    static const double SHARP = 0.01, SHARPER = 1e-4;
    const double tolerance = sim->o.law.tolerance; // the comparisons are false for NaN
    return sim_rough(sim)
               ? island->residual <= tolerance
               : island->familiar && island->residual <= (sim->begun.stopped ? SHARPER : SHARP) * tolerance;
}

// What became of the last impulses: push, and whether they still are the answer everywhere. V_free: as the judge takes it, who is
// not asked the same twice.
static bool all_hold(thud_sim *sim, const thud_motion *V_free)
{
    if (sim->ask.made.alike) {
        sim_copy_numbers(sim, sim->m->nv, sim->answer.held, sim->answer.push);
        thud_rows_judge_alike(sim->ask.rows);
    } else {
        thud_rows_respond(sim->ask.rows, sim->d, sim->answer.push);
        thud_rows_judge(sim->ask.rows, V_free, sim->answer.push);
        sim_copy_numbers(sim, sim->m->nv, sim->answer.push, sim->answer.held);
        sim->ask.made.judged = true;
    }
    bool all = true;
    for (int i = 0; all && i < thud_rows_islands(sim->ask.rows); i++) {
        const thud_standing island = thud_rows_standing(sim->ask.rows, i);
        all = still_holds(sim, &island);
        sim->answer.cone_residual =
            greater_of(island.residual, sim->answer.cone_residual); // which may be NaN
    }
    return all;
}

// Solves every island that the last impulses do not, into push; the residuals of the worst go into the
// certificate.
// Which islands the last impulses still solve.
static void find_held(const thud_sim *sim)
{
    for (int i = 0; i < thud_rows_islands(sim->ask.rows); i++) {
        const thud_standing island = thud_rows_standing(sim->ask.rows, i);
        sim->answer.verdict[i] = (law_verdict){.held = still_holds(sim, &island)};
    }
}

static substep_result solve(thud_sim *sim, bool stays)
{
    substep_result worst = SUBSTEP_DONE;
    sim->answer.cone_residual = sim->answer.lcp_residual = 0;
    bool responded = may_still_hold(sim);
    if (stays && !responded) {
        thud_rows_measure(sim->ask.rows, sim->fall.V_free);
    }
    if (responded && all_hold(sim, stays ? sim->fall.V_free : NULL)) {
        return SUBSTEP_DONE;
    }
    sim->answer.cone_residual = 0;
    sim->ask.made.judged = false;
    const law_work work = sim_work(sim);
    find_held(sim);
    law_solve_islands(&work, &sim->o.law, sim->answer.verdict);
    for (int i = 0; i < thud_rows_islands(sim->ask.rows); i++) {
        const thud_standing island = thud_rows_standing(sim->ask.rows, i);
        if (sim->answer.verdict[i].held) {
            sim->answer.cone_residual = greater_of(island.residual, sim->answer.cone_residual);
            continue;
        }
        responded = false;
        sim->answer.sketched = sim->answer.sketched || sim->answer.verdict[i].sketched;
        const substep_result result = sim_accept(sim, island.blocks, &sim->answer.verdict[i]);
        if (result == SUBSTEP_NO_MEMORY) {
            return result;
        }
        worst = result == SUBSTEP_DONE ? worst : result;
    }
    if (!responded) {
        thud_rows_respond(sim->ask.rows, sim->d, sim->answer.push);
    }
    return worst;
}

// The problem of the contacts that act; push becomes the change of velocities by its impulses.
static substep_result constrain_once(thud_sim *sim, double h, bool again)
{
    THUD_ASSERT(h > 0);
    if (sim->sleep && sleep_is_touched(sim)) {
        return SUBSTEP_WAKE;
    }
    bool stays = false;
    const thud_status status = assemble(sim, h, again, &stays);
    if (status != THUD_OK) {
        return substep_of(status);
    }
    if (thud_rows_blocks(sim->ask.rows) == 0) {
        memset(sim->answer.push, 0, (size_t)sim->m->nv * sizeof(double));
        return SUBSTEP_DONE;
    }
    return solve(sim, stays);
}

static void push_over_time(const thud_sim *sim, double h, int first, int end)
{
    for (int i = first; i < end; i++) {
        sim->answer.push[i] /= h;
    }
}

substep_result sim_constrain(thud_sim *sim, double h, bool again)
{
    THUD_ASSERT(h > 0);
    enum { TRIES = 4 }; // then all that is near acts
    if (!sim->constrained) {
        return SUBSTEP_DONE;
    }
    if (sim->sight.touches == 0 && !sim->ask.loops) { // there is nothing that could act
        thud_rows_begin(sim->ask.rows, sim->d, h);
        memset(sim->answer.push, 0, (size_t)sim->m->nv * sizeof(double));
        sim->judge.c.contacts = 0;
        return SUBSTEP_DONE;
    }
    move_freely(sim, h, sim_ask(sim), again);
    bool all = activate_near(sim, h, false);
    substep_result result = constrain_once(sim, h, again);
    for (int k = 1; result == SUBSTEP_DONE && !all && activate_missed(sim, h); k++) {
        all = k == TRIES && activate_near(sim, h, true);
        result = constrain_once(sim, h, false);
    }
    if (sim->pool) {
        sim_pass(sim, (dof_pass){push_over_time, h});
    } else {
        push_over_time(sim, h, 0, sim->m->nv);
    }
    return result;
}

bool sim_remember(thud_sim *sim, double h)
{
    THUD_ASSERT(h > 0 && sim->constrained);
    const int count = thud_rows_blocks(sim->ask.rows) > 0
                          ? thud_rows_impulses(sim->ask.rows, sim->answer.warm, sim->answer.warm_capacity)
                          : 0;
    sim->answer.warm_count = count < 0 ? 0 : count;
    sim->answer.warm_h = h;
    return count >= 0;
}
