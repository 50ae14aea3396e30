import mujoco

XML = """<mujoco><worldbody><body><joint name="hinge" axis="0 0 1" damping=".1"/><geom type="box" size=".2 .05 .05" mass="1"/></body></worldbody>
<actuator><motor name="motor" joint="hinge"/></actuator></mujoco>"""
model = mujoco.MjModel.from_xml_string(XML)
data = mujoco.MjData(model)
target = 0.7
while data.time < 3:
    data.ctrl[0] = 2 * (target - data.qpos[0]) - 0.3 * data.qvel[0]
    mujoco.mj_step(model, data)
assert abs(data.joint("hinge").qpos[0] - target) < 1e-2
