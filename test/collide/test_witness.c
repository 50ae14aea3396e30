// SPDX-License-Identifier: Apache-2.0
// Caches never change the answer: on moving scenes a run with caches and one without agree to the bit.
#include "brute.h"

#ifdef THUD_SANITIZED
enum { STEPS = 60, SCENES = 4 };
#else
enum { STEPS = 300, SCENES = 12 };
#endif

typedef enum motion { WALK, RESTING, SLIDING, GRAZING, TUMBLING, MOTIONS } motion;

static const char *const motion_name[MOTIONS] = {"walk", "resting", "sliding", "grazing", "tumbling"};

// The next pose of b: each kind of motion keeps the pair where caches could go wrong.
static void move(test_rng *r, motion how, const placed *a, placed *b, int step)
{
    const double size = shape_size(&a->shape) + shape_size(&b->shape);
    const vec3 u = random_unit(r);
    thud_pair_gap g;
    switch (how) {
    case WALK:
        b->X.p = v3_axpy(0.01 * size * test_normal(r), u, b->X.p);
        b->X.q = q_normalize(q_mul(q_exp(v3_scale(0.02 * test_normal(r), u)), b->X.q));
        b->X.p = v3_axpy(-0.01, v3_sub(b->X.p, a->X.p), b->X.p); // not for ever away
        break;
    case RESTING: // noise of a solver's size about an exact contact
        b->X.p = v3_axpy(1e-9 * size * test_normal(r), u, b->X.p);
        b->X.q = q_normalize(q_mul(q_exp(v3_scale(1e-9 * test_normal(r), u)), b->X.q));
        break;
    case SLIDING:
        b->X.p = v3_add(b->X.p, v3_scale(0.004 * size, v3(cos(0.02 * step), sin(0.02 * step), 0)));
        break;
    case GRAZING: // in and out of contact by a hair
        thud_pair_distance(&a->shape, a->X, &b->shape, b->X, NULL, &g);
        b->X.q = q_normalize(q_mul(q_exp(v3_scale(0.01, u)), b->X.q));
        b->X.p = v3_axpy(-g.dist + 1e-8 * size * test_normal(r), g.normal, b->X.p);
        break;
    default:
        b->X.q = q_normalize(q_mul(q_exp(v3(0.03, 0.02, 0.01)), b->X.q));
        break;
    }
}

static void start(test_rng *r, motion how, thud_shape_kind ka, thud_shape_kind kb, placed *a, placed *b)
{
    const bool flat = how == RESTING || how == SLIDING;
    *a = (placed){random_shape(r, ka, 0.3, 1), {{1, 0, 0, 0}, {0, 0, 0}}};
    *b = (placed){random_shape(r, kb, 0.3, 1), {{1, 0, 0, 0}, {0, 0, 0}}};
    if (!flat) {
        a->X.q = random_rotation(r);
        b->X.q = random_rotation(r);
    } else if (test_below(r, 2)) {
        b->X.q = q_axis_angle(v3(0, 0, 1), test_uniform(r, 0, 3));
    }
    if (flat && ka == kb && test_below(r, 3) == 0) {
        b->shape = a->shape; // equal shapes, exactly stacked
    }
    // On top of each other along z, touching.
    const vec3 up = thud_shape_support(&a->shape, v3(0, 0, 1), NULL),
               down = thud_shape_support(&b->shape, v3(0, 0, -1), NULL);
    const double size = shape_size(&a->shape) + shape_size(&b->shape);
    b->X.p = flat ? v3(0, 0, up.z - down.z - (test_below(r, 2) ? 1e-4 * size : 0))
                  : v3_scale(0.5 * size, random_unit(r));
}

typedef struct tally {
    long checks, contacts, witness, neighbour, search;
} tally;

static void check_scene(test_rng *r, motion how, thud_shape_kind ka, thud_shape_kind kb, tally *t)
{
    placed a, b;
    start(r, how, ka, kb, &a, &b);
    thud_pair_cache cache = {0}, turned = {0};
    const double margin = (test_below(r, 2) ? 0.02 : 0) * (shape_size(&a.shape) + shape_size(&b.shape));
    for (int k = 0; k < STEPS; k++) {
        thud_pair_contact warm[THUD_PAIR_MAX], cold[THUD_PAIR_MAX], swapped[THUD_PAIR_MAX];
        memset(warm, 0, sizeof warm);
        memset(cold, 0, sizeof cold);
        const int n = thud_collide_pair(&a.shape, a.X, &b.shape, b.X, margin, &cache, warm);
        CHECK_INT(thud_collide_pair(&a.shape, a.X, &b.shape, b.X, margin, NULL, cold), n);
        if (memcmp(warm, cold, sizeof warm) != 0) {
            fail_msg("%s, %s on %s, step %d: warm and cold differ: %d contacts, path %d", motion_name[how],
                     thud_shape_name(kb), thud_shape_name(ka), k, n, (int)cache.path);
        }
        CHECK_INT(thud_collide_pair(&b.shape, b.X, &a.shape, a.X, margin, &turned, swapped), n);
        for (int i = 0; i < n; i++) { // the same contacts; sorted by the other shape's features
            int found = 0;
            for (int j = 0; j < n; j++) {
                found += memcmp(&warm[i].point, &swapped[j].point, sizeof warm[i].point) == 0 &&
                         warm[i].normal.x == -swapped[j].normal.x && warm[i].dist == swapped[j].dist &&
                         warm[i].feature[0] == swapped[j].feature[1];
            }
            CHECK_INT(found, 1);
        }
        t->checks++;
        t->contacts += n > 0;
        t->witness += cache.path == THUD_PAIR_WITNESS;
        t->neighbour += cache.path == THUD_PAIR_NEIGHBOUR;
        t->search += cache.path == THUD_PAIR_SEARCH;
        move(r, how, &a, &b, k);
    }
}

