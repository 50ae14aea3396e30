// SPDX-License-Identifier: Apache-2.0
// cone.c: the room's entry: options, names, the check of a problem, and the call that every method is behind.
#include <math.h>
#include <string.h>

#include "cone_work.h"

thud_cone_options thud_cone_defaults(void)
{
    const thud_cone_options o = {.method = THUD_CONE_AUTO, .tolerance = 1e-8, .equal_compliance = true};
    return o;
}

static const char *const method_word[] = {
#define METHOD_WORD(name, word, text) word,
    THUD_CONE_METHOD_LIST(METHOD_WORD)
#undef METHOD_WORD
};

static const char *const outcome_word[] = {
#define OUTCOME_WORD(name, word, text) word,
    THUD_CONE_OUTCOME_LIST(OUTCOME_WORD)
#undef OUTCOME_WORD
};

const char *thud_cone_method_name(thud_cone_method method)
{
    const size_t k = (size_t)method;
    return k < sizeof method_word / sizeof *method_word ? method_word[k] : "unknown";
}

const char *thud_cone_outcome_name(thud_cone_outcome outcome)
{
    const size_t k = (size_t)outcome;
    return k < sizeof outcome_word / sizeof *outcome_word ? outcome_word[k] : "unknown";
}

bool thud_cone_method_find(const char *name, thud_cone_method *out)
{
    for (int k = 0; k < THUD_CONE_METHODS; k++) {
        if (strcmp(name, method_word[k]) == 0) {
            *out = (thud_cone_method)k;
            return true;
        }
    }
    return false;
}

// ---------------------------------------------------------------------------------------------- the check

static thud_status check_block(const thud_cone *c, int i, thud_diag *diag)
{
    const thud_cone_block *b = c->block + i;
    const bool contact = b->kind == THUD_CONE_KIND_CONTACT, box = b->kind == THUD_CONE_KIND_BOX;
    if (!contact && !box && b->kind != THUD_CONE_KIND_FREE) {
        return thud_fail(THUD_BAD_ARGUMENT, diag, NULL, 0, 0, "block %d is of no known kind", i);
    }
    if (b->dim < 1 || b->dim > THUD_CONE_DIM_MAX || (contact && b->dim == 5) || (box && b->dim != 1)) {
        return thud_fail(THUD_BAD_ARGUMENT, diag, NULL, 0, 0, "block %d has %d rows", i, b->dim);
    }
    for (int k = 0; contact && k < b->dim - 1; k++) {
        if (!(b->mu[k] >= 0 && b->mu[k] < INFINITY)) {
            return thud_fail(THUD_BAD_ARGUMENT, diag, NULL, 0, 0, "block %d has a friction coefficient of %g",
                             i, b->mu[k]);
        }
    }
    if (box && !(b->lo <= b->hi)) {
        return thud_fail(THUD_BAD_ARGUMENT, diag, NULL, 0, 0, "block %d has bounds %g to %g", i, b->lo,
                         b->hi);
    }
    return THUD_OK;
}

static thud_status check_sparse(const thud_cone *c, thud_diag *diag)
{
    const thud_cone_sparse *s = c->sparse;
    if (s->start[0] != 0) {
        return thud_fail(THUD_BAD_ARGUMENT, diag, NULL, 0, 0, "the first block row does not start at 0");
    }
    for (int i = 0; i < c->blocks; i++) {
        bool diagonal = false;
        if (s->start[i + 1] < s->start[i]) {
            return thud_fail(THUD_BAD_ARGUMENT, diag, NULL, 0, 0, "block row %d ends before it starts", i);
        }
        for (int k = s->start[i]; k < s->start[i + 1]; k++) {
            const int j = s->column[k];
            if (j < 0 || j >= c->blocks || (k > s->start[i] && j <= s->column[k - 1])) {
                return thud_fail(THUD_BAD_ARGUMENT, diag, NULL, 0, 0,
                                 "block row %d has its columns out of order or range", i);
            }
            diagonal = diagonal || j == i;
        }
        if (!diagonal) {
            return thud_fail(THUD_BAD_ARGUMENT, diag, NULL, 0, 0, "block row %d has no diagonal block", i);
        }
    }
    return THUD_OK;
}

thud_status thud_cone_check(const thud_cone *c, thud_diag *diag)
{
    int row = 0;
    if (c->rows < 0 || c->blocks < 0 || (c->rows > 0 && (!c->block || !c->b))) {
        return thud_fail(THUD_BAD_ARGUMENT, diag, NULL, 0, 0, "the problem has no blocks or no b");
    }
    for (int i = 0; i < c->blocks; i++) {
        if (c->block[i].row != row) {
            return thud_fail(THUD_BAD_ARGUMENT, diag, NULL, 0, 0, "block %d starts at row %d, not %d", i,
                             c->block[i].row, row);
        }
        THUD_TRY(check_block(c, i, diag));
        row += c->block[i].dim;
    }
    if (row != c->rows) {
        return thud_fail(THUD_BAD_ARGUMENT, diag, NULL, 0, 0, "the blocks cover %d of %d rows", row, c->rows);
    }
    if (c->rows == 0) {
        return THUD_OK;
    }
    if (!c->W.a) {
        return c->sparse ? check_sparse(c, diag)
                         : thud_fail(THUD_BAD_ARGUMENT, diag, NULL, 0, 0, "the problem has no W");
    }
    if (c->W.rows != c->rows || c->W.cols != c->rows || c->W.stride < c->rows) {
        return thud_fail(THUD_BAD_ARGUMENT, diag, NULL, 0, 0, "W is %d x %d for %d rows", c->W.rows,
                         c->W.cols, c->rows);
    }
    return THUD_OK;
}
