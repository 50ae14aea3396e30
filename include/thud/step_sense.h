// SPDX-License-Identifier: Apache-2.0
// thud/step_sense.h: what sensors read, what bodies feel, and the forces that go with a motion.
//
//     thud_sim_step(sim, NULL, state, NULL);
//     thud_sim_sense(sim, state, reading);                          model->readings numbers
//     const int gyro = thud_model_find(model, THUD_KIND_SENSOR, "imu_gyro");
//     const double *w = reading + model->sensor_at[gyro];           model->sensor_dim[gyro] of them
//
// Sensors have MuJoCo's names, frames and signs. Positions and velocities are those of the state. Forces and
// accelerations (touch, force, torque, accelerometer, framelinacc, frameangacc, actuatorfrc and its kin,
// jointlimitfrc, tendonlimitfrc) are means over the step that led to it, impulse / h: with hard contact a force
// at a moment need not exist, and what a step of an impact feels is its whole impulse. In the event-driven
// scheme they are those at the end of the step, collisions left out.
//
// accelerometer and framelinacc read gravity as a real one does: +9.81 upward at rest. force and torque
// are what the site's body gets from its parent through their joint, in the site's frame; weight that is
// carried (gravcomp), drag and tendons count as the joint's own, and so do applied joint forces.
//
// cutoff > 0 clamps a reading to [-cutoff, cutoff], one that is never negative (touch, rangefinder) to at most
// cutoff; quaternions and axes are left alone. noise is kept in the model and never added: the same state reads
// the same. Sensors are all zero where option flag sensor is "disable".
#pragma once

#include <thud/collide_ray.h>
#include <thud/step.h>

#ifdef __cplusplus
extern "C" {
#endif

// Fills reading (m->readings numbers) with what all sensors read in s. If this sim's last step did not lead to s
// (it is new, was set or loaded), forces and accelerations are those of thud_sim_forward at s without applied
// forces, whose status it returns; the rest is read in any case. O(bodies + sensors x contacts); a rangefinder
// O(geoms). Allocates nothing.
THUD_API THUD_MUST_USE thud_status thud_sim_sense(thud_sim *sim, const thud_state *s, double *reading);

// The word of a sensor's type as MJCF writes it ("gyro"), and the unit of its numbers ("rad/s"; "" for none).
THUD_API const char *thud_sensor_word(int sensor_type);
THUD_API const char *thud_sensor_unit(const thud_model *m, int sensor);

// The acceleration (qacc, nv) at s under tau (nv applied joint forces, or NULL), actuators, springs and contact.
// Contact is that of one step of h begun at s, evaluated where s is: v + h qacc obeys the law, and the forces
// are impulses / h. Where nothing touches it is thud_dynamics_solve's. s is not changed. Fails as
// thud_sim_step does.
THUD_API THUD_MUST_USE thud_status thud_sim_forward(thud_sim *sim, const double *tau, const thud_state *s,
                                                    double *qacc);

// The other way: the joint forces tau (nv) that must be applied at s, beside actuators, springs and weight, for
// the acceleration to be qacc. Who touches, slides or parts then is known, from v + h qacc, and what parts
// carries nothing. What still holds may carry more or less, for hard contact does not say: a hand that presses
// with 10 N or with 100 N moves the same. Here it carries what the mechanism itself presses it with: the
// forces, by Coulomb's law, against the motion that would come of tau = 0, so that tau is only what is left to
// do. So
//
//     thud_sim_inverse of the qacc that thud_sim_forward gives for tau = 0    is 0
//     thud_sim_forward of the tau that thud_sim_inverse gives for qacc        is qacc
//
// and where nothing holds it is thud_dynamics_rnea's, less the forces above. A step with that tau comes near
// qacc to first order in h: it takes springs and servos ahead. Contact is that of a step of h begun at s, by
// the exact cone whatever the sim's law; thud_sim_contact_force then tells it. BAD_ARGUMENT when qacc cannot
// be: something would overlap, pass a limit or open a loop. NOT_SOLVED also where friction jams what slides;
// NO_MEMORY and NOT_FINITE as of thud_sim_step; UNSUPPORTED in maximal coordinates. Several solves of contact
// where something slides.
THUD_API THUD_MUST_USE thud_status thud_sim_inverse(thud_sim *sim, const double *qacc, const thud_state *s,
                                                    double *tau);

// The joint forces (nv) of the contacts, limits, dry friction and loops that the last thud_sim_forward found:
// MuJoCo's qfrc_constraint. Zero where nothing holds.
THUD_API void thud_sim_constraint_force(thud_sim *sim, double *force);

// The force (N) and the torque about a point (N m, world) that contacts exert on a body: the mean over the last
// step, or what thud_sim_forward or _inverse found, whichever was later. The forces on all bodies, the world's
// included, sum to zero. In the event-driven scheme those at the end of the step. O(1); when first asked after a
// step, which is by one thread, O(contacts).
THUD_API thud_force thud_sim_contact_force(const thud_sim *sim, int body, thud_vec3 point);

#ifdef __cplusplus
}
#endif
