// SPDX-License-Identifier: Apache-2.0
// mjcf_rows.h: how a row of the schema is written: ROW(name, how many values, draft and field, further
// rules).
#pragma once

#include <stddef.h>

#include "mjcf_draft.h"

#define REAL(word, least_, most_, draft, field, ...)                                                         \
    {                                                                                                        \
        .name = word, .kind = MJCF_REAL, .least = least_, .most = most_, .offset = offsetof(draft, field),   \
        __VA_ARGS__                                                                                          \
    }
#define INT(word, count, draft, field, ...)                                                                  \
    {                                                                                                        \
        .name = word, .kind = MJCF_INT, .least = count, .most = count, .offset = offsetof(draft, field),     \
        __VA_ARGS__                                                                                          \
    }
#define BOOL(word, draft, field, ...)                                                                        \
    {                                                                                                        \
        .name = word, .kind = MJCF_BOOL, .words = mjcf_booleans, .offset = offsetof(draft, field),           \
        __VA_ARGS__                                                                                          \
    }
#define WORD(word, list, draft, field, ...)                                                                  \
    {                                                                                                        \
        .name = word, .kind = MJCF_WORD, .words = list, .offset = offsetof(draft, field), __VA_ARGS__        \
    }
#define TEXT(word, draft, field, ...)                                                                        \
    {                                                                                                        \
        .name = word, .kind = MJCF_TEXT, .offset = offsetof(draft, field), __VA_ARGS__                       \
    }
#define LIST(word, draft, field, ...)                                                                        \
    {                                                                                                        \
        .name = word, .kind = MJCF_LIST, .offset = offsetof(draft, field), __VA_ARGS__                       \
    }
#define ANY(word, remark_)                                                                                   \
    {                                                                                                        \
        .name = word, .kind = MJCF_ANY, .remark = MJCF_REMARK_##remark_                                      \
    }
#define REFUSED(word, why)                                                                                   \
    {                                                                                                        \
        .name = word, .kind = MJCF_REFUSED, .refusal = why                                                   \
    }
#define END                                                                                                  \
    {                                                                                                        \
        .name = NULL                                                                                         \
    }

#define POSITIVE .rules = MJCF_POSITIVE
#define NOT_NEGATIVE .rules = MJCF_NOT_NEGATIVE
#define DAMPING .rules = MJCF_NOT_NEGATIVE | MJCF_MENDED
#define LIMITS .rules = MJCF_INFINITE
#define SOFT .remark = MJCF_REMARK_SOFT
#define NAME                                                                                                 \
    {                                                                                                        \
        .name = "name", .kind = MJCF_NAME, .offset = offsetof(draft_head, name), .rules = MJCF_NOT_DEFAULT   \
    }
#define CLASS                                                                                                \
    {                                                                                                        \
        .name = "class", .kind = MJCF_TEXT, .offset = offsetof(draft_head, class_name),                      \
        .rules = MJCF_NOT_DEFAULT | MJCF_NOT_EMPTY                                                           \
    }
#define TURN(draft)                                                                                          \
    REAL("quat", 4, 4, draft, turn.quat, .given = GIVEN_QUAT, .group = GIVEN_TURN),                          \
        REAL("axisangle", 4, 4, draft, turn.axisangle, .given = GIVEN_AXISANGLE, .group = GIVEN_TURN),       \
        REAL("euler", 3, 3, draft, turn.euler, .given = GIVEN_EULER, .group = GIVEN_TURN),                   \
        REAL("xyaxes", 6, 6, draft, turn.xyaxes, .given = GIVEN_XYAXES, .group = GIVEN_TURN),                \
        REAL("zaxis", 3, 3, draft, turn.zaxis, .given = GIVEN_ZAXIS, .group = GIVEN_TURN)
#define USER ANY("user", USER)
