// SPDX-License-Identifier: Apache-2.0
// The broad phase against comparing every box with every other, for every structure, over random walks.
#include <thud/collide_broad.h>

#include "test.h"

static const thud_broad_kind KINDS[] = {THUD_BROAD_AUTO, THUD_BROAD_SWEEP, THUD_BROAD_GRID};

typedef struct world { // boxes as the test sees them
    int capacity;
    bool *in;
    thud_aabb *box;
    thud_vec3 *velocity;
    thud_broad *broad;
    thud_broad_report report;
} world;

static bool odd_sum(const void *user, int a, int b)
{
    (void)user;
    return (a + b) % 2;
}

static world world_open(thud_broad_kind kind, int boxes, int pairs, bool filtered)
{
    world w = {.capacity = boxes};
    w.in = calloc((size_t)boxes, sizeof *w.in);
    w.box = calloc((size_t)boxes, sizeof *w.box);
    w.velocity = calloc((size_t)boxes, sizeof *w.velocity);
    thud_broad_options o = thud_broad_defaults();
    o.kind = kind;
    o.boxes = boxes;
    o.pairs = pairs;
    o.admit = filtered ? odd_sum : NULL;
    CHECK_OK(thud_broad_create(&o, &w.broad));
    return w;
}

static void world_close(world *w)
{
    thud_broad_destroy(w->broad);
    free(w->in);
    free(w->box);
    free(w->velocity);
}

static void put(world *w, int id, thud_aabb box)
{
    w->box[id] = box;
    w->in[id] = true;
    CHECK_OK(thud_broad_insert(w->broad, id, &box));
}

static void take(world *w, int id)
{
    w->in[id] = false;
    CHECK_OK(thud_broad_remove(w->broad, id));
}

static void shift(world *w, int id, thud_vec3 d)
{
    thud_aabb *b = &w->box[id];
    b->lo.x += d.x, b->lo.y += d.y, b->lo.z += d.z;
    b->hi.x += d.x, b->hi.y += d.y, b->hi.z += d.z;
    CHECK_OK(thud_broad_move(w->broad, id, b));
}

static bool overlap(const thud_aabb *a, const thud_aabb *b)
{
    return a->lo.x <= b->hi.x && b->lo.x <= a->hi.x && a->lo.y <= b->hi.y && b->lo.y <= a->hi.y &&
           a->lo.z <= b->hi.z && b->lo.z <= a->hi.z;
}

// Every pair that overlaps is reported once, in order, and no other. Returns how many.
static int check_pairs(world *w, bool filtered)
{
    CHECK_OK(thud_broad_update(w->broad, &w->report));
    int count, k = 0;
    const thud_broad_pair *pair = thud_broad_pairs(w->broad, &count);
    for (int a = 0; a < w->capacity; a++) {
        for (int b = a + 1; w->in[a] && b < w->capacity; b++) {
            if (w->in[b] && overlap(&w->box[a], &w->box[b]) && (!filtered || odd_sum(NULL, a, b))) {
                CHECK(k < count);
                CHECK_INT(pair[k].a, a);
                CHECK_INT(pair[k].b, b);
                k++;
            }
        }
    }
    CHECK_INT(count, k);
    CHECK_INT(w->report.pairs, k);
    return k;
}

static thud_aabb random_box(test_rng *r, double extent, double smallest, double ratio)
{
    const double size = smallest * pow(ratio, test_uniform(r, 0, 1));
    const thud_vec3 c = {test_uniform(r, -extent, extent), test_uniform(r, -extent, extent),
                         test_uniform(r, -extent, extent)};
    const thud_vec3 h = {test_uniform(r, 0, size), test_uniform(r, 0, size), test_uniform(r, 0, size)};
    return (thud_aabb){{c.x - h.x, c.y - h.y, c.z - h.z}, {c.x + h.x, c.y + h.y, c.z + h.z}};
}

