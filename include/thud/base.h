// SPDX-License-Identifier: Apache-2.0
// thud/base.h: status, diagnostics, memory and assertions. Knows nothing of physics.
//
// Three failures have three channels. A bug of ours is a THUD_ASSERT. The world (a file, memory, a feature we
// do not have) is a thud_status with a thud_diag that says what and where. The numbers (a ray, a stall, a
// singular matrix) are an outcome in a solver's report. The library never prints and never exits.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define THUD_API __attribute__((visibility("default")))
#define THUD_MUST_USE __attribute__((warn_unused_result))
#define THUD_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define THUD_API
#define THUD_MUST_USE
#define THUD_PRINTF(text, first)
#endif

// Hot kernels: one copy for each instruction set, chosen when the program starts. Contraction is off
// everywhere, so every copy computes the same bits. glibc chooses (stdint.h tells that it is there); musl cannot.
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__GLIBC__) &&                 \
    !defined(THUD_FIXED_ARCH)
#define THUD_KERNEL __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define THUD_KERNEL
#endif
// Functions that a kernel calls become part of each of its copies.
#if defined(__GNUC__)
#define THUD_INSIDE static inline __attribute__((always_inline))
#else
#define THUD_INSIDE static inline
#endif
#define THUD_LANES 4 // numbers that kernels have side by side

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------- version

THUD_API const char *thud_version(void); // "0.1.0"
THUD_API const char *thud_commit(void);  // the commit this library was built from, or "unknown"
THUD_API const char *thud_parts(void);   // optional parts that are in, of "hdf5 sundials"; may be ""

// Which bits the results have: the same scene and options give the same bits in all builds with the same number (docs/numerics.md).
// Recordings and saved states carry it. `make golden` raises it when a hash in test/golden/hashes.txt changes.
THUD_API int thud_numerics(void);

// ---------------------------------------------------------------------------------------------- status

#define THUD_STATUS_LIST(X)                                                                                  \
    X(OK, "done")                                                                                            \
    X(BAD_ARGUMENT, "an argument is outside what the function takes")                                        \
    X(BAD_FILE, "a file could not be read, written or understood")                                           \
    X(BAD_MODEL, "the model is not one that can be simulated")                                               \
    X(UNSUPPORTED, "the feature is understood but not supported")                                            \
    X(NO_MEMORY, "memory ran out")                                                                           \
    X(NOT_FINITE, "a number became infinite or not a number")                                                \
    X(NOT_SOLVED, "the certificate is worse than asked")                                                     \
    X(CANCELLED, "it was called off")

typedef enum thud_status {
#define THUD_STATUS_ENUM(name, text) THUD_##name,
    THUD_STATUS_LIST(THUD_STATUS_ENUM)
#undef THUD_STATUS_ENUM
} thud_status;

THUD_API const char *thud_status_text(thud_status status); // the sentence of the list above

// Passes a failure on to the caller.
#define THUD_TRY(call)                                                                                       \
    do {                                                                                                     \
        const thud_status thud_try_status = (call);                                                          \
        if (thud_try_status != THUD_OK) {                                                                    \
            return thud_try_status;                                                                          \
        }                                                                                                    \
    } while (0)

// Why something failed, and where: "file:line:column: text". line and column start at 1; 0 means unknown,
// -1 that there is no such place: the file itself cannot be read or written.
typedef struct thud_diag {
    char text[512];
    char file[512];
    int line, column;
} thud_diag;

// Fills diag (which may be NULL) and returns status, so that a failure is one line: return thud_fail(...).
THUD_API thud_status thud_fail(thud_status status, thud_diag *diag, const char *file, int line, int column,
                               const char *format, ...) THUD_PRINTF(6, 7);
// Writes "file:line:column: text" (or what is known of it) into out, always terminated.
THUD_API void thud_diag_format(const thud_diag *diag, char *out, size_t size);

// ---------------------------------------------------------------------------------------------- assertions

typedef void (*thud_assert_handler)(const char *condition, const char *file, int line);
THUD_API void thud_assert_set(thud_assert_handler handler); // NULL: the default, which prints and aborts
THUD_API void thud_assert_failed(const char *condition, const char *file, int line);

