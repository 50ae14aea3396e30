// SPDX-License-Identifier: Apache-2.0
// status.c: sentences for status codes, diagnostics, and the assertion hook.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <thud/base.h>

#include "numerics.h"
#include "thud_build_info.h"

const char *thud_version(void)
{
    return THUD_BUILD_VERSION;
}

const char *thud_commit(void)
{
    return THUD_BUILD_COMMIT;
}

int thud_numerics(void)
{
    return THUD_NUMERICS;
}

const char *thud_parts(void)
{
    return THUD_BUILD_PARTS;
}

const char *thud_status_text(thud_status status)
{
    static const char *const text[] = {
#define SENTENCE(name, text) text,
        THUD_STATUS_LIST(SENTENCE)
#undef SENTENCE
    };
    const int count = (int)(sizeof text / sizeof text[0]);
    return (int)status >= 0 && (int)status < count ? text[status] : "no such status";
}

thud_status thud_fail(thud_status status, thud_diag *diag, const char *file, int line, int column,
                      const char *format, ...)
{
    if (!diag) {
        return status;
    }
    va_list args;
    va_start(args, format);
    vsnprintf(diag->text, sizeof diag->text, format, args);
    va_end(args);
    snprintf(diag->file, sizeof diag->file, "%s", file ? file : "");
    diag->line = line;
    diag->column = column;
    return status;
}

void thud_diag_format(const thud_diag *diag, char *out, size_t size)
{
    if (diag->file[0] && diag->line > 0) {
        snprintf(out, size, "%s:%d:%d: %s", diag->file, diag->line, diag->column > 0 ? diag->column : 1,
                 diag->text);
    } else if (diag->file[0]) {
        snprintf(out, size, "%s:%s %s", diag->file, diag->line < 0 ? "" : "1:1:", diag->text);
    } else {
        snprintf(out, size, "%s", diag->text);
    }
}

static thud_assert_handler assert_handler;

void thud_assert_set(thud_assert_handler handler)
{
    assert_handler = handler;
}

void thud_assert_failed(const char *condition, const char *file, int line)
{
    if (assert_handler) {
        assert_handler(condition, file, line);
        return;
    }
    fprintf(stderr, "%s:%d: assertion failed: %s\n", file, line, condition);
    abort();
}
