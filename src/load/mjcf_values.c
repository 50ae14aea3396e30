// SPDX-License-Identifier: Apache-2.0
// mjcf_values.c: attribute texts into numbers and words. What is not exactly right is an error with its
// place.
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <thud/base_input.h>

#include "mjcf_reader.h"
#include "urdf_robot.h"

enum { TOKEN_SIZE = 512 }; // a number of more characters is no number

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// Copies the next token of *text and steps over it; false at the end. Too long a token is cut.
static bool next_token(const char **text, char token[TOKEN_SIZE])
{
    const char *p = *text;
    while (is_space(*p)) {
        p++;
    }
    size_t length = 0;
    for (; *p && !is_space(*p); p++) {
        if (length + 1 < TOKEN_SIZE) {
            token[length++] = *p;
        }
    }
    token[length] = 0;
    *text = p;
    return length > 0;
}

static int count_digits(const char **p)
{
    int digits = 0;
    for (; **p >= '0' && **p <= '9'; ++*p) {
        digits++;
    }
    return digits;
}

// A decimal number as every program writes it; not hexadecimal, not "inf", not "nan".
static bool is_number(const char *p)
{
    p += *p == '+' || *p == '-';
    int digits = count_digits(&p);
    if (*p == '.') {
        p++;
        digits += count_digits(&p);
    }
    if (digits && (*p == 'e' || *p == 'E')) {
        p++;
        p += *p == '+' || *p == '-';
        digits = count_digits(&p);
    }
    return digits && !*p;
}

static double to_double(const char *token)
{
    const char *end;
    return thud_number_read(token, &end);
}

typedef struct value_source { // an attribute being read, for messages
    mjcf_reader *r;
    const xml_node *node;
    const xml_attribute *attribute;
} value_source;

#define REFUSE(s, ...) MJCF_FAIL((s)->r, THUD_BAD_FILE, xml_place((s)->node, (s)->attribute), __VA_ARGS__)

static thud_status read_double(const value_source *s, char *token, double *out)
{
    if (!is_number(token)) {
        return REFUSE(s, "\"%.60s\" in %s is not a finite number", token, s->attribute->name);
    }
    char shown[64];
    strncpy(shown, token, sizeof shown - 1);
    shown[sizeof shown - 1] = 0;
    *out = to_double(token);
    if (!isfinite(*out)) {
        return REFUSE(s, "%s in %s is too large a number", shown, s->attribute->name);
    }
    return THUD_OK;
}

// Limits may be infinite: the farthest that MuJoCo knows.
static bool read_infinity(const char *token, double *out)
{
    const double far = 1e10;
    const char *word = token + (*token == '+' || *token == '-');
    *out = *token == '-' ? -far : far;
    return strcmp(word, "inf") == 0 || strcmp(word, "Inf") == 0 || strcmp(word, "infinity") == 0;
}

static thud_status read_int(const value_source *s, const char *token, int *out)
{
    const char *p = token + (*token == '+' || *token == '-');
    const int digits = count_digits(&p);
    const long value = strtol(token, NULL, 10);
    if (!digits || *p || digits > 10 || value > INT_MAX || value < INT_MIN) {
        return REFUSE(s, "\"%.60s\" in %s is not a whole number", token, s->attribute->name);
    }
    *out = (int)value;
    return THUD_OK;
}

static thud_status wrong_count(const value_source *s, const mjcf_attribute *a, int got)
{
    char range[32];
    if (a->least == a->most) {
        snprintf(range, sizeof range, "%d", a->most);
    } else {
        snprintf(range, sizeof range, "%d to %d", a->least, a->most);
    }
    return REFUSE(s, "%s takes %s number%s, not %s%d", a->name, range, a->most == 1 ? "" : "s",
                  got > a->most ? "at least " : "", got);
}

// Of a URDF file that is not read strictly.
static bool is_tolerant(const value_source *s)
{
    return s->node->element->role == MJCF_ROLE_URDF && !s->r->strict;
}

// What is below zero and must not be becomes zero in URDF, and damping everywhere; a size of zero is its reader's affair there.
static thud_status check_sign(const value_source *s, const mjcf_attribute *a, double *value)
{
    if ((a->rules & MJCF_POSITIVE) && !(*value > 0) && !(*value == 0 && is_tolerant(s))) {
        return REFUSE(s, "%s is %g; it must be positive", a->name, *value);
    }
    if ((a->rules & MJCF_NOT_NEGATIVE) && !(*value >= 0)) {
        const double given = *value;
        const bool mended = is_tolerant(s) || (a->rules & MJCF_MENDED);
        *value = mended ? 0 : given;
        return mended ? mjcf_mend(s->r, THUD_NOTE_CHANGED, THUD_BAD_FILE, xml_place(s->node, s->attribute),
                                  "taken as zero", "%s of <%.80s> is %g; it must not be negative", a->name,
                                  s->node->name, given)
                      : REFUSE(s, "%s is %g; it must not be negative", a->name, given);
    }
    return THUD_OK;
}

