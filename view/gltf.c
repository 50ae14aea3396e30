// SPDX-License-Identifier: Apache-2.0
// gltf.c: a recorded run as binary glTF 2.0: a JSON chunk that says what is where, and one of numbers.
//
// The root turns z up to y up. Each body that moves is a node below it with an animation of its translation and rotation, and each geom
// a mesh of triangles in its body's frame with a material of its colour. Quaternions are x, y, z, w there, in single precision,
// and go the short way from frame to frame.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <thud/spatial_inline.h>
#include <thud/view.h>

#include "json.h"
#include "recorded.h"
#include "tessellate.h"
#include "whole.h"

enum { AROUND = 32, FLOAT = 5126, ARRAY = 34962 };

typedef struct span {    // an accessor: numbers of the chunk
    size_t first, count; // floats; elements
    int width;           // floats an element
    float low[3], high[3];
} span;

typedef struct exporter {
    const thud_model *m;
    const replay *run;
    solids solids;
    floats numbers;
    span *span;
    int spans, capacity;
    int *mesh; // of each geom: its first accessor, or -1
    int geoms; // that are drawn
    bool failed;
} exporter;

// ---------------------------------------------------------------------------------------- numbers

static int begin_span(exporter *e, int width)
{
    if (!thud_grow((void **)&e->span, &e->capacity, e->spans, sizeof *e->span)) {
        e->failed = true;
        return 0;
    }
    e->span[e->spans] = (span){.first = e->numbers.count,
                               .width = width,
                               .low = {INFINITY, INFINITY, INFINITY},
                               .high = {-INFINITY, -INFINITY, -INFINITY}};
    return e->spans++;
}

static void put(exporter *e, const double *x) // one element of the last span
{
    if (e->failed) {
        return;
    }
    span *s = &e->span[e->spans - 1];
    float *to = floats_push(&e->numbers, (size_t)s->width);
    if (!to) {
        e->failed = true;
        return;
    }
    for (int k = 0; k < s->width; k++) {
        to[k] = (float)x[k];
        if (k < 3) {
            s->low[k] = fminf(s->low[k], to[k]);
            s->high[k] = fmaxf(s->high[k], to[k]);
        }
    }
    s->count++;
}

static void put_vec(exporter *e, vec3 v)
{
    const double x[3] = {v.x, v.y, v.z};
    put(e, x);
}

// Positions, then normals, of a geom's triangles.
static void add_mesh(exporter *e, int g)
{
    const solid *s = &e->solids.geom[g];
    facets f = {0};
    if (s->kind == THUD_SHAPE_PLANE) {
        const double a = s->size[0] > 0 ? s->size[0] : 20, b = s->size[1] > 0 ? s->size[1] : 20;
        tessellate_rectangle(&f, s->pose, a, b, g);
    } else if (solids_shown(&e->solids, g)) {
        tessellate_solid(&f, &e->solids, g, g, AROUND);
    }
    e->failed |= f.failed;
    e->mesh[g] = f.count > 0 ? e->spans : -1;
    e->geoms += f.count > 0;
    for (int part = 0; part < 2 && f.count > 0; part++) {
        begin_span(e, 3);
        for (int i = 0; i < f.count; i++) {
            const facet *one = &f.at[i];
            const vec3 *corner = part == 0 ? one->p : one->n;
            const vec3 flat = v3_cross(v3_sub(one->p[1], one->p[0]), v3_sub(one->p[2], one->p[0]));
            const bool turned = v3_dot(flat, v3_add(one->n[0], v3_add(one->n[1], one->n[2]))) < 0;
            put_vec(e, corner[0]); // counter-clockwise from outside
            put_vec(e, corner[turned ? 2 : 1]);
            put_vec(e, corner[turned ? 1 : 2]);
        }
    }
    facets_free(&f);
}

static void add_time(exporter *e)
{
    begin_span(e, 1);
    for (int i = 0; i < e->run->frames; i++) {
        const double t = (double)(e->run->time.at[i] - e->run->time.at[0]);
        put(e, &t);
    }
}

