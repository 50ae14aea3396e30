// SPDX-License-Identifier: Apache-2.0
// bench_book.h: the results of `thud bench`, scene by scene, and the three ways to read them: text, JSON and
// a page.
#pragma once

#include "peers.h"
#include "race.h"

typedef struct bench_record { // one scene at one step
    const bench_scene *scene;
    double dt, time; // s
    bool precision;  // a point of a work-precision diagram, not a row of the tables
    race_result result[CONTESTANTS_MAX];
} bench_record;

typedef struct bench_book {
    const contestant *who;
    int count; // of them; result[i] is who[i]'s
    const peer_list *peers;
    int repeats;
    double tolerance; // Thud's; 0: its default
    int records, capacity;
    bench_record *record;
} bench_book;

// The next record, zeroed; NULL when memory ran out.
bench_record *bench_book_add(bench_book *b);
void bench_book_free(bench_book *b);

// The energy yardstick that the scene is judged by, J; NaN where it is not.
double bench_energy_of(const bench_scene *s, const measures *worth);
// What stands beside an engine's numbers: why it did not run, or how its motion ended; "" for nothing.
void bench_remark(const race_result *r, char out[ENGINE_WHY_SIZE]);

enum { SPEEDUP_SIZE = 240 };
// How much faster more threads are: a sentence; false: this contestant has one, or was not timed.
bool bench_speedup(const bench_record *record, const contestant *who, int i, char out[SPEEDUP_SIZE]);

void bench_text(const bench_book *b, const bench_record *r, FILE *out); // a scene: a line an engine
void bench_text_summary(const bench_book *b, FILE *out);                // a line a scene: times and ratios
void bench_json(const bench_book *b, FILE *out);
int bench_page(const bench_book *b, const char *path); // an exit code
