// SPDX-License-Identifier: Apache-2.0
// recorded.c: rows to moments: states, certificates, contacts and sensors as they were written.
//
// Sums over the run (what dampers and contacts took) are known where every step was recorded, and left out elsewhere.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <thud/spatial_inline.h>

#include "recorded.h"

typedef struct columns { // of a recording; -1: not there
    int q, v, act, ctrl, mocap, reading;
    int cone, lcp, penetration, drift, momentum, kinetic, potential, work, contact_work, projected, contacts,
        impacts, unconverged;
} columns;

typedef struct contacts { // of the recorded rows, in their order
    const thud_recording_table *table;
    int row, point, normal, impulse, friction, slides, duration, geom, body;
    int64_t next;
    thud_touch *touch;
    int capacity;
} contacts;

// ---------------------------------------------------------------------------------------- columns

static thud_status find_columns(const thud_model *m, const thud_recording *run, columns *c, thud_diag *diag)
{
#define FIND(name) thud_recording_find(run, name)
    *c = (columns){.q = FIND("qpos[0]"),
                   .v = FIND("qvel[0]"),
                   .act = FIND("act[0]"),
                   .ctrl = FIND("ctrl[0]"),
                   .mocap = FIND("mocap[0]"),
                   .cone = FIND("cone_residual"),
                   .lcp = FIND("lcp_residual"),
                   .penetration = FIND("penetration"),
                   .drift = FIND("joint_drift"),
                   .momentum = FIND("momentum"),
                   .kinetic = FIND("kinetic"),
                   .potential = FIND("potential"),
                   .work = FIND("work"),
                   .contact_work = FIND("contact_work"),
                   .projected = FIND("projected"),
                   .contacts = FIND("contacts"),
                   .impacts = FIND("impacts"),
                   .unconverged = FIND("unconverged")};
#undef FIND
    c->reading = 1 + m->nq + m->nv + m->activations + m->actuators + 7 * m->mocaps;
    const bool fits = run->rows > 0 && thud_recording_find(run, "time") == 0 && (m->nq == 0 || c->q == 1) &&
                      (m->nv == 0 || c->v == 1 + m->nq) && c->cone == c->reading + m->readings;
    return fits ? THUD_OK
                : thud_fail(THUD_BAD_ARGUMENT, diag, NULL, 0, 0,
                            run->rows > 0 ? "the recording is not of this model: it has other columns"
                                          : "the recording has no rows");
}

static double at(const double *row, int column)
{
    return column < 0 ? 0 : row[column];
}

static thud_certificate certificate_of(const columns *c, const double *row)
{
    return (thud_certificate){.cone_residual = at(row, c->cone),
                              .lcp_residual = at(row, c->lcp),
                              .penetration = at(row, c->penetration),
                              .joint_drift = at(row, c->drift),
                              .momentum = at(row, c->momentum),
                              .kinetic = at(row, c->kinetic),
                              .potential = at(row, c->potential),
                              .work = at(row, c->work),
                              .contact_work = at(row, c->contact_work),
                              .projected = at(row, c->projected)};
}

// As the row has it, to the bit.
static void set_state(const thud_model *m, const columns *c, const double *row, thud_state *s)
{
    s->time = row[0];
    memcpy(s->qpos, row + 1, (size_t)m->nq * sizeof *row);
    memcpy(s->qvel, row + 1 + m->nq, (size_t)m->nv * sizeof *row);
    if (c->act >= 0) {
        memcpy(s->act, row + c->act, (size_t)m->activations * sizeof *row);
    }
    if (c->mocap >= 0) {
        memcpy(s->mocap, row + c->mocap, 7 * (size_t)m->mocaps * sizeof *row);
    }
}

// ---------------------------------------------------------------------------------------- contacts

static contacts find_contacts(const thud_recording *run)
{
    const thud_recording_table *t = &run->contact;
    contacts c = {.table = t, .row = thud_recording_table_find(t, "row")};
    c.geom = thud_recording_table_find(t, "geom[0]");
    c.body = thud_recording_table_find(t, "body[0]");
    c.point = thud_recording_table_find(t, "point[0]");
    c.normal = thud_recording_table_find(t, "normal[0]");
    c.impulse = thud_recording_table_find(t, "impulse[0]");
    c.friction = thud_recording_table_find(t, "friction");
    c.slides = thud_recording_table_find(t, "slides");
    c.duration = thud_recording_table_find(t, "duration");
    const bool known = t->columns > 0 && c.row >= 0 && c.point >= 0 && c.normal >= 0 && c.impulse >= 0 &&
                       c.friction >= 0 && c.slides >= 0 && c.duration >= 0 && c.geom >= 0 && c.body >= 0;
    c.table = known ? t : NULL;
    return c;
}

