// SPDX-License-Identifier: Apache-2.0
// The collider: the same contacts warm or cold, sorted, with lasting identity, without allocating.
#include <thud/collide.h>
#include <thud/dynamics.h>
#include <thud/spatial_inline.h>
#include <thud/spec_elements.h>

#include "test.h"

static thud_model *build(thud_spec *s)
{
    thud_model *m;
    thud_diag diag;
    if (thud_model_build(s, &m, &diag) != THUD_OK) {
        fail_msg("%s", diag.text);
    }
    thud_spec_destroy(s);
    return m;
}

// A mesh of twelve scattered points: its hull collides.
static int add_rock(thud_spec *s)
{
    test_rng r = {77};
    const int k = thud_spec_add_mesh(s, "rock");
    s->mesh[k].vertices = 12;
    s->mesh[k].vertex = thud_alloc(36, sizeof *s->mesh[k].vertex);
    for (int i = 0; i < 36; i++) {
        s->mesh[k].vertex[i] = test_uniform(&r, -0.3, 0.3);
    }
    return k;
}

// A floor and `count` free solids of six kinds.
static thud_model *solids(int count)
{
    static const thud_geom_type TYPE[] = {THUD_GEOM_SPHERE,   THUD_GEOM_CAPSULE,   THUD_GEOM_BOX,
                                          THUD_GEOM_CYLINDER, THUD_GEOM_ELLIPSOID, THUD_GEOM_MESH};
    thud_spec *s;
    CHECK_OK(thud_spec_create(&s));
    thud_spec_add_geom(s, 0, THUD_GEOM_PLANE, "floor");
    const int rock = add_rock(s);
    for (int i = 0; i < count; i++) {
        const int body = thud_spec_add_body(s, 0, NULL);
        thud_spec_add_joint(s, body, THUD_JOINT_FREE, NULL);
        const int g = thud_spec_add_geom(s, body, TYPE[i % 6], NULL);
        s->geom[g].mesh = TYPE[i % 6] == THUD_GEOM_MESH ? rock : -1;
        s->geom[g].size[0] = 0.2 + 0.02 * (i % 3);
        s->geom[g].size[1] = 0.25;
        s->geom[g].size[2] = 0.3;
        s->geom[g].friction[0] = 0.5 + 0.01 * i; // each its own
    }
    return build(s);
}

typedef struct scene { // a model, its poses, a collider and a set
    thud_model *m;
    thud_pose *X_wb, *X_wg;
    double *qpos, *qvel;
    thud_collider *collider;
    thud_contact_set set;
} scene;

static scene scene_open(thud_model *m)
{
    scene s = {.m = m};
    s.X_wb = calloc((size_t)m->bodies, sizeof *s.X_wb);
    s.X_wg = calloc((size_t)m->geoms, sizeof *s.X_wg);
    s.qpos = calloc((size_t)m->nq, sizeof *s.qpos);
    s.qvel = calloc((size_t)m->nv, sizeof *s.qvel);
    memcpy(s.qpos, m->qpos0, (size_t)m->nq * sizeof *s.qpos);
    CHECK_OK(thud_collider_create(m, NULL, &s.collider));
    CHECK_OK(thud_contact_set_reserve(&s.set, 4096));
    return s;
}

static void scene_close(scene *s)
{
    thud_collider_destroy(s->collider);
    thud_contact_set_free(&s->set);
    free(s->X_wb);
    free(s->X_wg);
    free(s->qpos);
    free(s->qvel);
    thud_model_destroy(s->m);
}

static void scene_place(scene *s)
{
    thud_body_poses(s->m, s->qpos, s->X_wb);
    thud_geom_poses(s->m, s->X_wb, s->X_wg);
}

