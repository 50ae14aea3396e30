// SPDX-License-Identifier: Apache-2.0
// whole.h: a sim of a model that is stepped as a whole. Private to the room.
#pragma once

#include <event/door.h>
#include <sense/door.h>
#include <settle/door.h>
#include <step/door.h>

// borrows: it is a part of another sim, whose scratch it is given to work with. NULL unless OK.
thud_status whole_create(const thud_model *m, const thud_step_options *options, bool borrows, thud_sim **out,
                         thud_diag *diag);
void whole_destroy(thud_sim *sim);

// A step of s, begun by whole_enter and taken by whole_advance; or both.
thud_status whole_enter(thud_sim *sim, const double *tau, const thud_state *s, bool certify);
thud_status whole_advance(thud_sim *sim, const double *tau, thud_state *s, thud_certificate *certificate);
thud_status whole_step(thud_sim *sim, const double *tau, thud_state *s, thud_certificate *certificate);
