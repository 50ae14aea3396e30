// SPDX-License-Identifier: Apache-2.0
// Pictures show what rays meet; what is written of a recording is what was recorded, and nothing is simulated.
#include <thud/spatial_inline.h>
#include <thud/thud.h>
#include <thud/view.h>

#include "test.h"
#include "view/viewer.h"

enum { WIDE = 96, HIGH = 72, PIXELS = WIDE * HIGH };

static thud_model *build_text(const char *text)
{
    thud_spec *s;
    thud_model *m;
    thud_diag diag = {.text = ""};
    if (thud_load_mjcf_text(text, strlen(text), "text.xml", &s, &diag) != THUD_OK ||
        thud_model_build(s, &m, &diag) != THUD_OK) {
        fail_msg("%s", diag.text);
    }
    thud_spec_destroy(s);
    return m;
}

static const char zoo[] =
    "<mujoco><asset><mesh name='wedge' vertex='0 0 0 0.5 0 0 0 0.5 0 0 0 0.5'/>"
    "<hfield name='hills' nrow='3' ncol='3' elevation='0 1 0 1 0 1 0 1 0' size='1 1 0.3 "
    "0.1'/></asset><worldbody>"
    "<geom name='floor' type='plane' size='0 0 1' rgba='0.9 0.9 0.9 1'/>"
    "<geom name='hills' type='hfield' hfield='hills' pos='-2 2 0.1' rgba='0.2 0.6 0.2 1'/>"
    "<body pos='0 0 1'><freejoint/><geom name='ball' size='0.4' rgba='0.9 0.05 0.05 1'/></body>"
    "<body pos='1 0 0.7' euler='20 30 40'><freejoint/><geom name='box' type='box' size='0.3 0.2 0.1' "
    "rgba='0.05 0.05 0.9 1'/></body>"
    "<body pos='-1 0 0.7' euler='50 10 0'><freejoint/><geom name='capsule' type='capsule' size='0.1 0.3' "
    "rgba='0.1 0.8 0.1 1'/></body>"
    "<body pos='0 1 0.7' euler='70 0 20'><freejoint/><geom name='cylinder' type='cylinder' size='0.2 "
    "0.3'/></body>"
    "<body pos='0 -1 0.6' euler='0 40 20'><freejoint/><geom name='ellipsoid' type='ellipsoid' size='0.3 0.2 "
    "0.1'/></body>"
    "<body pos='1 1 0.4' euler='0 10 20'><freejoint/><geom name='wedge' type='mesh' "
    "mesh='wedge'/></body></worldbody></mujoco>";

