// SPDX-License-Identifier: Apache-2.0
// run_notes.c: options to notes and back.
#include <math.h>
#include <string.h>

#include "run_notes.h"

void run_notes_write(thud_recorder *recorder, const run_notes *notes, const stepper *p)
{
    (void)thud_recorder_describe(recorder, &p->options, notes->scene, notes->every);
    (void)thud_recorder_note_number(recorder, "time", notes->time);
    (void)thud_recorder_note(recorder, "coordinates", p->wide_model ? "maximal" : "minimal");
    (void)thud_recorder_note(recorder, "start", notes->loaded ? "saved state" : "first row");
    if (notes->settings) {
        (void)thud_recorder_note(recorder, "settings", notes->settings);
    }
}

static bool says(const thud_recording *r, const char *note, const char *text)
{
    const char *said = thud_recording_text(r, note);
    return said && strcmp(said, text) == 0;
}

// A word of an enumeration to its number; false where the recording has no such word.
#define READ_WORD(kind, note, to)                                                                            \
    thud_##kind kind;                                                                                        \
    const char *kind##_word = thud_recording_text(recording, note);                                          \
    if (!kind##_word || !thud_##kind##_find(kind##_word, &kind)) {                                           \
        return false;                                                                                        \
    }                                                                                                        \
    (to) = (int)kind

static bool read_integrator(const thud_recording *recording, step_wishes *w)
{
    thud_integrator integrator;
    thud_restitution_law law;
    const char *how = thud_recording_text(recording, "integrator"),
               *back = thud_recording_text(recording, "restitution_law");
    if (!how || !back || !thud_integrator_find(how, &integrator) || !thud_restitution_find(back, &law)) {
        return false;
    }
    w->integrator = (int)integrator;
    w->restitution_law = (int)law;
    return true;
}

static bool read_words(const thud_recording *recording, step_wishes *w)
{
    READ_WORD(law, "law", w->law);
    READ_WORD(solver, "solver", w->solver);
    READ_WORD(scheme, "scheme", w->scheme);
    READ_WORD(collisions, "collisions", w->collisions);
    thud_impacts impacts;
    const char *when = thud_recording_text(recording, "impacts");
    if (!when || !thud_impacts_find(when, &impacts)) {
        return false;
    }
    w->impacts = impacts == THUD_IMPACTS_BY_LAW ? NOT_GIVEN : (int)impacts - THUD_IMPACTS_LOCATED;
    return read_integrator(recording, w);
}

const char *run_notes_read(const thud_recording *recording, run_notes *notes, step_wishes *wishes)
{
    const thud_recording *r = recording;
    *notes = (run_notes){thud_recording_text(r, "scene"), thud_recording_number(r, "time", 0),
                         (int)thud_recording_number(r, "every", 0), thud_recording_text(r, "settings"),
                         says(r, "start", "saved state")};
    *wishes = (step_wishes)WISHES_NONE;
    if (!notes->scene || notes->every < 1 || !read_words(r, wishes)) {
        return "it does not say how it was run";
    }
    if (notes->loaded) {
        return "it started from a saved state, whose impulses a recording does not hold";
    }
    wishes->coordinates = says(r, "coordinates", "maximal");
    wishes->dt = thud_recording_number(r, "dt", 0);
    wishes->tolerance = thud_recording_number(r, "tolerance", 0);
    wishes->budget = thud_recording_number(r, "budget", 0);
    wishes->accept_tolerance = thud_recording_number(r, "accept_tolerance", 0);
    wishes->rtol = thud_recording_number(r, "rtol", 0);
    wishes->atol = thud_recording_number(r, "atol", 0);
    wishes->rest_speed = thud_recording_number(r, "rest_speed", 0);
    wishes->rho = thud_recording_number(r, "rho", 0);
    wishes->directions = (int)thud_recording_number(r, "directions", 0);
    wishes->restitution = thud_recording_number(r, "restitution", NOT_GIVEN);
    wishes->sleep_speed = thud_recording_number(r, "sleep_speed", 0);
    wishes->sleep_time = thud_recording_number(r, "sleep_time", 0);
    wishes->aligned = thud_recording_number(r, "aligned", 0) != 0;
    return NULL;
}
