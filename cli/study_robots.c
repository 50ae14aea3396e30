// SPDX-License-Identifier: Apache-2.0
// study_robots.c: robots of our own at work: one stands, one trots, one holds a box, one squats.
#include <math.h>
#include <stdio.h>

#include <thud/elementary.h>
#include <thud/spatial_inline.h>

#include "complaints.h"

static const double GRAVITY = 9.81;
enum { MOST_BODIES = 32 };

static int body_of(const trial *t, const char *name)
{
    return thud_model_find(t->scene.model, THUD_KIND_BODY, name);
}

// What the contacts of a body push it up with, N; the world's: what it carries, with the sign turned.
static double lift(const trial *t, int body)
{
    return thud_sim_contact_force(t->stepper.sim, body, (thud_vec3){0}).lin.z;
}

static thud_pose pose_of(const trial *t, int body)
{
    thud_pose X_wb[MOST_BODIES];
    thud_body_poses(t->scene.model, t->scene.state->qpos, X_wb);
    return X_wb[body];
}

// How far a point of a body, `arm` from its origin, may have moved between two poses, m.
static double slip(thud_pose from, thud_pose to, double arm)
{
    const vec3 turn = q_log(q_mul(q_conj(from.q), to.q));
    return v3_norm(v3_sub(to.p, from.p)) + arm * v3_norm(turn);
}

static thud_pose seen_from(thud_pose a, thud_pose b)
{
    return (thud_pose){q_mul(q_conj(a.q), b.q), q_rotate(q_conj(a.q), v3_sub(b.p, a.p))};
}

// ---------------------------------------------------------------------------------------------- standing

static finding stand(study *s)
{
    finding f = {0};
    trial t;
    const trial_wish w = {
        .scene = "trot", .keyframe = "trot", .time = s->quick ? 1 : 10, .wishes = WISHES_NONE};
    if (study_run(s, &w, &t)) {
        const double front = lift(&t, body_of(&t, "front_left_shin")),
                     rear = lift(&t, body_of(&t, "rear_right_shin"));
        const double weight = t.scene.model->total_mass * GRAVITY, way = moved(&t, t.taken, 0);
        const double error = fabs(-lift(&t, 0) / weight - 1);
        f.right = t.taken == t.steps && fabs(front - 30.940) < 1e-3 && fabs(rear - 37.730) < 1e-3 &&
                  error <= 1e-9 && way <= 1e-9;
        snprintf(f.ours, sizeof f.ours,
                 "%.3f N and %.3f N; their sum is the weight to %.0e; moved by %.0e m in %g s", front, rear,
                 error, way, w.time);
    }
    trial_close(&t);
    return f;
}

// ---------------------------------------------------------------------------------------------- trotting

// When trot.csv lifts its feet (tools/make_controls.py): the middle of each swing.
static const double TROT_BEGIN = 1, TROT_END = 11, TROT_PERIOD = 0.5, TROT_MIDDLE = 0.1125;

typedef struct gait {
    int foot[4];   // front left, rear right; front right, rear left
    int seen, met; // middles of swings; those with the right two feet in the air and the others on the ground
    double low, high, tilt;
} gait;

static bool feet_as_told(const trial *t, const gait *g, int pair)
{
    for (int i = 0; i < 4; i++) {
        const double force = lift(t, g->foot[i]);
        if (i / 2 == pair ? force != 0 : !(force > 10)) {
            return false;
        }
    }
    return true;
}

static void watch_gait(const trial *t, void *context)
{
    gait *g = context;
    const double time = t->scene.state->time, *q = t->scene.state->qpos, h = t->stepper.options.h;
    if (time < TROT_BEGIN || time > TROT_END) {
        return;
    }
    if (g->seen == 0) {
        static const char *const names[] = {"front_left_shin", "rear_right_shin", "front_right_shin",
                                            "rear_left_shin"};
        for (int i = 0; i < 4; i++) {
            g->foot[i] = body_of(t, names[i]);
        }
    }
    g->low = thud_min(g->low, q[2]);
    g->high = thud_max(g->high, q[2]);
    g->tilt = thud_max(g->tilt, 2 * thud_asin(thud_hypot(q[4], q[5])));
    for (int pair = 0; pair < 2; pair++) {
        const double phase = (time - TROT_BEGIN - TROT_MIDDLE) / TROT_PERIOD - 0.5 * pair;
        if (phase > -0.01 && fabs(phase - round(phase)) * TROT_PERIOD < 0.5001 * h) {
            g->seen++;
            g->met += feet_as_told(t, g, pair);
        }
    }
}

static finding trot(study *s)
{
    finding f = {0};
    trial t;
    gait g = {.low = INFINITY, .high = -INFINITY};
    const trial_wish w = {.scene = "trot",
                          .keyframe = "trot",
                          .ctrl = "trot",
                          .time = 12,
                          .wishes = WISHES_NONE,
                          .watch = watch_gait,
                          .context = &g};
    if (study_run(s, &w, &t)) {
        const double way = moved(&t, t.taken, 0), stands = trial_qpos(&t, 0)[2];
        f.right = t.taken == t.steps && g.seen == 40 && g.met == g.seen && g.low > stands - 0.01 &&
                  g.high < stands + 0.01 && g.tilt < 0.05 && way < 0.02;
        snprintf(f.ours, sizeof f.ours,
                 "%d of %d; height %.1f to %.1f mm of %.1f, tilt %.1f degrees at most, ends %.1f mm away",
                 g.met, g.seen, 1e3 * g.low, 1e3 * g.high, 1e3 * stands, g.tilt * 180 / M_PI, 1e3 * way);
    }
    trial_close(&t);
    return f;
}

