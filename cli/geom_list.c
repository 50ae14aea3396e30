// SPDX-License-Identifier: Apache-2.0
#include "geom_list.h"

#include <stdio.h>

#include "term.h"

typedef struct filter_count {
    long long pairs[THUD_FILTER_FLAT + 1];
} filter_count;

static filter_count count_filters(const thud_model *m)
{
    filter_count count = {{0}};
    for (int a = 0; a < m->geoms; a++) {
        for (int b = a + 1; b < m->geoms; b++) {
            count.pairs[thud_filter_geoms(m, a, b)]++;
        }
    }
    return count;
}

static void write_geom(json *j, const thud_model *m, int g)
{
    json_begin_line(j, NULL, '{');
    json_text(j, "name", thud_model_name(m, THUD_KIND_GEOM, g));
    json_text(j, "type", thud_shape_name(m->geom_shape[g].kind));
    json_integer(j, "body", m->geom_body[g]);
    json_integer(j, "contype", m->geom_contype[g]);
    json_integer(j, "conaffinity", m->geom_conaffinity[g]);
    json_integer(j, "condim", m->geom_condim[g]);
    json_integer(j, "priority", m->geom_priority[g]);
    json_numbers(j, "friction", m->geom_friction + 3 * (size_t)g, 3);
    json_number(j, "friction_kinetic", m->geom_friction_kinetic[g]);
    json_number(j, "restitution", m->geom_restitution[g]);
    json_number(j, "margin", m->geom_margin[g]);
    json_number(j, "gap", m->geom_gap[g]);
    json_end(j);
}

static void write_rows(json *j, const char *key, const int *row, int rows)
{
    json_begin_line(j, key, '[');
    for (int i = 0; i < rows; i++) {
        json_begin_line(j, NULL, '[');
        json_integer(j, NULL, row[2 * i]);
        json_integer(j, NULL, row[2 * i + 1]);
        json_end(j);
    }
    json_end(j);
}

void geoms_write(json *j, const thud_model *m)
{
    json_begin(j, "geom", '[');
    for (int g = 0; g < m->geoms; g++) {
        write_geom(j, m, g);
    }
    json_end(j);
    write_rows(j, "pair", m->pair_geom, m->pairs);
    write_rows(j, "exclude", m->exclude_body, m->excludes);
    const filter_count count = count_filters(m);
    json_begin_line(j, "filter", '{');
    for (int f = 0; f <= THUD_FILTER_FLAT; f++) {
        json_integer(j, thud_filter_name((thud_filter)f), count.pairs[f]);
    }
    json_end(j);
}

void geoms_print(const thud_model *m)
{
    if (m->geoms == 0) {
        return;
    }
    printf("\n%sgeoms%s\n", term_bold(stdout), term_plain(stdout));
    printf("%5s  %-28s %-9s %5s %8s %11s %6s %9s %8s %8s %7s\n", "", "name", "type", "body", "contype",
           "conaffinity", "condim", "friction", "kinetic", "restit.", "margin");
    for (int g = 0; g < m->geoms; g++) {
        const char *name = thud_model_name(m, THUD_KIND_GEOM, g);
        printf("%5d  %-28s %-9s %5d %8d %11d %6d %9.4g %8.4g %8.4g %7.4g\n", g, name ? name : "",
               thud_shape_name(m->geom_shape[g].kind), m->geom_body[g], m->geom_contype[g],
               m->geom_conaffinity[g], m->geom_condim[g], m->geom_friction[3 * (size_t)g],
               m->geom_friction_kinetic[g], m->geom_restitution[g], m->geom_margin[g]);
    }
    printf("\n%spairs of geoms%s  %d named as pairs, %d excludes of bodies\n", term_bold(stdout),
           term_plain(stdout), m->pairs, m->excludes);
    const filter_count count = count_filters(m);
    for (int f = 0; f <= THUD_FILTER_FLAT; f++) {
        if (count.pairs[f] > 0) {
            printf("  %9lld  %s\n", count.pairs[f], thud_filter_text((thud_filter)f));
        }
    }
}
