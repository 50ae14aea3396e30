// SPDX-License-Identifier: Apache-2.0
// fclib_read.c: FCLIB problems, local and global, to a cone problem.
//
// Symbols (FCLIB's)  local: u = W r + V l + q, 0 = V^T r + R l + s · global: M v = H r + G l + f, u = H^T v +
// w,
//          0 = G^T v + b. The multipliers l are free rows behind the contacts; G and V are optional.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <thud/problem_fclib.h>

#include "fclib_hdf5.h"

typedef struct contacts {
    int count, free_rows, dim;
    thud_cone_block *block; // contacts, then free rows
} contacts;

static thud_status bad(const fclib_file *f, const char *what)
{
    return thud_fail(THUD_BAD_FILE, f->diag, f->path, 0, 0, "%s", what);
}

// The blocks of `rows` contact rows and `free_rows` others, with the group's spacedim and mu.
static thud_status read_contacts(const fclib_file *f, const char *group, int rows, int free_rows, contacts *c)
{
    char name[64];
    double *mu;
    snprintf(name, sizeof name, "%s/spacedim", group);
    THUD_TRY(fclib_read_int(f, name, &c->dim));
    if ((c->dim != 2 && c->dim != 3) || rows % c->dim != 0) {
        return bad(f, "spacedim is not 2 or 3, or does not divide the rows of W or the columns of H");
    }
    c->count = rows / c->dim;
    c->free_rows = free_rows;
    snprintf(name, sizeof name, "%s/vectors/mu", group);
    THUD_TRY(fclib_read_vector(f, name, c->count, &mu));
    c->block = thud_alloc((size_t)c->count + (size_t)free_rows + 1, sizeof *c->block);
    for (int i = 0; c->block && i < c->count + free_rows; i++) {
        const double m = i < c->count ? mu[i] : 0;
        c->block[i] = i < c->count
                          ? (thud_cone_block){.kind = THUD_CONE_KIND_CONTACT, .dim = c->dim, .mu = {m, m}}
                          : (thud_cone_block){.kind = THUD_CONE_KIND_FREE, .dim = 1};
    }
    thud_free(mu);
    return c->block ? THUD_OK : THUD_NO_MEMORY;
}

// [A B] side by side (transposed = false), or A with B^T beneath it. A or B may have no columns (rows).
static thud_status join(const thud_csc *A, const thud_csc *B, thud_csc *out)
{
    const int entries = A->start[A->cols] + B->start[B->cols];
    *out = (thud_csc){A->rows, A->cols + B->cols, thud_alloc((size_t)(A->cols + B->cols) + 1, sizeof(int)),
                      thud_alloc((size_t)entries + 1, sizeof(int)),
                      thud_alloc((size_t)entries + 1, sizeof(double))};
    if (!out->start || !out->row || !out->value) {
        fclib_csc_free(out);
        return THUD_NO_MEMORY;
    }
    const int first = A->start[A->cols], second = B->start[B->cols];
    memcpy(out->start, A->start, sizeof(int) * (size_t)A->cols);
    memcpy(out->row, A->row, sizeof(int) * (size_t)first);
    memcpy(out->value, A->value, sizeof(double) * (size_t)first);
    for (int j = 0; j <= B->cols; j++) {
        out->start[A->cols + j] = first + B->start[j];
    }
    memcpy(out->row + first, B->row, sizeof(int) * (size_t)second);
    memcpy(out->value + first, B->value, sizeof(double) * (size_t)second);
    return THUD_OK;
}

