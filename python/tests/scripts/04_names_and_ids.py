import mujoco

model = mujoco.MjModel.from_xml_string(
    "<mujoco><worldbody><body name='b'><joint name='j'/><geom name='g' size='1'/><site name='s'/></body></worldbody></mujoco>")
for kind, name in ((mujoco.mjtObj.mjOBJ_BODY, "b"), (mujoco.mjtObj.mjOBJ_JOINT, "j"), (mujoco.mjtObj.mjOBJ_GEOM, "g"),
                   (mujoco.mjtObj.mjOBJ_SITE, "s")):
    number = mujoco.mj_name2id(model, kind, name)
    assert number >= 0 and mujoco.mj_id2name(model, kind, number) == name
assert mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, "nobody") == -1
