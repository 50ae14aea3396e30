# SPDX-License-Identifier: Apache-2.0
"""Sims: scratch of one thread, and steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core, look
from .errors import did_you_mean
from .state import _numbers

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from .model import Model
    from .solve import ContactProblem
    from .state import State

Certificate = _core.Certificate


def check_options(options: dict[str, Any]) -> dict[str, Any]:
    known = _core.option_names()
    for name in options:
        if name not in known:
            raise TypeError(f"no option is called '{name}'.{did_you_mean(name, known)}")
    return options


class Sim:
    """Takes steps. Made by :meth:`Model.sim`; the scratch of one thread at a time.

    While the library works, Python's lock is let go. A sim that another thread uses at that moment raises RuntimeError.
    """

    __slots__ = ("_model", "_c", "_step", "_options", "__weakref__")

    def __init__(self, model: Model, **options: Any) -> None:
        self._model, self._options = model, dict(options)
        self._c = _core.Sim(model._c, check_options(options))
        self._step = self._c.step

    @property
    def model(self) -> Model:
        return self._model

    @property
    def dt(self) -> float:
        """Step, s."""
        return self._c.h

    @property
    def integrator(self) -> str:
        """How steps are taken."""
        return self._c.integrator

    def step(self, state: State, tau: ArrayLike | None = None) -> Certificate:
        """One step of `state`, certified. `tau`: applied joint forces (nv; N, N m).

        Raises NotSolved or NotFinite, with the state untouched."""
        return self._step(state._c, None if tau is None else _numbers(tau), True)

    def step_fast(self, state: State, tau: ArrayLike | None = None) -> None:
        """The same without its certificate, which saves about half the time, and without looking for doubts."""
        self._step(state._c, None if tau is None else _numbers(tau), False)

    def run(self, state: State, steps: int, tau: ArrayLike | None = None) -> Certificate:
        """So many steps; the certificate is that of the last alone."""
        if steps < 1:
            raise ValueError("steps: at least one")
        return self._c.run(state._c, _numbers(tau), steps)

    def contacts(self) -> list[look.Contact]:
        """What each contact carried in the last step."""
        return look.contacts(self._model, self._c)

    def problems(self) -> list[ContactProblem]:
        """The contact problems of the last step as arrays, one for each island: :class:`thud.ContactProblem`."""
        from .solve import problems

        return problems(self)

    def doubts(self) -> list[look.Doubt]:
        """All doubts of all steps, in the order in which they first came."""
        return look.doubts(self._c.doubts())

    def forget_doubts(self) -> None:
        self._c.forget_doubts()

    def events(self) -> list[dict[str, Any]]:
        """The events of the last step (scheme="event-driven")."""
        words = ("time", "kind", "body1", "body2", "joint", "tendon", "impulse", "speed", "slip", "energy", "together")
        return [dict(zip(words, event)) for event in self._c.events()]

    def energy(self, state: State) -> tuple[float, float]:
        """Kinetic and potential energy, J."""
        return self._c.energy(state._c)

    def sensors(self, state: State) -> Sensors:
        """What the sensors read: all numbers, and each sensor by name. Forces and accelerations are means over the last step."""
        reading = np.zeros(self._model.nsensordata)
        self._c.sense(state._c, reading)
        return Sensors(self._model, reading)

    def forward(self, state: State, tau: ArrayLike | None = None) -> NDArray[np.float64]:
        """The acceleration (nv) at `state` under `tau`, actuators, springs and contact."""
        qacc = np.zeros(self._model.nv)
        self._c.forward(state._c, _numbers(tau), qacc)
        return qacc

    def inverse(self, state: State, qacc: ArrayLike) -> NDArray[np.float64]:
        """The joint forces (nv) that must be applied, beside actuators, springs and weight, for the acceleration to be `qacc`."""
        tau = np.zeros(self._model.nv)
        self._c.inverse(state._c, _numbers(qacc), tau)
        return tau

    def constraint_force(self) -> NDArray[np.float64]:
        """The joint forces (nv) of contacts, limits, dry friction and loops that the last :meth:`forward` found."""
        force = np.zeros(self._model.nv)
        self._c.constraint_force(force)
        return force

    def contact_force(self, body: str | int, point: ArrayLike = (0, 0, 0)) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The force (N) and the torque about `point` (N m, world) that contacts exert on a body: the mean over the last step."""
        force, torque = self._c.contact_force(self._model.body.id(body), _numbers(point))
        return np.array(force), np.array(torque)

    def sleeps(self, state: State, body: str | int) -> bool:
        """Whether a body sleeps: its velocity is exactly 0 and stays so."""
        return self._c.sleeps(state._c, self._model.body.id(body))

    def __repr__(self) -> str:
        said = "".join(f", {name} {value}" for name, value in self._options.items() if name not in ("dt", "h"))
        return f"<Sim of {self._model.name!r}: dt {self.dt:g} s, {self.integrator}{said}>"


class Sensors:
    """What sensors read: ``r["gyro"]`` is an array of that sensor's numbers, ``r.data`` all of them."""

    __slots__ = ("_model", "data")

    def __init__(self, model: Model, data: NDArray[np.float64]) -> None:
        self._model, self.data = model, data

    def __getitem__(self, which: str | int) -> NDArray[np.float64]:
        i = self._model.sensor.id(which)
        at, dim = int(self._model.sensor_at[i]), int(self._model.sensor_dim[i])
        return self.data[at:at + dim]

    def unit(self, which: str | int) -> str:
        """Of a sensor's numbers: "rad/s"."""
        return self._model._c.sensor(self._model.sensor.id(which))[1]

    def keys(self) -> list[str]:
        return [name for name in self._model.names("sensor") if name]

    def __len__(self) -> int:
        return len(self._model.names("sensor"))

    def __repr__(self) -> str:
        lines = [f"  {name}: {self[name]} {self.unit(name)}".rstrip() for name in self.keys()]
        return "<Sensors\n" + "\n".join(lines) + ">"
