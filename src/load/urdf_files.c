// SPDX-License-Identifier: Apache-2.0
// urdf_files.c: where the meshes of a URDF file are.
//
// A ROS package is a folder, found by its name: package://arm_description/meshes/base.stl. Robots are passed
// around without ROS, and their packages renamed, so the folders above the file are tried first: each may
// hold the package, or be it.
#include <stdio.h>
#include <string.h>

#include "urdf_robot.h"

enum { FOLDERS_UP = 8 };

typedef struct search {
    mjcf_reader *r;
    const char *found;
    bool failed; // memory ran out
} search;

static bool look(search *s, const char *base, const char *folder, const char *file)
{
    if (s->found || s->failed) {
        return true;
    }
    const char *path = xml_path(s->r->spec, base, folder, file);
    s->failed = !path;
    s->found = path && thud_files_has(&s->r->spec->files, path) ? path : NULL;
    return s->found || s->failed;
}

// In the folder of the file and those above it: `name` as it is, then without the package's name.
static void look_above(search *s, const char *name, const char *inside)
{
    const char *base = mjcf_node(s->r, 0)->place.file;
    char folder[3 * FOLDERS_UP + 1] = "";
    for (int up = 0; up <= FOLDERS_UP; up++) {
        if (look(s, base, folder, name) || look(s, base, folder, inside)) {
            return;
        }
        memcpy(folder + 3 * up, "../", up < FOLDERS_UP ? 4 : 0);
    }
}

static void look_in_packages(search *s, const char *name)
{
    for (const char *p = s->r->packages; p && *p;) {
        const size_t length = strcspn(p, ":");
        char *folder = pool_text(&s->r->tree.pool, p, length);
        s->failed |= !folder;
        if (s->failed || (length && look(s, "", folder, name))) {
            return;
        }
        p += length + (p[length] == ':');
    }
}

// What follows the scheme of a URI, or NULL when it is another.
static const char *after(const char *uri, const char *scheme)
{
    const size_t length = strlen(scheme);
    return strncmp(uri, scheme, length) == 0 ? uri + length : NULL;
}

// The path that a URI stands for without its scheme and package; NULL where it names none.
static const char *plain_path(const char *uri, const char **package)
{
    *package = after(uri, "package://");
    *package = *package ? *package : after(uri, "model://");
    if (!*package) {
        const char *path = after(uri, "file://");
        return path ? path : uri;
    }
    if (**package == '/') { // package:///path: the package is left out, the path starts below it
        return *package + 1;
    }
    const char *slash = strchr(*package, '/');
    return slash && slash[1] ? slash + 1 : NULL;
}

const char *urdf_find_file(mjcf_reader *r, const char *uri, const char **why)
{
    search s = {.r = r};
    const char *base = mjcf_node(r, 0)->place.file, *package, *path = plain_path(uri, &package);
    if (!path) {
        *why = "a package's name is followed by a path in it";
        return NULL;
    }
    const char *last = strrchr(path, '/'), *name = last ? last + 1 : path;
    if (r->own.meshdir[0] && r->own.strippath) { // as MuJoCo reads URDF, unless its compiler says otherwise
        look(&s, base, r->own.meshdir, name);
    }
    *why = "there is no such file";
    if (package) {
        *why =
            "it is not in the folders above the file, nor in those of ROS_PACKAGE_PATH and AMENT_PREFIX_PATH";
        look_above(&s, *package == '/' ? path : package, path);
        look_in_packages(&s, *package == '/' ? path : package);
    } else if (strstr(path, "://")) {
        *why = "only package://, model:// and file:// are understood";
    } else {
        look(&s, base, r->own.meshdir, path);
        look(&s, base, "", path);
    }
    if (r->own.strippath) {
        look(&s, base, r->own.meshdir, name);
    }
    *why = s.failed ? NULL : *why;
    return s.found;
}
