// SPDX-License-Identifier: Apache-2.0
// lcp_text_write.c: writes the plain-text LCP file, which appears whole or not at all.
#include <math.h>
#include <stdio.h>

#include <thud/base_output.h>
#include <thud/problem_lcp.h>

static void write_number(FILE *file, double x)
{
    char text[THUD_NUMBER_SIZE];
    thud_number_format(x, text);
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
    thud_output o;
    THUD_TRY(thud_output_open(path, &o, diag));
    write_problem(o.file, p);
    return thud_output_close(&o, diag);
}
