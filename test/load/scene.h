// SPDX-License-Identifier: Apache-2.0
// scene.h: small scenes for the tests of the loader.
#pragma once

#include <thud/load.h>
#include <thud/spec_elements.h>

#include "test.h"

// Loads a text, which must succeed; the caller destroys the spec.
thud_spec *scene(const char *xml);
// Loads what stands between <mujoco><worldbody> and their ends.
thud_spec *world(const char *xml);
// Loads what stands between <robot> and its end, as URDF.
thud_spec *robot(const char *xml);
// Loads a text, which must fail with this status and a sentence that contains `says`, at the place of the
// mark @, which is not part of the text.
void bad_scene(const char *marked, thud_status status, const char *says);
void bad_robot(const char *marked, thud_status status, const char *says); // the same of URDF, read strictly

int body_named(const thud_spec *spec, const char *name); // the test fails if there is none
int geom_named(const thud_spec *spec, const char *name);
int joint_named(const thud_spec *spec, const char *name);

void check_vec(thud_vec3 got, double x, double y, double z, double tolerance);
void check_quat(thud_quat got, double w, double x, double y, double z, double tolerance); // up to sign
