// SPDX-License-Identifier: Apache-2.0
// record.c: recordings. A path that ends in .csv is written by the library; without a path the rows stay in memory until they are taken.
#include <string.h>

#include "py.h"

static PyTypeObject *recorder_type;

typedef struct rubbed { // how far two geoms slid along each other while they touched
    int geom[2];
    double path, fastest;   // m, of the contact that slid most in each step; m/s
    int64_t steps;          // that they touched in
    int64_t row;            // the last of them
    double speed, duration; // of that row
} rubbed;

typedef struct recorder {
    PyObject ob_base;
    thud_recorder *r; // NULL: ended
    PyObject *model;
    const thud_model *m;
    double *reading;
    bool contacts;
    rubbed *rubbed;
    int pairs, capacity;
    int64_t rows;
} recorder;

// Recorder(model, path or None, contacts)
static PyObject *recorder_new(PyTypeObject *type, PyObject *args, PyObject *words)
{
    (void)type;
    (void)words;
    PyObject *of;
    const char *path;
    int contacts;
    if (!PyArg_ParseTuple(args, "Ozp:Recorder", &of, &path, &contacts)) {
        return NULL;
    }
    py_model *const model = py_as_model(of);
    recorder *const self = model ? PyObject_New(recorder, recorder_type) : NULL;
    if (!self) {
        return NULL;
    }
    thud_diag diag = {0};
    self->r = NULL;
    self->model = Py_NewRef(of);
    self->m = model->m;
    self->contacts = contacts;
    self->rubbed = NULL;
    self->pairs = self->capacity = 0;
    self->rows = 0;
    self->reading = thud_alloc((size_t)model->m->readings + 1, sizeof *self->reading);
    thud_status status = self->reading ? thud_recorder_open(path, model->m, &self->r, &diag) : THUD_NO_MEMORY;
    if (status == THUD_OK && contacts) {
        status = thud_recorder_keep_contacts(self->r, &diag);
    }
    if (status != THUD_OK) {
        Py_DECREF((PyObject *)self);
        return py_fail(status, &diag);
    }
    return (PyObject *)self;
}

static void recorder_free(recorder *self)
{
    PyTypeObject *const type = Py_TYPE((PyObject *)self);
    thud_recorder_abandon(self->r);
    thud_free(self->reading);
    thud_free(self->rubbed);
    Py_DECREF(self->model);
    PyObject_Free(self);
    Py_DECREF((PyObject *)type);
}

static bool is_open(const recorder *self)
{
    if (!self->r) {
        PyErr_SetString(PyExc_ValueError, "the recording has ended");
    }
    return self->r != NULL;
}

static PyObject *recorder_note(recorder *self, PyObject *args)
{
    const char *name;
    PyObject *value;
    if (!PyArg_ParseTuple(args, "sO:note", &name, &value) || !is_open(self)) {
        return NULL;
    }
    if (PyUnicode_Check(value)) {
        const char *const text = PyUnicode_AsUTF8AndSize(value, NULL);
        if (!text) {
            return NULL;
        }
        (void)thud_recorder_note(self->r, name, text); // a failure is told at the first row
    } else {
        const double number = PyFloat_AsDouble(value);
        if (PyErr_Occurred()) {
            return NULL;
        }
        (void)thud_recorder_note_number(self->r, name, number);
    }
    Py_RETURN_NONE;
}

static rubbed *pair_of(recorder *self, const thud_touch *t)
{
    for (int i = self->pairs - 1; i >= 0; i--) {
        if (self->rubbed[i].geom[0] == t->geom1 && self->rubbed[i].geom[1] == t->geom2) {
            return &self->rubbed[i];
        }
    }
    if (!thud_grow((void **)&self->rubbed, &self->capacity, self->pairs, sizeof *self->rubbed)) {
        return NULL;
    }
    rubbed *const fresh = &self->rubbed[self->pairs++];
    *fresh = (rubbed){.geom = {t->geom1, t->geom2}, .row = -1};
    return fresh;
}

// Adds the slips of a step: of each pair of geoms the contact that slid fastest. Collisions take no time and are left out.
static bool add_slips(recorder *self, const thud_rows *rows)
{
    for (int i = 0; rows && i < thud_rows_islands(rows); i++) {
        const thud_island island = thud_rows_island(rows, i);
        for (int k = 0; k < island.blocks; k++) {
            thud_touch t;
            if (!thud_island_touch(&island, k, &t) || !(t.duration > 0)) {
                continue;
            }
            rubbed *const r = pair_of(self, &t);
            if (!r) {
                return false;
            }
            if (r->row != self->rows) {
                *r = (rubbed){
                    {r->geom[0], r->geom[1]}, r->path, r->fastest, r->steps + 1, self->rows, 0, t.duration};
            }
            const double more = thud_max(t.slip - r->speed, 0);
            r->path += more * r->duration;
            r->speed += more;
            r->fastest = thud_max(r->fastest, r->speed);
        }
    }
    self->rows++;
    return true;
}

// slips() -> (geom1, geom2, path, fastest, steps) of each pair of geoms that touched
static PyObject *recorder_slips(recorder *self, PyObject *none)
{
    (void)none;
    PyObject *const list = PyList_New(self->pairs);
    for (int i = 0; list && i < self->pairs; i++) {
        const rubbed *const r = &self->rubbed[i];
        PyList_SetItem(
            list, i,
            Py_BuildValue("iiddL", r->geom[0], r->geom[1], r->path, r->fastest, (long long)r->steps));
    }
    return list;
}

