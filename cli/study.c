// SPDX-License-Identifier: Apache-2.0
// study.c: stdout, the folder and its page.
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "study.h"

static const char style[] =
    "body{margin:0;background:#f3f1ea;color:#1f2430;font:16px/1.5 system-ui,sans-serif}main{max-width:1100px;"
    "margin:0 auto;padding:40px 20px 60px}h1{font-size:34px;letter-spacing:-.02em}h2{margin-top:56px}"
    "h3{font-size:16px;margin:28px 0 8px}p{max-width:80ch}table{border-collapse:collapse;font-size:14px;"
    "font-variant-numeric:tabular-nums}th,td{padding:4px 14px 4px 0;border-top:1px solid "
    "#dcd9cf;text-align:left;"
    "vertical-align:top}.n{text-align:right}img{width:100%;border:1px solid #dcd9cf;border-radius:12px}"
    "a{color:#2a6bcc}";

// ---------------------------------------------------------------------------------------- where things are

static bool has_scenes(const char *folder)
{
    char path[640];
    snprintf(path, sizeof path, "%s/rod.xml", folder);
    return access(path, R_OK) == 0;
}

// Here, where the program was installed, or in the source tree it was built in.
const char *study_scenes(char found[512])
{
    char program[400];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (has_scenes("scenes") || length <= 0) {
        return "scenes";
    }
    program[length] = '\0';
    char *slash = strrchr(program, '/');
    if (slash) {
        *slash = '\0';
    }
    static const char *const beside[] = {"../share/thud/scenes", "../scenes", "../../scenes"};
    for (size_t i = 0; i < sizeof beside / sizeof beside[0]; i++) {
        snprintf(found, 512, "%s/%s", program, beside[i]);
        if (has_scenes(found)) {
            return found;
        }
    }
    return "scenes";
}

// PATH of a file NAME.EXTENSION in the folder.
static const char *place(const study *s, char path[640], const char *name, const char *extension)
{
    snprintf(path, 640, "%s/%s.%s", s->out, name, extension);
    return path;
}

int study_open(study *s)
{
    static char found[512];
    char path[640];
    s->scenes = s->scenes ? s->scenes : study_scenes(found);
    s->bar = progress_start();
    if (!s->out) {
        return s->code;
    }
    if (mkdir(s->out, 0777) != 0 && errno != EEXIST) {
        fprintf(stderr, "%s:1:1: the folder cannot be made: %s\n", s->out, strerror(errno));
        return s->code = EXIT_BAD_INPUT;
    }
    s->code = output_open(&s->page, place(s, path, "index", "html"));
    if (s->code == EXIT_DONE) {
        fprintf(s->page.file,
                "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
                "content=\"width=device-width,initial-scale=1\"><title>What the papers show \302\267 "
                "Thud</title>"
                "<style>%s</style></head><body><main>\n<h1>What the papers show, again</h1>\n"
                "<p>Made by <code>thud reproduce</code>, thud %s (%s), from the scene files alone: "
                "<code>thud run</code> with the same options takes the same steps.</p>\n",
                style, thud_version(), thud_commit());
    }
    return s->code;
}

int study_close(study *s)
{
    progress_finish(&s->bar);
    if (s->code == EXIT_DONE && s->judged > 0) {
        study_title(s, "In all");
        study_note(s, "%d of %d figures that have a band are inside it.", s->judged - s->missed, s->judged);
    }
    thud_output_discard(&s->figure);
    if (s->page.file && s->code == EXIT_DONE) {
        fputs("</main></body></html>\n", s->page.file);
        s->code = output_close(&s->page);
    }
    thud_output_discard(&s->page);
    return s->code != EXIT_DONE ? s->code : s->missed > 0 ? EXIT_CERTIFICATE : EXIT_DONE;
}

// ---------------------------------------------------------------------------------------- words and runs

void study_title(study *s, const char *text)
{
    if (s->code != EXIT_DONE) {
        return;
    }
    progress_hide(&s->bar);
    printf("\n%s%s%s\n", term_bold(stdout), text, term_plain(stdout));
    if (s->page.file) {
        fputs("<h2>", s->page.file);
        html_text(s->page.file, text);
        fputs("</h2>\n", s->page.file);
    }
}

