# SPDX-License-Identifier: Apache-2.0
"""What a step did: contacts and doubts, with names."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .model import Model


@dataclasses.dataclass(frozen=True, slots=True)
class Doubt:
    """What of a run is wrong, too coarse, or worth knowing. docs/failed-step.md says of each kind what it means."""

    kind: str  #: one word: "penetration"
    grade: str  #: "note", "coarse" (the step is too large for this motion) or "wrong" (the result is not what the law says)
    text: str  #: a sentence
    place: str  #: "body 'foot' and body 'floor', geoms 'sole' and 3"; "" for nowhere in particular
    unit: str  #: of its values; "": they are parts of something
    body: tuple[int, int]
    geom: tuple[int, int]
    joint: int
    equality: int
    tendon: int
    count: int  #: of steps
    first_time: float  #: s
    first_value: float
    worst_time: float  #: s
    worst_value: float
    limit: float  #: above which a value is doubted

    def __str__(self) -> str:
        unit = f" {self.unit}" if self.unit else ""
        where = f" ({self.place})" if self.place else ""
        steps = f"{self.count} steps, worst" if self.count > 1 else "one step,"
        return f"{self.grade}: {self.kind}: {self.text}{where}: {steps} {self.worst_value:.3g}{unit} at {self.worst_time:.6g} s"


@dataclasses.dataclass(frozen=True, slots=True)
class Contact:
    """What a contact carried in a step. Forces are means over the step, N; of a collision, which takes no time, they are NaN."""

    geom1: int
    geom2: int
    body1: int
    body2: int
    name1: str  #: of the geom, or else of its body
    name2: str
    point: NDArray[np.float64]  #: m, world
    normal: NDArray[np.float64]  #: world, unit, from 1 to 2
    impulse: NDArray[np.float64]  #: N s, on body 2 (the opposite on body 1), world
    force: NDArray[np.float64]  #: N, likewise
    normal_force: float  #: N
    friction_force: float  #: N
    friction: tuple[float, float]  #: sliding coefficients that held in this step
    used: float  #: share of that friction in use: 1 where it is all there is
    slip: float  #: m/s, speed of one surface along the other at the step's start
    slides: bool
    unique: bool | None  #: False: W leaves this force open, and it is one choice of many; None: not looked into (over 600 rows)
    duration: float  #: s that the impulse took; 0: a collision

    def __str__(self) -> str:
        how = "slides" if self.slides else "sticks"
        choice = ", one choice of many" if self.unique is False else ""
        return (f"{self.name2} on {self.name1}: normal {self.normal_force:.4g} N, friction {self.friction_force:.4g} N, "
                f"{100 * self.used:.0f} % of what it could be, {how}{choice}")


def doubts(told: list[tuple]) -> list[Doubt]:
    return [Doubt(*entry) for entry in told]


def _free_rows(problem: list[tuple]) -> list[NDArray[np.bool_] | None]:
    """Of each island: the rows whose impulse W alone leaves open, as far as those rows that carry something go."""
    answer: list[NDArray[np.bool_] | None] = []
    for W, b, _, p, *_ in problem:
        n = len(b) // 8
        matrix, impulse = np.frombuffer(W).reshape(n, n).T, np.frombuffer(p)
        if n > 600:  # too large to look into
            answer.append(None)
            continue
        carries = np.flatnonzero(impulse != 0)
        open_rows = np.zeros(n, bool)
        if carries.size:
            value, vector = np.linalg.eigh(matrix[np.ix_(carries, carries)])
            null = vector[:, value <= 1e-10 * max(value[-1], 0)]
            open_rows[carries] = np.abs(null).max(axis=1, initial=0) > 1e-6
        answer.append(open_rows)
    return answer


def contacts(model: Model, sim: Any) -> list[Contact]:
    """Of the last contact problem that a sim solved."""
    touches = sim.touches()
    free = _free_rows(sim.problem()) if touches else []
    geoms, bodies = model.names("geom"), model.names("body")

    def name(geom: int, body: int) -> str:
        return geoms[geom] or bodies[body] or ("world" if body == 0 else f"body {body}")

    def unique(island: int, row: int, dim: int) -> bool | None:
        rows = free[island]
        return None if rows is None else not rows[row:row + dim].any()

    answer = []
    for (g1, g2, b1, b2, point, normal, impulse, pn, pt, mu, used, slip, slides, duration, island, row, dim) in touches:
        rate = 1 / duration if duration > 0 else np.nan
        answer.append(Contact(g1, g2, b1, b2, name(g1, b1), name(g2, b2), np.array(point), np.array(normal), np.array(impulse),
                              np.array(impulse) * rate, pn * rate, pt * rate, mu, used, slip, slides,
                              unique(island, row, dim), duration))
    return answer
