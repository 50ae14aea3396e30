// SPDX-License-Identifier: Apache-2.0
#define _XOPEN_SOURCE 700 // nftw
#include <ftw.h>
#include <sys/stat.h>

#include <thud/shape.h>
#include <thud/shape_mesh.h>
#include <thud/spatial_inline.h>

#include "mesh_files.h"
#include "test.h"

static char bytes[4 << 20];

static thud_mesh *parse_text(const char *text, thud_mesh_format format)
{
    thud_mesh *mesh;
    thud_diag diag = {.text = ""};
    if (thud_mesh_parse(text, strlen(text), format, "t", &mesh, &diag) != THUD_OK) {
        fail_msg("not read: %s", diag.text);
    }
    return mesh;
}

static void check_refused(const void *file, size_t size, thud_mesh_format format, const char *message)
{
    thud_mesh *mesh;
    thud_diag diag = {.text = ""};
    char got[1200];
    CHECK_INT(thud_mesh_parse(file, size, format, "t", &mesh, &diag), THUD_BAD_FILE);
    CHECK(mesh == NULL);
    thud_diag_format(&diag, got, sizeof got);
    CHECK_TEXT(got, message);
}

static thud_mesh_mass weigh(const thud_mesh *mesh, thud_mesh_inertia mode, const thud_hull *hull)
{
    thud_mesh_mass mass;
    thud_diag diag = {.text = ""};
    if (thud_mesh_weigh(mesh, mode, hull, &mass, &diag) != THUD_OK) {
        fail_msg("not weighed: %s", diag.text);
    }
    return mass;
}

// ---------------------------------------------------------------------------------------------- files

TEST(every_format_gives_back_the_mesh_that_was_written)
{
    (void)test_state;
    thud_mesh *mesh = mesh_star(12, 17, 0.3);
    for (int kind = 0; kind < FILE_KINDS; kind++) {
        const size_t size = mesh_write(mesh, (file_kind)kind, bytes, sizeof bytes);
        thud_mesh *back;
        CHECK_OK(thud_mesh_parse(bytes, size, file_format((file_kind)kind), NULL, &back, NULL));
        CHECK_INT(back->vertices, mesh->vertices);
        CHECK_INT(back->triangles, mesh->triangles);
        for (int k = 0; k < 3 * mesh->triangles; k++) { // vertices may be numbered anew: compare corners
            const vec3 a = mesh->vertex[mesh->triangle[k]], b = back->vertex[back->triangle[k]];
            CHECK_NEAR((float)b.x, (float)a.x, 0);
            CHECK_NEAR((float)b.y, (float)a.y, 0);
            CHECK_NEAR((float)b.z, (float)a.z, 0);
        }
        thud_mesh_destroy(back);
    }
    thud_mesh_destroy(mesh);
}

TEST(a_file_is_read_by_its_ending_in_either_case)
{
    (void)test_state;
    thud_mesh *mesh = mesh_box(1, 2, 3), *back;
    char folder[] = "/tmp/thud_mesh_XXXXXX", path[64];
    CHECK(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/box.StL", folder);
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL);
    const size_t size = mesh_write(mesh, FILE_STL_BINARY, bytes, sizeof bytes);
    CHECK_INT(fwrite(bytes, 1, size, file), size);
    fclose(file);
    CHECK_OK(thud_mesh_read(path, &back, NULL));
    CHECK_INT(back->vertices, 8);
    thud_mesh_destroy(back);
    CHECK_INT(truncate(path, 0), 0);
    thud_diag diag;
    CHECK_INT(thud_mesh_read(path, &back, &diag), THUD_BAD_FILE);
    CHECK_TEXT(diag.text, "the file is empty");
    remove(path);
    CHECK_INT(thud_mesh_read(path, &back, &diag), THUD_BAD_FILE);
    CHECK_TEXT(diag.file, path);
    CHECK_INT(thud_mesh_read("part.dae", &back, &diag), THUD_UNSUPPORTED);
    snprintf(path, sizeof path, "%s/x.obj", folder); // a folder with the name of a mesh
    CHECK_INT(mkdir(path, 0700), 0);
    CHECK_INT(thud_mesh_read(path, &back, &diag), THUD_BAD_FILE);
    rmdir(path);
    rmdir(folder);
    thud_mesh_destroy(mesh);
}

