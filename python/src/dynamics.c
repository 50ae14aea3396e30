// SPDX-License-Identifier: Apache-2.0
// dynamics.c: where the parts of a mechanism are, its mass matrix, its Jacobians, and rays.
#include <string.h>

#include <thud/dynamics_drive.h>

#include "py.h"

PyTypeObject *py_dynamics_type;

typedef struct dynamics {
    PyObject ob_base;
    PyObject *model;
    thud_model *view; // with the mocap bodies elsewhere; NULL: there are none
    const thud_model *m;
    thud_dynamics *d;
    thud_pose *X; // of bodies, geoms and sites
    thud_drive *drive;
    bool factored;
    atomic_flag busy;
} dynamics;

static PyObject *dynamics_new(PyTypeObject *type, PyObject *args, PyObject *words)
{
    (void)type;
    (void)words;
    PyObject *of;
    if (!PyArg_ParseTuple(args, "O:Dynamics", &of)) {
        return NULL;
    }
    py_model *const model = py_as_model(of);
    dynamics *const self = model ? PyObject_New(dynamics, py_dynamics_type) : NULL;
    if (!self) {
        return NULL;
    }
    const thud_model *const m = model->m;
    self->model = Py_NewRef(of);
    self->view = NULL;
    self->m = m;
    self->d = NULL;
    self->drive = NULL;
    self->factored = false;
    atomic_flag_clear(&self->busy);
    self->X = thud_alloc((size_t)m->bodies + (size_t)m->geoms + (size_t)m->sites, sizeof *self->X);
    thud_status status = self->X ? thud_dynamics_create(m, &self->d) : THUD_NO_MEMORY;
    if (status == THUD_OK) {
        status = thud_drive_create(m, &self->drive);
    }
    if (status == THUD_OK && m->mocaps > 0) {
        status = thud_mocap_view_create(m, &self->view);
        self->m = self->view;
    }
    if (status != THUD_OK) {
        Py_DECREF((PyObject *)self);
        return py_fail(status, NULL);
    }
    return (PyObject *)self;
}

static void dynamics_free(dynamics *self)
{
    PyTypeObject *const type = Py_TYPE((PyObject *)self);
    thud_drive_destroy(self->drive);
    thud_dynamics_destroy(self->d);
    thud_mocap_view_destroy(self->view);
    thud_free(self->X);
    Py_DECREF(self->model);
    PyObject_Free(self);
    Py_DECREF((PyObject *)type);
}

// place(state): links, bodies, geoms and sites are where the state has them, and move as it says
static PyObject *dynamics_place(dynamics *self, PyObject *of)
{
    py_state *const s = py_as_state(of, self->m);
    if (!s || !py_enter(&self->busy, "Dynamics")) {
        return NULL;
    }
    if (!py_enter(s->busy, "state")) {
        py_leave(&self->busy);
        return NULL;
    }
    const thud_model *const m = self->m;
    const bool finite = thud_all_finite(m->nq, s->s->qpos) && thud_all_finite(m->nv, s->s->qvel) &&
                        thud_all_finite(7 * m->mocaps, s->s->mocap);
    if (finite) {
        if (self->view) {
            thud_mocap_view_set(self->view, s->s->mocap);
        }
        thud_dynamics_place(m, s->s->qpos, self->d);
        thud_dynamics_move(m, s->s->qvel, self->d);
        thud_drive_place(m, s->s->qpos, self->d, self->drive);
        thud_drive_move(m, s->s->qvel, self->drive);
        thud_body_poses(m, s->s->qpos, self->X);
        thud_geom_poses(m, self->X, self->X + m->bodies);
        thud_site_poses(m, self->X, self->X + m->bodies + m->geoms);
        self->factored = false;
    }
    py_leave(s->busy);
    py_leave(&self->busy);
    return finite ? Py_NewRef(Py_None) : py_fail(THUD_NOT_FINITE, NULL);
}

// poses() -> view (bodies + geoms + sites) x 7: quaternion w x y z, then position
static PyObject *dynamics_poses(dynamics *self, PyObject *none)
{
    (void)none;
    const thud_model *const m = self->m;
    const py_shape shape = {.dims = 2, .size = {(Py_ssize_t)m->bodies + m->geoms + m->sites, 7}};
    return py_view((PyObject *)self, self->X, 'd', shape, true);
}

static PyObject *dynamics_mass(dynamics *self, PyObject *none)
{
    (void)none;
    const size_t n = (size_t)self->m->nv;
    double *dense;
    double *const M = thud_alloc((size_t)self->m->dof_row[n] + 1, sizeof *M);
    PyObject *const answer = M ? py_doubles(n * n, &dense) : PyErr_NoMemory();
    if (answer) {
        thud_dynamics_crba(self->m, self->d, M);
        thud_mass_expand(self->m, M, dense);
    }
    thud_free(M);
    return answer;
}

