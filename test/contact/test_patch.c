// SPDX-License-Identifier: Apache-2.0
// test_patch.c: contacts of the same two bodies with one normal that come as a patch make the same problem as one by one, to the last
// bit.
#include <thud/contact.h>
#include <thud/spatial_inline.h>

#include "test.h"

enum { FREE_BODIES = 3, MOST = 32, RUNS = 9 };

typedef struct scene {
    thud_model *m;
    thud_dynamics *d;
    thud_contact contact[MOST];
    int run[MOST]; // from each on
    int contacts;
    thud_motion V[8], V_free[8];
    int patches; // made
} scene;

static void add_body(thud_spec *s, int parent, thud_joint_type joint, double inertia)
{
    const int body = thud_spec_add_body(s, parent, NULL);
    s->body[body].pos = v3(0.3 * body, 0.1, 1);
    s->body[body].has_inertial = true;
    s->body[body].mass = 1 + 0.3 * body;
    s->body[body].inertia[0] = inertia;
    s->body[body].inertia[1] = s->body[body].inertia[2] = 0.1;
    thud_spec_add_joint(s, body, joint, NULL);
}

// Some contacts of two bodies: a common normal and random points.
static void add_run(scene *x, test_rng *rng, int body1, int body2, int count, bool slippery)
{
    const vec3 n = v3_normalize(v3(test_normal(rng), test_normal(rng), test_normal(rng)));
    for (int k = 0; k < count; k++, x->contacts++) {
        thud_contact *c = &x->contact[x->contacts];
        *c = (thud_contact){.id = (uint64_t)x->contacts + 1, .body1 = body1, .body2 = body2, .normal = n};
        c->geom1 = x->contacts - k; // of the run
        c->phi = 1e-3 * test_normal(rng);
        c->point = v3(test_normal(rng), test_normal(rng), test_normal(rng));
        c->law =
            (thud_contact_law){.condim = 3, .axis_body = -1, .friction = {0.5, 0.4}, .kinetic = {0.5, 0.4}};
        c->law.kinetic[1] = slippery ? 0.3 : 0.4; // then it depends on the speed
        x->run[x->contacts] = count - k;
    }
}

static scene *make_scene(uint64_t seed)
{
    scene *x = calloc(1, sizeof *x);
    test_rng rng = {seed};
    thud_spec *s;
    thud_diag diag = {0};
    CHECK_OK(thud_spec_create(&s));
    for (int i = 0; i < FREE_BODIES; i++) {
        add_body(s, 0, THUD_JOINT_FREE, 0.1 + 0.05 * i);
    }
    add_body(s, 0, THUD_JOINT_HINGE, 0.2); // body 4, and 5 on it: no free body
    add_body(s, 4, THUD_JOINT_HINGE, 0.2);
    CHECK_OK(thud_model_build(s, &x->m, &diag));
    thud_spec_destroy(s);
    CHECK_OK(thud_dynamics_create(x->m, &x->d));
    thud_dynamics_place(x->m, x->m->qpos0, x->d);
    CHECK(thud_dynamics_factor(x->m, x->d));
    const int body[RUNS][2] = {{0, 1}, {1, 0}, {1, 2}, {0, 3}, {2, 3}, {0, 4}, {3, 5}, {0, 2}, {0, 1}};
    const int count[RUNS] = {4, 3, 4, 2, 3, 4, 2, 1, 4};
    for (int k = 0; k < RUNS; k++) {
        add_run(x, &rng, body[k][0], body[k][1], count[k], k % 4 == 3);
    }
    for (int i = 0; i < x->m->joints; i++) {
        x->V[i] = (thud_motion){v3(test_normal(&rng), 0.2, 1), v3(1, test_normal(&rng), 0)};
        x->V_free[i] = (thud_motion){v3(0.1 * i, test_normal(&rng), 1), v3(1, 0.01 * i, test_normal(&rng))};
    }
    return x;
}

static void free_scene(scene *x)
{
    thud_dynamics_destroy(x->d);
    thud_model_destroy(x->m);
    free(x);
}

static double asked(int number, int row) // anything
{
    return 0.01 * (number + 1) * (row - 1.5);
}

static void make_row(void *of, int source, thud_contact_row *row)
{
    const thud_contact *c = &((const scene *)of)->contact[source];
    *row = (thud_contact_row){.contact = c, .point = c->point, .phi = c->phi, .dim = 3};
    thud_contact_frame(NULL, NULL, c, c->normal, row->frame);
    for (int r = 0; r < 3; r++) {
        row->b[r] = asked(source, r);
    }
}

