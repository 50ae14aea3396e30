// SPDX-License-Identifier: Apache-2.0
// fuzz_image.h: any bytes as a PNG image whose checksums are right, so that damage reaches the rows and the codes.
#pragma once

#include <stdlib.h>
#include <string.h>

#include <thud/shape_image.h>

static inline uint32_t fuzz_crc(const uint8_t *p, size_t n)
{
    uint32_t c = 0xffffffff;
    for (size_t i = 0; i < n; i++) {
        c ^= p[i];
        for (int k = 0; k < 8; k++) {
            c = c & 1 ? c >> 1 ^ 0xedb88320 : c >> 1;
        }
    }
    return ~c;
}

static inline void fuzz_repair(uint8_t *data, size_t size)
{
    for (size_t at = 8; at <= size && size - at >= 12;) {
        const size_t length =
            (size_t)data[at] << 24 | (size_t)data[at + 1] << 16 | (size_t)data[at + 2] << 8 | data[at + 3];
        if (length > size - at - 12) {
            return;
        }
        const uint32_t c = fuzz_crc(data + at + 4, length + 4);
        const uint8_t sum[4] = {(uint8_t)(c >> 24), (uint8_t)(c >> 16), (uint8_t)(c >> 8), (uint8_t)c};
        memcpy(data + at + 8 + length, sum, 4);
        at += length + 12;
    }
}

static inline void fuzz_image(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size + 1);
    thud_image image;
    thud_diag diag = {.text = ""};
    memcpy(copy, data, size);
    fuzz_repair(copy, size);
    if (thud_image_parse(copy, size, "fuzz", &image, &diag) == THUD_OK) {
        unsigned sum = 0;
        for (size_t i = 0; i < 4 * (size_t)image.width * (size_t)image.height; i++) {
            sum += image.rgba[i]; // all of it is there
        }
        if (image.width < 1 || image.height < 1 ||
            sum > 255u * 4 * (unsigned)image.width * (unsigned)image.height) {
            abort();
        }
    } else if (image.rgba || !diag.text[0]) {
        abort();
    }
    thud_image_free(&image);
    free(copy);
}
