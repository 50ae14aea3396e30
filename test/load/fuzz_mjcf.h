// SPDX-License-Identifier: Apache-2.0
// fuzz_mjcf.h: libFuzzer's entry: loads the bytes as MJCF; anything but a crash is fine.
#pragma once

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
