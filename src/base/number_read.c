// SPDX-License-Identifier: Apache-2.0
// number_read.c: the double nearest to a decimal number, whatever the locale and the C library.
//
// Up to 19 digits are a 64-bit integer d; the value is d 10^e. For |e| <= 27 the power 5^|e| has 63 bits, and the product with d,
// or the quotient of d 2^64 by it, is exact in 128 bits but for a remainder, of which only "none or some" matters. Other
// numbers start from a near double and are compared with the midpoints beside it in integers of any length [Clinger 1990].
#include <math.h>
#include <string.h>

#include <thud/base_input.h>

__extension__ typedef unsigned __int128 wide;

enum {
    DIGITS = 800,     // significant digits that are kept: no midpoint of two doubles has more than 768
    EXACT_POWER = 27, // 5^27 < 2^63
    WORDS = 96,       // 32-bit words: 10^800 has 2658 bits, a midpoint times 5^400 2003
    LEAST = -1074     // exponent of the smallest double
};

typedef struct decimal {
    unsigned char digit[DIGITS]; // without leading zeros
    int count;
    bool more;     // digits beyond the last kept one are not all zero
    long exponent; // value = 0.digits 10^exponent
} decimal;

// ---------------------------------------------------------------------------------------------- 128 bits

// w 2^e rounded to the nearest double, ties to even; `more`: the value is a little greater than w 2^e.
static double round_wide(wide w, int e, bool more)
{
    if (w == 0) {
        return 0;
    }
    int length = 0;
    for (wide rest = w; rest; rest >>= 1) {
        length++;
    }
    int drop = length - 53;
    if (drop + e < LEAST) {
        drop = LEAST - e; // fewer bits in a subnormal number
    }
    if (drop <= 0) {
        return ldexp((double)(uint64_t)w, e); // callers with `more` give 64 bits at least
    }
    if (drop > 127) {
        return 0;
    }
    const wide half = (wide)1 << (drop - 1), rest = w & ((half << 1) - 1);
    uint64_t kept = (uint64_t)(w >> drop);
    kept += rest > half || (rest == half && (more || kept & 1));
    return ldexp((double)kept, e + drop);
}

static double scale_small(uint64_t d, int e)
{
    uint64_t five = 1;
    for (int k = 0; k < (e < 0 ? -e : e); k++) {
        five *= 5;
    }
    if (e >= 0) {
        return round_wide((wide)d * five, e, false);
    }
    int lift = 0;
    for (; !(d >> 63); d <<= 1) { // so that the quotient has 64 bits at least
        lift++;
    }
    const wide n = (wide)d << 64;
    return round_wide(n / five, e - 64 - lift, n % five != 0);
}

// ---------------------------------------------------------------------------------------------- any length

typedef struct whole {
    uint32_t word[WORDS]; // the least first
    int count;
} whole;

