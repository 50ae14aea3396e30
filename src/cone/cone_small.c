// SPDX-License-Identifier: Apache-2.0
// cone_small.c: Newton on the faces of the cones, for few contacts and a good guess: the ladder's first rung. [theory 7, 9]
//
// Alart and Curnier's y = p - rho u gives the active set: which contacts part, stick or slide, as in cone_newton.c. The unknowns
// are the changes of the impulses on these faces:
//   state   equations                     unknowns
//   part    p = 0                         none
//   stick   u = 0                         dp
//   slide   u_n = 0, u_t against p_t      a and c, dp = a (1, d) + c (0, e): along the cone and around it; p_t = p_n d, e across d
//                                         (with torsion and rolling friction there are several e, small_wide.c)
// Symbols  u = W^ p + b^ + epsilon shape (p - centre) · g: the components of u that should be 0: u, or u_n and e . u_t
//          T the directions of dp, L those of g: (L^T W~ T + diag(0, lambda)) x = -g, lambda = |u_t| / p_n
// A contact that slides fast (large lambda) has friction almost opposite to its velocity. Its friction is turned opposite before
// the first step, and steps around the cone use the lambda of their end, so that the first factors serve until convergence.
// A sliding contact has two unknowns instead of three, which makes a factor three times cheaper. There is no line search and no
// ordering. The answer is the choice of equal compliance: first with centre 0, then one proximal point with the same factors,
// which removes the error of the compliance. From a bad guess the active set is followed over larger compliances.
// Differs  from cone_newton.c: no line search. A step must halve |F| or change a contact's state.
// Cost     one or two factors of 2 or 3 unknowns a contact; about twenty from a bad guess.
// Fails    false, p untouched: the active set does not settle.
#include <math.h>
#include <string.h>

#include "cone_small.h"

enum { MOST_STEPS = 8 };

// Does a block that is held at a bound move away from the bound, p just judged? A velocity clearly above rounding decides for every
// compliance. Otherwise the velocity at the compliant answer decides; `farther` is p less that answer.
static bool parts(const small *s, int block, const double *p, const double *farther, double dust)
{
    THUD_ASSERT(s->face[block].state == ROWS_HELD);
    static const double CLEARLY = 1e-12, RESIDUALS = 100; // of |b|, and of the residual
    const cone_work *w = s->w;
    const cone_rows *b = w->block + block;
    const bool below = b->kind == THUD_CONE_KIND_CONTACT || s->face[block].bound == b->lo;
    const double u = w->room[w->c->block[block].row];
    if ((below ? u : -u) > (CLEARLY + RESIDUALS * w->residual) * w->norm_b) {
        return true;
    }
    const double *W = w->W.a + (size_t)b->row * (size_t)w->n;
    const double compliant = u - thud_dot(w->n, W, farther) + s->epsilon * w->shape[b->row] * p[b->row];
    return s->rho[b->row] * (below ? compliant : -compliant) >= -dust;
}

// Are all impulses and velocities as their faces say? Nothing slides.
static bool faces_hold(const small *s, const double *p, const double *farther)
{
    const double dust = SMALL_DUST * thud_norm_inf(s->w->n, p);
    bool hold = true;
    for (int i = 0; i < s->w->blocks && hold; i++) {
        const cone_rows *b = s->w->block + i;
        const double *at = p + b->row;
        if (s->face[i].state == ROWS_HELD) {
            hold = parts(s, i, p, farther, dust);
        } else if (b->kind == THUD_CONE_KIND_CONTACT) {
            double t2 = 0;
            for (int r = 1; r < b->dim; r++) {
                t2 += at[r] * at[r];
            }
            hold = at[0] > 0 && t2 <= at[0] * at[0];
        } else if (b->kind == THUD_CONE_KIND_BOX) {
            hold = at[0] > b->lo && at[0] < b->hi;
        }
    }
    return hold;
}

