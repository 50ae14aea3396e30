// SPDX-License-Identifier: Apache-2.0
// sparse_lu.c: LU factors of a sparse matrix: UMFPACK, or the dense kernels where it is not built in.
#include <math.h>
#include <string.h>

#include "lapack.h"

#ifdef THUD_HAVE_UMFPACK
#include <umfpack.h>

struct thud_sparse_lu {
    const thud_csc *A;
    void *numeric;
    double control[UMFPACK_CONTROL];
};

thud_status thud_sparse_lu_create(const thud_csc *A, thud_sparse_lu **out)
{
    lapack_start();
    *out = NULL;
    thud_sparse_lu *lu = thud_alloc(1, sizeof *lu);
    if (!lu) {
        return THUD_NO_MEMORY;
    }
    void *symbolic = NULL;
    umfpack_di_defaults(lu->control);
    lu->control[UMFPACK_IRSTEP] = 0; // callers judge their own residuals
    lu->A = A;
    int status =
        umfpack_di_symbolic(A->rows, A->cols, A->start, A->row, A->value, &symbolic, lu->control, NULL);
    if (status == UMFPACK_OK) {
        status = umfpack_di_numeric(A->start, A->row, A->value, symbolic, &lu->numeric, lu->control, NULL);
    }
    umfpack_di_free_symbolic(&symbolic);
    if (status != UMFPACK_OK) {
        thud_sparse_lu_destroy(lu);
        return status == UMFPACK_ERROR_out_of_memory ? THUD_NO_MEMORY : THUD_NOT_SOLVED;
    }
    *out = lu;
    return THUD_OK;
}

void thud_sparse_lu_solve(const thud_sparse_lu *lu, const double *b, double *x)
{
    const thud_csc *A = lu->A;
    const int status =
        umfpack_di_solve(UMFPACK_A, A->start, A->row, A->value, x, b, lu->numeric, lu->control, NULL);
    if (status != UMFPACK_OK) { // out of memory: an answer that no residual takes for one
        for (int i = 0; i < A->rows; i++) {
            x[i] = NAN;
        }
    }
}

void thud_sparse_lu_destroy(thud_sparse_lu *lu)
{
    if (lu) {
        umfpack_di_free_numeric(&lu->numeric);
        thud_free(lu);
    }
}

#else

struct thud_sparse_lu {
    thud_mat LU;
    int *pivot;
};

thud_status thud_sparse_lu_create(const thud_csc *A, thud_sparse_lu **out)
{
    const size_t n = (size_t)A->rows;
    *out = NULL;
    thud_sparse_lu *lu = thud_alloc(1, sizeof *lu);
    if (!lu) {
        return THUD_NO_MEMORY;
    }
    lu->LU =
        (thud_mat){A->rows, A->cols, A->rows, n <= SIZE_MAX / n ? thud_alloc(n * n, sizeof(double)) : NULL};
    lu->pivot = thud_alloc(n, sizeof(int));
    if (!lu->LU.a || !lu->pivot) {
        thud_sparse_lu_destroy(lu);
        return THUD_NO_MEMORY;
    }
    for (int j = 0; j < A->cols; j++) {
        for (int k = A->start[j]; k < A->start[j + 1]; k++) {
            lu->LU.a[(size_t)A->row[k] + (size_t)j * n] = A->value[k];
        }
    }
    if (thud_lu_factor(lu->LU, lu->pivot) >= 0) {
        thud_sparse_lu_destroy(lu);
        return THUD_NOT_SOLVED;
    }
    *out = lu;
    return THUD_OK;
}

void thud_sparse_lu_solve(const thud_sparse_lu *lu, const double *b, double *x)
{
    memcpy(x, b, sizeof *x * (size_t)lu->LU.rows);
    thud_lu_solve(lu->LU, lu->pivot, x);
}

void thud_sparse_lu_destroy(thud_sparse_lu *lu)
{
    if (lu) {
        thud_free(lu->LU.a);
        thud_free(lu->pivot);
        thud_free(lu);
    }
}

#endif