// Scatters free bodies over a heap, and gives them velocities.
static void scene_scatter(scene *s, test_rng *r, double extent)
{
    for (int j = 0; j < s->m->joints; j++) {
        double *q = s->qpos + s->m->joint_q[j];
        for (int k = 0; k < 3; k++) {
            q[k] = test_uniform(r, k == 2 ? 0.1 : -extent, extent);
        }
        const quat turn = {test_normal(r), test_normal(r), test_normal(r), test_normal(r)};
        const quat u = q_normalize(turn);
        q[3] = u.w, q[4] = u.x, q[5] = u.y, q[6] = u.z;
    }
    for (int i = 0; i < s->m->nv; i++) {
        s->qvel[i] = test_normal(r);
    }
    scene_place(s);
}

static void scene_step(scene *s, double h)
{
    thud_qpos_integrate(s->m, s->qpos, s->qvel, h, s->qpos);
    scene_place(s);
}

static bool same_bits(const void *a, const void *b, size_t bytes)
{
    return memcmp(a, b, bytes) == 0;
}

static bool same_contact(const thud_contact *a, const thud_contact *b)
{
    return a->id == b->id && a->geom1 == b->geom1 && a->geom2 == b->geom2 && a->body1 == b->body1 &&
           a->body2 == b->body2 && same_bits(&a->point, &b->point, sizeof a->point) &&
           same_bits(&a->normal, &b->normal, sizeof a->normal) &&
           same_bits(&a->phi, &b->phi, sizeof a->phi) && a->law.condim == b->law.condim &&
           same_bits(a->law.friction, b->law.friction, sizeof a->law.friction);
}

static void check_same(const thud_contact_set *a, const thud_contact_set *b)
{
    CHECK_INT(a->count, b->count);
    for (int i = 0; i < a->count; i++) {
        const thud_contact *c = &a->contact[i], *d = &b->contact[i];
        if (!same_contact(c, d)) {
            fail_msg("contact %d of geoms %d and %d is not the same to the bit: phi %.17g and %.17g", i,
                     c->geom1, c->geom2, c->phi, d->phi);
        }
    }
}

// Velocities of the geoms, which stand at their bodies' origins: those of the free joints, and up to `fast` m/s.
static void velocities(const scene *s, double fast, thud_motion *V)
{
    for (int g = 1; g < s->m->geoms; g++) {
        const double *v = s->qvel + 6 * (g - 1);
        V[g].lin = v3_scale(fast, v3(v[0], v[1], v[2]));
        V[g].ang = v3_scale(4, v3(v[3], v[4], v[5]));
    }
}

static const double margin = 0.01;

static thud_status ahead_of(thud_collider *collider, const scene *s, const thud_motion *V, double ahead,
                            thud_contact_set *set, thud_collide_report *report)
{
    const thud_collide_query q = {.X_wg = s->X_wg, .V_wg = V, .ahead = ahead, .margin = margin};
    return thud_collide_ahead(collider, s->m, &q, set, report);
}

// Each step the warm collider against a new one, the other structure, and one that was made to forget by a
// jump there and back.
static void compare_warm_and_cold(int count)
{
    test_rng r = {8};
    scene s = scene_open(solids(count));
    thud_contact_set cold = {0};
    CHECK_OK(thud_contact_set_reserve(&cold, 4096));
    long contacts = 0, witnessed = 0;
    thud_motion V[41] = {{{0, 0, 0}, {0, 0, 0}}};
    for (int run = 0; run < 3; run++) {
        const double ahead = run == 1 ? 0.004 : 0;
        scene_scatter(&s, &r, 1.2);
        velocities(&s, 1, V);
        for (int step = 0; step < 60; step++) {
            scene_step(&s, run == 2 ? 0.05 : 0.002);
            thud_collide_report report;
            CHECK_OK(ahead_of(s.collider, &s, V, ahead, &s.set, &report));
            contacts += s.set.count;
            witnessed += report.path[THUD_PAIR_WITNESS];
            thud_collider *fresh;
            thud_broad_options o = thud_broad_defaults();
            o.kind = step % 2 ? THUD_BROAD_GRID : THUD_BROAD_SWEEP;
            CHECK_OK(thud_collider_create(s.m, &o, &fresh));
            CHECK_OK(ahead_of(fresh, &s, V, ahead, &cold, NULL));
            check_same(&s.set, &cold);
            thud_collider_destroy(fresh);
        }
    }
    CHECK(contacts > 3000);
    CHECK(witnessed > 1000); // the caches were really used

    thud_contact_set_free(&cold);
    scene_close(&s);
}

