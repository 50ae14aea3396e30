// SPDX-License-Identifier: Apache-2.0
// small_wide.c: the Newton step of a small problem (cone_small.c) for contacts with any number of tangential rows:
// in the plane, with torsion, with rolling friction.                                                         [theory 7, 9]
//
// Symbols  k tangential rows · p_t = p_n d · H = I - over v v^T, v = d +- e_1, takes d to an axis, so that its other rows are E^T:
//          E (k x (k - 1)) spans what is across d. dp = a (1, d) + (0, E c)
//          g = (u_n, E^T u_t); when d turns by E c / p_n, E^T u_t changes by lambda c, lambda = -d . u_t / p_n
// Cost     k + 1 columns of W for each column of J.
#include <math.h>
#include <string.h>

#include "cone_small.h"

static double length_of(int k, const double *t)
{
    THUD_ASSERT(k >= 0 && k <= TANGENTS);
    double sum = 0;
    for (int r = 0; r < k; r++) {
        sum += t[r] * t[r];
    }
    return sqrt(sum);
}

double small_see_wide(const cone_rows *b, const double *p, const double *y, const double *weight, double sum,
                      face *f)
{
    const int k = b->dim - 1;
    const double t = length_of(k, y + 1), back = t > y[0] ? y[0] / t : 1, size = length_of(k, p + 1);
    for (int r = 1; r <= k; r++) {
        const double F = weight[r] * (p[r] - y[r] * back);
        sum += F * F;
    }
    if (back < 1) {
        f->state = ROWS_SLIDE;
        f->there = p[0] > 0 && fabs(size - p[0]) <= SMALL_THERE * size;
        for (int r = 1; r <= k; r++) {
            f->d[r - 1] = f->there ? p[r] / size : y[r] / t;
        }
    }
    return sum;
}

bool small_rub_wide(const cone_rows *b, const double *u, double inside, double fast, double little, double *p)
{
    const int k = b->dim - 1;
    const double size = length_of(k, u + 1), n = p[0];
    double by = 0;
    if (!(length_of(k, p + 1) >= inside * n && size > fast * n)) {
        return false;
    }
    for (int r = 1; r <= k; r++) {
        const double t = -n * u[r] / size;
        by += fabs(t - p[r]);
        p[r] = t;
    }
    return by > little * n;
}

void small_turn_wide(const face *f, wide *x)
{
    double square = 0;
    for (int r = 0; r < x->tangents; r++) {
        x->d[r] = x->v[r] = f->d[r];
    }
    x->v[0] += x->d[0] < 0 ? -1 : 1; // no cancellation
    for (int r = 0; r < x->tangents; r++) {
        square += x->v[r] * x->v[r];
    }
    x->over = 2 / square;
}

// to <- H from; they may be the same.
static void reflect(const wide *x, const double *from, double *to)
{
    double along = 0;
    for (int r = 0; r < x->tangents; r++) {
        along += x->v[r] * from[r];
    }
    for (int r = 0; r < x->tangents; r++) {
        to[r] = from[r] - x->over * along * x->v[r];
    }
}

void small_project_wide(const small *s, const double *from, double *to)
{
    for (const wide *x = s->wide; x < s->wide + s->wides; x++) {
        double turned[TANGENTS];
        reflect(x, from + x->row + 1, turned);
        to[x->at] = from[x->row];
        for (int r = 1; r < x->tangents; r++) {
            to[x->at + r] = turned[r];
        }
    }
}

// ---------------------------------------------------------------------------------------------- J

// Column `at` of J, of dp = sum of T_r in so many rows of a block: L^T W~ dp.
static void put_column(const small *s, int row, int rows, const double *T, int at)
{
    THUD_ASSERT(0 <= at && at < s->J.stride);
    const cone_work *w = s->w;
    double column[MOST_ROWS + FOUR] = {0};
    for (int r = 0; r < rows; r++) {
        const double *W = w->W.a + (size_t)(row + r) * (size_t)w->n;
        for (int i = 0; i < w->n; i++) {
            column[i] += W[i] * T[r];
        }
    }
    for (int r = 0; r < rows; r++) {
        column[row + r] += s->epsilon * w->shape[row + r] * T[r];
    }
    small_project(s, column, s->J.a + (size_t)at * (size_t)s->J.stride);
}

static double *diagonal(const small *s, int at)
{
    return s->J.a + (size_t)at * ((size_t)s->J.stride + 1);
}

static void put_free(const small *s, const stretch *x)
{
    for (int r = 0; r < x->count; r++) {
        put_column(s, x->row + r, 1, (double[]){1}, x->at + r);
    }
}

static void put_slide(const small *s, slide *x)
{
    const double *u = s->u + x->row, lambda = -(x->d0 * u[1] + x->d1 * u[2]) / s->y[x->row];
    put_column(s, x->row, 3, (double[]){1, x->d0, x->d1}, x->at);
    put_column(s, x->row, 3, (double[]){0, -x->d1, x->d0}, x->at + 1);
    x->own = *diagonal(s, x->at + 1);
    x->lambda = lambda > 0 ? lambda : 0;
    *diagonal(s, x->at + 1) = x->own + x->lambda;
}

static void put_wide(const small *s, const wide *x)
{
    const double *u = s->u + x->row + 1;
    double T[THUD_CONE_DIM_MAX] = {1}, along = 0;
    for (int r = 0; r < x->tangents; r++) {
        T[r + 1] = x->d[r];
        along += x->d[r] * u[r];
    }
    put_column(s, x->row, x->tangents + 1, T, x->at);
    const double lambda = -along / s->y[x->row];
    for (int k = 1; k < x->tangents; k++) { // column k of H
        T[0] = 0;
        for (int r = 0; r < x->tangents; r++) {
            T[r + 1] = (r == k) - x->over * x->v[k] * x->v[r];
        }
        put_column(s, x->row, x->tangents + 1, T, x->at + k);
        *diagonal(s, x->at + k) += lambda > 0 ? lambda : 0;
    }
}

void small_put_columns(small *s)
{
    for (const stretch *x = s->stretch; x < s->stretch + s->stretches; x++) {
        put_free(s, x);
    }
    for (slide *x = s->slide; x < s->slide + s->slides; x++) {
        put_slide(s, x);
    }
    for (const wide *x = s->wide; x < s->wide + s->wides; x++) {
        put_wide(s, x);
    }
}

// ---------------------------------------------------------------------------------------------- dp

void small_advance_wide(const small *s, double length, double *p)
{
    for (const wide *x = s->wide; x < s->wide + s->wides; x++) {
        double *at = p + x->row, c[TANGENTS] = {0};
        const double along = length * s->x[x->at], n = at[0] + along;
        for (int r = 1; r < x->tangents; r++) {
            c[r] = length * s->x[x->at + r];
        }
        reflect(x, c, c); // E c
        for (int r = 0; r < x->tangents; r++) {
            c[r] += at[r + 1] + along * x->d[r];
        }
        const double size = length_of(x->tangents, c);
        at[0] = n;
        for (int r = 0; r < x->tangents; r++) {
            at[r + 1] = size > 0 ? n * c[r] / size : 0;
        }
    }
}
