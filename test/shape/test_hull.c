// SPDX-License-Identifier: Apache-2.0
#include <thud/shape.h>
#include <thud/spatial_inline.h>

#include "mesh_files.h"
#include "test.h"

enum { MAX_POINTS = 4000 };

static vec3 random_direction(test_rng *rng)
{
    return v3_normalize(v3(test_normal(rng), test_normal(rng), test_normal(rng)));
}

static thud_hull *make_hull(const vec3 *point, int count, int max_vertices)
{
    thud_hull_options options = thud_hull_defaults();
    options.max_vertices = max_vertices;
    thud_hull *hull = NULL;
    thud_diag diag = {.text = ""};
    const thud_status status = thud_hull_create(point, count, &options, &hull, &diag);
    if (status != THUD_OK) {
        fail_msg("no hull of %d points: %s", count, diag.text);
    }
    return hull;
}

// ---------------------------------------------------------------------------------------------- invariants

static void check_edges(const thud_hull *h)
{
    for (int e = 0; e < h->edges; e++) {
        const thud_edge *edge = &h->edge[e];
        CHECK(edge->vertex[0] < edge->vertex[1] && edge->face[0] != edge->face[1]);
        for (int side = 0; side < 2; side++) { // each of its faces has it once, in its own direction
            int found = 0;
            const int f = edge->face[side], from = h->face_start[f], to = h->face_start[f + 1];
            for (int k = from; k < to; k++) {
                const int next = h->face_vertex[k + 1 < to ? k + 1 : from];
                found += h->face_edge[k] == e && h->face_vertex[k] == edge->vertex[side] &&
                         next == edge->vertex[1 - side];
            }
            CHECK_INT(found, 1);
        }
    }
}

static void check_neighbours(const thud_hull *h)
{
    CHECK_INT(h->near_start[h->vertices], 2 * h->edges);
    for (int v = 0; v < h->vertices; v++) {
        CHECK(h->near_start[v + 1] - h->near_start[v] >= 3);
        for (int k = h->near_start[v]; k < h->near_start[v + 1]; k++) {
            CHECK(k == h->near_start[v] || h->near[k] > h->near[k - 1]);
        }
    }
    for (int e = 0; e < h->edges; e++) {
        for (int side = 0; side < 2; side++) {
            const int v = h->edge[e].vertex[side], other = h->edge[e].vertex[1 - side];
            int found = 0;
            for (int k = h->near_start[v]; k < h->near_start[v + 1]; k++) {
                found += h->near[k] == other && h->near_edge[k] == e;
            }
            CHECK_INT(found, 1);
        }
    }
}

// No vertex above a plane; a face's own vertices on it; its corners turn left about its normal.
static void check_planes(const thud_hull *h)
{
    const double rounding = 4e-15 * h->radius;
    for (int f = 0; f < h->faces; f++) {
        const vec3 n = h->face[f].normal;
        CHECK_NEAR(v3_norm(n), 1, 1e-14);
        for (int v = 0; v < h->vertices; v++) {
            CHECK_BELOW(v3_dot(n, h->vertex[v]), h->face[f].offset + rounding);
        }
        const int size = thud_hull_face_size(h, f), *loop = h->face_vertex + h->face_start[f];
        for (int k = 0; k < size; k++) {
            const vec3 a = h->vertex[loop[k]], b = h->vertex[loop[(k + 1) % size]],
                       c = h->vertex[loop[(k + 2) % size]];
            const vec3 turn = v3_cross(v3_sub(b, a), v3_sub(c, b));
            CHECK_BELOW(h->face[f].offset - v3_dot(n, a), h->thickness + rounding);
            CHECK_BELOW(-v3_dot(turn, n), 1e-6 * h->radius * v3_norm(v3_sub(c, a)));
        }
    }
}

