// SPDX-License-Identifier: Apache-2.0
// hdf5_quiet.h: HDF5 prints its errors by itself unless told not to; a library never prints.
#pragma once

#include <hdf5.h>

typedef struct quiet {
    H5E_auto2_t print;
    void *data;
} quiet;

static inline quiet quiet_begin(void)
{
    quiet q;
    H5Eget_auto2(H5E_DEFAULT, &q.print, &q.data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return q;
}

static inline void quiet_end(const quiet *q)
{
    H5Eset_auto2(H5E_DEFAULT, q->print, q->data);
}
