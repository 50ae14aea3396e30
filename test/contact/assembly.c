// SPDX-License-Identifier: Apache-2.0
#include "assembly.h"

assembly assembly_create(uint64_t seed, int bodies, bool implicit, double h)
{
    assembly a = {.t = random_tree_create(seed, bodies)};
    test_rng rng = {seed + 77};
    const thud_model *m = a.t.m;
    for (int i = 0; i < m->nv && implicit; i++) {
        a.t.d->implicit[i] = test_uniform(&rng, 0, 0.3);
    }
    thud_dynamics_place(m, a.t.q, a.t.d);
    CHECK(thud_dynamics_factor(m, a.t.d));
    CHECK_OK(thud_rows_create(m, 256, 1 << 24, &a.rows));
    thud_rows_begin(a.rows, a.t.d, h);
    a.G = calloc((size_t)ASSEMBLY_ROWS * (size_t)(m->nv + 1), sizeof *a.G);
    a.b = calloc(ASSEMBLY_ROWS, sizeof *a.b);
    return a;
}

void assembly_destroy(assembly *a)
{
    thud_rows_destroy(a->rows);
    random_tree_destroy(&a->t);
    free(a->G);
    free(a->b);
}

// Notes a block that was just added if the room has one more; returns its rows of G.
static double *note(assembly *a, thud_block_kind kind, int dim, int source, const double *b)
{
    if (thud_rows_blocks(a->rows) == a->blocks) {
        return NULL;
    }
    CHECK(a->n + dim <= ASSEMBLY_ROWS);
    double *const G = a->G + (size_t)a->n * (size_t)a->t.m->nv;
    a->block[a->blocks++] = (struct noted){kind, source, a->n, dim};
    for (int r = 0; r < dim; r++) {
        a->b[a->n++] = b ? b[r] : 0;
    }
    return G;
}

static const struct noted *find_noted(const assembly *a, thud_block_kind kind, int source)
{
    for (int i = 0; i < a->blocks; i++) {
        if (a->block[i].kind == kind && a->block[i].source == source) {
            return &a->block[i];
        }
    }
    return NULL;
}

// row += sign * (ang . omega + lin . velocity at point) of the body
static void measure_body(const assembly *a, int body, vec3 point, vec3 ang, vec3 lin, double sign,
                         double *row)
{
    const int nv = a->t.m->nv;
    double *J = malloc(6 * (size_t)(nv + 1) * sizeof *J);
    thud_dynamics_jacobian(a->t.m, a->t.d, body, point, J);
    const double f[6] = {ang.x, ang.y, ang.z, lin.x, lin.y, lin.z};
    for (int i = 0; i < nv; i++) {
        for (int k = 0; k < 6; k++) {
            row[i] += sign * f[k] * J[k * nv + i];
        }
    }
    free(J);
}

static vec3 random_vec3(test_rng *rng)
{
    return v3(test_normal(rng), test_normal(rng), test_normal(rng));
}

bool add_contact(assembly *a, test_rng *rng, int body1, int body2, int dim)
{
    const vec3 none = v3(0, 0, 0), point = random_vec3(rng), n = v3_normalize(random_vec3(rng));
    thud_contact c = {
        .id = 1000 + test_bits(rng) % 1000000, .body1 = body1, .body2 = body2, .law.axis_body = -1};
    for (int k = 0; k < 5; k++) {
        c.law.friction[k] = 0.1 * (k + 1);
    }
    thud_contact_row row = {.contact = &c, .point = point, .phi = 0.25, .dim = dim};
    thud_contact_frame(a->t.m, a->t.d, &c, n, row.frame);
    for (int k = 0; k < 3; k++) {
        row.b[k] = k < dim ? test_normal(rng) : 0;
    }
    CHECK_OK(thud_rows_add_contact(a->rows, &row, a->blocks));
    const double b[6] = {row.b[0], row.b[1], row.b[2], 0, 0, 0};
    double *G = note(a, THUD_BLOCK_CONTACT, dim, a->blocks, b);
    if (!G) {
        return false;
    }
    const vec3 *frame = row.frame;
    for (int r = 0; r < dim; r++) {
        const vec3 ang = r < 3 ? none : frame[r - 3], lin = r < 3 ? frame[r] : none;
        measure_body(a, body2, point, ang, lin, 1, G + (size_t)r * (size_t)a->t.m->nv);
        measure_body(a, body1, point, ang, lin, -1, G + (size_t)r * (size_t)a->t.m->nv);
    }
    return true;
}

bool add_limit(assembly *a, test_rng *rng, int joint)
{
    const thud_model *m = a->t.m;
    const int sign = test_below(rng, 2) ? 1 : -1;
    const vec3 axis = v3_normalize(random_vec3(rng));
    const double b = test_normal(rng);
    if (m->joint_type[joint] == THUD_JOINT_FREE || find_noted(a, THUD_BLOCK_LIMIT, joint)) {
        return false;
    }
    CHECK_OK(thud_rows_add_limit(a->rows, joint, sign, axis, 0.5, b));
    double *row = note(a, THUD_BLOCK_LIMIT, 1, joint, &b) + m->joint_v[joint];
    if (m->joint_type[joint] == THUD_JOINT_BALL) {
        row[0] = sign * axis.x;
        row[1] = sign * axis.y;
        row[2] = sign * axis.z;
    } else {
        row[0] = sign;
    }
    return true;
}