// Where nothing slides one step reaches the compliant answer on its faces, where u = -epsilon shape p, and with it the first point
// of take_compliance_out, without evaluating the answer between. false: the faces do not hold, p is as it was.
static bool go_ahead(small *s, double *p)
{
    const int n = s->w->n;
    double compliant[MOST_ROWS], farther[MOST_ROWS];
    for (int i = 0; i < n; i++) {
        compliant[i] = p[i];
        s->u[i] = -(s->epsilon * s->w->shape[i] * p[i]);
    }
    if (small_move(s, p) && cone_work_judge(s->w, p) < INFINITY) {
        for (int i = 0; i < n; i++) {
            farther[i] = p[i] - compliant[i];
        }
        s->ahead = faces_hold(s, p, farther);
    }
    if (!s->ahead) {
        memcpy(p, compliant, sizeof *p * (size_t)n);
    }
    return s->ahead;
}

// The compliant problem about 0, to rounding.
static bool solve_compliant(small *s, double *p)
{
    static const double TIGHT = 1e-14, NEAR = 1e-4, LOST = 10; // of |b|
    const double loose = thud_min(0.01 * s->w->tolerance, 1e-10);
    double before = INFINITY;
    for (int k = 0; k < MOST_STEPS; k++) {
        small_velocity(s, p);
        if (k == 0 && small_turn(s, p)) {
            small_velocity(s, p);
        }
        const double merit = small_see(s, p);
        if (k == 0) {
            s->first = merit;
            small_recall(s, p);
        }
        bool same = small_number(s);
        if (!same && k > 0 && (merit <= TIGHT || (merit < NEAR && merit < 0.1 * before))) {
            small_stay(s, p); // the faces may be right and only not yet reached
            same = true;
        }
        if (k > 0 && same && (merit <= TIGHT || (merit <= loose && merit > 0.25 * before))) {
            return true;
        }
        if (!(merit < (k > 0 ? LOST : INFINITY)) || (k > 2 && same && merit > 0.5 * before) ||
            (k > 0 && s->wides > 0 &&
             merit > before)) { // slow rolling: the linearisation does not hold over a step
            return false;
        }
        if (small_put_on_faces(s, p)) {
            small_velocity(s, p);
        }
        if (!cone_spend(s->w, cone_factor_work(s->w))) {
            return false;
        }
        const bool serves = same && small_serve(s, merit, TIGHT) && merit <= 0.1 * before;
        if ((!serves && !small_factor(s)) || !small_move(s, p)) {
            return false;
        }
        s->w->iterations++;
        if (!same && !small_slides(s) && go_ahead(s, p)) {
            return true;
        }
        before = merit;
    }
    return false;
}

// Proximal points about p with the same factors; s->u holds the velocity with the compliance in it. Where W has small but nonzero
// eigenvalues the points converge slowly: then with a hundredth of the compliance, and again.
static bool take_compliance_out(small *s, double *p)
{
    enum { POINTS = 8, FEW = 2 };
    static const double LEAST = 1e-4, SLOW = 0.1, SHARP = 0.01;
    const double epsilon = s->epsilon, tolerance = s->w->tolerance;
    const bool may_do = 1e-3 * tolerance > CONE_LEAST; // the error of the compliance is below the tolerance
    double before = INFINITY;
    s->proximal = true;
    for (int i = 0; i < s->w->n && !s->ahead; i++) {
        s->u[i] -= epsilon * s->w->shape[i] * p[i];
    }
    for (int k = s->ahead; k < POINTS; k++) {
        const bool known = k == 1 && s->ahead;
        const double residual = known             ? s->w->residual
                                : k > 0 || may_do ? cone_work_judge(s->w, p)
                                                  : INFINITY;
        const double enough = k == 0                 ? 1e-3
                              : s->ahead && k <= FEW ? SHARP
                                                     : 1; // points on known faces are cheap
        if (residual <= tolerance * enough) {
            return true;
        }
        if (k > 0) {
            small_velocity(s, p);
        }
        if (!(residual <= SLOW * before)) {
            s->epsilon *= 0.01;
            small_stay(s, p);
            if (s->epsilon < LEAST * epsilon || !small_factor(s)) {
                return false;
            }
        }
        if (!small_move(s, p)) {
            return false;
        }
        before = residual;
    }
    return false;
}