// The hull is a convex polyhedron that holds the points to within `slack` of their size.
static void check_hull(const thud_hull *h, const vec3 *point, int count, double slack)
{
    CHECK_INT(h->vertices - h->edges + h->faces, 2);
    CHECK_INT(h->face_start[h->faces], 2 * h->edges);
    check_edges(h);
    check_neighbours(h);
    check_planes(h);
    vec3 lo = point[0], hi = point[0];
    for (int i = 0; i < count; i++) {
        lo = v3_min(lo, point[i]);
        hi = v3_max(hi, point[i]);
    }
    const double size = 0.5 * v3_norm(v3_sub(hi, lo)) + 1e-9 * h->radius;
    for (int f = 0; f < h->faces; f++) {
        for (int i = 0; i < count; i++) {
            CHECK_BELOW(v3_dot(h->face[f].normal, point[i]), h->face[f].offset + slack * size);
        }
    }
    CHECK_BELOW(h->thickness, 16 * 4e-7 * size); // the tolerance times what is let pass
}

// ---------------------------------------------------------------------------------------------- points

typedef int (*point_set)(test_rng *rng, vec3 *point);

static int gaussian(test_rng *rng, vec3 *point)
{
    const int n = 4 + test_below(rng, 300);
    for (int i = 0; i < n; i++) {
        point[i] = v3(test_normal(rng), test_normal(rng), test_normal(rng));
    }
    return n;
}

static int sphere(test_rng *rng, vec3 *point)
{
    for (int i = 0; i < 500; i++) {
        point[i] = random_direction(rng);
    }
    return 500;
}

static int grid(test_rng *rng, vec3 *point) // a cube with points inside, on faces, on edges, and twice
{
    const int n = 2 + test_below(rng, 5);
    int count = 0;
    for (int twice = 0; twice < 2; twice++) {
        for (int i = 0; i < n * n * n; i++) {
            point[count++] = v3(i % n, i / n % n, i / n / n);
        }
    }
    return count;
}

static int lathe(test_rng *rng,
                 vec3 *point) // a cylinder in single precision, turned: caps are not quite flat
{
    const int n = 3 + test_below(rng, 150);
    const quat q = q_exp(v3_scale(2, random_direction(rng)));
    const double h = test_uniform(rng, 0.01, 3);
    for (int i = 0; i < 2 * n; i++) {
        const double a = 2 * 3.14159265358979 * (i / 2) / n;
        const vec3 x = q_rotate(q, v3(cos(a), sin(a), i % 2 ? h : -h));
        point[i] = single3(x);
    }
    return 2 * n;
}

static int needle(test_rng *rng, vec3 *point)
{
    const vec3 along = random_direction(rng);
    const double width = pow(10, test_uniform(rng, -4.5, -1));
    for (int i = 0; i < 3000; i++) {
        point[i] = v3_axpy(test_uniform(rng, -1, 1), along, v3_scale(width, random_direction(rng)));
    }
    return 3000;
}

static int lens(test_rng *rng, vec3 *point) // faces that meet at next to no angle
{
    const double height = pow(10, test_uniform(rng, -5, -1));
    for (int i = 0; i < 400; i++) {
        const double r = sqrt(test_uniform(rng, 0, 1)), a = test_uniform(rng, 0, 6.2831853);
        point[i] = v3(r * cos(a), r * sin(a), (i % 2 ? 1 : -1) * height * (1 - r * r));
    }
    return 400;
}

static int clusters(test_rng *rng, vec3 *point) // nearly coincident points at the corners of a tetrahedron
{
    const double spread = pow(10, test_uniform(rng, -16, -6));
    for (int i = 0; i < 200; i++) {
        const vec3 corner = v3(i & 1, (i >> 1) & 1, i % 3 == 0);
        point[i] = v3_axpy(spread, random_direction(rng), corner);
    }
    return 200;
}

static int shards(test_rng *rng, vec3 *point) // few directions, many points: faces with hundreds of points
{
    for (int i = 0; i < 1000; i++) {
        vec3 x = random_direction(rng);
        const double m = fmax(fabs(x.x), fmax(fabs(x.y), fabs(x.z)));
        x = v3_scale(1 / m, x);
        point[i] = i % 2 ? single3(x) : x;
    }
    return 1000;
}

