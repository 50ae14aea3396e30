// SPDX-License-Identifier: Apache-2.0
// hash.c: one number for a whole model, so that a recording knows whose it is.
//
// Word by word, eight times as fast as byte by byte. Each step is one-to-one in h and in the word:
//
//     h <- (h xor word) P,   h <- h xor h >> 32        P odd: the multiplier of Steele and Vigna, 2021, table 4
#include <string.h>

#include "build.h"

static uint64_t mix(uint64_t h, uint64_t word)
{
    h = (h ^ word) * UINT64_C(0xd1342543de82ef95);
    return h ^ (h >> 32);
}

static uint64_t hash_numbers(uint64_t h, const void *array, size_t bytes)
{
    const char *at = array;
    uint64_t word;
    for (; bytes >= sizeof word; at += sizeof word, bytes -= sizeof word) {
        memcpy(&word, at, sizeof word);
        h = mix(h, word);
    }
    return bytes > 0 ? thud_hash(h, at, bytes) : h;
}

// Shapes hold pointers; what counts is what they point at.
static uint64_t hash_shapes(uint64_t h, const void *array, size_t bytes)
{
    const thud_shape *shape = array;
    for (size_t i = 0; i < bytes / sizeof *shape; i++) {
        const thud_hull *hull = shape[i].hull;
        const thud_hfield *field = shape[i].hfield;
        h = mix(h, (uint64_t)shape[i].kind);
        h = hash_numbers(h, shape[i].size, sizeof shape[i].size);
        h = hull ? mix(h, hull->hash) : h;
        if (field) {
            const double size[] = {field->radius_x, field->radius_y, field->base};
            h = mix(hash_numbers(h, size, sizeof size), field->hash);
        }
    }
    return h;
}

static uint64_t hash_settings(uint64_t h, const thud_model *m)
{
    const int counts[] = {
        m->nq,           m->nv,           m->bodies,          m->joints,      m->geoms,
        m->sites,        m->keys,         m->pairs,           m->excludes,    m->equalities,
        m->words,        m->tendons,      m->wraps,           m->actuators,   m->activations,
        m->actuation_on, m->clampctrl_on, (int)m->integrator, m->spring_on,   m->damper_on,
        m->contact_on,   m->limit_on,     m->frictionloss_on, m->equality_on, m->filterparent_on,
        m->has_drag,     m->sensors,      m->mocaps};
    const double numbers[] = {m->timestep,  m->gravity.x, m->gravity.y, m->gravity.z, m->density,
                              m->viscosity, m->wind.x,    m->wind.y,    m->wind.z};
    return thud_hash(thud_hash(h, counts, sizeof counts), numbers, sizeof numbers);
}

uint64_t model_hash(const thud_model *m)
{
    MODEL_LENGTHS(m);
    uint64_t h = hash_settings(THUD_HASH_START, m);
#define HASH(type, name, length, meaning)                                                                    \
    h = _Generic((type *)NULL, thud_shape *                                                                  \
                 : hash_shapes, default                                                                      \
                 : hash_numbers)(h, m->name, (length) * sizeof(type));
    THUD_MODEL_ARRAYS(HASH)
#undef HASH
    return h;
}
