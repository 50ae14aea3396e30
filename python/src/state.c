// SPDX-License-Identifier: Apache-2.0
// state.c: states, their arrays, and how they are saved.
#include <string.h>

#include "py.h"

PyTypeObject *py_state_type;

bool py_same_joints(const thud_model *a, const thud_model *b)
{
    bool same = a->joints == b->joints && a->nq == b->nq && a->nv == b->nv &&
                a->activations == b->activations && a->actuators == b->actuators && a->mocaps == b->mocaps;
    for (int j = 0; same && j < a->joints; j++) {
        const char *const one = thud_model_name(a, THUD_KIND_JOINT, j), *const other = thud_model_name(
                                                                            b, THUD_KIND_JOINT, j);
        same = a->joint_type[j] == b->joint_type[j] && strcmp(one ? one : "", other ? other : "") == 0;
    }
    return same;
}

py_state *py_as_state(PyObject *obj, const thud_model *m)
{
    if (!PyObject_TypeCheck(obj, py_state_type)) {
        PyErr_SetString(PyExc_TypeError, "a state is wanted");
        return NULL;
    }
    py_state *const s = (py_state *)obj;
    if (m && m->hash != s->fits) {
        if (!py_same_joints(s->m, m)) {
            PyErr_SetString(PyExc_ValueError, "this state was made for another model");
            return NULL;
        }
        s->fits = m->hash;
    }
    return s;
}

static PyObject *state_new(PyTypeObject *type, PyObject *args, PyObject *words)
{
    (void)type;
    (void)words;
    PyObject *of;
    if (!PyArg_ParseTuple(args, "O:State", &of)) {
        return NULL;
    }
    py_model *const model = py_as_model(of);
    thud_state *s = NULL;
    if (!model) {
        return NULL;
    }
    const thud_status status = thud_state_create(model->m, &s);
    if (status != THUD_OK) {
        return py_fail(status, NULL);
    }
    py_state *const self = PyObject_New(py_state, py_state_type);
    if (!self) {
        thud_state_destroy(s);
        return NULL;
    }
    self->s = s;
    self->owner = Py_NewRef(of);
    self->m = model->m;
    self->borrowed = false;
    self->fits = model->m->hash;
    atomic_flag_clear(&self->own);
    self->busy = &self->own;
    return (PyObject *)self;
}

static void state_free(py_state *self)
{
    PyTypeObject *const type = Py_TYPE((PyObject *)self);
    if (!self->borrowed) {
        thud_state_destroy(self->s);
    }
    Py_DECREF(self->owner);
    PyObject_Free(self);
    Py_DECREF((PyObject *)type);
}

// arrays() -> (qpos, qvel, act, ctrl, mocap): writable views
static PyObject *state_arrays(py_state *self, PyObject *none)
{
    (void)none;
    thud_state *const s = self->s;
    double *const data[] = {s->qpos, s->qvel, s->act, s->ctrl, s->mocap};
    const int count[] = {s->nq, s->nv, s->na, s->nu, s->nm};
    PyObject *const all = PyTuple_New(5);
    for (int i = 0; all && i < 5; i++) {
        py_shape shape = {.dims = i == 4 ? 2 : 1, .size = {count[i], 7}};
        PyObject *const one = py_view((PyObject *)self, data[i], 'd', shape, false);
        if (!one || PyTuple_SetItem(all, i, one) < 0) {
            Py_DECREF(all);
            return NULL;
        }
    }
    return all;
}

static PyObject *state_reset(py_state *self, PyObject *arg)
{
    const long key = PyLong_AsLong(arg);
    if ((key == -1 && PyErr_Occurred()) || !py_enter(self->busy, "state")) {
        return NULL;
    }
    const thud_status status = thud_state_reset(self->m, (int)key, self->s);
    py_leave(self->busy);
    return status == THUD_OK ? Py_NewRef(Py_None) : py_fail_text(status, "there is no such keyframe");
}

// set(qpos or None, qvel or None): quaternions are normalised, the last impulses forgotten
static PyObject *state_set(py_state *self, PyObject *args)
{
    PyObject *q, *v;
    py_numbers qpos = {0}, qvel = {0};
    if (!PyArg_ParseTuple(args, "OO:set", &q, &v) || !py_take(q, "qpos", self->s->nq, true, &qpos)) {
        return NULL;
    }
    if (!py_take(v, "qvel", self->s->nv, true, &qvel) || !py_enter(self->busy, "state")) {
        py_release(&qpos);
        py_release(&qvel);
        return NULL;
    }
    const thud_status status = thud_state_set(self->m, qpos.x, qvel.x, self->s);
    py_leave(self->busy);
    py_release(&qpos);
    py_release(&qvel);
    return status == THUD_OK ? Py_NewRef(Py_None)
                             : py_fail_text(status, "a number is not finite, or a quaternion has no length");
}

