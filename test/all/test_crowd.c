// SPDX-License-Identifier: Apache-2.0
// Robots that keep out of each other's reach are stepped one by one; nobody can tell, but by the clock.
#include "crowd.h"
#include "world.h"

static world crowd(int count, const beetle *beetles, double gravity, double floor)
{
    char *text = crowd_text(count, beetles, gravity, floor, "");
    world w = world_text(text);
    free(text);
    return w;
}

static void set_controls(world *w, int from, double phase)
{
    for (int k = 0; k < BEETLE_MOTORS; k++) {
        w->s->ctrl[from + k] = sin(20 * w->s->time + k + phase);
    }
}

static bool same(const double *a, const double *b, int count)
{
    return memcmp(a, b, (size_t)count * sizeof *a) == 0;
}

static void compare_with_lone(double restitution)
{
    const beetle two[] = {{"one", 0, 0, 0.35, 0.3}, {"two", 2, 1, 0.5, -1}};
    world both = crowd(2, two, -9.81, 0), alone[2] = {crowd(1, two, -9.81, 0), crowd(1, two + 1, -9.81, 0)};
    both.o.restitution = restitution;
    world_begin(&both, -1);
    for (int k = 0; k < 2; k++) {
        alone[k].o.restitution = restitution;
        world_begin(&alone[k], -1);
    }
    int contacts = 0;
    double sum = 0;
    for (int i = 0; i < 500; i++) {
        set_controls(&both, 0, 0);
        set_controls(&both, BEETLE_MOTORS, 1);
        world_step(&both);
        for (int k = 0; k < 2; k++) {
            set_controls(&alone[k], 0, k);
            world_step(&alone[k]);
            const thud_state *a = alone[k].s, *b = both.s;
            CHECK(same(a->qpos, b->qpos + k * BEETLE_POSITIONS, BEETLE_POSITIONS));
            CHECK(same(a->qvel, b->qvel + k * BEETLE_DOFS, BEETLE_DOFS));
            CHECK(same(a->act, b->act + k * BEETLE_MOTORS / 2, BEETLE_MOTORS / 2));
        }
        double felt[2 * BEETLE_READINGS], own[BEETLE_READINGS];
        CHECK_INT(both.m->readings, 2 * BEETLE_READINGS);
        CHECK_OK(thud_sim_sense(both.sim, both.s, felt));
        for (int k = 0; k < 2; k++) {
            CHECK_OK(thud_sim_sense(alone[k].sim, alone[k].s, own));
            for (int r = 0; r < BEETLE_READINGS; r++) {
                CHECK_NEAR(felt[k * BEETLE_READINGS + r], own[r], 0);
                sum += fabs(own[r]);
            }
        }
        const thud_certificate *one = &alone[0].c, *other = &alone[1].c, *c = &both.c;
        CHECK_INT(c->contacts, one->contacts + other->contacts);
        CHECK_NEAR(c->cone_residual, fmax(one->cone_residual, other->cone_residual), 0);
        CHECK_NEAR(c->penetration, fmax(one->penetration, other->penetration), 0);
        CHECK_NEAR(c->momentum, fmax(one->momentum, other->momentum), 0);
        CHECK_NEAR(c->kinetic + c->potential,
                   one->kinetic + one->potential + other->kinetic + other->potential,
                   1e-12 * fabs(c->potential));
        CHECK_NEAR(c->energy_error, one->energy_error + other->energy_error, 1e-11);
        contacts += c->contacts;
    }
    CHECK(contacts > 1000 && sum > 1000);
    CHECK((both.worst.impacts > 0) == (restitution > 0));
    world_end(&both);
    world_end(&alone[0]);
    world_end(&alone[1]);
}

TEST(each_of_two_robots_moves_to_the_bit_as_it_does_alone)
{
    compare_with_lone(0);
    compare_with_lone(0.4); // each has its impacts at its own times
}