TEST(warm_and_cold_contacts_are_the_same_to_the_bit)
{
    (void)test_state;
    compare_warm_and_cold(
        30); // so few that all who may meet are listed, but in a collider that is told its structure
    compare_warm_and_cold(40);
}

// Of many geoms some move from query to query; what the others had is handed on. Against a new collider each time.
TEST(contacts_of_what_has_not_moved_are_handed_on_to_the_bit)
{
    (void)test_state;
    enum { SOLIDS = 300 }; // more than those whose pairs are listed with room around them
    test_rng r = {9};
    scene s = scene_open(solids(SOLIDS));
    thud_contact_set last = {0}, cold = {0};
    CHECK_OK(thud_contact_set_reserve(&last, 4096));
    CHECK_OK(thud_contact_set_reserve(&cold, 4096));
    bool still[SOLIDS + 1] = {false};
    long contacts = 0;
    scene_scatter(&s, &r, 3);
    for (int step = 0; step < 40; step++) {
        const thud_contact_set swap = last;
        last = s.set;
        s.set = swap;
        const thud_collide_query q = {.X_wg = s.X_wg,
                                      .last = step > 0 ? &last : NULL,
                                      .still = step % 4 == 1 ? still : NULL,
                                      .margin = margin};
        CHECK_OK(thud_collide_ahead(s.collider, s.m, &q, &s.set, NULL));
        thud_collider *fresh;
        CHECK_OK(thud_collider_create(s.m, NULL, &fresh));
        const thud_collide_query anew = {.X_wg = s.X_wg, .still = q.still, .margin = margin};
        CHECK_OK(thud_collide_ahead(fresh, s.m, &anew, &cold, NULL));
        check_same(&s.set, &cold);
        thud_collider_destroy(fresh);
        contacts += s.set.count;
        for (int j = 0; j < SOLIDS; j++) { // three of four stay; some of them are to be left alone
            const bool moves = test_uniform(&r, 0, 1) < 0.25;
            still[j + 1] = !moves && j % 2 == 0;
            s.qpos[s.m->joint_q[j]] += moves ? test_uniform(&r, -0.05, 0.05) : 0;
        }
        scene_place(&s);
    }
    CHECK(contacts > 1000);
    thud_contact_set_free(&last);
    thud_contact_set_free(&cold);
    scene_close(&s);
}

static bool same_law(const thud_contact_law *a, const thud_contact_law *b)
{
    bool same = a->condim == b->condim && a->axis_body == b->axis_body && a->margin == b->margin &&
                a->gap == b->gap && a->restitution == b->restitution && a->viscous == b->viscous &&
                a->stribeck == b->stribeck && v3_norm(v3_sub(a->axis, b->axis)) == 0;
    for (int k = 0; k < 5; k++) {
        same = same && a->friction[k] == b->friction[k] && a->kinetic[k % 2] == b->kinetic[k % 2];
    }
    return same;
}

