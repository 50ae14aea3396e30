// SPDX-License-Identifier: Apache-2.0
// What has not moved by a bit keeps its rows; nobody can tell. Beside each step another one is taken from a copy of the state by a sim
// that has never seen anything, and all that can be seen of both is the same to the last bit: the state, the certificate, the
// contact problem. A third sim, as old as the first, is never asked for a certificate, so that it keeps accelerations as well: it gets
// to the same state.
#include "world.h"

typedef struct run {
    world w;
    thud_state *before, *apart;
    thud_sim *quiet; // without certificates
    double *tau;     // nv, of the next step
    int step;
    int kept;    // steps that kept the rows of the last one
    int impacts; // of the last step
    bool blind;  // without a certificate
    int64_t edition;
    const char *what;
} run;

static run begin(const char *what, const char *text, thud_integrator integrator)
{
    run r = {.w = world_text(text), .what = what};
    r.w.o.integrator = integrator;
    CHECK_OK(thud_state_create(r.w.m, &r.before));
    CHECK_OK(thud_state_create(r.w.m, &r.apart));
    r.tau = calloc((size_t)r.w.m->nv + 1, sizeof *r.tau);
    world_begin(&r.w, -1);
    return r;
}

static void end(run *r)
{
    thud_state_destroy(r->before);
    thud_state_destroy(r->apart);
    thud_sim_destroy(r->quiet);
    free(r->tau);
    world_end(&r->w);
}

static bool same(const void *a, const void *b, size_t count, size_t size)
{
    return (!a && !b) || count == 0 || (a && b && memcmp(a, b, count * size) == 0);
}

static bool same_island(const thud_island *a, const thud_island *b)
{
    const size_t rows = (size_t)a->rows, blocks = (size_t)a->blocks;
    bool good = a->rows == b->rows && a->blocks == b->blocks && a->familiar == b->familiar &&
                same(&a->h, &b->h, 1, sizeof a->h) &&
                same(&a->residual, &b->residual, 1, sizeof a->residual) &&
                same(&a->beside, &b->beside, 1, sizeof a->beside);
    good =
        good && same(a->p, b->p, rows, sizeof *a->p) && same(a->p_before, b->p_before, rows, sizeof *a->p) &&
        same(a->u_free, b->u_free, rows, sizeof *a->p) &&
        same(a->u_before, b->u_before, rows, sizeof *a->p) &&
        same(a->epsilon, b->epsilon, rows, sizeof *a->p) && same(a->W.a, b->W.a, rows * rows, sizeof *a->p);
    for (size_t k = 0; good && k < blocks; k++) {
        const thud_block *x = &a->block[k], *y = &b->block[k];
        good = x->id == y->id && x->dim == y->dim && x->source == y->source &&
               same(&x->phi, &y->phi, 1, sizeof x->phi) && same(&x->point, &y->point, 1, sizeof x->point) &&
               same(x->frame, y->frame, 1, sizeof x->frame) &&
               same(a->cone[k].mu, b->cone[k].mu, 1, sizeof a->cone[k].mu) && a->cone[k].hi == b->cone[k].hi;
    }
    return good;
}

static bool same_problem(const thud_sim *a, const thud_sim *b)
{
    thud_rows *x = thud_sim_rows(a), *y = thud_sim_rows(b);
    bool good = thud_rows_islands(x) == thud_rows_islands(y);
    CHECK_OK(thud_rows_fill(x, -1, NULL));
    CHECK_OK(thud_rows_fill(y, -1, NULL));
    for (int i = 0; good && i < thud_rows_islands(x); i++) {
        const thud_island one = thud_rows_island(x, i), other = thud_rows_island(y, i);
        good = same_island(&one, &other);
    }
    return good;
}