TEST(obj_statements_mean_what_the_format_says)
{
    (void)test_state;
    thud_mesh *mesh = parse_text("# a pyramid whose base comes before its vertices\n"
                                 "mtllib none.mtl\no pyramid\ng base\nusemtl red\ns off\n"
                                 "f 1 4 3 2\n"
                                 "vn 0 0 1\nvt 0.5 0.5\n"
                                 "v -1 -1 0\nv 1 -1 0 1 0.5 0.5 0.5\nv 1 1 \\\n 0\nv -1 1 -0.0\n"
                                 "v 0 0 +1.5e0\n"
                                 "g sides\n"
                                 "f 1 2 5\nf -4/1 -3/1 -1/1\nf 3//1 4//1 5//1\nf 4/1/1 1/1/1 5/1/1 # last\n",
                                 THUD_MESH_OBJ);
    CHECK_INT(mesh->vertices, 5);
    CHECK_INT(mesh->triangles, 6);
    const thud_mesh_mass mass = weigh(mesh, THUD_MESH_INERTIA_EXACT, NULL);
    CHECK_NEAR(mass.measure, 4 * 1.5 / 3, 1e-15); // base times height / 3
    CHECK_NEAR(mass.inertia.com.z, 1.5 / 4, 1e-15);
    CHECK_INT(mass.open_edges, 0);
    thud_mesh_destroy(mesh);
}

TEST(quadrilaterals_are_cut_along_the_shorter_diagonal_and_polygons_into_fans)
{
    (void)test_state;
    thud_mesh *mesh = parse_text("v 0 0 0\nv 1 0 0\nv 3 3 0\nv 0 1 0\nv 5 5 5\n"
                                 "f 1 2 3 4\nf 2 3 4 1\nf 1 2 3 4 5",
                                 THUD_MESH_OBJ);
    const int want[] = {0, 1, 3, 1, 2, 3, 1, 2, 3, 1, 3, 0, 0, 1, 2, 0, 2, 3, 0, 3, 4};
    CHECK_INT(mesh->triangles, 7);
    for (int k = 0; k < 21; k++) {
        CHECK_INT(mesh->triangle[k], want[k]);
    }
    thud_mesh_destroy(mesh);
}

TEST(equal_vertices_are_one_and_zero_has_no_sign)
{
    (void)test_state;
    const double vertex[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, -0.0, 0, -0.0, 1, -0.0, 0};
    const int triangle[] = {4, 2, 1, 0, 1, 3, 0, 3, 2, 5, 2, 3, 0, 4, 1}; // the last has two equal corners
    thud_mesh *mesh;
    CHECK_OK(thud_mesh_create(6, vertex, 5, triangle, &mesh, NULL));
    CHECK_INT(mesh->vertices, 4);
    CHECK_INT(mesh->triangles, 4);
    const thud_mesh_mass mass = weigh(mesh, THUD_MESH_INERTIA_EXACT, NULL);
    CHECK_INT(mass.open_edges, 0);
    CHECK_NEAR(mass.measure, 1.0 / 6, 1e-16);
    thud_mesh_destroy(mesh);
}

