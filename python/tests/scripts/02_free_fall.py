import mujoco

model = mujoco.MjModel.from_xml_string("<mujoco><worldbody><body pos='0 0 10'><freejoint/><geom size='.1'/></body></worldbody></mujoco>")
data = mujoco.MjData(model)
duration = 1.0
while data.time < duration - 1e-9:
    mujoco.mj_step(model, data)
assert abs(data.qvel[2] + 9.81) < 1e-6
assert abs(data.qpos[2] - (10 - 9.81 / 2)) < 0.02
