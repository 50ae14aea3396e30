# SPDX-License-Identifier: Apache-2.0
"""Recordings as HDF5, as the program `thud` writes and reads them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .model import Model

_UNITS = {"time": "s", "penetration": "m", "kinetic": "J", "potential": "J", "work": "J", "contact_work": "J", "projected": "J",
          "energy_error": "J", "point": "m", "impulse": "N s", "duration": "s"}


def _write_table(place: Any, table: tuple[list[str], int, Any]) -> None:
    names, count, data = table
    numbers = np.frombuffer(data).reshape(count, len(names))
    for word in dict.fromkeys(name.partition("[")[0] for name in names):
        at = [i for i, name in enumerate(names) if name.partition("[")[0] == word]
        values = numbers[:, at[0]:at[-1] + 1]
        several = names[at[0]] != word
        dataset = place.create_dataset(word, data=values if several else values[:, 0], compression="gzip" if count > 100 else None)
        dataset.attrs["units"] = _UNITS.get(word, "")


def write(path: str, model: Model, sim: Any, rows: Any, notes: dict[str, Any]) -> None:
    """Writes PATH.part, and gives it its name when it is whole."""
    import h5py

    part = path + ".part"
    with h5py.File(part, "w") as file:
        for name, value in {**rows[2], **notes}.items():
            file.attrs[name] = value
        _write_table(file, rows[0])
        if rows[1][0]:
            _write_table(file.create_group("contact"), rows[1])
    os.replace(part, path)
