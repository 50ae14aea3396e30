// SPDX-License-Identifier: Apache-2.0
// drive_list.c: tendons, actuators and sensors, for people and as JSON.
#include "drive_list.h"

#include <stdio.h>

#include "term.h"

static const char *const transmission_names[] = {[THUD_TRANSMISSION_JOINT] = "joint",
                                                 [THUD_TRANSMISSION_JOINT_IN_PARENT] = "jointinparent",
                                                 [THUD_TRANSMISSION_TENDON] = "tendon",
                                                 [THUD_TRANSMISSION_SITE] = "site",
                                                 [THUD_TRANSMISSION_SLIDER_CRANK] = "slidercrank",
                                                 [THUD_TRANSMISSION_BODY] = "body"};
static const char *const dynamics_names[] = {[THUD_DYNAMICS_NONE] = "none",
                                             [THUD_DYNAMICS_INTEGRATOR] = "integrator",
                                             [THUD_DYNAMICS_FILTER] = "filter",
                                             [THUD_DYNAMICS_FILTER_EXACT] = "filterexact",
                                             [THUD_DYNAMICS_MUSCLE] = "muscle"};

static void range_or_null(json *j, const char *key, bool limited, const double *range)
{
    if (limited) {
        json_numbers(j, key, range, 2);
    }
}

static void write_tendons(json *j, const thud_model *m)
{
    json_begin(j, "tendon", '[');
    for (int t = 0; t < m->tendons; t++) {
        json_begin_line(j, NULL, '{');
        json_text(j, "name", thud_model_name(m, THUD_KIND_TENDON, t));
        json_text(j, "type", m->tendon_spatial[t] ? "spatial" : "fixed");
        json_number(j, "length0", m->tendon_length0[t]);
        range_or_null(j, "range", m->tendon_limited[t], m->tendon_range + 2 * t);
        json_end(j);
    }
    json_end(j);
}

void drives_write(json *j, const thud_model *m)
{
    write_tendons(j, m);
    json_begin(j, "actuator", '[');
    for (int i = 0; i < m->actuators; i++) {
        json_begin_line(j, NULL, '{');
        json_text(j, "name", thud_model_name(m, THUD_KIND_ACTUATOR, i));
        json_text(j, "transmission", transmission_names[m->actuator_transmission[i]]);
        json_integer(j, "target", m->actuator_target[i]);
        json_text(j, "dynamics", dynamics_names[m->actuator_dynamics[i]]);
        json_numbers(j, "gain", m->actuator_gain + 3 * i, 3);
        json_numbers(j, "bias", m->actuator_bias + 3 * i, 3);
        if (m->actuator_muscle[i]) {
            json_numbers(j, m->actuator_muscle[i] & 1 ? "pull" : "passive",
                         (m->actuator_muscle[i] & 1 ? m->actuator_pull : m->actuator_passive) + 9 * i, 9);
        }
        range_or_null(j, "ctrlrange", m->actuator_limited[3 * i], m->actuator_ctrlrange + 2 * i);
        range_or_null(j, "forcerange", m->actuator_limited[3 * i + 1], m->actuator_forcerange + 2 * i);
        range_or_null(j, "actrange", m->actuator_limited[3 * i + 2], m->actuator_actrange + 2 * i);
        json_end(j);
    }
    json_end(j);
}

static const char *const object_names[] = {
    [THUD_OBJECT_NONE] = "",         [THUD_OBJECT_BODY] = "body",        [THUD_OBJECT_XBODY] = "xbody",
    [THUD_OBJECT_GEOM] = "geom",     [THUD_OBJECT_SITE] = "site",        [THUD_OBJECT_JOINT] = "joint",
    [THUD_OBJECT_TENDON] = "tendon", [THUD_OBJECT_ACTUATOR] = "actuator"};

void sensors_write(json *j, const thud_model *m)
{
    json_begin(j, "sensor", '[');
    for (int i = 0; i < m->sensors; i++) {
        json_begin_line(j, NULL, '{');
        json_text(j, "name", thud_model_name(m, THUD_KIND_SENSOR, i));
        json_text(j, "type", thud_sensor_word(m->sensor_type[i]));
        json_text(j, "of", object_names[m->sensor_object_type[i]]);
        json_integer(j, "object", m->sensor_object[i]);
        json_integer(j, "first", m->sensor_at[i]);
        json_integer(j, "count", m->sensor_dim[i]);
        json_text(j, "unit", thud_sensor_unit(m, i));
        json_number(j, "cutoff", m->sensor_cutoff[i]);
        json_number(j, "noise", m->sensor_noise[i]);
        json_end(j);
    }
    json_end(j);
}

void sensors_print(const thud_model *m)
{
    if (m->sensors > 0) {
        printf("\n%s%5s  %-24s %-18s %-12s %7s  %-8s %s%s\n", term_bold(stdout), "sensor", "name", "type",
               "of", "numbers", "unit", "cutoff", term_plain(stdout));
    }
    for (int i = 0; i < m->sensors; i++) {
        const char *name = thud_model_name(m, THUD_KIND_SENSOR, i);
        printf("%5d  %-24s %-18s %-8s %3d %7d  %-8s", i, name ? name : "",
               thud_sensor_word(m->sensor_type[i]), object_names[m->sensor_object_type[i]],
               m->sensor_object[i], m->sensor_dim[i], thud_sensor_unit(m, i));
        if (m->sensor_cutoff[i] > 0) {
            printf(" %.6g", m->sensor_cutoff[i]);
        }
        printf("\n");
    }
}

static void print_range(bool limited, const double *range)
{
    if (limited) {
        printf("  %8.4g to %-8.4g", range[0], range[1]);
    } else {
        printf("  %20s", "");
    }
}

void drives_print(const thud_model *m)
{
    if (m->tendons > 0) {
        printf("\n%s%5s  %-24s %-8s %12s  range%s\n", term_bold(stdout), "tendon", "name", "type", "length",
               term_plain(stdout));
    }
    for (int t = 0; t < m->tendons; t++) {
        const char *name = thud_model_name(m, THUD_KIND_TENDON, t);
        printf("%5d  %-24s %-8s %12.6g", t, name ? name : "", m->tendon_spatial[t] ? "spatial" : "fixed",
               m->tendon_length0[t]);
        print_range(m->tendon_limited[t], m->tendon_range + 2 * t);
        printf("\n");
    }
    if (m->actuators > 0) {
        printf("\n%s%5s  %-24s %-14s %-12s  %-20s  %s%s\n", term_bold(stdout), "actuator", "name", "acts on",
               "dynamics", "control", "force", term_plain(stdout));
    }
    for (int i = 0; i < m->actuators; i++) {
        const char *name = thud_model_name(m, THUD_KIND_ACTUATOR, i);
        printf("%5d  %-24s %-10s %3d %-12s", i, name ? name : "",
               transmission_names[m->actuator_transmission[i]], m->actuator_target[i],
               dynamics_names[m->actuator_dynamics[i]]);
        print_range(m->actuator_limited[3 * i], m->actuator_ctrlrange + 2 * i);
        print_range(m->actuator_limited[3 * i + 1], m->actuator_forcerange + 2 * i);
        printf("\n");
    }
}
