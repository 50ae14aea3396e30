// SPDX-License-Identifier: Apache-2.0
// crowd.h: beetles, as MJCF: a box with six legs of two hinges each, 13 links, with everything that joints may have.
#pragma once

#include <stdio.h>
#include <stdlib.h>

enum { BEETLE_LINKS = 13, BEETLE_DOFS = 18, BEETLE_POSITIONS = 19, BEETLE_MOTORS = 6, BEETLE_READINGS = 24 };

static const char crowd_head[] =
    "<mujoco><compiler angle='radian' autolimits='true'/><option timestep='0.002' gravity='0 0 "
    "%g'>%s</option>\n"
    "<default><joint type='hinge' damping='0.02' armature='0.001'/><geom density='600' "
    "friction='0.7'/></default>\n"
    "<worldbody><geom name='floor' type='plane' size='0 0 1' pos='0 0 %g'/>\n";

typedef struct beetle {
    const char *name;
    double x, y, z, turned; // rad, about z
} beetle;

// Its bodies; or (motors) its actuators; or (ties) what ties its knees; or the pairs of its legs that pass through each other.
typedef enum beetle_part {
    BEETLE_BODIES,
    BEETLE_TIES,
    BEETLE_EXCLUDES,
    BEETLE_MOTORS_OF_HIPS,
    BEETLE_SENSORS
} beetle_part;

static inline void beetle_write(FILE *out, const beetle *b, beetle_part part)
{
    switch (part) {
    case BEETLE_BODIES:
        fprintf(out, "<body name='%s' pos='%.17g %.17g %.17g' euler='0 0 %.17g'><freejoint/>", b->name, b->x,
                b->y, b->z, b->turned);
        fprintf(out, "<geom type='box' size='0.2 0.1 0.04'/><site name='%s.imu' pos='0.05 0 0.02'/>\n",
                b->name);
        for (int k = 0; k < 6; k++) {
            const double x = 0.16 * (k / 2 - 1), side = k % 2 ? -1 : 1;
            fprintf(out, "<body name='%s.leg%d' pos='%g %g 0'>", b->name, k, x, side * 0.1);
            fprintf(out, "<joint name='%s.hip%d' axis='0 0 1' range='-1.2 1.2' frictionloss='%g'/>", b->name,
                    k, k == 2 ? 0.05 : 0);
            fprintf(out, "<geom type='capsule' size='0.015' fromto='0 0 0 0 %g 0.05'/>\n", side * 0.12);
            fprintf(out, "<body name='%s.shin%d' pos='0 %g 0.05'>", b->name, k, side * 0.12);
            fprintf(out, "<joint name='%s.knee%d' axis='1 0 0' range='-0.6 0.6' stiffness='3'/>", b->name, k);
            fprintf(out, "<geom type='capsule' size='0.012' fromto='0 0 0 0 %g -0.2'/>", side * 0.05);
            fprintf(out, "<site name='%s.foot%d' pos='0 %g -0.2' size='0.03'/></body></body>\n", b->name, k,
                    side * 0.05);
        }
        fprintf(out, "</body>\n");
        break;
    case BEETLE_TIES:
        fprintf(out, "<joint joint1='%s.knee0' joint2='%s.knee5' polycoef='0 -1 0 0 0'/>\n", b->name,
                b->name);
        break;
    case BEETLE_EXCLUDES:
        fprintf(out, "<exclude body1='%s.leg0' body2='%s.leg2'/>\n", b->name, b->name);
        break;
    case BEETLE_MOTORS_OF_HIPS:
        for (int k = 0; k < BEETLE_MOTORS; k++) {
            fprintf(out,
                    "<general name='%s.motor%d' joint='%s.hip%d' gear='1' dyntype='%s' dynprm='0.05'/>\n",
                    b->name, k, b->name, k, k % 2 ? "filter" : "none");
        }
        break;
    case BEETLE_SENSORS:
        fprintf(out, "<accelerometer site='%s.imu'/><gyro site='%s.imu'/>", b->name, b->name);
        fprintf(out, "<framelinacc objtype='body' objname='%s.leg3'/>", b->name);
        fprintf(out, "<framepos objtype='site' objname='%s.foot1' reftype='site' refname='%s.imu'/>", b->name,
                b->name);
        fprintf(out, "<force site='%s.foot2'/><torque site='%s.foot2'/>", b->name, b->name);
        fprintf(out, "<touch site='%s.foot4'/><touch site='%s.foot5'/>", b->name, b->name);
        fprintf(out, "<actuatorfrc actuator='%s.motor3'/><jointactuatorfrc joint='%s.hip1'/>", b->name,
                b->name);
        fprintf(out, "<jointlimitfrc joint='%s.knee2'/><jointpos joint='%s.knee3'/>\n", b->name, b->name);
    }
}

// Some of them on a floor at this height, with elements of <option>, and with a post that stands between them and one behind all. To be freed.
static inline char *crowd_text(int count, const beetle *beetles, double gravity, double floor,
                               const char *flags)
{
    static const char *const open[] = {"", "<equality>", "<contact>", "<actuator>", "<sensor>"};
    static const char *const close[] = {"</worldbody>", "</equality>", "</contact>", "</actuator>",
                                        "</sensor>"};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    fprintf(out, crowd_head, gravity, flags, floor);
    for (int part = BEETLE_BODIES; part <= BEETLE_SENSORS; part++) {
        fputs(open[part], out);
        for (int k = 0; k < count; k++) {
            beetle_write(out, &beetles[k], part);
            if (part == BEETLE_BODIES && (k == 0 || k == count - 1)) {
                fprintf(out,
                        "<body name='post%d' pos='%g -40 1'><geom type='box' size='0.1 0.1 1'/></body>\n", k,
                        beetles[k].x);
            }
        }
        fputs(close[part], out);
    }
    fprintf(out, "</mujoco>\n");
    fclose(out);
    return text;
}
