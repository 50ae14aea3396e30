// SPDX-License-Identifier: Apache-2.0
// mjcf_bodies.c: what is impossible about bodies, told once the whole tree is known.
//
// Masses that come from geoms are the model's affair; here are the inertias that the file writes out. A
// principal inertia is a sum of two squares' integrals, so that no one of the three can exceed the sum of the
// others.
#include <string.h>

#include "mjcf_reader.h"

// MJCF writes a full inertia only along the axes of its body, so that is where one is kept: what is read from
// a converted file is then the same to the bit.
void mjcf_settle_inertia(thud_spec_body *body)
{
    const double *I = body->inertia;
    const quat q = body->iquat;
    if ((I[3] == 0 && I[4] == 0 && I[5] == 0) || (q.x == 0 && q.y == 0 && q.z == 0)) {
        return;
    }
    const thud_inertia given = {0, {0, 0, 0}, {I[0], I[1], I[2], I[3], I[4], I[5]}};
    const thud_inertia turned = thud_inertia_map((pose){q, v3(0, 0, 0)}, given);
    memcpy(body->inertia, turned.I, sizeof body->inertia);
    body->iquat = q_identity();
}

typedef struct body_facts {
    bool moves;   // it has a joint, or hangs on a body that moves
    bool jointed; // it has a joint of its own
    bool carries; // a body without joints is fixed to it
} body_facts;

static body_facts *find_facts(mjcf_reader *r)
{
    const thud_spec *spec = r->spec;
    body_facts *fact = pool_push(&r->tree.pool, (size_t)spec->bodies, sizeof *fact);
    for (int i = 0; fact && i < spec->joints; i++) {
        fact[spec->joint[i].body].jointed = true;
    }
    for (int i = 1; fact && i < spec->bodies; i++) { // parents stand before their children
        const int parent = spec->body[i].parent;
        fact[i].moves = fact[i].jointed || fact[parent].moves;
        fact[parent].carries |= !fact[i].jointed;
    }
    return fact;
}

static const char *called(const thud_spec_body *body)
{
    return body->name ? body->name : "without a name";
}

static thud_status check_inertial(mjcf_reader *r, const thud_spec_body *body, const body_facts *fact)
{
    const thud_spec_compiler *c = &r->spec->compiler;
    const bool alone = fact->jointed && !fact->carries; // nothing else can give it mass
    double value[3];
    quat axes;
    thud_sym3_eigen(body->inertia, value, &axes);
    if (alone && !(body->mass > 0) && !(c->boundmass > 0)) {
        return MJCF_FAIL(r, THUD_BAD_MODEL, body->inertial_place,
                         "body %.80s moves and has no mass; its inertial must have a positive one",
                         called(body));
    }
    if (value[2] < -1e-9 * value[0] || value[0] < 0 || (alone && !(value[2] > 0) && !(c->boundinertia > 0))) {
        return MJCF_FAIL(
            r, THUD_BAD_MODEL, body->inertial_place,
            "the inertia of body %.80s is not positive definite: its principal values are %g, %g, %g",
            called(body), value[0], value[1], value[2]);
    }
    if (!c->balanceinertia && value[0] > (value[1] + value[2]) * (1 + 1e-6)) { // files round their inertias
        return MJCF_FAIL(r, THUD_BAD_MODEL, body->inertial_place,
                         "no body has the inertia of body %.80s: %g is more than %g + %g; compiler "
                         "balanceinertia=\"true\" would mend it",
                         called(body), value[0], value[1], value[2]);
    }
    return THUD_OK;
}

thud_status mjcf_check_bodies(mjcf_reader *r)
{
    const thud_spec *spec = r->spec;
    const body_facts *fact = find_facts(r);
    if (!fact) {
        return THUD_NO_MEMORY;
    }
    for (int i = 1; i < spec->bodies; i++) {
        const thud_spec_body *body = &spec->body[i];
        if (body->has_inertial && spec->compiler.inertiafromgeom != THUD_TRUE) {
            THUD_TRY(check_inertial(r, body, &fact[i]));
        }
        if (body->mocap && (body->parent != 0 || fact[i].jointed)) {
            return MJCF_FAIL(r, THUD_BAD_MODEL, body->place,
                             "a mocap body stands in the world and has no joints; %.80s does not",
                             called(body));
        }
    }
    for (int i = 0; i < spec->geoms; i++) {
        const thud_spec_geom *g = &spec->geom[i];
        if ((g->type == THUD_GEOM_PLANE || g->type == THUD_GEOM_HFIELD) && fact[g->body].moves) {
            return MJCF_FAIL(r, THUD_BAD_MODEL, g->place, "a plane or hfield cannot be on a body that moves");
        }
    }
    return THUD_OK;
}
