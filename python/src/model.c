// SPDX-License-Identifier: Apache-2.0
// model.c: models: loading, names, arrays.
#include <string.h>

#include "py.h"

PyTypeObject *py_model_type;

py_model *py_as_model(PyObject *obj)
{
    if (!PyObject_TypeCheck(obj, py_model_type)) {
        PyErr_SetString(PyExc_TypeError, "a model is wanted");
        return NULL;
    }
    return (py_model *)obj;
}

static void model_free(py_model *self)
{
    PyTypeObject *const type = Py_TYPE((PyObject *)self);
    thud_model_destroy(self->m);
    thud_spec_destroy(self->spec);
    Py_XDECREF(self->base);
    Py_XDECREF(self->files);
    PyObject_Free(self);
    Py_DECREF((PyObject *)type);
}

// Takes the spec.
static PyObject *build(thud_spec *spec)
{
    thud_diag diag = {0};
    thud_model *m = NULL;
    thud_status status;
    Py_BEGIN_ALLOW_THREADS status = thud_model_build(spec, &m, &diag);
    Py_END_ALLOW_THREADS py_model *const self =
        status == THUD_OK ? PyObject_New(py_model, py_model_type) : NULL;
    if (!self) {
        thud_model_destroy(m);
        thud_spec_destroy(spec);
        return status == THUD_OK ? NULL : py_fail(status, &diag);
    }
    self->m = m;
    self->spec = spec;
    self->base = NULL;
    self->files = NULL;
    return (PyObject *)self;
}

static const thud_spec *spec_of(const py_model *self)
{
    return self->spec ? self->spec : ((py_model *)self->base)->spec;
}

// Files of a dict from names to bytes: called while Python's lock is let go.
static thud_status open_file(void *user, const char *name, thud_bytes *out, thud_diag *diag)
{
    const PyGILState_STATE lock = PyGILState_Ensure();
    PyObject *const key = PyUnicode_DecodeFSDefault(name);
    PyObject *const found = key ? PyDict_GetItemWithError(user, key) : NULL; // borrowed
    char *data = NULL;
    Py_ssize_t length = 0;
    const bool whole = found && PyBytes_AsStringAndSize(found, &data, &length) == 0;
    if (whole) {
        *out = (thud_bytes){data, (size_t)length, Py_NewRef(found)};
    }
    PyErr_Clear();
    Py_XDECREF(key);
    PyGILState_Release(lock);
    return whole ? THUD_OK
                 : thud_fail(THUD_BAD_FILE, diag, NULL, 0, 0,
                             "there is no such file among those that were given");
}

static void close_file(void *user, thud_bytes *bytes)
{
    (void)user;
    const PyGILState_STATE lock = PyGILState_Ensure();
    Py_XDECREF((PyObject *)bytes->owner);
    bytes->owner = NULL;
    PyGILState_Release(lock);
}

// load(path or None, text or None, name, floating_base, strict, packages or None, dict of files or None) -> Model
static PyObject *load(PyObject *self, PyObject *args)
{
    (void)self;
    const char *path, *text, *name, *packages;
    Py_ssize_t length;
    int floating, strict;
    PyObject *files;
    if (!PyArg_ParseTuple(args, "zz#sppzO:load", &path, &text, &length, &name, &floating, &strict, &packages,
                          &files)) {
        return NULL;
    }
    if (files != Py_None && !PyDict_Check(files)) {
        PyErr_SetString(PyExc_TypeError, "files: a dict of bytes is wanted");
        return NULL;
    }
    thud_load_options options = {.floating_base = floating, .strict_file = strict, .packages = packages};
    if (files != Py_None) {
        options.files = (thud_files){open_file, close_file, files};
    }
    thud_diag diag = {0};
    thud_spec *spec = NULL;
    thud_status status;
    Py_BEGIN_ALLOW_THREADS status = path ? thud_load(path, &options, &spec, &diag)
                                         : thud_load_text(text, (size_t)length, name, &options, &spec, &diag);
    Py_END_ALLOW_THREADS py_model *const model =
        (py_model *)(status == THUD_OK ? build(spec) : py_fail(status, &diag));
    if (model && files != Py_None) {
        model->files = Py_NewRef(files);
    }
    return (PyObject *)model;
}

// ---------------------------------------------------------------------------------------------- arrays

// Lengths as the table of arrays names them; the number behind a name is of numbers a piece.
#define LENGTH(word, count, tail)                                                                            \
    if (strcmp(length, word) == 0) {                                                                         \
        *second = tail;                                                                                      \
        return count;                                                                                        \
    }
