// SPDX-License-Identifier: Apache-2.0
// event_flow.c: smooth motion between events, by CVODE (Adams, order chosen as it goes) and its root finding.
//
//     x' = f(t, x)                         event_motion.c
//     x = x0 + x0' t + x0'' t^2 / 2 + y     (v to first order; work to first)
//
// CVODE integrates y, which starts as 0 and grows with the third power of time (v: the second): ballistic
// flight is exact to rounding however short it is, and the method's first steps, which are of low order, cost
// little. Tolerances are those of x.
//
// Roots, with the side from which they count:
//     gap       an open contact or limit closes                           phi falls through 0
//     turn      an approach ends: a graze between two steps shows here     u_n rises through 0
//     force     a contact that holds lets go                              f_n falls through 0
//     bound     friction no longer holds                                  mu f_n - |f_t| falls through 0
//     slip      sliding ends                                              u_t . s falls through 0
//     jam       friction takes the contact's inertia away (Painleve)      1 - mu W_nt / W_nn falls through 0
// What is beyond a root is computed with the holds before it, so everything is smooth across it.
//
// A phase that takes Adams more than 2000 steps is stiff (springs, a slip held by rolling friction): it ends
// there, and the rest of the step is done by BDF.
//
// Fails    when CVODE cannot go on (a step too small, too many steps): SUBSTEP_UNSOLVED with a reason.
#include "event.h"

#ifdef THUD_HAVE_SUNDIALS
#include <math.h>
#include <string.h>

#include "event_cvode.h"

typedef enum root_kind { ROOT_GAP, ROOT_TURN, ROOT_FORCE, ROOT_BOUND, ROOT_SLIP, ROOT_JAM } root_kind;

typedef struct root {
    int tie;
    root_kind kind;
} root;

struct flow {
    thud_sim *sim;
    double *q;                    // positions with normalised quaternions
    double *x, *x0, *rate, *bend; // now; at the phase's start, with first and second derivative
    SUNContext context;
    N_Vector y;
    integrator method[2]; // Adams; BDF, when first needed
    bool stiff;           // use the second, for the rest of the step
    root *root;
    int *side, *found, roots, root_capacity;
    bool forces;           // some root is one of forces
    substep_result result; // of the evaluation last made
};

// ------------------------------------------------------------------------------------------ equations

static int size_of(const struct flow *flow)
{
    return motion_size(flow->sim->m);
}

// x at time t of the phase.
static void look(struct flow *flow, double t, const double *y)
{
    for (int i = 0; i < size_of(flow); i++) {
        flow->x[i] = flow->x0[i] + t * (flow->rate[i] + 0.5 * t * flow->bend[i]) + y[i];
    }
}

// One evaluation of the motion, at about so many multiply-adds a dof and a row that holds, counts in the step's budget.
static bool may_go_on(struct flow *flow)
{
    enum { EACH = 500 };
    thud_sim *sim = flow->sim;
    const int64_t size = sim->m->nv + 3 * (int64_t)sim->above.event->ties;
    sim->work.left -= EACH * size + size * size;
    flow->result = sim_cancelled(sim) ? SUBSTEP_CANCELLED
                   : sim->work.left < 0
                       ? event_fail(sim, SUBSTEP_UNSOLVED, "the budget of the step (%lld) is spent",
                                    (long long)sim->work.budget)
                       : SUBSTEP_DONE;
    return flow->result == SUBSTEP_DONE;
}

static int rates_of(realtype t, N_Vector y, N_Vector out, void *user)
{
    struct flow *flow = user;
    double *rate = N_VGetArrayPointer(out);
    if (!may_go_on(flow)) {
        return -1;
    }
    look(flow, t, N_VGetArrayPointer(y));
    flow->result = motion_rate(flow->sim, t, flow->x, flow->q, rate);
    for (int i = 0; i < size_of(flow); i++) {
        rate[i] -= flow->rate[i] + t * flow->bend[i];
    }
    return flow->result == SUBSTEP_DONE ? 0 : -1;
}

static int weights(N_Vector y, N_Vector out, void *user)
{
    const struct flow *flow = user;
    const thud_event_options *o = &flow->sim->o.event;
    const double *at = N_VGetArrayPointer(y);
    double *weight = N_VGetArrayPointer(out);
    for (int i = 0; i < size_of(flow); i++) {
        weight[i] = 1 / (o->rtol * fabs(flow->x0[i] + at[i]) + o->atol);
    }
    return 0;
}

// ------------------------------------------------------------------------------------------ roots

static double slip_along(const tie *t)
{
    double sum = 0;
    for (int k = 0; k < t->slips; k++) {
        sum += t->u[1 + k] * t->along[k];
    }
    return sum;
}

static double value_of(const tie *t, root_kind kind)
{
    switch (kind) {
    case ROOT_GAP:
        return t->phi + t->slack;
    case ROOT_TURN:
        return t->u[0];
    case ROOT_FORCE:
        return t->f[0];
    case ROOT_BOUND:
        return t->room;
    case ROOT_SLIP:
        return slip_along(t);
    case ROOT_JAM:
        break;
    }
    return t->jam - 1e-6;
}

