// SPDX-License-Identifier: Apache-2.0
// test_fuzz_mesh.c: no file makes a reader crash, hang, leak or give out a mesh that later code trips over.
//
// LLVMFuzzerTestOneInput is what a fuzzer calls (clang -fsanitize=fuzzer -DTHUD_LIBFUZZER); its first byte
// chooses the reader. The test below runs it on a fixed number of inputs, mutated from good files by a fixed
// generator.
#include <thud/shape.h>
#include <thud/shape_mesh.h>

#include "mesh_files.h"
#include "test.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use_mesh(const thud_mesh *mesh)
{
    thud_hull *hull = NULL;
    thud_mesh_mass mass;
    thud_diag diag;
    for (int k = 0; k < 3 * mesh->triangles; k++) {
        if (mesh->triangle[k] < 0 || mesh->triangle[k] >= mesh->vertices) {
            abort();
        }
    }
    const bool has_hull = mesh->vertices <= 200 &&
                          thud_hull_create(mesh->vertex, mesh->vertices, NULL, &hull, &diag) == THUD_OK;
    for (int mode = 0; mode < 4; mode++) {
        if (thud_mesh_weigh(mesh, (thud_mesh_inertia)mode, hull, &mass, &diag) == THUD_OK &&
            !(mass.measure > 0 && mass.moment[0] < HUGE_VAL)) {
            abort();
        }
    }
    if (has_hull) {
        const thud_shape shape = {.kind = THUD_SHAPE_HULL, .hull = hull};
        if (!(thud_shape_volume(&shape) > 0)) {
            abort();
        }
        thud_hull_destroy(hull);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    thud_diag diag;
    if (size == 0) {
        return 0;
    }
    if (data[0] % 4 == 3) {
        const double field_size[4] = {1, 1, 1, 1};
        thud_hfield *field;
        if (thud_hfield_parse(data + 1, size - 1, field_size, "fuzz", &field, &diag) == THUD_OK) {
            double z;
            if (!thud_hfield_sample(field, 0.3, -0.2, &z, NULL) || !(z >= 0 && z <= 1)) {
                abort();
            }
        }
        thud_hfield_destroy(field);
        return 0;
    }
    thud_mesh *mesh;
    if (thud_mesh_parse(data + 1, size - 1, (thud_mesh_format)(data[0] % 4), "fuzz", &mesh, &diag) ==
        THUD_OK) {
        use_mesh(mesh);
    }
    thud_mesh_destroy(mesh);
    return 0;
}

#ifndef THUD_LIBFUZZER

// ---------------------------------------------------------------------------------------------- mutations

enum { CAPACITY = 1 << 15 };

typedef struct input {
    uint8_t data[CAPACITY];
    size_t size;
} input;

// Opens a gap of `count` bytes at `at` (or closes one, when negative).
static void shift_bytes(input *in, size_t at, ptrdiff_t count)
{
    if (count < 0 && (size_t)-count > in->size - at) {
        count = -(ptrdiff_t)(in->size - at);
    }
    if (in->size + (size_t)count > CAPACITY) {
        return;
    }
    const size_t from = count < 0 ? at + (size_t)-count : at;
    memmove(in->data + from + count, in->data + from, in->size - from);
    in->size += (size_t)count;
}

static void insert_text(input *in, size_t at, const char *text)
{
    const size_t length = strlen(text);
    if (in->size + length <= CAPACITY) {
        shift_bytes(in, at, (ptrdiff_t)length);
        memcpy(in->data + at, text, length);
    }
}

static void mutate(input *in, test_rng *rng)
{
    static const char *const words[] = {
        "nan",   "-1", "0", "1e999",  "f ",       "v ",   "\n",  "\\\n", "/",   "//",  " 1 2 ", "endsolid",
        "facet", "#",  "-", "1e-400", "99999999", "\r\n", "-7/", "loop", "v 1", "1e5", "solid"};
    static const uint32_t numbers[] = {0,          1,          2,          3,          4,         100,
                                       0x7fffffff, 0x80000000, 0xffffffff, 0x7fc00000, 0x7f800000};
    const size_t at = 1 + (size_t)test_below(rng, (int)in->size);
    if (at >= in->size) {
        return;
    }
    switch (test_below(rng, 7)) {
    case 0:
        in->data[at] = (uint8_t)test_bits(rng);
        break;
    case 1:
        in->data[at] ^= (uint8_t)(1u << test_below(rng, 8));
        break;
    case 2:
        insert_text(in, at, words[test_below(rng, (int)(sizeof words / sizeof words[0]))]);
        break;
    case 3:
        if (at + 4 <= in->size) {
            memcpy(in->data + (test_below(rng, 2) ? at : 1 + at % 100 % (in->size - 4)),
                   &numbers[test_below(rng, 11)], 4);
        }
        break;
    case 4:
        shift_bytes(in, at, -test_below(rng, 60));
        break;
    case 5:
        in->size = test_below(rng, 3) ? in->size : at; // cut off
        break;
    default: { // repeat a stretch
        const size_t count = (size_t)test_below(rng, 60);
        if (at + count <= in->size && in->size + count <= CAPACITY) {
            shift_bytes(in, at, (ptrdiff_t)count);
            memmove(in->data + at, in->data + at + count, count);
        }
        break;
    }
    }
}

static void make_seed(input *in, int kind)
{
    thud_mesh *mesh = mesh_star(4, 5, 0.2);
    if (kind < FILE_KINDS) {
        in->data[0] = (uint8_t)file_format((file_kind)kind);
        in->size = 1 + mesh_write(mesh, (file_kind)kind, (char *)in->data + 1, CAPACITY - 1);
    } else {
        const int32_t header[2] = {5, 6};
        in->data[0] = 3;
        memcpy(in->data + 1, header, sizeof header);
        for (int i = 0; i < 30; i++) {
            const float z = (float)(i * i % 7);
            memcpy(in->data + 9 + 4 * (size_t)i, &z, 4);
        }
        in->size = 9 + 120;
    }
    thud_mesh_destroy(mesh);
}

TEST(no_mutated_file_harms_a_reader)
{
    (void)test_state;
    static input seed, in;
    test_rng rng = {2026};
#ifdef THUD_SANITIZED
    const int inputs = 20000;
#else
    const int inputs = 50000;
#endif
    for (int k = 0; k < inputs; k++) {
        make_seed(&seed, k % (FILE_KINDS + 1));
        memcpy(&in, &seed, sizeof in);
        for (int times = 1 + test_below(&rng, 6); times > 0; times--) {
            mutate(&in, &rng);
        }
        LLVMFuzzerTestOneInput(in.data, in.size);
    }
}

TEST(no_short_file_harms_a_reader)
{
    (void)test_state;
    static input in;
    for (int kind = 0; kind <= FILE_KINDS; kind++) {
        make_seed(&in, kind);
        const size_t whole = in.size;
        for (size_t size = 0; size <= whole; size += 1 + size / 64) {
            uint8_t *exact = malloc(size + 1); // so that a sanitizer sees one byte too many
            memcpy(exact, in.data, size + 1);
            LLVMFuzzerTestOneInput(exact, size + 1 < whole ? size + 1 : whole);
            free(exact);
        }
    }
}

TEST_MAIN(T(no_mutated_file_harms_a_reader), T(no_short_file_harms_a_reader))

#endif