// Along the ray through the middle of every pixel: the geom and its depth, for cameras all around. Round things are made of flat
// pieces, so that depths differ by some part of their radius, and pixels at the edge of a geom may see its neighbour.
TEST(depth_and_geoms_are_what_rays_meet)
{
    thud_model *m = build_text(zoo);
    thud_state *s;
    thud_view *view;
    static float depth[PIXELS];
    static int geom[PIXELS];
    thud_pose X_wb[16], X_wg[16];
    int hits[9] = {0};
    CHECK_OK(thud_state_create(m, &s));
    CHECK_OK(thud_view_create(m, WIDE, HIGH, &view));
    thud_body_poses(m, s->qpos, X_wb);
    thud_geom_poses(m, X_wb, X_wg);
    for (int k = 0; k < 12; k++) {
        const double a = 0.5 * k, up = 0.4 + 0.2 * (k % 4);
        const thud_camera c = {
            .eye = {4 * cos(a), 4 * sin(a), 1 + 2 * up}, .target = {0, 0, 0.5}, .angle = 0.8};
        const vec3 forward = v3_normalize(v3_sub(c.target, c.eye)),
                   right = v3_normalize(v3_cross(forward, v3(0, 0, 1))), above = v3_cross(right, forward);
        int wrong = 0;
        CHECK_OK(thud_view_draw(view, s, &c, &(thud_picture){.depth = depth, .geom = geom}));
        for (int i = 0; i < PIXELS; i++) {
            const double scale = 0.5 * HIGH / tan(0.4), x = i % WIDE + 0.5 - 0.5 * WIDE,
                         y = 0.5 * HIGH - (double)(i / WIDE) - 0.5;
            const vec3 along = v3_axpy(x, right, v3_axpy(y, above, v3_scale(scale, forward)));
            thud_ray_hit hit;
            const bool any = thud_ray_cast(m, X_wg, c.eye, along, NULL, &hit);
            const double far = any ? hit.distance * v3_dot(v3_normalize(along), forward) : INFINITY;
            const bool same = geom[i] == (any ? hit.geom : -1) &&
                              (!any || fabs((double)depth[i] - far) < (hit.geom == 0 ? 1e-3 * far : 0.06));
            hits[any ? hit.geom : 8]++;
            const bool wall =
                hit.geom == 1 && fabs(hit.normal.z) < 0.1; // of a height field: its surface alone is drawn
            wrong += !same && !wall && !(any && far > 60); // a floor without end is drawn as a large one
        }
        if (wrong > PIXELS / 50) {
            fail_msg("camera %d: %d of %d pixels differ from rays", k, wrong, PIXELS);
        }
    }
    for (int g = 0; g < m->geoms; g++) {
        CHECK(hits[g] > 100); // all were in sight
    }
    thud_view_destroy(view);
    thud_state_destroy(s);
    thud_model_destroy(m);
}

TEST(colours_are_those_of_geoms_and_a_picture_is_the_same_bytes_every_time)
{
    thud_model *m = build_text(zoo);
    thud_state *s;
    thud_view *view;
    static unsigned char rgb[3 * PIXELS], again[3 * PIXELS];
    static int geom[PIXELS];
    CHECK_OK(thud_state_create(m, &s));
    CHECK_OK(thud_view_create(m, WIDE, HIGH, &view));
    const thud_camera c =
        thud_view_camera(view, s, &(thud_aim){.turned = true, .azimuth = -1.2, .elevation = 0.5});
    CHECK_OK(thud_view_draw(view, s, &c, &(thud_picture){.rgb = rgb, .geom = geom}));
    CHECK_OK(thud_view_draw(view, s, &c, &(thud_picture){.rgb = again}));
    CHECK(memcmp(rgb, again, sizeof rgb) == 0);
    const char *const names[] = {"ball", "box", "capsule"};
    for (int k = 0; k < 3; k++) {
        const int g = thud_model_find(m, THUD_KIND_GEOM, names[k]), main = k == 0 ? 0 : k == 1 ? 2 : 1;
        int seen = 0, right = 0;
        for (int i = 0; i < PIXELS; i++) {
            const unsigned char *p = rgb + 3 * i;
            seen += geom[i] == g;
            right += geom[i] == g && p[main] > p[(main + 1) % 3] + 20 && p[main] > p[(main + 2) % 3] + 20;
        }
        CHECK(seen > 20);
        CHECK(right > 0.9 * seen);
    }
    thud_view_destroy(view);
    thud_state_destroy(s);
    thud_model_destroy(m);
}

