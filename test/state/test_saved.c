// SPDX-License-Identifier: Apache-2.0
// States survive being saved and loaded to the bit; anything else that claims to be a state is refused.
#include <thud/spec_elements.h>
#include <thud/state.h>

#include "test.h"

static thud_model *build_balls(int balls, double density)
{
    thud_spec *s;
    thud_model *m;
    thud_diag diag = {.text = ""};
    CHECK_OK(thud_spec_create(&s));
    for (int i = 0; i < balls; i++) {
        const int body = thud_spec_add_body(s, 0, NULL);
        thud_spec_add_joint(s, body, THUD_JOINT_FREE, NULL);
        const int g = thud_spec_add_geom(s, body, THUD_GEOM_SPHERE, NULL);
        s->geom[g].size[0] = 0.1;
        s->geom[g].density = density;
    }
    thud_spec_add_actuator(s, THUD_TRANSMISSION_JOINT, 0, NULL);
    const int filter = thud_spec_add_actuator(s, THUD_TRANSMISSION_JOINT, 0, NULL);
    s->actuator[filter].dynamics = THUD_DYNAMICS_FILTER;
    if (thud_model_build(s, &m, &diag) != THUD_OK) {
        fail_msg("%s", diag.text);
    }
    thud_spec_destroy(s);
    return m;
}

// A state with something in every field, among it a denormal and a signed zero.
static thud_state *busy_state(const thud_model *m, int impulses)
{
    thud_state *s;
    test_rng rng = {7};
    CHECK_OK(thud_state_create(m, &s));
    for (int i = 0; i < s->nq; i++) {
        s->qpos[i] = test_normal(&rng);
    }
    for (int i = 0; i < s->nv; i++) {
        s->qvel[i] = test_normal(&rng);
    }
    for (int i = 0; i < s->nu; i++) {
        s->ctrl[i] = test_normal(&rng);
    }
    for (int i = 0; i < s->na; i++) {
        s->act[i] = test_normal(&rng);
    }
    s->qvel[0] = -0.0;
    s->qvel[1] = 5e-324;
    s->time = 1.0 / 3;
    s->steps = INT64_C(1) << 40;
    s->warm_h = 0.001;
    CHECK_OK(thud_state_reserve(s, impulses));
    s->warm_count = impulses;
    s->kept_count = impulses > 0 ? impulses - 1 : 0;
    for (int i = 0; i < s->kept_count; i++) {
        s->kept[i] = (thud_kept){{test_bits(&rng), {test_normal(&rng), 2, 3, 4, 5, 6}}, i};
    }
    for (int i = 0; i < s->nl; i++) {
        s->rest[i] = (thud_rest){test_normal(&rng), test_normal(&rng), test_normal(&rng), test_normal(&rng)};
    }
    for (int i = 0; i < impulses; i++) {
        s->warm[i].id = test_bits(&rng);
        for (int k = 0; k < 6; k++) {
            s->warm[i].p[k] = test_normal(&rng);
        }
    }
    return s;
}

static unsigned char *save(const thud_state *s, size_t *bytes)
{
    *bytes = thud_state_bytes(s);
    unsigned char *blob = malloc(*bytes);
    assert_non_null(blob);
    thud_state_save(s, blob);
    return blob;
}

TEST(a_loaded_state_equals_the_saved_one_to_the_bit)
{
    thud_model *m = build_balls(3, 1000);
    for (int impulses = 0; impulses < 9; impulses += 4) {
        thud_state *from = busy_state(m, impulses), *to;
        size_t bytes;
        unsigned char *blob = save(from, &bytes);
        CHECK_OK(thud_state_create(m, &to));
        CHECK(thud_state_hash(to) != thud_state_hash(from));
        CHECK_OK(thud_state_load(m, blob, bytes, to, NULL));
        CHECK(thud_state_hash(to) == thud_state_hash(from));
        CHECK(memcmp(to->qpos, from->qpos, (size_t)m->nq * sizeof(double)) == 0);
        CHECK(memcmp(to->qvel, from->qvel, (size_t)m->nv * sizeof(double)) == 0);
        CHECK(to->steps == from->steps && to->time == from->time && to->warm_h == from->warm_h);
        CHECK_INT(to->warm_count, impulses);
        CHECK_INT(to->kept_count, from->kept_count);
        CHECK(memcmp(to->kept, from->kept, (size_t)from->kept_count * sizeof *to->kept) == 0);
        CHECK(memcmp(to->rest, from->rest, (size_t)from->nl * sizeof *to->rest) == 0);
        for (int i = 0; i < impulses; i++) {
            CHECK(memcmp(&to->warm[i], &from->warm[i], sizeof *to->warm) == 0);
        }
        free(blob);
        thud_state_destroy(from);
        thud_state_destroy(to);
    }
    thud_model_destroy(m);
}