#ifndef NDEBUG
#define THUD_ASSERT(condition) ((condition) ? (void)0 : thud_assert_failed(#condition, __FILE__, __LINE__))
#else
#define THUD_ASSERT(condition) ((void)0)
#endif

// ---------------------------------------------------------------------------------------------- memory

// Every heap block of the library comes from here. Set before anything is created; its functions are called from several
// threads at a time where a sim has several, or the caller does.
typedef struct thud_allocator {
    void *(*resize)(void *block, size_t bytes, void *user); // as realloc; block may be NULL; NULL on failure
    void (*release)(void *block, void *user);               // as free; block may be NULL
    void *user;
} thud_allocator;

THUD_API void thud_allocator_set(const thud_allocator *allocator);   // NULL: realloc and free
THUD_API THUD_MUST_USE void *thud_alloc(size_t count, size_t size);  // zeroed; NULL on failure or overflow
THUD_API THUD_MUST_USE void *thud_resize(void *block, size_t bytes); // as realloc, bytes > 0
THUD_API void thud_free(void *block);                                // NULL is allowed
THUD_API THUD_MUST_USE char *thud_strdup(const char *text);

// Makes room for one more element of a growing array: doubles *capacity when count reaches it. New elements
// are not set. Returns false, with the array untouched, when memory runs out.
THUD_API THUD_MUST_USE bool thud_grow(void **array, int *capacity, int count, size_t size);

// A stack of bytes: all scratch of a step is in one. Pushing never allocates; a full arena gives NULL.
typedef struct thud_arena thud_arena;
THUD_API THUD_MUST_USE thud_status thud_arena_create(size_t bytes, thud_arena **out);
THUD_API void thud_arena_destroy(thud_arena *arena);
THUD_API void *thud_arena_push(thud_arena *arena, size_t count, size_t size); // 64-byte aligned, not zeroed
THUD_API size_t thud_arena_mark(const thud_arena *arena);
THUD_API void thud_arena_release(thud_arena *arena, size_t mark); // frees all that was pushed since mark
THUD_API size_t thud_arena_high_water(const thud_arena *arena);   // most bytes ever in use
THUD_API size_t thud_arena_size(const thud_arena *arena);

// Work: what a computation costs, in about multiply-adds, counted alike on every machine and for any number of threads. A
// computation counts it on the arena that it has its scratch from, before each round of a loop, and ends, unsolved, where
// thud_arena_spend says false: what it was allowed is spent, or *stop is not 0. Until something else is allowed every later call
// says so too. An arena that was never asked about allows everything.
THUD_API void thud_arena_allow(thud_arena *arena, int64_t work,
                               const int *stop); // stop: NULL, or set by anybody at any time
THUD_API bool thud_arena_spend(thud_arena *arena, int64_t work);
THUD_API bool thud_arena_may_go_on(const thud_arena *arena); // nothing was refused yet
THUD_API int64_t thud_arena_spent(const thud_arena *arena);  // since it was allowed

// ---------------------------------------------------------------------------------------------- numbers

// The greater and the smaller number. NaN only where both are. Of two zeros the first is returned, whatever their signs: C leaves
// that open for fmax and fmin, and libraries differ.
static inline double thud_max(double a, double b)
{
    return a >= b || b != b ? a : b;
}

static inline double thud_min(double a, double b)
{
    return a <= b || b != b ? a : b;
}

// ---------------------------------------------------------------------------------------------- text

enum { THUD_NUMBER_SIZE = 32 }; // bytes that hold any double

// Writes as few digits, of 15, 16 or 17, as are sure to read back as the same bits, with a decimal point
// whatever the locale, or nan, inf, -inf; returns out.
THUD_API const char *thud_number_format(double value, char out[THUD_NUMBER_SIZE]);

// ---------------------------------------------------------------------------------------- time, hashing

THUD_API double thud_clock_wall(void); // seconds, monotonic
THUD_API double thud_clock_cpu(void);  // seconds of CPU time of this process

#define THUD_HASH_START UINT64_C(0xcbf29ce484222325)
THUD_API uint64_t thud_hash(uint64_t hash, const void *bytes,
                            size_t count); // FNV-1a, chained by its first argument

#ifdef __cplusplus
}
#endif
