// SPDX-License-Identifier: Apache-2.0
// small_faces.c: the active set of a small problem (cone_small.c).        [theory 7, 9]
#include <math.h>
#include <string.h>

#include "cone_faces.h"
#include "cone_small.h"

static bool slides(const cone_rows *b, const face *f)
{
    return b->kind == THUD_CONE_KIND_CONTACT && f->state == ROWS_SLIDE;
}

// |A|_F of rows first to end - 1 of a block of W~, D its corner.
THUD_INSIDE double size_of(const small *s, const cone_rows *b, const double *D, int first, int end)
{
    const cone_work *w = s->w;
    double sum = 0;
    if (end - first == 1) {
        return D[first * (w->n + 1)] + s->epsilon * w->shape[b->row + first];
    }
    for (int c = first; c < end; c++) {
        for (int r = first; r < end; r++) {
            const double x = D[r + c * w->n] + (r == c ? s->epsilon * w->shape[b->row + r] : 0);
            sum += x * x;
        }
    }
    return sqrt(sum);
}

// rho of so many rows is 1 / size.
THUD_INSIDE void set_rho(small *s, int row, int count, double size)
{
    const double *scale = s->w->scale, rho = size > 0 ? 1 / size : s->w->rho;
    double weight = 1 / (rho * scale[row]);
    for (int r = row; r < row + count; r++) {
        weight = scale[r] == scale[row] ? weight : 1 / (rho * scale[r]);
        s->rho[r] = rho;
        s->weight[r] = weight;
    }
}

// rho of the normal row is 1 / W_nn, of the others 1 / |W_tt|_F.
THUD_KERNEL void small_choose_rho(small *s)
{
    const cone_work *w = s->w;
    for (int i = 0; i < w->blocks; i++) {
        const cone_rows *b = w->block + i;
        const double *D = w->W.a + (size_t)b->row * (size_t)(w->n + 1);
        if (b->kind == THUD_CONE_KIND_CONTACT) {
            set_rho(s, b->row, 1, size_of(s, b, D, 0, 1));
            if (b->dim == 3) {
                set_rho(s, b->row + 1, 2, size_of(s, b, D, 1, 3));
            } else if (b->dim > 1) {
                set_rho(s, b->row + 1, b->dim - 1, size_of(s, b, D, 1, b->dim));
            }
        } else {
            set_rho(s, b->row, b->dim, size_of(s, b, D, 0, b->dim));
        }
    }
}

// ---------------------------------------------------------------------------------------------- faces

static const double INSIDE = 0.999; // of the cone: it sticks

// sum + F^2 of a row, F as a velocity.
THUD_INSIDE double add_square(double sum, double weight, double F)
{
    return sum + weight * F * (weight * F);
}

// The face that y says, and sum + F^2.
THUD_INSIDE double see_contact(const cone_rows *b, const double *p, const double *y, const double *weight,
                               double dust, double sum, face *f)
{
    if (!(y[0] > dust)) {
        f->state = ROWS_HELD;
        f->bound = 0;
        for (int r = 0; r < b->dim; r++) {
            sum = add_square(sum, weight[r], p[r]);
        }
        return sum;
    }
    sum = add_square(sum, weight[0], p[0] - y[0]);
    f->state = ROWS_FREE;
    if (b->dim == 3) {
        const double t = sqrt(y[1] * y[1] + y[2] * y[2]), back = t > y[0] ? y[0] / t : 1;
        sum = add_square(sum, weight[1], p[1] - y[1] * back);
        sum = add_square(sum, weight[2], p[2] - y[2] * back);
        if (back < 1) {
            const double r = sqrt(p[1] * p[1] + p[2] * p[2]);
            f->state = ROWS_SLIDE;
            f->there = p[0] > 0 && fabs(r - p[0]) <= SMALL_THERE * r;
            f->d[0] = f->there ? p[1] / r : y[1] / t;
            f->d[1] = f->there ? p[2] / r : y[2] / t;
        }
    } else if (b->dim > 1) {
        sum = small_see_wide(b, p, y, weight, sum, f);
    }
    return sum;
}

