// SPDX-License-Identifier: Apache-2.0
// boxes.c: two boxes, by the fifteen directions that can part them [Gottschalk, Lin and Manocha 1996].
//
// Symbols  duo.h; a_i, b_j the half lengths; A_i the axes of A (those of our frame), B_j those of B, so that
//          R_ij = A_i . B_j. Along a unit n, s = |n . p| - sum a_i |n . A_i| - sum b_j |n . B_j|.
// Cost     some 200 flops.
// Fails    never; edges within 1e-6 rad of parallel are left to the faces.
#include <float.h>

#include "duo.h"

typedef struct axis { // the best direction so far: which, and its sign
    double s;
    int a, b; // axes of A and B, -1: none (then it is a face)
    bool positive;
} axis;

static void try_axis(const duo *d, double across, double reach, double length, int a, int b, axis *best)
{
    const double s = (fabs(across) - reach) / length;
    if (s > best->s + d->tol) {
        *best = (axis){.s = s, .a = a, .b = b, .positive = across >= 0};
    }
}

static axis best_axis(const duo *d)
{
    const double *a = d->a.size, *b = d->b.size, p[3] = {d->p.x, d->p.y, d->p.z};
    double R[3][3]; // |R_ij|
    axis best = {.s = -DBL_MAX, .a = -1, .b = -1, .positive = true};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            R[i][j] = fabs(d->R.m[i][j]);
        }
    }
    for (int i = 0; i < 3; i++) {
        try_axis(d, p[i], a[i] + b[0] * R[i][0] + b[1] * R[i][1] + b[2] * R[i][2], 1, i, -1, &best);
    }
    for (int j = 0; j < 3; j++) {
        const double across = p[0] * d->R.m[0][j] + p[1] * d->R.m[1][j] + p[2] * d->R.m[2][j];
        try_axis(d, across, b[j] + a[0] * R[0][j] + a[1] * R[1][j] + a[2] * R[2][j], 1, -1, j, &best);
    }
    for (int i = 0; i < 3; i++) {
        const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
        for (int j = 0; j < 3; j++) {
            const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            const double length2 = d->R.m[i1][j] * d->R.m[i1][j] + d->R.m[i2][j] * d->R.m[i2][j];
            if (length2 > 1e-12) { // A_i x B_j, of length sin(angle)
                const double across = p[i2] * d->R.m[i1][j] - p[i1] * d->R.m[i2][j];
                const double reach =
                    a[i1] * R[i2][j] + a[i2] * R[i1][j] + b[j1] * R[i][j2] + b[j2] * R[i][j1];
                try_axis(d, across, reach, sqrt(length2), i, j, &best);
            }
        }
    }
    return best;
}

// The edge along an axis at a vertex of a box's hull.
static int edge_at(const thud_hull *h, int v, int along)
{
    int k = h->near_start[v];
    while (h->near[k] != (v ^ 1 << along)) {
        k++;
    }
    return h->near_edge[k];
}

void duo_part_boxes(const duo *d, facet *f)
{
    const axis best = best_axis(d);
    if (best.b < 0) {
        facet_of_face(d, 0, 2 * best.a + best.positive, f);
    } else if (best.a < 0) {
        facet_of_face(d, 1, 2 * best.b + !best.positive, f);
    } else {
        const int i1 = (best.a + 1) % 3, i2 = (best.a + 2) % 3;
        double n[3] = {0, 0, 0}; // A_i x B_j
        n[i1] = -d->R.m[i2][best.b];
        n[i2] = d->R.m[i1][best.b];
        const double sign = best.positive ? 1 : -1;
        duo_value(d, v3_normalize(v3(sign * n[0], sign * n[1], sign * n[2])), f);
        facet_of_edges(d, edge_at(d->a.hull, f->v[0], best.a), edge_at(d->b.hull, f->v[1], best.b), f);
    }
}
