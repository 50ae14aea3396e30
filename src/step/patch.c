// SPDX-License-Identifier: Apache-2.0
// patch.c: contacts of the same two geoms with one normal, up to four at a time, one in each lane: boxes on planes and on each other,
// capsules that lie.
//
// They have one frame, and their bodies move alike. Each lane is computed as touch.c, constrain.c and thud_contact_gap_after do it
// with one contact: the numbers are the same to the last bit.
#include <thud/spatial_lanes.h>

#include "approach.h"

typedef struct run { // of contacts; beyond the last, that one
    const thud_contact *of[THUD_LANES];
} run;

THUD_INSIDE run run_from(const thud_contact *c, int count)
{
    const int last = count - 1;
    const run r = {{c, c + (last < 1 ? last : 1), c + (last < 2 ? last : 2), c + last}};
    return r;
}

THUD_INSIDE lanes points_of(const run *r)
{
    const thud_contact *const *c = r->of;
    const lanes x = {{c[0]->point.x, c[1]->point.x, c[2]->point.x, c[3]->point.x},
                     {c[0]->point.y, c[1]->point.y, c[2]->point.y, c[3]->point.y},
                     {c[0]->point.z, c[1]->point.z, c[2]->point.z, c[3]->point.z}};
    return x;
}

// As point_velocity and sim_slip (approach.h).
THUD_INSIDE lanes velocities_at(const thud_sim *sim, int body, lanes x)
{
    const int link = sim->m->body_link[body];
    const lanes none = {{0}, {0}, {0}};
    if (link < 0) {
        return none;
    }
    const thud_motion *V = &sim->V[link];
    const vec3 o = sim->d->link[link].o;
    const lanes lever = {x.x - o.x, x.y - o.y, x.z - o.z}, turning = lanes_cross(V->ang, lever);
    const lanes v = {V->lin.x + turning.x, V->lin.y + turning.y, V->lin.z + turning.z};
    return v;
}

THUD_INSIDE void slips_at(const thud_sim *sim, const thud_contact *c, lanes x, const vec3 frame[3], four u[3])
{
    const lanes v2 = velocities_at(sim, c->body2, x), v1 = velocities_at(sim, c->body1, x);
    const lanes v = {v2.x - v1.x, v2.y - v1.y, v2.z - v1.z};
    for (int k = 0; k < 3; k++) {
        lanes_dot(v, frame[k], &u[k]);
    }
}

// As touch_add, with their frame.
THUD_KERNEL static void add_run(const thud_sim *sim, const thud_contact *c, int count, int number,
                                const vec3 frame[3])
{
    const run r = run_from(c, count);
    four u[3];
    slips_at(sim, c, points_of(&r), frame, u);
    for (int k = 0; k < count; k++) {
        sim->touch[number + k] = (touch){.contact = &c[k],
                                         .gap = &sim->gap[number + k],
                                         .phi = c[k].phi,
                                         .u = {u[0][k], u[1][k], u[2][k]},
                                         .run = (uint8_t)(count - k)};
    }
}

void touch_add_run(thud_sim *sim, const thud_contact *c, int count, int number)
{
    vec3 frame[3];
    thud_contact_frame(sim->m, sim->d, c, c->normal, frame);
    add_run(sim, c, count, number, frame);
}

// ---------------------------------------------------------------------------------------------- rows

// b of the rows, without what closes the gaps: as add_turn of constrain.c.
THUD_INSIDE void turns_of(const thud_sim *sim, const touch *t, const run *at, double h,
                          const thud_contact_patch *of, four b[3])
{
    static const double TURN = 1e-4;
    const double small = TURN * sim->g * h;
    const ptrdiff_t k[THUD_LANES] = {0, at->of[1] - at->of[0], at->of[2] - at->of[0], at->of[3] - at->of[0]};
    slips_at(sim, t->contact, lanes_load(of->point), of->frame, b);
    four_of_bits much = {0};
    for (int r = 0; r < 3; r++) {
        b[r] -= (four){t[k[0]].u[r], t[k[1]].u[r], t[k[2]].u[r], t[k[3]].u[r]};
        four size = b[r];
        fours_size(&size);
        much |= size > small;
    }
    for (int r = 0; r < 3; r++) {
        b[r] = FOURS_ONLY(much, b[r]);
    }
}

// What the rows ask for: (G(q_m) - G(q)) v unless the links are where the query was, and that gaps may close.
THUD_KERNEL static void ask(const thud_sim *sim, const touch *t, int count, double h, bool there,
                            thud_contact_patch *of)
{
    const run at = run_from(t->contact, count);
    const four phi = {at.of[0]->phi, at.of[1]->phi, at.of[2]->phi, at.of[3]->phi};
    const double none = sim_no_gap(sim, h);
    four b[3] = {{0}};
    if (!there) {
        turns_of(sim, t, &at, h, of, b);
    }
    b[0] += FOURS_ONLY(phi > none, phi / h); // sim_closing
    for (int r = 0; r < 3; r++) {
        *(four_of_numbers *)of->b[r] = b[r];
    }
    *(four_of_numbers *)of->phi = phi;
}

int patch_make(thud_sim *sim, double h, bool there, int number, int count, thud_contact_patch *out)
{
    const touch *t = &sim->touch[number];
    const thud_contact *c = t->contact;
    vec3 normal = c->normal;
    int made = count;
    if (there || touch_stays(sim, c)) {
        const run r = run_from(c, made);
        lanes_store(points_of(&r), out->point);
    } else {
        made = thud_contact_patch_after(sim->m, c, made, touch_shift(sim, c->geom1, c->body1),
                                        touch_shift(sim, c->geom2, c->body2), &normal, out->point);
    }
    if (made < 2) {
        return 0;
    }
    out->contact = c;
    thud_contact_frame(sim->m, sim->d, c, normal, out->frame);
    ask(sim, t, made, h, there, out);
    return made;
}
