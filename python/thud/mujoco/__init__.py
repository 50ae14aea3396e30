# SPDX-License-Identifier: Apache-2.0
"""MuJoCo's Python interface on thud: ``import thud.mujoco as mujoco``, or :func:`install` for scripts that say ``import mujoco``.

Steps are thud's: hard contact and true Coulomb friction, certified (``data.certificate``, ``data.doubts``), not soft constraints. What
is not here raises with a sentence. docs/python.md, "Coming from MuJoCo", says what differs."""

from __future__ import annotations

import sys
import types
from typing import Any

from ..errors import Error as _Error
from ..errors import Unsupported as _Unsupported
from . import enums as _enums
from . import functions as _functions
from . import math as _math
from . import rollout as rollout
from .data import MjContact, MjData
from .model import MjModel, MjOption

FatalError = _Error
__version__ = "3.3.0"  # whose names these are; thud's own is thud.__version__
mjVERSION_HEADER = 330
mjMINVAL, mjPI, mjNREF, mjNIMP = 1e-15, 3.141592653589793, 2, 5

for _module in (_enums, _functions, _math):
    for _name, _value in vars(_module).items():
        if _name.startswith(("mj_", "mju_", "mjt")):
            globals()[_name] = _value
del _module, _name, _value

_ABSENT = {
    "viewer": "an interactive viewer is not here: `thud view` of the program shows scenes and recordings in the browser",
    "MjSpec": "models are not edited in Python: give XML to MjModel.from_xml_string, or vary a thud.Model",
    "Renderer": "thud.mujoco draws no pictures: `thud run --video` of the program does",
    "GLContext": "pictures need no OpenGL here, and there is none",
}
for _word in ("MjvScene", "MjvCamera", "MjvOption", "MjvPerturb", "MjrContext", "MjrRect", "mjv_updateScene", "mjr_render"):
    _ABSENT[_word] = _ABSENT["Renderer"]


def __getattr__(name: str) -> Any:
    if name in _ABSENT:
        raise _Unsupported(f"mujoco.{name}: {_ABSENT[name]}")
    raise AttributeError(f"thud.mujoco has no '{name}': docs/python.md, \"Coming from MuJoCo\", lists what there is")


def install() -> None:
    """From here on ``import mujoco`` gives this module. Call it before the script's (or Gymnasium's) own import of it."""
    other = sys.modules.get("mujoco")
    if other is not None and other is not sys.modules[__name__]:
        raise _Error("mujoco is imported already: call thud.mujoco.install() before that")
    sys.modules["mujoco"] = sys.modules[__name__]
    sys.modules["mujoco.rollout"] = rollout
    sys.modules["mujoco._enums"] = _enums
    from . import drawing

    sys.modules.setdefault("gymnasium.envs.mujoco.mujoco_rendering", drawing)


__all__ = ["FatalError", "MjContact", "MjData", "MjModel", "MjOption", "install", "rollout",
           *(name for name, value in list(globals().items())
             if name.startswith(("mj_", "mju_", "mjt")) and not isinstance(value, types.ModuleType))]