// Translation, then rotation, of moving body i.
static void add_motion(exporter *e, int i)
{
    const size_t row = (size_t)e->run->moving * REPLAY_POSE;
    double last[4] = {0};
    begin_span(e, 3);
    for (int f = 0; f < e->run->frames; f++) {
        const float *p = e->run->pose.at + (size_t)f * row + (size_t)i * REPLAY_POSE;
        put_vec(e, v3((double)p[0], (double)p[1], (double)p[2]));
    }
    begin_span(e, 4);
    for (int f = 0; f < e->run->frames; f++) {
        const float *p = e->run->pose.at + (size_t)f * row + (size_t)i * REPLAY_POSE;
        double q[4] = {(double)p[4], (double)p[5], (double)p[6], (double)p[3]};
        const bool far = q[0] * last[0] + q[1] * last[1] + q[2] * last[2] + q[3] * last[3] < 0;
        for (int k = 0; k < 4; k++) {
            last[k] = q[k] = far ? -q[k] : q[k];
        }
        put(e, q);
    }
}

// ---------------------------------------------------------------------------------------- description

static void write_node(json *j, const char *name, thud_pose X)
{
    const double p[3] = {X.p.x, X.p.y, X.p.z}, q[4] = {X.q.x, X.q.y, X.q.z, X.q.w};
    if (name) {
        json_text(j, "name", name);
    }
    json_numbers(j, "translation", p, 3);
    json_numbers(j, "rotation", q, 4);
}

// Nodes: 0 the root, then the moving bodies, then the geoms that are drawn.
static void write_nodes(const exporter *e, json *j)
{
    const double up = sqrt(0.5);
    json_begin(j, "nodes", '[');
    json_begin_line(j, NULL, '{');
    write_node(j, "z up", (thud_pose){{up, -up, 0, 0}, {0, 0, 0}});
    json_begin_line(j, "children", '[');
    for (int i = 0; i < e->run->moving; i++) {
        json_integer(j, NULL, 1 + i);
    }
    for (int g = 0, node = 1 + e->run->moving; g < e->solids.geoms; g++) {
        if (e->mesh[g] >= 0) {
            if (e->solids.geom[g].fixed) {
                json_integer(j, NULL, node);
            }
            node++;
        }
    }
    json_end(j);
    json_end(j);
    for (int i = 0; i < e->run->moving; i++) {
        const int body = e->run->body[i];
        const float *p = e->run->pose.at + (size_t)i * REPLAY_POSE;
        const thud_pose X = {{(double)p[3], (double)p[4], (double)p[5], (double)p[6]},
                             {(double)p[0], (double)p[1], (double)p[2]}};
        bool any = false;
        json_begin_line(j, NULL, '{');
        write_node(j, thud_model_name(e->m, THUD_KIND_BODY, body), X);
        for (int g = 0, node = 1 + e->run->moving; g < e->solids.geoms; g++) {
            if (e->mesh[g] < 0) {
                continue;
            }
            if (e->solids.geom[g].body == body && !e->solids.geom[g].fixed) {
                if (!any) {
                    json_begin_line(j, "children", '[');
                }
                any = true;
                json_integer(j, NULL, node);
            }
            node++;
        }
        if (any) {
            json_end(j);
        }
        json_end(j);
    }
    for (int g = 0, mesh = 0; g < e->solids.geoms; g++) {
        if (e->mesh[g] >= 0) {
            const char *name = thud_model_name(e->m, THUD_KIND_GEOM, g);
            json_begin_line(j, NULL, '{');
            if (name) {
                json_text(j, "name", name);
            }
            json_integer(j, "mesh", mesh++);
            json_end(j);
        }
    }
    json_end(j);
}

static double to_linear(double srgb)
{
    return srgb <= 0.04045 ? srgb / 12.92 : pow((srgb + 0.055) / 1.055, 2.4);
}

