// SPDX-License-Identifier: Apache-2.0
// sense.c: the readings of all sensors in a state.
#include <math.h>
#include <string.h>

#include "sense.h"

// ---------------------------------------------------------------------------------------------- create

int senses_count(const thud_model *m, bool (*is)(int sensor_type))
{
    int count = 0;
    for (int i = 0; i < m->sensors; i++) {
        count += is(m->sensor_type[i]);
    }
    return count;
}

thud_status senses_create(thud_sim *sim)
{
    const thud_model *m = sim->m;
    const size_t bodies = (size_t)m->bodies, nv = (size_t)m->nv, nq = (size_t)m->nq;
    sim->above.felt_steps = -1;
    if (sim->constrained) {
        sim->above.contact =
            thud_alloc(1, sizeof *sim->above.contact + bodies * sizeof *sim->above.contact->push);
        THUD_TRY(sim->above.contact ? THUD_OK : THUD_NO_MEMORY);
    }
    if (m->sensors == 0 || !m->sensor_on) {
        return THUD_OK;
    }
    senses *s = sim->above.senses = thud_alloc(1, sizeof *s);
    if (!s) {
        return THUD_NO_MEMORY;
    }
    s->feels = senses_count(m, is_felt) > 0;
    s->passes = senses_count(m, passes_through) > 0;
    s->pulls = senses_count(m, is_pulled) > 0 && m->actuators + m->tendons > 0;
    s->body = thud_alloc(bodies, sizeof *s->body);
    s->X_wb = thud_alloc(bodies + (size_t)m->geoms, sizeof *s->X_wb);
    s->A = thud_alloc((size_t)m->joints + 1, sizeof *s->A);
    s->inside = thud_alloc(bodies, sizeof *s->inside);
    s->block = thud_alloc(nq + 4 * nv + (size_t)m->activations + (size_t)m->readings + 1, sizeof *s->block);
    if (!s->body || !s->X_wb || !s->A || !s->inside || !s->block) {
        return THUD_NO_MEMORY;
    }
    s->X_wg = s->X_wb + m->bodies;
    s->q = s->block;
    s->v = s->q + nq;
    s->dv = s->v + nv;
    s->pull = s->dv + nv;
    s->carried = s->pull + nv;
    s->act = s->carried + nv;
    s->mean = s->act + m->activations;
    THUD_TRY(m->actuators + m->tendons > 0 ? thud_drive_create(m, &s->drive) : THUD_OK);
    return thud_dynamics_create(m, &s->d);
}

int senses_felt(const thud_model *m)
{
    return senses_count(m, is_felt);
}

double *senses_mean(const thud_sim *sim)
{
    return sim->above.senses && sim->above.senses->feels ? sim->above.senses->mean : NULL;
}

void senses_destroy(thud_sim *sim)
{
    senses *s = sim->above.senses;
    thud_free(sim->above.contact);
    if (s) {
        thud_dynamics_destroy(s->d);
        thud_drive_destroy(s->drive);
        thud_free(s->body);
        thud_free(s->X_wb);
        thud_free(s->A);
        thud_free(s->inside);
        thud_free(s->block);
        thud_free(s);
    }
}

// ---------------------------------------------------------------------------------------------- one sensor

// How far a limit is passed, or how near it is when nearer than its margin, and the rate of that; else 0.
static void joint_limit(const thud_model *m, int j, const thud_state *s, bool rate, double *to)
{
    limit l[2];
    const int count = m->limit_on && m->joint_limited[j] ? limits_of(m, j, s->qpos, l) : 0;
    for (int k = 0; k < count; k++) {
        if (l[k].phi < m->joint_margin[j]) {
            *to = rate ? limit_rate(m, j, &l[k], s->qvel) : l[k].phi - m->joint_margin[j];
            return;
        }
    }
}

static void tendon_limit(const thud_sim *sim, int t, bool rate, double *to)
{
    const thud_model *m = sim->m;
    const double *range = m->tendon_range + 2 * (size_t)t,
                 length = sim->above.senses->drive->tendon_length[t];
    for (int sign = 1; sign >= -1 && m->limit_on && m->tendon_limited[t]; sign -= 2) {
        const double phi = sign > 0 ? length - range[0] : range[1] - length;
        if (phi < m->tendon_margin[t]) {
            *to = rate ? sign * sim->above.senses->drive->tendon_velocity[t] : phi - m->tendon_margin[t];
            return;
        }
    }
}

