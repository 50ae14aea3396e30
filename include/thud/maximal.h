// SPDX-License-Identifier: Apache-2.0
// thud/maximal.h: the same mechanism in maximal coordinates: six for each body, joints as equalities.
//
// thud_spec_maximal rewrites a spec so that every body with a joint hangs on the world by a free joint, and
// what the joint kept together is kept together by an equality between the body and its former parent:
//
//     hinge   THUD_EQUALITY_HINGE     5 rows        slide   THUD_EQUALITY_SLIDE     5 rows
//     ball    THUD_EQUALITY_CONNECT   3 rows        free    stays                   none
//
// Limits, springs, dampers, rotors and dry friction of the joint go with the equality (model arrays eq_*),
// which bears the joint's name. Bodies, geoms and sites keep their numbers and names; welded bodies stay on
// their parents; who may touch whom stays (a body and its parent are excluded where the filter kept them
// apart); the reference pose and the keyframes are the same ones. Both models can be simulated side by side:
//
//     thud_spec_maximal(spec, &wide, &diag);      thud_model_build(wide, &maximal, &diag);
//     thud_maximal_state(minimal, s, maximal, t); // t is where s is
//     thud_minimal_state(maximal, t, minimal, s); // and back, when t has moved
#pragma once

#include <thud/spec_elements.h>
#include <thud/state.h>

#ifdef __cplusplus
extern "C" {
#endif

// The rewritten spec; the given one is only read. UNSUPPORTED, with the place, for a body with several joints
// and for an equality of joints: their coordinates have no row here. Tendons, actuators and sensors of joints
// are left out, with a note (THUD_NOTE_LATER); another note tells of limits, springs, dampers, rotors and
// friction, which steps do not simulate along equalities yet. Fails as thud_model_build does where the spec
// is no model. O(size of the spec), and for keyframes O(bodies) each.
THUD_API THUD_MUST_USE thud_status thud_spec_maximal(const thud_spec *spec, thud_spec **out, thud_diag *diag);

// The state of the one model as a state of the other; time and steps too, impulses not. BAD_ARGUMENT, with
// `to` untouched, when the two models do not belong together. Allocates. O(bodies).
//
// Back from maximal coordinates each joint reads its position off the two bodies that it joins: a hinge the
// turn about its axis, nearest to what `to` holds (so that turns are counted), a slide the way along it, a
// ball the rotation. What has drifted apart is not seen.
THUD_API THUD_MUST_USE thud_status thud_maximal_state(const thud_model *minimal, const thud_state *from,
                                                      const thud_model *maximal, thud_state *to);
THUD_API THUD_MUST_USE thud_status thud_minimal_state(const thud_model *maximal, const thud_state *from,
                                                      const thud_model *minimal, thud_state *to);

#ifdef __cplusplus
}
#endif
