// SPDX-License-Identifier: Apache-2.0
// test_islands.c: islands are the connected components, whatever the order; impulses of the last step are
// found again; a problem that does not fit says so and fits after growing.
#include "assembly.h"

static int root_link(const thud_model *m, int link)
{
    while (link >= 0 && m->link_parent[link] >= 0) {
        link = m->link_parent[link];
    }
    return link;
}

// Contacts between free bodies, kept so that they can be added in any order.
typedef struct meeting {
    thud_contact c;
    thud_contact_row row;
} meeting;

static int random_meetings(const thud_model *m, test_rng *rng, int count, meeting *out)
{
    int made = 0;
    while (made < count) {
        meeting *x = &out[made];
        *x = (meeting){.c = {.id = (uint64_t)(made + 1) * 7919,
                             .body1 = made % 2 ? 0 : test_below(rng, m->bodies),
                             .body2 = test_below(rng, m->bodies),
                             .law.axis_body = -1}};
        x->row = (thud_contact_row){.point = v3(test_normal(rng), test_normal(rng), test_normal(rng)),
                                    .dim = made % 2 ? 3 : 1};
        const vec3 n = v3_normalize(v3(test_normal(rng), test_normal(rng), test_normal(rng)));
        thud_contact_frame(NULL, NULL, &x->c, n, x->row.frame); // without an axis no body is asked
        made += m->body_link[x->c.body1] >= 0 || m->body_link[x->c.body2] >= 0;
    }
    return made;
}

static void add_all(assembly *a, meeting *x, const int *order, int count)
{
    thud_rows_begin(a->rows, a->t.d, 1e-3);
    for (int i = 0; i < count; i++) {
        x[order[i]].row.contact = &x[order[i]].c;
        CHECK_OK(thud_rows_add_contact(a->rows, &x[order[i]].row, order[i]));
    }
    CHECK_OK(thud_rows_finish(a->rows, a->t.v, a->t.a, NULL, 0, 0));
}

// Components by following neighbours until nothing changes: slow and sure.
static void components(const thud_model *m, const meeting *x, int count, int *of)
{
    for (int i = 0; i < count; i++) {
        of[i] = i;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (int e = 0; e < count * count; e++) {
            const int i = e / count, j = e % count;
            bool meet = false;
            for (int k = 0; k < 4; k++) {
                const int u = root_link(m, m->body_link[k / 2 ? x[i].c.body1 : x[i].c.body2]);
                const int v = root_link(m, m->body_link[k % 2 ? x[j].c.body1 : x[j].c.body2]);
                meet |= u >= 0 && u == v;
            }
            if (meet && of[i] != of[j]) {
                of[i] = of[j] = of[i] < of[j] ? of[i] : of[j];
                changed = true;
            }
        }
    }
}

static void shuffle(test_rng *rng, int *order, int count)
{
    for (int i = count - 1; i > 0; i--) {
        const int j = test_below(rng, i + 1), swap = order[i];
        order[i] = order[j];
        order[j] = swap;
    }
}

enum { MEETINGS = 8 };

TEST(islands_are_the_connected_components_in_every_order_with_the_same_bits)
{
    int several = 0;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        test_rng rng = {seed};
        assembly a = assembly_create(seed, 30, false, 1e-3);
        meeting x[MEETINGS];
        int of[MEETINGS], order[MEETINGS];
        double diagonal[MEETINGS] = {0};
        random_meetings(a.t.m, &rng, MEETINGS, x);
        components(a.t.m, x, MEETINGS, of);
        for (int i = 0; i < MEETINGS; i++) {
            order[i] = i;
        }
        for (int round = 0; round < 4; round++) {
            int seen = 0, islands = 0, found[MEETINGS];
            add_all(&a, x, order, MEETINGS);
            for (int i = 0; i < thud_rows_islands(a.rows); i++) {
                const thud_island island = thud_rows_island(a.rows, i);
                for (int k = 0; k < island.blocks; k++) {
                    const thud_block *b = &island.block[k];
                    found[b->source] = i;
                    CHECK(b->id == x[b->source].c.id);
                    CHECK_INT(b->row, island.cone[k].row);
                    const double w = island.W.a[b->row * (1 + island.W.stride)];
                    CHECK(w >= 0);
                    CHECK(round == 0 || diagonal[b->source] == w); // not a bit by the order
                    diagonal[b->source] = w;
                    seen++;
                }
            }
            CHECK_INT(seen, MEETINGS);
            for (int e = 0; e < MEETINGS * MEETINGS; e++) {
                CHECK((found[e / MEETINGS] == found[e % MEETINGS]) == (of[e / MEETINGS] == of[e % MEETINGS]));
            }
            for (int i = 0; i < MEETINGS; i++) {
                islands += of[i] == i;
            }
            CHECK_INT(thud_rows_islands(a.rows), islands);
            several += islands > 1;
            shuffle(&rng, order, MEETINGS);
        }
        assembly_destroy(&a);
    }
    CHECK(several > 100); // there were mechanisms that fell apart
}

