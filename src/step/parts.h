// SPDX-License-Identifier: Apache-2.0
// parts.h: steps of a crowd, part by part. Private to the room.
#pragma once

#include "sim.h"

typedef struct parts parts;

// If there are robots enough, and the options let each go its own way: sim->parts. After all else of the sim.
thud_status parts_create(thud_sim *sim);
void parts_destroy(parts *p); // NULL is allowed

// Takes the step in parts, if their reaches do not overlap: false, with nothing changed, if they do.
bool parts_step(thud_sim *sim, const double *tau, thud_state *s, thud_certificate *certificate,
                thud_status *status);
// More room for the parts that had too little; false: for none of them. And, for the whole, for what it tells them.
bool parts_grow(thud_sim *sim, thud_status *status);
thud_status parts_reserve(thud_sim *sim);

void parts_leave(thud_sim *sim);        // the rows that follow are those of the whole
void parts_gather(const thud_sim *sim); // the rows of a step taken in parts, into the whole's
bool parts_feel(const thud_sim *sim);   // what bodies felt in it; false: it was not taken in parts

// sim.c: room for more contacts, but for scratch; the scratch of all workers; a sim that is a part of another, whose scratch it
// is given to work with.
thud_status sim_reserve_more(thud_sim *sim, thud_state *s);
thud_status sim_renew_scratch(thud_sim *sim, size_t bytes);
thud_status sim_create_part(const thud_model *m, const thud_step_options *options, thud_sim **out);
