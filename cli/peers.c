// SPDX-License-Identifier: Apache-2.0
// peers.c: finds and loads the peers' shared objects.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "peers.h"

static const char *const known[] = {"mujoco", "ode", "bullet"};
enum { KNOWN = sizeof known / sizeof known[0] };

// The folder the program is in, or "." where that cannot be told.
static void program_folder(char folder[400])
{
    const ssize_t length = readlink("/proc/self/exe", folder, 399);
    folder[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash) {
        *slash = '\0';
    } else {
        strcpy(folder, ".");
    }
}

static bool find(const char *name, char path[640])
{
    static const char *const beside[] = {"peers", "../peers", "../lib/thud/peers"};
    const char *given = getenv("THUD_PEERS");
    if (given) {
        snprintf(path, 640, "%s/%s.so", given, name);
        return access(path, R_OK) == 0;
    }
    char folder[400];
    program_folder(folder);
    for (size_t i = 0; i < sizeof beside / sizeof beside[0]; i++) {
        snprintf(path, 640, "%s/%s/%s.so", folder, beside[i], name);
        if (access(path, R_OK) == 0) {
            return true;
        }
    }
    return false;
}

// The peer, or NULL with the reason.
static const engine *load(const char *name, char why[ENGINE_WHY_SIZE])
{
    char path[640];
    if (!find(name, path)) {
        snprintf(why, ENGINE_WHY_SIZE, "it is not installed, or Thud was built without it");
        return NULL;
    }
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const engine *peer = object ? dlsym(object, ENGINE_SYMBOL) : NULL;
    if (!peer) {
        const char *error = dlerror();
        snprintf(why, ENGINE_WHY_SIZE, "%s", error ? error : "it exports no engine");
    } else if (peer->abi != ENGINE_ABI) {
        snprintf(why, ENGINE_WHY_SIZE, "%s.so was built for another Thud", name);
        peer = NULL;
    }
    return peer;
}

const engine *peers_find(const peer_list *list, const char *name)
{
    for (int i = 0; i < list->count; i++) {
        if (strcmp(list->peer[i]->name, name) == 0) {
            return list->peer[i];
        }
    }
    return NULL;
}

bool peers_known(const char *word)
{
    bool found = strcmp(word, "none") == 0;
    for (int i = 0; i < KNOWN; i++) {
        found = found || strcmp(word, known[i]) == 0;
    }
    return found;
}

bool peers_listed(const char *names, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = names; at && (at = strstr(at, name)); at += length) {
        if ((at == names || at[-1] == ',') && (at[length] == ',' || at[length] == '\0')) {
            return true;
        }
    }
    return false;
}

peer_list peers_load(const char *names)
{
    peer_list list = {0};
    for (int i = 0; i < KNOWN; i++) {
        if (names && !peers_listed(names, known[i])) {
            continue;
        }
        const engine *peer = load(known[i], list.why[list.absent]);
        if (peer) {
            list.peer[list.count++] = peer;
        } else {
            list.absent_name[list.absent++] = known[i];
        }
    }
    return list;
}
