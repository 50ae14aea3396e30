// SPDX-License-Identifier: Apache-2.0
// solve_job.c: problems from files and random classes, and methods of both rooms behind one word.
#include "solve_job.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool is_hdf5(const char *path)
{
    static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    unsigned char start[8] = {0};
    struct stat about; // opening a pipe would wait for its writer
    FILE *f = stat(path, &about) == 0 && S_ISREG(about.st_mode) ? fopen(path, "rb") : NULL;
    const bool is = f && fread(start, 1, sizeof start, f) == sizeof start && memcmp(start, signature, 8) == 0;
    if (f) {
        fclose(f);
    }
    return is;
}

thud_status solve_job_read(const char *path, solve_job *job, thud_diag *diag)
{
    *job = (solve_job){0};
    if (!is_hdf5(path)) {
        return thud_lcp_read(path, &job->lcp, diag);
    }
    THUD_TRY(thud_fclib_read(path, &job->file, diag));
    job->cone = &job->file->cone;
    return THUD_OK;
}

thud_status solve_job_random(thud_random_class class_, uint64_t seed, solve_job *job)
{
    *job = (solve_job){0};
    THUD_TRY(thud_random_lcp(class_, seed, &job->lcp));
    if (class_.kind == THUD_RANDOM_POSITIVE_DEFINITE || class_.kind == THUD_RANDOM_RANK_DEFICIENT) {
        return THUD_OK;
    }
    const thud_status status = thud_random_contact(class_, seed, &job->random);
    if (status != THUD_OK || !(job->block = calloc((size_t)job->random->contacts, sizeof *job->block))) {
        solve_job_close(job);
        return status != THUD_OK ? status : THUD_NO_MEMORY;
    }
    const thud_random_contacts *r = job->random;
    for (int i = 0; i < r->contacts; i++) {
        job->block[i] = (thud_cone_block){
            .kind = THUD_CONE_KIND_CONTACT, .row = 3 * i, .dim = 3, .mu = {r->mu[i], r->mu[i]}};
    }
    job->view = (thud_cone){
        .rows = 3 * r->contacts, .blocks = r->contacts, .block = job->block, .W = r->W, .b = r->u_f};
    job->cone = &job->view;
    return THUD_OK;
}

static bool ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

// Linear rows as cones of one row, cones as pyramids: each kind of problem goes to either kind of file.
static thud_status write_lcp_as_cone(const thud_lcp *p, const char *path, thud_diag *diag)
{
    thud_cone_block *block = calloc((size_t)p->n + 1, sizeof *block);
    if (!block) {
        return THUD_NO_MEMORY;
    }
    const thud_cone cone = thud_lcp_as_cone(p, block);
    const thud_status status = thud_fclib_write(&cone, "thud solve", path, diag);
    free(block);
    return status;
}

static thud_status write_cone_as_lcp(const thud_cone *c, const char *path, thud_diag *diag)
{
    enum { DIRECTIONS = 4 };
    thud_lcp_problem *pyramids;
    THUD_TRY(thud_cone_pyramid(c, DIRECTIONS, &pyramids, diag));
    const thud_status status = thud_lcp_write(&pyramids->lcp, path, diag);
    thud_lcp_problem_destroy(pyramids);
    return status;
}

thud_status solve_job_write(const solve_job *job, const char *path, thud_diag *diag)
{
    if (ends_with(path, ".hdf5") || ends_with(path, ".h5")) {
        return job->cone ? thud_fclib_write(job->cone, "thud solve", path, diag)
                         : write_lcp_as_cone(&job->lcp->lcp, path, diag);
    }
    return job->lcp ? thud_lcp_write(&job->lcp->lcp, path, diag) : write_cone_as_lcp(job->cone, path, diag);
}

void solve_job_close(solve_job *job)
{
    thud_lcp_problem_destroy(job->lcp);
    thud_cone_problem_destroy(job->file);
    thud_random_contacts_destroy(job->random);
    free(job->block);
    *job = (solve_job){0};
}

// ---------------------------------------------------------------------------------------------- methods

solve_method solve_method_at(int k)
{
    return k < (int)THUD_CONE_METHODS ? (solve_method){true, k}
                                      : (solve_method){false, k - (int)THUD_CONE_METHODS};
}