static int root_values(realtype t, N_Vector y, realtype *out, void *user)
{
    struct flow *flow = user;
    thud_sim *sim = flow->sim;
    look(flow, t, N_VGetArrayPointer(y));
    motion_normalise(sim->m, flow->x, flow->q);
    if (flow->forces) {
        flow->result = hold_accelerate(sim, flow->q, flow->x + sim->m->nq, t);
    } else {
        ties_measure(sim, flow->q, flow->x + sim->m->nq);
    }
    for (int i = 0; i < flow->roots; i++) {
        out[i] = value_of(&sim->above.event->tie[flow->root[i].tie], flow->root[i].kind);
    }
    return flow->result == SUBSTEP_DONE ? 0 : -1;
}

static void watch(struct flow *flow, int which, root_kind kind)
{
    flow->root[flow->roots] = (root){which, kind};
    flow->side[flow->roots++] = kind == ROOT_TURN ? 1 : -1;
}

static bool choose_roots(struct flow *flow, double h)
{
    enum { EACH = 4 };
    const event_drive *e = flow->sim->above.event;
    if (EACH * e->ties > flow->root_capacity) {
        root *const roots = thud_resize(flow->root, EACH * (size_t)e->ties * sizeof *roots);
        flow->root = roots ? roots : flow->root;
        int *const sides = thud_resize(flow->side, EACH * (size_t)e->ties * sizeof *sides);
        flow->side = sides ? sides : flow->side;
        int *const found = thud_resize(flow->found, EACH * (size_t)e->ties * sizeof *found);
        flow->found = found ? found : flow->found;
        if (!roots || !sides || !found) {
            return false;
        }
        flow->root_capacity = EACH * e->ties;
    }
    flow->roots = 0;
    flow->forces = false;
    for (int i = 0; i < e->ties; i++) {
        const tie *t = &e->tie[i];
        if (t->hold == HOLD_OPEN) {
            watch(flow, i, ROOT_GAP);
            if (t->kind == TIE_CONTACT && !t->touching &&
                t->phi < -10 * h * t->u[0]) { // it may come to touch
                watch(flow, i, ROOT_TURN);
            }
            continue;
        }
        flow->forces = true;
        if (!tie_is_dry(t)) {
            watch(flow, i, ROOT_FORCE);
        }
        if (t->hold == HOLD_STICK) {
            watch(flow, i, ROOT_BOUND);
        } else if (t->slips > 0) {
            watch(flow, i, ROOT_SLIP);
        }
        if (t->hold == HOLD_SLIDE && t->slips > 1) {
            watch(flow, i, ROOT_JAM);
        }
    }
    return true;
}

// ------------------------------------------------------------------------------------------ a phase

// A contact that has just sprung back must not return within CVODE's first step, whose inside is not
// searched.
static double first_step(const thud_sim *sim, double h)
{
    const event_drive *e = sim->above.event;
    double step = h;
    for (int i = 0; i < e->ties; i++) {
        const tie *t = &e->tie[i];
        if (t->touching && t->hold == HOLD_OPEN && t->u[0] > 0) {
            step = thud_min(step, 0.02 * t->u[0]); // 2 u / 100 (m/s^2)
        }
    }
    return step < h ? step : 0; // 0: CVODE's choice
}

// x, its derivative, and of positions the second, at the phase's start.
static substep_result expand(struct flow *flow)
{
    const thud_sim *sim = flow->sim;
    const int nq = sim->m->nq, nv = sim->m->nv;
    memcpy(flow->x0, sim->begun.q_start, (size_t)nq * sizeof(double));
    memcpy(flow->x0 + nq, sim->begun.v_start, (size_t)nv * sizeof(double));
    flow->x0[nq + nv] = flow->x0[nq + nv + 1] = 0;
    const substep_result result = motion_rate(flow->sim, 0, flow->x0, flow->q, flow->rate);
    motion_bend(sim, flow->x0, flow->rate, flow->bend);
    return result;
}

static bool reserve(struct flow *flow, bool stiff)
{
    enum { STEPS = 2000, STIFF_STEPS = 100000 };
    integrator *i = &flow->method[stiff];
    return i->cvode ||
           integrator_create(i, stiff, stiff ? STIFF_STEPS : STEPS, rates_of, flow, flow->y, flow->context);
}

