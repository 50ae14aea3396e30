// SPDX-License-Identifier: Apache-2.0
// cone_faces.h: Alart and Curnier's y of all rows, for the kernels that read their faces off it. Private to the room.
#pragma once

#include <math.h>

#include <thud/linalg_fours.h>

// y = p - rho u, and the largest of it.
THUD_INSIDE double cone_find_y(int n, const double *p, const double *rho, const double *u, double *y)
{
    four most = {0};
    int i = 0;
    for (; i + FOUR <= n; i += FOUR) {
        four here = *fours_of(p + i) - *fours_of(rho + i) * *fours_of(u + i);
        *fours_at(y + i) = here;
        fours_size(&here);
        fours_raise(&here, &most);
    }
    double largest = 0;
    for (; i < n; i++) {
        y[i] = p[i] - rho[i] * u[i];
        largest = fabs(y[i]) > largest ? fabs(y[i]) : largest;
    }
    for (int k = 0; k < FOUR; k++) {
        largest = most[k] > largest ? most[k] : largest;
    }
    return largest;
}
