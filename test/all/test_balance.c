// SPDX-License-Identifier: Apache-2.0
// test_balance.c: scenes that are said to stand are in balance, and what slides from rest starts as it is
// said to.
//
// At rest the accelerations and forces of the exact cone are one small problem, W = J M^-1 J^T, b = J a of
// the free acceleration a. It is written out here with dense matrices, apart from the way a step goes.
#include "scene_start.h"

typedef struct balance { // accelerations at rest, with the forces of exact friction among the
                         // equal-compliance ones
    int contacts, rank;
    double *force; // 3 a contact: along the normal, then along two tangents
    double *qacc;  // nv
} balance;

// The rows of contact c, each nv long: velocity of geom2's body less geom1's, along the normal and two
// tangents.
static void contact_rows(const start *a, const thud_dynamics *d, const thud_contact *c, double *rows)
{
    const int nv = a->m->nv;
    double *J = calloc((size_t)(12 * nv), sizeof *J);
    thud_dynamics_jacobian(a->m, d, c->body1, c->point, J);
    thud_dynamics_jacobian(a->m, d, c->body2, c->point, J + 6 * nv);
    const vec3 n = c->normal, axis = fabs(n.x) < 0.6 ? (vec3){1, 0, 0} : (vec3){0, 1, 0};
    const vec3 t1 = v3_normalize(v3_cross(n, axis)), t2 = v3_cross(n, t1);
    const double frame[9] = {n.x, n.y, n.z, t1.x, t1.y, t1.z, t2.x, t2.y, t2.z};
    for (int r = 0; r < 3; r++) {
        for (int j = 0; j < nv; j++) {
            rows[r * nv + j] = 0;
            for (int k = 0; k < 3; k++) {
                rows[r * nv + j] += frame[3 * r + k] * (J[(9 + k) * nv + j] - J[(3 + k) * nv + j]);
            }
        }
    }
    free(J);
}

// W = J M^-1 J^T and b = J a for the free acceleration a; MJ: M^-1 J^T by rows.
static void fill_problem(const start *a, thud_dynamics *d, balance *e, double *J, double *MJ, double *W,
                         double *b)
{
    const thud_model *m = a->m;
    const int nv = m->nv, rows = 3 * e->contacts;
    double *tau = calloc((size_t)nv, sizeof *tau), *zero = calloc((size_t)nv, sizeof *zero);
    thud_dynamics_place(m, a->s->qpos, d);
    thud_dynamics_move(m, zero, d);
    CHECK(thud_dynamics_factor(m, d));
    thud_passive_force(m, a->s->qpos, zero, NULL, tau);
    thud_dynamics_solve(m, tau, d, e->qacc);
    double *M = calloc((size_t)(nv * nv), sizeof *M);
    thud_dynamics_crba(m, d, M);
    CHECK_INT(thud_mass_factor(m, M), -1);
    for (int c = 0; c < e->contacts; c++) {
        contact_rows(a, d, &a->set.contact[c], J + (size_t)(3 * c * nv));
    }
    memcpy(MJ, J, (size_t)(rows * nv) * sizeof *J);
    for (int i = 0; i < rows; i++) {
        thud_mass_solve(m, M, MJ + (size_t)i * (size_t)nv);
        b[i] = thud_dot(nv, J + (size_t)i * (size_t)nv, e->qacc);
    }
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < rows; j++) {
            W[i + j * rows] = thud_dot(nv, J + (size_t)i * (size_t)nv, MJ + (size_t)j * (size_t)nv);
        }
    }
    free(M);
    free(zero);
    free(tau);
}

static balance find_balance(start *a, int key)
{
    find_contacts(a, key, 1e-9);
    const int nv = a->m->nv, n = a->set.count, rows = 3 * n;
    balance e = {.contacts = n,
                 .force = calloc((size_t)rows, sizeof *e.force),
                 .qacc = calloc((size_t)nv, sizeof *e.qacc)};
    double *J = calloc((size_t)(rows * nv), sizeof *J), *MJ = calloc((size_t)(rows * nv), sizeof *MJ);
    double *W = calloc((size_t)(rows * rows), sizeof *W), *b = calloc((size_t)rows, sizeof *b);
    thud_cone_block *block = calloc((size_t)n, sizeof *block);
    for (int c = 0; c < n; c++) {
        const double *mu = a->set.contact[c].law.friction;
        block[c] =
            (thud_cone_block){.kind = THUD_CONE_KIND_CONTACT, .row = 3 * c, .dim = 3, .mu = {mu[0], mu[1]}};
    }
    thud_dynamics *d;
    CHECK_OK(thud_dynamics_create(a->m, &d));
    fill_problem(a, d, &e, J, MJ, W, b);
    const thud_cone cone = {.rows = rows, .blocks = n, .block = block, .W = {rows, rows, rows, W}, .b = b};
    thud_cone_options options = thud_cone_defaults();
    options.want_rank = true;
    thud_arena *scratch;
    CHECK_OK(thud_arena_create(thud_cone_scratch(&cone), &scratch));
    const thud_cone_report report = thud_cone_solve(&cone, &options, scratch, e.force);
    CHECK_INT(report.outcome, THUD_CONE_SOLVED);
    e.rank = report.rank;
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < nv; j++) {
            e.qacc[j] += MJ[(size_t)i * (size_t)nv + (size_t)j] * e.force[i];
        }
    }
    thud_arena_destroy(scratch);
    thud_dynamics_destroy(d);
    free(block);
    free(b);
    free(W);
    free(MJ);
    free(J);
    return e;
}

