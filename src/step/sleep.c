// SPDX-License-Identifier: Apache-2.0
// sleep.c: which groves sleep, and which wake.
//
// The unit is a grove: whole trees. What touches falls asleep together, as a group named by its first link, and wakes
// together. A grove is asleep in a step if nothing was done to it since (its positions and the mocap bodies still have
// the mark they had, its velocities are zero, no force is applied); a contact between it and something awake that would
// act ends the attempt (SUBSTEP_WAKE), which is repeated with the group awake and its old impulses to start from. So
// what acts on a sleeper is decided by the rule for all contacts (constrain.c), and no step is taken in which a contact
// was left out that would have acted.
//
// All of it is in the state (thud_rest, thud_kept); the sim works on a copy, and a step that fails changes nothing.
#include <math.h>
#include <string.h>

#include <thud/spatial_inline.h>

#include "sim.h"

struct sleep {
    int *grove_of;   // links
    bool *may;       // groves: nothing drives or ties them
    bool *asleep;    // groves
    int *joined;     // groves: another of its group, or itself; scratch
    bool *awake;     // links: scratch, by the name of a group
    bool *still;     // geoms that do not move: of fixed or sleeping bodies
    thud_rest *rest; // links
    int count;       // groves that sleep
};

// ---------------------------------------------------------------------------------------------- create

static void tie_link(const thud_sim *sim, int link)
{
    if (link >= 0) {
        sim->sleep->may[sim->sleep->grove_of[link]] = false;
    }
}

static void tie_body(const thud_sim *sim, int body)
{
    tie_link(sim, sim->m->body_link[body]);
}

static void tie_tendon(const thud_sim *sim, int t)
{
    const thud_model *m = sim->m;
    for (int w = m->tendon_wrap[t]; w < m->tendon_wrap[t] + m->tendon_wraps[t]; w++) {
        const int object = m->wrap_object[w];
        if (object >= 0 && m->wrap_type[w] == THUD_WRAP_JOINT) {
            tie_link(sim, object);
        } else if (object >= 0) {
            tie_body(sim, m->wrap_type[w] == THUD_WRAP_SITE ? m->site_body[object] : m->geom_body[object]);
        }
    }
}

// Groves with actuators, tendons or equalities may be moved at any time.
static void tie_driven(const thud_sim *sim)
{
    const thud_model *m = sim->m;
    for (int i = 0; i < m->actuators; i++) {
        const int target = m->actuator_target[i], reference = m->actuator_reference[i];
        switch ((thud_transmission)m->actuator_transmission[i]) {
        case THUD_TRANSMISSION_JOINT:
        case THUD_TRANSMISSION_JOINT_IN_PARENT:
            tie_link(sim, target);
            break;
        case THUD_TRANSMISSION_TENDON:
            tie_tendon(sim, target);
            break;
        case THUD_TRANSMISSION_BODY:
            break;
        default:
            tie_body(sim, m->site_body[target]);
            if (reference >= 0) {
                tie_body(sim, m->site_body[reference]);
            }
        }
    }
    for (int t = 0; t < m->tendons; t++) {
        tie_tendon(sim, t);
    }
    for (int e = 0; e < m->equalities; e++) {
        const bool joints = m->eq_type[e] == THUD_EQUALITY_JOINT,
                   tendons = m->eq_type[e] == THUD_EQUALITY_TENDON;
        const int of[2] = {m->eq_obj1[e], m->eq_obj2[e]};
        for (int k = 0; k < 2 && !tendons; k++) {
            if (of[k] >= 0) {
                (joints ? tie_link : tie_body)(sim, of[k]);
            }
        }
    }
}

