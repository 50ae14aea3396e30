// SPDX-License-Identifier: Apache-2.0
// What a rough tolerance leaves out, and what it must not: positions far from an overlap, contacts that do not touch.
#include "test.h"
#include "world.h"

#include <thud/spatial_inline.h>

static const double g = 9.81;

// Boxes in a row without weight, the first against a wall and overlapping the second by 0.3 mm. Where they may overlap by
// 0.1 mm, what is put right ends at half of that, so each box hands on 0.05 mm less than it was moved by and the tenth is
// not reached; where they may not, all are moved by all of it.
static world row_of_boxes(double tolerance)
{
    enum { BOXES = 30 };
    char text[8192];
    int at = snprintf(text, sizeof text,
                      "<mujoco><option timestep='0.01' gravity='0 0 0'/><worldbody>"
                      "<geom type='box' size='0.1 1 1' pos='-0.2 0 0'/>");
    for (int i = 0; i < BOXES; i++) {
        at += snprintf(
            text + at, sizeof text - (size_t)at,
            "<body pos='%.10g 0 0'><freejoint/><geom type='box' size='0.1 0.1 0.1' mass='1'/></body>",
            0.2 * i - (i > 0 ? 3e-4 : 0));
    }
    (void)snprintf(text + at, sizeof text - (size_t)at, "</worldbody></mujoco>");
    world w = world_text(text);
    w.o.law.tolerance = tolerance;
    world_begin(&w, -1);
    world_step(&w);
    return w;
}

TEST(what_is_far_from_an_overlap_stays_where_it_is_at_rough_tolerances)
{
    world w = row_of_boxes(1e-3);
    CHECK(w.c.projections >= 1);
    CHECK_BELOW(w.c.penetration, 1e-4);
    CHECK(w.s->qpos[7] > w.m->qpos0[7] + 1e-4); // the second gave way
    for (int i = 7 * 10; i < w.m->nq; i++) {
        CHECK(w.s->qpos[i] == w.m->qpos0[i]);
    }
    world_end(&w);
    w = row_of_boxes(1e-8);
    CHECK_BELOW(w.c.penetration, 1e-9);
    CHECK_NEAR(w.s->qpos[7 * 29], w.m->qpos0[7 * 29] + 3e-4, 1e-8);
    world_end(&w);
}

// A box on a floor, 2 mm from a wall and 2 mm below another box, one step of 1/60 s from rest at this tolerance, for the
// second time: impulses are known. What falls freely falls 2.7 mm in it. So many balls fall far above: with 20 trees and more the
// tolerance is the one asked for.
static const double gap = 0.002;

static world boxes_apart(double tolerance, int balls)
{
    char text[8192];
    int at = snprintf(
        text, sizeof text,
        "<mujoco><option timestep='0.016666666666666666'/><worldbody>"
        "<geom type='plane' size='0 0 1'/><geom type='box' size='0.1 1 1' pos='-0.202 0 1'/>"
        "<body pos='0 0 0.1'><freejoint/><geom type='box' size='0.1 0.1 0.1' mass='1'/></body>"
        "<body pos='0.05 0 0.302'><freejoint/><geom type='box' size='0.1 0.1 0.1' mass='1'/></body>");
    for (int i = 0; i < balls; i++) {
        at += snprintf(text + at, sizeof text - (size_t)at,
                       "<body pos='%d 0 100'><freejoint/><geom size='0.1'/></body>", i);
    }
    (void)snprintf(text + at, sizeof text - (size_t)at, "</worldbody></mujoco>");
    world w = world_text(text);
    w.o.law.tolerance = tolerance;
    world_begin(&w, -1);
    world_step(&w);
    memcpy(w.s->qpos, w.m->qpos0, (size_t)w.m->nq * sizeof(double));
    memset(w.s->qvel, 0, (size_t)w.m->nv * sizeof(double));
    world_step(&w);
    return w;
}

// Both boxes fall alike until the floor's impulse stops the lower one: only then does the gap between them close.
TEST(a_contact_that_only_impulses_close_is_not_missed)
{
    static const double tolerance[] = {1e-3, 1e-8};
    for (int k = 0; k < 2; k++) {
        world w = boxes_apart(tolerance[k], 20);
        CHECK(g * w.o.h * w.o.h > gap);
        CHECK_NEAR(w.s->qvel[6 + 2], -gap / w.o.h,
                   tolerance[k] * g * w.o.h); // to the surface by the step's end
        CHECK_BELOW(w.c.penetration, fmax(1e-9, 0.1 * tolerance[k]));
        world_end(&w);
    }
}

TEST(what_neither_touches_nor_closes_has_no_rows_at_rough_tolerances)
{
    world w = boxes_apart(1e-3, 20);
    CHECK_INT(w.c.contacts, 4 + 4); // with the floor and with each other
    world_end(&w);
    w = boxes_apart(1e-8, 20);
    CHECK_INT(w.c.contacts, 4 + 4 + 4); // and with the wall, within 11 mm
    world_end(&w);
}

// A rough tolerance would save no work here: nothing rests by rough impulses, and every step is solved anew.
TEST(a_few_bodies_are_solved_as_sharply_as_ever_at_rough_tolerances)
{
    world rough = world_scene("stack10"), sharp = world_scene("stack10");
    rough.o.law.tolerance = 1e-2;
    sharp.o.law.tolerance = 1e-8;
    world_begin(&rough, -1);
    world_begin(&sharp, -1);
    for (int k = 0; k < 20; k++) {
        world_step(&rough);
        world_step(&sharp);
        CHECK(rough.c.contacts > 0);
        CHECK_BELOW(rough.c.cone_residual, 1e-8);
    }
    CHECK(memcmp(rough.s->qpos, sharp.s->qpos, sizeof(double) * (size_t)rough.m->nq) == 0);
    world_end(&rough);
    world_end(&sharp);
}

TEST_MAIN(T(a_few_bodies_are_solved_as_sharply_as_ever_at_rough_tolerances),
          T(what_is_far_from_an_overlap_stays_where_it_is_at_rough_tolerances),
          T(a_contact_that_only_impulses_close_is_not_missed),
          T(what_neither_touches_nor_closes_has_no_rows_at_rough_tolerances))
