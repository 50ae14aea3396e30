// SPDX-License-Identifier: Apache-2.0
// test_crowd.c: hundreds of contacts between free bodies, which threads take shares of: islands are the connected components, in
// the order of their first blocks, and all that is asked of them has the same bits by any number of threads.
#include <thud/contact.h>
#include <thud/spatial_inline.h>

#include "test.h"

enum { BODIES = 3000, MEETINGS = 4000, FEW = 250 };

typedef struct crowd {
    thud_model *m;
    thud_dynamics *d;
    thud_rows *rows;
    thud_pool *pool;
    thud_motion V[BODIES];
    thud_warm warm[MEETINGS];
} crowd;

static crowd *make_crowd(int threads)
{
    crowd *c = calloc(1, sizeof *c);
    thud_spec *s;
    thud_diag diag = {0};
    CHECK_OK(thud_spec_create(&s));
    for (int i = 0; i < BODIES; i++) {
        const int body = thud_spec_add_body(s, 0, NULL);
        s->body[body].pos = v3(i, 0, 0);
        s->body[body].has_inertial = true;
        s->body[body].mass = 1 + i % 3;
        s->body[body].inertia[0] = s->body[body].inertia[1] = s->body[body].inertia[2] = 0.1 + 0.1 * (i % 2);
        thud_spec_add_joint(s, body, THUD_JOINT_FREE, NULL);
    }
    CHECK_OK(thud_model_build(s, &c->m, &diag));
    thud_spec_destroy(s);
    CHECK_OK(thud_dynamics_create(c->m, &c->d));
    thud_dynamics_place(c->m, c->m->qpos0, c->d);
    CHECK(thud_dynamics_factor(c->m, c->d));
    CHECK_OK(thud_rows_create(c->m, MEETINGS, 1 << 24, &c->rows));
    CHECK_OK(thud_pool_create(threads, &c->pool));
    thud_rows_share(c->rows, c->pool);
    return c;
}

static void free_crowd(crowd *c)
{
    thud_rows_destroy(c->rows);
    thud_pool_destroy(c->pool);
    thud_dynamics_destroy(c->d);
    thud_model_destroy(c->m);
    free(c);
}

// Of so many bodies, between two of `reach` in a row or one and the ground: few in a row make many islands.
static void make_meetings(uint64_t seed, int among, int reach, thud_contact *x)
{
    test_rng rng = {seed};
    for (int i = 0; i < MEETINGS; i++) {
        const int body = test_below(&rng, among), other = body / reach * reach + test_below(&rng, reach);
        x[i] = (thud_contact){.id = (uint64_t)(i + 1) * 7,
                              .body1 = i % 3 == 0 || other >= among ? 0 : 1 + other,
                              .body2 = 1 + body};
        x[i].normal = v3_normalize(v3(test_normal(&rng), test_normal(&rng), test_normal(&rng)));
        x[i].point = v3(test_normal(&rng), test_normal(&rng), test_normal(&rng));
        x[i].law =
            (thud_contact_law){.condim = 3, .axis_body = -1, .friction = {0.5, 0.5}, .kinetic = {0.5, 0.5}};
    }
}

// Impulses of every second one are known.
static void assemble(crowd *c, thud_contact *x, int count)
{
    thud_contact_now *gap = calloc((size_t)count, sizeof *gap);
    int warms = 0;
    for (int i = 0; i < count; i++) {
        gap[i] = (thud_contact_now){.contact = &x[i],
                                    .point = x[i].point,
                                    .normal = x[i].normal,
                                    .phi = 0.001 * i,
                                    .now = 0.002 * i,
                                    .u = {0.1, 0.2, 0.3},
                                    .dim = 3,
                                    .source = i};
        if (i % 2) {
            c->warm[warms++] = (thud_warm){.id = x[i].id, .p = {1 + 0.001 * i, 0.1, 0.2}};
        }
    }
    thud_rows_begin(c->rows, c->d, 1e-3);
    for (int i = 0; i < BODIES; i++) {
        c->V[i] = (thud_motion){v3(0.1 * i, 0, 1), v3(1, 0.01 * i, 0)};
        thud_rows_leave_out(c->rows, i, 0.01 * i);
    }
    const thud_contact_asked asked = {.ask = THUD_ASK_GAP, .moved = true, .V = c->V};
    CHECK_OK(thud_rows_add_contacts(c->rows, &asked, gap, count));
    CHECK_OK(thud_rows_prepare(c->rows, c->V, c->V, c->warm, warms, 1e-3));
    free(gap);
}

// The lowest body that each hangs together with, by handing it on until nothing changes.
static void label_bodies(const thud_contact *x, int count, int label[BODIES + 1])
{
    for (int b = 0; b <= BODIES; b++) {
        label[b] = b;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < count; i++) {
            int *u = &label[x[i].body1], *v = &label[x[i].body2];
            if (x[i].body1 > 0 && *u != *v) {
                *u = *v = *u < *v ? *u : *v;
                changed = true;
            }
        }
    }
}

