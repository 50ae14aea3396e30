// SPDX-License-Identifier: Apache-2.0
// py.h: what the files of the module thud._core share. The module is thin: it keeps memory alive, lets go of Python's lock while
// the library works, and shows memory as buffers. All that is comfortable is in Python, in python/thud.
//
// One binary serves CPython 3.11 and later (the stable ABI); a free-threaded Python gets its own.
#pragma once

#ifndef Py_GIL_DISABLED
#define Py_LIMITED_API 0x030B0000
#endif
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdatomic.h>
#include <structmember.h>

#include <thud/thud.h>

// ---------------------------------------------------------------------------------------------- objects

typedef struct py_model {
    PyObject ob_base;
    thud_model *m;
    thud_spec *spec; // NULL: a variant
    PyObject *files; // a dict of them, or NULL
    PyObject *base;  // of a variant: the model with the spec
} py_model;

typedef struct py_state {
    PyObject ob_base;
    thud_state *s;
    PyObject *owner; // the model; of a world of a batch the batch
    const thud_model *m;
    uint64_t fits; // hash of a model that it was found to fit
    bool borrowed; // the state is the owner's
    atomic_flag own;
    atomic_flag *busy; // some thread works on it: its own, or the batch's
} py_state;

typedef struct py_sim {
    PyObject ob_base;
    thud_sim *sim;
    PyObject *model;
    const thud_model *m;
    thud_step_options options;
    atomic_flag busy;
} py_sim;

typedef struct py_certificate {
    PyObject ob_base;
    thud_certificate c;
} py_certificate;

extern PyTypeObject *py_view_type, *py_model_type, *py_state_type, *py_sim_type, *py_certificate_type,
    *py_dynamics_type, *py_batch_type;

// Each makes its types and functions part of the module; -1: an exception is set.
int py_view_init(PyObject *module);
int py_model_init(PyObject *module);
int py_state_init(PyObject *module);
int py_sim_init(PyObject *module);
int py_look_init(PyObject *module);
int py_dynamics_init(PyObject *module);
int py_solve_init(PyObject *module);
int py_record_init(PyObject *module);
int py_batch_init(PyObject *module);

// Makes the type of a spec and puts it into the module (where it has a name there); NULL: an exception is set.
PyTypeObject *py_add_type(PyObject *module, PyType_Spec *spec);

// ---------------------------------------------------------------------------------------------- help

// Raises the exception of a status, by the function that Python gave (set_fail); always NULL.
PyObject *py_fail(thud_status status, const thud_diag *diag);
// The same with a sentence.
PyObject *py_fail_text(thud_status status, const char *text);
PyObject *py_bad_count(const char *name, Py_ssize_t given, Py_ssize_t wanted); // of arguments; always NULL

// A view of memory that owner keeps alive. Zero strides: C order.
typedef struct py_shape {
    int dims;
    Py_ssize_t size[3], stride[3]; // strides in bytes
} py_shape;
PyObject *py_view(PyObject *owner, void *data, char format, py_shape shape, bool readonly);

// The numbers of an argument: a C-contiguous buffer of so many doubles (count < 0: any). false: an exception is set. None: NULL where
// `optional`. py_release gives them back.
typedef struct py_numbers {
    Py_buffer buffer;
    double *x;
    Py_ssize_t count;
} py_numbers;
bool py_take(PyObject *from, const char *name, Py_ssize_t count, bool optional, py_numbers *out);
bool py_take_writable(PyObject *from, const char *name, Py_ssize_t count, py_numbers *out);
void py_release(py_numbers *numbers);

// A new bytearray of so many zeroed numbers, and where they are.
PyObject *py_doubles(size_t count, double **x);
PyObject *py_ints(size_t count, int **x);

// Whether this object is used by one thread alone from here; else an exception is set. `what`: "sim".
bool py_enter(atomic_flag *busy, const char *what);
void py_leave(atomic_flag *busy);

// obj as one of ours, or NULL with an exception.
py_model *py_as_model(PyObject *obj);
py_state *py_as_state(PyObject *obj, const thud_model *m); // made for this model (by hash)
py_sim *py_as_sim(PyObject *obj);
// Of two models: the same joints, actuators and mocap bodies, as of a model and its variants.
bool py_same_joints(const thud_model *a, const thud_model *b);

PyObject *py_vec3(thud_vec3 v); // a tuple
bool py_read_vec3(PyObject *from, const char *name, thud_vec3 *out);
bool py_read_options(PyObject *dict, thud_step_options *o); // false: an exception is set
PyObject *py_certificate_new(const thud_certificate *c);
PyObject *py_doubts(const thud_model *m, const thud_doubt *doubt, int count);
