// SPDX-License-Identifier: Apache-2.0
// FCLIB files: the three storages, local and global, round trips, the shared collection, and damaged files.
#include "test.h"

#include <dirent.h>
#include <fcntl.h>
#include <hdf5.h>
#include <sys/stat.h>

#include <thud/problem_fclib.h>
#include <thud/problem_random.h>

// HDF5 1.10 keeps a few blocks of a damaged file for ever; the leaks that count are ours.
THUD_API const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libhdf5";
}

static char folder[] = "/tmp/thud-fclib-XXXXXX", path[512];

static const char *in_folder(const char *name)
{
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

// ---------------------------------------------------------------------------------------- files by hand

static void put(hid_t file, const char *name, hid_t type, hsize_t count, const void *x)
{
    const hid_t parents = H5Pcreate(H5P_LINK_CREATE), space = H5Screate_simple(1, &count, NULL);
    H5Pset_create_intermediate_group(parents, 1);
    const hid_t set = H5Dcreate2(file, name, type, space, parents, H5P_DEFAULT, H5P_DEFAULT);
    CHECK(set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) >= 0);
    H5Dclose(set);
    H5Sclose(space);
    H5Pclose(parents);
}

static void put_int(hid_t file, const char *group, const char *leaf, int x)
{
    char name[128];
    snprintf(name, sizeof name, "%s/%s", group, leaf);
    put(file, name, H5T_NATIVE_INT, 1, &x);
}

static void put_matrix(hid_t file, const char *group, int m, int n, int nz, int p_count, const int *p,
                       int i_count, const int *i, int x_count, const double *x)
{
    char name[128];
    put_int(file, group, "m", m);
    put_int(file, group, "n", n);
    put_int(file, group, "nz", nz);
    put_int(file, group, "nzmax", x_count);
    snprintf(name, sizeof name, "%s/p", group);
    put(file, name, H5T_NATIVE_INT, (hsize_t)p_count, p);
    snprintf(name, sizeof name, "%s/i", group);
    put(file, name, H5T_NATIVE_INT, (hsize_t)i_count, i);
    snprintf(name, sizeof name, "%s/x", group);
    put(file, name, H5T_NATIVE_DOUBLE, (hsize_t)x_count, x);
}

// W = [2 1; 0 3] in the storage `nz`; triplets out of order, one of them in two halves, x longer than nz.
static void put_small_matrix(hid_t file, const char *group, int storage)
{
    if (storage == 0) {
        put_matrix(file, group, 2, 2, 4, 4, (int[]){1, 0, 1, 1}, 4, (int[]){1, 0, 0, 1}, 6,
                   (double[]){1.5, 2, 1, 1.5, 77, 77});
    } else if (storage == 1) {
        put_matrix(file, group, 2, 2, -1, 3, (int[]){0, 1, 3}, 3, (int[]){0, 0, 1}, 3, (double[]){2, 1, 3});
    } else {
        put_matrix(file, group, 2, 2, -2, 3, (int[]){0, 2, 3}, 3, (int[]){1, 0, 1}, 3, (double[]){1, 2, 3});
    }
}

