// SPDX-License-Identifier: Apache-2.0
// boxed.c: friction bounded axis by axis by what the normal carried in the last step.   [theory 4] [PI]
//
//     0 <= p_n               |  u_n + epsilon p_n + d >= 0
//     |p_t| <= mu p_n before |  u_t + epsilon p_t + d against it, or 0
//
// box: the block's tangents, rigid. hybrid: bristles on them while a contact sticks, axes along and across
// the slip with the lateral relaxation while it slides (axes.c). M = C^T W C is symmetric and positive
// semidefinite, as W = G M^-1 G^T is: every method of the room `lcp` takes it.
//
// Differs  a contact that carried nothing in the last step, as every new one and all of a collision (h = 0),
//          takes its bound from the same problem, solved first with no friction there: a new contact rubs
//          at once, and one that was lifted off, as the rear of a box that brakes, does not.
// Fails    the bounds lag a step behind: right where loads change slowly, wrong in an impact.
#include <math.h>

#include "law_inside.h"

int law_boxed_size(const thud_island *island, const thud_law_options *o)
{
    (void)o;
    return island->rows;
}

static int friction_of(const law_case *c, int block, const double *normals, law_axis axis[LAW_AXES])
{
    bool sliding;
    if (c->island->block[block].kind != THUD_BLOCK_CONTACT || !(normals[block] > 0)) {
        return 0; // what presses on nothing rubs on nothing
    }
    return c->o->law == THUD_LAW_BOX ? law_axes_fixed(c, block, axis)
                                     : law_axes(c, block, normals[block], axis, &sliding);
}

static void add_axis(law_case *c, const law_axis *axis, double bound)
{
    const int j = law_case_add(c, axis->column, -bound, bound);
    const double p = law_column_dot(&axis->column, c->island->p);
    c->start[j] = fabs(p) < bound ? THUD_LCP_BETWEEN : p > 0 ? THUD_LCP_AT_UPPER : THUD_LCP_AT_LOWER;
    *law_at(c->M, j, j) = axis->epsilon;
    c->q[j] = axis->d;
}

static bool state(law_case *c, const double *normals)
{
    law_axis axis[LAW_AXES];
    int n = 0;
    for (int i = 0; i < c->island->blocks; i++) {
        const thud_block *b = c->island->block + i;
        n += (b->kind == THUD_BLOCK_LOOP ? b->dim : 1) + friction_of(c, i, normals, axis);
    }
    if (!law_case_size(c, n)) {
        return false;
    }
    for (int i = 0; i < c->island->blocks; i++) {
        const thud_block *b = c->island->block + i;
        const int normal = c->used, axes = friction_of(c, i, normals, axis);
        law_case_add_rows(c, i);
        if (b->kind == THUD_BLOCK_CONTACT || b->kind == THUD_BLOCK_LIMIT) {
            *law_at(c->M, normal, normal) = law_normal_relaxation(c, i, &c->q[normal]);
        }
        for (int k = 0; k < axes; k++) {
            add_axis(c, axis + k, axis[k].mu * normals[i]);
        }
    }
    law_case_couple(c);
    return true;
}

// Phantom inertia wants the normal impulse only for the lateral relaxation of what slides.
static bool all_known(const law_case *c)
{
    const thud_island *island = c->island;
    for (int i = 0; i < island->blocks; i++) {
        const thud_block *b = island->block + i;
        const bool wanted = c->o->law != THUD_LAW_PHANTOM_INERTIA || (c->o->lateral && law_slips(c, i));
        if (b->kind == THUD_BLOCK_CONTACT && b->dim > 1 && wanted && !(island->p_before[b->row] > 0)) {
            return false;
        }
    }
    return true;
}

// The impulses of the island with the friction of the normals known so far, into p (rows); 0 where memory is
// short.
static void solve_known(const law_case *c, const double *normals, double *p)
{
    thud_island island = *c->island;
    thud_law_options o = *c->o;
    law_case known = *c;
    const size_t mark = thud_arena_mark(c->arena);
    o.law = o.law == THUD_LAW_BOX ? THUD_LAW_BOX : THUD_LAW_HYBRID;
    o.solver = THUD_SOLVER_AUTO;
    island.p = p;
    known.island = &island;
    known.o = &o;
    known.warm = false;
    if (state(&known, normals)) {
        law_climb(&known);
    }
    thud_arena_release(c->arena, mark);
}

double *law_normals(const law_case *c)
{
    const thud_island *island = c->island;
    double *normals = thud_arena_push(c->arena, (size_t)island->blocks, sizeof *normals);
    double *p = thud_arena_push(c->arena, (size_t)island->rows, sizeof *p);
    if (!normals || !p) {
        return NULL;
    }
    for (int i = 0; i < island->rows; i++) {
        p[i] = 0;
    }
    for (int i = 0; i < island->blocks; i++) {
        normals[i] = thud_max(island->p_before[island->block[i].row], 0);
    }
    if (!all_known(c)) {
        solve_known(c, normals, p);
    }
    for (int i = 0; i < island->blocks; i++) {
        normals[i] = normals[i] > 0 ? normals[i] : thud_max(p[island->block[i].row], 0);
    }
    return normals;
}

bool law_boxed(law_case *c)
{
    const double *normals = law_normals(c);
    return normals && state(c, normals);
}
