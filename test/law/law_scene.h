// SPDX-License-Identifier: Apache-2.0
// law_scene.h: islands made by hand: free bodies, contacts, limits, dry friction and loops; W = G M^-1 G^T by
// sums.
#pragma once

#include <thud/law.h>

enum { SCENE_BODIES = 12, SCENE_BLOCKS = 48, SCENE_ROWS = 150, SCENE_DOFS = 6 * SCENE_BODIES };

typedef struct law_scene {
    int bodies, blocks, rows;
    double inverse[SCENE_DOFS];               // 1/m three times, 1/I about the world's axes
    double v[SCENE_DOFS], v_free[SCENE_DOFS]; // (linear, angular) of each body
    double centre[SCENE_BODIES][3];
    double G[SCENE_ROWS][SCENE_DOFS];
    thud_block block[SCENE_BLOCKS];
    thud_cone_block cone[SCENE_BLOCKS];
    double W[SCENE_ROWS * SCENE_ROWS];
    double b[SCENE_ROWS], u_free[SCENE_ROWS], u_before[SCENE_ROWS], p_before[SCENE_ROWS], p[SCENE_ROWS];
    thud_island island;
} law_scene;

// A body of mass m and inertia I (all axes) at x; returns its number. Velocities are zero until set in v.
int scene_body(law_scene *s, double m, double I, double x, double y, double z);
// A contact at x of body a (-1: the world) on body b (-1: the world), normal n from b to a. Returns its
// block.
int scene_contact(law_scene *s, int a, int b, const double x[3], const double n[3], int dim, double mu);
// A joint limit (push > 0: u = v[dof], p >= 0), dry friction and a loop (rows of dofs held at 0).
int scene_limit(law_scene *s, int dof);
int scene_dry(law_scene *s, int dof, double bound);
int scene_loop(law_scene *s, int dof, int count);
// A point x of body a held to body b (-1: the world): three rows.
int scene_pin(law_scene *s, int a, int b, const double x[3]);
// W, u_before = G v and u_free = G v_free + b, with v_free = v under gravity (down, m/s^2) for h.
void scene_finish(law_scene *s, double h, double gravity);
// u = W p + u_free.
void scene_velocity(const law_scene *s, double *u);

// The problem k of the corpus, 0 .. SCENE_CORPUS - 1: one box at rest, sliding, spinning, boxes in a stack, a
// heap, contacts given twice, dims 1, 2, 4 and 6, limits, dry friction, loops.
enum { SCENE_CORPUS = 40 };
void scene_corpus(int k, law_scene *s);

// A unit cube of 1 kg on its four corners at the height 0, friction mu: rows 3 a corner.
void scene_cube(law_scene *s, double mu);
// A ball (a point of mass 1: no inertia to turn) on the plane, moving at (vx, vy), friction mu.
void scene_point(law_scene *s, double mu, double vx, double vy);

// Solves the island from p = 0 in an arena of just thud_law_scratch bytes and checks that all was given back.
thud_law_report scene_solve(law_scene *s, const thud_law_options *o);
thud_law_options law_options(thud_law law, thud_solver solver);
