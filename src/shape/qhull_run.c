// SPDX-License-Identifier: Apache-2.0
// qhull_run.c: a call of the reentrant qhull library, kept silent and in bounds.
//
// qhull reports by printing and by longjmp. It prints here into a small buffer, from which one sentence is
// kept, and jumps back into run_guarded, which owns nothing that a jump could lose: all state is in the job.
#include "qhull_run.h"

#ifdef THUD_HAVE_QHULL

#include <libqhull_r/qhull_ra.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <thud/spatial_inline.h>

typedef struct job {
    qhT qh;
    FILE *printed;
    const vec3 *point;
    int count;
    char command[80];
    polygons *out;
    bool no_memory;
    int exit_code;
} job;

static void reverse(int *item, int count)
{
    for (int i = 0, j = count - 1; i < j; i++, j--) {
        const int swapped = item[i];
        item[i] = item[j];
        item[j] = swapped;
    }
}

// Appends one facet, turned counter-clockwise about its outward normal.
static bool add_facet(job *j, facetT *facet)
{
    qhT *qh = &j->qh;
    setT *loop = qh_facet3vertex(qh, facet);
    const int size = qh_setsize(qh, loop);
    bool ok = polygon_begin(j->out);
    for (int k = 0; k < size && ok; k++) {
        ok = polygon_corner(j->out, qh_pointid(qh, SETelemt_(loop, k, vertexT)->point));
    }
    qh_settempfree(qh, &loop);
    if (ok) {
        int *corner = j->out->corner + j->out->corners - size;
        const vec3 normal = polygon_normal(j->point, corner, size);
        if (v3_dot(normal, v3(facet->normal[0], facet->normal[1], facet->normal[2])) < 0) {
            reverse(corner, size);
        }
    }
    return ok;
}

static void run_guarded(job *j)
{
    qhT *qh = &j->qh;
    j->exit_code = setjmp(qh->errexit);
    if (j->exit_code != 0) {
        return;
    }
    qh->NOerrexit = False;
    qh_initflags(qh, j->command);
    qh_init_B(qh, (coordT *)&j->point[0].x, j->count, 3, False);
    qh_qhull(qh);
    facetT *facet;
    FORALLfacets
    {
        if (!add_facet(j, facet)) {
            j->no_memory = true;
            return;
        }
    }
}

// The first line that qhull printed, without its newline.
static void first_line(const char *printed, char *said, size_t size)
{
    const size_t length = strcspn(printed, "\n");
    snprintf(said, size, "%.*s", (int)(length < size ? length : size - 1), printed);
}

thud_status qhull_run(const vec3 *point, int count, int max_vertices, double tolerance, polygons *out,
                      char *said, size_t said_size)
{
    char printed[512] = "";
    job *j = thud_alloc(1, sizeof *j);
    if (!j || !(j->printed = fmemopen(printed, sizeof printed - 1, "w"))) {
        thud_free(j);
        return THUD_NO_MEMORY;
    }
    j->point = point;
    j->count = count;
    j->out = out;
    int length = tolerance > 0 ? snprintf(j->command, sizeof j->command, "qhull C%.6e", tolerance)
                               : snprintf(j->command, sizeof j->command, "qhull Qt");
    if (max_vertices >= 0) { // TAn: n points after the first simplex
        snprintf(j->command + length, sizeof j->command - (size_t)length, " TA%d", max_vertices - 4);
    }
    qh_zero(&j->qh, j->printed);
    qh_init_A(&j->qh, NULL, NULL, j->printed, 0, NULL);
    run_guarded(j);
    j->qh.NOerrexit = True;
    int left, left_bytes;
    qh_freeqhull(&j->qh, qh_ALL);
    qh_memfreeshort(&j->qh, &left, &left_bytes);
    fclose(j->printed);
    first_line(printed, said, said_size);
    const thud_status status = j->no_memory || j->exit_code == qh_ERRmem ? THUD_NO_MEMORY
                               : j->exit_code != 0                       ? THUD_BAD_MODEL
                                                                         : THUD_OK;
    thud_free(j);
    return status;
}

#else

thud_status qhull_run(const thud_vec3 *point, int count, int max_vertices, double tolerance, polygons *out,
                      char *said, size_t said_size)
{
    (void)point, (void)count, (void)max_vertices, (void)tolerance, (void)out, (void)said, (void)said_size;
    return THUD_UNSUPPORTED;
}

#endif