TEST(the_bytes_are_little_endian_and_begin_with_the_format)
{
    thud_model *m = build_balls(1, 1000);
    thud_state *s = busy_state(m, 2);
    size_t bytes;
    unsigned char *blob = save(s, &bytes);
    CHECK(memcmp(blob, "THUDstat", 8) == 0);
    CHECK_INT(blob[8], 7); // version
    CHECK_INT(blob[16] + 256 * blob[17], thud_numerics());
    CHECK_INT(blob[24], 7);
    CHECK_INT(blob[32], 6);
    CHECK_INT(blob[40], 1);     // activations
    CHECK_INT(blob[48], 2);     // controls
    CHECK_INT(blob[56], 0);     // mocap bodies
    CHECK_INT(blob[64], 1);     // links
    CHECK_INT(blob[72], 2);     // impulses
    CHECK_INT(blob[80], 1);     // kept ones
    CHECK_INT(blob[88 + 5], 1); // 2^40 steps
    CHECK_INT(bytes, 8 + 8 * (11 + 1 + 2 + 7 + 6 + 1 + 2 + 6 * 6 + 4 + 2 * 7 + 8 + 1));
    free(blob);
    thud_state_destroy(s);
    thud_model_destroy(m);
}

TEST(a_saved_state_tells_which_bits_the_library_that_saved_it_had)
{
    thud_model *m = build_balls(1, 1000);
    thud_state *s = busy_state(m, 2);
    size_t bytes;
    unsigned char *blob = save(s, &bytes);
    CHECK(thud_numerics() > 0);
    CHECK_INT(thud_state_numerics(blob, bytes), thud_numerics());
    CHECK_INT(thud_state_numerics(blob, 23), 0); // the number itself is cut off
    blob[16] = 123;
    blob[17] = 1;
    CHECK_INT(thud_state_numerics(blob, bytes), 256 + 123);
    blob[0] = 't';
    CHECK_INT(thud_state_numerics(blob, bytes), 0);
    free(blob);
    thud_state_destroy(s);
    thud_model_destroy(m);
}

// Loads what must be refused, with a sentence that contains `says`, and the state untouched.
static void refuse(const thud_model *m, const unsigned char *blob, size_t bytes, const char *says)
{
    thud_state *s = busy_state(m, 1);
    const uint64_t before = thud_state_hash(s);
    thud_diag diag = {.text = ""};
    CHECK_INT(thud_state_load(m, blob, bytes, s, &diag), THUD_BAD_FILE);
    if (!strstr(diag.text, says)) {
        fail_msg("\"%s\" does not say \"%s\"", diag.text, says);
    }
    CHECK(thud_state_hash(s) == before);
    thud_state_destroy(s);
}

TEST(no_change_of_a_single_byte_is_accepted)
{
    thud_model *m = build_balls(1, 1000);
    thud_state *s = busy_state(m, 2);
    size_t bytes;
    unsigned char *blob = save(s, &bytes);
    for (size_t i = 0; i < bytes; i++) {
        for (int change = 1; change < 256; change += i % 8 == 0 ? 1 : 37) {
            blob[i] ^= (unsigned char)change;
            refuse(m, blob, bytes, "saved state");
            blob[i] ^= (unsigned char)change;
        }
    }
    CHECK_OK(thud_state_load(m, blob, bytes, s, NULL));
    free(blob);
    thud_state_destroy(s);
    thud_model_destroy(m);
}

