// SPDX-License-Identifier: Apache-2.0
// test_delassus.c: the assembled problem is u = W p + u_free with W = G (M + implicit)^-1 G^T, by the
// textbook's dense matrices and by the operational space, whatever is held together and in whatever order it
// was said.
#include <string.h>

#include "assembly.h"

static double random_h(uint64_t seed)
{
    return 1e-3 * (double)(1 + seed % 7);
}

static void finish(assembly *a)
{
    CHECK_OK(thud_rows_finish(a->rows, a->t.v, a->t.a, NULL, 0, 0));
}

static assembly assembly_of_everything(uint64_t seed)
{
    assembly a = assembly_create(seed, 12, seed % 2, random_h(seed));
    test_rng rng = {seed};
    add_some_of_everything(&a, &rng, 20);
    finish(&a);
    return a;
}

static double largest(const double *x, size_t n)
{
    double most = 0;
    for (size_t i = 0; i < n; i++) {
        most = fmax(most, fabs(x[i]));
    }
    return most;
}

// Every entry of every island's W, dense or sparse: -> full n x n in the order of G. Zero between islands.
static double *gather(const assembly *a)
{
    const size_t n = (size_t)a->n;
    double *W = calloc(n * n + 1, sizeof *W), *p = NULL, *u = NULL;
    int seen = 0;
    for (int i = 0; i < thud_rows_islands(a->rows); i++) {
        const thud_island island = thud_rows_island(a->rows, i);
        const size_t rows = (size_t)island.rows;
        const thud_cone cone = {.rows = island.rows,
                                .blocks = island.blocks,
                                .block = island.cone,
                                .W = island.W,
                                .sparse = island.sparse,
                                .b = (p = calloc(rows, sizeof *p))};
        double *unit = calloc(rows, sizeof *unit);
        u = calloc(rows, sizeof *u);
        for (int c = 0; c < island.rows; c++) {
            unit[c] = 1;
            thud_cone_velocity(&cone, unit, u); // b = 0: column c
            unit[c] = 0;
            for (int r = 0; r < island.rows; r++) {
                const int to = assembly_row(a, &island, r), from = assembly_row(a, &island, c);
                W[(size_t)to * n + (size_t)from] = u[r];
            }
        }
        free(unit);
        free(u);
        free(p);
        seen += island.rows;
    }
    CHECK_INT(seen, a->n);
    return W;
}

// The largest difference of W from G M^-1 G^T, relative to its largest entry.
static double delassus_error(const assembly *a)
{
    const size_t n = (size_t)a->n;
    double *want = dense_delassus(a), *got = gather(a), worst = 0;
    for (size_t i = 0; i < n * n; i++) {
        worst = fmax(worst, fabs(got[i] - want[i]));
        CHECK(isfinite(got[i]));
        if (got[i] != got[i % n * n + i / n]) {
            fail_msg("W(%zu,%zu) and its mirror image differ by %g", i / n, i % n,
                     got[i] - got[i % n * n + i / n]);
        }
    }
    worst /= largest(want, n * n);
    free(want);
    free(got);
    return worst;
}

enum { MECHANISMS = 60 };

// The entry of S S^T at two rows of an island, from the strips of their blocks.
static double product_entry(const thud_island *island, int x, int y)
{
    const thud_cone_product *S = island->product;
    int bx = 0, by = 0;
    double sum = 0;
    for (; island->block[bx].row + island->block[bx].dim <= x; bx++) {
    }
    for (; island->block[by].row + island->block[by].dim <= y; by++) {
    }
    for (int i = S->start[bx]; i < S->start[bx + 1]; i++) {
        for (int j = S->start[by]; j < S->start[by + 1]; j++) {
            const int g = S->strip[i].group, size = S->column[g + 1] - S->column[g];
            for (int k = 0; g == S->strip[j].group && k < size; k++) {
                sum += S->strip[i].S[(x - island->block[bx].row) * size + k] *
                       S->strip[j].S[(y - island->block[by].row) * size + k];
            }
        }
    }
    return sum;
}