static int make_patch(void *of, int source, int count, thud_contact_patch *patch)
{
    scene *x = of;
    const thud_contact *c = &x->contact[source];
    CHECK(count <= x->run[source]);
    if (c->body2 == 2) {
        return 0; // it may refuse
    }
    patch->contact = c;
    thud_contact_frame(NULL, NULL, c, c->normal, patch->frame);
    for (int k = 0; k < THUD_LANES; k++) {
        const int i = k < count ? k : count - 1;
        const double p[3] = {c[i].point.x, c[i].point.y, c[i].point.z};
        patch->phi[k] = c[i].phi;
        for (int r = 0; r < 3; r++) {
            patch->point[r][k] = p[r];
            patch->b[r][k] = asked(source + i, r);
        }
    }
    x->patches++;
    return count;
}

static thud_rows *assemble(scene *x, thud_contact_patch_maker *patches)
{
    thud_rows *rows;
    thud_contact_entry entry[MOST];
    thud_warm warm[MOST];
    int warms = 0;
    CHECK_OK(thud_rows_create(x->m, MOST, 1 << 20, &rows));
    for (int i = 0; i < x->contacts; i++) {
        entry[i] = (thud_contact_entry){&x->contact[i], 3, i, x->run[i]};
        if (i % 3) {
            warm[warms++] = (thud_warm){.id = x->contact[i].id, .p = {1 + i, 0.1, -0.2}};
        }
    }
    thud_rows_begin(rows, x->d, 1e-3);
    CHECK_OK(thud_rows_add_contacts(rows, entry, x->contacts, make_row, patches, x));
    CHECK_OK(thud_rows_prepare(rows, x->V, x->V_free, warm, warms, 2e-3));
    CHECK_OK(thud_rows_fill(rows, -1, NULL));
    return rows;
}

static bool same(const void *a, const void *b, int count)
{
    return memcmp(a, b, (size_t)count * sizeof(double)) == 0;
}

static void check_block(const thud_block *a, const thud_block *b)
{
    CHECK(a->kind == b->kind && a->row == b->row && a->dim == b->dim && a->source == b->source &&
          a->id == b->id && a->body1 == b->body1 && a->body2 == b->body2 && a->geom1 == b->geom1 &&
          a->geom2 == b->geom2);
    CHECK(same(&a->phi, &b->phi, 1) && same(&a->point, &b->point, 3) && same(a->frame, b->frame, 9));
    CHECK(same(a->static_friction, b->static_friction, 2) &&
          same(a->kinetic_friction, b->kinetic_friction, 2));
}

TEST(contacts_of_a_patch_make_the_same_problem_as_one_by_one)
{
    (void)test_state;
    for (uint64_t seed = 1; seed < 20; seed++) {
        scene *x = make_scene(seed);
        thud_rows *single = assemble(x, NULL), *patched = assemble(x, make_patch);
        CHECK(x->patches >= RUNS - 3);
        CHECK(thud_rows_islands(single) == thud_rows_islands(patched));
        for (int i = 0; i < thud_rows_islands(single); i++) {
            const thud_island a = thud_rows_island(single, i), b = thud_rows_island(patched, i);
            CHECK(a.blocks == b.blocks && a.rows == b.rows && a.familiar == b.familiar);
            CHECK(same(a.u_free, b.u_free, a.rows) && same(a.u_before, b.u_before, a.rows));
            CHECK(same(a.p, b.p, a.rows) && same(a.p_before, b.p_before, a.rows));
            CHECK(a.W.a && b.W.a && same(a.W.a, b.W.a, a.rows * a.rows));
            for (int k = 0; k < a.blocks; k++) {
                check_block(&a.block[k], &b.block[k]);
                CHECK(same(a.cone[k].mu, b.cone[k].mu, 2) && a.cone[k].row == b.cone[k].row &&
                      a.cone[k].dim == b.cone[k].dim && a.cone[k].kind == b.cone[k].kind);
            }
        }
        double one[64], other[64];
        thud_rows_respond(single, x->d, one);
        thud_rows_respond(patched, x->d, other);
        CHECK(same(one, other, x->m->nv));
        thud_rows_destroy(single);
        thud_rows_destroy(patched);
        free_scene(x);
    }
}

TEST_MAIN(T(contacts_of_a_patch_make_the_same_problem_as_one_by_one))
