// SPDX-License-Identifier: Apache-2.0
// event_flow.c: smooth motion between events, by CVODE (Adams, order chosen as it goes) and its root finding.
//
//     x = (q, v, work, contact work)       q' = v, quaternions q' = q (0, w) / 2
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
// Fails    when CVODE cannot go on (a step too small, too many steps): SUBSTEP_UNSOLVED with a reason.
#include "event.h"

#ifdef THUD_HAVE_SUNDIALS
#include <math.h>
#include <string.h>

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

typedef enum root_kind { ROOT_GAP, ROOT_TURN, ROOT_FORCE, ROOT_BOUND, ROOT_SLIP, ROOT_JAM } root_kind;

typedef struct root {
    int tie;
    root_kind kind;
} root;

struct flow {
    thud_sim *sim;
    const double *tau;
    double *q;                    // positions with normalised quaternions
    double *x, *x0, *rate, *bend; // now; at the phase's start, with first and second derivative
    SUNContext context;
    N_Vector y;
    SUNNonlinearSolver solver;
    void *cvode;
    root *root;
    int *side, *found, roots, root_capacity;
    bool forces;           // some root is one of forces
    substep_result result; // of the evaluation last made
};

// ------------------------------------------------------------------------------------------ equations

static void quaternion_rate(const double *q, const double *w, double *out)
{
    out[0] = 0.5 * (-q[1] * w[0] - q[2] * w[1] - q[3] * w[2]);
    out[1] = 0.5 * (q[0] * w[0] + q[2] * w[2] - q[3] * w[1]);
    out[2] = 0.5 * (q[0] * w[1] + q[3] * w[0] - q[1] * w[2]);
    out[3] = 0.5 * (q[0] * w[2] + q[1] * w[1] - q[2] * w[0]);
}

static void position_rate(const thud_model *m, const double *q, const double *v, double *out)
{
    for (int j = 0; j < m->joints; j++) {
        const double *x = q + m->joint_q[j], *w = v + m->joint_v[j];
        double *rate = out + m->joint_q[j];
        switch (m->joint_type[j]) {
        case THUD_JOINT_FREE:
            memcpy(rate, w, 3 * sizeof *rate);
            quaternion_rate(x + 3, w + 3, rate + 3);
            break;
        case THUD_JOINT_BALL:
            quaternion_rate(x, w, rate);
            break;
        default:
            rate[0] = w[0];
        }
    }
}

static void normalise(double *q)
{
    const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int k = 0; k < 4 && length > 0; k++) {
        q[k] /= length;
    }
}

static void normalised(const thud_model *m, const double *q, double *out)
{
    memcpy(out, q, (size_t)m->nq * sizeof *out);
    for (int j = 0; j < m->joints; j++) {
        if (m->joint_type[j] == THUD_JOINT_FREE) {
            normalise(out + m->joint_q[j] + 3);
        } else if (m->joint_type[j] == THUD_JOINT_BALL) {
            normalise(out + m->joint_q[j]);
        }
    }
}

// Power of the contacts: forces against the speeds of their points.
static double contact_power(const event_drive *e)
{
    double power = 0;
    for (int i = 0; i < e->ties; i++) {
        const tie *t = &e->tie[i];
        for (int k = 0; k < 3 && t->hold != HOLD_OPEN; k++) {
            power += t->f[k] * t->u[k];
        }
    }
    return power;
}

// Power of applied forces, dampers, actuators and drag. Moves the links.
static double applied_power(thud_sim *sim, const double *tau, const double *q, const double *v)
{
    double power = sim->driven || sim->m->has_drag ? sim_drive_work(sim, q, v) / sim->o.h : 0;
    for (int i = 0; i < sim->m->nv; i++) {
        power += v[i] * ((tau ? tau[i] : 0) - sim->m->dof_damping[i] * v[i]);
    }
    return power;
}

static int size_of(const struct flow *flow)
{
    return flow->sim->m->nq + flow->sim->m->nv + 2;
}

// x at time t of the phase, and its positions.
static void look(struct flow *flow, double t, const double *y)
{
    for (int i = 0; i < size_of(flow); i++) {
        flow->x[i] = flow->x0[i] + t * (flow->rate[i] + 0.5 * t * flow->bend[i]) + y[i];
    }
    normalised(flow->sim->m, flow->x, flow->q);
}

