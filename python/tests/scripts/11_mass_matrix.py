import mujoco
import numpy as np

XML = """<mujoco><worldbody><body><joint axis="0 1 0"/><geom type="capsule" size=".02" fromto="0 0 0 .5 0 0"/>
<body pos=".5 0 0"><joint axis="0 1 0"/><geom type="capsule" size=".02" fromto="0 0 0 .5 0 0"/></body></body></worldbody></mujoco>"""
model = mujoco.MjModel.from_xml_string(XML)
data = mujoco.MjData(model)
data.qpos[:] = [0.1, 0.4]
mujoco.mj_forward(model, data)
unit, column, M = np.eye(2), np.zeros(2), np.zeros((2, 2))
for i in range(2):
    mujoco.mj_mulM(model, data, column, unit[i])
    M[i] = column
assert np.allclose(M, M.T) and np.linalg.eigvalsh(M).min() > 0
# M qacc + bias = 0 without forces
assert np.allclose(M @ data.qacc + data.qfrc_bias, 0, atol=1e-8)