TEST(the_three_storages_of_a_matrix_read_the_same)
{
    (void)test_state;
    for (int storage = 0; storage < 3; storage++) {
        const hid_t file = H5Fcreate(in_folder("s.hdf5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
        put_small_matrix(file, "/fclib_local/W", storage);
        put_int(file, "/fclib_local", "spacedim", 2);
        put(file, "/fclib_local/vectors/q", H5T_NATIVE_DOUBLE, 2, (double[]){-1, 0.5});
        put(file, "/fclib_local/vectors/mu", H5T_NATIVE_DOUBLE, 1, (double[]){0.3});
        H5Fclose(file);
        thud_cone_problem *q;
        CHECK_OK(thud_fclib_read(path, &q, NULL));
        CHECK_INT(q->cone.rows, 2);
        CHECK(q->W[0] == 2 && q->W[1] == 0 && q->W[2] == 1 && q->W[3] == 3);
        CHECK(q->b[0] == -1 && q->b[1] == 0.5 && q->block[0].mu[0] == 0.3);
        thud_cone_problem_destroy(q);
    }
}

TEST(a_global_problem_is_reduced_by_its_factors_and_equalities_become_free_rows)
{
    (void)test_state;
    // Two masses 2 and 4 on a line; contact (normal on the first, tangent on the second), G ties v1 + v2.
    const hid_t file = H5Fcreate(in_folder("g.hdf5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    put_matrix(file, "/fclib_global/M", 2, 2, 2, 2, (int[]){0, 1}, 2, (int[]){0, 1}, 2, (double[]){2, 4});
    put_matrix(file, "/fclib_global/H", 2, 2, 2, 2, (int[]){0, 1}, 2, (int[]){0, 1}, 2, (double[]){1, 1});
    put_matrix(file, "/fclib_global/G", 2, 1, -1, 2, (int[]){0, 2}, 2, (int[]){0, 1}, 2, (double[]){1, 1});
    put_int(file, "/fclib_global", "spacedim", 2);
    put(file, "/fclib_global/vectors/f", H5T_NATIVE_DOUBLE, 2, (double[]){-2, 8});
    put(file, "/fclib_global/vectors/w", H5T_NATIVE_DOUBLE, 2, (double[]){0.25, 0});
    put(file, "/fclib_global/vectors/b", H5T_NATIVE_DOUBLE, 1, (double[]){0.5});
    put(file, "/fclib_global/vectors/mu", H5T_NATIVE_DOUBLE, 1, (double[]){0.3});
    H5Fclose(file);
    thud_cone_problem *q;
    CHECK_OK(thud_fclib_read(path, &q, NULL));
    const double W[9] = {0.5, 0, 0.5, 0, 0.25, 0.25, 0.5, 0.25, 0.75}, b[3] = {-1 + 0.25, 2, -1 + 2 + 0.5};
    CHECK_INT(q->cone.rows, 3);
    CHECK_INT(q->block[1].kind, THUD_CONE_KIND_FREE);
    for (int i = 0; i < 9; i++) {
        CHECK_NEAR(q->W[i], W[i], 1e-15);
    }
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR(q->b[i], b[i], 1e-15);
    }
    thud_cone_problem_destroy(q);
}

TEST(a_local_problem_with_equalities_is_one_symmetric_block)
{
    (void)test_state;
    const hid_t file = H5Fcreate(in_folder("v.hdf5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    put_small_matrix(file, "/fclib_local/W", 1);
    put_matrix(file, "/fclib_local/V", 2, 1, 1, 1, (int[]){0}, 1, (int[]){1}, 1, (double[]){0.5});
    put_matrix(file, "/fclib_local/R", 1, 1, 1, 1, (int[]){0}, 1, (int[]){0}, 1, (double[]){4});
    put_int(file, "/fclib_local", "spacedim", 2);
    put(file, "/fclib_local/vectors/q", H5T_NATIVE_DOUBLE, 2, (double[]){-1, 0.5});
    put(file, "/fclib_local/vectors/s", H5T_NATIVE_DOUBLE, 1, (double[]){9});
    put(file, "/fclib_local/vectors/mu", H5T_NATIVE_DOUBLE, 1, (double[]){0.3});
    H5Fclose(file);
    thud_cone_problem *q;
    CHECK_OK(thud_fclib_read(path, &q, NULL));
    const double W[9] = {2, 0, 0, 1, 3, 0.5, 0, 0.5, 4};
    CHECK(q->cone.rows == 3 && memcmp(q->W, W, sizeof W) == 0 && q->b[2] == 9);
    thud_cone_problem_destroy(q);
}

// ---------------------------------------------------------------------------------------- round trips

static void check_same(const thud_cone *a, const thud_cone *b)
{
    const size_t n = (size_t)a->rows;
    CHECK(a->rows == b->rows && a->blocks == b->blocks);
    CHECK(memcmp(a->b, b->b, sizeof(double) * n) == 0);
    CHECK(!a->epsilon == !b->epsilon &&
          (!a->epsilon || memcmp(a->epsilon, b->epsilon, sizeof(double) * n) == 0));
    double *x = calloc(3 * n, sizeof *x);
    for (size_t j = 0; j < n; j++) { // column by column, whatever the storage: W e_j + b
        x[j] = 1;
        thud_cone_velocity(a, x, x + n);
        thud_cone_velocity(b, x, x + 2 * n);
        CHECK(memcmp(x + n, x + 2 * n, sizeof *x * n) == 0);
        x[j] = 0;
    }
    free(x);
    for (int i = 0; i < a->blocks; i++) {
        const thud_cone_block *p = a->block + i, *q = b->block + i;
        CHECK(p->kind == q->kind && p->dim == q->dim && p->row == q->row);
        if (p->kind == THUD_CONE_KIND_CONTACT) {
            CHECK(memcmp(p->mu, q->mu, sizeof(double) * (size_t)(p->dim - 1)) == 0);
        } else if (p->kind == THUD_CONE_KIND_BOX) {
            CHECK(p->lo == q->lo && p->hi == q->hi);
        }
    }
}

static void check_round_trip(const thud_cone *c)
{
    thud_cone_problem *q;
    CHECK_OK(thud_fclib_write(c, "round trip", in_folder("r.hdf5"), NULL));
    CHECK_OK(thud_fclib_read(path, &q, NULL));
    check_same(c, &q->cone);
    thud_cone_problem_destroy(q);
}

TEST(a_contact_problem_written_and_read_again_is_the_same_bit_for_bit)
{
    (void)test_state;
    const thud_random_class stack = {THUD_RANDOM_STACK, 4, 4};
    thud_random_contacts *r;
    thud_cone_block block[16];
    CHECK_OK(thud_random_contact(stack, 7, &r));
    CHECK_INT(r->contacts, 16);
    for (int i = 0; i < 16; i++) {
        block[i] = (thud_cone_block){
            .kind = THUD_CONE_KIND_CONTACT, .row = 3 * i, .dim = 3, .mu = {r->mu[i], r->mu[i]}};
    }
    thud_cone c = {.rows = 48, .blocks = 16, .block = block, .W = r->W, .b = r->u_f};
    check_round_trip(&c);
    thud_random_contacts_destroy(r);
}

TEST(what_fclib_has_no_words_for_also_makes_the_round_trip)
{
    (void)test_state;
    const thud_cone_block block[] = {
        {.kind = THUD_CONE_KIND_FREE, .row = 0, .dim = 2},
        {.kind = THUD_CONE_KIND_CONTACT, .row = 2, .dim = 4, .mu = {0.5, 0.4, 0.01}},
        {.kind = THUD_CONE_KIND_BOX, .row = 6, .dim = 1, .lo = -INFINITY, .hi = 0.1},
        {.kind = THUD_CONE_KIND_CONTACT, .row = 7, .dim = 1}};
    double W[64], b[8], epsilon[8] = {0, 1e-6};
    test_rng r = {3};
    for (int i = 0; i < 64; i++) {
        W[i] = test_normal(&r) * (i % 9 == 0 ? 3 : 0.1);
    }
    for (int i = 0; i < 8; i++) {
        b[i] = test_normal(&r);
    }
    thud_cone c = {.rows = 8, .blocks = 4, .block = block, .W = {8, 8, 8, W}, .b = b, .epsilon = epsilon};
    check_round_trip(&c);
    c.epsilon = NULL;
    check_round_trip(&c);
}

// ---------------------------------------------------------------------------------------- the collection

// The judge's formula once more, from the collection's README.
static double readme_residual(const thud_cone *c, const double *r)
{
    const int n = c->rows, d = c->block[0].dim;
    double *u = calloc((size_t)n, sizeof *u), *e = calloc((size_t)n, sizeof *e), trace = 0, sum = 0, size = 0;
    for (int j = 0; j < n; j++) { // the diagonal, one product at a time
        e[j] = 1;
        thud_cone_velocity(c, e, u);
        trace += u[j] - c->b[j];
        e[j] = 0;
    }
    const double rho = n / trace;
    thud_cone_velocity(c, r, u);
    for (int i = 0; i < n; i += d) {
        const double mu = c->block[i / d].mu[0], u1 = u[i + 1], u2 = d == 3 ? u[i + 2] : 0;
        const double y0 = r[i] - rho * (u[i] + mu * sqrt(u1 * u1 + u2 * u2)), y1 = r[i + 1] - rho * u1,
                     y2 = d == 3 ? r[i + 2] - rho * u2 : 0, t = sqrt(y1 * y1 + y2 * y2);
        double s = 1, p0 = y0; // projection on |t| <= mu n
        if (mu * t <= -y0) {
            s = p0 = 0;
        } else if (t > mu * y0) {
            p0 = (y0 + mu * t) / (1 + mu * mu);
            s = mu * p0 / t;
        }
        sum += pow(r[i] - p0, 2) + pow(r[i + 1] - s * y1, 2) + (d == 3 ? pow(r[i + 2] - s * y2, 2) : 0);
        for (int k = 0; k < d; k++) {
            size += c->b[i + k] * c->b[i + k];
        }
    }
    free(u);
    free(e);
    return sqrt(sum) / (rho * sqrt(size));
}

// Whatever a method answers, what it calls solved is solved by the second judge, and what is not carries a
// finite residual that is above the tolerance. Returns whether it was solved.
static bool tells_the_truth(const thud_cone *c, thud_cone_method method, int iterations)
{
    thud_arena *arena;
    CHECK_OK(thud_arena_create(thud_cone_scratch(c), &arena));
    double *p = calloc((size_t)c->rows, sizeof *p);
    thud_cone_options o = thud_cone_defaults();
    o.method = method;
    o.max_iterations = iterations;
    const thud_cone_report r = thud_cone_solve(c, &o, arena, p);
    const double residual = readme_residual(c, p);
    if (r.outcome == THUD_CONE_SOLVED) {
        CHECK_BELOW(residual, 1.0001e-8);
    } else {
        CHECK(r.residual > 1e-8 && isfinite(r.residual));
        CHECK_NEAR(residual / r.residual, 1, 1e-3); // and it says truly how far off it is
    }
    free(p);
    thud_arena_destroy(arena);
    return r.outcome == THUD_CONE_SOLVED;
}

TEST(no_method_calls_solved_what_is_not_in_the_shared_collection)
{
    (void)test_state;
    if (!test_shared("fclib/README.md")) {
        test_skip(TEST_NO_SHARED);
    }
    char dir[1024];
    snprintf(dir, sizeof dir, "%s", test_shared("fclib"));
    DIR *d = opendir(dir);
    int solved[THUD_CONE_METHODS] = {0};
    for (struct dirent *e = readdir(d); e; e = readdir(d)) {
        char name[2048];
        thud_cone_problem *q;
        if (!strstr(e->d_name, ".hdf5")) {
            continue;
        }
        snprintf(name, sizeof name, "%s/%s", dir, e->d_name);
        CHECK_OK(thud_fclib_read(name, &q, NULL));
        for (int method = THUD_CONE_NSGS; method < THUD_CONE_METHODS && q->cone.rows < 300; method++) {
            solved[method] += tells_the_truth(&q->cone, (thud_cone_method)method, 300);
        }
        thud_cone_problem_destroy(q);
    }
    closedir(d);
    for (int method = THUD_CONE_NSGS; method < THUD_CONE_METHODS; method++) {
        CHECK(solved[method] >= 3); // each is good for some
    }
}

TEST(no_method_calls_solved_what_is_not_among_random_contacts)
{
    static const char *const text[] = {"stewart-trinkle:1",
                                       "stewart-trinkle:5",
                                       "stewart-trinkle:10",
                                       "box:1",
                                       "doubled:5",
                                       "stack:2",
                                       "stack:5"};
    int solved[THUD_CONE_METHODS] = {0}, count = 0;
    for (size_t k = 0; k < sizeof text / sizeof text[0]; k++) {
        for (uint64_t seed = 0; seed < 8; seed++) {
            thud_random_class class_;
            thud_random_contacts *r;
            thud_cone_block block[64] = {{0}};
            CHECK_OK(thud_random_class_parse(text[k], &class_, NULL));
            CHECK_OK(thud_random_contact(class_, seed, &r));
            CHECK(r->contacts <= 64);
            for (int i = 0; i < r->contacts; i++) {
                block[i] = (thud_cone_block){.kind = THUD_CONE_KIND_CONTACT, .row = 3 * i, .dim = 3};
                block[i].mu[0] = block[i].mu[1] = r->mu[i];
            }
            const thud_cone c = {
                .rows = 3 * r->contacts, .blocks = r->contacts, .block = block, .W = r->W, .b = r->u_f};
            for (int method = 0; method < THUD_CONE_METHODS; method++) {
                solved[method] +=
                    tells_the_truth(&c, (thud_cone_method)method, method == THUD_CONE_AUTO ? 0 : 500);
            }
            count++;
            thud_random_contacts_destroy(r);
        }
    }
    CHECK_INT(solved[THUD_CONE_AUTO], count);
    for (int method = THUD_CONE_NSGS; method < THUD_CONE_METHODS; method++) {
        CHECK(solved[method] >= count / 3);
    }
}

TEST(auto_solves_every_problem_of_the_shared_collection_to_1e8_within_ten_seconds)
{
    (void)test_state;
    if (!test_shared("fclib/README.md")) {
        test_skip(TEST_NO_SHARED);
    }
    char dir[1024];
    snprintf(dir, sizeof dir, "%s", test_shared("fclib"));
    DIR *d = opendir(dir);
    int files = 0;
    for (struct dirent *e = readdir(d); e; e = readdir(d)) {
        char name[2048];
        thud_cone_problem *q;
        thud_arena *arena;
        if (!strstr(e->d_name, ".hdf5")) {
            continue;
        }
        snprintf(name, sizeof name, "%s/%s", dir, e->d_name);
        CHECK_OK(thud_fclib_read(name, &q, NULL));
        CHECK_OK(thud_arena_create(thud_cone_scratch(&q->cone), &arena));
        double *p = calloc((size_t)q->cone.rows, sizeof *p);
        const thud_cone_options o = thud_cone_defaults();
        const double start = thud_clock_cpu();
        const thud_cone_report r = thud_cone_solve(&q->cone, &o, arena, p);
        const double seconds = thud_clock_cpu() - start;
        if (r.outcome != THUD_CONE_SOLVED) {
            fail_msg("%s: %s, residual %g", e->d_name, thud_cone_outcome_name(r.outcome), r.residual);
        }
        CHECK_BELOW(seconds, 10); // the slowest takes 1.4 s, 4 s with sanitizers
        if (q->cone.rows < 1000) {
            CHECK_BELOW(readme_residual(&q->cone, p), 1.0001e-8);
        }
        files++;
        free(p);
        thud_arena_destroy(arena);
        thud_cone_problem_destroy(q);
    }
    closedir(d);
    CHECK(files >= 26);
}

// ---------------------------------------------------------------------------------------- damage

static unsigned char *slurp(const char *name, size_t *size)
{
    FILE *f = fopen(name, "rb");
    CHECK(f != NULL);
    fseek(f, 0, SEEK_END);
    *size = (size_t)ftell(f);
    rewind(f);
    unsigned char *bytes = malloc(*size);
    CHECK_INT(fread(bytes, 1, *size, f), *size);
    fclose(f);
    return bytes;
}

static void spill(const char *name, const unsigned char *bytes, size_t size)
{
    FILE *f = fopen(name, "wb");
    CHECK(f && fwrite(bytes, 1, size, f) == size && fclose(f) == 0);
}

// Reads a file that may be damaged; whatever comes is either whole or a sentence.
static void read_damaged(const char *name)
{
    thud_cone_problem *q = NULL;
    thud_diag diag = {0};
    const thud_status status = thud_fclib_read(name, &q, &diag);
    if (status == THUD_OK) {
        CHECK_OK(thud_cone_check(&q->cone, NULL));
    } else {
        CHECK(q == NULL && (diag.text[0] || status == THUD_NO_MEMORY));
    }
    thud_cone_problem_destroy(q);
}

static size_t small_file(unsigned char **bytes)
{
    const hid_t file = H5Fcreate(in_folder("whole.hdf5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    put_small_matrix(file, "/fclib_local/W", 0);
    put_int(file, "/fclib_local", "spacedim", 2);
    put(file, "/fclib_local/vectors/q", H5T_NATIVE_DOUBLE, 2, (double[]){-1, 0.5});
    put(file, "/fclib_local/vectors/mu", H5T_NATIVE_DOUBLE, 1, (double[]){0.3});
    H5Fclose(file);
    size_t size;
    *bytes = slurp(path, &size);
    return size;
}

TEST(a_file_cut_off_anywhere_is_refused_with_a_sentence)
{
    (void)test_state;
    unsigned char *bytes;
    const size_t size = small_file(&bytes);
    for (size_t cut = 0; cut < size; cut += 1 + size / 200) {
        thud_cone_problem *q;
        thud_diag diag = {0};
        spill(in_folder("cut.hdf5"), bytes, cut);
        CHECK_INT(thud_fclib_read(path, &q, &diag), THUD_BAD_FILE);
        CHECK(q == NULL && diag.text[0]);
    }
    free(bytes);
}

// Half of the changes are to any byte, half to small integers: sizes, storages, indices.
static void damage(test_rng *r, unsigned char *bytes, size_t size)
{
    static const int32_t bad[] = {-1, -2, -3, 7, 1 << 30, INT32_MAX, INT32_MIN, 2, 1, 0};
    const int changes = 1 + test_below(r, 6);
    for (int k = 0; k < changes; k++) {
        size_t at = (size_t)test_below(r, (int)size - 4);
        if (test_below(r, 2) == 0) {
            bytes[at] = (unsigned char)test_bits(r);
            continue;
        }
        for (int tries = 0; tries < 100; tries++) {
            int32_t x;
            at = 4 * (size_t)test_below(r, (int)size / 4);
            memcpy(&x, bytes + at, 4);
            if (x >= -2 && x <= 6 && x != 0) {
                memcpy(bytes + at, &bad[test_below(r, 10)], 4);
                break;
            }
        }
    }
}

TEST(a_damaged_file_is_a_sentence_or_a_problem_that_fits_together_never_a_crash)
{
    (void)test_state;
    unsigned char *bytes;
    const size_t size = small_file(&bytes);
    unsigned char *copy = malloc(size);
    test_rng r = {11};
    const double start = thud_clock_wall();
    for (int k = 0; k < 500 && thud_clock_wall() - start < 4; k++) {
        memcpy(copy, bytes, size);
        damage(&r, copy, size);
        spill(in_folder("bad.hdf5"), copy, size);
        read_damaged(path);
    }
    free(copy);
    free(bytes);
}

static int allowance; // allocations until the next one fails

static void *stingy_resize(void *block, size_t bytes, void *user)
{
    (void)user;
    return allowance-- > 0 ? realloc(block, bytes) : NULL;
}

static void stingy_release(void *block, void *user)
{
    (void)user;
    free(block);
}

TEST(whichever_allocation_fails_the_reading_says_so_and_leaks_nothing)
{
    (void)test_state;
    const thud_allocator stingy = {stingy_resize, stingy_release, NULL};
    unsigned char *bytes;
    small_file(&bytes);
    free(bytes);
    thud_status status = THUD_NO_MEMORY;
    for (int k = 0; status != THUD_OK && k < 1000; k++) {
        thud_cone_problem *q;
        thud_allocator_set(&stingy);
        allowance = k;
        status = thud_fclib_read(in_folder("whole.hdf5"), &q, NULL);
        CHECK(status == THUD_OK || (status == THUD_NO_MEMORY && q == NULL));
        allowance = 1000;
        thud_cone_problem_destroy(q);
        thud_allocator_set(NULL);
    }
    CHECK_INT(status, THUD_OK);
}

TEST(a_file_of_another_kind_is_named_as_such)
{
    (void)test_state;
    thud_cone_problem *q;
    thud_diag diag = {0};
    CHECK_INT(thud_fclib_read(in_folder("none.hdf5"), &q, &diag), THUD_BAD_FILE);
    spill(in_folder("text.hdf5"), (const unsigned char *)"not HDF5", 8);
    CHECK_INT(thud_fclib_read(path, &q, &diag), THUD_BAD_FILE);
    CHECK_TEXT(diag.text, "is not there, or not an HDF5 file");
    const hid_t file = H5Fcreate(in_folder("empty.hdf5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(file);
    CHECK_INT(thud_fclib_read(path, &q, &diag), THUD_BAD_FILE);
    CHECK_TEXT(diag.text, "holds no group fclib_local or fclib_global");
}

static int group_setup(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int group_teardown(void **state)
{
    (void)state;
    DIR *d = opendir(folder);
    for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) {
        if (e->d_name[0] != '.') {
            unlink(in_folder(e->d_name));
        }
    }
    closedir(d);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(the_three_storages_of_a_matrix_read_the_same),
        T(a_global_problem_is_reduced_by_its_factors_and_equalities_become_free_rows),
        T(a_local_problem_with_equalities_is_one_symmetric_block),
        T(a_contact_problem_written_and_read_again_is_the_same_bit_for_bit),
        T(what_fclib_has_no_words_for_also_makes_the_round_trip),
        T(no_method_calls_solved_what_is_not_in_the_shared_collection),
        T(no_method_calls_solved_what_is_not_among_random_contacts),
        T(auto_solves_every_problem_of_the_shared_collection_to_1e8_within_ten_seconds),
        T(a_file_cut_off_anywhere_is_refused_with_a_sentence),
        T(a_damaged_file_is_a_sentence_or_a_problem_that_fits_together_never_a_crash),
        T(whichever_allocation_fails_the_reading_says_so_and_leaks_nothing),
        T(a_file_of_another_kind_is_named_as_such)};
    return test_exit_code(cmocka_run_group_tests(tests, group_setup, group_teardown));
}
