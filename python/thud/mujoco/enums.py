# SPDX-License-Identifier: Apache-2.0
"""MuJoCo's enumerations, as far as scripts name them."""

from __future__ import annotations

import enum


def _enum(name: str, prefix: str, words: str, start: int = 0) -> type[enum.IntEnum]:
    return enum.IntEnum(name, {f"{prefix}{word}": start + i for i, word in enumerate(words.split())})  # type: ignore[return-value]


mjtObj = enum.IntEnum("mjtObj", {  # type: ignore[misc]
    "mjOBJ_UNKNOWN": 0, "mjOBJ_BODY": 1, "mjOBJ_XBODY": 2, "mjOBJ_JOINT": 3, "mjOBJ_DOF": 4, "mjOBJ_GEOM": 5, "mjOBJ_SITE": 6,
    "mjOBJ_CAMERA": 7, "mjOBJ_LIGHT": 8, "mjOBJ_FLEX": 9, "mjOBJ_MESH": 10, "mjOBJ_SKIN": 11, "mjOBJ_HFIELD": 12, "mjOBJ_TEXTURE": 13,
    "mjOBJ_MATERIAL": 14, "mjOBJ_PAIR": 15, "mjOBJ_EXCLUDE": 16, "mjOBJ_EQUALITY": 17, "mjOBJ_TENDON": 18, "mjOBJ_ACTUATOR": 19,
    "mjOBJ_SENSOR": 20, "mjOBJ_NUMERIC": 21, "mjOBJ_TEXT": 22, "mjOBJ_TUPLE": 23, "mjOBJ_KEY": 24, "mjOBJ_PLUGIN": 25})
mjtJoint = _enum("mjtJoint", "mjJNT_", "FREE BALL SLIDE HINGE")
mjtGeom = _enum("mjtGeom", "mjGEOM_", "PLANE HFIELD SPHERE CAPSULE ELLIPSOID CYLINDER BOX MESH SDF")
mjtIntegrator = _enum("mjtIntegrator", "mjINT_", "EULER RK4 IMPLICIT IMPLICITFAST")
mjtCone = _enum("mjtCone", "mjCONE_", "PYRAMIDAL ELLIPTIC")
mjtSolver = _enum("mjtSolver", "mjSOL_", "PGS CG NEWTON")
mjtEq = _enum("mjtEq", "mjEQ_", "CONNECT WELD JOINT TENDON")
mjtTrn = _enum("mjtTrn", "mjTRN_", "JOINT JOINTINPARENT SLIDERCRANK TENDON SITE BODY")
mjtCamera = _enum("mjtCamera", "mjCAMERA_", "FREE TRACKING FIXED USER")
mjtState = enum.IntFlag("mjtState", {  # type: ignore[misc]
    "mjSTATE_TIME": 1, "mjSTATE_QPOS": 2, "mjSTATE_QVEL": 4, "mjSTATE_ACT": 8, "mjSTATE_CTRL": 32, "mjSTATE_QFRC_APPLIED": 64,
    "mjSTATE_XFRC_APPLIED": 128, "mjSTATE_MOCAP_POS": 512, "mjSTATE_MOCAP_QUAT": 1024, "mjSTATE_PHYSICS": 14, "mjSTATE_FULLPHYSICS": 15})
mjtDisableBit = enum.IntFlag("mjtDisableBit", {  # type: ignore[misc]
    f"mjDSBL_{word}": 1 << i for i, word in enumerate(
        "CONSTRAINT EQUALITY FRICTIONLOSS LIMIT CONTACT PASSIVE GRAVITY CLAMPCTRL WARMSTART FILTERPARENT ACTUATION".split())})