// One step of one box: it may come, go, come again under its number, jump, rest or drift.
static void stir(world *w, test_rng *r, int id, int step, double ratio, double speed)
{
    const int dice = test_below(r, 100);
    if (!w->in[id]) {
        if (dice < 5) {
            put(w, id, random_box(r, ratio > 100 ? 0.3 : 3, 0.5 / ratio, ratio));
        }
    } else if (dice < 2 || (dice < 4 && step % 7 == 0)) {
        take(w, id);
        if (dice == 1) {
            put(w, id, random_box(r, ratio > 100 ? 0.3 : 3, 0.5 / ratio, ratio));
        }
        if (dice == 1 && test_below(r, 3) == 0) {
            take(w, id);
        }
    } else if (dice < 5) {
        shift(w, id, (thud_vec3){test_normal(r), test_normal(r), test_normal(r)});
    } else if (step % 10 < 7 && id % 3) {
        w->velocity[id].x += speed * (test_normal(r) - w->box[id].lo.x - w->velocity[id].x);
        w->velocity[id].y += speed * (test_normal(r) - w->box[id].lo.y - w->velocity[id].y);
        w->velocity[id].z += speed * (test_normal(r) - w->box[id].lo.z - w->velocity[id].z);
        shift(w, id, w->velocity[id]);
    }
}

static void walk(thud_broad_kind kind, uint64_t seed, int boxes, double ratio, double speed, bool filtered)
{
    test_rng r = {seed};
    world w = world_open(kind, boxes, boxes * (boxes - 1) / 2, filtered);
    for (int id = 0; id < boxes; id += 1 + test_below(&r, 2)) {
        put(&w, id, random_box(&r, ratio > 100 ? 0.3 : 3, 0.5 / ratio, ratio));
    }
    long found = 0;
    for (int step = 0; step < 60; step++) {
        for (int id = 0; id < boxes; id++) {
            stir(&w, &r, id, step, ratio, speed);
        }
        found += check_pairs(&w, filtered);
    }
    CHECK(found > 60); // the walk shows something
    world_close(&w);
}

TEST(every_structure_finds_the_pairs_of_brute_force_over_random_walks)
{
    (void)test_state;
    for (size_t k = 0; k < sizeof KINDS / sizeof *KINDS; k++) {
        for (uint64_t seed = 1; seed <= 12; seed++) {
            walk(KINDS[k], seed, 120, seed % 3 ? 8 : 1e6, seed % 2 ? 0.003 : 0.3, seed % 4 == 0);
        }
    }
}

TEST(the_automatic_choice_changes_its_structure_and_no_pair)
{
    (void)test_state;
    test_rng r = {5};
    const int boxes = 5000; // it goes from the sweep to the grid on the way
    world w = world_open(THUD_BROAD_AUTO, boxes, 200000, false);
    bool seen[THUD_BROAD_GRID + 1] = {false};
    for (int id = 0; id < boxes; id++) {
        put(&w, id, random_box(&r, 10, 0.1, 4));
        if (id == 20 || id == 400 || id == 1000 || id == 4000 || id == boxes - 1) {
            for (int step = 0; step < 2; step++) {
                for (int k = 0; k <= id; k++) {
                    shift(&w, k, (thud_vec3){0.05 * test_normal(&r), 0.05 * test_normal(&r), 0});
                }
                check_pairs(&w, false);
                seen[w.report.kind] = true;
            }
        }
    }
    CHECK(seen[THUD_BROAD_SWEEP] && seen[THUD_BROAD_GRID]);
    world_close(&w);
}

// Enough boxes and moves that the grid's memory is put in order anew several times, while boxes come and go.
TEST(a_worn_grid_is_rebuilt_and_loses_nothing)
{
    (void)test_state;
    test_rng r = {6};
    const int boxes = 1500;
    world w = world_open(THUD_BROAD_GRID, boxes, 60000, false);
    for (int id = 0; id < boxes; id++) {
        put(&w, id, random_box(&r, 6, 0.1, 8));
    }
    int rebuilt = 0;
    for (int step = 0; step < 40; step++) {
        for (int id = 0; id < boxes; id++) {
            const int dice = test_below(&r, 50);
            if (w.in[id] && dice > 0) {
                shift(&w, id, (thud_vec3){0.3 * test_normal(&r), 0.3 * test_normal(&r), 0});
            } else if (w.in[id]) {
                take(&w, id);
            } else {
                put(&w, id, random_box(&r, 6, 0.1, 8));
            }
        }
        check_pairs(&w, false);
        rebuilt += w.report.moved == w.report.boxes;
    }
    CHECK(rebuilt >= 3);
    world_close(&w);
}

