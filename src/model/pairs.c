// SPDX-License-Identifier: Apache-2.0
// pairs.c: contact pairs and excludes, each with its lower index first and all in ascending order, so that
// they can be found by halving.
#include <math.h>
#include <string.h>

#include <thud/spec_elements.h>

#include "build.h"

static bool comes_before(const int x[2], const int y[2])
{
    return x[0] < y[0] || (x[0] == y[0] && x[1] < y[1]);
}

static void set_ordered(int row[2], int i, int j)
{
    row[0] = i < j ? i : j;
    row[1] = i < j ? j : i;
}

// The row in which (i, j) goes among the `count` sorted ones, those after it moved up by one.
static int open_row(int *rows, int count, int i, int j)
{
    int key[2], r = count;
    set_ordered(key, i, j);
    for (; r > 0 && comes_before(key, rows + 2 * (size_t)(r - 1)); r--) {
        memcpy(rows + 2 * (size_t)r, rows + 2 * (size_t)(r - 1), sizeof key);
    }
    memcpy(rows + 2 * (size_t)r, key, sizeof key);
    return r;
}

static void open_gap(void *array, int at, int count, size_t size)
{
    char *gap = (char *)array + (size_t)at * size;
    memmove(gap + size, gap, (size_t)(count - at) * size);
}

static thud_status check_pair(builder *b, const thud_spec_pair *p)
{
    const int geoms = b->spec->geoms;
    if (p->geom1 < 0 || p->geom1 >= geoms || p->geom2 < 0 || p->geom2 >= geoms || p->geom1 == p->geom2) {
        return FAIL_AT(b, p->place, "a pair needs two different geoms");
    }
    if (p->condim != 1 && p->condim != 3 && p->condim != 4 && p->condim != 6) {
        return FAIL_AT(b, p->place, "condim of a pair is %d; it must be 1, 3, 4 or 6", p->condim);
    }
    bool good = isfinite(p->margin) && isfinite(p->gap);
    for (int k = 0; k < 5; k++) {
        good = good && isfinite(p->friction[k]) && p->friction[k] >= 0;
    }
    return good ? THUD_OK
                : FAIL_AT(b, p->place, "friction, margin or gap of a pair is not a number it can be");
}

static thud_status build_pairs(builder *b, const int *geom_at)
{
    thud_model *m = b->m;
    for (int i = 0; i < m->pairs; i++) {
        const thud_spec_pair *p = &b->spec->pair[i];
        THUD_TRY(check_pair(b, p));
        const int row = open_row(m->pair_geom, i, geom_at[p->geom1], geom_at[p->geom2]);
        open_gap(m->pair_condim, row, i, sizeof *m->pair_condim);
        open_gap(m->pair_margin, row, i, sizeof *m->pair_margin);
        open_gap(m->pair_gap, row, i, sizeof *m->pair_gap);
        open_gap(m->pair_friction, row, i, sizeof p->friction);
        m->pair_condim[row] = p->condim;
        m->pair_margin[row] = p->margin;
        m->pair_gap[row] = p->gap;
        memcpy(m->pair_friction + 5 * (size_t)row, p->friction, sizeof p->friction);
    }
    return THUD_OK;
}

static thud_status build_excludes(builder *b)
{
    thud_model *m = b->m;
    for (int i = 0; i < m->excludes; i++) {
        const thud_spec_exclude *e = &b->spec->exclude[i];
        if (e->body1 < 0 || e->body1 >= m->bodies || e->body2 < 0 || e->body2 >= m->bodies) {
            return FAIL_AT(b, e->place, "an exclude needs two bodies");
        }
        open_row(m->exclude_body, i, e->body1, e->body2);
    }
    return THUD_OK;
}

thud_status model_build_pairs(builder *b)
{
    int *geom_at = thud_alloc((size_t)b->m->geoms, sizeof *geom_at); // by index in the spec
    if (!geom_at) {
        return THUD_NO_MEMORY;
    }
    for (int g = 0; g < b->m->geoms; g++) {
        geom_at[b->geom_of[g]] = g;
    }
    const thud_status status = build_pairs(b, geom_at);
    thud_free(geom_at);
    return status == THUD_OK ? build_excludes(b) : status;
}
