// SPDX-License-Identifier: Apache-2.0
// attributes.c: the table of what can be set by name, and how a number gets into its place.
#include <math.h>
#include <string.h>

#include <thud/spatial_inline.h>

#include "attributes.h"

// ---------------------------------------------------------------------------------------------- the table

#define AT(kind, field) offsetof(thud_spec_##kind, field)
#define NUMBERS(kind, word, field, least, most)                                                              \
    {                                                                                                        \
        word, AT(kind, field), least, most, ATTRIBUTE_PLAIN, 0                                               \
    }
#define NUMBER(kind, field) NUMBERS(kind, #field, field, 1, 1)
#define VECTOR(kind, field) NUMBERS(kind, #field, field, 3, 3)
#define INTEGER(kind, field)                                                                                 \
    {                                                                                                        \
#field, AT(kind, field), 1, 1, ATTRIBUTE_INTEGER, 0                                                  \
    }
#define QUAT(kind, field)                                                                                    \
    {                                                                                                        \
#field, AT(kind, field), 4, 4, ATTRIBUTE_QUAT, 0                                                     \
    }
#define RANGE(kind, field)                                                                                   \
    {                                                                                                        \
#field, AT(kind, field), 2, 2, ATTRIBUTE_RANGE, AT(kind, has_##field)                                \
    }
#define MEANT(kind, word, field, least, most, meaning)                                                       \
    {                                                                                                        \
        word, AT(kind, field), least, most, ATTRIBUTE_##meaning, 0                                           \
    }

static const attribute of_option[] = {NUMBER(option, timestep), VECTOR(option, gravity),
                                      VECTOR(option, wind),     VECTOR(option, magnetic),
                                      NUMBER(option, density),  NUMBER(option, viscosity)};

static const attribute of_body[] = {VECTOR(body, pos),
                                    QUAT(body, quat),
                                    MEANT(body, "mass", mass, 1, 1, INERTIAL),
                                    MEANT(body, "ipos", ipos, 3, 3, INERTIAL),
                                    MEANT(body, "iquat", iquat, 4, 4, IQUAT),
                                    MEANT(body, "inertia", inertia, 3, 6, INERTIA),
                                    NUMBER(body, gravcomp)};

static const attribute of_joint[] = {
    VECTOR(joint, pos),       VECTOR(joint, axis),    NUMBER(joint, ref),        NUMBER(joint, springref),
    NUMBER(joint, stiffness), NUMBER(joint, damping), NUMBER(joint, armature),   NUMBER(joint, frictionloss),
    RANGE(joint, range),      NUMBER(joint, margin),  RANGE(joint, actfrcrange),
};

static const attribute of_geom[] = {MEANT(geom, "size", size, 1, 3, SIZE),
                                    VECTOR(geom, pos),
                                    QUAT(geom, quat),
                                    NUMBER(geom, mass),
                                    MEANT(geom, "density", density, 1, 1, DENSITY),
                                    NUMBERS(geom, "friction", friction, 1, 3),
                                    NUMBERS(geom, "restitution", surface.restitution, 1, 1),
                                    NUMBERS(geom, "kinetic", surface.kinetic, 1, 1),
                                    NUMBERS(geom, "viscous", surface.viscous, 1, 1),
                                    NUMBERS(geom, "stribeck", surface.stribeck, 1, 1),
                                    INTEGER(geom, condim),
                                    INTEGER(geom, contype),
                                    INTEGER(geom, conaffinity),
                                    INTEGER(geom, priority),
                                    NUMBER(geom, margin),
                                    NUMBER(geom, gap),
                                    NUMBERS(geom, "rgba", rgba, 1, 4),
                                    INTEGER(geom, group)};

static const attribute of_site[] = {NUMBERS(site, "size", size, 1, 3), VECTOR(site, pos), QUAT(site, quat)};