static Py_ssize_t length_of(const thud_model *m, const char *length, Py_ssize_t *second)
{
    LENGTH("bodies", m->bodies, 0)
    LENGTH("joints", m->joints, 0)
    LENGTH("joints2", m->joints, 2)
    LENGTH("joints6", m->joints, 6)
    LENGTH("nv", m->nv, 0)
    LENGTH("nv1", m->nv + 1, 0)
    LENGTH("nq", m->nq, 0)
    LENGTH("geoms", m->geoms, 0)
    LENGTH("geoms3", m->geoms, 3)
    LENGTH("geoms4", m->geoms, 4)
    LENGTH("pairs", m->pairs, 0)
    LENGTH("pairs2", m->pairs, 2)
    LENGTH("pairs5", m->pairs, 5)
    LENGTH("excludes2", m->excludes, 2)
    LENGTH("equalities", m->equalities, 0)
    LENGTH("equalities2", m->equalities, 2)
    LENGTH("equalities5", m->equalities, 5)
    LENGTH("sites", m->sites, 0)
    LENGTH("tendons", m->tendons, 0)
    LENGTH("tendons2", m->tendons, 2)
    LENGTH("wraps", m->wraps, 0)
    LENGTH("actuators", m->actuators, 0)
    LENGTH("actuators2", m->actuators, 2)
    LENGTH("actuators3", m->actuators, 3)
    LENGTH("actuators6", m->actuators, 6)
    LENGTH("sensors", m->sensors, 0)
    LENGTH("keys", m->keys, 0)
    LENGTH("keys_nq", m->keys, m->nq)
    LENGTH("keys_nv", m->keys, m->nv)
    LENGTH("keys_na", m->keys, m->activations)
    LENGTH("keys_nu", m->keys, m->actuators)
    LENGTH("keys_mocaps", m->keys, m->mocaps)
    LENGTH("words", m->words, 0)
    LENGTH("word_numbers", m->word_numbers, 0)
    return -1;
}

// How a type of the table is made of numbers: their format, and how many; 0: it is not shown.
static int numbers_of(const char *type, char *format)
{
    static const struct {
        const char *type;
        char format;
        int count;
    } known[] = {{"int", 'i', 1},           {"int64_t", 'q', 1},   {"double", 'd', 1},
                 {"thud_vec3", 'd', 3},     {"thud_quat", 'd', 4}, {"thud_pose", 'd', 7},
                 {"thud_inertia", 'd', 10}, {"thud_mat3", 'd', 9}, {"thud_shape", 'd', 3}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(type, known[i].type) == 0) {
            *format = known[i].format;
            return known[i].count;
        }
    }
    return 0;
}

static PyObject *show(py_model *self, const char *type, const char *length, void *data)
{
    char format = 'd';
    const int numbers = numbers_of(type, &format);
    Py_ssize_t second = 0;
    py_shape shape = {.dims = 1, .size = {length_of(self->m, length, &second)}};
    if (shape.size[0] < 0 || numbers == 0) {
        Py_RETURN_NONE;
    }
    const int per = (int)second;
    if (second > 0 || strncmp(length, "keys_", 5) == 0) {
        shape.size[shape.dims++] = per;
    }
    if (strcmp(type, "thud_mat3") == 0) {
        shape.size[shape.dims++] = 3;
        shape.size[shape.dims++] = 3;
    } else if (numbers > 1) {
        shape.size[shape.dims++] = numbers;
    }
    if (strcmp(type, "thud_shape") == 0) { // its size, in a larger struct
        shape.stride[0] = sizeof(thud_shape);
        data = (char *)data + offsetof(thud_shape, size);
    }
    return py_view((PyObject *)self, data, format, shape, true);
}