// [W V; V^T R]
static thud_status join_local(const thud_csc *W, const thud_csc *V, const thud_csc *R, thud_csc *out)
{
    const int n = W->rows, m = V->cols;
    const size_t entries = (size_t)W->start[n] + 2 * (size_t)V->start[m] + (size_t)R->start[m];
    *out = (thud_csc){n + m, n + m, thud_alloc((size_t)(n + m) + 1, sizeof(int)),
                      thud_alloc(entries + 1, sizeof(int)), thud_alloc(entries + 1, sizeof(double))};
    int *count = thud_alloc((size_t)(n + m) + 1, sizeof *count);
    if (!out->start || !out->row || !out->value || !count) {
        thud_free(count);
        fclib_csc_free(out);
        return THUD_NO_MEMORY;
    }
    for (int j = 0; j < n; j++) {
        out->start[j + 1] = W->start[j + 1] - W->start[j];
    }
    for (int k = 0; k < V->start[m]; k++) {
        out->start[V->row[k] + 1]++; // V^T beneath W
    }
    for (int j = 0; j < m; j++) {
        out->start[n + j + 1] = V->start[j + 1] - V->start[j] + R->start[j + 1] - R->start[j];
    }
    for (int j = 0; j < n + m; j++) {
        out->start[j + 1] += out->start[j];
    }
    memcpy(count, out->start, sizeof *count * (size_t)(n + m));
#define PUT(column, r, x) (out->row[count[column]] = (r), out->value[count[column]++] = (x))
    for (int j = 0; j < n; j++) {
        for (int k = W->start[j]; k < W->start[j + 1]; k++) {
            PUT(j, W->row[k], W->value[k]);
        }
    }
    for (int j = 0; j < m; j++) {
        for (int k = V->start[j]; k < V->start[j + 1]; k++) {
            PUT(n + j, V->row[k], V->value[k]);
            PUT(V->row[k], n + j, V->value[k]);
        }
        for (int k = R->start[j]; k < R->start[j + 1]; k++) {
            PUT(n + j, n + R->row[k], R->value[k]);
        }
    }
#undef PUT
    thud_free(count);
    return THUD_OK;
}

// The vector `first` with `second` (may be NULL) behind it.
static double *append(const double *first, int n, const double *second, int m)
{
    double *x = thud_alloc((size_t)n + (size_t)m + 1, sizeof *x);
    if (x) {
        memcpy(x, first, sizeof *x * (size_t)n);
        if (m > 0) {
            memcpy(x + n, second, sizeof *x * (size_t)m);
        }
    }
    return x;
}

typedef struct parts { // all that a reading may have on the heap
    thud_csc A, B, C, joined;
    double *x, *y, *z, *ends;
    contacts c;
} parts;

static void parts_free(parts *p)
{
    fclib_csc_free(&p->A);
    fclib_csc_free(&p->B);
    fclib_csc_free(&p->C);
    fclib_csc_free(&p->joined);
    thud_free(p->x);
    thud_free(p->y);
    thud_free(p->z);
    thud_free(p->ends);
    thud_free(p->c.block);
}

static thud_status read_local(const fclib_file *f, parts *p, thud_cone_problem **out)
{
    THUD_TRY(fclib_read_matrix(f, "/fclib_local/W", &p->A));
    if (p->A.rows != p->A.cols) {
        return bad(f, "/fclib_local/W is not square");
    }
    const bool equalities = fclib_has(f, "/fclib_local/V");
    int m = 0;
    if (equalities) {
        THUD_TRY(fclib_read_matrix(f, "/fclib_local/V", &p->B));
        THUD_TRY(fclib_read_matrix(f, "/fclib_local/R", &p->C));
        m = p->B.cols;
        if (p->B.rows != p->A.rows || p->C.rows != m || p->C.cols != m) {
            return bad(f, "/fclib_local/V or R does not fit W");
        }
        THUD_TRY(fclib_read_vector(f, "/fclib_local/vectors/s", m, &p->y));
        THUD_TRY(join_local(&p->A, &p->B, &p->C, &p->joined));
    }
    THUD_TRY(read_contacts(f, "/fclib_local", p->A.rows, m, &p->c));
    THUD_TRY(fclib_read_vector(f, "/fclib_local/vectors/q", p->A.rows, &p->x));
    if (!(p->ends = append(p->x, p->A.rows, p->y, m))) {
        return THUD_NO_MEMORY;
    }
    return thud_cone_problem_create(p->c.count + m, p->c.block, equalities ? &p->joined : &p->A, p->ends, out,
                                    f->diag);
}

static thud_status read_global(const fclib_file *f, parts *p, thud_cone_problem **out)
{
    THUD_TRY(fclib_read_matrix(f, "/fclib_global/M", &p->A));
    THUD_TRY(fclib_read_matrix(f, "/fclib_global/H", &p->B));
    if (p->A.rows != p->A.cols || p->B.rows != p->A.rows) {
        return bad(f, "/fclib_global/M and H do not fit each other");
    }
    const bool equalities = fclib_has(f, "/fclib_global/G");
    const int n = p->B.cols;
    int m = 0;
    if (equalities) {
        THUD_TRY(fclib_read_matrix(f, "/fclib_global/G", &p->C));
        m = p->C.cols;
        if (p->C.rows != p->A.rows) {
            return bad(f, "/fclib_global/G does not fit M");
        }
        THUD_TRY(fclib_read_vector(f, "/fclib_global/vectors/b", m, &p->z));
        THUD_TRY(join(&p->B, &p->C, &p->joined));
    }
    THUD_TRY(read_contacts(f, "/fclib_global", n, m, &p->c));
    THUD_TRY(fclib_read_vector(f, "/fclib_global/vectors/f", p->A.rows, &p->x));
    THUD_TRY(fclib_read_vector(f, "/fclib_global/vectors/w", n, &p->y));
    if (!(p->ends = append(p->y, n, p->z, m))) {
        return THUD_NO_MEMORY;
    }
    return thud_cone_problem_reduce(p->c.count + m, p->c.block, &p->A, equalities ? &p->joined : &p->B, p->x,
                                    p->ends, out, f->diag);
}

