// SPDX-License-Identifier: Apache-2.0
// hdf5_rows.c: rows as datasets that grow. Columns that differ only in their index, qpos[0] qpos[1] ..., are
// one dataset of so many columns; every dataset has the attribute `units`; notes are attributes of the root.
// Further tables are groups of their own.
//
// The file is written in HDF5's single-writer mode, whose order of writes keeps it readable whatever moment
// the writer dies at. `time`, or what else is the first column, is extended last, after the other tables too: a
// row counts when it is there.
#include <errno.h>
#include <string.h>

#include <hdf5.h>

#include "format.h"
#include "hdf5_quiet.h"

enum { BUFFER = 1 << 18, CHUNK = 1 << 16 }; // bytes held back, and of a chunk, about
enum { ROWS_MAX = 1024 };                   // of either

static const double flush_period = 0.5; // s of wall clock that a row is held back at most

typedef struct growing { // a dataset
    hid_t set;
    int first, width; // its columns
} growing;

typedef struct rows_table {
    hid_t group;
    int columns, sets, used, capacity; // rows held back, of so many
    hsize_t written;                   // rows
    growing *set;
    double *row; // capacity x columns
} rows_table;

typedef struct rows_file {
    hid_t id;
    rows_table table[TABLES]; // columns 0: there is none
    bool started;             // the single-writer mode, in which nothing new can be made
    double flushed;           // when
} rows_file;

// ---------------------------------------------------------------------------------------- writing

static bool append(const rows_table *t, const growing *g)
{
    const hsize_t n = (hsize_t)t->used, wide = (hsize_t)g->width;
    const hsize_t extent[2] = {t->written + n, wide}, at[2] = {t->written, 0}, count[2] = {n, wide};
    const hsize_t held[2] = {(hsize_t)t->capacity, (hsize_t)t->columns}, from[2] = {0, (hsize_t)g->first};
    bool done = H5Dset_extent(g->set, extent) >= 0;
    const hid_t file = H5Dget_space(g->set), memory = H5Screate_simple(2, held, NULL);
    done = done && H5Sselect_hyperslab(file, H5S_SELECT_SET, at, NULL, count, NULL) >= 0 &&
           H5Sselect_hyperslab(memory, H5S_SELECT_SET, from, NULL, count, NULL) >= 0 &&
           H5Dwrite(g->set, H5T_NATIVE_DOUBLE, memory, file, H5P_DEFAULT, t->row) >= 0 &&
           H5Dflush(g->set) >= 0;
    H5Sclose(memory);
    H5Sclose(file);
    return done;
}

static bool flush_table(rows_table *t)
{
    bool done = true;
    for (int i = t->sets - 1; i >= 0 && done && t->used > 0; i--) {
        done = append(t, &t->set[i]);
    }
    t->written += (hsize_t)t->used;
    t->used = 0;
    return done;
}

static thud_status rows_flush(void *file)
{
    rows_file *f = file;
    const quiet q = quiet_begin();
    bool done = true;
    if (!f->started) {
        done = H5Fstart_swmr_write(f->id) >= 0;
        f->started = done;
    }
    for (int i = TABLES - 1; i >= 0; i--) {
        done = done && flush_table(&f->table[i]);
    }
    quiet_end(&q);
    f->flushed = thud_clock_wall();
    return done ? THUD_OK : THUD_BAD_FILE;
}

static thud_status rows_row(void *file, int table, const double *value)
{
    rows_file *f = file;
    rows_table *t = &f->table[table];
    memcpy(t->row + (size_t)t->used * (size_t)t->columns, value, (size_t)t->columns * sizeof *value);
    t->used++;
    const bool due =
        t->used == t->capacity || (table == TABLE_RUN && thud_clock_wall() - f->flushed > flush_period);
    return due ? rows_flush(f) : THUD_OK;
}

static void close_table(rows_table *t)
{
    for (int i = 0; i < t->sets; i++) {
        H5Dclose(t->set[i].set);
    }
    if (t->group >= 0) {
        H5Gclose(t->group);
    }
    thud_free(t->set);
    thud_free(t->row);
}

