// SPDX-License-Identifier: Apache-2.0
// sparse_order.c: the order in which a sparse matrix is eliminated: approximate minimum degree on the pattern of A + A^T.
//
// The graph is a quotient graph [Amestoy, Davis, Duff 1996]: an eliminated node p is an element, whose list are the nodes that
// its elimination joins. A node has elements and, behind them, nodes that it still meets directly; elimination never lengthens
// that list, since p enters it for p itself or for an element that p swallowed. The degree of node i is bounded by
//     d_i = |nodes of i| + |L_p \ i| + sum over its other elements e of |L_e \ L_p|.
// Of nodes with the same bound the one that was given it last is eliminated first, so the order depends on the pattern alone.
#include <string.h>

#include "sparse_order.h"

typedef struct graph {
    int n;
    int *start, *list;     // of node i: elements, then nodes, from start[i]
    int *elements, *nodes; // how many
    int *degree;
    int *head, *next, *previous; // nodes by degree
    int *from, *length;          // of element e: its nodes in `joined`
    int *joined, joined_count, joined_capacity;
    int *mark, stamp; // mark[i] == stamp: i is in L_p
    int *apart;       // of element e: the stamp it was measured at, and |L_e \ L_p|
    char *gone;       // eliminated, or an element that another has swallowed
} graph;

static void unlist(graph *g, int i)
{
    if (g->previous[i] >= 0) {
        g->next[g->previous[i]] = g->next[i];
    } else {
        g->head[g->degree[i]] = g->next[i];
    }
    if (g->next[i] >= 0) {
        g->previous[g->next[i]] = g->previous[i];
    }
}

static void enlist(graph *g, int i, int degree)
{
    g->degree[i] = degree;
    g->previous[i] = -1;
    g->next[i] = g->head[degree];
    if (g->head[degree] >= 0) {
        g->previous[g->head[degree]] = i;
    }
    g->head[degree] = i;
}

// The pattern of A + A^T without its diagonal, every neighbour once.
static bool fill_graph(graph *g, const thud_csc *A)
{
    const int n = g->n;
    for (int j = 0; j < n; j++) {
        for (int k = A->start[j]; k < A->start[j + 1]; k++) {
            g->nodes[j] += A->row[k] != j;
            g->nodes[A->row[k]] += A->row[k] != j;
        }
    }
    for (int i = 0; i < n; i++) {
        g->start[i + 1] = g->start[i] + g->nodes[i];
        g->nodes[i] = 0;
    }
    g->list = thud_alloc((size_t)g->start[n] + 1, sizeof *g->list);
    if (!g->list) {
        return false;
    }
    for (int j = 0; j < n; j++) {
        for (int k = A->start[j]; k < A->start[j + 1]; k++) {
            const int i = A->row[k];
            if (i != j) {
                g->list[g->start[j] + g->nodes[j]++] = i;
                g->list[g->start[i] + g->nodes[i]++] = j;
            }
        }
    }
    for (int i = 0; i < n; i++) {
        int *list = g->list + g->start[i], kept = 0;
        for (int k = 0; k < g->nodes[i]; k++) {
            if (g->mark[list[k]] != i + 1) {
                g->mark[list[k]] = i + 1;
                list[kept++] = list[k];
            }
        }
        g->nodes[i] = kept;
        enlist(g, i, kept);
    }
    g->stamp = n + 1;
    return true;
}

static bool join(graph *g, int node)
{
    if (g->mark[node] == g->stamp || g->gone[node]) {
        return true;
    }
    g->mark[node] = g->stamp;
    if (!thud_grow((void **)&g->joined, &g->joined_capacity, g->joined_count, sizeof *g->joined)) {
        return false;
    }
    g->joined[g->joined_count++] = node;
    return true;
}

// L_p: the nodes that p meets, directly or through its elements, which it swallows.
static bool make_element(graph *g, int p)
{
    const int *list = g->list + g->start[p];
    g->stamp++;
    g->gone[p] = 1;
    g->from[p] = g->joined_count;
    bool good = true;
    for (int k = 0; k < g->nodes[p] && good; k++) {
        good = join(g, list[g->elements[p] + k]);
    }
    for (int k = 0; k < g->elements[p] && good; k++) {
        const int e = list[k];
        for (int l = 0; l < g->length[e] && good; l++) {
            good = join(g, g->joined[g->from[e] + l]);
        }
        g->length[e] = -1;
    }
    g->length[p] = g->joined_count - g->from[p];
    return good;
}

