// SPDX-License-Identifier: Apache-2.0
// dump.c: what failed, as files that `thud solve` and others read; what holds, as a table.
#include "dump.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>

#include <thud/spatial_inline.h>

static void say(thud_status status, const char *path, const thud_diag *diag)
{
    if (status == THUD_OK) {
        fprintf(stderr, "%s: written\n", path);
    } else {
        fprintf(stderr, "%s:1:1: %s\n", path, diag->text[0] ? diag->text : thud_status_text(status));
    }
}

static void dump_lcp(const thud_island *island, const thud_law_options *law, const char *path)
{
    thud_arena *scratch;
    thud_lcp lcp;
    thud_diag diag = {0};
    if (thud_arena_create(thud_law_scratch(island, law), &scratch) == THUD_OK) {
        thud_status status = thud_law_problem(island, law, false, scratch, &lcp);
        status = status == THUD_OK ? thud_lcp_write(&lcp, path, &diag) : status;
        say(status, path, &diag);
        thud_arena_destroy(scratch);
    }
}

// W of an island in an arena of its own, which the caller gives back with `drop`. NULL: there is no memory for it.
static thud_arena *fill(thud_rows *rows, int island)
{
    static const size_t FIRST = (size_t)1 << 20, MOST = (size_t)1 << 36; // bytes
    for (size_t bytes = FIRST; bytes <= MOST; bytes *= 4) {
        thud_arena *arena;
        if (thud_arena_create(bytes, &arena) != THUD_OK) {
            return NULL;
        }
        if (thud_rows_fill(rows, island, arena) == THUD_OK) {
            return arena;
        }
        thud_arena_destroy(arena);
    }
    return NULL;
}

static void drop(thud_rows *rows, int island, thud_arena *arena)
{
    thud_rows_forget(rows, island);
    thud_arena_destroy(arena);
}

void dump_problem(const char *dir, const thud_sim *sim, const thud_step_options *options, const thud_state *s)
{
    char path[4096];
    if (mkdir(dir, 0777) != 0 && errno != EEXIST) {
        fprintf(stderr, "%s:1:1: the directory cannot be made\n", dir);
        return;
    }
    thud_rows *rows = thud_sim_rows(sim);
    for (int i = 0; rows && i < thud_rows_islands(rows); i++) {
        thud_diag diag = {0};
        snprintf(path, sizeof path, "%s/island-%d.hdf5", dir, i);
        thud_arena *arena = fill(rows, i);
        if (!arena) {
            say(THUD_NO_MEMORY, path, &diag);
            continue;
        }
        const thud_island island = thud_rows_island(rows, i);
        const thud_cone cone = thud_island_cone(&island);
        say(thud_fclib_write(&cone, "contact problem of a step that failed", path, &diag), path, &diag);
        if (options->law.law != THUD_LAW_CONE) {
            snprintf(path, sizeof path, "%s/island-%d.lcp", dir, i);
            dump_lcp(&island, &options->law, path);
        }
        drop(rows, i, arena);
    }
    thud_diag diag = {0};
    snprintf(path, sizeof path, "%s/state.thud", dir);
    say(thud_state_write(s, path, &diag), path, &diag);
}

// ---------------------------------------------------------------------------------------------- the table

static const char *body_name(const thud_model *m, int body, char text[32])
{
    const char *name = thud_model_name(m, THUD_KIND_BODY, body);
    if (!name) {
        snprintf(text, 32, "body %d", body);
    }
    return name ? name : body == 0 ? "world" : text;
}

typedef struct pair_sum { // contacts between two bodies
    int contacts;
    vec3 force, moment; // on body 2, about the mean contact point
    double normal;      // N, sum
    double friction;    // N, sum of |f_t| / mu: as much as `normal` where all contacts use all of theirs
    double slip;        // m/s, of the fastest that slides; 0: none does
} pair_sum;