static bool same_certificate(const thud_certificate *a, const thud_certificate *b)
{
    const double x[] = {a->cone_residual, a->penetration, a->joint_drift,  a->momentum,  a->fixed_point,
                        a->kinetic,       a->work,        a->contact_work, a->projected, a->energy_error};
    const double y[] = {b->cone_residual, b->penetration, b->joint_drift,  b->momentum,  b->fixed_point,
                        b->kinetic,       b->work,        b->contact_work, b->projected, b->energy_error};
    return memcmp(x, y, sizeof x) == 0 && a->contacts == b->contacts && a->iterations == b->iterations &&
           a->split == b->split && a->impacts == b->impacts && a->projections == b->projections &&
           a->asleep == b->asleep;
}

static thud_status take(run *r, thud_sim *sim, thud_state *s, thud_certificate *c)
{
    *c = (thud_certificate){0};
    thud_status status;
    while ((status = thud_sim_step(sim, r->tau, s, r->blind ? NULL : c)) == THUD_NO_MEMORY) {
        CHECK_OK(thud_sim_grow(sim, s));
    }
    return status;
}

// One step of a copy of s, by the sim that nobody asks for certificates.
static void step_quietly(run *r, const thud_state *s)
{
    thud_status status;
    if (!r->quiet) {
        CHECK_OK(thud_sim_create(r->w.m, &r->w.o, &r->quiet, NULL));
    }
    CHECK_OK(thud_state_copy(s, r->apart));
    while ((status = thud_sim_step(r->quiet, r->tau, r->apart, NULL)) == THUD_NO_MEMORY) {
        CHECK_OK(thud_sim_grow(r->quiet, r->apart));
    }
    CHECK_OK(status);
}

// One step of s, and of its copy by a sim that is new.
static void step_of(run *r, thud_state *s)
{
    thud_sim *fresh = NULL;
    thud_certificate mine, its;
    CHECK_OK(thud_state_copy(s, r->before));
    step_quietly(r, s);
    CHECK_OK(take(r, r->w.sim, s, &mine));
    const int64_t edition = thud_rows_edition(thud_sim_rows(r->w.sim));
    r->kept += edition == r->edition;
    r->edition = edition;
    CHECK_OK(thud_sim_create(r->w.m, &r->w.o, &fresh, NULL));
    CHECK_OK(take(r, fresh, r->before, &its));
    if (thud_state_hash(s) != thud_state_hash(r->before)) {
        fail_msg("%s: step %d leads elsewhere", r->what, r->step);
    }
    if (thud_state_hash(r->apart) != thud_state_hash(r->before)) {
        fail_msg("%s: step %d leads elsewhere without a certificate", r->what, r->step);
    }
    if (!same_certificate(&mine, &its)) {
        fail_msg("%s: step %d has another certificate", r->what, r->step);
    }
    if (!same_problem(r->w.sim, fresh)) {
        fail_msg("%s: step %d solved another problem", r->what, r->step);
    }
    thud_sim_destroy(fresh);
    r->impacts = mine.impacts;
    CHECK_BELOW(mine.momentum, 1e-9); // by Newton-Euler, which knows nothing of factors and rows
    r->step++;
}

static void steps(run *r, int count)
{
    while (count-- > 0) {
        step_of(r, r->w.s);
    }
}

// Until it rests; then its rows stay.
static void settle(run *r)
{
    int rests = 0;
    for (int k = 0; k < 400 && rests < 3; k++) {
        const int before = r->kept;
        step_of(r, r->w.s);
        rests = r->kept > before ? rests + 1 : 0;
    }
    if (rests < 3) {
        fail_msg("%s: it never keeps its rows", r->what);
    }
}

// So many steps, all of which keep the rows.
static void stay(run *r, int count)
{
    const int before = r->kept;
    steps(r, count);
    CHECK_INT(r->kept, before + count);
}

// One step that has to make its rows anew, and some more.
static void renew(run *r)
{
    const int before = r->kept;
    steps(r, 1);
    CHECK_INT(r->kept, before);
    steps(r, 12);
}

static const thud_integrator both[] = {THUD_INTEGRATOR_MIDPOINT, THUD_INTEGRATOR_EULER};

#define SCENE(bodies)                                                                                        \
    "<mujoco><option timestep='0.002'/><default><geom friction='0.5'/></default><worldbody>"                 \
    "<geom type='plane' size='0 0 1'/>" bodies "</worldbody></mujoco>"
