// SPDX-License-Identifier: Apache-2.0
// One state of every robot in ../shared/menagerie against what MuJoCo 3.12.1 computed there.
#include <thud/thud.h>

#include "test.h"

// The numbers of "key": [...] in a flat JSON file; malloc'ed. Sets *count.
static double *json_numbers(const char *text, const char *key, int *count)
{
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    const char *at = strstr(text, quoted);
    CHECK(at != NULL);
    at = strchr(at, '[') + 1;
    double *x = malloc(strlen(at) * sizeof *x);
    *count = 0;
    for (char *end; *at != ']'; at = *end == ',' ? end + 1 : end) {
        x[(*count)++] = strtod(at, &end);
        while (*end == ' ' || *end == '\n') {
            end++;
        }
    }
    return x;
}

static char *read_all(const char *path)
{
    FILE *f = fopen(path, "rb");
    CHECK(f != NULL);
    fseek(f, 0, SEEK_END);
    const long bytes = ftell(f);
    rewind(f);
    char *text = malloc((size_t)bytes + 1);
    CHECK_INT(fread(text, 1, (size_t)bytes, f), bytes);
    text[bytes] = 0;
    fclose(f);
    return text;
}

static double relative_error(int n, const double *got, const double *want)
{
    double worst = 0, size = 0;
    for (int i = 0; i < n; i++) {
        const double e = fabs(got[i] - want[i]);
        worst = !(e <= worst) ? e : worst;
        size = fmax(size, fabs(want[i]));
    }
    return worst / (size > 0 ? size : 1);
}

static void check_bodies(const thud_model *m, const double *qpos, const char *json)
{
    int n;
    thud_pose *X = malloc((size_t)m->bodies * sizeof *X);
    double *p = malloc(3 * (size_t)m->bodies * sizeof *p), *want = json_numbers(json, "xpos", &n);
    CHECK_INT(n, 3 * m->bodies);
    thud_body_poses(m, qpos, X);
    for (int i = 0; i < m->bodies; i++) {
        memcpy(p + 3 * i, &X[i].p, sizeof X[i].p);
    }
    CHECK_BELOW(relative_error(n, p, want), 1e-9);
    free(want);
    want = json_numbers(json, "xquat", &n);
    for (int i = 0; i < m->bodies; i++) { // MuJoCo's quaternions, sign included
        const double q[4] = {X[i].q.w, X[i].q.x, X[i].q.y, X[i].q.z};
        CHECK_BELOW(relative_error(4, q, want + 4 * i), 1e-9);
    }
    free(want);
    want = json_numbers(json, "body_mass", &n);
    for (int i = 1; i < m->bodies; i++) {
        CHECK_NEAR(m->body_inertia[i].mass, want[i], 1e-6 * want[i]);
    }
    free(want);
    free(X);
    free(p);
}

static void check_dynamics(const thud_model *m, const double *qpos, const double *qvel, const char *json)
{
    int n;
    const size_t nv = (size_t)m->nv;
    double *M = malloc((size_t)m->dof_row[nv] * sizeof *M), *dense = malloc(nv * nv * sizeof *dense);
    double *bias = malloc(nv * sizeof *bias);
    thud_dynamics *d;
    CHECK_OK(thud_dynamics_create(m, &d));
    thud_dynamics_place(m, qpos, d);
    thud_dynamics_move(m, qvel, d);
    thud_dynamics_crba(m, d, M);
    thud_mass_expand(m, M, dense);
    double *want = json_numbers(json, "M", &n);
    CHECK_INT(n, nv * nv);
    CHECK_BELOW(relative_error(n, dense, want), 1e-9);
    free(want);
    thud_dynamics_rnea(m, NULL, d, bias);
    want = json_numbers(json, "bias", &n);
    CHECK_BELOW(relative_error(n, bias, want), 1e-9);
    free(want);
    want = json_numbers(json, "energy", &n); // potential, kinetic
    CHECK_NEAR(thud_dynamics_energy(m, qpos, qvel, d).kinetic, want[1], 1e-9 * want[1]);
    free(want);
    thud_dynamics_destroy(d);
    free(M);
    free(dense);
    free(bias);
}

