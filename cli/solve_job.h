// SPDX-License-Identifier: Apache-2.0
// solve_job.h: one complementarity or contact problem for `thud solve`, from a file or a random class, and a
// method's answer to it.
#pragma once

#include <thud/thud.h>

// Either lcp or cone is there, or both: the contacts of a random class are also the LCP of their pyramid.
typedef struct solve_job {
    thud_lcp_problem *lcp;
    const thud_cone *cone;
    thud_cone_problem *file;      // what cone is a view of: a file's problem,
    thud_random_contacts *random; // or a random one with these
    thud_cone view;
    thud_cone_block *block;
} solve_job;

thud_status solve_job_read(const char *path, solve_job *job, thud_diag *diag); // HDF5: FCLIB; else LCP text
thud_status solve_job_random(thud_random_class class_, uint64_t seed, solve_job *job);
thud_status solve_job_write(const solve_job *job, const char *path, thud_diag *diag); // .hdf5/.h5, or text
void solve_job_close(solve_job *job);

// A method of either room, by its word.
typedef struct solve_method {
    bool cone;
    int which; // thud_cone_method or thud_lcp_method
} solve_method;

enum { SOLVE_METHODS = (int)THUD_CONE_METHODS + (int)THUD_LCP_METHODS };
const char *solve_method_name(int k); // 0 .. SOLVE_METHODS - 1: auto and the cone's first
bool solve_method_find(const char *word, solve_method *out);
bool solve_method_suits(solve_method m, const solve_job *job); // the job has a problem of its room
solve_method solve_method_at(int k);

typedef struct solve_answer {
    const char *solver, *outcome;
    bool solved;
    int size, contacts, iterations, rank; // contacts 0 for an LCP; rank -1: not asked
    bool equal_compliance;
    double residual, wall, cpu; // seconds
} solve_answer;

// Solves from zero. THUD_NO_MEMORY is the only failure; all else is in the answer.
thud_status solve_job_run(const solve_job *job, solve_method m, double tolerance, bool want_rank,
                          solve_answer *out);
