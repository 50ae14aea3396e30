// SPDX-License-Identifier: Apache-2.0
// test_nudge.c: positions that are off are put right by the least motion: impulses that press only where rows would be passed
// without them, on rows that count and on no others.
#include <string.h>

#include "assembly.h"

enum { ARENA = 1 << 20, MOST = 256 };

typedef struct errors {
    double of[ASSEMBLY_ROWS]; // rows, island by island
    double largest;
} errors;

// What the rows are off if a motion d undoes all of it: contacts and limits by up to that, loops by just that.
static errors errors_by(const assembly *a, const double *d, test_rng *rng)
{
    double *u = calloc((size_t)a->n + 1, sizeof *u), *to;
    errors e = {.largest = 0};
    dense_velocity(a, d, u);
    to = e.of;
    for (int i = 0; i < thud_rows_islands(a->rows); i++) {
        const thud_island island = thud_rows_island(a->rows, i);
        for (int k = 0; k < island.blocks; k++) {
            const thud_block *b = &island.block[k];
            for (int r = 0; r < b->dim; r++) {
                const double off = -u[assembly_row(a, &island, b->row + r)];
                const bool loop = b->kind == THUD_BLOCK_LOOP,
                           counts = loop || (r == 0 && b->kind != THUD_BLOCK_DRY);
                to[b->row + r] = !counts ? INFINITY : loop ? off : off + fmax(0, test_uniform(rng, -0.5, 1));
                e.largest = counts ? fmax(e.largest, fabs(to[b->row + r])) : e.largest;
            }
        }
        to += island.rows;
    }
    free(u);
    return e;
}

// w = e + W l and l belong together.
static void check_rows(const thud_island *island, const double *W, const errors *e, const double *error,
                       const double *l, double scale)
{
    for (int k = 0; k < island->blocks; k++) {
        const thud_block *b = &island->block[k];
        for (int r = b->row; r < b->row + b->dim; r++) {
            double w = error[r];
            for (int c = 0; c < island->rows; c++) {
                w += W[r + c * island->rows] * l[c];
            }
            if (isinf(error[r])) {
                CHECK(l[r] == 0);
            } else if (b->kind == THUD_BLOCK_LOOP) {
                CHECK_NEAR(w, 0, 1e-6 * e->largest);
            } else {
                CHECK(l[r] >= 0);
                CHECK(w >= -2e-4 * e->largest);
                CHECK(fmin(w, scale * l[r]) <= 1e-6 * e->largest); // who presses is not parted
            }
        }
    }
}

TEST(a_nudge_presses_only_where_rows_would_be_passed)
{
    (void)test_state;
    int found_all = 0, pressing = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        assembly a = assembly_create(seed, 12, seed % 2, 1e-3);
        test_rng rng = {seed};
        thud_arena *scratch = NULL;
        CHECK_OK(thud_arena_create(ARENA, &scratch));
        add_some_of_everything(&a, &rng, 12);
        CHECK_OK(thud_rows_finish(a.rows, a.t.v, a.t.a, NULL, 0, 0));
        double d[MOST];
        for (int i = 0; i < a.t.m->nv; i++) {
            d[i] = test_uniform(&rng, -1, 1);
        }
        const errors e = errors_by(&a, d, &rng);
        const double *error = e.of;
        for (int i = 0; i < thud_rows_islands(a.rows); i++) {
            const thud_island island = thud_rows_island(a.rows, i);
            const size_t n = (size_t)island.rows;
            double *W = calloc(n * n, sizeof *W), *l = calloc(n, sizeof *l), trace = 0;
            bool found;
            thud_island_copy_delassus(&island, NULL, W, n);
            CHECK_OK(thud_rows_nudge(a.rows, i, error, scratch, l, &found));
            for (size_t k = 0; k < n; k++) {
                trace += W[k + k * n];
                pressing += l[k] > 0;
            }
            if (found) {
                check_rows(&island, W, &e, error, l, trace / (double)n);
            }
            found_all += found;
            error += island.rows;
            free(W);
            free(l);
        }
        thud_arena_destroy(scratch);
        assembly_destroy(&a);
    }
    CHECK(found_all >= 50); // seen 67
    CHECK(pressing >= 100); // seen 397
}