TEST(numbers_are_read_exactly_as_the_c_library_reads_them)
{
    (void)test_state;
    test_rng rng = {9};
    char text[400];
    for (int trial = 0; trial < 3000; trial++) {
        const double x = test_normal(&rng) * pow(10, test_uniform(&rng, -12, 8));
        char number[40];
        snprintf(number, sizeof number, trial % 3 == 0 ? "%.9g" : trial % 3 == 1 ? "%.6e" : "%.15g", x);
        snprintf(text, sizeof text, "v %s 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n", number);
        thud_mesh *mesh = parse_text(text, THUD_MESH_OBJ);
        const float single = (float)strtod(number, NULL); // coordinates of OBJ files have 32 bits
        CHECK_NEAR(mesh->vertex[0].x, single, 0);
        thud_mesh_destroy(mesh);
    }
}

TEST(text_faults_are_told_with_line_and_column)
{
    (void)test_state;
    const struct {
        thud_mesh_format format;
        const char *text, *message;
    } faults[] = {
        {THUD_MESH_OBJ, "v 0 0 0\nv 1 x 0\n", "t:2:5: 'x' is not a usable coordinate"},
        {THUD_MESH_OBJ, "v 0 0\n", "t:1:6: a vertex has 2 coordinates; it needs three"},
        {THUD_MESH_OBJ, "v 0 0 nan\n", "t:1:7: 'nan' is not a usable coordinate"},
        {THUD_MESH_OBJ, "v 0 0 1e999\n", "t:1:7: '1e999' is not a usable coordinate"},
        {THUD_MESH_OBJ, "v 0 0 0\nf 1 1 0\n",
         "t:2:7: '0' does not start with a vertex number; they count from 1, or back from -1"},
        {THUD_MESH_OBJ, "v 0 0 0\nf 1/1/1/1 1 1\n",
         "t:2:3: '1/1/1/1' is not of the form i, i/t, i//n or i/t/n"},
        {THUD_MESH_OBJ, "v 0 0 0\nf 1 1\n", "t:2:1: a face has 2 corners; it needs at least three"},
        {THUD_MESH_OBJ, "v 0 0 0\nf 1 1 -2\n", "t:2:7: '-2' counts back 2 vertices, but only 1 came before"},
        {THUD_MESH_OBJ, "v 0 0 0\n\nf 1 1 7\nf 1 1 1\n",
         "t:3:7: a face asks for vertex 7, but the file has only 1"},
        {THUD_MESH_OBJ, "# nothing\n", "t:1:1: a mesh has 0 vertices; it needs at least four"},
        {THUD_MESH_STL, "solid x\nfacet normal 0 0 1\nouter lop\n", "t:3:7: expected 'loop', found 'lop'"},
        {THUD_MESH_STL, "solid x\nfacet normal 0 0 1\nouter loop\nvertex 1 2 three\n",
         "t:4:12: 'three' is not a usable coordinate"},
        {THUD_MESH_STL, "solid x\n", "t:2:1: the file ends before 'endsolid'"},
        {THUD_MESH_STL, "solid x\nendsolid x\nmore\n", "t:3:1: expected 'solid', found 'more'"},
        {THUD_MESH_STL, "STL",
         "t:1:1: an STL file of 3 bytes; a binary one has a header of 84, an ASCII one starts with 'solid'"},
    };
    for (size_t k = 0; k < sizeof faults / sizeof faults[0]; k++) {
        check_refused(faults[k].text, strlen(faults[k].text), faults[k].format, faults[k].message);
    }
}