static substep_result start(struct flow *flow, double h)
{
    const thud_sim *sim = flow->sim;
    const substep_result result = expand(flow);
    if (result != SUBSTEP_DONE || !choose_roots(flow, h) || !reserve(flow, flow->stiff)) {
        return result != SUBSTEP_DONE ? result : SUBSTEP_NO_MEMORY;
    }
    N_VConst(0, flow->y);
    void *cvode = flow->method[flow->stiff].cvode;
    const bool good = CVodeReInit(cvode, 0, flow->y) == CV_SUCCESS &&
                      CVodeWFtolerances(cvode, weights) == CV_SUCCESS &&
                      CVodeSetInitStep(cvode, first_step(sim, h)) == CV_SUCCESS &&
                      CVodeSetStopTime(cvode, h) == CV_SUCCESS &&
                      CVodeRootInit(cvode, flow->roots, flow->roots ? root_values : NULL) == CV_SUCCESS &&
                      (flow->roots == 0 || CVodeSetRootDirection(cvode, flow->side) == CV_SUCCESS) &&
                      CVodeSetNoInactiveRootWarn(cvode) == CV_SUCCESS;
    return good ? SUBSTEP_DONE : SUBSTEP_NO_MEMORY;
}

// Only approaches have ended here, and short of touching: nothing to stop for.
static bool passes_by(struct flow *flow, double t)
{
    thud_sim *sim = flow->sim;
    if (CVodeGetRootInfo(flow->method[flow->stiff].cvode, flow->found) != CV_SUCCESS) {
        return false;
    }
    look(flow, t, N_VGetArrayPointer(flow->y));
    motion_normalise(sim->m, flow->x, flow->q);
    ties_measure(sim, flow->q, flow->x + sim->m->nq);
    bool by = true;
    for (int i = 0; i < flow->roots; i++) {
        const root *r = &flow->root[i];
        by &= !flow->found[i] || (r->kind == ROOT_TURN && sim->above.event->tie[r->tie].phi > 0);
    }
    return by;
}

substep_result flow_run(thud_sim *sim, double *h)
{
    struct flow *flow = sim->above.event->flow;
    const int nq = sim->m->nq, nv = sim->m->nv;
    flow->result = start(flow, *h);
    if (flow->result != SUBSTEP_DONE) {
        return flow->result;
    }
    double reached = 0;
    int code;
    do {
        code = CVode(flow->method[flow->stiff].cvode, *h, flow->y, &reached, CV_NORMAL);
    } while (code == CV_ROOT_RETURN && passes_by(flow, reached));
    const bool crowded =
        code == CV_ILL_INPUT && reached > 0; // two roots at one place: the next phase sorts them out
    const bool tired = code == CV_TOO_MUCH_WORK && !flow->stiff;
    flow->stiff |= tired;
    if (code < 0 && !crowded && !tired) {
        return flow->result != SUBSTEP_DONE
                   ? flow->result
                   : event_fail(sim, SUBSTEP_UNSOLVED,
                                "the integrator stopped (CVODE %d) %.3g s into a phase", code, reached);
    }
    look(flow, reached, N_VGetArrayPointer(flow->y));
    motion_normalise(sim->m, flow->x, flow->q);
    memcpy(sim->begun.q_start, flow->q, (size_t)nq * sizeof(double));
    memcpy(sim->begun.v_start, flow->x + nq, (size_t)nv * sizeof(double));
    sim->above.event->work = flow->x[nq + nv];
    sim->above.event->contact_work = flow->x[nq + nv + 1];
    *h = reached;
    return SUBSTEP_DONE;
}

// ------------------------------------------------------------------------------------------ life

thud_status flow_create(thud_sim *sim, struct flow **out)
{
    struct flow *flow = *out = thud_alloc(1, sizeof *flow);
    if (!flow) {
        return THUD_NO_MEMORY;
    }
    flow->sim = sim;
    const size_t n = (size_t)size_of(flow);
    flow->q = thud_alloc(5 * n, sizeof *flow->q);
    flow->x = flow->q + n;
    flow->x0 = flow->x + n;
    flow->rate = flow->x0 + n;
    flow->bend = flow->rate + n;
    if (!flow->q || SUNContext_Create(NULL, &flow->context) != 0) {
        return THUD_NO_MEMORY;
    }
    flow->y = N_VNew_Serial(size_of(flow), flow->context);
    return flow->y && reserve(flow, false) ? THUD_OK : THUD_NO_MEMORY;
}

void flow_destroy(struct flow *flow)
{
    if (flow) {
        integrator_destroy(&flow->method[0]);
        integrator_destroy(&flow->method[1]);
        if (flow->y) {
            N_VDestroy(flow->y);
        }
        SUNContext_Free(&flow->context);
        thud_free(flow->root);
        thud_free(flow->side);
        thud_free(flow->found);
        thud_free(flow->q);
        thud_free(flow);
    }
}

void flow_begin(struct flow *flow)
{
    flow->stiff = false;
}

#else // without SUNDIALS a sim of this scheme is refused (event_refuse), so that none of these is called

thud_status flow_create(thud_sim *sim, struct flow **out)
{
    (void)sim;
    *out = NULL;
    return THUD_UNSUPPORTED;
}

void flow_destroy(struct flow *flow)
{
    (void)flow;
}

void flow_begin(struct flow *flow)
{
    (void)flow;
}

substep_result flow_run(thud_sim *sim, double *h)
{
    (void)h;
    return event_fail(sim, SUBSTEP_FAILED, "this build has no integrator for smooth phases");
}

#endif