static void write_meshes(const exporter *e, json *j)
{
    json_begin(j, "meshes", '[');
    for (int g = 0, mesh = 0; g < e->solids.geoms; g++) {
        if (e->mesh[g] < 0) {
            continue;
        }
        json_begin_line(j, NULL, '{');
        json_begin_line(j, "primitives", '[');
        json_begin_line(j, NULL, '{');
        json_begin_line(j, "attributes", '{');
        json_integer(j, "POSITION", e->mesh[g]);
        json_integer(j, "NORMAL", e->mesh[g] + 1);
        json_end(j);
        json_integer(j, "material", mesh++);
        json_end(j);
        json_end(j);
        json_end(j);
    }
    json_end(j);
    json_begin(j, "materials", '[');
    for (int g = 0; g < e->solids.geoms; g++) {
        if (e->mesh[g] < 0) {
            continue;
        }
        double rgb[3];
        solids_colour(&e->solids, g, rgb);
        const double alpha = e->solids.geom[g].rgba[3];
        const double colour[4] = {to_linear(rgb[0]), to_linear(rgb[1]), to_linear(rgb[2]), alpha};
        json_begin_line(j, NULL, '{');
        json_begin_line(j, "pbrMetallicRoughness", '{');
        json_numbers(j, "baseColorFactor", colour, 4);
        json_number(j, "metallicFactor", 0);
        json_number(j, "roughnessFactor", 0.6);
        json_end(j);
        json_text(j, "alphaMode", alpha < 1 ? "BLEND" : "OPAQUE");
        json_bool(j, "doubleSided", true);
        json_end(j);
    }
    json_end(j);
}

// Accessor `time` is the first of the motion's.
static void write_animation(const exporter *e, json *j, int time)
{
    if (e->run->moving == 0) {
        return;
    }
    json_begin(j, "animations", '[');
    json_begin(j, NULL, '{');
    json_begin(j, "samplers", '[');
    for (int k = 0; k < 2 * e->run->moving; k++) {
        json_begin_line(j, NULL, '{');
        json_integer(j, "input", time);
        json_integer(j, "output", time + 1 + k);
        json_end(j);
    }
    json_end(j);
    json_begin(j, "channels", '[');
    for (int k = 0; k < 2 * e->run->moving; k++) {
        json_begin_line(j, NULL, '{');
        json_integer(j, "sampler", k);
        json_begin_line(j, "target", '{');
        json_integer(j, "node", 1 + k / 2);
        json_text(j, "path", k % 2 ? "rotation" : "translation");
        json_end(j);
        json_end(j);
    }
    json_end(j);
    json_end(j);
    json_end(j);
}

static void write_accessors(const exporter *e, json *j, int meshes)
{
    static const char *const type[] = {"", "SCALAR", "", "VEC3", "VEC4"};
    json_begin(j, "accessors", '[');
    for (int i = 0; i < e->spans; i++) {
        const span *s = &e->span[i];
        json_begin_line(j, NULL, '{');
        json_integer(j, "bufferView", i);
        json_integer(j, "componentType", FLOAT);
        json_integer(j, "count", (long long)s->count);
        json_text(j, "type", type[s->width]);
        if (s->width < 4) {
            double low[3], high[3];
            for (int k = 0; k < s->width; k++) {
                low[k] = (double)s->low[k];
                high[k] = (double)s->high[k];
            }
            json_numbers(j, "min", low, (size_t)s->width);
            json_numbers(j, "max", high, (size_t)s->width);
        }
        json_end(j);
    }
    json_end(j);
    json_begin(j, "bufferViews", '[');
    for (int i = 0; i < e->spans; i++) {
        const span *s = &e->span[i];
        json_begin_line(j, NULL, '{');
        json_integer(j, "buffer", 0);
        json_integer(j, "byteOffset", 4 * (long long)s->first);
        json_integer(j, "byteLength", 4 * (long long)s->count * s->width);
        if (i < meshes) {
            json_integer(j, "target", ARRAY);
        }
        json_end(j);
    }
    json_end(j);
    json_begin(j, "buffers", '[');
    json_begin_line(j, NULL, '{');
    json_integer(j, "byteLength", 4 * (long long)e->numbers.count);
    json_end(j);
    json_end(j);
}

