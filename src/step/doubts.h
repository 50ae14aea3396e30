// SPDX-License-Identifier: Apache-2.0
// doubts.h: the list of doubts of a sim. Private to the room.
//
// A doubt is raised while a step is taken and stands when the step does: a step that fails leaves the list as it was.
#pragma once

#include <thud/model_part.h>
#include <thud/step_doubt.h>

enum { DOUBT_PLACES = 256, DOUBTS_A_STEP = 64 }; // with a place of their own; one more of each kind without

typedef struct doubt_list {
    int count, places; // of entries; how many may have a place
    thud_doubt *entry;
} doubt_list;

typedef struct ledger { // J, of all steps since the sim began to follow this state
    bool continues;     // the step began where the last one ended
    bool springs;       // loops store energy
    double kinetic;     // the most
    double start;       // potential energy after the first step
    double potential;   // the most by which it differed from that
    double work;        // of forces, in either direction
    double contact;     // by contacts and loops, net; they should only lose it
    double dissipated;  // by contacts and loops
    double put;         // by putting positions right, more than lifting explains
    double left;        // for no known reason
    double least;       // a change below this is rounding
} ledger;

typedef struct doubts {
    double time;        // at the end of the step that is taken
    double explained;   // J: the most that positions put right in it may cost
    double least_width; // m, of all geoms; 0: not known yet
    int smooth;         // steps since a contact came or went
    int contacts;       // in the last one
    ledger ledger;
    doubt_list all, raised;
    thud_doubt entries[DOUBT_PLACES + DOUBTS_A_STEP + 2 * THUD_DOUBT_KINDS];
} doubts;

doubts *doubts_create(void); // NULL: memory ran out; freed by thud_free

void doubts_begin(doubts *d, double time); // a step that ends then; nothing is raised yet

// Raises a doubt if the value is above the limit, or is no number.
void doubts_raise(doubts *d, thud_doubt_kind kind, thud_doubt_where where, double value, double limit);

// Raises the doubts of a part of the whole, under the numbers of the whole.
void doubts_take(doubts *d, const doubts *from, const thud_model_part *part);

bool doubts_know(const doubts *d, thud_doubt_kind kind,
                 const thud_doubt_where *where); // raised, now or before

// The step stands: the doubts that were raised join the list. Counts them by grade.
void doubts_settle(doubts *d, int count[THUD_DOUBT_WRONG + 1]);

// Places.
thud_doubt_where doubt_at_body(int body);
thud_doubt_where doubt_at_joint(const thud_model *m, int joint);
thud_doubt_where doubt_between(int body1, int body2);
thud_doubt_where doubt_between_geoms(const thud_model *m, int geom1, int geom2);
