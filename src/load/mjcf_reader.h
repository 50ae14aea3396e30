// SPDX-License-Identifier: Apache-2.0
// mjcf_reader.h: the state of one load, of MJCF or URDF, and the steps it is made of, in the order they run.
#pragma once

#include <thud/spatial_inline.h>

#include "mjcf_draft.h"

typedef struct mjcf_class { // a default class: one draft of each kind, shared with its parent where it says
                            // nothing
    const void *draft[MJCF_DRAFTS];
} mjcf_class;

typedef struct mjcf_name { // a slot of the table of names
    mjcf_space space;      // MJCF_SPACE_NONE: empty
    const char *text;
    int index;
    thud_place place;
} mjcf_name;

typedef struct mjcf_names { // open addressing
    int count, slots;
    mjcf_name *name;
} mjcf_names;

typedef struct mjcf_settings { // words of a file's compiler that say how its own text is read
    bool degrees;
    char eulerseq[4];
    const char *meshdir;
    bool strippath, exactmeshinertia, autolimits;
    const char *file; // beside which other files are looked for
} mjcf_settings;

typedef struct mjcf_reader {
    thud_spec *spec;
    thud_diag *diag;
    xml_tree tree;
    mjcf_settings own;
    int attacheds, attached_cap;
    mjcf_settings *attached; // of files that are attached, from index 1 on
    struct mjcf_part *parts; // those files
    int depth;               // of files that attach files
    int parts_opened,
        *opened; // how many there are in all: the outermost reader counts, the others point at its count
    int classes, class_cap;
    mjcf_class *class_;                // 0 is main
    const void *built_in[MJCF_DRAFTS]; // MJCF's own defaults, from which main starts
    bool main_opened;                  // an outermost <default> has been read
    mjcf_names names;
    int materials, material_cap;
    double (*material_rgba)[4];
    int remark[MJCF_REMARKS]; // 1 + the note's index, or 0
    thud_place fluid_place;   // of a geom with an ellipsoidal fluid model; line 0: none
    bool floating_base;       // URDF: the root link is free
    bool strict;              // URDF: what is wrong is not made good
    const char *packages;     // URDF: folders that hold packages, separated by ':'; may be NULL
} mjcf_reader;

#define MJCF_FAIL(r, status, where, ...)                                                                     \
    thud_fail(status, (r)->diag, (where).file, (where).line, (where).column, __VA_ARGS__)

static inline const xml_node *mjcf_node(const mjcf_reader *r, int n)
{
    return &r->tree.node[n];
}

// Those that hold for node n.
static inline const mjcf_settings *mjcf_settings_of(const mjcf_reader *r, int n)
{
    const int s = mjcf_node(r, n)->settings;
    return s > 0 ? &r->attached[s - 1] : &r->own;
}

static inline bool mjcf_is_range(const double range[2]) // (0, 0) stands for none
{
    return range[0] != 0 || range[1] != 0;
}

// ---------------------------------------------------------------------------------------------- parts

// Gives every node its element, those below `root` as the tables say; fails on the first element or attribute
// that does not belong where it stands. In a URDF file that is not read strictly those are noted and passed over.
thud_status mjcf_check(mjcf_reader *r, const mjcf_element *root);
// Reads the attributes of node n over a draft, counts its remarks.
thud_status mjcf_read_attributes(mjcf_reader *r, int n, void *draft);
// Counts the remark of an element that nothing else follows from.
thud_status mjcf_read_noted(mjcf_reader *r, int n);
// The same over a copy of the draft of its class (the attribute "class", or `inherited`); out is a draft_any.
thud_status mjcf_read_element(mjcf_reader *r, int n, int inherited, void *out);
// The place of an attribute of node n, or of the node when it does not have it.
thud_place mjcf_place(const mjcf_reader *r, int n, const char *attribute);
// Fails where a range, if there is one, does not grow.
thud_status mjcf_check_range(mjcf_reader *r, int n, const char *word, const double range[2]);
// Fails where a range is given, whether it limits is not said, and autolimits is off.
thud_status mjcf_check_limited(mjcf_reader *r, int n, const char *word, thud_tristate limited,
                               const char *range, bool has_range);
bool mjcf_remember(mjcf_reader *r, mjcf_remark remark, thud_place place); // false: memory ran out
// Counts a note of this text; a new one if there is none. NO_MEMORY or OK.
thud_status mjcf_note(mjcf_reader *r, thud_note_kind kind, thud_place place, const char *why,
                      const char *what);
// Something wrong in the file that can be made good or passed over: a note "what: why", or, where files are
// read strictly, the failure `refused` with the sentence `what`.
thud_status mjcf_mend(mjcf_reader *r, thud_note_kind kind, thud_status refused, thud_place place,
                      const char *why, const char *what, ...) __attribute__((format(printf, 6, 7)));

