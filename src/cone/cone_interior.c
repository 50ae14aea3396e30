// SPDX-License-Identifier: Apache-2.0
// cone_interior.c: an interior path into the neighbourhood of a solution that Newton does not reach. [theory
// 7]
//
//     z = W~ p + b^ + |z_t| e_n,   W~ = W^ + epsilon shape,   p and z in K,   p . z = 0
//
// is the compliant problem with de Saxce's correction written out (u_t = z_t). Its central path p . z = mu is
// followed to mu = 0 by Newton steps in the scaling of Nesterov and Todd, the matrix H with H p = z, on the
// pattern of W^. Slips of any size are alike to it, while Alart and Curnier's equations converge only within
// about the slip itself; so it finds who sticks and where to the others slide, and Newton the last digits.
//
// Symbols  det x = x_n^2 - |x_t|^2 · J = diag(1, -1 ..) · d = z_t / |z_t|
//          H = eta (2 w w^T - J), eta^2 = det z / det p, w = (z' + J p') / (2 gamma), ' of determinant 1
//          (W~ + (I - e_n d^T) H) dp = (1 - sigma) r + (I - e_n d^T)(sigma mu p^-1 - z),  p^-1 = J p / det p
// Differs  from Acary, Armand, Nguyen and Shpakovych 2023 by compliance and boxes, and by ending early.
// Cost     one LU factor and two solves a step, 20 to 40 steps.
// Fails    false where the path folds before mu is small (strong friction in tight corners), or a box has no
//          inside. The problem is not convex, so a path may fold; others, of unequal weights, go round.
#include <math.h>
#include <string.h>

#include <thud/elementary.h>

#include "cone_newton.h"

enum { STEPS = 60, D = THUD_CONE_DIM_MAX };

typedef struct interior {
    cone_work *w;
    cone_factor *factor; // the tangent's: its order serves any matrix of this pattern
    double epsilon;
    const double *centre; // n, or NULL: as in cone_newton.h
    double *p, *z, *y;    // n: impulses; their duals (above the lower bound of a box), below the upper bound
    double *H;            // blocks x D x D
    double *d;            // n: in the normal row nothing, in the others ds / dz_t
    double *u, *r;        // n: W~ p + b^; what z lacks
    double *dp, *dz, *dy; // n
    double mu;
    int path;
} interior;

static double determinant(int dim, const double *x)
{
    double t = 0;
    for (int r = 1; r < dim; r++) {
        t += x[r] * x[r];
    }
    return (x[0] - sqrt(t)) * (x[0] + sqrt(t));
}

// Which of many central paths: p . z = mu weight, block by block. Where one folds, another may not.
static double weight(const interior *s, int i)
{
    const double turn = 0.6180339887498949 * (i + 1) * s->path; // as even as numbers in [0, 1) can be
    return s->path == 0 ? 1 : thud_pow(10, 2 * (turn - floor(turn)) - 1);
}

static bool bounded_below(const cone_rows *b)
{
    return b->kind == THUD_CONE_KIND_BOX && isfinite(b->lo);
}

static bool bounded_above(const cone_rows *b)
{
    return b->kind == THUD_CONE_KIND_BOX && isfinite(b->hi);
}

// Well inside the cones, ten times the problem's own scale.
static bool start(interior *s)
{
    const cone_work *w = s->w;
    const double u = 10 * w->norm_b / sqrt(w->n), p = u / w->mean;
    for (int i = 0; i < w->blocks; i++) {
        const cone_rows *b = w->block + i;
        for (int r = b->row; r < b->row + b->dim; r++) {
            const bool normal = b->kind == THUD_CONE_KIND_CONTACT && r == b->row;
            s->p[r] = normal ? p : 0;
            s->z[r] = normal || bounded_below(b) ? u : 0;
            s->y[r] = bounded_above(b) ? u : 0;
        }
        if (b->kind == THUD_CONE_KIND_BOX) {
            const bool lo = isfinite(b->lo), hi = isfinite(b->hi);
            s->p[b->row] = lo && hi ? 0.5 * (b->lo + b->hi) : lo ? b->lo + p : hi ? b->hi - p : 0;
            if (lo && hi && !(b->lo < b->hi)) {
                return false;
            }
        }
    }
    return true;
}

