// SPDX-License-Identifier: Apache-2.0
// study_models.c: published robots (MuJoCo Menagerie) hold their keyframes, or fall as they should, at the time step
// they are shipped with and at twice that.
//
// A keyframe that overlaps or is beyond a limit is put right in the first steps; drift and penetration are judged after
// those.
#include <math.h>
#include <stdio.h>

#include "study.h"

typedef struct robot {
    const char *scene, *keyframe;
    bool stands; // on its own feet: the floor carries all of it, once it is at rest
    const char *does;
} robot;

static const robot robots[] = {
    {"agility_cassie/scene", "home", true, "motors without current: falls, and lies on its limits"},
    {"anybotics_anymal_c/scene", NULL, true, "stands"},
    {"anybotics_anymal_c/scene_mjx", "standing", false,
     "told to straighten its legs: hops, tips over; only feet collide"},
    {"flexiv_rizon4/scene", "home", false, "holds"},
    {"kuka_iiwa_14/scene", "home", false, "holds"},
    {"robotiq_2f85/scene", NULL, false, "holds; a box swings on its string"},
    {"shadow_hand/scene_left", NULL, false, "holds; an egg drops into its palm and stays there"},
    {"shadow_hand/scene_right", NULL, false, "holds; an egg drops into its palm and stays there"},
    {"skydio_x2/scene", "hover", false, "hovers"},
    {"trossen_wx250s/scene", "home", false, "holds"},
};

typedef struct worst {
    double residual, momentum, drift, penetration;
} worst;

static double larger(double a, double b) // NaN is larger than all
{
    return b <= a ? a : b;
}

static worst worst_of(const trial *t)
{
    static const double SETTLED = 0.1; // s
    worst w = {0};
    for (int k = 1; k <= t->taken; k++) {
        const thud_certificate *c = &t->certificate[k];
        w.residual = larger(w.residual, c->cone_residual);
        w.momentum = larger(w.momentum, c->momentum);
        if (t->time[k] > SETTLED) {
            w.drift = larger(w.drift, c->joint_drift);
            w.penetration = larger(w.penetration, c->penetration);
        }
    }
    return w;
}

// What the floor carries, relative to the weight: how far from 1.
static double weight_error(const trial *t)
{
    const thud_model *m = t->scene.model;
    const double carried = -thud_sim_contact_force(t->stepper.sim, 0, (thud_vec3){0}).lin.z;
    return fabs(carried / (m->total_mass * -m->gravity.z) - 1);
}

static void add_row(study *s, sheet *table, const robot *r, double coarser)
{
    static const double AT_REST = 1e-6; // m/s, rad/s
    trial t;
    trial_wish w = {
        .scene = r->scene, .keyframe = r->keyframe, .time = s->quick ? 0.5 : 10, .wishes = WISHES_NONE};
    char path[640];
    snprintf(path, sizeof path, "%s/%s.xml", s->models, r->scene);
    if (coarser != 1) {
        scene probe = {0};
        if ((s->code = scene_open(path, NULL, &probe)) == EXIT_DONE) {
            w.wishes.dt = coarser * probe.model->timestep;
        }
        scene_close(&probe);
    }
    if (study_run(s, &w, &t)) {
        const worst of = worst_of(&t);
        const double speed = thud_norm_inf(t.nv, trial_qvel(&t, t.taken));
        const bool weighed = r->stands && speed < AT_REST;
        const double weight = weighed ? weight_error(&t) : 0;
        const bool right = t.taken == t.steps && of.residual <= 1e-8 && of.momentum <= 1e-8 &&
                           of.drift <= 1e-8 && of.penetration <= 1e-8 && weight <= 1e-9;
        sheet_cell(table, "%s%s%s", r->scene, r->keyframe ? ", " : "", r->keyframe ? r->keyframe : "");
        sheet_cell(table, "%g", t.stepper.options.h);
        sheet_cell(table, "%s", r->does);
        sheet_cell(table, "%.0e", of.residual);
        sheet_cell(table, "%.0e", of.momentum);
        sheet_cell(table, "%.0e", of.drift);
        sheet_cell(table, "%.0e", of.penetration);
        sheet_cell(table, "%.0e", speed);
        sheet_cell(table, weighed ? "%.0e" : "-", weight);
        sheet_cell(table, "%.0f", 1e6 * t.cpu / t.taken);
        sheet_cell(table, "%s", study_judge(s, right));
    }
    trial_close(&t);
}

void study_models(study *s)
{
    static const char *const heads[] = {"robot, keyframe",
                                        "dt / s",
                                        "does",
                                        "residual",
                                        "law of motion",
                                        "drift",
                                        "penetration / m",
                                        "speed at the end",
                                        "floor carries weight to",
                                        "us a step",
                                        "right"};
    if (!s->models) {
        return;
    }
    const char *scenes = s->scenes;
    s->scenes = s->models;
    sheet t = sheet_start(heads, sizeof heads / sizeof heads[0]);
    study_title(s, "Published robots in their keyframes");
    for (size_t i = 0; i < sizeof robots / sizeof robots[0]; i++) {
        for (double coarser = 1; coarser <= (s->quick ? 1 : 2) && s->code == EXIT_DONE; coarser++) {
            add_row(s, &t, &robots[i], coarser);
        }
    }
    study_table(s, "models", "The worst of all steps of 10 s, at the shipped time step and at twice that",
                &t);
    s->scenes = scenes;
}
