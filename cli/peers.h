// SPDX-License-Identifier: Apache-2.0
// peers.h: the peers that are there. Looked for as NAME.so in the folder of the environment variable
// THUD_PEERS, else in `peers` beside the program or above it, else where it would be installed.
#pragma once

#include "engine.h"

enum { PEERS_MAX = 8 };

typedef struct peer_list {
    int count;
    const engine *peer[PEERS_MAX];
    int absent; // names that were asked for or are known, and not found
    const char *absent_name[PEERS_MAX];
    char why[PEERS_MAX][ENGINE_WHY_SIZE];
} peer_list;

// Loads those named in `names` (between commas; NULL: every peer that is known, "none": none). Shared objects
// stay loaded until the program ends.
peer_list peers_load(const char *names);

const engine *peers_find(const peer_list *list, const char *name); // NULL: it is not among them
bool peers_known(const char *word);                                // the name of a peer, or "none"
bool peers_listed(const char *names, const char *name);            // a word of a list between commas
