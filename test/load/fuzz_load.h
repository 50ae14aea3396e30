// SPDX-License-Identifier: Apache-2.0
// fuzz_load.h: any bytes as MJCF or URDF: they load, or are refused with a sentence; and what loads is written
// and reads back as the same model. test_mutations.c drives it with a fixed sequence, test/fuzz/ by libFuzzer.
#pragma once

#include <stddef.h>
#include <stdint.h>

void fuzz_mjcf(const uint8_t *data, size_t size); // traps where a claim is broken
void fuzz_urdf(const uint8_t *data, size_t size);
