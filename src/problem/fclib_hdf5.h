// SPDX-License-Identifier: Apache-2.0
// fclib_hdf5.h: datasets and sparse matrices of an FCLIB file, private to the room.
#pragma once

#include <hdf5.h>

#include <thud/linalg.h>

// Where a read failed, so that every failure can name its part.
typedef struct fclib_file {
    hid_t id;
    const char *path;
    thud_diag *diag;
} fclib_file;

// HDF5 keeps quiet between these two.
typedef struct fclib_silence {
    H5E_auto2_t print;
    void *data;
} fclib_silence;
void fclib_silence_begin(fclib_silence *s);
void fclib_silence_end(const fclib_silence *s);

// Could a file of this length hold so many numbers of this size, even deflated? A damaged count often could
// not.
bool fclib_believable(const fclib_file *f, hssize_t numbers, size_t size);

bool fclib_has(const fclib_file *f, const char *name); // every part of the path is there

// Whole datasets on the heap, *count numbers; the caller frees.
thud_status fclib_read_ints(const fclib_file *f, const char *name, int **out, int *count);
thud_status fclib_read_doubles(const fclib_file *f, const char *name, double **out, int *count);
thud_status fclib_read_int(const fclib_file *f, const char *name, int *out); // a dataset of one
// The vector must have `count` numbers.
thud_status fclib_read_vector(const fclib_file *f, const char *name, int count, double **out);

// The sparse matrix in group `name`, by columns, repeated entries summed. The caller frees it with csc_free.
thud_status fclib_read_matrix(const fclib_file *f, const char *name, thud_csc *out);
void fclib_csc_free(thud_csc *A);

thud_status fclib_write_ints(const fclib_file *f, const char *name, int count, const int *x);
thud_status fclib_write_doubles(const fclib_file *f, const char *name, int count, const double *x);
thud_status fclib_write_text(const fclib_file *f, const char *name, const char *text);
