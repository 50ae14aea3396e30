// SPDX-License-Identifier: Apache-2.0
// parts_state.c: copies between the states of parts and of the whole.
#include "parts.h"

#include <string.h>

static int part_of(const int *list, int count, int i) // -1: there is no such number
{
    return i >= 0 && i < count ? list[i] : -1;
}

static int part_of_equality(const thud_sim *sim, int e)
{
    int link[2];
    const bool any = e < sim->m->equalities && thud_equality_links(sim->m, e, link);
    return any ? sim->above.parts->of_link[link[1]] : -1;
}

// Whose impulses they are; -1: that is not known; count: of two parts.
static int owner(const thud_sim *sim, uint64_t id)
{
    const thud_model *m = sim->m;
    const parts *p = sim->above.parts;
    thud_row_source source;
    int number, geom[2];
    if (!thud_row_id_read(id, &source, &number)) {
        if (!thud_contact_id_geoms(id, geom)) {
            return -1;
        }
        const int one = part_of(p->of_geom, m->geoms, geom[0]), two = part_of(p->of_geom, m->geoms, geom[1]);
        const bool shared = one >= 0 && two >= 0 && one != two; // they were together
        return shared ? p->count : one < 0 ? two : one;
    }
    switch (source) {
    case THUD_ROW_LIMIT:
        return part_of(p->of_link, m->joints, number / 2);
    case THUD_ROW_DRY:
        return part_of(p->of_link, m->joints, number < m->nv ? m->dof_link[number] : -1);
    default:
        return part_of_equality(sim, source == THUD_ROW_AXIS ? number / 16 : number);
    }
}

void parts_route(thud_sim *sim, const thud_state *s)
{
    THUD_ASSERT(s->warm_count <= sim->above.parts->routes);
    for (int i = 0; i < s->warm_count; i++) {
        sim->above.parts->route[i] = owner(sim, s->warm[i].id);
    }
}

// The part's own of the whole's numbers.
static void copy_listed(int count, const int *list, const double *from, double *to)
{
    for (int i = 0; i < count; i++) {
        to[i] = from[list[i]];
    }
}

static bool load_impulses(const parts *p, int k, const thud_state *s)
{
    thud_state *own = p->part[k].state;
    own->warm_count = 0;
    own->warm_h = s->warm_h;
    for (int i = 0; p->part[k].sim->constrained && i < s->warm_count; i++) {
        if (p->route[i] == k || p->route[i] < 0) {
            if (own->warm_count == own->warm_capacity) {
                return false;
            }
            own->warm[own->warm_count++] = s->warm[i];
        }
    }
    return true;
}

thud_status parts_load(const parts *p, int k, const thud_state *s)
{
    THUD_ASSERT(k >= 0 && k < p->count);
    crowd_part *to = &p->part[k];
    thud_state *own = to->state;
    const size_t q = (size_t)own->nq * sizeof(double), v = (size_t)own->nv * sizeof(double);
    to->known = to->known && memcmp(own->qpos, s->qpos + to->of.q, q) == 0 &&
                memcmp(own->qvel, s->qvel + to->of.v, v) == 0;
    memcpy(own->qpos, s->qpos + to->of.q, q);
    memcpy(own->qvel, s->qvel + to->of.v, v);
    for (int i = 0; i < THUD_STATE_DIFFERENCES; i++) {
        memcpy(own->acc + i * own->nv, s->acc + i * s->nv + to->of.v, v);
    }
    copy_listed(own->nu, to->of.actuator, s->ctrl, own->ctrl);
    copy_listed(own->na, to->of.activation, s->act, own->act);
    own->steps = s->steps;
    own->time = s->time;
    return load_impulses(p, k, s) ? THUD_OK : THUD_NO_MEMORY;
}

void parts_save(const crowd_part *from, thud_state *s)
{
    const thud_state *own = from->state;
    const size_t v = (size_t)own->nv * sizeof(double);
    memcpy(s->qpos + from->of.q, own->qpos, (size_t)own->nq * sizeof(double));
    memcpy(s->qvel + from->of.v, own->qvel, v);
    for (int i = 0; i < THUD_STATE_DIFFERENCES; i++) {
        memcpy(s->acc + i * s->nv + from->of.v, own->acc + i * own->nv, v);
    }
    for (int i = 0; i < own->na; i++) {
        s->act[from->of.activation[i]] = own->act[i];
    }
}

int parts_count_impulses(const parts *p)
{
    int count = 0;
    for (int k = 0; k < p->count; k++) {
        count += p->part[k].state->warm_count;
    }
    return count;
}

// The impulses of all, sorted by id as those of each are.
void parts_merge_impulses(const parts *p, double h, thud_state *s)
{
    THUD_ASSERT(p->count <= PARTS && parts_count_impulses(p) <= s->warm_capacity);
    uint64_t head[PARTS]; // id of the next of each
    int next[PARTS] = {0}, left = parts_count_impulses(p);
    for (int k = 0; k < p->count; k++) {
        const thud_state *own = p->part[k].state;
        head[k] = own->warm_count > 0 ? own->warm[0].id : UINT64_MAX;
    }
    s->warm_count = left;
    s->warm_h = h;
    for (thud_warm *to = s->warm; left > 0; left--, to++) {
        int least = 0;
        for (int k = 1; k < p->count; k++) {
            least = head[k] < head[least] ? k : least;
        }
        const thud_state *own = p->part[least].state;
        *to = own->warm[next[least]++];
        head[least] = next[least] < own->warm_count ? own->warm[next[least]].id : UINT64_MAX;
    }
}
