// SPDX-License-Identifier: Apache-2.0
// fclib_write.c: any cone problem as an HDF5 file, in FCLIB's words where it has them.
#include <stdio.h>
#include <string.h>

#include <thud/base_output.h>
#include <thud/problem_fclib.h>

#include "fclib_hdf5.h"

// All contacts of one dimension 2 or 3 with one coefficient each, and no compliance.
static bool plain_contacts(const thud_cone *c)
{
    for (int i = 0; i < c->blocks; i++) {
        const thud_cone_block *b = c->block + i;
        if (b->kind != THUD_CONE_KIND_CONTACT || b->dim != c->block[0].dim || (b->dim != 2 && b->dim != 3) ||
            (b->dim == 3 && b->mu[1] != b->mu[0])) {
            return false;
        }
    }
    return c->blocks > 0 && !c->epsilon;
}

typedef struct triplets {
    int count, *row, *column;
    double *value;
} triplets;

static void triplets_free(triplets *t)
{
    thud_free(t->row);
    thud_free(t->column);
    thud_free(t->value);
}

static void put(triplets *t, int row, int column, double value)
{
    if (value != 0) {
        if (t->value) {
            t->row[t->count] = row;
            t->column[t->count] = column;
            t->value[t->count] = value;
        }
        t->count++;
    }
}

static void put_all(const thud_cone *c, triplets *t)
{
    t->count = 0;
    for (int j = 0; c->W.a && j < c->rows; j++) {
        for (int i = 0; i < c->rows; i++) {
            put(t, i, j, c->W.a[i + (size_t)j * (size_t)c->W.stride]);
        }
    }
    for (int i = 0; !c->W.a && i < c->blocks; i++) {
        const thud_cone_block *bi = c->block + i;
        for (int k = c->sparse->start[i]; k < c->sparse->start[i + 1]; k++) {
            const thud_cone_block *bj = c->block + c->sparse->column[k];
            for (int x = 0; x < bi->dim * bj->dim; x++) {
                put(t, bi->row + x % bi->dim, bj->row + x / bi->dim, c->sparse->value[c->sparse->at[k] + x]);
            }
        }
    }
}

// The nonzero entries of W: counted, then listed.
static bool list_entries(const thud_cone *c, triplets *t)
{
    put_all(c, t);
    const size_t count = (size_t)t->count + 1;
    t->row = thud_alloc(count, sizeof(int));
    t->column = thud_alloc(count, sizeof(int));
    t->value = thud_alloc(count, sizeof(double));
    if (!t->row || !t->column || !t->value) {
        return false;
    }
    put_all(c, t);
    return true;
}

static thud_status write_matrix(const fclib_file *f, const char *group, const thud_cone *c)
{
    triplets t = {0};
    char name[64];
    thud_status status = list_entries(c, &t) ? THUD_OK : THUD_NO_MEMORY;
    const struct {
        const char *leaf;
        int count;
        const int *from;
    } ints[] = {{"m", 1, &c->rows},     {"n", 1, &c->rows},       {"nz", 1, &t.count},
                {"nzmax", 1, &t.count}, {"p", t.count, t.column}, {"i", t.count, t.row}};
    for (size_t k = 0; status == THUD_OK && k < sizeof ints / sizeof *ints; k++) {
        snprintf(name, sizeof name, "%s/W/%s", group, ints[k].leaf);
        status = fclib_write_ints(f, name, ints[k].count, ints[k].from);
    }
    if (status == THUD_OK) {
        snprintf(name, sizeof name, "%s/W/x", group);
        status = fclib_write_doubles(f, name, t.count, t.value);
    }
    triplets_free(&t);
    return status;
}