// Numbers of many geoms, of which one after the other is asked about: in turn each number that a law is made from differs.
TEST(among_many_geoms_of_few_surfaces_every_contact_has_its_own_law)
{
    (void)test_state;
    enum { SOLIDS = 400, NUMBERS = 11 };
    for (int which = 0; which < NUMBERS; which++) {
        test_rng r = {(uint64_t)which + 31};
        scene s = scene_open(solids(SOLIDS));
        thud_model *m = s.m;
        for (int g = 0; g < m->geoms; g++) {
            const double other = g % 3 == 0 ? 0.25 : 0.125;
            double *const number[NUMBERS - 4] = {m->geom_friction + 3 * g,     m->geom_friction + 3 * g + 1,
                                                 m->geom_friction + 3 * g + 2, m->geom_restitution + g,
                                                 m->geom_friction_kinetic + g, m->geom_friction_viscous + g,
                                                 m->geom_stribeck + g};
            for (int k = 0; k < NUMBERS - 4; k++) {
                *number[k] = k == which ? other : 0.125;
            }
            m->geom_margin[g] = which == 7 ? 0.1 * other : 0;
            m->geom_gap[g] = which == 8 ? 0.1 * other : 0;
            m->geom_condim[g] = which == 9 && g % 3 == 0 ? 1 : 3;
            m->geom_friction_axis[g] = v3(which == 10 && g % 3 == 0, 0, 0);
        }
        thud_collider_destroy(s.collider);
        CHECK_OK(thud_collider_create(m, NULL, &s.collider));
        scene_scatter(&s, &r, 2);
        CHECK_OK(thud_collide(s.collider, m, s.X_wg, 0.01, &s.set, NULL));
        CHECK(s.set.count > 200);
        for (int i = 0; i < s.set.count; i++) {
            const thud_contact *c = &s.set.contact[i];
            const thud_contact_law law = thud_contact_law_of(m, c->geom1, c->geom2);
            CHECK(same_law(&c->law, &law));
        }
        scene_close(&s);
    }
}

static pose moved(pose X, thud_motion V, double t)
{
    return (pose){q_mul(q_axis_angle(v3_normalize(V.ang), t * v3_norm(V.ang)), X.q), v3_axpy(t, V.lin, X.p)};
}

static bool lists(const thud_contact_set *set, int g, int h)
{
    bool found = false;
    for (int i = 0; i < set->count; i++) {
        const thud_contact *c = &set->contact[i];
        found |= (c->geom1 == g && c->geom2 == h) || (c->geom1 == h && c->geom2 == g);
    }
    return found;
}

TEST(just_those_pairs_are_listed_that_are_within_the_margin)
{
    (void)test_state;
    static const double MARGIN = 0.1;
    scene s = scene_open(solids(48));
    test_rng r = {12};
    int near = 0, far = 0;
    for (int round = 0; round < 20; round++) {
        scene_scatter(&s, &r, 1.2);
        CHECK_OK(thud_collide(s.collider, s.m, s.X_wg, MARGIN, &s.set, NULL));
        for (int g = 0; g < s.m->geoms; g++) {
            for (int h = g + 1; h < s.m->geoms; h++) {
                thud_pair_gap gap;
                const double dist = thud_pair_distance(&s.m->geom_shape[g], s.X_wg[g], &s.m->geom_shape[h],
                                                       s.X_wg[h], NULL, &gap);
                CHECK(lists(&s.set, g, h) == (dist <= MARGIN));
                *(dist <= MARGIN ? &near : &far) += 1;
            }
        }
    }
    CHECK(near > 1000 && far > 1000);
    scene_close(&s);
}

TEST(what_comes_near_in_the_time_ahead_is_listed)
{
    (void)test_state;
    enum { SOLIDS = 36, TIMES = 8 };
    const double ahead = 0.05;
    test_rng r = {21};
    scene s = scene_open(solids(SOLIDS));
    thud_motion V[SOLIDS + 1] = {{{0, 0, 0}, {0, 0, 0}}};
    long near = 0, late = 0;
    for (int run = 0; run < 10; run++) {
        scene_scatter(&s, &r, 1.4);
        velocities(&s, 5, V);
        CHECK_OK(ahead_of(s.collider, &s, V, ahead, &s.set, NULL));
        for (int g = 0; g <= SOLIDS; g++) {
            for (int h = g + 1; h <= SOLIDS; h++) {
                double least = INFINITY, now = 0;
                for (int k = 0; k <= TIMES; k++) {
                    const double t = ahead * k / TIMES;
                    thud_pair_gap gap;
                    thud_pair_distance(&s.m->geom_shape[g], moved(s.X_wg[g], V[g], t), &s.m->geom_shape[h],
                                       moved(s.X_wg[h], V[h], t), NULL, &gap);
                    now = k == 0 ? gap.dist : now;
                    least = fmin(least, gap.dist);
                }
                if (least <= margin) {
                    CHECK(lists(&s.set, g, h));
                    near++;
                    late += now > margin;
                }
            }
        }
    }
    CHECK(near > 300 && late > 50); // some of them are still far
    scene_close(&s);
}

