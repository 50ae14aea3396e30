// SPDX-License-Identifier: Apache-2.0
// product_focus.c: sweeps where something changes.                                                 [theory 7, 9]
//
// In a pile that all but rests something is always being hit or slipping: of 20 000 contacts of 5000 boxes five in a hundred
// have nine tenths of what a sweep changes, and the others are swept again and again for their sake. So those are swept by
// themselves with the others held (product_part.c), the few among them likewise, before all are swept again:
//
//     L: |f_i|^2 > LEFT mean |f|^2, so that those left out have at most LEFT of the whole
//
// Cost     some dozen sweeps over a few per cent of the contacts. 5000 boxes at rest take 0.54 of the visits, spheres 0.8.
#include "product.h"

static const double LEFT = 0.1;
enum { LEAST = 60 }; // pairs
enum { PARTS = 4 };  // L is at most one in so many of all
enum { SWEEPS = 60 };

// Pairs that change most, ascending, in list; 0 if they are many, or one, or lines change as well.
static int find(const product_sweeps *w, int *list)
{
    double total = 0, of_lines = 0;
    for (int k = 0; k < w->pairs; k++) {
        total += w->change[k];
    }
    for (int k = 0; k < w->lines; k++) {
        of_lines += w->change[w->pairs + k];
    }
    const int count = product_list_above(w, LEFT * total / w->pairs, list);
    return count > 1 && PARTS * count <= w->pairs && of_lines <= LEFT * total ? count : 0;
}

static void sweep(product_some *x)
{
    (void)product_sweep_some(x, SWEEPS);
}

bool product_focus(product_sweeps *w, double *p)
{
    return w->pairs >= LEAST && product_solve_some(w, p, find, sweep);
}
