// SPDX-License-Identifier: Apache-2.0
// replay_page.c: the description, the numbers, the script. web/src/run.js reads what this writes.
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "omissions.h"
#include "replay_page.h"
#include "solids.h"
#include "viewer.h"

// ---------------------------------------------------------------------------------------- base64

typedef struct base64 {
    FILE *out;
    unsigned held; // bits not yet written
    int bytes;     // of them: 0, 1, 2
} base64;

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void base64_byte(base64 *b, unsigned byte)
{
    b->held = b->held << 8 | byte;
    if (++b->bytes == 3) {
        const char group[4] = {letters[b->held >> 18 & 63], letters[b->held >> 12 & 63],
                               letters[b->held >> 6 & 63], letters[b->held & 63]};
        fwrite(group, 1, 4, b->out);
        *b = (base64){.out = b->out};
    }
}

static void base64_end(base64 *b)
{
    if (b->bytes == 1) {
        fprintf(b->out, "%c%c==", letters[b->held >> 2 & 63], letters[b->held << 4 & 63]);
    } else if (b->bytes == 2) {
        fprintf(b->out, "%c%c%c=", letters[b->held >> 10 & 63], letters[b->held >> 4 & 63],
                letters[b->held << 2 & 63]);
    }
}

static void base64_float(base64 *b, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    for (int k = 0; k < 4; k++) {
        base64_byte(b, bits >> 8 * k & 255); // little-endian, as browsers' typed arrays are
    }
}

static void base64_floats(base64 *b, const floats *f)
{
    for (size_t i = 0; i < f->count; i++) {
        base64_float(b, f->at[i]);
    }
}

static void write_numbers(FILE *out, const replay *r, const floats *meshes)
{
    base64 b = {.out = out};
    const size_t contacts = r->contact.count / REPLAY_CONTACT;
    base64_floats(&b, &r->time);
    base64_floats(&b, &r->pose);
    base64_floats(&b, &r->start);
    base64_float(&b, (float)contacts);
    base64_floats(&b, &r->contact);
    for (int c = 0; c < r->columns; c++) {
        for (int f = 0; f < r->frames; f++) {
            base64_float(&b, r->value.at[(size_t)f * (size_t)r->columns + (size_t)c]);
        }
    }
    base64_floats(&b, meshes);
    base64_end(&b);
}

// ---------------------------------------------------------------------------------------- description

static void write_table(json *j, const page_run *run)
{
    json_begin(j, "table", '[');
    for (int i = 0; i < run->facts->count; i++) {
        json_begin_line(j, NULL, '[');
        json_text(j, NULL, run->facts->at[i].name);
        json_text(j, NULL, run->facts->at[i].text);
        json_end(j);
    }
    json_end(j);
}

static void write_bodies(json *j, const thud_model *m, const replay *r)
{
    json_begin_line(j, "bodies", '[');
    for (int b = 0; b < m->bodies; b++) {
        json_text(j, NULL, thud_model_name(m, THUD_KIND_BODY, b));
    }
    json_end(j);
    json_begin_line(j, "parents", '[');
    for (int b = 0; b < m->bodies; b++) {
        json_integer(j, NULL, m->body_parent[b]);
    }
    json_end(j);
    json_begin_line(j, "moving", '[');
    for (int i = 0; i < r->moving; i++) {
        json_integer(j, NULL, r->body[i]);
    }
    json_end(j);
}

static void write_columns(json *j, const replay *r)
{
    json_begin(j, "columns", '[');
    for (int c = 0; c < r->columns; c++) {
        const replay_column *column = &r->column[c];
        json_begin_line(j, NULL, '{');
        json_text(j, "group", column->group);
        json_text(j, "name", column->name);
        json_text(j, "unit", column->unit);
        json_bool(j, "log", column->log);
        json_end(j);
    }
    json_end(j);
}

static void describe(FILE *out, const page_run *run, const solids *shapes)
{
    const replay *r = run->replay;
    const thud_model *m = r->model;
    const char *title = thud_model_spec(m)->model;
    char subtitle[256];
    snprintf(subtitle, sizeof subtitle, "%d bodies, %d degrees of freedom%s%s", m->bodies - 1, m->nv,
             run->how ? " \302\267 " : "", run->how ? run->how : "");
    json j;
    json_open(&j, out);
    json_begin(&j, NULL, '{');
    json_text(&j, "version", thud_version());
    json_text(&j, "commit", thud_commit());
    json_text(&j, "model", title ? title : run->scene);
    json_text(&j, "scene", run->scene);
    json_text(&j, "subtitle", subtitle);
    json_text(&j, "label", run->label);
    json_integer(&j, "frames", r->frames);
    write_table(&j, run);
    const char *omitted[OMISSIONS_MAX];
    const int count = omissions_find(thud_model_spec(m), omitted);
    json_begin_line(&j, "omitted", '[');
    for (int i = 0; i < count; i++) {
        json_text(&j, NULL, omitted[i]);
    }
    json_end(&j);
    write_bodies(&j, m, r);
    write_columns(&j, r);
    solids_write(&j, shapes);
    json_end(&j);
    json_close(&j);
}

// ---------------------------------------------------------------------------------------- the page

// Inside a script element "<" could end it; in JSON it may always be written so.
static void write_guarded(FILE *out, const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '<') {
            fputs("\\u003c", out);
        } else {
            fputc(text[i], out);
        }
    }
}

static bool write_run(FILE *out, const page_run *run)
{
    char *text = NULL;
    size_t size = 0;
    solids shapes = {0};
    bool whole = solids_create(&shapes, run->replay->model);
    FILE *memory = whole ? open_memstream(&text, &size) : NULL;
    if (memory) {
        describe(memory, run, &shapes);
    }
    whole = memory && fclose(memory) == 0;
    if (whole) {
        fputs("<script type=\"application/json\" data-run>", out);
        write_guarded(out, text, size);
        fputs("</script>\n<script type=\"text/plain\">", out);
        write_numbers(out, run->replay, &shapes.numbers);
        fputs("</script>\n", out);
    }
    free(text); // the stream's own
    solids_destroy(&shapes);
    return whole;
}

bool replay_page_write(FILE *out, const page_run *run, int runs)
{
    bool whole = true;
    fputs("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
          "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"><title>Thud "
          "report</title></head>\n"
          "<body><noscript>This report replays a run in 3-D: please allow its script.</noscript>\n",
          out);
    for (int i = 0; i < runs && whole; i++) {
        whole = write_run(out, &run[i]);
    }
    fputs("<script>", out);
    fwrite(viewer_embedded.script, 1, viewer_embedded.size, out);
    fputs("</script></body></html>\n", out);
    return whole;
}
