// SPDX-License-Identifier: Apache-2.0
// event/door.h: the event-driven scheme, for the room above (sim), which takes its steps. Not installed.
#pragma once

#include <step/door.h>

struct event_drive;
thud_status event_refuse(const thud_step_options *o, thud_diag *diag);
thud_status event_create(thud_sim *sim);   // sim->above.event, if the options ask for the scheme
void event_destroy(struct event_drive *e); // NULL is allowed
// The step of sim->o.h from s; the result is in q_next, v_next and act.
substep_result event_advance(thud_sim *sim, const double *tau, const thud_state *s);
void event_certify(thud_sim *sim, const double *tau, const thud_state *s, thud_certificate *out);