// A turned plate with a round rim, cut up as a CAD program does, in single precision: rows of points that are nearly on
// one line, whose triangles are slivers.
static int plate(test_rng *rng, vec3 *point)
{
    const quat q = q_exp(v3_scale(2, random_direction(rng)));
    const double thickness = pow(10, test_uniform(rng, -3, 0)), rim = test_uniform(rng, 0, 0.2);
    for (int i = 0; i < 2000; i++) {
        const double t = test_below(rng, 40) / 20.0 - 1, a = test_below(rng, 9) * 0.1963495408;
        const vec3 edge = i % 2 ? v3(1 + rim * cos(a), t, rim * sin(a) + thickness)
                                : v3(t, (i % 4 ? 1 : -1) * (1 + rim * cos(a)), rim * sin(a));
        point[i] = single3(q_rotate(q, edge));
    }
    return 2000;
}

// Points on the edges and faces of a block in single precision, turned in double as a mesh to its inertia frame: many are on
// one line to rounding, and make slivers whose planes mean nothing.
static int block(test_rng *rng, vec3 *point)
{
    const quat q = q_exp(v3_scale(2, random_direction(rng)));
    const vec3 half = v3(test_uniform(rng, 0.01, 1), test_uniform(rng, 0.01, 1), test_uniform(rng, 0.01, 1));
    const int n = 2 + test_below(rng, 12);
    int count = 0;
    for (int face = 0; face < 6; face++) {
        for (int k = 0; k < n * n; k++) {
            double x[3];
            x[face % 3] = face < 3 ? 1 : -1;
            x[(face + 1) % 3] = 2.0 * (k % n) / (n - 1) - 1;
            x[(face + 2) % 3] = 2.0 * (k / n) / (n - 1) - 1;
            point[count++] = q_rotate(q, single3(v3(half.x * x[0], half.y * x[1], half.z * x[2])));
        }
    }
    return count;
}

TEST(every_hull_is_a_convex_polyhedron_that_holds_its_points)
{
    (void)test_state;
    static const point_set sets[] = {gaussian, sphere,   grid,   lathe, needle,
                                     lens,     clusters, shards, plate, block};
    static vec3 point[MAX_POINTS];
    for (int k = 0; k < 10; k++) {
        for (int seed = 0; seed < (k == 8 ? 60 : 12); seed++) {
            test_rng rng = {(uint64_t)(100 * k + seed)};
            const int n = sets[k](&rng, point);
            const double scale = seed % 3 == 1 ? 1e-4 : seed % 3 == 2 ? 1e3 : 1;
            const vec3 shift = v3_scale(seed % 4 == 3 ? 100 * scale : 0, random_direction(&rng));
            for (int i = 0; i < n; i++) {
                point[i] = v3_axpy(scale, point[i], shift);
            }
            thud_hull *hull = make_hull(point, n, -1);
            check_hull(hull, point, n, 4e-6); // ten tolerances: worst seen 7.3e-7
            thud_hull_destroy(hull);
        }
    }
}

// ---------------------------------------------------------------------------------------------- known hulls

TEST(coplanar_and_repeated_points_leave_a_cube_of_six_faces)
{
    (void)test_state;
    static vec3 point[MAX_POINTS];
    int n = 0;
    for (int i = 0; i < 7 * 7 * 7; i++) {
        point[n++] = v3(i % 7, i / 7 % 7, i / 49);
    }
    thud_hull *hull = make_hull(point, n, -1);
    CHECK_INT(hull->vertices, 8);
    CHECK_INT(hull->edges, 12);
    CHECK_INT(hull->faces, 6);
    CHECK_NEAR(hull->thickness, 0, 0);
    CHECK_NEAR(hull->thickened, 0, 0);
    const thud_shape shape = {.kind = THUD_SHAPE_HULL, .hull = hull};
    CHECK_NEAR(thud_shape_volume(&shape), 216, 1e-11);
    CHECK_NEAR(thud_shape_area(&shape), 216, 1e-11);
    thud_hull_destroy(hull);
}