thud_status sleep_create(thud_sim *sim)
{
    if (!(sim->o.sleep.speed > 0) || !sim->constrained) {
        return THUD_OK;
    }
    const thud_model *m = sim->m;
    const size_t links = (size_t)m->joints + 1, groves = (size_t)sim->d->groves + 1;
    struct sleep *const z = sim->sleep = thud_alloc(1, sizeof *z);
    if (!z) {
        return THUD_NO_MEMORY;
    }
    z->grove_of = thud_alloc(links, sizeof *z->grove_of);
    z->may = thud_alloc(groves, sizeof *z->may);
    z->asleep = thud_alloc(groves, sizeof *z->asleep);
    z->joined = thud_alloc(groves, sizeof *z->joined);
    z->awake = thud_alloc(links, sizeof *z->awake);
    z->still = thud_alloc((size_t)m->geoms + 1, sizeof *z->still);
    z->rest = thud_alloc(links, sizeof *z->rest);
    if (!z->grove_of || !z->may || !z->asleep || !z->joined || !z->awake || !z->still || !z->rest) {
        return THUD_NO_MEMORY;
    }
    for (int g = 0; g < sim->d->groves; g++) {
        z->may[g] = true;
        for (int i = sim->d->grove[g]; i < sim->d->grove[g + 1]; i++) {
            z->grove_of[i] = g;
        }
    }
    tie_driven(sim);
    return THUD_OK;
}

void sleep_destroy(struct sleep *z)
{
    if (z) {
        thud_free(z->grove_of);
        thud_free(z->may);
        thud_free(z->asleep);
        thud_free(z->joined);
        thud_free(z->awake);
        thud_free(z->still);
        thud_free(z->rest);
        thud_free(z);
    }
}

// ---------------------------------------------------------------------------------------------- questions

bool sim_grove_sleeps(const thud_sim *sim, int grove)
{
    return sim->sleep && sim->sleep->asleep[grove];
}

bool sim_link_sleeps(const thud_sim *sim, int link)
{
    return sim->sleep && link >= 0 && sim->sleep->asleep[sim->sleep->grove_of[link]];
}

bool sim_contact_sleeps(const thud_sim *sim, const thud_contact *c)
{
    return sim->sleep && (sim_link_sleeps(sim, sim->m->body_link[c->body1]) ||
                          sim_link_sleeps(sim, sim->m->body_link[c->body2]));
}

const bool *sleep_still(const thud_sim *sim)
{
    return sim->sleep ? sim->sleep->still : NULL;
}

// The link that names the group a resting link is of; -1: it is awake.
static int group_of(const thud_rest *rest, int links)
{
    const double group = -1 - rest->still;
    return group >= 0 && group < links ? (int)group : -1;
}

bool thud_sim_sleeps(const thud_sim *sim, const thud_state *s, int body)
{
    int link = sim->m->body_link[body];
    while (link >= 0 && sim->m->link_parent[link] >= 0) {
        link = sim->m->link_parent[link];
    }
    return link >= 0 && sim->sleep &&
           group_of(&s->rest[sim->d->grove[sim->sleep->grove_of[link]]], s->nl) >= 0;
}

// ---------------------------------------------------------------------------------------------- impulses

static void sift(thud_warm *warm, int root, int count)
{
    for (int child = 2 * root + 1; child < count; child = 2 * root + 1) {
        child += child + 1 < count && warm[child].id < warm[child + 1].id;
        if (warm[root].id >= warm[child].id) {
            return;
        }
        const thud_warm swap = warm[root];
        warm[root] = warm[child];
        warm[child] = swap;
        root = child;
    }
}

static void sort_warm(thud_warm *warm, int count) // by id: in place
{
    for (int i = count / 2 - 1; i >= 0; i--) {
        sift(warm, i, count);
    }
    for (int last = count - 1; last > 0; last--) {
        const thud_warm swap = warm[0];
        warm[0] = warm[last];
        warm[last] = swap;
        sift(warm, 0, last);
    }
}

// The impulses of the groups in `awake` (NULL: of all) among those of the last step. False: there is no room.
static bool recall(thud_sim *sim, const thud_state *s, const bool *awake)
{
    const int before = sim->answer.warm_count;
    for (int i = 0; i < s->kept_count; i++) {
        const int64_t group = s->kept[i].group;
        if (awake && !(group >= 0 && group < s->nl && awake[group])) {
            continue;
        }
        if (sim->answer.warm_count == sim->answer.warm_capacity) {
            return false;
        }
        sim->answer.warm_h = sim->answer.warm_count > 0 ? sim->answer.warm_h : sim->o.h;
        thud_warm *w = &sim->answer.warm[sim->answer.warm_count++];
        *w = s->kept[i].warm;
        for (int k = 0; k < 6; k++) {
            w->p[k] *= sim->answer.warm_h / sim->o.h;
        }
    }
    if (sim->answer.warm_count > before) {
        sort_warm(sim->answer.warm, sim->answer.warm_count);
    }
    return true;
}

