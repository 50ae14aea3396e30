// SPDX-License-Identifier: Apache-2.0
// thud/load.h: files to specs. A file loads whole, or fails with a sentence, a line and a column.
//
// What is understood and not simulated is in the spec's notes; what is not known, or would change the motion
// and is not supported, is an error, never ignored. docs/mjcf.md says what is read, what is noted and what is
// refused.
//
//     thud_spec *spec;
//     thud_diag diag;
//     if (thud_load_mjcf("robot.xml", &spec, &diag) != THUD_OK) { ... thud_diag_format(&diag, text, sizeof
//     text) ... } thud_spec_destroy(spec);
#pragma once

#include <thud/spec.h>

#ifdef __cplusplus
extern "C" {
#endif

// Reads a MuJoCo XML file and all it includes. Included files and meshes are looked up relative to the main
// file's folder, then to that of the file that names them. Meshes are found, not opened. *out is the caller's
// to destroy; NULL on failure. diag (may be NULL) is written on failure only. Time and memory grow linearly
// with the file.
THUD_API THUD_MUST_USE thud_status thud_load_mjcf(const char *path, thud_spec **out, thud_diag *diag);

// The same from memory. name stands for the file in places and diagnostics, and its folder is where includes
// are looked up; text need not be terminated.
THUD_API THUD_MUST_USE thud_status thud_load_mjcf_text(const char *text, size_t length, const char *name,
                                                       thud_spec **out, thud_diag *diag);

#ifdef __cplusplus
}
#endif
