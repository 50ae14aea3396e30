// SPDX-License-Identifier: Apache-2.0
// cmd_solve.c: thud solve PROBLEM: one complementarity or contact problem, by one method or by all.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "json.h"
#include "solve_job.h"

enum { RANK_ROWS = 600 }; // above, counting the rank costs more than the solve: --rank asks for it

typedef struct solve_options {
    const char *solver, *random, *write;
    double tolerance;
    int count, seed;
    bool as_json, all, rank;
} solve_options;

static int fail(thud_status status, const thud_diag *diag)
{
    char line[1100];
    thud_diag_format(diag, line, sizeof line);
    fprintf(stderr, "%s\n", diag->text[0] ? line : thud_status_text(status));
    return EXIT_BAD_INPUT;
}

static void put_json(json *j, const solve_answer *a)
{
    json_integer(j, "size", a->size);
    json_integer(j, "contacts", a->contacts);
    json_text(j, "solver", a->solver);
    json_text(j, "outcome", a->outcome);
    json_integer(j, "iterations", a->iterations);
    json_number(j, "residual", a->residual);
    json_number(j, "wall_s", a->wall);
    if (a->contacts > 0) {
        json_bool(j, "equal_compliance", a->equal_compliance);
    }
    if (a->rank >= 0) {
        json_integer(j, "rank", a->rank);
    }
}

static void put_line(const solve_answer *a)
{
    printf("%-13s %-16s %9d %12.3e %12.3e\n", a->solver, a->outcome, a->iterations, a->residual, a->wall);
}

static void put_heading(void)
{
    printf("%-13s %-16s %9s %12s %12s\n", "solver", "outcome", "steps", "residual", "seconds");
}

static void put_answer(json *j, const solve_options *o, const solve_answer *a)
{
    if (!o->as_json) {
        put_line(a);
    } else if (o->all) {
        json_begin_line(j, NULL, '{');
        put_json(j, a);
        json_end(j);
    } else {
        put_json(j, a);
    }
}

static void put_size(const solve_answer *a)
{
    if (a->rank >= 0) {
        printf("%d rows, %d contacts, rank %d; %s\n", a->size, a->contacts, a->rank,
               a->equal_compliance ? "impulses of equal compliance" : "one of perhaps many solutions");
    }
}

// By one method, or by every method that the problem's kind has.
static int solve_one(const solve_options *o, solve_method m, const solve_job *job)
{
    json j;
    bool solved = false;
    thud_status status = THUD_OK;
    solve_answer first = {.rank = -1};
    if (o->as_json) {
        json_open(&j, stdout);
        json_begin(&j, NULL, o->all ? '[' : '{');
    } else {
        put_heading();
    }
    for (int k = 0; k < (o->all ? SOLVE_METHODS : 1) && status == THUD_OK; k++) {
        const solve_method method = o->all ? solve_method_at(k) : m;
        if (o->all && !(method.cone ? job->cone != NULL : job->lcp != NULL)) {
            continue;
        }
        solve_answer a = {0};
        const bool rank = job->cone && k == 0 && (o->rank || job->cone->rows <= RANK_ROWS);
        status = solve_job_run(job, method, o->tolerance, rank, &a);
        if (status == THUD_OK) {
            put_answer(&j, o, &a);
            solved = solved || a.solved;
            first = a.rank >= 0 ? a : first;
        }
    }
    if (o->as_json) {
        json_end(&j);
        json_close(&j);
    } else {
        put_size(&first);
    }
    const thud_diag none = {0};
    return status != THUD_OK ? fail(status, &none) : solved ? EXIT_DONE : EXIT_CERTIFICATE;
}

static int solve_file(const command *self, const solve_options *o, solve_method m, const char *path)
{
    solve_job job;
    thud_diag diag = {0};
    thud_status status = solve_job_read(path, &job, &diag);
    if (status == THUD_OK && o->write) {
        status = solve_job_write(&job, o->write, &diag);
    }
    const int code = status != THUD_OK ? fail(status, &diag)
                     : !solve_method_suits(m, &job)
                         ? args_usage(self, "'%s' does not solve problems of this kind", o->solver)
                         : solve_one(o, m, &job);
    solve_job_close(&job);
    return code;
}

// ---------------------------------------------------------------------------------------------- random
// classes

typedef struct tally {
    int solved, problems;
    double worst; // residual
    double *seconds;
    solve_answer last;
} tally;

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *x, int n)
{
    qsort(x, (size_t)n, sizeof *x, by_size);
    return n == 0 ? NAN : n % 2 ? x[n / 2] : 0.5 * (x[n / 2 - 1] + x[n / 2]);
}

static thud_status run_class(const solve_options *o, thud_random_class class_, solve_method m, tally *t,
                             thud_diag *diag)
{
    for (int k = 0; k < o->count; k++) {
        solve_job job;
        THUD_TRY(solve_job_random(class_, (uint64_t)o->seed + (uint64_t)k, &job));
        thud_status status = THUD_OK;
        if (solve_method_suits(m, &job)) {
            status = solve_job_run(&job, m, o->tolerance, false, &t->last);
            t->seconds[t->problems++] = t->last.cpu;
            t->solved += t->last.solved;
            t->worst = t->last.residual > t->worst || isnan(t->last.residual) ? t->last.residual : t->worst;
        }
        if (status == THUD_OK && o->write && k == 0) {
            status = solve_job_write(&job, o->write, diag);
        }
        solve_job_close(&job);
        THUD_TRY(status);
    }
    return THUD_OK;
}