// ---------------------------------------------------------------------------------------------- sleepers

// A number that tells where a grove and the mocap bodies are, to the bit.
static double mark_of(const thud_sim *sim, const double *qpos, const double *mocap, int grove)
{
    const thud_model *m = sim->m;
    const int link = sim->d->grove[grove], next = sim->d->grove[grove + 1];
    const int first = m->joint_q[link], end = next < m->joints ? m->joint_q[next] : m->nq;
    uint64_t h = thud_hash(THUD_HASH_START, qpos + first, (size_t)(end - first) * sizeof(double));
    h = thud_hash(h, mocap, 7 * (size_t)m->mocaps * sizeof(double));
    return (double)(h >> 11); // 53 bits
}

static bool any_of(const thud_sim *sim, const double *x, int grove) // of its dofs is not zero
{
    const thud_model *m = sim->m;
    bool any = false;
    for (int i = sim->d->grove[grove]; x && i < sim->d->grove[grove + 1]; i++) {
        for (int k = m->joint_v[i]; k < m->joint_v[i] + m->joint_dofs[i]; k++) {
            any |= x[k] != 0;
        }
    }
    return any;
}

// Sleepers are where they are and go nowhere.
static void freeze(thud_sim *sim, int grove)
{
    double *const zero[] = {sim->begun.v_start, sim->begun.guess, sim->fall.acc,
                            sim->fall.before,   sim->answer.push, sim->go.v_next};
    const thud_model *m = sim->m;
    for (int i = sim->d->grove[grove]; i < sim->d->grove[grove + 1]; i++) {
        for (size_t k = 0; k < sizeof zero / sizeof zero[0]; k++) {
            memset(zero[k] + m->joint_v[i], 0, (size_t)m->joint_dofs[i] * sizeof(double));
        }
    }
}

// After a change of `asleep`: what a query found of those now awake is not all of it.
static void take_stock(thud_sim *sim)
{
    struct sleep *z = sim->sleep;
    const thud_model *m = sim->m;
    z->count = 0;
    for (int g = 0; g < sim->d->groves; g++) {
        z->count += z->asleep[g];
        if (z->asleep[g]) {
            freeze(sim, g);
        }
    }
    for (int g = 0; g < m->geoms; g++) {
        const int link = m->body_link[m->geom_body[g]];
        const bool still = link < 0 || sim_link_sleeps(sim, link);
        sim->sight.here.known &= still || !z->still[g];
        z->still[g] = still;
    }
}

void sleep_none(thud_sim *sim)
{
    if (sim->sleep) {
        memset(sim->sleep->asleep, 0, (size_t)sim->d->groves * sizeof(bool));
        take_stock(sim);
    }
}

bool sleep_begin(thud_sim *sim, const thud_state *s, const double *tau)
{
    struct sleep *z = sim->sleep;
    if (!z) {
        return recall(sim, s, NULL);
    }
    const int groves = sim->d->groves;
    memcpy(z->rest, s->rest, (size_t)s->nl * sizeof *z->rest);
    memset(z->awake, 0, (size_t)s->nl * sizeof *z->awake);
    for (int g = 0; g < groves; g++) { // a grove that was changed from outside wakes, and its group with it
        const thud_rest *r = &z->rest[sim->d->grove[g]];
        const int group = group_of(r, s->nl);
        const bool touched = group >= 0 && (mark_of(sim, s->qpos, s->mocap, g) != r->place ||
                                            any_of(sim, s->qvel, g) || any_of(sim, tau, g));
        if (touched) {
            z->awake[group] = true;
        }
    }
    for (int g = 0; g < groves; g++) {
        thud_rest *r = &z->rest[sim->d->grove[g]];
        const int group = group_of(r, s->nl);
        z->asleep[g] = group >= 0 && !z->awake[group];
        r->still = group >= 0 && z->awake[group] ? 0 : r->still;
    }
    take_stock(sim);
    return recall(sim, s, z->awake);
}

