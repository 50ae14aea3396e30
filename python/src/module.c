// SPDX-License-Identifier: Apache-2.0
// module.c: the module thud._core, and what its files share.
#include <string.h>

#include "py.h"

static PyObject *fail_function; // of (status, text, file, line, column): raises

PyObject *py_fail(thud_status status, const thud_diag *diag)
{
    if (status == THUD_NO_MEMORY && (!diag || !diag->text[0])) {
        return PyErr_NoMemory();
    }
    const char *const text = diag && diag->text[0] ? diag->text : thud_status_text(status);
    if (!fail_function) {
        PyErr_SetString(PyExc_RuntimeError, text);
        return NULL;
    }
    PyObject *const file = diag && diag->file[0] ? PyUnicode_DecodeFSDefault(diag->file) : Py_NewRef(Py_None);
    PyObject *const words = file ? PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace") : NULL;
    PyObject *const answer = words ? PyObject_CallFunction(fail_function, "iOOii", (int)status, words, file,
                                                           diag ? diag->line : 0, diag ? diag->column : 0)
                                   : NULL;
    if (answer) {
        PyErr_SetString(PyExc_SystemError, "thud: the function for failures did not raise");
    }
    Py_XDECREF(answer);
    Py_XDECREF(words);
    Py_XDECREF(file);
    return NULL;
}

PyObject *py_fail_text(thud_status status, const char *text)
{
    thud_diag diag = {0};
    PyOS_snprintf(diag.text, sizeof diag.text, "%s", text);
    return py_fail(status, &diag);
}

PyObject *py_bad_count(const char *name, Py_ssize_t given, Py_ssize_t wanted)
{
    PyErr_Format(PyExc_TypeError, "%s takes %zd arguments, not %zd", name, wanted, given);
    return NULL;
}

PyTypeObject *py_add_type(PyObject *module, PyType_Spec *spec)
{
    PyTypeObject *const type = (PyTypeObject *)PyType_FromSpec(spec);
    if (!type || PyModule_AddType(module, type) < 0) {
        Py_XDECREF((PyObject *)type);
        return NULL;
    }
    return type;
}

// ---------------------------------------------------------------------------------------------- numbers

static bool take(PyObject *from, const char *name, Py_ssize_t count, int flags, py_numbers *out)
{
    memset(out, 0, sizeof *out);
    if (PyObject_GetBuffer(from, &out->buffer, flags) < 0) {
        return false;
    }
    const char *const format = out->buffer.format;
    if (!format || strcmp(format, "d") != 0) {
        PyErr_Format(PyExc_TypeError, "%s: float64 numbers are wanted", name);
        py_release(out);
        return false;
    }
    out->x = out->buffer.buf;
    out->count = out->buffer.len / (Py_ssize_t)sizeof(double);
    if (count >= 0 && out->count != count) {
        PyErr_Format(PyExc_ValueError, "%s: %zd numbers are wanted, not %zd", name, count, out->count);
        py_release(out);
        return false;
    }
    return true;
}

bool py_take(PyObject *from, const char *name, Py_ssize_t count, bool optional, py_numbers *out)
{
    if (optional && from == Py_None) {
        memset(out, 0, sizeof *out);
        return true;
    }
    return take(from, name, count, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT, out);
}

bool py_take_writable(PyObject *from, const char *name, Py_ssize_t count, py_numbers *out)
{
    return take(from, name, count, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | PyBUF_WRITABLE, out);
}

void py_release(py_numbers *numbers)
{
    if (numbers->buffer.obj) {
        PyBuffer_Release(&numbers->buffer);
    }
    numbers->x = NULL;
}

static PyObject *zeroed(size_t bytes, void **x)
{
    PyObject *const block = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)bytes);
    if (block) {
        *x = PyByteArray_AsString(block);
        memset(*x, 0, bytes);
    }
    return block;
}

PyObject *py_doubles(size_t count, double **x)
{
    return zeroed(count * sizeof(double), (void **)x);
}

PyObject *py_ints(size_t count, int **x)
{
    return zeroed(count * sizeof(int), (void **)x);
}

PyObject *py_vec3(thud_vec3 v)
{
    return Py_BuildValue("ddd", v.x, v.y, v.z);
}

bool py_read_vec3(PyObject *from, const char *name, thud_vec3 *out)
{
    py_numbers x;
    if (!py_take(from, name, 3, false, &x)) {
        return false;
    }
    *out = (thud_vec3){x.x[0], x.x[1], x.x[2]};
    py_release(&x);
    if (!thud_all_finite(3, &out->x)) {
        PyErr_Format(PyExc_ValueError, "%s: not finite", name);
        return false;
    }
    return true;
}

// ---------------------------------------------------------------------------------------------- threads

bool py_enter(atomic_flag *busy, const char *what)
{
    if (atomic_flag_test_and_set_explicit(busy, memory_order_acquire)) {
        PyErr_Format(PyExc_RuntimeError,
                     "this %s is used by another thread at this moment: make one %s a thread", what, what);
        return false;
    }
    return true;
}

void py_leave(atomic_flag *busy)
{
    atomic_flag_clear_explicit(busy, memory_order_release);
}

// ---------------------------------------------------------------------------------------------- functions

static PyObject *set_fail(PyObject *self, PyObject *function)
{
    (void)self;
    Py_XDECREF(fail_function);
    fail_function = Py_NewRef(function);
    Py_RETURN_NONE;
}

static PyObject *version(PyObject *self, PyObject *none)
{
    (void)self;
    (void)none;
    return Py_BuildValue("sss", thud_version(), thud_commit(), thud_parts());
}

static PyObject *cores(PyObject *self, PyObject *none)
{
    (void)self;
    (void)none;
    return PyLong_FromLong(thud_cores());
}

static PyMethodDef functions[] = {
    {"set_fail", set_fail, METH_O, "set_fail(function): it raises for (status, text, file, line, column)."},
    {"version", version, METH_NOARGS, "version() -> (version, commit, optional parts)."},
    {"cores", cores, METH_NOARGS, "cores() -> how many cores this thread may run on."},
    {NULL, NULL, 0, NULL}};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_core", "The library thud, thinly.", -1, functions, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__core(void);
PyMODINIT_FUNC PyInit__core(void)
{
    PyObject *const module = PyModule_Create(&definition);
    if (!module) {
        return NULL;
    }
#ifdef Py_GIL_DISABLED
    PyUnstable_Module_SetGIL(module, Py_MOD_GIL_NOT_USED);
#endif
    if (py_view_init(module) < 0 || py_model_init(module) < 0 || py_state_init(module) < 0 ||
        py_sim_init(module) < 0 || py_look_init(module) < 0 || py_dynamics_init(module) < 0 ||
        py_solve_init(module) < 0 || py_record_init(module) < 0 || py_batch_init(module) < 0) {
        Py_DECREF(module);
        return NULL;
    }
    return module;
}
