// SPDX-License-Identifier: Apache-2.0
// The fuzz target of the MJCF loader. test_mutations.c drives it here; libFuzzer can too:
//     clang -fsanitize=fuzzer,address -Iinclude test/load/fuzz_mjcf.c <sources> -lexpat -lm
#include <thud/load.h>

#include "fuzz_mjcf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    thud_spec *spec;
    thud_diag diag;
    const thud_status status = thud_load_mjcf_text((const char *)data, size, "fuzz.xml", &spec, &diag);
    if ((status == THUD_OK) != (spec != NULL) || (status != THUD_OK && !diag.text[0])) {
        __builtin_trap(); // a failure without a sentence
    }
    thud_spec_destroy(spec);
    return 0;
}
