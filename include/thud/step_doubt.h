// SPDX-License-Identifier: Apache-2.0
// thud/step_doubt.h: doubts: what of a run is wrong, too coarse, or worth knowing, in one list.
//
//     thud_sim_step(sim, NULL, state, &certificate);          a doubt is looked for where a certificate is asked for
//     const thud_doubt *doubt = thud_sim_doubts(sim, &count);
//
// A step's certificate counts the doubts of that step; the list holds those of all steps of the sim, one entry for each
// kind and place. docs/failed-step.md says of each kind what it means and what to do.
#pragma once

#include <thud/step.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum thud_doubt_grade {
    THUD_DOUBT_NOTE,   // a fact that the user should know
    THUD_DOUBT_COARSE, // the right law, but the step is too large for this motion
    THUD_DOUBT_WRONG   // the result is not what the law says
} thud_doubt_grade;

// X(kind, word, grade, unit of its values, sentence). Values without a unit are parts of something.
#define THUD_DOUBT_LIST(X)                                                                                   \
    X(LAW_OF_MOTION, "law-of-motion", WRONG, "", "accelerations are not those of the forces that act")       \
    X(LAW_OF_CONTACT, "law-of-contact", WRONG, "", "impulses and velocities of a contact break its law")     \
    X(PASSED, "passed", WRONG, "m", "a body ended on the other side of one that it cannot pass")             \
    X(MOVED_TOO_FAR, "moved-too-far", WRONG, "m",                                                            \
      "positions were put right by more than their error explains")                                          \
    X(ENERGY_FROM_NOWHERE, "energy-from-nowhere", WRONG, "", "energy was gained that no force brought")      \
    X(DRIFT, "drift", WRONG, "", "a loop is open")                                                           \
    X(QUATERNION, "quaternion", WRONG, "", "a quaternion is not of unit length")                             \
    X(LIMIT, "limit", WRONG, "", "a limit of a joint or tendon is passed")                                   \
    X(SPEED, "speed-without-cause", WRONG, "", "a velocity changed by more than the accelerations say")      \
    X(PENETRATION, "penetration", WRONG, "", "two bodies overlap")                                           \
    X(TRUNCATION, "truncation", COARSE, "", "the estimated error of a step is a large part of its motion")   \
    X(SPIN, "spin", COARSE, "rad", "a curved contact turns far in one step")                                 \
    X(ENERGY_LEFT_OVER, "energy-left-over", COARSE, "", "energy changed for no known reason")                \
    X(ACCEPTED, "accepted", COARSE, "",                                                                      \
      "the budget was spent, and a residual above the tolerance was taken")                                  \
    X(IMPACT_GAIN, "impact-gain", COARSE, "", "a collision gained energy, as Newton's restitution may")      \
    X(HULL, "mesh-as-hull", NOTE, "",                                                                        \
      "a mesh that is not convex collides as its hull (its volume over the mesh's)")                         \
    X(CANNOT_PART, "cannot-part", NOTE, "m", "two bodies overlap, and no joint can part them")               \
    X(NOT_UNIQUE, "not-unique", NOTE, "", "contact forces are one choice of many")                           \
    X(INTEGRATOR, "integrator", NOTE, "", "steps are taken by another integrator than asked")                \
    X(EULER_STEP, "euler-step", NOTE, "",                                                                    \
      "a step was taken by Euler's rule: a loop collides at its start, or the midpoint has no solution")     \
    X(SOLVER, "solver", NOTE, "", "a contact problem was solved by another method than asked")               \
    X(SHORTER_STEP, "shorter-step", NOTE, "",                                                                \
      "a step was taken in parts, because a contact problem had no solution in one")                         \
    X(IMPACT_CAP, "impact-cap", NOTE, "",                                                                    \
      "too many collisions of one body in a step: the last did not spring back")

typedef enum thud_doubt_kind {
#define THUD_DOUBT_ENUM(kind, word, grade, unit, text) THUD_DOUBT_##kind,
    THUD_DOUBT_LIST(THUD_DOUBT_ENUM)
#undef THUD_DOUBT_ENUM
        THUD_DOUBT_KINDS // how many
} thud_doubt_kind;

// Numbers in the model that is stepped; -1: none. A pair of bodies or geoms comes with the lower number first.
typedef struct thud_doubt_where {
    int body[2], geom[2], joint, equality, tendon;
} thud_doubt_where;

typedef struct thud_doubt_moment {
    double time, value; // s, at the end of the step; as large as it was
} thud_doubt_moment;

typedef struct thud_doubt {
    thud_doubt_kind kind;
    thud_doubt_grade grade;
    thud_doubt_where where;
    int64_t count;                  // of steps
    thud_doubt_moment first, worst; // the largest value
    double limit;                   // above which a value is doubted; of the worst
} thud_doubt;

// Nowhere in particular.
static inline thud_doubt_where thud_doubt_nowhere(void)
{
    const thud_doubt_where none = {{-1, -1}, {-1, -1}, -1, -1, -1};
    return none;
}

// All doubts since the sim was created or forgot them, in the order in which they first came; NULL where there are none.
// Valid until the next step. Where there are more than 256 places, those of one kind that came later share an entry that
// is nowhere.
THUD_API const thud_doubt *thud_sim_doubts(const thud_sim *sim, int *count);
THUD_API void thud_sim_forget_doubts(thud_sim *sim);

// Adds a doubt that the caller found, at the time and with the value of `first`: a note of what was known before the first
// step, or a judgement of the caller's own. The grade is that of the kind.
THUD_API void thud_sim_add_doubt(thud_sim *sim, const thud_doubt *doubt);

THUD_API const char *thud_doubt_name(thud_doubt_kind kind);            // one word: "penetration"
THUD_API bool thud_doubt_find(const char *name, thud_doubt_kind *out); // false: no such name
THUD_API thud_doubt_grade thud_doubt_grade_of(thud_doubt_kind kind);
THUD_API const char *thud_doubt_unit(thud_doubt_kind kind); // of its values: "m"; "": a part of something
THUD_API const char *thud_doubt_text(thud_doubt_kind kind); // a sentence
THUD_API const char *thud_doubt_grade_name(thud_doubt_grade grade); // "note", "coarse", "wrong"

// "body 'foot' and body 'floor', geoms 'sole' and 3, joint 'ankle'": what `where` names, in words; "" for nowhere. Always terminated.
THUD_API void thud_doubt_place(const thud_model *m, const thud_doubt_where *where, char *out, size_t size);

#ifdef __cplusplus
}
#endif
