// SPDX-License-Identifier: Apache-2.0
// law_scene.c: see law_scene.h. Sums are written out from the definitions; nothing here is taken from the
// library.
#include "law/law_scene.h"

#include "test.h"

int scene_body(law_scene *s, double m, double I, double x, double y, double z)
{
    const int body = s->bodies++;
    CHECK(body < SCENE_BODIES);
    for (int k = 0; k < 3; k++) {
        s->inverse[6 * body + k] = 1 / m;
        s->inverse[6 * body + 3 + k] = I > 0 ? 1 / I : 0;
    }
    s->centre[body][0] = x;
    s->centre[body][1] = y;
    s->centre[body][2] = z;
    return body;
}

static int open_block(law_scene *s, thud_block_kind kind, int dim)
{
    CHECK(s->blocks < SCENE_BLOCKS && s->rows + dim <= SCENE_ROWS);
    s->block[s->blocks] = (thud_block){.kind = kind, .row = s->rows, .dim = dim};
    s->cone[s->blocks] = (thud_cone_block){.kind = kind == THUD_BLOCK_CONTACT ? THUD_CONE_KIND_CONTACT
                                                   : kind == THUD_BLOCK_LOOP  ? THUD_CONE_KIND_FREE
                                                                              : THUD_CONE_KIND_BOX,
                                           .row = s->rows,
                                           .dim = dim,
                                           .hi = INFINITY};
    s->rows += dim;
    return s->blocks++;
}

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int k = 0; k < 3; k++) {
        out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
    }
}

// Row: velocity along d at x (linear), or angular velocity about d.
static void add_row(law_scene *s, int row, int body, double side, const double x[3], const double d[3],
                    bool linear)
{
    if (body < 0) {
        return;
    }
    double arm[3], moment[3];
    for (int k = 0; k < 3; k++) {
        arm[k] = x[k] - s->centre[body][k];
    }
    cross(arm, d, moment);
    for (int k = 0; k < 3; k++) {
        s->G[row][6 * body + k] += linear ? side * d[k] : 0;
        s->G[row][6 * body + 3 + k] += side * (linear ? moment[k] : d[k]);
    }
}

int scene_contact(law_scene *s, int a, int b, const double x[3], const double n[3], int dim, double mu)
{
    const int block = open_block(s, THUD_BLOCK_CONTACT, dim), row = s->block[block].row;
    const double other[3] = {fabs(n[0]) < 0.6, fabs(n[0]) >= 0.6, 0};
    double axis[3][3], size = 0;
    const double along = other[0] * n[0] + other[1] * n[1];
    for (int k = 0; k < 3; k++) {
        axis[0][k] = n[k];
        axis[1][k] = other[k] - along * n[k]; // for n = z: t1 = x, t2 = y
        size += axis[1][k] * axis[1][k];
    }
    for (int k = 0; k < 3; k++) {
        axis[1][k] /= sqrt(size);
    }
    cross(n, axis[1], axis[2]);
    for (int r = 0; r < dim; r++) {
        add_row(s, row + r, a, 1, x, axis[r % 3], r < 3);
        add_row(s, row + r, b, -1, x, axis[r % 3], r < 3);
    }
    for (int r = 1; r < dim; r++) {
        s->cone[block].mu[r - 1] = r < 3 ? mu : 0.1 * mu;
    }
    for (int k = 0; k < 2; k++) {
        s->block[block].static_friction[k] = s->block[block].kinetic_friction[k] = mu;
    }
    return block;
}

static int one_row(law_scene *s, thud_block_kind kind, int dof)
{
    const int block = open_block(s, kind, 1);
    s->G[s->block[block].row][dof] = 1;
    return block;
}

int scene_limit(law_scene *s, int dof)
{
    return one_row(s, THUD_BLOCK_LIMIT, dof);
}

int scene_dry(law_scene *s, int dof, double bound)
{
    const int block = one_row(s, THUD_BLOCK_DRY, dof);
    s->cone[block].lo = -bound;
    s->cone[block].hi = bound;
    return block;
}

