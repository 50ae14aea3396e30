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
    THUD_TRY(model_check_surface(b, &p->surface, NULL, p->place));
    return good ? THUD_OK
                : FAIL_AT(b, p->place, "friction, margin or gap of a pair is not a number it can be");
}

static void fill_pair(thud_model *m, int row, const thud_spec_pair *p)
{
    m->pair_condim[row] = p->condim;
    m->pair_margin[row] = p->margin;
    m->pair_gap[row] = p->gap;
    m->pair_restitution[row] = p->surface.restitution;
    m->pair_friction_viscous[row] = p->surface.viscous;
    m->pair_stribeck[row] = p->surface.stribeck;
    for (int k = 0; k < 2; k++) {
        m->pair_friction_kinetic[2 * row + k] = model_kinetic(p->surface.kinetic[k], p->friction[k]);
    }
    memcpy(m->pair_friction + 5 * (size_t)row, p->friction, sizeof p->friction);
}

// pair_of[row] becomes the index in the spec.
static thud_status build_pairs(builder *b, const int *geom_at, int *pair_of)
{
    thud_model *m = b->m;
    for (int i = 0; i < m->pairs; i++) {
        const thud_spec_pair *p = &b->spec->pair[i];
        THUD_TRY(check_pair(b, p));
        const int row = open_row(m->pair_geom, i, geom_at[p->geom1], geom_at[p->geom2]);
        memmove(pair_of + row + 1, pair_of + row, (size_t)(i - row) * sizeof *pair_of);
        pair_of[row] = i;
    }
    for (int row = 0; row < m->pairs; row++) {
        fill_pair(m, row, &b->spec->pair[pair_of[row]]);
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
    const size_t geoms = (size_t)b->m->geoms;
    int *geom_at = thud_alloc(geoms + (size_t)b->m->pairs, sizeof *geom_at); // by index in the spec
    if (!geom_at) {
        return THUD_NO_MEMORY;
    }
    for (int g = 0; g < b->m->geoms; g++) {
        geom_at[b->geom_of[g]] = g;
    }
    const thud_status status = build_pairs(b, geom_at, geom_at + geoms);
    thud_free(geom_at);
    return status == THUD_OK ? build_excludes(b) : status;
}
