import mujoco
import numpy as np

XML = """<mujoco><worldbody><body><joint axis="0 1 0"/><geom type="capsule" size=".02" fromto="0 0 0 .5 0 0"/></body></worldbody></mujoco>"""
model = mujoco.MjModel.from_xml_string(XML)
data = mujoco.MjData(model)
data.qpos[:] = 0.3
data.qacc[:] = 0
mujoco.mj_inverse(model, data)
hold = data.qfrc_inverse.copy()
data.qfrc_applied[:] = hold
mujoco.mj_forward(model, data)
assert np.allclose(data.qacc, 0, atol=1e-8)
