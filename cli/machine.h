// SPDX-License-Identifier: Apache-2.0
// machine.h: what threads are worth on this machine, at this moment.
#pragma once

// How many times as fast so many threads (0: as many as there are cores) do what needs no memory, no order and no
// waiting, by the wall clock: nothing that is shared among them can be faster. Two virtual cores that are one core's
// halves, or that others use too, give less than two. NaN where there is no memory. Takes about a tenth of a second.
double machine_speedup(int threads);
