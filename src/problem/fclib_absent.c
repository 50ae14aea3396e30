// SPDX-License-Identifier: Apache-2.0
// fclib_absent.c: what a build without HDF5 says where it is asked for FCLIB's problems.
#include <thud/problem_fclib.h>

static const char SENTENCE[] = "this Thud was built without HDF5 (THUD_HDF5), which FCLIB's files need";

thud_status thud_fclib_read(const char *path, thud_cone_problem **out, thud_diag *diag)
{
    *out = NULL;
    return thud_fail(THUD_UNSUPPORTED, diag, path, 0, 0, "%s", SENTENCE);
}

thud_status thud_fclib_write(const thud_cone *cone, const char *title, const char *path, thud_diag *diag)
{
    (void)cone, (void)title;
    return thud_fail(THUD_UNSUPPORTED, diag, path, 0, 0, "%s", SENTENCE);
}
