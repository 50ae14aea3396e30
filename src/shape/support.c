// SPDX-License-Identifier: Apache-2.0
// support.c: the farthest point of a convex shape along a direction.
//
// For a hull the answer is defined as that of an exhaustive search: of the computed values d.v the greatest,
// and of equal ones the lowest index. Large hulls are climbed instead. Two facts make climbing exact: the
// vertices of a convex polyhedron above any level d.v >= c are connected by edges, so a climb that stops is
// within the hull's thickness (and rounding) of the top; and flooding all vertices above that level therefore
// reaches every candidate. So hints and paths do not matter.
//
// Cost  O(n) to EXHAUSTIVE vertices; above, O(sqrt n) from afar and O(neighbours) from a good hint. A plateau
//       of more than PLATEAU vertices (the rim of a fine cylinder, seen along its axis) is searched
//       exhaustively.
#include <thud/shape.h>
#include <thud/spatial_inline.h>

bool thud_shape_is_convex(thud_shape_kind kind)
{
    return kind != THUD_SHAPE_PLANE && kind != THUD_SHAPE_HFIELD;
}

enum {
    EXHAUSTIVE = 24, // up to here the plain loop is faster than following neighbours
    PLATEAU = 48     // candidates that fit the list of one flood
};

static int search_all(const thud_hull *hull, vec3 dir)
{
    int best = 0;
    double top = v3_dot(dir, hull->vertex[0]);
    for (int v = 1; v < hull->vertices; v++) {
        const double value = v3_dot(dir, hull->vertex[v]);
        if (value > top) {
            top = value;
            best = v;
        }
    }
    return best;
}

// Steepest ascent along edges until no neighbour is higher; *second is then the highest neighbour's value.
static int climb(const thud_hull *hull, vec3 dir, int from, double *value, double *second)
{
    double top = v3_dot(dir, hull->vertex[from]);
    for (int at = from, next = -1;; at = next, next = -1) {
        double most = -HUGE_VAL;
        for (int k = hull->near_start[at]; k < hull->near_start[at + 1]; k++) {
            const double near = v3_dot(dir, hull->vertex[hull->near[k]]);
            if (near > most) {
                most = near;
                next = hull->near[k];
            }
        }
        if (!(most > top)) {
            *value = top;
            *second = most;
            return at;
        }
        top = most;
    }
}

static bool listed(const int *list, int count, int v)
{
    for (int i = 0; i < count; i++) {
        if (list[i] == v) {
            return true;
        }
    }
    return false;
}

// The best vertex of those connected to `from` above `level`, or -1 when there are more than PLATEAU of them.
static int flood(const thud_hull *hull, vec3 dir, int from, double level)
{
    int list[PLATEAU] = {from}, count = 1, best = from;
    double top = v3_dot(dir, hull->vertex[from]);
    for (int i = 0; i < count; i++) {
        for (int k = hull->near_start[list[i]]; k < hull->near_start[list[i] + 1]; k++) {
            const int v = hull->near[k];
            const double value = v3_dot(dir, hull->vertex[v]);
            if (value < level || listed(list, count, v)) {
                continue;
            }
            if (count == PLATEAU) {
                return -1;
            }
            list[count++] = v;
            if (value > top || (value == top && v < best)) {
                top = value;
                best = v;
            }
        }
    }
    return best;
}

int thud_hull_support(const thud_hull *hull, vec3 dir, int hint)
{
    if (hull->vertices <= EXHAUSTIVE) {
        return search_all(hull, dir);
    }
    const int from = hint >= 0 && hint < hull->vertices ? hint : 0;
    double top, second;
    const int stop = climb(hull, dir, from, &top, &second);
    const double length = fabs(dir.x) + fabs(dir.y) + fabs(dir.z); // or a little less
    const double slack = length * (4 * hull->thickness + 8 * 0x1p-53 * hull->radius);
    if (second < top - slack) {
        return stop; // nothing else comes near
    }
    const int best = flood(hull, dir, stop, top - slack);
    return best >= 0 ? best : search_all(hull, dir);
}

static vec3 ellipsoid_support(const double s[3], vec3 d)
{
    const vec3 sd = v3(s[0] * d.x, s[1] * d.y, s[2] * d.z); // x = S S d / |S d|
    const double n = v3_norm(sd);
    return n > 0 ? v3(s[0] * sd.x / n, s[1] * sd.y / n, s[2] * sd.z / n) : v3(0, 0, s[2]);
}

static vec3 cylinder_support(const double s[3], vec3 d)
{
    const double n = sqrt(d.x * d.x + d.y * d.y), z = d.z >= 0 ? s[1] : -s[1];
    return n > 0 ? v3(s[0] * d.x / n, s[0] * d.y / n, z) : v3(s[0], 0, z);
}

thud_vec3 thud_shape_support(const thud_shape *shape, vec3 dir, int *hint)
{
    const double *s = shape->size;
    int index = 0;
    vec3 x = {0, 0, 0};
    switch (shape->kind) {
    case THUD_SHAPE_SPHERE:
        x = v3_scale(s[0], v3_normalize(dir));
        break;
    case THUD_SHAPE_CAPSULE:
        x = v3_axpy(s[0], v3_normalize(dir), v3(0, 0, dir.z >= 0 ? s[1] : -s[1]));
        break;
    case THUD_SHAPE_ELLIPSOID:
        x = ellipsoid_support(s, dir);
        break;
    case THUD_SHAPE_CYLINDER:
        x = cylinder_support(s, dir);
        break;
    case THUD_SHAPE_BOX:
        index = (dir.x > 0) + 2 * (dir.y > 0) + 4 * (dir.z > 0); // ties to the lowest index
        x = v3(dir.x > 0 ? s[0] : -s[0], dir.y > 0 ? s[1] : -s[1], dir.z > 0 ? s[2] : -s[2]);
        break;
    case THUD_SHAPE_HULL:
        index = thud_hull_support(shape->hull, dir, hint ? *hint : 0);
        x = shape->hull->vertex[index];
        break;
    default:
        THUD_ASSERT(thud_shape_is_convex(shape->kind));
        break;
    }
    if (hint) {
        *hint = index;
    }
    return x;
}