static const attribute of_pair[] = {NUMBERS(pair, "friction", friction, 1, 5),
                                    NUMBERS(pair, "restitution", surface.restitution, 1, 1),
                                    NUMBERS(pair, "kinetic", surface.kinetic, 1, 2),
                                    NUMBERS(pair, "viscous", surface.viscous, 1, 1),
                                    NUMBERS(pair, "stribeck", surface.stribeck, 1, 1),
                                    INTEGER(pair, condim),
                                    NUMBER(pair, margin),
                                    NUMBER(pair, gap)};

static const attribute of_equality[] = {
    VECTOR(equality, anchor), NUMBERS(equality, "polycoef", polycoef, 1, 5), NUMBER(equality, torquescale)};

static const attribute of_tendon[] = {RANGE(tendon, range),
                                      NUMBER(tendon, stiffness),
                                      NUMBER(tendon, damping),
                                      NUMBER(tendon, frictionloss),
                                      NUMBERS(tendon, "springlength", springlength, 2, 2),
                                      NUMBER(tendon, margin),
                                      RANGE(tendon, actfrcrange)};

static const attribute of_actuator[] = {NUMBERS(actuator, "gear", gear, 1, 6),
                                        NUMBERS(actuator, "gainprm", gainprm, 1, 3),
                                        NUMBERS(actuator, "biasprm", biasprm, 1, 3),
                                        MEANT(actuator, "kp", gainprm, 1, 1, KP),
                                        MEANT(actuator, "kv", biasprm[2], 1, 1, KV),
                                        MEANT(actuator, "dampratio", dampratio, 1, 1, DAMPRATIO),
                                        NUMBERS(actuator, "timeconst", dynprm, 1, 1),
                                        NUMBER(actuator, cranklength),
                                        RANGE(actuator, ctrlrange),
                                        RANGE(actuator, forcerange),
                                        RANGE(actuator, actrange)};

static const attribute of_sensor[] = {NUMBER(sensor, cutoff), NUMBER(sensor, noise)};

