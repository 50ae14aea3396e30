// SPDX-License-Identifier: Apache-2.0
// thud/model_vary.h: a model with other numbers, without loading or building it again.
//
//     const double slippery = 0.1, heavy = 12;
//     const thud_setting set[] = {{"geom/floor.friction", &slippery, 1}, {"body/torso.mass", &heavy, 1}};
//     status = thud_model_vary(model, set, 2, &variant, &diag);
//
// The variant is what the same file with these numbers in it would have become, to the bit. It shares meshes, hulls and height
// fields with the first model, and each of the two may be destroyed before the other. What follows from the numbers is computed
// again: link inertias, springs at rest, frames of equalities, damping ratios, the hash. Vary in any thread.
//
// A setting is TYPE/NAME.ATTRIBUTE; NAME may be a pattern with * and ?, which sets all that fit it, those without a name by *
// alone, or #3 for number 3 of the model. Units are SI and radians; quaternions are w, x, y, z of any length. Where fewer numbers
// are given than the attribute has, the others stay. Settings act in their order.
//
//     option   timestep, gravity, wind, magnetic, density, viscosity         written option.gravity, without a name
//     body     pos, quat, mass, ipos (centre of mass), iquat, inertia (3: along iquat's axes; 6: xx yy zz xy xz yz), gravcomp
//     joint    pos, axis, ref, springref, stiffness, damping, armature, frictionloss, range, margin, actfrcrange
//     geom     size, pos, quat, mass, density, friction, restitution, kinetic, viscous, stribeck, condim, contype, conaffinity,
//              priority, margin, gap, rgba, group
//     site     size, pos, quat
//     pair     friction, restitution, kinetic, viscous, stribeck, condim, margin, gap
//     equality anchor, polycoef, torquescale
//     tendon   range, stiffness, damping, frictionloss, springlength, margin, actfrcrange
//     actuator gear, gainprm, biasprm, kp, kv, dampratio, timeconst, cranklength, ctrlrange, forcerange, actrange
//     sensor   cutoff, noise
//
// A body whose mass comes from its geoms has, once one of mass, ipos, iquat and inertia is set, an inertial of its own: the other
// three are those that it had in the model that is varied. A geom whose density is set has the mass that follows from it. kp and kv
// are a servo's, and of actuators that are none are refused.
#pragma once

#include <thud/model.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct thud_setting {
    const char *name;
    const double *value;
    int count;
} thud_setting;

enum { THUD_SETTING_NUMBERS = 6 }; // no attribute has more

// BAD_ARGUMENT, and a sentence with what was likely meant, where a setting names nothing or has another number of numbers;
// BAD_MODEL where the numbers make no model; UNSUPPORTED for a mesh that would be needed now and was not read, and for a part
// (thud/model_part.h). *out is then NULL.
THUD_API THUD_MUST_USE thud_status thud_model_vary(const thud_model *m, const thud_setting *setting,
                                                   int settings, thud_model **out, thud_diag *diag);

// The numbers of a setting's name in this model, of the first element that it means. NaN is a number that was not given.
THUD_API THUD_MUST_USE thud_status thud_model_setting(const thud_model *m, const char *name,
                                                      double value[THUD_SETTING_NUMBERS], int *count,
                                                      thud_diag *diag);

#ifdef __cplusplus
}
#endif
