// SPDX-License-Identifier: Apache-2.0
// events.c: the events of a run, as a table for people, as JSON and as a CSV beside the recording.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "events.h"
#include "term.h"

bool events_add(event_list *list, const thud_sim *sim)
{
    int count;
    const thud_event *event = thud_sim_events(sim, &count);
    if (list->count + count > list->capacity) {
        const int wanted = 2 * (list->count + count);
        thud_event *const grown = realloc(list->event, (size_t)wanted * sizeof *grown);
        if (!grown) {
            return false;
        }
        list->event = grown;
        list->capacity = wanted;
    }
    for (int i = 0; i < count; i++) {
        list->event[list->count++] = event[i];
    }
    return true;
}

void events_free(event_list *list)
{
    free(list->event);
    *list = (event_list){0};
}

static void print_name(const thud_model *m, thud_kind kind, const char *word, int number)
{
    const char *name = thud_model_name(m, kind, number);
    char text[32];
    (void)snprintf(text, sizeof text, "%s %d", word, number);
    printf("  %-10.10s", name && *name ? name : text);
}

// Two bodies, or the body and its joint, or a tendon.
static void print_where(const thud_model *m, const thud_event *e)
{
    if (e->tendon >= 0) {
        print_name(m, THUD_KIND_TENDON, "tendon", e->tendon);
        printf("  %-10s", "");
        return;
    }
    print_name(m, THUD_KIND_BODY, "body", e->body1);
    if (e->joint >= 0) {
        print_name(m, THUD_KIND_JOINT, "joint", e->joint);
    } else {
        print_name(m, THUD_KIND_BODY, "body", e->body2);
    }
}

void events_print(const event_list *list, const thud_model *m)
{
    printf("\n%sevents%s: %d\n", term_bold(stdout), term_plain(stdout), list->count);
    if (list->count > 0) {
        printf("  %-15s %-8s  %-10s  %-10s  %-12s %-25s %-25s %s\n", "time (s)", "kind", "first", "second",
               "impulse (Ns)", "normal speed (m/s)", "slip (m/s)", "energy (J)");
    }
    for (int i = 0; i < list->count; i++) {
        const thud_event *e = &list->event[i];
        printf("  %-15.12g %-8s", e->time, thud_event_name(e->kind));
        print_where(m, e);
        printf("  %-12.6g %11.5g -> %-10.5g %11.5g -> %-10.5g %+.5g\n", e->impulse[0], e->speed[0],
               e->speed[1], e->slip[0], e->slip[1], e->energy);
    }
}

void events_json(json *j, const event_list *list)
{
    json_begin(j, "events", '[');
    for (int i = 0; i < list->count; i++) {
        const thud_event *e = &list->event[i];
        json_begin_line(j, NULL, '{');
        json_number(j, "time", e->time);
        json_text(j, "kind", thud_event_name(e->kind));
        json_integer(j, "body1", e->body1);
        json_integer(j, "body2", e->body2);
        json_integer(j, "joint", e->joint);
        json_integer(j, "tendon", e->tendon);
        json_numbers(j, "impulse", e->impulse, 3);
        json_numbers(j, "speed", e->speed, 2);
        json_numbers(j, "slip", e->slip, 2);
        json_number(j, "energy", e->energy);
        json_integer(j, "together", e->together);
        json_end(j);
    }
    json_end(j);
}

static const thud_column columns[] = {
    {"time", "s"},           {"kind", ""},           {"body1", ""},
    {"body2", ""},           {"joint", ""},          {"tendon", ""},
    {"impulse", "N s"},      {"impulse_t1", "N s"},  {"impulse_t2", "N s"},
    {"speed_before", "m/s"}, {"speed_after", "m/s"}, {"slip_before", "m/s"},
    {"slip_after", "m/s"},   {"energy", "J"},        {"together", ""},
};

// run.csv and run.h5 give run.events.csv: what follows the name's last dot goes.
static void beside(const char *record, char *out, size_t room)
{
    const char *slash = strrchr(record, '/'), *name = slash ? slash + 1 : record, *dot = strrchr(name, '.');
    const size_t stem = dot && dot > name ? (size_t)(dot - record) : strlen(record);
    (void)snprintf(out, room, "%.*s.events.csv", (int)stem, record);
}

int events_write(const event_list *list, const char *record)
{
    char path[4096];
    thud_recorder *recorder = NULL;
    thud_diag diag = {0};
    beside(record, path, sizeof path);
    thud_status status =
        thud_recorder_open_table(path, columns, sizeof columns / sizeof columns[0], &recorder, &diag);
    for (int i = 0; status == THUD_OK && i < list->count; i++) {
        const thud_event *e = &list->event[i];
        const double row[] = {e->time,     e->kind,       e->body1,      e->body2,      e->joint,
                              e->tendon,   e->impulse[0], e->impulse[1], e->impulse[2], e->speed[0],
                              e->speed[1], e->slip[0],    e->slip[1],    e->energy,     e->together};
        status = thud_recorder_row(recorder, row);
    }
    if (recorder) {
        const thud_status closed = thud_recorder_close(recorder, &diag);
        status = status == THUD_OK ? closed : status;
    }
    return status == THUD_OK ? EXIT_DONE : scene_complain(path, status, &diag);
}
