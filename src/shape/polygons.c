// SPDX-License-Identifier: Apache-2.0
// polygons.c: a growing list of polygons.
#include "polyhedron.h"

bool polygon_begin(polygons *p)
{
    if (!thud_grow((void **)&p->start, &p->face_capacity, p->faces, sizeof *p->start)) {
        return false;
    }
    p->start[p->faces++] = p->corners;
    return true;
}

bool polygon_corner(polygons *p, int point)
{
    if (!thud_grow((void **)&p->corner, &p->corner_capacity, p->corners, sizeof *p->corner)) {
        return false;
    }
    p->corner[p->corners++] = point;
    return true;
}

void polygons_clear(polygons *p)
{
    p->faces = p->corners = 0;
}

void polygons_free(polygons *p)
{
    thud_free(p->start);
    thud_free(p->corner);
    const polygons none = {0};
    *p = none;
}