static thud_status rows_close(void *file, bool flush_first)
{
    rows_file *f = file;
    const thud_status status = flush_first ? rows_flush(f) : THUD_OK;
    const quiet q = quiet_begin();
    for (int i = 0; i < TABLES; i++) {
        close_table(&f->table[i]);
    }
    const bool closed = f->id < 0 || H5Fclose(f->id) >= 0;
    quiet_end(&q);
    thud_free(f);
    return status == THUD_OK && !closed ? THUD_BAD_FILE : status;
}

// ---------------------------------------------------------------------------------------- attributes

static hid_t text_type(size_t size)
{
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, size > 0 ? size : 1);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

static bool put_attribute(hid_t of, const char *name, hid_t type, hid_t space, const void *value)
{
    const hid_t a = H5Acreate2(of, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    const bool done = a >= 0 && H5Awrite(a, type, value) >= 0;
    H5Aclose(a);
    return done;
}

static thud_status rows_note(void *file, const char *name, const char *text, double number)
{
    const rows_file *f = file;
    if (f->started) {
        return THUD_BAD_ARGUMENT;
    }
    const quiet q = quiet_begin();
    const hid_t space = H5Screate(H5S_SCALAR),
                type = text ? text_type(strlen(text)) : H5Tcopy(H5T_NATIVE_DOUBLE);
    const bool done = put_attribute(f->id, name, type, space, text ? (const void *)text : &number);
    H5Tclose(type);
    H5Sclose(space);
    quiet_end(&q);
    return done ? THUD_OK : THUD_BAD_FILE;
}

// The units of a dataset's columns, each in a field of the longest one's width.
static bool put_units(hid_t set, const thud_column *column, int count)
{
    size_t longest = 1;
    for (int i = 0; i < count; i++) {
        longest = strlen(column[i].unit) > longest ? strlen(column[i].unit) : longest;
    }
    char *text = thud_alloc((size_t)count, longest);
    if (!text) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        memcpy(text + (size_t)i * longest, column[i].unit, strlen(column[i].unit));
    }
    const hsize_t n = (hsize_t)count;
    const hid_t type = text_type(longest), space = H5Screate_simple(1, &n, NULL);
    const bool done = put_attribute(set, "units", type, space, text);
    H5Sclose(space);
    H5Tclose(type);
    thud_free(text);
    return done;
}

// ---------------------------------------------------------------------------------------- opening

// The length of a column's name without its index: of "qpos[3]" 4.
static size_t stem(const char *name)
{
    const char *bracket = strrchr(name, '[');
    return bracket && bracket > name && name[strlen(name) - 1] == ']' ? (size_t)(bracket - name)
                                                                      : strlen(name);
}

// How many columns from this one on are one dataset.
static int width_of(const thud_column *column, int count)
{
    const size_t length = stem(column[0].name);
    int width = 1;
    while (column[0].name[length] == '[' && width < count && stem(column[width].name) == length &&
           strncmp(column[width].name, column[0].name, length) == 0) {
        width++;
    }
    return width;
}

static int rows_of(int bytes, int columns)
{
    const int rows = bytes / (8 * columns);
    return rows < 1 ? 1 : rows > ROWS_MAX ? ROWS_MAX : rows;
}

static bool make_set(rows_table *t, const thud_column *column, int first, int width, bool whole)
{
    char name[256];
    const size_t length = stem(column[first].name);
    if (length >= sizeof name) {
        return false;
    }
    for (size_t i = 0; i <= length; i++) {
        const char letter = column[first].name[i];
        name[i] = (char)(i == length ? '\0' : letter == '/' ? '|' : letter); // a slash would make a group
    }
    const bool flat = width == 1 && column[first].name[length] != '[';
    const hsize_t now[2] = {0, (hsize_t)width}, most[2] = {H5S_UNLIMITED, (hsize_t)width};
    const hsize_t chunk[2] = {(hsize_t)rows_of(CHUNK, width), (hsize_t)width};
    const hid_t space = H5Screate_simple(flat ? 1 : 2, now, most), how = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(how, flat ? 1 : 2, chunk);
    H5Pset_shuffle(how);
    H5Pset_deflate(how, 1);
    const hid_t type = whole ? H5T_STD_I32LE : H5T_IEEE_F64LE;
    const hid_t set = H5Dcreate2(t->group, name, type, space, H5P_DEFAULT, how, H5P_DEFAULT);
    H5Pclose(how);
    H5Sclose(space);
    t->set[t->sets] = (growing){set, first, width};
    t->sets += set >= 0;
    return set >= 0 && put_units(set, column + first, width);
}