TEST(infinite_boxes_and_far_away_ones_are_found)
{
    (void)test_state;
    for (size_t k = 0; k < sizeof KINDS / sizeof *KINDS; k++) {
        test_rng r = {9};
        world w = world_open(KINDS[k], 100, 5000, false);
        put(&w, 0, (thud_aabb){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, 0}}); // a floor
        put(&w, 1, (thud_aabb){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}});
        put(&w, 2, (thud_aabb){{1e300, 1e300, 1e300}, {1e300, 1e300, 1e300}});
        put(&w, 3, (thud_aabb){{1e300, 1e300, 1e300}, {1e301, 1e301, 1e301}});
        put(&w, 4, (thud_aabb){{1e12, 0, 0}, {1e12 + 1, 1, 1}});
        put(&w, 5, (thud_aabb){{1e12 + 1, 1, 1}, {1e12 + 2, 2, 2}});
        put(&w, 6, (thud_aabb){{-1e-320, 0, 0}, {1e-320, 0, 0}});
        put(&w, 7, (thud_aabb){{0, 0, 0}, {0, 0, 0}});
        put(&w, 8, (thud_aabb){{-0.0, -0.0, -0.0}, {-0.0, 1, 1}});
        for (int id = 9; id < 100; id++) {
            put(&w, id, random_box(&r, 2, 0.1, 10));
        }
        CHECK(check_pairs(&w, false) > 100);
        for (int step = 0; step < 10; step++) {
            for (int id = 0; id < 100; id++) {
                shift(&w, id, (thud_vec3){0.01 * test_normal(&r), 0, 0.1 * test_normal(&r)});
            }
            check_pairs(&w, false);
        }
        world_close(&w);
    }
}

// A row of boxes, each touching the next face to face: all their ends coincide on two axes and in twos on the
// third. No structure may lose a pair, invent one, or take quadratic time.
TEST(a_hundred_thousand_equal_coordinates_stay_linear)
{
    (void)test_state;
    const int boxes = 100000;
    for (int kind = THUD_BROAD_SWEEP; kind <= THUD_BROAD_GRID; kind++) {
        world w = world_open((thud_broad_kind)kind, boxes, 4 * boxes, false);
        for (int id = 0; id < boxes; id++) {
            put(&w, id, (thud_aabb){{id, 0, 0}, {id + 1, 1, 1}});
        }
        for (int step = 0; step < 3; step++) {
            CHECK_OK(thud_broad_update(w.broad, &w.report));
            int count;
            const thud_broad_pair *pair = thud_broad_pairs(w.broad, &count);
            CHECK_INT(count, boxes - 1);
            for (int i = 0; i < count; i++) {
                CHECK(pair[i].a == i && pair[i].b == i + 1);
            }
            CHECK(w.report.tests < 40 * (int64_t)boxes);
            CHECK(w.report.swaps < 10 * (int64_t)boxes);
            for (int id = 0; id < boxes; id++) { // all the same way: nothing changes
                shift(&w, id, (thud_vec3){0, 1, 0});
            }
        }
        world_close(&w);
    }
}

TEST(boxes_at_rest_are_not_looked_at)
{
    (void)test_state;
    for (int kind = THUD_BROAD_SWEEP; kind <= THUD_BROAD_GRID; kind++) {
        test_rng r = {3};
        world w = world_open((thud_broad_kind)kind, 200, 5000, false);
        for (int id = 0; id < 200; id++) {
            put(&w, id, random_box(&r, 3, 0.2, 4));
        }
        check_pairs(&w, false);
        for (int id = 0; id < 200; id++) { // within the fat margin
            shift(&w, id, (thud_vec3){1e-6, -1e-6, 0});
        }
        check_pairs(&w, false);
        CHECK_INT(w.report.moved, 0);
        CHECK_INT(w.report.swaps + w.report.tests, 0);
        world_close(&w);
    }
}

TEST(the_sweeps_work_is_the_swaps)
{
    (void)test_state;
    // One box flies past 100 separated ones along x: its two ends pass two ends of each.
    world w = world_open(THUD_BROAD_SWEEP, 101, 1000, false);
    for (int id = 0; id < 100; id++) {
        put(&w, id, (thud_aabb){{10 * id, 0, 0}, {10 * id + 1, 1, 1}});
    }
    put(&w, 100, (thud_aabb){{-5, 5, 5}, {-4, 6, 6}});
    check_pairs(&w, false);
    for (int turn = 0; turn < 2; turn++) {
        shift(&w, 100, (thud_vec3){turn ? -1000 : 1000, 0, 0});
        check_pairs(&w, false);
        CHECK_INT(w.report.swaps, 400);
        CHECK_BELOW((double)w.report.tests, 100);
    }
    world_close(&w);
}