static double see_joint(const cone_rows *b, const double *p, const double *y, const double *weight,
                        double dust, double sum, face *f)
{
    if (b->kind == THUD_CONE_KIND_BOX && !(y[0] > b->lo + dust && y[0] < b->hi - dust)) {
        f->state = ROWS_HELD;
        f->bound = y[0] <= b->lo + dust ? b->lo : b->hi;
        return add_square(sum, weight[0], p[0] - f->bound);
    }
    f->state = ROWS_FREE;
    for (int r = 0; r < b->dim; r++) {
        sum = add_square(sum, weight[r], p[r] - y[r]);
    }
    return sum;
}

// The active set at (p, u); returns |F| as a velocity over |b|.
THUD_KERNEL double small_see(small *s, const double *p)
{
    const cone_work *w = s->w;
    const double dust = SMALL_DUST * cone_find_y(w->n, p, s->rho, s->u, s->y);
    double sum = 0;
    for (int i = 0; i < w->blocks; i++) {
        const cone_rows *b = w->block + i;
        const double *at = p + b->row, *y = s->y + b->row, *weight = s->weight + b->row;
        sum = b->kind == THUD_CONE_KIND_CONTACT ? see_contact(b, at, y, weight, dust, sum, s->face + i)
                                                : see_joint(b, at, y, weight, dust, sum, s->face + i);
    }
    return sqrt(sum) / w->norm_b;
}

// A contact that slides fast, so that its own friction hardly changes its direction, gets friction opposite to its velocity: nearer
// to the answer than the friction of the step before. true: p has turned.
bool small_turn(const small *s, double *p)
{
    static const double FAST = 10, LITTLE = 1e-7; // times what its friction does to its speed; rad
    bool turned = false;
    for (int i = 0; i < s->w->blocks; i++) {
        const cone_rows *b = s->w->block + i;
        const double *u = s->u + b->row;
        double *at = p + b->row;
        if (b->kind != THUD_CONE_KIND_CONTACT || b->dim == 1 || !(at[0] > 0)) {
            continue;
        }
        if (b->dim != 3) {
            turned |= small_rub_wide(b, u, INSIDE, FAST / s->rho[b->row + 1], LITTLE, at);
            continue;
        }
        const double size = sqrt(u[1] * u[1] + u[2] * u[2]), t2 = at[1] * at[1] + at[2] * at[2];
        if (t2 >= INSIDE * INSIDE * at[0] * at[0] && size * s->rho[b->row + 1] > FAST * at[0]) {
            const double by = -at[0] / size, t[2] = {by * u[1], by * u[2]};
            turned |= fabs(t[0] - at[1]) + fabs(t[1] - at[2]) > LITTLE * at[0];
            at[1] = t[0];
            at[2] = t[1];
        }
    }
    return turned;
}

// Of an impulse across the normal.
static inline double across(const cone_rows *b, const double *p)
{
    return b->dim == 3 ? sqrt(p[1] * p[1] + p[2] * p[2]) : b->dim > 1 ? thud_norm2(b->dim - 1, p + 1) : 0;
}

// That of friction of the size t.
static inline void set_direction(const cone_rows *b, const double *p, double t, face *f)
{
    f->d[0] = p[1] / t;
    f->d[1] = b->dim > 2 ? p[2] / t : 0;
    for (int r = 3; r < b->dim; r++) { // few have so many
        f->d[r - 1] = p[r] / t;
    }
    f->there = fabs(t - p[0]) <= SMALL_THERE * t;
}

static const double HARD = 0.01; // of the hardest

// The same of a row between bounds: it stays at a bound that it was at (dry friction of a joint that moves) unless pulled away hard,
// and between bounds otherwise.
THUD_INSIDE void recall_box(const cone_rows *b, double p, double y, face *f)
{
    const double hard = HARD * (b->hi - b->lo);
    if (p > b->lo && p < b->hi) {
        f->state = p != 0 ? ROWS_FREE : f->state;
    } else if (p <= b->lo ? y < b->lo + hard : y > b->hi - hard) {
        f->state = ROWS_HELD;
        f->bound = p <= b->lo ? b->lo : b->hi;
    }
}