// write(sim, state, certificate or None): a row
static PyObject *recorder_write(recorder *self, PyObject *args)
{
    PyObject *a, *b, *c;
    if (!PyArg_ParseTuple(args, "OOO:write", &a, &b, &c) || !is_open(self)) {
        return NULL;
    }
    py_sim *const sim = py_as_sim(a);
    py_state *const s = sim ? py_as_state(b, self->m) : NULL;
    if (!s || sim->m->hash != self->m->hash) {
        return s ? py_fail_text(THUD_BAD_ARGUMENT, "the sim is of another model") : NULL;
    }
    if (!py_enter(&sim->busy, "sim")) {
        return NULL;
    }
    thud_status status = THUD_OK;
    if (self->m->readings > 0) {
        status = thud_sim_sense(sim->sim, s->s, self->reading);
        thud_recorder_sense(self->r, self->reading);
    }
    const bool stepped = PyObject_TypeCheck(c, py_certificate_type);
    if (status == THUD_OK && stepped && !add_slips(self, thud_sim_rows(sim->sim))) {
        status = THUD_NO_MEMORY;
    }
    if (status == THUD_OK && self->contacts && stepped) {
        status = thud_recorder_contacts(self->r, thud_sim_rows(sim->sim));
    }
    if (status == THUD_OK) {
        status = thud_recorder_write(self->r, s->s, stepped ? &((py_certificate *)c)->c : NULL);
    }
    py_leave(&sim->busy);
    return status == THUD_OK ? Py_NewRef(Py_None) : py_fail(status, NULL);
}

static PyObject *recorder_close(recorder *self, PyObject *none)
{
    (void)none;
    thud_diag diag = {0};
    if (!is_open(self)) {
        return NULL;
    }
    const thud_status status = thud_recorder_close(self->r, &diag);
    self->r = NULL;
    return status == THUD_OK ? Py_NewRef(Py_None) : py_fail(status, &diag);
}

static PyObject *recorder_abandon(recorder *self, PyObject *none)
{
    (void)none;
    thud_recorder_abandon(self->r);
    self->r = NULL;
    Py_RETURN_NONE;
}

static PyObject *table(int columns, int64_t rows, char *const *name, const double *value)
{
    double *to;
    PyObject *const names = PyList_New(columns);
    PyObject *const numbers = py_doubles((size_t)columns * (size_t)rows, &to);
    if (!names || !numbers) {
        Py_XDECREF(names);
        Py_XDECREF(numbers);
        return NULL;
    }
    for (int i = 0; i < columns; i++) {
        PyList_SetItem(names, i, PyUnicode_FromString(name[i]));
    }
    if (columns > 0 && rows > 0) {
        memcpy(to, value, (size_t)columns * (size_t)rows * sizeof *to);
    }
    return Py_BuildValue("NLN", names, (long long)rows, numbers);
}

// take() -> (table of the rows, table of the contacts, notes): ends a recording in memory
static PyObject *recorder_take(recorder *self, PyObject *none)
{
    (void)none;
    thud_diag diag = {0};
    thud_recording *r = NULL;
    if (!is_open(self)) {
        return NULL;
    }
    const thud_status status = thud_recorder_take(self->r, &r, &diag);
    self->r = NULL;
    if (status != THUD_OK) {
        return py_fail(status, &diag);
    }
    PyObject *const rows = table(r->columns, r->rows, r->name, r->value);
    PyObject *const contacts = table(r->contact.columns, r->contact.rows, r->contact.name, r->contact.value);
    PyObject *const notes = PyDict_New();
    for (int i = 0; notes && i < r->notes; i++) {
        PyObject *const value =
            r->note[i].text
                ? PyUnicode_DecodeUTF8(r->note[i].text, (Py_ssize_t)strlen(r->note[i].text), "replace")
                : PyFloat_FromDouble(r->note[i].number);
        if (value) {
            PyDict_SetItemString(notes, r->note[i].name, value);
        }
        Py_XDECREF(value);
    }
    thud_recording_destroy(r);
    if (!rows || !contacts || !notes) {
        Py_XDECREF(rows);
        Py_XDECREF(contacts);
        Py_XDECREF(notes);
        return NULL;
    }
    return Py_BuildValue("NNN", rows, contacts, notes);
}

int py_record_init(PyObject *module)
{
    static PyMethodDef methods[] = {
        {"note", (PyCFunction)recorder_note, METH_VARARGS,
         "note(name, text or number), before the first row."},
        {"write", (PyCFunction)recorder_write, METH_VARARGS, "write(sim, state, certificate): a row."},
        {"slips", (PyCFunction)recorder_slips, METH_NOARGS, "slips() -> how far each pair of geoms slid."},
        {"close", (PyCFunction)recorder_close, METH_NOARGS, "close(): the file gets its name."},
        {"abandon", (PyCFunction)recorder_abandon, METH_NOARGS, "abandon(): the file does not get its name."},
        {"take", (PyCFunction)recorder_take, METH_NOARGS,
         "take() -> rows, contacts and notes of a recording in memory."},
        {NULL, NULL, 0, NULL}};
    PyType_Slot slots[] = {
        {Py_tp_new, recorder_new}, {Py_tp_dealloc, recorder_free}, {Py_tp_methods, methods}, {0, NULL}};
    PyType_Spec spec = {"thud._core.Recorder", sizeof(recorder), 0, Py_TPFLAGS_DEFAULT, slots};
    recorder_type = py_add_type(module, &spec);
    return recorder_type ? 0 : -1;
}
