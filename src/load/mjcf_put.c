// SPDX-License-Identifier: Apache-2.0
// mjcf_put.c: elements and their attributes as text.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <thud/load.h>

#include "mjcf_write.h"

// ---------------------------------------------------------------------------------------------- text

static void append(mjcf_writer *w, const char *text, size_t length)
{
    if (w->status != THUD_OK) {
        return;
    }
    if (w->length + length + 1 > w->capacity) {
        const size_t capacity = 2 * (w->length + length + 1) + 4096;
        char *bigger = thud_resize(w->text, capacity);
        if (!bigger) {
            mjcf_fail_writing(w, THUD_NO_MEMORY);
            return;
        }
        w->text = bigger;
        w->capacity = capacity;
    }
    memcpy(w->text + w->length, text, length);
    w->length += length;
    w->text[w->length] = 0;
}

static void say(mjcf_writer *w, const char *text)
{
    append(w, text, strlen(text));
}

static void indent(mjcf_writer *w)
{
    for (int i = 0; i < w->depth; i++) {
        say(w, "  ");
    }
}

// Text in quotes; what XML reads as something else is escaped, line ends among it.
static void quote(mjcf_writer *w, const char *text)
{
    say(w, "\"");
    for (const char *p = text; *p; p++) {
        char code[8];
        if (strchr("&<>\"", *p) || ((unsigned char)*p < 0x20)) {
            snprintf(code, sizeof code, "&#%d;", *p);
            say(w, code);
        } else {
            append(w, p, 1);
        }
    }
    say(w, "\"");
}

static void number(mjcf_writer *w, double value)
{
    char text[THUD_NUMBER_SIZE];
    if (!isfinite(value)) {
        mjcf_fail_writing(w, thud_fail(THUD_NOT_FINITE, w->diag, NULL, 0, 0,
                                       "the model has a number that is not finite, which MJCF cannot say"));
    }
    say(w, thud_number_format(value, text));
}

// ---------------------------------------------------------------------------------------------- attributes

static void start(mjcf_writer *w, const char *name)
{
    say(w, " ");
    say(w, name);
    say(w, "=");
}

static void put_reals(mjcf_writer *w, const mjcf_attribute *a, const double *x, int count)
{
    start(w, a->name);
    for (int i = 0; i < count; i++) {
        say(w, i ? " " : "\"");
        number(w, x[i]);
    }
    say(w, "\"");
}

static void put_ints(mjcf_writer *w, const mjcf_attribute *a, const int *x)
{
    start(w, a->name);
    for (int i = 0; i < a->most; i++) {
        char text[16];
        snprintf(text, sizeof text, "%s%d", i ? " " : "\"", x[i]);
        say(w, text);
    }
    say(w, "\"");
}

static bool has_same_bits(double a, double b)
{
    return (a == b && signbit(a) == signbit(b)) || (isnan(a) && isnan(b));
}

// The numbers up to the last that differs from the default.
static int count_told(const mjcf_attribute *a, const double *x, const double *base)
{
    int count = a->most;
    while (count > 0 && has_same_bits(x[count - 1], base[count - 1])) {
        count--;
    }
    const bool whole = a->rules & (MJCF_FILL | MJCF_WHOLE);
    return count == 0 ? 0 : whole ? a->most : count < a->least ? a->least : count;
}

static void put_word(mjcf_writer *w, const mjcf_attribute *a, int value)
{
    const mjcf_word *word = a->words;
    while (word->text && word->value != value) {
        word++;
    }
    if (word->text) {
        start(w, a->name);
        quote(w, word->text);
    }
}

// Whether an attribute must be written: it is given, or needed, or differs from the default.
static bool is_told(const mjcf_attribute *a, const void *draft, const void *base)
{
    const char *x = (const char *)draft + a->offset, *y = (const char *)base + a->offset;
    switch (a->kind) {
    case MJCF_TEXT:
    case MJCF_NAME:
        return *(const char *const *)x && (!a->given || (((const draft_head *)draft)->given & a->given));
    case MJCF_LIST:
        return ((const mjcf_list *)x)->count > 0;
    case MJCF_ANY:
    case MJCF_REFUSED:
        return false;
    default:
        break;
    }
    if (a->given || (a->rules & MJCF_REQUIRED)) {
        return !a->given || (((const draft_head *)draft)->given & a->given);
    }
    switch (a->kind) {
    case MJCF_REAL:
        return count_told(a, (const double *)x, (const double *)y) > 0;
    case MJCF_BOOL:
        return *(const bool *)x != *(const bool *)y;
    case MJCF_INT:
        return memcmp(x, y, (size_t)a->most * sizeof(int)) != 0;
    default:
        return memcmp(x, y, sizeof(int)) != 0;
    }
}

static void put_value(mjcf_writer *w, const mjcf_attribute *a, const char *field, const char *base)
{
    const bool whole = a->given || (a->rules & MJCF_REQUIRED);
    const double *x = (const double *)field;
    int word;
    switch (a->kind) {
    case MJCF_REAL:
        put_reals(w, a, x, whole ? a->most : count_told(a, x, (const double *)base));
        return;
    case MJCF_INT:
        put_ints(w, a, (const int *)field);
        return;
    case MJCF_BOOL:
        put_word(w, a, *(const bool *)field);
        return;
    case MJCF_WORD:
        memcpy(&word, field, sizeof word); // an enumeration or an int
        put_word(w, a, word);
        return;
    case MJCF_LIST:
        put_reals(w, a, ((const mjcf_list *)field)->value, ((const mjcf_list *)field)->count);
        return;
    default:
        start(w, a->name);
        quote(w, *(const char *const *)field);
    }
}

static void put_tag(mjcf_writer *w, const mjcf_element *element, const void *draft, const void *base,
                    const char *end)
{
    indent(w);
    say(w, "<");
    say(w, element->name);
    for (const mjcf_attribute *a = element->attribute; a && a->name; a++) {
        if (is_told(a, draft, base)) {
            put_value(w, a, (const char *)draft + a->offset, (const char *)base + a->offset);
        }
    }
    say(w, end);
}

bool mjcf_tells(const mjcf_element *element, const void *draft, const void *base)
{
    for (const mjcf_attribute *a = element->attribute; a && a->name; a++) {
        if (is_told(a, draft, base)) {
            return true;
        }
    }
    return false;
}

void mjcf_put(mjcf_writer *w, const mjcf_element *element, const void *draft, const void *base)
{
    put_tag(w, element, draft, base, "/>\n");
}

void mjcf_begin(mjcf_writer *w, const mjcf_element *element, const void *draft, const void *base)
{
    put_tag(w, element, draft, base, ">\n");
    w->depth++;
}

void mjcf_begin_section(mjcf_writer *w, const char *name)
{
    mjcf_begin(w, &(mjcf_element){.name = name}, NULL, NULL);
}

void mjcf_end(mjcf_writer *w, const char *name)
{
    w->depth--;
    indent(w);
    say(w, "</");
    say(w, name);
    say(w, ">\n");
}

const mjcf_element *mjcf_variant(const mjcf_element *const *list, mjcf_role role, int variant)
{
    while (*list && ((*list)->role != role || (*list)->variant != variant)) {
        list++;
    }
    return *list;
}

void mjcf_turn(quat q, draft_head *head, draft_turn *turn)
{
    if (q.w != 1 || q.x != 0 || q.y != 0 || q.z != 0) {
        head->given |= GIVEN_QUAT;
        memcpy(turn->quat, (double[]){q.w, q.x, q.y, q.z}, sizeof turn->quat);
    }
}
