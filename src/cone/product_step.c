// SPDX-License-Identifier: Apache-2.0
// product_step.c: what follows a sweep over all contacts.                                           [theory 7, 9]
//
// Mostly the combination of the last sweeps (product_accelerate.c). Two kinds of part are solved by themselves instead, with all
// other contacts held (product_part.c):
//
//     jam      f, the change by a sweep, stays as it is: some contacts are wedged, and each sweep moves them alike. Contacts with
//              |f_i| > SHARE_OF_JAM of the largest are swept alone, then solved with their own W (product_jam.c). Where they are
//              many, all impulses go along f to where the first contact reaches the edge of its cone (product_drift.c).
//     focus    f is large at few contacts: |f_i|^2 > LEFT mean |f|^2. Of 20 000 contacts of 5000 boxes that all but rest five in a
//              hundred have nine tenths of f. These are swept alone until f is a tenth of what it was.
//
// Parts have parts in the same way. A sweep over ten contacts costs what ten cost.
// Cost     parts cost at most ten times the sweeps over all. In piles that fall jams spare three in four sweeps; of 5000 boxes at
//          rest focus takes 0.54 of the visits, of spheres 0.8.
#include "product.h"

static const double LEFT = 0.1, SHARE_OF_JAM = 0.03;
enum { LEAST = 60 };                          // pairs of a whole that is worth a focus
enum { PARTS = 4 };                           // a focus is at most one in so many of all
enum { FOCUS_SWEEPS = 60, JAM_SWEEPS = 100 }; // over a part

// Pairs that change most, ascending, in list; 0 if they are many, or one, or lines change as well.
static int find_changing(const product_sweeps *w, int *list)
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

// Pairs that move most, ascending, in list; 0 if they are many, or one, or lines are among them.
static int find_jam(const product_sweeps *w, int *list)
{
    double most = 0;
    for (int k = 0; k < w->pairs; k++) {
        most = thud_max(most, w->change[k]);
    }
    const double least = SHARE_OF_JAM * SHARE_OF_JAM * most;
    for (int k = 0; k < w->lines; k++) {
        if (w->change[w->pairs + k] >= least) {
            return 0;
        }
    }
    const int count = product_list_above(w, least, list);
    return count > 1 && 2 * count <= w->pairs ? count : 0;
}

// At most so many sweeps over a part. true: the last one changed little beside the first.
static bool sweep_part(product_some *x, int most)
{
    THUD_ASSERT(most > 0);
    static const double BETTER = 0.1; // of what the first sweep changed
    double enough = 0;
    for (int k = 0; k < most && !x->w.short_of_room && product_spend(&x->w); k++) {
        const double change = product_sweep(&x->w, x->h.p, x->h.from);
        enough = k == 0 ? BETTER * BETTER * change : enough;
        if (change <= enough) {
            return true;
        }
        product_step(&x->h, &x->w);
    }
    return false;
}

static void solve_focus(product_some *x)
{
    (void)sweep_part(x, FOCUS_SWEEPS);
}

static void solve_jam(product_some *x)
{
    if (!sweep_part(x, JAM_SWEEPS) && !x->w.short_of_room) {
        product_jam_solve(&x->w, x->h.p);
    }
}

// The pairs that find lists are solved with the others held; p and y of the whole become what is found. false: there are none.
static bool solve_part(product_sweeps *whole, double *p, int (*find)(const product_sweeps *w, int *list),
                       void (*solve)(product_some *x))
{
    if (!product_part_pays(whole)) {
        return false;
    }
    const size_t mark = thud_arena_mark(whole->arena);
    product_some x = {.list = thud_arena_push(whole->arena, (size_t)whole->pairs, sizeof(int))};
    const int count = x.list ? find(whole, x.list) : 0;
    whole->short_of_room = !x.list;
    if (count > 0) {
        const bool begun = product_part_begin(whole, p, count, &x);
        if (begun) {
            solve(&x);
        }
        product_part_end(&x, begun);
    }
    thud_arena_release(whole->arena, mark);
    return count > 0 || whole->short_of_room;
}

// Sweeps over a focus, as long as the ones before it were of use.
static bool look_closer(product_history *h, product_sweeps *w)
{
    enum { PAUSE = 3 };
    static const double USEFUL = 0.5;
    if (h->pause > 0) {
        h->pause--;
        return false;
    }
    const bool useful = h->now < USEFUL * h->focused;
    h->focused = useful ? h->now : INFINITY;
    if (useful && w->pairs >= LEAST && solve_part(w, h->p, find_changing, solve_focus)) {
        return true;
    }
    h->pause = PAUSE;
    return false;
}

void product_step(product_history *h, product_sweeps *w)
{
    THUD_ASSERT(w->pairs + w->lines > 0);
    const bool alike = product_measure(h, w);
    if ((alike && (solve_part(w, h->p, find_jam, solve_jam) || product_drift(w, h->f[0], h->p))) ||
        (w->local && look_closer(h, w))) {
        product_forget(h);
    } else {
        product_accelerate(h, w);
    }
}
