// SPDX-License-Identifier: Apache-2.0
// batch.c: many worlds of one model. The numbers of all worlds lie in one block, world behind world, so a quantity of all of them
// is one array with a stride; scratch (a sim) there is one for each thread, not for each world. Which thread takes a step changes no
// bit of it, so a batch gives what a plain loop gives.
#include <math.h>
#include <string.h>

#include <thud/base_pool.h>

#include "py.h"

PyTypeObject *py_batch_type;

enum { MOST = 1 << 24, LINE = 8 }; // worlds; doubles of a cache line

typedef struct told { // doubts of a world
    thud_doubt *doubt;
    int count, capacity;
} told;

typedef struct batch {
    PyObject ob_base;
    PyObject *model;
    const thud_model *m;
    int worlds, threads;
    thud_state *state; // worlds
    double *block;     // of all states
    size_t size;       // of one, in doubles
    thud_certificate *certificate;
    int *status;     // thud_status of the last call, of each world
    double *reading; // worlds x readings
    double *
        push; // worlds x bodies x 6: contact forces (force, torque about the world's origin); NULL: nobody asked
    told *told;
    thud_sim **sim;     // threads
    thud_sim **own;     // worlds: of those whose model is a variant; else NULL
    PyObject **variant; // worlds: that model, or NULL
    thud_step_options options;
    thud_pool *pool;
    thud_state *first; // a state as it is made
    atomic_flag busy;
} batch;

typedef struct job { // what all worlds are to do
    batch *b;
    int steps; // of each control
    bool certify, sense;
    const unsigned char *mask; // NULL: all
    const double *tau;         // worlds x nv, or NULL
    int controls;              // of a rollout, 0: the states' own
    const double *control;     // worlds x controls x nu
    double *states, *readings; // of a rollout: worlds x controls x (nq + nv), x readings; NULL: not wanted
} job;

// ---------------------------------------------------------------------------------------------- create

static bool place_states(batch *b)
{
    const thud_state *const first = b->first;
    const size_t used = (size_t)((const double *)(first->rest + first->nl) - first->qpos);
    b->size = (used + LINE - 1) / LINE * LINE;
    b->block = thud_alloc((size_t)b->worlds * b->size + LINE, sizeof *b->block);
    b->state = thud_alloc((size_t)b->worlds, sizeof *b->state);
    for (int i = 0; b->block && b->state && i < b->worlds; i++) {
        thud_state *const s = &b->state[i];
        *s = *first;
        s->warm = NULL;
        s->kept = NULL;
        s->warm_capacity = 0;
        double *const at = b->block + (size_t)i * b->size;
        s->qpos = at;
        s->qvel = at + (first->qvel - first->qpos);
        s->act = at + (first->act - first->qpos);
        s->ctrl = at + (first->ctrl - first->qpos);
        s->mocap = at + (first->mocap - first->qpos);
        s->acc = at + (first->acc - first->qpos);
        s->rest = (thud_rest *)(at + ((const double *)first->rest - first->qpos));
        if (thud_state_reserve(s, first->warm_capacity) != THUD_OK || thud_state_copy(first, s) != THUD_OK) {
            return false;
        }
    }
    return b->block && b->state;
}

static thud_status create(batch *b, const thud_step_options *options, thud_diag *diag)
{
    thud_step_options own = *options;
    own.threads = 1;
    b->options = own;
    THUD_TRY(thud_state_create(b->m, &b->first));
    THUD_TRY(thud_pool_create(b->threads, &b->pool));
    b->threads = thud_pool_threads(b->pool);
    const size_t n = (size_t)b->worlds;
    b->certificate = thud_alloc(n, sizeof *b->certificate);
    b->status = thud_alloc(n, sizeof *b->status);
    b->reading = thud_alloc(n * (size_t)b->m->readings + 1, sizeof *b->reading);
    b->told = thud_alloc(n, sizeof *b->told);
    b->sim = thud_alloc((size_t)b->threads, sizeof(thud_sim *));
    b->own = thud_alloc(n, sizeof(thud_sim *));
    b->variant = thud_alloc(n, sizeof(PyObject *));
    if (!b->own || !b->variant || !b->certificate || !b->status || !b->reading || !b->told || !b->sim ||
        !place_states(b)) {
        return THUD_NO_MEMORY;
    }
    for (int i = 0; i < b->threads; i++) {
        THUD_TRY(thud_sim_create(b->m, &own, &b->sim[i], diag));
    }
    return THUD_OK;
}

