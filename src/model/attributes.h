// SPDX-License-Identifier: Apache-2.0
// attributes.h: what of a spec can be set by name: kinds of elements, and the numbers that each has.
#pragma once

#include "build.h"

typedef enum attribute_meaning {
    ATTRIBUTE_PLAIN,    // doubles, as they stand
    ATTRIBUTE_INTEGER,  // an int
    ATTRIBUTE_QUAT,     // made unit
    ATTRIBUTE_INERTIAL, // of a body's own inertial
    ATTRIBUTE_IQUAT,    // both
    ATTRIBUTE_INERTIA,  // three numbers or six
    ATTRIBUTE_RANGE,    // the bool at `flag` says whether it is one
    ATTRIBUTE_SIZE,     // of a geom that has one
    ATTRIBUTE_DENSITY,  // the mass follows from it
    ATTRIBUTE_KP,
    ATTRIBUTE_KV,
    ATTRIBUTE_DAMPRATIO
} attribute_meaning;

typedef struct attribute {
    const char *word;
    size_t at;       // in the element
    int least, most; // numbers
    attribute_meaning meaning;
    size_t flag;
} attribute;

typedef struct attribute_kind {
    const char *word;
    int own;             // VARIED_...; -1: the option
    size_t array, count; // in thud_spec
    size_t size, name;   // of an element; where its name is in it
    const attribute *attribute;
    int attributes;
} attribute_kind;

enum { ATTRIBUTE_KINDS = 1 + VARIED_KINDS };
extern const attribute_kind model_attribute_kinds[ATTRIBUTE_KINDS]; // the option first

// The element, whose first byte this is.
static inline char *attribute_element(const attribute_kind *kind, thud_spec *spec, int i)
{
    char *base = (char *)spec + kind->array;
    return kind->own < 0 ? base : *(char **)base + (size_t)i * kind->size;
}

static inline int attribute_elements(const attribute_kind *kind, const thud_spec *spec)
{
    return kind->own < 0 ? 1 : *(const int *)((const char *)spec + kind->count);
}

static inline const char *attribute_name_of(const attribute_kind *kind, thud_spec *spec, int i) // or NULL
{
    return *(const char **)(attribute_element(kind, spec, i) + kind->name);
}

// Sets the numbers of element i, or says why they cannot be.
thud_status attribute_set(const attribute_kind *kind, const attribute *a, thud_spec *spec, int i,
                          const double *value, int count, thud_diag *diag);
// The other way; returns how many there are.
int attribute_get(const attribute *a, const char *element, double *value);
