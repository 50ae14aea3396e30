// SPDX-License-Identifier: Apache-2.0
// meet.c: when contacts that strike within a substep (strike.c) touch. [theory 6, 8]
//
// The first root of their gaps as functions of the substep's length, by false position: first on the way that was tried, so that most often
// one more attempt is enough. Geoms that are fast are kept from passing each other before that by conservative advancement along
// their way (thud_impact_advance), whatever features of theirs are listed. What left ends the substep between its apex and its return.
//
// Symbols  u normal velocity at the substep's start, phi gap there
// Cost     some attempts for each cut; nothing where nothing strikes.
#include <math.h>

#include <thud/spatial_inline.h>

#include "approach.h"

// ---------------------------------------------------------------------------------------------- when

// The smallest gap at the links' places among the contacts that strike; infinite: there is none.
static double flying_gap(thud_sim *sim)
{
    double least = INFINITY;
    for (int i = 0; i < sim->sight.touches; i++) {
        touch *t = &sim->sight.touch[i];
        if (touch_strikes(sim, t)) {
            least = thud_min(least, touch_gap(sim, t).phi);
        }
    }
    return least;
}

static double gap_at_end(thud_sim *sim)
{
    sim_place(sim, sim->go.q_next);
    return flying_gap(sim);
}

// The same after a part t of a substep of h that was tried, along its way.
static double gap_on_way(thud_sim *sim, double t, double h)
{
    for (int i = 0; i < sim->m->nv; i++) {
        sim->go.u[3][i] = sim->begun.v_start[i] + (sim->go.v_mean[i] - sim->begun.v_start[i]) * (t / h);
    }
    sim_integrate(sim, sim->begun.q_start, sim->go.u[3], t, sim->go.q_found);
    sim_place_frames(sim, sim->go.q_found);
    return flying_gap(sim);
}

typedef struct bracket { // of a root: the gap is at least 0 at low and less at high
    double low, high, at_low, at_high;
    int side; // which end was replaced last
} bracket;

static double guess_root(const bracket *b) // false position
{
    return b->low + (b->high - b->low) * b->at_low / (b->at_low - b->at_high);
}

static void narrow(bracket *b, double t, double gap) // with the Illinois rule
{
    if (gap > 0) {
        b->low = t;
        b->at_low = gap;
        b->at_high *= b->side > 0 ? 0.5 : 1;
        b->side = 1;
    } else {
        b->high = t;
        b->at_high = gap;
        b->at_low *= b->side < 0 ? 0.5 : 1;
        b->side = -1;
    }
}

static const double CLOSE = 1e-11; // m

static const double LEAST = 1e-12; // of a step: no part is cut shorter

// What a longer substep would have closed is not asked of a shorter one.
static substep_result try_length(thud_sim *sim, const double *tau, double h)
{
    double settled;
    for (int i = 0; i < sim->sight.touches; i++) {
        sim->sight.touch[i].active = false;
    }
    const substep_result result = step_attempt(sim, tau, h, &settled);
    return result == SUBSTEP_DONE && sim_cancelled(sim) ? SUBSTEP_CANCELLED : result;
}

// Where the way that was tried meets the gap: most often that is it, and one attempt is enough.
static double root_on_way(thud_sim *sim, double h, bracket b)
{
    enum { MOST = 30 };
    double t = guess_root(&b);
    for (int k = 0; k < MOST; k++) {
        const double gap = gap_on_way(sim, t, h);
        if (fabs(gap) <= CLOSE || b.high - b.low < 1e-15 * sim->o.h) {
            break;
        }
        narrow(&b, t, gap);
        t = guess_root(&b);
    }
    return t;
}

static double least_gap_now(const thud_sim *sim)
{
    double least = INFINITY;
    for (int i = 0; i < sim->sight.touches; i++) {
        least = touch_strikes(sim, &sim->sight.touch[i]) ? thud_min(least, sim->sight.touch[i].phi) : least;
    }
    return least;
}

// Shortens a substep in which something strikes to the moment it touches.
static substep_result find_root(thud_sim *sim, const double *tau, double *h)
{
    enum { MOST = 60 };
    bracket b = {0, *h, greater_of(least_gap_now(sim), 0), gap_at_end(sim), 0};
    if (!(b.at_high < 0)) {
        return SUBSTEP_DONE;
    }
    const double least = LEAST * sim->o.h;
    double t = greater_of(root_on_way(sim, *h, b), least);
    for (int k = 0; k < MOST; k++) {
        const substep_result result = try_length(sim, tau, t);
        if (result != SUBSTEP_DONE) {
            return result;
        }
        const double gap = gap_at_end(sim);
        *h = t;
        if (fabs(gap) <= CLOSE || t <= least || b.high - b.low < 1e-15 * sim->o.h) {
            break;
        }
        narrow(&b, t, gap);
        t = greater_of(guess_root(&b), least);
    }
    return SUBSTEP_DONE;
}

// ---------------------------------------------------------------------------------------------- what spins

// rad/s: of a geom that is not round about every axis.
static double spin_of(const thud_sim *sim, int geom, int body)
{
    const int link = sim->m->body_link[body];
    return link < 0 || sim->m->geom_shape[geom].kind == THUD_SHAPE_SPHERE ? 0
                                                                          : v3_norm(sim->fall.V[link].ang);
}

