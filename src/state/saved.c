// SPDX-License-Identifier: Apache-2.0
// saved.c: a state as bytes, and back.
//
// Everything is little-endian, whatever the machine: magic (8 bytes), then 64-bit words: version, thud_numerics,
// nq, nv, na, nu, nm, links, impulses n, kept impulses k, steps; then a word a joint; then doubles: time, warm_h, qpos, qvel, act, ctrl,
// mocap, acc, 4 a link of its rest; then n times an id and 6 doubles; then k times the same and a group; then the checksum, FNV-1a over all bytes before it. Each step of FNV-1a, h <- (h xor
// byte) prime, is one-to-one in h and in the byte, so that changing any one byte changes the checksum for
// certain.
#include <string.h>

#include <thud/base_input.h>
#include <thud/base_output.h>
#include <thud/state.h>

#include "state_joint.h"

static const char magic[8] = {'T', 'H', 'U', 'D', 's', 't', 'a', 't'};
enum {
    VERSION = 7,
    HEAD_WORDS = 11,
    WORDS_BEFORE_QPOS = HEAD_WORDS + 2,
    WARM_WORDS = 7,
    KEPT_WORDS = 8,
    REST_WORDS = 4
};

// ---------------------------------------------------------------------------------------------- words

static unsigned char *put_word(unsigned char *at, uint64_t word)
{
    for (int k = 0; k < 8; k++) {
        at[k] = (unsigned char)(word >> (8 * k));
    }
    return at + 8;
}

static unsigned char *put_double(unsigned char *at, double x)
{
    uint64_t word;
    memcpy(&word, &x, sizeof word);
    return put_word(at, word);
}

static unsigned char *put_warm(unsigned char *at, const thud_warm *warm)
{
    at = put_word(at, warm->id);
    for (int k = 0; k < 6; k++) {
        at = put_double(at, warm->p[k]);
    }
    return at;
}

static const unsigned char *get_word(const unsigned char *at, uint64_t *word)
{
    *word = 0;
    for (int k = 0; k < 8; k++) {
        *word |= (uint64_t)at[k] << (8 * k);
    }
    return at + 8;
}

static const unsigned char *get_double(const unsigned char *at, double *x)
{
    uint64_t word;
    at = get_word(at, &word);
    memcpy(x, &word, sizeof word);
    return at;
}

static const unsigned char *get_warm(const unsigned char *at, thud_warm *warm)
{
    at = get_word(at, &warm->id);
    for (int k = 0; k < 6; k++) {
        at = get_double(at, &warm->p[k]);
    }
    return at;
}

// What the head says, in its order.
enum {
    HEAD_VERSION,
    HEAD_NUMERICS,
    HEAD_NQ,
    HEAD_NV,
    HEAD_NA,
    HEAD_NU,
    HEAD_NM,
    HEAD_NL,
    HEAD_WARM,
    HEAD_KEPT,
    HEAD_STEPS
};
_Static_assert(sizeof(thud_rest) == REST_WORDS * sizeof(double), "a rest is doubles alone");

// Positions, velocities, activations, controls, mocap poses, differences of accelerations, rests.
static uint64_t numbers_of(const uint64_t head[HEAD_WORDS])
{
    return head[HEAD_NQ] + (1 + THUD_STATE_DIFFERENCES) * head[HEAD_NV] + head[HEAD_NA] + head[HEAD_NU] +
           7 * head[HEAD_NM] + REST_WORDS * head[HEAD_NL];
}

static size_t bytes_for(const uint64_t head[HEAD_WORDS])
{
    return sizeof magic + 8 * (size_t)(WORDS_BEFORE_QPOS + head[HEAD_NL] + numbers_of(head) +
                                       WARM_WORDS * head[HEAD_WARM] + KEPT_WORDS * head[HEAD_KEPT] + 1);
}

static void fill_head(const thud_state *s, uint64_t head[HEAD_WORDS])
{
    head[HEAD_VERSION] = VERSION;
    head[HEAD_NUMERICS] = (uint64_t)thud_numerics();
    head[HEAD_NQ] = (uint64_t)s->nq;
    head[HEAD_NV] = (uint64_t)s->nv;
    head[HEAD_NA] = (uint64_t)s->na;
    head[HEAD_NU] = (uint64_t)s->nu;
    head[HEAD_NM] = (uint64_t)s->nm;
    head[HEAD_NL] = (uint64_t)s->nl;
    head[HEAD_WARM] = (uint64_t)s->warm_count;
    head[HEAD_KEPT] = (uint64_t)s->kept_count;
    head[HEAD_STEPS] = (uint64_t)s->steps;
}

// ---------------------------------------------------------------------------------------------- saving

