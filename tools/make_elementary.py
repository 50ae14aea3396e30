#!/usr/bin/env python3
"""Computes the tables and polynomials of src/elementary/ with 80 digits and writes src/elementary/tables.c.

usage: tools/make_elementary.py [--check]     --check: says whether the file is what this script writes
"""
import pathlib
import sys
from decimal import Decimal as D, getcontext
from fractions import Fraction

getcontext().prec = 80
TARGET = pathlib.Path(__file__).resolve().parent.parent / "src/elementary/tables.c"


def arc_tangent(x):
    """atan x by halving the angle until the series is short."""
    halvings = 0
    while abs(x) > D("0.01"):
        x = x / (1 + (1 + x * x).sqrt())
        halvings += 1
    total, power, k = D(0), x, 0
    while abs(power) > D(10) ** -78:
        total += (power if k % 2 == 0 else -power) / (2 * k + 1)
        power *= x * x
        k += 1
    return total * 2**halvings


PI = 4 * arc_tangent(D(1))
LN2 = D(2).ln()


def arc_sine(x):
    return arc_tangent(x / ((1 - x) * (1 + x)).sqrt())


def hexadecimal(x):
    return float(x).hex()


def split(x):
    """x as the double nearest to it and the double nearest to the rest."""
    first = float(x)
    return first, float(x - D(first))


def fit(f, lo, hi, degree):
    """The polynomial through f at the Chebyshev nodes of [lo, hi]: within a small factor of the best one."""
    cosine = [D(repr(__import__("math").cos((k + 0.5) * 3.141592653589793 / (degree + 1)))) for k in range(degree + 1)]
    node = [(lo + hi) / 2 + (hi - lo) / 2 * c for c in cosine]
    divided = [f(x) for x in node]
    for level in range(1, degree + 1):
        for k in range(degree, level - 1, -1):
            divided[k] = (divided[k] - divided[k - 1]) / (node[k] - node[k - level])
    out = [D(0)] * (degree + 1)
    for k in range(degree, -1, -1):  # Horner in (x - node[k])
        for j in range(degree, 0, -1):
            out[j] = out[j - 1] - node[k] * out[j]
        out[0] = divided[k] - node[k] * out[0]
    return out


def series(f, zero):
    """f, which divides by its argument, with its limit at 0."""
    return lambda z: f(z) if abs(z) > D(10) ** -30 else zero


def rows(name, values, per_row, text):
    lines = [f"// {line}" for line in text] + [f"const {name} = {{"]
    cells = [v if isinstance(v, str) else hexadecimal(v) for v in values]
    for k in range(0, len(cells), per_row):
        lines.append("    " + ", ".join(cells[k:k + per_row]) + ",")
    return lines + ["};", ""]


def exponential():
    cells = []
    for i in range(128):
        first, rest = split((LN2 * i / 128).exp())
        cells.append("{%s, %s}" % (hexadecimal(first), hexadecimal(rest)))
    return rows("elementary_pair elementary_exp_table[128]", cells, 2, ["2^(i/128), and what its double leaves."])


