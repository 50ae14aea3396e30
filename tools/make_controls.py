#!/usr/bin/env python3
"""Prints what the robots of scenes/ are told to do, as tables that `thud run --ctrl` plays.

usage: tools/make_controls.py NAME >scenes/NAME.csv
       tools/make_controls.py                            lists the names
"""
import math
import sys


def smooth(s):
    """From 0 to 1 as s goes there, at rest at both ends and without a jerk at either."""
    s = min(max(s, 0), 1)
    return s * s * s * (10 + s * (6 * s - 15))


def table(columns, rows):
    """Rows of (time, controls ...), straight from row to row; those are left out that say the same as both their neighbours."""
    said = [",".join(f"{0.0 if abs(x) < 5e-5 else x:.4f}" for x in controls) for _, *controls in rows]
    keep = [k for k in range(len(rows)) if k in (0, len(rows) - 1) or not said[k - 1] == said[k] == said[k + 1]]
    return "".join(line + "\n" for line in ["time linear," + ",".join(columns)] + [f"{rows[k][0]:.3f},{said[k]}" for k in keep])


# ---------------------------------------------------------------------------------------------- the quadruped

THIGH = 0.2  # m, as long as the shin to the middle of the foot


def leg(x, z):
    """Angles of hip and knee that put the foot x ahead of the hip and z below it."""
    bend = math.acos(math.hypot(x, z) / (2 * THIGH))
    return bend - math.atan2(x, z), -2 * bend


def trot(rate=40, period=0.5, share=0.45, lift=0.05, stride=0.0093, begin=1, end=11):
    """Each diagonal pair of feet is lifted once a period, for `share` of it, and put down half a stride ahead; the two pairs half a period apart.
    The stride is what it takes not to walk: without, every step would push the trunk back by 4.5 mm."""
    feet = ["front_left", "front_right", "rear_left", "rear_right"]
    columns = [f"{foot}_{joint}" for foot in feet for joint in ("hip", "knee")]
    stance = 2 * THIGH * math.cos(0.8)

    def place(foot, time):
        phase = (time - begin) / period + (0 if foot in ("front_left", "rear_right") else 0.5)
        if not begin <= time < end or phase < 0.5 and foot in ("front_right", "rear_left"):
            return 0, stance
        s = phase % 1 / share
        if s < 1:
            return stride * (smooth(s) - 0.5), stance - lift * math.sin(math.pi * s) ** 2
        return stride * (0.5 - (phase % 1 - share) / (1 - share)), stance

    rows = []
    for k in range(rate * (end + 1) + 1):
        time = k / rate
        rows.append([time] + [angle for foot in feet for angle in leg(*place(foot, time))])
    return table(columns, rows)


# ---------------------------------------------------------------------------------------------- the arm

SHOULDER, UPPER, FORE, HAND = 0.26, 0.36, 0.32, 0.166  # m: height of the shoulder, lengths to elbow, wrist and between the pads


def reach(radius, height):
    """Angles of shoulder, elbow and pitch that put the pads there, pointing straight down."""
    up = height + HAND - SHOULDER
    way = math.hypot(radius, up)
    elbow = math.acos((way**2 - UPPER**2 - FORE**2) / (2 * UPPER * FORE))
    shoulder = math.atan2(radius, up) - math.acos((UPPER**2 + way**2 - FORE**2) / (2 * UPPER * way))
    return shoulder, elbow, math.pi - shoulder - elbow


def pick(rate=20):
    """From home over the box, down, close, up, round to the side and turn the hand; then hold."""
    home, above, at_box, lifted = (-0.5, 1.6, 0.9), reach(0.48, 0.36), reach(0.48, 0.245), reach(0.42, 0.42)
    stops = [  # reached at, s: yaw, shoulder, elbow, pitch, turn, grip
        (0.0, 0, *home, 0, 0), (0.4, 0, *home, 0, 0), (1.8, 0, *above, 0, 0), (2.8, 0, *at_box, 0, 0), (3.4, 0, *at_box, 0, 0.02),
        (3.8, 0, *at_box, 0, 0.02), (5.0, 0, *lifted, 0, 0.02), (6.8, 1.2, *lifted, 0.8, 0.02)]
    rows = []
    for (t0, *start), (t1, *end) in zip(stops, stops[1:]):
        for k in range(round(t0 * rate), round(t1 * rate)):
            s = smooth((k / rate - t0) / (t1 - t0))
            rows.append([k / rate] + [a + s * (b - a) for a, b in zip(start, end)])
    return table(["yaw", "shoulder", "elbow", "pitch", "turn", "grip"], rows + [list(stops[-1])])


# ---------------------------------------------------------------------------------------------- the person

def mass_ahead(shin, thigh, lean, arms):
    """How far the centre of mass is ahead of the ankles, m; angles from the vertical, all of them bending forward."""
    knee = 0.40 * math.sin(shin)
    hip = knee - 0.42 * math.sin(thigh)
    moments = [(2.0, 0.06), (7.2, knee - 0.18 * math.sin(shin)), (16.0, hip + 0.2 * math.sin(thigh))]
    moments += [(mass, hip + z * math.sin(lean) + x * math.cos(lean))
                for mass, x, z in ((11, 0, 0.05), (8, 0, 0.2), (16, 0, 0.37), (5, 0.02, 0.67))]
    shoulder = hip + 0.43 * math.sin(lean)
    moments += [(2 * mass, shoulder + z * math.sin(arms)) for mass, z in ((2.1, 0.145), (1.3, 0.415), (0.5, 0.6))]
    return sum(mass * x for mass, x in moments) / sum(mass for mass, _ in moments)


def squat_pose(depth):
    """Joints at a depth from 0, standing, to 1: the trunk leans so that the centre of mass stays over the same place of the soles."""
    shin, thigh, arms = math.radians(24) * depth, math.radians(66) * depth, math.radians(85) * depth
    low, high = -0.5, 1.5
    for _ in range(60):
        lean = (low + high) / 2
        ahead = mass_ahead(shin, thigh, lean, arms) > mass_ahead(0, 0, 0, 0) + 0.04 * depth
        low, high = (low, lean) if ahead else (lean, high)
    return thigh + lean, -shin - thigh, shin, arms + lean, 0.3 * lean


def squat(rate=20):
    """Down in 1.6 s, a moment there, up again; twice."""
    columns = [f"{joint}_{side}" for joint in ("hip_swing", "knee", "ankle", "shoulder_swing") for side in ("left", "right")]
    rows = []
    for k in range(9 * rate + 1):
        time = k / rate
        s = (time - 0.5) % 4 if 0.5 <= time < 8.5 else 0
        pose = squat_pose(smooth(s / 1.6) - smooth((s - 2) / 1.6))
        rows.append([time] + [angle for angle in pose[:4] for _ in range(2)] + [pose[4]])
    return table(columns + ["neck"], rows)


CONTROLS = {"trot": trot, "pick": pick, "squat": squat}

if len(sys.argv) != 2 or sys.argv[1] not in CONTROLS:
    sys.exit(f"usage: {sys.argv[0]} {'|'.join(CONTROLS)}")
sys.stdout.write(CONTROLS[sys.argv[1]]())
