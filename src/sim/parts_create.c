// SPDX-License-Identifier: Apache-2.0
// parts_create.c: which parts a crowd has, and their sims.
#include "parts.h"

#include <math.h>

#include <thud/spatial_inline.h>

enum { LEAST = 12, LINKS_A_GROVE = 6 }; // links of a part, and of a robot on average

// Robots, not a pile: bodies in a heap are never apart.
static bool is_crowd(const thud_sim *sim)
{
    const thud_model *m = sim->m;
    bool may = m->joints >= 2 * LEAST && m->joints >= LINKS_A_GROVE * sim->d->groves && !sim->sleep &&
               !sim->above.event && thud_model_has_parts(m);
    for (int g = 0; may && g < m->geoms; g++) { // a plane that moves is everywhere
        may = m->body_link[m->geom_body[g]] < 0 || !touch_can(m, g) ||
              isfinite(thud_shape_radius(&m->geom_shape[g]));
    }
    return may;
}

static int root_of(const thud_sim *sim, int grove)
{
    return sim->m->body_root[sim->m->joint_body[sim->d->grove[grove]]];
}

// Limbs of one robot, groves that an equality ties together and those between them go into one part: tied[g]: with the next.
static void find_ties(const thud_sim *sim, bool *tied)
{
    for (int g = 0; g + 1 < sim->d->groves; g++) {
        tied[g] = root_of(sim, g) == root_of(sim, g + 1);
    }
    for (int e = 0; e < sim->m->equalities; e++) {
        int link[2];
        if (!thud_equality_links(sim->m, e, link)) {
            continue;
        }
        for (int g = 0; g < sim->d->groves; g++) {
            tied[g] = tied[g] || (sim->d->grove[g + 1] > link[0] && sim->d->grove[g + 1] <= link[1]);
        }
    }
}

// How many parts are wanted: of some dozen links, so that code and what it works on are at hand for the next robot; so
// many that two or four threads have the same to do.
static int parts_wanted(const thud_model *m)
{
    enum { LINKS_EACH = 64, EVEN = 4 };
    const int some = m->joints / LINKS_EACH + 1, wanted = (some + EVEN - 1) / EVEN * EVEN;
    return wanted < PARTS ? wanted : PARTS;
}

// Where parts begin, as links; returns how many.
static int find_parts(const thud_sim *sim, const bool *tied, int *begin)
{
    THUD_ASSERT(sim->d->groves > 0);
    const int all = sim->m->joints, wanted = parts_wanted(sim->m);
    int count = 0;
    begin[0] = 0;
    for (int g = 0; g + 1 < sim->d->groves; g++) {
        const int next = sim->d->grove[g + 1];
        const bool full = (int64_t)next * wanted >= (int64_t)(count + 1) * all;
        if (!tied[g] && full && next - begin[count] >= LEAST && all - next >= LEAST) {
            begin[++count] = next;
        }
    }
    begin[++count] = all;
    return count;
}

// Geoms come body by body, and so robot by robot: a robot is told by its root. Where they do not, it is told in pieces.
static thud_status list_solids(const thud_model *whole, crowd_part *of)
{
    const thud_model *m = of->of.m;
    of->solid = thud_alloc((size_t)m->geoms + 1, sizeof *of->solid);
    of->robot = thud_alloc((size_t)m->geoms + 1, sizeof *of->robot);
    if (!of->solid || !of->robot) {
        return THUD_NO_MEMORY;
    }
    for (int g = 0, root = -1; m->contact_on && g < m->geoms; g++) {
        const int body = m->geom_body[g];
        if (m->body_link[body] < 0 || !touch_can(whole, of->of.geom[g])) { // also by a pair with another part
            continue;
        }
        if (m->body_root[body] != root) {
            of->robot[of->robots++] = (robot){.first = of->solids};
            root = m->body_root[body];
        }
        of->solid[of->solids++] = (solid){.geom = g, .radius = thud_shape_radius(&m->geom_shape[g])};
        of->robot[of->robots - 1].end = of->solids;
    }
    return THUD_OK;
}

