// SPDX-License-Identifier: Apache-2.0
// describe.c: how a run is stepped, as notes of its recording.
#include <thud/base_input.h>
#include <thud/record.h>
#include <thud/step_event.h>

// The scene's own text, as it is in its file (what it includes is not in it).
static thud_status note_text(thud_recorder *recorder, const char *scene)
{
    char *text;
    size_t bytes;
    if (!scene || thud_input_read(scene, (size_t)1 << 30, &text, &bytes, NULL) != THUD_OK) {
        return THUD_OK;
    }
    const thud_status status = thud_recorder_note(recorder, "scene_text", text);
    thud_free(text);
    return status;
}

thud_status thud_recorder_describe(thud_recorder *recorder, const thud_step_options *o, const char *scene,
                                   int every)
{
    const bool events = o->scheme == THUD_SCHEME_EVENT_DRIVEN;
    const struct {
        const char *name, *text;
    } texts[] = {{"scene", scene},
                 {"law", thud_law_name(o->law.law)},
                 {"solver", thud_solver_name(o->law.solver)},
                 {"integrator", thud_integrator_name(o->integrator)},
                 {"restitution_law", thud_restitution_name(o->restitution_law)},
                 {"impacts", thud_impacts_name(o->impacts)},
                 {"scheme", thud_scheme_name(o->scheme)},
                 {"collisions", thud_collisions_name(o->event.collisions)}};
    const struct {
        const char *name;
        double number;
    } numbers[] = {{"dt", o->h},
                   {"every", every},
                   {"tolerance", o->law.tolerance},
                   {"budget", (double)o->budget},
                   {"accept_tolerance", o->accept_tolerance},
                   {"directions", o->law.directions},
                   {"aligned", o->law.aligned},
                   {"rho", o->law.rho},
                   {"rtol", o->event.rtol},
                   {"atol", o->event.atol},
                   {"rest_speed", events ? o->event.rest_speed : o->restitution_speed},
                   {"restitution", o->restitution},
                   {"sleep_speed", o->sleep.speed},
                   {"sleep_time", o->sleep.time}};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (texts[i].text) {
            THUD_TRY(thud_recorder_note(recorder, texts[i].name, texts[i].text));
        }
    }
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        THUD_TRY(thud_recorder_note_number(recorder, numbers[i].name, numbers[i].number));
    }
    return note_text(recorder, scene);
}
