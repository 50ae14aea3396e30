// SPDX-License-Identifier: Apache-2.0
// sample.h: one valid scene and one valid robot (URDF) that use a bit of everything: what memory failures and
// mutations start from.
#pragma once

extern const char *const sample_scene;
extern const char *const sample_robot;
