// SPDX-License-Identifier: Apache-2.0
// store.h: the private half of a spec: capacities of its arrays, and its interned strings.
#pragma once

struct thud_spec_store {
    int body_cap, joint_cap, geom_cap, site_cap, mesh_cap, key_cap, custom_cap, note_cap;
    int pair_cap, exclude_cap, hfield_cap, tendon_cap, wrap_cap, equality_cap, actuator_cap, sensor_cap;
    int strings, string_cap, slots; // open addressing: slot[h] is an index into string, or -1
    char **string;
    int *slot;
};

// Makes room for one more element and interns its name; -1 when memory ran out, else the new index.
#define ADD(array, count, capacity)                                                                          \
    do {                                                                                                     \
        if ((name && !(interned = thud_spec_intern(spec, name))) ||                                          \
            !thud_grow((void **)&spec->array, &spec->store->capacity, spec->count, sizeof *spec->array)) {   \
            return -1;                                                                                       \
        }                                                                                                    \
    } while (0)
