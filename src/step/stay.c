// SPDX-License-Identifier: Apache-2.0
// stay.c: rows are kept while nothing they were made from has changed by a bit.
//
// A scene at rest asks for the same rows in every step: the same wrenches, innovations, islands and velocities at the start. They are
// made once. What may change while nothing moves is not theirs: free velocities are measured anew, impulses recalled, and
// the law judges both (thud_rows_repeat), unless they are those that it judged the last time, to the bit. So the numbers are those
// that a fresh sim would find.
//
// Rows are made from                            they stay if
//     where the links are, V                    both are those of the query, then and now, and nobody asked another one
//                                               (touching.asked; mocap bodies that move make another one)
//     the contacts that act, their gaps         the same act: their gaps are the query's
//     h                                         it is the same
//     the factor of M                           it is the same: nobody made another one (groves.c), as for other springs,
//                                               dampers and actuators
//     what other contacts would ask for         none is left out, then and now
//     rows of joints                            loops_stay (loops.c), then and now
//     who sleeps                                nobody can
//     what is done to the rows themselves       their edition is the same: neither a collision nor a reader made others of them
#include "sim.h"

static bool same_act(const thud_sim *sim)
{
    bool same = true;
    for (int i = 0; same && i < sim->sight.touches; i++) {
        const touch *t = &sim->sight.touch[i];
        same = t->active == t->had && !(t->open > 0);
    }
    return same;
}

bool rows_stay(const thud_sim *sim, double h, bool there)
{
    const rows_made *made = &sim->ask.made;
    return made->asked == sim->sight.here.asked && made->edition == thud_rows_edition(sim->ask.rows) &&
           made->h == h && made->factors == sim->fall.factors && !sim->sleep && there && loops_stay(sim, h) &&
           same_act(sim);
}

void rows_note(thud_sim *sim, double h, bool there)
{
    THUD_ASSERT(sim->ask.rows && h > 0);
    rows_made *made = &sim->ask.made;
    made->edition = 0;
    if (!there || !loops_stay(sim, h)) {
        return;
    }
    bool left_out = false;
    for (int i = 0; i < sim->sight.touches; i++) {
        touch *t = &sim->sight.touch[i];
        t->had = t->active;
        left_out = left_out || (!t->active && t->open > 0);
    }
    made->edition = left_out ? 0 : thud_rows_edition(sim->ask.rows);
    made->asked = sim->sight.here.asked;
    made->factors = sim->fall.factors;
    made->h = h;
    made->judged = false;
    made->contacts = sim->judge.c.contacts;
}
