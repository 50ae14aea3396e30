// SPDX-License-Identifier: Apache-2.0
// inflate.h: what zlib packed.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// Unpacks a zlib stream [RFC 1950, 1951] of exactly `size` bytes into out. False where it is damaged, shorter or longer, or its
// checksum is wrong; out may then hold anything. Time O(length + size), no memory but a kilobyte or two of the stack.
bool inflate_zlib(const unsigned char *bytes, size_t length, unsigned char *out, size_t size);
