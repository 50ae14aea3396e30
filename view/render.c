// SPDX-License-Identifier: Apache-2.0
// render.c: what there is to see: bodies at a moment, the ground, contact forces. The viewer of reports shows
// the same (web/src/bodies.js, ground.js, contacts.js).
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <thud/spatial_inline.h>

#include "paint.h"
#include "tessellate.h"
#include "viewpoint.h"

enum { FORCES = 4 }; // surfaces: sticks, slides, and their cones

static const double sticks[3] = {0.071, 0.565, 0.420}, slides[3] = {0.910, 0.349, 0.047};

// ---------------------------------------------------------------------------------------- surfaces

// The samples of a pixel that a surface of this opacity covers: spread evenly, and others for another geom.
static unsigned samples_for(double opacity, int geom)
{
    static const int rank[SAMPLES * SAMPLES] = {0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5};
    unsigned samples = 0;
    for (int i = 0; i < SAMPLES * SAMPLES; i++) {
        const bool covered = rank[(i + 5 * geom) % (SAMPLES * SAMPLES)] + 0.5 < opacity * SAMPLES * SAMPLES;
        samples |= (unsigned)covered << i;
    }
    return samples;
}

static void set_colour(surface *s, const double rgb[3])
{
    for (int k = 0; k < 3; k++) {
        s->rgb[k] = paint_linear(rgb[k]);
    }
}

static void colour_geoms(renderer *r)
{
    for (int g = 0; g < r->solids.geoms; g++) {
        double rgb[3];
        solids_colour(&r->solids, g, rgb);
        r->surface[g] =
            (surface){.kind = SURFACE_SOLID, .samples = samples_for(r->solids.geom[g].rgba[3], g)};
        set_colour(&r->surface[g], rgb);
    }
}

static void colour_forces(renderer *r)
{
    for (int i = 0; i < FORCES; i++) {
        surface *to = &r->surface[r->surfaces++];
        *to = (surface){.kind = SURFACE_GLOW, .samples = i < 2 ? SAMPLES_ALL : samples_for(0.25, i)};
        set_colour(to, i % 2 ? slides : sticks);
    }
}

// ---------------------------------------------------------------------------------------- what stands still

// Pieces a turn, so that a circle of this radius looks round in the picture.
static int pieces_for(const renderer *r, const solid *s)
{
    const double radius = s->kind == THUD_SHAPE_ELLIPSOID ? s->radius : s->size[0];
    const double pixels = radius / r->size * r->look.high;
    const int pieces = 4 * (int)ceil(0.9 * sqrt(pixels));
    return pieces < 12 ? 12 : pieces > 96 ? 96 : pieces;
}

static void tessellate_geoms(renderer *r)
{
    for (int g = 0; g < r->solids.geoms; g++) {
        if (solids_shown(&r->solids, g)) {
            tessellate_solid(&r->local, &r->solids, g, g, pieces_for(r, &r->solids.geom[g]));
        }
    }
}

static void add_ground(renderer *r, thud_pose X, double a, double b)
{
    const bool finite = a > 0 && b > 0 && a < 20 * r->size;
    r->surface[r->surfaces] = (surface){.kind = SURFACE_GROUND, .samples = SAMPLES_ALL, .X = X};
    tessellate_rectangle(&r->world, X, finite ? a : 200 * r->size, finite ? b : 200 * r->size, r->surfaces++);
}

// Planes; and for a scene without a floor one just below everything, to cast shadows on.
static void add_grounds(renderer *r)
{
    double lowest = r->bounds.lo.z;
    bool any = false;
    r->surfaces = r->grounds;
    for (int g = 0; g < r->solids.geoms; g++) {
        const solid *s = &r->solids.geom[g];
        if (s->kind == THUD_SHAPE_PLANE) {
            add_ground(r, s->fixed ? s->pose : pose_mul(r->X_wb[s->body], s->pose), s->size[0], s->size[1]);
        } else if (s->fixed) {
            lowest = fmin(lowest, solids_bounds(&r->solids, g, s->pose).lo.z);
        }
        any = any || s->kind == THUD_SHAPE_PLANE || s->kind == THUD_SHAPE_HFIELD;
    }
    if (!any) {
        add_ground(r, (thud_pose){q_identity(), v3(0, 0, lowest)}, 0, 0);
    }
}

// ---------------------------------------------------------------------------------------- forces

