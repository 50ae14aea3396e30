# SPDX-License-Identifier: Apache-2.0
"""Models: what never changes in a run."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core, look
from .errors import BadArgument, LoadError, did_you_mean
from .names import KINDS, Part, Parts
from .state import State, _numbers

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from .run import Run
    from .sim import Sim

_ARRAYS: dict[str, tuple[str, str, str]] = {}  # name: (type, length, meaning)


def _arrays() -> dict[str, tuple[str, str, str]]:
    if not _ARRAYS:
        _ARRAYS.update({name: (type, length, meaning) for type, name, length, meaning in _core.array_names()})
    return _ARRAYS


def load(source: str | os.PathLike[str] | Mapping[str, str | bytes], *, name: str | None = None, floating_base: bool = False,
         strict: bool = False, packages: str | Sequence[str] | None = None) -> Model:
    """A model from MJCF or URDF: a path, the text itself (what begins with ``<``), or a dict of files by name, the scene first.

    name: stands for a text in messages, and its folder is where other files are looked up; of a dict, which of the files is the
    scene. Of a dict nothing is read from the file system. floating_base: a URDF's root link moves freely. strict: what a URDF leaves
    open or has wrong is an error, not a note. packages: folders that hold ROS packages.

    Raises LoadError (``file:line:column: sentence``)."""
    folders = packages if isinstance(packages, str) or packages is None else ":".join(os.fspath(p) for p in packages)
    files: dict[str, bytes] | None = None
    text, path = None, None
    if isinstance(source, Mapping):
        files = {os.path.normpath(key): value.encode() if isinstance(value, str) else bytes(memoryview(value)) for key, value in source.items()}
        if not files:
            raise BadArgument("no file is given")
        path = title = os.path.normpath(name) if name is not None else next(iter(files))
    elif isinstance(source, str) and source.lstrip()[:1] == "<":
        text, title = source, name or "string.xml"
    else:
        path = title = os.fspath(source)
    model = Model(_core.load(path, text, title, floating_base, strict, folders, files), title)
    model._files = files
    return model


class Model:
    """A mechanism: bodies, joints, geoms, sites, actuators, sensors. Made by :func:`load`; never changes; shared by all threads.

    Parts by name: ``m.body("cube").mass``, ``m.geom["floor"].friction``. Arrays of all parts: ``m.geom_friction`` (read-only views;
    ``m.describe("geom_friction")`` says what is in it).
    """

    _sizes: dict[str, Any]
    body: Parts
    joint: Parts
    geom: Parts
    site: Parts
    key: Parts
    equality: Parts
    tendon: Parts
    actuator: Parts
    sensor: Parts

    def __init__(self, core: Any, path: str, base: Model | None = None, settings: Mapping[str, ArrayLike] | None = None) -> None:
        self._c, self.path = core, path
        self._base, self._settings = base, dict(settings or {})
        self._sizes = core.sizes()
        self._names: dict[str, list[str | None]] = {}
        for kind in KINDS:
            setattr(self, kind, Parts(self, kind))
        self._files: dict[str, bytes] | None = None
        self._scratch: Any = None
        self._look: Any = None

    # ------------------------------------------------------------------------------------------ sizes

    @property
    def nq(self) -> int:
        """Positions."""
        return self._sizes["nq"]

    @property
    def nv(self) -> int:
        """Velocities."""
        return self._sizes["nv"]

    @property
    def nu(self) -> int:
        """Controls, one an actuator."""
        return self._sizes["nu"]

    @property
    def na(self) -> int:
        """Activations."""
        return self._sizes["na"]

    @property
    def nsensordata(self) -> int:
        """Numbers that all sensors give together."""
        return self._sizes["readings"]

    @property
    def dt(self) -> float:
        """The scene's own step, s."""
        return self._sizes["timestep"]

    @property
    def gravity(self) -> NDArray[np.float64]:
        """m/s^2."""
        return np.array(self._sizes["gravity"])

    @property
    def total_mass(self) -> float:
        """kg."""
        return self._sizes["total_mass"]

    @property
    def hash(self) -> int:
        """Of all that follows from the file; equal on every machine."""
        return self._sizes["hash"]

    @property
    def name(self) -> str:
        return self._c.title() or os.path.splitext(os.path.basename(self.path))[0]

    def names(self, kind: str) -> list[str | None]:
        """Of all bodies, joints, ...; None for what has none."""
        if kind not in self._names:
            if kind not in KINDS:
                raise BadArgument(f"there is no kind '{kind}'.{did_you_mean(kind, KINDS)}")
            self._names[kind] = self._c.names(KINDS[kind])
        return self._names[kind]

    # ------------------------------------------------------------------------------------------ arrays

    def _array(self, name: str) -> NDArray | None:
        found = self.__dict__.get(name)
        if found is None:
            view = self._c.array(name)
            if view is None:
                return None
            found = np.asarray(view)
            self.__dict__[name] = found
        return found

    def _array_names(self) -> list[str]:
        return [name for name in _arrays() if name != "names"]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        found = self._array(name)
        if found is None:
            raise AttributeError(f"a model has no '{name}'.{did_you_mean(name, dir(self))}")
        return found

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._array_names()})

    def describe(self, array: str) -> str:
        """What is in an array of the model, with units."""
        if array not in _arrays():
            raise KeyError(f"a model has no array '{array}'.{did_you_mean(array, _arrays())}")
        type, length, meaning = _arrays()[array]
        return f"{array} ({type.removeprefix('thud_')} x {length}): {meaning}"

    @property
    def notes(self) -> list[str]:
        """What the loader tells of the file: what is only drawn, not simulated, or was put right."""
        return [f"{kind}: {what}: {why}" + (f" ({file}:{line}" + (f", {count} times)" if count > 1 else ")") if file else "")
                for kind, what, why, file, line, column, count in self._c.notes()]

    # ------------------------------------------------------------------------------------------ variants

    def vary(self, settings: Mapping[str, ArrayLike]) -> Model:
        """This model with other numbers: ``m.vary({"geom/floor.friction": 0.3, "body/torso.mass": 12, "option.timestep": 0.001})``.

        It is what the same file with these numbers in it would have become, to the bit, and shares meshes with this one. A name may
        be a pattern with * and ?; where fewer numbers are given than the attribute has, the others stay. docs/python.md lists the
        attributes. Raises BadArgument, with what was likely meant."""
        entries = [(name, np.ascontiguousarray(np.atleast_1d(value), dtype=np.float64)) for name, value in settings.items()]
        root = self._root()
        merged = {**{name: value for name, value in self._settings.items() if name not in settings}, **dict(entries)}
        return Model(self._c.vary(entries), self.path, root, merged)

    def _root(self) -> Model:
        """The model that was loaded. Settings of a variant of a variant are merged in the order they were made."""
        return self if self._base is None else self._base

    def setting(self, name: str) -> NDArray[np.float64]:
        """The numbers of a setting's name here: ``m.setting("geom/floor.friction")``."""
        return np.frombuffer(self._c.setting(name)).copy()

    # ------------------------------------------------------------------------------------------ making

    def state(self, key: str | int | None = None) -> State:
        """A state in the reference pose, or in a keyframe by name or number."""
        state = State(self)
        if key is not None:
            state.reset(key)
        return state

    def sim(self, **options: Any) -> Sim:
        """A sim. Options (the scene's own wishes where they are not given): dt (s), tolerance, integrator, law, solver, threads,
        restitution, scheme="event-driven" ...: ``thud.option_names()`` lists all, docs/python.md says what they are."""
        from .sim import Sim

        return Sim(self, **options)

    def simulate(self, state: State | None = None, seconds: float | None = None, **options: Any) -> Run:
        """A run of so many seconds, step by step: ``with m.simulate(s, seconds=5) as run: for step in run: ...``. See :class:`Run`."""
        from .run import Run

        return Run(self, self.state() if state is None else state, seconds, **options)

    # ------------------------------------------------------------------------------------------ questions

    def _dynamics(self, state: State) -> Any:
        scratch, self._scratch = self._scratch, None  # two threads never share it
        scratch = scratch or _core.Dynamics(self._c)
        scratch.place(state._c)
        return scratch

    def _own_sim(self) -> Any:
        own, self._look = self._look, None
        return own or self.sim()

    def contacts(self, state: State, **options: Any) -> list[look.Contact]:
        """Who touches whom at `state`, with which force: of one step begun there, by a sim of these options. The state is not
        changed. What the last step of a sim of yours found is told by `sim.contacts()`."""
        sim = self.sim(**options) if options else self._own_sim()
        sim.step(state.copy())
        answer = sim.contacts()
        self._look = None if options else sim
        return answer

    def mass_matrix(self, state: State) -> NDArray[np.float64]:
        """M (nv x nv), armature included."""
        d = self._dynamics(state)
        M = np.frombuffer(d.mass()).reshape(self.nv, self.nv)
        self._scratch = d
        return M

    def bias(self, state: State) -> NDArray[np.float64]:
        """Joint forces (nv) of weight, Coriolis and centrifugal terms: M qacc + bias = applied forces."""
        return self.newton_euler(state, None)

    def newton_euler(self, state: State, qacc: ArrayLike | None) -> NDArray[np.float64]:
        """M qacc + bias, by recursion. Contact, springs and actuators are not in it: :meth:`Sim.inverse` has them."""
        d = self._dynamics(state)
        tau = np.frombuffer(d.rnea(_numbers(qacc)))
        self._scratch = d
        return tau

    def _place_of(self, d: Any, what: str | int | Part, point: ArrayLike | None) -> tuple[int, NDArray[np.float64]]:
        """The body that a body, site or geom is fixed to, and a point (world): the given one, or the part's origin."""
        if not isinstance(what, Part):
            parts = next((p for p in (self.body, self.site, self.geom) if not isinstance(what, str) or what in p), self.body)
            what = parts(what)
        first = {"body": 0, "geom": len(self.body), "site": len(self.body) + len(self.geom)}
        if what.kind not in first:
            raise BadArgument(f"a {what.kind} has no place: a body, geom or site is wanted")
        body = what.id if what.kind == "body" else int(self._array(f"{what.kind}_body")[what.id])  # type: ignore[index]
        if point is not None:
            return body, _numbers(point)
        return body, np.asarray(d.poses())[first[what.kind] + what.id, 4:].copy()

    def jacobian(self, state: State, part: str | int | Part, point: ArrayLike | None = None) -> NDArray[np.float64]:
        """J (6 x nv) of a body, site or geom (by name; a number is a body's): velocity of a point fixed to it (its origin, or
        `point` of the world), then its angular velocity, both along the world's axes."""
        d = self._dynamics(state)
        body, at = self._place_of(d, part, point)
        J = np.frombuffer(d.jacobian(body, at)).reshape(6, self.nv)
        self._scratch = d
        return np.concatenate([J[3:], J[:3]])

    def operational_inertia(self, state: State, part: str | int | Part, rows: Any = slice(None)) -> NDArray[np.float64]:
        """Lambda = (J M^-1 J^T)^-1 of a body, site or geom: what it weighs to a push there. rows: of the Jacobian, e.g. slice(3)
        for translation alone. Raises numpy.linalg.LinAlgError where some direction cannot move at all."""
        J = self.jacobian(state, part)[rows]
        response = J @ np.linalg.solve(self.mass_matrix(state), J.T)
        size = np.abs(response).max(initial=0)
        if not np.linalg.eigvalsh(response).min(initial=np.inf) > 1e-12 * size:
            raise np.linalg.LinAlgError("the part cannot move in every one of these directions: choose rows")
        return np.linalg.inv(response)

    def joint_force(self, state: State, part: str | int | Part, force: ArrayLike = (0, 0, 0), torque: ArrayLike = (0, 0, 0),
                    point: ArrayLike | None = None) -> NDArray[np.float64]:
        """The joint forces (nv) of a force (N, world) at a point of a body and a torque (N m): the `tau` of a step."""
        d = self._dynamics(state)
        body, at = self._place_of(d, part, point)
        tau = np.frombuffer(d.point_force(body, _numbers(force), _numbers(torque), at))
        self._scratch = d
        return tau

    def poses(self, state: State) -> Poses:
        """Where bodies, geoms and sites are in the world."""
        d = self._dynamics(state)
        poses = np.array(d.poses())
        self._scratch = d
        return Poses(self, poses)

    def ray(self, state: State, origin: ArrayLike, direction: ArrayLike, *, exclude: str | int | None = None,
            groups: Sequence[int] | None = None, fixed: bool = True, reach: float = np.inf) -> Hit | None:
        """The first geom on a ray's way, or None. exclude: a body whose geoms are not seen; groups: of geoms that are seen;
        fixed: those of bodies that cannot move are, too."""
        d = self._dynamics(state)
        mask = 0xFFFFFFFF if groups is None else sum(1 << min(max(int(g), 0), 31) for g in set(groups))
        hit = d.ray(_numbers(origin), _numbers(direction), -1 if exclude is None else self.body.id(exclude), mask, fixed,
                    float(reach))
        self._scratch = d
        return None if hit is None else Hit(self.geom(hit[0]), hit[1], np.array(hit[2]), np.array(hit[3]))

    def integrate(self, qpos: ArrayLike, velocity: ArrayLike, h: float = 1.0) -> NDArray[np.float64]:
        """Positions moved by h along a velocity, quaternions on the group."""
        return np.frombuffer(_core.Dynamics(self._c).integrate(_numbers(qpos), _numbers(velocity), h))

    def difference(self, start: ArrayLike, end: ArrayLike) -> NDArray[np.float64]:
        """The velocity that leads from one to another position in time 1."""
        return np.frombuffer(_core.Dynamics(self._c).difference(_numbers(start), _numbers(end)))

    # ------------------------------------------------------------------------------------------ writing

    def to_mjcf(self, path: str | os.PathLike[str] | None = None) -> str:
        """The model as one MJCF text, for a file of that path (meshes are named relative to its folder). It is written there, too."""
        target = os.path.join(os.path.dirname(self.path), "model.xml") if path is None else os.fspath(path)
        text = self._c.write(target)
        if path is not None:
            with open(target, "w", encoding="utf-8") as file:
                file.write(text)
        return text

    def __reduce__(self) -> tuple:
        if self._base is not None:
            return Model.vary, (self._base, self._settings)
        if self._files is not None:
            return _reload, (self._files, self.path, self.hash)
        folder = os.path.abspath(os.path.dirname(self.path))
        target = os.path.join(folder, os.path.basename(self.path))
        return _reload, (self._c.write(target), target, self.hash)

    def __copy__(self) -> Model:
        return self  # never changes

    def __deepcopy__(self, memo: dict) -> Model:
        return self

    def __repr__(self) -> str:
        return (f"<{'Model' if self._base is None else 'Variant of model'} {self.name!r}: {len(self.body) - 1} bodies, {len(self.joint)} joints, {len(self.geom)} geoms, {self.nv} degrees "
                f"of freedom, {self.nu} actuators, {len(self.sensor)} sensors, {self.total_mass:.4g} kg>")


