// SPDX-License-Identifier: Apache-2.0
// thud/thud.h: the whole library. Each header is the manual of one room.
#pragma once

#include <thud/base.h>
#include <thud/collide.h>
#include <thud/collide_broad.h>
#include <thud/collide_gap.h>
#include <thud/collide_pair.h>
#include <thud/collide_ray.h>
#include <thud/cone.h>
#include <thud/cone_problem.h>
#include <thud/contact.h>
#include <thud/dynamics.h>
#include <thud/dynamics_drive.h>
#include <thud/law.h>
#include <thud/lcp.h>
#include <thud/linalg.h>
#include <thud/load.h>
#include <thud/maximal.h>
#include <thud/model.h>
#include <thud/model_poses.h>
#include <thud/problem_convert.h>
#include <thud/problem_fclib.h>
#include <thud/problem_lcp.h>
#include <thud/problem_random.h>
#include <thud/record.h>
#include <thud/record_read.h>
#include <thud/shape.h>
#include <thud/shape_mesh.h>
#include <thud/shape_ray.h>
#include <thud/shape_wrap.h>
#include <thud/spatial.h>
#include <thud/spec.h>
#include <thud/spec_elements.h>
#include <thud/state.h>
#include <thud/step.h>
#include <thud/step_sense.h>