// Batch(model, worlds, threads, options)
static PyObject *batch_new(PyTypeObject *type, PyObject *args, PyObject *words)
{
    (void)type;
    (void)words;
    PyObject *of, *dict;
    int worlds, threads;
    if (!PyArg_ParseTuple(args, "OiiO:Batch", &of, &worlds, &threads, &dict)) {
        return NULL;
    }
    py_model *const model = py_as_model(of);
    if (!model || worlds < 1 || worlds > MOST || threads < 0 || threads > THUD_POOL_THREADS) {
        return model ? PyErr_Format(PyExc_ValueError, "a batch has 1 to %d worlds and 0 to %d threads", MOST,
                                    THUD_POOL_THREADS)
                     : NULL;
    }
    thud_step_options options = thud_step_defaults(model->m);
    if (!py_read_options(dict, &options)) {
        return NULL;
    }
    batch *const self = PyObject_New(batch, py_batch_type);
    if (!self) {
        return NULL;
    }
    memset((char *)self + sizeof(PyObject), 0, sizeof *self - sizeof(PyObject));
    self->model = Py_NewRef(of);
    self->m = model->m;
    self->worlds = worlds;
    self->threads = threads;
    atomic_flag_clear(&self->busy);
    thud_diag diag = {0};
    thud_status status;
    Py_BEGIN_ALLOW_THREADS status = create(self, &options, &diag);
    Py_END_ALLOW_THREADS if (status != THUD_OK)
    {
        Py_DECREF((PyObject *)self);
        return py_fail(status, &diag);
    }
    return (PyObject *)self;
}

static void batch_free(batch *b)
{
    PyTypeObject *const type = Py_TYPE((PyObject *)b);
    for (int i = 0; b->sim && i < b->threads; i++) {
        thud_sim_destroy(b->sim[i]);
    }
    for (int i = 0; i < b->worlds; i++) {
        if (b->state) {
            thud_free(b->state[i].warm);
            thud_free(b->state[i].kept);
        }
        if (b->told) {
            thud_free(b->told[i].doubt);
        }
        if (b->own) {
            thud_sim_destroy(b->own[i]);
        }
        if (b->variant) {
            Py_XDECREF(b->variant[i]);
        }
    }
    thud_free(b->own);
    thud_free(b->variant);
    thud_pool_destroy(b->pool);
    thud_state_destroy(b->first);
    thud_free(b->sim);
    thud_free(b->state);
    thud_free(b->block);
    thud_free(b->certificate);
    thud_free(b->status);
    thud_free(b->reading);
    thud_free(b->told);
    thud_free(b->push);
    Py_DECREF(b->model);
    PyObject_Free(b);
    Py_DECREF((PyObject *)type);
}

// ---------------------------------------------------------------------------------------------- step

static bool same_place(const thud_doubt *a, const thud_doubt *b)
{
    return a->kind == b->kind && memcmp(&a->where, &b->where, sizeof a->where) == 0;
}

// Adds what a sim found in a world to the world's own list. Without memory for it the counts of the certificates remain.
static void tell(told *to, const thud_doubt *doubt, int count)
{
    for (int i = 0; i < count; i++) {
        int k = 0;
        while (k < to->count && !same_place(&to->doubt[k], &doubt[i])) {
            k++;
        }
        if (k < to->count) {
            to->doubt[k].count += doubt[i].count;
            if (doubt[i].worst.value > to->doubt[k].worst.value) {
                to->doubt[k].worst = doubt[i].worst;
                to->doubt[k].limit = doubt[i].limit;
            }
        } else if (thud_grow((void **)&to->doubt, &to->capacity, to->count, sizeof *doubt)) {
            to->doubt[to->count++] = doubt[i];
        }
    }
}