static void check_motion(motion how)
{
    test_rng r = {.s = 7000 + (uint64_t)how};
    for (thud_shape_kind ka = THUD_SHAPE_CAPSULE; ka <= THUD_SHAPE_HULL; ka++) {
        for (thud_shape_kind kb = ka; kb <= THUD_SHAPE_HULL; kb++) {
            tally t = {0};
            const bool polyhedra = ka >= THUD_SHAPE_BOX;
            for (int i = 0; i < (polyhedra ? 4 * SCENES : SCENES / 3); i++) {
                check_scene(&r, how, ka, kb, &t);
            }
            if (polyhedra) {
                print_message(
                    "%-8s %-4s %-4s contact %5.1f %%  witness %5.1f  neighbour %4.1f  search %5.1f\n",
                    motion_name[how], thud_shape_name(ka), thud_shape_name(kb),
                    100.0 * (double)t.contacts / (double)t.checks,
                    100.0 * (double)t.witness / (double)t.checks,
                    100.0 * (double)t.neighbour / (double)t.checks,
                    100.0 * (double)t.search / (double)t.checks);
            }
        }
    }
}

TEST(warm_is_cold_to_the_bit_on_random_walks)
{
    check_motion(WALK);
}

TEST(warm_is_cold_to_the_bit_at_rest)
{
    check_motion(RESTING);
}

TEST(warm_is_cold_to_the_bit_while_sliding)
{
    check_motion(SLIDING);
}

TEST(warm_is_cold_to_the_bit_while_grazing)
{
    check_motion(GRAZING);
}

TEST(warm_is_cold_to_the_bit_while_tumbling_inside_each_other)
{
    check_motion(TUMBLING);
}

// Two octahedra, corner to corner and so far apart that it needs no more than a look: no face of theirs shows it.
TEST(corners_that_face_each_other_are_told_apart_by_last_times_plane)
{
    static const vec3 corner[6] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    (void)test_state;
    thud_hull *hull;
    CHECK_OK(thud_hull_create(corner, 6, NULL, &hull, NULL));
    const thud_shape shape = {.kind = THUD_SHAPE_HULL, .hull = hull};
    thud_pair_cache cache = {0};
    for (int k = 0; k < 20; k++) {
        const pose A = {q_exp(v3(0.002 * k, 0, 0.001 * k)), {0, 0, 0}},
                   B = {q_exp(v3(0, -0.002 * k, 0)), {2.2, 0.001 * k, 0}};
        thud_pair_contact out[THUD_PAIR_MAX];
        CHECK_INT(thud_collide_pair(&shape, A, &shape, B, 0.1, &cache, out), 0);
        CHECK_INT((int)cache.path, (int)(k == 0 ? THUD_PAIR_SEARCH : THUD_PAIR_WITNESS));
    }
    thud_hull_destroy(hull);
}

TEST(a_cache_full_of_nonsense_costs_only_time)
{
    test_rng r = {.s = 5};
    for (int k = 0; k < 2000; k++) {
        placed a = {random_shape(&r, k & 1 ? THUD_SHAPE_BOX : THUD_SHAPE_HULL, 0.3, 1),
                    {random_rotation(&r), {0, 0, 0}}};
        placed b = {random_shape(&r, k & 2 ? THUD_SHAPE_BOX : THUD_SHAPE_CYLINDER, 0.3, 1),
                    {random_rotation(&r), v3_scale(test_uniform(&r, 0, 1.5), random_unit(&r))}};
        thud_pair_cache junk;
        for (size_t i = 0; i < sizeof junk; i++) {
            ((unsigned char *)&junk)[i] = (unsigned char)test_bits(&r);
        }
        junk.kind = k % 3 == 2 ? 4 : test_below(&r, 5);
        const vec3 way = v3_scale(test_uniform(&r, 0.4, 2.1),
                                  v3_normalize(v3_axpy(0.3, random_unit(&r), b.X.p))),
                   up = test_below(&r, 2) ? q_unrotate(a.X.q, way) : q_unrotate(b.X.q, v3_neg(way));
        if (k % 3) {
            junk.normal[0] = (float)up.x;
            junk.normal[1] = (float)up.y;
            junk.normal[2] = (float)up.z;
            junk.feature[0] = test_below(&r, 20);
            junk.feature[1] = test_below(&r, 20);
        }
        const double margin = k & 4 ? 0.01 : 0.5;
        thud_pair_contact warm[THUD_PAIR_MAX], cold[THUD_PAIR_MAX];
        const int n = thud_collide_pair(&a.shape, a.X, &b.shape, b.X, margin, &junk, warm);
        CHECK_INT(thud_collide_pair(&a.shape, a.X, &b.shape, b.X, margin, NULL, cold), n);
        CHECK(n == 0 || memcmp(warm, cold, (size_t)n * sizeof *warm) == 0);
    }
}

TEST_MAIN(T(warm_is_cold_to_the_bit_on_random_walks), T(warm_is_cold_to_the_bit_at_rest),
          T(warm_is_cold_to_the_bit_while_sliding), T(warm_is_cold_to_the_bit_while_grazing),
          T(warm_is_cold_to_the_bit_while_tumbling_inside_each_other),
          T(corners_that_face_each_other_are_told_apart_by_last_times_plane),
          T(a_cache_full_of_nonsense_costs_only_time))