TEST(what_flies_together_has_the_contacts_of_what_rests)
{
    (void)test_state;
    enum { SOLIDS = 40 };
    test_rng r = {22};
    scene s = scene_open(solids(SOLIDS));
    thud_motion V[SOLIDS + 1];
    thud_contact_set still = {0};
    CHECK_OK(thud_contact_set_reserve(&still, 4096));
    scene_scatter(&s, &r, 1.2);
    for (int g = 0; g <= SOLIDS; g++) {
        V[g] = (thud_motion){{0, 0, 0}, {3, -4, 5}};
    }
    CHECK_OK(ahead_of(s.collider, &s, V, 0.02, &s.set, NULL));
    CHECK_OK(thud_collide(s.collider, s.m, s.X_wg, 0.01, &still, NULL));
    CHECK(still.count > 30);
    check_same(&s.set, &still);
    CHECK_INT(ahead_of(s.collider, &s, V, NAN, &s.set, NULL), THUD_NOT_FINITE);
    thud_contact_set_free(&still);
    scene_close(&s);
}

TEST(contacts_come_sorted_with_different_identities)
{
    (void)test_state;
    test_rng r = {9};
    scene s = scene_open(solids(60));
    scene_scatter(&s, &r, 1.2);
    CHECK_OK(thud_collide(s.collider, s.m, s.X_wg, 0.02, &s.set, NULL));
    CHECK(s.set.count > 50);
    for (int i = 0; i < s.set.count; i++) {
        const thud_contact *c = &s.set.contact[i];
        CHECK(s.m->geom_type[c->geom1] <= s.m->geom_type[c->geom2]);
        CHECK_INT(c->body1, s.m->geom_body[c->geom1]);
        CHECK_NEAR(v3_norm(c->normal), 1, 1e-12);
        CHECK(c->phi <= 0.02);
        for (int k = 0; k < i; k++) {
            CHECK(s.set.contact[k].id != c->id);
        }
        if (i > 0) {
            const thud_contact *b = c - 1;
            CHECK(b->id < c->id);
            const int lo = c->geom1 < c->geom2 ? c->geom1 : c->geom2, hi = c->geom1 + c->geom2 - lo;
            const int was_lo = b->geom1 < b->geom2 ? b->geom1 : b->geom2,
                      was_hi = b->geom1 + b->geom2 - was_lo;
            CHECK(was_lo < lo || (was_lo == lo && was_hi <= hi));
            if (was_lo == lo && was_hi == hi) {
                CHECK(b->feature[0] < c->feature[0] ||
                      (b->feature[0] == c->feature[0] && b->feature[1] < c->feature[1]));
            }
        }
    }
    scene_close(&s);
}

// A floor and `count` free meshes of so many points on a ball.
static thud_model *balls_of_points(int count, int points)
{
    thud_spec *s;
    test_rng r = {78};
    CHECK_OK(thud_spec_create(&s));
    thud_spec_add_geom(s, 0, THUD_GEOM_PLANE, "floor");
    const int mesh = thud_spec_add_mesh(s, "ball");
    s->mesh[mesh].vertices = points;
    s->mesh[mesh].vertex = thud_alloc(3 * (size_t)points, sizeof *s->mesh[mesh].vertex);
    for (int i = 0; i < points; i++) {
        const thud_vec3 v = v3_scale(
            0.3, v3_normalize(v3(test_uniform(&r, -1, 1), test_uniform(&r, -1, 1), test_uniform(&r, -1, 1))));
        memcpy(s->mesh[mesh].vertex + 3 * (size_t)i, (double[]){v.x, v.y, v.z}, 3 * sizeof(double));
    }
    for (int i = 0; i < count; i++) {
        const int body = thud_spec_add_body(s, 0, NULL);
        thud_spec_add_joint(s, body, THUD_JOINT_FREE, NULL);
        const int g = thud_spec_add_geom(s, body, THUD_GEOM_MESH, NULL);
        s->geom[g].mesh = mesh;
    }
    return build(s);
}