static thud_status step_world(const job *j, thud_sim *sim, int i)
{
    batch *const b = j->b;
    thud_state *const s = &b->state[i];
    const double *const tau = j->tau ? j->tau + (size_t)i * (size_t)b->m->nv : NULL;
    thud_certificate *const c = j->certify ? &b->certificate[i] : NULL;
    for (int k = 0; k < j->steps; k++) {
        thud_status status = thud_sim_step(sim, tau, s, c);
        while (status == THUD_NO_MEMORY && thud_sim_grow(sim, s) == THUD_OK) {
            status = thud_sim_step(sim, tau, s, c);
        }
        THUD_TRY(status);
    }
    return THUD_OK;
}

static thud_status note_row(const job *j, thud_sim *sim, int i, int k)
{
    const batch *const b = j->b;
    const thud_state *const s = &b->state[i];
    const size_t row = (size_t)i * (size_t)j->controls + (size_t)k, nq = (size_t)b->m->nq,
                 nv = (size_t)b->m->nv;
    if (j->states) {
        memcpy(j->states + row * (nq + nv), s->qpos, nq * sizeof(double));
        memcpy(j->states + row * (nq + nv) + nq, s->qvel, nv * sizeof(double));
    }
    if (j->readings) {
        return thud_sim_sense(sim, s, j->readings + row * (size_t)b->m->readings);
    }
    return THUD_OK;
}

static thud_status roll_world(const job *j, thud_sim *sim, int i)
{
    const size_t nu = (size_t)j->b->m->actuators;
    for (int k = 0; k < j->controls; k++) {
        if (nu > 0) {
            memcpy(j->b->state[i].ctrl, j->control + ((size_t)i * (size_t)j->controls + (size_t)k) * nu,
                   nu * sizeof(double));
        }
        THUD_TRY(step_world(j, sim, i));
        THUD_TRY(note_row(j, sim, i, k));
    }
    return THUD_OK;
}

static void note_pushes(batch *b, const thud_sim *sim, int i)
{
    const size_t bodies = (size_t)b->m->bodies;
    for (size_t k = 0; k < bodies; k++) {
        const thud_force f = thud_sim_contact_force(sim, (int)k, (thud_vec3){0, 0, 0});
        const double x[6] = {f.lin.x, f.lin.y, f.lin.z, f.ang.x, f.ang.y, f.ang.z};
        memcpy(b->push + ((size_t)i * bodies + k) * 6, x, sizeof x);
    }
}

static void work(void *of, int first, int end, int worker)
{
    const job *const j = of;
    batch *const b = j->b;
    for (int i = first; i < end; i++) {
        thud_sim *const sim = b->own[i] ? b->own[i] : b->sim[worker];
        if (j->mask && !j->mask[i]) {
            continue;
        }
        if (j->certify) {
            thud_sim_forget_doubts(sim);
        }
        b->status[i] = (int)(j->controls > 0 ? roll_world(j, sim, i) : step_world(j, sim, i));
        int count = 0;
        const thud_doubt *const doubt = j->certify ? thud_sim_doubts(sim, &count) : NULL;
        tell(&b->told[i], doubt, count);
        if (b->push && b->status[i] == THUD_OK) {
            note_pushes(b, sim, i);
        }
        if (j->sense && b->m->readings > 0 && b->status[i] == THUD_OK) {
            b->status[i] =
                (int)thud_sim_sense(sim, &b->state[i], b->reading + (size_t)i * (size_t)b->m->readings);
        }
    }
}

