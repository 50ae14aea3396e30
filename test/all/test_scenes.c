// SPDX-License-Identifier: Apache-2.0
// test_scenes.c: every scene in scenes/ loads and starts as its comment says: nothing overlaps, joints are
// within their limits, and what rests touches exactly.
#include <glob.h>

#include "scene_start.h"

static void check_overlaps(const start *a, const char *path, int key)
{
    for (int c = 0; c < a->set.count; c++) {
        const thud_contact *contact = &a->set.contact[c];
        if (!(contact->phi >= -1e-9)) {
            fail_msg("%s, keyframe %d: geoms %d and %d overlap by %g m", path, key, contact->geom1,
                     contact->geom2, -contact->phi);
        }
    }
}

static void check_limits(const start *a, const char *path, int key)
{
    const thud_model *m = a->m;
    for (int j = 0; j < m->joints; j++) {
        const double q = a->s->qpos[m->joint_q[j]], *range = m->joint_range + 2 * j;
        if (m->joint_limited[j] && !(range[0] <= q && q <= range[1])) {
            fail_msg("%s, keyframe %d: joint %d is at %g, its range is %g to %g", path, key, j, q, range[0],
                     range[1]);
        }
    }
}

TEST(no_scene_starts_with_an_overlap_or_beyond_a_limit)
{
    glob_t scenes;
    CHECK_INT(glob(THUD_SOURCE_DIR "/scenes/*.xml", 0, NULL, &scenes), 0);
    CHECK(scenes.gl_pathc >= 40);
    for (size_t i = 0; i < scenes.gl_pathc; i++) {
        start a = open_scene(scenes.gl_pathv[i]);
        for (int key = -1; key < a.m->keys; key++) {
            find_contacts(&a, key, 0);
            check_overlaps(&a, scenes.gl_pathv[i], key);
            check_limits(&a, scenes.gl_pathv[i], key);
        }
        close_scene(&a);
    }
    globfree(&scenes);
}

// Contacts counted by hand: a box on a face has four, a capsule along a face two, a sphere one.
static const struct resting {
    const char *scene;
    int key;      // of its keyframes; -1 the reference pose
    int contacts; // exact ones
} resting[] = {
    {"arch", -1, 10 * 4},
    {"balls", 0, 3},
    {"bead_on_wire", -1, 2},
    {"billiard", 0, 1},
    {"billiards_break", 0, 16},
    {"box", 0, 4},
    {"card_house", -1, 4 * 2 + 2 * 2 + 4 * 2 + 2 * 2 + 2}, // feet, tents, ceiling, feet above, tent above
    {"dominoes", 0, 20 * 4},
    {"gripper", 0, 2 * 4},
    {"heavy_on_light", -1, 2 * 4},
    {"heavy_on_stack4", -1, 5 * 4},
    {"heavy_on_stack9", -1, 10 * 4},
    {"humanoid", 0, 2 * 4},
    {"mass_ratio", -1, 6 * 4},
    {"pinch", -1, 3 * 2 * 2},
    {"push", 0, 4},
    {"quadruped", 0, 4},
    {"rattleback", 0, 1},
    {"slide", 0, 4},
    {"slope20", -1, 4},
    {"slope30", -1, 4},
    {"stack10", -1, 10 * 4},
    {"stack20", -1, 20 * 4},
    {"table", -1, 4},
    {"tippe_top", 0, 1},
    {"wall", -1, 10 * 4 + 9 * 80}, // each brick on two, each half on one
};

// The largest gap or overlap of an exact contact is 1.0e-13 m (bead_on_wire); the next nearest contact is
// 1e-5 m off.
TEST(what_rests_at_the_start_touches_exactly)
{
    for (size_t i = 0; i < sizeof resting / sizeof *resting; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/scenes/%s.xml", THUD_SOURCE_DIR, resting[i].scene);
        start a = open_scene(path);
        find_contacts(&a, resting[i].key, 1e-6);
        for (int c = 0; c < a.set.count; c++) {
            CHECK_NEAR(a.set.contact[c].phi, 0, 1e-12);
        }
        if (a.set.count != resting[i].contacts) {
            fail_msg("%s: %d contacts, %d were counted by hand", path, a.set.count, resting[i].contacts);
        }
        close_scene(&a);
    }
}

// The point (x, y, z) of a named body, in the world.
static vec3 point_of(const start *a, const char *body, vec3 p)
{
    const int b = thud_model_find(a->m, THUD_KIND_BODY, body);
    CHECK(b >= 0);
    return pose_point(a->X_wb[b], p);
}

TEST(the_four_bars_start_closed_and_stay_so_to_first_order)
{
    start a = open_scene(THUD_SOURCE_DIR "/scenes/fourbar.xml");
    double apart[2];
    for (int i = 0; i < 2; i++) {
        const double h = i * 1e-4; // s
        CHECK_OK(thud_state_reset(a.m, 0, a.s));
        for (int k = 0; k < 3; k++) {
            a.s->qpos[k] += h * a.s->qvel[k];
        }
        thud_body_poses(a.m, a.s->qpos, a.X_wb);
        const vec3 p = point_of(&a, "coupler", (vec3){0.4, 0, 0.3});
        const vec3 q = point_of(&a, "rocker", (vec3){0, 0, 0.45});
        apart[i] = hypot(hypot(p.x - q.x, p.y - q.y), p.z - q.z);
    }
    CHECK_BELOW(apart[0], 1e-15);
    CHECK_BELOW(apart[1],
                1e-7); // second order: half the acceleration, at most 0.15 * 6^2 + 0.45 * 2^2 m/s2, times h^2
    close_scene(&a);
}

TEST_MAIN(T(no_scene_starts_with_an_overlap_or_beyond_a_limit), T(what_rests_at_the_start_touches_exactly),
          T(the_four_bars_start_closed_and_stay_so_to_first_order))
