// SPDX-License-Identifier: Apache-2.0
// thud/shape_image.h: pictures from PNG files, for height fields and textures.
//
//     thud_image image;
//     if (thud_image_open(NULL, "rock.png", &image, &diag) == THUD_OK) { ... image.rgba[4 * (y * image.width + x)] ... }
//     thud_image_free(&image);
#pragma once

#include <thud/base_files.h>

#ifdef __cplusplus
extern "C" {
#endif

#define THUD_IMAGE_MAX_PIXELS 100000000 // width x height; more is an error

typedef struct thud_image {
    int width, height;
    unsigned char *rgba; // (height x width x 4), the upper row first; grey has its value in r, g and b
} thud_image;

// Reads a PNG file [ISO 15948] of any colour type, depth and interlacing; of 16 bits the high byte is kept, as MuJoCo does. What is
// not as the standard says is THUD_BAD_FILE, checksums included. *out is empty on failure. thud_image_open takes the file from
// files (thud/base_files.h; NULL: the file system), thud_image_parse from memory; there name may be NULL.
THUD_API THUD_MUST_USE thud_status thud_image_open(const thud_files *files, const char *name, thud_image *out,
                                                   thud_diag *diag);
THUD_API THUD_MUST_USE thud_status thud_image_parse(const void *bytes, size_t length, const char *name,
                                                    thud_image *out, thud_diag *diag);
THUD_API bool thud_image_is_png(const void *bytes, size_t length); // by its first bytes
THUD_API void thud_image_free(thud_image *image);

#ifdef __cplusplus
}
#endif
