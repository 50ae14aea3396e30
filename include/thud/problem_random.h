// SPDX-License-Identifier: Apache-2.0
// thud/problem_random.h: random problems of named classes, for tests, benchmarks and `thud solve --random`.
//
// The contact classes are assembled from real bodies: W = J M^-1 J^T of boxes and balls with their mass
// matrices and the Jacobians of their contacts, u_f = J v_f of a step under gravity. The same contacts come
// as a cone problem (W, u_f, mu) and, with k friction directions, as the LCP of Stewart and Trinkle [theory
// 2]. A class and a seed give the same numbers on every machine.
#pragma once

#include <thud/linalg.h>
#include <thud/problem_lcp.h>

#ifdef __cplusplus
extern "C" {
#endif

#define THUD_RANDOM_KIND_LIST(X)                                                                             \
    X(POSITIVE_DEFINITE, "positive-definite") /* size rows; A A^T / n + I / 10 */                            \
    X(RANK_DEFICIENT, "rank-deficient")       /* size rows, half of them the rank; solvable */               \
    X(STEWART_TRINKLE, "stewart-trinkle")     /* size contacts among random bodies and the ground */         \
    X(BOX, "box")                             /* size boxes on a plane, each on its four corners */          \
    X(DOUBLED, "doubled")                     /* size contacts, each given twice */                          \
    X(STACK, "stack")                         /* size boxes on each other, four contacts a face */

typedef enum thud_random_kind {
#define THUD_RANDOM_KIND_ENUM(name, text) THUD_RANDOM_##name,
    THUD_RANDOM_KIND_LIST(THUD_RANDOM_KIND_ENUM)
#undef THUD_RANDOM_KIND_ENUM
        THUD_RANDOM_KINDS
} thud_random_kind;

typedef struct thud_random_class {
    thud_random_kind kind;
    int size;       // rows, contacts or boxes, as the list says; > 0
    int directions; // k of the friction pyramid, even, >= 4; 0 in the first two classes
} thud_random_class;

THUD_API const char *thud_random_kind_name(thud_random_kind kind);
// Reads "stack:10/4", "stack:10", "stack", "positive-definite:50": name, size, directions. Where left out: 50
// rows, 10 contacts, 1 box or 5 in a stack; 4 directions.
THUD_API THUD_MUST_USE thud_status thud_random_class_parse(const char *text, thud_random_class *out,
                                                           thud_diag *diag);

// The problem of a seed. THUD_NO_MEMORY leaves *out NULL.
THUD_API THUD_MUST_USE thud_status thud_random_lcp(thud_random_class class_, uint64_t seed,
                                                   thud_lcp_problem **out);

// The contacts of a seed: u = W p + u_f, rows normal, tangent, tangent of each contact.
typedef struct thud_random_contacts {
    int contacts;
    thud_mat W;
    double *u_f, *mu; // 3 contacts; contacts
} thud_random_contacts;

// THUD_BAD_ARGUMENT for the two classes that are not contacts.
THUD_API THUD_MUST_USE thud_status thud_random_contact(thud_random_class class_, uint64_t seed,
                                                       thud_random_contacts **out);
THUD_API void thud_random_contacts_destroy(thud_random_contacts *contacts); // NULL is allowed

#ifdef __cplusplus
}
#endif