static PyObject *model_array(py_model *self, PyObject *name)
{
    const char *const wanted = PyUnicode_AsUTF8AndSize(name, NULL);
    if (!wanted) {
        return NULL;
    }
#define SHOW(type, name, length, meaning)                                                                    \
    if (strcmp(wanted, #name) == 0) {                                                                        \
        return show(self, #type, #length, self->m->name);                                                    \
    }
    THUD_MODEL_ARRAYS(SHOW)
#undef SHOW
    Py_RETURN_NONE;
}

static PyObject *array_names(PyObject *self, PyObject *none)
{
    (void)self;
    (void)none;
    PyObject *const list = PyList_New(0);
    PyObject *entry = NULL;
    bool whole = list != NULL;
#define TELL(type, name, length, meaning)                                                                    \
    entry = whole ? Py_BuildValue("ssss", #type, #name, #length, meaning) : NULL;                            \
    whole = entry && PyList_Append(list, entry) == 0;                                                        \
    Py_XDECREF(entry);
    THUD_MODEL_ARRAYS(TELL)
#undef TELL
    if (!whole) {
        Py_XDECREF(list);
        return NULL;
    }
    return list;
}

// ---------------------------------------------------------------------------------------------- names

static PyObject *model_find(py_model *self, PyObject *args)
{
    int kind;
    const char *name;
    if (!PyArg_ParseTuple(args, "is:find", &kind, &name)) {
        return NULL;
    }
    return PyLong_FromLong(thud_model_find(self->m, (thud_kind)kind, name));
}

static int count_of(const thud_model *m, int kind)
{
    const int count[] = {m->bodies,     m->joints,  m->geoms,     m->sites,  m->keys,
                         m->equalities, m->tendons, m->actuators, m->sensors};
    return kind >= 0 && kind < (int)(sizeof count / sizeof count[0]) ? count[kind] : 0;
}

static PyObject *model_names(py_model *self, PyObject *arg)
{
    const long kind = PyLong_AsLong(arg);
    if (kind == -1 && PyErr_Occurred()) {
        return NULL;
    }
    const int count = count_of(self->m, (int)kind);
    PyObject *const list = PyList_New(count);
    for (int i = 0; list && i < count; i++) {
        const char *const name = thud_model_name(self->m, (thud_kind)kind, i);
        PyObject *const item = name ? PyUnicode_FromString(name) : Py_NewRef(Py_None);
        if (!item) {
            Py_DECREF(list);
            return NULL;
        }
        PyList_SetItem(list, i, item);
    }
    return list;
}

static PyObject *model_sizes(py_model *self, PyObject *none)
{
    (void)none;
    const thud_model *const m = self->m;
    return Py_BuildValue("{si si si si si si si si si si si si si sd sK sd s(ddd) ss}", "nq", m->nq, "nv",
                         m->nv, "nu", m->actuators, "na", m->activations, "bodies", m->bodies, "joints",
                         m->joints, "geoms", m->geoms, "sites", m->sites, "keys", m->keys, "mocaps",
                         m->mocaps, "sensors", m->sensors, "readings", m->readings, "equalities",
                         m->equalities, "timestep", m->timestep, "hash", (unsigned long long)m->hash,
                         "total_mass", m->total_mass, "gravity", m->gravity.x, m->gravity.y, m->gravity.z,
                         "integrator", thud_integrator_name(m->integrator));
}

// What the loader tells of the file: (kind, what, why, file, line, column, count) each.
static PyObject *model_notes(py_model *self, PyObject *none)
{
    (void)none;
    static const char *const kinds[] = {
        [THUD_NOTE_VISUAL] = "visual",   [THUD_NOTE_SOFT] = "soft",       [THUD_NOTE_LATER] = "later",
        [THUD_NOTE_IGNORED] = "ignored", [THUD_NOTE_CHANGED] = "changed", [THUD_NOTE_LOOK] = "look"};
    PyObject *const list = PyList_New(spec_of(self)->notes);
    for (int i = 0; list && i < spec_of(self)->notes; i++) {
        const thud_spec_note *const n = &spec_of(self)->note[i];
        PyObject *const item = Py_BuildValue("ssssiii", kinds[n->kind], n->what, n->why, n->place.file,
                                             n->place.line, n->place.column, n->count);
        if (!item) {
            Py_DECREF(list);
            return NULL;
        }
        PyList_SetItem(list, i, item);
    }
    return list;
}

static PyObject *model_title(py_model *self, PyObject *none)
{
    (void)none;
    return Py_BuildValue("z", spec_of(self)->model);
}

// write(path) -> the whole model as one MJCF file, for that path
static PyObject *model_write(py_model *self, PyObject *path)
{
    const char *const for_path = PyUnicode_AsUTF8AndSize(path, NULL);
    char *text = NULL;
    thud_diag diag = {0};
    if (!for_path) {
        return NULL;
    }
    if (!self->spec) {
        return py_fail_text(THUD_UNSUPPORTED, "a variant is not written: write the model that it is one of");
    }
    const thud_status status = thud_write_mjcf(self->spec, for_path, &text, &diag);
    if (status != THUD_OK) {
        return py_fail(status, &diag);
    }
    PyObject *const answer = PyUnicode_FromString(text);
    thud_free(text);
    return answer;
}

// Room for the numbers of settings: a list of (name, float64 numbers). false: an exception is set.
static bool read_settings(PyObject *list, thud_setting *setting, py_numbers *numbers, Py_ssize_t count)
{
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *from;
        if (!PyArg_ParseTuple(PyList_GetItem(list, i), "sO:setting", &setting[i].name, &from) ||
            !py_take(from, setting[i].name, -1, false, &numbers[i])) {
            return false;
        }
        setting[i].value = numbers[i].x;
        setting[i].count = (int)numbers[i].count;
    }
    return true;
}

// vary([(name, numbers), ...]) -> Model
static PyObject *model_vary(py_model *self, PyObject *list)
{
    const Py_ssize_t count = PyList_Size(list);
    if (count < 0) {
        return NULL;
    }
    thud_setting *const setting = thud_alloc((size_t)count + 1, sizeof *setting);
    py_numbers *const numbers = thud_alloc((size_t)count + 1, sizeof *numbers);
    thud_model *m = NULL;
    py_model *variant = NULL;
    if (!setting || !numbers) {
        PyErr_NoMemory();
    } else if (read_settings(list, setting, numbers, count)) {
        thud_diag diag = {0};
        thud_status status;
        Py_BEGIN_ALLOW_THREADS status = thud_model_vary(self->m, setting, (int)count, &m, &diag);
        Py_END_ALLOW_THREADS variant =
            status == THUD_OK ? PyObject_New(py_model, py_model_type) : (py_model *)py_fail(status, &diag);
    }
    if (variant) {
        variant->m = m;
        variant->spec = NULL;
        variant->files = NULL;
        variant->base = Py_NewRef(self->base ? self->base : (PyObject *)self);
    } else {
        thud_model_destroy(m);
    }
    for (Py_ssize_t i = 0; numbers && i < count; i++) {
        py_release(&numbers[i]);
    }
    thud_free(numbers);
    thud_free(setting);
    return (PyObject *)variant;
}

// setting(name) -> its numbers
static PyObject *model_setting(py_model *self, PyObject *of)
{
    const char *const name = PyUnicode_AsUTF8AndSize(of, NULL);
    double value[THUD_SETTING_NUMBERS];
    int count = 0;
    thud_diag diag = {0};
    if (!name) {
        return NULL;
    }
    const thud_status status = thud_model_setting(self->m, name, value, &count, &diag);
    return status == THUD_OK
               ? PyBytes_FromStringAndSize((const char *)value, count * (Py_ssize_t)sizeof *value)
               : py_fail(status, &diag);
}

// text(key) -> the data of <custom><text name="thud:KEY"/>, or None
static PyObject *model_text(py_model *self, PyObject *key)
{
    const char *const name = PyUnicode_AsUTF8AndSize(key, NULL);
    return name ? Py_BuildValue("z", thud_model_text(self->m, name)) : NULL;
}

static PyObject *sensor_unit(py_model *self, PyObject *arg)
{
    const long i = PyLong_AsLong(arg);
    if (i < 0 || i >= self->m->sensors) {
        return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_IndexError, "no sensor %ld", i);
    }
    return Py_BuildValue("ss", thud_sensor_word(self->m->sensor_type[i]), thud_sensor_unit(self->m, (int)i));
}

int py_model_init(PyObject *module)
{
    static PyMethodDef methods[] = {
        {"array", (PyCFunction)model_array, METH_O, "array(name) -> View, or None."},
        {"find", (PyCFunction)model_find, METH_VARARGS, "find(kind, name) -> index, or -1."},
        {"names", (PyCFunction)model_names, METH_O, "names(kind) -> list of names and None."},
        {"sizes", (PyCFunction)model_sizes, METH_NOARGS, "sizes() -> dict."},
        {"notes", (PyCFunction)model_notes, METH_NOARGS, "notes() -> what the loader tells of the file."},
        {"title", (PyCFunction)model_title, METH_NOARGS, "title() -> the model's name, or None."},
        {"write", (PyCFunction)model_write, METH_O, "write(path) -> MJCF text, for a file of that path."},
        {"vary", (PyCFunction)model_vary, METH_O, "vary([(name, numbers), ...]) -> Model."},
        {"setting", (PyCFunction)model_setting, METH_O, "setting(name) -> bytes of its numbers."},
        {"text", (PyCFunction)model_text, METH_O, "text(key) -> a custom text of the scene, or None."},
        {"sensor", (PyCFunction)sensor_unit, METH_O, "sensor(i) -> (type, unit)."},
        {NULL, NULL, 0, NULL}};
    static PyMethodDef functions[] = {
        {"load", load, METH_VARARGS,
         "load(path, text, name, floating_base, strict, packages, files) -> Model."},
        {"array_names", array_names, METH_NOARGS,
         "array_names() -> (type, name, length, meaning) of a model's arrays."},
        {NULL, NULL, 0, NULL}};
    PyType_Slot slots[] = {{Py_tp_dealloc, model_free}, {Py_tp_methods, methods}, {0, NULL}};
    PyType_Spec spec = {"thud._core.Model", sizeof(py_model), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
    py_model_type = py_add_type(module, &spec);
    return py_model_type ? PyModule_AddFunctions(module, functions) : -1;
}