static void scale_contact(int dim, const double *p, const double *z, double *H)
{
    const double dp = sqrt(determinant(dim, p)), dz = sqrt(determinant(dim, z)), eta = dz / dp;
    double w[D], dot = 0;
    for (int r = 0; r < dim; r++) {
        dot += p[r] / dp * (z[r] / dz);
    }
    const double gamma = sqrt(0.5 * (1 + dot));
    for (int r = 0; r < dim; r++) {
        w[r] = (z[r] / dz + (r == 0 ? p[r] : -p[r]) / dp) / (2 * gamma);
    }
    for (int c = 0; c < dim; c++) {
        for (int r = 0; r < dim; r++) {
            H[r + c * D] = eta * (2 * w[r] * w[c] - (r != c ? 0 : r == 0 ? 1 : -1));
        }
    }
}

// H of every block, u, r and mu at the present point.
static void linearise(interior *s)
{
    const cone_work *w = s->w;
    double sum = 0;
    int count = 0;
    cone_work_multiply(w, s->p, s->u);
    for (int i = 0; i < w->blocks; i++) {
        const cone_rows *b = w->block + i;
        double *H = s->H + (size_t)i * D * D, slip = 0;
        const int row = b->row;
        if (b->kind == THUD_CONE_KIND_CONTACT) {
            scale_contact(b->dim, s->p + row, s->z + row, H);
            for (int r = row; r < row + b->dim; r++) {
                slip += r > row ? s->z[r] * s->z[r] : 0;
                sum += s->p[r] * s->z[r];
            }
            count++;
        } else {
            memset(H, 0, sizeof *H * D * D);
        }
        if (bounded_below(b)) {
            H[0] += s->z[row] / (s->p[row] - b->lo);
            sum += s->z[row] * (s->p[row] - b->lo);
            count++;
        }
        if (bounded_above(b)) {
            H[0] += s->y[row] / (b->hi - s->p[row]);
            sum += s->y[row] * (b->hi - s->p[row]);
            count++;
        }
        slip = sqrt(slip);
        for (int r = row; r < row + b->dim; r++) {
            s->d[r] = slip > 0 && r > row ? s->z[r] / slip : 0;
            s->u[r] += s->epsilon * w->shape[r] * (s->p[r] - (s->centre ? s->centre[r] : 0));
            s->r[r] = s->z[r] - s->y[r] - s->u[r] - (r == row ? slip : 0);
        }
    }
    s->mu = count > 0 ? sum / count : 0;
}

static void put(interior *s, const cone_entry *e)
{
    const cone_work *w = s->w;
    const cone_rows *bi = w->block + e->i, *bj = w->block + e->j;
    const double *W = (w->W.a ? w->W.a : w->sparse.value) + e->from, *H = s->H + (size_t)e->i * D * D;
    double *to = s->factor->value + e->to;
    for (int c = 0; c < bj->dim; c++) {
        for (int r = 0; r < bi->dim; r++) {
            to[r * e->down + c * e->pace] =
                W[r + (size_t)c * (size_t)e->stride] + (e->i == e->j ? H[r + c * D] : 0);
            to[c * e->pace] -= e->i == e->j ? s->d[bi->row + r] * H[r + c * D] : 0;
        }
    }
    for (int r = 0; r < bi->dim && e->i == e->j; r++) {
        to[r * (e->down + e->pace)] += s->epsilon * w->shape[bi->row + r];
    }
}

static bool factor(interior *s)
{
    cone_factor *f = s->factor;
    memset(f->value, 0, sizeof *f->value * f->values);
    for (int k = 0; k < f->entries; k++) {
        put(s, f->entry + k);
    }
    s->w->factorizations++;
    return cone_factor_lu(f);
}

