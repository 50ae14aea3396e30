// SPDX-License-Identifier: Apache-2.0
// film.c: a snapshot as PNG; a film as animated PNG, or through ffmpeg.
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "film.h"
#include "output.h"
#include "png.h"
#include "scene.h"
#include "term.h"

enum { PIXELS_MIN = 16, PIXELS_MAX = 8192, PICTURES_MAX = 100000 };

static const double degree = 0.017453292519943295;

void film_options_free(film_options *o)
{
    number_list_free(&o->camera);
}

// ---------------------------------------------------------------------------------------- before the run

static bool ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text), k = strlen(end);
    return n > k && strcmp(text + n - k, end) == 0;
}

static bool needs_ffmpeg(const char *path)
{
    return ends_with(path, ".mp4");
}

// True if a program of this name is on PATH.
static bool is_installed(const char *program)
{
    const char *path = getenv("PATH");
    for (const char *at = path; at && *at;) {
        char name[4096];
        const size_t length = strcspn(at, ":");
        snprintf(name, sizeof name, "%.*s/%s", (int)length, at, program);
        if (access(name, X_OK) == 0) {
            return true;
        }
        at += length + (at[length] == ':');
    }
    return false;
}

static bool read_size(const char *text, int *wide, int *high)
{
    int end = 0;
    return sscanf(text, "%dx%d%n", wide, high, &end) == 2 && text[end] == '\0' && *wide >= PIXELS_MIN &&
           *high >= PIXELS_MIN && *wide <= PIXELS_MAX && *high <= PIXELS_MAX;
}

static int check_names(const command *self, const film_options *o)
{
    if (o->snapshot && !ends_with(o->snapshot, ".png")) {
        return args_usage(self, "--snapshot writes PNG: '%s' should end in .png", o->snapshot);
    }
    if (o->video && !ends_with(o->video, ".mp4") && !ends_with(o->video, ".png") &&
        !ends_with(o->video, ".apng")) {
        return args_usage(self, "--video writes .mp4 (through ffmpeg) or an animated .png, not '%s'",
                          o->video);
    }
    if (o->video && needs_ffmpeg(o->video) && !is_installed("ffmpeg")) {
        fprintf(stderr,
                "%s:1:1: an .mp4 is made by ffmpeg, which is not installed; a name that ends in .png is "
                "written without it\n",
                o->video);
        return EXIT_BAD_INPUT;
    }
    return EXIT_DONE;
}

int film_check(const command *self, const film_options *o)
{
    int wide, high;
    if (!film_wanted(o)) {
        return EXIT_DONE;
    }
    if (!read_size(o->size, &wide, &high)) {
        return args_usage(self, "--size is WIDTHxHEIGHT, each from %d to %d, not '%s'", PIXELS_MIN,
                          PIXELS_MAX, o->size);
    }
    if (o->video && needs_ffmpeg(o->video) && (wide % 2 || high % 2)) {
        return args_usage(self, "--size of an .mp4 is in even numbers, not '%s'", o->size);
    }
    if (o->fps < 1 || o->fps > 240) {
        return args_usage(self, "--fps is from 1 to 240, not %d", o->fps);
    }
    if (o->camera.given && (o->camera.count < 2 || o->camera.count > 3 || fabs(o->camera.value[1]) > 90 ||
                            (o->camera.count == 3 && !(o->camera.value[2] > 0)))) {
        return args_usage(self,
                          "--camera takes azimuth, elevation (-90 to 90) and, if need be, a zoom above zero");
    }
    return check_names(self, o);
}

static look look_of(const film_options *o)
{
    look l = {.forces = o->forces, .cones = o->cones, .zoom = 1};
    (void)read_size(o->size, &l.wide, &l.high); // checked before the run
    if (o->camera.given) {
        l.turned = true;
        l.azimuth = degree * o->camera.value[0];
        l.elevation = degree * o->camera.value[1];
        l.zoom = o->camera.count == 3 ? o->camera.value[2] : 1;
    }
    return l;
}

// ---------------------------------------------------------------------------------------- ffmpeg

typedef struct encoder {
    pid_t child;
    FILE *to; // raw pictures
    void (*before)(int);
} encoder;

static void exec_ffmpeg(const image *size, int fps, const char *path)
{
    char pixels[32], rate[16], ffmpeg[] = "ffmpeg";
    snprintf(pixels, sizeof pixels, "%dx%d", size->wide, size->high);
    snprintf(rate, sizeof rate, "%d", fps);
    execlp(ffmpeg, ffmpeg, "-y", "-loglevel", "quiet", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", pixels,
           "-r", rate, "-i", "-", "-an", "-crf", "18", "-pix_fmt", "yuv420p", "-movflags", "+faststart", "-f",
           "mp4", path, (char *)NULL);
    _exit(127);
}

