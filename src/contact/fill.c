// SPDX-License-Identifier: Apache-2.0
// fill.c: W of islands, by all threads; and a whole problem in one call.
#include "rows.h"

static bool filled(const span *s)
{
    return s->W.a || s->sparse.value;
}

static void fill_islands(void *of, int first, int end, int worker)
{
    thud_rows *rows = of;
    (void)worker;
    for (int i = first; i < end; i++) {
        if (!filled(&rows->span[i])) {
            (void)rows_fill(rows, &rows->span[i], NULL); // who is still without W is seen by the caller
        }
    }
}

thud_status thud_rows_fill(thud_rows *rows, int island, thud_arena *arena)
{
    THUD_ASSERT(island >= -1 && island < rows->islands);
    if (island >= 0) {
        span *s = &rows->span[island];
        return filled(s) || rows_fill(rows, s, arena) ? THUD_OK : THUD_NO_MEMORY;
    }
    thud_pool_run(rows->pool, rows->islands, 1, fill_islands, rows);
    bool all = true;
    for (int i = 0; i < rows->islands; i++) {
        all &= filled(&rows->span[i]);
    }
    return all ? THUD_OK : THUD_NO_MEMORY;
}

thud_status thud_rows_finish(thud_rows *rows, const double *v, const double *v_free, const thud_warm *warm,
                             int warms, double warm_h)
{
    rows_set_twists(rows, v, v_free);
    THUD_TRY(thud_rows_prepare(rows, rows->V, rows->V_free, warm, warms, warm_h));
    return thud_rows_fill(rows, -1, NULL);
}