static void put_tally(json *j, const solve_options *o, tally *t)
{
    const double seconds = median(t->seconds, t->problems);
    if (!o->as_json) {
        printf("%-13s %6d/%-6d %12.3e %12.3e\n", t->last.solver, t->solved, t->problems, t->worst, seconds);
        return;
    }
    json_begin_line(j, NULL, '{');
    json_text(j, "class", o->random);
    json_integer(j, "size", t->last.size);
    json_integer(j, "contacts", t->last.contacts);
    json_text(j, "solver", t->last.solver);
    json_integer(j, "problems", t->problems);
    json_integer(j, "solved", t->solved);
    json_number(j, "residual", t->worst);
    json_number(j, "cpu_s", seconds);
    json_end(j);
}

static int solve_random(const command *self, const solve_options *o, solve_method m)
{
    thud_random_class class_;
    thud_diag diag = {0};
    thud_status status = thud_random_class_parse(o->random, &class_, &diag);
    if (status != THUD_OK) {
        return args_usage(self, "%s", diag.text);
    }
    double *seconds = calloc((size_t)o->count + 1, sizeof *seconds);
    if (!seconds) {
        return fail(THUD_NO_MEMORY, &diag);
    }
    json j;
    bool all_solved = true;
    if (o->as_json) {
        json_open(&j, stdout);
        json_begin(&j, NULL, '[');
    } else {
        printf("%-13s %13s %12s %12s\n", "solver", "solved", "worst", "CPU s");
    }
    for (int k = 0; k < (o->all ? SOLVE_METHODS : 1) && status == THUD_OK; k++) {
        tally t = {.seconds = seconds};
        status = run_class(o, class_, o->all ? solve_method_at(k) : m, &t, &diag);
        if (status == THUD_OK && t.problems > 0) {
            put_tally(&j, o, &t);
            all_solved = all_solved && (o->all || t.solved == t.problems);
        }
    }
    if (o->as_json) {
        json_end(&j);
        json_close(&j);
    }
    free(seconds);
    return status != THUD_OK ? fail(status, &diag) : all_solved ? EXIT_DONE : EXIT_CERTIFICATE;
}

static int run(const command *self, int argc, char **argv)
{
    solve_options o = {.solver = "auto", .tolerance = 1e-8, .count = 20, .seed = 1};
    const arg_option table[] = {
        {"solver", ARG_TEXT, "S",
         "auto (the default), for contacts nsgs, newton, proximal or admm, for linear problems lemke, murty, "
         "judice-pires, dantzig or pgs",
         &o.solver},
        {"tolerance", ARG_POSITIVE, "EPS", "the scale-free residual asked for; 1e-8", &o.tolerance},
        {"all", ARG_FLAG, NULL, "a table of every method on the problem", &o.all},
        {"random", ARG_TEXT, "CLASS",
         "problems of a class instead of a file: positive-definite, rank-deficient, stewart-trinkle, box, "
         "doubled or "
         "stack, with a size and directions as in stack:10/4",
         &o.random},
        {"count", ARG_INT, "N", "how many random problems; 20", &o.count},
        {"seed", ARG_INT, "S", "of the first random problem; 1", &o.seed},
        {"rank", ARG_FLAG, NULL, "count the rank of W, however large", &o.rank},
        {"write", ARG_TEXT, "FILE",
         "write the (first) problem, .hdf5 or as linear text; cones become pyramids of four sides there",
         &o.write},
        {"json", ARG_FLAG, NULL, "print one JSON object (with --all or --random, a list of them)",
         &o.as_json},
    };
    int code;
    if (!args_parse(self, table, sizeof table / sizeof *table, &argc, argv, &code)) {
        return code;
    }
    solve_method m;
    if (!solve_method_find(o.solver, &m)) {
        const char *words[SOLVE_METHODS];
        for (int k = 0; k < SOLVE_METHODS; k++) {
            words[k] = solve_method_name(k);
        }
        const char *near = args_nearest(o.solver, words, SOLVE_METHODS);
        return near ? args_usage(self, "there is no solver called '%s'; did you mean %s?", o.solver, near)
                    : args_usage(self, "there is no solver called '%s'", o.solver);
    }
    if ((argc == 1) == (o.random != NULL)) {
        return args_usage(self, "give either a problem file or --random CLASS");
    }
    return o.random ? solve_random(self, &o, m) : solve_file(self, &o, m, argv[0]);
}

const command cmd_solve = {
    .name = "solve",
    .summary = "solve a contact problem (FCLIB) or a linear complementarity problem",
    .synopsis = "PROBLEM | --random CLASS [--solver S] [--tolerance EPS] [--all] [--json]",
    .about =
        "Solves one problem from zero and says how well: the residual is computed from the problem by the "
        "judge of "
        "its kind, whatever the method says of itself. PROBLEM is an FCLIB HDF5 file (contacts with exact "
        "Coulomb friction, local or global, in the plane or in space) or a linear complementarity problem as "
        "text.",
    .more = "  thud solve problem.hdf5 --all\n"
            "  thud solve --random stack:10 --count 200 --all\n"
            "  thud solve --random box --count 1 --write box.hdf5\n",
    .operands_min = 0,
    .operands_max = 1,
    .run = run,
};
