// SPDX-License-Identifier: Apache-2.0
// fclib_hdf5.c: reading and writing the datasets of an FCLIB file, every failure with its name.
#include <string.h>

#include "fclib_hdf5.h"

// A damaged size must not make us wait for gigabytes: no dataset is longer than the file could hold deflated.
enum { NUMBERS_MAX = 1 << 28, DEFLATE_RATIO = 1032 };

bool fclib_believable(const fclib_file *f, hssize_t numbers, size_t size)
{
    hsize_t bytes = 0;
    return numbers >= 0 && numbers <= NUMBERS_MAX && H5Fget_filesize(f->id, &bytes) >= 0 &&
           (hsize_t)numbers * size <= DEFLATE_RATIO * bytes;
}

void fclib_silence_begin(fclib_silence *s)
{
    H5Eget_auto2(H5E_DEFAULT, &s->print, &s->data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

void fclib_silence_end(const fclib_silence *s)
{
    H5Eset_auto2(H5E_DEFAULT, s->print, s->data);
}

bool fclib_has(const fclib_file *f, const char *name)
{
    char part[256];
    const size_t length = strlen(name);
    for (size_t i = 1; i <= length && length < sizeof part; i++) {
        if (name[i] == '/' || name[i] == 0) {
            memcpy(part, name, i);
            part[i] = 0;
            if (H5Lexists(f->id, part, H5P_DEFAULT) <= 0 ||
                H5Oexists_by_name(f->id, part, H5P_DEFAULT) <= 0) {
                return false;
            }
        }
    }
    return length < sizeof part;
}

// Reads all of dataset `name` as `type`. *out is NULL unless THUD_OK.
static thud_status read_all(const fclib_file *f, const char *name, hid_t type, size_t size, H5T_class_t want,
                            void **out, int *count)
{
    *out = NULL;
    *count = 0;
    if (!fclib_has(f, name)) {
        return thud_fail(THUD_BAD_FILE, f->diag, f->path, 0, 0, "there is no %s", name);
    }
    const hid_t set = H5Dopen2(f->id, name, H5P_DEFAULT);
    const hid_t space = set >= 0 ? H5Dget_space(set) : -1, is = set >= 0 ? H5Dget_type(set) : -1;
    const hssize_t numbers = space >= 0 ? H5Sget_simple_extent_npoints(space) : -1;
    thud_status status = THUD_OK;
    if (!fclib_believable(f, numbers, size) || is < 0 || H5Tget_class(is) != want || H5Tget_size(is) > 16) {
        status = thud_fail(THUD_BAD_FILE, f->diag, f->path, 0, 0, "%s is not a list of %s", name,
                           want == H5T_INTEGER ? "integers" : "numbers");
    } else if (!(*out = thud_alloc((size_t)numbers + 1, size))) {
        status = THUD_NO_MEMORY;
    } else if (numbers > 0 && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, *out) < 0) {
        status = thud_fail(THUD_BAD_FILE, f->diag, f->path, 0, 0, "%s cannot be read", name);
        thud_free(*out);
        *out = NULL;
    }
    *count = status == THUD_OK ? (int)numbers : *count;
    H5Tclose(is);
    H5Sclose(space);
    H5Dclose(set);
    return status;
}

thud_status fclib_read_ints(const fclib_file *f, const char *name, int **out, int *count)
{
    void *block;
    const thud_status status = read_all(f, name, H5T_NATIVE_INT, sizeof(int), H5T_INTEGER, &block, count);
    *out = block;
    return status;
}

thud_status fclib_read_doubles(const fclib_file *f, const char *name, double **out, int *count)
{
    void *block;
    const thud_status status = read_all(f, name, H5T_NATIVE_DOUBLE, sizeof(double), H5T_FLOAT, &block, count);
    *out = block;
    return status;
}

thud_status fclib_read_int(const fclib_file *f, const char *name, int *out)
{
    int *x, count;
    THUD_TRY(fclib_read_ints(f, name, &x, &count));
    *out = x && count > 0 ? x[0] : 0;
    thud_free(x);
    return count == 1
               ? THUD_OK
               : thud_fail(THUD_BAD_FILE, f->diag, f->path, 0, 0, "%s has %d numbers, not 1", name, count);
}

thud_status fclib_read_vector(const fclib_file *f, const char *name, int count, double **out)
{
    int have;
    THUD_TRY(fclib_read_doubles(f, name, out, &have));
    if (have != count) {
        thud_free(*out);
        *out = NULL;
        return thud_fail(THUD_BAD_FILE, f->diag, f->path, 0, 0, "%s has %d numbers, not %d", name, have,
                         count);
    }
    return THUD_OK;
}

// ---------------------------------------------------------------------------------------------- writing

// Groups on the way to `name` are made.
static hid_t create_set(const fclib_file *f, const char *name, hid_t type, hid_t space)
{
    const hid_t parents = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(parents, 1);
    const hid_t set = H5Dcreate2(f->id, name, type, space, parents, H5P_DEFAULT, H5P_DEFAULT);
    H5Pclose(parents);
    return set;
}

static thud_status write_all(const fclib_file *f, const char *name, hid_t file_type, hid_t type,
                             hsize_t count, const void *x)
{
    const hid_t space = H5Screate_simple(1, &count, NULL);
    const hid_t set = create_set(f, name, file_type, space);
    const bool written =
        set >= 0 && (count == 0 || H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) >= 0);
    H5Dclose(set);
    H5Sclose(space);
    return written ? THUD_OK : thud_fail(THUD_BAD_FILE, f->diag, f->path, 0, 0, "%s cannot be written", name);
}

thud_status fclib_write_ints(const fclib_file *f, const char *name, int count, const int *x)
{
    return write_all(f, name, H5T_STD_I32LE, H5T_NATIVE_INT, (hsize_t)count, x);
}

thud_status fclib_write_doubles(const fclib_file *f, const char *name, int count, const double *x)
{
    return write_all(f, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, (hsize_t)count, x);
}

thud_status fclib_write_text(const fclib_file *f, const char *name, const char *text)
{
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, strlen(text) + 1);
    const hid_t space = H5Screate(H5S_SCALAR), set = create_set(f, name, type, space);
    const bool written = set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0;
    H5Dclose(set);
    H5Sclose(space);
    H5Tclose(type);
    return written ? THUD_OK : thud_fail(THUD_BAD_FILE, f->diag, f->path, 0, 0, "%s cannot be written", name);
}
