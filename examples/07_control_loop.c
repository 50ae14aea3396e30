// SPDX-License-Identifier: Apache-2.0
// 07_control_loop.c: a robot under control. A two-link arm carries a hammer through a swing by computed torque: the
// controller reads the encoders, asks inverse dynamics for the torques that the wanted acceleration needs, and
// sets the motors' controls. It runs at 250 Hz, the simulation at 1 kHz.
//
//     cc 07_control_loop.c $(pkg-config --cflags --libs thud) -lm -o control_loop && ./control_loop
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <thud/thud.h>

enum { JOINTS = 2, STEPS_A_TICK = 4 };

static const double kp = 400, kd = 40; // 1/s^2, 1/s: errors die away with 20 rad/s, critically damped
static const double pi = 3.141592653589793;

static const char scene[] =
    "<mujoco><option timestep='0.001'/><default><geom type='capsule' size='0.03'/></default><worldbody>"
    "<body name='upper' pos='0 0 1'><joint name='shoulder' axis='0 -1 0'/><geom fromto='0 0 0 0.4 0 0' "
    "mass='2'/>"
    "<body name='lower' pos='0.4 0 0'><joint name='elbow' axis='0 -1 0'/><geom fromto='0 0 0 0.3 0 0' "
    "mass='1'/>"
    "<geom type='box' pos='0.3 0 0' size='0.03 0.03 0.06' mass='0.5'/></body></body></worldbody>"
    "<actuator><motor joint='shoulder' ctrlrange='-60 60'/><motor joint='elbow' ctrlrange='-60 "
    "60'/></actuator>"
    "<sensor><jointpos joint='shoulder'/><jointpos joint='elbow'/>"
    "<jointvel joint='shoulder'/><jointvel joint='elbow'/></sensor></mujoco>";

// Where the joints should be, how fast, and with which acceleration.
static void plan(double t, double q[JOINTS], double v[JOINTS], double a[JOINTS])
{
    static const double swing[JOINTS] = {0.8, 1.2};
    const double w = pi; // rad/s: a swing every two seconds
    for (int i = 0; i < JOINTS; i++) {
        q[i] = swing[i] * (1 - cos(w * t)) / 2;
        v[i] = swing[i] * w * sin(w * t) / 2;
        a[i] = swing[i] * w * w * cos(w * t) / 2;
    }
}

// tau = M (a + kd v_error + kp q_error) + bias, from what the sensors read: both angles, then both rates
static void control(const thud_model *m, thud_dynamics *d, double time, const double reading[2 * JOINTS],
                    double tau[JOINTS])
{
    const double *angle = reading, *rate = reading + JOINTS;
    double q[JOINTS], v[JOINTS], a[JOINTS];
    plan(time, q, v, a);
    for (int i = 0; i < JOINTS; i++) {
        a[i] += kp * (q[i] - angle[i]) + kd * (v[i] - rate[i]);
    }
    thud_dynamics_place(m, angle, d);
    thud_dynamics_move(m, rate, d);
    thud_dynamics_rnea(m, a, d, tau);
}

static thud_status swing(const thud_model *m, thud_sim *sim, thud_dynamics *d, thud_state *s)
{
    double tau[JOINTS], q[JOINTS], v[JOINTS], a[JOINTS], worst = 0, most = 0, supplied = 0;
    double reading[2 * JOINTS];
    thud_certificate c = {0};
    const thud_energy start = thud_sim_energy(sim, s);
    while (s->time < 6) {
        if (s->steps % STEPS_A_TICK == 0) {
            THUD_TRY(thud_sim_sense(sim, s, reading)); // m->readings numbers
            control(m, d, s->time, reading, tau);
            THUD_TRY(thud_state_control(s, tau, NULL)); // holds until it is set again
            most = fmax(most, fmax(fabs(tau[0]), fabs(tau[1])));
        }
        THUD_TRY(thud_sim_step(sim, NULL, s, &c));
        supplied += c.work;
        plan(s->time, q, v, a);
        worst = fmax(worst, fmax(fabs(q[0] - s->qpos[0]), fabs(q[1] - s->qpos[1])));
    }
    printf("three swings: %.2g rad from the plan at most, with %.1f N m at most\n", worst, most);
    printf("energy gained %.6f J, supplied by the motors %.6f J\n",
           c.kinetic + c.potential - start.kinetic - start.potential, supplied);
    return THUD_OK;
}

int main(void)
{
    thud_diag diag = {.text = "memory ran out, or the motion did not stay finite"};
    thud_spec *spec = NULL;
    thud_model *m = NULL;
    thud_state *s = NULL;
    thud_sim *sim = NULL;
    thud_dynamics *d = NULL; // the controller's own model of the arm
    bool done = thud_load_mjcf_text(scene, strlen(scene), "control loop", &spec, &diag) == THUD_OK &&
                thud_model_build(spec, &m, &diag) == THUD_OK && thud_state_create(m, &s) == THUD_OK &&
                thud_dynamics_create(m, &d) == THUD_OK;
    if (done) {
        const thud_step_options options = thud_step_defaults(m);
        done = thud_sim_create(m, &options, &sim, &diag) == THUD_OK && swing(m, sim, d, s) == THUD_OK;
    }
    if (!done) {
        fprintf(stderr, "%s\n", diag.text);
    }
    thud_dynamics_destroy(d);
    thud_sim_destroy(sim);
    thud_state_destroy(s);
    thud_model_destroy(m);
    thud_spec_destroy(spec);
    return done ? 0 : 1;
}
