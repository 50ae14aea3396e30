// SPDX-License-Identifier: Apache-2.0
// test_budget.c: what a step may cost, in work that is counted alike everywhere, and what becomes of one that may not go on.
#include <pthread.h>
#include <time.h>

#include "world.h"

// A wall, solved to more digits than there are, so that every method that there is has its turn.
static world hopeless(int threads)
{
    world w = world_scene("wall");
    w.o.law.tolerance = 1e-19;
    w.o.threads = threads;
    return w;
}

static uint64_t hash_of(const world *w)
{
    return thud_state_hash(w->s);
}

TEST(a_step_whose_budget_is_spent_is_not_taken_and_says_why)
{
    static const int64_t budgets[] = {1, 1000000, 300000000};
    for (size_t i = 0; i < sizeof budgets / sizeof budgets[0]; i++) {
        world w = hopeless(1);
        w.o.budget = budgets[i];
        world_begin(&w, -1);
        const uint64_t before = hash_of(&w);
        CHECK_INT(world_try(&w, NULL), THUD_NOT_SOLVED);
        CHECK(hash_of(&w) == before);
        CHECK(strstr(thud_sim_reason(w.sim), "budget") != NULL);
        world_end(&w);
    }
}

TEST(a_residual_that_was_said_to_do_is_taken_with_a_doubt_that_is_coarse_and_not_wrong)
{
    world w = hopeless(1);
    w.o.budget = 300000000;
    w.o.accept_tolerance = 1e-6;
    world_begin(&w, -1);
    for (int k = 0; k < 3; k++) {
        CHECK_OK(world_try(&w, NULL));
        CHECK(w.c.accepted > 0 && w.c.cone_residual > 1e-19);
        CHECK_BELOW(w.c.cone_residual, 1e-6);
        CHECK(w.c.coarse > 0);
        CHECK_INT(w.c.wrong, 0);
    }
    int count;
    const thud_doubt *doubt = thud_sim_doubts(w.sim, &count);
    bool told = false;
    for (int i = 0; i < count; i++) {
        told |= doubt[i].kind == THUD_DOUBT_ACCEPTED && doubt[i].grade == THUD_DOUBT_COARSE;
    }
    CHECK(told);
    world_end(&w);
}

TEST(what_is_not_good_enough_is_not_taken)
{
    world w = hopeless(1);
    w.o.budget = 1000;
    w.o.accept_tolerance = 1e-30;
    world_begin(&w, -1);
    CHECK_INT(world_try(&w, NULL), THUD_NOT_SOLVED);
    world_end(&w);
}

// All halvings together get no more than the one step: shares of what is left, and a round that was begun.
TEST(halvings_share_one_budget)
{
    static const double ROUND = 1e8; // a factor of the wall's rows, at most, in a part of it
    for (int64_t budget = 10000000; budget <= 1000000000; budget *= 10) {
        world w = hopeless(1);
        w.o.budget = budget;
        w.o.accept_tolerance = 1e-6;
        world_begin(&w, -1);
        const thud_status status = world_try(&w, NULL);
        CHECK(status == THUD_OK || status == THUD_NOT_SOLVED);
        if (status == THUD_OK) {
            CHECK(w.c.spent > 0);
            CHECK_BELOW((double)w.c.spent, (double)budget + ROUND);
        }
        world_end(&w);
    }
}

TEST(work_is_the_same_for_any_number_of_threads)
{
    static const char *const scenes[] = {"pile100", "wall", "herd", "billiards_break"};
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
        int64_t spent[2] = {0, 0};
        for (int k = 0; k < 2; k++) {
            world w = world_scene(scenes[i]);
            w.o.threads = k == 0 ? 1 : 3;
            world_begin(&w, -1);
            for (int step = 0; step < 60; step++) {
                world_step(&w);
                spent[k] += w.c.spent;
            }
            world_end(&w);
        }
        CHECK(spent[0] == spent[1]);
        CHECK(spent[0] > 0 ||
              strcmp(scenes[i], "wall") != 0); // the others fall first, or rest as they rested
    }
}

TEST(options_that_make_no_budget_are_refused)
{
    world w = world_scene("box");
    thud_sim *sim;
    w.o.budget = -1;
    CHECK_INT(thud_sim_create(w.m, &w.o, &sim, NULL), THUD_BAD_ARGUMENT);
    w.o.budget = 0;
    w.o.accept_tolerance = NAN;
    CHECK_INT(thud_sim_create(w.m, &w.o, &sim, NULL), THUD_BAD_ARGUMENT);
    world_end(&w);
}

