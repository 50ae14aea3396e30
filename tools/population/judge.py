"""What is wrong with a recorded run. Each measure takes the recorded states and the judge's own model of the scene (oracle.py)."""
import dataclasses
import math

import numpy as np

from . import measures

# The doubts of the program that answer for a kind of fault: a word of the doubt's kind is enough.
ANSWERS = {
    "not finite": ("finite",),
    "passed through": ("side", "passed", "tunnel", "swept", "projection", "speed"),
    "teleported": ("projection", "speed", "energy", "overlap", "part"),
    "energy": ("energy", "projection", "gain", "newton"),
    "overlap": ("overlap", "penetration", "part", "side"),
    "joint": ("drift", "joint", "limit", "loop"),
    "law of motion": ("motion", "momentum", "law"),
    "restitution": ("restitution", "gain", "energy"),
    "friction": ("friction", "slip", "unique"),
    "recording": (),
    "motion": ("side", "passed", "spin", "error", "energy", "motion"),
}


@dataclasses.dataclass
class Fault:
    """A kind of ANSWERS; the value and the limit it is above; when; between what."""
    kind: str
    value: float
    limit: float
    time: float
    where: str

    def as_json(self):
        value = self.value if math.isfinite(self.value) else repr(self.value)
        return {"kind": self.kind, "value": value, "limit": self.limit, "time": self.time, "where": self.where}


def answered(fault, doubts):
    """Whether a doubt of the same kind was raised, of any grade but a note. What a recording leaves out is no fault of the motion."""
    if fault.kind == "recording":
        return True
    words = ANSWERS[fault.kind]
    return any(any(w in str(d.get("kind", "")).lower().replace("_", " ") for w in words) for d in doubts if d.get("grade") != "note")


def judge(world, rec, ran, case):
    """All faults of a recording."""
    bad = ~(np.isfinite(rec.qpos).all(axis=1) & np.isfinite(rec.qvel).all(axis=1))
    if bad.any():
        row = int(np.argmax(bad))
        return [Fault("not finite", math.inf, 0.0, float(rec.time[row]), "positions or velocities")]
    if not world.place(rec, 0):
        return []
    facts = case.facts
    found = []
    found += measures.passed_or_teleported(world, rec, case)
    found += measures.overlaps(world, rec, facts.get("overlap_share", 1e-3))
    found += measures.joints(world, rec, facts.get("loop_limit", 1e-6))
    if facts.get("energy", True):
        found += measures.energy(world, rec, facts.get("energy_share", 0.02), facts.get("driven", world.m.nu > 0))
    found += measures.momentum(world, rec, case)
    return [Fault(*f) for f in found]
