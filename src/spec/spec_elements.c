// SPDX-License-Identifier: Apache-2.0
// spec_elements.c: adding pairs, height fields, tendons, equalities, actuators and sensors, with MJCF's
// defaults.
#include <math.h>

#include <thud/spec_elements.h>

#include "store.h"

#define SOLREF                                                                                               \
    {                                                                                                        \
        0.02, 1                                                                                              \
    }
#define SOLIMP                                                                                               \
    {                                                                                                        \
        0.9, 0.95, 0.001, 0.5, 2                                                                             \
    }

#define IDENTITY                                                                                             \
    {                                                                                                        \
        {1, 0, 0, 0},                                                                                        \
        {                                                                                                    \
            0, 0, 0                                                                                          \
        }                                                                                                    \
    }

int thud_spec_add_pair(thud_spec *spec, int geom1, int geom2, const char *name)
{
    const char *interned = NULL;
    ADD(pair, pairs, pair_cap);
    spec->pair[spec->pairs] = (thud_spec_pair){.name = interned,
                                               .geom1 = geom1,
                                               .geom2 = geom2,
                                               .condim = 3,
                                               .friction = {1, 1, 0.005, 0.0001, 0.0001},
                                               .surface = {NAN, {NAN, NAN}, NAN, NAN},
                                               .solref = SOLREF,
                                               .solimp = SOLIMP};
    return spec->pairs++;
}

int thud_spec_add_exclude(thud_spec *spec, int body1, int body2, const char *name)
{
    const char *interned = NULL;
    ADD(exclude, excludes, exclude_cap);
    spec->exclude[spec->excludes] = (thud_spec_exclude){.name = interned, .body1 = body1, .body2 = body2};
    return spec->excludes++;
}

int thud_spec_add_hfield(thud_spec *spec, const char *name)
{
    const char *interned = NULL;
    ADD(hfield, hfields, hfield_cap);
    spec->hfield[spec->hfields] = (thud_spec_hfield){.name = interned};
    return spec->hfields++;
}

int thud_spec_add_tendon(thud_spec *spec, bool spatial, const char *name)
{
    const char *interned = NULL;
    ADD(tendon, tendons, tendon_cap);
    spec->tendon[spec->tendons] = (thud_spec_tendon){.name = interned,
                                                     .spatial = spatial,
                                                     .first = spec->wraps,
                                                     .limited = THUD_AUTO,
                                                     .actfrclimited = THUD_AUTO,
                                                     .springlength = {-1, -1},
                                                     .width = 0.003,
                                                     .rgba = {0.5, 0.5, 0.5, 1},
                                                     .solreflimit = SOLREF,
                                                     .solimplimit = SOLIMP,
                                                     .solreffriction = SOLREF,
                                                     .solimpfriction = SOLIMP};
    return spec->tendons++;
}

int thud_spec_add_wrap(thud_spec *spec, thud_wrap_type type, int object, double coef)
{
    const char *interned = NULL, *name = NULL;
    ADD(wrap, wraps, wrap_cap);
    THUD_ASSERT(!interned && spec->tendons > 0);
    spec->wrap[spec->wraps] = (thud_spec_wrap){.type = type, .object = object, .sidesite = -1, .coef = coef};
    spec->tendon[spec->tendons - 1].wraps++;
    return spec->wraps++;
}

int thud_spec_add_equality(thud_spec *spec, thud_equality_type type, const char *name)
{
    const char *interned = NULL;
    ADD(equality, equalities, equality_cap);
    spec->equality[spec->equalities] = (thud_spec_equality){.name = interned,
                                                            .type = type,
                                                            .active = true,
                                                            .object1 = -1,
                                                            .object2 = -1,
                                                            .relquat = {1, 0, 0, 0},
                                                            .torquescale = 1,
                                                            .polycoef = {0, 1, 0, 0, 0},
                                                            .frame = {IDENTITY, IDENTITY},
                                                            .solref = SOLREF,
                                                            .solimp = SOLIMP};
    return spec->equalities++;
}

int thud_spec_add_actuator(thud_spec *spec, thud_transmission transmission, int target, const char *name)
{
    const char *interned = NULL;
    ADD(actuator, actuators, actuator_cap);
    spec->actuator[spec->actuators] = (thud_spec_actuator){.name = interned,
                                                           .transmission = transmission,
                                                           .target = target,
                                                           .refsite = -1,
                                                           .slidersite = -1,
                                                           .gear = {1},
                                                           .dynprm = {1},
                                                           .gainprm = {1},
                                                           .ctrllimited = THUD_AUTO,
                                                           .forcelimited = THUD_AUTO,
                                                           .actlimited = THUD_AUTO,
                                                           .actdim = -1};
    return spec->actuators++;
}

int thud_spec_add_sensor(thud_spec *spec, thud_sensor_type type, int object, const char *name)
{
    static const struct {
        int dim;
        thud_object object;
    } kind[] = {
#define THUD_OBJECT_FRAME THUD_OBJECT_XBODY
#define KIND(name, word, dim, object) {dim, THUD_OBJECT_##object},
        THUD_SENSOR_LIST(KIND)
#undef KIND
#undef THUD_OBJECT_FRAME
    };
    const char *interned = NULL;
    ADD(sensor, sensors, sensor_cap);
    spec->sensor[spec->sensors] = (thud_spec_sensor){.name = interned,
                                                     .type = type,
                                                     .object_type = kind[type].object,
                                                     .object = object,
                                                     .reference = -1,
                                                     .dim = kind[type].dim};
    return spec->sensors++;
}
