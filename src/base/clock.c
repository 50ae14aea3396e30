// SPDX-License-Identifier: Apache-2.0
// clock.c: wall and CPU seconds, and the FNV-1a hash of the golden tests.
#include <time.h>

#include <thud/base.h>

static double seconds_of(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double thud_clock_wall(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

double thud_clock_cpu(void)
{
    return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

uint64_t thud_hash(uint64_t hash, const void *bytes, size_t count)
{
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < count; i++) {
        hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}