// The step to the point of the path with p . z = mu, from the linearised equations.
static void direction(interior *s, double sigma)
{
    const cone_work *w = s->w;
    for (int i = 0; i < w->blocks; i++) { // dz = target - H dp
        const cone_rows *b = w->block + i;
        const double *p = s->p + b->row, *z = s->z + b->row, *y = s->y + b->row;
        double *dz = s->dz + b->row, *dy = s->dy + b->row;
        const double det = b->kind == THUD_CONE_KIND_CONTACT ? determinant(b->dim, p) : 1;
        const double mu = sigma * s->mu * weight(s, i);
        for (int r = 0; r < b->dim; r++) {
            dz[r] = b->kind == THUD_CONE_KIND_CONTACT ? (r == 0 ? mu : -mu) * p[r] / det - z[r]
                    : bounded_below(b)                ? mu / (p[0] - b->lo) - z[0]
                                                      : 0;
            dy[r] = bounded_above(b) ? mu / (b->hi - p[0]) - y[0] : 0;
            s->dp[b->row + r] = (1 - sigma) * s->r[b->row + r] + dz[r] - dy[r];
            s->dp[b->row] -= s->d[b->row + r] * dz[r];
        }
    }
    cone_factor_lu_solve(s->factor, s->dp);
    for (int i = 0; i < w->blocks; i++) {
        const cone_rows *b = w->block + i;
        const double *dp = s->dp + b->row, *H = s->H + (size_t)i * D * D;
        for (int c = 0; c < b->dim && b->kind == THUD_CONE_KIND_CONTACT; c++) {
            for (int r = 0; r < b->dim; r++) {
                s->dz[b->row + r] -= H[r + c * D] * dp[c];
            }
        }
        s->dz[b->row] -= bounded_below(b) ? s->z[b->row] / (s->p[b->row] - b->lo) * dp[0] : 0;
        s->dy[b->row] += bounded_above(b) ? s->y[b->row] / (b->hi - s->p[b->row]) * dp[0] : 0;
    }
}

// The largest t <= 1 with x + t d in the cone.
static double cone_room(int dim, const double *x, const double *d)
{
    double a = d[0] * d[0], b = x[0] * d[0];
    for (int r = 1; r < dim; r++) {
        a -= d[r] * d[r];
        b -= x[r] * d[r];
    }
    const double c = determinant(dim, x), root = b * b - a * c; // a t^2 + 2 b t + c = 0
    double t = d[0] < 0 ? -x[0] / d[0] : 1;
    if (root >= 0) { // both roots without cancellation
        const double q = -(b + (b < 0 ? -sqrt(root) : sqrt(root)));
        const double t1 = q / a, t2 = c / q;
        t = t1 > 0 ? thud_min(t, t1) : t;
        t = t2 > 0 ? thud_min(t, t2) : t;
    }
    return thud_min(t, 1);
}

static double line_room(double x, double d)
{
    return d < 0 ? thud_min(1, -x / d) : 1;
}

static double room(const interior *s)
{
    const cone_work *w = s->w;
    double t = 1;
    for (int i = 0; i < w->blocks; i++) {
        const cone_rows *b = w->block + i;
        const int k = b->row;
        if (b->kind == THUD_CONE_KIND_CONTACT) {
            t = thud_min(t, cone_room(b->dim, s->p + k, s->dp + k));
            t = thud_min(t, cone_room(b->dim, s->z + k, s->dz + k));
        }
        if (bounded_below(b)) {
            t = thud_min(t, thud_min(line_room(s->p[k] - b->lo, s->dp[k]), line_room(s->z[k], s->dz[k])));
        }
        if (bounded_above(b)) {
            t = thud_min(t, thud_min(line_room(b->hi - s->p[k], -s->dp[k]), line_room(s->y[k], s->dy[k])));
        }
    }
    return t;
}

