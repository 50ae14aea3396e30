// SPDX-License-Identifier: Apache-2.0
// mjcf_settings.c: compiler and option. Both hold for the whole model wherever they stand; the last word
// counts.
#include <string.h>

#include "mjcf_reader.h"

static thud_status check_eulerseq(mjcf_reader *r, int n, const char *word)
{
    if (strlen(word) != 3 || strspn(word, "xyzXYZ") != 3) {
        return MJCF_FAIL(r, THUD_BAD_FILE, mjcf_place(r, n, "eulerseq"),
                         "eulerseq is three letters of xyzXYZ, not \"%.80s\"", word);
    }
    memcpy(r->own.eulerseq, word, 3);
    return THUD_OK;
}

static thud_status read_compiler(mjcf_reader *r, int n, draft_compiler *draft)
{
    THUD_TRY(mjcf_read_attributes(r, n, draft));
    THUD_TRY(check_eulerseq(r, n, draft->eulerseq));
    if (draft->global) {
        return MJCF_FAIL(
            r, THUD_UNSUPPORTED, mjcf_place(r, n, "coordinate"),
            "global coordinates are no longer part of MJCF, since MuJoCo 2.3.4; load the file in an older "
            "MuJoCo and save it, and it is in local ones");
    }
    for (int e = mjcf_node(r, n)->first; e >= 0; e = mjcf_node(r, e)->next) {
        draft_head unused = {0};
        THUD_TRY(mjcf_read_attributes(r, e, &unused)); // lengthrange
    }
    return THUD_OK;
}

static thud_status read_option(mjcf_reader *r, int n, draft_option *draft)
{
    THUD_TRY(mjcf_read_attributes(r, n, draft));
    for (int flag = mjcf_node(r, n)->first; flag >= 0; flag = mjcf_node(r, flag)->next) {
        THUD_TRY(mjcf_read_attributes(r, flag, draft));
    }
    return THUD_OK;
}

static thud_status read_ignored(mjcf_reader *r,
                                int n) // size, statistic, visual, extension: nothing but a remark
{
    draft_head unused = {0};
    if (mjcf_node(r, n)->element->opaque) {
        return mjcf_read_noted(r, n);
    }
    return mjcf_read_attributes(r, n, &unused);
}

thud_status mjcf_read_settings(mjcf_reader *r, int top)
{
    draft_compiler compiler = {
        .to = r->spec->compiler, .degrees = 1, .eulerseq = "xyz", .strippath = r->own.strippath};
    draft_option option = {.to = r->spec->option, .constraint_on = true};
    for (int n = mjcf_node(r, top)->first; n >= 0; n = mjcf_node(r, n)->next) {
        const mjcf_element *element = mjcf_node(r, n)->element;
        if (element->role == MJCF_ROLE_COMPILER) {
            THUD_TRY(read_compiler(r, n, &compiler));
        } else if (element->role == MJCF_ROLE_OPTION) {
            THUD_TRY(read_option(r, n, &option));
        } else if (element->role == MJCF_ROLE_NONE) {
            THUD_TRY(read_ignored(r, n));
        }
    }
    if (!option.constraint_on) {
        option.to.contact_on = option.to.limit_on = option.to.frictionloss_on = option.to.equality_on = false;
    }
    r->spec->compiler = compiler.to;
    r->spec->option = option.to;
    if (!r->own.eulerseq[0]) {
        memcpy(r->own.eulerseq, "xyz", 4);
    }
    r->own.file = mjcf_node(r, 0)->place.file;
    r->own.degrees = compiler.degrees != 0;
    r->own.strippath = compiler.strippath;
    r->own.exactmeshinertia = compiler.exactmeshinertia;
    r->own.autolimits = compiler.to.autolimits;
    r->own.meshdir = compiler.meshdir ? compiler.meshdir : compiler.assetdir ? compiler.assetdir : "";
    return THUD_OK;
}