static void add_contact(const thud_island *island, int k, vec3 about, pair_sum *sum)
{
    thud_touch t;
    sum->contacts++;
    if (thud_island_touch(island, k, &t)) {
        const vec3 force = v3_scale(1 / t.duration, t.impulse);
        const double normal = t.normal_impulse / t.duration;
        sum->force = v3_add(sum->force, force);
        sum->moment = v3_add(sum->moment, v3_cross(v3_sub(t.point, about), force));
        sum->normal += normal;
        sum->friction += t.used * normal;
        sum->slip = t.slides ? fmax(sum->slip, t.slip) : sum->slip;
    }
}

static void print_pair(const thud_island *island, int first, const thud_model *m)
{
    const thud_block *b = &island->block[first];
    vec3 about = v3(0, 0, 0);
    int count = 0;
    for (int k = first; k < island->blocks; k++) {
        const thud_block *c = &island->block[k];
        if (c->kind == THUD_BLOCK_CONTACT && c->body1 == b->body1 && c->body2 == b->body2) {
            about = v3_add(about, c->point);
            count++;
        }
    }
    about = v3_scale(1.0 / count, about);
    pair_sum sum = {0};
    for (int k = first; k < island->blocks; k++) {
        const thud_block *c = &island->block[k];
        if (c->kind == THUD_BLOCK_CONTACT && c->body1 == b->body1 && c->body2 == b->body2) {
            add_contact(island, k, about, &sum);
        }
    }
    char one[32], two[32], names[80];
    snprintf(names, sizeof names, "%.30s on %.30s", body_name(m, b->body2, two), body_name(m, b->body1, one));
    printf("  %-26s %6d %10.4g %10.4g %10.4g %10.3g %10.3g %10.3g  %12.1f%%  ", names, sum.contacts,
           sum.force.x, sum.force.y, sum.force.z, sum.moment.x, sum.moment.y, sum.moment.z,
           sum.normal > 0 ? 100 * sum.friction / sum.normal : 0);
    if (sum.normal > 0 && sum.slip > 0) {
        printf("slips at %.3g m/s\n", sum.slip);
    } else {
        printf("%s\n", sum.normal > 0 ? "sticks" : "free");
    }
}

static bool seen_before(const thud_island *island, int k)
{
    for (int j = 0; j < k; j++) {
        const thud_block *a = &island->block[j], *b = &island->block[k];
        if (a->kind == THUD_BLOCK_CONTACT && a->body1 == b->body1 && a->body2 == b->body2) {
            return true;
        }
    }
    return false;
}

// The rank of an island's W, or -1.
static int rank_of(const thud_island *island)
{
    thud_arena *scratch;
    int rank = -1;
    const thud_cone cone = thud_island_cone(island);
    const size_t n = (size_t)island->rows;
    if (n < 2000 && thud_arena_create(4 * n * n * sizeof(double) + 65536, &scratch) == THUD_OK) {
        rank = thud_cone_rank(&cone, scratch);
        thud_arena_destroy(scratch);
    }
    return rank;
}

void contacts_print(thud_rows *rows, const thud_model *m)
{
    if (!rows || thud_rows_islands(rows) == 0) {
        printf("\ncontacts at the end: none\n");
        return;
    }
    printf("\n%-28s %6s %32s %32s  %13s\n", "contacts at the end", "points", "force on the first, x y z / N",
           "moment about their middle / N m", "friction used");
    for (int i = 0; i < thud_rows_islands(rows); i++) {
        if (!(thud_rows_island(rows, i).h > 0)) {
            continue; // a collision: impulses, not forces
        }
        thud_arena *arena = fill(rows, i);
        const thud_island island = thud_rows_island(rows, i);
        for (int k = 0; k < island.blocks; k++) {
            if (island.block[k].kind == THUD_BLOCK_CONTACT && !seen_before(&island, k)) {
                print_pair(&island, k, m);
            }
        }
        printf("  island %d: %d rows, rank %d\n", i, island.rows, arena ? rank_of(&island) : -1);
        drop(rows, i, arena);
    }
}