TEST(binary_faults_are_told_with_the_byte)
{
    (void)test_state;
    thud_mesh *mesh = mesh_box(1, 1, 1);
    size_t size = mesh_write(mesh, FILE_STL_BINARY, bytes, sizeof bytes);
    check_refused(bytes, size - 1, THUD_MESH_STL,
                  "t:1:1: the count at byte 80 promises 12 triangles, a file of 684 bytes, but it has 683");
    const float bad = NAN;
    memcpy(bytes + 84 + 50 * 3 + 12 * 2 + 4, &bad, 4);
    check_refused(bytes, size, THUD_MESH_STL,
                  "t:1:1: corner 1 of triangle 3 (from 0, at byte 258) is (1, nan, 1)");
    size = mesh_write(mesh, FILE_MSH, bytes, sizeof bytes);
    check_refused(bytes, size + 4, THUD_MESH_MSH,
                  "t:1:1: the header of an MSH file promises 352 bytes, but it has 356");
    check_refused(bytes, 15, THUD_MESH_MSH, "t:1:1: an MSH file of 15 bytes; its header has 16");
    const int index = 8;
    memcpy(bytes + size - 4, &index, 4);
    check_refused(bytes, size, THUD_MESH_MSH,
                  "t:1:1: triangle 11 (from 0) has vertex 8, but there are only 8");
    memset(bytes + 12, 0x7f, 4);
    check_refused(bytes, size, THUD_MESH_MSH,
                  "t:1:1: the count at byte 12 of an MSH file is 2139062143; 0 to 10000000 are taken");
    thud_mesh_destroy(mesh);
}

// ---------------------------------------------------------------------------------------------- mass

static void check_same_inertia(thud_inertia got, thud_inertia want, double tolerance)
{
    CHECK_NEAR(got.mass, want.mass, tolerance * want.mass);
    CHECK_NEAR(v3_norm(v3_sub(got.com, want.com)), 0, tolerance);
    for (int k = 0; k < 6; k++) {
        CHECK_NEAR(got.I[k], want.I[k], tolerance * want.I[0]);
    }
}

TEST(a_box_of_triangles_weighs_what_a_box_weighs_in_every_mode)
{
    (void)test_state;
    const thud_shape box = {.kind = THUD_SHAPE_BOX, .size = {0.3, 0.2, 0.1}};
    thud_mesh *mesh = mesh_box(0.3, 0.2, 0.1);
    const pose X = {q_exp(v3(0.2, 0.5, -0.3)), {0.7, -0.4, 0.9}};
    thud_mesh_recentre(mesh, X);
    thud_hull_box hull;
    thud_hull_of_box(box.size, &hull);
    for (int v = 0; v < 8; v++) {
        hull.vertex[v] = pose_unpoint(X, hull.vertex[v]);
    }
    for (int mode = 0; mode < 4; mode++) {
        const thud_inertia I =
            mode == THUD_MESH_INERTIA_SHELL ? thud_shape_shell_inertia(&box, 1) : thud_shape_inertia(&box, 1);
        const thud_mesh_mass mass = weigh(mesh, (thud_mesh_inertia)mode, &hull.hull);
        check_same_inertia(mass.inertia, thud_inertia_map(pose_inv(X), I), 1e-14);
        CHECK_NEAR(mass.moment[0], I.I[2], 1e-14 * I.I[2]); // descending: z is the shortest side
        CHECK_NEAR(mass.moment[2], I.I[0], 1e-14 * I.I[2]);
    }
    thud_mesh_destroy(mesh);
}

// An L of three unit cubes, extruded: not convex, so the four modes differ in known ways.
TEST(the_modes_differ_on_a_body_that_is_not_convex)
{
    (void)test_state;
    thud_mesh *mesh = parse_text("v 0 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\n"
                                 "v 0 0 1\nv 2 0 1\nv 2 1 1\nv 1 1 1\nv 1 2 1\nv 0 2 1\n"
                                 "f 4 3 2 1\nf 4 1 6 5\nf 7 8 9 10\nf 7 10 11 12\n"
                                 "f 1 2 8 7\nf 2 3 9 8\nf 3 4 10 9\nf 4 5 11 10\nf 5 6 12 11\nf 6 1 7 12\n",
                                 THUD_MESH_OBJ);
    const thud_mesh_mass exact = weigh(mesh, THUD_MESH_INERTIA_EXACT, NULL);
    CHECK_NEAR(exact.measure, 3, 1e-14);
    CHECK_NEAR(exact.inertia.com.x, 5.0 / 6, 1e-14);
    CHECK_NEAR(exact.inertia.com.z, 0.5, 1e-14);
    CHECK_NEAR(weigh(mesh, THUD_MESH_INERTIA_SHELL, NULL).measure, 3 + 3 + 8, 1e-14);
    CHECK_NEAR(weigh(mesh, THUD_MESH_INERTIA_LEGACY, NULL).measure, 3, 1e-14); // star-shaped about its middle
    thud_hull *hull;
    if (thud_hull_create(mesh->vertex, mesh->vertices, NULL, &hull, NULL) == THUD_OK) {
        const thud_mesh_mass convex = weigh(mesh, THUD_MESH_INERTIA_CONVEX, hull);
        CHECK_NEAR(convex.measure, 3.5, 1e-14);
        thud_mesh points = *mesh;
        points.triangles = 0; // without triangles every mode means the hull
        CHECK_NEAR(weigh(&points, THUD_MESH_INERTIA_EXACT, hull).measure, 3.5, 1e-14);
        thud_hull_destroy(hull);
    }
    thud_mesh_destroy(mesh);
}