#define BOX(x, z)                                                                                            \
    "<body pos='" x " 0 " z "'><freejoint/><geom type='box' size='0.1 0.1 0.1' mass='1'/></body>"

// A force that friction bears changes free velocities and impulses, and no row.
TEST(forces_come_and_go)
{
    for (int k = 0; k < 2; k++) {
        run r = begin("forces", SCENE(BOX("0", "0.1") BOX("0.02", "0.3")), both[k]);
        settle(&r);
        for (int i = 0; i < 4; i++) {
            r.tau[0] = 0.3 * i;
            steps(&r, 1); // other impulses may not hold it to the last bit
            settle(&r);
        }
        r.blind = true;
        stay(&r, 20);
        r.blind = false;
        r.tau[0] = 30; // it slides away
        steps(&r, 30);
        r.tau[0] = 0;
        steps(&r, 60);
        end(&r);
    }
}

// Every 256th step is solved anew, whatever holds; also under a force that comes with it.
TEST(what_rests_long_stays_the_same)
{
    run r =
        begin("long", SCENE(BOX("0", "0.1") BOX("0.02", "0.3") BOX("0", "0.5")), THUD_INTEGRATOR_MIDPOINT);
    settle(&r);
    stay(&r, 256 - (int)r.w.s->steps);
    stay(&r, 256);
    r.blind = true;
    stay(&r, 256);
    r.tau[0] = 0.5;
    steps(&r, 5);
    end(&r);
}

// The last round of a step has its rows halfway, wherever the first one had them.
TEST(what_is_pushed_takes_its_rows_along)
{
    run r = begin("push", SCENE(BOX("0", "0.1")), THUD_INTEGRATOR_MIDPOINT);
    settle(&r);
    const double from = r.w.s->qpos[0];
    r.tau[0] = 50;
    steps(&r, 1);
    const double way = r.w.s->qpos[0] - from;
    const thud_island island = thud_rows_island(thud_sim_rows(r.w.sim), 0);
    CHECK(way > 5e-5);
    for (int k = 0; k < island.blocks; k++) {
        CHECK_NEAR(fabs(island.block[k].point.x - from - 0.5 * way), 0.1, 1e-9);
    }
    end(&r);
}

TEST(what_is_hit_moves)
{
    for (int k = 0; k < 2; k++) {
        run r = begin("hit",
                      SCENE(BOX("0", "0.1") BOX("0.02", "0.3") "<body pos='0 0 0.8'><freejoint/>"
                                                               "<geom type='sphere' size='0.1'/></body>"),
                      both[k]);
        steps(&r, 300); // the ball lands after 0.28 s
        CHECK(r.w.s->qvel[0] != 0 || r.w.s->qpos[14] < 0.7);
        end(&r);
    }
}

static void place(run *r, double x)
{
    const thud_pose X = {{1, 0, 0, 0}, {x, 0, 0.1}};
    CHECK_OK(thud_state_place(r->w.m, thud_model_find(r->w.m, THUD_KIND_BODY, "hand"), X, r->w.s));
}

// A hand that comes nearer and then pushes; and one that carries what rests on it to another place at once.
TEST(mocap_bodies_move)
{
    run r = begin("mocap",
                  SCENE(BOX("0", "0.1") "<body name='hand' mocap='true' pos='-1 0 0.1'>"
                                        "<geom type='box' size='0.1 0.1 0.05'/></body>"),
                  THUD_INTEGRATOR_MIDPOINT);
    settle(&r);
    place(&r, -0.5);
    renew(&r);
    place(&r, -0.1999);
    renew(&r);
    place(&r, -0.19);
    renew(&r);
    place(&r, -1);
    steps(&r, 20);
    settle(&r);
    end(&r);
}