// Sensors on a site, in its own frame.
static void read_site(const thud_sim *sim, int sensor, double *to)
{
    const thud_model *m = sim->m;
    int body;
    const pose X = sense_frame(sim, THUD_OBJECT_SITE, m->sensor_object[sensor], &body);
    const sensed_body *b = &sim->above.senses->body[body];
    const int type = m->sensor_type[sensor];
    if (type == THUD_SENSOR_RANGEFINDER) {
        thud_ray_options o = thud_ray_defaults();
        o.exclude_body = body;
        thud_ray_hit hit;
        (void)thud_ray_cast(m, sim->above.senses->X_wg, X.p, q_rotate(X.q, v3(0, 0, 1)), &o, &hit);
        *to = hit.distance;
    } else if (type == THUD_SENSOR_GYRO) {
        put_vec(q_unrotate(X.q, b->w), to);
    } else if (type == THUD_SENSOR_VELOCIMETER) {
        put_vec(q_unrotate(X.q, v3_add(b->v, v3_cross(b->w, v3_sub(X.p, b->X.p)))), to);
    } else {
        put_vec(q_unrotate(X.q, m->magnetic), to);
    }
}

static void read_joint(const thud_model *m, int sensor, const thud_state *s, double *to)
{
    const int j = m->sensor_object[sensor];
    const double *q = s->qpos + m->joint_q[j];
    switch (m->sensor_type[sensor]) {
    case THUD_SENSOR_JOINTPOS:
        *to = q[0];
        break;
    case THUD_SENSOR_JOINTVEL:
        *to = s->qvel[m->joint_v[j]];
        break;
    case THUD_SENSOR_BALLQUAT:
        memcpy(to, q, 4 * sizeof *to);
        break;
    case THUD_SENSOR_BALLANGVEL:
        memcpy(to, s->qvel + m->joint_v[j], 3 * sizeof *to);
        break;
    default:
        joint_limit(m, j, s, m->sensor_type[sensor] == THUD_SENSOR_JOINTLIMITVEL, to);
    }
}

static void read_drive(const thud_sim *sim, int sensor, double *to)
{
    const thud_drive *drive = sim->above.senses->drive;
    const int object = sim->m->sensor_object[sensor];
    switch (sim->m->sensor_type[sensor]) {
    case THUD_SENSOR_TENDONPOS:
        *to = drive->tendon_length[object];
        break;
    case THUD_SENSOR_TENDONVEL:
        *to = drive->tendon_velocity[object];
        break;
    case THUD_SENSOR_ACTUATORPOS:
        *to = drive->length[object];
        break;
    case THUD_SENSOR_ACTUATORVEL:
        *to = drive->velocity[object];
        break;
    default:
        tendon_limit(sim, object, sim->m->sensor_type[sensor] == THUD_SENSOR_TENDONLIMITVEL, to);
    }
}

static double read_energy(const thud_sim *sim, const thud_state *s, bool kinetic)
{
    const senses *n = sim->above.senses;
    const thud_energy e = thud_dynamics_energy(sim->m, s->qpos, s->qvel, n->d);
    const double tendons = sim->m->tendons > 0 ? thud_tendon_energy(sim->m, n->drive) : 0;
    return kinetic ? e.kinetic : e.potential + tendons;
}

static void read_sensor(thud_sim *sim, int sensor, const thud_state *s, double *to)
{
    THUD_ASSERT(sensor >= 0 && sensor < sim->m->sensors);
    const thud_model *m = sim->m;
    switch (m->sensor_type[sensor]) {
    case THUD_SENSOR_CLOCK:
        *to = s->time;
        break;
    case THUD_SENSOR_E_POTENTIAL:
    case THUD_SENSOR_E_KINETIC:
        *to = read_energy(sim, s, m->sensor_type[sensor] == THUD_SENSOR_E_KINETIC);
        break;
    case THUD_SENSOR_FRAMELINVEL:
    case THUD_SENSOR_FRAMEANGVEL:
        sense_frame_velocity(sim, sensor, to);
        break;
    case THUD_SENSOR_FRAMEPOS:
    case THUD_SENSOR_FRAMEQUAT:
    case THUD_SENSOR_FRAMEXAXIS:
    case THUD_SENSOR_FRAMEYAXIS:
    case THUD_SENSOR_FRAMEZAXIS:
        sense_frame_position(sim, sensor, to);
        break;
    case THUD_SENSOR_SUBTREECOM:
    case THUD_SENSOR_SUBTREELINVEL:
    case THUD_SENSOR_SUBTREEANGMOM:
        sense_subtree(sim, sensor, to);
        break;
    default:
        if (m->sensor_object_type[sensor] == THUD_OBJECT_JOINT) {
            read_joint(m, sensor, s, to);
        } else if (m->sensor_object_type[sensor] == THUD_OBJECT_SITE) {
            read_site(sim, sensor, to);
        } else {
            read_drive(sim, sensor, to);
        }
    }
}

// ---------------------------------------------------------------------------------------------- all

