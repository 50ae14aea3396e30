// SPDX-License-Identifier: Apache-2.0
// report.c: the page: a picture of the motion, its figures, its energies.
#include <math.h>
#include <stdio.h>

#include "omissions.h"
#include "output.h"
#include "picture.h"
#include "plot.h"
#include "report.h"

static const char style[] =
    ":root{--ink:#1f2430;--soft:#64748b;--faint:#e4e2da;--page:#f3f1ea;--card:#fbfaf6;--a:#2a6bcc;--b:#"
    "c2410c;"
    "--c:#1f2430}"
    "@media(prefers-color-scheme:dark){:root{--ink:#e7e5de;--soft:#9aa5b4;--faint:#343a46;--page:#15181e;"
    "--card:#1c2028;--a:#6ea8ff;--b:#ff8a57;--c:#e7e5de}.picture{background:#fbfaf6;border-radius:8px}}"
    "*{box-sizing:border-box}body{margin:0;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,"
    "sans-serif}main{max-width:1000px;margin:0 auto;padding:40px 20px 60px}h1{font-size:34px;margin:0;"
    "letter-spacing:-.02em}h2{font-size:18px;margin:0 0 10px}p{margin:4px 0 0;color:var(--soft)}"
    ".card{background:var(--card);border:1px solid "
    "var(--faint);border-radius:14px;padding:20px;margin-top:20px}"
    ".tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(200px,1fr));gap:14px;margin-top:24px}"
    ".tile{background:var(--card);border:1px solid var(--faint);border-radius:14px;padding:14px 18px}"
    ".tile b{display:block;font-size:24px;font-variant-numeric:tabular-nums;letter-spacing:-.01em}"
    ".tile span{color:var(--soft);font-size:14px}svg{display:block;width:100%;height:auto}"
    ".plot text{font:13px system-ui,sans-serif;fill:var(--soft);font-variant-numeric:tabular-nums}"
    ".plot .grid path{stroke:var(--faint);stroke-width:1}.plot .line{fill:none;stroke-width:2;"
    "stroke-linejoin:round}table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}"
    "td{padding:6px 0;border-top:1px solid var(--faint)}td:last-child{text-align:right}"
    "tr:first-child td{border-top:0}footer{margin-top:24px;color:var(--soft);font-size:14px}";

static void write_head(FILE *out, const scene *s, const summary *sum)
{
    const char *name = s->spec->model ? s->spec->model : s->path;
    fputs("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
          "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"><title>",
          out);
    html_text(out, name);
    fprintf(out, " \302\267 Thud</title><style>%s</style></head><body><main>\n<h1>", style);
    html_text(out, name);
    fputs("</h1><p>", out);
    html_text(out, s->path);
    fprintf(out, " \302\267 bodies: %d, joints: %d, degrees of freedom: %d \302\267 %s, step %g ms</p>\n",
            s->model->bodies - 1, s->model->joints, s->model->nv,
            thud_integrator_name(sum->options.integrator), 1e3 * sum->options.h);
}

static void write_omissions(FILE *out, const scene *s)
{
    const char *name[OMISSIONS_MAX];
    const int count = omissions_find(s->spec, name);
    for (int i = 0; i < count; i++) {
        fputs(i == 0 ? "<p>Not simulated in this version: " : ", ", out);
        html_text(out, name[i]);
    }
    fputs(count > 0 ? "</p>\n" : "", out);
}

static void write_tile(FILE *out, const char *name, const char *format, double value)
{
    fputs("<div class=\"tile\"><b>", out);
    fprintf(out, format, value);
    fprintf(out, "</b><span>%s</span></div>\n", name);
}

static void write_tiles(FILE *out, const summary *sum)
{
    const double error = summary_left_over(sum);
    fputs("<div class=\"tiles\">\n", out);
    write_tile(out, "simulated", "%g s", summary_time(sum));
    write_tile(out, "of real time", "%.3g \303\227", sum->wall > 0 ? summary_time(sum) / sum->wall : 0);
    write_tile(out, "a step", "%.3g \302\265s", summary_us_per_step(sum));
    write_tile(out, "energy unaccounted for", "%+.2g J", error);
    fputs("</div>\n", out);
}

