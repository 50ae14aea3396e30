// SPDX-License-Identifier: Apache-2.0
// pool.c: chunks that double in size, so that a load of n bytes costs O(log n) allocations.
#include <string.h>

#include "pool.h"

enum { FIRST_CHUNK = 16 << 10, LARGEST_CHUNK = 4 << 20, ALIGN = 16 };

struct load_chunk {
    struct load_chunk *older;
    size_t size, used;
    _Alignas(ALIGN) unsigned char bytes[];
};

static struct load_chunk *new_chunk(load_pool *pool, size_t bytes)
{
    size_t size = pool->chunk ? 2 * pool->chunk->size : FIRST_CHUNK;
    size = size > LARGEST_CHUNK ? LARGEST_CHUNK : size;
    size = size < bytes ? bytes : size;
    struct load_chunk *chunk = thud_resize(NULL, sizeof *chunk + size);
    if (chunk) {
        *chunk = (struct load_chunk){.older = pool->chunk, .size = size};
        pool->chunk = chunk;
    }
    return chunk;
}

void *pool_push(load_pool *pool, size_t count, size_t size)
{
    if (size && count > (SIZE_MAX / 4) / size) {
        return NULL;
    }
    const size_t bytes = (count * size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    struct load_chunk *chunk = pool->chunk;
    if (!chunk || bytes > chunk->size - chunk->used) {
        chunk = new_chunk(pool, bytes);
    }
    if (!chunk) {
        return NULL;
    }
    void *block = chunk->bytes + chunk->used;
    chunk->used += bytes;
    return memset(block, 0, bytes);
}

char *pool_text(load_pool *pool, const char *text, size_t length)
{
    char *copy = pool_push(pool, length + 1, 1);
    return copy ? memcpy(copy, text, length) : NULL;
}

void pool_clear(load_pool *pool)
{
    while (pool->chunk) {
        struct load_chunk *older = pool->chunk->older;
        thud_free(pool->chunk);
        pool->chunk = older;
    }
}