TEST(what_is_cut_off_too_long_or_something_else_is_refused)
{
    thud_model *m = build_balls(2, 1000);
    thud_state *s = busy_state(m, 3);
    size_t bytes;
    unsigned char *blob = save(s, &bytes);
    unsigned char *longer = calloc(1, bytes + 64);
    assert_non_null(longer);
    memcpy(longer, blob, bytes);
    for (size_t cut = 0; cut < bytes; cut++) {
        refuse(m, blob, cut, cut < 8 ? "not a saved state" : "cut off");
    }
    for (size_t more = 1; more <= 64; more++) {
        refuse(m, longer, bytes + more, "followed by something else");
    }
    memset(longer, 0xff, bytes);
    refuse(m, longer, bytes, "not a saved state");
    memcpy(longer, blob, 8); // a head that claims 2^64 of everything
    refuse(m, longer, bytes, "cut off or damaged");
    free(blob);
    free(longer);
    thud_state_destroy(s);
    thud_model_destroy(m);
}

TEST(a_state_fits_every_model_with_the_same_joints_and_a_refusal_names_what_differs)
{
    thud_model *m = build_balls(2, 1000), *same = build_balls(2, 1000), *heavier = build_balls(2, 1000.5),
               *larger = build_balls(3, 1000);
    thud_state *s = busy_state(m, 3), *other;
    size_t bytes;
    unsigned char *blob = save(s, &bytes);
    refuse(larger, blob, bytes, "it has 2 joints, and this model 3");
    CHECK(m->hash == same->hash);
    CHECK(m->hash != heavier->hash);
    for (int k = 0; k < 2; k++) {
        const thud_model *fits = k ? heavier : same;
        CHECK_OK(thud_state_create(fits, &other));
        CHECK_OK(thud_state_load(fits, blob, bytes, other, NULL));
        CHECK(thud_state_hash(other) == thud_state_hash(s));
        thud_state_destroy(other);
    }
    free(blob);
    thud_state_destroy(s);
    thud_model_destroy(m);
    thud_model_destroy(same);
    thud_model_destroy(heavier);
    thud_model_destroy(larger);
}

// Two links and maybe a motor: a slide or a hinge called `name` on a hinge called "base".
static thud_model *build_arm(thud_joint_type type, const char *name, bool motor)
{
    thud_spec *s;
    thud_model *m;
    CHECK_OK(thud_spec_create(&s));
    for (int i = 0; i < 2; i++) {
        const int body = thud_spec_add_body(s, i, NULL);
        const int joint = thud_spec_add_joint(s, body, i ? type : THUD_JOINT_HINGE, i ? name : "base");
        s->joint[joint].axis = (thud_vec3){0, 1, 0};
        const int g = thud_spec_add_geom(s, body, THUD_GEOM_SPHERE, NULL);
        s->geom[g].size[0] = 0.1;
    }
    if (motor) {
        thud_spec_add_actuator(s, THUD_TRANSMISSION_JOINT, 0, NULL);
    }
    CHECK_OK(thud_model_build(s, &m, NULL));
    thud_spec_destroy(s);
    return m;
}

TEST(a_state_of_other_joints_or_actuators_is_refused_by_name)
{
    thud_model *m = build_arm(THUD_JOINT_HINGE, "elbow", false),
               *slide = build_arm(THUD_JOINT_SLIDE, "elbow", false),
               *wrist = build_arm(THUD_JOINT_HINGE, "wrist", false),
               *motor = build_arm(THUD_JOINT_HINGE, "elbow", true);
    thud_state *s;
    size_t bytes;
    CHECK_OK(thud_state_create(m, &s));
    unsigned char *blob = save(s, &bytes);
    thud_model *const others[] = {slide, wrist, motor};
    const char *const says[] = {"joint 1, 'elbow', is a slide, and in the state a hinge",
                                "joint 1 is the hinge 'wrist', and in the state a hinge of another name",
                                "it has 0 actuators, and this model 1"};
    for (int k = 0; k < 3; k++) {
        thud_state *to;
        thud_diag diag = {.text = ""};
        CHECK_OK(thud_state_create(others[k], &to));
        CHECK_INT(thud_state_load(others[k], blob, bytes, to, &diag), THUD_BAD_FILE);
        if (!strstr(diag.text, says[k])) {
            fail_msg("\"%s\" does not say \"%s\"", diag.text, says[k]);
        }
        thud_state_destroy(to);
        thud_model_destroy(others[k]);
    }
    free(blob);
    thud_state_destroy(s);
    thud_model_destroy(m);
}

