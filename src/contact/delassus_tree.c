// SPDX-License-Identifier: Apache-2.0
// delassus_tree.c: W of an island whose blocks are all of one tree, T^T T by tiles from registers. What delassus.c says.
//
// Symbols  T the innovations of all rows as columns: number (k, r) is row r's at dof k, divided by the root of D. A row has some
//          on its way to the base alone: the dofs of four rows that follow each other are a mask, and what is beside it is passed over.
#include <string.h>

#include "delassus_tiles.h"

// Of W (column-major, n) = T^T T, columns c to c + 3 in the rows from `first` on: one tile or two, from registers. way: the rows
// of T on the way of these columns to the base.
THUD_INSIDE void square_part(int n, const double *const *way, int length, int c, int first, bool two,
                             double *W)
{
    four x[THUD_LANES] = {{0}}, y[THUD_LANES] = {{0}};
    for (int i = 0; i < length; i++) {
        const four_of_numbers *t = (const four_of_numbers *)(way[i] + first);
        for (int k = 0; k < THUD_LANES; k++) {
            x[k] += t[0] * way[i][c + k];
            if (two) {
                y[k] += t[1] * way[i][c + k];
            }
        }
    }
    put_tile(n, false, x, first, c, W);
    if (two) {
        put_tile(n, false, y, first + THUD_LANES, c, W);
    }
}

THUD_INSIDE bool differ(int words, const uint64_t *a, const uint64_t *b)
{
    uint64_t other = a[0] ^ b[0];
    for (int k = 1; k < words; k++) {
        other |= a[k] ^ b[k];
    }
    return other;
}

// The rows of T on a way; returns how many.
THUD_INSIDE int list_way(int words, const uint64_t *mask, const double *T, int stride, const double **way)
{
    int length = 0;
    for (int k = 0; k < words; k++) {
        for (uint64_t left = mask[k]; left; left &= left - 1) {
            way[length++] = T + (size_t)(64 * k + __builtin_ctzll(left)) * (size_t)stride;
        }
    }
    return length;
}

// W = T^T T, T of `dofs` rows of `stride` numbers, some lanes, 0 beyond the n-th. mask: of every four columns, the dofs on their
// way, `words` each; way (dofs): scratch.
THUD_KERNEL static void square(int n, int stride, const double *T, const uint64_t *mask, int words,
                               const double **way, double *W)
{
    int length = 0;
    for (int c = 0; c < n; c += THUD_LANES, mask += words) {
        if (c == 0 || differ(words, mask, mask - words)) { // rows of one link go the same way
            length = list_way(words, mask, T, stride, way);
        }
        int first = c;
        for (; first + THUD_LANES < n; first += 2 * THUD_LANES) {
            square_part(n, way, length, c, first, true, W);
        }
        if (first < n) {
            square_part(n, way, length, c, first, false, W);
        }
    }
}

// The rows of a strip, up to four, become columns of T; what is beyond them is 0.
THUD_INSIDE void lay_rows(const double *S, int dim, int dofs, double *T, int stride)
{
    int k = 0;
    for (; k + THUD_LANES <= dofs; k += THUD_LANES) {
        four x[THUD_LANES] = {{0}};
        for (int r = 0; r < dim; r++) {
            x[r] = *(const four_of_numbers *)(S + r * dofs + k);
        }
        turn(x);
        for (int r = 0; r < THUD_LANES; r++) {
            *(four_of_numbers *)(T + (size_t)(k + r) * (size_t)stride) = x[r];
        }
    }
    for (; k < dofs; k++) {
        for (int r = 0; r < THUD_LANES; r++) {
            T[r + (size_t)k * (size_t)stride] = r < dim ? S[r * dofs + k] : 0;
        }
    }
}

// T of an island, block after block: each writes a lane, whose end the next one overwrites.
THUD_KERNEL static void lay_strips(const thud_rows *rows, const span *s, int dofs, double *T, int stride)
{
    const four none = {0};
    for (int k = 0; k < dofs; k++) { // beyond the last row
        *(four_of_numbers *)(T + (size_t)k * (size_t)stride + s->rows) = none;
    }
    for (int i = s->block; i < s->block + s->blocks; i++) {
        const double *S = rows->strip[rows->site[rows->order[i]].strip].S;
        double *to = T + rows->sorted[i].row;
        const int dim = rows->sorted[i].dim;
        if (dim == 3) { // nearly all of them
            lay_rows(S, 3, dofs, to, stride);
        } else if (dim == 1) {
            lay_rows(S, 1, dofs, to, stride);
        } else {
            for (int r = 0; r < dim; r += THUD_LANES) {
                lay_rows(S + r * dofs, dim - r < THUD_LANES ? dim - r : THUD_LANES, dofs, to + r, stride);
            }
        }
    }
}

// The dofs on the ways of every four rows of an island: those of the blocks among them.
THUD_INSIDE void mark_ways(const thud_rows *rows, const span *s, int words, uint64_t *mask)
{
    memset(mask, 0, (size_t)rows_fours(s->rows) * (size_t)words * sizeof *mask);
    for (int i = s->block; i < s->block + s->blocks; i++) {
        const site *at = &rows->site[rows->order[i]];
        uint64_t *const first = mask + at->row / THUD_LANES * words, *const last =
                                                                         mask + (at->row + at->dim - 1) /
                                                                                    THUD_LANES * words;
        for (const arm *a = rows->arm + at->arm; a < rows->arm + at->arm + at->arms; a++) {
            const uint64_t *way = rows->way + (size_t)a->link * (size_t)words;
            for (uint64_t *to = first; to <= last; to += words) {
                for (int k = 0; k < words; k++) {
                    to[k] |= way[k];
                }
            }
        }
    }
}

// Their strips become columns where they are none yet.
bool rows_fill_one(thud_rows *rows, span *s, thud_arena *arena)
{
    const int n = s->rows,
              stride = (n + 2 * THUD_LANES - 1) / THUD_LANES * THUD_LANES; // room for a lane at its end
    const int dofs = rows->tree[rows->strip[rows->site[rows->order[s->block]].strip].tree].dofs;
    s->W = (thud_mat){n, n, n, rows_push(rows, arena, (size_t)n * (size_t)n, sizeof(double))};
    double *T = rows->T ? rows->T : rows_push(rows, arena, (size_t)dofs * (size_t)stride, sizeof(double));
    const double **way = rows_push(rows, arena, (size_t)dofs, sizeof *way);
    uint64_t *mask = rows_push(rows, arena, (size_t)rows_fours(n) * (size_t)rows->way_words, sizeof *mask);
    if (!s->W.a || !T || !way || !mask) {
        s->W.a = NULL;
        return false;
    }
    if (!rows->T) {
        lay_strips(rows, s, dofs, T, stride);
    }
    if (rows->way_words == 1) { // nearly always
        mark_ways(rows, s, 1, mask);
    } else {
        mark_ways(rows, s, rows->way_words, mask);
    }
    square(n, stride, T, mask, rows->way_words, way, s->W.a);
    return true;
}