TEST(a_nudge_without_anything_that_counts_is_none)
{
    (void)test_state;
    assembly a = assembly_create(3, 12, false, 1e-3);
    test_rng rng = {3};
    thud_arena *scratch = NULL;
    CHECK_OK(thud_arena_create(ARENA, &scratch));
    add_some_of_everything(&a, &rng, 12);
    CHECK_OK(thud_rows_finish(a.rows, a.t.v, a.t.a, NULL, 0, 0));
    double error[ASSEMBLY_ROWS], l[ASSEMBLY_ROWS];
    for (int i = 0; i < ASSEMBLY_ROWS; i++) {
        error[i] = INFINITY;
        l[i] = 1;
    }
    bool found = true;
    CHECK_OK(thud_rows_nudge(a.rows, 0, error, scratch, l, &found));
    CHECK(!found);
    for (int i = 0; i < thud_rows_island(a.rows, 0).rows; i++) {
        CHECK(l[i] == 0);
    }
    thud_arena_destroy(scratch);
    assembly_destroy(&a);
}

TEST(impulses_of_ones_own_move_as_those_of_the_islands_do)
{
    (void)test_state;
    assembly a = assembly_create(5, 12, true, 1e-3);
    test_rng rng = {5};
    add_some_of_everything(&a, &rng, 16);
    CHECK_OK(thud_rows_finish(a.rows, a.t.v, a.t.a, NULL, 0, 0));
    double p[ASSEMBLY_ROWS], by_islands[MOST], by_p[MOST];
    int at = 0;
    for (int i = 0; i < thud_rows_islands(a.rows); i++) {
        const thud_island island = thud_rows_island(a.rows, i);
        for (int r = 0; r < island.rows; r++, at++) {
            p[at] = island.p[r] = test_uniform(&rng, -1, 1);
        }
    }
    thud_rows_respond(a.rows, a.t.d, by_islands);
    for (int i = 0; i < thud_rows_islands(a.rows); i++) {
        const thud_island island = thud_rows_island(a.rows, i);
        memset(island.p, 0, (size_t)island.rows * sizeof *island.p);
    }
    thud_rows_respond_to(a.rows, a.t.d, p, by_p);
    CHECK(memcmp(by_islands, by_p, (size_t)a.t.m->nv * sizeof *by_p) == 0);
    CHECK(fabs(by_p[0]) > 0);
    assembly_destroy(&a);
}

// Whose rows move a dof of a link, or one that it hangs on, holds it; and no other island does.
TEST(an_island_holds_the_trees_that_its_rows_act_on_and_no_others)
{
    (void)test_state;
    int held = 0, moved = 0;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        assembly a = assembly_create(seed, 12, false, 1e-3);
        test_rng rng = {seed};
        const thud_model *m = a.t.m;
        add_some_of_everything(&a, &rng, 6);
        CHECK_OK(thud_rows_finish(a.rows, a.t.v, a.t.a, NULL, 0, 0));
        for (int link = 0; link < m->joints; link++) {
            int holders = 0;
            for (int i = 0; i < thud_rows_islands(a.rows); i++) {
                const thud_island island = thud_rows_island(a.rows, i);
                const bool holds = thud_rows_hold(a.rows, i, link);
                bool acts = false;
                for (int r = 0; r < island.rows; r++) {
                    const double *G = a.G + (size_t)assembly_row(&a, &island, r) * (size_t)m->nv;
                    for (int k = m->joint_v[link]; k < m->joint_v[link] + m->joint_dofs[link]; k++) {
                        acts = acts || fabs(G[k]) > 1e-9;
                    }
                }
                CHECK(holds || !acts);
                CHECK(m->link_parent[link] < 0 || holds == thud_rows_hold(a.rows, i, m->link_parent[link]));
                holders += holds;
                moved += acts;
            }
            CHECK(holders <= 1);
            held += holders;
        }
        assembly_destroy(&a);
    }
    CHECK(moved > 100 && held >= moved);
}

TEST_MAIN(T(an_island_holds_the_trees_that_its_rows_act_on_and_no_others),
          T(a_nudge_presses_only_where_rows_would_be_passed), T(a_nudge_without_anything_that_counts_is_none),
          T(impulses_of_ones_own_move_as_those_of_the_islands_do))
