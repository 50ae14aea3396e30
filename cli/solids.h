// SPDX-License-Identifier: Apache-2.0
// solids.h: the geoms of a scene as a page draws them: primitives by their sizes, the rest as triangles.
#pragma once

#include "json.h"
#include "replay.h"
#include "scene.h"

// Writes "geoms" and "meshes" into j, and the meshes' vertices and then corners to `numbers`, mesh by mesh.
// Meshes are drawn as they are in their files; their hulls stand in for files that cannot be read or are too
// large. False when memory ran out.
bool solids_write(json *j, const scene *s, floats *numbers);
