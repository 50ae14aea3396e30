// SPDX-License-Identifier: Apache-2.0
// bench_list.c: the scenes of `thud bench`.
#include <math.h>
#include <string.h>

#include <thud/elementary.h>

#include "bench_scene.h"

// A trot: diagonal legs in turn, at 2 Hz; hips swing by 0.15 rad, knees bend by 0.3 rad while a leg is ahead.
// Actuators: spread, hip, knee of the front left, front right, rear left and rear right leg.
static void trot(double time, int nu, double *ctrl)
{
    for (int i = 0; i + 2 < nu; i += 3) {
        const int leg = i / 3;
        const double phase = 4 * M_PI * time + (leg == 1 || leg == 2 ? M_PI : 0);
        ctrl[i] = 0;
        ctrl[i + 1] = 0.8 + 0.15 * thud_sin(phase);
        ctrl[i + 2] = -1.6 - 0.3 * thud_max(0, thud_cos(phase));
    }
}

// The fingers close on the ball in half a second, hold it, and squeeze once a second.
static void grasp(double time, int nu, double *ctrl)
{
    for (int i = 0; i < nu; i++) {
        ctrl[i] = thud_min(1, 2 * time) * (1 + 0.2 * thud_sin(2 * M_PI * time));
    }
}

// clang-format off
#define PENDULUM(n, fast)                                                                                            \
    {.name = "pendulum" #n, .about = #n " links, base at 10 m", .file = "pendulum" #n, .keyframe = "start", .time = 5, \
     .quick = (fast)}
#define PENDULUM_LOW(n, fast)                                                                                        \
    {.name = "pendulum" #n "_low", .about = #n " links, base at 5 m", .file = "pendulum" #n "_low",                  \
     .keyframe = "start", .time = 5, .quick = (fast)}
#define PILE(n, kind, word)                                                                                          \
    {.name = "fall" #n "_" word, .about = #n " " word " falling into a bin", .time = 1.5, .made = (kind),            \
     .count = (n), .large = true, .named = (n) > 100},                                                               \
    {.name = "pile" #n "_" word, .about = #n " " word " at rest in a bin", .time = 1, .settle = 3, .calm = 1.5,      \
     .rests = true, .made = (kind), .count = (n), .large = true, .named = true}

const bench_scene bench_scenes[] = {
    {.name = "pendulum3", .about = "3 links, base at 10 m", .file = "pendulum3", .keyframe = "start", .time = 5,
     .quick = true, .answer = {ANSWER_PLACE, {false, false, true}, {0, 0, 5.7241}}}, // its limit, in scenes/README.md
    PENDULUM(6, false),
    PENDULUM(12, false),
    PENDULUM(15, true),
    PENDULUM(24, false),
    PENDULUM(30, true),
    PENDULUM(100, false),
    PENDULUM_LOW(3, false),
    PENDULUM_LOW(6, false),
    PENDULUM_LOW(12, false),
    PENDULUM_LOW(15, false),
    PENDULUM_LOW(24, false),
    PENDULUM_LOW(30, true),
    PENDULUM_LOW(100, false),
    {.name = "chain30", .about = "30 links without contact", .file = "chain30", .keyframe = "start", .time = 5,
     .energy = ENERGY_STAYS, .answer = {.kind = ANSWER_ENERGY}},
    {.name = "rod", .about = "a rod lands on its tip", .file = "rod", .keyframe = "start", .dt = 1e-3, .time = 1,
     .rests = true, .quick = true},
    {.name = "balls", .about = "four balls", .file = "balls", .keyframe = "start", .dt = 1e-3, .time = 1, .quick = true},
    {.name = "box", .about = "a sliding, spinning cube", .file = "box", .keyframe = "start", .dt = 1e-3, .time = 1,
     .rests = true, .quick = true, .answer = {ANSWER_PLACE, {true, true, false}, {0.4407, 1.5840, 0}}},
    {.name = "slide", .about = "a flat box at 5 m/s", .file = "slide", .keyframe = "start", .dt = 1e-3, .time = 1.5,
     .rests = true, .answer = {ANSWER_PLACE, {true, true, true}, {2.548420, 0, 0.05}}},
    {.name = "stack10", .about = "ten boxes", .file = "stack10", .dt = 2e-3, .time = 2, .rests = true, .quick = true,
     .answer = {.kind = ANSWER_PENETRATION}},
    {.name = "wall", .about = "105 bricks", .file = "wall", .dt = 2e-3, .time = 0.5, .rests = true, .large = true},
    {.name = "humanoid", .about = "a person falling", .file = "humanoid", .dt = 5e-3, .time = 3, .quick = true,
     .answer = {.kind = ANSWER_PENETRATION}},
    {.name = "quadruped", .about = "standing on springs", .file = "quadruped", .keyframe = "stand", .dt = 2e-3,
     .time = 2, .rests = true, .quick = true},
    {.name = "trot", .about = "a quadruped trotting by servos", .file = "trot", .keyframe = "trot", .dt = 2e-3, .time = 2,
     .energy = ENERGY_DRIVEN, .control = trot},
    {.name = "hand", .about = "four fingers on tendons close on a ball", .file = "hand", .dt = 2e-3, .time = 2,
     .energy = ENERGY_DRIVEN, .control = grasp},
    {.name = "card_house", .about = "seven cards", .file = "card_house", .time = 1, .rests = true},
    {.name = "mass_ratio", .about = "six boxes, each ten times the one below", .file = "mass_ratio", .time = 1,
     .rests = true},
    {.name = "pile100", .about = "100 boxes of three shapes falling", .file = "pile100", .dt = 2e-3, .time = 1.5,
     .large = true},
    {.name = "pile100_rest", .about = "the same at rest", .file = "pile100", .dt = 2e-3, .time = 0.5, .settle = 3,
     .calm = 0.5, .rests = true, .large = true, .named = true},
    PILE(100, MADE_SPHERES, "spheres"),
    PILE(100, MADE_BOXES, "boxes"),
    PILE(1000, MADE_SPHERES, "spheres"),
    PILE(1000, MADE_BOXES, "boxes"),
    PILE(5000, MADE_SPHERES, "spheres"),
    PILE(5000, MADE_BOXES, "boxes"),
    {.name = "humanoids22", .about = "22 persons falling", .file = "humanoid", .dt = 5e-3, .time = 1.5,
     .made = MADE_COPIES, .count = 22, .large = true},
    {.name = NULL}};
// clang-format on

const bench_scene *bench_scene_find(const char *name)
{
    for (const bench_scene *s = bench_scenes; s->name; s++) {
        if (strcmp(s->name, name) == 0) {
            return s;
        }
    }
    return NULL;
}
