// SPDX-License-Identifier: Apache-2.0
// cone_small.c: Newton on the faces of the cones, for few contacts and a good guess: the ladder's first rung. [theory 7, 9]
//
// Which contacts stick, slide and part is read off Alart and Curnier's y = p - rho u, as in cone_newton.c; what is
// unknown then is only how far the impulses move on the faces that says:
//   part    p = 0                         nothing
//   stick   u = 0                         dp
//   slide   u_n = 0, u_t against p_t      a and c, dp = a (1, d) + c (0, e): along the cone and around it; p_t = p_n d, e across d
// Symbols  u = W^ p + b^ + epsilon shape (p - centre) · g what of u should be 0: u, or u_n and e . u_t
//          T the directions of dp, L those of g: (L^T W~ T + diag(0, lambda)) x = -g, lambda = |u_t| / p_n
// Two unknowns instead of three for what slides make a factor three times cheaper; no search and no order to find make
// the rest so. The answer is the ladder's: that of equal compliance, by a centre of 0 first, then by one proximal point
// with the factors that are there, which takes the compliance's own error out. From a bad guess the way leads over larger
// compliances.
// Differs  from cone_newton.c: no line search. A step must halve |F| or change a contact's state.
// Cost     two or three factors of 2 or 3 unknowns a contact; about twenty from a bad guess.
// Fails    false, p untouched: for torsional and rolling friction, and where the ladder is needed anyway.
#include <math.h>
#include <string.h>

#include "cone_newton.h"

enum { MOST_ROWS = 80, MOST_STEPS = 8 };

typedef struct face { // of a block
    row_state state;
    int at, unknowns; // in the linear system
    double d[2];      // SLIDE: the direction of its friction
    bool there;       // SLIDE: so is p already
    double bound;     // HELD: its impulse
} face;

typedef struct stretch { // of rows that are unknown one by one
    int row, at, count;
} stretch;

typedef struct small {
    cone_work *w;
    double epsilon;
    const double *centre; // NULL: 0
    double rho[MOST_ROWS], weight[MOST_ROWS];
    double u[MOST_ROWS], y[MOST_ROWS], F[MOST_ROWS], x[MOST_ROWS], column[2][MOST_ROWS];
    face face[MOST_ROWS], factored[MOST_ROWS];
    stretch stretch[MOST_ROWS];
    int sliding[MOST_ROWS]; // blocks
    int stretches, slidings;
    thud_mat J;
    bool symmetric; // J is, and its factors are Cholesky's: nothing slides
    int pivot[MOST_ROWS];
} small;

static bool slides(const cone_rows *b, const face *f)
{
    return b->kind == THUD_CONE_KIND_CONTACT && f->state == ROWS_SLIDE;
}

// rho of the normal row is 1 / W_nn, of the others 1 / |W_tt|_F.
static void choose_rho(small *s)
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

static void velocity(small *s, const double *p)
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
static double see(small *s, const double *p)
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
static void recall(small *s, const double *p)
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
static bool number(small *s)
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
static void stay(small *s, const double *p)
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
    number(s);
}

