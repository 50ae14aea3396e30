// SPDX-License-Identifier: Apache-2.0
// parts.h: steps of a crowd, part by part. Private to the room.
#pragma once

#include <thud/contact_gather.h>

#include "whole.h"

enum { PARTS = 64 }; // at most

typedef struct solid { // a geom that moves and may touch something
    int geom;
    double radius;
    const thud_pose *X; // where it is in the state that is looked at
    double wide;        // m: how far it may reach around itself in a step from there
    thud_aabb reach;    // around the ball that holds it, and that
} solid;

typedef struct robot { // the links on one root
    int first, end;    // solids
    thud_aabb reach;   // of them all
} robot;

typedef struct crowd_part {
    thud_model_part of;
    thud_sim *sim;
    thud_state *state; // of it alone
    thud_status status;
    thud_certificate c;
    int solids, robots;
    solid *solid;
    robot *robot;
    thud_aabb reach; // of them all
    bool known;      // the boxes are those of `state`
    bool missed;     // it was not stepped with the others: they were not
} crowd_part;

typedef struct parts {
    int count;
    crowd_part *part;
    int *of_link, *of_geom; // which part; -1: it cannot move
    int *route;             // of the state's impulses: whose they are
    int routes;             // room
    double margin;          // m: the most that two geoms are listed before they touch
    bool apart;             // the reaches do not overlap, of parts that are known
    bool taken;             // the last step was taken in parts
    bool gathered;          // and its rows are in the whole's
    thud_rows_part *rows;   // of each
} parts;

// If there are robots enough, and the options let each go its own way: sim->above.parts. After all else of the sim.
thud_status parts_create(thud_sim *sim);
void parts_destroy(parts *p); // NULL is allowed

// Takes the step in parts, if their reaches do not overlap: false, with nothing changed, if they do.
bool parts_step(thud_sim *sim, const double *tau, thud_state *s, thud_certificate *certificate,
                thud_status *status);
// More room for the parts that had too little; false: for none of them.
bool parts_grow(thud_sim *sim, thud_status *status);

void parts_leave(thud_sim *sim);        // the rows that follow are those of the whole
void parts_gather(const thud_sim *sim); // the rows of a step taken in parts, into the whole's
void parts_settle(const thud_sim *sim); // the contact forces of the last step are summed up

// parts_create.c: room for what the whole tells its parts, as much as it has itself.
thud_status parts_reserve(thud_sim *sim);

// parts_state.c: whose the impulses of s are, into p->route; what part k begins from, and whether its boxes are known there;
// what it ended with; the impulses of all. NO_MEMORY: there is no room for its impulses.
void parts_route(thud_sim *sim, const thud_state *s);
thud_status parts_load(const parts *p, int k, const thud_state *s);
void parts_save(const crowd_part *from, thud_state *s);
int parts_count_impulses(const parts *p);
void parts_merge_impulses(const parts *p, double h, thud_state *s);

// parts_reach.c: the boxes of a part where its own sim has it, or the whole; whether no two parts meet, by what they may reach
// in a step or by where they are.
void parts_find_own_boxes(crowd_part *of, double margin);
void parts_find_boxes_in(crowd_part *of, const thud_sim *whole, double margin);
bool parts_are_apart(const parts *p, bool reach);
