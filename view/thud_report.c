// SPDX-License-Identifier: Apache-2.0
// thud_report.c: recordings as pages, pictures and films.
#include <math.h>

#include <thud/view.h>

#include "png.h"
#include "recorded.h"
#include "replay_page.h"
#include "viewer.h"
#include "whole.h"

enum { PIXELS_MAX = 8192, PICTURES_MAX = 100000 };

// ---------------------------------------------------------------------------------------- pages

thud_status thud_report_write(const char *path, const thud_model *m, const thud_recording *run,
                              const char *label, thud_diag *diag)
{
    if (viewer_embedded.size == 0) {
        return thud_fail(
            THUD_UNSUPPORTED, diag, path, 0, 0,
            "this library was built without the page's viewer (npm ci in web/, and build again)");
    }
    recorded r;
    thud_output w;
    thud_status status = recorded_open(&r, m, run, diag);
    status = status == THUD_OK ? thud_output_open(path, &w, diag) : status;
    if (status == THUD_OK) {
        const char *scene = thud_recording_text(run, "scene");
        const page_run page = {&r.replay, &r.facts, scene ? scene : "a recording", r.how[0] ? r.how : NULL,
                               label};
        status = whole_close(&w, replay_page_write(w.file, &page, 1) ? THUD_OK : THUD_NO_MEMORY, diag);
    }
    recorded_close(&r);
    return status;
}

// ---------------------------------------------------------------------------------------- pictures and films

static thud_status check(const thud_film_options *o, look *l, thud_diag *diag)
{
    static const thud_film_options none = {0};
    o = o ? o : &none;
    *l = (look){.wide = o->wide ? o->wide : 1280,
                .high = o->high ? o->high : 720,
                .turned = o->aim.turned,
                .azimuth = o->aim.azimuth,
                .elevation = o->aim.elevation,
                .zoom = o->aim.zoom > 0 ? o->aim.zoom : 1,
                .forces = o->forces,
                .cones = o->cones};
    const bool good = l->wide >= 1 && l->high >= 1 && l->wide <= PIXELS_MAX && l->high <= PIXELS_MAX &&
                      isfinite(l->azimuth) && isfinite(l->elevation) && isfinite(l->zoom) && o->fps >= 0 &&
                      o->fps <= 240 && o->speed >= 0 && isfinite(o->speed);
    return good ? THUD_OK
                : thud_fail(THUD_BAD_ARGUMENT, diag, NULL, 0, 0,
                            "a picture has 1 to %d pixels each way, and a film up to 240 pictures a second",
                            PIXELS_MAX);
}

thud_status thud_snapshot_write(const char *path, const thud_model *m, const thud_recording *run, double time,
                                const thud_film_options *options, thud_diag *diag)
{
    recorded r;
    look l;
    thud_output w;
    THUD_TRY(check(options, &l, diag));
    thud_status status = recorded_open(&r, m, run, diag);
    status = status == THUD_OK ? thud_output_open(path, &w, diag) : status;
    if (status == THUD_OK) {
        renderer drawn;
        const double when = fmin(fmax(time, r.start), r.end);
        const bool done = renderer_create(&drawn, m, &r.replay, &l, when, when) &&
                          renderer_draw(&drawn, when) && png_write(w.file, &drawn.picture);
        renderer_destroy(&drawn);
        status = whole_close(&w, done ? THUD_OK : THUD_NO_MEMORY, diag);
    }
    recorded_close(&r);
    return status;
}

static bool shoot(renderer *drawn, FILE *out, double start, double step, int pictures, int fps)
{
    apng film = apng_open(out, pictures, fps);
    bool done = true;
    for (int i = 0; i < pictures && done; i++) {
        done = renderer_draw(drawn, start + i * step) && apng_add(&film, &drawn->picture);
    }
    apng_close(&film);
    return done;
}

thud_status thud_film_write(const char *path, const thud_model *m, const thud_recording *run,
                            const thud_film_options *options, thud_diag *diag)
{
    recorded r;
    look l;
    thud_output w;
    THUD_TRY(check(options, &l, diag));
    const double fps = options && options->fps > 0 ? options->fps : 30,
                 step = (options && options->speed > 0 ? options->speed : 1) / fps;
    thud_status status = recorded_open(&r, m, run, diag);
    const double pictures = floor((r.end - r.start) / step + 1e-6) + 1;
    if (status == THUD_OK && !(pictures <= PICTURES_MAX)) {
        status = thud_fail(THUD_BAD_ARGUMENT, diag, path, 0, 0, "it would have %.0f pictures, more than %d",
                           pictures, PICTURES_MAX);
    }
    status = status == THUD_OK ? thud_output_open(path, &w, diag) : status;
    if (status == THUD_OK) {
        renderer drawn;
        const bool done = renderer_create(&drawn, m, &r.replay, &l, r.start, r.end) &&
                          shoot(&drawn, w.file, r.start, step, (int)pictures, (int)lround(fps));
        renderer_destroy(&drawn);
        status = whole_close(&w, done ? THUD_OK : THUD_NO_MEMORY, diag);
    }
    recorded_close(&r);
    return status;
}