static thud_status write_local(const fclib_file *f, const thud_cone *c, const char *title)
{
    double *mu = thud_alloc((size_t)c->blocks, sizeof *mu);
    if (!mu) {
        return THUD_NO_MEMORY;
    }
    for (int i = 0; i < c->blocks; i++) {
        mu[i] = c->block[i].mu[0];
    }
    thud_status status = fclib_write_doubles(f, "/fclib_local/vectors/mu", c->blocks, mu);
    thud_free(mu);
    THUD_TRY(status);
    THUD_TRY(fclib_write_ints(f, "/fclib_local/spacedim", 1, &c->block[0].dim));
    THUD_TRY(write_matrix(f, "/fclib_local", c));
    THUD_TRY(fclib_write_doubles(f, "/fclib_local/vectors/q", c->rows, c->b));
    THUD_TRY(fclib_write_text(f, "/fclib_local/info/title", title));
    THUD_TRY(fclib_write_text(f, "/fclib_local/info/description", "written by thud"));
    return fclib_write_text(f, "/fclib_local/info/math_info", "");
}

static thud_status write_blocks(const fclib_file *f, const thud_cone *c, const char *title)
{
    const size_t n = (size_t)c->blocks + 1;
    int *kind = thud_alloc(n, sizeof *kind), *dim = thud_alloc(n, sizeof *dim);
    double *mu = thud_alloc(5 * n, sizeof *mu), *lo = thud_alloc(n, sizeof *lo),
           *hi = thud_alloc(n, sizeof *hi);
    thud_status status = kind && dim && mu && lo && hi ? THUD_OK : THUD_NO_MEMORY;
    for (int i = 0; status == THUD_OK && i < c->blocks; i++) {
        const thud_cone_block *b = c->block + i;
        kind[i] = (int)b->kind;
        dim[i] = b->dim;
        lo[i] = b->lo;
        hi[i] = b->hi;
        memcpy(mu + 5 * (size_t)i, b->mu, sizeof b->mu);
    }
    status = status != THUD_OK ? status : fclib_write_ints(f, "/thud_cone/blocks/kind", c->blocks, kind);
    status = status != THUD_OK ? status : fclib_write_ints(f, "/thud_cone/blocks/dim", c->blocks, dim);
    status = status != THUD_OK ? status : fclib_write_doubles(f, "/thud_cone/blocks/mu", 5 * c->blocks, mu);
    status = status != THUD_OK ? status : fclib_write_doubles(f, "/thud_cone/blocks/lo", c->blocks, lo);
    status = status != THUD_OK ? status : fclib_write_doubles(f, "/thud_cone/blocks/hi", c->blocks, hi);
    thud_free(kind);
    thud_free(dim);
    thud_free(mu);
    thud_free(lo);
    thud_free(hi);
    THUD_TRY(status);
    THUD_TRY(write_matrix(f, "/thud_cone", c));
    THUD_TRY(fclib_write_doubles(f, "/thud_cone/vectors/q", c->rows, c->b));
    if (c->epsilon) {
        THUD_TRY(fclib_write_doubles(f, "/thud_cone/vectors/epsilon", c->rows, c->epsilon));
    }
    return fclib_write_text(f, "/thud_cone/info/title", title);
}

thud_status thud_fclib_write(const thud_cone *c, const char *title, const char *path, thud_diag *diag)
{
    thud_output o;
    THUD_TRY(thud_cone_check(c, diag));
    THUD_TRY(thud_output_name(path, &o, diag));
    fclib_silence silence;
    fclib_silence_begin(&silence);
    const fclib_file f = {H5Fcreate(o.part, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), path, diag};
    thud_status status = THUD_OK;
    if (f.id < 0) {
        status = thud_fail(THUD_BAD_FILE, diag, path, 0, 0, "cannot be created");
    } else {
        status = plain_contacts(c) ? write_local(&f, c, title ? title : "")
                                   : write_blocks(&f, c, title ? title : "");
        const bool closed = H5Fclose(f.id) >= 0;
        if (status == THUD_OK && !closed) {
            status =
                thud_fail(THUD_BAD_FILE, diag, path, 0, 0, "it cannot be written: HDF5 could not close it");
        }
    }
    fclib_silence_end(&silence);
    if (status == THUD_OK) {
        return thud_output_close(&o, diag);
    }
    thud_output_discard(&o);
    return status;
}
