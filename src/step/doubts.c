// SPDX-License-Identifier: Apache-2.0
// doubts.c: the list of doubts of a sim: one entry for each kind and place. [theory 7]
//
// Cost  nothing where nothing is raised; a comparison with each entry of the list for what is.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "doubts.h"
#include "sim.h"

typedef struct kind_info {
    const char *word;
    thud_doubt_grade grade;
    const char *unit, *text;
} kind_info;

static const kind_info info[] = {
#define INFO(kind, word, grade, unit, text) {word, THUD_DOUBT_##grade, unit, text},
    THUD_DOUBT_LIST(INFO)
#undef INFO
};

const char *thud_doubt_name(thud_doubt_kind kind)
{
    return info[kind].word;
}

bool thud_doubt_find(const char *name, thud_doubt_kind *out)
{
    for (int k = 0; k < THUD_DOUBT_KINDS; k++) {
        if (strcmp(name, info[k].word) == 0) {
            *out = (thud_doubt_kind)k;
            return true;
        }
    }
    return false;
}

thud_doubt_grade thud_doubt_grade_of(thud_doubt_kind kind)
{
    return info[kind].grade;
}

const char *thud_doubt_unit(thud_doubt_kind kind)
{
    return info[kind].unit;
}

const char *thud_doubt_text(thud_doubt_kind kind)
{
    return info[kind].text;
}

const char *thud_doubt_grade_name(thud_doubt_grade grade)
{
    static const char *const names[] = {"note", "coarse", "wrong"};
    return names[grade];
}

// ---------------------------------------------------------------------------------------------- places

static void order(int pair[2])
{
    if (pair[1] >= 0 && pair[1] < pair[0]) {
        const int first = pair[0];
        pair[0] = pair[1];
        pair[1] = first;
    }
}

thud_doubt_where doubt_at_body(int body)
{
    thud_doubt_where w = thud_doubt_nowhere();
    w.body[0] = body;
    return w;
}

thud_doubt_where doubt_at_joint(const thud_model *m, int joint)
{
    thud_doubt_where w = doubt_at_body(m->joint_body[joint]);
    w.joint = joint;
    return w;
}

thud_doubt_where doubt_between(int body1, int body2)
{
    thud_doubt_where w = thud_doubt_nowhere();
    w.body[0] = body1;
    w.body[1] = body2;
    order(w.body);
    return w;
}

thud_doubt_where doubt_between_geoms(const thud_model *m, int geom1, int geom2)
{
    thud_doubt_where w = doubt_between(m->geom_body[geom1], m->geom_body[geom2]);
    w.geom[0] = geom1;
    w.geom[1] = geom2;
    order(w.geom);
    return w;
}

// Text that is put together; what does not fit is left out.
typedef struct phrase {
    char *at;
    size_t left;
} phrase;

static void say(phrase *p, const char *text)
{
    const size_t length = strlen(text), used = length < p->left ? length : p->left - 1;
    memcpy(p->at, text, used);
    p->at += used;
    p->left -= used;
    *p->at = '\0';
}

static void say_object(phrase *p, const thud_model *m, thud_kind kind, const char *what, int number,
                       bool first)
{
    char text[24];
    const char *name = thud_model_name(m, kind, number);
    say(p, first ? "" : ", ");
    say(p, what);
    if (name && name[0]) {
        say(p, " '");
        say(p, name);
        say(p, "'");
    } else {
        (void)snprintf(text, sizeof text, " %d", number);
        say(p, text);
    }
}

void thud_doubt_place(const thud_model *m, const thud_doubt_where *where, char *out, size_t size)
{
    if (size == 0) {
        return;
    }
    phrase p = {out, size};
    out[0] = '\0';
    const struct {
        thud_kind kind;
        const char *what;
        int number;
    } object[] = {
        {THUD_KIND_BODY, "body", where->body[0]},   {THUD_KIND_BODY, "body", where->body[1]},
        {THUD_KIND_GEOM, "geom", where->geom[0]},   {THUD_KIND_GEOM, "geom", where->geom[1]},
        {THUD_KIND_JOINT, "joint", where->joint},   {THUD_KIND_EQUALITY, "equality", where->equality},
        {THUD_KIND_TENDON, "tendon", where->tendon}};
    bool first = true;
    for (size_t i = 0; i < sizeof object / sizeof object[0]; i++) {
        if (object[i].number >= 0) {
            say_object(&p, m, object[i].kind, object[i].what, object[i].number, first);
            first = false;
        }
    }
}

// ---------------------------------------------------------------------------------------------- the list

