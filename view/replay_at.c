// SPDX-License-Identifier: Apache-2.0
// replay_at.c: the moments between a run's frames, as web/src/run.js has them.
#include <math.h>

#include <thud/spatial_inline.h>

#include "replay.h"

int replay_frame_at(const replay *r, double time)
{
    int low = 0, high = r->frames - 1;
    while (low < high) {
        const int middle = (low + high + 1) / 2;
        if ((double)r->time.at[middle] <= time) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

static thud_pose pose_of(const float *p)
{
    return (thud_pose){{(double)p[3], (double)p[4], (double)p[5], (double)p[6]},
                       {(double)p[0], (double)p[1], (double)p[2]}};
}

static thud_pose between(thud_pose a, thud_pose b, double s)
{
    const double same = a.q.w * b.q.w + a.q.x * b.q.x + a.q.y * b.q.y + a.q.z * b.q.z < 0 ? -s : s,
                 rest = 1 - s;
    const quat q = {rest * a.q.w + same * b.q.w, rest * a.q.x + same * b.q.x, rest * a.q.y + same * b.q.y,
                    rest * a.q.z + same * b.q.z};
    return (thud_pose){q_normalize(q), v3_axpy(s, v3_sub(b.p, a.p), a.p)};
}

void replay_poses_at(const replay *r, double time, thud_pose *X_wb)
{
    const int frame = replay_frame_at(r, time), next = frame + 1 < r->frames ? frame + 1 : frame;
    const double t0 = (double)r->time.at[frame], span = (double)r->time.at[next] - t0;
    const double s = span > 0 ? fmin(fmax((time - t0) / span, 0), 1) : 0;
    const size_t row = (size_t)r->moving * REPLAY_POSE;
    for (int i = 0; i < r->moving; i++) {
        const float *a = r->pose.at + (size_t)frame * row + (size_t)i * REPLAY_POSE,
                    *b = r->pose.at + (size_t)next * row + (size_t)i * REPLAY_POSE;
        X_wb[r->body[i]] = between(pose_of(a), pose_of(b), s);
    }
}

int replay_contacts_at(const replay *r, int frame, const float **contact)
{
    const size_t first = (size_t)r->start.at[frame];
    const size_t end =
        frame + 1 < r->frames ? (size_t)r->start.at[frame + 1] : r->contact.count / REPLAY_CONTACT;
    *contact = r->contact.at ? r->contact.at + first * REPLAY_CONTACT : NULL;
    return (int)(end - first);
}
