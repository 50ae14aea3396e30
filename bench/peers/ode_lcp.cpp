// SPDX-License-Identifier: Apache-2.0
// ode_lcp.cpp: ODE's Dantzig solver (0.16) alone, without a world. Its header is not installed, but libode.so
// exports the functions; their signatures below are those of the exported symbols, and the packing (b, x) and
// (lo, hi) in pairs, rows padded to four, w = A x - b is that of ODE's own dTestSolveLCP.
#include <cstddef>
#include <vector>

#include <ode/ode.h>

#include <thud/base.h>

#include "peer_lcp.h"

// The head of ODE's arena; starting it afresh is setting one to the other, as dTestSolveLCP does.
class dxWorldProcessMemArena {
  public:
    void *current, *begin;
};
struct dxWorldProcessMemoryManager;
struct dxWorldProcessMemoryReserveInfo;
dxWorldProcessMemArena *dxAllocateTemporaryWorldProcessMemArena(size_t bytes,
                                                                const dxWorldProcessMemoryManager *,
                                                                const dxWorldProcessMemoryReserveInfo *);
void dxFreeTemporaryWorldProcessMemArena(dxWorldProcessMemArena *arena);
size_t dxEstimateSolveLCPMemoryReq(unsigned n, bool outer_w_avail);
void dxSolveLCP(dxWorldProcessMemArena *arena, unsigned n, double *A, double *pairs_bx, double *outer_w,
                unsigned nub, double *pairs_lohi, int *findex);

double peer_ode_dantzig(int n, const double *M, const double *q, double *z, int batch)
{
    static const bool started = dInitODE2(0) != 0;
    (void)started;
    const size_t size = static_cast<size_t>(n), skip = n > 1 ? (size + 3) & ~size_t(3) : size,
                 calls = static_cast<size_t>(batch);
    std::vector<double> A(calls * size * skip), bx(calls * 2 * size), lohi(2 * size); // it works in A and bx
    for (size_t i = 0; i < calls * size; i++) {
        for (size_t j = 0; j < size; j++) {
            A[i * skip + j] = M[i % size + j * size];
        }
        bx[2 * i] = -q[i % size];
        lohi[2 * (i % size) + 1] = dInfinity;
    }
    dxWorldProcessMemArena *arena = dxAllocateTemporaryWorldProcessMemArena(
        dxEstimateSolveLCPMemoryReq(static_cast<unsigned>(n), false) + 65536, nullptr, nullptr);
    const double start = thud_clock_cpu();
    for (size_t i = 0; i < calls; i++) {
        arena->current = arena->begin;
        dxSolveLCP(arena, static_cast<unsigned>(n), &A[i * size * skip], &bx[i * 2 * size], nullptr, 0,
                   lohi.data(), nullptr);
    }
    const double seconds = (thud_clock_cpu() - start) / batch;
    dxFreeTemporaryWorldProcessMemArena(arena);
    for (size_t i = 0; i < size; i++) {
        z[i] = bx[2 * i + 1];
    }
    return seconds;
}
