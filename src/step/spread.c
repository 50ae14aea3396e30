// SPDX-License-Identifier: Apache-2.0
// spread.c: of two geoms that are deep inside each other, four contacts far from each other take part in a step. [theory 7]
//
// Geoms that overlap by more than a millimetre were put there, or cannot part. Manifolds are then large and their points say the same many
// times: two links of a robot with 60 points between them ask for 180 rows of a rank of at most 6. Four points hold what all
// of them hold, but for friction in the pair.
//
// Cost  a pass over the contacts.
#include <math.h>

#include <thud/spatial_inline.h>

#include "sim.h"

enum { KEPT = 4 };

static bool same_pair(const touch *a, const touch *b)
{
    return a->contact->geom1 == b->contact->geom1 && a->contact->geom2 == b->contact->geom2;
}

static double apart(const touch *a, const touch *b)
{
    return v3_norm2(v3_sub(a->contact->point, b->contact->point));
}

// The deepest of so many contacts, then three times the one whose nearest of those taken is farthest away.
static void choose(const touch *t, int count, int kept[KEPT])
{
    kept[0] = 0;
    for (int i = 1; i < count; i++) {
        kept[0] = t[i].phi < t[kept[0]].phi ? i : kept[0];
    }
    for (int k = 1; k < KEPT; k++) {
        double farthest = -1;
        for (int i = 0; i < count; i++) {
            double nearest = INFINITY;
            for (int c = 0; c < k; c++) {
                nearest = lesser_of(apart(&t[i], &t[kept[c]]), nearest);
            }
            if (nearest > farthest) {
                farthest = nearest;
                kept[k] = i;
            }
        }
    }
}

static bool is_kept(int i, const int kept[KEPT])
{
    return i == kept[0] || i == kept[1] || i == kept[2] || i == kept[3];
}

void touch_spread(thud_sim *sim)
{
    static const double DEEP = 1e-3; // m
    int next = 0;
    for (int first = 0, end; first < sim->sight.touches; first = end) {
        const touch *t = &sim->sight.touch[first];
        double least = t->phi;
        for (end = first + 1; end < sim->sight.touches && same_pair(t, &sim->sight.touch[end]); end++) {
            least = lesser_of(sim->sight.touch[end].phi, least);
        }
        const int count = end - first;
        int kept[KEPT];
        const bool few = count <= KEPT || !(least < -DEEP);
        if (few && next == first) {
            next = end;
            continue;
        }
        if (!few) {
            choose(t, count, kept);
        }
        for (int i = 0; i < count; i++) {
            if (few || is_kept(i, kept)) {
                sim->sight.touch[next] = sim->sight.touch[first + i];
                sim->sight.touch[next].gap = &sim->sight.gap[next];
                next++;
            }
        }
    }
    sim->sight.touches = next;
}
