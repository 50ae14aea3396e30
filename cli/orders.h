// SPDX-License-Identifier: Apache-2.0
// orders.h: how fast each law converges when the step is halved.
#pragma once

#include "study.h"

typedef struct order_wish {
    const char *name;  // of the table and the plot
    const char *scene; // from its keyframe `start`
    double time;       // s, at whose end positions are compared
    double h;          // the largest step
    int halvings;
} order_wish;

// The laws that are compared, a pyramid that turns into the slip among them.
enum { ORDER_LAWS = 8 };
const char *order_law(int i, step_wishes *out); // its name; sets out

// A table and a plot: for every law and step the largest error of a position against the same law's own run
// with a quarter of the smallest step, the order over all halvings, and the distance of that run from the
// cone's.
void study_orders(study *s, const order_wish *wish);
