// SPDX-License-Identifier: Apache-2.0
// mjcf_sensors.c: sensors, each with what it is attached to.
#include "mjcf_reader.h"

static mjcf_space space_of(thud_object object)
{
    static const mjcf_space space[] = {
        [THUD_OBJECT_NONE] = MJCF_SPACE_NONE,     [THUD_OBJECT_BODY] = MJCF_SPACE_BODY,
        [THUD_OBJECT_XBODY] = MJCF_SPACE_BODY,    [THUD_OBJECT_GEOM] = MJCF_SPACE_GEOM,
        [THUD_OBJECT_SITE] = MJCF_SPACE_SITE,     [THUD_OBJECT_JOINT] = MJCF_SPACE_JOINT,
        [THUD_OBJECT_TENDON] = MJCF_SPACE_TENDON, [THUD_OBJECT_ACTUATOR] = MJCF_SPACE_ACTUATOR};
    return space[object];
}

static thud_status check_joint(mjcf_reader *r, int n, const thud_spec_sensor *s)
{
    const bool ball = s->type == THUD_SENSOR_BALLQUAT || s->type == THUD_SENSOR_BALLANGVEL;
    const thud_joint_type type = r->spec->joint[s->object].type;
    const bool scalar = type == THUD_JOINT_HINGE || type == THUD_JOINT_SLIDE;
    const bool limit = s->type == THUD_SENSOR_JOINTLIMITPOS || s->type == THUD_SENSOR_JOINTLIMITVEL ||
                       s->type == THUD_SENSOR_JOINTLIMITFRC;
    return limit || (ball ? type == THUD_JOINT_BALL : scalar)
               ? THUD_OK
               : MJCF_FAIL(r, THUD_BAD_FILE, mjcf_place(r, n, "joint"), "<%s> is for a %s joint",
                           mjcf_node(r, n)->name, ball ? "ball" : "hinge or slide");
}

// Where the sensor sits: the attribute that names it is the object type's own word, or objname for a frame.
static thud_status find_object(mjcf_reader *r, int n, const draft_sensor *d, thud_spec_sensor *s)
{
    if (d->objtype) { // a frame sensor
        s->object_type = (thud_object)d->objtype;
        THUD_TRY(
            mjcf_name_ask(r, space_of(s->object_type), d->object, mjcf_place(r, n, "objname"), &s->object));
        if (!d->reference != !d->reftype) {
            return MJCF_FAIL(r, THUD_BAD_FILE, mjcf_node(r, n)->place, "reftype and refname go together");
        }
        s->reference_type = (thud_object)d->reftype;
        return d->reference ? mjcf_name_ask(r, space_of(s->reference_type), d->reference,
                                            mjcf_place(r, n, "refname"), &s->reference)
                            : THUD_OK;
    }
    const mjcf_space space = space_of(s->object_type);
    if (space) {
        THUD_TRY(mjcf_name_ask(r, space, d->object, mjcf_place(r, n, mjcf_noun(space)), &s->object));
    }
    return s->object_type == THUD_OBJECT_JOINT ? check_joint(r, n, s) : THUD_OK;
}

static thud_status read_sensor(mjcf_reader *r, int n)
{
    draft_sensor d = {0};
    if (mjcf_node(r, n)->element->role == MJCF_ROLE_PLUGIN) {
        return mjcf_read_noted(r, n);
    }
    THUD_TRY(mjcf_read_attributes(r, n, &d));
    const thud_place place = mjcf_node(r, n)->place;
    if (mjcf_node(r, n)->element->role == MJCF_ROLE_LOOKS ||
        xml_find(mjcf_node(r, n), "camera")) { // a kind that is only noted
        return mjcf_name_add(r, MJCF_SPACE_SENSOR, d.head.name, 0, place);
    }
    const int i =
        thud_spec_add_sensor(r->spec, (thud_sensor_type)mjcf_node(r, n)->element->variant, -1, d.head.name);
    if (i < 0) {
        return THUD_NO_MEMORY;
    }
    thud_spec_sensor *s = &r->spec->sensor[i];
    s->cutoff = d.to.cutoff;
    s->noise = d.to.noise;
    s->place = place;
    THUD_TRY(find_object(r, n, &d, s));
    return mjcf_name_add(r, MJCF_SPACE_SENSOR, d.head.name, i, place);
}

thud_status mjcf_read_sensors(mjcf_reader *r)
{
    for (int s = mjcf_node(r, 0)->first; s >= 0; s = mjcf_node(r, s)->next) {
        if (mjcf_node(r, s)->element->role == MJCF_ROLE_SENSORS) {
            for (int n = mjcf_node(r, s)->first; n >= 0; n = mjcf_node(r, n)->next) {
                THUD_TRY(read_sensor(r, n));
            }
        }
    }
    return THUD_OK;
}