const char *solve_method_name(int k)
{
    const solve_method m = solve_method_at(k);
    return m.cone ? thud_cone_method_name((thud_cone_method)m.which)
                  : thud_lcp_method_name((thud_lcp_method)m.which);
}

bool solve_method_find(const char *word, solve_method *out)
{
    for (int k = 0; k < SOLVE_METHODS; k++) {
        if (strcmp(word, solve_method_name(k)) == 0) {
            *out = solve_method_at(k);
            return true;
        }
    }
    return false;
}

bool solve_method_suits(solve_method m, const solve_job *job)
{
    return m.cone ? job->cone != NULL || m.which == THUD_CONE_AUTO : job->lcp != NULL;
}

static thud_status run_lcp(const thud_lcp *p, thud_lcp_method method, double tolerance, solve_answer *out)
{
    int boxed = 0;
    for (int i = 0; i < p->n; i++) {
        boxed += p->hi && isfinite(p->hi[i]) && (!p->lo || isfinite(p->lo[i]));
    }
    thud_arena *arena = NULL;
    double *z = calloc((size_t)p->n + 1, sizeof *z);
    if (!z || thud_arena_create(thud_lcp_scratch_bytes(p->n, boxed, method), &arena) != THUD_OK) {
        free(z);
        return THUD_NO_MEMORY;
    }
    thud_lcp_options o = thud_lcp_defaults(method);
    o.tolerance = tolerance;
    const double wall = thud_clock_wall(), cpu = thud_clock_cpu();
    const thud_lcp_report r = thud_lcp_solve(p, &o, arena, z);
    *out = (solve_answer){.solver = thud_lcp_method_name(method),
                          .outcome = thud_lcp_outcome_name(r.outcome),
                          .solved = r.outcome == THUD_LCP_SOLVED,
                          .size = p->n,
                          .iterations = r.pivots,
                          .rank = -1,
                          .residual = r.relative,
                          .wall = thud_clock_wall() - wall,
                          .cpu = thud_clock_cpu() - cpu};
    thud_arena_destroy(arena);
    free(z);
    return THUD_OK;
}

static thud_status run_cone(const thud_cone *c, thud_cone_method method, double tolerance, bool want_rank,
                            solve_answer *out)
{
    const size_t rows = (size_t)c->rows, dense = want_rank ? rows * (rows + 1) * sizeof(double) + 256 : 0;
    const size_t bytes = thud_cone_scratch(c);
    thud_arena *arena = NULL;
    double *p = calloc(rows + 1, sizeof *p);
    if (!p || thud_arena_create(bytes > dense ? bytes : dense, &arena) != THUD_OK) {
        free(p);
        return THUD_NO_MEMORY;
    }
    thud_cone_options o = thud_cone_defaults();
    o.method = method;
    o.tolerance = tolerance;
    const double wall = thud_clock_wall(), cpu = thud_clock_cpu();
    const thud_cone_report r = thud_cone_solve(c, &o, arena, p);
    *out = (solve_answer){.solver = thud_cone_method_name(method),
                          .outcome = thud_cone_outcome_name(r.outcome),
                          .solved = r.outcome == THUD_CONE_SOLVED,
                          .size = c->rows,
                          .iterations = r.iterations,
                          .rank = -1,
                          .equal_compliance = r.equal_compliance,
                          .residual = r.residual,
                          .wall = thud_clock_wall() - wall,
                          .cpu = thud_clock_cpu() - cpu};
    for (int i = 0; i < c->blocks; i++) {
        out->contacts += c->block[i].kind == THUD_CONE_KIND_CONTACT;
    }
    out->rank = want_rank ? thud_cone_rank(c, arena) : -1;
    thud_arena_destroy(arena);
    free(p);
    return THUD_OK;
}

thud_status solve_job_run(const solve_job *job, solve_method m, double tolerance, bool want_rank,
                          solve_answer *out)
{
    if (m.cone && job->cone) {
        return run_cone(job->cone, (thud_cone_method)m.which, tolerance, want_rank, out);
    }
    return run_lcp(&job->lcp->lcp, m.cone ? THUD_LCP_LEMKE : (thud_lcp_method)m.which, tolerance, out);
}
