// SPDX-License-Identifier: Apache-2.0
// thud/collide.h: from the poses of a model's geoms to its contacts.
//
//     thud_collider *collider;                                    // speed only: see below
//     status = thud_collider_create(model, NULL, &collider);
//     thud_geom_poses(model, X_wb, X_wg);
//     status = thud_collide(collider, model, X_wg, margin, &set, NULL);
//
// The contacts depend on the model, the poses and the margin alone. What a collider remembers from query to
// query (sorted lists, a witness for each pair) makes it fast and changes no bit of the answer. A query never
// allocates: when something is full it fails cleanly and can be repeated after a reserve.
//
// Below this door: <thud/collide_broad.h> finds pairs of boxes, <thud/collide_pair.h> the contacts of two
// shapes, <thud/collide_gap.h> gap functions and impact times.
#pragma once

#include <thud/base_pool.h>
#include <thud/collide_broad.h>
#include <thud/collide_gap.h>
#include <thud/collide_pair.h>
#include <thud/model.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------- filters

typedef enum thud_filter { // why two geoms do or do not meet
    THUD_FILTER_MEET,      // contype of one and conaffinity of the other have a bit in common
    THUD_FILTER_PAIR,      // named in a <pair>: they meet whatever the rest says, with its parameters
    THUD_FILTER_MASKS,     // no bit in common
    THUD_FILTER_WELDED,    // of one body, or of bodies welded together; all fixed bodies are one
    THUD_FILTER_PARENT,    // of a body and its parent (neither being fixed), welded bodies counted as one
    THUD_FILTER_EXCLUDED,  // their bodies are named in an <exclude>
    THUD_FILTER_FLAT       // planes and height fields do not meet each other
} thud_filter;

THUD_API const char *thud_filter_name(thud_filter filter); // one word: "meet", "pair", "masks", ...
THUD_API const char *thud_filter_text(thud_filter filter); // a sentence, for listings
static inline bool thud_filter_passes(thud_filter filter)
{
    return filter <= THUD_FILTER_PAIR;
}

// MuJoCo's rules, for two different geoms in any order. O(log of the pairs and excludes).
THUD_API thud_filter thud_filter_geoms(const thud_model *m, int geom1, int geom2);

typedef struct thud_contact_law { // how two geoms touch
    int condim;                   // 1 frictionless, 3 sliding, 4 and torsion, 6 and rolling
    int axis_body;                // friction[0] acts along `axis`, fixed in this body; -1: any tangent frame
    double friction[5];           // two sliding, one torsional (m), two rolling (m)
    double margin;                // m; contacts nearer than this are listed
    double gap;                   // m; but act only when nearer than margin - gap
    double restitution;           // 0 to 1
    double kinetic[2];            // sliding friction of what slides already; at most friction[0..1]
    double viscous;               // its growth with the sliding speed, s/m
    double stribeck;              // m/s, speed over which friction falls from static to kinetic; 0: at once
    thud_vec3 axis;               // unit, in that body's frame
} thud_contact_law;

// A <pair>'s own numbers, else: condim and friction of the geom with the higher priority, or the maximum of
// both (element by element); margin and gap are sums, as in MuJoCo 3.3 and later. Restitution, kinetic,
// viscous and stribeck go as friction does, also in a pair that does not give them. The axis is that of the
// geom with the higher priority, or of geom1, or of geom2 if geom1 has none.
THUD_API thud_contact_law thud_contact_law_of(const thud_model *m, int geom1, int geom2);

// ---------------------------------------------------------------------------------------------- contacts

typedef struct thud_contact {
    uint64_t id;         // of the two geoms and features: the same contact has it again in the next step
    int geom1, geom2;    // MuJoCo's order: by type (as in thud_geom_type), then by number
    int body1, body2;    // the papers' B and A
    thud_vec3 point;     // world, midway between the surfaces
    thud_vec3 normal;    // world, unit, from geom1 to geom2
    double phi;          // m, the gap; negative when they overlap
    uint32_t feature[2]; // see thud_feature_kind
    thud_contact_law law;
} thud_contact;