// A block that a servo presses on the floor: at its limit of force it adds nothing to the mass that it moves.
TEST(servos_change_the_mass_that_they_move)
{
    static const double controls[] = {-0.01, -0.3, -0.02, -2, 0.05};
    for (int k = 0; k < 2; k++) {
        run r = begin(
            "servo",
            "<mujoco><option timestep='0.002'/><worldbody><geom type='plane' size='0 0 1'/>"
            "<body pos='0 0 0.1'><joint name='z' type='slide' axis='0 0 1'/>"
            "<geom type='sphere' size='0.1' mass='1'/></body></worldbody><actuator>"
            "<position joint='z' kp='2000' forcelimited='true' forcerange='-100 100'/></actuator></mujoco>",
            both[k]);
        for (size_t i = 0; i < sizeof controls / sizeof controls[0]; i++) {
            CHECK_OK(thud_state_control(r.w.s, &controls[i], NULL));
            steps(&r, 60);
        }
        CHECK(r.kept > 100);
        end(&r);
    }
}

// A block that rests on the floor, the limit of its joint or of a tendon 0.2 mm above it: within reach of what lifts it, and only of that.
static void lift(const char *limited, const char *tendon)
{
    char text[2000];
    snprintf(
        text, sizeof text,
        "<mujoco><option timestep='0.002'/><worldbody><geom type='plane' size='0 0 1'/><body pos='0 0 0.1'>"
        "<joint name='z' type='slide' axis='0 0 1' %s/><geom type='sphere' size='0.1' mass='1'/></body>"
        "</worldbody>%s</mujoco>",
        limited, tendon);
    run r = begin("limit", text, THUD_INTEGRATOR_MIDPOINT);
    steps(&r, 20);
    r.tau[0] = 5; // it is lighter
    steps(&r, 20);
    r.tau[0] = 60;
    steps(&r, 20);
    CHECK(r.w.s->qpos[0] > 1e-4 && r.w.s->qpos[0] < 2.1e-4);
    r.tau[0] = 0;
    steps(&r, 40);
    end(&r);
}

TEST(limits_come_into_reach)
{
    lift("limited='true' range='-1 0.0002'", "");
    lift("", "<tendon><fixed limited='true' range='-1 0.0002'><joint joint='z' coef='1'/></fixed></tendon>");
    lift("", "<equality><joint joint1='z' polycoef='0 1 0 0 0' active='false'/></equality>"
             "<tendon><fixed limited='true' range='-1 0.0002'><joint joint='z' coef='1'/></fixed></tendon>");
}

// The same, hanging in dry friction that bears both what lifts it and its weight; a limit that was in reach is no more.
TEST(limits_go_out_of_reach)
{
    run r = begin(
        "hanging",
        "<mujoco><option timestep='0.002'/><worldbody><geom type='plane' size='0 0 1'/><body pos='0 0 0.5'>"
        "<joint type='slide' axis='0 0 1' limited='true' range='-1 0.0002' frictionloss='100'/>"
        "<geom type='sphere' size='0.1' mass='1'/></body></worldbody></mujoco>",
        THUD_INTEGRATOR_MIDPOINT);
    for (int i = 0; i < 4; i++) {
        r.tau[0] = i % 2 == 0 ? 60 : 0;
        steps(&r, 10);
        CHECK(r.w.s->qvel[0] == 0);
    }
    CHECK(r.kept > 10);
    end(&r);
}

// What dry friction holds without any contact, put elsewhere, or set in motion where it is.
TEST(what_dry_friction_holds_is_put_elsewhere)
{
    for (int k = 0; k < 2; k++) {
        run r = begin("dry",
                      "<mujoco><option timestep='0.002'/><worldbody><geom type='plane' size='0 0 1'/><body "
                      "pos='0 0 0.7'>"
                      "<joint axis='0 1 0' frictionloss='40'/><geom type='capsule' fromto='0 0 0 0.3 0 0' "
                      "size='0.03' mass='1'/><body pos='0.3 0 0'><joint axis='0 1 0' frictionloss='40'/>"
                      "<geom type='capsule' fromto='0 0 0 0.3 0 0' size='0.03' mass='1'/></body></body>"
                      "</worldbody></mujoco>",
                      both[k]);
        steps(&r, 20);
        for (int i = 0; i < 6; i++) {
            r.w.s->qpos[0] = 0.1 * i;
            r.w.s->qpos[1] = -0.3 * i;
            steps(&r, 5);
            r.w.s->qvel[0] = 0.01 * i; // in the same place
            steps(&r, 5);
        }
        CHECK(r.kept > 10);
        end(&r);
    }
}

