// SPDX-License-Identifier: Apache-2.0
// 04_custom_force.c: a force of your own. A rod hangs from a hinge in the wind: at every step the program
// computes a horizontal force at the rod's tip and turns it into joint forces. The rod comes to rest where
// the moments balance, at tan(angle) = 2 F / (m g).
//
//     cc 04_custom_force.c $(pkg-config --cflags --libs thud) -lm -o custom_force && ./custom_force
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <thud/thud.h>

static const double length = 1, mass = 2, g = 9.81, wind = 5; // m, kg, m/s^2, N

static const char scene[] = "<mujoco><option timestep='0.002'/><worldbody>"
                            "<body name='rod'><joint type='hinge' axis='0 -1 0' damping='1'/>"
                            "<geom type='capsule' fromto='0 0 0 0 0 -1' size='0.02' mass='2'/></body>"
                            "</worldbody></mujoco>";

// The joint forces of the wind where the rod is now.
static void blow(const thud_model *m, thud_dynamics *d, const thud_state *s, double *tau)
{
    const int rod = 1;
    const thud_vec3 tip = {length * sin(s->qpos[0]), 0, -length * cos(s->qpos[0])};
    memset(tau, 0, (size_t)m->nv * sizeof *tau);
    thud_dynamics_place(m, s->qpos, d);
    thud_point_force(m, d, rod, (thud_vec3){wind, 0, 0}, (thud_vec3){0, 0, 0}, tip, tau);
}

static thud_status simulate(const thud_model *m, thud_sim *sim, thud_dynamics *d, thud_state *s)
{
    double tau[1], work = 0;
    thud_certificate c = {0};
    const thud_energy start = thud_sim_energy(sim, s);
    while (s->time < 20) {
        blow(m, d, s, tau);
        THUD_TRY(thud_sim_step(sim, tau, s, &c));
        work += c.work; // of the wind and of the damper
    }
    printf("angle %.6f rad, by balance of moments %.6f rad\n", s->qpos[0], atan(2 * wind / (mass * g)));
    printf("energy gained %.6f J, work of wind and damper %.6f J\n",
           c.kinetic + c.potential - start.kinetic - start.potential, work);
    return THUD_OK;
}

int main(void)
{
    thud_diag diag = {.text = "memory ran out, or the motion did not stay finite"};
    thud_spec *spec = NULL;
    thud_model *m = NULL;
    thud_state *s = NULL;
    thud_sim *sim = NULL;
    thud_dynamics *d = NULL;
    bool done = thud_load_mjcf_text(scene, strlen(scene), "custom force", &spec, &diag) == THUD_OK &&
                thud_model_build(spec, &m, &diag) == THUD_OK && thud_state_create(m, &s) == THUD_OK &&
                thud_dynamics_create(m, &d) == THUD_OK;
    if (done) {
        const thud_step_options options = thud_step_defaults(m);
        done = thud_sim_create(m, &options, &sim, &diag) == THUD_OK && simulate(m, sim, d, s) == THUD_OK;
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