int scene_loop(law_scene *s, int dof, int count)
{
    const int block = open_block(s, THUD_BLOCK_LOOP, count);
    for (int r = 0; r < count; r++) {
        s->G[s->block[block].row + r][dof + r] = 1;
    }
    return block;
}

int scene_pin(law_scene *s, int a, int b, const double x[3])
{
    const int block = open_block(s, THUD_BLOCK_LOOP, 3);
    for (int r = 0; r < 3; r++) {
        const double d[3] = {r == 0, r == 1, r == 2};
        add_row(s, s->block[block].row + r, a, 1, x, d, true);
        add_row(s, s->block[block].row + r, b, -1, x, d, true);
    }
    return block;
}

void scene_finish(law_scene *s, double h, double gravity)
{
    const int rows = s->rows, dofs = 6 * s->bodies;
    for (int i = 0; i < dofs; i++) {
        s->v_free[i] = s->v[i] - (i % 6 == 2 ? h * gravity : 0);
    }
    for (int i = 0; i < rows; i++) {
        s->u_free[i] = s->b[i];
        s->u_before[i] = 0;
        for (int k = 0; k < dofs; k++) {
            s->u_free[i] += s->G[i][k] * s->v_free[k];
            s->u_before[i] += s->G[i][k] * s->v[k];
        }
        for (int j = 0; j < rows; j++) {
            double w = 0;
            for (int k = 0; k < dofs; k++) {
                w += s->G[i][k] * s->inverse[k] * s->G[j][k];
            }
            s->W[i + j * rows] = w;
        }
    }
    s->island = (thud_island){.blocks = s->blocks,
                              .rows = rows,
                              .block = s->block,
                              .cone = s->cone,
                              .W = {rows, rows, rows, s->W},
                              .u_free = s->u_free,
                              .u_before = s->u_before,
                              .p_before = s->p_before,
                              .h = h,
                              .p = s->p};
}

void scene_velocity(const law_scene *s, double *u)
{
    for (int i = 0; i < s->rows; i++) {
        u[i] = s->u_free[i];
        for (int j = 0; j < s->rows; j++) {
            u[i] += s->W[i + j * s->rows] * s->p[j];
        }
    }
}

// ---------------------------------------------------------------------------------------------- scenes

static const double UP[3] = {0, 0, 1};

static void add_corners(law_scene *s, int a, int b, double half, double z, double mu)
{
    for (int corner = 0; corner < 4; corner++) {
        const double x[3] = {s->centre[a][0] + (corner & 1 ? half : -half),
                             s->centre[a][1] + (corner & 2 ? half : -half), z};
        scene_contact(s, a, b, x, UP, 3, mu);
    }
}

void scene_cube(law_scene *s, double mu)
{
    memset(s, 0, sizeof *s);
    add_corners(s, scene_body(s, 1, 1.0 / 6, 0, 0, 0.5), -1, 0.5, 0, mu);
}

void scene_point(law_scene *s, double mu, double vx, double vy)
{
    memset(s, 0, sizeof *s);
    const double x[3] = {0, 0, 0};
    scene_contact(s, scene_body(s, 1, 0, 0, 0, 0), -1, x, UP, 3, mu);
    s->v[0] = vx;
    s->v[1] = vy;
}

static void random_unit(test_rng *r, double n[3])
{
    double size = 0;
    for (int k = 0; k < 3; k++) {
        n[k] = test_normal(r);
        size += n[k] * n[k];
    }
    for (int k = 0; k < 3; k++) {
        n[k] /= sqrt(size);
    }
}

static void random_speeds(test_rng *r, law_scene *s, double linear, double angular)
{
    for (int i = 0; i < 6 * s->bodies; i++) {
        s->v[i] = (i % 6 < 3 ? linear : angular) * test_normal(r);
    }
}

