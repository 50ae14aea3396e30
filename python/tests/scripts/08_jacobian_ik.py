import mujoco
import numpy as np

XML = """<mujoco><worldbody><body><joint name="a" axis="0 1 0"/><geom type="capsule" size=".02" fromto="0 0 0 .5 0 0"/>
<body pos=".5 0 0"><joint name="b" axis="0 1 0"/><geom type="capsule" size=".02" fromto="0 0 0 .5 0 0"/><site name="hand" pos=".5 0 0"/></body></body>
</worldbody></mujoco>"""
model = mujoco.MjModel.from_xml_string(XML)
data = mujoco.MjData(model)
data.qpos[:] = [0.3, 0.5]
goal = np.array([0.6, 0.0, -0.3])
jac = np.zeros((3, model.nv))
for _ in range(100):
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    error = goal - data.site("hand").xpos
    mujoco.mj_jacSite(model, data, jac, None, model.site("hand").id)
    step = np.linalg.lstsq(jac, error, rcond=None)[0]
    mujoco.mj_integratePos(model, data.qpos, step, 0.5)
assert np.linalg.norm(error) < 1e-6
