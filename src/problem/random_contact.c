// SPDX-License-Identifier: Apache-2.0
// random_contact.c: contact problems of random bodies.                                     [theory 1]
//
// Symbols  body: mass m, inertia I about its centre c, free velocity (w, v), all in the world
//          contact: bodies a, b (-1: the ground), point x, normal n from b to a, tangents t1, t2
//          J row along d:  d . (v_a + w_a x (x - c_a)) - d . (v_b + w_b x (x - c_b))
//          W = J M^-1 J^T · u_f = J v_f
#include <math.h>
#include <string.h>

#include <thud/elementary.h>
#include <thud/problem_random.h>
#include <thud/spatial_inline.h>

#include "random_draw.h"

typedef struct body {
    double mass;
    mat3 inverse_inertia; // in the world
    vec3 centre, v, w;
} body;

typedef struct contact {
    int a, b; // -1: the ground
    vec3 x, axis[3];
    double mu;
} contact;

typedef struct scene {
    int bodies, contacts;
    body *body;
    contact *contact;
} scene;

static const double STEP = 0.01, GRAVITY = 9.81;

// A solid box of the given half lengths, turned by q, with the velocity that one step of gravity leaves it.
static body make_box(draw *r, vec3 half, quat q, vec3 centre)
{
    const double density = 1000 * thud_exp(draw_uniform(r, -1, 1));
    const double m = density * 8 * half.x * half.y * half.z, x = half.x * half.x, y = half.y * half.y,
                 z = half.z * half.z;
    const mat3 R = m3_of_quat(q);
    const double inverse[3] = {3 / (m * (y + z)), 3 / (m * (x + z)), 3 / (m * (x + y))};
    body b = {.mass = m, .centre = centre, .v = {0, 0, -GRAVITY * STEP}};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            for (int k = 0; k < 3; k++) {
                b.inverse_inertia.m[i][j] += R.m[i][k] * inverse[k] * R.m[j][k];
            }
        }
    }
    return b;
}

static contact make_contact(draw *r, int a, int b, vec3 x, vec3 normal)
{
    const vec3 other = fabs(normal.x) < 0.6 ? v3(1, 0, 0) : v3(0, 1, 0);
    const vec3 t1 = v3_normalize(v3_cross(normal, other));
    return (contact){a, b, x, {normal, t1, v3_cross(normal, t1)}, draw_uniform(r, 0.2, 1)};
}

// Bodies in a heap of two contacts each, at random places, moving at about 1 m/s.
static void make_heap(draw *r, int contacts, scene *s)
{
    s->bodies = (contacts + 1) / 2;
    for (int i = 0; i < s->bodies; i++) {
        const vec3 half =
            v3(draw_uniform(r, 0.05, 0.2), draw_uniform(r, 0.05, 0.2), draw_uniform(r, 0.05, 0.2));
        s->body[i] = make_box(r, half, draw_rotation(r), draw_vector(r));
        s->body[i].v = v3_add(s->body[i].v, draw_vector(r));
        s->body[i].w = draw_vector(r);
    }
    for (int i = 0; i < contacts; i++) {
        const int a = i % s->bodies, other = draw_below(r, s->bodies + 1);
        const int b = other >= s->bodies || other == a ? -1 : other;
        const vec3 x = v3_axpy(0.15, v3_normalize(draw_vector(r)), s->body[a].centre);
        s->contact[s->contacts++] = make_contact(r, a, b, x, v3_normalize(draw_vector(r)));
    }
}

static void four_corners(draw *r, int a, int b, vec3 centre, vec3 half, double yaw, double z, scene *s)
{
    const double mu = draw_uniform(r, 0.2, 1);
    for (int corner = 0; corner < 4; corner++) {
        const double x = corner & 1 ? half.x : -half.x, y = corner & 2 ? half.y : -half.y;
        const vec3 at = v3(centre.x + thud_cos(yaw) * x - thud_sin(yaw) * y,
                           centre.y + thud_sin(yaw) * x + thud_cos(yaw) * y, z);
        s->contact[s->contacts] = make_contact(r, a, b, at, v3(0, 0, 1));
        s->contact[s->contacts++].mu = mu;
    }
}

// Boxes that slide and spin on a plane, as in [PI]'s example.
static void make_boxes(draw *r, int boxes, scene *s)
{
    s->bodies = boxes;
    for (int i = 0; i < boxes; i++) {
        const vec3 half = v3(draw_uniform(r, 0.2, 0.6), draw_uniform(r, 0.2, 0.6), draw_uniform(r, 0.2, 0.6));
        const vec3 centre = v3(draw_uniform(r, -5, 5), draw_uniform(r, -5, 5), half.z);
        const double yaw = draw_uniform(r, 0, 6.283185307179586);
        s->body[i] = make_box(r, half, q_axis_angle(v3(0, 0, 1), yaw), centre);
        s->body[i].v = v3_add(s->body[i].v, v3(draw_uniform(r, -5, 5), draw_uniform(r, -5, 5), 0));
        s->body[i].w = v3(0, 0, draw_uniform(r, -6, 6));
        four_corners(r, i, -1, centre, half, yaw, 0, s);
    }
}

