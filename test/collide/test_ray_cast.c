// SPDX-License-Identifier: Apache-2.0
// test_ray_cast.c: the first geom of a model on a ray's way, and which geoms rays see.
#include "../test.h"

#include <thud/collide_ray.h>
#include <thud/model_poses.h>
#include <thud/spatial_inline.h>

typedef struct row { // of balls along x, radius 0.1, on bodies 1, 2, 3; a floor on the world
    thud_spec *spec;
    thud_model *model;
    pose X_wb[8], X_wg[8];
} row;

static void make_row(row *w)
{
    CHECK_OK(thud_spec_create(&w->spec));
    const int floor = thud_spec_add_geom(w->spec, 0, THUD_GEOM_PLANE, "floor");
    w->spec->geom[floor].pos.z = -1;
    for (int i = 0; i < 3; i++) {
        const int body = thud_spec_add_body(w->spec, 0, NULL);
        w->spec->body[body].pos = v3(1 + i, 0, 0);
        (void)thud_spec_add_joint(w->spec, body, THUD_JOINT_FREE, NULL);
        const int g = thud_spec_add_geom(w->spec, body, THUD_GEOM_SPHERE, NULL);
        w->spec->geom[g].size[0] = 0.1;
        w->spec->geom[g].group = i;
    }
}

static void build_row(row *w)
{
    CHECK_OK(thud_model_build(w->spec, &w->model, NULL));
    thud_body_poses(w->model, w->model->qpos0, w->X_wb);
    thud_geom_poses(w->model, w->X_wb, w->X_wg);
}

static void free_row(row *w)
{
    thud_model_destroy(w->model);
    thud_spec_destroy(w->spec);
}

static int seen(const row *w, vec3 along, thud_ray_options o, double *distance)
{
    thud_ray_hit hit;
    const bool any = thud_ray_cast(w->model, w->X_wg, v3(0, 0, 0), along, &o, &hit);
    CHECK(any == (hit.geom >= 0));
    *distance = hit.distance;
    return hit.geom;
}

TEST(the_nearest_geom_that_may_be_seen_is_seen)
{
    row w;
    double t;
    make_row(&w);
    build_row(&w);
    thud_ray_options o = thud_ray_defaults();
    const vec3 x = v3(2, 0, 0), down = v3(0, 0, -1);
    CHECK_INT(seen(&w, x, o, &t), 1);
    CHECK_NEAR(t, 0.9, 1e-15);
    CHECK_INT(seen(&w, down, o, &t), 0);
    CHECK_NEAR(t, 1, 0);
    o.exclude_body = 1;
    CHECK_INT(seen(&w, x, o, &t), 2);
    o.groups = 1u << 2;
    CHECK_INT(seen(&w, x, o, &t), 3);
    CHECK_NEAR(t, 2.9, 1e-15);
    o.reach = 2.8;
    CHECK_INT(seen(&w, x, o, &t), -1);
    CHECK_NEAR(t, -1, 0);
    o = thud_ray_defaults();
    o.fixed = false;
    CHECK_INT(seen(&w, down, o, &t), -1);
    CHECK_INT(seen(&w, v3(NAN, 0, 0), thud_ray_defaults(), &t), -1);
    free_row(&w);
}

TEST(what_is_transparent_is_not_seen_and_normals_look_outward)
{
    row w;
    make_row(&w);
    w.spec->geom[1].rgba[3] = 0;
    build_row(&w);
    thud_ray_hit hit;
    CHECK(thud_ray_cast(w.model, w.X_wg, v3(0, 0.06, 0), v3(1, 0, 0), NULL, &hit));
    CHECK_INT(hit.geom, 2);
    CHECK_NEAR(hit.normal.x, -0.8, 1e-14);
    CHECK_NEAR(hit.normal.y, 0.6, 1e-14);
    CHECK_NEAR(v3_norm(v3_sub(hit.point, v3(2 - 0.08, 0.06, 0))), 0, 1e-15);
    free_row(&w);
}

// Against asking every geom, without bounding spheres: 400 balls, boxes and capsules, 2000 rays.
TEST(passing_over_far_geoms_changes_no_answer)
{
    enum { COUNT = 400 };
    thud_spec *spec;
    thud_model *m;
    thud_pose *X = calloc(2 * COUNT + 1, sizeof *X), *X_wg = X + COUNT;
    test_rng r = {3};
    CHECK_OK(thud_spec_create(&spec));
    for (int i = 0; i < COUNT; i++) {
        static const thud_geom_type type[] = {THUD_GEOM_SPHERE, THUD_GEOM_BOX, THUD_GEOM_CAPSULE};
        const int g = thud_spec_add_geom(spec, 0, type[i % 3], NULL);
        spec->geom[g].pos = v3(3 * test_normal(&r), 3 * test_normal(&r), 3 * test_normal(&r));
        for (int k = 0; k < 3; k++) {
            spec->geom[g].size[k] = test_uniform(&r, 0.05, 0.3);
        }
    }
    CHECK_OK(thud_model_build(spec, &m, NULL));
    thud_body_poses(m, m->qpos0, X);
    thud_geom_poses(m, X, X_wg);
    int hits = 0;
    for (int i = 0; i < 2000; i++) {
        const vec3 from = v3(test_normal(&r), test_normal(&r), 8),
                   along = v3(test_normal(&r), test_normal(&r), -2);
        double nearest = HUGE_VAL;
        int geom = -1;
        for (int g = 0; g < m->geoms; g++) {
            const double t = thud_shape_ray(&m->geom_shape[g], X_wg[g], from, along, NULL);
            if (t >= 0 && t < nearest) {
                nearest = t;
                geom = g;
            }
        }
        thud_ray_hit hit;
        CHECK(thud_ray_cast(m, X_wg, from, along, NULL, &hit) == (geom >= 0));
        CHECK_INT(hit.geom, geom);
        hits += geom >= 0;
    }
    CHECK(hits > 400 && hits < 2000);
    thud_model_destroy(m);
    thud_spec_destroy(spec);
    free(X);
}

TEST_MAIN(T(the_nearest_geom_that_may_be_seen_is_seen),
          T(what_is_transparent_is_not_seen_and_normals_look_outward),
          T(passing_over_far_geoms_changes_no_answer))
