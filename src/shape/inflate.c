// SPDX-License-Identifier: Apache-2.0
// inflate.c: DEFLATE [RFC 1951] within zlib [RFC 1950], from memory to memory.
//
// A code is read bit by bit along the counts of codes of each length: the codes of one length are consecutive numbers, which
// follow, doubled, on those of the length below.
#include <stdint.h>
#include <string.h>

#include "inflate.h"

enum { LONGEST = 15, LITERALS = 288, DISTANCES = 30 };

typedef struct stream {
    const unsigned char *in, *end;
    uint32_t held; // bits that were read and not used, the next lowest
    int bits;
    unsigned char *out;
    size_t size, count;
    bool bad;
} stream;

typedef struct code { // a canonical Huffman code
    int count[LONGEST + 1];
    short symbol[LITERALS];
} code;

static unsigned take(stream *s, int n)
{
    while (s->bits < n) {
        if (s->in == s->end) {
            s->bad = true;
            return 0;
        }
        s->held |= (uint32_t)*s->in++ << s->bits;
        s->bits += 8;
    }
    const unsigned value = s->held & ((1u << n) - 1);
    s->held >>= n;
    s->bits -= n;
    return value;
}

// The code that has symbols of these lengths (0: none). False where more codes are asked for than there are.
static bool make_code(code *c, const unsigned char *length, int symbols)
{
    int at[LONGEST + 2] = {0}, left = 1;
    memset(c->count, 0, sizeof c->count);
    for (int i = 0; i < symbols; i++) {
        c->count[length[i]]++;
    }
    for (int n = 1; n <= LONGEST; n++) {
        left = 2 * left - c->count[n];
        if (left < 0) {
            return false;
        }
        at[n + 1] = at[n] + c->count[n];
    }
    for (int i = 0; i < symbols; i++) {
        if (length[i]) {
            c->symbol[at[length[i]]++] = (short)i;
        }
    }
    c->count[0] = 0;
    return true;
}

static int decode(stream *s, const code *c)
{
    int value = 0, first = 0, index = 0;
    for (int n = 1; n <= LONGEST && !s->bad; n++) {
        value |= (int)take(s, 1);
        if (value - first < c->count[n]) {
            return c->symbol[index + value - first];
        }
        index += c->count[n];
        first = 2 * (first + c->count[n]);
        value *= 2;
    }
    s->bad = true;
    return 0;
}

static void put(stream *s, unsigned char byte)
{
    if (s->count == s->size) {
        s->bad = true;
        return;
    }
    s->out[s->count++] = byte;
}

// Bytes, and copies of what came before, until the end of the block.
static void read_codes(stream *s, const code *literals, const code *distances)
{
    static const short base[29] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                   31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
    static const unsigned char extra[29] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                            2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
    static const short far[DISTANCES] = {1,    2,    3,    4,    5,    7,    9,    13,    17,    25,
                                         33,   49,   65,   97,   129,  193,  257,  385,   513,   769,
                                         1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
    while (!s->bad) {
        const int symbol = decode(s, literals);
        if (symbol < 256) {
            put(s, (unsigned char)symbol);
            continue;
        }
        if (symbol == 256) {
            return;
        }
        const int l = symbol - 257;
        if (l >= 29) {
            s->bad = true;
            return;
        }
        const int length = base[l] + (int)take(s, extra[l]), d = decode(s, distances);
        if (d >= DISTANCES) {
            s->bad = true;
            return;
        }
        const size_t back = (size_t)far[d] + take(s, d < 4 ? 0 : d / 2 - 1);
        s->bad |= back > s->count;
        for (int k = 0; k < length && !s->bad; k++) {
            put(s, s->out[s->count - back]);
        }
    }
}

static void read_fixed(stream *s)
{
    unsigned char length[LITERALS];
    code literals, distances;
    for (int i = 0; i < LITERALS; i++) {
        length[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    }
    (void)make_code(&literals, length, LITERALS);
    memset(length, 5, DISTANCES);
    (void)make_code(&distances, length, DISTANCES);
    read_codes(s, &literals, &distances);
}

static void read_dynamic(stream *s)
{
    static const unsigned char order[19] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    unsigned char length[LITERALS + 32] = {0};
    code lengths, literals, distances;
    const int symbols = (int)take(s, 5) + 257, others = (int)take(s, 5) + 1, given = (int)take(s, 4) + 4;
    for (int i = 0; i < given; i++) {
        length[order[i]] = (unsigned char)take(s, 3);
    }
    s->bad |= symbols > 286 || others > DISTANCES || !make_code(&lengths, length, 19);
    memset(length, 0, sizeof length);
    for (int i = 0; i < symbols + others && !s->bad;) {
        const int symbol = decode(s, &lengths);
        if (symbol < 16) {
            length[i++] = (unsigned char)symbol;
            continue;
        }
        const int times = symbol == 16   ? 3 + (int)take(s, 2)
                          : symbol == 17 ? 3 + (int)take(s, 3)
                                         : 11 + (int)take(s, 7);
        s->bad |= (symbol == 16 && i == 0) || i + times > symbols + others;
        const unsigned char value = symbol == 16 && i > 0 ? length[i - 1] : 0;
        for (int k = 0; k < times && !s->bad; k++) {
            length[i++] = value;
        }
    }
    s->bad =
        s->bad || !make_code(&literals, length, symbols) || !make_code(&distances, length + symbols, others);
    if (!s->bad) {
        read_codes(s, &literals, &distances);
    }
}

static void read_stored(stream *s)
{
    s->held = 0;
    s->bits = 0;
    if (s->end - s->in < 4) {
        s->bad = true;
        return;
    }
    const size_t length = s->in[0] | (size_t)s->in[1] << 8, inverse = s->in[2] | (size_t)s->in[3] << 8;
    s->in += 4;
    if (length != (inverse ^ 0xffff) || (size_t)(s->end - s->in) < length || s->size - s->count < length) {
        s->bad = true;
        return;
    }
    memcpy(s->out + s->count, s->in, length);
    s->in += length;
    s->count += length;
}

static uint32_t adler32(const unsigned char *p, size_t n)
{
    uint32_t a = 1, b = 0;
    while (n > 0) {
        for (size_t k = n < 5552 ? n : 5552; k > 0; k--, n--) { // no overflow of 32 bits
            a += *p++;
            b += a;
        }
        a %= 65521;
        b %= 65521;
    }
    return b << 16 | a;
}

bool inflate_zlib(const unsigned char *bytes, size_t length, unsigned char *out, size_t size)
{
    if (length < 6 || (bytes[0] & 15) != 8 || (256 * bytes[0] + bytes[1]) % 31 != 0 || (bytes[1] & 32)) {
        return false;
    }
    stream s = {.in = bytes + 2, .end = bytes + length - 4, .out = out, .size = size};
    bool last = false;
    while (!last && !s.bad) {
        last = take(&s, 1);
        const unsigned kind = take(&s, 2);
        if (kind == 0) {
            read_stored(&s);
        } else if (kind == 1) {
            read_fixed(&s);
        } else if (kind == 2) {
            read_dynamic(&s);
        } else {
            s.bad = true;
        }
    }
    const unsigned char *sum = s.end; // what was not used of the last byte counts as used
    return !s.bad && s.count == size && s.in == s.end &&
           adler32(out, size) ==
               ((uint32_t)sum[0] << 24 | (uint32_t)sum[1] << 16 | (uint32_t)sum[2] << 8 | (uint32_t)sum[3]);
}