TEST(contacts_of_meshes_with_thousands_of_features_have_identities_too)
{
    (void)test_state;
    test_rng r = {10};
    scene s = scene_open(balls_of_points(40, 1500));
    int large = 0;
    for (int time = 0; time < 5; time++) {
        scene_scatter(&s, &r, 1.0);
        CHECK_OK(thud_collide(s.collider, s.m, s.X_wg, 0.02, &s.set, NULL));
        for (int i = 0; i < s.set.count; i++) {
            const thud_contact *c = &s.set.contact[i];
            large +=
                thud_feature_index_of(c->feature[0]) > 1023 || thud_feature_index_of(c->feature[1]) > 1023;
            CHECK(c->id >> 60 != 0xF); // those of joints
            for (int k = 0; k < i; k++) {
                CHECK(s.set.contact[k].id != c->id);
            }
        }
    }
    CHECK(large > 20);
    scene_close(&s);
}

static thud_model *box_on_floor(void)
{
    thud_spec *s;
    CHECK_OK(thud_spec_create(&s));
    thud_spec_add_geom(s, 0, THUD_GEOM_PLANE, "floor");
    const int body = thud_spec_add_body(s, 0, "box");
    thud_spec_add_joint(s, body, THUD_JOINT_FREE, NULL);
    const int g = thud_spec_add_geom(s, body, THUD_GEOM_BOX, NULL);
    s->geom[g].size[0] = s->geom[g].size[1] = s->geom[g].size[2] = 0.5;
    return build(s);
}

TEST(a_sliding_box_keeps_the_identities_of_its_corners)
{
    (void)test_state;
    scene s = scene_open(box_on_floor());
    uint64_t id[4];
    for (int step = 0; step < 100; step++) {
        s.qpos[0] = 0.1 * step;
        s.qpos[2] = 0.5 - 1e-4 * (step % 3);
        const quat turn = q_axis_angle(v3(0, 0, 1), 0.01 * step);
        s.qpos[3] = turn.w;
        s.qpos[6] = turn.z;
        scene_place(&s);
        CHECK_OK(thud_collide(s.collider, s.m, s.X_wg, 0, &s.set, NULL));
        CHECK_INT(s.set.count, 4);
        for (int k = 0; k < 4; k++) {
            const thud_contact *c = &s.set.contact[k];
            CHECK_INT(c->geom1, 0); // the plane first: the normal points from it to the box
            CHECK_NEAR(c->normal.z, 1, 0);
            CHECK_NEAR(c->phi, -1e-4 * (step % 3), 1e-15);
            if (step > 0) {
                CHECK(c->id == id[k]);
            }
            id[k] = c->id;
        }
    }
    scene_close(&s);
}