// ---------------------------------------------------------------------------------------------- waking

bool sleep_is_touched(const thud_sim *sim)
{
    THUD_ASSERT(sim->sleep);
    bool any = false;
    for (int i = 0; sim->sleep && sim->sleep->count > 0 && i < sim->sight.touches; i++) {
        any |= sim->sight.touch[i].active && sim_contact_sleeps(sim, sim->sight.touch[i].contact);
    }
    return any;
}

bool sleep_wake(thud_sim *sim, const thud_state *s)
{
    THUD_ASSERT(sim->sleep);
    struct sleep *z = sim->sleep;
    memset(z->awake, 0, (size_t)s->nl * sizeof *z->awake);
    for (int i = 0; i < sim->sight.touches; i++) {
        const thud_contact *c = sim->sight.touch[i].contact;
        const int link[2] = {sim->m->body_link[c->body1], sim->m->body_link[c->body2]};
        for (int k = 0; k < 2 && sim->sight.touch[i].active; k++) {
            if (sim_link_sleeps(sim, link[k])) {
                z->awake[group_of(&z->rest[sim->d->grove[z->grove_of[link[k]]]], s->nl)] = true;
            }
        }
    }
    for (int g = 0; g < sim->d->groves; g++) {
        thud_rest *r = &z->rest[sim->d->grove[g]];
        const int group = group_of(r, s->nl);
        if (group >= 0 && z->awake[group]) {
            z->asleep[g] = false;
            *r = (thud_rest){0};
        }
    }
    take_stock(sim);
    return recall(sim, s, z->awake);
}

// ---------------------------------------------------------------------------------------------- falling asleep

static int find_group(int *joined, int g)
{
    while (joined[g] != g) {
        joined[g] = joined[joined[g]];
        g = joined[g];
    }
    return g;
}

// Groves that contacts hold together, under the lowest of them.
static void join_groves(thud_sim *sim)
{
    struct sleep *z = sim->sleep;
    for (int g = 0; g < sim->d->groves; g++) {
        z->joined[g] = g;
    }
    for (int i = 0; i < sim->sight.touches; i++) {
        const thud_contact *c = sim->sight.touch[i].contact;
        const int link1 = sim->m->body_link[c->body1], link2 = sim->m->body_link[c->body2];
        if (sim->sight.touch[i].active && link1 >= 0 && link2 >= 0) {
            const int a = find_group(z->joined, z->grove_of[link1]),
                      b = find_group(z->joined, z->grove_of[link2]);
            z->joined[a > b ? a : b] = a < b ? a : b;
        }
    }
}

// How fast a point of it moves, at most; the links are at q_next, and V their velocities.
static double speed_of(const thud_sim *sim, int grove)
{
    double most = 0;
    for (int i = sim->d->grove[grove]; i < sim->d->grove[grove + 1]; i++) {
        most =
            thud_max(most, v3_norm(sim->fall.V[i].lin) + sim->sight.extent[i] * v3_norm(sim->fall.V[i].ang));
    }
    return most;
}