static void write_row(FILE *out, const char *name, const char *format, double value)
{
    fprintf(out, "<tr><td>%s</td><td>", name);
    fprintf(out, format, value);
    fputs("</td></tr>\n", out);
}

static void write_certificate(FILE *out, const summary *sum)
{
    fputs("<div class=\"card\"><h2>Certificate</h2><table>\n", out);
    write_row(out, "energy at the start", "%.9g J", sum->energy_start);
    write_row(out, "energy at the end", "%.9g J", sum->energy_end);
    write_row(out, "lowest energy, from the start", "%+.3g J", sum->energy_low - sum->energy_start);
    write_row(out, "highest energy, from the start", "%+.3g J", sum->energy_high - sum->energy_start);
    write_row(out, "work of dampers and applied forces", "%+.6g J", sum->work);
    write_row(out, "work of contacts", "%+.6g J", sum->contact_work);
    write_row(out, "by putting positions right", "%+.3g J", sum->projected);
    write_row(out, "law of motion, worst residual of a step (relative)", "%.2g", sum->momentum);
    write_row(out, "joint drift, worst", "%.2g", sum->joint_drift);
    write_row(out, "contacts, at most", "%.0f", sum->contacts_max);
    write_row(out, "penetration, worst", "%.2g m", sum->penetration);
    write_row(out, "cone residual, worst", "%.2g", sum->cone_residual);
    fputs("</table></div>\n", out);
}

static void write_doubts(FILE *out, const summary *sum)
{
    const thud_doubt *doubt = doubt_view_at(&sum->doubts, 0);
    if (!doubt) {
        return;
    }
    fputs("<div class=\"card\"><h2>Doubts</h2>\n", out);
    for (int i = 0; (doubt = doubt_view_at(&sum->doubts, i)) != NULL; i++) {
        char line[800];
        doubt_line(sum->doubts.model, doubt, line, sizeof line);
        fprintf(out, "<p><b>%s</b> ", thud_doubt_grade_name(doubt->grade));
        html_text(out, line);
        fputs("</p>\n", out);
    }
    fputs("</div>\n", out);
}

static bool write_plots(FILE *out, const history *h)
{
    const size_t n = (size_t)h->count;
    double *total = thud_alloc(2 * n + 1, sizeof *total);
    if (!total) {
        return false;
    }
    double *error = total + n;
    for (size_t i = 0; i < n; i++) {
        total[i] = h->kinetic[i] + h->potential[i];
        error[i] = total[i] - total[0] - h->exchanged[i];
    }
    const plot_line energies[] = {{.name = "kinetic", .colour = "var(--a)", .y = h->kinetic},
                                  {.name = "potential", .colour = "var(--b)", .y = h->potential},
                                  {.name = "total", .colour = "var(--c)", .y = total}};
    const plot_line errors[] = {
        {.name = "total less its start and all work done", .colour = "var(--c)", .y = error}};
    const plot all = {.x_name = "time / s",
                      .y_name = "energy / J",
                      .x = h->time,
                      .points = h->count,
                      .lines = 3,
                      .line = energies};
    plot one = all;
    one.lines = 1;
    one.line = errors;
    fputs("<div class=\"card\"><h2>Energy</h2>\n", out);
    plot_write(out, &all);
    fputs("</div>\n<div class=\"card\"><h2>Energy unaccounted for</h2>\n", out);
    plot_write(out, &one);
    fputs("</div>\n", out);
    thud_free(total);
    return true;
}

static int finish(thud_output *o, bool whole)
{
    if (whole) {
        return output_close(o);
    }
    const int code = scene_complain(o->path, THUD_NO_MEMORY, &(thud_diag){0});
    thud_output_discard(o);
    return code;
}