size_t thud_state_bytes(const thud_state *s)
{
    uint64_t head[HEAD_WORDS];
    fill_head(s, head);
    return bytes_for(head);
}

void thud_state_save(const thud_state *s, void *buffer)
{
    uint64_t head[HEAD_WORDS];
    fill_head(s, head);
    unsigned char *at = buffer;
    memcpy(at, magic, sizeof magic);
    at += sizeof magic;
    for (int k = 0; k < HEAD_WORDS; k++) {
        at = put_word(at, head[k]);
    }
    for (int j = 0; j < s->nl; j++) {
        at = put_word(at, s->joint[j]);
    }
    at = put_double(at, s->time);
    at = put_double(at, s->warm_h);
    for (uint64_t i = 0; i < numbers_of(head); i++) { // one block
        at = put_double(at, s->qpos[i]);
    }
    for (int i = 0; i < s->warm_count; i++) {
        at = put_warm(at, &s->warm[i]);
    }
    for (int i = 0; i < s->kept_count; i++) {
        at = put_word(put_warm(at, &s->kept[i].warm), (uint64_t)s->kept[i].group);
    }
    put_word(at, thud_hash(THUD_HASH_START, buffer, (size_t)(at - (unsigned char *)buffer)));
}

// ---------------------------------------------------------------------------------------------- loading

static thud_status refuse(thud_diag *diag, const char *path, const char *why)
{
    return thud_fail(THUD_BAD_FILE, diag, path, 0, 0, "%s", why);
}

// Whether the model has the joints, actuators and mocap bodies of the state; the first that differs is named.
static thud_status compare(const thud_model *m, const unsigned char *blob, const char *path,
                           const uint64_t head[HEAD_WORDS], thud_diag *diag)
{
    static const char *const type[] = {[THUD_JOINT_HINGE] = "hinge",
                                       [THUD_JOINT_SLIDE] = "slide",
                                       [THUD_JOINT_BALL] = "ball",
                                       [THUD_JOINT_FREE] = "free joint"};
    const struct {
        const char *what;
        uint64_t saved;
        int here;
    } count[] = {{"joints", head[HEAD_NL], m->joints},
                 {"actuators", head[HEAD_NU], m->actuators},
                 {"activations", head[HEAD_NA], m->activations},
                 {"mocap bodies", head[HEAD_NM], m->mocaps}};
    for (size_t k = 0; k < sizeof count / sizeof count[0]; k++) {
        if (count[k].saved != (uint64_t)count[k].here) {
            return thud_fail(THUD_BAD_FILE, diag, path, 0, 0,
                             "the state is of another model: it has %llu %s, and this model %d",
                             (unsigned long long)count[k].saved, count[k].what, count[k].here);
        }
    }
    const unsigned char *at = blob + sizeof magic + 8 * HEAD_WORDS;
    for (int j = 0; j < m->joints; j++) {
        uint64_t saved;
        at = get_word(at, &saved);
        const uint64_t here = state_joint(m, j);
        const char *name = thud_model_name(m, THUD_KIND_JOINT, j), *is = type[here & STATE_JOINT_TYPE];
        if (saved != here && (saved ^ here) <= STATE_JOINT_TYPE) {
            return thud_fail(
                THUD_BAD_FILE, diag, path, 0, 0,
                "the state is of another model: joint %d, '%.100s', is a %s, and in the state a %s", j,
                name ? name : "(no name)", is, type[saved & STATE_JOINT_TYPE]);
        }
        if (saved != here) {
            return thud_fail(
                THUD_BAD_FILE, diag, path, 0, 0,
                "the state is of another model: joint %d is the %s '%.100s', and in the state a %s of "
                "another name",
                j, is, name ? name : "(no name)", type[saved & STATE_JOINT_TYPE]);
        }
    }
    const bool same = head[HEAD_NQ] == (uint64_t)m->nq && head[HEAD_NV] == (uint64_t)m->nv;
    return same ? THUD_OK : refuse(diag, path, "the saved state contradicts itself");
}