// Sphere-like meshes of n rings converge to the sphere as 1/n^2.
TEST(finer_spheres_come_closer_to_the_sphere)
{
    (void)test_state;
    const double volume = 4 * 3.14159265358979323846 / 3;
    double last = 1;
    for (int n = 8; n <= 64; n *= 2) {
        thud_mesh *mesh = mesh_star(n, 2 * n, 0);
        const thud_mesh_mass mass = weigh(mesh, THUD_MESH_INERTIA_EXACT, NULL);
        const double error = 1 - mass.measure / volume;
        CHECK(error > 0 && error < last / 3.5);
        CHECK_NEAR(mass.moment[0] / mass.measure, 0.4, 2 * error);
        last = error;
        thud_mesh_destroy(mesh);
    }
}

TEST(a_mirrored_mesh_keeps_its_volume_and_mirrors_its_centre)
{
    (void)test_state;
    thud_mesh *plain = mesh_star(10, 14, 0.4), *mirrored = mesh_star(10, 14, 0.4);
    const vec3 shift = v3(0.1, 0.2, 0.3);
    const quat turn = q_exp(v3(0.3, 0.1, 0.2));
    thud_mesh_transform(plain, shift, turn, v3(2, 3, 0.5));
    thud_mesh_transform(mirrored, shift, turn, v3(-2, 3, 0.5));
    for (int mode = 0; mode < 4; mode++) {
        if (mode == THUD_MESH_INERTIA_CONVEX) {
            continue;
        }
        const thud_mesh_mass a = weigh(plain, (thud_mesh_inertia)mode, NULL),
                             b = weigh(mirrored, (thud_mesh_inertia)mode, NULL);
        CHECK_NEAR(b.measure, a.measure, 1e-14 * a.measure);
        CHECK_NEAR(b.inertia.com.x, -a.inertia.com.x, 1e-14);
        CHECK_NEAR(b.inertia.com.y, a.inertia.com.y, 1e-14);
        CHECK_NEAR(b.inertia.I[0], a.inertia.I[0], 1e-13 * a.inertia.I[0]);
        CHECK_NEAR(b.inertia.I[3], -a.inertia.I[3], 1e-13 * a.inertia.I[0]); // xy changes sign
        CHECK_NEAR(b.inertia.I[5], a.inertia.I[5], 1e-13 * a.inertia.I[0]);  // yz does not
    }
    thud_mesh_destroy(plain);
    thud_mesh_destroy(mirrored);
}

