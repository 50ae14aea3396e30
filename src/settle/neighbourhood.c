// SPDX-License-Identifier: Apache-2.0
// neighbourhood.c: the contacts around overlaps that have to make way.
//
// Of a large pile a few contacts overlap by more than they may, and what is far from them need not move. So only they and
// what they can reach over so many layers of contacts get rows: layer 0 is the trees of contacts that overlap too much,
// layer k + 1 what touches layer k. Bodies of the last layer may be pushed into others; the query that follows sees it.
#include <string.h>

#include "corrections.h"

typedef struct meeting { // a contact that overlaps, or might come to
    int contact;
    int tree[2]; // 1 + the first link of each tree; 0: it cannot move
} meeting;

typedef struct neighbourhood {
    const thud_sim *sim;
    int *tree;  // links: 1 + the first of their tree
    int *layer; // of each tree; -1: none
    meeting *meeting;
    int meetings;
} neighbourhood;

static void find_trees(neighbourhood *n)
{
    const thud_model *m = n->sim->m;
    for (int i = 0; i < m->joints; i++) {
        n->tree[i] = m->link_parent[i] < 0 ? i + 1 : n->tree[m->link_parent[i]];
    }
    memset(n->layer, -1, ((size_t)m->joints + 1) * sizeof *n->layer);
}

static int tree_of(const neighbourhood *n, int body)
{
    const int link = n->sim->m->body_link[body];
    return link < 0 ? 0 : n->tree[link];
}

// Contacts nearer than `reach`; the trees of those that overlap by more than `allowed` become layer 0.
static void list_meetings(neighbourhood *n, double reach, double allowed)
{
    const thud_sim *sim = n->sim;
    for (int i = 0; sim->sight.collider && i < sim->sight.here.set->count; i++) {
        const thud_contact *c = &sim->sight.here.set->contact[i];
        if (!(c->phi <= reach) || sim_contact_sleeps(sim, c)) { // a sleeper is woken by the next step
            continue;
        }
        const meeting m = {i, {tree_of(n, c->body1), tree_of(n, c->body2)}};
        for (int k = 0; k < 2 && c->phi < -allowed; k++) {
            n->layer[m.tree[k]] = 0;
        }
        n->meeting[n->meetings++] = m;
    }
}

static bool is_within(const neighbourhood *n, int tree)
{
    return tree > 0 && n->layer[tree] >= 0; // fixed bodies hand nothing on
}

static void spread(neighbourhood *n, int layers)
{
    bool more = true;
    for (int k = 0; k < layers && more; k++) {
        more = false;
        for (int i = 0; i < n->meetings; i++) {
            for (int side = 0; side < 2; side++) {
                const int from = n->meeting[i].tree[side], to = n->meeting[i].tree[1 - side];
                if (is_within(n, from) && n->layer[from] == k && n->layer[to] < 0) {
                    n->layer[to] = k + 1;
                    more = true;
                }
            }
        }
    }
}

static int list_within(const neighbourhood *n, int *contact)
{
    int count = 0;
    for (int i = 0; i < n->meetings; i++) {
        const meeting *m = &n->meeting[i];
        if (is_within(n, m->tree[0]) || is_within(n, m->tree[1])) {
            contact[count++] = m->contact;
        }
    }
    return count;
}

int neighbourhood_find(const thud_sim *sim, double reach, double allowed, int layers, int *contact)
{
    THUD_ASSERT(layers > 0 && contact);
    const size_t mark = thud_arena_mark(sim->answer.scratch), links = (size_t)sim->m->joints;
    neighbourhood n = {.sim = sim,
                       .tree = thud_arena_push(sim->answer.scratch, links, sizeof *n.tree),
                       .layer = thud_arena_push(sim->answer.scratch, links + 1, sizeof *n.layer),
                       .meeting = thud_arena_push(sim->answer.scratch, (size_t)sim->sight.here.set->count,
                                                  sizeof *n.meeting)};
    int found = -1;
    if (n.tree && n.layer && n.meeting) {
        find_trees(&n);
        list_meetings(&n, reach, allowed);
        spread(&n, layers);
        found = list_within(&n, contact);
    }
    thud_arena_release(sim->answer.scratch, mark);
    return found;
}
