import mujoco
import numpy as np

XML = """<mujoco><worldbody><body name="target" mocap="true" pos="0 0 1"><geom size=".02" contype="0" conaffinity="0"/></body>
<body name="follower" pos="0 0 1"><freejoint/><geom size=".05"/></body></worldbody>
<equality><weld body1="target" body2="follower"/></equality></mujoco>"""
model = mujoco.MjModel.from_xml_string(XML)
data = mujoco.MjData(model)
for k in range(500):
    data.mocap_pos[0] = [0.0002 * k, 0, 1]
    mujoco.mj_step(model, data)
assert np.linalg.norm(data.body("follower").xpos - data.mocap_pos[0]) < 0.02
