// SPDX-License-Identifier: Apache-2.0
// sim.c: sims and their steps.
#include <string.h>

#include "py.h"

PyTypeObject *py_sim_type;

py_sim *py_as_sim(PyObject *obj)
{
    if (!PyObject_TypeCheck(obj, py_sim_type)) {
        PyErr_SetString(PyExc_TypeError, "a sim is wanted");
        return NULL;
    }
    return (py_sim *)obj;
}

// Sim(model, options)
static PyObject *sim_new(PyTypeObject *type, PyObject *args, PyObject *words)
{
    (void)type;
    (void)words;
    PyObject *of, *dict;
    if (!PyArg_ParseTuple(args, "OO:Sim", &of, &dict)) {
        return NULL;
    }
    py_model *const model = py_as_model(of);
    if (!model) {
        return NULL;
    }
    thud_step_options options = thud_step_defaults(model->m);
    thud_diag diag = {0};
    thud_sim *sim = NULL;
    if (!py_read_options(dict, &options)) {
        return NULL;
    }
    const thud_status status = thud_sim_create(model->m, &options, &sim, &diag);
    if (status != THUD_OK) {
        return py_fail(status, &diag);
    }
    py_sim *const self = PyObject_New(py_sim, py_sim_type);
    if (!self) {
        thud_sim_destroy(sim);
        return NULL;
    }
    self->sim = sim;
    self->model = Py_NewRef(of);
    self->m = model->m;
    self->options = options;
    atomic_flag_clear(&self->busy);
    return (PyObject *)self;
}

static void sim_free(py_sim *self)
{
    PyTypeObject *const type = Py_TYPE((PyObject *)self);
    thud_sim_destroy(self->sim);
    Py_DECREF(self->model);
    PyObject_Free(self);
    Py_DECREF((PyObject *)type);
}

// Both for this thread alone; false: an exception is set.
static bool enter(py_sim *self, py_state *s)
{
    if (!py_enter(&self->busy, "sim")) {
        return false;
    }
    if (!py_enter(s->busy, "state")) {
        py_leave(&self->busy);
        return false;
    }
    return true;
}

static void leave(py_sim *self, py_state *s)
{
    py_leave(s->busy);
    py_leave(&self->busy);
}

static PyObject *failed(py_sim *self, thud_status status)
{
    const char *const reason = thud_sim_reason(self->sim);
    return reason && reason[0] ? py_fail_text(status, reason) : py_fail(status, NULL);
}

static thud_status step(thud_sim *sim, const double *tau, thud_state *s, thud_certificate *c)
{
    thud_status status = thud_sim_step(sim, tau, s, c);
    while (status == THUD_NO_MEMORY && thud_sim_grow(sim, s) == THUD_OK) { // room for more contacts
        status = thud_sim_step(sim, tau, s, c);
    }
    return status;
}

// step(state, tau or None, certify) -> Certificate or None
static PyObject *sim_step(py_sim *self, PyObject *const *args, Py_ssize_t count)
{
    if (count != 3) {
        return py_bad_count("step", count, 3);
    }
    py_state *const s = py_as_state(args[0], self->m);
    py_numbers tau = {0};
    if (!s || (args[1] != Py_None && !py_take(args[1], "tau", self->m->nv, false, &tau))) {
        return NULL;
    }
    py_certificate *const out =
        args[2] == Py_False ? NULL : PyObject_New(py_certificate, py_certificate_type);
    if ((args[2] != Py_False && !out) || !enter(self, s)) {
        Py_XDECREF((PyObject *)out);
        py_release(&tau);
        return NULL;
    }
    thud_status status;
    Py_BEGIN_ALLOW_THREADS status = step(self->sim, tau.x, s->s, out ? &out->c : NULL);
    Py_END_ALLOW_THREADS PyObject *const failure = status == THUD_OK ? NULL : failed(self, status);
    (void)failure;
    leave(self, s);
    py_release(&tau);
    if (status != THUD_OK) {
        Py_XDECREF((PyObject *)out);
        return NULL;
    }
    return out ? (PyObject *)out : Py_NewRef(Py_None);
}

// run(state, tau or None, k) -> (steps taken, last certificate): k steps, with a certificate of the last alone
static PyObject *sim_run(py_sim *self, PyObject *args)
{
    PyObject *of, *forces;
    Py_ssize_t k;
    py_numbers tau;
    if (!PyArg_ParseTuple(args, "OOn:run", &of, &forces, &k)) {
        return NULL;
    }
    py_state *const s = py_as_state(of, self->m);
    if (!s || !py_take(forces, "tau", self->m->nv, true, &tau)) {
        return NULL;
    }
    if (!enter(self, s)) {
        py_release(&tau);
        return NULL;
    }
    thud_certificate c = {0};
    thud_status status = THUD_OK;
    Py_BEGIN_ALLOW_THREADS for (Py_ssize_t i = 0; i < k && status == THUD_OK; i++)
    {
        status = step(self->sim, tau.x, s->s, i == k - 1 ? &c : NULL);
    }
    Py_END_ALLOW_THREADS PyObject *const answer =
        status == THUD_OK ? py_certificate_new(&c) : failed(self, status);
    leave(self, s);
    py_release(&tau);
    return answer;
}