// |L_e \ L_p| for every element e that a node of L_p has.
static void measure_elements(graph *g, int p)
{
    for (int k = 0; k < g->length[p]; k++) {
        const int i = g->joined[g->from[p] + k], *list = g->list + g->start[i];
        for (int l = 0; l < g->elements[i]; l++) {
            const int e = list[l];
            if (g->length[e] < 0) {
                continue;
            }
            if (g->apart[2 * e] != g->stamp) {
                g->apart[2 * e] = g->stamp;
                int alive = 0;
                for (int m = 0; m < g->length[e]; m++) { // nodes eliminated since leave the list
                    const int node = g->joined[g->from[e] + m];
                    if (!g->gone[node]) {
                        g->joined[g->from[e] + alive++] = node;
                    }
                }
                g->length[e] = alive;
                g->apart[2 * e + 1] = alive;
            }
            g->apart[2 * e + 1]--;
        }
    }
}

// Node i of L_p: p takes the place of what it swallowed, or its own among the nodes.
static void update_node(graph *g, int p, int i, int left)
{
    int *list = g->list + g->start[i], elements = 0, nodes = 0, degree = g->length[p] - 1;
    const int had_elements = g->elements[i], had_nodes = g->nodes[i];
    for (int k = 0; k < had_elements; k++) {
        const int e = list[k];
        if (g->length[e] >= 0 && g->apart[2 * e + 1] > 0) { // else p has all that it has
            degree += g->apart[2 * e + 1];
            list[elements++] = e;
        }
    }
    for (int k = 0; k < had_nodes; k++) { // p to the front, so that its place is free before it is needed
        if (list[had_elements + k] == p) {
            list[had_elements + k] = list[had_elements];
            list[had_elements] = p;
        }
    }
    for (int k = 0; k < had_nodes; k++) {
        const int node = list[had_elements + k];
        if (g->mark[node] != g->stamp && !g->gone[node]) {
            list[elements + 1 + nodes++] = node;
        }
    }
    list[elements++] = p;
    g->elements[i] = elements;
    g->nodes[i] = nodes;
    degree += nodes;
    enlist(g, i, degree < left - 1 ? degree : left - 1);
}

static bool eliminate(graph *g, int *order)
{
    int least = 0;
    for (int k = 0; k < g->n; k++) {
        while (g->head[least] < 0) {
            least++;
        }
        const int p = g->head[least];
        order[k] = p;
        unlist(g, p);
        if (!make_element(g, p)) {
            return false;
        }
        for (int l = 0; l < g->length[p]; l++) {
            unlist(g, g->joined[g->from[p] + l]);
        }
        measure_elements(g, p);
        for (int l = 0; l < g->length[p]; l++) {
            const int i = g->joined[g->from[p] + l];
            update_node(g, p, i, g->n - k - 1);
            least = g->degree[i] < least ? g->degree[i] : least;
        }
    }
    return true;
}

bool sparse_order(const thud_csc *A, int *order)
{
    const size_t n = (size_t)A->cols;
    int *block = thud_alloc(12 * n + 2, sizeof *block);
    char *gone = thud_alloc(n + 1, 1);
    graph g = {.n = A->cols, .gone = gone};
    bool good = block && gone;
    if (good) {
        int **const parts[] = {&g.elements, &g.nodes, &g.degree, &g.head, &g.next,
                               &g.previous, &g.from,  &g.length, &g.mark};
        for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
            *parts[i] = block + i * n;
        }
        g.apart = block + 9 * n;
        g.start = block + 11 * n;
        memset(g.head, 0xff, n * sizeof *g.head);
        good = fill_graph(&g, A) && eliminate(&g, order);
    }
    thud_free(g.joined);
    thud_free(g.list);
    thud_free(gone);
    thud_free(block);
    return good;
}