TEST(a_turned_cylinder_in_single_precision_has_two_caps)
{
    (void)test_state;
    vec3 point[128];
    const quat q = q_exp(v3(0.3, -0.5, 0.7));
    for (int i = 0; i < 128; i++) {
        const double a = 2 * 3.14159265358979 * (i / 2) / 64;
        const vec3 x = v3_add(q_rotate(q, v3(cos(a), sin(a), i % 2 ? 0.5 : -0.5)), v3(0.1, 0.2, 0.3));
        point[i] = single3(x);
    }
    thud_hull *hull = make_hull(point, 128, -1);
    CHECK_INT(hull->vertices, 128);
    CHECK_INT(hull->faces, 66);
    thud_hull_destroy(hull);
}

TEST(a_box_hull_has_the_topology_of_a_hull_of_its_corners)
{
    (void)test_state;
    const double half[3] = {1, 2, 3};
    thud_hull_box box;
    thud_hull_of_box(half, &box);
    check_hull(&box.hull, box.vertex, 8, 1e-15);
    thud_hull *hull = make_hull(box.vertex, 8, -1);
    for (int e = 0; e < 12; e++) {
        CHECK_INT(hull->edge[e].vertex[0], box.hull.edge[e].vertex[0]);
        CHECK_INT(hull->edge[e].vertex[1], box.hull.edge[e].vertex[1]);
    }
    for (int k = 0; k < 24; k++) {
        CHECK_INT(hull->near[k], box.hull.near[k]);
    }
    thud_hull_destroy(hull);
}

TEST(a_hull_does_not_depend_on_what_was_made_before_it)
{
    (void)test_state;
    static vec3 point[MAX_POINTS];
    test_rng rng = {11};
    const int n = gaussian(&rng, point);
    thud_hull *a = make_hull(point, n, -1), *b = make_hull(point, n, -1);
    CHECK_INT(a->vertices, b->vertices);
    CHECK_INT(memcmp(a->vertex, b->vertex, (size_t)a->vertices * sizeof(vec3)), 0);
    CHECK_INT(memcmp(a->face, b->face, (size_t)a->faces * sizeof(thud_plane)), 0);
    CHECK_INT(memcmp(a->face_vertex, b->face_vertex, 2 * (size_t)a->edges * sizeof(int)), 0);
    thud_hull_destroy(a);
    thud_hull_destroy(b);
}

TEST(the_limit_on_vertices_is_kept_and_the_hull_stays_inside)
{
    (void)test_state;
    static vec3 point[MAX_POINTS];
    test_rng rng = {12};
    const int n = sphere(&rng, point);
    const int limits[] = {4, 5, 8, 20, 64, 200, 600};
    double volume = 0;
    for (int k = 0; k < 7; k++) {
        thud_hull *hull = make_hull(point, n, limits[k]);
        const thud_shape shape = {.kind = THUD_SHAPE_HULL, .hull = hull};
        CHECK(hull->vertices <= limits[k]);
        CHECK_INT(hull->vertices - hull->edges + hull->faces, 2);
        check_planes(hull);
        CHECK_BELOW(volume, thud_shape_volume(&shape)); // more vertices, more volume
        volume = thud_shape_volume(&shape);
        thud_hull_destroy(hull);
    }
}

