// SPDX-License-Identifier: Apache-2.0
// image.c: PNG [ISO 15948]: the parts of the file, its rows, and their pixels as four bytes each.
#include <string.h>

#include <thud/shape_image.h>

#include "inflate.h"

typedef struct png {
    const char *name;
    thud_diag *diag;
    int width, height, depth, colour, channels;
    bool interlaced;
    unsigned char palette[256][4];
    int colours;           // of the palette; 0: none
    int clear[3];          // the grey or colour that is transparent; -1: none
    unsigned char *packed; // what zlib packed, all parts
    size_t packed_size;
} png;

static const unsigned char signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

#define BAD(p, ...) thud_fail(THUD_BAD_FILE, (p)->diag, (p)->name, 0, 0, __VA_ARGS__)

static uint32_t load_be32(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static uint32_t crc32_of(const unsigned char *p, size_t n)
{
    static const uint32_t nibble[16] = {
        0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
        0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
    uint32_t c = 0xffffffff;
    for (size_t i = 0; i < n; i++) {
        c ^= p[i];
        c = c >> 4 ^ nibble[c & 15];
        c = c >> 4 ^ nibble[c & 15];
    }
    return ~c;
}

// ---------------------------------------------------------------------------------------------- parts

static thud_status read_header(png *p, const unsigned char *data, size_t size)
{
    static const unsigned char channels[7] = {1, 0, 3, 1, 2, 0, 4};
    static const int depths[7] = {1 << 1 | 1 << 2 | 1 << 4 | 1 << 8 | 1 << 16,
                                  0,
                                  1 << 8 | 1 << 16,
                                  1 << 1 | 1 << 2 | 1 << 4 | 1 << 8,
                                  1 << 8 | 1 << 16,
                                  0,
                                  1 << 8 | 1 << 16};
    const uint32_t width = size == 13 ? load_be32(data) : 0, height = size == 13 ? load_be32(data + 4) : 0;
    if (width == 0 || height == 0 || width > THUD_IMAGE_MAX_PIXELS || height > THUD_IMAGE_MAX_PIXELS ||
        (uint64_t)width * height > THUD_IMAGE_MAX_PIXELS) {
        return BAD(p, "a PNG image of %u x %u pixels; at most %d are taken", width, height,
                   THUD_IMAGE_MAX_PIXELS);
    }
    p->width = (int)width;
    p->height = (int)height;
    p->depth = data[8];
    p->colour = data[9];
    if (p->colour > 6 || p->depth > 16 || !(depths[p->colour] >> p->depth & 1) || data[10] || data[11] ||
        data[12] > 1) {
        return BAD(p, "a PNG image of colour type %d and %d bits, which there is not", p->colour, p->depth);
    }
    p->channels = channels[p->colour];
    p->interlaced = data[12] != 0;
    return THUD_OK;
}

static thud_status read_palette(png *p, const unsigned char *data, size_t size)
{
    if (size == 0 || size % 3 != 0 || size > 768) {
        return BAD(p, "a PNG palette of %zu bytes", size);
    }
    p->colours = (int)(size / 3);
    for (int i = 0; i < p->colours; i++) {
        memcpy(p->palette[i], data + 3 * (size_t)i, 3);
        p->palette[i][3] = 255;
    }
    return THUD_OK;
}

static void read_transparency(png *p, const unsigned char *data, size_t size)
{
    for (size_t i = 0; p->colour == 3 && i < size && i < 256; i++) {
        p->palette[i][3] = data[i];
    }
    for (size_t i = 0; (p->colour == 0 || p->colour == 2) && i < (size_t)p->channels && 2 * i + 1 < size;
         i++) {
        p->clear[i] = data[2 * i] << 8 | data[2 * i + 1];
    }
}

// Collects what the image is made of.
static thud_status read_parts(png *p, const unsigned char *bytes, size_t length)
{
    if (!thud_image_is_png(bytes, length)) {
        return BAD(p, "it is no PNG image");
    }
    bool ended = false;
    for (size_t at = 8; !ended;) {
        const size_t left = length - at, size = left < 12 ? 0 : load_be32(bytes + at);
        if (left < 12 || size > left - 12) {
            return BAD(p, "a PNG image that is cut at byte %zu", length);
        }
        const unsigned char *type = bytes + at + 4, *data = type + 4;
        if (crc32_of(type, size + 4) != load_be32(data + size)) {
            return BAD(p, "a PNG image with a wrong checksum at byte %zu", at);
        }
        if ((p->width == 0) != (memcmp(type, "IHDR", 4) == 0)) {
            return BAD(p, "a PNG image without one header, at its begin");
        }
        if (memcmp(type, "IHDR", 4) == 0) {
            THUD_TRY(read_header(p, data, size));
        } else if (memcmp(type, "PLTE", 4) == 0) {
            THUD_TRY(read_palette(p, data, size));
        } else if (memcmp(type, "tRNS", 4) == 0) {
            read_transparency(p, data, size);
        } else if (memcmp(type, "IDAT", 4) == 0) {
            memcpy(p->packed + p->packed_size, data, size);
            p->packed_size += size;
        } else if (memcmp(type, "IEND", 4) == 0) {
            ended = true;
        } else if (!(type[0] & 32)) {
            return BAD(p, "a PNG image with a part '%.4s' that is not known", type);
        }
        at += size + 12;
    }
    return p->colour == 3 && p->colours == 0 ? BAD(p, "a PNG image without its palette") : THUD_OK;
}

// ---------------------------------------------------------------------------------------------- rows

typedef struct pass { // of interlacing [Adam7]: every step-th pixel from a first
    int x0, y0, dx, dy;
} pass;

static const pass whole[1] = {{0, 0, 1, 1}};
static const pass adam7[7] = {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4},
                              {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}};

static int pixels_along(int size, int first, int step)
{
    return size > first ? (size - first + step - 1) / step : 0;
}

static size_t row_bytes(const png *p, int pixels)
{
    return ((size_t)pixels * (size_t)p->channels * (size_t)p->depth + 7) / 8;
}

static size_t unpacked_bytes(const png *p)
{
    size_t sum = 0;
    for (int k = 0; k < (p->interlaced ? 7 : 1); k++) {
        const pass *a = p->interlaced ? &adam7[k] : whole;
        const int w = pixels_along(p->width, a->x0, a->dx), h = pixels_along(p->height, a->y0, a->dy);
        sum += w > 0 ? (size_t)h * (row_bytes(p, w) + 1) : 0;
    }
    return sum;
}

static int paeth(int a, int b, int c)
{
    const int pa = b > c ? b - c : c - b, pb = a > c ? a - c : c - a, s = a + b - 2 * c, pc = s < 0 ? -s : s;
    return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

// Undoes the filter of a row; above: the row before, NULL for none. False where there is no such filter.
static bool unfilter(unsigned char *row, const unsigned char *above, size_t n, size_t pixel, int filter)
{
    for (size_t i = 0; i < n; i++) {
        const int a = i < pixel ? 0 : row[i - pixel], b = above ? above[i] : 0,
                  c = above && i >= pixel ? above[i - pixel] : 0;
        const int guess = filter == 1   ? a
                          : filter == 2 ? b
                          : filter == 3 ? (a + b) / 2
                          : filter == 4 ? paeth(a, b, c)
                                        : 0;
        row[i] = (unsigned char)(row[i] + guess);
    }
    return filter <= 4;
}

static int sample(const png *p, const unsigned char *row, size_t i)
{
    if (p->depth == 16) {
        return row[2 * i] << 8 | row[2 * i + 1];
    }
    const size_t bit = i * (size_t)p->depth;
    return row[bit / 8] >> (8 - (size_t)p->depth - bit % 8) & ((1 << p->depth) - 1);
}

// False where a colour is not in the palette.
static bool set_pixel(const png *p, const unsigned char *row, int x, unsigned char *to)
{
    int s[4] = {0}, byte[4];
    for (int k = 0; k < p->channels; k++) {
        s[k] = sample(p, row, (size_t)x * (size_t)p->channels + (size_t)k);
        byte[k] = p->depth == 16 ? s[k] >> 8 : p->depth == 8 ? s[k] : s[k] * 255 / ((1 << p->depth) - 1);
    }
    if (p->colour == 3) {
        memcpy(to, p->palette[s[0]], 4);
        return s[0] < p->colours;
    }
    const bool grey = p->colour == 0 || p->colour == 4;
    const bool clear = s[0] == p->clear[0] && (grey || (s[1] == p->clear[1] && s[2] == p->clear[2]));
    for (int k = 0; k < 3; k++) {
        to[k] = (unsigned char)byte[grey ? 0 : k];
    }
    to[3] = p->colour >= 4 ? (unsigned char)byte[p->channels - 1] : clear ? 0 : 255;
    return true;
}

static thud_status set_pixels(const png *p, unsigned char *raw, thud_image *out)
{
    const size_t pixel = row_bytes(p, 1);
    for (int k = 0; k < (p->interlaced ? 7 : 1); k++) {
        const pass *a = p->interlaced ? &adam7[k] : whole;
        const int w = pixels_along(p->width, a->x0, a->dx), h = pixels_along(p->height, a->y0, a->dy);
        const size_t n = row_bytes(p, w);
        const unsigned char *above = NULL;
        for (int y = 0; y < h && w > 0; y++, raw += n + 1) {
            if (!unfilter(raw + 1, above, n, pixel, raw[0])) {
                return BAD(p, "a PNG image with a filter %d, which there is not", raw[0]);
            }
            above = raw + 1;
            for (int x = 0; x < w; x++) {
                const size_t at =
                    (size_t)(a->y0 + y * a->dy) * (size_t)p->width + (size_t)(a->x0 + x * a->dx);
                if (!set_pixel(p, above, x, out->rgba + 4 * at)) {
                    return BAD(p, "a PNG image with a colour that is not in its palette");
                }
            }
        }
    }
    return THUD_OK;
}

// ---------------------------------------------------------------------------------------------- all of it

static thud_status unpack(png *p, thud_image *out)
{
    enum {
        MOST = 1032
    }; // bytes that DEFLATE makes of one: a file that promises more is damaged, and takes no memory
    const size_t size = unpacked_bytes(p);
    if (size / MOST > p->packed_size) {
        return BAD(p, "a PNG image of %d x %d pixels in %zu bytes", p->width, p->height, p->packed_size);
    }
    out->width = p->width;
    out->height = p->height;
    out->rgba = thud_alloc((size_t)p->width * (size_t)p->height, 4);
    unsigned char *raw = thud_alloc(size, 1);
    thud_status status = out->rgba && raw ? THUD_OK : THUD_NO_MEMORY;
    if (status == THUD_OK && !inflate_zlib(p->packed, p->packed_size, raw, size)) {
        status = BAD(p, "a PNG image whose pixels are damaged");
    }
    status = status == THUD_OK ? set_pixels(p, raw, out) : status;
    thud_free(raw);
    return status;
}

bool thud_image_is_png(const void *bytes, size_t length)
{
    return length >= sizeof signature && memcmp(bytes, signature, sizeof signature) == 0;
}

thud_status thud_image_parse(const void *bytes, size_t length, const char *name, thud_image *out,
                             thud_diag *diag)
{
    png p = {.name = name, .diag = diag, .clear = {-1, -1, -1}, .packed = thud_alloc(length + 1, 1)};
    *out = (thud_image){0};
    thud_status status = p.packed ? read_parts(&p, bytes, length) : THUD_NO_MEMORY;
    status = status == THUD_OK ? unpack(&p, out) : status;
    thud_free(p.packed);
    if (status != THUD_OK) {
        thud_image_free(out);
    }
    return status == THUD_NO_MEMORY
               ? thud_fail(status, diag, name, 0, 0, "a PNG image: %s", thud_status_text(status))
               : status;
}

thud_status thud_image_open(const thud_files *files, const char *path, thud_image *out, thud_diag *diag)
{
    thud_bytes bytes;
    thud_diag why = {.text = ""};
    *out = (thud_image){0};
    const thud_status status = thud_files_open(files, path, &bytes, &why);
    if (status != THUD_OK) {
        return thud_fail(status, diag, path, 0, 0, "cannot be opened: %s", why.text);
    }
    const thud_status parsed = thud_image_parse(bytes.data, bytes.length, path, out, diag);
    thud_files_close(files, &bytes);
    return parsed;
}

void thud_image_free(thud_image *image)
{
    thud_free(image->rgba);
    *image = (thud_image){0};
}