bool add_dry(assembly *a, int dof)
{
    if (find_noted(a, THUD_BLOCK_DRY, dof)) {
        return false;
    }
    CHECK_OK(thud_rows_add_dry(a->rows, dof, 0.75));
    note(a, THUD_BLOCK_DRY, 1, dof, NULL)[dof] = 1;
    return true;
}

bool add_loop(assembly *a, test_rng *rng, int body1, int body2, int dim)
{
    thud_force row[6] = {0};
    double b[6] = {0};
    for (int r = 0; r < dim; r++) {
        row[r] = (thud_force){random_vec3(rng), random_vec3(rng)};
        b[r] = test_normal(rng);
    }
    CHECK_OK(thud_rows_add_loop(a->rows, a->blocks, body1, body2, dim, row, b));
    double *G = note(a, THUD_BLOCK_LOOP, dim, a->blocks, b);
    for (int r = 0; G && r < dim; r++) {
        double *g = G + (size_t)r * (size_t)a->t.m->nv;
        measure_body(a, body2, v3(0, 0, 0), row[r].ang, row[r].lin, 1, g);
        measure_body(a, body1, v3(0, 0, 0), row[r].ang, row[r].lin, -1, g);
    }
    return G != NULL;
}

bool add_gear(assembly *a, test_rng *rng, int dof1, int dof2)
{
    const double ratio = test_normal(rng), b = test_normal(rng);
    CHECK_OK(thud_rows_add_gear(a->rows, a->blocks, dof1, dof2, ratio, b));
    double *row = note(a, THUD_BLOCK_LOOP, 1, a->blocks, &b);
    row[dof1] += 1;
    if (dof2 >= 0) {
        row[dof2] -= ratio;
    }
    return true;
}

void add_some_of_everything(assembly *a, test_rng *rng, int blocks)
{
    static const int dims[] = {1, 3, 4, 6};
    const thud_model *m = a->t.m;
    for (int i = 0; i < blocks; i++) {
        const int body1 = test_below(rng, m->bodies), body2 = test_below(rng, m->bodies);
        switch (test_below(rng, 6)) {
        case 0:
            add_limit(a, rng, test_below(rng, m->joints));
            break;
        case 1:
            add_dry(a, test_below(rng, m->nv));
            break;
        case 2:
            add_loop(a, rng, body1, body2, 1 + test_below(rng, 6));
            break;
        case 3:
            add_gear(a, rng, test_below(rng, m->nv), test_below(rng, m->nv + 1) - 1);
            break;
        default:
            add_contact(a, rng, body1, body2, dims[test_below(rng, 4)]);
        }
    }
}

// The sparse M + implicit, factored.
static double *factored_mass(const assembly *a)
{
    const thud_model *m = a->t.m;
    double *M = malloc((size_t)(m->dof_row[m->nv] + 1) * sizeof *M);
    thud_dynamics_crba(m, a->t.d, M);
    for (int i = 0; i < m->nv; i++) {
        M[m->dof_row[i]] += a->t.d->implicit[i];
    }
    CHECK_INT(thud_mass_factor(m, M), -1);
    return M;
}

double *dense_delassus(const assembly *a)
{
    const int nv = a->t.m->nv, n = a->n;
    double *M = factored_mass(a), *W = malloc((size_t)n * (size_t)n * sizeof *W + 8);
    double *x = malloc((size_t)(nv + 1) * sizeof *x);
    for (int c = 0; c < n; c++) {
        memcpy(x, a->G + (size_t)c * (size_t)nv, (size_t)nv * sizeof *x);
        thud_mass_solve(a->t.m, M, x);
        for (int r = 0; r < n; r++) {
            W[(size_t)r * (size_t)n + (size_t)c] = thud_dot(nv, a->G + (size_t)r * (size_t)nv, x);
        }
    }
    free(x);
    free(M);
    return W;
}

void dense_response(const assembly *a, const double *p, double *dv)
{
    const int nv = a->t.m->nv;
    double *M = factored_mass(a);
    for (int i = 0; i < nv; i++) {
        dv[i] = 0;
        for (int r = 0; r < a->n; r++) {
            dv[i] += a->G[(size_t)r * (size_t)nv + (size_t)i] * p[r];
        }
    }
    thud_mass_solve(a->t.m, M, dv);
    free(M);
}

void dense_velocity(const assembly *a, const double *v, double *u)
{
    for (int r = 0; r < a->n; r++) {
        u[r] = thud_dot(a->t.m->nv, a->G + (size_t)r * (size_t)a->t.m->nv, v);
    }
}

int assembly_row(const assembly *a, const thud_island *island, int row)
{
    for (int k = 0; k < island->blocks; k++) {
        const thud_block *b = &island->block[k];
        if (b->row <= row && row < b->row + b->dim) {
            const struct noted *noted = find_noted(a, b->kind, b->source);
            CHECK(noted && noted->dim == b->dim);
            return noted->first + row - b->row;
        }
    }
    fail_msg("row %d belongs to no block", row);
    return -1;
}