static void describe(const exporter *e, FILE *out, int time)
{
    json j;
    json_open(&j, out);
    json_begin(&j, NULL, '{');
    json_begin_line(&j, "asset", '{');
    json_text(&j, "version", "2.0");
    json_text(&j, "generator", "thud");
    json_end(&j);
    json_integer(&j, "scene", 0);
    json_begin(&j, "scenes", '[');
    json_begin_line(&j, NULL, '{');
    json_begin_line(&j, "nodes", '[');
    json_integer(&j, NULL, 0);
    json_end(&j);
    json_end(&j);
    json_end(&j);
    write_nodes(e, &j);
    if (e->geoms > 0) {
        write_meshes(e, &j);
    }
    write_animation(e, &j, time);
    write_accessors(e, &j, time);
    json_end(&j);
    json_close(&j);
}

// ---------------------------------------------------------------------------------------- the file

static void put_word(FILE *out, uint32_t word) // little-endian
{
    for (int k = 0; k < 4; k++) {
        fputc((int)(word >> 8 * k & 255), out);
    }
}

static void put_chunk(FILE *out, const char *kind, uint32_t bytes)
{
    put_word(out, bytes);
    fwrite(kind, 1, 4, out);
}

static bool write_file(const exporter *e, FILE *out, int time)
{
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    if (!memory) {
        return false;
    }
    describe(e, memory, time);
    if (fclose(memory) != 0) {
        free(text);
        return false;
    }
    const uint32_t words = (uint32_t)((size + 3) / 4 * 4), bytes = (uint32_t)(4 * e->numbers.count);
    fwrite("glTF", 1, 4, out);
    put_word(out, 2);
    put_word(out, 12 + 8 + words + 8 + bytes);
    put_chunk(out, "JSON", words);
    fwrite(text, 1, size, out);
    for (size_t i = size; i < words; i++) {
        fputc(' ', out);
    }
    put_chunk(out, "BIN\0", bytes);
    for (size_t i = 0; i < e->numbers.count; i++) {
        uint32_t word;
        memcpy(&word, &e->numbers.at[i], sizeof word);
        put_word(out, word);
    }
    free(text); // the stream's own
    return true;
}

static bool gather(exporter *e, int *time)
{
    e->mesh = thud_alloc((size_t)e->m->geoms + 1, sizeof *e->mesh);
    if (!e->mesh || !solids_create(&e->solids, e->m)) {
        return false;
    }
    for (int g = 0; g < e->solids.geoms; g++) {
        add_mesh(e, g);
    }
    *time = e->spans;
    add_time(e);
    for (int i = 0; i < e->run->moving; i++) {
        add_motion(e, i);
    }
    return !e->failed;
}

thud_status thud_gltf_write(const char *path, const thud_model *m, const thud_recording *run, thud_diag *diag)
{
    recorded r;
    thud_output w;
    int time = 0;
    thud_status status = recorded_open(&r, m, run, diag);
    exporter e = {.m = m, .run = &r.replay};
    if (status == THUD_OK && !gather(&e, &time)) {
        status = thud_fail(THUD_NO_MEMORY, diag, path, 0, 0, "%s", thud_status_text(THUD_NO_MEMORY));
    }
    if (status == THUD_OK && e.numbers.count >= (size_t)1 << 29) {
        status = thud_fail(THUD_BAD_ARGUMENT, diag, path, 0, 0,
                           "it would be larger than the 2 GB that such a file can have");
    }
    status = status == THUD_OK ? thud_output_open(path, &w, diag) : status;
    if (status == THUD_OK) {
        status = whole_close(&w, write_file(&e, w.file, time) ? THUD_OK : THUD_NO_MEMORY, diag);
    }
    solids_destroy(&e.solids);
    thud_free(e.numbers.at);
    thud_free(e.span);
    thud_free(e.mesh);
    recorded_close(&r);
    return status;
}
