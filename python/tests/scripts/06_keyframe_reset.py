import mujoco

model = mujoco.MjModel.from_xml_string("""<mujoco><worldbody><body><joint name="a"/><geom size=".1"/></body></worldbody>
<keyframe><key name="home" qpos="0.5"/><key name="fast" qpos="1" qvel="2"/></keyframe></mujoco>""")
data = mujoco.MjData(model)
mujoco.mj_resetDataKeyframe(model, data, 1)
assert data.qpos[0] == 1 and data.qvel[0] == 2 and model.nkey == 2
mujoco.mj_resetDataKeyframe(model, data, model.key("home").id)
assert data.qpos[0] == 0.5 and model.key("home").qpos[0] == 0.5
