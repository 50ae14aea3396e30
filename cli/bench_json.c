// SPDX-License-Identifier: Apache-2.0
// bench_json.c: the results of `thud bench` as one JSON object.
#include "bench_book.h"
#include "json.h"

static void write_engine(json *j, const bench_record *record, const contestant *who, const race_result *r)
{
    const measures *w = &r->worth;
    char remark[ENGINE_WHY_SIZE];
    bench_remark(r, remark);
    json_begin(j, NULL, '{');
    json_text(j, "engine", who->label);
    json_bool(j, "ran", r->ran);
    json_text(j, "remark", remark[0] ? remark : NULL);
    if (r->ran) {
        json_number(j, "us_per_step", r->us);
        json_number(j, "us_least", r->us_least);
        json_number(j, "us_most", r->us_most);
        json_number(j, "wall_us_per_step", r->wall);
        if (who->threaded) {
            json_integer(j, "threads", who->wishes.threads);
            json_number(j, "speedup", r->speedup);
            json_number(j, "speedup_least", r->speedup_least);
            json_number(j, "speedup_most", r->speedup_most);
            json_number(j, "machine_speedup", r->machine);
        }
        json_number(j, "thud_over_it", record->result[0].us / r->us);
        json_integer(j, "steps", r->taken);
        json_number(j, "broke_down_at", r->broke);
        json_number(j, "contacts", w->contacts);
        json_number(j, "penetration", w->penetration);
        json_number(j, "penetration_rest", w->penetration_rest);
        json_number(j, "creep", w->creep);
        json_number(j, "kinetic_rest", w->kinetic_rest);
        json_number(j, "joint_drift", w->drift);
        json_number(j, "energy_rise", w->rise);
        json_number(j, "energy_error", w->error);
        json_number(j, "energy_turnover", w->turnover);
        json_number(j, "error", r->error);
        json_number(j, "cone_residual", r->certificate.cone);
        json_number(j, "lcp_residual", r->certificate.lcp);
    }
    json_end(j);
}

void bench_json(const bench_book *b, FILE *out)
{
    json j;
    json_open(&j, out);
    json_begin(&j, NULL, '{');
    json_text(&j, "version", thud_version());
    json_text(&j, "commit", thud_commit());
    json_integer(&j, "repeats", b->repeats);
    json_begin(&j, "absent", '[');
    for (int i = 0; i < b->peers->absent; i++) {
        json_begin_line(&j, NULL, '{');
        json_text(&j, "engine", b->peers->absent_name[i]);
        json_text(&j, "why", b->peers->why[i]);
        json_end(&j);
    }
    json_end(&j);
    json_begin(&j, "scenes", '[');
    for (int k = 0; k < b->records; k++) {
        const bench_record *r = b->record + k;
        json_begin(&j, NULL, '{');
        json_text(&j, "scene", r->scene->name);
        json_text(&j, "about", r->scene->about);
        json_number(&j, "dt", r->dt);
        json_number(&j, "time", r->time);
        json_bool(&j, "rests", r->scene->rests);
        json_bool(&j, "work_precision", r->precision);
        json_begin(&j, "engines", '[');
        for (int i = 0; i < b->count; i++) {
            write_engine(&j, r, b->who + i, r->result + i);
        }
        json_end(&j);
        json_end(&j);
    }
    json_end(&j);
    json_end(&j);
    json_close(&j);
}