TEST(a_recentred_mesh_lies_along_its_principal_axes)
{
    (void)test_state;
    thud_mesh *mesh = mesh_star(10, 14, 0.4);
    thud_mesh_transform(mesh, v3(1, 2, 3), q_exp(v3(1, 0.1, 0.2)), v3(0.1, 0.2, 0.4));
    const thud_mesh_mass before = weigh(mesh, THUD_MESH_INERTIA_EXACT, NULL);
    thud_mesh_recentre(mesh, before.X);
    const thud_mesh_mass after = weigh(mesh, THUD_MESH_INERTIA_EXACT, NULL);
    CHECK_NEAR(after.measure, before.measure, 1e-13 * before.measure);
    CHECK_NEAR(v3_norm(after.inertia.com), 0, 1e-14);
    for (int k = 0; k < 3; k++) {
        CHECK_NEAR(after.inertia.I[k], before.moment[k], 1e-12 * before.moment[0]);
        CHECK_NEAR(after.inertia.I[3 + k], 0, 1e-12 * before.moment[0]);
    }
    thud_mesh_destroy(mesh);
}

TEST(primitives_fitted_to_a_box_are_the_box_and_hold_its_vertices)
{
    (void)test_state;
    thud_mesh *mesh = mesh_box(0.1, 0.2, 0.3);
    const pose X_mb = {q_exp(v3(0.5, 0.1, 0.3)), {1, 2, 3}};
    thud_mesh_recentre(mesh, pose_inv(X_mb));
    const thud_mesh_mass mass = weigh(mesh, THUD_MESH_INERTIA_EXACT, NULL);
    pose X;
    thud_shape box = thud_mesh_fit_inertia(&mass, THUD_SHAPE_BOX, &X);
    CHECK_NEAR(v3_norm(v3_sub(X.p, X_mb.p)), 0, 1e-14);
    for (int i = 0; i < 3; i++) { // moments descending: lengths ascending
        CHECK_NEAR(box.size[i], 0.1 * (i + 1), 1e-14);
    }
    box = thud_mesh_fit_bounds(mesh, &mass, THUD_SHAPE_BOX, &X);
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR(box.size[i], 0.1 * (i + 1), 1e-14);
    }
    const thud_shape cylinder = thud_mesh_fit_inertia(&mass, THUD_SHAPE_CYLINDER, &X);
    CHECK_NEAR(cylinder.size[0], 0.15, 1e-14);
    CHECK_NEAR(cylinder.size[1], 0.3, 1e-14);
    CHECK_NEAR(thud_mesh_fit_inertia(&mass, THUD_SHAPE_CAPSULE, &X).size[1], 0.3 - 0.075, 1e-14);
    CHECK_NEAR(thud_mesh_fit_inertia(&mass, THUD_SHAPE_SPHERE, &X).size[0], 0.2, 1e-14);
    static const thud_shape_kind round[3] = {THUD_SHAPE_SPHERE, THUD_SHAPE_CYLINDER, THUD_SHAPE_CAPSULE};
    for (int k = 0; k < 3; k++) {
        const thud_shape shape = thud_mesh_fit_bounds(mesh, &mass, round[k], &X);
        for (int v = 0; v < mesh->vertices; v++) { // on the surface: the support along it reaches just as far
            const vec3 x = pose_unpoint(X, mesh->vertex[v]);
            CHECK_BELOW(v3_dot(x, x), v3_dot(x, thud_shape_support(&shape, x, NULL)) * (1 + 1e-12));
        }
    }
    thud_mesh_destroy(mesh);
}

static void check_not_weighed(const thud_mesh *mesh, thud_mesh_inertia mode, const char *sentence)
{
    thud_mesh_mass mass;
    thud_diag diag = {.text = ""};
    CHECK_INT(thud_mesh_weigh(mesh, mode, NULL, &mass, &diag), THUD_BAD_MODEL);
    CHECK_TEXT(diag.text, sentence);
}