TEST(a_hull_moved_to_a_frame_is_the_hull_of_the_moved_points)
{
    (void)test_state;
    static vec3 point[MAX_POINTS];
    test_rng rng = {13};
    const int n = lathe(&rng, point);
    const pose X = {q_exp(v3(1, 2, 0.5)), {3, -2, 1}};
    thud_hull *hull = make_hull(point, n, -1), *moved;
    CHECK_OK(thud_hull_recentre(hull, X, &moved));
    for (int i = 0; i < n; i++) {
        point[i] = pose_unpoint(X, point[i]);
    }
    check_hull(moved, point, n, 4e-6);
    const thud_shape a = {.kind = THUD_SHAPE_HULL, .hull = hull},
                     b = {.kind = THUD_SHAPE_HULL, .hull = moved};
    const thud_inertia Ia = thud_inertia_map(pose_inv(X), thud_shape_inertia(&a, 1)),
                       Ib = thud_shape_inertia(&b, 1);
    CHECK_NEAR(Ia.mass, Ib.mass, 1e-13 * Ia.mass);
    for (int k = 0; k < 6; k++) {
        CHECK_NEAR(Ia.I[k], Ib.I[k], 1e-12 * Ia.I[0]);
    }
    thud_hull_destroy(hull);
    thud_hull_destroy(moved);
}

// ---------------------------------------------------------------------------------------------- degenerate

TEST(points_in_a_plane_become_a_thin_slab_and_say_so)
{
    (void)test_state;
    vec3 point[60];
    test_rng rng = {21};
    const quat q = q_exp(v3(0.4, 0.2, -1));
    for (int i = 0; i < 60; i++) {
        point[i] = q_rotate(q, v3(test_uniform(&rng, -2, 2), test_uniform(&rng, -1, 1), 0));
        point[i] = single3(point[i]);
    }
    thud_hull *hull = make_hull(point, 60, -1);
    CHECK(hull->thickened > 1e-4 && hull->thickened < 1e-3);
    check_hull(hull, point, 60, 4e-6);
    thud_hull_destroy(hull);
}

static void check_refused(const vec3 *point, int count, thud_status want, const char *sentence)
{
    thud_diag diag = {.text = ""};
    thud_hull *hull;
    CHECK_INT(thud_hull_create(point, count, NULL, &hull, &diag), want);
    CHECK(hull == NULL);
    CHECK_TEXT(diag.text, sentence);
}

TEST(points_without_a_hull_get_a_sentence)
{
    (void)test_state;
    vec3 point[10];
    for (int i = 0; i < 10; i++) {
        point[i] = v3(0.25 * i, -0.5 * i, 0);
    }
    check_refused(point, 3, THUD_BAD_MODEL, "a hull needs four points or more, not 3");
    check_refused(point, 9, THUD_BAD_MODEL, "the points of a hull lie on one line: 4.47214 m long, 0 m wide");
    for (int i = 0; i < 10; i++) {
        point[i] = v3(1, 2, 3);
    }
    check_refused(point, 10, THUD_BAD_MODEL, "the points of a hull are all the same");
    point[4].y = NAN;
    check_refused(point, 10, THUD_BAD_ARGUMENT, "point 4 (from 0) of a hull is (1, nan, 3)");
    point[4].y = HUGE_VAL;
    check_refused(point, 10, THUD_BAD_ARGUMENT, "point 4 (from 0) of a hull is (1, inf, 3)");
}

// ---------------------------------------------------------------------------------------------- support

static int brute_support(const thud_hull *hull, vec3 dir)
{
    int best = 0;
    for (int v = 1; v < hull->vertices; v++) {
        if (v3_dot(dir, hull->vertex[v]) > v3_dot(dir, hull->vertex[best])) {
            best = v;
        }
    }
    return best;
}

// Directions along which vertices tie: face normals, and across edges.
static vec3 awkward_direction(test_rng *rng, const thud_hull *h)
{
    const int kind = test_below(rng, 5);
    if (kind == 0) {
        return h->face[test_below(rng, h->faces)].normal;
    } else if (kind == 1) {
        const thud_edge *e = &h->edge[test_below(rng, h->edges)];
        return v3_add(h->face[e->face[0]].normal, h->face[e->face[1]].normal);
    } else if (kind == 2) {
        const int axis = test_below(rng, 3);
        return v3(axis == 0, axis == 1, axis == 2);
    }
    return v3_scale(pow(10, test_uniform(rng, -5, 5)), random_direction(rng));
}

