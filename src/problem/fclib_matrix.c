// SPDX-License-Identifier: Apache-2.0
// fclib_matrix.c: a sparse matrix of an FCLIB file in any of its three storages, as sorted columns.
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "fclib_hdf5.h"

typedef struct stored {
    int m, n, nz, nzmax;
    int *p, *i, p_count, i_count, x_count;
    double *x;
} stored;

static void stored_free(stored *s)
{
    thud_free(s->p);
    thud_free(s->i);
    thud_free(s->x);
}

void fclib_csc_free(thud_csc *A)
{
    thud_free(A->start);
    thud_free(A->row);
    thud_free(A->value);
    *A = (thud_csc){0};
}

static thud_status read_stored(const fclib_file *f, const char *group, stored *s)
{
    char name[256];
    const struct {
        const char *leaf;
        int *to;
    } size[] = {{"m", &s->m}, {"n", &s->n}, {"nz", &s->nz}, {"nzmax", &s->nzmax}};
    for (size_t k = 0; k < sizeof size / sizeof *size; k++) {
        snprintf(name, sizeof name, "%s/%s", group, size[k].leaf);
        THUD_TRY(fclib_read_int(f, name, size[k].to));
    }
    snprintf(name, sizeof name, "%s/p", group);
    THUD_TRY(fclib_read_ints(f, name, &s->p, &s->p_count));
    snprintf(name, sizeof name, "%s/i", group);
    THUD_TRY(fclib_read_ints(f, name, &s->i, &s->i_count));
    snprintf(name, sizeof name, "%s/x", group);
    return fclib_read_doubles(f, name, &s->x, &s->x_count);
}

// How many entries there are, with every index checked; -1: the matrix contradicts itself.
static int check_stored(const stored *s)
{
    if (s->m < 0 || s->n < 0 || s->nz < -2 || s->m == INT_MAX || s->n == INT_MAX) {
        return -1;
    }
    const bool triplet = s->nz >= 0;
    const int lines = s->nz == -1 ? s->n : s->m, across = s->nz == -1 ? s->m : s->n;
    if (!triplet && (s->p_count != lines + 1 || s->p[0] != 0)) {
        return -1;
    }
    for (int k = 0; k < lines && !triplet; k++) {
        if (s->p[k + 1] < s->p[k]) {
            return -1;
        }
    }
    const int entries = triplet ? s->nz : s->p[lines];
    if (entries > s->i_count || entries > s->x_count || (triplet && entries > s->p_count)) {
        return -1;
    }
    for (int k = 0; k < entries; k++) {
        if (s->i[k] < 0 || s->i[k] >= (triplet ? s->m : across) ||
            (triplet && (s->p[k] < 0 || s->p[k] >= s->n))) {
            return -1;
        }
    }
    return entries;
}

// Row and column of every entry, whatever the storage.
static void unpack(const stored *s, int entries, int *row, int *column)
{
    if (s->nz >= 0) {
        memcpy(row, s->i, sizeof *row * (size_t)entries);
        memcpy(column, s->p, sizeof *column * (size_t)entries);
        return;
    }
    int *along = s->nz == -1 ? column : row, *across = s->nz == -1 ? row : column;
    const int lines = s->nz == -1 ? s->n : s->m;
    for (int line = 0; line < lines; line++) {
        for (int k = s->p[line]; k < s->p[line + 1]; k++) {
            along[k] = line;
            across[k] = s->i[k];
        }
    }
}

// Two counting sorts (by row, then stably by column) and a pass that sums repeated entries.
static bool compress(const stored *s, int entries, const int *row, const int *column, thud_csc *A)
{
    const int most = (s->m > s->n ? s->m : s->n) + 1;
    int *order = thud_alloc((size_t)entries + 1, sizeof(int)),
        *count = thud_alloc((size_t)most + 1, sizeof(int));
    *A = (thud_csc){s->m, s->n, thud_alloc((size_t)s->n + 1, sizeof(int)),
                    thud_alloc((size_t)entries + 1, sizeof(int)),
                    thud_alloc((size_t)entries + 1, sizeof(double))};
    const bool have = order && count && A->start && A->row && A->value;
    if (have) {
        for (int k = 0; k < entries; k++) {
            count[row[k] + 1]++;
        }
        for (int r = 0; r < s->m; r++) {
            count[r + 1] += count[r];
        }
        for (int k = 0; k < entries; k++) {
            order[count[row[k]]++] = k;
        }
        for (int k = 0; k < entries; k++) {
            A->start[column[k] + 1]++;
        }
        for (int c = 0; c < s->n; c++) {
            A->start[c + 1] += A->start[c];
        }
        memcpy(count, A->start, sizeof(int) * ((size_t)s->n + 1));
        for (int k = 0; k < entries; k++) {
            const int from = order[k], to = count[column[from]]++;
            A->row[to] = row[from];
            A->value[to] = s->x[from];
        }
        int kept = 0;
        for (int c = 0, k = 0; c < s->n; c++) {
            const int first = kept, end = A->start[c + 1];
            A->start[c] = first;
            for (; k < end; k++) {
                if (kept > first && A->row[kept - 1] == A->row[k]) {
                    A->value[kept - 1] += A->value[k];
                } else {
                    A->row[kept] = A->row[k];
                    A->value[kept++] = A->value[k];
                }
            }
        }
        A->start[s->n] = kept;
    }
    thud_free(order);
    thud_free(count);
    return have;
}

thud_status fclib_read_matrix(const fclib_file *f, const char *name, thud_csc *out)
{
    stored s = {0};
    *out = (thud_csc){0};
    thud_status status = read_stored(f, name, &s);
    const bool sizes = fclib_believable(f, s.m, sizeof(double)) && fclib_believable(f, s.n, sizeof(double));
    const int entries = status != THUD_OK ? 0 : sizes ? check_stored(&s) : -1;
    if (entries < 0) {
        status = thud_fail(THUD_BAD_FILE, f->diag, f->path, 0, 0,
                           "%s has sizes or indices that contradict each other", name);
    }
    if (status == THUD_OK) {
        int *row = thud_alloc((size_t)entries + 1, sizeof *row),
            *column = thud_alloc((size_t)entries + 1, sizeof *row);
        status = THUD_NO_MEMORY;
        if (row && column) {
            unpack(&s, entries, row, column);
            status = compress(&s, entries, row, column, out) ? THUD_OK : THUD_NO_MEMORY;
        }
        thud_free(row);
        thud_free(column);
    }
    stored_free(&s);
    if (status != THUD_OK) {
        fclib_csc_free(out);
    }
    return status;
}