int report_write(const char *path, const scene *s, const summary *sum, const history *h)
{
    thud_output o;
    const int code = output_open(&o, path);
    if (code != EXIT_DONE) {
        return code;
    }
    write_head(o.file, s, sum);
    write_omissions(o.file, s);
    write_tiles(o.file, sum);
    fputs("<div class=\"card\">\n", o.file);
    bool whole = picture_write(o.file, s->model, h, PICTURE_INLINE);
    fputs("</div>\n", o.file);
    whole = whole && write_plots(o.file, h);
    write_certificate(o.file, sum);
    write_doubts(o.file, sum);
    fprintf(o.file,
            "<footer>thud %s (%s); built without npm, so this page has no "
            "replay</footer>\n</main></body></html>\n",
            thud_version(), thud_commit());
    return finish(&o, whole);
}

static void add_facts(facts *to, const summary *s, const replay *r)
{
    const double time = summary_time(s);
    facts_add(to, "law of contact", "%s", thud_law_name(s->options.law.law));
    facts_add(to, "solver", "%s", thud_solver_name(s->options.law.solver));
    facts_add(to, "integrator", "%s", summary_scheme(s));
    facts_add(to, "coordinates", "%s", s->maximal ? "maximal" : "minimal");
    facts_add(to, "steps", "%lld of %g ms", (long long)s->steps, 1e3 * s->options.h);
    facts_add(to, "simulated", "%g s in %.3g s: %.3g \303\227 real time", time, s->wall,
              s->wall > 0 ? time / s->wall : 0);
    facts_add(to, "a step", "%.3g \302\265s", summary_us_per_step(s));
    facts_add(to, "energy, start to end", "%.6g J to %.6g J", s->energy_start, s->energy_end);
    facts_add(to, "by dampers and forces", "%+.4g J", s->work);
    facts_add(to, "by contacts", "%+.4g J", s->contact_work);
    facts_add(to, "by putting positions right", "%+.3g J", s->projected);
    facts_add(to, "left over", "%+.3g J", summary_left_over(s));
    facts_add(to, "law of motion, worst", "%.2g of the forces", s->momentum);
    facts_add(to, "joint drift, worst", "%.2g", s->joint_drift);
    facts_add(to, "contacts", "%.3g on average, %d at most", summary_contacts_mean(s), s->contacts_max);
    facts_add(to, "penetration, worst", "%.2g m", s->penetration);
    facts_add(to, "cone residual, worst", "%.2g", s->cone_residual);
    facts_add(to, "LCP residual, worst", "%.2g", s->lcp_residual);
    facts_add(to, "impacts", "%lld", (long long)s->impacts);
    facts_add(to, "unconverged", "%lld of %lld steps", (long long)s->unconverged, (long long)s->steps);
    const thud_doubt *doubt;
    for (int i = 0; (doubt = doubt_view_at(&s->doubts, i)) != NULL; i++) {
        char line[240];
        doubt_line(s->doubts.model, doubt, line, sizeof line);
        facts_add(to, i == 0 ? "doubts" : "", "%s: %s", thud_doubt_grade_name(doubt->grade), line);
    }
    facts_add(to, "frames in this page", "%d, every %.3g ms", r->frames,
              1e3 * s->options.h * (double)r->every);
}

int report_replay(const char *path, const report_run *run, int runs)
{
    enum { MOST = 2 };
    thud_output o;
    facts table[MOST] = {{0}};
    page_run page[MOST];
    char how[MOST][128];
    const int code = output_open(&o, path);
    if (code != EXIT_DONE) {
        return code;
    }
    bool whole = true;
    for (int i = 0; i < runs && i < MOST; i++) {
        const summary *s = run[i].summary;
        add_facts(&table[i], s, run[i].replay);
        whole = whole && !table[i].failed;
        snprintf(how[i], sizeof how[i], "%s, %s, step %g ms", thud_law_name(s->options.law.law),
                 summary_scheme(s), 1e3 * s->options.h);
        page[i] = (page_run){run[i].replay, &table[i], run[i].scene->path, how[i], run[i].label};
    }
    whole = whole && replay_page_write(o.file, page, runs);
    for (int i = 0; i < MOST; i++) {
        facts_free(&table[i]);
    }
    return finish(&o, whole);
}

int report_picture(const char *path, const scene *s, const history *h)
{
    thud_output o;
    const int code = output_open(&o, path);
    return code != EXIT_DONE ? code : finish(&o, picture_write(o.file, s->model, h, PICTURE_STANDALONE));
}
