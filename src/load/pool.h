// SPDX-License-Identifier: Apache-2.0
// pool.h: memory of one load: pieces are pushed while the file is read and all freed together at its end.
#pragma once

#include <thud/base.h>

typedef struct load_pool {
    struct load_chunk *chunk; // the newest, which has room; older ones are linked behind it
} load_pool;

void *pool_push(load_pool *pool, size_t count, size_t size);       // zeroed, 16-byte aligned; NULL on failure
char *pool_text(load_pool *pool, const char *text, size_t length); // a terminated copy
void pool_clear(load_pool *pool);
