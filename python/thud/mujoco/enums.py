# SPDX-License-Identifier: Apache-2.0
"""MuJoCo's enumerations, as far as scripts name them."""

from __future__ import annotations

import enum
from typing import Any


def _enum(name: str, prefix: str, words: str, start: int = 0) -> Any:
    return enum.IntEnum(name, {f"{prefix}{word}": start + i for i, word in enumerate(words.split())})


def _flags(name: str, members: dict[str, int]) -> Any:
    return enum.IntFlag(name, list(members.items()))


mjtObj: Any = enum.IntEnum("mjtObj", {
    "mjOBJ_UNKNOWN": 0, "mjOBJ_BODY": 1, "mjOBJ_XBODY": 2, "mjOBJ_JOINT": 3, "mjOBJ_DOF": 4, "mjOBJ_GEOM": 5, "mjOBJ_SITE": 6,
    "mjOBJ_CAMERA": 7, "mjOBJ_LIGHT": 8, "mjOBJ_FLEX": 9, "mjOBJ_MESH": 10, "mjOBJ_SKIN": 11, "mjOBJ_HFIELD": 12, "mjOBJ_TEXTURE": 13,
    "mjOBJ_MATERIAL": 14, "mjOBJ_PAIR": 15, "mjOBJ_EXCLUDE": 16, "mjOBJ_EQUALITY": 17, "mjOBJ_TENDON": 18, "mjOBJ_ACTUATOR": 19,
    "mjOBJ_SENSOR": 20, "mjOBJ_NUMERIC": 21, "mjOBJ_TEXT": 22, "mjOBJ_TUPLE": 23, "mjOBJ_KEY": 24, "mjOBJ_PLUGIN": 25})
mjtJoint: Any = _enum("mjtJoint", "mjJNT_", "FREE BALL SLIDE HINGE")
mjtGeom: Any = _enum("mjtGeom", "mjGEOM_", "PLANE HFIELD SPHERE CAPSULE ELLIPSOID CYLINDER BOX MESH SDF")
mjtIntegrator: Any = _enum("mjtIntegrator", "mjINT_", "EULER RK4 IMPLICIT IMPLICITFAST")
mjtCone: Any = _enum("mjtCone", "mjCONE_", "PYRAMIDAL ELLIPTIC")
mjtSolver: Any = _enum("mjtSolver", "mjSOL_", "PGS CG NEWTON")
mjtEq: Any = _enum("mjtEq", "mjEQ_", "CONNECT WELD JOINT TENDON")
mjtTrn: Any = _enum("mjtTrn", "mjTRN_", "JOINT JOINTINPARENT SLIDERCRANK TENDON SITE BODY")
mjtCamera: Any = _enum("mjtCamera", "mjCAMERA_", "FREE TRACKING FIXED USER")
mjtState: Any = _flags("mjtState", {
    "mjSTATE_TIME": 1, "mjSTATE_QPOS": 2, "mjSTATE_QVEL": 4, "mjSTATE_ACT": 8, "mjSTATE_CTRL": 32, "mjSTATE_QFRC_APPLIED": 64,
    "mjSTATE_XFRC_APPLIED": 128, "mjSTATE_MOCAP_POS": 512, "mjSTATE_MOCAP_QUAT": 1024, "mjSTATE_PHYSICS": 14, "mjSTATE_FULLPHYSICS": 15})
mjtDisableBit: Any = _flags("mjtDisableBit", {
    f"mjDSBL_{word}": 1 << i for i, word in enumerate(
        "CONSTRAINT EQUALITY FRICTIONLOSS LIMIT CONTACT PASSIVE GRAVITY CLAMPCTRL WARMSTART FILTERPARENT ACTUATION".split())})
