// SPDX-License-Identifier: Apache-2.0
// solve.c: the solvers by themselves: linear complementarity problems and problems of Coulomb's cone.
#include <math.h>
#include <string.h>

#include "py.h"

// A method of the list by its name; false: an exception is set.
static bool no_method(const char *name)
{
    PyErr_Format(PyExc_ValueError, "method: there is none called '%s'", name);
    return false;
}

// solve_lcp(M by columns, q, lo or None, hi or None, z0 or None, method, tolerance, limit) ->
// (z, outcome, sentence, pivots, attempts, regularised, residual, relative)
static PyObject *solve_lcp(PyObject *self, PyObject *args)
{
    (void)self;
    PyObject *from[5], *answer = NULL, *z = NULL;
    py_numbers in[5] = {0};
    const char *const names[5] = {"M", "q", "lo", "hi", "z0"};
    const char *word;
    double tolerance, *out = NULL;
    int limit;
    if (!PyArg_ParseTuple(args, "OOOOOsdi:solve_lcp", &from[0], &from[1], &from[2], &from[3], &from[4], &word,
                          &tolerance, &limit)) {
        return NULL;
    }
    thud_lcp_method method;
    bool whole = thud_lcp_method_find(word, &method) || no_method(word);
    whole = whole && py_take(from[1], names[1], -1, false, &in[1]);
    const Py_ssize_t n = in[1].count;
    for (int i = 0; whole && i < 5; i++) {
        whole = i == 1 || py_take(from[i], names[i], i == 0 ? n * n : n, i >= 2, &in[i]);
    }
    if (whole && n > 20000) {
        PyErr_SetString(PyExc_ValueError, "q: at most 20000 rows");
        whole = false;
    }
    z = whole ? py_doubles((size_t)n, &out) : NULL;
    thud_arena *scratch = NULL;
    if (z && thud_arena_create(thud_lcp_scratch_bytes((int)n, (int)n, method) + 64, &scratch) != THUD_OK) {
        PyErr_NoMemory();
    } else if (z) {
        const thud_lcp p = {
            .n = (int)n, .M = {(int)n, (int)n, (int)n, in[0].x}, .q = in[1].x, .lo = in[2].x, .hi = in[3].x};
        thud_lcp_options o = thud_lcp_defaults(method);
        o.tolerance = tolerance;
        o.limit = limit;
        if (in[4].x) {
            memcpy(out, in[4].x, (size_t)n * sizeof *out);
            o.warm = method == THUD_LCP_PGS;
        }
        thud_lcp_report r;
        Py_BEGIN_ALLOW_THREADS r = thud_lcp_solve(&p, &o, scratch, out);
        Py_END_ALLOW_THREADS answer =
            Py_BuildValue("OssiiOdd", z, thud_lcp_outcome_name(r.outcome), thud_lcp_outcome_text(r.outcome),
                          r.pivots, r.attempts, r.regularised ? Py_True : Py_False, r.residual, r.relative);
    }
    thud_arena_destroy(scratch);
    Py_XDECREF(z);
    for (int i = 0; i < 5; i++) {
        py_release(&in[i]);
    }
    return answer;
}

// Blocks from a list of (kind, dim, mu (5), lo, hi); rows: what they have together. NULL: an exception is set.
static thud_cone_block *read_blocks(PyObject *list, int *rows)
{
    const Py_ssize_t count = PyList_Size(list);
    thud_cone_block *const block = count >= 0 ? thud_alloc((size_t)count + 1, sizeof *block) : NULL;
    if (!block) {
        return count < 0 ? NULL : (PyErr_NoMemory(), NULL);
    }
    *rows = 0;
    for (Py_ssize_t k = 0; k < count; k++) {
        const char *kind;
        thud_cone_block *const b = &block[k];
        if (!PyArg_ParseTuple(PyList_GetItem(list, k), "si(ddddd)dd:block", &kind, &b->dim, &b->mu[0],
                              &b->mu[1], &b->mu[2], &b->mu[3], &b->mu[4], &b->lo, &b->hi)) {
            thud_free(block);
            return NULL;
        }
        b->kind = strcmp(kind, "box") == 0    ? THUD_CONE_KIND_BOX
                  : strcmp(kind, "free") == 0 ? THUD_CONE_KIND_FREE
                                              : THUD_CONE_KIND_CONTACT;
        b->row = *rows;
        *rows += b->dim >= 0 && b->dim <= THUD_CONE_DIM_MAX ? b->dim : 0;
    }
    return block;
}

typedef struct cone_given {
    py_numbers W, b, epsilon, start;
} cone_given;

static bool take_cone(PyObject *const from[4], Py_ssize_t n, cone_given *in)
{
    return py_take(from[0], "W", n * n, false, &in->W) && py_take(from[1], "b", n, false, &in->b) &&
           py_take(from[2], "epsilon", n, true, &in->epsilon) && py_take(from[3], "p0", n, true, &in->start);
}

static void release_cone(cone_given *in)
{
    py_release(&in->W);
    py_release(&in->b);
    py_release(&in->epsilon);
    py_release(&in->start);
}

// The problem in the arrays of the caller.
static thud_cone cone_of(const cone_given *in, int rows, const thud_cone_block *block, int blocks)
{
    return (thud_cone){.rows = rows,
                       .blocks = blocks,
                       .block = block,
                       .W = {rows, rows, rows, in->W.x},
                       .b = in->b.x,
                       .epsilon = in->epsilon.x};
}

