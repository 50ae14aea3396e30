// SPDX-License-Identifier: Apache-2.0
// bench_page.c: the results of `thud bench` as a page: work-precision diagrams, then the tables.
#include <math.h>

#include "bench_book.h"
#include "output.h"
#include "plot.h"
#include "sheet.h"

static const char head[] =
    "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
    "content=\"width=device-width,initial-scale=1\"><title>Bench \302\267 Thud</title><style>"
    ":root{--ink:#1f2430;--faint:#e4e2da}body{margin:0;background:#f3f1ea;color:#1f2430;"
    "font:16px/1.5 system-ui,sans-serif}main{max-width:1180px;margin:0 auto;padding:40px 20px 60px}"
    "h1{font-size:34px;letter-spacing:-.02em}h2{margin-top:56px}h3{font-size:16px;margin:32px 0 8px}"
    "p{max-width:80ch}.scroll{overflow-x:auto}table{border-collapse:collapse;font-size:14px;"
    "font-variant-numeric:tabular-nums}th,td{padding:4px 14px 4px 0;border-top:1px solid #dcd9cf;"
    "text-align:left;vertical-align:top;white-space:nowrap}.n{text-align:right}"
    ".plot{width:100%;background:#fbfaf6;border:1px solid #dcd9cf;border-radius:12px}"
    ".plot text{font:13px system-ui,sans-serif;fill:#64748b}.plot .grid path{stroke:#e4e2da}"
    ".plot .line{fill:none;stroke-width:2;stroke-linejoin:round}</style></head><body><main>\n";

// ---------------------------------------------------------------------------------------- diagrams

enum { POINTS_MAX = 16 };

static const char *error_name(const bench_scene *s)
{
    return s->answer.kind == ANSWER_PLACE    ? "distance from the right place / m"
           : s->answer.kind == ANSWER_ENERGY ? "energy error / energy turned over"
                                             : "deepest penetration / m";
}

// Error over CPU time for a simulated second, a line an engine, a dot a step length.
static void write_diagram(FILE *out, const bench_book *b, const bench_scene *s)
{
    double x[CONTESTANTS_MAX][POINTS_MAX], y[CONTESTANTS_MAX][POINTS_MAX];
    int points[CONTESTANTS_MAX] = {0};
    double dt_lo = INFINITY, dt_hi = 0;
    for (int k = 0; k < b->records; k++) {
        const bench_record *r = b->record + k;
        for (int i = 0; i < b->count && r->scene == s && r->precision; i++) {
            const race_result *q = r->result + i;
            if (q->ran && isfinite(q->error) && points[i] < POINTS_MAX) {
                x[i][points[i]] = 1e-3 * q->us / q->dt; // us a step to ms a second
                y[i][points[i]++] = fmax(q->error, 1e-15);
            }
            dt_lo = fmin(dt_lo, r->dt);
            dt_hi = fmax(dt_hi, r->dt);
        }
    }
    plot_line line[CONTESTANTS_MAX];
    int lines = 0;
    for (int i = 0; i < b->count; i++) {
        if (points[i] > 0) {
            line[lines++] = (plot_line){.name = b->who[i].label,
                                        .colour = plot_colour(i),
                                        .x = x[i],
                                        .y = y[i],
                                        .points = points[i],
                                        .dots = true};
        }
    }
    if (lines > 0) {
        fprintf(out, "<h3>%s: ", s->name);
        html_text(out, s->about);
        fprintf(out, ", dt from %g to %g s</h3>\n", dt_lo, dt_hi);
        plot_write(out, &(plot){.x_name = "CPU time / ms for a simulated second",
                                .y_name = error_name(s),
                                .lines = lines,
                                .line = line,
                                .log_x = true,
                                .log_y = true,
                                .height = 380});
    }
}

// ---------------------------------------------------------------------------------------- tables

static void number(sheet *t, const char *format, bool there, double value)
{
    if (there && isfinite(value)) {
        sheet_cell(t, format, value);
    } else {
        sheet_cell(t, "\342\200\223");
    }
}

static void write_table(FILE *out, const bench_book *b, const bench_record *r)
{
    static const char *const heads[] = {"engine",          "\302\265s/step", "Thud / it",   "contacts",
                                        "penetration / m", "creep / m/s",    "kinetic / J", "drift / m",
                                        "energy / J",      "residual",       "remark"};
    sheet t = sheet_start(heads, 11);
    for (int i = 0; i < b->count; i++) {
        const race_result *q = r->result + i;
        const bool rests = q->ran && r->scene->rests;
        char remark[ENGINE_WHY_SIZE];
        bench_remark(q, remark);
        sheet_cell(&t, "%s", b->who[i].label);
        number(&t, "%.2f", q->ran, q->us);
        number(&t, "%.2f", q->ran, r->result[0].us / q->us);
        number(&t, "%.1f", q->ran, q->worth.contacts);
        number(&t, "%.1e", q->ran, q->worth.penetration);
        number(&t, "%.1e", rests, q->worth.creep);
        number(&t, "%.1e", rests, q->worth.kinetic_rest);
        number(&t, "%.1e", q->ran, q->worth.drift);
        number(&t, "%.1e", q->ran, bench_energy_of(r->scene, &q->worth));
        number(&t, "%.0e", q->ran, q->certificate.cone);
        sheet_cell(&t, "%s", remark);
    }
    fprintf(out, "<h3>%s: ", r->scene->name);
    html_text(out, r->scene->about);
    fprintf(out, ", %g s at dt %g s</h3>\n<div class=\"scroll\">", r->time, r->dt);
    sheet_html(&t, out);
    fputs("</div>\n", out);
    sheet_free(&t);
    for (int i = 0; i < b->count; i++) {
        char faster[SPEEDUP_SIZE];
        if (bench_speedup(r, b->who, i, faster)) {
            fprintf(out, "<p>%s.</p>\n", faster);
        }
    }
}

int bench_page(const bench_book *b, const char *path)
{
    thud_output o;
    const int code = output_open(&o, path);
    if (code != 0) {
        return code;
    }
    FILE *out = o.file;
    fputs(head, out);
    fprintf(
        out,
        "<h1>Thud beside other engines</h1>\n<p>Made by <code>thud bench</code>, thud %s (%s): every engine "
        "in one run, one thread, CPU time, the median of %d interleaved repeats. The yardsticks are "
        "computed by us, the same for every engine, from where its bodies are.</p>\n",
        thud_version(), thud_commit(), b->repeats);
    for (int i = 0; i < b->peers->absent; i++) {
        fprintf(out, "<p>%s is left out: ", b->peers->absent_name[i]);
        html_text(out, b->peers->why[i]);
        fputs(".</p>\n", out);
    }
    fputs("<h2>Work and precision</h2>\n<p>Each dot is one step length; down and to the left is better. What "
          "is below 1e-15 is drawn there.</p>\n",
          out);
    for (const bench_scene *s = bench_scenes; s->name; s++) {
        write_diagram(out, b, s);
    }
    fputs("<h2>Scenes</h2>\n", out);
    for (int k = 0; k < b->records; k++) {
        if (!b->record[k].precision) {
            write_table(out, b, b->record + k);
        }
    }
    fputs("</main></body></html>\n", out);
    return output_close(&o);
}