// rnea(qacc or None) -> joint forces, nv
static PyObject *dynamics_rnea(dynamics *self, PyObject *of)
{
    py_numbers qacc;
    double *tau;
    if (!py_take(of, "qacc", self->m->nv, true, &qacc)) {
        return NULL;
    }
    PyObject *const answer = py_doubles((size_t)self->m->nv, &tau);
    if (answer) {
        thud_dynamics_rnea(self->m, qacc.x, self->d, tau);
    }
    py_release(&qacc);
    return answer;
}

static bool is_body(const dynamics *self, int body)
{
    if (body < 0 || body >= self->m->bodies) {
        PyErr_Format(PyExc_IndexError, "no body %d", body);
        return false;
    }
    return true;
}

// jacobian(body, point) -> 6 x nv: angular velocity of the body, then velocity of the point
static PyObject *dynamics_jacobian(dynamics *self, PyObject *args)
{
    int body;
    PyObject *from;
    thud_vec3 point;
    double *J;
    if (!PyArg_ParseTuple(args, "iO:jacobian", &body, &from) || !is_body(self, body) ||
        !py_read_vec3(from, "point", &point)) {
        return NULL;
    }
    PyObject *const answer = py_doubles(6 * (size_t)self->m->nv, &J);
    if (answer) {
        thud_dynamics_jacobian(self->m, self->d, body, point, J);
    }
    return answer;
}

// point_force(body, force, torque, point) -> joint forces, nv
static PyObject *dynamics_point_force(dynamics *self, PyObject *args)
{
    int body;
    PyObject *f, *t, *at;
    thud_vec3 force, torque, point;
    double *tau;
    if (!PyArg_ParseTuple(args, "iOOO:point_force", &body, &f, &t, &at) || !is_body(self, body) ||
        !py_read_vec3(f, "force", &force) || !py_read_vec3(t, "torque", &torque) ||
        !py_read_vec3(at, "point", &point)) {
        return NULL;
    }
    PyObject *const answer = py_doubles((size_t)self->m->nv, &tau);
    if (answer) {
        thud_point_force(self->m, self->d, body, force, torque, point, tau);
    }
    return answer;
}

// ray(from, along, exclude_body, groups, fixed, reach) -> (geom, distance, point, normal) or None
static PyObject *dynamics_ray(dynamics *self, PyObject *args)
{
    PyObject *a, *b;
    thud_ray_options o = thud_ray_defaults();
    thud_vec3 from, along;
    thud_ray_hit hit;
    int body, fixed;
    unsigned int groups;
    if (!PyArg_ParseTuple(args, "OOiIpd:ray", &a, &b, &body, &groups, &fixed, &o.reach) ||
        !py_read_vec3(a, "origin", &from) || !py_read_vec3(b, "direction", &along)) {
        return NULL;
    }
    if (along.x == 0 && along.y == 0 && along.z == 0) {
        PyErr_SetString(PyExc_ValueError, "direction: it has no length");
        return NULL;
    }
    o.exclude_body = body;
    o.groups = groups;
    o.fixed = fixed;
    if (!thud_ray_cast(self->m, self->X + self->m->bodies, from, along, &o, &hit)) {
        Py_RETURN_NONE;
    }
    return Py_BuildValue("id(ddd)(ddd)", hit.geom, hit.distance, hit.point.x, hit.point.y, hit.point.z,
                         hit.normal.x, hit.normal.y, hit.normal.z);
}

// velocities() -> bodies x 6: angular velocity, then velocity of the body frame's origin, world
static PyObject *dynamics_velocities(dynamics *self, PyObject *none)
{
    (void)none;
    const thud_model *const m = self->m;
    double *out;
    PyObject *const answer = py_doubles(6 * (size_t)m->bodies, &out);
    for (int i = 0; answer && i < m->bodies; i++) {
        if (m->body_link[i] < 0) {
            continue; // fixed: zeros
        }
        const thud_link *const link = &self->d->link[m->body_link[i]];
        const thud_vec3 w = link->w, r = {self->X[i].p.x - link->o.x, self->X[i].p.y - link->o.y,
                                          self->X[i].p.z - link->o.z};
        const double V[6] = {w.x,
                             w.y,
                             w.z,
                             link->v.x + w.y * r.z - w.z * r.y,
                             link->v.y + w.z * r.x - w.x * r.z,
                             link->v.z + w.x * r.y - w.y * r.x};
        memcpy(out + 6 * i, V, sizeof V);
    }
    return answer;
}

