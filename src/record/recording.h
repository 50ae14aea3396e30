// SPDX-License-Identifier: Apache-2.0
// recording.h: the readers of each format of recordings. Private to the room.
#pragma once

#include <thud/record_read.h>

// As thud_recording_read, for a file of this format. Without HDF5 the first is THUD_UNSUPPORTED.
thud_status hdf5_recording_read(const char *path, thud_recording **out, thud_diag *diag);
thud_status csv_recording_read(const char *path, thud_recording **out, thud_diag *diag);

// The recording that a file of record_memory holds; the file is freed.
thud_recording *memory_take(void *file);