static void cut_off(const thud_model *m, int sensor, double *to)
{
    const int type = m->sensor_type[sensor];
    const double cutoff = m->sensor_cutoff[sensor];
    const bool direction =
        type == THUD_SENSOR_BALLQUAT || (type >= THUD_SENSOR_FRAMEQUAT && type <= THUD_SENSOR_FRAMEZAXIS);
    const bool positive = type == THUD_SENSOR_TOUCH || type == THUD_SENSOR_RANGEFINDER;
    for (int k = 0; cutoff > 0 && !direction && k < m->sensor_dim[sensor]; k++) {
        to[k] = thud_min(to[k], cutoff);
        to[k] = positive ? to[k] : thud_max(to[k], -cutoff);
    }
}

// The last step of this sim led to s.
bool senses_follow(const thud_sim *sim, const thud_state *s)
{
    return sim->above.felt_steps == s->steps && s->steps > 0 &&
           memcmp(sim->go.q_next, s->qpos, (size_t)s->nq * sizeof *s->qpos) == 0 &&
           memcmp(sim->go.v_next, s->qvel, (size_t)s->nv * sizeof *s->qvel) == 0;
}

thud_status senses_read(thud_sim *sim, const thud_state *s, double *reading)
{
    const thud_model *m = sim->m;
    senses *n = sim->above.senses;
    memset(reading, 0, (size_t)m->readings * sizeof *reading);
    if (!n) {
        return THUD_OK;
    }
    const thud_status status =
        !n->feels || senses_follow(sim, s) ? THUD_OK : moment_forward(sim, NULL, s, n->v);
    sim_see(sim, s);
    sense_place(sim, s->qpos, s->qvel);
    thud_geom_poses(m, n->X_wb, n->X_wg);
    if (n->drive) {
        thud_drive_place(m, s->qpos, n->d, n->drive);
        thud_drive_move(m, s->qvel, n->drive);
    }
    for (int i = 0; i < m->sensors; i++) {
        double *to = reading + m->sensor_at[i];
        if (is_felt(m->sensor_type[i])) {
            memcpy(to, n->mean + m->sensor_at[i], (size_t)m->sensor_dim[i] * sizeof *to);
        } else {
            read_sensor(sim, i, s, to);
        }
        cut_off(m, i, to);
    }
    return status;
}

// ---------------------------------------------------------------------------------------------- words

const char *thud_sensor_word(int sensor_type)
{
    static const char *const words[] = {
#define WORD(name, word, dim, object) word,
        THUD_SENSOR_LIST(WORD)
#undef WORD
    };
    return words[sensor_type];
}

const char *thud_sensor_unit(const thud_model *m, int sensor)
{
    const int object = m->sensor_object[sensor];
    const bool slides =
        m->sensor_object_type[sensor] == THUD_OBJECT_JOINT && m->joint_type[object] == THUD_JOINT_SLIDE;
    switch (m->sensor_type[sensor]) {
    case THUD_SENSOR_TOUCH:
    case THUD_SENSOR_FORCE:
        return "N";
    case THUD_SENSOR_TORQUE:
        return "N m";
    case THUD_SENSOR_ACCELEROMETER:
    case THUD_SENSOR_FRAMELINACC:
        return "m/s^2";
    case THUD_SENSOR_FRAMEANGACC:
        return "rad/s^2";
    case THUD_SENSOR_VELOCIMETER:
    case THUD_SENSOR_FRAMELINVEL:
    case THUD_SENSOR_SUBTREELINVEL:
        return "m/s";
    case THUD_SENSOR_GYRO:
    case THUD_SENSOR_BALLANGVEL:
    case THUD_SENSOR_FRAMEANGVEL:
        return "rad/s";
    case THUD_SENSOR_RANGEFINDER:
    case THUD_SENSOR_FRAMEPOS:
    case THUD_SENSOR_SUBTREECOM:
        return "m";
    case THUD_SENSOR_JOINTPOS:
    case THUD_SENSOR_JOINTLIMITPOS:
        return slides ? "m" : "rad";
    case THUD_SENSOR_JOINTVEL:
    case THUD_SENSOR_JOINTLIMITVEL:
        return slides ? "m/s" : "rad/s";
    case THUD_SENSOR_JOINTLIMITFRC:
    case THUD_SENSOR_JOINTACTUATORFRC:
        return slides ? "N" : "N m";
    case THUD_SENSOR_SUBTREEANGMOM:
        return "kg m^2/s";
    case THUD_SENSOR_E_POTENTIAL:
    case THUD_SENSOR_E_KINETIC:
        return "J";
    case THUD_SENSOR_CLOCK:
        return "s";
    default:
        return ""; // of tendons and actuators, which have their own; of directions
    }
}