// S S^T of every island is its W.
static void check_product(const assembly *a)
{
    for (int i = 0; i < thud_rows_islands(a->rows); i++) {
        CHECK(thud_rows_island(a->rows, i).product == NULL); // not asked for yet
        CHECK_OK(thud_rows_factor(a->rows, i, NULL, NULL));
        const thud_island island = thud_rows_island(a->rows, i);
        double size = 0;
        for (int r = 0; r < island.rows; r++) {
            size = fmax(size, product_entry(&island, r, r));
        }
        const thud_cone cone = thud_island_cone(&island);
        double *unit = calloc((size_t)island.rows, sizeof *unit), *u = calloc((size_t)island.rows, sizeof *u);
        for (int c = 0; c < island.rows; c++) {
            unit[c] = 1;
            thud_cone_velocity(&cone, unit, u);
            unit[c] = 0;
            for (int r = 0; r < island.rows; r++) {
                const double soft = r == c && island.epsilon ? island.epsilon[r] : 0;
                CHECK_NEAR(product_entry(&island, r, c), u[r] - island.u_free[r] - soft, 1e-12 * size);
            }
        }
        free(unit);
        free(u);
    }
}

TEST(the_product_is_W_without_W)
{
    (void)test_state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        assembly a = assembly_of_everything(seed);
        check_product(&a);
        assembly_destroy(&a);
    }
}

TEST(W_may_be_made_in_an_arena_of_the_callers_and_forgotten)
{
    (void)test_state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        assembly a = assembly_of_everything(seed);
        thud_arena *arena;
        CHECK_OK(thud_arena_create(1 << 22, &arena));
        for (int i = 0; i < thud_rows_islands(a.rows); i++) {
            const thud_island before = thud_rows_island(a.rows, i);
            CHECK(before.W.a);
            thud_rows_forget(a.rows, i);
            CHECK(!thud_rows_island(a.rows, i).W.a);
            CHECK_OK(thud_rows_fill(a.rows, i, arena));
            const thud_island after = thud_rows_island(a.rows, i);
            const size_t bytes = (size_t)before.rows * (size_t)before.rows * sizeof(double);
            CHECK(after.W.a && after.W.a != before.W.a);
            CHECK_INT(memcmp(before.W.a, after.W.a, bytes), 0);
            CHECK_INT(memcmp(before.p, after.p, (size_t)before.rows * sizeof(double)), 0);
        }
        CHECK(thud_arena_mark(arena) > 0);
        thud_arena_destroy(arena);
        assembly_destroy(&a);
    }
}

TEST(W_is_G_Minv_GT_and_symmetric_to_the_bit)
{
    double worst = 0;
    for (uint64_t seed = 1; seed <= MECHANISMS; seed++) {
        test_rng rng = {seed};
        assembly a = assembly_create(seed, 2 + test_below(&rng, 12), seed % 2, random_h(seed));
        if (a.t.m->nv > 0) {
            add_some_of_everything(&a, &rng, 12);
            finish(&a);
            worst = fmax(worst, delassus_error(&a));
        }
        assembly_destroy(&a);
    }
    CHECK_BELOW(worst, 1e-12);
}

static int trees_of(const assembly *a)
{
    int roots = 0;
    for (int i = 0; i < a->t.m->joints; i++) {
        roots += a->t.m->link_parent[i] < 0;
    }
    return roots;
}

// Of one tree W is made in tiles along the ways of its rows, which take more than a word of bits where it has many dofs.
TEST(W_of_one_long_tree_is_that_matrix)
{
    int trees = 0, long_ones = 0;
    for (uint64_t seed = 500; seed < 560; seed += 2) {
        test_rng rng = {seed};
        assembly a = assembly_create(seed, seed % 4 ? 60 : 12, true, 1e-3);
        if (trees_of(&a) == 1) {
            add_some_of_everything(&a, &rng, 9 + test_below(&rng, 4));
            finish(&a);
            CHECK_INT(thud_rows_islands(a.rows), 1);
            CHECK_BELOW(delassus_error(&a), 5e-12);
            check_product(&a);
            trees++;
            long_ones += a.t.m->nv > 64;
        }
        assembly_destroy(&a);
    }
    CHECK(trees >= 8 && long_ones >= 4);
}

