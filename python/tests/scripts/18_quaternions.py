import mujoco
import numpy as np

quat, back, mat, vec = np.zeros(4), np.zeros(4), np.zeros(9), np.zeros(3)
mujoco.mju_axisAngle2Quat(quat, np.array([0.0, 0, 1]), np.pi / 2)
mujoco.mju_rotVecQuat(vec, np.array([1.0, 0, 0]), quat)
assert np.allclose(vec, [0, 1, 0])
mujoco.mju_quat2Mat(mat, quat)
mujoco.mju_mat2Quat(back, mat)
assert np.allclose(quat, back)
mujoco.mju_quat2Vel(vec, quat, 1)
assert np.allclose(vec, [0, 0, np.pi / 2])