// Momentum of all, and how far the second is ahead of the first.
static vec3 momentum(const world *w)
{
    thud_dynamics *d;
    vec3 sum = v3(0, 0, 0);
    CHECK_OK(thud_dynamics_create(w->m, &d));
    thud_dynamics_place(w->m, w->s->qpos, d);
    thud_motion *V = calloc((size_t)w->m->joints, sizeof *V);
    thud_dynamics_twists(w->m, d, w->s->qvel, V);
    for (int i = 0; i < w->m->joints; i++) {
        const vec3 moment = m3_mulv(&d->link[i].R, w->m->link_moment[i]);
        sum = v3_add(sum, v3_axpy(w->m->link_mass[i], V[i].lin, v3_cross(V[i].ang, moment)));
    }
    free(V);
    thud_dynamics_destroy(d);
    return sum;
}

// Contacts between bodies of different robots in the last step.
static int meetings(const world *w)
{
    const thud_rows *rows = thud_sim_rows(w->sim);
    const int *root = w->m->body_root;
    int count = 0;
    for (int i = 0; i < thud_rows_islands(rows); i++) {
        const thud_island island = thud_rows_island(rows, i);
        for (int k = 0; k < island.blocks; k++) {
            const thud_block *b = &island.block[k];
            count += b->kind == THUD_BLOCK_CONTACT && root[b->body1] > 0 && root[b->body2] > 0 &&
                     root[b->body1] != root[b->body2];
        }
    }
    return count;
}

// In free space, so that nothing but each other can stop them; they turn a little, and their legs dangle.
TEST(robots_thrown_at_each_other_meet_and_keep_their_momentum)
{
    static const double speeds[] = {0.5, 5, 50};
    for (int k = 0; k < 3; k++) {
        const beetle two[] = {{"one", 0, 0, 0, 0}, {"two", 1 + 0.05 * speeds[k], 0.1, 0.02, 1}};
        world w = crowd(2, two, 0, -100);
        world_begin(&w, -1);
        w.s->qvel[0] = speeds[k];
        w.s->qvel[BEETLE_DOFS] = -speeds[k] / 2;
        w.s->qvel[5] = 1;
        const vec3 before = momentum(&w);
        int met = 0;
        for (int i = 0; i < 1000; i++) {
            world_step(&w);
            met += meetings(&w);
        }
        CHECK(met > 0);
        CHECK_BELOW(w.worst.penetration, 1e-8);
        CHECK_BELOW(v3_norm(v3_sub(momentum(&w), before)), 1e-2 * v3_norm(before)); // legs whip at 2 ms
        world_end(&w);
    }
}

static double mass_of_one(const world *w, int of)
{
    double moving = 0;
    for (int i = 0; i < w->m->joints; i++) {
        moving += w->m->link_mass[i];
    }
    return moving / of;
}

// The deepest overlap in a state, found without a sim.
static double deepest(const world *w)
{
    const thud_model *m = w->m;
    thud_contact_set set = {0};
    thud_collider *c;
    double most = 0;
    CHECK_OK(thud_collider_create(m, NULL, &c));
    CHECK_OK(thud_contact_set_reserve(&set, 1000));
    thud_pose *X_wb = calloc((size_t)m->bodies, sizeof *X_wb), *X_wg = calloc((size_t)m->geoms, sizeof *X_wg);
    thud_body_poses(m, w->s->qpos, X_wb);
    thud_geom_poses(m, X_wb, X_wg);
    CHECK_OK(thud_collide(c, m, X_wg, 0, &set, NULL));
    for (int i = 0; i < set.count; i++) {
        most = fmax(most, -set.contact[i].phi);
    }
    thud_contact_set_free(&set);
    thud_collider_destroy(c);
    free(X_wb);
    free(X_wg);
    return most;
}