// One thread writes past the rows of a block to where the next one will be; several may not.
TEST(the_rows_of_one_tree_are_the_same_by_several_threads)
{
    enum { BLOCKS = 90 };
    int trees = 0;
    thud_pool *pool;
    CHECK_OK(thud_pool_create(2, &pool));
    for (uint64_t seed = 500; seed < 700; seed += 2) {
        assembly a[2];
        for (int k = 0; k < 2; k++) {
            test_rng rng = {seed};
            a[k] = assembly_create(seed, 12, true, 1e-3);
            thud_rows_share(a[k].rows, k ? pool : NULL);
            add_some_of_everything(&a[k], &rng, BLOCKS);
            finish(&a[k]);
        }
        if (trees_of(&a[0]) == 1) {
            const thud_island one = thud_rows_island(a[0].rows, 0), other = thud_rows_island(a[1].rows, 0);
            const size_t n = (size_t)one.rows;
            CHECK_INT(one.rows, other.rows);
            CHECK(one.W.a && other.W.a && memcmp(one.W.a, other.W.a, n * n * sizeof *one.W.a) == 0);
            trees++;
        }
        assembly_destroy(&a[0]);
        assembly_destroy(&a[1]);
    }
    thud_pool_destroy(pool);
    CHECK(trees >= 20);
}

// And of the contacts of a body that nothing else touches.
TEST(W_of_one_free_body_is_that_matrix)
{
    for (uint64_t seed = 1; seed < 40; seed += 2) { // the last body of three is free
        test_rng rng = {seed};
        assembly a = assembly_create(seed, 3, seed % 4 == 1, 1e-3);
        const int body = a.t.m->bodies - 1;
        for (int k = 0; k <= (int)(seed / 2) % 9; k++) {
            add_contact(&a, &rng, k % 2 ? 0 : body, k % 2 ? body : 0, seed % 8 == 7 && k == 1 ? 4 : 3);
        }
        finish(&a);
        CHECK_INT(thud_rows_islands(a.rows), 1);
        CHECK_BELOW(delassus_error(&a), 1e-13);
        assembly_destroy(&a);
    }
}

TEST(a_sparse_W_is_the_same_matrix)
{
    int sparse = 0;
    for (uint64_t seed = 300; seed < 320; seed++) {
        test_rng rng = {seed};
        assembly a = assembly_create(seed, 30, false, 1e-3);
        add_some_of_everything(&a, &rng, 120);
        finish(&a);
        bool any = false;
        for (int i = 0; i < thud_rows_islands(a.rows); i++) {
            const thud_island island = thud_rows_island(a.rows, i);
            CHECK((island.sparse != NULL) == (island.W.a == NULL));
            any |= island.sparse != NULL;
        }
        if (any) {
            CHECK_BELOW(delassus_error(&a), 5e-12); // rounding times the condition of M: 1.5e-12 was seen
        }
        sparse += any;
        assembly_destroy(&a);
    }
    CHECK(sparse >= 5); // mechanisms of several trees, of which there are some
}