// ---------------------------------------------------------------------------------------------- holding

typedef struct grasp {
    bool begun;
    thud_pose first; // of the box in the hand
    double slip;     // m, the most since then
} grasp;

static void watch_grasp(const trial *t, void *context)
{
    static const double HELD = 8,
                        ARM = 0.05; // s, m: at rest after the last move; from the box's middle to its corners
    grasp *g = context;
    if (t->scene.state->time < HELD) {
        return;
    }
    const thud_pose now = seen_from(pose_of(t, body_of(t, "hand")), pose_of(t, body_of(t, "box")));
    if (!g->begun) {
        g->begun = true;
        g->first = now;
    }
    const double way = slip(g->first, now, ARM);
    g->slip = way <= g->slip ? g->slip : way; // NaN stays
}

static finding hold(study *s)
{
    finding f = {0};
    trial t;
    grasp g = {0};
    const trial_wish w = {.scene = "pick",
                          .keyframe = "home",
                          .ctrl = "pick",
                          .time = s->quick ? 14 : 68,
                          .wishes = WISHES_NONE,
                          .watch = watch_grasp,
                          .context = &g};
    if (study_run(s, &w, &t)) {
        const int box = body_of(&t, "box");
        const double error = fabs(lift(&t, box) / (0.4 * GRAVITY) - 1), height = pose_of(&t, box).p.z;
        f.right = t.taken == t.steps && g.begun && g.slip < 1e-9 && error <= 1e-9 && height > 0.4;
        snprintf(f.ours, sizeof f.ours,
                 "held for %g s at %.3f m; slips by %.0e m; friction bears its weight to %.0e", w.time - 8,
                 height, g.slip, error);
    }
    trial_close(&t);
    return f;
}

// ---------------------------------------------------------------------------------------------- squatting

typedef struct soles {
    bool begun;
    thud_pose first[2];
    double slip, low;
} soles;

static void watch_soles(const trial *t, void *context)
{
    static const char *const names[] = {"foot_left", "foot_right"};
    static const double ARM = 0.2; // m
    soles *g = context;
    g->low = thud_min(g->low, t->scene.state->qpos[2]);
    for (int i = 0; i < 2; i++) {
        const thud_pose now = pose_of(t, body_of(t, names[i]));
        g->first[i] = g->begun ? g->first[i] : now;
        const double way = slip(g->first[i], now, ARM);
        g->slip = way <= g->slip ? g->slip : way;
    }
    g->begun = true;
}

static finding squat(study *s)
{
    finding f = {0};
    trial t;
    soles g = {.low = INFINITY};
    const trial_wish w = {.scene = "squat",
                          .keyframe = "stand",
                          .ctrl = "squat",
                          .time = s->quick ? 9 : 30,
                          .wishes = WISHES_NONE,
                          .watch = watch_soles,
                          .context = &g};
    if (study_run(s, &w, &t)) {
        const double weight = t.scene.model->total_mass * GRAVITY, up = trial_qpos(&t, t.taken)[2];
        const double error = fabs(-lift(&t, 0) / weight - 1);
        f.right = t.taken == t.steps && g.slip < 2e-5 && g.low < 0.66 && up > 0.949 &&
                  error <= (s->quick ? 1e-3 : 1e-9);
        snprintf(f.ours, sizeof f.ours,
                 "pelvis down to %.3f m, up to %.3f m; soles move by %.0e m; they carry the weight to %.0e",
                 g.low, up, g.slip, error);
    }
    trial_close(&t);
    return f;
}

void study_robots(study *s)
{
    static const char *const heads[] = {"scene", "right answer", "Thud", "right"};
    static const complaint list[] = {
        {"trot, standing", "", "30.940 N on a front foot, 37.730 N on a hind one", stand},
        {"trot, trot.csv", "",
         "the feet that are told to are in the air in every one of 40 swings, the others on the ground",
         trot},
        {"pick, pick.csv", "", "the box stays where it is in the hand (< 1e-9 m)", hold},
        {"squat, squat.csv", "",
         "the soles stay where they are (< 0.02 mm), and carry the weight once she stands again", squat},
    };
    sheet t = sheet_start(heads, 4);
    study_title(s, "Robots of our own at work");
    for (size_t i = 0; i < sizeof list / sizeof list[0] && s->code == EXIT_DONE; i++) {
        const finding f = list[i].measure(s);
        sheet_cell(&t, "%s", list[i].scene);
        sheet_cell(&t, "%s", list[i].answer);
        sheet_cell(&t, "%s", f.ours);
        sheet_cell(&t, "%s", study_judge(s, f.right));
    }
    study_table(s, "robots", "Robots of our own", &t);
}