static void multiply_add(whole *w, uint32_t factor, uint32_t add)
{
    uint64_t carry = add;
    for (int i = 0; i < w->count; i++) {
        carry += (uint64_t)w->word[i] * factor;
        w->word[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry && w->count < WORDS) {
        w->word[w->count++] = (uint32_t)carry;
    }
}

static void multiply_five(whole *w, long power)
{
    for (; power >= 13; power -= 13) {
        multiply_add(w, 1220703125, 0); // 5^13
    }
    for (; power > 0; power--) {
        multiply_add(w, 5, 0);
    }
}

static void shift_left(whole *w, long bits)
{
    const int words = (int)(bits / 32), rest = (int)(bits % 32);
    multiply_add(w, (uint32_t)1 << rest, 0);
    if (words > 0 && w->count > 0 && w->count + words <= WORDS) {
        memmove(w->word + words, w->word, (size_t)w->count * sizeof *w->word);
        memset(w->word, 0, (size_t)words * sizeof *w->word);
        w->count += words;
    }
}

static int compare(const whole *a, const whole *b)
{
    if (a->count != b->count) {
        return a->count < b->count ? -1 : 1;
    }
    for (int i = a->count - 1; i >= 0; i--) {
        if (a->word[i] != b->word[i]) {
            return a->word[i] < b->word[i] ? -1 : 1;
        }
    }
    return 0;
}

// The sign of the decimal less m 2^e, both times powers of two and five that make them whole.
static int compare_decimal(const decimal *d, uint64_t m, int e)
{
    whole a = {.count = 0}, b = {.word = {(uint32_t)m, (uint32_t)(m >> 32)}, .count = m >> 32 ? 2 : 1};
    for (int i = 0; i < d->count; i++) {
        multiply_add(&a, 10, d->digit[i]);
    }
    const long ten = d->exponent - d->count; // the decimal is a 10^ten
    multiply_five(ten > 0 ? &a : &b, ten > 0 ? ten : -ten);
    const long two = ten - e;
    shift_left(two > 0 ? &a : &b, two > 0 ? two : -two);
    const int sign = compare(&a, &b);
    return sign == 0 && d->more ? 1 : sign;
}

// x as m 2^e with e >= LEAST.
static uint64_t take_apart(double x, int *e)
{
    int exponent;
    frexp(x, &exponent);
    *e = x == 0 || exponent - 53 < LEAST ? LEAST : exponent - 53;
    return (uint64_t)ldexp(x, -*e);
}

// Moves x to the double whose half-unit interval holds the decimal.
static double settle(const decimal *d, double x)
{
    for (;;) {
        int e;
        const uint64_t m = take_apart(x, &e);
        const int above = compare_decimal(d, 2 * m + 1, e - 1);
        if (above > 0 || (above == 0 && m & 1)) {
            x = ldexp((double)(m + 1), e);
            if (!(x < HUGE_VAL)) {
                return HUGE_VAL;
            }
            continue;
        }
        if (m == 0) {
            return x;
        }
        const bool power = m == (uint64_t)1 << 52 && e > LEAST; // the double below is half as far
        const int below = power ? compare_decimal(d, 4 * m - 1, e - 2) : compare_decimal(d, 2 * m - 1, e - 1);
        if (below < 0 || (below == 0 && m & 1)) {
            x = power ? ldexp((double)(2 * m - 1), e - 1) : ldexp((double)(m - 1), e);
            continue;
        }
        return x;
    }
}

// A double within a few units of the decimal, from its first 19 digits by powers of ten in steps.
static double guess(uint64_t d, long e)
{
    double x = (double)d;
    for (; e < -27; e += 27) {
        x /= 1e27;
    }
    for (; e > 27; e -= 27) {
        x *= 1e27;
    }
    for (; e < 0; e++) {
        x /= 10;
    }
    for (; e > 0; e--) {
        x *= 10;
    }
    return x < HUGE_VAL ? x : 0x1.fffffffffffffp1023;
}

static double decimal_value(const decimal *d)
{
    if (d->count == 0 || d->exponent < -330) { // below half of the smallest double
        return 0;
    }
    if (d->exponent > 310) {
        return HUGE_VAL;
    }
    uint64_t first = 0;
    const int taken = d->count < 19 ? d->count : 19;
    for (int i = 0; i < taken; i++) {
        first = 10 * first + d->digit[i];
    }
    const long e = d->exponent - taken;
    if (d->count <= 19 && !d->more && e >= -EXACT_POWER && e <= EXACT_POWER) {
        return scale_small(first, (int)e);
    }
    return settle(d, guess(first, e));
}

// ---------------------------------------------------------------------------------------------- text

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// Whether a text begins with a word, in either case.
static bool begins(const char *text, const char *word)
{
    for (; *word; text++, word++) {
        if ((*text | 0x20) != *word) {
            return false;
        }
    }
    return true;
}

// Reads digits and at most one point; NULL where there is no digit.
static const char *read_digits(const char *at, decimal *d)
{
    bool any = false, point = false;
    for (;; at++) {
        if (*at == '.' && !point) {
            point = true;
            continue;
        }
        if (!is_digit(*at)) {
            return any ? at : NULL;
        }
        any = true;
        const bool leading = d->count == 0 && *at == '0';
        if (!leading && d->count < DIGITS) {
            d->digit[d->count++] = (unsigned char)(*at - '0');
        } else if (!leading) {
            d->more |= *at != '0';
        }
        d->exponent += point ? -leading : !leading;
    }
}

// The exponent after a mark ('e' or 'p'); nothing is read where no digit follows.
static const char *read_exponent(const char *at, char mark, long *exponent)
{
    const char *digit = at + 1;
    if ((*at | 0x20) != mark) {
        return at;
    }
    const bool negative = *digit == '-';
    digit += *digit == '-' || *digit == '+';
    if (!is_digit(*digit)) {
        return at;
    }
    long value = 0;
    for (; is_digit(*digit); digit++) {
        value = value < 100000 ? 10 * value + (*digit - '0') : value;
    }
    *exponent += negative ? -value : value;
    return digit;
}

static int hex_digit(char c)
{
    const char low = (char)(c | 0x20);
    return is_digit(c) ? c - '0' : low >= 'a' && low <= 'f' ? low - 'a' + 10 : -1;
}

// The number after "0x": digits of four bits, and a power of two behind 'p'. NULL where there is no digit.
static const char *read_hex(const char *at, double *out)
{
    uint64_t m = 0;
    bool any = false, point = false, more = false;
    long exponent = 0;
    for (;; at++) {
        const int digit = hex_digit(*at);
        if (*at == '.' && !point) {
            point = true;
        } else if (digit < 0) {
            break;
        } else {
            any = true;
            const bool room = m >> 60 == 0;
            more |= !room && digit > 0;
            m = room ? 16 * m + (uint64_t)digit : m;
            exponent += 4 * (!room - point);
        }
    }
    if (!any) {
        return NULL;
    }
    at = read_exponent(at, 'p', &exponent);
    *out = round_wide(m, exponent < -5000 ? -5000 : exponent > 5000 ? 5000 : (int)exponent, more);
    return at;
}

double thud_number_read(const char *text, const char **end)
{
    const char *at = text;
    while (*at == ' ' || (*at >= '\t' && *at <= '\r')) {
        at++;
    }
    const bool negative = *at == '-';
    at += *at == '-' || *at == '+';
    const int word = begins(at, "infinity") ? 8 : begins(at, "inf") || begins(at, "nan") ? 3 : 0;
    if (word > 0) {
        const double value = (*at | 0x20) == 'i' ? HUGE_VAL : NAN;
        *end = at + word;
        return negative ? -value : value;
    }
    double hex;
    if (*at == '0' && (at[1] | 0x20) == 'x' && (*end = read_hex(at + 2, &hex)) != NULL) {
        return negative ? -hex : hex;
    }
    decimal d = {.count = 0};
    const char *after = read_digits(at, &d);
    if (!after) {
        *end = text;
        return 0;
    }
    *end = read_exponent(after, 'e', &d.exponent);
    while (d.count > 0 && d.digit[d.count - 1] == 0) {
        d.count--;
    }
    const double value = decimal_value(&d);
    return negative ? -value : value;
}
