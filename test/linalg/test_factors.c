// SPDX-License-Identifier: Apache-2.0
// LU and QR factors: what they solve, what they refuse, and how sparse ones stay.
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

TEST(lu_solves_to_rounding_at_every_size_around_its_panels)
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

// Entries of A: a diagonal that is too small for a pivot in every third column (0 in every sixth), and a few others anywhere.
static void random_sparse(test_rng *rng, int n, int others, thud_csc *A)
{
    int entries = 0;
    bool *taken = malloc(sizeof *taken * (size_t)n);
    A->rows = A->cols = n;
    for (int j = 0; j < n; j++) {
        memset(taken, 0, sizeof *taken * (size_t)n);
        taken[(j + 1) % n] = true; // a cycle of large entries: not singular
        taken[j] = j % 6 != 0;
        for (int k = 0; k < others; k++) {
            taken[test_bits(rng) % (uint64_t)n] = true;
        }
        A->start[j] = entries;
        for (int i = 0; i < n; i++) {
            if (taken[i]) {
                A->row[entries] = i;
                A->value[entries++] = i == (j + 1) % n ? 3 : i == j && j % 3 == 0 ? 1e-9 : test_normal(rng);
            }
        }
    }
    A->start[n] = entries;
    free(taken);
}

TEST(sparse_lu_solves_random_matrices_whose_diagonals_are_no_pivots)
{
    (void)test_state;
    enum { N = 400, OTHERS = 4 };
    static int start[N + 1], row[N * (OTHERS + 2)];
    static double value[N * (OTHERS + 2)], b[N], x[N], truth[N];
    test_rng rng = {11};
    for (int round = 0; round < 40; round++) {
        thud_csc A = {0, 0, start, row, value};
        random_sparse(&rng, 1 + (int)(test_bits(&rng) % N), OTHERS, &A);
        memset(b, 0, sizeof b);
        for (int j = 0; j < A.cols; j++) {
            truth[j] = test_normal(&rng);
            for (int k = start[j]; k < start[j + 1]; k++) {
                b[row[k]] += value[k] * truth[j];
            }
        }
        thud_sparse_lu *lu;
        CHECK_OK(thud_sparse_lu_create(&A, &lu));
        thud_sparse_lu_solve(lu, b, x);
        double left = 0, size = 0;
        for (int i = 0; i < A.rows; i++) {
            size = fmax(size, fabs(b[i]));
        }
        for (int j = 0; j < A.cols; j++) {
            for (int k = start[j]; k < start[j + 1]; k++) {
                b[row[k]] -= value[k] * x[j];
            }
        }
        for (int i = 0; i < A.rows; i++) {
            left = fmax(left, fabs(b[i]));
        }
        CHECK_BELOW(left / size, 1e-12); // worst seen 6.2e-14
        thud_sparse_lu_destroy(lu);
    }
}

// Eliminated first, a node that meets all others would join them all: 2 * 10^8 entries. Last, it joins none.
TEST(a_hub_does_not_fill_the_factors_of_a_wheel)
{
    (void)test_state;
    enum { N = 20000 };
    static int start[N + 1], row[5 * N];
    static double value[5 * N], b[N], x[N];
    int entries = 0;
    for (int j = 0; j < N; j++) {
        start[j] = entries;
        const int first = j > 1 ? j - 1 : 1, last = j == 0 ? N - 1 : j + 1 < N ? j + 1 : j;
        for (int i = 0; i <= last;
             i = i == 0 ? first : i + 1) { // the hub; all of the rim in its own column, else the neighbours
            row[entries] = i;
            value[entries] = i == j ? 2.0 * N : -1;
            b[i] += value[entries++];
        }
    }
    start[N] = entries;
    const thud_csc A = {N, N, start, row, value};
    thud_sparse_lu *lu;
    CHECK_OK(thud_sparse_lu_create(&A, &lu));
    thud_sparse_lu_solve(lu, b, x);
    for (int i = 0; i < N; i++) {
        CHECK_NEAR(x[i], 1, 1e-11); // 20 000 sums enter the hub. Worst seen 1.2e-12
    }
    thud_sparse_lu_destroy(lu);
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
          T(lu_solves_to_rounding_at_every_size_around_its_panels),
          T(lu_names_the_column_where_a_matrix_is_singular),
          T(qr_counts_the_rank_of_products_of_thin_matrices),
          T(sparse_lu_solves_a_tridiagonal_system_and_refuses_a_singular_one),
          T(sparse_lu_solves_random_matrices_whose_diagonals_are_no_pivots),
          T(a_hub_does_not_fill_the_factors_of_a_wheel))