TEST(cameras_and_sizes_that_cannot_be_are_refused)
{
    thud_model *m = build_text(zoo);
    thud_state *s;
    thud_view *view;
    unsigned char rgb[3 * 4];
    CHECK_OK(thud_state_create(m, &s));
    CHECK_INT(thud_view_create(m, 0, 10, &view), THUD_BAD_ARGUMENT);
    CHECK(view == NULL);
    CHECK_INT(thud_view_create(m, 10, 9000, &view), THUD_BAD_ARGUMENT);
    CHECK_OK(thud_view_create(m, 2, 2, &view));
    const thud_camera bad[] = {{.eye = {1, 1, 1}, .target = {1, 1, 1}},
                               {.eye = {NAN, 0, 0}},
                               {.eye = {1, 0, 0}, .target = {INFINITY, 0, 0}}};
    for (int k = 0; k < 3; k++) {
        CHECK_INT(thud_view_draw(view, s, &bad[k], &(thud_picture){.rgb = rgb}), THUD_BAD_ARGUMENT);
    }
    const thud_camera down = {.eye = {0, 0, 5}, .target = {0, 0, 0}},
                      inside = {.eye = {0, 0, 1}, .target = {0, 0, 0}};
    CHECK_OK(thud_view_draw(view, s, &down, &(thud_picture){.rgb = rgb})); // along its own up
    CHECK_OK(thud_view_draw(view, s, &inside, &(thud_picture){.rgb = rgb}));
    thud_view_destroy(view);
    thud_state_destroy(s);
    thud_model_destroy(m);
}

// A mocap body is drawn where the state has it, with what is welded to it.
TEST(mocap_bodies_are_drawn_where_the_state_has_them)
{
    thud_model *m = build_text(
        "<mujoco><worldbody><body name='hand' mocap='true'><geom size='0.2'/><body pos='0 0 0.5'><geom "
        "size='0.1'/>"
        "</body></body><body pos='5 0 0'><freejoint/><geom size='0.1'/></body></worldbody></mujoco>");
    thud_state *s;
    thud_view *view;
    static int geom[PIXELS];
    static float depth[PIXELS];
    CHECK_OK(thud_state_create(m, &s));
    CHECK_OK(thud_state_place(m, 1, (thud_pose){{1, 0, 0, 0}, {0, 1, 0}}, s));
    CHECK_OK(thud_view_create(m, WIDE, HIGH, &view));
    for (int k = 0; k < 2; k++) {
        const thud_camera c = {.eye = {3, 1, 0.5 * k}, .target = {0, 1, 0.5 * k}};
        CHECK_OK(thud_view_draw(view, s, &c, &(thud_picture){.geom = geom, .depth = depth}));
        CHECK_INT(geom[PIXELS / 2 + WIDE / 2], k);
        CHECK_NEAR((double)depth[PIXELS / 2 + WIDE / 2], k ? 2.9 : 2.8, 0.01);
    }
    thud_view_destroy(view);
    thud_state_destroy(s);
    thud_model_destroy(m);
}

// ---------------------------------------------------------------------------------------------- recordings

static thud_recording *record_fall(const thud_model *m, bool contacts)
{
    thud_recorder *recorder;
    thud_recording *run;
    thud_state *s;
    thud_sim *sim;
    const thud_step_options options = thud_step_defaults(m);
    CHECK_OK(thud_state_create(m, &s));
    CHECK_OK(thud_sim_create(m, &options, &sim, NULL));
    CHECK_OK(thud_recorder_open(NULL, m, &recorder, NULL));
    CHECK_OK(contacts ? thud_recorder_keep_contacts(recorder, NULL) : THUD_OK);
    for (int i = 0; i < 120; i++) {
        thud_certificate c;
        CHECK_OK(thud_sim_step(sim, NULL, s, &c));
        CHECK_OK(contacts ? thud_recorder_contacts(recorder, thud_sim_rows(sim)) : THUD_OK);
        CHECK_OK(thud_recorder_write(recorder, s, &c));
    }
    CHECK_OK(thud_recorder_take(recorder, &run, NULL));
    thud_sim_destroy(sim);
    thud_state_destroy(s);
    return run;
}

static char *read_file(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    *size = (size_t)ftell(f);
    rewind(f);
    char *text = malloc(*size + 1);
    assert_non_null(text);
    CHECK_INT(fread(text, 1, *size, f), *size);
    text[*size] = '\0';
    fclose(f);
    return text;
}