// ---------------------------------------------------------------------------------------------- calling off

typedef struct stepping { // of another thread
    world *w;
    thud_status status;
    double ended; // s of processor time of that thread, at its end
} stepping;

static double seconds_of(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *step_on(void *of)
{
    stepping *s = of;
    s->status = THUD_OK;
    while (s->status == THUD_OK) {
        s->status = world_try(s->w, NULL);
    }
    s->ended = seconds_of(CLOCK_THREAD_CPUTIME_ID);
    return NULL;
}

// By processor time of the thread that steps: a busy machine is no slow cancel.
static double cancel_after(world *w, double work, thud_status *status)
{
    stepping s = {.w = w};
    pthread_t thread;
    clockid_t clock;
    CHECK_INT(pthread_create(&thread, NULL, step_on, &s), 0);
    CHECK_INT(pthread_getcpuclockid(thread, &clock), 0);
    while (seconds_of(clock) < work) {
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    const double asked = seconds_of(clock);
    thud_sim_cancel(w->sim);
    pthread_join(thread, NULL);
    *status = s.status;
    return s.ended - asked;
}

#ifdef THUD_SANITIZED
static const double PROMPT = 1; // s
#else
static const double PROMPT = 0.05;
#endif

TEST(a_step_that_is_called_off_ends_within_50_ms_of_work_and_leaves_the_state)
{
    for (int k = 1; k <= 4; k++) {
        world w = hopeless(1);
        w.o.budget = INT64_MAX;
        world_begin(&w, -1);
        const uint64_t before = hash_of(&w);
        thud_status status;
        const double took = cancel_after(&w, 0.07 * k, &status);
        CHECK_INT(status, THUD_CANCELLED);
        CHECK(hash_of(&w) == before);
        CHECK_BELOW(took, PROMPT);
        world_end(&w);
    }
}

TEST(a_step_that_is_called_off_before_it_begins_is_not_taken_and_the_next_has_the_same_bits)
{
    world a = world_scene("pile100"), b = world_scene("pile100");
    world_begin(&a, -1);
    world_begin(&b, -1);
    for (int step = 0; step < 40; step++) {
        world_step(&a);
        if (step % 7 == 0) {
            thud_sim_cancel(b.sim);
            CHECK_INT(world_try(&b, NULL), THUD_CANCELLED);
        }
        world_step(&b);
        CHECK(hash_of(&a) == hash_of(&b));
    }
    world_end(&a);
    world_end(&b);
}

TEST(robots_that_are_stepped_one_by_one_are_called_off_together)
{
    world w = world_scene("herd");
    w.o.threads = 2;
    world_begin(&w, -1);
    const uint64_t before = hash_of(&w);
    thud_sim_cancel(w.sim);
    CHECK_INT(world_try(&w, NULL), THUD_CANCELLED);
    CHECK(hash_of(&w) == before);
    CHECK_OK(world_try(&w, NULL));
    world_end(&w);
}

TEST(the_event_driven_scheme_has_a_budget_and_can_be_called_off)
{
    if (!strstr(thud_parts(), "sundials")) {
        test_skip("there is no event-driven scheme in this build");
    }
    world w = world_scene("pile100");
    w.o.scheme = THUD_SCHEME_EVENT_DRIVEN;
    w.o.budget = 1000;
    world_begin(&w, -1);
    const uint64_t before = hash_of(&w);
    CHECK_INT(world_try(&w, NULL), THUD_NOT_SOLVED);
    CHECK(hash_of(&w) == before);
    w.o.budget = INT64_MAX;
    world_begin(&w, -1);
    thud_status status;
    CHECK_BELOW(cancel_after(&w, 0.2, &status), 2 * PROMPT);
    CHECK_INT(status, THUD_CANCELLED);
    world_end(&w);
}

TEST_MAIN(T(a_step_whose_budget_is_spent_is_not_taken_and_says_why),
          T(a_residual_that_was_said_to_do_is_taken_with_a_doubt_that_is_coarse_and_not_wrong),
          T(what_is_not_good_enough_is_not_taken), T(halvings_share_one_budget),
          T(work_is_the_same_for_any_number_of_threads), T(options_that_make_no_budget_are_refused),
          T(a_step_that_is_called_off_ends_within_50_ms_of_work_and_leaves_the_state),
          T(a_step_that_is_called_off_before_it_begins_is_not_taken_and_the_next_has_the_same_bits),
          T(robots_that_are_stepped_one_by_one_are_called_off_together),
          T(the_event_driven_scheme_has_a_budget_and_can_be_called_off))