TEST(climbing_finds_what_an_exhaustive_search_finds_from_any_start)
{
    (void)test_state;
    static const point_set sets[] = {sphere, lathe, needle, grid, lens, shards, clusters};
    static vec3 point[MAX_POINTS];
    for (int k = 0; k < 7; k++) {
        test_rng rng = {(uint64_t)(77 + k)};
        const int n = sets[k](&rng, point);
        thud_hull *hull = make_hull(point, n, -1);
        int hint = 0;
        for (int trial = 0; trial < 15000; trial++) { // 105 000 directions in all
            const vec3 dir = awkward_direction(&rng, hull);
            const int want = brute_support(hull, dir), cold = test_below(&rng, hull->vertices);
            hint = thud_hull_support(hull, dir, trial % 3 ? hint : cold);
            CHECK_INT(hint, want);
        }
        thud_hull_destroy(hull);
    }
}

TEST(a_wild_hint_does_no_harm)
{
    (void)test_state;
    static vec3 point[MAX_POINTS];
    test_rng rng = {5};
    thud_hull *hull = make_hull(point, sphere(&rng, point), -1);
    const thud_shape shape = {.kind = THUD_SHAPE_HULL, .hull = hull};
    const vec3 dir = v3(1, 2, 3);
    int wild = -7, wilder = 1 << 30;
    const vec3 a = thud_shape_support(&shape, dir, &wild), b = thud_shape_support(&shape, dir, &wilder);
    CHECK_INT(wild, wilder);
    CHECK_NEAR(v3_norm(v3_sub(a, b)), 0, 0);
    thud_shape_support(&shape, v3(0, 0, 0), &wild);
    thud_shape_support(&shape, v3(NAN, 0, 1), &wild); // any vertex; no crash, no endless climb
    CHECK(wild >= 0 && wild < hull->vertices);
    thud_hull_destroy(hull);
}

// ---------------------------------------------------------------------------------------------- memory

static int allocations_left;

static void *failing_resize(void *block, size_t bytes, void *user)
{
    (void)user;
    return allocations_left-- > 0 ? realloc(block, bytes) : NULL;
}

static void plain_release(void *block, void *user)
{
    (void)user;
    free(block);
}

TEST(whichever_allocation_fails_a_hull_is_refused_without_a_leak)
{
    (void)test_state;
    static vec3 point[MAX_POINTS];
    test_rng rng = {8};
    const int n = lathe(&rng, point);
    thud_hull_destroy(make_hull(point, n, -1)); // or skip
    const thud_allocator failing = {failing_resize, plain_release, NULL};
    thud_status status = THUD_NO_MEMORY;
    for (int k = 0; status != THUD_OK; k++) {
        thud_hull *hull = NULL;
        thud_diag diag;
        allocations_left = k;
        thud_allocator_set(&failing);
        status = thud_hull_create(point, n, NULL, &hull, &diag);
        thud_hull_destroy(hull);
        thud_allocator_set(NULL);
        CHECK(status == THUD_OK || status == THUD_NO_MEMORY);
        CHECK(k < 100);
    }
}

TEST_MAIN(T(every_hull_is_a_convex_polyhedron_that_holds_its_points),
          T(coplanar_and_repeated_points_leave_a_cube_of_six_faces),
          T(a_turned_cylinder_in_single_precision_has_two_caps),
          T(a_box_hull_has_the_topology_of_a_hull_of_its_corners),
          T(a_hull_does_not_depend_on_what_was_made_before_it),
          T(the_limit_on_vertices_is_kept_and_the_hull_stays_inside),
          T(a_hull_moved_to_a_frame_is_the_hull_of_the_moved_points),
          T(points_in_a_plane_become_a_thin_slab_and_say_so), T(points_without_a_hull_get_a_sentence),
          T(climbing_finds_what_an_exhaustive_search_finds_from_any_start), T(a_wild_hint_does_no_harm),
          T(whichever_allocation_fails_a_hull_is_refused_without_a_leak))