// States that take turns in one sim: elsewhere, and in the same place with other impulses or none.
TEST(states_take_turns)
{
    run r = begin("turns", SCENE(BOX("0", "0.1") BOX("0.02", "0.3")), THUD_INTEGRATOR_MIDPOINT);
    enum { OTHERS = 5 };
    thud_state *other[OTHERS];
    settle(&r);
    for (int i = 0; i < OTHERS; i++) {
        CHECK_OK(thud_state_create(r.w.m, &other[i]));
        CHECK_OK(thud_state_copy(r.w.s, other[i]));
    }
    other[0]->qpos[7] += 0.03;
    other[1]->warm_count = 0;
    for (int i = 0; i < other[2]->warm_count; i++) {
        other[2]->warm[i].p[0] *= 1 + 0.1 * (i % 3);
    }
    other[3]->warm[0].id--; // of a contact that is not here
    other[4]->warm_h = 0;
    for (int k = 0; k < 8; k++) {
        for (int i = 0; i < OTHERS; i++) {
            step_of(&r, other[i]);
            step_of(&r, r.w.s);
        }
    }
    for (int i = 0; i < OTHERS; i++) {
        thud_state_destroy(other[i]);
    }
    end(&r);
}

// Who reads the last problem may make another one of it, and so may questions about the state.
TEST(readers_leave_no_trace)
{
    run r = begin("readers", SCENE(BOX("0", "0.1")), THUD_INTEGRATOR_MIDPOINT);
    static const double push[6] = {0, 0, 30}, none[6];
    double force[6];
    settle(&r);
    thud_sim *const asked[] = {r.w.sim, r.quiet};
    for (int k = 0; k < 2; k++) {
        CHECK_OK(thud_sim_forward(asked[k], push, r.w.s, force));
        steps(&r, 3);
        CHECK_OK(thud_sim_inverse(asked[k], none, r.w.s, force));
        steps(&r, 3);
        thud_rows_soften(thud_sim_rows(asked[k]), 0, 0.1);
        steps(&r, 3);
        (void)thud_sim_energy(asked[k], r.w.s);
        CHECK_OK(thud_sim_grow(asked[k], r.w.s));
        steps(&r, 3);
    }
    settle(&r);
    end(&r);
}

#define ARM                                                                                                  \
    "<mujoco><option timestep='0.002'/><worldbody><geom type='plane' size='0 0 1'/>"                         \
    "<body pos='0 0 0.7'><joint axis='0 1 0' frictionloss='40'/>"                                            \
    "<geom type='capsule' fromto='0 0 0 0.3 0 0' size='0.03' mass='1'/>"                                     \
    "<body pos='0.3 0 0'><joint axis='0 1 0' frictionloss='40'/>"                                            \
    "<geom type='capsule' fromto='0 0 0 0.3 0 0' size='0.03' mass='1'/></body></body></worldbody></mujoco>"

// A certificate judges the motion of the links, whoever moved them otherwise in the meantime: a question about another state in the same
// place, a second evaluation that a step without a guess takes, a step that was judged and then found no room for its impulses.
TEST(links_move_as_they_are_judged)
{
    run r = begin("arm", ARM, THUD_INTEGRATOR_MIDPOINT);
    thud_state *other = NULL;
    CHECK_OK(thud_state_create(r.w.m, &other));
    r.w.s->qpos[1] = 1; // what one link does is felt by the other
    steps(&r, 20);
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 3; k++) {
            r.blind = true;
            steps(&r, 3);
            CHECK_OK(thud_state_copy(r.w.s, other));
            if (k == 0) {
                other->qvel[0] = 3 + i;
                (void)thud_sim_energy(r.w.sim, other);
            } else if (k == 1) {
                for (int n = 0; n < THUD_STATE_DIFFERENCES * other->nv; n++) {
                    other->acc[n] = 1000 + 7 * n * n;
                }
                step_of(&r, other);
            } else {
                thud_certificate c;
                other->warm_capacity = 0;
                CHECK(thud_sim_step(r.w.sim, r.tau, other, &c) == THUD_NO_MEMORY);
                CHECK_OK(thud_sim_grow(r.w.sim, other));
            }
            r.blind = false;
            steps(&r, 1);
        }
    }
    thud_state_destroy(other);
    end(&r);
}