static bool encoder_start(encoder *e, const image *size, int fps, const char *path)
{
    int ends[2];
    if (pipe(ends) != 0) {
        return false;
    }
    e->before = signal(SIGPIPE, SIG_IGN); // an encoder that dies is noticed when it is waited for
    e->child = fork();
    if (e->child == 0) {
        dup2(ends[0], STDIN_FILENO);
        close(ends[0]);
        close(ends[1]);
        exec_ffmpeg(size, fps, path);
    }
    close(ends[0]);
    e->to = e->child > 0 ? fdopen(ends[1], "wb") : NULL;
    if (!e->to) {
        close(ends[1]);
    }
    return e->to;
}

static bool encoder_finish(encoder *e)
{
    int status = 1;
    const bool sent = e->to && fclose(e->to) == 0;
    const bool ended = e->child > 0 && waitpid(e->child, &status, 0) == e->child;
    signal(SIGPIPE, e->before);
    return sent && ended && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// ---------------------------------------------------------------------------------------- pictures

static int no_memory(const char *path)
{
    return scene_complain(path, THUD_NO_MEMORY, &(thud_diag){0});
}

static int make_snapshot(const film_options *o, const thud_model *m, const replay *run)
{
    const double end = (double)run->time.at[run->frames - 1], time = o->time < 0 ? end : fmin(o->time, end);
    const look l = look_of(o);
    renderer r;
    thud_output to;
    int code = EXIT_DONE;
    if (!renderer_create(&r, m, run, &l, time, time) || !renderer_draw(&r, time)) {
        code = no_memory(o->snapshot);
    } else if ((code = output_open(&to, o->snapshot)) == EXIT_DONE) {
        if (png_write(to.file, &r.picture)) {
            code = output_close(&to);
        } else {
            code = no_memory(o->snapshot);
            thud_output_discard(&to);
        }
    }
    renderer_destroy(&r);
    return code;
}

typedef struct film { // being made
    const film_options *o;
    renderer renderer;
    thud_output to;
    int pictures;
    double start, step; // s of the run: of the first picture, from one to the next
    apng apng;
    encoder encoder; // instead, if it has a child
} film;

static bool add_picture(film *f)
{
    const image *p = &f->renderer.picture;
    const size_t bytes = 3 * (size_t)p->wide * (size_t)p->high;
    return f->encoder.to ? fwrite(p->rgb, 1, bytes, f->encoder.to) == bytes : apng_add(&f->apng, p);
}

static bool draw_pictures(film *f)
{
    progress p = progress_start();
    bool whole = true;
    for (int i = 0; i < f->pictures && whole; i++) {
        whole = renderer_draw(&f->renderer, f->start + i * f->step) && add_picture(f);
        if (progress_due(&p)) {
            progress_draw(&p, (double)(i + 1) / f->pictures, "drawing picture %d of %d", i + 1, f->pictures);
        }
    }
    progress_finish(&p);
    return whole;
}

static int shoot(film *f)
{
    const bool mp4 = needs_ffmpeg(f->o->video);
    f->apng = apng_open(f->to.file, f->pictures, f->o->fps);
    bool whole = !mp4 || encoder_start(&f->encoder, &f->renderer.picture, f->o->fps, f->to.part);
    whole = whole && draw_pictures(f);
    if (mp4) {
        whole = encoder_finish(&f->encoder) && whole;
    } else {
        apng_close(&f->apng);
    }
    if (whole) {
        return output_close(&f->to);
    }
    thud_output_discard(&f->to);
    if (mp4) {
        fprintf(stderr, "%s:1:1: ffmpeg could not make it\n", f->o->video);
        return EXIT_BAD_INPUT;
    }
    return no_memory(f->o->video);
}

static int make_video(const film_options *o, const thud_model *m, const replay *run)
{
    const look l = look_of(o);
    const double start = (double)run->time.at[0], end = (double)run->time.at[run->frames - 1];
    film f = {.o = o, .start = start, .step = o->speed / o->fps};
    const double pictures = floor((end - start) / f.step + 1e-6) + 1;
    if (pictures > PICTURES_MAX) {
        fprintf(stderr, "%s:1:1: it would have %.0f pictures, more than %d\n", o->video, pictures,
                PICTURES_MAX);
        return EXIT_BAD_INPUT;
    }
    f.pictures = (int)pictures;
    int code = renderer_create(&f.renderer, m, run, &l, start, end) ? output_open(&f.to, o->video)
                                                                    : no_memory(o->video);
    code = code == EXIT_DONE ? shoot(&f) : code;
    renderer_destroy(&f.renderer);
    return code;
}

int film_make(const film_options *o, const thud_model *m, const replay *run)
{
    const int code = o->snapshot ? make_snapshot(o, m, run) : EXIT_DONE;
    return code == EXIT_DONE && o->video ? make_video(o, m, run) : code;
}
