// SPDX-License-Identifier: Apache-2.0
// bench_text.c: the results of `thud bench` as tables of text.
#include <math.h>
#include <stdio.h>

#include "bench_book.h"
#include "sheet.h"
#include "term.h"

bench_record *bench_book_add(bench_book *b)
{
    if (!thud_grow((void **)&b->record, &b->capacity, b->records, sizeof *b->record)) {
        return NULL;
    }
    b->record[b->records] = (bench_record){0};
    return b->record + b->records++;
}

void bench_book_free(bench_book *b)
{
    thud_free(b->record);
    *b = (bench_book){0};
}

double bench_energy_of(const bench_scene *s, const measures *worth)
{
    return s->energy == ENERGY_FALLS ? worth->rise : s->energy == ENERGY_STAYS ? worth->error : NAN;
}

void bench_remark(const race_result *r, char out[ENGINE_WHY_SIZE])
{
    out[0] = '\0';
    if (!r->ran || isfinite(r->broke)) {
        snprintf(out, ENGINE_WHY_SIZE, "%s", r->why);
    } else if (r->taken < r->steps) {
        snprintf(out, ENGINE_WHY_SIZE, "timed over %d of %d steps%s", r->taken, r->steps,
                 r->once ? ", once" : "");
    }
}

bool bench_speedup(const bench_record *record, const contestant *who, int i, char out[SPEEDUP_SIZE])
{
    const race_result *r = record->result + i;
    if (!who[i].threaded || !r->ran || !isfinite(r->speedup)) {
        return false;
    }
    (void)snprintf(out, SPEEDUP_SIZE,
                   "%s: %.2f us a step by the wall clock, %.2f with one: %.2f times as fast (%.2f to %.2f), "
                   "where the machine itself gives %.2f",
                   who[i].label, r->wall, record->result[0].wall, r->speedup, r->speedup_least,
                   r->speedup_most, r->machine);
    return true;
}

static void cell(sheet *t, const char *format, double value)
{
    if (isfinite(value)) {
        sheet_cell(t, format, value);
    } else {
        sheet_cell(t, "-");
    }
}

static void add_engine(sheet *t, const bench_record *record, const contestant *who, const race_result *r)
{
    const bench_scene *s = record->scene;
    const measures *w = &r->worth;
    char remark[ENGINE_WHY_SIZE];
    bench_remark(r, remark);
    sheet_cell(t, "%s", who->label);
    cell(t, "%.2f", r->ran ? r->us : NAN);
    cell(t, "%.2f", r->ran ? record->result[0].us / r->us : NAN);
    cell(t, "%.1f", r->ran ? w->contacts : NAN);
    cell(t, "%.1e", r->ran ? w->penetration : NAN);
    cell(t, "%.1e", r->ran && s->rests ? w->creep : NAN);
    cell(t, "%.1e", r->ran && s->rests ? w->kinetic_rest : NAN);
    cell(t, "%.1e", r->ran ? w->drift : NAN);
    cell(t, "%.1e", r->ran ? bench_energy_of(s, w) : NAN);
    cell(t, "%.0e", r->certificate.cone);
    sheet_cell(t, "%s", remark[0] ? remark : " ");
}

void bench_text(const bench_book *b, const bench_record *r, FILE *out)
{
    static const char *const heads[] = {"engine",        "us/step",   "Thud / it", "contacts",
                                        "penetration m", "creep m/s", "kinetic J", "drift m",
                                        "energy J",      "residual",  "remark"};
    sheet t = sheet_start(heads, 11);
    fprintf(out, "\n%s%s%s: %s, %g s at dt %g s\n", term_bold(out), r->scene->name, term_plain(out),
            r->scene->about, r->time, r->dt);
    for (int i = 0; i < b->count; i++) {
        add_engine(&t, r, b->who + i, r->result + i);
    }
    sheet_text(&t, out);
    sheet_free(&t);
    for (int i = 0; i < b->count; i++) {
        char faster[SPEEDUP_SIZE];
        if (bench_speedup(r, b->who, i, faster)) {
            fprintf(out, "%s\n", faster);
        }
    }
    fflush(out);
}

void bench_text_summary(const bench_book *b, FILE *out)
{
    const char *heads[2 * CONTESTANTS_MAX + 2];
    char over[CONTESTANTS_MAX][64];
    int columns = 0;
    heads[columns++] = "scene";
    for (int i = 0; i < b->count; i++) {
        heads[columns++] = b->who[i].label;
    }
    for (int i = 1; i <= b->peers->count; i++) { // the peers come after Thud
        snprintf(over[i], sizeof over[i], "/ %s", b->who[i].label);
        heads[columns++] = over[i];
    }
    sheet t = sheet_start(heads, columns);
    for (int k = 0; k < b->records; k++) {
        const bench_record *r = b->record + k;
        if (r->precision) {
            continue;
        }
        sheet_cell(&t, "%s", r->scene->name);
        for (int i = 0; i < b->count; i++) {
            cell(&t, "%.2f", r->result[i].ran ? r->result[i].us : NAN);
        }
        for (int i = 1; i <= b->peers->count; i++) {
            cell(&t, "%.2f", r->result[i].ran ? r->result[0].us / r->result[i].us : NAN);
        }
    }
    fprintf(out, "\n%sin all%s: microseconds a step, then Thud's time over each peer's\n", term_bold(out),
            term_plain(out));
    sheet_text(&t, out);
    sheet_free(&t);
}
