// SPDX-License-Identifier: Apache-2.0
// recording_free.c: a recording in memory is given back.
#include "recording.h"

static void free_table(int columns, char **name, double *value)
{
    for (int i = 0; name && i < columns; i++) {
        thud_free(name[i]);
    }
    thud_free(name);
    thud_free(value);
}

void thud_recording_destroy(thud_recording *recording)
{
    if (!recording) {
        return;
    }
    for (int i = 0; recording->note && i < recording->notes; i++) {
        thud_free(recording->note[i].name);
        thud_free(recording->note[i].text);
    }
    thud_free(recording->note);
    free_table(recording->columns, recording->name, recording->value);
    free_table(recording->contact.columns, recording->contact.name, recording->contact.value);
    free_table(recording->event.columns, recording->event.name, recording->event.value);
    free_table(recording->force.columns, recording->force.name, recording->force.value);
    thud_free(recording);
}