// Reads least..most numbers; those not given keep their value.
static thud_status read_numbers(const value_source *s, const mjcf_attribute *a, void *field)
{
    const char *text = s->attribute->value;
    char token[TOKEN_SIZE];
    double real[16] = {0};
    int whole[16] = {0}, count = 0;
    THUD_ASSERT(a->most <= 16);
    if (is_tolerant(s)) {
        text = urdf_plain_numbers(s->r, xml_place(s->node, s->attribute), text);
    }
    for (; text && next_token(&text, token); count++) {
        if (count == a->most && is_tolerant(s)) {
            THUD_TRY(mjcf_mend(s->r, THUD_NOTE_LOOK, THUD_BAD_FILE, xml_place(s->node, s->attribute),
                               "the first count", "%s of <%.80s> has more numbers than it takes", a->name,
                               s->node->name));
            break;
        }
        if (count == a->most) {
            return wrong_count(s, a, count + 1);
        }
        THUD_TRY((a->rules & MJCF_INFINITE) && read_infinity(token, &real[count]) ? THUD_OK
                 : a->kind == MJCF_REAL ? read_double(s, token, &real[count])
                                        : read_int(s, token, &whole[count]));
        double value = a->kind == MJCF_REAL ? real[count] : whole[count];
        THUD_TRY(check_sign(s, a, &value));
        real[count] = a->kind == MJCF_REAL ? value : 0;
    }
    if (!text) {
        return THUD_NO_MEMORY;
    }
    if (count < a->least) {
        return wrong_count(s, a, count);
    }
    for (; (a->rules & MJCF_FILL) && count > 0 && count < a->most; count++) {
        real[count] = real[count - 1];
    }
    if (a->kind == MJCF_REAL) {
        memcpy(field, real, (size_t)count * sizeof real[0]);
    } else {
        memcpy(field, whole, (size_t)count * sizeof whole[0]);
    }
    return THUD_OK;
}

static thud_status read_list(const value_source *s, mjcf_list *list)
{
    const char *text = s->attribute->value;
    char token[TOKEN_SIZE];
    int count = 0;
    while (next_token(&text, token)) {
        count++;
    }
    list->count = count;
    list->value = pool_push(&s->r->tree.pool, (size_t)count, sizeof *list->value);
    if (!list->value) {
        return THUD_NO_MEMORY;
    }
    text = s->attribute->value;
    for (int i = 0; next_token(&text, token); i++) {
        THUD_TRY(read_double(s, token, &list->value[i]));
    }
    return THUD_OK;
}

static thud_status read_word(const value_source *s, const mjcf_word *words, int *out)
{
    const char *value = s->attribute->value;
    char known[256] = "";
    for (const mjcf_word *w = words; w->text; w++) {
        if (strcmp(w->text, value) == 0) {
            *out = w->value;
            return w->value >= 0 ? THUD_OK
                                 : MJCF_FAIL(s->r, THUD_UNSUPPORTED, xml_place(s->node, s->attribute),
                                             "%s=\"%s\" is not supported in <%s>", s->attribute->name, value,
                                             s->node->name);
        }
        const size_t length = strlen(known);
        if (w->value >= 0) {
            snprintf(known + length, sizeof known - length, "%s%s", length ? ", " : "", w->text);
        }
    }
    return REFUSE(s, "\"%.60s\" is no value of %s: %s", value, s->attribute->name, known);
}

static bool is_blank(const char *text)
{
    return text[strspn(text, " \t\r\n")] == 0;
}

// MuJoCo takes numbers and names that are written and empty as not written. Not so words, and names of classes.
static bool says_nothing(const value_source *s, const mjcf_attribute *a)
{
    const bool numbers = a->kind == MJCF_REAL || a->kind == MJCF_INT || a->kind == MJCF_LIST;
    const bool name = a->kind == MJCF_NAME || a->kind == MJCF_TEXT;
    return s->node->element->role != MJCF_ROLE_URDF && !(a->rules & MJCF_REQUIRED) &&
           (numbers || (name && !(a->rules & MJCF_NOT_EMPTY))) && is_blank(s->attribute->value);
}