// 30 mm from each other, at rest, and then pushed 50 mm within one step: farther than anybody could have foreseen.
TEST(a_robot_that_is_pushed_into_another_within_one_step_is_seen)
{
    const beetle two[] = {{"one", 0, 0, 0, 0}, {"two", 0.43, 0, 0, 0}};
    world w = crowd(2, two, 0, -100);
    world_begin(&w, -1);
    double *tau = calloc((size_t)w.m->nv, sizeof *tau);
    tau[0] = mass_of_one(&w, 2) * 2 * 0.05 / (w.o.h * w.o.h);
    CHECK_OK(world_try(&w, tau));
    CHECK_BELOW(w.c.penetration, 1e-8);
    CHECK_BELOW(deepest(&w), 1e-8);
    CHECK(w.s->qpos[BEETLE_POSITIONS] - w.s->qpos[0] > 0.39);
    free(tau);
    world_end(&w);
}

enum { MANY = 12 };

// Four rows of three, of which two run into each other and all fall.
static world many(int threads)
{
    static const char *const names[MANY] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"};
    beetle all[MANY];
    for (int k = 0; k < MANY; k++) {
        all[k] = (beetle){names[k], 1.2 * (k / 3), 1.2 * (k % 3), 0.35 + 0.02 * k, 0.4 * k};
    }
    world w = crowd(MANY, all, -9.81, 0);
    w.o.threads = threads;
    world_begin(&w, -1);
    w.s->qvel[0] = 3;
    w.s->qvel[BEETLE_DOFS * 3] = -2;
    return w;
}

enum { STEPS = 300 };

TEST(neither_threads_nor_certificates_nor_a_new_sim_change_a_bit)
{
    static const int threads[] = {1, 2, 3, 8};
    uint64_t hash[STEPS];
    int met = 0, apart = 0;
    for (int k = 0; k < 4; k++) {
        world w = many(threads[k]);
        for (int i = 0; i < STEPS; i++) {
            if (k == 1 && i % 7 == 3) { // restored into a new sim
                thud_state *kept;
                CHECK_OK(thud_state_create(w.m, &kept));
                CHECK_OK(thud_state_copy(w.s, kept));
                world_begin(&w, -1);
                CHECK_OK(thud_state_copy(kept, w.s));
                thud_state_destroy(kept);
            }
            if (k == 2) {
                thud_status status = thud_sim_step(w.sim, NULL, w.s, NULL);
                while (status == THUD_NO_MEMORY) {
                    CHECK_OK(thud_sim_grow(w.sim, w.s));
                    status = thud_sim_step(w.sim, NULL, w.s, NULL);
                }
                CHECK_OK(status);
            } else {
                world_step(&w);
            }
            if (k == 0) {
                hash[i] = thud_state_hash(w.s);
                met += meetings(&w) > 0;
                apart += meetings(&w) == 0;
            }
            CHECK(thud_state_hash(w.s) == hash[i]);
        }
        world_end(&w);
    }
    CHECK(met > 5 && apart > 50);
}

// Rewound, as a planner does it, also from where robots are near each other to where they are not, and nudged.
TEST(a_sim_that_has_stepped_other_states_steps_as_a_new_one)
{
    enum { KEPT = 12, TRIES = 200 };
    world w = many(1), fresh = many(1);
    thud_state *kept[KEPT];
    test_rng rng = {7};
    for (int k = 0; k < MANY; k++) { // they land at once
        w.s->qpos[k * BEETLE_POSITIONS + 2] = 0.165;
    }
    for (int i = 0; i < KEPT; i++) {
        CHECK_OK(thud_state_create(w.m, &kept[i]));
        for (int k = 0; k < 10; k++) {
            world_step(&w);
        }
        CHECK_OK(thud_state_copy(w.s, kept[i]));
    }
    thud_state *end;
    CHECK_OK(thud_state_create(w.m, &end));
    for (int i = 0; i < TRIES; i++) {
        CHECK_OK(thud_state_copy(kept[test_below(&rng, KEPT)], w.s));
        world_step(&w);
        CHECK_OK(thud_state_copy(w.s, end));
        CHECK_OK(thud_state_copy(kept[test_below(&rng, KEPT)], w.s));
        world_step(&w);
        end->qvel[BEETLE_DOFS * test_below(&rng, MANY)] += 1e-3;
        CHECK_OK(thud_state_copy(end, w.s));
        world_begin(&fresh, -1);
        CHECK_OK(thud_state_copy(end, fresh.s));
        world_step(&w);
        world_step(&fresh);
        CHECK(thud_state_hash(w.s) == thud_state_hash(fresh.s));
    }
    thud_state_destroy(end);
    for (int i = 0; i < KEPT; i++) {
        thud_state_destroy(kept[i]);
    }
    world_end(&w);
    world_end(&fresh);
}

