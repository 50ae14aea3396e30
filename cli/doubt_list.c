// SPDX-License-Identifier: Apache-2.0
// doubt_list.c: what of a run is wrong, coarse or to be known, for people and for programs.
#include <stdio.h>

#include "doubt_list.h"

static const thud_doubt *list_of(const doubt_view *d, int *count)
{
    *count = 0;
    return d->sim ? thud_sim_doubts(d->sim, count) : NULL;
}

int doubt_view_count(const doubt_view *d, thud_doubt_grade grade)
{
    int count, of_grade = 0;
    const thud_doubt *list = list_of(d, &count);
    for (int i = 0; i < count; i++) {
        of_grade += list[i].grade == grade;
    }
    return of_grade;
}

// A kind whose values are 1 says nothing by them.
static bool has_value(const thud_doubt *doubt)
{
    return doubt->grade != THUD_DOUBT_NOTE || thud_doubt_unit(doubt->kind)[0];
}

void doubt_line(const thud_model *m, const thud_doubt *doubt, char *out, size_t size)
{
    char place[400], value[160] = "";
    const char *unit = thud_doubt_unit(doubt->kind);
    thud_doubt_place(m, &doubt->where, place, sizeof place);
    if (has_value(doubt)) {
        snprintf(value, sizeof value, ", worst %.3g%s%s at %.6g s (limit %.2g)", doubt->worst.value,
                 unit[0] ? " " : "", unit, doubt->worst.time, doubt->limit);
    }
    snprintf(out, size, "%s: %s%s%s; %lld step%s from %.6g s%s", thud_doubt_name(doubt->kind),
             thud_doubt_text(doubt->kind), place[0] ? ": " : "", place, (long long)doubt->count,
             doubt->count == 1 ? "" : "s", doubt->first.time, value);
}

const thud_doubt *doubt_view_at(const doubt_view *d, int i)
{
    int count;
    const thud_doubt *list = list_of(d, &count);
    for (int grade = THUD_DOUBT_WRONG; grade >= THUD_DOUBT_NOTE; grade--) {
        for (int k = 0; k < count; k++) {
            if ((int)list[k].grade == grade && i-- == 0) {
                return &list[k];
            }
        }
    }
    return NULL;
}

void doubts_print(const doubt_view *d)
{
    enum { MOST = 10 }; // of a grade
    char line[800];
    int of_grade[THUD_DOUBT_WRONG + 1] = {0};
    const thud_doubt *doubt;
    for (int i = 0; (doubt = doubt_view_at(d, i)) != NULL; i++) {
        if (of_grade[doubt->grade]++ < MOST) {
            doubt_line(d->model, doubt, line, sizeof line);
            printf("  %-16s %-7s %s\n", i == 0 ? "doubts" : "", thud_doubt_grade_name(doubt->grade), line);
        }
    }
    for (int grade = THUD_DOUBT_WRONG; grade >= THUD_DOUBT_NOTE; grade--) {
        if (of_grade[grade] > MOST) {
            printf("  %-16s %-7s and %d more of this grade (--json lists all)\n", "",
                   thud_doubt_grade_name((thud_doubt_grade)grade), of_grade[grade] - MOST);
        }
    }
}

// A name, or the number where there is none.
static void put_object(json *j, const char *key, const thud_model *m, thud_kind kind, int number)
{
    const char *name = thud_model_name(m, kind, number);
    if (name && name[0]) {
        json_text(j, key, name);
    } else {
        json_integer(j, key, number);
    }
}

static void put_pair(json *j, const char *key, const thud_model *m, thud_kind kind, const int pair[2])
{
    if (pair[0] < 0) {
        return;
    }
    json_begin_line(j, key, '[');
    for (int k = 0; k < 2 && pair[k] >= 0; k++) {
        put_object(j, NULL, m, kind, pair[k]);
    }
    json_end(j);
}

static void put_where(json *j, const thud_model *m, const thud_doubt_where *where)
{
    json_begin_line(j, "where", '{');
    put_pair(j, "body", m, THUD_KIND_BODY, where->body);
    put_pair(j, "geom", m, THUD_KIND_GEOM, where->geom);
    const struct {
        const char *key;
        thud_kind kind;
        int number;
    } one[] = {{"joint", THUD_KIND_JOINT, where->joint},
               {"equality", THUD_KIND_EQUALITY, where->equality},
               {"tendon", THUD_KIND_TENDON, where->tendon}};
    for (size_t i = 0; i < sizeof one / sizeof one[0]; i++) {
        if (one[i].number >= 0) {
            put_object(j, one[i].key, m, one[i].kind, one[i].number);
        }
    }
    json_end(j);
}

static void put_moment(json *j, const char *key, const thud_doubt_moment *moment)
{
    json_begin_line(j, key, '{');
    json_number(j, "time", moment->time);
    json_number(j, "value", moment->value);
    json_end(j);
}

void doubts_json(json *j, const doubt_view *d)
{
    int count;
    const thud_doubt *list = list_of(d, &count);
    json_begin(j, "doubts", '[');
    for (int i = 0; i < count; i++) {
        json_begin_line(j, NULL, '{');
        json_text(j, "kind", thud_doubt_name(list[i].kind));
        json_text(j, "grade", thud_doubt_grade_name(list[i].grade));
        json_integer(j, "count", list[i].count);
        put_moment(j, "first", &list[i].first);
        put_moment(j, "worst", &list[i].worst);
        json_number(j, "limit", list[i].limit);
        put_where(j, d->model, &list[i].where);
        json_end(j);
    }
    json_end(j);
}
