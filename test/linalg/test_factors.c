// SPDX-License-Identifier: Apache-2.0
// LU and QR factors: what they solve, what they refuse, and the size at which LAPACK takes over.
#include "test.h"

#include <thud/linalg.h>

static double *random_matrix(test_rng *r, int n)
{
    double *a = malloc(sizeof *a * (size_t)(n * n));
    for (int i = 0; i < n * n; i++) {
        a[i] = test_normal(r);
    }
    return a;
}

TEST(lu_solves_to_rounding_at_every_size_around_its_panels_and_lapacks_threshold)
{
    (void)test_state;
    test_rng r = {1};
    const int sizes[] = {1, 2, 3, 4, 5, 6, 7, 31, 32, 33, 64, 65, 100, 255, 256, 511, 512, 600};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        const int n = sizes[k];
        double *A = random_matrix(&r, n), *LU = malloc(sizeof *LU * (size_t)(n * n));
        double *x = calloc((size_t)n, sizeof *x), *b = calloc((size_t)n, sizeof *b);
        int *pivot = calloc((size_t)n, sizeof *pivot);
        memcpy(LU, A, sizeof *LU * (size_t)(n * n));
        for (int i = 0; i < n; i++) {
            x[i] = test_normal(&r);
        }
        thud_mat_mulvec((thud_mat){n, n, n, A}, x, b);
        CHECK_INT(thud_lu_factor((thud_mat){n, n, n, LU}, pivot), -1);
        thud_lu_solve((thud_mat){n, n, n, LU}, pivot, b);
        for (int i = 0; i < n; i++) {
            CHECK_NEAR(b[i], x[i], 1e-11); // worst seen 1e-12 (condition of random matrices)
        }
        free(A);
        free(LU);
        free(x);
        free(b);
        free(pivot);
    }
}

TEST(cholesky_solves_to_rounding_at_every_size)
{
    (void)test_state;
    test_rng r = {4};
    for (int n = 1; n <= 30; n++) {
        double *B = random_matrix(&r, n), *A = calloc((size_t)(n * n), sizeof *A);
        double *x = calloc((size_t)n, sizeof *x), *b = calloc((size_t)n, sizeof *b);
        for (int i = 0; i < n; i++) {
            x[i] = test_normal(&r);
            for (int j = 0; j < n; j++) { // B B^T + 1
                for (int k = 0; k < n; k++) {
                    A[i + j * n] += B[i + k * n] * B[j + k * n];
                }
                A[i + j * n] += i == j;
            }
        }
        thud_mat_mulvec((thud_mat){n, n, n, A}, x, b);
        CHECK_INT(thud_chol_factor((thud_mat){n, n, n, A}), -1);
        thud_chol_solve((thud_mat){n, n, n, A}, b);
        for (int i = 0; i < n; i++) {
            CHECK_NEAR(b[i], x[i], 1e-12); // below 2e-14 seen
        }
        free(A);
        free(B);
        free(x);
        free(b);
    }
}

// Four rows at a time are no more than there are: neither what is above the diagonal nor what is between columns is touched.
TEST(cholesky_touches_nothing_but_the_lower_triangle_and_names_the_column_that_is_not_positive)
{
    (void)test_state;
    enum { MOST = 17, STRIDE = MOST + 2 };
    for (int n = 1; n <= MOST; n++) {
        for (int bad = 0; bad <= n; bad++) { // n: none
            double A[STRIDE * MOST];
            for (int j = 0; j < n; j++) {
                for (int i = 0; i < STRIDE; i++) {
                    A[i + j * STRIDE] = i >= n || i < j ? 7 : i == j ? (i == bad ? 0 : n) : 0.5;
                }
            }
            CHECK_INT(thud_chol_factor((thud_mat){n, n, STRIDE, A}), bad < n ? bad : -1);
            for (int j = 0; j < n; j++) {
                for (int i = 0; i < STRIDE; i++) {
                    CHECK(A[i + j * STRIDE] == 7 || (i < n && i >= j));
                }
            }
        }
    }
}

TEST(a_product_has_the_bits_of_one_column_after_the_other)
{
    (void)test_state;
    enum { MOST = 13 };
    test_rng r = {9};
    for (int rows = 1; rows <= MOST; rows++) {
        for (int cols = 1; cols <= MOST; cols++) {
            double A[MOST * MOST], x[MOST], y[MOST + 1], want[MOST] = {0};
            for (int j = 0; j < cols; j++) {
                x[j] = test_normal(&r);
                for (int i = 0; i < rows; i++) {
                    A[i + j * rows] = test_normal(&r);
                    want[i] += A[i + j * rows] * x[j];
                }
            }
            y[rows] = 7;
            thud_mat_mulvec((thud_mat){rows, cols, rows, A}, x, y);
            CHECK(memcmp(y, want, sizeof *y * (size_t)rows) == 0);
            CHECK(y[rows] == 7);
        }
    }
}

// Two vectors at the angle a, and a third across both: of the second, sin^2 a is its own, whatever its length.
TEST(cholesky_tells_what_a_row_adds_to_those_before)
{
    (void)test_state;
    for (double a = 1; a > 1e-5; a /= 10) {
        const double length = 1000,
                     A[9] = {1, length * cos(a), 0, length * cos(a), length * length, 0, 0, 0, 1e-6};
        double L[9];
        memcpy(L, A, sizeof L);
        CHECK_INT(thud_chol_factor((thud_mat){3, 3, 3, L}), -1);
        CHECK_NEAR(thud_chol_least((thud_mat){3, 3, 3, L}), sin(a) * sin(a), 1e-14);
    }
}

