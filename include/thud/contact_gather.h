// SPDX-License-Identifier: Apache-2.0
// thud/contact_gather.h: problems of the parts of a model, to be read as one of the whole.
#pragma once

#include <thud/contact.h>
#include <thud/model_part.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct thud_rows_part { // the problem of one of them
    const thud_rows *rows;
    const thud_model_part *of;
} thud_rows_part;

// The whole's rows become the islands of all parts, as they were solved, in the whole's numbers. They may be read, and their
// W be filled: not solved, judged or responded to. The links are where d has them. Valid while the parts' own are. NO_MEMORY
// leaves no island: thud_rows_grow, and again. May allocate.
THUD_API THUD_MUST_USE thud_status thud_rows_gather(thud_rows *rows, const thud_dynamics *d, int parts,
                                                    const thud_rows_part *part);

#ifdef __cplusplus
}
#endif