// Returns how many islands there are.
static int check_islands(const crowd *c, const thud_contact *x, int count)
{
    int label[BODIES + 1], seen = 0, before = -1;
    bool met[BODIES + 1] = {false};
    label_bodies(x, count, label);
    for (int i = 0; i < thud_rows_islands(c->rows); i++) {
        const thud_island island = thud_rows_island(c->rows, i);
        const int mine = label[island.block[0].body2];
        double beside = 0;
        CHECK(!met[mine]); // one island for one component
        met[mine] = true;
        CHECK(island.number[0] > before); // in the order of their first blocks
        before = island.number[0];
        for (int k = 0; k < island.blocks; k++, seen++) {
            const thud_block *b = &island.block[k];
            CHECK_INT(label[b->body2], mine);
            CHECK_INT(b->source, island.number[k]); // none was refused
            CHECK(k == 0 || island.number[k] > island.number[k - 1]);
            CHECK_INT(b->row, 3 * k);
            CHECK_NEAR(island.p[3 * k], b->source % 2 ? 1 + 0.001 * b->source : 0, 0);
            CHECK_NEAR(island.p[3 * k + 2], b->source % 2 ? 0.2 : 0, 0); // its own rows, and nobody else's
        }
        for (int b = 1; b <= BODIES; b++) {
            beside += label[b] == mine ? 0.0001 * (b - 1) * (b - 1) : 0;
        }
        CHECK_INT(island.rows, 3 * island.blocks);
        CHECK_NEAR(island.beside, beside, 1e-12 * beside);
    }
    CHECK_INT(seen, count);
    return thud_rows_islands(c->rows);
}

TEST(islands_of_a_crowd_are_its_components_in_the_order_of_their_first_blocks)
{
    (void)test_state;
    static const int reach[] = {1, 2, 20, 200}, among[] = {BODIES, BODIES, 400, 200};
    thud_contact *x = calloc(MEETINGS, sizeof *x);
    int most = 0, least = MEETINGS;
    for (int threads = 1; threads <= 3; threads++) {
        crowd *c = make_crowd(threads);
        for (uint64_t k = 0; k < 4; k++) {
            make_meetings(k + 1, among[k], reach[k], x);
            assemble(c, x, MEETINGS);
            const int islands = check_islands(c, x, MEETINGS);
            most = islands > most ? islands : most;
            least = islands < least ? islands : least;
        }
        for (uint64_t k = 0; k < 4; k++) { // few of them go another way
            make_meetings(k + 1, among[k] / 20, reach[k], x);
            assemble(c, x, FEW);
            CHECK(check_islands(c, x, FEW) > 1 || reach[k] >= among[k] / 20);
        }
        free_crowd(c);
    }
    CHECK(most > 1000 && least == 1);
    free(x);
}

TEST(what_is_asked_of_a_crowd_and_what_impulses_make_of_it_are_the_same_by_any_number_of_threads)
{
    (void)test_state;
    thud_contact *x = calloc(MEETINGS, sizeof *x);
    double(*dv)[6 * BODIES] = calloc(2, sizeof *dv);
    crowd *one = make_crowd(1);
    for (int threads = 2; threads <= 8; threads += 3) {
        crowd *many = make_crowd(threads);
        for (int run = 0, reach = 1; run < 10; run++, reach *= run % 2 ? 1 : 7) {
            make_meetings(5, BODIES, reach, x);
            for (int k = 0; k < 2; k++) {
                crowd *c = k ? many : one;
                assemble(c, x, run % 2 ? FEW : MEETINGS); // of either as many
                thud_rows_respond(c->rows, c->d, dv[k]);
                thud_rows_judge(c->rows, NULL, dv[k]);
            }
            CHECK(memcmp(dv[0], dv[1], sizeof *dv) == 0);
            CHECK_INT(thud_rows_islands(one->rows), thud_rows_islands(many->rows));
            for (int i = 0; i < thud_rows_islands(one->rows); i++) {
                const thud_island a = thud_rows_island(one->rows, i), b = thud_rows_island(many->rows, i);
                CHECK(a.rows == b.rows && a.residual == b.residual && a.beside == b.beside);
                CHECK(memcmp(a.u_free, b.u_free, (size_t)a.rows * sizeof(double)) == 0);
            }
        }
        free_crowd(many);
    }
    free_crowd(one);
    free(dv);
    free(x);
}

TEST_MAIN(T(islands_of_a_crowd_are_its_components_in_the_order_of_their_first_blocks),
          T(what_is_asked_of_a_crowd_and_what_impulses_make_of_it_are_the_same_by_any_number_of_threads))
