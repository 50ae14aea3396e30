// SPDX-License-Identifier: Apache-2.0
// libFuzzer's entry to the readers of meshes and height fields: the first byte chooses one.
#define THUD_LIBFUZZER
#include "shape/test_fuzz_mesh.c"
