// SPDX-License-Identifier: Apache-2.0
// json.h: writes one JSON value as it goes. Numbers read back as the same bits; NaN and infinities are null;
// bytes that are not UTF-8 become U+FFFD. Inside an array pass NULL as the key.
//
//     json j;
//     json_open(&j, stdout);
//     json_begin(&j, NULL, '{');
//     json_number(&j, "time", 1.5);
//     json_numbers(&j, "qpos", s->q, m->nq);
//     json_end(&j);
//     json_close(&j);
#pragma once

#include <stdbool.h>
#include <stdio.h>

enum { JSON_DEPTH = 16 };

typedef struct json {
    FILE *out;
    int depth;
    struct {
        char close;       // '}' or ']'
        bool written;     // something is in it already
        bool on_one_line; // its parts are not each on a line of their own
    } level[JSON_DEPTH];
} json;

void json_open(json *j, FILE *out);
void json_begin(json *j, const char *key, char bracket);      // '{' or '[', each part on its own line
void json_begin_line(json *j, const char *key, char bracket); // the same, all on one line
void json_end(json *j);                                       // closes what was begun last
void json_number(json *j, const char *key, double value);
void json_integer(json *j, const char *key, long long value);
void json_text(json *j, const char *key, const char *value); // NULL gives null
void json_bool(json *j, const char *key, bool value);
void json_numbers(json *j, const char *key, const double *value, size_t count); // a flat array on one line
void json_close(json *j);                                                       // the last newline