// The slot of a name, which is empty when the name is new; NULL when memory ran out. The text must outlive
// the table.
mjcf_name *mjcf_names_slot(mjcf_names *names, mjcf_space space, const char *text);
bool mjcf_names_hold(const mjcf_names *names, mjcf_space space, const char *text);

// Names. Adding fails on a name given twice; a NULL name is not added. Finding gives -1; asking for a missing
// one fails.
thud_status mjcf_name_add(mjcf_reader *r, mjcf_space space, const char *name, int index, thud_place place);
int mjcf_name_find(const mjcf_reader *r, mjcf_space space, const char *name);
thud_status mjcf_name_ask(mjcf_reader *r, mjcf_space space, const char *name, thud_place place, int *out);
const char *mjcf_noun(mjcf_space space);
// The kind of element that an attribute names, MJCF_SPACE_NONE if none.
mjcf_space mjcf_referred(const xml_node *node, const mjcf_attribute *a);

// The file that an attribute of node n names: in a folder (of its compiler) beside the main file, then beside the file that names it.
thud_status mjcf_find_file(mjcf_reader *r, int n, const char *folder, const char *file, const char **out);
// The name of an asset that has none: its file's, without folder and ending.
const char *mjcf_name_of_file(mjcf_reader *r, const char *file);

// The orientation that the words of a draft give, as a unit quaternion.
thud_status mjcf_orient(mjcf_reader *r, int n, const draft_head *head, const draft_turn *turn, quat *out);
// A pose, or a vector, as it would read back from where it is written out: unit, and without negative zeros.
quat mjcf_unit(quat q);
vec3 mjcf_settle(vec3 v);
pose mjcf_settle_pose(pose X);
quat mjcf_euler(const mjcf_settings *s, const double angle[3]);
// Pose, and size when given by fromto, of a geom or site.
thud_status mjcf_span(mjcf_reader *r, int n, thud_geom_type type, const double fromto[6], double size[3],
                      pose *out);

// Turns a full inertia into the axes of its body.
void mjcf_settle_inertia(thud_spec_body *body);

// Writes a motor, position servo and so on as gain and bias; inherited values are those of the class.
void mjcf_inherit_actuator(const draft_actuator *from, int word, int class_, draft_actuator *out);
thud_status mjcf_lower_actuator(mjcf_reader *r, int n, draft_actuator *a);

// Thud's own words about surfaces: the numbers they take and where they go.
enum { MJCF_SURFACE_WORDS = 5 };
#define MJCF_AXIS SIZE_MAX
typedef struct mjcf_surface_word {
    const char *key;
    int least, most;
    size_t offset; // in thud_spec_surface; MJCF_AXIS: friction_axis of the geom
    double largest;
} mjcf_surface_word;
extern const mjcf_surface_word mjcf_surface_words[MJCF_SURFACE_WORDS];
// Gives surfaces what numerics say: those of every geom, or (particular) those of a name.
thud_status mjcf_apply_numerics(mjcf_reader *r, bool particular);
// Whether a custom name is one of Thud's own; noting those that are not known.
bool mjcf_is_own(const char *name);
thud_status mjcf_check_word(mjcf_reader *r, mjcf_role role, const char *name, thud_place place);

thud_status mjcf_classes_create(mjcf_reader *r); // class main, with MJCF's own defaults
void mjcf_reader_clear(mjcf_reader *r);          // all but the spec
void mjcf_parts_clear(mjcf_reader *r);

// ---------------------------------------------------------------------------------------------- steps

thud_status mjcf_read_settings(mjcf_reader *r, int top); // compiler, option, below this node
thud_status mjcf_attach_models(mjcf_reader *r);          // what <attach> names, copied into the tree
thud_status mjcf_expand_replicates(mjcf_reader *r);      // copies written out in the tree
thud_status mjcf_read_defaults(mjcf_reader *r);          // default classes
thud_status mjcf_read_assets(mjcf_reader *r);            // meshes, height fields, materials, textures
thud_status mjcf_read_tree(mjcf_reader *r);              // bodies with all in them
thud_status mjcf_check_bodies(mjcf_reader *r);           // that masses and inertias are possible
thud_status mjcf_read_links(mjcf_reader *r);             // pairs, excludes, tendons, equalities
thud_status mjcf_read_actuators(mjcf_reader *r);         // actuators, then sensors
thud_status mjcf_read_sensors(mjcf_reader *r);
thud_status mjcf_read_states(mjcf_reader *r); // custom data and keyframes
thud_status mjcf_apply_words(mjcf_reader *r); // what Thud's own words among the custom data say of surfaces

// ---------------------------------------------------------------------------------------------- formats

thud_status mjcf_read(mjcf_reader *r); // a parsed tree of either format into the spec
thud_status urdf_read(mjcf_reader *r);
