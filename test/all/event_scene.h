// SPDX-License-Identifier: Apache-2.0
// event_scene.h: a scene run by events, with every event kept.
#pragma once

#include <thud/thud.h>

#include "test.h"

enum { EVENT_ROOM = 20000 };

typedef struct event_run {
    thud_spec *spec;
    thud_model *m;
    thud_state *s;
    thud_sim *sim;
    thud_step_options o;
    thud_event *event;
    int events;
} event_run;

// xml: a scene's text, or the name of one of scenes/ without its ending.
static inline event_run event_open(const char *xml)
{
#ifndef THUD_HAVE_SUNDIALS
    skip(); // a build without CVODE refuses the scheme
#endif
    event_run r = {.event = calloc(EVENT_ROOM, sizeof(thud_event))};
    thud_diag diag = {0};
    char path[2048];
    snprintf(path, sizeof path, "%s/scenes/%s.xml", THUD_SOURCE_DIR, xml);
    const thud_status status = xml[0] == '<' ? thud_load_mjcf_text(xml, strlen(xml), "test", &r.spec, &diag)
                                             : thud_load_mjcf(path, &r.spec, &diag);
    if (status != THUD_OK || thud_model_build(r.spec, &r.m, &diag) != THUD_OK) {
        fail_msg("%s", diag.text);
    }
    CHECK_OK(thud_state_create(r.m, &r.s));
    r.o = thud_step_defaults(r.m);
    r.o.scheme = THUD_SCHEME_EVENT_DRIVEN;
    r.o.law = thud_law_defaults();
    return r;
}

// Runs to time t in steps of h; the sim is made on the first call.
static inline void event_go(event_run *r, double h, double t)
{
    thud_diag diag = {0};
    r->o.h = h;
    if (!r->sim && thud_sim_create(r->m, &r->o, &r->sim, &diag) != THUD_OK) {
        fail_msg("%s", diag.text);
    }
    while (r->s->time < t - 1e-9) {
        int count;
        thud_certificate c;
        if (thud_sim_step(r->sim, NULL, r->s, &c) != THUD_OK) {
            fail_msg("at %g s: %s", r->s->time, thud_sim_reason(r->sim));
        }
        const thud_event *event = thud_sim_events(r->sim, &count);
        for (int i = 0; i < count && r->events < EVENT_ROOM; i++) {
            r->event[r->events++] = event[i];
        }
    }
}

static inline void event_close(event_run *r)
{
    thud_sim_destroy(r->sim);
    thud_state_destroy(r->s);
    thud_model_destroy(r->m);
    thud_spec_destroy(r->spec);
    free(r->event);
}

// The n-th event of a kind (from 0), or NULL.
static inline const thud_event *event_nth(const event_run *r, thud_event_kind kind, int n)
{
    for (int i = 0; i < r->events; i++) {
        if (r->event[i].kind == kind && n-- == 0) {
            return &r->event[i];
        }
    }
    return NULL;
}

static inline int event_count(const event_run *r, thud_event_kind kind)
{
    int count = 0;
    for (int i = 0; i < r->events; i++) {
        count += r->event[i].kind == kind;
    }
    return count;
}