static vec3 get_vec(const double *x)
{
    return v3(x[0], x[1], x[2]);
}

static thud_touch touch_of(const contacts *c, const double *x)
{
    const vec3 normal = get_vec(x + c->normal), impulse = get_vec(x + c->impulse);
    const double along = v3_dot(normal, impulse);
    return (thud_touch){.geom1 = (int)x[c->geom],
                        .geom2 = (int)x[c->geom + 1],
                        .body1 = (int)x[c->body],
                        .body2 = (int)x[c->body + 1],
                        .point = get_vec(x + c->point),
                        .normal = normal,
                        .impulse = impulse,
                        .normal_impulse = along,
                        .friction_impulse = v3_norm(v3_axpy(-along, normal, impulse)),
                        .friction = {x[c->friction], x[c->friction]},
                        .slides = x[c->slides] > 0,
                        .duration = x[c->duration]};
}

// Those of one row; -1: memory ran out.
static int take_contacts(contacts *c, int64_t row)
{
    int count = 0;
    for (; c->table && c->next < c->table->rows; c->next++) {
        const double *x = c->table->value + (size_t)c->next * (size_t)c->table->columns;
        if (x[c->row] > (double)row) {
            break;
        }
        if (x[c->row] < (double)row) {
            continue;
        }
        if (!thud_grow((void **)&c->touch, &c->capacity, count, sizeof *c->touch)) {
            return -1;
        }
        c->touch[count++] = touch_of(c, x);
    }
    return count;
}

// ---------------------------------------------------------------------------------------- the table

typedef struct worst { // of all rows
    double cone, lcp, penetration, drift, momentum, low, high;
    double contacts, impacts, unconverged;
} worst;

static void add_facts(facts *f, const thud_recording *run, const replay *r, const worst *w,
                      const double energy[2], const replay_sums *sums, double span)
{
    const double dt = thud_recording_number(run, "dt", 0);
    static const char *const notes[][2] = {
        {"law", "law of contact"},      {"solver", "solver"},
        {"integrator", "integrator"},   {"scheme", "scheme"},
        {"coordinates", "coordinates"}, {"thud_version", "recorded by version"},
        {"settings", "changed numbers"}};
    for (size_t i = 0; i < sizeof notes / sizeof notes[0]; i++) {
        const char *text = thud_recording_text(run, notes[i][0]);
        if (text) {
            facts_add(f, notes[i][1], "%s", text);
        }
    }
    facts_add(f, "recorded", "%lld rows, %g s", (long long)run->rows, span);
    if (dt > 0) {
        facts_add(f, "step", "%g ms", 1e3 * dt);
    }
    facts_add(f, "energy, start to end", "%.6g J to %.6g J", energy[0], energy[1]);
    facts_add(f, "energy range", "%.6g J to %.6g J", w->low, w->high);
    if (r->summed) {
        facts_add(f, "by dampers and forces", "%+.4g J", sums->work);
        facts_add(f, "by contacts", "%+.4g J", sums->contact_work);
        facts_add(f, "by putting positions right", "%+.3g J", sums->projected);
        facts_add(f, "left over", "%+.3g J",
                  energy[1] - energy[0] - sums->work - sums->contact_work - sums->projected);
    }
    facts_add(f, "law of motion, worst", "%.2g of the forces", w->momentum);
    facts_add(f, "joint drift, worst", "%.2g", w->drift);
    facts_add(f, "contacts", "%.0f at most", w->contacts);
    facts_add(f, "penetration, worst", "%.2g m", w->penetration);
    facts_add(f, "cone residual, worst", "%.2g", w->cone);
    facts_add(f, "LCP residual, worst", "%.2g", w->lcp);
    facts_add(f, "impacts", "%.0f", w->impacts);
    facts_add(f, "unconverged", "%.0f of %lld rows", w->unconverged, (long long)run->rows);
    facts_add(f, "contacts recorded", "%s", run->contact.columns > 0 ? "yes" : "no");
    facts_add(f, "frames in this page", "%d", r->frames);
}