// A ball that friction holds against a force along an arm: where the arm points otherwise, the same free velocities of the joints move
// it elsewhere.
TEST(the_same_fall_leads_elsewhere)
{
    run r = begin("turntable",
                  SCENE("<body pos='0 0 0.1'><joint type='slide' axis='0 0 1'/><joint axis='0 0 1'/>"
                        "<joint type='slide' axis='1 0 0'/>"
                        "<geom type='sphere' size='0.1' mass='1' pos='0.3 0 0'/></body>"),
                  THUD_INTEGRATOR_MIDPOINT);
    enum { OTHERS = 16 };
    thud_state *other[OTHERS];
    r.tau[2] = 0.1;
    settle(&r);
    for (int i = 0; i < OTHERS; i++) {
        CHECK_OK(thud_state_create(r.w.m, &other[i]));
        CHECK_OK(thud_state_copy(r.w.s, other[i]));
        other[i]->qpos[1] += 0.1 * i;
        for (int k = 0; k < 20; k++) {
            step_of(&r, other[i]);
        }
    }
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < OTHERS; i++) {
            step_of(&r, other[i]);
        }
    }
    for (int i = 0; i < OTHERS; i++) {
        thud_state_destroy(other[i]);
    }
    end(&r);
}

// What forces an acceleration takes is asked without those that act: a step without them then falls as it was asked about.
TEST(inverse_leaves_no_fall)
{
    run r = begin("inverse", SCENE(BOX("0", "0.1")), THUD_INTEGRATOR_MIDPOINT);
    static const double none[6];
    double force[6];
    settle(&r);
    for (int i = 0; i < 3; i++) {
        r.tau[0] = 0.5 + i;
        steps(&r, 1);
        settle(&r);
        CHECK_OK(thud_sim_inverse(r.w.sim, none, r.w.s, force));
        CHECK_OK(thud_sim_inverse(r.quiet, none, r.w.s, force));
        r.tau[0] = 0;
        steps(&r, 1);
        settle(&r);
    }
    end(&r);
}

// While a ball bounces, what rests or slides beside it is solved with it, over parts of steps of every length; a block that dry friction
// brakes loses its speed in proportion to the time.
TEST(impacts_cut_steps)
{
    for (int k = 0; k < 2; k++) {
        run r = begin(
            "impacts",
            SCENE("<body pos='0 2 0.3'><joint type='slide' axis='1 0 0' frictionloss='0.5'/>"
                  "<geom type='sphere' size='0.1' mass='1'/></body>" BOX(
                      "0", "0.1") "<body pos='1 0 0.3'><freejoint/><geom type='sphere' size='0.1'/></body>"),
            both[k]);
        int impacts = 0;
        r.w.o.restitution = 0.6;
        world_begin(&r.w, -1);
        r.w.s->qvel[0] = 1;
        for (int i = 0; i < 250; i++) {
            step_of(&r, r.w.s);
            impacts += r.impacts;
            CHECK_NEAR(r.w.s->qvel[0], 1 - 0.5 * r.w.s->time, 1e-9);
        }
        CHECK(impacts > 1);
        end(&r);
    }
}

