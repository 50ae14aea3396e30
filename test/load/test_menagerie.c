// SPDX-License-Identifier: Apache-2.0
// Robots as people publish them load whole, with MuJoCo's own counts of everything.
#include <thud/load.h>
#include <thud/spec_elements.h>

#include "test.h"

static const char *const robots[] = {
    "agility_cassie/scene",    "anybotics_anymal_c/scene", "flexiv_rizon4/scene",
    "kuka_iiwa_14/scene",      "robotiq_2f85/scene",       "shadow_hand/left_hand",
    "shadow_hand/scene_right", "skydio_x2/scene",          "trossen_wx250s/scene"};

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *text = calloc(1, 1 << 20);
    CHECK(fread(text, 1, (1 << 20) - 1, file) > 0);
    fclose(file);
    return text;
}

// The number after "key": in a JSON text.
static double json_number(const char *json, const char *key)
{
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    const char *at = strstr(json, quoted);
    assert_non_null(at);
    return strtod(at + strlen(quoted), NULL);
}

// The names of the "bodies" of a JSON text, in order, must be those of the spec.
static void check_bodies(const char *json, const thud_spec *spec)
{
    const char *p = strstr(json, "\"bodies\":[");
    assert_non_null(p);
    p += strlen("\"bodies\":[");
    for (int i = 0; i < spec->bodies; i++) {
        const size_t length = strlen(spec->body[i].name);
        CHECK(p[0] == '"' && strncmp(p + 1, spec->body[i].name, length) == 0 && p[1 + length] == '"');
        p += length + 3;
    }
}

TEST(every_robot_has_mujocos_counts_and_body_order)
{
    static const int nq[] = {1, 1, 4, 7}, nv[] = {1, 1, 3, 6};
    if (!test_shared("menagerie/README.md")) {
        test_skip(TEST_NO_SHARED);
    }
    for (size_t i = 0; i < sizeof robots / sizeof robots[0]; i++) {
        char name[256], dashed[256];
        snprintf(dashed, sizeof dashed, "menagerie/mujoco/%s.json", robots[i]);
        *strrchr(dashed, '/') = '-';
        char *json = read_text(test_shared(dashed));
        snprintf(name, sizeof name, "menagerie/%s.xml", robots[i]);
        thud_spec *spec;
        thud_diag diag;
        if (thud_load_mjcf(test_shared(name), &spec, &diag) != THUD_OK) {
            fail_msg("%s:%d:%d: %s", diag.file, diag.line, diag.column, diag.text);
        }
        int q = 0, v = 0;
        for (int j = 0; j < spec->joints; j++) {
            q += nq[spec->joint[j].type];
            v += nv[spec->joint[j].type];
        }
        CHECK_INT(spec->bodies, json_number(json, "nbody"));
        CHECK_INT(spec->geoms, json_number(json, "ngeom"));
        CHECK_INT(spec->actuators, json_number(json, "nu"));
        CHECK_INT(q, json_number(json, "nq"));
        CHECK_INT(v, json_number(json, "nv"));
        check_bodies(json, spec);
        thud_spec_destroy(spec);
        free(json);
    }
}

TEST_MAIN(T(every_robot_has_mujocos_counts_and_body_order))