// Nothing on the diagonal, or next to nothing: the pivots are elsewhere.
TEST(lu_solves_where_the_diagonal_is_no_pivot)
{
    (void)test_state;
    for (int n = 2; n <= 66; n++) {
        for (int k = 0; k < 2; k++) {
            const double diagonal = k == 0 ? 0 : 1e-13;
            double A[66 * 66], b[66];
            int pivot[66];
            for (int i = 0; i < n; i++) {
                for (int j = 0; j < n; j++) {
                    A[i + j * n] = i == j ? diagonal : i == (j + 1) % n ? 2 : 1.0 / (1 + i + j);
                }
            }
            for (int i = 0; i < n; i++) { // the solution is 1 everywhere
                b[i] = 0;
                for (int j = 0; j < n; j++) {
                    b[i] += A[i + j * n];
                }
            }
            CHECK_INT(thud_lu_factor((thud_mat){n, n, n, A}, pivot), -1);
            thud_lu_solve((thud_mat){n, n, n, A}, pivot, b);
            for (int i = 0; i < n; i++) {
                CHECK_NEAR(b[i], 1, 1e-12); // worst seen 1e-14
            }
        }
    }
}

TEST(lu_names_the_column_where_a_matrix_is_singular)
{
    (void)test_state;
    double A[9] = {1, 2, 3, 0, 0, 0, 4, 5, 6}, N[1] = {NAN};
    int pivot[3];
    CHECK_INT(thud_lu_factor((thud_mat){3, 3, 3, A}, pivot), 1);
    CHECK_INT(thud_lu_factor((thud_mat){1, 1, 1, N}, pivot), 0);
}

TEST(qr_counts_the_rank_of_products_of_thin_matrices)
{
    (void)test_state;
    test_rng r = {2};
    for (int rank = 0; rank <= 20; rank += 4) {
        const int n = 20;
        double *B = random_matrix(&r, n), *A = calloc((size_t)(n * n), sizeof *A), scratch[20];
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                for (int k = 0; k < rank; k++) {
                    A[i + j * n] += B[i + k * n] * B[j + k * n];
                }
            }
        }
        CHECK_INT(thud_qr_rank((thud_mat){n, n, n, A}, 1e-10, scratch), rank);
        free(A);
        free(B);
    }
}

TEST(sparse_lu_solves_a_tridiagonal_system_and_refuses_a_singular_one)
{
    (void)test_state;
    enum { N = 500 };
    int start[N + 1], row[3 * N], entries = 0;
    double value[3 * N], b[N], x[N];
    for (int j = 0; j < N; j++) {
        start[j] = entries;
        for (int i = j > 0 ? j - 1 : 0; i <= j + 1 && i < N; i++) {
            row[entries] = i;
            value[entries++] = i == j ? 2.5 : -1;
        }
        b[j] = (j == 0 || j == N - 1 ? 1.5 : 0.5) * 1.0; // A (1 .. 1)
    }
    start[N] = entries;
    const thud_csc A = {N, N, start, row, value};
    thud_sparse_lu *lu;
    CHECK_OK(thud_sparse_lu_create(&A, &lu));
    thud_sparse_lu_solve(lu, b, x);
    for (int i = 0; i < N; i++) {
        CHECK_NEAR(x[i], 1, 1e-14); // worst seen 4e-16
    }
    thud_sparse_lu_destroy(lu);
    for (int k = start[7]; k < start[8]; k++) {
        value[k] = 0;
    }
    CHECK_INT(thud_sparse_lu_create(&A, &lu), THUD_NOT_SOLVED);
    CHECK(lu == NULL);
}

TEST(one_number_that_is_none_is_found_wherever_it_stands)
{
    enum { MOST = 40 }; // both sides of where the loops change
    static const double none[] = {NAN, INFINITY, -INFINITY};
    double x[MOST] = {0};
    for (int n = 0; n <= MOST; n++) {
        for (int i = 0; i < n; i++) {
            x[i] = i % 2 ? -1e308 : 5e-324;
        }
        CHECK(thud_all_finite(n, x));
        for (int i = 0; i < n; i++) {
            for (int k = 0; k < 3; k++) {
                const double before = x[i];
                x[i] = none[k];
                CHECK(!thud_all_finite(n, x));
                x[i] = before;
            }
        }
    }
}

TEST_MAIN(T(cholesky_touches_nothing_but_the_lower_triangle_and_names_the_column_that_is_not_positive),
          T(a_product_has_the_bits_of_one_column_after_the_other),
          T(cholesky_solves_to_rounding_at_every_size), T(cholesky_tells_what_a_row_adds_to_those_before),
          T(lu_solves_where_the_diagonal_is_no_pivot), T(one_number_that_is_none_is_found_wherever_it_stands),
          T(lu_solves_to_rounding_at_every_size_around_its_panels_and_lapacks_threshold),
          T(lu_names_the_column_where_a_matrix_is_singular),
          T(qr_counts_the_rank_of_products_of_thin_matrices),
          T(sparse_lu_solves_a_tridiagonal_system_and_refuses_a_singular_one))
