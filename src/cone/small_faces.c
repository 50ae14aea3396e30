// SPDX-License-Identifier: Apache-2.0
// small_faces.c: which faces of their cones few contacts are on, and a step of Newton's method there: what cone_small.c
// is made of, and says.                                                                                     [theory 7, 9]
#include <math.h>
#include <string.h>

#include "cone_small.h"

static bool slides(const cone_rows *b, const face *f)
{
    return b->kind == THUD_CONE_KIND_CONTACT && f->state == ROWS_SLIDE;
}

// rho of the normal row is 1 / W_nn, of the others 1 / |W_tt|_F.
void small_choose_rho(small *s)
{
    const cone_work *w = s->w;
    for (int i = 0; i < w->blocks; i++) {
        const cone_rows *b = w->block + i;
        const double *D = w->W.a + (size_t)b->row * (size_t)(w->n + 1);
        const int first = b->kind == THUD_CONE_KIND_CONTACT;
        double sum = 0;
        for (int c = first; c < b->dim; c++) {
            for (int r = first; r < b->dim; r++) {
                const double x = D[r + c * w->n] + (r == c ? s->epsilon * w->shape[b->row + r] : 0);
                sum += x * x;
            }
        }
        const double rest = sqrt(sum);
        for (int r = 0; r < b->dim; r++) {
            const int k = b->row + r;
            const double size = r < first ? D[0] + s->epsilon * w->shape[k] : rest;
            s->rho[k] = size > 0 ? 1 / size : w->rho;
            s->weight[k] = 1 / (s->rho[k] * w->scale[k]);
        }
    }
}

void small_velocity(small *s, const double *p)
{
    const cone_work *w = s->w;
    cone_work_multiply(w, p, s->u);
    for (int i = 0; i < w->n && s->centre != p; i++) {
        s->u[i] += s->epsilon * w->shape[i] * (p[i] - (s->centre ? s->centre[i] : 0));
    }
}

// ---------------------------------------------------------------------------------------------- faces

static const double THERE = 1e-14; // of an impulse: on the cone but for rounding

static void see_contact(const cone_rows *b, const double *p, const double *y, double dust, double *F, face *f)
{
    if (!(y[0] > dust)) {
        *f = (face){.state = ROWS_HELD};
        memcpy(F, p, sizeof *F * (size_t)b->dim);
        return;
    }
    F[0] = p[0] - y[0];
    f->state = ROWS_FREE;
    if (b->dim == 3) {
        const double t = sqrt(y[1] * y[1] + y[2] * y[2]), back = t > y[0] ? y[0] / t : 1;
        F[1] = p[1] - y[1] * back;
        F[2] = p[2] - y[2] * back;
        if (back < 1) {
            const double r = sqrt(p[1] * p[1] + p[2] * p[2]);
            const bool there = p[0] > 0 && fabs(r - p[0]) <= THERE * r;
            *f = there ? (face){.state = ROWS_SLIDE, .d = {p[1] / r, p[2] / r}, .there = true}
                       : (face){.state = ROWS_SLIDE, .d = {y[1] / t, y[2] / t}};
        }
    }
}

static void see_joint(const cone_rows *b, const double *p, const double *y, double dust, double *F, face *f)
{
    f->state = ROWS_FREE;
    for (int r = 0; r < b->dim; r++) {
        F[r] = p[r] - y[r];
    }
    if (b->kind == THUD_CONE_KIND_BOX && !(y[0] > b->lo + dust && y[0] < b->hi - dust)) {
        *f = (face){.state = ROWS_HELD, .bound = y[0] <= b->lo + dust ? b->lo : b->hi};
        F[0] = p[0] - f->bound;
    }
}

// Where everything is at (p, u), and |F| as a velocity over |b|.
double small_see(small *s, const double *p)
{
    static const double DUST = 1e-13; // of the largest impulse: pressed by rounding only
    const cone_work *w = s->w;
    double largest = 0, sum = 0;
    for (int i = 0; i < w->n; i++) {
        s->y[i] = p[i] - s->rho[i] * s->u[i];
        largest = fabs(s->y[i]) > largest ? fabs(s->y[i]) : largest;
    }
    for (int i = 0; i < w->blocks; i++) {
        const cone_rows *b = w->block + i;
        if (b->kind == THUD_CONE_KIND_CONTACT) {
            see_contact(b, p + b->row, s->y + b->row, DUST * largest, s->F + b->row, s->face + i);
        } else {
            see_joint(b, p + b->row, s->y + b->row, DUST * largest, s->F + b->row, s->face + i);
        }
    }
    for (int i = 0; i < w->n; i++) {
        const double F = s->weight[i] * s->F[i];
        sum += F * F;
    }
    return sqrt(sum) / w->norm_b;
}