// Our own group, for the blocks that FCLIB has no words for.
static thud_status read_blocks(const fclib_file *f, parts *p, thud_cone_problem **out)
{
    int *kind = NULL, *dim = NULL, blocks = 0, dims = 0;
    THUD_TRY(fclib_read_matrix(f, "/thud_cone/W", &p->A));
    thud_status status = fclib_read_ints(f, "/thud_cone/blocks/kind", &kind, &blocks);
    status = status != THUD_OK ? status : fclib_read_ints(f, "/thud_cone/blocks/dim", &dim, &dims);
    status = status != THUD_OK ? status : fclib_read_vector(f, "/thud_cone/blocks/mu", 5 * blocks, &p->x);
    status = status != THUD_OK ? status : fclib_read_vector(f, "/thud_cone/blocks/lo", blocks, &p->y);
    status = status != THUD_OK ? status : fclib_read_vector(f, "/thud_cone/blocks/hi", blocks, &p->z);
    if (status == THUD_OK && dims != blocks) {
        status = bad(f, "/thud_cone/blocks/dim and kind differ in length");
    }
    if (status == THUD_OK) {
        p->c.block = thud_alloc((size_t)blocks + 1, sizeof *p->c.block);
        status = p->c.block ? THUD_OK : THUD_NO_MEMORY;
    }
    for (int i = 0; status == THUD_OK && i < blocks; i++) {
        thud_cone_block *b = p->c.block + i;
        *b = (thud_cone_block){.kind = (thud_cone_kind)kind[i], .dim = dim[i], .lo = p->y[i], .hi = p->z[i]};
        memcpy(b->mu, p->x + 5 * (size_t)i, sizeof b->mu);
        if (dim[i] < 1 || dim[i] > THUD_CONE_DIM_MAX) {
            status = bad(f, "a block has no rows, or too many");
        }
    }
    thud_free(kind);
    thud_free(dim);
    THUD_TRY(status);
    THUD_TRY(fclib_read_vector(f, "/thud_cone/vectors/q", p->A.rows, &p->ends));
    THUD_TRY(thud_cone_problem_create(blocks, p->c.block, &p->A, p->ends, out, f->diag));
    if (fclib_has(f, "/thud_cone/vectors/epsilon")) {
        status = fclib_read_vector(f, "/thud_cone/vectors/epsilon", p->A.rows, &(*out)->epsilon);
        (*out)->cone.epsilon = (*out)->epsilon;
    }
    return status;
}

thud_status thud_fclib_read(const char *path, thud_cone_problem **out, thud_diag *diag)
{
    fclib_silence silence;
    *out = NULL;
    fclib_silence_begin(&silence);
    const fclib_file f = {H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), path, diag};
    thud_status status = THUD_OK;
    if (f.id < 0) {
        status = thud_fail(THUD_BAD_FILE, diag, path, 0, 0, "is not there, or not an HDF5 file");
    } else {
        parts p = {0};
        status = fclib_has(&f, "/fclib_local")    ? read_local(&f, &p, out)
                 : fclib_has(&f, "/fclib_global") ? read_global(&f, &p, out)
                 : fclib_has(&f, "/thud_cone")    ? read_blocks(&f, &p, out)
                                                  : bad(&f, "holds no group fclib_local or fclib_global");
        parts_free(&p);
        H5Fclose(f.id);
    }
    fclib_silence_end(&silence);
    if (status != THUD_OK) {
        thud_cone_problem_destroy(*out);
        *out = NULL;
        if (diag && !diag->file[0] &&
            status != THUD_NO_MEMORY) { // a fault found by the cone room, which has no file
            snprintf(diag->file, sizeof diag->file, "%s", path);
        }
    }
    return status == THUD_BAD_ARGUMENT || status == THUD_NOT_SOLVED ? THUD_BAD_FILE : status;
}
