import mujoco
import numpy as np

model = mujoco.MjModel.from_xml_string("<mujoco><option gravity='0 0 0'/><worldbody><body name='b'><freejoint/><geom size='.1' mass='2'/></body>"
                                       "</worldbody></mujoco>")
data = mujoco.MjData(model)
data.xfrc_applied[model.body("b").id, :3] = [4, 0, 0]
while data.time < 1 - 1e-9:
    mujoco.mj_step(model, data)
assert np.isclose(data.qvel[0], 2)
target = np.zeros(model.nv)
mujoco.mj_applyFT(model, data, np.array([0.0, 0, 1]), np.zeros(3), data.xipos[1], 1, target)
assert np.isclose(target[2], 1)
