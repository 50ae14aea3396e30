// SPDX-License-Identifier: Apache-2.0
// exponential.h: e^x and log x with more bits than a double holds, for functions made of them. Private to the room.
#pragma once

#include "pair.h"

// e^(x + rest) = 2^k (hi + lo), 1 <= hi < 2; k is returned. |x| < 800, |rest| < 2^-30.
THUD_INSIDE int exponential_of(double x, double rest, elementary_pair *e)
{
    const double ROUND = 0x1.8p52; // added to a number, leaves the nearest integer in its last bits
    const double shifted = x * 0x1.71547652b82fep+7 + ROUND, n = shifted - ROUND;
    const int k = (int)(uint32_t)bits_of(shifted);
    const double r = x - n * 0x1.62e42fefa0000p-8 - n * 0x1.cf79abc9e3b3ap-47 + rest; // |r| <= log(2)/256
    const double p = r + r * r * ((0.5 + r * (1.0 / 6)) + r * r * (1.0 / 24 + r * (1.0 / 120)));
    const elementary_pair *power = elementary_exp_table + (k & 127);
    *e = (elementary_pair){power->hi, power->lo + power->hi * p};
    return k >> 7;
}

elementary_pair logarithm_of(double x); // log x of a positive, finite x, to 66 bits