TEST(a_full_table_fails_cleanly_and_can_be_grown)
{
    (void)test_state;
    for (size_t k = 0; k < sizeof KINDS / sizeof *KINDS; k++) {
        test_rng r = {7};
        world w = world_open(KINDS[k], 60, 16, false);
        for (int id = 0; id < 60; id++) {
            put(&w, id, random_box(&r, 0.1, 1, 1));
        }
        int count;
        for (int again = 0; again < 2; again++) {
            CHECK_INT(thud_broad_update(w.broad, NULL), THUD_NO_MEMORY);
            thud_broad_pairs(w.broad, &count);
            CHECK_INT(count, 0);
        }
        CHECK_OK(thud_broad_reserve(w.broad, 60, 2000));
        CHECK(check_pairs(&w, false) > 500);
        CHECK_OK(thud_broad_reserve(w.broad, 90, 4000));
        CHECK(check_pairs(&w, false) > 500);
        world_close(&w);
    }
}

TEST(bad_boxes_and_numbers_are_refused)
{
    (void)test_state;
    world w = world_open(THUD_BROAD_AUTO, 4, 8, false);
    const thud_aabb good = {{0, 0, 0}, {1, 1, 1}}, turned = {{0, 0, 2}, {1, 1, 1}};
    const thud_aabb nan = {{0, 0, 0}, {1, NAN, 1}};
    CHECK_INT(thud_broad_insert(w.broad, -1, &good), THUD_BAD_ARGUMENT);
    CHECK_INT(thud_broad_insert(w.broad, 4, &good), THUD_BAD_ARGUMENT);
    CHECK_INT(thud_broad_insert(w.broad, 0, &turned), THUD_BAD_ARGUMENT);
    CHECK_INT(thud_broad_insert(w.broad, 0, &nan), THUD_NOT_FINITE);
    CHECK_OK(thud_broad_insert(w.broad, 0, &good));
    CHECK_INT(thud_broad_insert(w.broad, 0, &good), THUD_BAD_ARGUMENT);
    CHECK_INT(thud_broad_move(w.broad, 0, &nan), THUD_NOT_FINITE);
    CHECK_INT(thud_broad_move(w.broad, 1, &good), THUD_BAD_ARGUMENT);
    CHECK_INT(thud_broad_remove(w.broad, 1), THUD_BAD_ARGUMENT);
    CHECK_OK(thud_broad_remove(w.broad, 0));
    CHECK_INT(thud_broad_remove(w.broad, 0), THUD_BAD_ARGUMENT);
    thud_broad_options o = thud_broad_defaults();
    thud_broad *none;
    o.fat = NAN;
    CHECK_INT(thud_broad_create(&o, &none), THUD_BAD_ARGUMENT);
    CHECK(!none);
    world_close(&w);
}

TEST(threads_find_the_same_pairs)
{
    (void)test_state;
    enum { MANY = 1500 };
    thud_pool *pool;
    CHECK_OK(thud_pool_create(3, &pool));
    test_rng r = {11};
    world w = world_open(THUD_BROAD_GRID, MANY, 40 * MANY, false);
    thud_broad_share(w.broad, pool);
    for (int id = 0; id < MANY; id++) {
        put(&w, id, random_box(&r, 1, 0.15, 1));
    }
    for (int step = 0; step < 6; step++) {
        CHECK(check_pairs(&w, false) > 2048); // several shares
        for (int id = 0; id < MANY; id++) {
            const double far = step < 3 ? 1e-4 : 0.1; // within their fat boxes, and out of them
            shift(&w, id, (thud_vec3){far * test_normal(&r), far * test_normal(&r), far * test_normal(&r)});
        }
    }
    world_close(&w);
    thud_pool_destroy(pool);
}

TEST_MAIN(T(threads_find_the_same_pairs), T(every_structure_finds_the_pairs_of_brute_force_over_random_walks),
          T(the_automatic_choice_changes_its_structure_and_no_pair),
          T(a_worn_grid_is_rebuilt_and_loses_nothing), T(infinite_boxes_and_far_away_ones_are_found),
          T(a_hundred_thousand_equal_coordinates_stay_linear), T(boxes_at_rest_are_not_looked_at),
          T(the_sweeps_work_is_the_swaps), T(a_full_table_fails_cleanly_and_can_be_grown),
          T(bad_boxes_and_numbers_are_refused))
