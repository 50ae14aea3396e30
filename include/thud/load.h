// SPDX-License-Identifier: Apache-2.0
// thud/load.h: files to specs, and back. A file loads whole, or fails with a sentence, a line and a column.
//
// What is understood and not simulated is in the spec's notes, and so is what was wrong in a URDF file and made
// good, as the programs of ROS do; what would change the motion and is not supported is an error, never
// ignored. docs/mjcf.md and docs/urdf.md say what is read, what is noted and what is refused.
//
//     thud_spec *spec;
//     thud_diag diag;
//     if (thud_load("robot.urdf", NULL, &spec, &diag) != THUD_OK) {
//         thud_diag_format(&diag, text, sizeof text); ...
//     }
//     thud_spec_destroy(spec);
#pragma once

#include <thud/spec.h>

#ifdef __cplusplus
extern "C" {
#endif

// What a URDF file does not say. All zero is the default.
typedef struct thud_load_options {
    bool floating_base;   // the root link moves freely, by a joint "floating_base"; else it is fixed to the
                          // world. A root link called "world" is the world, whatever stands here
    bool strict_file;     // what would be made good or passed over with a note is an error
    const char *packages; // folders that hold ROS packages, separated by ':', where "package://" files are
                          // looked for after the folders above the file itself; NULL: none
    thud_files
        files; // who opens files, the first one, too; open NULL: the file system. It goes into the spec,
               // and is asked for meshes and height fields when the model is built, and when it is drawn
} thud_load_options;

// Reads a MJCF or a URDF file: its root element, <mujoco> or <robot>, tells which. options may be NULL. *out
// is the caller's to destroy; NULL on failure. diag (may be NULL) is written on failure only. Meshes are
// found, not opened. Time and memory grow linearly with the file.
THUD_API THUD_MUST_USE thud_status thud_load(const char *path, const thud_load_options *options,
                                             thud_spec **out, thud_diag *diag);

// The same from memory. name stands for the file in places and diagnostics, and its folder is where other
// files are looked up; text need not be terminated.
THUD_API THUD_MUST_USE thud_status thud_load_text(const char *text, size_t length, const char *name,
                                                  const thud_load_options *options, thud_spec **out,
                                                  thud_diag *diag);

// MuJoCo XML alone, with all it includes. Included files and meshes are looked up relative to the main file's
// folder, then to that of the file that names them.
THUD_API THUD_MUST_USE thud_status thud_load_mjcf(const char *path, thud_spec **out, thud_diag *diag);
THUD_API THUD_MUST_USE thud_status thud_load_mjcf_text(const char *text, size_t length, const char *name,
                                                       thud_spec **out, thud_diag *diag);

// URDF alone, with a fixed base: links become bodies of the same name, depth first, in the order of the
// joints that hold them; a fixed joint leaves its two bodies welded, and they move as one.
THUD_API THUD_MUST_USE thud_status thud_load_urdf(const char *path, thud_spec **out, thud_diag *diag);
THUD_API THUD_MUST_USE thud_status thud_load_urdf_text(const char *text, size_t length, const char *name,
                                                       thud_spec **out, thud_diag *diag);

// Writes a spec as one MJCF file, in *out, a text that the caller frees with thud_free: includes, defaults,
// frames and copies are written out, angles are radians. Read back, it is the same model to the bit. path is
// the file that the text is for: those of meshes and height fields are made relative to its folder, and must
// be there. What is only drawn and no geom (cameras, lights, textures) is in no spec, and not in the text.
THUD_API THUD_MUST_USE thud_status thud_write_mjcf(const thud_spec *spec, const char *path, char **out,
                                                   thud_diag *diag);

#ifdef __cplusplus
}
#endif
