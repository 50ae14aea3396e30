// SPDX-License-Identifier: Apache-2.0
// assembly.h: constraints on a random mechanism, and the dense G, M and W they mean, by the textbook.
#pragma once

#include <thud/contact.h>
#include <thud/spatial_inline.h>

#include "dynamics/random_tree.h"

typedef struct assembly {
    random_tree t;
    thud_rows *rows;
    int blocks, n; // added so far; their rows
    struct noted { // in the order they were added
        thud_block_kind kind;
        int source, first, dim; // what they come from; their rows in G
    } block[256];
    double *G; // n x nv row-major, by thud_dynamics_jacobian: never by the code under test
    double *b; // n, what was asked to be added to u_free
} assembly;

enum { ASSEMBLY_ROWS = 1536 };

// A mechanism of so many bodies, placed and factored; `implicit` adds springs and dampers to M.
assembly assembly_create(uint64_t seed, int bodies, bool implicit, double h);
void assembly_destroy(assembly *a);

// Each adds a random one; false: the mechanism has no such place.
bool add_contact(assembly *a, test_rng *rng, int body1, int body2, int dim);
bool add_limit(assembly *a, test_rng *rng, int joint);
bool add_dry(assembly *a, int dof);
bool add_loop(assembly *a, test_rng *rng, int body1, int body2, int dim);
bool add_gear(assembly *a, test_rng *rng, int dof1, int dof2);
void add_some_of_everything(assembly *a, test_rng *rng, int blocks);

double *dense_delassus(const assembly *a); // G (M + implicit)^-1 G^T, n x n, malloc'ed
void dense_response(const assembly *a, const double *p, double *dv);     // (M + implicit)^-1 G^T p
void dense_velocity(const assembly *a, const double *v, double *u);      // G v
int assembly_row(const assembly *a, const thud_island *island, int row); // the row of G that this island's is
