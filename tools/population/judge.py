"""What is wrong with a recorded run. Each measure takes the recorded states and the judge's own model of the scene (oracle.py)."""
import dataclasses
import math

import numpy as np

from . import measures

# The doubts of the program that answer for a kind of fault.
ANSWERS = {
    "not finite": (),
    "passed through": ("passed", "moved-too-far"),
    "teleported": ("moved-too-far", "speed-without-cause"),
    "energy": ("energy-from-nowhere", "energy-left-over", "impact-gain", "moved-too-far"),
    "overlap": ("penetration", "cannot-part"),
    "joint": ("drift", "limit"),
    "law of motion": ("law-of-motion", "law-of-contact", "speed-without-cause"),
    "restitution": ("impact-gain", "impact-cap", "energy-from-nowhere", "energy-left-over"),
    "friction": ("law-of-contact", "law-of-motion", "not-unique", "truncation", "spin"),
    "motion": ("passed", "law-of-contact", "law-of-motion", "spin", "truncation", "energy-left-over", "energy-from-nowhere"),
}
TOLD = ("recording", "order", "slower")  # what a recording leaves out and what a table shows is no silent fault of the motion


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
    """Whether a doubt of the same kind was raised. Of the notes, only the two that name what is wrong count."""
    return fault.kind in TOLD or any(d.get("kind") in ANSWERS[fault.kind] for d in doubts
                                     if d.get("grade") != "note" or d.get("kind") in ("cannot-part", "impact-cap"))


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
