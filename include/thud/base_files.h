// SPDX-License-Identifier: Apache-2.0
// thud/base_files.h: where the bytes of files come from: the file system, one folder of it, or a function of yours.
//
// With thud_load_options.files a loader opens nothing by itself: every include, attached model, mesh and height field is asked for
// by name. A name is the folder of the referring file and the reference, without "./" and "folder/../": a name that begins with ".."
// or "/" lies outside. Loaders try several folders, so they also ask for names that do not exist.
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
    void *owner; // private to the opener
} thud_bytes;

typedef struct thud_files {
    // The bytes of a file. BAD_FILE, with a sentence, where there is none of this name or it may not be opened. Called in the
    // thread that loads or builds, and only in that one.
    thud_status (*open)(void *user, const char *name, thud_bytes *out, thud_diag *diag);
    void (*close)(void *user, thud_bytes *bytes); // they are not used any more; NULL: nothing is to do
    void *user;
} thud_files;

// Opens and closes as a loader does. NULL, or an open of NULL: the file system. Each opened file is closed once.
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
