// SPDX-License-Identifier: Apache-2.0
// libFuzzer's entry to the MJCF loader: see CONTRIBUTING.md.
#include "load/fuzz_load.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_mjcf(data, size);
    return 0;
}