TEST(the_last_impulses_are_found_by_id_and_scaled_with_the_step)
{
    test_rng rng = {3};
    assembly a = assembly_create(11, 20, false, 1e-3);
    meeting x[MEETINGS];
    thud_warm warm[MEETINGS], back[MEETINGS];
    random_meetings(a.t.m, &rng, MEETINGS, x);
    for (int i = 0; i < MEETINGS; i++) { // every other one is known, and some others that are gone
        warm[i] = (thud_warm){.id = x[i].c.id + (i % 2 ? 1 : 0), .p = {1 + i, 2 * i, -i}};
    }
    for (int time = 0; time < 3; time++) {
        const double h[] = {1e-3, 4e-3, 0}, scale[] = {0.5, 2, 0};
        thud_rows_begin(a.rows, a.t.d, h[time]);
        for (int i = MEETINGS - 1; i >= 0; i--) {
            x[i].row.contact = &x[i].c;
            CHECK_OK(thud_rows_add_contact(a.rows, &x[i].row, i));
        }
        CHECK_OK(thud_rows_finish(a.rows, a.t.v, a.t.v, warm, MEETINGS, 2e-3));
        for (int i = 0; i < thud_rows_islands(a.rows); i++) {
            const thud_island island = thud_rows_island(a.rows, i);
            CHECK(island.h == h[time]);
            for (int k = 0; k < island.blocks; k++) {
                const thud_block *b = &island.block[k];
                for (int r = 0; r < b->dim; r++) {
                    const double want = b->source % 2 ? 0 : scale[time] * warm[b->source].p[r];
                    CHECK_NEAR(island.p[b->row + r], want, 1e-15 * fabs(want));
                    CHECK(island.p_before[b->row + r] == island.p[b->row + r]);
                    island.p[b->row + r] = 100 * b->source + r;
                }
            }
        }
        CHECK_INT(thud_rows_impulses(a.rows, back, MEETINGS - 1), -1);
        CHECK_INT(thud_rows_impulses(a.rows, back, MEETINGS), MEETINGS);
        for (int i = 0; i < MEETINGS; i++) { // ids ascend with the number, so sorted they are in order
            CHECK(back[i].id == x[i].c.id);
            for (int r = 0; r < 6; r++) {
                CHECK(back[i].p[r] == (r < x[i].row.dim ? 100 * i + r : 0));
            }
        }
    }
    assembly_destroy(&a);
}

// Adds them in some order, and lists their impulses.
static void list_shuffled(assembly *a, test_rng *rng, meeting *x, int *order, int count, thud_warm *back)
{
    shuffle(rng, order, count);
    add_all(a, x, order, count);
    CHECK_INT(thud_rows_impulses(a->rows, back, count), count);
}

// Ids spread over all bits, ids that share all but the last, and both, added in any order.
TEST(impulses_come_sorted_whatever_their_ids)
{
    enum { MANY = 200 };
    test_rng rng = {12};
    meeting x[MANY];
    int order[MANY];
    thud_warm back[MANY];
    assembly a = assembly_create(11, 20, false, 1e-3);
    for (int kind = 0; kind < 3; kind++) {
        random_meetings(a.t.m, &rng, MANY, x);
        for (int i = 0; i < MANY; i++) {
            order[i] = i;
            const bool spread = kind == 0 || (kind == 2 && i % 3 == 0);
            x[i].c.id = spread ? test_bits(&rng) : UINT64_C(0x123456789abc0000) + (uint64_t)(i * 37 % 211);
        }
        for (int time = 0; time < 3; time++) {
            list_shuffled(&a, &rng, x, order, MANY, back);
            for (int i = 1; i < MANY; i++) {
                CHECK(back[i - 1].id < back[i].id);
            }
        }
    }
    assembly_destroy(&a);
}

TEST(blocks_that_share_an_id_are_listed_all_the_same)
{
    enum { SOME = 12 };
    test_rng rng = {13};
    meeting x[SOME];
    int order[SOME];
    thud_warm back[SOME];
    assembly a = assembly_create(11, 20, false, 1e-3);
    random_meetings(a.t.m, &rng, SOME, x);
    for (int i = 0; i < SOME; i++) {
        order[i] = i;
        x[i].c.id = (uint64_t)(i / 3);
    }
    for (int time = 0; time < 20; time++) {
        list_shuffled(&a, &rng, x, order, SOME, back);
        for (int i = 0; i < SOME; i++) {
            CHECK(back[i].id == (uint64_t)(i / 3));
        }
    }
    assembly_destroy(&a);
}