static void move(interior *s, double length)
{
    THUD_ASSERT(-1 <= length && length <= 1); // negative: part of the last step is taken back
    for (int i = 0; i < s->w->n; i++) {
        s->p[i] += length * s->dp[i];
        s->z[i] += length * s->dz[i];
        s->y[i] += length * s->dy[i];
    }
}

// How far from the path: the least p . z of a block, its lower eigenvalue for a contact, over the mean.
static double centrality(const interior *s)
{
    const cone_work *w = s->w;
    double sum = 0, least = INFINITY;
    int count = 0;
    for (int i = 0; i < w->blocks; i++) {
        const cone_rows *b = w->block + i;
        const double *p = s->p + b->row, *z = s->z + b->row;
        if (b->kind == THUD_CONE_KIND_CONTACT) {
            const double inside = thud_max(determinant(b->dim, p), 0) * thud_max(determinant(b->dim, z), 0);
            sum += thud_dot(b->dim, p, z);
            least = thud_min(least, sqrt(inside) / weight(s, i));
            count++;
        }
        if (bounded_below(b)) {
            sum += z[0] * (p[0] - b->lo);
            least = thud_min(least, z[0] * (p[0] - b->lo) / weight(s, i));
            count++;
        }
        if (bounded_above(b)) {
            sum += s->y[b->row] * (b->hi - p[0]);
            least = thud_min(least, s->y[b->row] * (b->hi - p[0]) / weight(s, i));
            count++;
        }
    }
    return count > 0 ? least / (sum / count) : 1;
}

// Towards mu = 0 first; how far that goes says how much to aim at the centre instead. The step is cut back
// until the point is not too far from the path, or later steps would jam at the boundary.
static double step(interior *s)
{
    static const double WIDE = 1e-2;
    direction(s, 0);
    const double far = room(s), aim = (1 - far) * (1 - far) * (1 - far);
    direction(s, thud_min(thud_max(aim, 0.1), 0.8));
    double length = 0.9 * room(s);
    move(s, length);
    for (int k = 0; k < 20 && centrality(s) < WIDE; k++) {
        move(s, -0.3 * length);
        length *= 0.7;
    }
    return length;
}

static bool begin(cone_tangent *t, double epsilon, const double *centre, int path, interior *s)
{
    cone_work *w = t->w;
    *s = (interior){
        .w = w, .factor = &t->factor, .epsilon = epsilon * w->mean, .centre = centre, .path = path};
    double **vector[] = {&s->p, &s->z, &s->y, &s->u, &s->r, &s->dp, &s->dz, &s->dy, &s->d};
    bool all = true;
    for (size_t k = 0; k < sizeof vector / sizeof *vector; k++) {
        all = (*vector[k] = thud_arena_push(w->arena, (size_t)w->n, sizeof(double))) && all;
    }
    s->H = thud_arena_push(w->arena, (size_t)w->blocks * D * D, sizeof *s->H);
    t->factored = FACTORED_NOT; // what was there is written over
    return s->H && all && start(s);
}

bool cone_interior(cone_tangent *t, double *p, double epsilon, const double *centre, int path)
{
    THUD_ASSERT(epsilon > 0 && path >= 0);
    cone_work *w = t->w;
    const size_t mark = thud_arena_mark(w->arena);
    interior s;
    bool near = false, inside = begin(t, epsilon, centre, path, &s);
    double first = 0;
    for (int k = 0; k < STEPS && inside && !near && cone_spend(w, cone_factor_work(w)); k++) {
        linearise(&s);
        first = k == 0 ? s.mu : first;
        near = first > 0 && s.mu <= 1e-16 * first;
        w->iterations++;
        inside = s.mu < INFINITY && factor(&s) && step(&s) > 1e-8;
    }
    near = near || (first > 0 && s.mu <= 1e-5 * first);
    for (int i = 0; i < w->n && near; i++) {
        near = isfinite(s.p[i]);
    }
    if (near) {
        memcpy(p, s.p, sizeof *p * (size_t)w->n);
    }
    thud_arena_release(w->arena, mark);
    return near;
}
