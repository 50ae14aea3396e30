// SPDX-License-Identifier: Apache-2.0
// png.c: PNG and its animated kin (W3C PNG, third edition, sections 5, 9 and 11.3.4).
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include <thud/base.h>

#include "png.h"

enum { GREY_SHIFT = 3 }; // a change of no channel by more than this is not seen, and not written

// ---------------------------------------------------------------------------------------- chunks

static void put32(unsigned char *to, unsigned value)
{
    for (int k = 0; k < 4; k++) {
        to[k] = (unsigned char)(value >> (24 - 8 * k));
    }
}

static void write_chunk(FILE *out, const char *type, const unsigned char *data, size_t size)
{
    unsigned char word[4];
    put32(word, (unsigned)size);
    fwrite(word, 1, 4, out);
    fwrite(type, 1, 4, out);
    if (size > 0) {
        fwrite(data, 1, size, out);
    }
    uLong sum = crc32(0, (const unsigned char *)type, 4);
    sum = size > 0 ? crc32(sum, data, (uInt)size) : sum;
    put32(word, (unsigned)sum);
    fwrite(word, 1, 4, out);
}

static void write_header(FILE *out, const image *picture, int channels)
{
    static const unsigned char signature[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    unsigned char head[13] = {[8] = 8, [9] = channels == 4 ? 6 : 2}; // bits of a channel; colour, with alpha
    put32(head, (unsigned)picture->wide);
    put32(head + 4, (unsigned)picture->high);
    fwrite(signature, 1, sizeof signature, out);
    write_chunk(out, "IHDR", head, sizeof head);
    write_chunk(out, "sRGB", (const unsigned char[]){0}, 1);
}

// ---------------------------------------------------------------------------------------- rows

static unsigned char paeth(int a, int b, int c) // left, above, above left
{
    const int pa = abs(b - c), pb = abs(a - c), pc = abs(a + b - 2 * c);
    return (unsigned char)(pa <= pb && pa <= pc ? a : pb <= pc ? b : c);
}

// Writes a row's filter and its filtered bytes; returns how large those are, taken as signed.
static long filter_row(int filter, const unsigned char *row, const unsigned char *above, size_t size,
                       size_t step, unsigned char *to)
{
    long sum = 0;
    *to++ = (unsigned char)filter;
    for (size_t i = 0; i < size; i++) {
        const int a = i >= step ? row[i - step] : 0, b = above ? above[i] : 0;
        const int c = i >= step && above ? above[i - step] : 0;
        const int guess[5] = {0, a, b, (a + b) / 2, paeth(a, b, c)};
        to[i] = (unsigned char)(row[i] - guess[filter]);
        sum += abs((signed char)to[i]);
    }
    return sum;
}

// Compressed rows, each by the filter that leaves the least. `room` bytes are left free before them. NULL when
// memory ran out; freed by thud_free.
static unsigned char *compress_rows(const unsigned char *pixel, int wide, int high, int channels, size_t room,
                                    size_t *size)
{
    const size_t row = (size_t)wide * (size_t)channels, raw = (row + 1) * (size_t)high;
    uLongf packed = compressBound((uLong)raw);
    unsigned char *rows = thud_alloc(raw, 1), *trial = thud_alloc(row + 1, 1),
                  *to = thud_alloc(room + packed, 1);
    bool whole = rows && trial && to;
    for (int y = 0; y < high && whole; y++) {
        const unsigned char *from = pixel + (size_t)y * row, *above = y > 0 ? from - row : NULL;
        unsigned char *best = rows + (size_t)y * (row + 1);
        long least = filter_row(0, from, above, row, (size_t)channels, best);
        for (int filter = 1; filter < 5; filter++) {
            const long sum = filter_row(filter, from, above, row, (size_t)channels, trial);
            if (sum < least) {
                least = sum;
                memcpy(best, trial, row + 1);
            }
        }
    }
    whole = whole && compress2(to + room, &packed, rows, (uLong)raw, 6) == Z_OK;
    thud_free(rows);
    thud_free(trial);
    if (!whole) {
        thud_free(to);
        return NULL;
    }
    *size = room + packed;
    return to;
}

bool png_write(FILE *out, const image *picture)
{
    size_t size;
    unsigned char *data = compress_rows(picture->rgb, picture->wide, picture->high, 3, 0, &size);
    if (!data) {
        return false;
    }
    write_header(out, picture, 3);
    write_chunk(out, "IDAT", data, size);
    write_chunk(out, "IEND", NULL, 0);
    thud_free(data);
    return true;
}

// ---------------------------------------------------------------------------------------- pictures that play

typedef struct region {
    int x, y, wide, high;
} region;

static bool differs(const unsigned char *a, const unsigned char *b)
{
    return abs(a[0] - b[0]) > GREY_SHIFT || abs(a[1] - b[1]) > GREY_SHIFT || abs(a[2] - b[2]) > GREY_SHIFT;
}

// The rectangle of what changed; a single pixel where nothing did.
static region changed(const image *was, const image *is)
{
    int x0 = is->wide, y0 = is->high, x1 = -1, y1 = -1;
    for (int y = 0; y < is->high; y++) {
        for (int x = 0; x < is->wide; x++) {
            const size_t i = 3 * ((size_t)y * (size_t)is->wide + (size_t)x);
            if (differs(was->rgb + i, is->rgb + i)) {
                x0 = x < x0 ? x : x0;
                x1 = x > x1 ? x : x1;
                y0 = y < y0 ? y : y0;
                y1 = y > y1 ? y : y1;
            }
        }
    }
    return x1 < 0 ? (region){0, 0, 1, 1} : (region){x0, y0, x1 - x0 + 1, y1 - y0 + 1};
}

// The region's pixels, clear where nothing changed; and what is shown then.
static void take_region(apng *a, const image *is, region g, bool first)
{
    unsigned char *to = a->rgba;
    for (int y = g.y; y < g.y + g.high; y++) {
        for (int x = g.x; x < g.x + g.wide; x++, to += 4) {
            const size_t i = 3 * ((size_t)y * (size_t)is->wide + (size_t)x);
            const bool kept = first || differs(a->shown.rgb + i, is->rgb + i);
            memset(to, 0, 4);
            if (kept) {
                memcpy(to, is->rgb + i, 3);
                to[3] = 255;
                memcpy(a->shown.rgb + i, is->rgb + i, 3);
            }
        }
    }
}

static void write_control(apng *a, region g, bool first)
{
    unsigned char c[26] = {0};
    put32(c, a->next++);
    put32(c + 4, (unsigned)g.wide);
    put32(c + 8, (unsigned)g.high);
    put32(c + 12, (unsigned)g.x);
    put32(c + 16, (unsigned)g.y);
    put32(c + 20, 1U << 16 | (unsigned)a->fps); // lasts 1 / fps
    c[25] = !first;                             // over what is shown
    write_chunk(a->out, "fcTL", c, sizeof c);
}

apng apng_open(FILE *out, int pictures, int fps)
{
    return (apng){.out = out, .pictures = pictures, .fps = fps};
}

static bool begin(apng *a, const image *picture)
{
    const size_t pixels = (size_t)picture->wide * (size_t)picture->high;
    a->shown = (image){picture->wide, picture->high, thud_alloc(3, pixels)};
    a->rgba = thud_alloc(4, pixels);
    if (!a->shown.rgb || !a->rgba) {
        return false;
    }
    unsigned char control[8] = {0};
    put32(control, (unsigned)a->pictures);
    write_header(a->out, picture, 4);
    write_chunk(a->out, "acTL", control, sizeof control);
    return true;
}

bool apng_add(apng *a, const image *picture)
{
    const bool first = !a->shown.rgb;
    if (first && !begin(a, picture)) {
        return false;
    }
    const region g = first ? (region){0, 0, picture->wide, picture->high} : changed(&a->shown, picture);
    take_region(a, picture, g, first);
    write_control(a, g, first);
    const size_t room = first ? 0 : 4; // for the number of the chunk
    size_t size;
    unsigned char *data = compress_rows(a->rgba, g.wide, g.high, 4, room, &size);
    if (!data) {
        return false;
    }
    if (!first) {
        put32(data, a->next++);
    }
    write_chunk(a->out, first ? "IDAT" : "fdAT", data, size);
    thud_free(data);
    return true;
}

void apng_close(apng *a)
{
    write_chunk(a->out, "IEND", NULL, 0);
    thud_free(a->shown.rgb);
    thud_free(a->rgba);
    *a = (apng){0};
}