TEST(the_residual_is_the_same_with_and_without_W)
{
    test_rng rng = {5};
    int judged = 0;
    for (int seed = 0; seed < 20; seed++) {
        assembly a = assembly_create(seed, 20, false, 1e-3);
        meeting x[MEETINGS];
        random_meetings(a.t.m, &rng, MEETINGS, x);
        thud_rows_begin(a.rows, a.t.d, 1e-3);
        for (int i = 0; i < MEETINGS; i++) {
            x[i].row.contact = &x[i].c;
            CHECK_OK(thud_rows_add_contact(a.rows, &x[i].row, i));
        }
        double dv[256], scratch[2 * 6 * MEETINGS + 6];
        thud_motion V[256], V_free[256];
        CHECK(a.t.m->nv <= 256);
        thud_dynamics_twists(a.t.m, a.t.d, a.t.v, V);
        thud_dynamics_twists(a.t.m, a.t.d, a.t.a, V_free);
        CHECK_OK(thud_rows_prepare(a.rows, V, V_free, NULL, 0, 0));
        for (int i = 0; i < thud_rows_islands(a.rows); i++) {
            const thud_island island = thud_rows_island(a.rows, i);
            CHECK(!island.W.a && !island.sparse && isnan(island.residual));
            for (int r = 0; r < island.rows; r++) {
                island.p[r] = test_uniform(&rng, -1, 1);
            }
        }
        thud_rows_respond(a.rows, a.t.d, dv);
        thud_rows_judge(a.rows, NULL, dv);
        CHECK_OK(thud_rows_fill(a.rows, -1, NULL));
        for (int i = 0; i < thud_rows_islands(a.rows); i++) {
            const thud_island island = thud_rows_island(a.rows, i);
            const thud_cone cone = thud_island_cone(&island);
            const double want = thud_cone_residual(&cone, island.p, scratch);
            CHECK_NEAR(island.residual, want, 1e-10 * want); // seen 2e-13
            judged += want > 0.01;
        }
        assembly_destroy(&a);
    }
    CHECK(judged > 20);
}

TEST(what_does_not_fit_says_so_and_fits_after_growing)
{
    test_rng rng = {3};
    assembly a = assembly_create(11, 20, false, 1e-3);
    meeting x[MEETINGS];
    random_meetings(a.t.m, &rng, MEETINGS, x);
    thud_rows_destroy(a.rows);
    CHECK_OK(thud_rows_create(a.t.m, 2, 64, &a.rows));
    thud_status status = THUD_NO_MEMORY;
    int rounds = 0, refused[2] = {0};
    for (; status == THUD_NO_MEMORY && rounds < 30; rounds++) {
        status = THUD_OK;
        thud_rows_begin(a.rows, a.t.d, 1e-3);
        for (int i = 0; i < MEETINGS && status == THUD_OK; i++) {
            x[i].row.contact = &x[i].c;
            status = thud_rows_add_contact(a.rows, &x[i].row, i);
            refused[0] += status == THUD_NO_MEMORY;
        }
        if (status == THUD_OK) {
            status = thud_rows_finish(a.rows, a.t.v, a.t.v, NULL, 0, 0);
            refused[1] += status == THUD_NO_MEMORY;
        }
        if (status == THUD_NO_MEMORY) {
            CHECK_OK(thud_rows_grow(a.rows));
        }
    }
    CHECK_OK(status);
    CHECK(refused[0] >= 2 && refused[1] >= 1); // by blocks: 2, 4; then by bytes
    assembly_destroy(&a);
}

TEST(a_constraint_between_bodies_that_cannot_move_adds_nothing)
{
    test_rng rng = {1};
    assembly a = assembly_create(4, 10, false, 1e-3);
    CHECK(!add_contact(&a, &rng, 0, 0, 3));
    CHECK(!add_loop(&a, &rng, 0, 0, 6));
    CHECK_INT(thud_rows_blocks(a.rows), 0);
    assembly_destroy(&a);
}

TEST_MAIN(T(islands_are_the_connected_components_in_every_order_with_the_same_bits),
          T(the_last_impulses_are_found_by_id_and_scaled_with_the_step),
          T(impulses_come_sorted_whatever_their_ids), T(blocks_that_share_an_id_are_listed_all_the_same),
          T(the_residual_is_the_same_with_and_without_W), T(what_does_not_fit_says_so_and_fits_after_growing),
          T(a_constraint_between_bodies_that_cannot_move_adds_nothing))
