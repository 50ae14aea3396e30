// SPDX-License-Identifier: Apache-2.0
// view.c: memory of the library as a buffer. Who has a buffer of a view keeps the view alive, and a view keeps its owner alive: no
// array made from it can outlive the memory.
#include <string.h>

#include "py.h"

PyTypeObject *py_view_type;

typedef struct view {
    PyObject ob_base;
    void *data;
    PyObject *owner;
    char format[2];
    Py_ssize_t item;
    py_shape shape;
    bool readonly;
} view;

PyObject *py_view(PyObject *owner, void *data, char format, py_shape shape, bool readonly)
{
    view *const v = PyObject_New(view, py_view_type);
    if (!v) {
        return NULL;
    }
    v->data = data;
    v->owner = Py_NewRef(owner);
    v->format[0] = format;
    v->format[1] = '\0';
    v->item = format == 'i' ? (Py_ssize_t)sizeof(int) : 8;
    v->shape = shape;
    v->readonly = readonly;
    Py_ssize_t stride = v->item;
    for (int k = shape.dims - 1; k >= 0; k--) {
        if (v->shape.stride[k] == 0) {
            v->shape.stride[k] = stride;
        }
        stride *= shape.size[k];
    }
    return (PyObject *)v;
}

static void view_free(view *v)
{
    PyTypeObject *const type = Py_TYPE((PyObject *)v);
    Py_DECREF(v->owner);
    PyObject_Free(v);
    Py_DECREF((PyObject *)type);
}

static int view_get(view *v, Py_buffer *out, int flags)
{
    if (v->readonly && (flags & PyBUF_WRITABLE) == PyBUF_WRITABLE) {
        PyErr_SetString(PyExc_BufferError, "this array is read-only");
        return -1;
    }
    if ((flags & PyBUF_STRIDES) != PyBUF_STRIDES) {
        PyErr_SetString(PyExc_BufferError, "ask for strides");
        return -1;
    }
    Py_ssize_t count = 1;
    for (int k = 0; k < v->shape.dims; k++) {
        count *= v->shape.size[k];
    }
    memset(out, 0, sizeof *out);
    out->buf = v->data;
    out->obj = Py_NewRef((PyObject *)v);
    out->len = count * v->item;
    out->itemsize = v->item;
    out->readonly = v->readonly;
    out->ndim = v->shape.dims;
    out->format = (flags & PyBUF_FORMAT) == PyBUF_FORMAT ? v->format : NULL;
    out->shape = v->shape.size;
    out->strides = v->shape.stride;
    return 0;
}

int py_view_init(PyObject *module)
{
    PyType_Slot slots[] = {{Py_tp_dealloc, view_free},
                           {Py_bf_getbuffer, view_get},
                           {Py_tp_doc, "Memory of the library, as a buffer that keeps its owner alive."},
                           {0, NULL}};
    PyType_Spec spec = {"thud._core.View", sizeof(view), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
    py_view_type = py_add_type(module, &spec);
    return py_view_type ? 0 : -1;
}