// Moves p onto its faces. true: it was not there.
static bool put_on_faces(const small *s, double *p)
{
    bool moved = false;
    for (int i = 0; i < s->w->blocks; i++) {
        const cone_rows *b = s->w->block + i;
        const face *f = s->face + i;
        double *at = p + b->row, was[3] = {0};
        memcpy(was, at, sizeof *at * (size_t)(b->dim < 3 ? b->dim : 3));
        if (f->state == ROWS_HELD) {
            for (int r = 0; r < b->dim; r++) {
                at[r] = f->bound;
                moved = moved || at[r] != was[r];
            }
        } else if (slides(b, f) && !f->there) {
            at[0] = s->y[b->row];
            at[1] = at[0] * f->d[0];
            at[2] = at[0] * f->d[1];
            moved = moved || at[0] != was[0] || at[1] != was[1] || at[2] != was[2];
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

static bool factor(small *s)
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
static bool serve(const small *s, double merit, double enough)
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

// p moves along its faces to where g is 0. false: by no finite number.
static bool move(small *s, double *p)
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
    for (int i = 0; i < s->w->blocks; i++) {
        const cone_rows *b = s->w->block + i;
        const face *f = s->face + i;
        double *at = p + b->row;
        const double *x = s->x + f->at;
        if (f->state == ROWS_SLIDE) {
            const double t1 = at[1] + x[0] * f->d[0] - x[1] * f->d[1],
                         t2 = at[2] + x[0] * f->d[1] + x[1] * f->d[0];
            const double size = sqrt(t1 * t1 + t2 * t2);
            at[0] += x[0];
            at[1] = size > 0 ? at[0] * t1 / size : 0;
            at[2] = size > 0 ? at[0] * t2 / size : 0;
        } else {
            for (int r = 0; r < f->unknowns; r++) {
                at[r] += x[r];
            }
        }
    }
    return thud_all_finite(s->J.rows, s->x);
}

// ---------------------------------------------------------------------------------------------- the rung

// The compliant problem about 0, to rounding.
static bool solve_compliant(small *s, double *p)
{
    static const double TIGHT = 1e-14, NEAR = 1e-4, LOST = 10; // of |b|
    const double loose = fmin(0.01 * s->w->tolerance, 1e-10);
    double before = INFINITY;
    for (int k = 0; k < MOST_STEPS; k++) {
        velocity(s, p);
        const double merit = see(s, p);
        if (k == 0) {
            recall(s, p);
        }
        bool same = number(s);
        if (!same && k > 0 && (merit <= TIGHT || (merit < NEAR && merit < 0.1 * before))) {
            stay(s, p); // the faces may be right and only not yet reached
            same = true;
        }
        if (k > 0 && same && (merit <= TIGHT || (merit <= loose && merit > 0.25 * before))) {
            return true;
        }
        if (!(merit < (k > 0 ? LOST : INFINITY)) || (k > 2 && same && merit > 0.5 * before)) {
            return false;
        }
        if (put_on_faces(s, p)) {
            velocity(s, p);
        }
        if (!(same && serve(s, merit, TIGHT) && merit <= 0.1 * before) && !factor(s)) {
            return false;
        }
        if (!move(s, p)) {
            return false;
        }
        s->w->iterations++;
        before = merit;
    }
    return false;
}

// Proximal points about p with the factors that are there, from the velocity with the compliance in it. Where W hardly gives
// way along some direction but does, points so far apart creep: then with a hundredth of the compliance, and of that.
static bool take_compliance_out(small *s, double *p)
{
    enum { POINTS = 8 };
    static const double LEAST = 1e-4, SLOW = 0.1;
    const double epsilon = s->epsilon, tolerance = s->w->tolerance;
    const bool may_do = 1e-3 * tolerance > CONE_LEAST; // what the compliance leaves, as it is
    double before = INFINITY;
    s->centre = p; // so that the compliance is not in u
    for (int i = 0; i < s->w->n; i++) {
        s->u[i] -= epsilon * s->w->shape[i] * p[i];
    }
    for (int k = 0; k < POINTS; k++) {
        if (k > 0) {
            velocity(s, p);
        }
        const double residual = k > 0 || may_do ? cone_work_residual(s->w, p, s->u) : INFINITY;
        if (residual <= tolerance * (k == 0 ? 1e-3 : 1)) {
            return true;
        }
        if (!(residual <= SLOW * before)) {
            s->epsilon *= 0.01;
            stay(s, p);
            if (s->epsilon < LEAST * epsilon || !factor(s)) {
                return false;
            }
        }
        if (!move(s, p)) {
            return false;
        }
        before = residual;
    }
    return false;
}

// Newton's steps on the faces as they come, until they stay: how many it took, or -1 where they do not stay.
static int settle(small *s, double *p)
{
    enum { STEPS = 8 };
    choose_rho(s);
    s->J.rows = -1;
    for (int k = 0;; k++) {
        velocity(s, p);
        const double merit = see(s, p);
        if (!(merit < INFINITY)) {
            return -1;
        }
        if (number(s)) {
            return k;
        }
        if (put_on_faces(s, p)) {
            velocity(s, p);
        }
        if (k == STEPS || !factor(s) || !move(s, p)) {
            return -1;
        }
        s->w->iterations++;
    }
}

// From a bad guess, such as the impulses before an impact: contacts that are supposed to stick together but cannot take
// impulses of the order of 1 / epsilon, which tell nothing about the faces. Where the compliance is that of W itself
// impulses are as large as they should be and Newton's method finds their faces, which are all but those of a tenth of the
// compliance; and, where one step was enough for that, of a hundredth. Where the faces do not settle, of a third.
static void follow_compliance(small *s, double *p)
{
    enum { SHORTER = 8 };                                   // times that the way is cut
    static const double FIRST = 1, LAST = 1e-6, DOWN = 0.1; // of the mean diagonal
    const size_t bytes = sizeof *p * (size_t)s->w->n;
    double down = DOWN, settled[MOST_ROWS];
    int left = SHORTER;
    s->centre = NULL;
    s->epsilon = FIRST * s->w->mean;
    (void)settle(s, p);
    for (double soft = FIRST; soft > LAST;) {
        memcpy(settled, p, bytes);
        s->epsilon = soft * down * s->w->mean;
        const int steps = settle(s, p);
        if (steps < 0 && left > 0) {
            memcpy(p, settled, bytes);
            down = sqrt(down);
            left--;
        } else {
            soft *= down;
            down = steps == 1 ? down * down : steps < 0 || down < DOWN ? DOWN : down;
        }
    }
}

static bool suits(const cone_work *w)
{
    bool good = w->W.a && w->n <= MOST_ROWS && w->blocks <= MOST_ROWS;
    for (int i = 0; good && i < w->blocks; i++) {
        const cone_rows *b = w->block + i;
        good = b->kind == THUD_CONE_KIND_CONTACT ? b->dim == 1 || b->dim == 3 : b->dim > 0;
    }
    return good;
}

// From p, which becomes the answer. false: p is anything.
static bool solve_from(small *s, double *p)
{
    s->epsilon = CONE_LEAST * s->w->mean;
    s->centre = NULL;
    s->J.rows = -1;
    choose_rho(s);
    return solve_compliant(s, p) && take_compliance_out(s, p);
}

// Where to start, from p. false: nowhere else.
typedef bool (*starter)(small *s, int number, double *p);

// Tries one start after the other until one leads to the answer or there are no more.
static bool solve_any(cone_work *w, double *p, starter start)
{
    if (!suits(w)) {
        return false;
    }
    const size_t mark = thud_arena_mark(w->arena), n = (size_t)w->n;
    double *trial = thud_arena_push(w->arena, n, sizeof *trial),
           *J = thud_arena_push(w->arena, n * n, sizeof *J);
    bool solved = false;
    small s;
    s.w = w;
    s.J = (thud_mat){.a = J};
    for (int k = 0; trial && J && !solved; k++) {
        memcpy(trial, p, n * sizeof *p);
        if (!start(&s, k, trial)) {
            break;
        }
        solved = solve_from(&s, trial);
    }
    if (solved) {
        memcpy(p, trial, n * sizeof *p);
    }
    thud_arena_release(w->arena, mark);
    return solved;
}

// At p, then where the compliance leads from there.
static bool start_near(small *s, int number, double *p)
{
    if (number == 1) {
        follow_compliance(s, p);
    }
    return number <= 1;
}

bool cone_small(cone_work *w, double *p)
{
    return solve_any(w, p, start_near);
}

// ---------------------------------------------------------------------------------------------- every face

enum { PARTS, STICKS, SLIDES_BACK, SLIDES_ON, STATES }; // against its free velocity, or along it

// The states of the contacts are the digits of a number. What does not part begins with the impulse that would stop it alone.
static bool start_on_faces(small *s, int number, double *p)
{
    const cone_work *w = s->w;
    for (int i = 0; i < w->blocks; i++, number /= STATES) {
        const cone_rows *b = w->block + i;
        const double *u = w->b + b->row, size = thud_norm2(b->dim, w->b + b->row) / w->mean;
        const int state = number % STATES;
        if (b->kind == THUD_CONE_KIND_CONTACT) {
            const double t = b->dim == 3 ? sqrt(u[1] * u[1] + u[2] * u[2]) : 0;
            p[b->row] = state == PARTS ? 0 : size;
            for (int r = 1; r < b->dim; r++) {
                const double d = t > 0 ? u[r] / t : r == 1;
                p[b->row + r] = state == SLIDES_BACK ? -size * d : state == SLIDES_ON ? size * d : 0;
            }
        }
    }
    return number == 0; // the last had no more digits
}

bool cone_small_search(cone_work *w, double *p)
{
    enum { MOST_CONTACTS = 3 };
    return w->blocks <= MOST_CONTACTS && solve_any(w, p, start_on_faces);
}
