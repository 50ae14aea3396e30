# SPDX-License-Identifier: Apache-2.0
"""Rigid multibody dynamics with hard contact and true Coulomb friction, and a certificate for every step.

>>> import thud
>>> m = thud.load("scenes/gripper.xml")
>>> s = m.state()
>>> sim = m.sim(dt=0.002)
>>> certificate = sim.step(s)

docs/python.md is the first hour.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _core, errors
from ._core import Certificate
from .errors import BadArgument, Error, LoadError, NotFinite, NotSolved, Unsupported, Wrong
from .look import Contact, Doubt
from .model import Model, load
from .state import State

if TYPE_CHECKING:
    from .batch import Batch
    from .run import Run, Step
    from .sim import Sensors, Sim
    from .solve import ConeResult, ContactProblem, LcpResult, problems, solve_cone, solve_lcp

__version__: str
__version__, __commit__, _parts = _core.version()

_LATER = {"Run": "run", "Step": "run", "Sim": "sim", "Sensors": "sim", "Batch": "batch", "solve_lcp": "solve", "solve_cone": "solve",
          "problems": "solve", "ContactProblem": "solve", "LcpResult": "solve", "ConeResult": "solve"}

__all__ = ["BadArgument", "Certificate", "Contact", "Doubt", "Error", "LoadError", "Model", "NotFinite", "NotSolved", "State",
           "Unsupported", "Wrong", "cores", "load", "option_names", *_LATER]


def option_names() -> list[str]:
    """The options that a sim takes: ``m.sim(dt=0.002, tolerance=1e-8)``."""
    return _core.option_names()


def cores() -> int:
    """How many cores this thread may run on."""
    return _core.cores()


def __getattr__(name: str) -> Any:
    """What is seldom needed is imported when it is."""
    if name in _LATER:
        import importlib

        return getattr(importlib.import_module(f".{_LATER[name]}", __name__), name)
    raise AttributeError(f"thud has no '{name}'.{errors.did_you_mean(name, __all__)}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
