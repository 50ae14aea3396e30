// SPDX-License-Identifier: Apache-2.0
// look.c: what a step is worth and what it did: certificates, doubts, contacts, the contact problem; and the options of a sim by name.
#include <string.h>

#include "fields.h"
#include "py.h"

PyTypeObject *py_certificate_type;

// ---------------------------------------------------------------------------------------------- options

typedef enum option_kind {
    NUMBER,
    COUNT,
    FLAG,
    LAW,
    SOLVER,
    INTEGRATOR,
    SCHEME,
    COLLISIONS,
    RESTITUTION
} option_kind;

static const struct {
    const char *name;
    option_kind kind;
    size_t at;
} options[] = {
#define OPTION(name, kind, member) {name, kind, offsetof(thud_step_options, member)},
    OPTION("h", NUMBER, h) OPTION("dt", NUMBER, h) OPTION("scheme", SCHEME, scheme)
        OPTION("rtol", NUMBER, event.rtol) OPTION("atol", NUMBER, event.atol) OPTION(
            "rest_speed", NUMBER, event.rest_speed) OPTION("collisions", COLLISIONS, event.collisions)
            OPTION("most", COUNT, event.most) OPTION("integrator", INTEGRATOR, integrator) OPTION(
                "rounds", COUNT, rounds) OPTION("restitution", NUMBER, restitution)
                OPTION("restitution_law", RESTITUTION, restitution_law) OPTION(
                    "restitution_speed", NUMBER, restitution_speed) OPTION("sleep_speed", NUMBER, sleep.speed)
                    OPTION("sleep_time", NUMBER, sleep.time) OPTION("law", LAW, law.law)
                        OPTION("solver", SOLVER, law.solver) OPTION("directions", COUNT, law.directions)
                            OPTION("tolerance", NUMBER, law.tolerance) OPTION("aligned", FLAG, law.aligned)
                                OPTION("slip", NUMBER, law.slip) OPTION("lateral", FLAG, law.lateral)
                                    OPTION("rho", NUMBER, law.rho)
                                        OPTION("normal_stiffness", NUMBER, law.normal_stiffness)
                                            OPTION("normal_damping", NUMBER, law.normal_damping)
                                                OPTION("tangent_stiffness", NUMBER, law.tangent_stiffness)
                                                    OPTION("tangent_damping", NUMBER, law.tangent_damping)
                                                        OPTION("want_rank", FLAG, law.want_rank)
                                                            OPTION("brief", FLAG, law.brief) OPTION(
                                                                "accept_tolerance", NUMBER, accept_tolerance)
                                                                OPTION("threads", COUNT, threads)
#undef OPTION
};
enum { OPTIONS = sizeof options / sizeof options[0] };

static bool read_word(option_kind kind, const char *word, void *to)
{
    switch (kind) {
    case LAW:
        return thud_law_find(word, to);
    case SOLVER:
        return thud_solver_find(word, to);
    case INTEGRATOR:
        return thud_integrator_find(word, to);
    case SCHEME:
        return thud_scheme_find(word, to);
    case COLLISIONS:
        return thud_collisions_find(word, to);
    case RESTITUTION:
        return thud_restitution_find(word, to);
    default:
        return false;
    }
}

static bool read_option(int i, PyObject *value, thud_step_options *o)
{
    void *const to = (char *)o + options[i].at;
    if (options[i].kind == NUMBER) {
        *(double *)to = PyFloat_AsDouble(value);
    } else if (options[i].kind == COUNT) {
        const long count = PyLong_AsLong(value);
        *(int *)to = count < INT_MIN ? INT_MIN : count > INT_MAX ? INT_MAX : (int)count;
    } else if (options[i].kind == FLAG) {
        *(bool *)to = PyObject_IsTrue(value) > 0;
    } else {
        const char *const word = PyUnicode_AsUTF8AndSize(value, NULL);
        if (word && !read_word(options[i].kind, word, to)) {
            PyErr_Format(PyExc_ValueError, "%s: there is none called '%s'", options[i].name, word);
        }
    }
    return !PyErr_Occurred();
}

bool py_read_options(PyObject *dict, thud_step_options *o)
{
    PyObject *key, *value;
    Py_ssize_t place = 0;
    while (PyDict_Next(dict, &place, &key, &value)) {
        const char *const name = PyUnicode_AsUTF8AndSize(key, NULL);
        int i = 0;
        while (name && i < OPTIONS && strcmp(options[i].name, name) != 0) {
            i++;
        }
        if (!name || i == OPTIONS) {
            return name ? (PyErr_Format(PyExc_TypeError, "no option is called '%s'", name), false) : false;
        }
        if (!read_option(i, value, o)) {
            return false;
        }
    }
    return true;
}