// The two geoms of a contact's id, the lower first; false: of terrain, large meshes and very many geoms it does not tell, and of
// what is not a contact.
THUD_API bool thud_contact_id_geoms(uint64_t id, int geom[2]);

typedef struct thud_contact_set { // memory of the caller
    int count, capacity;
    int needed; // contacts there were, also when there was no room for all
    thud_contact *contact;
} thud_contact_set;

THUD_API THUD_MUST_USE thud_status thud_contact_set_reserve(thud_contact_set *set,
                                                            int capacity); // from zeroed
THUD_API void thud_contact_set_free(thud_contact_set *set);

typedef struct thud_collide_report {
    thud_broad_report broad;
    int pairs;   // given to the narrow phase
    int path[4]; // how many of them were answered each way: indexed by thud_pair_path
} thud_collide_report;

typedef struct thud_collider thud_collider;

// options NULL: the defaults, with room for the model's geoms and 16 pairs each (and one with every plane).
// The model is only read and must outlive the collider. An error when a colliding geom's shape is not valid.
THUD_API THUD_MUST_USE thud_status thud_collider_create(const thud_model *m,
                                                        const thud_broad_options *options,
                                                        thud_collider **out);
THUD_API void thud_collider_destroy(thud_collider *collider); // NULL is allowed
// Lets the threads of a pool take part from now on (NULL: none), in queries whose set has room for at most so many
// contacts; the pool must outlive their use. The contacts stay the same to the last bit.
THUD_API THUD_MUST_USE thud_status thud_collider_share(thud_collider *collider, thud_pool *pool,
                                                       int contacts);
// Doubles the room for pairs; for after THUD_NO_MEMORY with set->needed <= set->capacity.
THUD_API THUD_MUST_USE thud_status thud_collider_grow(thud_collider *collider);

// Fills the set with all contacts nearer than the margin (m, at least 0) or their own margin, whichever is
// larger, at the geoms' poses (thud_geom_poses): sorted by the lower geom, the higher geom and the features.
// NOT_FINITE for a pose or margin that is not a number; NO_MEMORY when the set (needed > capacity) or the
// collider is full; the set is empty then. report may be NULL.
THUD_API THUD_MUST_USE thud_status thud_collide(thud_collider *collider, const thud_model *m,
                                                const thud_pose *X_wg, double margin, thud_contact_set *set,
                                                thud_collide_report *report);

typedef struct thud_collide_query { // where geoms are and how they move
    const thud_pose *X_wg;
    const thud_motion *V_wg; // angular, and of the geom's origin, along the world's axes; NULL: nothing moves
    const bool *still;       // geoms that rest: two of them are not compared; NULL: none
    const thud_contact_set
        *last; // what the collider's last query found, in another set than this one's answer; NULL: it
               // is not there any more. Who has not moved by a bit since is not compared again
    double ahead, margin; // s, m
    double horizon;       // s; with V_wg: how far ahead pairs are looked at that would close; 0: none is
    double slack, none;   // m: overlaps that the caller leaves as they are, and gaps that it counts as none
} thud_collide_query;

// The same for geoms in motion. With a horizon: where contacts of two geoms would close within it at these velocities, and another
// direction parts the geoms for longer, the contacts along that direction are listed instead, perhaps none (docs/collision.md,
// Passing). For `ahead` seconds the margin of two geoms is wider by what their points can come
// nearer at these speeds, and of those left out no two come nearer than the margin in that time along straight lines,
// turning as fast as they do. What moves together is not listed, however fast it is.
THUD_API THUD_MUST_USE thud_status thud_collide_ahead(thud_collider *collider, const thud_model *m,
                                                      const thud_collide_query *query, thud_contact_set *set,
                                                      thud_collide_report *report);

// The gap function of a contact of this model that was found at these poses.
THUD_API thud_gap thud_contact_gap(const thud_model *m, const thud_pose *X_wg, const thud_contact *contact);
// Its value after the geoms moved, without making it, for what thud_gap_after can tell.
THUD_API bool thud_contact_gap_after(const thud_model *m, const thud_contact *contact,
                                     const thud_shift *moved1, const thud_shift *moved2, thud_gap_value *out);
#ifdef __cplusplus
}
#endif
