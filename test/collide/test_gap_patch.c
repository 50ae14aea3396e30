// SPDX-License-Identifier: Apache-2.0
// test_gap_patch.c: gaps of some contacts at once are those of each, to the last bit.
#include <thud/collide.h>
#include <thud/spatial_inline.h>

#include "test.h"

static vec3 random_vector(test_rng *r)
{
    return v3(test_normal(r), test_normal(r), test_normal(r));
}

static pose random_pose(test_rng *r)
{
    const quat q = {test_normal(r), test_normal(r), test_normal(r), test_normal(r)};
    return (pose){q_normalize(q), random_vector(r)};
}

static uint32_t feature(thud_feature_kind kind, int index)
{
    return (uint32_t)kind << 28 | (uint32_t)index;
}

static thud_model *make_model(void)
{
    static const struct {
        thud_geom_type type;
        double size[3];
    } GEOM[3] = {
        {THUD_GEOM_PLANE, {0, 0, 1}}, {THUD_GEOM_CAPSULE, {0.1, 0.3, 0}}, {THUD_GEOM_BOX, {0.1, 0.2, 0.3}}};
    thud_spec *s;
    thud_model *m;
    thud_diag diag = {0};
    CHECK_OK(thud_spec_create(&s));
    for (int g = 0; g < 3; g++) {
        int body = 0;
        if (g > 0) {
            body = thud_spec_add_body(s, 0, NULL);
            thud_spec_add_joint(s, body, THUD_JOINT_FREE, NULL);
        }
        const int geom = thud_spec_add_geom(s, body, GEOM[g].type, NULL);
        memcpy(s->geom[geom].size, GEOM[g].size, sizeof GEOM[g].size);
    }
    CHECK_OK(thud_model_build(s, &m, &diag));
    thud_spec_destroy(s);
    return m;
}

// Four contacts of a plane or face, which is on the first or the second side, with points of the other geom.
static void make_contacts(test_rng *r, int geom1, int geom2, bool first, thud_contact c[4])
{
    const vec3 n = v3_normalize(random_vector(r));
    for (int k = 0; k < 4; k++) {
        const uint32_t face = feature(THUD_FEATURE_FACE, 2), point = feature(THUD_FEATURE_VERTEX, k % 2);
        c[k] = (thud_contact){.geom1 = geom1,
                              .geom2 = geom2,
                              .normal = n,
                              .point = random_vector(r),
                              .phi = 0.01 * test_normal(r),
                              .feature = {first ? face : point, first ? point : face}};
    }
}

static bool same(const void *a, const void *b, size_t bytes)
{
    return memcmp(a, b, bytes) == 0;
}

static void check_patch(const thud_model *m, const thud_contact *c, int count, const thud_shift *first,
                        const thud_shift *second)
{
    double point[3][THUD_LANES];
    vec3 normal;
    CHECK(thud_contact_patch_after(m, c, count, first, second, &normal, point) == count);
    for (int k = 0; k < count; k++) {
        thud_gap_value v;
        CHECK(thud_contact_gap_after(m, &c[k], first, second, &v));
        const vec3 middle = v3_scale(0.5, v3_add(v.point[0], v.point[1]));
        const vec3 x = v3(point[0][k], point[1][k], point[2][k]);
        CHECK(same(&middle, &x, sizeof x));
        CHECK(same(&v.normal, &normal, sizeof normal));
    }
}

TEST(gaps_of_a_patch_are_those_of_each_of_its_contacts)
{
    (void)test_state;
    thud_model *m = make_model();
    test_rng r = {7};
    static const int PAIR[4][2] = {{0, 1}, {0, 2}, {1, 2}, {2, 1}};
    for (int k = 0; k < 400; k++) {
        thud_contact c[4];
        const int *pair = PAIR[k % 4];
        const thud_shift first = thud_shift_between(random_pose(&r), random_pose(&r)),
                         second = thud_shift_between(random_pose(&r), random_pose(&r));
        make_contacts(&r, pair[0], pair[1], pair[0] == 0 || k % 8 < 4, c);
        for (int who = 0; who < 4; who++) {
            check_patch(m, c, 1 + k % 4, who & 1 ? &first : NULL, who & 2 ? &second : NULL);
        }
    }
    thud_model_destroy(m);
}

TEST(a_patch_ends_before_the_first_contact_of_another_kind)
{
    (void)test_state;
    thud_model *m = make_model();
    test_rng r = {8};
    for (int k = 0; k < 4; k++) {
        thud_contact c[4];
        double point[3][THUD_LANES];
        vec3 normal;
        make_contacts(&r, 1, 2, false, c);
        c[k].feature[0] = feature(THUD_FEATURE_EDGE, 0); // two edges that cross have a normal of their own
        c[k].feature[1] = feature(THUD_FEATURE_EDGE, 1);
        CHECK(thud_contact_patch_after(m, c, 4, NULL, NULL, &normal, point) == k);
    }
    thud_model_destroy(m);
}

TEST_MAIN(T(gaps_of_a_patch_are_those_of_each_of_its_contacts),
          T(a_patch_ends_before_the_first_contact_of_another_kind))
