// SPDX-License-Identifier: Apache-2.0
// whole_close.c: the end of an output.
#include "whole.h"

thud_status whole_close(thud_output *o, thud_status status, thud_diag *diag)
{
    if (status == THUD_OK) {
        return thud_output_close(o, diag);
    }
    thud_fail(status, diag, o->path, 0, 0, "%s", thud_status_text(status));
    thud_output_discard(o);
    return status;
}