static PyObject *run(batch *self, job *j)
{
    if (!py_enter(&self->busy, "batch")) {
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS thud_pool_run(self->pool, self->worlds, 1, work, j);
    Py_END_ALLOW_THREADS py_leave(&self->busy);
    Py_RETURN_NONE;
}

static bool take_mask(PyObject *from, Py_ssize_t worlds, Py_buffer *out)
{
    memset(out, 0, sizeof *out);
    if (from == Py_None) {
        return true;
    }
    if (PyObject_GetBuffer(from, out, PyBUF_SIMPLE) < 0) {
        return false;
    }
    if (out->len != worlds) {
        PyErr_Format(PyExc_ValueError, "mask: one byte for each of %zd worlds is wanted, not %zd", worlds,
                     out->len);
        PyBuffer_Release(out);
        return false;
    }
    return true;
}

static void give_mask(Py_buffer *mask)
{
    if (mask->obj) {
        PyBuffer_Release(mask);
    }
}

// step(k, tau or None, mask or None, certify, sense)
static PyObject *batch_step(batch *self, PyObject *args)
{
    PyObject *forces, *chosen, *answer = NULL;
    int certify, sense;
    job j = {.b = self};
    py_numbers tau;
    Py_buffer mask;
    if (!PyArg_ParseTuple(args, "iOOpp:step", &j.steps, &forces, &chosen, &certify, &sense) ||
        !py_take(forces, "tau", (Py_ssize_t)self->worlds * self->m->nv, true, &tau)) {
        return NULL;
    }
    if (take_mask(chosen, self->worlds, &mask)) {
        j.tau = tau.x;
        j.mask = mask.buf;
        j.certify = certify;
        j.sense = sense;
        answer = run(self, &j);
        give_mask(&mask);
    }
    py_release(&tau);
    return answer;
}

// rollout(controls, count, k, states or None, readings or None, certify)
static PyObject *batch_rollout(batch *self, PyObject *args)
{
    PyObject *from, *a, *b, *answer = NULL;
    int certify;
    job j = {.b = self};
    const Py_ssize_t n = self->worlds, nx = (Py_ssize_t)self->m->nq + self->m->nv;
    py_numbers control = {0}, states = {0}, readings = {0};
    if (!PyArg_ParseTuple(args, "OiiOOp:rollout", &from, &j.controls, &j.steps, &a, &b, &certify)) {
        return NULL;
    }
    const Py_ssize_t rows = n * j.controls;
    if (j.controls > 0 && py_take(from, "controls", rows * self->m->actuators, false, &control) &&
        (a == Py_None || py_take_writable(a, "states", rows * nx, &states)) &&
        (b == Py_None || py_take_writable(b, "sensors", rows * self->m->readings, &readings))) {
        j.control = control.x;
        j.states = states.x;
        j.readings = readings.x;
        j.certify = certify;
        answer = run(self, &j);
    } else if (!PyErr_Occurred()) {
        PyErr_SetString(PyExc_ValueError, "controls: there are none");
    }
    py_release(&control);
    py_release(&states);
    py_release(&readings);
    return answer;
}

// ---------------------------------------------------------------------------------------------- worlds

// reset(key, mask or None)
static PyObject *batch_reset(batch *self, PyObject *args)
{
    int key;
    PyObject *chosen;
    Py_buffer mask;
    if (!PyArg_ParseTuple(args, "iO:reset", &key, &chosen) || !take_mask(chosen, self->worlds, &mask)) {
        return NULL;
    }
    const unsigned char *const wanted = mask.buf;
    if (!py_enter(&self->busy, "batch")) {
        give_mask(&mask);
        return NULL;
    }
    thud_status status = key >= -1 && key < self->m->keys ? THUD_OK : THUD_BAD_ARGUMENT;
    for (int i = 0; i < self->worlds && status == THUD_OK; i++) {
        if (!wanted || wanted[i]) {
            status = thud_state_reset(self->m, key, &self->state[i]);
            self->status[i] = THUD_OK;
            self->told[i].count = 0;
            memset(&self->certificate[i], 0, sizeof self->certificate[i]);
        }
    }
    py_leave(&self->busy);
    give_mask(&mask);
    return status == THUD_OK ? Py_NewRef(Py_None) : py_fail_text(status, "there is no such keyframe");
}

static PyObject *batch_world(batch *self, PyObject *arg)
{
    const long i = PyLong_AsLong(arg);
    if (i < 0 || i >= self->worlds) {
        return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_IndexError, "no world %ld", i);
    }
    py_state *const s = PyObject_New(py_state, py_state_type);
    if (s) {
        s->s = &self->state[i];
        s->owner = Py_NewRef((PyObject *)self);
        s->m = self->m;
        s->borrowed = true;
        s->fits = self->m->hash;
        s->busy = &self->busy;
    }
    return (PyObject *)s;
}

