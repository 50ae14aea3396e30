# SPDX-License-Identifier: Apache-2.0
"""Batches: many worlds stepped together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core, look
from .errors import BadArgument, did_you_mean
from .model import Model
from .sim import check_options
from .state import State, _numbers

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


class Batch:
    """So many worlds of one model, or one world for each of a list of variants.

    `b.qpos`, `b.qvel`, `b.ctrl`, `b.act`, `b.mocap` (worlds x ...) are the worlds' own memory: what is written there is what the
    next step sees. Each world gets the bits that a plain loop would give it, whatever the number of threads (0: a thread a core).
    Scratch there is one for each thread; a world whose model is a variant has one of its own.

    A world that fails does not stop the others: `b.solved` says which did not, and each step tries again from where it stood.
    certify=False saves about half the time; then nobody looks for doubts. Other words are options of a sim.
    """

    def __init__(self, model: Model | Sequence[Model], n: int | None = None, *, threads: int = 0, certify: bool = True,
                 **options: Any) -> None:
        models = [model] if isinstance(model, Model) else list(model)
        if not models or (n is not None and len(models) not in (1, n)):
            raise BadArgument("a batch is of one model, or of a list with a model for each world")
        self.model = models[0]
        self.n = len(models) if n is None else int(n)
        self.certify = certify
        self._options = dict(options)
        self._c = _core.Batch(self.model._c, self.n, threads, check_options(options))
        (self._qpos, self._qvel, self._act, self._ctrl, self._mocap, self._sensordata, self._time,
         self._status) = map(np.asarray, self._c.arrays())
        self._models: list[Model] = [self.model] * self.n
        self._expanded: dict[str, tuple[NDArray[np.float64], NDArray[np.float64]]] = {}
        for i, one in enumerate(models[1:], 1):
            self._set_model(i, one)

    def _set_model(self, i: int, model: Model) -> None:
        self._c.set_model(i, model._c)
        self._models[i] = model

    # ------------------------------------------------------------------------------------------ arrays

    @property
    def threads(self) -> int:
        return self._c.threads

    @property
    def qpos(self) -> NDArray[np.float64]:
        """Positions (n x nq)."""
        return self._qpos

    @qpos.setter
    def qpos(self, value: ArrayLike) -> None:
        self._qpos[...] = value

    @property
    def qvel(self) -> NDArray[np.float64]:
        """Velocities (n x nv)."""
        return self._qvel

    @qvel.setter
    def qvel(self, value: ArrayLike) -> None:
        self._qvel[...] = value

    @property
    def ctrl(self) -> NDArray[np.float64]:
        """Controls (n x nu)."""
        return self._ctrl

    @ctrl.setter
    def ctrl(self, value: ArrayLike) -> None:
        self._ctrl[...] = value

    @property
    def act(self) -> NDArray[np.float64]:
        """Activations (n x na)."""
        return self._act

    @act.setter
    def act(self, value: ArrayLike) -> None:
        self._act[...] = value

    @property
    def mocap(self) -> NDArray[np.float64]:
        """Poses of the mocap bodies (n x nm x 7)."""
        return self._mocap

    @mocap.setter
    def mocap(self, value: ArrayLike) -> None:
        self._mocap[...] = value

    @property
    def time(self) -> NDArray[np.float64]:
        """s (n)."""
        return self._time

    @property
    def sensordata(self) -> NDArray[np.float64]:
        """What the sensors read after the last :meth:`step` (n x nsensordata)."""
        return self._sensordata

    def contact_forces(self) -> NDArray[np.float64]:
        """The force that contacts exert on each body (N), and their torque about the world's origin (N m), in the last step
        (n x bodies x 6). Kept from the first call on: call it before the steps."""
        return np.asarray(self._c.contact_forces())

    @property
    def solved(self) -> NDArray[np.bool_]:
        """Whether the last call took all of a world's steps (n)."""
        return self._status == 0

    def failures(self) -> dict[int, str]:
        """Why, of each world that the last call did not step to the end."""
        words = {5: "memory ran out", 6: "a number became infinite or not a number", 7: "a contact problem was not solved"}
        return {int(i): words.get(int(self._status[i]), "it failed") for i in np.flatnonzero(self._status)}

    def certificate(self, number: str) -> NDArray:
        """A number of the certificates of all worlds' last steps (n): ``b.certificate("penetration")``."""
        layout = _core.certificate_layout()
        if number not in layout:
            raise KeyError(f"a certificate has no '{number}'.{did_you_mean(number, layout)}")
        return np.asarray(self._c.certificates(*layout[number]))

    def doubts(self, world: int) -> list[look.Doubt]:
        """All doubts of a world since its reset."""
        return look.doubts(self._c.doubts(world))

    def state(self, world: int) -> State:
        """A world as a state: the batch's own memory."""
        return State(self._models[world], self._c.world(range(self.n)[world]))

    def __getitem__(self, world: int) -> State:
        return self.state(world)

    def __len__(self) -> int:
        return self.n

    # ------------------------------------------------------------------------------------------ parameters

    def expand(self, name: str) -> NDArray[np.float64]:
        """A parameter of each world (n x its numbers), live: what is written there holds from the next step on.
        ``b.expand("geom/*.friction")[:, 0] = rng.uniform(0.2, 1, n)``. Names are those of :meth:`Model.vary`."""
        if name not in self._expanded:
            values = np.array([one.setting(name) for one in self._models])
            self._expanded[name] = values, values.copy()
        return self._expanded[name][0]

    def _apply(self) -> None:
        changed = np.zeros(self.n, bool)
        for now, held in self._expanded.values():
            changed |= ~((now == held) | (np.isnan(now) & np.isnan(held))).all(axis=1)
        for i in np.flatnonzero(changed):
            settings = {}
            for name, (now, _) in self._expanded.items():
                given = now[i][~np.isnan(now[i])]
                settings[name] = given
            self._set_model(int(i), self._models[i]._root().vary({**self._models[i]._settings, **settings}))
        for now, held in self._expanded.values():
            held[...] = now

    # ------------------------------------------------------------------------------------------ running

    def step(self, k: int = 1, tau: ArrayLike | None = None, mask: ArrayLike | None = None) -> None:
        """k steps of each world (of mask: those it is true for). tau: applied joint forces (n x nv)."""
        if k < 1:
            raise BadArgument("k: at least one step")
        self._apply()
        forces = None if tau is None else _numbers(np.broadcast_to(np.asarray(tau, float), (self.n, self.model.nv)))
        self._c.step(k, forces, self._mask(mask), self.certify, True)

    def reset(self, mask: ArrayLike | None = None, key: str | int | None = None) -> None:
        """Worlds (of mask: those it is true for) back to the reference pose or a keyframe; then write what is to be random:
        ``b.reset(done); b.qpos[done] += noise``."""
        self._c.reset(-1 if key is None else self.model.key.id(key), self._mask(mask))

    def _mask(self, mask: ArrayLike | None) -> Any:
        if mask is None:
            return None
        chosen = np.asarray(mask)
        if chosen.dtype != bool:
            raise BadArgument(f"mask: {self.n} truth values are wanted")
        return np.ascontiguousarray(np.broadcast_to(chosen, (self.n,))).view(np.uint8)

    def rollout(self, initial: State | ArrayLike | None, controls: ArrayLike,
                k: int = 1) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Runs every world through its controls (n x T x nu, or T x nu for all), k steps each, from `initial` (a state, positions
        and velocities (n x (nq + nv)), or None: from where they are). Returns states (n x T x (nq + nv)), after each control,
        and what the sensors read (n x T x nsensordata). Rows of a world from where it failed are NaN."""
        m = self.model
        if k < 1:
            raise BadArgument("k: at least one step")
        u = np.asarray(controls, float)
        if u.ndim not in (2, 3) or u.shape[-1] != m.nu:
            raise BadArgument(f"controls: an array n x T x {m.nu} is wanted, not {u.shape}")
        u = _numbers(np.broadcast_to(u, (self.n, *u.shape[-2:])))
        if isinstance(initial, State):
            for i in range(self.n):
                self._c.world(i).copy_from(initial._c)
        elif initial is not None:
            x = np.broadcast_to(np.asarray(initial, float), (self.n, m.nq + m.nv))
            self.reset()
            self._qpos[...], self._qvel[...] = x[:, :m.nq], x[:, m.nq:]
        self._apply()
        states = np.full((self.n, u.shape[1], m.nq + m.nv), np.nan)
        sensors = np.full((self.n, u.shape[1], m.nsensordata), np.nan)
        if u.shape[1] > 0:
            self._c.rollout(u, u.shape[1], k, states, sensors if m.nsensordata else None, self.certify)
        return states, sensors

    def __repr__(self) -> str:
        bad = int(np.count_nonzero(self._status))
        return (f"<Batch of {self.n} worlds of {self.model.name!r}, {self.threads} threads"
                + (f", {bad} not solved" if bad else "") + ">")