static thud_status create_part(thud_sim *sim, int first, int end, crowd_part *to)
{
    THUD_ASSERT(0 <= first && first < end && end <= sim->m->joints);
    thud_step_options o = sim->o;
    o.threads = 1;
    THUD_TRY(thud_model_cut(sim->m, first, end, &to->of));
    to->of.m->fixed_moment = first == 0 ? sim->m->fixed_moment : v3(0, 0, 0); // the world is weighed once
    THUD_TRY(list_solids(sim->m, to));
    THUD_TRY(thud_state_create(to->of.m, &to->state));
    THUD_TRY(whole_create(to->of.m, &o, true, &to->sim, NULL));
    to->sim->work.stop_at = &sim->work.stop;
    return THUD_OK;
}

static void number_parts(const thud_sim *sim, const int *begin, parts *p)
{
    const thud_model *m = sim->m;
    for (int k = 0; k < p->count; k++) {
        for (int i = begin[k]; i < begin[k + 1]; i++) {
            p->of_link[i] = k;
        }
    }
    for (int g = 0; g < m->geoms; g++) {
        const int link = m->body_link[m->geom_body[g]];
        p->of_geom[g] = link < 0 ? -1 : p->of_link[link];
        p->margin = thud_max(p->margin, 2 * m->geom_margin[g]);
    }
    for (int i = 0; i < m->pairs; i++) {
        p->margin = thud_max(p->margin, m->pair_margin[i]);
    }
}

thud_status parts_reserve(thud_sim *sim)
{
    parts *p = sim->above.parts;
    int *const grown =
        p ? thud_resize(p->route, ((size_t)sim->answer.warm_capacity + 1) * sizeof *grown) : NULL;
    if (p && grown) {
        p->route = grown;
        p->routes = sim->answer.warm_capacity;
    }
    return !p || grown ? THUD_OK : THUD_NO_MEMORY;
}

static thud_status create_all(thud_sim *sim, const int *begin, int count)
{
    parts *p = sim->above.parts = thud_alloc(1, sizeof *p);
    THUD_TRY(p ? THUD_OK : THUD_NO_MEMORY);
    p->part = thud_alloc((size_t)count, sizeof *p->part);
    p->rows = thud_alloc((size_t)count, sizeof *p->rows);
    p->of_link = thud_alloc((size_t)sim->m->joints, sizeof *p->of_link);
    p->of_geom = thud_alloc((size_t)sim->m->geoms + 1, sizeof *p->of_geom);
    THUD_TRY(p->part && p->rows && p->of_link && p->of_geom ? parts_reserve(sim) : THUD_NO_MEMORY);
    p->count = count;
    number_parts(sim, begin, p);
    int left = senses_felt(sim->m);
    bool lost = false;
    for (int k = 0; k < count; k++) {
        crowd_part *made = &p->part[k];
        THUD_TRY(create_part(sim, begin[k], begin[k + 1], made));
        lost = lost || (made->solids > 0 && !made->sim->sight.collider);
        left -= senses_felt(made->of.m);
    }
    // One touches nothing but another part: by itself it would not look. Or a sensor of forces is fixed to the world.
    if (lost || left > 0) {
        parts_destroy(p);
        sim->above.parts = NULL;
    }
    return THUD_OK;
}

thud_status parts_create(thud_sim *sim)
{
    if (!is_crowd(sim)) {
        return THUD_OK;
    }
    const size_t groves = (size_t)sim->d->groves;
    bool *tied = thud_alloc(groves, sizeof *tied);
    int *begin = thud_alloc(groves + 1, sizeof *begin);
    thud_status status = tied && begin ? THUD_OK : THUD_NO_MEMORY;
    if (status == THUD_OK) {
        find_ties(sim, tied);
        const int count = find_parts(sim, tied, begin);
        status = count > 1 ? create_all(sim, begin, count) : THUD_OK;
    }
    thud_free(tied);
    thud_free(begin);
    return status;
}

void parts_destroy(parts *p)
{
    if (!p) {
        return;
    }
    for (int k = 0; k < p->count; k++) {
        whole_destroy(p->part[k].sim);
        thud_state_destroy(p->part[k].state);
        thud_model_part_free(&p->part[k].of);
        thud_free(p->part[k].solid);
        thud_free(p->part[k].robot);
    }
    thud_free(p->part);
    thud_free(p->rows);
    thud_free(p->of_link);
    thud_free(p->of_geom);
    thud_free(p->route);
    thud_free(p);
}
