// SPDX-License-Identifier: Apache-2.0
// words.c: the custom data of a spec whose names begin with "thud:", as a model carries them.
#include <string.h>

#include "build.h"

int model_put_name(thud_model *m, int *used, const char *name)
{
    if (!name) {
        return -1;
    }
    const int at = *used;
    memcpy(m->names + at, name, strlen(name) + 1);
    *used += (int)strlen(name) + 1;
    return at;
}

// What follows "thud:" in a name, or NULL.
static const char *key_of(const thud_spec_custom *c)
{
    return c->name && strncmp(c->name, "thud:", 5) == 0 ? c->name + 5 : NULL;
}

void model_count_words(const thud_spec *spec, thud_model *m)
{
    for (int i = 0; i < spec->customs; i++) {
        const thud_spec_custom *c = &spec->custom[i];
        m->words += key_of(c) != NULL;
        m->word_numbers += key_of(c) && !c->text ? c->count : 0;
    }
}

int model_count_word_bytes(const thud_spec *spec)
{
    size_t bytes = 0;
    for (int i = 0; i < spec->customs; i++) {
        const thud_spec_custom *c = &spec->custom[i];
        bytes += key_of(c) ? strlen(key_of(c)) + 1 + (c->text ? strlen(c->text) + 1 : 0) : 0;
    }
    return (int)bytes;
}

void model_copy_words(builder *b, int *used)
{
    thud_model *m = b->m;
    int first = 0;
    for (int i = 0, w = 0; i < b->spec->customs; i++) {
        const thud_spec_custom *c = &b->spec->custom[i];
        if (!key_of(c)) {
            continue;
        }
        m->word_name[w] = model_put_name(m, used, key_of(c));
        m->word_text[w] = model_put_name(m, used, c->text);
        m->word_first[w] = first;
        m->word_count[w] = c->text ? 0 : c->count;
        if (m->word_count[w] > 0) {
            memcpy(m->word_number + first, c->number, (size_t)c->count * sizeof *c->number);
        }
        first += m->word_count[w++];
    }
}

// The word with this key that is a text, or that is not; -1 if there is none.
static int find(const thud_model *m, const char *key, bool text)
{
    for (int w = 0; w < m->words; w++) {
        if ((m->word_text[w] >= 0) == text && strcmp(m->names + m->word_name[w], key) == 0) {
            return w;
        }
    }
    return -1;
}

const char *thud_model_text(const thud_model *m, const char *key)
{
    const int w = find(m, key, true);
    return w < 0 ? NULL : m->names + m->word_text[w];
}

const double *thud_model_numbers(const thud_model *m, const char *key, int *count)
{
    const int w = find(m, key, false);
    *count = w < 0 ? 0 : m->word_count[w];
    return w < 0 ? NULL : m->word_number + m->word_first[w];
}
