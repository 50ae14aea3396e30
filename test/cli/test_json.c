// SPDX-License-Identifier: Apache-2.0
// test_json.c: what the JSON writer writes.
#include "test.h"

#include "view/json.h"

static char *text;
static size_t size;
static json j;

static void start(void)
{
    json_open(&j, open_memstream(&text, &size));
}

static void check(const char *want)
{
    json_close(&j);
    fclose(j.out);
    CHECK_TEXT(text, want);
    free(text);
}

TEST(an_object_has_each_part_on_its_own_line)
{
    start();
    json_begin(&j, NULL, '{');
    json_integer(&j, "steps", -3);
    json_begin_line(&j, "energy", '{');
    json_number(&j, "start", 0.1);
    json_bool(&j, "kept", true);
    json_end(&j);
    json_end(&j);
    check("{\n  \"steps\": -3,\n  \"energy\": {\"start\": 0.1, \"kept\": true}\n}\n");
}

TEST(empty_things_are_closed_at_once)
{
    start();
    json_begin(&j, NULL, '{');
    json_begin(&j, "contacts", '[');
    json_end(&j);
    json_numbers(&j, "qpos", NULL, 0);
    json_end(&j);
    check("{\n  \"contacts\": [],\n  \"qpos\": []\n}\n");
}

TEST(numbers_that_json_cannot_say_are_null)
{
    const double values[] = {NAN, INFINITY, -INFINITY, 1};
    start();
    json_numbers(&j, NULL, values, 4);
    check("[null, null, null, 1]\n");
}

TEST(quotes_controls_and_backslashes_are_escaped)
{
    start();
    json_text(&j, NULL, "a\"b\\c\n\t\x01 é");
    check("\"a\\\"b\\\\c\\n\\t\\u0001 é\"\n");
}

TEST(bytes_that_are_not_utf8_are_replaced)
{
    start();
    json_text(&j, NULL, "\xff|\xc0\xaf|\xed\xa0\x80|\xe2\x82");
    check("\"\xef\xbf\xbd|\xef\xbf\xbd\xef\xbf\xbd|\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd|"
          "\xef\xbf\xbd\xef\xbf\xbd\"\n");
}

TEST_MAIN(T(an_object_has_each_part_on_its_own_line), T(empty_things_are_closed_at_once),
          T(numbers_that_json_cannot_say_are_null), T(quotes_controls_and_backslashes_are_escaped),
          T(bytes_that_are_not_utf8_are_replaced))
