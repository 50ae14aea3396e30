// SPDX-License-Identifier: Apache-2.0
// 09_vary.c: one model with other numbers, without loading it again. A box starts at 2 m/s on a floor whose friction is drawn anew
// for every run, and stops after v^2 / (2 mu g). The mass is drawn, too, and changes nothing.
//
//     cc 09_vary.c $(pkg-config --cflags --libs thud) -lm -o vary && ./vary
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <thud/thud.h>

static const char scene[] =
    "<mujoco><option timestep='0.001' gravity='0 0 -9.81'/><worldbody><geom name='floor' type='plane' "
    "size='9 9 1'/>"
    "<body name='box' pos='0 0 0.05'><freejoint/><geom name='box' type='box' size='0.2 0.2 0.05'/></body>"
    "</worldbody></mujoco>";

static const double speed = 2, g = 9.81;

// How far the box slides.
static thud_status slide(const thud_model *m, double *distance)
{
    const double qvel[6] = {speed};
    const thud_step_options options = thud_step_defaults(m);
    thud_certificate c;
    thud_state *s = NULL;
    thud_sim *sim = NULL;
    thud_status status = thud_state_create(m, &s);
    status = status == THUD_OK ? thud_state_set(m, NULL, qvel, s) : status;
    status = status == THUD_OK ? thud_sim_create(m, &options, &sim, NULL) : status;
    while (status == THUD_OK && s->time < 3) {
        status = thud_sim_step(sim, NULL, s, &c);
    }
    *distance = status == THUD_OK ? s->qpos[0] : NAN;
    thud_sim_destroy(sim);
    thud_state_destroy(s);
    return status;
}

static thud_status run_variants(const thud_model *m, thud_diag *diag)
{
    double worst = 0;
    for (int i = 0; i < 8; i++) {
        const double mu = 0.2 + 0.05 * i, mass = 1 + i;
        const thud_setting set[] = {{"geom/*.friction", &mu, 1}, {"geom/box.mass", &mass, 1}};
        thud_model *variant;
        double distance;
        THUD_TRY(thud_model_vary(m, set, 2, &variant, diag));
        const thud_status status = slide(variant, &distance);
        thud_model_destroy(variant);
        THUD_TRY(status);
        const double expected = speed * speed / (2 * mu * g);
        printf("friction %.2f, mass %g kg: %.4f m, by Coulomb %.4f m\n", mu, mass, distance, expected);
        worst = fmax(worst, fabs(distance - expected));
    }
    printf("largest difference %.6f m\n", worst);
    return THUD_OK;
}

int main(void)
{
    thud_diag diag = {.text = "memory ran out, or the motion did not stay finite"};
    thud_spec *spec = NULL;
    thud_model *m = NULL;
    const bool done = thud_load_mjcf_text(scene, strlen(scene), "vary", &spec, &diag) == THUD_OK &&
                      thud_model_build(spec, &m, &diag) == THUD_OK && run_variants(m, &diag) == THUD_OK;
    if (!done) {
        fprintf(stderr, "%s\n", diag.text);
    }
    thud_model_destroy(m);
    thud_spec_destroy(spec);
    return done ? 0 : 1;
}
