// SPDX-License-Identifier: Apache-2.0
// thud/contact_touch.h: what each contact of a solved problem carries, for those who look at a step from outside.
//
//     const thud_rows *rows = thud_sim_rows(sim);                      after thud_sim_step
//     for (int i = 0; rows && i < thud_rows_islands(rows); i++) {
//         const thud_island island = thud_rows_island(rows, i);
//         for (int k = 0; k < island.blocks; k++) {
//             thud_touch touch;
//             if (thud_island_touch(&island, k, &touch)) { ... touch.impulse ... }
//         }
//     }
#pragma once

#include <thud/contact.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct thud_touch {
    int geom1, geom2, body1, body2;
    thud_vec3 point, normal; // world; the normal points from 1 to 2
    thud_vec3 impulse;       // N s, on body 2 (the opposite on body 1), world
    double normal_impulse;   // N s, its part along the normal
    double friction_impulse; // N s, the magnitude of the rest
    double friction[2];      // sliding coefficients that held in this step
    double used; // share of that friction in use: 1 where it is all there is; infinite where friction acts
                 // without a normal impulse, as laws do whose bounds lag a step behind (box, hybrid)
    double slip; // m/s, speed of one surface along the other at the step's start
    bool slides; // used is 1 and slip is not 0, both to rounding. A corner of a box at rest on a
                 // slope may need all of its friction, and yet stay
    double duration; // s that the impulse took; 0: a collision. The force is impulse / duration
} thud_touch;

// Block k of an island, if it is a contact that carries something; false, and nothing written, otherwise. O(1).
THUD_API bool thud_island_touch(const thud_island *island, int k, thud_touch *out);

#ifdef __cplusplus
}
#endif
