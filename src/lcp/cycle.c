// SPDX-License-Identifier: Apache-2.0
// cycle.c: has a pivoting method come back to a basis?
//
// A method whose next pivot depends on the basis alone cycles if and only if a basis repeats. Brent's method
// finds that with one kept hash, at most three times around the cycle late.
#include "lcp_inside.h"

static uint64_t mark_of(int variable) // a fixed random word for each variable (splitmix64)
{
    uint64_t z = ((uint64_t)variable + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

void lcp_cycle_start(lcp_cycle *c)
{
    *c = (lcp_cycle){.span = 1};
}

bool lcp_cycle_step(lcp_cycle *c, int left, int entered)
{
    c->hash ^= mark_of(left) ^ mark_of(entered);
    if (c->hash == c->kept) {
        return true;
    }
    if (++c->steps == c->span) {
        c->kept = c->hash;
        c->steps = 0;
        c->span *= 2;
    }
    return false;
}