static balance balance_of(const char *scene, int key, start *a)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/scenes/%s.xml", THUD_SOURCE_DIR, scene);
    *a = open_scene(path);
    return find_balance(a, key);
}

static void release(balance *e, start *a)
{
    free(e->force);
    free(e->qacc);
    close_scene(a);
}

// Worst 6.3e-8 m/s2 (heavy_on_stack4), else 4e-9.
TEST(what_is_said_to_stand_is_in_balance)
{
    static const struct {
        const char *scene;
        int key;
    } standing[] = {{"arch", -1},       {"card_house", -1}, {"heavy_on_light", -1}, {"heavy_on_stack4", -1},
                    {"mass_ratio", -1}, {"pinch", -1},      {"quadruped", 0},       {"slope20", -1},
                    {"stack10", -1},    {"stack20", -1},    {"heavy_on_stack9", -1}};
    for (size_t i = 0; i < sizeof standing / sizeof *standing; i++) {
        start a;
        balance e = balance_of(standing[i].scene, standing[i].key, &a);
        CHECK_BELOW(thud_norm_inf(a.m->nv, e.qacc), 1e-6);
        release(&e, &a);
    }
}

TEST(four_legs_share_the_load_of_the_table)
{
    start a;
    balance e = balance_of("table", -1, &a);
    const double weight = 12 * 9.81, x = 0.4 / 12, y = 0.2 / 12; // of 12 kg, the vase of 2 kg at (0.2, 0.1)
    CHECK_INT(e.contacts, 4);
    CHECK_INT(e.rank, 6);
    for (int c = 0; c < 4; c++) {
        const vec3 foot = a.set.contact[c].point;
        const double want = weight / 4 * (1 + x * foot.x / (0.4 * 0.4) + y * foot.y / (0.25 * 0.25));
        CHECK_NEAR(e.force[3 * c], want, 2e-6); // 1.8e-7 N off, the compliance that makes the choice
        CHECK_BELOW(hypot(e.force[3 * c + 1], e.force[3 * c + 2]), 5e-6); // 6.5e-7
    }
    release(&e, &a);
}

TEST(the_quadruped_stands_with_its_weight_as_claimed)
{
    start a;
    balance e = balance_of("quadruped", 0, &a);
    CHECK_INT(e.contacts, 4);
    for (int c = 0; c < 4; c++) {
        CHECK_NEAR(e.force[3 * c], a.set.contact[c].point.x > 0 ? 30.940 : 37.730,
                   1e-3); // digits of the claim
    }
    release(&e, &a);
}

TEST(what_slides_from_rest_starts_with_the_right_acceleration)
{
    const double g = 9.81, s30 = 0.5, c30 = sqrt(0.75);
    start a;
    balance e = balance_of("slope30", -1, &a);
    CHECK_NEAR(hypot(e.qacc[0], e.qacc[1]), g * (s30 - 0.5 * c30), 1e-12);
    CHECK_NEAR(e.qacc[0], e.qacc[1], 1e-12);
    CHECK_BELOW(thud_norm_inf(4, e.qacc + 2), 1e-12);
    release(&e, &a);
    e = balance_of("bead_on_wire", -1, &a);
    CHECK_NEAR(hypot(e.qacc[0], e.qacc[2]), 1.364980, 5e-7); // digits of the claim
    CHECK_BELOW(thud_norm_inf(3, e.qacc + 3), 2e-9);         // 2.9e-10 rad/s2: it need not turn
    release(&e, &a);
}

TEST_MAIN(T(what_is_said_to_stand_is_in_balance), T(four_legs_share_the_load_of_the_table),
          T(the_quadruped_stands_with_its_weight_as_claimed),
          T(what_slides_from_rest_starts_with_the_right_acceleration))