static void raise(worst *w, const columns *c, const double *row)
{
    const double energy = at(row, c->kinetic) + at(row, c->potential);
    w->cone = fmax(w->cone, at(row, c->cone));
    w->lcp = fmax(w->lcp, at(row, c->lcp));
    w->penetration = fmax(w->penetration, at(row, c->penetration));
    w->drift = fmax(w->drift, at(row, c->drift));
    w->momentum = fmax(w->momentum, at(row, c->momentum));
    w->low = fmin(w->low, energy);
    w->high = fmax(w->high, energy);
    w->contacts = fmax(w->contacts, at(row, c->contacts));
    w->impacts += at(row, c->impacts);
    w->unconverged += at(row, c->unconverged) > 0;
}

static void say_how(recorded *r, const thud_recording *run)
{
    const char *integrator = thud_recording_text(run, "integrator");
    const double dt = thud_recording_number(run, "dt", 0);
    int used = snprintf(r->how, sizeof r->how, "%s%s%s", r->law ? r->law : "",
                        r->law && integrator ? ", " : "", integrator ? integrator : "");
    if (dt > 0 && used > 0 && used < (int)sizeof r->how) {
        snprintf(r->how + used, sizeof r->how - (size_t)used, ", step %g ms", 1e3 * dt);
    }
}

// ---------------------------------------------------------------------------------------- all

// Whether each step has its row: only then what it says of its step adds up.
static bool is_every_step(const thud_recording *run)
{
    const double every = thud_recording_number(run, "every", 0), dt = thud_recording_number(run, "dt", 0);
    const double span = run->rows > 1 ? run->value[run->columns] - run->value[0] : 0;
    return every == 1 || (every == 0 && dt > 0 && fabs(span - dt) < 1e-9 * dt);
}

static thud_status add_rows(recorded *r, const thud_model *m, const thud_recording *run, const columns *c,
                            contacts *touched, thud_state *s)
{
    worst w = {.low = INFINITY, .high = -INFINITY};
    double energy[2] = {0};
    replay_sums sums = {0};
    for (int64_t i = 0; i < run->rows; i++) {
        const double *row = run->value + (size_t)i * (size_t)run->columns;
        const thud_certificate now = certificate_of(c, row);
        const int count = take_contacts(touched, i);
        set_state(m, c, row, s);
        raise(&w, c, row);
        energy[i > 0] = now.kinetic + now.potential;
        sums.energy_start = energy[0];
        sums.work += now.work;
        sums.contact_work += now.contact_work;
        sums.projected += now.projected;
        const replay_moment moment = {s, &now, NULL, touched->touch, count, sums, row + c->reading};
        if (count < 0 || !replay_add(&r->replay, &moment, i + 1 == run->rows)) {
            return THUD_NO_MEMORY;
        }
    }
    energy[1] = run->rows > 1 ? energy[1] : energy[0];
    add_facts(&r->facts, run, &r->replay, &w, energy, &sums, r->end - r->start);
    return r->facts.failed ? THUD_NO_MEMORY : THUD_OK;
}

thud_status recorded_open(recorded *r, const thud_model *m, const thud_recording *run, thud_diag *diag)
{
    columns c;
    *r = (recorded){.law = thud_recording_text(run, "law")};
    if (!thud_model_spec(m)) {
        return thud_fail(THUD_BAD_ARGUMENT, diag, NULL, 0, 0, "a part of a model cannot be drawn");
    }
    THUD_TRY(find_columns(m, run, &c, diag));
    const size_t last = (size_t)(run->rows - 1) * (size_t)run->columns;
    r->start = run->value[0];
    r->end = run->value[last];
    const double step = run->rows > 1 ? (r->end - r->start) / (double)(run->rows - 1) : 1;
    contacts touched = find_contacts(run);
    thud_state *s = NULL;
    thud_status status = thud_state_create(m, &s);
    if (status == THUD_OK && !replay_create(&r->replay, m, step > 0 ? step : 1, is_every_step(run))) {
        status = THUD_NO_MEMORY;
    }
    status = status == THUD_OK ? add_rows(r, m, run, &c, &touched, s) : status;
    say_how(r, run);
    thud_state_destroy(s);
    thud_free(touched.touch);
    return status == THUD_OK ? status : thud_fail(status, diag, NULL, 0, 0, "%s", thud_status_text(status));
}

void recorded_close(recorded *r)
{
    replay_destroy(&r->replay);
    facts_free(&r->facts);
}
