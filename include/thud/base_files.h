// SPDX-License-Identifier: Apache-2.0
// thud/base_files.h: where the bytes of files come from: the file system, one folder of it, or a function of yours.
//
// Whoever gives thud_files to a loader (thud_load_options.files) decides what is opened: every file that a scene names, includes,
// attached models, meshes and height fields, is asked for by name, and nothing is opened in another way. Names are as the scene
// composes them, the folder of the file that names them before what it says, with "./" and "folder/../" taken out: a name that
// begins with ".." or "/" lies outside. Loaders try several folders, so that names are asked for that are not there.
//
//     static thud_status open_from_zip(void *zip, const char *name, thud_bytes *out, thud_diag *diag) { ... }
//     const thud_load_options options = {.files = {open_from_zip, NULL, zip}};
//     status = thud_load("robot.xml", &options, &spec, &diag);
#pragma once

#include <thud/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct thud_bytes {
    const void *data;
    size_t length;
    void *owner; // for whoever opened it
} thud_bytes;

typedef struct thud_files {
    // The bytes of a file. BAD_FILE, with a sentence, where there is none of this name or it may not be opened. Called in the
    // thread that loads or builds, and only in that one.
    thud_status (*open)(void *user, const char *name, thud_bytes *out, thud_diag *diag);
    void (*close)(void *user, thud_bytes *bytes); // they are not used any more; NULL: nothing is to do
    void *user;
} thud_files;

// What a loader does: NULL, or an open of NULL, is the file system. close may be called once for what open gave.
THUD_API THUD_MUST_USE thud_status thud_files_open(const thud_files *files, const char *name, thud_bytes *out,
                                                   thud_diag *diag);
THUD_API void thud_files_close(const thud_files *files, thud_bytes *bytes);
THUD_API bool thud_files_has(const thud_files *files, const char *name); // whether it can be opened

// The files below one folder and no others: absolute names, names that lead out of it by "..", and links that do are refused. The
// text of the folder must stay where it is. A relative folder is taken from where the program is.
THUD_API thud_files thud_files_within(const char *folder);

// Takes "./", "//" and "folder/../" out of a name; out has room for it (strlen + 1).
THUD_API void thud_files_plain_name(const char *name, char *out);

#ifdef __cplusplus
}
#endif