// The first faces are the last impulses': they say more surely than u, which a little motion of the bodies upsets, who
// sticks, slides and carries nothing. What is pressed hard is pressed whatever they say.
void small_recall(small *s, const double *p)
{
    static const double INSIDE = 0.999, HARD = 0.01; // of the hardest
    double largest = 0;
    for (int i = 0; i < s->w->blocks; i++) {
        const double y = s->y[s->w->block[i].row];
        largest = s->w->block[i].kind == THUD_CONE_KIND_CONTACT && y > largest ? y : largest;
    }
    for (int i = 0; i < s->w->blocks; i++) {
        const cone_rows *b = s->w->block + i;
        const double *at = p + b->row;
        if (b->kind != THUD_CONE_KIND_CONTACT) {
            continue;
        }
        if (at[0] > 0) {
            const double t = b->dim == 3 ? sqrt(at[1] * at[1] + at[2] * at[2]) : 0;
            s->face[i] = t < INSIDE * at[0] ? (face){.state = ROWS_FREE}
                                            : (face){.state = ROWS_SLIDE,
                                                     .d = {at[1] / t, at[2] / t},
                                                     .there = fabs(t - at[0]) <= THERE * t};
            s->y[b->row] = at[0];
        } else if (s->y[b->row] < HARD * largest) {
            s->face[i] = (face){.state = ROWS_HELD};
        }
    }
}

// Rows of a block that are unknown one by one: more of the last stretch, or another.
static void lengthen(small *s, int row, int at, int count)
{
    stretch *last = s->stretch + s->stretches - 1;
    if (s->stretches > 0 && last->row + last->count == row && last->at + last->count == at) {
        last->count += count;
    } else {
        s->stretch[s->stretches++] = (stretch){row, at, count};
    }
}

// Numbers the unknowns. true: every block is on the face that the factors are of.
bool small_number(small *s)
{
    bool same = true;
    int size = 0;
    s->stretches = s->slidings = 0;
    for (int i = 0; i < s->w->blocks; i++) {
        face *f = s->face + i;
        f->at = size;
        f->unknowns = f->state == ROWS_HELD ? 0 : f->state == ROWS_SLIDE ? 2 : s->w->block[i].dim;
        size += f->unknowns;
        same = same && f->state == s->factored[i].state;
        if (f->state == ROWS_SLIDE) {
            s->sliding[s->slidings++] = i;
        } else if (f->state == ROWS_FREE) {
            lengthen(s, s->w->block[i].row, f->at, f->unknowns);
        }
    }
    same = same && size == s->J.rows;
    s->J.rows = s->J.cols = s->J.stride = size;
    return same;
}

// Back to the faces of the factors, as p is on them now.
void small_stay(small *s, const double *p)
{
    for (int i = 0; i < s->w->blocks; i++) {
        const cone_rows *b = s->w->block + i;
        face *f = s->face + i;
        *f = s->factored[i];
        const double *at = p + b->row, t = f->state == ROWS_SLIDE ? sqrt(at[1] * at[1] + at[2] * at[2]) : 0;
        if (t > 0) {
            f->d[0] = at[1] / t;
            f->d[1] = at[2] / t;
            f->there = fabs(t - at[0]) <= THERE * t;
        }
        if (f->state == ROWS_SLIDE) {
            s->y[b->row] = at[0];
        }
    }
    small_number(s);
}

// Moves p onto its faces. true: it was not there.
bool small_put_on_faces(const small *s, double *p)
{
    bool moved = false;
    for (int i = 0; i < s->w->blocks; i++) {
        const cone_rows *b = s->w->block + i;
        const face *f = s->face + i;
        double *at = p + b->row;
        if (f->state == ROWS_HELD) {
            for (int r = 0; r < b->dim; r++) {
                moved |= at[r] != f->bound;
                at[r] = f->bound;
            }
        } else if (slides(b, f) && !f->there) {
            const double n = s->y[b->row], t1 = n * f->d[0], t2 = n * f->d[1];
            moved |= at[0] != n || at[1] != t1 || at[2] != t2;
            at[0] = n;
            at[1] = t1;
            at[2] = t2;
        }
    }
    return moved;
}

// ---------------------------------------------------------------------------------------------- the linear system

// to <- L^T from, for all blocks.
static void project(const small *s, const double *from, double *to)
{
    for (int i = 0; i < s->stretches; i++) {
        const stretch *x = s->stretch + i;
        memcpy(to + x->at, from + x->row, sizeof *to * (size_t)x->count);
    }
    for (int i = 0; i < s->slidings; i++) {
        const face *f = s->face + s->sliding[i];
        const double *at = from + s->w->block[s->sliding[i]].row;
        to[f->at] = at[0];
        to[f->at + 1] = f->d[0] * at[2] - f->d[1] * at[1];
    }
}

