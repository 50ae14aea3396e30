"""The judge's own model of a scene: MuJoCo's kinematics, inertia and geometry from the wheel. Nothing of Thud is used here."""
import mujoco
import numpy as np

FREE, BALL = int(mujoco.mjtJoint.mjJNT_FREE), int(mujoco.mjtJoint.mjJNT_BALL)
PLANE, HFIELD = int(mujoco.mjtGeom.mjGEOM_PLANE), int(mujoco.mjtGeom.mjGEOM_HFIELD)
CONNECT, WELD, JOINT = (int(getattr(mujoco.mjtEq, f"mjEQ_{n}")) for n in ("CONNECT", "WELD", "JOINT"))


def load(path):
    """A model without textures, which not every copy of a robot brings along; a sentence where MuJoCo refuses it."""
    for shells in (False, True):  # meshes without volume are shells; where a body's inertia is given that changes nothing
        model, why = load_once(path, shells)
        if model is not None or "volume" not in why:
            break
    return model, why


def load_once(path, shells):
    try:
        spec = mujoco.MjSpec.from_file(str(path))
        for mesh in spec.meshes if shells else ():
            mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL
        for material in spec.materials:
            material.textures = [""] * len(material.textures)
        for texture in list(spec.textures):
            spec.delete(texture)
        return spec.compile(), None
    except (ValueError, RuntimeError, mujoco.FatalError) as fault:
        return None, str(fault).split("\n")[0]


def starts_apart(text):
    """Whether no two geoms of a scene overlap in its first keyframe."""
    try:
        m = mujoco.MjModel.from_xml_string(text)
    except ValueError:
        return False
    d = mujoco.MjData(m)
    mujoco.mj_resetDataKeyframe(m, d, 0)
    mujoco.mj_kinematics(m, d)
    mujoco.mj_comPos(m, d)
    mujoco.mj_collision(m, d)
    return not any(d.contact[i].dist < 0 for i in range(d.ncon))


class World:
    """A scene's model with room for one state."""

    def __init__(self, model):
        self.m = model
        self.d = mujoco.MjData(model)

    def place(self, recording, row):
        """Bodies, geoms and sites of a recorded row; false where its numbers do not fit the model."""
        m, d = self.m, self.d
        if recording.qpos.shape[1] != m.nq or recording.qvel.shape[1] != m.nv:
            return False
        d.time = recording.time[row]
        d.qpos[:] = recording.qpos[row]
        d.qvel[:] = recording.qvel[row]
        if recording.mocap.shape[1] == 7 * m.nmocap and m.nmocap:
            pose = recording.mocap[row].reshape(-1, 7)
            d.mocap_pos[:], d.mocap_quat[:] = pose[:, :3], pose[:, 3:]
        mujoco.mj_kinematics(m, d)
        mujoco.mj_comPos(m, d)
        return True

    def body(self, name):
        return mujoco.mj_name2id(self.m, mujoco.mjtObj.mjOBJ_BODY, name)

    def qpos_of(self, joint):
        return int(self.m.jnt_qposadr[mujoco.mj_name2id(self.m, mujoco.mjtObj.mjOBJ_JOINT, joint)])

    def dof_of(self, joint):
        return int(self.m.jnt_dofadr[mujoco.mj_name2id(self.m, mujoco.mjtObj.mjOBJ_JOINT, joint)])

    def relative_pose(self, body, frame):
        """Position and rotation of a body in the frame of another."""
        d = self.d
        r = d.xmat[frame].reshape(3, 3)
        return r.T @ (d.xpos[body] - d.xpos[frame]), r.T @ d.xmat[body].reshape(3, 3)

    def loops(self):
        """How far each active equality of two bodies or joints is from holding, in m or rad: a list of (name, error)."""
        m, d, found = self.m, self.d, []
        for i in range(m.neq):
            if not m.eq_active0[i]:
                continue
            name = m.equality(i).name or f"equality {i}"
            kind, a, b, data = int(m.eq_type[i]), int(m.eq_obj1id[i]), int(m.eq_obj2id[i]), m.eq_data[i]
            on_body = int(m.eq_objtype[i]) == int(mujoco.mjtObj.mjOBJ_BODY)
            if kind == CONNECT and on_body:
                first = d.xpos[a] + d.xmat[a].reshape(3, 3) @ data[:3]
                second = d.xpos[b] + d.xmat[b].reshape(3, 3) @ data[3:6]
                found.append((name, float(np.linalg.norm(first - second))))
            elif kind == JOINT:
                x = d.qpos[m.jnt_qposadr[b]] - m.qpos0[m.jnt_qposadr[b]] if b >= 0 else 0.0
                want = sum(data[k] * x ** k for k in range(5))
                found.append((name, float(abs(d.qpos[m.jnt_qposadr[a]] - m.qpos0[m.jnt_qposadr[a]] - want))))
        return found
