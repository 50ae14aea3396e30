// SPDX-License-Identifier: Apache-2.0
// model.c: a model's memory. All arrays of the table live in one block behind the struct.
#include "build.h"

int thud_joint_dofs(int joint_type)
{
    static const int dofs[] = {
        [THUD_JOINT_HINGE] = 1, [THUD_JOINT_SLIDE] = 1, [THUD_JOINT_BALL] = 3, [THUD_JOINT_FREE] = 6};
    return dofs[joint_type];
}

int thud_joint_positions(int joint_type)
{
    static const int positions[] = {
        [THUD_JOINT_HINGE] = 1, [THUD_JOINT_SLIDE] = 1, [THUD_JOINT_BALL] = 4, [THUD_JOINT_FREE] = 7};
    return positions[joint_type];
}

enum { ARRAY_ALIGN = 64 };

static size_t padded(size_t count, size_t size)
{
    return (count * size + ARRAY_ALIGN - 1) & ~(size_t)(ARRAY_ALIGN - 1);
}

static size_t measure(const thud_model *m)
{
    MODEL_LENGTHS(m);
    size_t bytes = 0;
#define MEASURE(type, name, length, meaning) bytes += padded(length, sizeof(type));
    THUD_MODEL_ARRAYS(MEASURE)
#undef MEASURE
    return bytes;
}

static void *take(unsigned char **at, size_t bytes)
{
    unsigned char *here = *at;
    *at += bytes;
    return here;
}

static void place(thud_model *m, unsigned char *at)
{
    MODEL_LENGTHS(m);
#define PLACE(type, name, length, meaning) m->name = (type *)take(&at, padded(length, sizeof(type)));
    THUD_MODEL_ARRAYS(PLACE)
#undef PLACE
}

thud_status model_allocate(thud_model *m)
{
    unsigned char *block = thud_alloc(1, sizeof *m->store + ARRAY_ALIGN + measure(m));
    if (!block) {
        return THUD_NO_MEMORY;
    }
    m->store = (struct thud_model_store *)block;
    place(m, (unsigned char *)(((uintptr_t)(block + sizeof *m->store) + ARRAY_ALIGN - 1) &
                               ~(uintptr_t)(ARRAY_ALIGN - 1)));
    return THUD_OK;
}

thud_mesh_repair thud_model_mesh_repair(const thud_model *m, int mesh)
{
    THUD_ASSERT(mesh >= 0 && mesh < m->store->source->hulls);
    return m->store->source->repair[mesh];
}

const thud_spec *thud_model_spec(const thud_model *m)
{
    return m->store && m->store->source ? &m->store->spec : NULL;
}

void thud_model_destroy(thud_model *m)
{
    if (!m) {
        return;
    }
    struct thud_model_store *store = m->store;
    for (int k = 0; store && k < VARIED_KINDS; k++) {
        thud_free(store->own[k]);
    }
    if (store) {
        model_source_release(store->source);
        thud_free(store);
    }
    thud_free(m);
}
