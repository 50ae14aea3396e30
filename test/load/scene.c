// SPDX-License-Identifier: Apache-2.0
#include "scene.h"

typedef thud_status (*loader)(const char *text, size_t length, const char *name, thud_spec **out,
                              thud_diag *diag);

static thud_spec *load(loader from, const char *xml, const char *name)
{
    thud_spec *spec;
    thud_diag diag;
    if (from(xml, strlen(xml), name, &spec, &diag) != THUD_OK) {
        fail_msg("%s:%d:%d: %s", diag.file, diag.line, diag.column, diag.text);
    }
    return spec;
}

thud_spec *scene(const char *xml)
{
    return load(thud_load_mjcf_text, xml, "scene.xml");
}

thud_spec *robot(const char *xml)
{
    char text[8192];
    snprintf(text, sizeof text, "<robot name='r'>%s</robot>", xml);
    return load(thud_load_urdf_text, text, "robot.urdf");
}

thud_spec *world(const char *xml)
{
    char text[8192];
    snprintf(text, sizeof text, "<mujoco><worldbody>%s</worldbody></mujoco>", xml);
    return scene(text);
}

static void bad(loader from, const char *name, const char *marked, thud_status status, const char *says)
{
    const char *mark = strchr(marked, '@');
    assert_non_null(mark);
    char xml[8192];
    snprintf(xml, sizeof xml, "%.*s%s", (int)(mark - marked), marked, mark + 1);
    int line = 1, column = 1;
    for (const char *p = marked; p < mark; p++) {
        column = *p == '\n' ? 1 : column + 1;
        line += *p == '\n';
    }
    thud_spec *spec = (thud_spec *)1;
    thud_diag diag = {{0}, {0}, -1, -1};
    const thud_status got = from(xml, strlen(xml), name, &spec, &diag);
    if (got != status || spec || diag.line != line || diag.column != column || !strstr(diag.text, says)) {
        fail_msg("%s\n  gives status %d at %d:%d \"%s\"\n  want status %d at %d:%d with \"%s\"", xml, got,
                 diag.line, diag.column, diag.text, status, line, column, says);
    }
    CHECK_TEXT(diag.file, name);
}

void bad_scene(const char *marked, thud_status status, const char *says)
{
    bad(thud_load_mjcf_text, "scene.xml", marked, status, says);
}

static thud_status load_strictly(const char *text, size_t length, const char *name, thud_spec **out,
                                 thud_diag *diag)
{
    const thud_load_options options = {.strict_file = true};
    return thud_load_text(text, length, name, &options, out, diag);
}

void bad_robot(const char *marked, thud_status status, const char *says)
{
    bad(load_strictly, "robot.urdf", marked, status, says);
}

#define FIND(array, count)                                                                                   \
    for (int i = 0; i < spec->count; i++) {                                                                  \
        if (spec->array[i].name && strcmp(spec->array[i].name, name) == 0) {                                 \
            return i;                                                                                        \
        }                                                                                                    \
    }                                                                                                        \
    fail_msg("no %s called %s", #array, name);                                                               \
    return -1

int body_named(const thud_spec *spec, const char *name)
{
    FIND(body, bodies);
}

int geom_named(const thud_spec *spec, const char *name)
{
    FIND(geom, geoms);
}

int joint_named(const thud_spec *spec, const char *name)
{
    FIND(joint, joints);
}

void check_vec(thud_vec3 got, double x, double y, double z, double tolerance)
{
    CHECK_NEAR(got.x, x, tolerance);
    CHECK_NEAR(got.y, y, tolerance);
    CHECK_NEAR(got.z, z, tolerance);
}

void check_quat(thud_quat got, double w, double x, double y, double z, double tolerance)
{
    const double sign = got.w * w + got.x * x + got.y * y + got.z * z < 0 ? -1 : 1;
    CHECK_NEAR(got.w, sign * w, tolerance);
    CHECK_NEAR(got.x, sign * x, tolerance);
    CHECK_NEAR(got.y, sign * y, tolerance);
    CHECK_NEAR(got.z, sign * z, tolerance);
}
