# SPDX-License-Identifier: Apache-2.0
"""Parts of a model by name: ``m.body("cube").mass``, ``m.geom["floor"].friction``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import did_you_mean

if TYPE_CHECKING:
    from .model import Model

KINDS = {"body": 0, "joint": 1, "geom": 2, "site": 3, "key": 4, "equality": 5, "tendon": 6, "actuator": 7, "sensor": 8}
PREFIX = {"equality": "eq"}

# What is part of a longer row: of a pose (quaternion, then position), of an inertia (mass, centre, xx yy zz xy xz yz).
PIECES: dict[tuple[str, str], tuple[str, slice | int, str]] = {
    ("body", "quat"): ("body_pose", slice(0, 4), "frame in the parent's: quaternion w x y z"),
    ("body", "pos"): ("body_pose", slice(4, 7), "frame in the parent's: position, m"),
    ("body", "mass"): ("body_inertia", 0, "kg"),
    ("body", "com"): ("body_inertia", slice(1, 4), "centre of mass in the body frame, m"),
    ("body", "inertia"): ("body_inertia", slice(4, 10), "about the centre of mass: xx yy zz xy xz yz, kg m^2"),
    ("geom", "quat"): ("geom_pose", slice(0, 4), "frame in the body's: quaternion w x y z"),
    ("geom", "pos"): ("geom_pose", slice(4, 7), "frame in the body's: position, m"),
    ("geom", "size"): ("geom_shape", slice(0, 3), "half lengths and radii, m"),
    ("site", "quat"): ("site_pose", slice(0, 4), "frame in the body's: quaternion w x y z"),
    ("site", "pos"): ("site_pose", slice(4, 7), "frame in the body's: position, m"),
}


class Part:
    """One body, joint, geom ... of a model. Its values are those of the model's arrays (`m.geom_friction[i]`) and read-only."""

    __slots__ = ("model", "kind", "id")

    def __init__(self, model: Model, kind: str, id: int) -> None:
        self.model, self.kind, self.id = model, kind, id

    @property
    def name(self) -> str | None:
        return self.model.names(self.kind)[self.id]

    def __getattr__(self, word: str) -> Any:
        piece = PIECES.get((self.kind, word))
        if piece:
            return getattr(self.model, piece[0])[self.id][piece[1]]
        array = self.model._array(f"{PREFIX.get(self.kind, self.kind)}_{word}") if not word.startswith("_") else None
        if array is None:
            raise AttributeError(f"a {self.kind} has no '{word}'.{did_you_mean(word, self._words())}")
        return array[self.id]

    def _words(self) -> list[str]:
        prefix = PREFIX.get(self.kind, self.kind) + "_"
        own = [name[len(prefix):] for name in self.model._array_names() if name.startswith(prefix)]
        return sorted({*own, *(word for kind, word in PIECES if kind == self.kind)} - {"name"}) + ["name", "id"]

    def __dir__(self) -> list[str]:
        return self._words()

    def __index__(self) -> int:
        return self.id

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Part) and (self.model, self.kind, self.id) == (other.model, other.kind, other.id)

    def __hash__(self) -> int:
        return hash((self.kind, self.id))

    def __repr__(self) -> str:
        name = f" '{self.name}'" if self.name else ""
        told = {"body": ("mass",), "joint": ("type", "range"), "geom": ("type", "size", "friction"), "site": (),
                "sensor": ("type", "dim"), "actuator": ("ctrlrange",)}.get(self.kind, ())
        with np.printoptions(precision=4, suppress=True):
            values = "".join(f", {word} {getattr(self, word)}" for word in told)
        return f"<{self.kind} {self.id}{name}{values}>"


class Parts:
    """All bodies (joints, geoms ...) of a model: by name or number, called or indexed."""

    __slots__ = ("model", "kind")

    def __init__(self, model: Model, kind: str) -> None:
        self.model, self.kind = model, kind

    def id(self, which: str | int | Part) -> int:
        """The number of what is named (a number stays itself). KeyError, with what was perhaps meant, where there is none."""
        if isinstance(which, Part):
            return which.id
        if isinstance(which, str):
            found = self.model._c.find(KINDS[self.kind], which)
            if found < 0:
                raise KeyError(f"no {self.kind} is called '{which}'.{did_you_mean(which, self.names)}")
            return found
        count, number = len(self), int(which)
        if not -count <= number < count:
            raise IndexError(f"{self.kind} {number}: there are {count}")
        return number % count

    @property
    def names(self) -> list[str | None]:
        return self.model.names(self.kind)

    def __call__(self, which: str | int) -> Part:
        return Part(self.model, self.kind, self.id(which))

    __getitem__ = __call__

    def __contains__(self, which: object) -> bool:
        return which in self.names

    def __iter__(self) -> Iterator[Part]:
        return (Part(self.model, self.kind, i) for i in range(len(self)))

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        named = [name for name in self.names if name]
        shown = ", ".join(repr(name) for name in named[:12]) + (", ..." if len(named) > 12 else "")
        return f"<{len(self)} of kind {self.kind}: {shown}>"