static int ascending(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static double force_of(const float *contact)
{
    return sqrt((double)(contact[3] * contact[3] + contact[4] * contact[4] + contact[5] * contact[5]));
}

// The force that nine of ten contacts stay below has an arrow as long as a middling body; false: no memory.
static bool scale_forces(renderer *r)
{
    const size_t contacts = r->replay->contact.count / REPLAY_CONTACT;
    float *force = thud_alloc(contacts + 1, sizeof *force);
    float *radius = thud_alloc((size_t)r->solids.geoms + 1, sizeof *radius);
    int moving = 0;
    if (force && radius) {
        for (size_t i = 0; i < contacts; i++) {
            force[i] = (float)force_of(r->replay->contact.at + i * REPLAY_CONTACT);
        }
        qsort(force, contacts, sizeof *force, ascending);
        r->newtons = contacts > 0 && force[9 * contacts / 10] > 0 ? (double)force[9 * contacts / 10] : 1;
        for (int g = 0; g < r->solids.geoms; g++) {
            const solid *one = &r->solids.geom[g];
            if (!one->fixed && one->radius > 0) {
                radius[moving++] = (float)one->radius;
            }
        }
        qsort(radius, (size_t)moving, sizeof *radius, ascending);
        const double middle = moving > 0 ? (double)radius[moving / 2] : 0;
        r->reach = fmin(0.25 * r->size, fmax(2.2 * middle, 0.08 * r->size));
    }
    const bool whole = force && radius;
    thud_free(force);
    thud_free(radius);
    return whole;
}

static void add_contact(renderer *r, const float *c, int first)
{
    const vec3 point = v3((double)c[0], (double)c[1], (double)c[2]),
               normal = v3((double)c[6], (double)c[7], (double)c[8]);
    const vec3 force = v3((double)c[3], (double)c[4], (double)c[5]);
    const double newtons = v3_norm(force), thin = 0.016 * r->reach, ratio = newtons / r->newtons;
    const double length = r->reach * (ratio < 1 ? ratio : 1 + log(ratio)); // longer, never endless, for blows
    const int slides_here = c[10] > 0;
    if (!(newtons > 0)) {
        return;
    }
    tessellate_ball(&r->world, point, 2.2 * thin, first + slides_here, 16);
    if (length > 3 * thin) {
        tessellate_arrow(&r->world, point, v3_scale(1 / newtons, force), length, thin, first + slides_here);
    }
    if (r->look.cones && c[9] > 0) {
        tessellate_cone(&r->world, point, normal, 0.6 * r->reach, (double)c[9], first + 2 + slides_here);
    }
}

static void add_forces(renderer *r, double time)
{
    const float *contact;
    const int count = replay_contacts_at(r->replay, replay_frame_at(r->replay, time), &contact);
    const int first = r->surfaces;
    colour_forces(r);
    for (int i = 0; i < count; i++) {
        add_contact(r, contact + (size_t)i * REPLAY_CONTACT, first);
    }
}

// ---------------------------------------------------------------------------------------- pictures

static void pose_geoms(renderer *r, double time)
{
    replay_poses_at(r->replay, time, r->X_wb);
    r->world.count = 0;
    for (int i = 0; i < r->local.count; i++) {
        facet f = r->local.at[i];
        const solid *s = &r->solids.geom[f.surface];
        for (int c = 0; c < 3 && !s->fixed; c++) {
            f.p[c] = pose_point(r->X_wb[s->body], f.p[c]);
            f.n[c] = q_rotate(r->X_wb[s->body].q, f.n[c]);
        }
        facets_push(&r->world, &f);
    }
}

// A ball around the bounds, and around what is not far from them: shadows come from there.
static double shadow_radius(const renderer *r, vec3 centre)
{
    double radius = 0.6 * r->size;
    for (int i = 0; i < r->world.count; i++) {
        const double far = v3_norm(v3_sub(r->world.at[i].p[0], centre));
        radius = far < 1.6 * r->size ? fmax(radius, far) : radius;
    }
    return 1.02 * radius;
}

bool renderer_draw(renderer *r, double time)
{
    const vec3 centre = v3_scale(0.5, v3_add(r->bounds.lo, r->bounds.hi));
    pose_geoms(r, time);
    if (!lamps_aim(&r->lamps, &r->world, centre, shadow_radius(r, centre))) {
        return false;
    }
    add_grounds(r);
    if (r->look.forces || r->look.cones) {
        add_forces(r, time);
    }
    return !r->world.failed && paint_picture(r);
}

bool renderer_create(renderer *r, const thud_model *m, const replay *run, const look *l, double from,
                     double to)
{
    *r = (renderer){.replay = run, .look = *l, .picture = {l->wide, l->high, NULL}, .grounds = m->geoms};
    r->X_wb = thud_alloc((size_t)m->bodies, sizeof *r->X_wb);
    r->surface = thud_alloc(2 * (size_t)m->geoms + 1 + FORCES, sizeof *r->surface); // each may be a plane
    r->picture.rgb = thud_alloc(3 * (size_t)l->wide, (size_t)l->high);
    if (!r->X_wb || !r->surface || !r->picture.rgb || !solids_create(&r->solids, m) ||
        !viewpoint_find(&r->solids, run, from, to, l, r->X_wb, &r->bounds, &r->view)) {
        return false;
    }
    r->size = v3_norm(v3_sub(r->bounds.hi, r->bounds.lo)) / 1.7;
    if (!lamps_create(&r->lamps, r->view.forward)) {
        return false;
    }
    colour_geoms(r);
    tessellate_geoms(r);
    return !r->local.failed && scale_forces(r);
}

void renderer_destroy(renderer *r)
{
    solids_destroy(&r->solids);
    facets_free(&r->local);
    facets_free(&r->world);
    outlines_free(&r->seen);
    lamps_destroy(&r->lamps);
    thud_free(r->surface);
    thud_free(r->X_wb);
    thud_free(r->picture.rgb);
    *r = (renderer){0};
}
