// SPDX-License-Identifier: Apache-2.0
// Deep and long files load in time proportional to their length; absurd ones are refused in a sentence.
#include "scene.h"

static char *deep(int depth)
{
    static const char open[] = "<body><geom size='1'/>", close[] = "</body>";
    const size_t size = (size_t)depth * (sizeof open + sizeof close) + 100;
    char *text = malloc(size), *p = text;
    p += sprintf(p, "<mujoco><worldbody>");
    for (int i = 0; i < depth; i++) {
        p = strcpy(p, open) + sizeof open - 1;
    }
    for (int i = 0; i < depth; i++) {
        p = strcpy(p, close) + sizeof close - 1;
    }
    sprintf(p, "</worldbody></mujoco>");
    return text;
}

static char *wide(int count)
{
    char *text = malloc((size_t)count * 100 + 200), *p = text;
    p += sprintf(p, "<mujoco><worldbody>");
    for (int i = 0; i < count; i++) {
        p += sprintf(p, "<body name='b%d'><joint name='j%d'/><geom size='1' name='g%d'/></body>", i, i, i);
    }
    sprintf(p, "</worldbody></mujoco>");
    return text;
}

static double seconds_to_load(const char *text, int bodies)
{
    double best = 1e9;
    for (int repeat = 0; repeat < 3; repeat++) {
        thud_spec *spec;
        const double start = thud_clock_cpu();
        CHECK_OK(thud_load_mjcf_text(text, strlen(text), "big.xml", &spec, NULL));
        const double taken = thud_clock_cpu() - start;
        best = taken < best ? taken : best;
        CHECK_INT(spec->bodies, bodies + 1);
        thud_spec_destroy(spec);
    }
    return best;
}

TEST(fifty_thousand_nested_bodies_load_in_linear_time)
{
    char *small = deep(5000), *large = deep(50000);
    const double ratio = seconds_to_load(large, 50000) / seconds_to_load(small, 5000);
    CHECK_BELOW(ratio, 40); // ten times the length; measured 9 to 14, a quadratic loader has 100
    free(small);
    free(large);
}

TEST(a_hundred_thousand_elements_load_in_linear_time)
{
    char *small = wide(4000), *large = wide(40000);
    const double ratio = seconds_to_load(large, 40000) / seconds_to_load(small, 4000);
    CHECK_BELOW(ratio, 40); // measured 10 to 15
    free(small);
    free(large);
}

TEST(absurd_depth_and_endless_copies_are_refused)
{
    char *text = deep(100001);
    thud_spec *spec;
    thud_diag diag;
    CHECK_INT(thud_load_mjcf_text(text, strlen(text), "deep.xml", &spec, &diag), THUD_BAD_FILE);
    CHECK(strstr(diag.text, "more than 100000 deep"));
    free(text);
    bad_scene("<mujoco><worldbody><replicate @count='2000000000'><body/></replicate></worldbody></mujoco>",
              THUD_BAD_FILE, "more than 1000000 elements");
}

TEST_MAIN(T(fifty_thousand_nested_bodies_load_in_linear_time),
          T(a_hundred_thousand_elements_load_in_linear_time), T(absurd_depth_and_endless_copies_are_refused))