// Whether these bytes are a whole, undamaged state of this model; the head is read on the way.
static thud_status check(const thud_model *m, const unsigned char *blob, size_t bytes, const char *path,
                         uint64_t head[HEAD_WORDS], thud_diag *diag)
{
    if (bytes < sizeof magic || memcmp(blob, magic, sizeof magic) != 0) {
        return refuse(diag, path, "this is not a saved state");
    }
    if (bytes < bytes_for((const uint64_t[HEAD_WORDS]){0})) {
        return refuse(diag, path, "the saved state is cut off");
    }
    uint64_t sum;
    get_word(blob + bytes - 8, &sum);
    const unsigned char *at = blob + sizeof magic;
    for (int k = 0; k < HEAD_WORDS; k++) {
        at = get_word(at, &head[k]);
    }
    const uint64_t most = bytes / 8; // more words than there are cannot be meant
    bool less = false;
    for (int k = HEAD_NQ; k <= HEAD_KEPT; k++) {
        less |= head[k] > most;
    }
    if (less || bytes < bytes_for(head)) {
        return refuse(diag, path, "the saved state is cut off or damaged: there is less than its head says");
    }
    if (bytes > bytes_for(head)) {
        return refuse(diag, path, "the saved state is followed by something else");
    }
    if (sum != thud_hash(THUD_HASH_START, blob, bytes - 8)) {
        return refuse(diag, path, "the saved state is damaged: its checksum is wrong");
    }
    if (head[HEAD_VERSION] != VERSION) {
        return thud_fail(THUD_BAD_FILE, diag, path, 0, 0,
                         "the state was saved in format %llu; this is format %d",
                         (unsigned long long)head[HEAD_VERSION], VERSION);
    }
    return compare(m, blob, path, head, diag);
}

static thud_status load(const thud_model *m, const void *buffer, size_t bytes, const char *path,
                        thud_state *s, thud_diag *diag)
{
    uint64_t head[HEAD_WORDS];
    THUD_ASSERT(s->nq == m->nq && s->nv == m->nv);
    THUD_TRY(check(m, buffer, bytes, path, head, diag));
    const uint64_t most = head[HEAD_WARM] > head[HEAD_KEPT] ? head[HEAD_WARM] : head[HEAD_KEPT];
    if (most > INT32_MAX || thud_state_reserve(s, (int)most) != THUD_OK) {
        return thud_fail(THUD_NO_MEMORY, diag, path, 0, 0, "memory ran out while the state was loaded");
    }
    const unsigned char *at = (const unsigned char *)buffer + sizeof magic + 8 * (HEAD_WORDS + (size_t)s->nl);
    s->steps = (int64_t)head[HEAD_STEPS];
    at = get_double(at, &s->time);
    at = get_double(at, &s->warm_h);
    for (uint64_t i = 0; i < numbers_of(head); i++) { // one block
        at = get_double(at, &s->qpos[i]);
    }
    s->warm_count = (int)head[HEAD_WARM];
    for (int i = 0; i < s->warm_count; i++) {
        at = get_warm(at, &s->warm[i]);
    }
    s->kept_count = (int)head[HEAD_KEPT];
    for (int i = 0; i < s->kept_count; i++) {
        uint64_t group;
        at = get_word(get_warm(at, &s->kept[i].warm), &group);
        s->kept[i].group = (int64_t)group;
    }
    return THUD_OK;
}

thud_status thud_state_load(const thud_model *m, const void *buffer, size_t bytes, thud_state *s,
                            thud_diag *diag)
{
    return load(m, buffer, bytes, NULL, s, diag);
}

int thud_state_numerics(const void *buffer, size_t bytes)
{
    const size_t at = sizeof magic + 8 * HEAD_NUMERICS;
    uint64_t version = 0, numerics = 0;
    if (bytes >= at + 8 && memcmp(buffer, magic, sizeof magic) == 0) {
        get_word((const unsigned char *)buffer + sizeof magic + 8 * HEAD_VERSION, &version);
        get_word((const unsigned char *)buffer + at, &numerics);
    }
    return version == VERSION && numerics <= INT32_MAX ? (int)numerics : 0;
}

// ---------------------------------------------------------------------------------------------- files

thud_status thud_state_write(const thud_state *s, const char *path, thud_diag *diag)
{
    const size_t bytes = thud_state_bytes(s);
    unsigned char *blob = thud_alloc(1, bytes);
    if (!blob) {
        return thud_fail(THUD_NO_MEMORY, diag, path, 0, 0, "memory ran out while the state was saved");
    }
    thud_state_save(s, blob);
    thud_output o;
    const thud_status status = thud_output_open(path, &o, diag);
    if (status == THUD_OK) {
        (void)fwrite(blob, 1, bytes, o.file); // a failure shows when the file is closed
    }
    thud_free(blob);
    return status == THUD_OK ? thud_output_close(&o, diag) : status;
}

enum { STATE_MOST = 1 << 30 }; // bytes of a saved state

thud_status thud_state_read(const thud_model *m, const char *path, thud_state *s, thud_diag *diag)
{
    char *blob;
    size_t bytes;
    thud_status status = thud_input_read(path, STATE_MOST, &blob, &bytes, diag);
    status = status == THUD_OK ? load(m, blob, bytes, path, s, diag) : status;
    thud_free(blob);
    return status;
}