double strike_limit(thud_sim *sim, double h)
{
    static const double MOST =
        0.3; // rad: farther, the other end of a body may have struck in between, and a free spin gains energy
    enum { MANY = 4096 }; // parts of a step
    double spin = 0;
    for (int i = 0; sim->strike.strikes && sim->strike.turned < MANY && i < sim->sight.touches; i++) {
        const thud_contact *c = sim->sight.touch[i].contact;
        const double faster = greater_of(spin_of(sim, c->geom1, c->body1), spin_of(sim, c->geom2, c->body2));
        if (faster * h > MOST && faster > spin) {
            const double near = thud_min(thud_shape_radius(&sim->m->geom_shape[c->geom1]),
                                         thud_shape_radius(&sim->m->geom_shape[c->geom2])) +
                                h * sim_speeds(sim, sim->fall.V, c, c->point);
            spin = c->phi < near ? faster : spin;
        }
    }
    sim->strike.turned += spin > 0;
    return spin > 0 ? MOST / spin : h;
}

// ---------------------------------------------------------------------------------------------- what leaves

// How long the substep may be for those that leave and come back within it: from a parabola through where each is.
static double time_to_return(thud_sim *sim, double h)
{
    static const double BETWEEN = 0.75; // of the way from the start to the return; the apex is at 0.5
    double least = h;
    sim_place(sim, sim->go.q_next);
    for (int i = 0; i < sim->sight.touches; i++) {
        touch *t = &sim->sight.touch[i];
        if (!touch_leaves(sim, t)) {
            continue;
        }
        const double gap = touch_gap(sim, t).phi, fall = t->phi + t->u[0] * h - gap; // a h^2/2
        if (gap < 0 && fall > 0) {
            least = thud_min(least, BETWEEN * h * h * t->u[0] / fall);
        }
    }
    return least;
}

static substep_result end_before_return(thud_sim *sim, const double *tau, double *h)
{
    enum { MOST = 8 };
    substep_result result = SUBSTEP_DONE;
    double t = time_to_return(sim, *h);
    for (int k = 0; k < MOST && t < *h && t > LEAST * sim->o.h && result == SUBSTEP_DONE; k++) {
        result = try_length(sim, tau, t);
        *h = t;
        t = time_to_return(sim, *h);
    }
    return result;
}

// ---------------------------------------------------------------------------------------------- what is fast

// A straight way that turns evenly, from one pose to another.
static thud_path way_between(thud_pose from, thud_pose to, double h)
{
    const vec3 turn = q_log(q_mul(to.q, q_conj(from.q)));
    return (thud_path){.start = from,
                       .twist = {v3_scale(1 / h, turn), v3_scale(1 / h, v3_sub(to.p, from.p))}};
}

// When two geoms meet on their ways from where the query had them to where they are now.
static thud_impact meet(thud_sim *sim, const thud_contact *c, double h)
{
    static const double APART = 4e-8; // m
    const thud_model *m = sim->m;
    const thud_path one = way_between(sim->sight.X_wg[c->geom1], *touch_place(sim, c->geom1), h),
                    two = way_between(sim->sight.X_wg[c->geom2], *touch_place(sim, c->geom2), h);
    return thud_impact_advance(&m->geom_shape[c->geom1], &one, &m->geom_shape[c->geom2], &two, h, APART);
}

static bool another_pair(const thud_sim *sim, int i) // contact i is the first of its pair that is fast
{
    const thud_contact *c = sim->sight.touch[i].contact,
                       *before = i > 0 ? sim->sight.touch[i - 1].contact : NULL;
    return !before || before->geom1 != c->geom1 || before->geom2 != c->geom2 ||
           !touch_is_fast(sim, &sim->sight.touch[i - 1]);
}

static double first_meeting(thud_sim *sim, double h)
{
    double first = h;
    sim_place(sim, sim->go.q_next);
    for (int i = 0; i < sim->sight.touches; i++) {
        const touch *t = &sim->sight.touch[i];
        if (touch_strikes(sim, t) && touch_is_fast(sim, t) && another_pair(sim, i)) {
            const thud_impact hit = meet(sim, t->contact, h);
            const bool meets = hit.outcome == THUD_IMPACT_FOUND || hit.outcome == THUD_IMPACT_LIMIT;
            if (meets && hit.time > 0) { // of those that are there the gap tells when they touch
                first = thud_min(first, hit.time);
            }
        }
    }
    return first;
}

// Bodies turn and fall on their way, so that a shorter substep is looked at once more.
static substep_result end_before_meeting(thud_sim *sim, const double *tau, double *h)
{
    enum { MOST = 12 };
    static const double SAME = 1e-5;
    substep_result result = SUBSTEP_DONE;
    double t = first_meeting(sim, *h);
    for (int k = 0; k < MOST && t<(1 - SAME) * *h && * h> LEAST * sim->o.h && result == SUBSTEP_DONE; k++) {
        t = greater_of(t, LEAST * sim->o.h);
        result = try_length(sim, tau, t);
        *h = t;
        t = first_meeting(sim, *h);
    }
    return result;
}

// ---------------------------------------------------------------------------------------------- all

substep_result strike_find(thud_sim *sim, const double *tau, double *h)
{
    bool fast = false, away = false, any = false;
    for (int i = 0; i < sim->sight.touches; i++) {
        const touch *t = &sim->sight.touch[i];
        const bool strikes = touch_strikes(sim, t);
        any = any || strikes;
        fast = fast || (strikes && touch_is_fast(sim, t));
        away = away || touch_leaves(sim, t);
    }
    substep_result result = away ? end_before_return(sim, tau, h) : SUBSTEP_DONE;
    result = fast && result == SUBSTEP_DONE ? end_before_meeting(sim, tau, h) : result;
    return any && result == SUBSTEP_DONE ? find_root(sim, tau, h) : result;
}