// The first active set is that of the last step's impulses. They are a better guess than u, which a small motion of the bodies changes.
// A block that y presses hard is active in any case.
void small_recall(small *s, const double *p)
{
    double largest = 0;
    for (int i = 0; i < s->w->blocks; i++) {
        const double y = s->y[s->w->block[i].row];
        largest = s->w->block[i].kind == THUD_CONE_KIND_CONTACT && y > largest ? y : largest;
    }
    for (int i = 0; i < s->w->blocks; i++) {
        const cone_rows *b = s->w->block + i;
        const double *at = p + b->row;
        if (b->kind == THUD_CONE_KIND_BOX && !isinf(b->hi - b->lo)) {
            recall_box(b, at[0], s->y[b->row], s->face + i);
        }
        if (b->kind != THUD_CONE_KIND_CONTACT) {
            continue;
        }
        if (at[0] > 0) {
            const double t = across(b, at);
            s->face[i].state = t < INSIDE * at[0] ? ROWS_FREE : ROWS_SLIDE;
            if (s->face[i].state == ROWS_SLIDE) {
                set_direction(b, at, t, s->face + i);
            }
            s->y[b->row] = at[0];
        } else if (s->y[b->row] < HARD * largest) {
            s->face[i] = (face){.state = ROWS_HELD};
        }
    }
}

// Rows whose impulses are unknowns themselves: they extend the last stretch or begin another.
static void lengthen(small *s, int row, int at, int count)
{
    stretch *last = s->stretch + s->stretches - 1;
    if (s->stretches > 0 && last->row + last->count == row) {
        last->count += count;
    } else {
        s->stretch[s->stretches++] = (stretch){row, at, count};
    }
}

// Numbers the unknowns. true: every block is on the face that the factors are of.
bool small_number(small *s)
{
    THUD_ASSERT(s->w->n <= MOST_ROWS);
    bool same = s->size >= 0; // there are factors
    int size = 0;
    s->stretches = s->slides = s->wides = 0;
    for (int i = 0; i < s->w->blocks; i++) {
        const cone_rows *b = s->w->block + i;
        face *f = s->face + i;
        f->at = size;
        same = same && f->state == s->factored[i].state;
        if (f->state == ROWS_SLIDE && b->dim != 3) {
            wide *x = s->wide + s->wides++;
            x->row = b->row;
            x->at = size;
            x->tangents = b->dim - 1;
            small_turn_wide(f, x);
            size += b->dim - 1;
        } else if (f->state == ROWS_SLIDE) {
            slide *x = s->slide + s->slides++; // its lambda stays
            x->row = b->row;
            x->at = size;
            x->d0 = f->d[0];
            x->d1 = f->d[1];
            size += 2;
        } else if (f->state == ROWS_FREE) {
            lengthen(s, b->row, size, b->dim);
            size += b->dim;
        }
    }
    same = same && size == s->size;
    s->size = size;
    return same;
}

// Back to the faces that the factors were made for, with directions from p.
void small_stay(small *s, const double *p)
{
    THUD_ASSERT(s->size >= 0);
    for (int i = 0; i < s->w->blocks; i++) {
        const cone_rows *b = s->w->block + i;
        face *f = s->face + i;
        *f = s->factored[i];
        const double *at = p + b->row, t = f->state == ROWS_SLIDE ? across(b, at) : 0;
        if (t > 0) {
            set_direction(b, at, t, f);
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
            const double n = s->y[b->row];
            moved |= at[0] != n;
            at[0] = n;
            for (int r = 1; r < b->dim; r++) {
                moved |= at[r] != n * f->d[r - 1];
                at[r] = n * f->d[r - 1];
            }
        }
    }
    return moved;
}
