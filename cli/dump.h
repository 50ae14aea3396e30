// SPDX-License-Identifier: Apache-2.0
// dump.h: contact problems as tables and as files.
#pragma once

#include <thud/thud.h>

// Writes into DIR, which is made if need be: island-N.hdf5 (FCLIB) of every island of the problem that
// failed, island-N.lcp (text) where the law is an LCP, and state.thud. Says on stderr what it wrote or could
// not write.
void dump_problem(const char *dir, const thud_sim *sim, const thud_step_options *options,
                  const thud_state *s);

// A table of the contacts of a problem that was solved, one line for each pair of bodies: resultant force and
// moment, how much of the friction is used, stick or slip, and the rank of the whole.
void contacts_print(thud_rows *rows, const thud_model *m);
