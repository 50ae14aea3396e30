// SPDX-License-Identifier: Apache-2.0
// filter.c: which geoms may touch, and how: MuJoCo's rules.
#include <math.h>
#include <string.h>

#include <thud/collide.h>

static const struct {
    const char *name, *text;
} about[] = {
    [THUD_FILTER_MEET] = {"meet", "may touch"},
    [THUD_FILTER_PAIR] = {"pair", "may touch: named as a pair"},
    [THUD_FILTER_MASKS] = {"masks", "apart: contype and conaffinity have no bit in common"},
    [THUD_FILTER_WELDED] = {"welded", "apart: of one body, or of bodies welded together"},
    [THUD_FILTER_PARENT] = {"parent", "apart: of a body and its parent"},
    [THUD_FILTER_EXCLUDED] = {"excluded", "apart: their bodies are excluded"},
    [THUD_FILTER_FLAT] = {"flat", "apart: planes and height fields do not meet"},
};

const char *thud_filter_name(thud_filter filter)
{
    return (unsigned)filter < sizeof about / sizeof *about ? about[filter].name : "unknown";
}

const char *thud_filter_text(thud_filter filter)
{
    return (unsigned)filter < sizeof about / sizeof *about ? about[filter].text : "unknown";
}

// The row of (i, j), in any order, in a sorted array of `rows` ascending pairs; -1 if there is none.
static int find_row(const int *pairs, int rows, int i, int j)
{
    const int lo = i < j ? i : j, hi = i < j ? j : i;
    int first = 0, last = rows - 1;
    while (first <= last) {
        const int middle = first + (last - first) / 2;
        const int a = pairs[2 * middle], b = pairs[2 * middle + 1];
        if (a == lo && b == hi) {
            return middle;
        }
        if (a < lo || (a == lo && b < hi)) {
            first = middle + 1;
        } else {
            last = middle - 1;
        }
    }
    return -1;
}

static bool is_flat(const thud_model *m, int geom)
{
    const thud_shape_kind kind = m->geom_shape[geom].kind;
    return kind == THUD_SHAPE_PLANE || kind == THUD_SHAPE_HFIELD;
}

// The body, as one with all it is welded to, that carries this one: its weld's parent's weld.
static int weld_parent(const thud_model *m, int weld)
{
    return weld == 0 ? 0 : m->body_weld[m->body_parent[weld]];
}

thud_filter thud_filter_geoms(const thud_model *m, int geom1, int geom2)
{
    if (is_flat(m, geom1) && is_flat(m, geom2)) {
        return THUD_FILTER_FLAT;
    }
    if (find_row(m->pair_geom, m->pairs, geom1, geom2) >= 0) {
        return THUD_FILTER_PAIR;
    }
    if (!(m->geom_contype[geom1] & m->geom_conaffinity[geom2]) &&
        !(m->geom_contype[geom2] & m->geom_conaffinity[geom1])) {
        return THUD_FILTER_MASKS;
    }
    const int body1 = m->geom_body[geom1], body2 = m->geom_body[geom2];
    const int weld1 = m->body_weld[body1], weld2 = m->body_weld[body2];
    if (weld1 == weld2) {
        return THUD_FILTER_WELDED;
    }
    if (m->filterparent_on && weld1 != 0 && weld2 != 0 &&
        (weld1 == weld_parent(m, weld2) || weld2 == weld_parent(m, weld1))) {
        return THUD_FILTER_PARENT;
    }
    if (find_row(m->exclude_body, m->excludes, body1, body2) >= 0) {
        return THUD_FILTER_EXCLUDED;
    }
    return THUD_FILTER_MEET;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static bool has_axis(const thud_model *m, int geom)
{
    const thud_vec3 a = m->geom_friction_axis[geom];
    return a.x != 0 || a.y != 0 || a.z != 0;
}

// The law of two geoms that are not a pair. g and h decide: both, or one of them twice.
static thud_contact_law mixed(const thud_model *m, int geom1, int geom2)
{
    const int order = m->geom_priority[geom1] - m->geom_priority[geom2];
    const int g = order >= 0 ? geom1 : geom2, h = order > 0 ? geom1 : geom2;
    const double *f = m->geom_friction + 3 * (size_t)g, *e = m->geom_friction + 3 * (size_t)h;
    const double slide = larger(f[0], e[0]), spin = larger(f[1], e[1]), roll = larger(f[2], e[2]);
    const double kinetic = larger(m->geom_friction_kinetic[g], m->geom_friction_kinetic[h]);
    const int dim1 = m->geom_condim[g], dim2 = m->geom_condim[h];
    const int axis = has_axis(m, g) ? g : h;
    return (thud_contact_law){.condim = dim1 > dim2 ? dim1 : dim2,
                              .friction = {slide, slide, spin, roll, roll},
                              .margin = m->geom_margin[geom1] + m->geom_margin[geom2],
                              .gap = m->geom_gap[geom1] + m->geom_gap[geom2],
                              .restitution = larger(m->geom_restitution[g], m->geom_restitution[h]),
                              .kinetic = {kinetic, kinetic},
                              .viscous = larger(m->geom_friction_viscous[g], m->geom_friction_viscous[h]),
                              .stribeck = larger(m->geom_stribeck[g], m->geom_stribeck[h]),
                              .axis_body = has_axis(m, axis) ? m->geom_body[axis] : -1,
                              .axis = m->geom_friction_axis[axis]};
}

static double given_or(double given, double otherwise)
{
    return isnan(given) ? otherwise : given;
}

thud_contact_law thud_contact_law_of(const thud_model *m, int geom1, int geom2)
{
    thud_contact_law law = mixed(m, geom1, geom2);
    const int row = find_row(m->pair_geom, m->pairs, geom1, geom2);
    if (row >= 0) {
        law.condim = m->pair_condim[row];
        memcpy(law.friction, m->pair_friction + 5 * (size_t)row, sizeof law.friction);
        memcpy(law.kinetic, m->pair_friction_kinetic + 2 * (size_t)row, sizeof law.kinetic);
        law.margin = m->pair_margin[row];
        law.gap = m->pair_gap[row];
        law.restitution = given_or(m->pair_restitution[row], law.restitution);
        law.viscous = given_or(m->pair_friction_viscous[row], law.viscous);
        law.stribeck = given_or(m->pair_stribeck[row], law.stribeck);
    }
    return law;
}