TEST(a_surface_that_encloses_nothing_is_refused_or_its_holes_counted)
{
    (void)test_state;
    thud_mesh *mesh = mesh_box(1, 1, 1);
    int *first = mesh->triangle;
    const int saved = first[1];
    mesh->triangles--; // a hole of one triangle
    CHECK_INT(weigh(mesh, THUD_MESH_INERTIA_EXACT, NULL).open_edges, 3);
    mesh->triangles++;
    first[1] = first[2]; // one triangle turned round
    first[2] = saved;
    check_not_weighed(mesh, THUD_MESH_INERTIA_EXACT,
                      "the two triangles at the edge between vertices 0 and 4 (from 0) are oriented "
                      "inconsistently, so the mesh encloses no volume; use inertia 'convex' or 'shell'");
    for (int t = 1; t < mesh->triangles; t++) { // now all of them
        int *corner = mesh->triangle + 3 * (ptrdiff_t)t, second = corner[1];
        corner[1] = corner[2];
        corner[2] = second;
    }
    check_not_weighed(mesh, THUD_MESH_INERTIA_EXACT,
                      "the mesh has a volume of -8 m^3: its triangles face inward");
    thud_mesh_transform(mesh, v3(0, 0, 0), q_identity(), v3(1, 1, 0));
    check_not_weighed(mesh, THUD_MESH_INERTIA_LEGACY,
                      "the mesh has a volume of only 0 m^3; use inertia 'shell' for surfaces");
    thud_mesh_transform(mesh, v3(0, 0, 0), q_identity(), v3(0, 0, 0));
    check_not_weighed(mesh, THUD_MESH_INERTIA_SHELL, "the mesh has an area of only 0 m^2");
    thud_mesh_destroy(mesh);
}

// ---------------------------------------------------------------------------------------------- real meshes

static int meshes_seen;

static int check_real_mesh(const char *path, const struct stat *info, int type, struct FTW *walk)
{
    (void)info;
    (void)walk;
    const char *dot = strrchr(path, '.');
    if (type != FTW_F || !dot || (strcmp(dot, ".stl") != 0 && strcmp(dot, ".obj") != 0)) {
        return 0;
    }
    thud_mesh *mesh;
    thud_diag diag = {.text = ""};
    if (thud_mesh_read(path, &mesh, &diag) != THUD_OK) {
        fail_msg("%s: %s", path, diag.text);
    }
    thud_hull *hull = NULL;
    if (thud_hull_create(mesh->vertex, mesh->vertices, NULL, &hull, &diag) == THUD_OK) {
        const double convex = weigh(mesh, THUD_MESH_INERTIA_CONVEX, hull).measure;
        thud_mesh_mass exact;
        if (thud_mesh_weigh(mesh, THUD_MESH_INERTIA_EXACT, NULL, &exact, NULL) == THUD_OK &&
            exact.open_edges == 0) {
            // A body is no larger than its hull, but for surfaces inside each other, which count twice: 5.7 % in link5 of lite6.
            CHECK_BELOW(exact.measure, convex * 1.06);
        }
        thud_hull_destroy(hull);
    } else {
        fail_msg("%s: %s", path, diag.text);
    }
    thud_mesh_destroy(mesh);
    meshes_seen++;
    return 0;
}

TEST(all_meshes_of_the_menagerie_are_read_and_have_hulls)
{
    (void)test_state;
    const char *folder = test_shared("menagerie");
    if (!folder) {
        test_skip(TEST_NO_SHARED);
    }
    CHECK_INT(nftw(folder, check_real_mesh, 16, FTW_PHYS), 0);
    CHECK(meshes_seen > 90);
}

