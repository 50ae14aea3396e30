// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include <thud/load.h>
#include <thud/model.h>

#include "fuzz_load.h"

typedef thud_status (*loader)(const char *text, size_t length, const char *name, thud_spec **out,
                              thud_diag *diag);

static void claim(bool holds)
{
    if (!holds) {
        __builtin_trap();
    }
}

// The hash of a spec's model; 0 where it has none, and then a sentence.
static uint64_t hash_of(const thud_spec *spec)
{
    thud_model *m;
    thud_diag diag = {0};
    const thud_status status = thud_model_build(spec, &m, &diag);
    claim((status == THUD_OK) == (m != NULL) && (status == THUD_OK || diag.text[0]));
    const uint64_t hash = m ? m->hash : 0;
    thud_model_destroy(m);
    return hash;
}

// What was written reads back, and is the same model.
static void check_written(const thud_spec *spec)
{
    thud_spec *again;
    thud_diag diag = {0};
    char *text;
    claim(thud_write_mjcf(spec, "fuzz.xml", &text, &diag) == THUD_OK);
    claim(thud_load_mjcf_text(text, strlen(text), "fuzz.xml", &again, &diag) == THUD_OK);
    claim(hash_of(spec) == hash_of(again));
    thud_spec_destroy(again);
    thud_free(text);
}

static void fuzz(loader load, const uint8_t *data, size_t size)
{
    thud_spec *spec;
    thud_diag diag = {0};
    const thud_status status = load((const char *)data, size, "fuzz.xml", &spec, &diag);
    claim((status == THUD_OK) == (spec != NULL) && (status == THUD_OK || diag.text[0]));
    if (spec) {
        check_written(spec);
    }
    thud_spec_destroy(spec);
}

void fuzz_mjcf(const uint8_t *data, size_t size)
{
    fuzz(thud_load_mjcf_text, data, size);
}

void fuzz_urdf(const uint8_t *data, size_t size)
{
    fuzz(thud_load_urdf_text, data, size);
}
