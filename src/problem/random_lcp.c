// SPDX-License-Identifier: Apache-2.0
// random_lcp.c: classes by name, random matrices, contacts as Stewart and Trinkle's LCP.      [ST 3.2]
//
// Symbols  N contacts, k directions d_j = (cos, sin)(2 pi j / k) · z = (p_n (N), beta (N k), lambda (N))
//              [ W_nn    W_nt D    0 ]       [ u_fn   ]
//          M = [ D'W_tn  D'W_tt D  E ],  q = [ D'u_ft ]
//              [ mu     -E'        0 ]       [ 0      ]
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <thud/problem_convert.h>
#include <thud/problem_random.h>

#include "random_draw.h"

static const struct {
    const char *name;
    int size, directions; // where the text leaves them out
} kinds[THUD_RANDOM_KINDS] = {
    [THUD_RANDOM_POSITIVE_DEFINITE] = {"positive-definite", 50, 0},
    [THUD_RANDOM_RANK_DEFICIENT] = {"rank-deficient", 50, 0},
    [THUD_RANDOM_STEWART_TRINKLE] = {"stewart-trinkle", 10, 4},
    [THUD_RANDOM_BOX] = {"box", 1, 4},
    [THUD_RANDOM_DOUBLED] = {"doubled", 10, 4},
    [THUD_RANDOM_STACK] = {"stack", 5, 4},
};

const char *thud_random_kind_name(thud_random_kind kind)
{
    return (unsigned)kind < THUD_RANDOM_KINDS ? kinds[kind].name : "?";
}

// Reads digits at *text and moves past them; -1 if there are none, or too many.
static int read_count(const char **text)
{
    char *end;
    const long value = **text >= '0' && **text <= '9' ? strtol(*text, &end, 10) : (end = (char *)*text, -1);
    *text = end;
    return value > 100000 ? -1 : (int)value;
}

thud_status thud_random_class_parse(const char *text, thud_random_class *out, thud_diag *diag)
{
    const size_t length = strcspn(text, ":");
    int kind = 0;
    while (kind < THUD_RANDOM_KINDS &&
           !(strlen(kinds[kind].name) == length && strncmp(text, kinds[kind].name, length) == 0)) {
        kind++;
    }
    if (kind == THUD_RANDOM_KINDS) {
        return thud_fail(THUD_BAD_ARGUMENT, diag, NULL, 0, 0,
                         "no class of random problems is called '%.*s' (positive-definite, rank-deficient, "
                         "stewart-trinkle, box, doubled, stack)",
                         (int)length, text);
    }
    thud_random_class class_ = {(thud_random_kind)kind, kinds[kind].size, kinds[kind].directions};
    const char *rest = text + length;
    if (*rest == ':') {
        rest++;
        class_.size = read_count(&rest);
        if (*rest == '/' && class_.directions > 0) {
            rest++;
            class_.directions = read_count(&rest);
        }
    }
    const bool pyramid = class_.directions == 0 || (class_.directions >= 4 && class_.directions % 2 == 0);
    if (*rest != '\0' || class_.size <= 0 || !pyramid) {
        return thud_fail(
            THUD_BAD_ARGUMENT, diag, NULL, 0, 0,
            "'%s' is not NAME, NAME:SIZE or (contacts) NAME:SIZE/DIRECTIONS, directions even and >= 4", text);
    }
    *out = class_;
    return THUD_OK;
}

// M = A A^T / n + shift I, A n x rank of normal numbers.
static void fill_gram(int n, int rank, double shift, const double *A, double *M)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = 0;
            for (int k = 0; k < rank; k++) {
                sum += A[(size_t)i * (size_t)rank + (size_t)k] * A[(size_t)j * (size_t)rank + (size_t)k];
            }
            M[i + (size_t)j * (size_t)n] = M[j + (size_t)i * (size_t)n] = sum / n + (i == j ? shift : 0);
        }
    }
}

// q = w - M z for some z, w >= 0: a feasible problem, and with M positive semidefinite a solvable one.
static void fill_feasible_q(draw *r, thud_lcp_problem *problem)
{
    const int n = problem->lcp.n;
    for (int i = 0; i < n; i++) {
        problem->q[i] = thud_max(0, draw_normal(r));
    }
    for (int j = 0; j < n; j++) {
        const double z = thud_max(0, draw_normal(r));
        for (int i = 0; i < n; i++) {
            problem->q[i] -= problem->M[i + (size_t)j * (size_t)n] * z;
        }
    }
}

static thud_status make_matrix(thud_random_class class_, uint64_t seed, thud_lcp_problem **out)
{
    const int n = class_.size, rank = class_.kind == THUD_RANDOM_POSITIVE_DEFINITE ? n : (n + 1) / 2;
    double *A = thud_alloc((size_t)n * (size_t)rank, sizeof(double));
    thud_status status = A ? thud_lcp_problem_create(n, out) : THUD_NO_MEMORY;
    if (status == THUD_OK) {
        draw r = draw_start(class_.kind, seed);
        for (size_t i = 0; i < (size_t)n * (size_t)rank; i++) {
            A[i] = draw_normal(&r);
        }
        fill_gram(n, rank, class_.kind == THUD_RANDOM_POSITIVE_DEFINITE ? 0.1 : 0, A, (*out)->M);
        if (class_.kind == THUD_RANDOM_POSITIVE_DEFINITE) {
            for (int i = 0; i < n; i++) {
                (*out)->q[i] = draw_normal(&r);
            }
        } else {
            fill_feasible_q(&r, *out);
        }
    }
    thud_free(A);
    return status;
}

// The contacts as a cone problem, cut to pyramids.
static thud_status make_pyramids(const thud_random_contacts *c, int directions, thud_lcp_problem **out)
{
    thud_cone_block *block = thud_alloc((size_t)c->contacts, sizeof *block);
    if (!block) {
        return THUD_NO_MEMORY;
    }
    for (int i = 0; i < c->contacts; i++) {
        block[i] = (thud_cone_block){
            .kind = THUD_CONE_KIND_CONTACT, .row = 3 * i, .dim = 3, .mu = {c->mu[i], c->mu[i]}};
    }
    const thud_cone cone = {
        .rows = 3 * c->contacts, .blocks = c->contacts, .block = block, .W = c->W, .b = c->u_f};
    const thud_status status = thud_cone_pyramid(&cone, directions, out, NULL);
    thud_free(block);
    return status;
}

thud_status thud_random_lcp(thud_random_class class_, uint64_t seed, thud_lcp_problem **out)
{
    *out = NULL;
    if (class_.kind == THUD_RANDOM_POSITIVE_DEFINITE || class_.kind == THUD_RANDOM_RANK_DEFICIENT) {
        return make_matrix(class_, seed, out);
    }
    thud_random_contacts *contacts;
    THUD_TRY(thud_random_contact(class_, seed, &contacts));
    const thud_status status = make_pyramids(contacts, class_.directions, out);
    thud_random_contacts_destroy(contacts);
    return status;
}
