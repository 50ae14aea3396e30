// SPDX-License-Identifier: Apache-2.0
// thud/view.h: looking at models and runs: pictures, films and pages. The library libthud_view, above libthud, which has none of it.
//
//     thud_view *view;
//     thud_view_create(model, 320, 240, &view);
//     const thud_camera camera = thud_view_camera(view, state, NULL);             whatever moves, from its wide side
//     thud_view_draw(view, state, &camera, &(thud_picture){.rgb = pixels});
//
// Everything is drawn by the processor alone, and the same run gives the same bytes. Link with thud::view, or by pkg-config thud_view.
#pragma once

#include <thud/record_read.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------- pictures of a state

// Geoms as triangles, made once for a model, and what is needed to draw them. A view is of one thread.
typedef struct thud_view thud_view;

// Pictures have this size, 1 to 8192 pixels each way. m must outlive the view; files of meshes are read here.
THUD_API THUD_MUST_USE thud_status thud_view_create(const thud_model *m, int wide, int high, thud_view **out);
THUD_API void thud_view_destroy(thud_view *view); // NULL is allowed

typedef struct thud_camera {
    thud_vec3 eye, target; // m, world
    thud_vec3 up;          // what is up in the picture; zero: z
    double angle;          // rad, from the lower edge to the upper; 0: 0.7
} thud_camera;

typedef struct thud_aim { // zero: as seems best
    bool turned;
    double azimuth,
        elevation; // rad, where the camera stands: azimuth 0 on the x axis, a quarter turn on the y axis
    double zoom;   // 2: half as far
} thud_aim;

// A camera that sees all that moves. aim may be NULL.
THUD_API thud_camera thud_view_camera(thud_view *view, const thud_state *s, const thud_aim *aim);

// Whose body or joint a camera is fixed to: the pose of a frame in the world, which looks along -z with y up, as MJCF's cameras do.
THUD_API thud_camera thud_camera_at(thud_pose X_wc, double angle);

// What a camera sees, row by row from the top. A NULL is not drawn.
typedef struct thud_picture {
    unsigned char *rgb; // 3 a pixel, sRGB; lit by a sun and a sky without shadows, edges smoothed
    float *depth; // m, along the camera's axis, of what is nearest at the pixel's middle; infinite: nothing
    int *geom;    // which geom that is; -1: none
} thud_picture;

// Draws a state. Geoms of MJCF's groups 3 and up are hidden where there are others, as are those without colour (rgba[3] = 0).
// NO_MEMORY, or BAD_ARGUMENT for a camera that looks nowhere.
THUD_API THUD_MUST_USE thud_status thud_view_draw(thud_view *view, const thud_state *s,
                                                  const thud_camera *camera, const thud_picture *out);

// ---------------------------------------------------------------------------------------- a recorded run

// A recording (thud/record_read.h) is the source: nothing is simulated. It shows as much as was recorded: contact forces where contacts
// were kept (thud_recorder_keep_contacts). BAD_ARGUMENT for a recording that is not of this model: other columns, or no rows.

typedef struct thud_film_options { // zero: as said
    int wide, high;                // pixels (1280, 720)
    thud_aim aim;
    bool forces,
        cones; // contact forces, green where a contact sticks and orange where it slides; friction cones
    double fps, speed; // of a film (30; 1: as fast as it was)
} thud_film_options;

// Writes the page that `thud run --report` writes, one file without network: a 3-D replay beside plots. UNSUPPORTED in a library
// built without the page's viewer (npm). label may be NULL. The file appears whole or not at all.
THUD_API THUD_MUST_USE thud_status thud_report_write(const char *path, const thud_model *m,
                                                     const thud_recording *run, const char *label,
                                                     thud_diag *diag);

// One picture of a moment (s; clamped to the run), with shadows, as PNG.
THUD_API THUD_MUST_USE thud_status thud_snapshot_write(const char *path, const thud_model *m,
                                                       const thud_recording *run, double time,
                                                       const thud_film_options *options, thud_diag *diag);

// A film, as an animated PNG that every browser plays.
THUD_API THUD_MUST_USE thud_status thud_film_write(const char *path, const thud_model *m,
                                                   const thud_recording *run,
                                                   const thud_film_options *options, thud_diag *diag);

// The run as binary glTF 2.0 (.glb): geoms, materials and the motion of bodies as an animation, for Blender, three.js and others. y is up
// there, as glTF wants it.
THUD_API THUD_MUST_USE thud_status thud_gltf_write(const char *path, const thud_model *m,
                                                   const thud_recording *run, thud_diag *diag);

#ifdef __cplusplus
}
#endif