// Chains of 16 links; one has a ball in front that nothing touches but a ball of the other.
TEST(robots_that_touch_only_by_a_pair_between_them_do)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    fprintf(out, "<mujoco><option timestep='0.005' gravity='0 0 0'/><default><geom contype='0' "
                 "conaffinity='0'/></default><worldbody>");
    for (int robot = 0; robot < 2; robot++) {
        fprintf(out, "<body pos='%d 0 0'><joint type='slide' axis='1 0 0'/><geom name='ball%d' size='0.1'/>",
                robot, robot);
        for (int i = 0; i < 15; i++) {
            fprintf(
                out,
                "<body pos='0 0 0.05'><joint type='hinge' axis='1 0 0' damping='0.1'/><geom size='0.02'/>");
        }
        for (int i = 0; i < 16; i++) {
            fprintf(out, "</body>");
        }
    }
    fprintf(out, "</worldbody><contact><pair geom1='ball0' geom2='ball1'/></contact></mujoco>");
    fclose(out);
    world w = world_text(text);
    free(text);
    world_begin(&w, -1);
    w.s->qvel[0] = 1;
    double nearest = 1;
    for (int i = 0; i < 400; i++) {
        world_step(&w);
        nearest = fmin(nearest, 1 + w.s->qpos[w.m->nq / 2] - w.s->qpos[0]);
    }
    CHECK_NEAR(nearest, 0.2, 1e-8);
    world_end(&w);
}

TEST(a_crowd_that_nothing_touches_has_no_rows)
{
    const beetle two[] = {{"one", 0, 0, 0, 0}, {"two", 2, 0, 0, 0}};
    char *text =
        crowd_text(2, two, -9.81, -1e3,
                   "<flag contact='disable' limit='disable' frictionloss='disable' equality='disable'/>");
    world w = world_text(text);
    free(text);
    world_begin(&w, -1);
    world_run(&w, 0.2);
    CHECK(thud_sim_rows(w.sim) == NULL);
    CHECK_NEAR(thud_sim_contact_force(w.sim, 0, v3(0, 0, 0)).lin.z, 0, 0);
    CHECK_NEAR(w.s->qpos[2], -0.5 * 9.81 * 0.2 * 0.2, 1e-3);
    world_end(&w);
}

// Many parts ask for room in the same step: it grows by what they need.
TEST(a_hundred_robots_that_land_together_find_room)
{
    enum { HUNDRED = 100 };
    beetle *all = calloc(HUNDRED, sizeof *all);
    char(*name)[8] = calloc(HUNDRED, sizeof *name);
    for (int k = 0; k < HUNDRED; k++) {
        sprintf(name[k], "b%d", k);
        all[k] = (beetle){name[k], 1.5 * (k % 10), 1.5 * (k / 10), 0.16, 0};
    }
    world w = crowd(HUNDRED, all, -9.81, 0);
    world_begin(&w, -1);
    world_run(&w, 0.02);
    CHECK(w.c.contacts >= 2 * HUNDRED);
    CHECK_BELOW(w.worst.penetration, 1e-8);
    CHECK_OK(thud_rows_fill(thud_sim_rows(w.sim), -1, NULL));
    world_end(&w);
    free(all);
    free(name);
}

// ---------------------------------------------------------------------------------------------- what is read

