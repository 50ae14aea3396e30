// SPDX-License-Identifier: Apache-2.0
// sparse_lu.c: LU factors of a sparse matrix, P A Q = L U, column by column [Gilbert, Peierls 1988].
//
// Column k of A Q is solved with the columns of L made so far: which of them take part is found by a walk through the graph of L
// from the column's entries, in time proportional to the arithmetic. Q is the order of sparse_order.c. The pivot is the diagonal
// entry unless it is less than a tenth of the column's largest, so that matrices of symmetric pattern keep that order.
// Every sum has one order, whatever the machine.
#include <math.h>
#include <string.h>

#include "sparse_order.h"

#define DIAGONAL_ENOUGH 0.1 // of the column's largest entry: the diagonal is taken as pivot

typedef struct columns { // entries of the columns of a triangular factor, one after another
    int *start, *row, count;
    int row_capacity, value_capacity;
    double *value;
} columns;

struct thud_sparse_lu {
    int n;
    columns L, U;   // without their diagonals; row r of them is, when all is done, the unknown order[r]
    double *pivot;  // diagonal of U
    int *order;     // Q: the column of A that is k-th
    int *pivot_row; // P: the row of A that is k-th
};

typedef struct walk {  // scratch of one factorisation
    double *x;         // the column, by rows of A
    int *place;        // which pivot a row of A is; -1: none yet
    int *seen;         // by rows of A: k + 1 in the walk of column k
    int *found;        // rows of A reached, a row before those that it changes, from `first` to n
    int *stack, *next; // columns of L on the way, and how far each is read
    int first;
} walk;

// Appends an entry to the last column.
static bool append(columns *c, int row, double value)
{
    if (!thud_grow((void **)&c->row, &c->row_capacity, c->count, sizeof *c->row) ||
        !thud_grow((void **)&c->value, &c->value_capacity, c->count, sizeof *c->value)) {
        return false;
    }
    c->row[c->count] = row;
    c->value[c->count++] = value;
    return true;
}

// Every row that is reached from this one through the columns of L, in front of those found before.
static void reach(const thud_sparse_lu *lu, walk *w, int row, int mark)
{
    int depth = 0;
    w->stack[0] = row;
    w->seen[row] = mark;
    w->next[0] = w->place[row] >= 0 ? lu->L.start[w->place[row]] : 0;
    while (depth >= 0) {
        const int column = w->place[w->stack[depth]];
        const int end = column >= 0 ? lu->L.start[column + 1] : 0;
        int k = column >= 0 ? w->next[depth] : 0;
        while (k < end && w->seen[lu->L.row[k]] == mark) {
            k++;
        }
        if (k < end) {
            const int to = lu->L.row[k];
            w->next[depth] = k + 1;
            w->seen[to] = mark;
            w->stack[++depth] = to;
            w->next[depth] = w->place[to] >= 0 ? lu->L.start[w->place[to]] : 0;
        } else {
            w->found[--w->first] = w->stack[depth--];
        }
    }
}

// x <- L^-1 (column of A), on the rows found.
static void solve_column(const thud_sparse_lu *lu, const thud_csc *A, walk *w, int column, int mark)
{
    w->first = lu->n;
    for (int k = A->start[column]; k < A->start[column + 1]; k++) {
        if (w->seen[A->row[k]] != mark) {
            reach(lu, w, A->row[k], mark);
        }
    }
    for (int i = w->first; i < lu->n; i++) {
        w->x[w->found[i]] = 0;
    }
    for (int k = A->start[column]; k < A->start[column + 1]; k++) {
        w->x[A->row[k]] += A->value[k];
    }
    for (int i = w->first; i < lu->n; i++) {
        const int j = w->place[w->found[i]];
        const double factor = w->x[w->found[i]];
        for (int k = j >= 0 ? lu->L.start[j] : 0; j >= 0 && k < lu->L.start[j + 1]; k++) {
            w->x[lu->L.row[k]] -= lu->L.value[k] * factor;
        }
    }
}

// The row that becomes the pivot of this column, or -1: all candidates are 0, or one is not finite.
static int choose_pivot(const thud_sparse_lu *lu, const walk *w, int column, int mark)
{
    double largest = 0;
    int best = -1;
    for (int i = w->first; i < lu->n; i++) {
        const int row = w->found[i];
        const double size = w->place[row] < 0 ? fabs(w->x[row]) : 0;
        if (!isfinite(size)) {
            return -1;
        }
        if (size > largest) {
            largest = size;
            best = row;
        }
    }
    const bool diagonal = best >= 0 && w->seen[column] == mark && w->place[column] < 0 &&
                          fabs(w->x[column]) >= DIAGONAL_ENOUGH * largest;
    return diagonal ? column : best;
}

