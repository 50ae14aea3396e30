// SPDX-License-Identifier: Apache-2.0
// memory.c: the settable allocator, growing arrays and the arena.
#if defined(__linux__)
#include <malloc.h>
#include <sys/mman.h>
#endif

#include <stdlib.h>
#include <string.h>

#include <thud/base.h>

// What a step over thousands of bodies touches is some hundred megabytes, and in pages of 4 kB a part of its time is spent
// looking for them. The system may refuse: it is advice. Whole blocks are advised, else they could not be resized in place.
#ifdef MADV_HUGEPAGE
static const size_t LARGE = (size_t)2 << 20; // a large page, and the least that gets one: small sims are many

// A new block: a large one begins and ends where a large page does, so that all of it can be in such.
static void *begin_block(size_t bytes)
{
    if (bytes < LARGE || bytes > SIZE_MAX - LARGE) {
        return malloc(bytes);
    }
    const size_t whole = (bytes + LARGE - 1) / LARGE * LARGE;
    void *const block = aligned_alloc(LARGE, whole);
    if (block) {
        (void)madvise(block, whole, MADV_HUGEPAGE);
    }
    return block;
}

// A block that grows. realloc would take its small pages along, or put it where no large one begins.
static void *grow_block(void *block, size_t bytes)
{
    const size_t held = malloc_usable_size(block);
    if (bytes < LARGE || bytes <= held) {
        return realloc(block, bytes);
    }
    void *const grown = begin_block(bytes);
    if (grown) {
        memcpy(grown, block, held);
        free(block);
    }
    return grown;
}
#else
static void *begin_block(size_t bytes)
{
    return malloc(bytes);
}

static void *grow_block(void *block, size_t bytes)
{
    return realloc(block, bytes);
}
#endif

static void *default_resize(void *block, size_t bytes, void *user)
{
    (void)user;
    return block ? grow_block(block, bytes) : begin_block(bytes);
}

static void default_release(void *block, void *user)
{
    (void)user;
    free(block);
}

static const thud_allocator default_allocator = {default_resize, default_release, NULL};
static thud_allocator current = {default_resize, default_release, NULL};

void thud_allocator_set(const thud_allocator *allocator)
{
    current = allocator ? *allocator : default_allocator;
}

void *thud_alloc(size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size) {
        return NULL;
    }
    const size_t bytes = count && size ? count * size : 1;
    void *block = current.resize(NULL, bytes, current.user);
    if (block) {
        memset(block, 0, bytes);
    }
    return block;
}

void *thud_resize(void *block, size_t bytes)
{
    return current.resize(block, bytes, current.user);
}

void thud_free(void *block)
{
    if (block) {
        current.release(block, current.user);
    }
}

char *thud_strdup(const char *text)
{
    const size_t bytes = strlen(text) + 1;
    char *copy = current.resize(NULL, bytes, current.user);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

bool thud_grow(void **array, int *capacity, int count, size_t size)
{
    if (count < *capacity) {
        return true;
    }
    const int wanted = *capacity < 8 ? 8 : *capacity > INT32_MAX / 2 ? INT32_MAX : 2 * *capacity;
    if (wanted <= count || (size_t)wanted > SIZE_MAX / size) {
        return false;
    }
    void *bigger = current.resize(*array, (size_t)wanted * size, current.user);
    if (!bigger) {
        return false;
    }
    *array = bigger;
    *capacity = wanted;
    return true;
}

enum { ARENA_ALIGN = 64 };

struct thud_arena {
    size_t size, used, high;
    int64_t allowed, spent; // work
    bool refused;
    const int *stop;
    unsigned char *bytes; // ARENA_ALIGN-aligned, inside the block
};

thud_status thud_arena_create(size_t bytes, thud_arena **out)
{
    *out = NULL;
    if (bytes > SIZE_MAX / 2) {
        return THUD_NO_MEMORY;
    }
    thud_arena *arena = thud_resize(NULL, sizeof *arena + bytes + 2 * ARENA_ALIGN);
    if (!arena) {
        return THUD_NO_MEMORY;
    }
    const uintptr_t start = (uintptr_t)(arena + 1);
    arena->size = bytes + ARENA_ALIGN;
    arena->used = 0;
    arena->high = 0;
    thud_arena_allow(arena, INT64_MAX, NULL);
    arena->bytes = (unsigned char *)((start + ARENA_ALIGN - 1) & ~(uintptr_t)(ARENA_ALIGN - 1));
    *out = arena;
    return THUD_OK;
}

void thud_arena_destroy(thud_arena *arena)
{
    thud_free(arena);
}

void *thud_arena_push(thud_arena *arena, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > arena->size) {
        return NULL;
    }
    bytes = (bytes + ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1);
    if (bytes > arena->size - arena->used) {
        return NULL;
    }
    void *block = arena->bytes + arena->used;
    arena->used += bytes;
    arena->high = arena->used > arena->high ? arena->used : arena->high;
    return block;
}

size_t thud_arena_mark(const thud_arena *arena)
{
    return arena->used;
}

void thud_arena_release(thud_arena *arena, size_t mark)
{
    THUD_ASSERT(mark <= arena->used);
    arena->used = mark;
}

size_t thud_arena_high_water(const thud_arena *arena)
{
    return arena->high;
}

size_t thud_arena_size(const thud_arena *arena)
{
    return arena->size;
}

void thud_arena_allow(thud_arena *arena, int64_t work, const int *stop)
{
    arena->allowed = work;
    arena->spent = 0;
    arena->refused = false;
    arena->stop = stop;
}

bool thud_arena_spend(thud_arena *arena, int64_t work)
{
    arena->spent += work;
    arena->refused = arena->refused || arena->spent > arena->allowed ||
                     (arena->stop && __atomic_load_n(arena->stop, __ATOMIC_RELAXED) != 0);
    return !arena->refused;
}

bool thud_arena_may_go_on(const thud_arena *arena)
{
    return !arena->refused;
}

int64_t thud_arena_spent(const thud_arena *arena)
{
    return arena->spent;
}