static void check_contact(const world *w, const thud_island *island, const thud_block *b, thud_force push,
                          double *carried)
{
    const double *p = island->p + b->row;
    CHECK_NEAR(v3_dot(push.lin, b->frame[0]), p[0], 1e-15);
    CHECK_NEAR(v3_dot(push.lin, b->frame[1]), p[1], 1e-15);
    CHECK_INT(w->m->geom_body[b->geom1], b->body1);
    CHECK_INT(w->m->geom_body[b->geom2], b->body2);
    if (b->body1 == 0) {
        CHECK_NEAR(b->point.z, 0, 1e-3);
        carried[w->m->body_root[b->body2]] += island->p[b->row] / island->h;
    }
}

static void check_joint(const world *w, const thud_block *b)
{
    const thud_model *m = w->m;
    switch (b->kind) {
    case THUD_BLOCK_LIMIT:
        CHECK(m->joint_limited[b->source] == 1);
        CHECK_NEAR(fmin(w->s->qpos[m->joint_q[b->source]] - m->joint_range[2 * b->source],
                        m->joint_range[2 * b->source + 1] - w->s->qpos[m->joint_q[b->source]]),
                   b->phi, 1e-2);
        break;
    case THUD_BLOCK_DRY:
        CHECK(m->dof_frictionloss[b->source] > 0);
        break;
    default:
        CHECK_INT(b->kind, THUD_BLOCK_LOOP);
        CHECK(b->source < m->equalities);
    }
}

// u = W p + u_free of the largest island is what the law asks for: contacts neither close nor pull.
static void check_law(thud_rows *rows, int i)
{
    CHECK_OK(thud_rows_fill(rows, i, NULL));
    const thud_island island = thud_rows_island(rows, i);
    for (int k = 0; k < island.blocks; k++) {
        const int r = island.block[k].row;
        double u = island.u_free[r];
        for (int c = 0; c < island.rows; c++) {
            u += island.W.a[(size_t)r * (size_t)island.W.stride + (size_t)c] * island.p[c];
        }
        if (island.block[k].kind == THUD_BLOCK_CONTACT) {
            CHECK(u > -1e-8 && island.p[r] > -1e-12 && fabs(u * island.p[r]) < 1e-9);
        }
    }
}

TEST(contacts_and_forces_are_told_in_the_numbers_of_the_whole)
{
    world w = many(1);
    w.s->qvel[0] = w.s->qvel[BEETLE_DOFS * 3] = 0;
    world_run(&w, 3);
    CHECK_INT(meetings(&w), 0);
    thud_rows *rows = thud_sim_rows(w.sim);
    double *carried = calloc((size_t)w.m->bodies, sizeof *carried), all = 0;
    int kinds[4] = {0}, contacts = 0;
    for (int i = 0; i < thud_rows_islands(rows); i++) {
        const thud_island island = thud_rows_island(rows, i);
        CHECK_NEAR(island.h, w.o.h, 0);
        for (int k = 0; k < island.blocks; k++) {
            const thud_block *b = &island.block[k];
            kinds[b->kind]++;
            if (b->kind == THUD_BLOCK_CONTACT) {
                check_contact(&w, &island, b, thud_rows_push(rows, i, k), carried);
                contacts++;
            } else {
                check_joint(&w, b);
            }
        }
        check_law(rows, i);
    }
    CHECK_INT(contacts, w.c.contacts);
    CHECK_INT(kinds[THUD_BLOCK_DRY], MANY);
    CHECK_INT(kinds[THUD_BLOCK_LOOP], MANY);
    for (int b = 1; b < w.m->bodies; b++) {
        if (w.m->body_parent[b] == 0 && w.m->body_link[b] >= 0) {
            CHECK_NEAR(carried[b], mass_of_one(&w, MANY) * 9.81, 1e-3 * carried[b]);
            all += carried[b];
        }
    }
    CHECK_NEAR(-thud_sim_contact_force(w.sim, 0, v3(0, 0, 0)).lin.z, all, 1e-9 * all);
    const thud_energy e = thud_sim_energy(w.sim, w.s);
    CHECK_NEAR(e.kinetic, w.c.kinetic, 1e-12);
    CHECK_NEAR(e.potential, w.c.potential, 1e-10);
    free(carried);
    world_end(&w);
}