static const char fall[] =
    "<mujoco><worldbody><geom type='plane' size='0 0 1'/><body name='box' pos='0 0 0.3'><freejoint/>"
    "<geom type='box' size='0.1 0.1 0.1'/></body></worldbody></mujoco>";

TEST(the_recording_is_the_source)
{
    thud_model *m = build_text(fall), *other = build_text(zoo);
    thud_recording *run = record_fall(m, true);
    thud_diag diag = {.text = ""};
    char path[2][64] = {"/tmp/thud_view_XXXXXX", "/tmp/thud_view_XXXXXX"};
    size_t size[2];
    char *bytes[2];
    const thud_film_options small = {
        .wide = 64, .high = 48, .forces = true, .aim = {.turned = true, .elevation = 0.2}};
    for (int k = 0; k < 2; k++) {
        const int file = mkstemp(path[k]);
        CHECK(file >= 0);
        close(file);
    }
    CHECK_OK(thud_snapshot_write(path[0], m, run, 0.1, &small, &diag));
    const int z = thud_recording_find(run, "qpos[2]"); // no such motion is possible
    for (int64_t i = 0; i < run->rows; i++) {
        run->value[(size_t)i * (size_t)run->columns + (size_t)z] += 2.0 * (double)i / (double)run->rows;
    }
    CHECK_OK(thud_snapshot_write(path[1], m, run, 0.1, &small, &diag));
    for (int k = 0; k < 2; k++) {
        bytes[k] = read_file(path[k], &size[k]);
        CHECK(memcmp(bytes[k], "\x89PNG", 4) == 0);
    }
    CHECK(size[0] != size[1] || memcmp(bytes[0], bytes[1], size[0]) != 0);
    CHECK_INT(thud_snapshot_write(path[0], other, run, 0, &small, &diag), THUD_BAD_ARGUMENT);
    CHECK(strstr(diag.text, "not of this model") != NULL);
    char *still = read_file(path[0], &size[1]); // untouched by the refusal
    CHECK(size[1] == size[0] && memcmp(still, bytes[0], size[0]) == 0);
    free(still);
    for (int k = 0; k < 2; k++) {
        free(bytes[k]);
        remove(path[k]);
    }
    thud_recording_destroy(run);
    thud_model_destroy(m);
    thud_model_destroy(other);
}

TEST(a_page_is_written_from_a_recording_in_memory)
{
    thud_model *m = build_text(fall);
    thud_recording *run = record_fall(m, true);
    char path[] = "/tmp/thud_view_XXXXXX";
    thud_diag diag = {.text = ""};
    size_t size;
    const int file = mkstemp(path);
    CHECK(file >= 0);
    close(file);
    if (viewer_embedded.size == 0) {
        CHECK_INT(thud_report_write(path, m, run, NULL, &diag), THUD_UNSUPPORTED);
        CHECK(strstr(diag.text, "npm") != NULL);
    } else {
        CHECK_OK(thud_report_write(path, m, run, NULL, &diag));
        char *page = read_file(path, &size);
        CHECK(strstr(page, "120 rows") != NULL);
        CHECK(strstr(page, "contacts recorded") != NULL);
        CHECK(strstr(page, "http://") == NULL || strstr(page, "data-run") != NULL);
        free(page);
    }
    CHECK_INT(thud_report_write("/nowhere/page.html", m, run, NULL, &diag),
              viewer_embedded.size ? THUD_BAD_FILE : THUD_UNSUPPORTED);
    remove(path);
    thud_recording_destroy(run);
    thud_model_destroy(m);
}

TEST_MAIN(T(depth_and_geoms_are_what_rays_meet),
          T(colours_are_those_of_geoms_and_a_picture_is_the_same_bytes_every_time),
          T(cameras_and_sizes_that_cannot_be_are_refused), T(mocap_bodies_are_drawn_where_the_state_has_them),
          T(the_recording_is_the_source), T(a_page_is_written_from_a_recording_in_memory))
