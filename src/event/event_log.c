// SPDX-License-Identifier: Apache-2.0
// event_log.c: what happened when, and why a step failed.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <thud/elementary.h>

#include "event.h"

static const char *const kinds[THUD_EVENT_KINDS] = {"impact", "rest",  "release", "stick",
                                                    "slip",   "limit", "jam"};

const char *thud_event_name(thud_event_kind kind)
{
    return kinds[kind];
}

const thud_event *thud_sim_events(const thud_sim *sim, int *count)
{
    *count = sim->above.event ? sim->above.event->logged : 0;
    return sim->above.event ? sim->above.event->log : NULL;
}

const char *thud_sim_reason(const thud_sim *sim)
{
    return sim->above.event && sim->above.event->reason[0] ? sim->above.event->reason : sim->answer.reason;
}

substep_result event_fail(thud_sim *sim, substep_result result, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    (void)vsnprintf(sim->above.event->reason, sizeof sim->above.event->reason, format, list);
    va_end(list);
    return result;
}

static void say_where(const thud_sim *sim, const tie *t, thud_event *made)
{
    const thud_model *m = sim->m;
    switch (t->kind) {
    case TIE_CONTACT:
        made->body1 = sim->sight.touch[t->of].contact->body1;
        made->body2 = sim->sight.touch[t->of].contact->body2;
        break;
    case TIE_LIMIT:
    case TIE_DRY:
        made->joint = t->kind == TIE_LIMIT ? t->of : m->dof_link[t->of];
        made->body1 = made->body2 = m->joint_body[made->joint];
        break;
    case TIE_TENDON_LIMIT:
    case TIE_TENDON_DRY:
        made->tendon = t->of;
        break;
    case TIE_AXIS_LIMIT:
    case TIE_AXIS_DRY:
        made->body1 = m->eq_obj1[t->of];
        made->body2 = m->eq_obj2[t->of];
        break;
    }
}

thud_event *log_add(thud_sim *sim, thud_event_kind kind, const tie *t)
{
    THUD_ASSERT((unsigned)kind < THUD_EVENT_KINDS);
    event_drive *e = sim->above.event;
    if (e->logged == e->log_capacity) {
        const int wanted = 2 * e->log_capacity + 16;
        thud_event *const grown = thud_resize(e->log, (size_t)wanted * sizeof *grown);
        if (!grown) {
            return NULL;
        }
        e->log = grown;
        e->log_capacity = wanted;
    }
    thud_event *made = &e->log[e->logged++];
    *made = (thud_event){.time = e->start + e->done, .kind = kind, .joint = -1, .tendon = -1, .together = 1};
    say_where(sim, t, made);
    for (int k = 0; k < 2; k++) {
        made->speed[k] = t->u[0];
        made->slip[k] = thud_hypot(t->u[1], t->u[2]);
    }
    return made;
}

static hold hold_before(const event_drive *e, uint64_t id)
{
    for (int i = 0; i < e->lasts; i++) {
        if (e->last[i].id == id) {
            return e->last[i].hold;
        }
    }
    return HOLD_OPEN;
}

// What a change of holds is called; THUD_EVENT_KINDS: nothing.
static thud_event_kind change(hold before, hold now, bool rough)
{
    if (before != HOLD_OPEN && now == HOLD_OPEN) {
        return THUD_EVENT_RELEASE;
    }
    if (before == HOLD_OPEN && now != HOLD_OPEN) {
        return THUD_EVENT_REST;
    }
    if (before == now || !rough) {
        return THUD_EVENT_KINDS;
    }
    return now == HOLD_STICK ? THUD_EVENT_STICK : THUD_EVENT_SLIP;
}

static bool remember(event_drive *e)
{
    if (e->ties > e->last_capacity) {
        remembered *const grown = thud_resize(e->last, 2 * (size_t)e->ties * sizeof *grown);
        if (!grown) {
            return false;
        }
        e->last = grown;
        e->last_capacity = 2 * e->ties;
    }
    e->lasts = 0;
    for (int i = 0; i < e->ties; i++) {
        if (e->tie[i].hold != HOLD_OPEN) {
            e->last[e->lasts++] = (remembered){e->tie[i].id, e->tie[i].hold};
        }
    }
    return true;
}

bool log_changes(thud_sim *sim, double energy)
{
    event_drive *e = sim->above.event;
    bool good = true;
    for (int i = 0; e->knows && good && i < e->ties; i++) {
        const tie *t = &e->tie[i];
        const thud_event_kind kind = change(hold_before(e, t->id), t->hold, t->slips > 0);
        if (kind != THUD_EVENT_KINDS) {
            thud_event *made = log_add(sim, kind, t);
            good = made != NULL;
            if (made && kind == THUD_EVENT_REST) {
                made->speed[1] = 0;
                made->energy = energy;
            }
        }
    }
    e->knows = good && remember(e);
    return e->knows;
}