TEST(what_falls_asleep_wakes)
{
    run r =
        begin("sleep",
              SCENE(BOX("0", "0.1") BOX("0.02", "0.3") BOX(
                  "1", "0.1") "<body pos='0 2 0.3'><joint axis='0 1 0' frictionloss='9'/>"
                              "<geom type='capsule' fromto='0 0 0 0.3 0 0' size='0.03' mass='1'/></body>"),
              THUD_INTEGRATOR_MIDPOINT);
    r.w.o.sleep = (thud_sleep_options){.speed = 1e-3, .time = 0.05};
    world_begin(&r.w, -1);
    steps(&r, 60);
    r.tau[0] = 1;
    steps(&r, 40);
    r.tau[0] = 0;
    steps(&r, 60);
    r.tau[12] = 20;
    steps(&r, 40);
    end(&r);
}

TEST(every_law_sees_the_same)
{
    for (int law = 0; law < THUD_LAWS; law++) {
        run r = begin("laws", SCENE(BOX("0", "0.1") BOX("0.02", "0.3")), THUD_INTEGRATOR_MIDPOINT);
        r.w.o.law.law = (thud_law)law;
        world_begin(&r.w, -1);
        steps(&r, 30);
        r.tau[0] = 3;
        steps(&r, 30);
        end(&r);
    }
}

// What hangs in dry friction, 170 um above the floor, may get a contact or not, as the forces are. Who asks for a rough answer gets no rows
// for what is near and stays open, but is told what it would have asked for.
TEST(what_hangs_comes_near)
{
    static const double forces[] = {0, 30, 0, 30, -50, 30, 0, -50, 0};
    for (int k = 0; k < 2; k++) {
        run r = begin("near",
                      SCENE("<body pos='0 0 0.10017'><joint type='slide' axis='0 0 1' frictionloss='100'/>"
                            "<geom type='sphere' size='0.1' mass='1' margin='0.001'/></body>"),
                      THUD_INTEGRATOR_MIDPOINT);
        r.w.o.law.tolerance = k == 0 ? r.w.o.law.tolerance : 1e-4;
        world_begin(&r.w, -1);
        for (size_t i = 0; i < sizeof forces / sizeof forces[0]; i++) {
            r.tau[0] = forces[i];
            steps(&r, 10);
            CHECK(r.w.s->qvel[0] == 0);
        }
        CHECK(r.kept > 20);
        end(&r);
    }
}

// A step that was sent elsewhere by a wrong guess, and held in the end, leaves no rows to the next one.
TEST(a_wrong_guess_leaves_no_rows)
{
    run r = begin("guess",
                  SCENE("<body pos='0 0 0.5'><joint type='slide' axis='0.6 0 0.8'/>"
                        "<geom type='ellipsoid' size='0.1 0.1 0.13' euler='10 20 30'/></body>"),
                  THUD_INTEGRATOR_MIDPOINT);
    r.w.s->qpos[0] = -0.45;
    steps(&r, 200);
    settle(&r);
    for (int i = 0; i < 10; i++) {
        r.w.s->acc[0] = 1 + i;
        steps(&r, 1);
        CHECK(r.w.s->qvel[0] == 0);
        steps(&r, 5);
    }
    end(&r);
}

TEST(threads_see_the_same)
{
    run r = begin("threads", SCENE(BOX("0", "0.1") BOX("0.2001", "0.1") BOX("0.02", "0.3")),
                  THUD_INTEGRATOR_MIDPOINT);
    r.w.o.threads = 2;
    world_begin(&r.w, -1);
    steps(&r, 60);
    r.tau[0] = 3;
    steps(&r, 60);
    end(&r);
}

TEST_MAIN(T(forces_come_and_go), T(what_rests_long_stays_the_same), T(what_is_pushed_takes_its_rows_along),
          T(what_is_hit_moves), T(mocap_bodies_move), T(servos_change_the_mass_that_they_move),
          T(limits_come_into_reach), T(limits_go_out_of_reach), T(what_dry_friction_holds_is_put_elsewhere),
          T(states_take_turns), T(readers_leave_no_trace), T(links_move_as_they_are_judged),
          T(the_same_fall_leads_elsewhere), T(inverse_leaves_no_fall), T(impacts_cut_steps),
          T(what_falls_asleep_wakes), T(every_law_sees_the_same), T(what_hangs_comes_near),
          T(a_wrong_guess_leaves_no_rows), T(threads_see_the_same))