// set_model(i, model): the world is stepped by this one, a variant of the batch's
static PyObject *batch_set_model(batch *self, PyObject *args)
{
    int i;
    PyObject *of;
    if (!PyArg_ParseTuple(args, "iO:set_model", &i, &of)) {
        return NULL;
    }
    py_model *const model = py_as_model(of);
    if (!model || i < 0 || i >= self->worlds) {
        return model ? PyErr_Format(PyExc_IndexError, "no world %d", i) : NULL;
    }
    if (!py_same_joints(self->m, model->m) || model->m->readings != self->m->readings) {
        return py_fail_text(THUD_BAD_ARGUMENT,
                            "the worlds of a batch have the same joints, actuators and sensors");
    }
    thud_step_options options = self->options;
    thud_diag diag = {0};
    thud_sim *sim = NULL;
    const thud_status status = thud_sim_create(model->m, &options, &sim, &diag);
    if (status != THUD_OK) {
        return py_fail(status, &diag);
    }
    if (!py_enter(&self->busy, "batch")) {
        thud_sim_destroy(sim);
        return NULL;
    }
    thud_sim_destroy(self->own[i]);
    PyObject *const before = self->variant[i];
    self->own[i] = sim;
    self->variant[i] = Py_NewRef(of);
    py_leave(&self->busy);
    Py_XDECREF(before);
    Py_RETURN_NONE;
}

static PyObject *batch_doubts(batch *self, PyObject *arg)
{
    const long i = PyLong_AsLong(arg);
    if (i < 0 || i >= self->worlds) {
        return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_IndexError, "no world %ld", i);
    }
    if (!py_enter(&self->busy, "batch")) {
        return NULL;
    }
    PyObject *const list = py_doubts(self->m, self->told[i].doubt, self->told[i].count);
    py_leave(&self->busy);
    return list;
}

static PyObject *batch_certificate(batch *self, PyObject *arg)
{
    const long i = PyLong_AsLong(arg);
    if (i < 0 || i >= self->worlds) {
        return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_IndexError, "no world %ld", i);
    }
    return py_certificate_new(&self->certificate[i]);
}

// arrays() -> (qpos, qvel, act, ctrl, mocap, sensordata, time, status)
static PyObject *batch_arrays(batch *self, PyObject *none)
{
    (void)none;
    const thud_state *const s = self->state;
    double *const data[] = {s->qpos, s->qvel, s->act, s->ctrl, s->mocap};
    const int count[] = {s->nq, s->nv, s->na, s->nu, s->nm};
    PyObject *const all = PyTuple_New(8);
    if (!all) {
        return NULL;
    }
    for (int i = 0; i < 8; i++) {
        py_shape shape = {.dims = 2, .size = {self->worlds}};
        PyObject *one;
        if (i < 5) {
            shape.dims = i == 4 ? 3 : 2;
            shape.size[1] = count[i];
            shape.size[2] = 7;
            shape.stride[0] = (Py_ssize_t)(self->size * sizeof(double));
            one = py_view((PyObject *)self, data[i], 'd', shape, false);
        } else if (i == 5) {
            shape.size[1] = self->m->readings;
            one = py_view((PyObject *)self, self->reading, 'd', shape, true);
        } else {
            shape.dims = 1;
            shape.stride[0] = i == 6 ? (Py_ssize_t)sizeof(thud_state) : (Py_ssize_t)sizeof(int);
            one = i == 6 ? py_view((PyObject *)self, &self->state->time, 'd', shape, false)
                         : py_view((PyObject *)self, self->status, 'i', shape, true);
        }
        if (!one || PyTuple_SetItem(all, i, one) < 0) {
            Py_DECREF(all);
            return NULL;
        }
    }
    return all;
}

