import mujoco
import numpy as np

model = mujoco.MjModel.from_xml_string("<mujoco><worldbody><geom name='wall' type='box' size='.1 1 1' pos='2 0 0'/></worldbody></mujoco>")
data = mujoco.MjData(model)
mujoco.mj_forward(model, data)
geom = np.array([-1], dtype=np.int32)
distance = mujoco.mj_ray(model, data, np.zeros(3), np.array([1.0, 0, 0]), None, 1, -1, geom)
assert abs(distance - 1.9) < 1e-9 and geom[0] == model.geom("wall").id