def logarithm():
    """Interval i of z in [0.6875, 1.375): a reciprocal of 10 bits after the point, and -log of it, in two doubles.
    The first is a multiple of 2^-42, so that k log 2 + first is exact for every exponent k."""
    offset, cells, widest = 0x3FE6000000000000, [], D(0)
    for i in range(128):
        ends = []
        for mantissa in ((i << 45), ((i + 1) << 45)):
            bits = offset + mantissa
            k = (bits >> 52) - 1023
            ends.append(D(1 + Fraction(bits & ((1 << 52) - 1), 1 << 52).numerator / D(Fraction(bits & ((1 << 52) - 1), 1 << 52).denominator)) * D(2) ** k)
        lo, hi = ends
        near_one = lo >= 1 - D(2) ** -7 and hi <= 1 + D(2) ** -7
        inverse = D(1) if near_one else D(round(1024 * 2 / (lo + hi))) / 1024
        widest = max(widest, abs(lo * inverse - 1), abs(hi * inverse - 1))
        log = -inverse.ln() if inverse != 1 else D(0)
        first = D(round(log * 2**42)) / D(2) ** 42
        cells.append("{%s, %s, %s}" % (hexadecimal(inverse), hexadecimal(first), hexadecimal(log - first)))
    text = ["1/c, and -log(1/c) as a multiple of 2^-42 and the rest, for z near c; |z/c - 1| <= %s." % hexadecimal(widest)]
    out = rows("elementary_log_row elementary_log_table[128]", cells, 1, text)
    quotient = lambda r: ((1 + r).ln() - r) / (r * r)
    return out + rows("double elementary_log_poly[6]", fit(quotient, -D(2) ** -7, D(2) ** -7, 5), 3,
                      ["(log(1 + r) - r) / r^2, |r| <= 1/128."])


def arc():
    cells = []
    for steep in range(2):
        for i in range(17):
            angle = arc_tangent(D(i) / 16) if i else D(0)
            first, rest = split(PI / 2 - angle if steep else angle)
            cells.append("{%s, %s}" % (hexadecimal(first), hexadecimal(rest)))
    out = rows("elementary_pair elementary_atan_table[34]", cells, 2,
               ["atan(i/16), then pi/2 - atan(i/16), and what their doubles leave."])
    tangent = series(lambda z: (arc_tangent(z.sqrt()) / z.sqrt() - 1) / z, D(-1) / 3)
    out += rows("double elementary_atan_poly[9]", fit(tangent, D(0), (D("0.157")) ** 2, 8), 3,
                ["(atan(x)/x - 1) / x^2 in powers of x^2, |x| < 0.157."])
    sine = series(lambda z: (arc_sine(z.sqrt()) / z.sqrt() - 1) / z, D(1) / 6)
    out += rows("double elementary_asin_poly[13]", fit(sine, D(0), D("0.2501"), 12), 3,
                ["(asin(x)/x - 1) / x^2 in powers of x^2, |x| <= 1/2."])
    return out


def circle():
    """2/pi in 64-bit words, most significant first: word 0 holds the bits 2^-1 .. 2^-64."""
    getcontext().prec = 420
    pi = 4 * (4 * machin(5) - machin(239))
    words, rest = [], 2 / pi
    for _ in range(20):
        rest *= 2**64
        word = int(rest)
        rest -= word
        words.append("0x%016x" % word)
    getcontext().prec = 80
    return rows("uint64_t elementary_two_over_pi[20]", words, 4, ["2/pi: word 0 holds the bits of 2^-1 to 2^-64."])


def machin(n):
    total, power, k = D(0), D(1) / n, 0
    while power > D(10) ** -415:
        total += (power if k % 2 == 0 else -power) / (2 * k + 1)
        power /= n * n
        k += 1
    return total


def main():
    lines = ["// SPDX-License-Identifier: Apache-2.0",
             "// tables.c: written by tools/make_elementary.py. Do not edit.", '#include "tables.h"', "",
             "// clang-format off"]
    lines += exponential() + logarithm() + arc() + circle()
    lines[-1] = "// clang-format on"
    text = "\n".join(lines) + "\n"
    if "--check" in sys.argv:
        same = TARGET.read_text() == text
        print("elementary: tables.c is", "what the script writes" if same else "NOT what the script writes")
        sys.exit(not same)
    TARGET.write_text(text)
    a, b = split(PI / 2)
    print("pi/2", a.hex(), b.hex(), " ln2/128 parts:")
    step = LN2 / 128
    first = D(round(step * 2**43)) / D(2)**43
    print(hexadecimal(first), hexadecimal(step - first), hexadecimal(1 / step))
    first = D(round(LN2 * 2**42)) / D(2)**42
    print("ln2 on the grid of the table", hexadecimal(first), hexadecimal(LN2 - first))


main()