static void add_heap(test_rng *r, law_scene *s, int bodies, int contacts, int dim)
{
    for (int i = 0; i < bodies; i++) {
        scene_body(s, exp(test_normal(r)), 0.1 * exp(test_normal(r)), test_normal(r), test_normal(r),
                   test_normal(r));
    }
    for (int i = 0; i < contacts; i++) {
        const int a = i % bodies, other = test_below(r, bodies + 1),
                  b = other == a || other == bodies ? -1 : other;
        double n[3], x[3], away[3];
        random_unit(r, n);
        random_unit(r, away);
        for (int k = 0; k < 3; k++) {
            x[k] = s->centre[a][k] + 0.3 * away[k];
        }
        scene_contact(s, a, b, x, n, dim, test_uniform(r, 0.2, 1));
    }
    random_speeds(r, s, 1, 1);
}

static void add_stack(test_rng *r, law_scene *s, int boxes)
{
    for (int i = 0; i < boxes; i++) {
        const double m = test_uniform(r, 0.5, 2);
        scene_body(s, m, m / 6, 0, 0, i + 0.5);
        add_corners(s, i, i - 1, 0.5, i, 0.6);
    }
}

// A heap with limits, dry friction and loops on dofs of its bodies.
static void add_joints(test_rng *r, law_scene *s)
{
    add_heap(r, s, 3, 5, 3);
    const double x[3] = {0.3, 0.2, 0.1};
    scene_pin(s, 0, 1, x);
    scene_loop(s, 6 * 2 + 3, 2);
    scene_limit(s, 6 * 1 + 2);
    scene_limit(s, 6 * 0 + 4);
    scene_dry(s, 6 * 1 + 3, 0.02);
    scene_dry(s, 6 * 2 + 1, 5);
}

void scene_corpus(int k, law_scene *s)
{
    static const int dims[] = {1, 2, 4, 6};
    test_rng r = {(uint64_t)k + 1};
    memset(s, 0, sizeof *s);
    const int kind = k % 8, round = k / 8;
    if (kind < 2) { // a cube that stands, slides or spins
        scene_cube(s, 0.5);
        s->v[0] = kind * test_normal(&r);
        s->v[1] = round > 0 ? kind * 3 * test_normal(&r) : 0;
        s->v[5] = round > 1 ? kind * 6 * test_normal(&r) : 0;
    } else if (kind == 2) {
        add_stack(&r, s, 1 + round / 2);
        random_speeds(&r, s, round % 2 ? 0.2 : 0, 0);
    } else if (kind < 5) {
        add_heap(&r, s, 1 + round, 2 + 2 * round, 3);
    } else if (kind == 5) {
        add_heap(&r, s, 1 + round, 2 + round, dims[round % 4]);
    } else if (kind == 6) { // every contact twice
        const double x[3] = {0.1, 0.2, 0}, y[3] = {-0.2, 0.1, 0};
        scene_body(s, 2, 0.3, 0, 0, 0.3);
        for (int copy = 0; copy < 2; copy++) {
            scene_contact(s, 0, -1, x, UP, 3, 0.4);
            scene_contact(s, 0, -1, y, UP, 3, 0.4);
        }
        random_speeds(&r, s, 0.3, 0.3);
    } else {
        add_joints(&r, s);
    }
    scene_finish(s, 0.01, 9.81);
    for (int i = 0; i < s->blocks && k % 3 == 0; i++) { // a third has a last step
        s->p_before[s->block[i].row] = s->block[i].kind == THUD_BLOCK_CONTACT ? test_uniform(&r, 0, 0.1) : 0;
    }
}

// ---------------------------------------------------------------------------------------------- solving

thud_law_options law_options(thud_law law, thud_solver solver)
{
    thud_law_options o = thud_law_defaults();
    o.law = law;
    o.solver = solver;
    return o;
}

thud_law_report scene_solve(law_scene *s, const thud_law_options *o)
{
    thud_arena *arena;
    CHECK_OK(thud_arena_create(thud_law_scratch(&s->island, o), &arena));
    memset(s->p, 0, sizeof s->p);
    const thud_law_report r = thud_law_solve(&s->island, o, arena);
    CHECK_INT(thud_arena_mark(arena), 0);
    thud_arena_destroy(arena);
    return r;
}