TEST(margins_of_geoms_pairs_and_the_query_list_contacts_that_far)
{
    (void)test_state;
    thud_spec *spec;
    CHECK_OK(thud_spec_create(&spec));
    for (int i = 0; i < 4; i++) { // four balls, gaps of 0.1 between neighbours
        const int body = thud_spec_add_body(spec, 0, NULL);
        spec->body[body].pos.x = 0.5 * i;
        thud_spec_add_joint(spec, body, THUD_JOINT_FREE, NULL);
        const int g = thud_spec_add_geom(spec, body, THUD_GEOM_SPHERE, NULL);
        spec->geom[g].size[0] = 0.2;
    }
    spec->geom[0].margin = 0.06; // 0.06 + 0.05 reaches across 0.1
    spec->geom[1].margin = 0.05;
    const int p = thud_spec_add_pair(spec, 2, 3, NULL);
    spec->pair[p].margin = 0.11;
    scene s = scene_open(build(spec));
    scene_place(&s);
    CHECK_OK(thud_collide(s.collider, s.m, s.X_wg, 0, &s.set, NULL));
    CHECK_INT(s.set.count, 2);
    CHECK_INT(s.set.contact[0].geom1, 0);
    CHECK_INT(s.set.contact[1].geom1, 2);
    CHECK_NEAR(s.set.contact[1].phi, 0.1, 1e-15);
    CHECK_OK(thud_collide(s.collider, s.m, s.X_wg, 0.101, &s.set, NULL));
    CHECK_INT(s.set.count, 3);
    scene_close(&s);
}

TEST(a_pose_that_is_no_number_is_an_error_and_can_be_mended)
{
    (void)test_state;
    test_rng r = {2};
    scene s = scene_open(solids(10));
    scene_scatter(&s, &r, 0.6);
    const thud_pose good = s.X_wg[4];
    for (int first = 0; first < 2; first++) { // before and after the collider has seen good poses
        s.X_wg[4].p.y = first ? INFINITY : NAN;
        CHECK_INT(thud_collide(s.collider, s.m, s.X_wg, 0, &s.set, NULL), THUD_NOT_FINITE);
        CHECK_INT(s.set.count, 0);
        s.X_wg[4] = good;
        CHECK_OK(thud_collide(s.collider, s.m, s.X_wg, 0, &s.set, NULL));
        CHECK(s.set.count > 0);
    }
    CHECK_INT(thud_collide(s.collider, s.m, s.X_wg, NAN, &s.set, NULL), THUD_NOT_FINITE);
    scene_close(&s);
}

static int allocations;

static void *counting_resize(void *block, size_t bytes, void *user)
{
    (void)user;
    allocations++;
    return realloc(block, bytes);
}

static void counting_release(void *block, void *user)
{
    (void)user;
    free(block);
}

TEST(queries_do_not_allocate)
{
    (void)test_state;
    const thud_allocator counting = {counting_resize, counting_release, NULL};
    test_rng r = {3};
    scene s = scene_open(solids(50));
    scene_scatter(&s, &r, 1.5);
    thud_allocator_set(&counting);
    allocations = 0;
    for (int step = 0; step < 50; step++) {
        scene_step(&s, 0.01);
        CHECK_OK(thud_collide(s.collider, s.m, s.X_wg, 0, &s.set, NULL));
    }
    CHECK_INT(allocations, 0);
    thud_allocator_set(NULL);
    scene_close(&s);
}

static int allocations_left;

static void *failing_resize(void *block, size_t bytes, void *user)
{
    (void)user;
    return allocations_left-- > 0 ? realloc(block, bytes) : NULL;
}

TEST(memory_that_runs_out_is_told_and_nothing_leaks)
{
    (void)test_state;
    const thud_allocator failing = {failing_resize, counting_release, NULL};
    test_rng r = {6};
    scene s = scene_open(solids(20));
    scene_scatter(&s, &r, 0.5);
    CHECK_OK(thud_collide(s.collider, s.m, s.X_wg, 0, &s.set, NULL));
    thud_allocator_set(&failing);
    int failures = 0;
    for (thud_collider *c = NULL; !c; failures++) { // one more allocation succeeds each time
        allocations_left = failures;
        const thud_status status = thud_collider_create(s.m, NULL, &c);
        CHECK(status == (c ? THUD_OK : THUD_NO_MEMORY));
        thud_collider_destroy(c);
    }
    CHECK(failures > 10);
    bool grown = false;
    for (int k = 0; !grown; k++) { // a collider that could not grow is as it was
        allocations_left = k;
        grown = thud_collider_grow(s.collider) == THUD_OK;
        thud_contact_set again = s.set;
        CHECK_OK(thud_collide(s.collider, s.m, s.X_wg, 0, &again, NULL));
        CHECK_INT(again.count, s.set.count);
    }
    thud_allocator_set(NULL);
    scene_close(&s);
}