// contact_forces() -> view n x bodies x 6, kept from now on: force, and torque about the world's origin
static PyObject *batch_contact_forces(batch *self, PyObject *none)
{
    (void)none;
    if (!py_enter(&self->busy, "batch")) {
        return NULL;
    }
    if (!self->push) {
        self->push = thud_alloc((size_t)self->worlds * (size_t)self->m->bodies * 6, sizeof *self->push);
    }
    py_leave(&self->busy);
    const py_shape shape = {.dims = 3, .size = {self->worlds, self->m->bodies, 6}};
    return self->push ? py_view((PyObject *)self, self->push, 'd', shape, true) : PyErr_NoMemory();
}

// certificates(offset, whole number) -> view of one number of all worlds' certificates
static PyObject *batch_certificates(batch *self, PyObject *args)
{
    int at, whole;
    if (!PyArg_ParseTuple(args, "ip:certificates", &at, &whole)) {
        return NULL;
    }
    if (at < 0 || (size_t)at + (whole ? sizeof(int) : sizeof(double)) > sizeof(thud_certificate)) {
        PyErr_SetString(PyExc_IndexError, "no such number");
        return NULL;
    }
    const py_shape shape = {.dims = 1, .size = {self->worlds}, .stride = {sizeof(thud_certificate)}};
    return py_view((PyObject *)self, (char *)self->certificate + at, whole ? 'i' : 'd', shape, true);
}

static PyObject *get_threads(batch *self, void *closure)
{
    (void)closure;
    return PyLong_FromLong(self->threads);
}

int py_batch_init(PyObject *module)
{
    static PyMethodDef methods[] = {
        {"step", (PyCFunction)batch_step, METH_VARARGS, "step(k, tau, mask, certify, sense)."},
        {"rollout", (PyCFunction)batch_rollout, METH_VARARGS,
         "rollout(controls, count, k, states, readings, certify)."},
        {"reset", (PyCFunction)batch_reset, METH_VARARGS, "reset(key, mask)."},
        {"world", (PyCFunction)batch_world, METH_O, "world(i) -> State: the batch's own."},
        {"set_model", (PyCFunction)batch_set_model, METH_VARARGS, "set_model(i, model): of a world."},
        {"doubts", (PyCFunction)batch_doubts, METH_O, "doubts(i) -> of a world."},
        {"certificate", (PyCFunction)batch_certificate, METH_O, "certificate(i) -> of a world's last step."},
        {"contact_forces", (PyCFunction)batch_contact_forces, METH_NOARGS, "contact_forces() -> view."},
        {"arrays", (PyCFunction)batch_arrays, METH_NOARGS,
         "arrays() -> views of qpos, qvel, act, ctrl, mocap, sensordata, time, status."},
        {"certificates", (PyCFunction)batch_certificates, METH_VARARGS,
         "certificates(offset, whole) -> view."},
        {NULL, NULL, 0, NULL}};
    static PyGetSetDef values[] = {{"threads", (getter)get_threads, NULL, "that it has", NULL},
                                   {NULL, NULL, NULL, NULL, NULL}};
    PyType_Slot slots[] = {{Py_tp_new, batch_new},
                           {Py_tp_dealloc, batch_free},
                           {Py_tp_methods, methods},
                           {Py_tp_getset, values},
                           {0, NULL}};
    PyType_Spec spec = {"thud._core.Batch", sizeof(batch), 0, Py_TPFLAGS_DEFAULT, slots};
    py_batch_type = py_add_type(module, &spec);
    return py_batch_type ? 0 : -1;
}