static PyObject *option_names(PyObject *self, PyObject *none)
{
    (void)self;
    (void)none;
    PyObject *const list = PyList_New(OPTIONS);
    for (int i = 0; list && i < OPTIONS; i++) {
        PyList_SetItem(list, i, PyUnicode_FromString(options[i].name));
    }
    return list;
}

// ---------------------------------------------------------------------------------------------- certificates

PyObject *py_certificate_new(const thud_certificate *c)
{
    py_certificate *const self = PyObject_New(py_certificate, py_certificate_type);
    if (self) {
        self->c = *c;
    }
    return (PyObject *)self;
}

static void certificate_free(py_certificate *self)
{
    PyTypeObject *const type = Py_TYPE((PyObject *)self);
    PyObject_Free(self);
    Py_DECREF((PyObject *)type);
}

#define MEMBER_double T_DOUBLE
#define MEMBER_int T_INT
static PyMemberDef certificate_members[] = {
#define MEMBER(type, name, meaning)                                                                          \
    {#name, MEMBER_##type, (Py_ssize_t)(offsetof(py_certificate, c) + offsetof(thud_certificate, name)),     \
     READONLY, meaning},
    THUD_CERTIFICATE_FIELDS(MEMBER)
#undef MEMBER
        {NULL, 0, 0, 0, NULL}};

static PyObject *certificate_dict(py_certificate *self, PyObject *none)
{
    (void)none;
    PyObject *const dict = PyDict_New();
    for (const PyMemberDef *m = certificate_members; dict && m->name; m++) {
        const void *const at = (char *)self + m->offset;
        PyObject *const value =
            m->type == T_INT ? PyLong_FromLong(*(const int *)at) : PyFloat_FromDouble(*(const double *)at);
        const int failed = value ? PyDict_SetItemString(dict, m->name, value) : -1;
        Py_XDECREF(value);
        if (failed) {
            Py_DECREF(dict);
            return NULL;
        }
    }
    return dict;
}

static PyObject *certificate_text(py_certificate *self)
{
    const thud_certificate *const c = &self->c;
    char text[256];
    PyOS_snprintf(
        text, sizeof text,
        "<Certificate: residual %.1e, penetration %.1e m, energy %.6g J, error %.1e J, %d contacts, "
        "doubts: %d wrong, %d coarse, %d notes>",
        c->cone_residual, c->penetration, c->kinetic + c->potential, c->energy_error, c->contacts, c->wrong,
        c->coarse, c->noted);
    return PyUnicode_FromString(text);
}

static PyObject *get_energy(py_certificate *self, void *closure)
{
    (void)closure;
    return PyFloat_FromDouble(self->c.kinetic + self->c.potential);
}

// Of each number of a certificate: where it lies, and whether it is a whole number.
static PyObject *certificate_layout(PyObject *self, PyObject *none)
{
    (void)self;
    (void)none;
    PyObject *const dict = PyDict_New();
    for (const PyMemberDef *m = certificate_members; dict && m->name; m++) {
        PyObject *const entry = Py_BuildValue("nO", m->offset - (Py_ssize_t)offsetof(py_certificate, c),
                                              m->type == T_INT ? Py_True : Py_False);
        if (entry) {
            PyDict_SetItemString(dict, m->name, entry);
        }
        Py_XDECREF(entry);
    }
    return dict;
}

// ---------------------------------------------------------------------------------------------- doubts

PyObject *py_doubts(const thud_model *m, const thud_doubt *doubt, int count)
{
    PyObject *const list = PyList_New(count);
    for (int i = 0; list && i < count; i++) {
        const thud_doubt *const d = &doubt[i];
        char place[512];
        thud_doubt_place(m, &d->where, place, sizeof place);
        PyObject *const item = Py_BuildValue(
            "sssss(ii)(ii)iiiLddddd", thud_doubt_name(d->kind), thud_doubt_grade_name(d->grade),
            thud_doubt_text(d->kind), place, thud_doubt_unit(d->kind), d->where.body[0], d->where.body[1],
            d->where.geom[0], d->where.geom[1], d->where.joint, d->where.equality, d->where.tendon,
            (long long)d->count, d->first.time, d->first.value, d->worst.time, d->worst.value, d->limit);
        if (!item) {
            Py_DECREF(list);
            return NULL;
        }
        PyList_SetItem(list, i, item);
    }
    return list;
}

