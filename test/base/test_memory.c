// SPDX-License-Identifier: Apache-2.0
#include "test.h"

TEST(an_arena_gives_aligned_disjoint_blocks_and_refuses_when_full)
{
    (void)test_state;
    thud_arena *arena;
    CHECK_OK(thud_arena_create(1024, &arena));
    unsigned char *a = thud_arena_push(arena, 10, 1), *b = thud_arena_push(arena, 64, 8);
    CHECK(a && b && (uintptr_t)a % 64 == 0 && (uintptr_t)b % 64 == 0 && b >= a + 10);
    CHECK(thud_arena_push(arena, 1024, 1) == NULL);
    CHECK(thud_arena_push(arena, SIZE_MAX, 8) == NULL);
    thud_arena_destroy(arena);
}

TEST(releasing_to_a_mark_gives_the_same_bytes_again)
{
    (void)test_state;
    thud_arena *arena;
    CHECK_OK(thud_arena_create(1024, &arena));
    const size_t mark = thud_arena_mark(arena);
    void *first = thud_arena_push(arena, 100, 1);
    thud_arena_release(arena, mark);
    CHECK(thud_arena_push(arena, 100, 1) == first);
    CHECK_INT(thud_arena_high_water(arena), 128);
    thud_arena_destroy(arena);
}

TEST(alloc_refuses_sizes_that_overflow)
{
    (void)test_state;
    CHECK(thud_alloc(SIZE_MAX / 4, 8) == NULL);
}

TEST(a_large_block_begins_where_a_large_page_does)
{
    (void)test_state;
#if defined(__linux__) // elsewhere nobody is asked for any
    const size_t page = (size_t)2 << 20, size[] = {(size_t)2 << 20, (size_t)3 << 20, (size_t)5000000};
    for (size_t k = 0; k < sizeof size / sizeof size[0]; k++) {
        void *x = thud_alloc(size[k], 1);
        CHECK(x != NULL);
        CHECK_INT((int)((uintptr_t)x % page), 0);
        thud_free(x);
    }
#endif
}

// Large blocks ask for large pages, also where they end within one.
TEST(large_blocks_begin_with_zeros_and_keep_their_numbers_when_resized)
{
    (void)test_state;
    const size_t many = ((size_t)5 << 20) / sizeof(int) + 123;
    int *x = thud_alloc(many, sizeof *x);
    CHECK(x != NULL);
    for (size_t i = 0; i < many; i++) {
        CHECK_INT(x[i], 0);
        x[i] = (int)i;
    }
    for (size_t size = 2 * many; size <= 8 * many; size *= 2) {
        x = thud_resize(x, size * sizeof *x);
        CHECK(x != NULL);
#if defined(__linux__)
        CHECK_INT((int)((uintptr_t)x % ((size_t)2 << 20)), 0); // in large pages still
#endif
        x[size - 1] = 7;
    }
    x = thud_resize(x, many * sizeof *x);
    for (size_t i = 0; i < many; i++) {
        CHECK_INT(x[i], (int)i);
    }
    thud_free(x);
}

TEST(a_diagnostic_reads_file_line_column_sentence)
{
    (void)test_state;
    thud_diag diag;
    char text[256];
    CHECK_INT(thud_fail(THUD_BAD_FILE, &diag, "a.xml", 3, 7, "mass is %g", -1.0), THUD_BAD_FILE);
    thud_diag_format(&diag, text, sizeof text);
    CHECK_TEXT(text, "a.xml:3:7: mass is -1");
}

TEST_MAIN(T(an_arena_gives_aligned_disjoint_blocks_and_refuses_when_full),
          T(releasing_to_a_mark_gives_the_same_bytes_again), T(alloc_refuses_sizes_that_overflow),
          T(large_blocks_begin_with_zeros_and_keep_their_numbers_when_resized),
          T(a_large_block_begins_where_a_large_page_does), T(a_diagnostic_reads_file_line_column_sentence))