// W of contacts again, from the blocks of the operational space: sum over the bodies of f^T Omega f.
static double from_opspace(const assembly *a, const thud_block *x, int r, const thud_block *y, int c)
{
    const thud_model *m = a->t.m;
    const int bodies[2][2] = {{x->body1, x->body2}, {y->body1, y->body2}};
    const thud_block *block[2] = {x, y};
    const int row[2] = {r, c};
    double f[2][2][6] = {0}, sum = 0; // block, body, component
    for (int k = 0; k < 4; k++) {
        const int link = m->body_link[bodies[k / 2][k % 2]], i = row[k / 2];
        if (link >= 0) {
            const vec3 lever = v3_sub(block[k / 2]->point, a->t.d->link[link].o);
            const vec3 along = v3_scale(k % 2 ? 1 : -1, block[k / 2]->frame[i % 3]), none = v3(0, 0, 0);
            const vec3 ang = i < 3 ? v3_cross(lever, along) : along, lin = i < 3 ? along : none;
            const double wrench[6] = {ang.x, ang.y, ang.z, lin.x, lin.y, lin.z};
            memcpy(f[k / 2][k % 2], wrench, sizeof wrench);
        }
    }
    for (int k = 0; k < 4; k++) {
        double omega[36];
        thud_opspace_block(m, a->t.d, m->body_link[bodies[0][k / 2]], m->body_link[bodies[1][k % 2]], omega);
        for (int e = 0; e < 36; e++) {
            sum += f[0][k / 2][e / 6] * omega[e] * f[1][k % 2][e % 6];
        }
    }
    return sum;
}

TEST(W_of_contacts_is_the_compliance_of_the_operational_space)
{
    double worst = 0;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        static const int dims[] = {1, 3, 4, 6};
        test_rng rng = {seed};
        assembly a = assembly_create(seed, 3 + test_below(&rng, 8), seed % 2, 1e-3);
        for (int k = 0; k < 8; k++) {
            add_contact(&a, &rng, test_below(&rng, a.t.m->bodies), test_below(&rng, a.t.m->bodies),
                        dims[k % 4]);
        }
        finish(&a);
        thud_dynamics_opspace(a.t.m, a.t.d);
        for (int i = 0; i < thud_rows_islands(a.rows); i++) {
            const thud_island island = thud_rows_island(a.rows, i);
            const double most = largest(island.W.a, (size_t)island.rows * (size_t)island.rows);
            const double scale = most > 0 ? most : 1; // 0: a body against itself
            for (int e = 0; e < island.blocks * island.blocks; e++) {
                const thud_block *x = &island.block[e / island.blocks], *y = &island.block[e % island.blocks];
                for (int k = 0; k < x->dim * y->dim; k++) {
                    const int r = k / y->dim, c = k % y->dim;
                    const double W = island.W.a[x->row + r + (y->row + c) * island.W.stride];
                    worst = fmax(worst, fabs(W - from_opspace(&a, x, r, y, c)) / scale);
                    CHECK(isfinite(worst));
                }
            }
        }
        assembly_destroy(&a);
    }
    CHECK_BELOW(worst, 1e-12);
}

TEST(rows_measure_velocities_and_add_what_the_law_asks)
{
    for (uint64_t seed = 1; seed <= MECHANISMS; seed++) {
        test_rng rng = {seed};
        assembly a = assembly_create(seed, 2 + test_below(&rng, 12), false, 1e-3);
        if (a.t.m->nv > 0) {
            double before[ASSEMBLY_ROWS], then[ASSEMBLY_ROWS];
            add_some_of_everything(&a, &rng, 12);
            finish(&a);
            dense_velocity(&a, a.t.v, before);
            dense_velocity(&a, a.t.a, then);
            for (int i = 0; i < thud_rows_islands(a.rows); i++) {
                const thud_island island = thud_rows_island(a.rows, i);
                for (int r = 0; r < island.rows; r++) {
                    const int at = assembly_row(&a, &island, r);
                    CHECK_NEAR(island.u_before[r], before[at], 1e-11); // of numbers up to 100
                    CHECK_NEAR(island.u_free[r], then[at] + a.b[at], 1e-11);
                }
            }
        }
        assembly_destroy(&a);
    }
}

