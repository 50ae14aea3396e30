// SPDX-License-Identifier: Apache-2.0
// Thousands of contacts, which are cut into regions and seams: the answer is judged by sums that the test makes itself.
#include "test.h"

#include <thud/cone_product.h>

enum { BODIES = 1500, CONTACTS = 5000, ROWS = 3 * CONTACTS, DOFS = 6 };

typedef struct
    heap { // bodies in a row, most contacts between neighbours, some with the ground and some across
    thud_cone_block block[CONTACTS];
    int column[BODIES + 1], start[CONTACTS + 1], body[CONTACTS][2];
    thud_cone_strip strip[2 * CONTACTS];
    double S[2 * CONTACTS][3 * DOFS], b[ROWS], epsilon[ROWS], trace;
} heap;

static heap *make_heap(uint64_t seed)
{
    test_rng rng = {seed};
    heap *h = calloc(1, sizeof *h);
    int strips = 0;
    for (int g = 0; g < BODIES; g++) {
        h->column[g + 1] = h->column[g] + DOFS;
    }
    for (int i = 0; i < CONTACTS; i++) {
        const int one = test_below(&rng, BODIES), dice = test_below(&rng, 100);
        const int near = one + 1 + test_below(&rng, 5), far = test_below(&rng, BODIES);
        const int other = dice < 10 ? one : dice < 15 ? far : near < BODIES ? near : 0;
        h->body[i][0] = one;
        h->body[i][1] = other;
        h->block[i] = (thud_cone_block){THUD_CONE_KIND_CONTACT, 3 * i, 3, .mu = {0.5, 0.5}};
        for (int side = 0; side < (one == other ? 1 : 2); side++, strips++) {
            for (int k = 0; k < 3 * DOFS; k++) {
                h->S[strips][k] = test_uniform(&rng, -1, 1);
                h->trace += h->S[strips][k] * h->S[strips][k];
            }
            h->strip[strips] = (thud_cone_strip){h->body[i][side], h->S[strips]};
        }
        h->start[i + 1] = strips;
        for (int r = 3 * i; r < 3 * i + 3; r++) {
            h->b[r] = test_uniform(&rng, -1, 0.5);
            h->epsilon[r] = 0.02; // random b need it to be solvable
            h->trace += h->epsilon[r];
        }
    }
    return h;
}

static thud_cone cone_of(const heap *h)
{
    return (thud_cone){.rows = ROWS, .blocks = CONTACTS, .block = h->block, .b = h->b, .epsilon = h->epsilon};
}

// The residual with u = S S^T p + b + epsilon p.
static double judged(const heap *h, const double *p)
{
    double *y = calloc(DOFS * BODIES, sizeof *y), *u = calloc(2 * ROWS, sizeof *u);
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < CONTACTS; i++) {
            for (int x = h->start[i]; x < h->start[i + 1]; x++) {
                for (int k = 0; k < 3 * DOFS; k++) {
                    const int row = 3 * i + k / DOFS, dof = DOFS * h->strip[x].group + k % DOFS;
                    y[dof] += pass == 0 ? h->S[x][k] * p[row] : 0;
                    u[row] += pass == 1 ? h->S[x][k] * y[dof] : 0;
                }
            }
        }
    }
    for (int r = 0; r < ROWS; r++) {
        u[r] += h->b[r] + h->epsilon[r] * p[r];
    }
    const thud_cone cone = cone_of(h);
    const double residual = thud_cone_residual_at(&cone, p, u, h->trace, u + ROWS);
    free(y);
    free(u);
    return residual;
}

static thud_cone_report solve(const heap *h, const int *rank, thud_pool *pool, double *p)
{
    const thud_cone_product product = {BODIES, h->column, h->start, h->strip, h->trace, pool, rank};
    const thud_cone cone = cone_of(h);
    thud_cone_options o = thud_cone_defaults();
    thud_arena *arena;
    o.tolerance = 1e-3;
    CHECK_OK(thud_arena_create(1 << 27, &arena));
    const thud_cone_report r = thud_cone_product_solve(&cone, &product, &o, arena, p);
    CHECK_INT(thud_arena_mark(arena), 0);
    thud_arena_destroy(arena);
    return r;
}

// As numbered, backwards, and anyhow: then most contacts are between regions that are no neighbours.
static void make_ranks(int rank[3][BODIES])
{
    test_rng rng = {9};
    for (int g = 0; g < BODIES; g++) {
        rank[0][g] = rank[2][g] = g;
        rank[1][g] = BODIES - 1 - g;
    }
    for (int g = BODIES - 1; g > 0; g--) {
        const int other = test_below(&rng, g + 1), swap = rank[2][g];
        rank[2][g] = rank[2][other];
        rank[2][other] = swap;
    }
}

TEST(thousands_of_contacts_obey_coulomb_whatever_the_order_of_their_bodies)
{
    (void)test_state;
    int(*rank)[BODIES] = calloc(3, sizeof *rank);
    double *p = calloc(ROWS, sizeof *p);
    make_ranks(rank);
    for (uint64_t seed = 1; seed <= 2; seed++) {
        heap *h = make_heap(seed);
        for (int k = 0; k < 4; k++) {
            memset(p, 0, ROWS * sizeof *p);
            const thud_cone_report r = solve(h, k < 3 ? rank[k] : NULL, NULL, p);
            CHECK_INT(r.outcome, THUD_CONE_SOLVED);
            CHECK_NEAR(judged(h, p), r.residual, 1e-9);
        }
        free(h);
    }
    free(p);
    free(rank);
}

TEST(and_have_the_same_impulses_to_the_bit_by_any_number_of_threads)
{
    (void)test_state;
    static const int threads[] = {2, 3, 8};
    int(*rank)[BODIES] = calloc(3, sizeof *rank);
    double *one = calloc(ROWS, sizeof *one), *many = calloc(ROWS, sizeof *many);
    heap *h = make_heap(3);
    make_ranks(rank);
    for (int k = 0; k < 3; k++) {
        memset(one, 0, ROWS * sizeof *one);
        const thud_cone_report alone = solve(h, rank[k], NULL, one);
        for (int t = 0; t < 3; t++) {
            thud_pool *pool;
            CHECK_OK(thud_pool_create(threads[t], &pool));
            memset(many, 0, ROWS * sizeof *many);
            const thud_cone_report shared = solve(h, rank[k], pool, many);
            CHECK_INT(shared.iterations, alone.iterations);
            CHECK(memcmp(one, many, ROWS * sizeof *one) == 0);
            thud_pool_destroy(pool);
        }
    }
    free(h);
    free(one);
    free(many);
    free(rank);
}

TEST_MAIN(T(thousands_of_contacts_obey_coulomb_whatever_the_order_of_their_bodies),
          T(and_have_the_same_impulses_to_the_bit_by_any_number_of_threads))