// A stack, at rest in one problem of two and pushed in the other.
static void make_stack(draw *r, int boxes, scene *s)
{
    const bool pushed = draw_below(r, 2) == 1;
    double z = 0;
    vec3 below = v3(1, 1, 1);
    s->bodies = boxes;
    for (int i = 0; i < boxes; i++) {
        const vec3 half = v3(draw_uniform(r, 0.3, 0.5), draw_uniform(r, 0.3, 0.5), draw_uniform(r, 0.1, 0.5));
        const vec3 centre = v3(draw_uniform(r, -0.05, 0.05), draw_uniform(r, -0.05, 0.05), z + half.z);
        s->body[i] = make_box(r, half, (quat){1, 0, 0, 0}, centre);
        if (pushed) {
            s->body[i].v = v3_axpy(0.2, draw_vector(r), s->body[i].v);
            s->body[i].w = v3_scale(0.2, draw_vector(r));
        }
        const vec3 face = v3(thud_min(half.x, below.x), thud_min(half.y, below.y), 0);
        four_corners(r, i, i - 1, centre, face, 0, z, s);
        z += 2 * half.z;
        below = half;
    }
}

// J row along d of a contact, of body i: (angular, linear).
static void jacobian(const scene *s, const contact *c, vec3 d, int i, vec3 *angular, vec3 *linear)
{
    const double side = i == c->a ? 1 : -1;
    *linear = v3_scale(side, d);
    *angular = v3_scale(side, v3_cross(v3_sub(c->x, s->body[i].centre), d));
}

// The coupling of two contact rows through one body: J M^-1 J^T.
static double through(const scene *s, int i, const contact *c, vec3 d, const contact *other, vec3 e)
{
    if (i < 0 || (i != other->a && i != other->b)) {
        return 0;
    }
    vec3 angular, linear, other_angular, other_linear;
    jacobian(s, c, d, i, &angular, &linear);
    jacobian(s, other, e, i, &other_angular, &other_linear);
    return v3_dot(linear, other_linear) / s->body[i].mass +
           v3_dot(angular, m3_mulv(&s->body[i].inverse_inertia, other_angular));
}

static double free_velocity(const scene *s, int i, const contact *c, vec3 d)
{
    if (i < 0) {
        return 0;
    }
    vec3 angular, linear;
    jacobian(s, c, d, i, &angular, &linear);
    return v3_dot(linear, s->body[i].v) + v3_dot(angular, s->body[i].w);
}

static void assemble(const scene *s, thud_random_contacts *out)
{
    const int rows = 3 * s->contacts;
    for (int row = 0; row < rows; row++) {
        const contact *c = &s->contact[row / 3];
        const vec3 d = c->axis[row % 3];
        out->u_f[row] = free_velocity(s, c->a, c, d) + free_velocity(s, c->b, c, d);
        out->mu[row / 3] = c->mu;
        for (int column = 0; column <= row; column++) {
            const contact *other = &s->contact[column / 3];
            const vec3 e = other->axis[column % 3];
            const double w = through(s, c->a, c, d, other, e) + through(s, c->b, c, d, other, e);
            out->W.a[row + (size_t)column * (size_t)rows] = out->W.a[column + (size_t)row * (size_t)rows] = w;
        }
    }
}

static int contacts_of(thud_random_class class_)
{
    switch (class_.kind) {
    case THUD_RANDOM_STEWART_TRINKLE:
        return class_.size;
    case THUD_RANDOM_DOUBLED:
        return 2 * class_.size;
    case THUD_RANDOM_BOX:
    case THUD_RANDOM_STACK:
        return 4 * class_.size;
    default:
        return -1;
    }
}

static void make_scene(thud_random_class class_, uint64_t seed, scene *s)
{
    draw r = draw_start(class_.kind, seed);
    switch (class_.kind) {
    case THUD_RANDOM_BOX:
        make_boxes(&r, class_.size, s);
        break;
    case THUD_RANDOM_STACK:
        make_stack(&r, class_.size, s);
        break;
    default:
        make_heap(&r, class_.size, s);
        break;
    }
    if (class_.kind == THUD_RANDOM_DOUBLED) {
        memcpy(s->contact + s->contacts, s->contact, sizeof(contact) * (size_t)s->contacts);
        s->contacts *= 2;
    }
}

static thud_random_contacts *create_contacts(int contacts)
{
    const int rows = 3 * contacts;
    thud_random_contacts *out = thud_alloc(1, sizeof *out);
    if (out) {
        out->contacts = contacts;
        out->W = (thud_mat){rows, rows, rows, thud_alloc((size_t)rows * (size_t)rows, sizeof(double))};
        out->u_f = thud_alloc((size_t)rows, sizeof(double));
        out->mu = thud_alloc((size_t)contacts, sizeof(double));
        if (!out->W.a || !out->u_f || !out->mu) {
            thud_random_contacts_destroy(out);
            return NULL;
        }
    }
    return out;
}

thud_status thud_random_contact(thud_random_class class_, uint64_t seed, thud_random_contacts **out)
{
    *out = NULL;
    const int contacts = contacts_of(class_);
    if (contacts < 0 || class_.size <= 0) {
        return THUD_BAD_ARGUMENT;
    }
    scene s = {.body = thud_alloc((size_t)class_.size, sizeof(body)),
               .contact = thud_alloc((size_t)contacts, sizeof(contact))};
    thud_random_contacts *made = create_contacts(contacts);
    const bool whole = s.body && s.contact && made;
    if (whole) {
        make_scene(class_, seed, &s);
        assemble(&s, made);
        *out = made;
    } else {
        thud_random_contacts_destroy(made);
    }
    thud_free(s.body);
    thud_free(s.contact);
    return whole ? THUD_OK : THUD_NO_MEMORY;
}

void thud_random_contacts_destroy(thud_random_contacts *contacts)
{
    if (contacts) {
        thud_free(contacts->W.a);
        thud_free(contacts->u_f);
        thud_free(contacts->mu);
        thud_free(contacts);
    }
}