#define KIND(kind, array, count)                                                                             \
    {#kind,                                                                                                  \
     VARIED_##kind,                                                                                          \
     offsetof(thud_spec, array),                                                                             \
     offsetof(thud_spec, count),                                                                             \
     sizeof(thud_spec_##kind),                                                                               \
     AT(kind, name),                                                                                         \
     of_##kind,                                                                                              \
     sizeof of_##kind / sizeof(attribute)},

const attribute_kind model_attribute_kinds[ATTRIBUTE_KINDS] = {{"option", -1, offsetof(thud_spec, option), 0,
                                                                sizeof(thud_spec_option), 0, of_option,
                                                                sizeof of_option / sizeof(attribute)},
                                                               MODEL_VARIED(KIND)};

// ---------------------------------------------------------------------------------------------- numbers into their places

static thud_status refuse(thud_diag *diag, const char *why)
{
    return thud_fail(THUD_BAD_ARGUMENT, diag, NULL, 0, 0, "%s", why);
}

static thud_status set_integer(char *field, double value, thud_diag *diag)
{
    if (!(fabs(value) <= INT32_MAX) || value != floor(value)) {
        return refuse(diag, "it is a whole number");
    }
    const int integer = (int)value;
    memcpy(field, &integer, sizeof integer);
    return THUD_OK;
}

static thud_status set_quat(char *field, const double *value, thud_diag *diag)
{
    quat q = {value[0], value[1], value[2], value[3]};
    const double square = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    if (!(square > 1e-28)) {
        return refuse(diag, "a quaternion of no length is no orientation");
    }
    q = fabs(square - 1) < 1e-14 ? q : q_normalize(q); // as files are read
    memcpy(field, &q, sizeof q);
    return THUD_OK;
}

static thud_status set_inertia(char *field, const double *value, int count, thud_diag *diag)
{
    double I[6] = {0};
    if (count != 3 && count != 6) {
        return refuse(diag, "an inertia is three numbers or six");
    }
    memcpy(I, value, (size_t)count * sizeof *value);
    memcpy(field, I, sizeof I);
    return THUD_OK;
}

static bool is_servo(const thud_spec_actuator *a)
{
    return a->gain == THUD_GAIN_FIXED && a->bias == THUD_BIAS_AFFINE && a->gainprm[0] == -a->biasprm[1];
}

// force = kv (u - velocity), and -kv velocity u
static bool is_velocity(const thud_spec_actuator *a)
{
    return a->gain == THUD_GAIN_FIXED && a->bias == THUD_BIAS_AFFINE && a->biasprm[0] == 0 &&
           a->biasprm[1] == 0 && a->gainprm[0] == -a->biasprm[2];
}

static bool is_damper(const thud_spec_actuator *a)
{
    return a->gain == THUD_GAIN_AFFINE && a->bias == THUD_BIAS_NONE && a->gainprm[0] == 0 &&
           a->gainprm[1] == 0;
}

static thud_status set_gain(attribute_meaning meaning, thud_spec_actuator *a, double value, thud_diag *diag)
{
    const bool servo = is_servo(a), velocity = is_velocity(a), damper = is_damper(a);
    if (meaning == ATTRIBUTE_KV && (servo || velocity || damper)) {
        a->biasprm[2] = damper ? a->biasprm[2] : -value;
        a->gainprm[0] = velocity ? value : a->gainprm[0];
        a->gainprm[2] = damper ? -value : a->gainprm[2];
        a->dampratio = 0;
        return THUD_OK;
    }
    if (!servo) {
        return refuse(diag, meaning == ATTRIBUTE_KV
                                ? "it is no position or velocity servo and no damper: set gainprm and biasprm"
                                : "it is no position servo: set gainprm and biasprm");
    }
    if (meaning == ATTRIBUTE_KP) {
        a->gainprm[0] = value;
        a->biasprm[1] = -value;
    } else {
        a->dampratio = value;
        a->biasprm[2] = 0;
    }
    return THUD_OK;
}

thud_status attribute_set(const attribute_kind *kind, const attribute *a, thud_spec *spec, int i,
                          const double *value, int count, thud_diag *diag)
{
    char *element = attribute_element(kind, spec, i), *field = element + a->at;
    switch (a->meaning) {
    case ATTRIBUTE_INTEGER:
        return set_integer(field, value[0], diag);
    case ATTRIBUTE_QUAT:
    case ATTRIBUTE_IQUAT:
        return set_quat(field, value, diag);
    case ATTRIBUTE_INERTIA:
        return set_inertia(field, value, count, diag);
    case ATTRIBUTE_KP:
    case ATTRIBUTE_KV:
    case ATTRIBUTE_DAMPRATIO:
        return set_gain(a->meaning, (thud_spec_actuator *)(void *)element, value[0], diag);
    case ATTRIBUTE_SIZE: {
        const thud_spec_geom *g = (const thud_spec_geom *)(const void *)element;
        if (g->type == THUD_GEOM_MESH || g->type == THUD_GEOM_HFIELD || g->mesh >= 0) {
            return refuse(diag, "its size is that of its mesh or height field");
        }
        break;
    }
    case ATTRIBUTE_DENSITY:
        ((thud_spec_geom *)(void *)element)->mass = NAN;
        break;
    case ATTRIBUTE_RANGE: {
        const bool is_range = value[0] != 0 || value[1] != 0; // as in files
        memcpy(element + a->flag, &is_range, sizeof is_range);
        break;
    }
    case ATTRIBUTE_PLAIN:
    case ATTRIBUTE_INERTIAL:
        break;
    }
    memcpy(field, value, (size_t)count * sizeof *value);
    return THUD_OK;
}

int attribute_get(const attribute *a, const char *element, double *value)
{
    memset(value, 0, (size_t)a->most * sizeof *value);
    if (a->meaning == ATTRIBUTE_INTEGER) {
        int integer;
        memcpy(&integer, element + a->at, sizeof integer);
        value[0] = integer;
        return 1;
    }
    memcpy(value, element + a->at, (size_t)a->most * sizeof *value);
    if (a->meaning == ATTRIBUTE_KV) {
        const thud_spec_actuator *actuator = (const thud_spec_actuator *)(const void *)element;
        value[0] = is_damper(actuator) ? -actuator->gainprm[2] : -actuator->biasprm[2];
    }
    return a->most;
}
