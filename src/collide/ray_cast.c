// SPDX-License-Identifier: Apache-2.0
// ray_cast.c: the first geom on a ray's way.
#include <thud/collide_ray.h>
#include <thud/spatial_inline.h>

thud_ray_options thud_ray_defaults(void)
{
    return (thud_ray_options){.exclude_body = -1, .groups = UINT32_MAX, .fixed = true, .reach = HUGE_VAL};
}

static bool is_seen(const thud_model *m, int g, const thud_ray_options *o)
{
    const int group = m->geom_group[g] < 0 ? 0 : m->geom_group[g] > 31 ? 31 : m->geom_group[g];
    const int body = m->geom_body[g];
    return body != o->exclude_body && (o->groups >> group & 1) && m->geom_rgba[4 * g + 3] > 0 &&
           (o->fixed || m->body_weld[body] != 0);
}

// Whether the ball of this radius about x has a point on the ray that is nearer than `reach`; `along` is unit.
static bool may_hit(vec3 x, double radius, vec3 from, vec3 along, double reach)
{
    const vec3 to = v3_sub(x, from);
    const double ahead = v3_dot(to, along), aside = v3_norm2(v3_axpy(-ahead, along, to));
    const double slack = 1 + 1e-9; // of rounding
    return !(ahead < -slack * radius || ahead - slack * radius > reach ||
             aside > slack * radius * radius + 1e-12 * v3_norm2(to));
}

bool thud_ray_cast(const thud_model *m, const pose *X_wg, vec3 from, vec3 along,
                   const thud_ray_options *options, thud_ray_hit *hit)
{
    const thud_ray_options all = thud_ray_defaults(), *o = options ? options : &all;
    const vec3 unit = v3_normalize(along);
    *hit = (thud_ray_hit){.geom = -1, .distance = -1};
    double nearest = o->reach;
    for (int g = 0; g < m->geoms; g++) {
        const thud_shape *shape = &m->geom_shape[g];
        if (!is_seen(m, g, o) || (shape->kind == THUD_SHAPE_HULL && !shape->hull) ||
            !may_hit(X_wg[g].p, thud_shape_radius(shape), from, unit, nearest)) {
            continue;
        }
        vec3 normal;
        const double t = thud_shape_ray(shape, X_wg[g], from, unit, &normal);
        if (t >= 0 && (hit->geom < 0 ? t <= nearest : t < nearest)) {
            *hit = (thud_ray_hit){g, t, v3_axpy(t, unit, from), normal};
            nearest = t;
        }
    }
    return hit->geom >= 0;
}