// What the next moment feels is that of all together, and what a step felt is not lost by asking.
TEST(forward_and_steps_in_parts_go_together)
{
    world w = many(2);
    w.s->qvel[0] = w.s->qvel[BEETLE_DOFS * 3] = 0;
    world_run(&w, 2);
    const thud_force stepped = thud_sim_contact_force(w.sim, 0, v3(0, 0, 0));
    double *acc = calloc((size_t)w.m->nv, sizeof *acc), *force = calloc((size_t)w.m->nv, sizeof *force);
    thud_status status = thud_sim_forward(w.sim, NULL, w.s, acc);
    while (status == THUD_NO_MEMORY) {
        CHECK_OK(thud_sim_grow(w.sim, w.s));
        status = thud_sim_forward(w.sim, NULL, w.s, acc);
    }
    CHECK_OK(status);
    thud_sim_constraint_force(w.sim, force);
    const thud_force now = thud_sim_contact_force(w.sim, 0, v3(0, 0, 0));
    CHECK_NEAR(now.lin.z, stepped.lin.z, 0.02 * fabs(stepped.lin.z));
    CHECK_INT(thud_rows_blocks(thud_sim_rows(w.sim)) > MANY, 1);
    world_step(&w);
    CHECK_NEAR(thud_sim_contact_force(w.sim, 0, v3(0, 0, 0)).lin.z, stepped.lin.z,
               0.02 * fabs(stepped.lin.z));
    free(acc);
    free(force);
    world_end(&w);
}

// ---------------------------------------------------------------------------------------------- the model

static void check_name(const thud_model *whole, const thud_model *part, thud_kind kind, int of_whole,
                       int of_part)
{
    CHECK((of_whole < 0) == (of_part < 0));
    if (of_part >= 0) {
        const char *a = thud_model_name(whole, kind, of_whole), *b = thud_model_name(part, kind, of_part);
        CHECK((a == NULL) == (b == NULL) && (!a || strcmp(a, b) == 0));
    }
}

static void check_bodies(const thud_model *m, const thud_model_part *p)
{
    for (int i = 0; i < p->m->bodies; i++) {
        const int whole = p->body[i];
        check_name(m, p->m, THUD_KIND_BODY, whole, i);
        check_name(m, p->m, THUD_KIND_BODY, m->body_parent[whole], p->m->body_parent[i]);
        check_name(m, p->m, THUD_KIND_BODY, m->body_weld[whole], p->m->body_weld[i]);
        check_name(m, p->m, THUD_KIND_BODY, m->body_root[whole], p->m->body_root[i]);
        check_name(m, p->m, THUD_KIND_JOINT, m->body_link[whole], p->m->body_link[i]);
        check_name(m, p->m, THUD_KIND_JOINT, m->body_joint[whole], p->m->body_joint[i]);
    }
    for (int j = 0; j < p->m->joints; j++) {
        check_name(m, p->m, THUD_KIND_JOINT, p->link + j, j);
        check_name(m, p->m, THUD_KIND_BODY, m->joint_body[p->link + j], p->m->joint_body[j]);
    }
}

// Who meets whom says who is excluded, welded or a parent.
static int check_geoms(const thud_model *m, const thud_model_part *p)
{
    int excluded = 0;
    for (int a = 0; a < p->m->geoms; a++) {
        check_name(m, p->m, THUD_KIND_BODY, m->geom_body[p->geom[a]], p->m->geom_body[a]);
        for (int b = 0; b < a; b++) {
            const thud_filter met = thud_filter_geoms(p->m, a, b);
            CHECK_INT(met, thud_filter_geoms(m, p->geom[a], p->geom[b]));
            excluded += met == THUD_FILTER_EXCLUDED;
        }
    }
    return excluded;
}

