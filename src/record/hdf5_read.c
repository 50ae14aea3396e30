// SPDX-License-Identifier: Apache-2.0
// hdf5_read.c: recordings read back. See hdf5_rows.c for what is in them.
#include <stdio.h>
#include <string.h>

#include <hdf5.h>

#include "hdf5_quiet.h"
#include "recording.h"

enum { SETS_MAX = 1000, COLUMNS_MAX = 1 << 20, READ_ATTEMPTS = 10 };

typedef struct reading {      // of a group: the root, or one that holds a table of its own
    hid_t file;               // the group
    H5_index_t order;         // of its datasets: as they were written, where that is kept
    char link[SETS_MAX][256]; // names, those of groups among them
    int links, sets;
    int of[SETS_MAX]; // the link of each set
    hid_t set[SETS_MAX];
    int width[SETS_MAX];
    bool flat[SETS_MAX]; // one column without an index
    thud_recording_table *to;
} reading;

// ---------------------------------------------------------------------------------------- notes

static thud_status read_note(hid_t file, hsize_t i, struct thud_recording_note *out)
{
    const hid_t a = H5Aopen_by_idx(file, "/", H5_INDEX_NAME, H5_ITER_INC, i, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t type = H5Aget_type(a);
    const ssize_t length = H5Aget_name(a, 0, NULL);
    const bool is_text = H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0;
    bool good = a >= 0 && length > 0 && (is_text || H5Tget_class(type) == H5T_FLOAT);
    out->name = good ? thud_alloc((size_t)length + 1, 1) : NULL;
    out->text = good && is_text ? thud_alloc(H5Tget_size(type) + 1, 1) : NULL;
    const bool memory = !good || (out->name && (out->text || !is_text));
    good = good && memory && H5Aget_name(a, (size_t)length + 1, out->name) == length;
    good = good &&
           (is_text ? H5Aread(a, type, out->text) >= 0 : H5Aread(a, H5T_NATIVE_DOUBLE, &out->number) >= 0);
    H5Tclose(type);
    H5Aclose(a);
    return !memory ? THUD_NO_MEMORY : good ? THUD_OK : THUD_BAD_FILE;
}

static thud_status read_notes(hid_t file, thud_recording *to)
{
    H5O_info_t info;
    if (H5Oget_info2(file, &info, H5O_INFO_NUM_ATTRS) < 0 || info.num_attrs > COLUMNS_MAX) {
        return THUD_BAD_FILE;
    }
    to->note = thud_alloc((size_t)info.num_attrs + 1, sizeof *to->note);
    if (!to->note) {
        return THUD_NO_MEMORY;
    }
    for (hsize_t i = 0; i < info.num_attrs; i++) {
        to->notes++;
        THUD_TRY(read_note(file, i, &to->note[i]));
    }
    return THUD_OK;
}

// ---------------------------------------------------------------------------------------- columns

static thud_status name_columns(const reading *r, int set, const char *stem, int first)
{
    for (int k = 0; k < r->width[set]; k++) {
        char text[300];
        snprintf(text, sizeof text, r->flat[set] ? "%s" : "%s[%d]", stem, k);
        if (!(r->to->name[first + k] = thud_strdup(text))) {
            return THUD_NO_MEMORY;
        }
    }
    return THUD_OK;
}

// Notes the name of one link. By iteration: HDF5's lookups by index crash on damaged trees.
static herr_t note_link(hid_t group, const char *name, const H5L_info_t *info, void *to)
{
    (void)group;
    (void)info;
    reading *r = to;
    if (r->links >= SETS_MAX || strlen(name) >= sizeof r->link[0]) {
        return -1;
    }
    snprintf(r->link[r->links++], sizeof r->link[0], "%s", name);
    return 0;
}

// True for a link to a group: a table of its own, as that of contacts.
static bool is_group(const reading *r, int i)
{
    const hid_t object = H5Oopen(r->file, r->link[i], H5P_DEFAULT);
    const bool group = object >= 0 && H5Iget_type(object) == H5I_GROUP;
    H5Oclose(object);
    return group;
}

// Opens the dataset of a link; its rows count where all others have them too.
static thud_status open_set(reading *r, int link)
{
    hsize_t extent[2] = {0, 1};
    const int i = r->sets;
    r->of[i] = link;
    r->set[i] = H5Dopen2(r->file, r->link[link], H5P_DEFAULT);
    r->sets++;
    const hid_t space = H5Dget_space(r->set[i]);
    const int rank = H5Sget_simple_extent_ndims(space);
    const bool good = (rank == 1 || rank == 2) && H5Sget_simple_extent_dims(space, extent, NULL) == rank &&
                      extent[1] >= 1 && extent[1] <= COLUMNS_MAX && extent[0] < INT64_MAX;
    H5Sclose(space);
    if (!good) {
        return THUD_BAD_FILE;
    }
    r->flat[i] = rank == 1;
    r->width[i] = (int)extent[1];
    r->to->columns += r->width[i];
    r->to->rows = i == 0 || (int64_t)extent[0] < r->to->rows ? (int64_t)extent[0] : r->to->rows;
    return r->to->columns <= COLUMNS_MAX ? THUD_OK : THUD_BAD_FILE;
}

static bool read_set(const reading *r, int i, int first)
{
    const thud_recording_table *to = r->to;
    const hsize_t rows = (hsize_t)to->rows, wide = (hsize_t)r->width[i];
    const hsize_t all[2] = {rows, (hsize_t)to->columns}, at[2] = {0, (hsize_t)first}, none[2] = {0, 0};
    const hsize_t count[2] = {rows, wide};
    const hid_t file = H5Dget_space(r->set[i]), memory = H5Screate_simple(2, all, NULL);
    const bool done = H5Sselect_hyperslab(file, H5S_SELECT_SET, none, NULL, count, NULL) >= 0 &&
                      H5Sselect_hyperslab(memory, H5S_SELECT_SET, at, NULL, count, NULL) >= 0 &&
                      H5Dread(r->set[i], H5T_NATIVE_DOUBLE, memory, file, H5P_DEFAULT, to->value) >= 0;
    H5Sclose(memory);
    H5Sclose(file);
    return done;
}

static thud_status read_columns(reading *r)
{
    thud_recording_table *to = r->to;
    if (H5Literate(r->file, r->order, H5_ITER_INC, NULL, note_link, r) < 0) {
        return THUD_BAD_FILE;
    }
    for (int i = 0; i < r->links; i++) {
        THUD_TRY(is_group(r, i) ? THUD_OK : open_set(r, i));
    }
    if (r->sets == 0) {
        return THUD_BAD_FILE;
    }
    const size_t most = SIZE_MAX / sizeof(double) / (size_t)to->columns;
    if ((uint64_t)to->rows >= most) {
        return THUD_BAD_FILE;
    }
    to->name = thud_alloc((size_t)to->columns, sizeof *to->name);
    to->value = thud_alloc((size_t)to->rows * (size_t)to->columns + 1, sizeof *to->value);
    if (!to->name || !to->value) {
        return THUD_NO_MEMORY;
    }
    for (int i = 0, first = 0; i < r->sets; first += r->width[i++]) {
        if (to->rows > 0 && !read_set(r, i, first)) {
            return THUD_BAD_FILE;
        }
        THUD_TRY(name_columns(r, i, r->link[r->of[i]], first));
    }
    return THUD_OK;
}

// Reads the datasets of a group into a table; a group that is not there leaves it empty.
static thud_status read_table(hid_t file, const char *group, thud_recording_table *out)
{
    if (strcmp(group, "/") != 0 && H5Lexists(file, group, H5P_DEFAULT) <= 0) {
        return THUD_OK;
    }
    reading *r = thud_alloc(1, sizeof *r);
    if (!r) {
        return THUD_NO_MEMORY;
    }
    r->file = H5Gopen2(file, group, H5P_DEFAULT);
    r->order = strcmp(group, "/") == 0 ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME;
    r->to = out;
    const thud_status status = r->file >= 0 ? read_columns(r) : THUD_BAD_FILE;
    for (int i = 0; i < r->sets; i++) {
        H5Dclose(r->set[i]);
    }
    H5Gclose(r->file);
    thud_free(r);
    return status;
}

static thud_status read_all(hid_t file, thud_recording *to)
{
    thud_recording_table run = {0};
    THUD_TRY(read_notes(file, to));
    const thud_status status = read_table(file, "/", &run);
    to->columns = run.name ? run.columns : 0;
    to->rows = run.rows;
    to->name = run.name;
    to->value = run.value;
    THUD_TRY(status);
    THUD_TRY(read_table(file, "contact", &to->contact));
    THUD_TRY(read_table(file, "event", &to->event));
    return read_table(file, "force", &to->force);
}

thud_status hdf5_recording_read(const char *path, thud_recording **out, thud_diag *diag)
{
    *out = NULL;
    thud_recording *to = thud_alloc(1, sizeof *to);
    if (!to) {
        return thud_fail(THUD_NO_MEMORY, diag, path, 0, 0, "memory ran out");
    }
    const quiet q = quiet_begin();
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_metadata_read_attempts(access,
                                  READ_ATTEMPTS); // by default 100: for a damaged file, sleep without an end
    H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    const hid_t file =
        H5Fopen(path, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access); // also what a killed writer left
    const thud_status status = file >= 0 ? read_all(file, to) : THUD_BAD_FILE;
    H5Fclose(file);
    H5Pclose(access);
    quiet_end(&q);
    if (status != THUD_OK) {
        thud_recording_destroy(to);
        return thud_fail(status, diag, path, 0, 0,
                         status == THUD_NO_MEMORY ? "memory ran out"
                                                  : "it is not a recording that can be read");
    }
    *out = to;
    return THUD_OK;
}