enum { COMPACT = 65535 };

static hid_t make_file(const char *path)
{
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS), create = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST); // for the single-writer mode
    // Names and notes stand in the header of the group, never in a tree: HDF5 crashes on damaged trees of links.
    H5Pset_link_phase_change(create, COMPACT, COMPACT);
    H5Pset_attr_phase_change(create, COMPACT, COMPACT);
    H5Pset_link_creation_order(create, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    const hid_t id = H5Fcreate(path, H5F_ACC_TRUNC, create, access);
    H5Pclose(access);
    H5Pclose(create);
    return id;
}

// Makes a table's datasets in the group of this name, which is made unless it is the root.
static thud_status table_open(rows_file *f, int number, const char *name, const thud_column *column,
                              const bool *whole, int columns)
{
    rows_table *t = &f->table[number];
    *t = (rows_table){.columns = columns, .capacity = rows_of(BUFFER, columns), .group = -1};
    t->set = thud_alloc((size_t)columns, sizeof *t->set);
    t->row = thud_alloc((size_t)t->capacity * (size_t)columns, sizeof *t->row);
    if (!t->set || !t->row) {
        return THUD_NO_MEMORY;
    }
    const quiet q = quiet_begin();
    const hid_t how = H5Pcreate(H5P_GROUP_CREATE);
    H5Pset_link_phase_change(how, COMPACT, COMPACT);
    t->group = number == TABLE_RUN ? H5Gopen2(f->id, name, H5P_DEFAULT)
                                   : H5Gcreate2(f->id, name, H5P_DEFAULT, how, H5P_DEFAULT);
    H5Pclose(how);
    bool done = t->group >= 0;
    for (int at = 0; at < columns && done;) {
        const int width = width_of(column + at, columns - at);
        done = make_set(t, column, at, width, whole && whole[at]);
        at += width;
    }
    quiet_end(&q);
    return done ? THUD_OK : THUD_BAD_FILE;
}

static thud_status rows_more(void *file, int table, const char *name, const thud_column *column,
                             const bool *whole, int columns)
{
    rows_file *f = file;
    return f->started ? THUD_BAD_ARGUMENT : table_open(f, table, name, column, whole, columns);
}

static thud_status rows_open(const char *path, const thud_column *column, int columns, void **out,
                             thud_diag *diag)
{
    *out = NULL;
    rows_file *f = thud_alloc(1, sizeof *f);
    if (!f) {
        return thud_fail(THUD_NO_MEMORY, diag, path, 0, 0, "memory ran out");
    }
    *f = (rows_file){.flushed = thud_clock_wall()};
    for (int i = 0; i < TABLES; i++) {
        f->table[i].group = -1;
    }
    errno = 0;
    const quiet q = quiet_begin();
    f->id = make_file(path);
    const int why = errno;
    quiet_end(&q);
    const thud_status status =
        f->id >= 0 ? table_open(f, TABLE_RUN, "/", column, NULL, columns) : THUD_BAD_FILE;
    if (status != THUD_OK) {
        (void)rows_close(f, false);
        return status == THUD_NO_MEMORY ? thud_fail(status, diag, path, 0, 0, "memory ran out")
                                        : thud_fail(status, diag, path, 0, 0, "it cannot be written: %s",
                                                    why ? strerror(why) : "HDF5 refuses");
    }
    *out = f;
    return THUD_OK;
}

const record_format record_hdf5 = {".h5", rows_open, rows_note, rows_more, rows_row, rows_flush, rows_close};