// ---------------------------------------------------------------------------------------------- contacts

PyObject *py_sim_touches(py_sim *self, PyObject *none);
PyObject *py_sim_problem(py_sim *self, PyObject *none);
PyObject *py_sim_blocks(py_sim *self, PyObject *none);

// The list where all its items could be made; else NULL, and the list is given up.
static PyObject *whole_list(PyObject *list, bool whole)
{
    if (!whole) {
        Py_DECREF(list);
        return NULL;
    }
    return list;
}

static PyObject *touch_tuple(const thud_touch *t, int island, int row, int dim)
{
    return Py_BuildValue("iiii(ddd)(ddd)(ddd)dd(dd)ddOdiii", t->geom1, t->geom2, t->body1, t->body2,
                         t->point.x, t->point.y, t->point.z, t->normal.x, t->normal.y, t->normal.z,
                         t->impulse.x, t->impulse.y, t->impulse.z, t->normal_impulse, t->friction_impulse,
                         t->friction[0], t->friction[1], t->used, t->slip, t->slides ? Py_True : Py_False,
                         t->duration, island, row, dim);
}

PyObject *py_sim_touches(py_sim *self, PyObject *none)
{
    (void)none;
    PyObject *const list = PyList_New(0);
    if (!list || !py_enter(&self->busy, "sim")) {
        Py_XDECREF(list);
        return NULL;
    }
    const thud_rows *const rows = thud_sim_rows(self->sim);
    bool whole = true;
    for (int i = 0; whole && rows && i < thud_rows_islands(rows); i++) {
        const thud_island island = thud_rows_island(rows, i);
        for (int k = 0; whole && k < island.blocks; k++) {
            thud_touch t;
            if (thud_island_touch(&island, k, &t)) {
                PyObject *const item = touch_tuple(&t, i, island.block[k].row, island.block[k].dim);
                whole = item && PyList_Append(list, item) == 0;
                Py_XDECREF(item);
            }
        }
    }
    py_leave(&self->busy);
    return whole_list(list, whole);
}

static PyObject *block_list(const thud_island *island)
{
    static const char *const kinds[] = {
        [THUD_CONE_KIND_CONTACT] = "contact", [THUD_CONE_KIND_BOX] = "box", [THUD_CONE_KIND_FREE] = "free"};
    PyObject *const list = PyList_New(island->blocks);
    for (int k = 0; list && k < island->blocks; k++) {
        const thud_cone_block *const c = &island->cone[k];
        const thud_block *const b = &island->block[k];
        PyObject *const item = Py_BuildValue(
            "sii(ddddd)ddiiiid(ddd)((ddd)(ddd)(ddd))", kinds[c->kind], c->row, c->dim, c->mu[0], c->mu[1],
            c->mu[2], c->mu[3], c->mu[4], c->lo, c->hi, b->geom1, b->geom2, b->body1, b->body2, b->phi,
            b->point.x, b->point.y, b->point.z, b->frame[0].x, b->frame[0].y, b->frame[0].z, b->frame[1].x,
            b->frame[1].y, b->frame[1].z, b->frame[2].x, b->frame[2].y, b->frame[2].z);
        if (!item) {
            Py_DECREF(list);
            return NULL;
        }
        PyList_SetItem(list, k, item);
    }
    return list;
}

// blocks() -> contacts of the last problem, also those that carry nothing: (geom1, geom2, dim, gap, point, frame, mu (5), impulses (6), h)
PyObject *py_sim_blocks(py_sim *self, PyObject *none)
{
    (void)none;
    PyObject *const list = PyList_New(0);
    if (!list || !py_enter(&self->busy, "sim")) {
        Py_XDECREF(list);
        return NULL;
    }
    const thud_rows *const rows = thud_sim_rows(self->sim);
    bool whole = true;
    for (int i = 0; whole && rows && i < thud_rows_islands(rows); i++) {
        const thud_island island = thud_rows_island(rows, i);
        for (int k = 0; whole && k < island.blocks; k++) {
            const thud_block *const b = &island.block[k];
            if (b->kind != THUD_BLOCK_CONTACT) {
                continue;
            }
            const thud_cone_block *const c = &island.cone[k];
            const thud_vec3 *const f = b->frame;
            double p[6] = {0};
            memcpy(p, island.p + b->row, (size_t)b->dim * sizeof *p);
            PyObject *const item =
                Py_BuildValue("iiid(ddd)(ddddddddd)(ddddd)(dddddd)d", b->geom1, b->geom2, b->dim, b->phi,
                              b->point.x, b->point.y, b->point.z, f[0].x, f[0].y, f[0].z, f[1].x, f[1].y,
                              f[1].z, f[2].x, f[2].y, f[2].z, c->mu[0], c->mu[1], c->mu[2], c->mu[3],
                              c->mu[4], p[0], p[1], p[2], p[3], p[4], p[5], island.h);
            whole = item && PyList_Append(list, item) == 0;
            Py_XDECREF(item);
        }
    }
    py_leave(&self->busy);
    return whole_list(list, whole);
}