static PyObject *sim_energy(py_sim *self, PyObject *of)
{
    py_state *const s = py_as_state(of, self->m);
    if (!s || !enter(self, s)) {
        return NULL;
    }
    const thud_energy e = thud_sim_energy(self->sim, s->s);
    leave(self, s);
    return Py_BuildValue("dd", e.kinetic, e.potential);
}

// sense(state, out)
static PyObject *sim_sense(py_sim *self, PyObject *args)
{
    PyObject *of, *to;
    py_numbers out;
    if (!PyArg_ParseTuple(args, "OO:sense", &of, &to)) {
        return NULL;
    }
    py_state *const s = py_as_state(of, self->m);
    if (!s || !py_take_writable(to, "out", self->m->readings, &out)) {
        return NULL;
    }
    if (!enter(self, s)) {
        py_release(&out);
        return NULL;
    }
    thud_status status;
    Py_BEGIN_ALLOW_THREADS status = thud_sim_sense(self->sim, s->s, out.x);
    Py_END_ALLOW_THREADS PyObject *const answer =
        status == THUD_OK ? Py_NewRef(Py_None) : failed(self, status);
    leave(self, s);
    py_release(&out);
    return answer;
}

typedef thud_status the_other_way(thud_sim *sim, const double *given, const thud_state *s, double *out);

static PyObject *evaluate(py_sim *self, PyObject *args, the_other_way *function, const char *name,
                          bool optional)
{
    PyObject *of, *from, *to;
    py_numbers given, out;
    if (!PyArg_ParseTuple(args, "OOO", &of, &from, &to)) {
        return NULL;
    }
    py_state *const s = py_as_state(of, self->m);
    if (!s || !py_take(from, name, self->m->nv, optional, &given)) {
        return NULL;
    }
    if (!py_take_writable(to, "out", self->m->nv, &out)) {
        py_release(&given);
        return NULL;
    }
    PyObject *answer = NULL;
    if (enter(self, s)) {
        thud_status status;
        Py_BEGIN_ALLOW_THREADS status = function(self->sim, given.x, s->s, out.x);
        while (status == THUD_NO_MEMORY && thud_sim_grow(self->sim, s->s) == THUD_OK) {
            status = function(self->sim, given.x, s->s, out.x);
        }
        Py_END_ALLOW_THREADS answer = status == THUD_OK ? Py_NewRef(Py_None) : failed(self, status);
        leave(self, s);
    }
    py_release(&given);
    py_release(&out);
    return answer;
}

static PyObject *sim_forward(py_sim *self, PyObject *args)
{
    return evaluate(self, args, thud_sim_forward, "tau", true);
}

static PyObject *sim_inverse(py_sim *self, PyObject *args)
{
    return evaluate(self, args, thud_sim_inverse, "qacc", false);
}

static PyObject *sim_constraint_force(py_sim *self, PyObject *to)
{
    py_numbers out;
    if (!py_take_writable(to, "out", self->m->nv, &out)) {
        return NULL;
    }
    PyObject *answer = NULL;
    if (py_enter(&self->busy, "sim")) {
        thud_sim_constraint_force(self->sim, out.x);
        py_leave(&self->busy);
        answer = Py_NewRef(Py_None);
    }
    py_release(&out);
    return answer;
}

// contact_force(body, point) -> (force, torque)
static PyObject *sim_contact_force(py_sim *self, PyObject *args)
{
    int body;
    PyObject *from;
    thud_vec3 point;
    if (!PyArg_ParseTuple(args, "iO:contact_force", &body, &from) || !py_read_vec3(from, "point", &point)) {
        return NULL;
    }
    if (body < 0 || body >= self->m->bodies) {
        return PyErr_Format(PyExc_IndexError, "no body %d", body);
    }
    if (!py_enter(&self->busy, "sim")) {
        return NULL;
    }
    const thud_force f = thud_sim_contact_force(self->sim, body, point);
    py_leave(&self->busy);
    return Py_BuildValue("(ddd)(ddd)", f.lin.x, f.lin.y, f.lin.z, f.ang.x, f.ang.y, f.ang.z);
}

static PyObject *sim_sleeps(py_sim *self, PyObject *args)
{
    PyObject *of;
    int body;
    if (!PyArg_ParseTuple(args, "Oi:sleeps", &of, &body)) {
        return NULL;
    }
    py_state *const s = py_as_state(of, self->m);
    if (!s || body < 0 || body >= self->m->bodies) {
        return s ? PyErr_Format(PyExc_IndexError, "no body %d", body) : NULL;
    }
    return PyBool_FromLong(thud_sim_sleeps(self->sim, s->s, body));
}

