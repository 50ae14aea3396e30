// SPDX-License-Identifier: Apache-2.0
// hdf5_absent.c: what a build without HDF5 says where it is asked for it. See hdf5_rows.c and hdf5_read.c.
#include "format.h"
#include "recording.h"

static const char SENTENCE[] =
    "this Thud was built without HDF5 (THUD_HDF5); a recording is a .csv file here";

static thud_status refuse_open(const char *path, const thud_column *column, int columns, void **out,
                               thud_diag *diag)
{
    (void)column, (void)columns;
    *out = NULL;
    return thud_fail(THUD_UNSUPPORTED, diag, path, 0, 0, "%s", SENTENCE);
}

thud_status hdf5_recording_read(const char *path, thud_recording **out, thud_diag *diag)
{
    *out = NULL;
    return thud_fail(THUD_UNSUPPORTED, diag, path, 0, 0, "%s", SENTENCE);
}

const record_format record_hdf5 = {".h5", refuse_open, NULL, NULL, NULL, NULL, NULL};