// Column k of L and U. NOT_SOLVED: the matrix is singular.
static thud_status factor_column(thud_sparse_lu *lu, const thud_csc *A, walk *w, int k)
{
    const int column = lu->order[k];
    solve_column(lu, A, w, column, k + 1);
    const int pivot = choose_pivot(lu, w, column, k + 1);
    if (pivot < 0) {
        return THUD_NOT_SOLVED;
    }
    lu->pivot[k] = w->x[pivot];
    lu->pivot_row[k] = pivot;
    const double inverse = 1 / w->x[pivot];
    for (int i = w->first; i < lu->n; i++) {
        const int row = w->found[i];
        if (w->place[row] >= 0 ? !append(&lu->U, w->place[row], w->x[row])
                               : row != pivot && !append(&lu->L, row, w->x[row] * inverse)) {
            return THUD_NO_MEMORY;
        }
    }
    w->place[pivot] = k;
    lu->L.start[k + 1] = lu->L.count;
    lu->U.start[k + 1] = lu->U.count;
    return THUD_OK;
}

static thud_status factor(thud_sparse_lu *lu, const thud_csc *A)
{
    const size_t n = (size_t)lu->n;
    walk w = {.x = thud_alloc(n + 1, sizeof *w.x)};
    int *block = thud_alloc(5 * n + 1, sizeof *block);
    thud_status status = block && w.x && sparse_order(A, lu->order) ? THUD_OK : THUD_NO_MEMORY;
    if (status == THUD_OK) {
        w.place = block;
        w.seen = block + n;
        w.found = block + 2 * n;
        w.stack = block + 3 * n;
        w.next = block + 4 * n;
        memset(w.place, 0xff, n * sizeof *w.place);
    }
    for (int k = 0; k < lu->n && status == THUD_OK; k++) {
        status = factor_column(lu, A, &w, k);
    }
    for (int k = 0; k < lu->L.count && status == THUD_OK; k++) {
        lu->L.row[k] = lu->order[w.place[lu->L.row[k]]];
    }
    for (int k = 0; k < lu->U.count && status == THUD_OK; k++) {
        lu->U.row[k] = lu->order[lu->U.row[k]];
    }
    thud_free(block);
    thud_free(w.x);
    return status;
}

thud_status thud_sparse_lu_create(const thud_csc *A, thud_sparse_lu **out)
{
    const size_t n = (size_t)A->rows;
    *out = NULL;
    thud_sparse_lu *lu = thud_alloc(1, sizeof *lu);
    if (!lu) {
        return THUD_NO_MEMORY;
    }
    lu->n = A->rows;
    lu->L.start = thud_alloc(n + 1, sizeof(int));
    lu->U.start = thud_alloc(n + 1, sizeof(int));
    lu->pivot = thud_alloc(n + 1, sizeof(double));
    lu->order = thud_alloc(n + 1, sizeof(int));
    lu->pivot_row = thud_alloc(n + 1, sizeof(int));
    const bool room = lu->L.start && lu->U.start && lu->pivot && lu->order && lu->pivot_row;
    const thud_status status = room ? factor(lu, A) : THUD_NO_MEMORY;
    if (status != THUD_OK) {
        thud_sparse_lu_destroy(lu);
        return status;
    }
    *out = lu;
    return THUD_OK;
}

void thud_sparse_lu_solve(const thud_sparse_lu *lu, const double *b, double *x)
{
    for (int k = 0; k < lu->n; k++) {
        x[lu->order[k]] = b[lu->pivot_row[k]];
    }
    for (int k = 0; k < lu->n; k++) {
        const double known = x[lu->order[k]];
        for (int e = lu->L.start[k]; e < lu->L.start[k + 1]; e++) {
            x[lu->L.row[e]] -= lu->L.value[e] * known;
        }
    }
    for (int k = lu->n - 1; k >= 0; k--) {
        const double known = x[lu->order[k]] /= lu->pivot[k];
        for (int e = lu->U.start[k]; e < lu->U.start[k + 1]; e++) {
            x[lu->U.row[e]] -= lu->U.value[e] * known;
        }
    }
}

void thud_sparse_lu_destroy(thud_sparse_lu *lu)
{
    if (lu) {
        thud_free(lu->L.start);
        thud_free(lu->L.row);
        thud_free(lu->L.value);
        thud_free(lu->U.start);
        thud_free(lu->U.row);
        thud_free(lu->U.value);
        thud_free(lu->pivot);
        thud_free(lu->order);
        thud_free(lu->pivot_row);
        thud_free(lu);
    }
}