TEST(impulses_change_the_velocity_by_Minv_GT_p_and_work_as_p_times_u)
{
    for (uint64_t seed = 1; seed <= MECHANISMS; seed++) {
        test_rng rng = {seed};
        assembly a = assembly_create(seed, 2 + test_below(&rng, 12), seed % 2, 1e-3);
        const thud_model *m = a.t.m;
        if (m->nv > 0) {
            double p[ASSEMBLY_ROWS], u[ASSEMBLY_ROWS], power = 0, work = 0;
            double *dv = calloc((size_t)m->nv, sizeof *dv), *want = calloc((size_t)m->nv, sizeof *want);
            thud_force *wrench = calloc((size_t)m->joints, sizeof *wrench);
            thud_motion *V = calloc((size_t)m->joints, sizeof *V);
            add_some_of_everything(&a, &rng, 12);
            finish(&a);
            for (int i = 0; i < thud_rows_islands(a.rows); i++) {
                const thud_island island = thud_rows_island(a.rows, i);
                for (int r = 0; r < island.rows; r++) {
                    island.p[r] = p[assembly_row(&a, &island, r)] = test_normal(&rng);
                }
            }
            thud_rows_respond(a.rows, a.t.d, dv);
            dense_response(&a, p, want);
            for (int i = 0; i < m->nv; i++) {
                CHECK_NEAR(dv[i], want[i], 1e-12 * (1 + largest(want, (size_t)m->nv)));
            }
            dense_velocity(&a, a.t.v, u);
            thud_rows_wrenches(a.rows, wrench);
            thud_dynamics_twists(m, a.t.d, a.t.v, V);
            for (int i = 0; i < m->joints; i++) {
                power += v3_dot(wrench[i].ang, V[i].ang) + v3_dot(wrench[i].lin, V[i].lin);
            }
            for (int r = 0; r < a.n; r++) {
                work += p[r] * u[r];
            }
            CHECK_NEAR(power, work, 1e-10); // of terms up to 1000
            free(dv);
            free(want);
            free(wrench);
            free(V);
        }
        assembly_destroy(&a);
    }
}

TEST(the_frame_of_a_contact_is_right_handed_and_its_first_tangent_is_level_on_a_wall)
{
    const thud_contact no_axis = {.law = {.axis_body = -1}};
    test_rng rng = {5};
    for (int i = 0; i < 1000; i++) {
        const double level = i % 4 == 0 ? pow(10, -i % 20) : 1; // the ground is level, or all but
        vec3 f[3],
            n = v3_normalize(v3(level * test_normal(&rng), level * test_normal(&rng), test_normal(&rng)));
        n = i % 8 == 0 ? v3(0, 0, n.z < 0 ? -1 : 1) : n;
        thud_contact_frame(NULL, NULL, &no_axis, n, f); // without an axis no body is asked
        for (int k = 0; k < 9; k++) {
            CHECK_NEAR(v3_dot(f[k / 3], f[k % 3]), k / 3 == k % 3, 1e-15 * 4);
        }
        CHECK_NEAR(v3_dot(v3_cross(f[0], f[1]), f[2]), 1, 1e-15 * 4);
        CHECK_BELOW(v3_norm(v3_sub(f[0], n)), 0);
        if (fabs(n.z) < 0.89) {
            CHECK_NEAR(f[1].z, 0, 1e-15);
        }
        if (n.x == 0 && n.y == 0) {
            CHECK_NEAR(f[1].x, 1, 0);
        }
    }
}

TEST_MAIN(T(the_product_is_W_without_W), T(W_may_be_made_in_an_arena_of_the_callers_and_forgotten),
          T(W_is_G_Minv_GT_and_symmetric_to_the_bit), T(W_of_one_long_tree_is_that_matrix),
          T(the_rows_of_one_tree_are_the_same_by_several_threads), T(W_of_one_free_body_is_that_matrix),
          T(a_sparse_W_is_the_same_matrix), T(W_of_contacts_is_the_compliance_of_the_operational_space),
          T(rows_measure_velocities_and_add_what_the_law_asks),
          T(impulses_change_the_velocity_by_Minv_GT_p_and_work_as_p_times_u),
          T(the_frame_of_a_contact_is_right_handed_and_its_first_tangent_is_level_on_a_wall))
