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
    thud_spec *spec;
    const double start = thud_clock_cpu();
    CHECK_OK(thud_load_mjcf_text(text, strlen(text), "big.xml", &spec, NULL));
    const double taken = thud_clock_cpu() - start;
    CHECK_INT(spec->bodies, bodies + 1);
    thud_spec_destroy(spec);
    return taken;
}

// How many times as long ten times the length takes, by the best of each; as often as it seems too long, since a machine that
// other work slows down for a moment says nothing of the loader.
static double tenfold(char *small, char *large, int bodies, double enough)
{
    enum { LEAST = 3, MOST = 20 };
    double few = INFINITY, many = INFINITY;
    for (int k = 0; k < LEAST || (k < MOST && !(many < enough * few)); k++) {
        few = fmin(few, seconds_to_load(small, bodies / 10));
        many = fmin(many, seconds_to_load(large, bodies));
    }
    free(small);
    free(large);
    return many / few;
}

static const double LINEAR = 40; // a quadratic loader has 100

TEST(fifty_thousand_nested_bodies_load_in_linear_time)
{
    CHECK_BELOW(tenfold(deep(5000), deep(50000), 50000, LINEAR), LINEAR); // measured 9 to 14
}

TEST(a_hundred_thousand_elements_load_in_linear_time)
{
    CHECK_BELOW(tenfold(wide(4000), wide(40000), 40000, LINEAR), LINEAR); // measured 10 to 15
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