static PyObject *cone_answer(const thud_cone *c, const thud_cone_options *o, const double *start)
{
    double *p, *u;
    thud_arena *scratch = NULL;
    if (thud_arena_create(thud_cone_scratch(c) + 64, &scratch) != THUD_OK) {
        return PyErr_NoMemory();
    }
    PyObject *const impulses = py_doubles((size_t)c->rows, &p), *const velocities =
                                                                    py_doubles((size_t)c->rows, &u);
    if (!impulses || !velocities) {
        Py_XDECREF(impulses);
        Py_XDECREF(velocities);
        thud_arena_destroy(scratch);
        return NULL;
    }
    if (start) {
        memcpy(p, start, (size_t)c->rows * sizeof *p);
    }
    thud_cone_report r;
    Py_BEGIN_ALLOW_THREADS r = thud_cone_solve(c, o, scratch, p);
    thud_cone_velocity(c, p, u);
    Py_END_ALLOW_THREADS thud_arena_destroy(scratch);
    return Py_BuildValue("NNssiidOi", impulses, velocities, thud_cone_outcome_name(r.outcome),
                         thud_cone_method_name(r.method), r.iterations, r.factorizations, r.residual,
                         r.equal_compliance ? Py_True : Py_False, r.rank);
}

// solve_cone(W by columns, b, epsilon or None, p0 or None, blocks, method, tolerance, iterations, equal_compliance, rank) ->
// (p, u, outcome, method, iterations, factorizations, residual, equal compliance, rank)
static PyObject *solve_cone(PyObject *self, PyObject *args)
{
    (void)self;
    PyObject *from[4], *list, *answer = NULL;
    const char *word;
    thud_cone_options o = thud_cone_defaults();
    int equal, rank, rows;
    if (!PyArg_ParseTuple(args, "OOOOO!sdipp:solve_cone", &from[0], &from[1], &from[2], &from[3],
                          &PyList_Type, &list, &word, &o.tolerance, &o.max_iterations, &equal, &rank)) {
        return NULL;
    }
    if (!thud_cone_method_find(word, &o.method)) {
        no_method(word);
        return NULL;
    }
    o.equal_compliance = equal;
    o.want_rank = rank;
    thud_cone_block *const block = read_blocks(list, &rows);
    cone_given in = {0};
    if (block && take_cone(from, rows, &in)) {
        const thud_cone c = cone_of(&in, rows, block, (int)PyList_Size(list));
        thud_diag diag = {0};
        const thud_status status = thud_cone_check(&c, &diag);
        answer = status == THUD_OK ? cone_answer(&c, &o, in.start.x) : py_fail(status, &diag);
    }
    thud_free(block);
    release_cone(&in);
    return answer;
}

// cone_residual(W by columns, b, epsilon or None, p, blocks) -> (residual, u)
static PyObject *cone_residual(PyObject *self, PyObject *args)
{
    (void)self;
    PyObject *from[4], *list, *answer = NULL;
    int rows;
    if (!PyArg_ParseTuple(args, "OOOOO!:cone_residual", &from[0], &from[1], &from[2], &from[3], &PyList_Type,
                          &list)) {
        return NULL;
    }
    thud_cone_block *const block = read_blocks(list, &rows);
    cone_given in = {0};
    double *u, *scratch = thud_alloc(2 * (size_t)(block ? rows : 0) + 6, sizeof *scratch);
    if (block && scratch && take_cone(from, rows, &in)) {
        const thud_cone c = cone_of(&in, rows, block, (int)PyList_Size(list));
        thud_diag diag = {0};
        const thud_status status = in.start.x ? thud_cone_check(&c, &diag) : THUD_BAD_ARGUMENT;
        PyObject *const velocity = status == THUD_OK ? py_doubles((size_t)rows, &u) : py_fail(status, &diag);
        if (velocity) {
            thud_cone_velocity(&c, in.start.x, u);
            answer = Py_BuildValue("dN", thud_cone_residual(&c, in.start.x, scratch), velocity);
        }
    }
    thud_free(scratch);
    thud_free(block);
    release_cone(&in);
    return answer;
}

static PyObject *method_names(PyObject *self, PyObject *none)
{
    (void)self;
    (void)none;
    PyObject *const lcp = PyList_New(0), *const cone = PyList_New(0);
    for (int i = 0; lcp && i < THUD_LCP_METHODS; i++) {
        PyObject *const name = PyUnicode_FromString(thud_lcp_method_name((thud_lcp_method)i));
        PyList_Append(lcp, name);
        Py_XDECREF(name);
    }
    for (int i = 0; cone && i < THUD_CONE_METHODS; i++) {
        PyObject *const name = PyUnicode_FromString(thud_cone_method_name((thud_cone_method)i));
        PyList_Append(cone, name);
        Py_XDECREF(name);
    }
    return Py_BuildValue("NN", lcp, cone);
}

int py_solve_init(PyObject *module)
{
    static PyMethodDef functions[] = {
        {"solve_lcp", solve_lcp, METH_VARARGS, "solve_lcp(M, q, lo, hi, z0, method, tolerance, limit)."},
        {"solve_cone", solve_cone, METH_VARARGS,
         "solve_cone(W, b, epsilon, p0, blocks, method, tolerance, iterations, ...)."},
        {"cone_residual", cone_residual, METH_VARARGS,
         "cone_residual(W, b, epsilon, p, blocks) -> (residual, u)."},
        {"method_names", method_names, METH_NOARGS, "method_names() -> of LCPs and of cones."},
        {NULL, NULL, 0, NULL}};
    return PyModule_AddFunctions(module, functions);
}
