// SPDX-License-Identifier: Apache-2.0
// test_plot.c: charts: gaps, ticks, scales.
#include "test.h"

#include "view/plot.h"

static char *text; // of the last chart
static size_t size;

static char *drawn(const plot *p)
{
    FILE *out = open_memstream(&text, &size);
    plot_write_alone(out, p);
    fclose(out);
    return text;
}

static int count(const char *whole, const char *part)
{
    int times = 0;
    for (const char *at = whole; (at = strstr(at, part)) != NULL; at++) {
        times++;
    }
    return times;
}

static plot one_line(const double *x, const plot_line *line, int points)
{
    return (plot){.x_name = "x", .y_name = "y", .x = x, .points = points, .lines = 1, .line = line};
}

// The pen goes down at the first point and again after the gap.
TEST(what_is_not_finite_is_a_gap_and_not_drawn)
{
    const double x[] = {0, 1, 2, 3}, y[] = {1, NAN, 2, INFINITY};
    const plot_line line = {.name = "a", .colour = "#123456", .y = y, .dots = true};
    const plot p = one_line(x, &line, 4);
    char *path = strstr(drawn(&p), "class=\"line\"");
    CHECK(path != NULL);
    path[strcspn(path, ">")] = '\0';
    CHECK_INT(count(path, "M"), 2);
    path[strlen(path)] = '>';
    CHECK_INT(count(text, "<circle"), 2);
    CHECK_INT(count(text, "nan") + count(text, "inf"), 0);
    free(text);
}

TEST(a_logarithmic_axis_has_a_tick_a_decade_and_leaves_out_what_has_no_logarithm)
{
    const double x[] = {1, 2, 3, 4}, y[] = {1e-4, 1, 0, -5};
    const plot_line line = {.name = "a", .colour = "#123456", .y = y, .dots = true};
    plot p = one_line(x, &line, 4);
    p.log_y = true;
    (void)drawn(&p);
    for (int i = 0; i < 5; i++) {
        static const char *const tick[] = {">0.0001<", ">0.001<", ">0.01<", ">0.1<", ">1<"};
        CHECK(strstr(text, tick[i]) != NULL);
    }
    CHECK_INT(count(text, "<circle"), 2);
    free(text);
}

TEST(a_short_logarithmic_axis_has_ticks_at_1_2_and_5)
{
    const double x[] = {3, 30}, y[] = {1, 2};
    const plot_line line = {.name = "a", .colour = "#123456", .y = y};
    plot p = one_line(x, &line, 2);
    p.log_x = true;
    (void)drawn(&p);
    CHECK(strstr(text, ">5<") && strstr(text, ">10<") && strstr(text, ">20<"));
    free(text);
}

// A circle on a map is as wide as it is high.
TEST(a_map_has_one_scale)
{
    const double x[] = {0, 1, 0, 0}, y[] = {0, 0, 0, 1};
    const plot_line line = {.name = "a", .colour = "#123456", .y = y, .dots = true};
    plot p = one_line(x, &line, 4);
    p.equal = true;
    (void)drawn(&p);
    const char *at = text;
    double c[4][2];
    for (int i = 0; i < 4; i++) {
        at = strstr(at + 1, "<circle");
        CHECK(at != NULL);
        CHECK_INT(sscanf(at, "<circle cx=\"%lf\" cy=\"%lf\"", &c[i][0], &c[i][1]), 2);
    }
    CHECK_NEAR(c[1][0] - c[0][0], c[2][1] - c[3][1], 0.2); // written to a tenth of a pixel
    CHECK(c[1][0] - c[0][0] > 100);
    free(text);
}

TEST(its_points_are_written_with_every_bit)
{
    const double x[] = {0.1}, y[] = {1.0 / 3};
    const plot_line line = {.name = "a", .colour = "#123456", .y = y};
    const plot p = one_line(x, &line, 1);
    double back[2] = {0};
    FILE *out = open_memstream(&text, &size);
    plot_write_csv(out, &p);
    fclose(out);
    CHECK_INT(sscanf(text, "line,x,y\n\"a\",%lf,%lf", &back[0], &back[1]), 2);
    CHECK(back[0] == x[0] && back[1] == y[0]);
    free(text);
}

TEST_MAIN(T(what_is_not_finite_is_a_gap_and_not_drawn),
          T(a_logarithmic_axis_has_a_tick_a_decade_and_leaves_out_what_has_no_logarithm),
          T(a_short_logarithmic_axis_has_ticks_at_1_2_and_5), T(a_map_has_one_scale),
          T(its_points_are_written_with_every_bit))