// Masses of bodies that MuJoCo 3.12.1 made from meshes: body_mass in mujoco/*.json of the menagerie, density
// 1000.
TEST(masses_made_from_meshes_are_those_of_mujoco)
{
    (void)test_state;
    const struct {
        const char *file;
        double scale, geoms, mass;
    } body[] = {{"menagerie/robotiq_2f85/assets/base_mount.stl", 0.001, 2, 0.15000285516377976},
                {"menagerie/robotiq_2f85/assets/silicone_pad.stl", 0.001, 1, 0.001302811839479651},
                {"menagerie/flexiv_rizon4/assets/link0/link0.obj", 1, 1, 1.8748820503940926}};
    for (int k = 0; k < 3; k++) {
        const char *path = test_shared(body[k].file);
        if (!path) {
            test_skip(TEST_NO_SHARED);
        }
        thud_mesh *mesh;
        CHECK_OK(thud_mesh_read(path, &mesh, NULL));
        thud_mesh_transform(mesh, v3(0, 0, 0), q_identity(), v3(body[k].scale, body[k].scale, body[k].scale));
        const thud_mesh_mass mass = weigh(mesh, THUD_MESH_INERTIA_LEGACY, NULL);
        CHECK_NEAR(1000 * body[k].geoms * mass.measure, body[k].mass,
                   1e-7 * body[k].mass); // worst seen 3.1e-8
        if (k == 0) {                    // its centre: xipos less the body's position (0, 0, 0.007)
            const vec3 want = {-0.0003605835958214157, 8.536274800937428e-05, 0.006940800858549493 - 0.007};
            CHECK_NEAR(v3_norm(v3_sub(mass.inertia.com, want)), 0, 1e-9);
        }
        thud_mesh_destroy(mesh);
    }
}

// ---------------------------------------------------------------------------------------------- memory

static int allocations_left;

static void *failing_resize(void *block, size_t size, void *user)
{
    (void)user;
    return allocations_left-- > 0 ? realloc(block, size) : NULL;
}

static void plain_release(void *block, void *user)
{
    (void)user;
    free(block);
}

TEST(whichever_allocation_fails_a_mesh_is_refused_without_a_leak)
{
    (void)test_state;
    thud_mesh *mesh = mesh_star(6, 7, 0.1);
    const thud_allocator failing = {failing_resize, plain_release, NULL};
    for (int kind = 0; kind < FILE_KINDS; kind++) {
        const size_t size = mesh_write(mesh, (file_kind)kind, bytes, sizeof bytes);
        thud_status status = THUD_NO_MEMORY;
        for (int k = 0; status != THUD_OK; k++) {
            thud_mesh *back = NULL;
            thud_mesh_mass mass;
            allocations_left = k;
            thud_allocator_set(&failing);
            status = thud_mesh_parse(bytes, size, file_format((file_kind)kind), NULL, &back, NULL);
            if (status == THUD_OK) {
                status = thud_mesh_weigh(back, THUD_MESH_INERTIA_EXACT, NULL, &mass, NULL);
            }
            thud_mesh_destroy(back);
            thud_allocator_set(NULL);
            CHECK(status == THUD_OK || status == THUD_NO_MEMORY);
            CHECK(k < 100);
        }
    }
    thud_mesh_destroy(mesh);
}

TEST_MAIN(T(every_format_gives_back_the_mesh_that_was_written),
          T(a_file_is_read_by_its_ending_in_either_case), T(obj_statements_mean_what_the_format_says),
          T(quadrilaterals_are_cut_along_the_shorter_diagonal_and_polygons_into_fans),
          T(equal_vertices_are_one_and_zero_has_no_sign),
          T(numbers_are_read_exactly_as_the_c_library_reads_them),
          T(text_faults_are_told_with_line_and_column), T(binary_faults_are_told_with_the_byte),
          T(a_box_of_triangles_weighs_what_a_box_weighs_in_every_mode),
          T(the_modes_differ_on_a_body_that_is_not_convex), T(finer_spheres_come_closer_to_the_sphere),
          T(a_mirrored_mesh_keeps_its_volume_and_mirrors_its_centre),
          T(a_recentred_mesh_lies_along_its_principal_axes),
          T(primitives_fitted_to_a_box_are_the_box_and_hold_its_vertices),
          T(a_surface_that_encloses_nothing_is_refused_or_its_holes_counted),
          T(all_meshes_of_the_menagerie_are_read_and_have_hulls),
          T(masses_made_from_meshes_are_those_of_mujoco),
          T(whichever_allocation_fails_a_mesh_is_refused_without_a_leak))
