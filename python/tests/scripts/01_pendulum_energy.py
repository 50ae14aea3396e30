import mujoco
import numpy as np

XML = """
<mujoco>
  <option timestep=".001"/>
  <worldbody>
    <body name="arm" pos="0 0 1"><joint name="swing" type="hinge" axis="1 0 0"/><geom type="capsule" size=".02" fromto="0 0 0 0 0 -.5"/></body>
  </worldbody>
</mujoco>
"""
model = mujoco.MjModel.from_xml_string(XML)
data = mujoco.MjData(model)
data.qpos[0] = 1
mujoco.mj_forward(model, data)
heights = []
while data.time < 3:
    mujoco.mj_step(model, data)
    heights.append(data.qpos[0])
assert abs(max(heights) - 1) < 0.01 and abs(min(heights) + 1) < 0.01