// Passive and actuator forces, and the acceleration they give without contact. Of a `dampratio` MuJoCo 3 takes the diagonal of
// M where MuJoCo 4 and Thud take the mass that the actuator feels: there the passive forces alone can be compared, and
// dynamics_agree_with_mujoco.py compares the others with MuJoCo 4.
static void check_forces(const thud_spec *spec, const thud_model *m, const double *qpos, const double *qvel,
                         const char *json)
{
    int n;
    const size_t nv = (size_t)m->nv;
    double *x = calloc(5 * nv, sizeof *x), *passive = x, *actuator = x + nv, *carried = x + 2 * nv,
           *force = x + 3 * nv, *qacc = x + 4 * nv;
    double *ctrl = json_numbers(json, "ctrl", &n), *act = calloc((size_t)m->activations + 1, sizeof *act);
    CHECK_INT(n, m->actuators);
    thud_dynamics *d;
    thud_drive *drive;
    CHECK_OK(thud_dynamics_create(m, &d));
    CHECK_OK(thud_drive_create(m, &drive));
    thud_dynamics_place(m, qpos, d);
    thud_dynamics_move(m, qvel, d);
    thud_passive_force(m, qpos, qvel, NULL, passive);
    thud_drag_force(m, d, passive);
    thud_carried_force(m, d, carried);
    thud_drive_place(m, qpos, d, drive);
    thud_drive_move(m, qvel, drive);
    thud_tendon_force(m, NULL, drive, passive);
    const thud_drive_input in = {.ctrl = ctrl, .act = act, .carried = carried};
    thud_actuator_force(m, &in, drive, actuator);
    for (size_t i = 0; i < nv; i++) {
        passive[i] += carried[i]; // none of these robots counts it as an actuator's
        force[i] = passive[i] + actuator[i];
    }
    CHECK(thud_dynamics_factor(m, d));
    thud_dynamics_solve(m, force, d, qacc);
    const char *const key[] = {"qfrc_passive", "qfrc_actuator", "qacc_smooth"};
    const double *const got[] = {passive, actuator, qacc};
    bool damped = false;
    for (int i = 0; i < spec->actuators; i++) {
        damped |= spec->actuator[i].dampratio > 0;
    }
    for (int k = 0; k < (damped ? 1 : 3); k++) {
        double *want = json_numbers(json, key[k], &n);
        CHECK_INT(n, m->nv);
        CHECK_BELOW(relative_error(n, got[k], want), 1e-8); // worst: 3e-10, cassie's acceleration
        free(want);
    }
    thud_drive_destroy(drive);
    thud_dynamics_destroy(d);
    free(ctrl);
    free(act);
    free(x);
}

static void check_robot(const char *folder, const char *scene)
{
    char name[256];
    snprintf(name, sizeof name, "menagerie/mujoco/%s-%s.json", folder, scene);
    if (!test_shared(name)) {
        test_skip(TEST_NO_SHARED);
    }
    char *json = read_all(test_shared(name));
    snprintf(name, sizeof name, "menagerie/%s/%s.xml", folder, scene);
    thud_spec *spec;
    thud_model *m;
    thud_diag diag;
    char why[1200] = "";
    if (thud_load_mjcf(test_shared(name), &spec, &diag) != THUD_OK) {
        thud_diag_format(&diag, why, sizeof why);
        fail_msg("%s", why);
    }
    if (thud_model_build(spec, &m, &diag) != THUD_OK) {
        thud_diag_format(&diag, why, sizeof why);
        fail_msg("%s", why);
    }
    int nq, nv;
    double *qpos = json_numbers(json, "qpos", &nq), *qvel = json_numbers(json, "qvel", &nv);
    CHECK_INT(m->nq, nq);
    CHECK_INT(m->nv, nv);
    check_bodies(m, qpos, json);
    check_dynamics(m, qpos, qvel, json);
    check_forces(spec, m, qpos, qvel, json);
    free(qpos);
    free(qvel);
    free(json);
    thud_model_destroy(m);
    thud_spec_destroy(spec);
}

#define ROBOT(claim, folder, scene)                                                                          \
    TEST(claim)                                                                                              \
    {                                                                                                        \
        (void)test_state;                                                                                    \
        check_robot(folder, scene);                                                                          \
    }

ROBOT(kuka_iiwa_14_agrees_with_mujoco, "kuka_iiwa_14", "scene")
ROBOT(anymal_c_agrees_with_mujoco, "anybotics_anymal_c", "scene")
ROBOT(rizon4_agrees_with_mujoco, "flexiv_rizon4", "scene")
ROBOT(skydio_x2_agrees_with_mujoco, "skydio_x2", "scene")
ROBOT(cassie_agrees_with_mujoco, "agility_cassie", "scene")
ROBOT(wx250s_agrees_with_mujoco, "trossen_wx250s", "scene")
ROBOT(robotiq_2f85_agrees_with_mujoco, "robotiq_2f85", "scene")
ROBOT(shadow_hand_left_agrees_with_mujoco, "shadow_hand", "left_hand")
ROBOT(shadow_hand_right_agrees_with_mujoco, "shadow_hand", "scene_right")

TEST_MAIN(T(kuka_iiwa_14_agrees_with_mujoco), T(anymal_c_agrees_with_mujoco), T(rizon4_agrees_with_mujoco),
          T(skydio_x2_agrees_with_mujoco), T(cassie_agrees_with_mujoco), T(wx250s_agrees_with_mujoco),
          T(robotiq_2f85_agrees_with_mujoco), T(shadow_hand_left_agrees_with_mujoco),
          T(shadow_hand_right_agrees_with_mujoco))