// (W, b, epsilon or None, p, u_before, h, residual, blocks) of an island
static PyObject *island_tuple(const thud_island *island)
{
    const size_t n = (size_t)island->rows;
    double *W, *b, *e = NULL, *p, *u;
    PyObject *const matrix = py_doubles(n * n, &W), *const free_velocity = py_doubles(n, &b),
                    *const impulses = py_doubles(n, &p), *const before = py_doubles(n, &u);
    PyObject *const compliance = island->epsilon ? py_doubles(n, &e) : Py_NewRef(Py_None);
    PyObject *const blocks = block_list(island);
    if (!matrix || !free_velocity || !impulses || !before || !compliance || !blocks) {
        Py_XDECREF(matrix);
        Py_XDECREF(free_velocity);
        Py_XDECREF(impulses);
        Py_XDECREF(before);
        Py_XDECREF(compliance);
        Py_XDECREF(blocks);
        return NULL;
    }
    thud_island bare = *island;
    bare.epsilon = NULL; // W without its compliance, which is told apart
    thud_island_copy_delassus(&bare, NULL, W, n);
    if (e) {
        memcpy(e, island->epsilon, n * sizeof *e);
    }
    memcpy(b, island->u_free, n * sizeof *b);
    memcpy(p, island->p, n * sizeof *p);
    memcpy(u, island->u_before, n * sizeof *u);
    return Py_BuildValue("NNNNNddN", matrix, free_velocity, compliance, impulses, before, island->h,
                         island->residual, blocks);
}

PyObject *py_sim_problem(py_sim *self, PyObject *none)
{
    (void)none;
    PyObject *const list = PyList_New(0);
    if (!list || !py_enter(&self->busy, "sim")) {
        Py_XDECREF(list);
        return NULL;
    }
    thud_rows *const rows = thud_sim_rows(self->sim);
    thud_status status = THUD_OK;
    bool whole = true;
    for (int i = 0; whole && rows && i < thud_rows_islands(rows); i++) {
        thud_island island = thud_rows_island(rows, i);
        if (!island.W.a && !island.sparse) {
            status = thud_rows_fill(rows, i, NULL);
            island = thud_rows_island(rows, i);
        }
        PyObject *const item = status == THUD_OK ? island_tuple(&island) : NULL;
        whole = item && PyList_Append(list, item) == 0;
        Py_XDECREF(item);
    }
    py_leave(&self->busy);
    if (!whole) {
        Py_DECREF(list);
        return status == THUD_OK ? NULL : py_fail(status, NULL);
    }
    return list;
}

int py_look_init(PyObject *module)
{
    static PyMethodDef methods[] = {
        {"dict", (PyCFunction)certificate_dict, METH_NOARGS, "dict() -> all of its numbers."},
        {NULL, NULL, 0, NULL}};
    static PyGetSetDef values[] = {
        {"energy", (getter)get_energy, NULL, "J, kinetic and potential, at the new state", NULL},
        {NULL, NULL, NULL, NULL, NULL}};
    static PyMethodDef functions[] = {
        {"option_names", option_names, METH_NOARGS, "option_names() -> of a sim."},
        {"certificate_layout", certificate_layout, METH_NOARGS, "certificate_layout() -> dict."},
        {NULL, NULL, 0, NULL}};
    PyType_Slot slots[] = {
        {Py_tp_dealloc, certificate_free},
        {Py_tp_repr, certificate_text},
        {Py_tp_members, certificate_members},
        {Py_tp_methods, methods},
        {Py_tp_getset, values},
        {Py_tp_doc, "What a step is worth. Every number is recomputed from the result, not taken from the "
                    "method's word."},
        {0, NULL}};
    PyType_Spec spec = {"thud.Certificate", sizeof(py_certificate), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
    py_certificate_type = py_add_type(module, &spec);
    return py_certificate_type ? PyModule_AddFunctions(module, functions) : -1;
}