// x' where flow has looked.
static substep_result derive(struct flow *flow, double *rate)
{
    thud_sim *sim = flow->sim;
    const int nq = sim->m->nq, nv = sim->m->nv;
    const double *v = flow->x + nq;
    const substep_result result = hold_accelerate(sim, flow->q, v, flow->tau);
    position_rate(sim->m, flow->x, v, rate);
    for (int i = 0; i < nv; i++) {
        rate[nq + i] = sim->acc[i] + sim->push[i];
    }
    rate[nq + nv] = applied_power(sim, flow->tau, flow->q, v);
    rate[nq + nv + 1] = contact_power(sim->event);
    return result;
}

static int rates(realtype t, N_Vector y, N_Vector out, void *user)
{
    struct flow *flow = user;
    double *rate = N_VGetArrayPointer(out);
    look(flow, t, N_VGetArrayPointer(y));
    flow->result = derive(flow, rate);
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
        return t->u[1] * t->along[0] + t->u[2] * t->along[1];
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
    if (flow->forces) {
        flow->result = hold_accelerate(sim, flow->q, flow->x + sim->m->nq, flow->tau);
    } else {
        ties_measure(sim, flow->q, flow->x + sim->m->nq);
    }
    for (int i = 0; i < flow->roots; i++) {
        out[i] = value_of(&sim->event->tie[flow->root[i].tie], flow->root[i].kind);
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
    const event_drive *e = flow->sim->event;
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
            if (t->touch >= 0 && !t->touching && t->phi < -10 * h * t->u[0]) { // it may come to touch
                watch(flow, i, ROOT_TURN);
            }
            continue;
        }
        watch(flow, i, ROOT_FORCE);
        flow->forces = true;
        if (t->hold == HOLD_STICK) {
            watch(flow, i, ROOT_BOUND);
        } else if (t->rough) {
            watch(flow, i, ROOT_SLIP);
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
    const event_drive *e = sim->event;
    double step = h;
    for (int i = 0; i < e->ties; i++) {
        const tie *t = &e->tie[i];
        if (t->touching && t->hold == HOLD_OPEN && t->u[0] > 0) {
            step = fmin(step, 0.02 * t->u[0]); // 2 u / 100 (m/s^2)
        }
    }
    return step < h ? step : 0; // 0: CVODE's choice
}

// x, its derivative, and of positions the second, at the phase's start.
static substep_result expand(struct flow *flow)
{
    thud_sim *sim = flow->sim;
    const thud_model *m = sim->m;
    const int nq = m->nq, nv = m->nv;
    memcpy(flow->x0, sim->q_start, (size_t)nq * sizeof(double));
    memcpy(flow->x0 + nq, sim->v_start, (size_t)nv * sizeof(double));
    flow->x0[nq + nv] = flow->x0[nq + nv + 1] = 0;
    memcpy(flow->x, flow->x0, (size_t)size_of(flow) * sizeof(double));
    normalised(m, flow->x, flow->q);
    const substep_result result = derive(flow, flow->rate);
    memset(flow->bend, 0, (size_t)size_of(flow) * sizeof(double));
    position_rate(m, flow->x0, flow->rate + nq, flow->bend); // q a
    for (int j = 0; j < m->joints; j++) {                    // and, of quaternions, q' w
        const int type = m->joint_type[j], ahead = type == THUD_JOINT_FREE ? 3 : 0;
        if (type == THUD_JOINT_FREE || type == THUD_JOINT_BALL) {
            double turn[4];
            quaternion_rate(flow->rate + m->joint_q[j] + ahead, sim->v_start + m->joint_v[j] + ahead, turn);
            for (int k = 0; k < 4; k++) {
                flow->bend[m->joint_q[j] + ahead + k] += turn[k];
            }
        }
    }
    return result;
}

static substep_result start(struct flow *flow, double h)
{
    thud_sim *sim = flow->sim;
    N_VConst(0, flow->y);
    const substep_result result = expand(flow);
    if (result != SUBSTEP_DONE || !choose_roots(flow, h)) {
        return result != SUBSTEP_DONE ? result : SUBSTEP_NO_MEMORY;
    }
    const bool good =
        CVodeReInit(flow->cvode, 0, flow->y) == CV_SUCCESS &&
        CVodeWFtolerances(flow->cvode, weights) == CV_SUCCESS &&
        CVodeSetInitStep(flow->cvode, first_step(sim, h)) == CV_SUCCESS &&
        CVodeSetStopTime(flow->cvode, h) == CV_SUCCESS &&
        CVodeRootInit(flow->cvode, flow->roots, flow->roots ? root_values : NULL) == CV_SUCCESS &&
        (flow->roots == 0 || CVodeSetRootDirection(flow->cvode, flow->side) == CV_SUCCESS) &&
        CVodeSetNoInactiveRootWarn(flow->cvode) == CV_SUCCESS;
    return good ? SUBSTEP_DONE : SUBSTEP_NO_MEMORY;
}

// Only approaches have ended here, and short of touching: nothing to stop for.
static bool passes_by(struct flow *flow, double t)
{
    thud_sim *sim = flow->sim;
    if (CVodeGetRootInfo(flow->cvode, flow->found) != CV_SUCCESS) {
        return false;
    }
    look(flow, t, N_VGetArrayPointer(flow->y));
    ties_measure(sim, flow->q, flow->x + sim->m->nq);
    bool by = true;
    for (int i = 0; i < flow->roots; i++) {
        const root *r = &flow->root[i];
        by &= !flow->found[i] || (r->kind == ROOT_TURN && sim->event->tie[r->tie].phi > 0);
    }
    return by;
}

substep_result flow_run(thud_sim *sim, const double *tau, double *h)
{
    struct flow *flow = sim->event->flow;
    const int nq = sim->m->nq, nv = sim->m->nv;
    flow->tau = tau;
    flow->result = start(flow, *h);
    if (flow->result != SUBSTEP_DONE) {
        return flow->result;
    }
    double reached = 0;
    int code;
    do {
        code = CVode(flow->cvode, *h, flow->y, &reached, CV_NORMAL);
    } while (code == CV_ROOT_RETURN && passes_by(flow, reached));
    const bool crowded =
        code == CV_ILL_INPUT && reached > 0; // two roots at one place: the next phase sorts them out
    if (code < 0 && !crowded) {
        return flow->result != SUBSTEP_DONE
                   ? flow->result
                   : event_fail(sim, SUBSTEP_UNSOLVED,
                                "the integrator stopped (CVODE %d) %.3g s into a phase", code, reached);
    }
    look(flow, reached, N_VGetArrayPointer(flow->y));
    memcpy(sim->q_start, flow->q, (size_t)nq * sizeof(double));
    memcpy(sim->v_start, flow->x + nq, (size_t)nv * sizeof(double));
    sim->event->work = flow->x[nq + nv];
    sim->event->contact_work = flow->x[nq + nv + 1];
    *h = reached;
    return SUBSTEP_DONE;
}

// ------------------------------------------------------------------------------------------ life

static void quiet(int code, const char *module, const char *function, char *message, void *user)
{
    (void)code;
    (void)module;
    (void)function;
    (void)message;
    (void)user; // the library never prints; flow_run tells
}

thud_status flow_create(thud_sim *sim, struct flow **out)
{
    enum {
        MOST_STEPS = 100000,
        MOST_FAILURES = 60
    }; // a slip that dies away turns fast: steps shrink with it
    const thud_model *m = sim->m;
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
    flow->y = N_VNew_Serial(m->nq + m->nv + 2, flow->context);
    flow->cvode = CVodeCreate(CV_ADAMS, flow->context);
    if (!flow->y || !flow->cvode) {
        return THUD_NO_MEMORY;
    }
    N_VConst(0, flow->y);
    flow->solver = SUNNonlinSol_FixedPoint(flow->y, 0, flow->context);
    const bool good = CVodeSetErrHandlerFn(flow->cvode, quiet, NULL) == CV_SUCCESS &&
                      CVodeInit(flow->cvode, rates, 0, flow->y) == CV_SUCCESS &&
                      CVodeSetUserData(flow->cvode, flow) == CV_SUCCESS &&
                      CVodeSetMaxNumSteps(flow->cvode, MOST_STEPS) == CV_SUCCESS &&
                      CVodeSetMaxConvFails(flow->cvode, MOST_FAILURES) == CV_SUCCESS &&
                      CVodeSetMaxErrTestFails(flow->cvode, MOST_FAILURES) == CV_SUCCESS && flow->solver &&
                      CVodeSetNonlinearSolver(flow->cvode, flow->solver) == CV_SUCCESS;
    return good ? THUD_OK : THUD_NO_MEMORY;
}

void flow_destroy(struct flow *flow)
{
    if (flow) {
        CVodeFree(&flow->cvode);
        if (flow->solver) {
            SUNNonlinSolFree(flow->solver);
        }
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

substep_result flow_run(thud_sim *sim, const double *tau, double *h)
{
    (void)tau;
    (void)h;
    return event_fail(sim, SUBSTEP_FAILED, "this build has no integrator for smooth phases");
}

#endif
