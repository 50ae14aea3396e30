// SPDX-License-Identifier: Apache-2.0
// lapack.c: the door to the LAPACK in OpenBLAS. Without them the sizes in lapack.h keep it shut.
#include "lapack.h"

#ifdef THUD_HAVE_LAPACK
#include <pthread.h>

void openblas_set_num_threads(int threads);
void dgetrf_(const int *m, const int *n, double *a, const int *lda, int *ipiv, int *info);

static void one_thread(void)
{
    openblas_set_num_threads(1);
}

void lapack_start(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, one_thread);
}

int lapack_lu_factor(thud_mat A, int *pivot)
{
    lapack_start();
    int info = 0;
    dgetrf_(&A.rows, &A.cols, A.a, &A.stride, pivot, &info);
    for (int i = 0; i < A.rows; i++) {
        pivot[i]--; // from 1, there
    }
    return info > 0 ? info - 1 : info < 0 ? 0 : -1;
}

#else

void lapack_start(void) {}

int lapack_lu_factor(thud_mat A, int *pivot)
{
    (void)A;
    (void)pivot;
    THUD_ASSERT(!"a size that only LAPACK takes, without LAPACK");
    return 0;
}

#endif