// Three columns of W times (1, d) and (0, e).
THUD_KERNEL static void combine(int n, const double *W, double d0, double d1, double *restrict along,
                                double *restrict around)
{
    const double *restrict a = W, *restrict b = a + n, *restrict c = b + n;
    for (int i = 0; i < n; i++) {
        along[i] = a[i] + b[i] * d0 + c[i] * d1;
        around[i] = c[i] * d0 - b[i] * d1;
    }
}

// The columns of L^T W~ T for a block.
static void put_sliding(small *s, const cone_rows *b, const face *f)
{
    const double *d = f->d, *shape = s->w->shape + b->row;
    double *along = s->column[0], *around = s->column[1], *J = s->J.a + (size_t)f->at * (size_t)s->J.stride;
    combine(s->w->n, s->w->W.a + (size_t)b->row * (size_t)s->w->n, d[0], d[1], along, around);
    along[b->row] += s->epsilon * shape[0];
    along[b->row + 1] += s->epsilon * shape[1] * d[0];
    along[b->row + 2] += s->epsilon * shape[2] * d[1];
    around[b->row + 1] -= s->epsilon * shape[1] * d[1];
    around[b->row + 2] += s->epsilon * shape[2] * d[0];
    project(s, along, J);
    project(s, around, J + s->J.stride);
}

static void put_free(small *s, const cone_rows *b, const face *f)
{
    for (int k = 0; k < f->unknowns; k++) {
        double *J = s->J.a + (size_t)(f->at + k) * (size_t)s->J.stride;
        project(s, s->w->W.a + (size_t)(b->row + k) * (size_t)s->w->n, J);
        J[f->at + k] += s->epsilon * s->w->shape[b->row + k];
    }
}

bool small_factor(small *s)
{
    s->symmetric = true;
    for (int j = 0; j < s->w->blocks; j++) {
        const face *f = s->face + j;
        if (f->state != ROWS_SLIDE) {
            put_free(s, s->w->block + j, f);
        } else {
            put_sliding(s, s->w->block + j, f);
            const double *u = s->u + s->w->block[j].row, *y = s->y + s->w->block[j].row;
            const double lambda = -(f->d[0] * u[1] + f->d[1] * u[2]) / y[0];
            s->J.a[(size_t)(f->at + 1) * (size_t)(s->J.stride + 1)] += lambda > 0 ? lambda : 0;
        }
        s->factored[j] = *f;
        s->symmetric = s->symmetric && f->state != ROWS_SLIDE;
    }
    s->w->factorizations++;
    return (s->symmetric ? thud_chol_factor(s->J) : thud_lu_factor(s->J, s->pivot)) < 0;
}

// Would the factors that are there do in as many steps as cost less than new ones? With them |F| falls by about as much as
// friction has turned since they were made.
bool small_serve(const small *s, double merit, double enough)
{
    enum { FEW = 12, MANY = 24 }; // unknowns
    double most = 0;
    for (int i = 0; i < s->w->blocks; i++) {
        const face *f = s->face + i, *was = s->factored + i;
        const double d = f->state == ROWS_SLIDE ? fabs(f->d[0] - was->d[0]) + fabs(f->d[1] - was->d[1]) : 0;
        most = d > most ? d : most;
    }
    const double later = s->J.rows > MANY ? most * most : s->J.rows > FEW ? most : 1;
    return merit * most * later <= enough;
}

bool small_solve(small *s)
{
    project(s, s->u, s->x);
    for (int i = 0; i < s->J.rows; i++) {
        s->x[i] = -s->x[i];
    }
    if (s->symmetric) {
        thud_chol_solve(s->J, s->x);
    } else {
        thud_lu_solve(s->J, s->pivot, s->x);
    }
    return thud_all_finite(s->J.rows, s->x);
}

void small_advance(const small *s, double length, double *p)
{
    for (int i = 0; i < s->w->blocks; i++) {
        const cone_rows *b = s->w->block + i;
        const face *f = s->face + i;
        double *at = p + b->row;
        const double *x = s->x + f->at;
        if (f->state == ROWS_SLIDE) {
            const double along = length * x[0], around = length * x[1];
            const double t1 = at[1] + along * f->d[0] - around * f->d[1],
                         t2 = at[2] + along * f->d[1] + around * f->d[0];
            const double size = sqrt(t1 * t1 + t2 * t2);
            at[0] += along;
            at[1] = size > 0 ? at[0] * t1 / size : 0;
            at[2] = size > 0 ? at[0] * t2 / size : 0;
        } else {
            for (int r = 0; r < f->unknowns; r++) {
                at[r] += length * x[r];
            }
        }
    }
}

// p moves along its faces to where g is 0. false: by no finite number.
bool small_move(small *s, double *p)
{
    if (!small_solve(s)) {
        return false;
    }
    small_advance(s, 1, p);
    return true;
}