TEST(a_full_collider_or_set_fails_cleanly_and_can_be_grown)
{
    (void)test_state;
    test_rng r = {4};
    scene s = scene_open(solids(30));
    scene_scatter(&s, &r, 0.5);
    CHECK_OK(thud_collide(s.collider, s.m, s.X_wg, 0, &s.set, NULL));
    thud_contact_set small = {0};
    CHECK_OK(thud_contact_set_reserve(&small, 3));
    CHECK_INT(thud_collide(s.collider, s.m, s.X_wg, 0, &small, NULL), THUD_NO_MEMORY);
    CHECK_INT(small.count, 0);
    CHECK_INT(small.needed, s.set.count);
    CHECK_OK(thud_contact_set_reserve(&small, small.needed));
    thud_broad_options o = thud_broad_defaults();
    o.pairs = 8;
    thud_collider *tight;
    CHECK_OK(thud_collider_create(s.m, &o, &tight));
    int tries = 0;
    while (thud_collide(tight, s.m, s.X_wg, 0, &small, NULL) == THUD_NO_MEMORY) {
        CHECK(small.needed <= small.capacity);
        CHECK_OK(thud_collider_grow(tight));
        CHECK(++tries < 20);
    }
    CHECK(tries > 0);
    check_same(&s.set, &small);
    thud_collider_destroy(tight);
    thud_contact_set_free(&small);
    scene_close(&s);
}

TEST(a_model_without_geoms_has_no_contacts)
{
    (void)test_state;
    thud_spec *spec;
    CHECK_OK(thud_spec_create(&spec));
    scene s = scene_open(build(spec));
    CHECK_OK(thud_collide(s.collider, s.m, s.X_wg, 0, &s.set, NULL));
    CHECK_INT(s.set.count, 0);
    scene_close(&s);
}

TEST(a_contacts_gap_function_starts_at_its_gap)
{
    (void)test_state;
    test_rng r = {5};
    scene s = scene_open(solids(40));
    scene_scatter(&s, &r, 1);
    CHECK_OK(thud_collide(s.collider, s.m, s.X_wg, 0.02, &s.set, NULL));
    CHECK(s.set.count > 30);
    for (int i = 0; i < s.set.count; i++) {
        const thud_contact *c = &s.set.contact[i];
        const thud_gap gap = thud_contact_gap(s.m, s.X_wg, c);
        const thud_gap_value v = thud_gap_at(&gap, s.X_wg[c->geom1], s.X_wg[c->geom2]);
        CHECK_NEAR(v.phi, c->phi, gap.kind == THUD_GAP_LINE_LINE ? 1e-3 : 1e-9);
    }
    scene_close(&s);
}

TEST_MAIN(T(warm_and_cold_contacts_are_the_same_to_the_bit),
          T(contacts_of_what_has_not_moved_are_handed_on_to_the_bit),
          T(among_many_geoms_of_few_surfaces_every_contact_has_its_own_law),
          T(just_those_pairs_are_listed_that_are_within_the_margin),
          T(what_comes_near_in_the_time_ahead_is_listed),
          T(what_flies_together_has_the_contacts_of_what_rests),
          T(contacts_come_sorted_with_different_identities),
          T(contacts_of_meshes_with_thousands_of_features_have_identities_too),
          T(a_sliding_box_keeps_the_identities_of_its_corners),
          T(margins_of_geoms_pairs_and_the_query_list_contacts_that_far),
          T(a_pose_that_is_no_number_is_an_error_and_can_be_mended), T(queries_do_not_allocate),
          T(memory_that_runs_out_is_told_and_nothing_leaks),
          T(a_full_collider_or_set_fails_cleanly_and_can_be_grown), T(a_model_without_geoms_has_no_contacts),
          T(a_contacts_gap_function_starts_at_its_gap))