static PyObject *sim_doubts(py_sim *self, PyObject *none)
{
    (void)none;
    if (!py_enter(&self->busy, "sim")) {
        return NULL;
    }
    int count = 0;
    const thud_doubt *const doubt = thud_sim_doubts(self->sim, &count);
    PyObject *const list = py_doubts(self->m, doubt, count);
    py_leave(&self->busy);
    return list;
}

static PyObject *sim_forget_doubts(py_sim *self, PyObject *none)
{
    (void)none;
    if (!py_enter(&self->busy, "sim")) {
        return NULL;
    }
    thud_sim_forget_doubts(self->sim);
    py_leave(&self->busy);
    Py_RETURN_NONE;
}

static PyObject *sim_events(py_sim *self, PyObject *none)
{
    (void)none;
    int count = 0;
    const thud_event *const e = thud_sim_events(self->sim, &count);
    PyObject *const list = PyList_New(count);
    for (int i = 0; list && i < count; i++) {
        PyObject *const item = Py_BuildValue("dsiiii(ddd)(dd)(dd)di", e[i].time, thud_event_name(e[i].kind),
                                             e[i].body1, e[i].body2, e[i].joint, e[i].tendon, e[i].impulse[0],
                                             e[i].impulse[1], e[i].impulse[2], e[i].speed[0], e[i].speed[1],
                                             e[i].slip[0], e[i].slip[1], e[i].energy, e[i].together);
        if (!item) {
            Py_DECREF(list);
            return NULL;
        }
        PyList_SetItem(list, i, item);
    }
    return list;
}

static PyObject *get_h(py_sim *self, void *closure)
{
    (void)closure;
    return PyFloat_FromDouble(self->options.h);
}

static PyObject *get_integrator(py_sim *self, void *closure)
{
    (void)closure;
    return PyUnicode_FromString(thud_integrator_name(thud_sim_integrator(self->sim)));
}

PyObject *py_sim_touches(py_sim *self, PyObject *none);
PyObject *py_sim_problem(py_sim *self, PyObject *none);
PyObject *py_sim_blocks(py_sim *self, PyObject *none);

int py_sim_init(PyObject *module)
{
    static PyMethodDef methods[] = {
        {"step", (PyCFunction)(void (*)(void))sim_step, METH_FASTCALL,
         "step(state, tau, certify) -> Certificate or None."},
        {"run", (PyCFunction)sim_run, METH_VARARGS,
         "run(state, tau, k) -> Certificate of the last of k steps."},
        {"energy", (PyCFunction)sim_energy, METH_O, "energy(state) -> (kinetic, potential), J."},
        {"sense", (PyCFunction)sim_sense, METH_VARARGS, "sense(state, out): what the sensors read."},
        {"forward", (PyCFunction)sim_forward, METH_VARARGS, "forward(state, tau, out): accelerations."},
        {"inverse", (PyCFunction)sim_inverse, METH_VARARGS, "inverse(state, qacc, out): joint forces."},
        {"constraint_force", (PyCFunction)sim_constraint_force, METH_O,
         "constraint_force(out): after forward."},
        {"contact_force", (PyCFunction)sim_contact_force, METH_VARARGS,
         "contact_force(body, point) -> (force, torque)."},
        {"sleeps", (PyCFunction)sim_sleeps, METH_VARARGS, "sleeps(state, body) -> bool."},
        {"doubts", (PyCFunction)sim_doubts, METH_NOARGS, "doubts() -> of all steps."},
        {"forget_doubts", (PyCFunction)sim_forget_doubts, METH_NOARGS, "forget_doubts()."},
        {"events", (PyCFunction)sim_events, METH_NOARGS, "events() -> of the last step."},
        {"touches", (PyCFunction)py_sim_touches, METH_NOARGS,
         "touches() -> what contacts carried in the last step."},
        {"blocks", (PyCFunction)py_sim_blocks, METH_NOARGS,
         "blocks() -> contacts of the last problem, with frames."},
        {"problem", (PyCFunction)py_sim_problem, METH_NOARGS,
         "problem() -> the islands of the last contact problem."},
        {NULL, NULL, 0, NULL}};
    static PyGetSetDef values[] = {{"h", (getter)get_h, NULL, "s", NULL},
                                   {"integrator", (getter)get_integrator, NULL, "how steps are taken", NULL},
                                   {NULL, NULL, NULL, NULL, NULL}};
    PyType_Slot slots[] = {{Py_tp_new, sim_new},
                           {Py_tp_dealloc, sim_free},
                           {Py_tp_methods, methods},
                           {Py_tp_getset, values},
                           {0, NULL}};
    PyType_Spec spec = {"thud._core.Sim", sizeof(py_sim), 0, Py_TPFLAGS_DEFAULT, slots};
    py_sim_type = py_add_type(module, &spec);
    return py_sim_type ? 0 : -1;
}