static void check_joints(const thud_model *m, const thud_model_part *p)
{
    CHECK_INT(p->m->equalities, 1);
    check_name(m, p->m, THUD_KIND_JOINT, m->eq_obj1[p->equality[0]], p->m->eq_obj1[0]);
    check_name(m, p->m, THUD_KIND_JOINT, m->eq_obj2[p->equality[0]], p->m->eq_obj2[0]);
    CHECK_INT(p->m->actuators, BEETLE_MOTORS);
    CHECK_INT(p->m->activations, BEETLE_MOTORS / 2);
    for (int i = 0; i < BEETLE_MOTORS; i++) {
        check_name(m, p->m, THUD_KIND_JOINT, m->actuator_target[p->actuator[i]], p->m->actuator_target[i]);
        CHECK_INT(m->actuator_act[p->actuator[i]],
                  p->m->actuator_act[i] < 0 ? -1 : p->activation[p->m->actuator_act[i]]);
    }
}

// The part's mass matrix is a block of the whole's.
static void check_masses(const world *w, const thud_model_part *p)
{
    thud_dynamics *d, *own;
    CHECK_OK(thud_dynamics_create(w->m, &d));
    CHECK_OK(thud_dynamics_create(p->m, &own));
    thud_dynamics_place(w->m, w->s->qpos, d);
    thud_dynamics_place(p->m, w->s->qpos + p->q, own);
    double *M = calloc((size_t)w->m->dof_row[w->m->nv], sizeof *M),
           *part = calloc((size_t)p->m->dof_row[p->m->nv], sizeof *part);
    thud_dynamics_crba(w->m, d, M);
    thud_dynamics_crba(p->m, own, part);
    for (int i = 0; i < p->m->nv; i++) {
        const int64_t count = p->m->dof_row[i + 1] - p->m->dof_row[i];
        CHECK_INT(count, w->m->dof_row[p->v + i + 1] - w->m->dof_row[p->v + i]);
        CHECK(same(part + p->m->dof_row[i], M + w->m->dof_row[p->v + i], (int)count));
        CHECK_INT(p->m->dof_parent[i] < 0 ? -1 : p->m->dof_parent[i] + p->v, w->m->dof_parent[p->v + i]);
    }
    free(M);
    free(part);
    thud_dynamics_destroy(d);
    thud_dynamics_destroy(own);
}

TEST(a_part_is_the_whole_seen_through_its_own_numbers)
{
    world w = many(1);
    for (int i = 0; i < 50; i++) {
        world_step(&w);
    }
    for (int k = 0; k < MANY; k++) {
        thud_model_part p;
        CHECK_OK(thud_model_cut(w.m, k * BEETLE_LINKS, (k + 1) * BEETLE_LINKS, &p));
        CHECK_INT(p.m->nv, BEETLE_DOFS);
        CHECK_INT(p.m->bodies, 1 + BEETLE_LINKS + 2); // the world, it, two posts
        check_bodies(w.m, &p);
        CHECK(check_geoms(w.m, &p) > 0);
        check_joints(w.m, &p);
        check_masses(&w, &p);
        thud_model_part_free(&p);
    }
    world_end(&w);
}

TEST_MAIN(T(each_of_two_robots_moves_to_the_bit_as_it_does_alone),
          T(robots_thrown_at_each_other_meet_and_keep_their_momentum),
          T(neither_threads_nor_certificates_nor_a_new_sim_change_a_bit),
          T(a_robot_that_is_pushed_into_another_within_one_step_is_seen),
          T(a_sim_that_has_stepped_other_states_steps_as_a_new_one),
          T(robots_that_touch_only_by_a_pair_between_them_do), T(a_crowd_that_nothing_touches_has_no_rows),
          T(a_hundred_robots_that_land_together_find_room),
          T(a_part_is_the_whole_seen_through_its_own_numbers),
          T(contacts_and_forces_are_told_in_the_numbers_of_the_whole),
          T(forward_and_steps_in_parts_go_together))