// drive(state) -> (joint forces of actuators, their forces, lengths, velocities, lengths and velocities of tendons), where placed
static PyObject *dynamics_drive(dynamics *self, PyObject *of)
{
    py_state *const s = py_as_state(of, self->m);
    const size_t nv = (size_t)self->m->nv, nu = (size_t)self->m->actuators, nt = (size_t)self->m->tendons;
    const size_t count[6] = {nv, nu, nu, nu, nt, nt};
    PyObject *const all = s ? PyTuple_New(6) : NULL;
    double *x[6] = {NULL};
    for (int i = 0; all && i < 6; i++) {
        PyObject *const one = py_doubles(count[i], &x[i]);
        if (!one || PyTuple_SetItem(all, i, one) < 0) {
            Py_DECREF(all);
            return NULL;
        }
    }
    if (all) {
        const thud_drive_input in = {.ctrl = s->s->ctrl, .act = s->s->act};
        thud_actuator_force(self->m, &in, self->drive, x[0]);
        const double *const from[6] = {NULL,
                                       self->drive->force,
                                       self->drive->length,
                                       self->drive->velocity,
                                       self->drive->tendon_length,
                                       self->drive->tendon_velocity};
        for (int i = 1; i < 6; i++) {
            if (count[i] > 0) {
                memcpy(x[i], from[i], count[i] * sizeof(double));
            }
        }
    }
    return all;
}

// passive(state) -> joint forces (nv) of springs, dampers, tendons, carried weight and the medium, where placed
static PyObject *dynamics_passive(dynamics *self, PyObject *of)
{
    py_state *const s = py_as_state(of, self->m);
    double *tau;
    PyObject *const answer = s ? py_doubles((size_t)self->m->nv, &tau) : NULL;
    if (answer) {
        thud_passive_force(self->m, s->s->qpos, s->s->qvel, NULL, tau);
        thud_tendon_force(self->m, NULL, self->drive, tau);
        thud_carried_force(self->m, self->d, tau);
        if (self->m->has_drag) {
            thud_drag_force(self->m, self->d, tau);
        }
    }
    return answer;
}

// integrate(qpos, v, h) -> qpos moved; difference(from, to) -> v
static PyObject *dynamics_integrate(dynamics *self, PyObject *args)
{
    PyObject *a, *b;
    double h, *out;
    py_numbers q, v;
    if (!PyArg_ParseTuple(args, "OOd:integrate", &a, &b, &h) || !py_take(a, "qpos", self->m->nq, false, &q)) {
        return NULL;
    }
    if (!py_take(b, "velocity", self->m->nv, false, &v)) {
        py_release(&q);
        return NULL;
    }
    PyObject *const answer = py_doubles((size_t)self->m->nq, &out);
    if (answer) {
        thud_qpos_integrate(self->m, q.x, v.x, h, out);
    }
    py_release(&q);
    py_release(&v);
    return answer;
}

static PyObject *dynamics_difference(dynamics *self, PyObject *args)
{
    PyObject *a, *b;
    double *out;
    py_numbers from, to;
    if (!PyArg_ParseTuple(args, "OO:difference", &a, &b) || !py_take(a, "from", self->m->nq, false, &from)) {
        return NULL;
    }
    if (!py_take(b, "to", self->m->nq, false, &to)) {
        py_release(&from);
        return NULL;
    }
    PyObject *const answer = py_doubles((size_t)self->m->nv, &out);
    if (answer) {
        thud_qpos_difference(self->m, from.x, to.x, out);
    }
    py_release(&from);
    py_release(&to);
    return answer;
}

int py_dynamics_init(PyObject *module)
{
    static PyMethodDef methods[] = {
        {"place", (PyCFunction)dynamics_place, METH_O, "place(state)."},
        {"poses", (PyCFunction)dynamics_poses, METH_NOARGS, "poses() -> of bodies, geoms and sites."},
        {"mass", (PyCFunction)dynamics_mass, METH_NOARGS, "mass() -> nv x nv."},
        {"rnea", (PyCFunction)dynamics_rnea, METH_O, "rnea(qacc) -> M qacc + bias."},
        {"jacobian", (PyCFunction)dynamics_jacobian, METH_VARARGS, "jacobian(body, point) -> 6 x nv."},
        {"point_force", (PyCFunction)dynamics_point_force, METH_VARARGS,
         "point_force(body, force, torque, point) -> nv."},
        {"ray", (PyCFunction)dynamics_ray, METH_VARARGS,
         "ray(from, along, exclude_body, groups, fixed, reach)."},
        {"velocities", (PyCFunction)dynamics_velocities, METH_NOARGS, "velocities() -> of bodies."},
        {"drive", (PyCFunction)dynamics_drive, METH_O, "drive(state) -> what actuators and tendons do."},
        {"passive", (PyCFunction)dynamics_passive, METH_O, "passive(state) -> joint forces."},
        {"integrate", (PyCFunction)dynamics_integrate, METH_VARARGS, "integrate(qpos, velocity, h) -> qpos."},
        {"difference", (PyCFunction)dynamics_difference, METH_VARARGS, "difference(from, to) -> velocity."},
        {NULL, NULL, 0, NULL}};
    PyType_Slot slots[] = {
        {Py_tp_new, dynamics_new}, {Py_tp_dealloc, dynamics_free}, {Py_tp_methods, methods}, {0, NULL}};
    PyType_Spec spec = {"thud._core.Dynamics", sizeof(dynamics), 0, Py_TPFLAGS_DEFAULT, slots};
    py_dynamics_type = py_add_type(module, &spec);
    return py_dynamics_type ? 0 : -1;
}
