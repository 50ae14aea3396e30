// SPDX-License-Identifier: Apache-2.0
// 08_sensors.c: sensors, rays and inverse dynamics. A two-link arm is held level above the floor by the joint
// forces that inverse dynamics asks for; its wrist feels the weight of the hand, and its rangefinder sees the
// floor where a ray of our own does.
//
//     cc 08_sensors.c $(pkg-config --cflags --libs thud) -lm -o sensors && ./sensors
#include <stdio.h>
#include <string.h>

#include <thud/thud.h>

static const char scene[] =
    "<mujoco><worldbody><geom name='floor' type='plane' size='0 0 1'/><body pos='0 0 0.8'>"
    "<joint name='shoulder' axis='0 1 0'/><geom type='capsule' fromto='0 0 0 0.4 0 0' size='0.03' mass='2'/>"
    "<body pos='0.4 0 0'><joint name='elbow' axis='0 1 0'/>"
    "<geom type='capsule' fromto='0 0 0 0.3 0 0' size='0.02' mass='1'/><body pos='0.3 0 0'>"
    "<geom type='sphere' size='0.05' mass='0.5'/><site name='wrist'/><site name='eye' pos='0.05 0 0' "
    "euler='180 0 0'/>"
    "</body></body></body></worldbody><sensor><force name='carried' site='wrist'/>"
    "<accelerometer name='felt' site='wrist'/><rangefinder name='seen' site='eye'/></sensor></mujoco>";

// What a sensor reads, by its name.
static const double *read_sensor(const thud_model *m, const double *reading, const char *name)
{
    return reading + m->sensor_at[thud_model_find(m, THUD_KIND_SENSOR, name)];
}

// How far the floor is below a site, by a ray that does not see the site's own body.
static double look_down(const thud_model *m, const thud_state *s, const char *site)
{
    thud_pose X_wb[4], X_wg[4], X_ws[2];
    const int eye = thud_model_find(m, THUD_KIND_SITE, site);
    thud_ray_options options = thud_ray_defaults();
    thud_ray_hit hit;
    thud_body_poses(m, s->qpos, X_wb);
    thud_geom_poses(m, X_wb, X_wg);
    thud_site_poses(m, X_wb, X_ws);
    options.exclude_body = m->site_body[eye];
    return thud_ray_cast(m, X_wg, X_ws[eye].p, (thud_vec3){0, 0, -1}, &options, &hit) ? hit.distance : -1;
}

static thud_status hold(const thud_model *m, thud_sim *sim, thud_state *s)
{
    const double rest[2] = {0, 0};
    double tau[2], reading[7];
    while (s->time < 1) {
        THUD_TRY(thud_sim_inverse(sim, rest, s, tau));
        THUD_TRY(thud_sim_step(sim, tau, s, NULL));
    }
    THUD_TRY(thud_sim_sense(sim, s, reading));
    printf("shoulder %.6f N m, elbow %.6f N m hold it; it moved by %.1e rad\n", tau[0], tau[1], s->qpos[0]);
    printf("the wrist carries %.6f N of 0.5 kg, and feels %.6f m/s^2\n",
           read_sensor(m, reading, "carried")[2], read_sensor(m, reading, "felt")[2]);
    printf("the floor is %.6f m away by the rangefinder, %.6f m by a ray\n",
           read_sensor(m, reading, "seen")[0], look_down(m, s, "eye"));
    return THUD_OK;
}

int main(void)
{
    thud_diag diag = {.text = "memory ran out, or the motion did not stay finite"};
    thud_spec *spec = NULL;
    thud_model *m = NULL;
    thud_state *s = NULL;
    thud_sim *sim = NULL;
    bool done = thud_load_mjcf_text(scene, strlen(scene), "sensors", &spec, &diag) == THUD_OK &&
                thud_model_build(spec, &m, &diag) == THUD_OK && thud_state_create(m, &s) == THUD_OK;
    if (done) {
        const thud_step_options options = thud_step_defaults(m);
        done = thud_sim_create(m, &options, &sim, &diag) == THUD_OK && hold(m, sim, s) == THUD_OK;
    }
    if (!done) {
        fprintf(stderr, "%s\n", diag.text);
    }
    thud_sim_destroy(sim);
    thud_state_destroy(s);
    thud_model_destroy(m);
    thud_spec_destroy(spec);
    return done ? 0 : 1;
}