void study_note(study *s, const char *format, ...)
{
    char text[2048];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (s->code != EXIT_DONE) {
        return;
    }
    progress_hide(&s->bar);
    term_paragraph(stdout, text);
    if (s->page.file) {
        fputs("<p>", s->page.file);
        html_text(s->page.file, text);
        fputs("</p>\n", s->page.file);
    }
}

typedef struct watcher {
    study *study;
    const trial_wish *wish;
} watcher;

// Passes on to whoever watches, and shows how far the run is.
static void watch(const trial *t, void *context)
{
    const watcher *w = context;
    if (w->wish->watch) {
        w->wish->watch(t, w->wish->context);
    }
    if (progress_due(&w->study->bar)) {
        progress_draw(&w->study->bar, (double)t->taken / (double)t->steps, "%s, %s, %g s", w->wish->scene,
                      thud_law_name(t->stepper.options.law.law), t->stepper.options.h);
    }
}

bool study_run(study *s, const trial_wish *wish, trial *out)
{
    watcher w = {s, wish};
    trial_wish watched = *wish;
    *out = (trial){0};
    if (s->code == EXIT_DONE) {
        watched.watch = watch;
        watched.context = &w;
        s->code = trial_run(s->self, s->scenes, &watched, out);
    }
    return s->code == EXIT_DONE;
}

const char *study_judge(study *s, bool inside)
{
    s->judged++;
    s->missed += !inside;
    return inside ? "yes" : "NO";
}

// ---------------------------------------------------------------------------------------- tables and figures

static void caption_of(study *s, const char *caption, const char *name)
{
    if (s->page.file) {
        fputs("<h3>", s->page.file);
        html_text(s->page.file, caption);
        fprintf(s->page.file, " (<a href=\"%s.csv\">csv</a>)</h3>\n", name);
    }
}

void study_table(study *s, const char *name, const char *caption, sheet *t)
{
    char path[640];
    thud_output o;
    if (s->code == EXIT_DONE && t->no_memory) {
        s->code = scene_complain(name, THUD_NO_MEMORY, &(thud_diag){0});
    }
    if (s->code == EXIT_DONE) {
        progress_hide(&s->bar);
        printf("\n%s%s%s\n", term_dim(stdout), caption, term_plain(stdout));
        sheet_text(t, stdout);
        putchar('\n');
    }
    if (s->code == EXIT_DONE && s->out) {
        caption_of(s, caption, name);
        sheet_html(t, s->page.file);
        s->code = output_open(&o, place(s, path, name, "csv"));
        if (s->code == EXIT_DONE) {
            sheet_csv(t, o.file);
            s->code = output_close(&o);
        }
    }
    sheet_free(t);
}

static void save_plot(study *s, const char *path, const plot *p, void (*write)(FILE *, const plot *))
{
    thud_output o;
    if (s->code == EXIT_DONE) {
        s->code = output_open(&o, path);
        if (s->code == EXIT_DONE) {
            write(o.file, p);
            s->code = output_close(&o);
        }
    }
}

void study_plot(study *s, const char *name, const char *caption, const plot *p)
{
    char path[640];
    if (s->code == EXIT_DONE && s->out) {
        caption_of(s, caption, name);
        fprintf(s->page.file, "<img src=\"%s.svg\" alt=\"%s\">\n", name, p->y_name);
        save_plot(s, place(s, path, name, "svg"), p, plot_write_alone);
        save_plot(s, place(s, path, name, "csv"), p, plot_write_csv);
    }
}

FILE *study_draw(study *s, const char *name, const char *caption)
{
    char path[640];
    if (s->code != EXIT_DONE || !s->out) {
        return NULL;
    }
    s->code = output_open(&s->figure, place(s, path, name, "svg"));
    if (s->code != EXIT_DONE) {
        return NULL;
    }
    fputs("<h3>", s->page.file);
    html_text(s->page.file, caption);
    fprintf(s->page.file, "</h3>\n<img src=\"%s.svg\" alt=\"\">\n", name);
    return s->figure.file;
}

void study_drawn(study *s)
{
    if (s->code == EXIT_DONE && s->figure.file) {
        s->code = output_close(&s->figure);
    }
}
