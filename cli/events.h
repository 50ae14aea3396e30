// SPDX-License-Identifier: Apache-2.0
// events.h: the events of a run: kept as they come, printed, written beside a recording.
#pragma once

#include "json.h"
#include "scene.h"

typedef struct event_list {
    thud_event *event;
    int count, capacity;
} event_list;

bool events_add(event_list *list, const thud_sim *sim); // those of the last step; false: no memory
void events_free(event_list *list);

void events_print(const event_list *list, const thud_model *m);
void events_json(json *j, const event_list *list); // as "events": [...]

// The table beside a recording: run.csv has run.events.csv. An exit code.
int events_write(const event_list *list, const char *record);