doubts *doubts_create(void)
{
    doubts *d = thud_alloc(1, sizeof *d);
    if (d) {
        d->all = (doubt_list){0, DOUBT_PLACES, d->entries};
        d->raised = (doubt_list){0, DOUBTS_A_STEP, d->entries + DOUBT_PLACES + THUD_DOUBT_KINDS};
    }
    return d;
}

static thud_doubt *find(const doubt_list *list, thud_doubt_kind kind, const thud_doubt_where *where)
{
    for (int i = 0; i < list->count; i++) {
        thud_doubt *e = &list->entry[i];
        if (e->kind == kind && memcmp(&e->where, where, sizeof *where) == 0) {
            return e;
        }
    }
    return NULL;
}

// The entry of a kind and place, or of the kind where there is no room for its place; a new one has count 0.
static thud_doubt *entry_of(doubt_list *list, thud_doubt_kind kind, const thud_doubt_where *where)
{
    const thud_doubt_where nowhere = thud_doubt_nowhere();
    thud_doubt *e = find(list, kind, where);
    if (!e && list->count >= list->places) {
        where = &nowhere;
        e = find(list, kind, where);
    }
    if (!e) {
        e = &list->entry[list->count++];
        *e = (thud_doubt){.kind = kind, .grade = info[kind].grade, .where = *where};
    }
    return e;
}

// Joins a doubt to a list.
static void join(doubt_list *list, const thud_doubt *of, int64_t steps)
{
    thud_doubt *e = entry_of(list, of->kind, &of->where);
    if (e->count == 0) {
        e->first = of->first;
    }
    if (e->count == 0 || !(of->worst.value <= e->worst.value)) { // NaN is the worst
        e->worst = of->worst;
        e->limit = of->limit;
    }
    e->count += steps;
}

void doubts_begin(doubts *d, double time)
{
    d->time = time;
    d->explained = 0;
    d->raised.count = 0;
}

void doubts_raise(doubts *d, thud_doubt_kind kind, thud_doubt_where where, double value, double limit)
{
    THUD_ASSERT((unsigned)kind < THUD_DOUBT_KINDS);
    if (value <= limit) {
        return;
    }
    const thud_doubt_moment now = {d->time, value};
    const thud_doubt one = {.kind = kind, .where = where, .first = now, .worst = now, .limit = limit};
    join(&d->raised, &one, 1);
}

void doubts_take(doubts *d, const doubts *from, const thud_model_part *part)
{
    for (int i = 0; i < from->raised.count; i++) {
        thud_doubt one = from->raised.entry[i];
        thud_doubt_where *w = &one.where;
        for (int k = 0; k < 2; k++) {
            w->body[k] = w->body[k] < 0 ? -1 : part->body[w->body[k]];
            w->geom[k] = w->geom[k] < 0 ? -1 : part->geom[w->geom[k]];
        }
        w->joint = w->joint < 0 ? -1 : w->joint + part->link;
        w->equality = w->equality < 0 ? -1 : part->equality[w->equality];
        join(&d->raised, &one, 1);
    }
}

bool doubts_know(const doubts *d, thud_doubt_kind kind, const thud_doubt_where *where)
{
    return find(&d->raised, kind, where) || find(&d->all, kind, where);
}

void doubts_settle(doubts *d, int count[THUD_DOUBT_WRONG + 1])
{
    memset(count, 0, (THUD_DOUBT_WRONG + 1) * sizeof *count);
    for (int i = 0; i < d->raised.count; i++) {
        const thud_doubt *e = &d->raised.entry[i];
        count[e->grade]++;
        join(&d->all, e, 1);
    }
}

// ---------------------------------------------------------------------------------------------- of a sim

const thud_doubt *thud_sim_doubts(const thud_sim *sim, int *count)
{
    *count = sim->judge.doubts->all.count;
    return *count > 0 ? sim->judge.doubts->all.entry : NULL;
}

void sim_settle_doubts(thud_sim *sim, thud_certificate *c)
{
    int count[THUD_DOUBT_WRONG + 1];
    doubts_settle(sim->judge.doubts, count);
    if (c) {
        c->noted = count[THUD_DOUBT_NOTE];
        c->coarse = count[THUD_DOUBT_COARSE];
        c->wrong = count[THUD_DOUBT_WRONG];
    }
}

void thud_sim_forget_doubts(thud_sim *sim)
{
    sim->judge.doubts->all.count = 0;
}

void thud_sim_add_doubt(thud_sim *sim, const thud_doubt *doubt)
{
    thud_doubt one = *doubt;
    order(one.where.body);
    order(one.where.geom);
    one.worst = one.first;
    join(&sim->judge.doubts->all, &one, doubt->count > 0 ? doubt->count : 1);
}
