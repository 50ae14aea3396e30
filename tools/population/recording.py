"""Recorded states as arrays. Of a recording only times, positions, velocities, controls and contact impulses are used, none of its
certificate."""
import dataclasses

import h5py
import numpy as np


@dataclasses.dataclass
class Contacts:
    """One entry a contact: the row it belongs to, geoms and bodies, world point, normal (from the first geom), impulse on the second;
    duration: of the last part of the step, whose contacts are recorded."""
    row: np.ndarray
    geom: np.ndarray
    body: np.ndarray
    point: np.ndarray
    normal: np.ndarray
    impulse: np.ndarray
    friction: np.ndarray
    slides: np.ndarray
    duration: np.ndarray


@dataclasses.dataclass
class Recording:
    time: np.ndarray
    qpos: np.ndarray
    qvel: np.ndarray
    act: np.ndarray
    ctrl: np.ndarray
    mocap: np.ndarray
    contacts: Contacts

    def __len__(self):
        return len(self.time)


def read(path):
    """A recording, or None where the file holds none."""
    try:
        with h5py.File(path, "r") as f:
            rows = len(f["time"])

            def get(name):
                return f[name][:].reshape(rows, -1) if name in f else np.zeros((rows, 0))

            contacts = None
            if "contact" in f:
                g = f["contact"]
                contacts = Contacts(*(g[k][:] for k in ("row", "geom", "body", "point", "normal", "impulse", "friction", "slides", "duration")))
            return Recording(f["time"][:], get("qpos"), get("qvel"), get("act"), get("ctrl"), get("mocap"), contacts)
    except (OSError, KeyError):
        return None
