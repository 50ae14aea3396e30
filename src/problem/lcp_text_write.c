// SPDX-License-Identifier: Apache-2.0
// lcp_text_write.c: writes the plain-text LCP file, to PATH.part first and under its name at the end.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <thud/problem_lcp.h>

// The shortest of 15 and 17 digits that reads back as the same number, with a point whatever the locale says.
static void write_number(FILE *file, double x)
{
    char text[40];
    snprintf(text, sizeof text, "%.15g", x);
    if (strtod(text, NULL) != x) {
        snprintf(text, sizeof text, "%.17g", x);
    }
    char *comma = strchr(text, ',');
    if (comma) {
        *comma = '.';
    }
    fputs(text, file);
}

static void write_vector(FILE *file, const char *name, int n, const double *x)
{
    if (!x) {
        return;
    }
    fputs(name, file);
    for (int i = 0; i < n; i++) {
        fputs(i % 8 == 0 ? "\n  " : " ", file);
        write_number(file, x[i]);
    }
    fputc('\n', file);
}

static double element(const thud_lcp *p, int i, int j)
{
    return p->M.a[(size_t)i + (size_t)j * (size_t)p->M.stride];
}

static bool is_written(double x) // also -0, whose sign would be lost
{
    return x != 0 || signbit(x);
}

static void write_matrix(FILE *file, const thud_lcp *p)
{
    size_t count = 0;
    for (int j = 0; j < p->n; j++) {
        for (int i = 0; i < p->n; i++) {
            count += is_written(element(p, i, j));
        }
    }
    const bool sparse = 3 * count < (size_t)p->n * (size_t)p->n;
    if (sparse) {
        fprintf(file, "M sparse %zu\n", count);
    } else {
        fputs("M dense\n", file);
    }
    for (int i = 0; i < p->n; i++) {
        for (int j = 0; j < p->n; j++) {
            if (sparse && is_written(element(p, i, j))) {
                fprintf(file, "  %d %d ", i + 1, j + 1);
                write_number(file, element(p, i, j));
                fputc('\n', file);
            } else if (!sparse) {
                fputs(j == 0 ? "  " : " ", file);
                write_number(file, element(p, i, j));
            }
        }
        if (!sparse) {
            fputc('\n', file);
        }
    }
}

static void write_problem(FILE *file, const thud_lcp *p)
{
    fprintf(file, "thud-lcp 1\nn %d\n", p->n);
    write_matrix(file, p);
    write_vector(file, "q", p->n, p->q);
    write_vector(file, "lo", p->n, p->lo);
    write_vector(file, "hi", p->n, p->hi);
    write_vector(file, "q_size", p->n, p->q_size);
    fputs("end\n", file);
}

thud_status thud_lcp_write(const thud_lcp *p, const char *path, thud_diag *diag)
{
    static const char ending[] = ".part";
    const size_t size = strlen(path) + sizeof ending;
    char *part = thud_alloc(size, 1);
    if (!part) {
        return thud_fail(THUD_NO_MEMORY, diag, path, 0, 0, "there is no memory for the name of the file");
    }
    snprintf(part, size, "%s%s", path, ending);
    FILE *file = fopen(part, "wb");
    bool whole = false;
    if (file) {
        write_problem(file, p);
        whole = !ferror(file);
        whole = fclose(file) == 0 && whole && rename(part, path) == 0;
    }
    const int why = errno;
    if (file && !whole) {
        remove(part);
    }
    thud_free(part);
    return whole ? THUD_OK
                 : thud_fail(THUD_BAD_FILE, diag, path, 0, 0, "the file could not be written: %s",
                             strerror(why));
}
