// SPDX-License-Identifier: Apache-2.0
// contact/door.h: how fast the two bodies of a contact are, for this room and those above, which ask it of every contact in every
// step. Not installed.
#pragma once

#include <thud/contact.h>
#include <thud/spatial_inline.h>

// The velocity of a body's point x, for link velocities V.
static inline vec3 contact_point_velocity(const thud_model *m, const thud_dynamics *d, const thud_motion *V,
                                          int body, vec3 x)
{
    const int link = m->body_link[body];
    return link < 0 ? v3(0, 0, 0) : v3_add(V[link].lin, v3_cross(V[link].ang, v3_sub(x, d->link[link].o)));
}

// That of body 2 less that of body 1.
static inline vec3 contact_velocity(const thud_model *m, const thud_dynamics *d, const thud_motion *V,
                                    const thud_contact *c, vec3 x)
{
    return v3_sub(contact_point_velocity(m, d, V, c->body2, x), contact_point_velocity(m, d, V, c->body1, x));
}