static thud_status read_value(const value_source *s, const mjcf_attribute *a, void *field)
{
    int word = 0;
    switch (a->kind) {
    case MJCF_REAL:
    case MJCF_INT:
        return read_numbers(s, a, field);
    case MJCF_BOOL:
        THUD_TRY(read_word(s, a->words, &word));
        *(bool *)field = word != 0;
        return THUD_OK;
    case MJCF_WORD:
        THUD_TRY(read_word(s, a->words, &word));
        memcpy(field, &word, sizeof word); // an enumeration or an int
        return THUD_OK;
    case MJCF_TEXT:
    case MJCF_NAME:
        if (!s->attribute->value[0] && (a->rules & MJCF_EMPTY)) {
            return THUD_OK;
        }
        if (!s->attribute->value[0]) {
            return REFUSE(s, "%s is empty; leave it out instead", a->name);
        }
        *(const char **)field = s->attribute->value;
        return THUD_OK;
    case MJCF_LIST:
        return read_list(s, field);
    default:
        return THUD_OK;
    }
}

thud_status mjcf_read_attributes(mjcf_reader *r, int n, void *draft)
{
    const xml_node *node = mjcf_node(r, n);
    draft_head *head = draft;
    unsigned mine = 0;
    const bool in_default =
        node->parent >= 0 && mjcf_node(r, node->parent)->element->role == MJCF_ROLE_DEFAULT;
    if (node->element->remark && !in_default && !mjcf_remember(r, node->element->remark, node->place)) {
        return THUD_NO_MEMORY;
    }
    for (int i = 0; i < node->attributes; i++) {
        const value_source s = {r, node, &node->attribute[i]};
        const mjcf_attribute *a = mjcf_find_attribute(node->element, s.attribute->name);
        if (!a || says_nothing(&s, a)) { // another program's, or nobody's
            continue;
        }
        if (mine & a->group) {
            return REFUSE(&s, "%s says again, or against, what another attribute of this <%s> says", a->name,
                          node->name);
        }
        THUD_TRY(read_value(&s, a, (char *)draft + a->offset));
        head->given = (head->given & ~a->group) | a->given;
        mine |= a->given;
        if (a->remark && !mjcf_remember(r, a->remark, xml_place(node, s.attribute))) {
            return THUD_NO_MEMORY;
        }
    }
    return THUD_OK;
}

thud_status mjcf_read_noted(mjcf_reader *r, int n)
{
    const mjcf_remark remark = mjcf_node(r, n)->element->remark;
    return !remark || mjcf_remember(r, remark, mjcf_node(r, n)->place) ? THUD_OK : THUD_NO_MEMORY;
}

thud_place mjcf_place(const mjcf_reader *r, int n, const char *attribute)
{
    const xml_node *node = mjcf_node(r, n);
    const xml_attribute *a = xml_find(node, attribute);
    return a ? xml_place(node, a) : node->place;
}

thud_status mjcf_check_range(mjcf_reader *r, int n, const char *word, const double range[2])
{
    return !mjcf_is_range(range) || range[0] < range[1]
               ? THUD_OK
               : MJCF_FAIL(r, THUD_BAD_FILE, mjcf_place(r, n, word), "%s must grow: it goes from %g to %g",
                           word, range[0], range[1]);
}

thud_status mjcf_check_limited(mjcf_reader *r, int n, const char *word, thud_tristate limited,
                               const char *range, bool has_range)
{
    return limited != THUD_AUTO || !has_range || mjcf_settings_of(r, n)->autolimits
               ? THUD_OK
               : MJCF_FAIL(r, THUD_BAD_FILE, mjcf_place(r, n, range),
                           "%s without %s; set compiler autolimits=\"true\" or say %s", range, word, word);
}

bool mjcf_remember(mjcf_reader *r, mjcf_remark remark, thud_place place)
{
    static const struct {
        thud_note_kind kind;
        const char *what, *why;
    } about[] = {{THUD_NOTE_VISUAL, "", ""},
#define REMARK(name, kind, what, why) {THUD_NOTE_##kind, what, why},
                 MJCF_REMARK_LIST(REMARK)
#undef REMARK
    };
    if (r->remark[remark]) {
        r->spec->note[r->remark[remark] - 1].count++;
        return true;
    }
    const int note =
        thud_spec_add_note(r->spec, about[remark].kind, about[remark].what, about[remark].why, place);
    r->remark[remark] = note + 1;
    return note >= 0;
}
