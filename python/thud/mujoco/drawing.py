# SPDX-License-Identifier: Apache-2.0
"""What Gymnasium's MuJoCo environments draw with, without OpenGL."""

from __future__ import annotations

from typing import Any

from ..errors import Unsupported


class MujocoRenderer:
    """Stands where Gymnasium's stands. Environments without a render_mode never ask it for anything."""

    def __init__(self, model: Any, data: Any, *_: Any, **__: Any) -> None:
        self.model, self.data = model, data

    def render(self, render_mode: str | None) -> Any:
        raise Unsupported(f"render_mode {render_mode!r}: thud.mujoco draws no pictures")

    def close(self) -> None:
        """Nothing is open."""