static PyObject *state_place(py_state *self, PyObject *args)
{
    int body;
    PyObject *from;
    py_numbers pose;
    if (!PyArg_ParseTuple(args, "iO:place", &body, &from) || !py_take(from, "pose", 7, false, &pose)) {
        return NULL;
    }
    const double *const x = pose.x;
    const thud_pose X = {{x[3], x[4], x[5], x[6]}, {x[0], x[1], x[2]}};
    const thud_status status = thud_state_place(self->m, body, X, self->s);
    py_release(&pose);
    return status == THUD_OK
               ? Py_NewRef(Py_None)
               : py_fail_text(
                     status,
                     "it is no mocap body, or the pose is not finite or has a quaternion without length");
}

static PyObject *state_copy_from(py_state *self, PyObject *other)
{
    py_state *const from = py_as_state(other, self->m);
    if (!from || from == self) {
        return from ? Py_NewRef(Py_None) : NULL;
    }
    if (!py_enter(from->busy, "state")) {
        return NULL;
    }
    if (!py_enter(self->busy, "state")) {
        py_leave(from->busy);
        return NULL;
    }
    const thud_status status = thud_state_copy(from->s, self->s);
    py_leave(self->busy);
    py_leave(from->busy);
    return status == THUD_OK ? Py_NewRef(Py_None) : py_fail(status, NULL);
}

static PyObject *state_save(py_state *self, PyObject *none)
{
    (void)none;
    if (!py_enter(self->busy, "state")) {
        return NULL;
    }
    PyObject *const blob = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)thud_state_bytes(self->s));
    if (blob) {
        thud_state_save(self->s, PyBytes_AsString(blob));
    }
    py_leave(self->busy);
    return blob;
}

static PyObject *state_load(py_state *self, PyObject *blob)
{
    Py_buffer buffer;
    thud_diag diag = {0};
    if (PyObject_GetBuffer(blob, &buffer, PyBUF_SIMPLE) < 0) {
        return NULL;
    }
    if (!py_enter(self->busy, "state")) {
        PyBuffer_Release(&buffer);
        return NULL;
    }
    const thud_status status = thud_state_load(self->m, buffer.buf, (size_t)buffer.len, self->s, &diag);
    py_leave(self->busy);
    PyBuffer_Release(&buffer);
    return status == THUD_OK ? Py_NewRef(Py_None) : py_fail(status, &diag);
}

static PyObject *state_hash(py_state *self, PyObject *none)
{
    (void)none;
    return PyLong_FromUnsignedLongLong(thud_state_hash(self->s));
}

static PyObject *get_time(py_state *self, void *closure)
{
    (void)closure;
    return PyFloat_FromDouble(self->s->time);
}

static int set_time(py_state *self, PyObject *value, void *closure)
{
    (void)closure;
    const double time = value ? PyFloat_AsDouble(value) : -1;
    if (PyErr_Occurred()) {
        return -1;
    }
    if (!value || !(time > -1e300 && time < 1e300)) {
        PyErr_SetString(PyExc_ValueError, "time: a finite number of seconds is wanted");
        return -1;
    }
    self->s->time = time;
    return 0;
}

static PyObject *get_steps(py_state *self, void *closure)
{
    (void)closure;
    return PyLong_FromLongLong(self->s->steps);
}

int py_state_init(PyObject *module)
{
    static PyMethodDef methods[] = {
        {"arrays", (PyCFunction)state_arrays, METH_NOARGS,
         "arrays() -> views of qpos, qvel, act, ctrl, mocap."},
        {"reset", (PyCFunction)state_reset, METH_O, "reset(key): to a keyframe; -1: the reference pose."},
        {"set", (PyCFunction)state_set, METH_VARARGS, "set(qpos, qvel); None leaves them."},
        {"place", (PyCFunction)state_place, METH_VARARGS, "place(body, pose): of a mocap body."},
        {"copy_from", (PyCFunction)state_copy_from, METH_O, "copy_from(state)."},
        {"save", (PyCFunction)state_save, METH_NOARGS, "save() -> bytes."},
        {"load", (PyCFunction)state_load, METH_O, "load(bytes)."},
        {"hash", (PyCFunction)state_hash, METH_NOARGS, "hash() -> of every bit the next step depends on."},
        {NULL, NULL, 0, NULL}};
    static PyGetSetDef values[] = {{"time", (getter)get_time, (setter)set_time, "s", NULL},
                                   {"steps", (getter)get_steps, NULL, "taken since the reset", NULL},
                                   {NULL, NULL, NULL, NULL, NULL}};
    PyType_Slot slots[] = {{Py_tp_new, state_new},
                           {Py_tp_dealloc, state_free},
                           {Py_tp_methods, methods},
                           {Py_tp_getset, values},
                           {0, NULL}};
    PyType_Spec spec = {"thud._core.State", sizeof(py_state), 0, Py_TPFLAGS_DEFAULT, slots};
    py_state_type = py_add_type(module, &spec);
    return py_state_type ? 0 : -1;
}