def _reload(source: str | dict[str, bytes], name: str, hash: int) -> Model:
    model = load(source, name=name)
    if model.hash != hash:
        raise LoadError("the pickled model is not what its files make now (another version of thud, or meshes that changed)", name)
    return model


class Hit:
    """What a ray met."""

    __slots__ = ("geom", "distance", "point", "normal")

    def __init__(self, geom: Part, distance: float, point: NDArray[np.float64], normal: NDArray[np.float64]) -> None:
        self.geom, self.distance, self.point, self.normal = geom, distance, point, normal

    def __repr__(self) -> str:
        return f"<Hit of geom {self.geom.name or self.geom.id!r}, {self.distance:.6g} m away>"


class Poses:
    """Poses in the world: ``p.body("cube")`` is (position (3), quaternion w x y z (4)); ``p.body_pos`` (n x 3) and
    ``p.body_quat`` (n x 4) are those of all; geom and site likewise."""

    __slots__ = ("_model", "_all")

    def __init__(self, model: Model, poses: NDArray[np.float64]) -> None:
        self._model, self._all = model, poses

    def _rows(self, kind: str) -> NDArray[np.float64]:
        first = 0
        for other in ("body", "geom", "site"):
            count = len(self._model.names(other))
            if other == kind:
                return self._all[first:first + count]
            first += count
        raise AttributeError(kind)

    def _one(self, kind: str, which: str | int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        row = self._rows(kind)[getattr(self._model, kind).id(which)]
        return row[4:], row[:4]

    def body(self, which: str | int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        return self._one("body", which)

    def geom(self, which: str | int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        return self._one("geom", which)

    def site(self, which: str | int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        return self._one("site", which)

    def __getattr__(self, name: str) -> NDArray[np.float64]:
        kind, _, what = name.partition("_")
        if kind in ("body", "geom", "site") and what in ("pos", "quat"):
            rows = self._rows(kind)
            return rows[:, 4:] if what == "pos" else rows[:, :4]
        raise AttributeError(name)

    def __iter__(self) -> Iterator[str]:
        return iter(("body", "geom", "site"))
