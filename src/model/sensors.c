// SPDX-License-Identifier: Apache-2.0
// sensors.c: sensors of a model: what they are attached to, and where their readings are.
#include <math.h>

#include "build.h"

int model_count_readings(const thud_spec *spec)
{
    int count = 0;
    for (int i = 0; i < spec->sensors; i++) {
        count += spec->sensor[i].dim;
    }
    return count;
}

static int count_of(const thud_spec *s, thud_object type)
{
    switch (type) {
    case THUD_OBJECT_BODY:
    case THUD_OBJECT_XBODY:
        return s->bodies;
    case THUD_OBJECT_GEOM:
        return s->geoms;
    case THUD_OBJECT_SITE:
        return s->sites;
    case THUD_OBJECT_JOINT:
        return s->joints;
    case THUD_OBJECT_TENDON:
        return s->tendons;
    case THUD_OBJECT_ACTUATOR:
        return s->actuators;
    case THUD_OBJECT_NONE:
        break;
    }
    return 0;
}

// The model's number of an object of the spec; -1 for none.
static int number_of(const builder *b, thud_object type, int object)
{
    return type == THUD_OBJECT_GEOM    ? b->geom_at[object]
           : type == THUD_OBJECT_SITE  ? b->site_at[object]
           : type == THUD_OBJECT_JOINT ? b->joint_at[object]
           : type == THUD_OBJECT_NONE  ? -1
                                       : object;
}

static bool exists(const thud_spec *s, thud_object type, int object)
{
    return type == THUD_OBJECT_NONE || (object >= 0 && object < count_of(s, type));
}

// What each type may be attached to: a frame is any of four, a body either of its frames.
static bool fits(const thud_spec_sensor *sensor)
{
#define OBJECT(name, word, dim, object) THUD_OBJECT_##object,
#define DIM(name, word, dim, object) dim,
    enum { THUD_OBJECT_FRAME = -1 };
    static const int wanted[] = {THUD_SENSOR_LIST(OBJECT)}, dims[] = {THUD_SENSOR_LIST(DIM)};
#undef OBJECT
#undef DIM
    if ((size_t)sensor->type >= sizeof dims / sizeof dims[0] || sensor->dim != dims[sensor->type]) {
        return false;
    }
    const int want = wanted[sensor->type];
    const bool framed = sensor->object_type >= THUD_OBJECT_BODY && sensor->object_type <= THUD_OBJECT_SITE;
    return want == THUD_OBJECT_FRAME ? framed
           : want == THUD_OBJECT_BODY
               ? sensor->object_type == THUD_OBJECT_BODY || sensor->object_type == THUD_OBJECT_XBODY
               : (int)sensor->object_type == want;
}

static bool joint_fits(const thud_spec *s, const thud_spec_sensor *sensor)
{
    if (sensor->object_type != THUD_OBJECT_JOINT) {
        return true;
    }
    const thud_joint_type type = s->joint[sensor->object].type;
    const bool ball = sensor->type == THUD_SENSOR_BALLQUAT || sensor->type == THUD_SENSOR_BALLANGVEL;
    const bool limit = sensor->type >= THUD_SENSOR_JOINTLIMITPOS && sensor->type <= THUD_SENSOR_JOINTLIMITFRC;
    return limit || (ball ? type == THUD_JOINT_BALL : type == THUD_JOINT_HINGE || type == THUD_JOINT_SLIDE);
}

thud_status model_build_sensors(builder *b)
{
    thud_model *m = b->m;
    int at = 0;
    for (int i = 0; i < m->sensors; i++) {
        const thud_spec_sensor *s = &b->spec->sensor[i];
        const bool refers = s->reference_type >= THUD_OBJECT_NONE && s->reference_type <= THUD_OBJECT_SITE;
        if (!fits(s) || !refers || !exists(b->spec, s->object_type, s->object) ||
            !exists(b->spec, s->reference_type, s->reference) || !joint_fits(b->spec, s)) {
            return FAIL_AT(b, s->place,
                           "sensor '%s' is attached to something that does not exist or does not fit",
                           s->name ? s->name : "(no name)");
        }
        if (!(s->cutoff >= 0) || !isfinite(s->cutoff) || !isfinite(s->noise)) {
            return FAIL_AT(b, s->place, "sensor '%s' has a cutoff or noise that is not possible",
                           s->name ? s->name : "(no name)");
        }
        m->sensor_type[i] = (int)s->type;
        m->sensor_object_type[i] = (int)s->object_type;
        m->sensor_object[i] = number_of(b, s->object_type, s->object);
        m->sensor_reference_type[i] = (int)s->reference_type;
        m->sensor_reference[i] = number_of(b, s->reference_type, s->reference);
        m->sensor_at[i] = at;
        m->sensor_dim[i] = s->dim;
        m->sensor_cutoff[i] = s->cutoff;
        m->sensor_noise[i] = s->noise;
        at += s->dim;
    }
    return THUD_OK;
}
