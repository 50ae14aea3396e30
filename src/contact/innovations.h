// SPDX-License-Identifier: Apache-2.0
// innovations.h: what the rows of a block ask of the dofs of each tree they act on. [theory 6; JO IV] Private to the room.
//
// Symbols  E innovations of a block's rows at the dofs of one tree · S = E D^-1/2, a strip · W = S S^T
//          T = S^T of all rows of a model of one tree, as W is made from it
// Cost     O(depth) a row. Of a free body whose M is diagonal (link_diagonal) E is G: no recursion.
#pragma once

#include <string.h>

#include "rows.h"

// S = E D^-1/2 of a strip, in place; returns the sum of its squares.
THUD_INSIDE double weigh(double *S, const double *root, int dim, int dofs)
{
    four squares = {0};
    double rest = 0;
    for (int r = 0; r < dim; r++, S += dofs) {
        int c = 0;
        for (; c + THUD_LANES <= dofs; c += THUD_LANES) {
            four_of_numbers *at = (four_of_numbers *)(S + c);
            *at *= *(const four_of_numbers *)(root + c);
            squares += *at * *at;
        }
        for (int k = 1; k < THUD_LANES && c < dofs; k++, c++) { // few, and the compiler is told so
            S[c] *= root[c];
            rest += S[c] * S[c];
        }
    }
    return squares[0] + squares[1] + squares[2] + squares[3] + rest;
}

// S of wrenches on a free body whose M is diagonal, where E = G; returns the sum of its squares.
THUD_INSIDE double weigh_free(const thud_wrenches *w, const mat3 *R, const double *root, int dim, double *S)
{
    double sum = 0;
    for (int r = 0; r < dim; w++) {
        const lanes n = lanes_load(w->ang), f = lanes_load(w->lin);
        four e[FREE] = {f.x * root[0], f.y * root[1], f.z * root[2]};
        for (int k = 3; k < FREE; k++) {
            lanes_dot(n, m3_col(R, k - 3), &e[k]);
            e[k] *= root[k];
        }
        four squares = {0};
        for (int k = 0; k < FREE; k++) {
            squares += e[k] * e[k];
        }
        for (int l = 0; l < THUD_LANES && r < dim; l++, r++, S += FREE) {
            for (int k = 0; k < FREE; k++) {
                S[k] = e[k][l];
            }
            sum += squares[l];
        }
    }
    return sum;
}

// Adds the innovations of an arm's wrenches to a strip of its tree.
THUD_INSIDE void innovate(const thud_rows *rows, const arm *a, const thud_wrenches *w, int dim, const tree *t,
                          double *S)
{
    S -= t->dof;
    for (int r = 0; r < dim; r += THUD_LANES, S += THUD_LANES * t->dofs) {
        thud_dynamics_innovate(rows->m, rows->d, a->link, dim - r < THUD_LANES ? dim - r : THUD_LANES,
                               w + r / THUD_LANES, S, t->dofs);
    }
}

// The same of two arms in one tree, which go on as one from where their ways meet.
THUD_INSIDE void innovate_two(const thud_rows *rows, const arm *a, const thud_wrenches *w, int dim,
                              const tree *t, double *S)
{
    const int link[2] = {a[0].link, a[1].link};
    S -= t->dof;
    for (int r = 0; r < dim; r += THUD_LANES, S += THUD_LANES * t->dofs, w++) {
        const thud_wrenches *const wrench[2] = {w, w + rows_fours(dim)};
        thud_dynamics_innovate_two(rows->m, rows->d, link, dim - r < THUD_LANES ? dim - r : THUD_LANES,
                                   wrench, S, t->dofs);
    }
}

// Of a strip that several arms may share.
THUD_INSIDE double innovate_strip(const thud_rows *rows, const site *s, const thud_wrenches *w, int dim,
                                  const strip *to)
{
    const tree *t = &rows->tree[to->tree];
    memset(to->S, 0, (size_t)dim * (size_t)t->dofs * sizeof *to->S);
    if (s->arms == 2 && s->strips == 1) {
        innovate_two(rows, &rows->arm[s->arm], w, dim, t, to->S);
        return weigh(to->S, rows->root + t->dof, dim, t->dofs);
    }
    for (int a = s->arm; a < s->arm + s->arms; a++) {
        if (rows_tree_of(rows, a) == to->tree) {
            innovate(rows, &rows->arm[a], w + (a - s->arm) * rows_fours(dim), dim, t, to->S);
        }
    }
    return weigh(to->S, rows->root + t->dof, dim, t->dofs);
}

// The rows of a block of many arms in the columns of a model of one tree; returns the sum of their squares.
static double innovate_many(const thud_rows *rows, const site *s, const thud_wrenches *w, int dim, double *T)
{
    const int stride = rows->stride, dofs = rows->tree[0].dofs;
    double sum = 0;
    for (int a = s->arm; a < s->arm + s->arms; a++) {
        for (int r = 0; r < dim; r += THUD_LANES, w++) {
            (void)thud_dynamics_innovate_columns(rows->m, rows->d, 1, &rows->arm[a].link,
                                                 dim - r < THUD_LANES ? dim - r : THUD_LANES, &w, NULL, T + r,
                                                 stride);
        }
    }
    for (int k = 0; k < dofs; k++, T += stride) {
        for (int r = 0; r < dim; r++) {
            T[r] *= rows->root[k];
            sum += T[r] * T[r];
        }
    }
    return sum;
}

// The same of any. One thread makes one block after the other, and each may write a whole lane, whose end the next one
// overwrites.
THUD_INSIDE double innovate_columns(const thud_rows *rows, const site *s, const thud_wrenches *w, int dim,
                                    double *T)
{
    const arm *a = &rows->arm[s->arm];
    const int fours = rows_fours(dim), link[2] = {a[0].link, a[s->arms - 1].link};
    double sum = 0;
    if (s->arms > 2) {
        return innovate_many(rows, s, w, dim, T);
    }
    for (int r = 0; r < dim; r += THUD_LANES, w++) {
        const thud_wrenches *const wrench[2] = {w, w + fours};
        sum += thud_dynamics_innovate_columns(rows->m, rows->d, s->arms, link,
                                              !rows->pool || dim - r > THUD_LANES ? THUD_LANES : dim - r,
                                              wrench, rows->root, T + r, rows->stride);
    }
    return sum;
}

// The innovations of a block's dim rows; returns the trace of W + epsilon over them.
THUD_INSIDE double innovate_block(const thud_rows *rows, const site *s, const thud_wrenches *w, int dim)
{
    double trace = dim * s->epsilon;
    if (rows->T) {
        return trace + innovate_columns(rows, s, w, dim, rows->T + s->at);
    }
    for (int k = 0; k < s->strips; k++) {
        const strip *to = &rows->strip[s->strip + k];
        const arm *a = &rows->arm[s->arm + k]; // of this strip and no other, where there are as many
        const bool alone = s->arms == s->strips && rows->m->link_diagonal[a->link];
        trace += alone ? weigh_free(w + k * rows_fours(dim), &rows->d->link[a->link].R,
                                    rows->root + rows->tree[to->tree].dof, dim, to->S)
                       : innovate_strip(rows, s, w, dim, to);
    }
    return trace;
}