TEST(a_later_format_is_named)
{
    thud_model *m = build_balls(1, 1000);
    thud_state *s = busy_state(m, 0);
    size_t bytes;
    unsigned char *blob = save(s, &bytes);
    blob[8] = 9;
    const uint64_t sum = thud_hash(THUD_HASH_START, blob, bytes - 8);
    for (int k = 0; k < 8; k++) {
        blob[bytes - 8 + (size_t)k] = (unsigned char)(sum >> (8 * k));
    }
    refuse(m, blob, bytes, "format 9");
    free(blob);
    thud_state_destroy(s);
    thud_model_destroy(m);
}

TEST(files_keep_states_and_say_what_is_wrong_with_them)
{
    thud_model *m = build_balls(2, 1000);
    thud_state *s = busy_state(m, 500), *back; // more than one block of reading
    thud_diag diag = {.text = ""};
    char path[] = "thud_state_XXXXXX";
    const int fd = mkstemp(path);
    CHECK(fd >= 0);
    CHECK_OK(thud_state_write(s, path, &diag));
    CHECK_OK(thud_state_create(m, &back));
    CHECK_OK(thud_state_read(m, path, back, &diag));
    CHECK(thud_state_hash(back) == thud_state_hash(s));
    CHECK_INT(truncate(path, 100), 0);
    CHECK_INT(thud_state_read(m, path, back, &diag), THUD_BAD_FILE);
    CHECK_TEXT(diag.file, path);
    CHECK(strstr(diag.text, "cut off"));
    CHECK(thud_state_hash(back) == thud_state_hash(s));
    close(fd);
    remove(path);
    CHECK_INT(thud_state_read(m, path, back, &diag), THUD_BAD_FILE);
    CHECK_INT(thud_state_read(m, "/dev/zero", back, &diag), THUD_BAD_FILE); // does not read to its end
    CHECK(strstr(diag.text, "not a file or a pipe"));
    CHECK_INT(thud_state_write(s, "no/such/folder/state", &diag), THUD_BAD_FILE);
    CHECK(strstr(diag.text, "cannot be written"));
    thud_state_destroy(s);
    thud_state_destroy(back);
    thud_model_destroy(m);
}

TEST(copies_carry_impulses_and_setting_or_resetting_forgets_them)
{
    thud_model *m = build_balls(2, 1000);
    thud_state *s = busy_state(m, 5), *copy;
    CHECK_OK(thud_state_create(m, &copy));
    CHECK_OK(thud_state_copy(s, copy));
    CHECK(thud_state_hash(copy) == thud_state_hash(s));
    copy->warm[4].p[5] += 1;
    CHECK(thud_state_hash(copy) != thud_state_hash(s)); // they count
    copy->warm[4].p[5] = s->warm[4].p[5];
    copy->warm_h *= 2;
    CHECK(thud_state_hash(copy) != thud_state_hash(s));
    const thud_warm *block = copy->warm;
    s->warm_count = 2;
    CHECK_OK(thud_state_copy(s, copy)); // fewer: no new memory
    CHECK(copy->warm == block && copy->warm_count == 2);
    CHECK_OK(thud_state_set(m, NULL, s->qvel, copy));
    CHECK_INT(copy->warm_count, 0);
    CHECK_NEAR(copy->warm_h, 0, 0);
    CHECK_OK(thud_state_reset(m, -1, s));
    CHECK_INT(s->warm_count, 0);
    CHECK_INT(thud_state_reserve(s, -1), THUD_BAD_ARGUMENT);
    thud_state_destroy(s);
    thud_state_destroy(copy);
    thud_model_destroy(m);
}

TEST_MAIN(T(a_loaded_state_equals_the_saved_one_to_the_bit),
          T(the_bytes_are_little_endian_and_begin_with_the_format),
          T(a_saved_state_tells_which_bits_the_library_that_saved_it_had),
          T(no_change_of_a_single_byte_is_accepted), T(what_is_cut_off_too_long_or_something_else_is_refused),
          T(a_state_fits_every_model_with_the_same_joints_and_a_refusal_names_what_differs),
          T(a_state_of_other_joints_or_actuators_is_refused_by_name), T(a_later_format_is_named),
          T(files_keep_states_and_say_what_is_wrong_with_them),
          T(copies_carry_impulses_and_setting_or_resetting_forgets_them))
