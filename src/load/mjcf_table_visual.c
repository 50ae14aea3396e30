// SPDX-License-Identifier: Apache-2.0
// mjcf_table_visual.c: the schema of what is only drawn: visual, camera, light, texture, material.
#include "mjcf_rows.h"

#define V(word) ANY(word, NONE)

static const mjcf_attribute global_rows[] = {
    V("cameraid"),  V("orthographic"),     V("fovy"),     V("ipd"),       V("azimuth"),
    V("elevation"), V("linewidth"),        V("glow"),     V("offwidth"),  V("offheight"),
    V("realtime"),  V("ellipsoidinertia"), V("bvactive"), V("treedepth"), END};
static const mjcf_attribute quality_rows[] = {V("shadowsize"), V("offsamples"), V("numslices"),
                                              V("numstacks"),  V("numquads"),   END};
static const mjcf_attribute headlight_rows[] = {V("ambient"), V("diffuse"), V("specular"), V("active"), END};
static const mjcf_attribute map_rows[] = {
    V("stiffness"),  V("stiffnessrot"), V("force"),          V("torque"), V("alpha"),
    V("fogstart"),   V("fogend"),       V("znear"),          V("zfar"),   V("haze"),
    V("shadowclip"), V("shadowscale"),  V("actuatortendon"), END};
static const mjcf_attribute scale_rows[] = {V("forcewidth"),
                                            V("contactwidth"),
                                            V("contactheight"),
                                            V("connect"),
                                            V("com"),
                                            V("camera"),
                                            V("light"),
                                            V("selectpoint"),
                                            V("jointlength"),
                                            V("jointwidth"),
                                            V("actuatorlength"),
                                            V("actuatorwidth"),
                                            V("framelength"),
                                            V("framewidth"),
                                            V("constraint"),
                                            V("slidercrank"),
                                            V("frustum"),
                                            END};
static const mjcf_attribute rgba_rows[] = {V("fog"),
                                           V("haze"),
                                           V("force"),
                                           V("inertia"),
                                           V("joint"),
                                           V("actuator"),
                                           V("actuatornegative"),
                                           V("actuatorpositive"),
                                           V("com"),
                                           V("camera"),
                                           V("light"),
                                           V("selectpoint"),
                                           V("connect"),
                                           V("contactpoint"),
                                           V("contactforce"),
                                           V("contactfriction"),
                                           V("contacttorque"),
                                           V("contactgap"),
                                           V("rangefinder"),
                                           V("constraint"),
                                           V("slidercrank"),
                                           V("crankbroken"),
                                           V("frustum"),
                                           V("bv"),
                                           V("bvactive"),
                                           END};
static const mjcf_element global = {.name = "global", .once = true, .attribute = global_rows};
static const mjcf_element quality = {.name = "quality", .once = true, .attribute = quality_rows};
static const mjcf_element headlight = {.name = "headlight", .once = true, .attribute = headlight_rows};
static const mjcf_element map = {.name = "map", .once = true, .attribute = map_rows};
static const mjcf_element scale = {.name = "scale", .once = true, .attribute = scale_rows};
static const mjcf_element rgba = {.name = "rgba", .once = true, .attribute = rgba_rows};
const mjcf_element *const mjcf_visual_children[] = {&global, &quality, &headlight, &map, &scale, &rgba, NULL};

static const mjcf_attribute camera_rows[] = {NAME,
                                             CLASS,
                                             V("projection"),
                                             V("orthographic"),
                                             V("fovy"),
                                             V("ipd"),
                                             V("resolution"),
                                             V("output"),
                                             V("pos"),
                                             V("quat"),
                                             V("axisangle"),
                                             V("xyaxes"),
                                             V("zaxis"),
                                             V("euler"),
                                             V("mode"),
                                             V("target"),
                                             V("focal"),
                                             V("focalpixel"),
                                             V("principal"),
                                             V("principalpixel"),
                                             V("sensorsize"),
                                             V("user"),
                                             END};
const mjcf_element mjcf_camera = {.name = "camera",
                                  .role = MJCF_ROLE_LOOKS,
                                  .space = MJCF_SPACE_CAMERA,
                                  .attribute = camera_rows,
                                  .remark = MJCF_REMARK_CAMERA};

static const mjcf_attribute light_rows[] = {NAME,
                                            CLASS,
                                            V("directional"),
                                            V("type"),
                                            V("castshadow"),
                                            V("active"),
                                            V("pos"),
                                            V("dir"),
                                            V("bulbradius"),
                                            V("intensity"),
                                            V("range"),
                                            V("attenuation"),
                                            V("cutoff"),
                                            V("softness"),
                                            V("exponent"),
                                            V("ambient"),
                                            V("diffuse"),
                                            V("specular"),
                                            V("mode"),
                                            V("target"),
                                            V("texture"),
                                            END};
const mjcf_element mjcf_light = {.name = "light",
                                 .role = MJCF_ROLE_LOOKS,
                                 .space = MJCF_SPACE_LIGHT,
                                 .attribute = light_rows,
                                 .remark = MJCF_REMARK_LIGHT};

static const mjcf_attribute texture_rows[] = {NAME,
                                              TEXT("file", draft_material, file),
                                              V("type"),
                                              V("colorspace"),
                                              V("content_type"),
                                              V("gridsize"),
                                              V("gridlayout"),
                                              V("fileright"),
                                              V("fileleft"),
                                              V("fileup"),
                                              V("filedown"),
                                              V("filefront"),
                                              V("fileback"),
                                              V("builtin"),
                                              V("rgb1"),
                                              V("rgb2"),
                                              V("mark"),
                                              V("markrgb"),
                                              V("random"),
                                              V("width"),
                                              V("height"),
                                              V("hflip"),
                                              V("vflip"),
                                              V("nchannel"),
                                              END};
const mjcf_element mjcf_texture = {.name = "texture",
                                   .role = MJCF_ROLE_TEXTURE,
                                   .space = MJCF_SPACE_TEXTURE,
                                   .attribute = texture_rows,
                                   .remark = MJCF_REMARK_TEXTURE};

static const mjcf_attribute layer_rows[] = {V("texture"), V("role"), END};
static const mjcf_element layer = {.name = "layer", .attribute = layer_rows};
static const mjcf_element *const material_children[] = {&layer, NULL};
static const mjcf_attribute material_rows[] = {NAME,
                                               CLASS,
                                               REAL("rgba", 4, 4, draft_material, rgba),
                                               V("texture"),
                                               V("texrepeat"),
                                               V("texuniform"),
                                               V("emission"),
                                               V("specular"),
                                               V("shininess"),
                                               V("reflectance"),
                                               V("metallic"),
                                               V("roughness"),
                                               END};
const mjcf_element mjcf_material = {.name = "material",
                                    .role = MJCF_ROLE_MATERIAL,
                                    .space = MJCF_SPACE_MATERIAL,
                                    .draft = MJCF_DRAFT_MATERIAL,
                                    .attribute = material_rows,
                                    .child = material_children,
                                    .remark = MJCF_REMARK_MATERIAL};
