"""MuJoCo's own time for a step of a scene, by the thread's clock, in the same minute as Thud's."""
import time

import mujoco
import numpy as np


def median_step(model, key, controls, steps=200):
    """The median of a step in microseconds at its file's settings and with the elliptic cone, or None where it does not stay finite."""
    answer = {}
    for name, cone in (("file", None), ("elliptic", int(mujoco.mjtCone.mjCONE_ELLIPTIC))):
        before = model.opt.cone
        model.opt.cone = before if cone is None else cone
        data = mujoco.MjData(model)
        if key is not None and model.nkey:
            mujoco.mj_resetDataKeyframe(model, data, key)
        took = []
        for k in range(steps):
            if controls is not None and model.nu:
                data.ctrl[:] = controls[min(k, len(controls) - 1)]
            began = time.thread_time_ns()
            mujoco.mj_step(model, data)
            took.append(time.thread_time_ns() - began)
        model.opt.cone = before
        answer[name] = float(np.median(took)) / 1000 if np.isfinite(data.qpos).all() else None
    return answer
