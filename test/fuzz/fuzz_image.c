// SPDX-License-Identifier: Apache-2.0
// libFuzzer's entry to the PNG reader: checksums are put right, so that damage reaches what they guard.
#include "shape/fuzz_image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_image(data, size);
    return 0;
}