// Newton steps until the active set stays: how many, or -1 where it does not stay.
static int settle(small *s, double *p)
{
    enum { STEPS = 6 };
    small_choose_rho(s);
    s->size = -1;
    for (int k = 0;; k++) {
        small_velocity(s, p);
        const double merit = small_see(s, p);
        if (!(merit < INFINITY)) {
            return -1;
        }
        if (small_number(s)) {
            return k;
        }
        if (small_put_on_faces(s, p)) {
            small_velocity(s, p);
        }
        if (k == STEPS || !cone_spend(s->w, cone_factor_work(s->w)) || !small_factor(s) ||
            !small_move(s, p)) {
            return -1;
        }
        s->w->iterations++;
    }
}

// From a bad guess, such as the impulses before an impact. Contacts that cannot all stick get impulses of the order of 1 / epsilon
// if they are supposed to stick, which says nothing about the active set. With a compliance of the order of W impulses have their
// true size and Newton's method finds an active set, which is nearly that of a tenth of the compliance (a hundredth where one step
// was enough, a third where the set does not settle).
static void follow_compliance(small *s, double *p)
{
    enum { SHORTER = 8 };                                     // times that the way is cut
    static const double FIRST = 0.3, LAST = 1e-6, DOWN = 0.1; // of the mean diagonal
    const size_t bytes = sizeof *p * (size_t)s->w->n;
    double down = DOWN, settled[MOST_ROWS];
    int left = SHORTER;
    s->proximal = false;
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

// With contacts of any kind.
static bool are_few(const cone_work *w)
{
    bool good = w->W.a && w->n <= MOST_ROWS && w->blocks <= MOST_ROWS;
    for (int i = 0; good && i < w->blocks; i++) {
        good = w->block[i].dim > 0;
    }
    return good;
}

bool cone_small_suits(const cone_work *w)
{
    bool good = are_few(w);
    for (int i = 0; good && i < w->blocks; i++) {
        const cone_rows *b = w->block + i;
        good = b->kind != THUD_CONE_KIND_CONTACT || b->dim == 1 || b->dim == 3;
    }
    return good;
}

// From p, which becomes the answer, or is of no use where the solve failed.
static small_outcome solve_from(small *s, double *p)
{
    THUD_ASSERT(s->w->n <= MOST_ROWS);
    s->epsilon = CONE_LEAST * s->w->mean;
    s->proximal = s->ahead = false;
    s->size = -1;
    small_choose_rho(s);
    return solve_compliant(s, p) && take_compliance_out(s, p) ? SMALL_SOLVED : SMALL_FAILED;
}

bool small_try(cone_work *w, double *p, small_attempt attempt)
{
    THUD_ASSERT(attempt);
    if (!are_few(w)) {
        return false;
    }
    const size_t mark = thud_arena_mark(w->arena), n = (size_t)w->n;
    double *trial = thud_arena_push(w->arena, n + 3, sizeof *trial),  // small_velocity reads so far
        *J = thud_arena_push(w->arena, (n + 3) * (n + 3), sizeof *J); // the next multiple of four
    small_outcome outcome = trial && J ? SMALL_FAILED : SMALL_NOTHING_MORE;
    small s;
    s.w = w;
    s.size = -1; // there are no factors yet
    s.J = (thud_mat){.a = J};
    for (int k = 0; outcome == SMALL_FAILED; k++) {
        memcpy(trial, p, n * sizeof *p);
        outcome = attempt(&s, k, trial);
    }
    if (outcome == SMALL_SOLVED) {
        memcpy(p, trial, n * sizeof *p);
    }
    thud_arena_release(w->arena, mark);
    return outcome == SMALL_SOLVED;
}

// From p; where p was a bad guess, again from the end of the path over compliances.
static small_outcome try_near(small *s, int number, double *p)
{
    static const double GOOD = 0.01; // |F| over |b|
    if (number > 1 || (number == 1 && (s->first < GOOD || !cone_small_suits(s->w)))) {
        return SMALL_NOTHING_MORE;
    }
    if (number == 1) {
        follow_compliance(s, p);
    }
    return solve_from(s, p);
}

bool cone_small(cone_work *w, double *p)
{
    return small_try(w, p, try_near);
}
