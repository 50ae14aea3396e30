// SPDX-License-Identifier: Apache-2.0
// thud/dynamics.h: recursions over the tree of links. Each is O(N), except where its comment says matrix.
//
// Everything is expressed along the world's axes about each link's own origin, so a step from link to link is
// a shift and never a rotation. Accelerations are those of material points (not Featherstone's), with gravity
// as an upward acceleration of the world. A thud_dynamics is the scratch of one thread; a function reads what
// an earlier one wrote:
//
//     thud_dynamics_place (q)     ->  frames, inertias          thud_dynamics_crba, _jacobian
//     thud_dynamics_move (v)      ->  velocities, bias          thud_dynamics_rnea, _energy
//     thud_dynamics_factor        ->  P, U, D of every link     thud_dynamics_opspace -> Y; thud_opspace_block
//     thud_dynamics_solve (tau)   ->  accelerations
//
// factor and solve together are the articulated-body algorithm.
#pragma once

#include <thud/linalg.h>
#include <thud/model_poses.h>

#ifdef __cplusplus
extern "C" {
#endif

// A symmetric 6x6 matrix from motions (alpha, a) to forces (n, f):  n = A alpha + B a,  f = B^T alpha + C a.
typedef struct thud_abi {
    double A[6], B[9], C[6]; // A, C: xx yy zz xy xz yz; B row-major
} thud_abi;

typedef struct thud_link { // letters of [theory 6]
    thud_vec3 r;           // from the parent link's origin to this one's; of a free body 0
    int joined;            // 1: r is 0 whatever moves, as between two hinges of one body that cross
    int alone;             // 1: it has no inertia, and but one link hangs on it, which is joined
    thud_vec3 n0, f0; // bias wrench: what the motion at qacc = 0 needs, gravity included, less applied forces
    thud_vec3 zn, zf; // bias of the articulated body; scratch of the recursions
    thud_vec3 aw, av; // what qacc adds to the acceleration below
    thud_vec3 w, v;   // angular velocity, velocity of the origin
    thud_vec3 bw, bv; // acceleration at qacc = 0, the world accelerated by minus gravity
    thud_vec3 o;      // origin in the world
    thud_mat3 R;      // orientation in the world
    double mass;      // kg
    thud_vec3 h;      // first moment about the origin
    double I[6];      // inertia about the origin
    thud_abi P;       // articulated inertia, its joint taken out
    thud_abi Y;       // compliance kernel Upsilon: from wrenches to accelerations
} thud_link;

typedef struct thud_dof {
    thud_vec3 s;      // joint motion: angular (hinge, ball, turning part of free) or linear
    int linear;       // 1: s is linear
    double Dinv, u;   // inverse of the articulated inertia along the dof, and the force left for it
    thud_vec3 Un, Uf; // P H^T, before this dof is taken out; not of a link whose M is diagonal
    thud_vec3 Vn;     // of the first dof of a link with a parent: Un about the parent's origin
    double Minv;      // (M + implicit)^-1 of this dof's diagonal entry; after _opspace
} thud_dof;

typedef struct thud_dynamics {
    int links, nv;
    thud_link *link; // one a joint
    thud_dof *dof;   // nv
    double
        *implicit; // nv: h theta d + (h theta)^2 k of each dof, added to the diagonal of M in every recursion
    int groves;    // whole trees, one or, where their links are numbered in turns, several
    int *grove;    // groves + 1: grove g has links grove[g] to grove[g + 1] - 1
    int first, end; // the links that the recursions go over: all, from 0 to links, but in a part
} thud_dynamics;

THUD_API THUD_MUST_USE thud_status thud_dynamics_create(const thud_model *m,
                                                        thud_dynamics **out); // implicit = 0
THUD_API void thud_dynamics_destroy(thud_dynamics *d);

// The same links and numbers, of which _place, _frames, _weigh, _move, _carry, _drag, _factor, _solve, _respond and _twists see the
// groves from first to end - 1 alone. Groves know nothing of each other: threads may do parts that do not overlap at
// the same time. A view of d, not to be destroyed.
THUD_API thud_dynamics thud_dynamics_part(const thud_dynamics *d, int first, int end);

// Frames and inertias of all links at qpos.
THUD_API void thud_dynamics_place(const thud_model *m, const double *qpos, thud_dynamics *d);
// Its two halves: the frames, which are all that collisions, levers and _twists ask for, and the inertias there.
THUD_API void thud_dynamics_frames(const thud_model *m, const double *qpos, thud_dynamics *d);
THUD_API void thud_dynamics_weigh(const thud_model *m, thud_dynamics *d);
// Velocities and bias wrenches at qvel; after _place.
THUD_API void thud_dynamics_move(const thud_model *m, const double *qvel, thud_dynamics *d);

// Adds a force (world frame, N) and a torque (N m) on a body, the force at a point of the world. Call after
// _move.
THUD_API void thud_dynamics_push(const thud_model *m, int body, thud_vec3 force, thud_vec3 torque,
                                 thud_vec3 point, thud_dynamics *d);

// The articulated inertias: a factor of M + implicit, after _place. Returns false when the inertia along some
// dof is not positive.
THUD_API THUD_MUST_USE bool thud_dynamics_factor(const thud_model *m, thud_dynamics *d);
// qacc = (M + implicit)^-1 (tau - bias), after _factor and _move; tau NULL: 0.
THUD_API void thud_dynamics_solve(const thud_model *m, const double *tau, thud_dynamics *d, double *qacc);

// Both at once, in less time: _factor, then _solve.
THUD_API THUD_MUST_USE bool thud_dynamics_accelerate(const thud_model *m, const double *tau, thud_dynamics *d,
                                                     double *qacc);

// tau = M qacc + bias (Newton-Euler; qacc NULL: 0). Armature is part of M, `implicit` is not.
THUD_API void thud_dynamics_rnea(const thud_model *m, const double *qacc, thud_dynamics *d, double *tau);

// The mass matrix by composite bodies, armature included. Sparse: row i of M from dof_row[i] holds M(i,i),
// M(i,parent), M(i,parent of parent) ... and nothing else is nonzero. O(N depth).
THUD_API void thud_dynamics_crba(const thud_model *m, thud_dynamics *d, double *M);
THUD_API void thud_mass_expand(const thud_model *m, const double *M, double *dense); // nv x nv
// M = L^T D L in place, without fill: D on the diagonal entries, the unit L off them. Returns -1, or the
// first dof (from the last) whose pivot is not positive. O(N depth^2).
THUD_API int thud_mass_factor(const thud_model *m, double *M);
THUD_API void thud_mass_solve(const thud_model *m, const double *LTDL, double *x); // x <- M^-1 x. O(N depth)

// Y of every link, base to tips; after _factor. Then Omega(i, j), 6x6 row-major, the acceleration (angular,
// linear at link i's origin) that a unit wrench about link j's origin causes; O(depth) each. A link of -1 is
// the world: zeros.
THUD_API void thud_dynamics_opspace(const thud_model *m, thud_dynamics *d);
THUD_API void thud_opspace_block(const thud_model *m, const thud_dynamics *d, int i, int j, double omega[36]);

// Velocities of all links (angular, linear at the origin) at qvel, after _place; changes nothing in d.
THUD_API void thud_dynamics_twists(const thud_model *m, const thud_dynamics *d, const double *qvel,
                                   thud_motion *V);
// Those of two motions at once, in less time.
THUD_API void thud_dynamics_twists_of_two(const thud_model *m, const thud_dynamics *d,
                                          const double *const qvel[2], thud_motion *const V[2]);

// The two halves of dv = (M + implicit)^-1 J^T p, after _factor. A wrench on a link (about its origin),
// handed down to the base, leaves e_d = H f at every dof it passes; of `count` wrenches (1 to 4) that of the
// r-th is added to e[r stride + d]; O(depth). Those of two links together become one where their ways meet; that is all the same
// to the sum of their e. Then dv from the sum of all e. With D = 1/Dinv of each dof, J (M + implicit)^-1 J^T = E D^-1 E^T for rows E of
// such e. [theory 6]
THUD_API void thud_dynamics_innovate(const thud_model *m, const thud_dynamics *d, int link, int count,
                                     const thud_wrenches *wrench, double *e, int stride);
THUD_API void thud_dynamics_innovate_two(const thud_model *m, const thud_dynamics *d, const int link[2],
                                         int count, const thud_wrenches *const wrench[2], double *e,
                                         int stride);
// The same, dof by dof: e of dof d is at e[d stride + r]. Of one link or of two, it is set, times root of the dof, and the sum of its
// squares is returned; with root NULL it is added, and the sum is 0.
THUD_API double thud_dynamics_innovate_columns(const thud_model *m, const thud_dynamics *d, int links,
                                               const int *link, int count, const thud_wrenches *const *wrench,
                                               const double *root, double *e, int stride);
THUD_API void thud_dynamics_respond(const thud_model *m, thud_dynamics *d, const double *e, double *dv);

// J (6 x nv, row-major): angular velocity of the body, then velocity of the point (world) fixed to it. O(nv)
// to clear.
THUD_API void thud_dynamics_jacobian(const thud_model *m, const thud_dynamics *d, int body, thud_vec3 point,
                                     double *J);

// Adds to tau (nv) the joint forces of a force (world, N) at a point of the world that is fixed to a body, and
// of a torque (N m) on it: J^T (torque, force). After _place; give tau to thud_sim_step. O(depth).
THUD_API void thud_point_force(const thud_model *m, const thud_dynamics *d, int body, thud_vec3 force,
                               thud_vec3 torque, thud_vec3 point, double *tau);

// Kinetic energy (armature included) and potential energy of gravity (carried weight excepted, zero at the
// world's origin) and of the joint springs. After _move.
typedef struct thud_energy {
    double kinetic, potential;
} thud_energy;
THUD_API thud_energy thud_dynamics_energy(const thud_model *m, const double *qpos, const double *qvel,
                                          const thud_dynamics *d);

// Forces of the joint springs and dampers at (qpos, qvel). ahead (nv, or NULL for zeros): the springs are
// taken where each dof is after that much time, which is what an implicit step needs.
THUD_API void thud_passive_force(const thud_model *m, const double *qpos, const double *qvel,
                                 const double *ahead, double *tau);
// Carried weight (gravcomp): its wrenches into the bias (_carry), or the joint forces it exerts added to tau.
// After _move.
THUD_API void thud_dynamics_carry(const thud_model *m, thud_dynamics *d);
THUD_API void thud_carried_force(const thud_model *m, thud_dynamics *d, double *tau);
// Drag of the medium (option density, viscosity and wind), by the box of each body's inertia: likewise.
THUD_API void thud_dynamics_drag(const thud_model *m, thud_dynamics *d);
THUD_API void thud_drag_force(const thud_model *m, thud_dynamics *d, double *tau);

// out = qpos moved by h along v, quaternions on the group (out may be qpos), and the v that leads from one to
// another in time 1.
THUD_API void thud_qpos_integrate(const thud_model *m, const double *qpos, const double *v, double h,
                                  double *out);
// The same of joints first to end - 1 alone; the rest of out is left as it is.
THUD_API void thud_qpos_integrate_part(const thud_model *m, int first, int end, const double *qpos,
                                       const double *v, double h, double *out);
THUD_API void thud_qpos_difference(const thud_model *m, const double *from, const double *to, double *v);

#ifdef __cplusplus
}
#endif