void sleep_settle(thud_sim *sim, const thud_state *s, const double *tau)
{
    THUD_ASSERT(sim->sleep);
    struct sleep *z = sim->sleep;
    if (!z) {
        return;
    }
    join_groves(sim);
    bool *const restless = z->awake; // by the first link of a group
    memset(restless, 0, (size_t)s->nl * sizeof *restless);
    for (int g = 0; g < sim->d->groves; g++) {
        thud_rest *r = &z->rest[sim->d->grove[g]];
        if (!z->asleep[g]) {
            const bool rests = z->may[g] && speed_of(sim, g) <= sim->o.sleep.speed && !any_of(sim, tau, g);
            r->still = rests ? r->still + sim->o.h : 0;
            restless[sim->d->grove[find_group(z->joined, g)]] |= !(r->still >= sim->o.sleep.time);
        }
    }
    for (int g = 0; g < sim->d->groves; g++) {
        const int group = sim->d->grove[find_group(z->joined, g)];
        thud_rest *r = &z->rest[sim->d->grove[g]];
        if (!z->asleep[g] && !restless[group]) {
            *r = (thud_rest){-1 - (double)group, mark_of(sim, sim->go.q_next, s->mocap, g),
                             sim->judge.c.cone_residual, sim->judge.c.penetration};
            z->asleep[g] = true;
            freeze(sim, g);
        } else if (z->asleep[g]) {
            sim->judge.c.cone_residual = thud_max(sim->judge.c.cone_residual, r->residual);
            sim->judge.c.penetration = thud_max(sim->judge.c.penetration, r->penetration);
        }
        sim->judge.c.asleep += z->asleep[g];
    }
}

// The group that a block of the step's rows fell asleep with; -1: it is awake.
static int group_of_block(const thud_sim *sim, const thud_block *b)
{
    const thud_model *m = sim->m;
    int link = -1;
    if (b->kind == THUD_BLOCK_CONTACT) {
        link = m->body_link[b->body2] >= 0 ? m->body_link[b->body2] : m->body_link[b->body1];
    } else if (b->kind == THUD_BLOCK_LIMIT && thud_block_owner(b) == THUD_KIND_JOINT) {
        link = b->source;
    } else if (b->kind == THUD_BLOCK_DRY && thud_block_owner(b) == THUD_KIND_JOINT) {
        link = m->dof_link[b->source];
    }
    return sim_link_sleeps(sim, link)
               ? group_of(&sim->sleep->rest[sim->d->grove[sim->sleep->grove_of[link]]], m->joints)
               : -1;
}

// Adds the impulses of a block that just fell asleep; counts them where there is no list.
static void keep_block(const thud_sim *sim, const thud_island *island, int k, thud_kept *list, int *count)
{
    const thud_block *b = &island->block[k];
    const int group = group_of_block(sim, b);
    if (group < 0) {
        return;
    }
    if (list) {
        thud_kept *to = &list[*count];
        *to = (thud_kept){.warm.id = b->id, .group = group};
        for (int r = 0; r < b->dim; r++) {
            to->warm.p[r] = island->p[b->row + r] * (sim->o.h / sim->answer.warm_h);
        }
    }
    ++*count;
}

static int keep_blocks(const thud_sim *sim, thud_kept *list)
{
    int count = 0;
    for (int i = 0; i < thud_rows_islands(sim->ask.rows); i++) {
        const thud_island island = thud_rows_island(sim->ask.rows, i);
        for (int k = 0; k < island.blocks; k++) {
            keep_block(sim, &island, k, list, &count);
        }
    }
    return count;
}

static bool sleeps_on(const thud_sim *sim, const thud_state *s, int64_t group) // as it did before the step
{
    return sim->sleep && group >= 0 && group < s->nl && group_of(&s->rest[group], s->nl) == group &&
           group_of(&sim->sleep->rest[group], s->nl) == group;
}

bool sleep_fits(const thud_sim *sim, const thud_state *s)
{
    THUD_ASSERT(sim->sleep);
    return !sim->sleep || s->kept_count + keep_blocks(sim, NULL) <= s->warm_capacity;
}

void sleep_keep(const thud_sim *sim, thud_state *s)
{
    int kept = 0;
    if (!sim->sleep && s->kept_count > 0) { // a sim in which nothing sleeps
        memset(s->rest, 0, (size_t)s->nl * sizeof *s->rest);
    }
    for (int i = 0; i < s->kept_count; i++) {
        if (sleeps_on(sim, s, s->kept[i].group)) {
            s->kept[kept++] = s->kept[i];
        }
    }
    s->kept_count = kept;
    if (sim->sleep) {
        s->kept_count += keep_blocks(sim, s->kept + kept);
        memcpy(s->rest, sim->sleep->rest, (size_t)s->nl * sizeof *s->rest);
    }
}
