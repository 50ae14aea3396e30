// SPDX-License-Identifier: Apache-2.0
// strike.c: contacts that meet within a substep: which fly until they do. When that is: meet.c. [theory 6, 8]
//
// A contact that closes fast has no rows: the substep is cut at the moment at which it touches, the collision is solved there
// (bounce.c), and time goes on. By a row it would end half a step too deep, h u/2, which projection then takes for an overlap: on
// the far side of a thin plate, or of the first order in h.
//
//     springs back   e v > max(e rest, a h (1 - e)/2),   v = sqrt(u^2 + 2 a phi),   a = |g . n|
//                    slower ones would come back within the step that they leave in, and never rest; e = 1 is never cut
//     leaves         u > 0 and it has sprung back: it flies on to between its apex and its return
//     lands          e = 0, closes faster than max(rest, 4 g h) in a scene of few bodies: where the order of the step is at stake
//     is fast        closes by more than a quarter of the width of the smaller geom within a step: where it could pass through
//
// Symbols  e restitution, u normal velocity at the substep's start, phi gap there, rest speed below which nothing springs back
// Cost     a look at each contact.
#include <math.h>
#include <string.h>

#include <thud/spatial_inline.h>

#include "approach.h"
#include "sim.h"

enum { MOST_HITS = 64 };         // collisions of one tree in a step; then its contacts have rows
static const double PART = 0.25; // of the width of the smaller geom, in a step: that is fast

static double width_of(const thud_model *m, int geom)
{
    return sim_width(&m->geom_shape[geom]);
}

static double pair_width(const thud_sim *sim, const thud_contact *c)
{
    return lesser_of(width_of(sim->m, c->geom1), width_of(sim->m, c->geom2));
}

static int root_of(const thud_sim *sim, int body)
{
    int link = sim->m->body_link[body];
    while (link >= 0 && sim->m->link_parent[link] >= 0) {
        link = sim->m->link_parent[link];
    }
    return link;
}

static bool is_exhausted(const thud_sim *sim, const thud_contact *c)
{
    if (!sim->begun.exhausted) {
        return false;
    }
    const int one = root_of(sim, c->body1), two = root_of(sim, c->body2);
    return (one >= 0 && sim->strike.hits[one] >= MOST_HITS) ||
           (two >= 0 && sim->strike.hits[two] >= MOST_HITS);
}

static double restitution_of(const thud_sim *sim, const touch *t)
{
    return sim->o.restitution >= 0 ? sim->o.restitution : t->contact->law.restitution;
}

// The least speed with which it springs back or has sprung back.
static double least_leaving(const thud_sim *sim, const touch *t, double e)
{
    const double a = fabs(v3_dot(sim->m->gravity, t->contact->normal));
    return greater_of(e * sim->o.restitution_speed, 0.5 * a * sim->o.h * (1 - e));
}

static double bounce_between_events(const thud_sim *sim, const touch *t)
{
    return t->u[0] < -sim->o.restitution_speed ? restitution_of(sim, t) : 0;
}

double bounce_of(const thud_sim *sim, const touch *t)
{
    if (!sim->bounces || !(t->u[0] < 0)) {
        return 0;
    }
    if (sim_by_events(sim)) {
        return bounce_between_events(sim, t);
    }
    const double e = restitution_of(sim, t), a = fabs(v3_dot(sim->m->gravity, t->contact->normal));
    const double v = sqrt(t->u[0] * t->u[0] + 2 * a * greater_of(t->phi, 0));
    const bool springs = e > 0 && e * v > least_leaving(sim, t, e);
    return springs && !is_exhausted(sim, t->contact) ? e : 0;
}

// It has sprung back and will come back: it is not to land before its apex.
bool touch_leaves(const thud_sim *sim, const touch *t)
{
    if (!sim->bounces || sim_by_events(sim) || !(t->u[0] > 0)) {
        return false;
    }
    const double e = restitution_of(sim, t);
    return e > 0 && e < 1 && t->u[0] > least_leaving(sim, t, e) && !is_exhausted(sim, t->contact);
}

