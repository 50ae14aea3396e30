// SPDX-License-Identifier: Apache-2.0
// spec_copy.c: a second spec that shares nothing with the first.
//
// An element is copied as it is and then made to own what it points at. When memory runs out its pointers
// become NULL, never those of the first spec, so that the half-made copy can be destroyed.
#include <string.h>

#include <thud/spec_elements.h>

#include "store.h"

typedef struct copier {
    thud_spec *to;
    bool good; // memory lasted
    const char *file,
        *to_file; // the last name of a file and its copy: elements of one file follow each other
} copier;

static const char *own_text(copier *c, const char *text)
{
    const char *mine = thud_spec_intern(c->to, text); // NULL for NULL
    c->good = c->good && (mine || !text);
    return mine;
}

static const char *own_file(copier *c, const char *file)
{
    if (file != c->file) {
        c->to_file = own_text(c, file);
        c->file = file;
    }
    return c->to_file;
}

static void *own_block(copier *c, const void *block, int count, size_t size)
{
    void *mine = block ? thud_alloc((size_t)count, size) : NULL;
    if (mine && count > 0) {
        memcpy(mine, block, (size_t)count * size);
    }
    c->good = c->good && (mine || !block);
    return mine;
}

#define OWN(field) (e->field = own_text(c, e->field))
#define OWN_BLOCK(field, count) (e->field = own_block(c, e->field, count, sizeof *e->field))

static void own_mesh(copier *c, thud_spec_mesh *e)
{
    OWN(file);
    OWN_BLOCK(vertex, 3 * e->vertices);
    OWN_BLOCK(triangle, 3 * e->triangles);
}

static void own_hfield(copier *c, thud_spec_hfield *e)
{
    OWN(file);
    OWN_BLOCK(elevation, e->rows * e->columns);
}

static void own_key(copier *c, thud_spec_key *e)
{
    OWN_BLOCK(qpos, e->nqpos);
    OWN_BLOCK(qvel, e->nqvel);
    OWN_BLOCK(act, e->nact);
    OWN_BLOCK(ctrl, e->nctrl);
    OWN_BLOCK(mpos, e->nmpos);
    OWN_BLOCK(mquat, e->nmquat);
}

static void own_custom(copier *c, thud_spec_custom *e)
{
    OWN(text);
    OWN_BLOCK(number, e->count);
}

static void own_note(copier *c, thud_spec_note *e)
{
    OWN(what);
    OWN(why);
}

// Makes room for an array's elements, of which there are none yet.
static bool make_room(void **array, int *capacity, int count, size_t size)
{
    thud_free(*array);
    *array = thud_alloc((size_t)count, size);
    *capacity = *array ? count : 0;
    return *array != NULL;
}

// All elements of one kind; `more` owns what they have besides a place.
#define COPY(kind, array, count, more)                                                                       \
    do {                                                                                                     \
        to->count = 0;                                                                                       \
        if (!make_room((void **)&to->array, &to->store->array##_cap, from->count, sizeof *to->array)) {      \
            return false;                                                                                    \
        }                                                                                                    \
        for (int i = 0; c->good && i < from->count; i++) {                                                   \
            kind *e = &to->array[to->count++];                                                               \
            *e = from->array[i];                                                                             \
            e->place.file = own_file(c, e->place.file);                                                      \
            more;                                                                                            \
        }                                                                                                    \
    } while (0)

static bool copy_bodies(copier *c, const thud_spec *from)
{
    thud_spec *to = c->to;
    COPY(thud_spec_body, body, bodies, (OWN(name), OWN(inertial_place.file)));
    COPY(thud_spec_joint, joint, joints, OWN(name));
    COPY(thud_spec_geom, geom, geoms, (OWN(name), OWN(material)));
    COPY(thud_spec_site, site, sites, OWN(name));
    COPY(thud_spec_mesh, mesh, meshes, (OWN(name), own_mesh(c, e)));
    COPY(thud_spec_hfield, hfield, hfields, (OWN(name), own_hfield(c, e)));
    return c->good;
}

static bool copy_links(copier *c, const thud_spec *from)
{
    thud_spec *to = c->to;
    COPY(thud_spec_pair, pair, pairs, OWN(name));
    COPY(thud_spec_exclude, exclude, excludes, OWN(name));
    COPY(thud_spec_tendon, tendon, tendons, OWN(name));
    COPY(thud_spec_wrap, wrap, wraps, (void)0);
    COPY(thud_spec_equality, equality, equalities, OWN(name));
    COPY(thud_spec_actuator, actuator, actuators, OWN(name));
    COPY(thud_spec_sensor, sensor, sensors, OWN(name));
    return c->good;
}

static bool copy_data(copier *c, const thud_spec *from)
{
    thud_spec *to = c->to;
    COPY(thud_spec_key, key, keys, (OWN(name), own_key(c, e)));
    COPY(thud_spec_custom, custom, customs, (OWN(name), own_custom(c, e)));
    COPY(thud_spec_note, note, notes, own_note(c, e));
    return c->good;
}

thud_status thud_spec_copy(const thud_spec *from, thud_spec **out)
{
    *out = NULL;
    copier c = {.good = true};
    THUD_TRY(thud_spec_create(&c.to));
    c.to->compiler = from->compiler;
    c.to->option = from->option;
    c.to->files = from->files;
    c.to->model = own_text(&c, from->model);
    if (!c.good || !copy_bodies(&c, from) || !copy_links(&c, from) || !copy_data(&c, from)) {
        thud_spec_destroy(c.to);
        return THUD_NO_MEMORY;
    }
    *out = c.to;
    return THUD_OK;
}