bool touch_is_fast(const thud_sim *sim, const touch *t)
{
    return -t->u[0] * sim->o.h > PART * pair_width(sim, t->contact);
}

static bool lands(const thud_sim *sim, const touch *t)
{
    return t->u[0] < -sim->strike.speed && (sim->strike.lands || touch_is_fast(sim, t)) &&
           !is_exhausted(sim, t->contact);
}

bool touch_strikes(const thud_sim *sim, const touch *t)
{
    return (sim->strike.strikes && lands(sim, t)) || bounce_of(sim, t) > 0;
}

bool touch_flies(const thud_sim *sim, const touch *t)
{
    return touch_strikes(sim, t) || touch_leaves(sim, t);
}

bool strike_now(const thud_sim *sim)
{
    for (int i = 0; i < sim->sight.touches; i++) {
        if (sim->sight.touch[i].phi <= TOUCHING && touch_strikes(sim, &sim->sight.touch[i])) {
            return true;
        }
    }
    return false;
}

bool bounce_now(const thud_sim *sim)
{
    for (int i = 0; i < sim->sight.touches; i++) {
        if (sim->sight.touch[i].phi <= TOUCHING && bounce_of(sim, &sim->sight.touch[i]) > 0) {
            return true;
        }
    }
    return false;
}

void strike_count(thud_sim *sim)
{
    for (int i = 0; i < sim->sight.touches; i++) {
        const touch *t = &sim->sight.touch[i];
        if (!(t->phi <= TOUCHING) || !touch_strikes(sim, t)) {
            continue;
        }
        const int root[2] = {root_of(sim, t->contact->body1), root_of(sim, t->contact->body2)};
        for (int k = 0; k < 2; k++) {
            if (root[k] >= 0) {
                sim->strike.hits[root[k]]++;
                sim->begun.exhausted = sim->begun.exhausted || sim->strike.hits[root[k]] >= MOST_HITS;
            }
        }
    }
}

void strike_give_up(thud_sim *sim)
{
    for (int i = 0; i < sim->m->joints; i++) {
        sim->strike.hits[i] = MOST_HITS;
    }
    sim->begun.exhausted = true;
}

void strike_count_cut(thud_sim *sim, double h)
{
    enum { MOST_STALLS = 20 };
    static const double NONE = 1e-9;
    sim->strike.stalls += h < NONE * sim->o.h;
    if (sim->strike.stalls > MOST_STALLS) {
        strike_give_up(sim);
    }
}

void strike_begin(thud_sim *sim)
{
    sim->strike.stalls = sim->strike.turned = 0;
    sim->begun.exhausted = false;
    sim->strike.strikes = sim->strike.locates;
    if (sim->strike.hits) {
        memset(sim->strike.hits, 0, (size_t)sim->m->joints * sizeof *sim->strike.hits);
    }
}

// How landings are treated: by the options, the law, and how many bodies would be cut with the one that lands.
void strike_create(thud_sim *sim)
{
    enum { FEW = 16 }; // trees
    const bool cone = sim->o.law.law == THUD_LAW_CONE;
    double least = INFINITY;
    for (int g = 0; g < sim->m->geoms; g++) {
        least = touch_can(sim->m, g) ? thud_min(width_of(sim->m, g), least) : least;
    }
    sim->strike.locates =
        sim->sight.collider && !sim_by_events(sim) &&
        (sim->o.impacts == THUD_IMPACTS_LOCATED || (sim->o.impacts == THUD_IMPACTS_BY_LAW && cone));
    sim->strike.lands = sim->strike.locates && sim->d->groves <= FEW && !sim_rough(sim);
    sim->strike.speed = thud_max(sim->o.restitution_speed,
                                 sim->strike.lands ? 4 * sim->g * sim->o.h : PART * least / sim->o.h);
}
