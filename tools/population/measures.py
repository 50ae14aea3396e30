"""Measures of a recording: tuples (kind, value, limit, time, where), empty where all is well."""
import mujoco
import numpy as np

from .oracle import BALL, FREE, HFIELD, PLANE

ROWS = 300  # rows at which overlaps, loops and energy are looked at
SWEEPS = 64  # poses between two rows, at most
POSES = 4000  # poses in all that sweeping may cost


def geom_name(m, g):
    body = m.body(int(m.geom_bodyid[g])).name
    return m.geom(g).name or (f"geom {g} of {body}" if body else f"geom {g}")


def smallest(m, g):
    """The smallest full extent of a geom; infinite for planes and height fields."""
    kind = int(m.geom_type[g])
    if kind in (int(mujoco.mjtGeom.mjGEOM_PLANE), int(mujoco.mjtGeom.mjGEOM_HFIELD)):
        return np.inf
    return 2 * float(np.min(m.geom_aabb[g][3:]))


def some_rows(rec, most=ROWS):
    return np.unique(np.linspace(0, len(rec) - 1, min(len(rec), most)).astype(int))


def depths(world):
    """The deepest overlap of each pair of geoms that touches now: {(geom, geom): depth}."""
    m, d = world.m, world.d
    mujoco.mj_collision(m, d)
    deepest = {}
    for i in range(d.ncon):
        c = d.contact[i]
        pair = (int(c.geom[0]), int(c.geom[1]))
        if -c.dist > deepest.get(pair, 0.0):
            deepest[pair] = -c.dist
    return deepest


def confirmed_depth(world, pair):
    """The depth by MuJoCo's distance of two geoms, which its contacts of curved ones sometimes exceed a thousandfold; infinite where it
    knows none."""
    m = world.m
    if any(int(m.geom_type[g]) in (PLANE, HFIELD) for g in pair):
        return np.inf
    return -mujoco.mj_geomDistance(m, world.d, pair[0], pair[1], 1.0, np.zeros(6))


def overlaps(world, rec, share):
    """Pairs that overlap by more than a share of the smaller geom, and by more than in the first row."""
    m, worst = world.m, {}
    world.place(rec, 0)
    first = depths(world)
    for row in some_rows(rec)[1:]:
        world.place(rec, row)
        for pair, depth in depths(world).items():
            limit = share * min(smallest(m, pair[0]), smallest(m, pair[1])) + 1.01 * first.get(pair, 0.0) + 1e-9
            depth = min(depth, confirmed_depth(world, pair)) if depth > limit else depth
            if depth > limit and depth > worst.get(pair, (0.0,))[0]:
                worst[pair] = (depth, limit, float(rec.time[row]))
    if not worst:
        return []
    pair, (depth, limit, time) = max(worst.items(), key=lambda x: x[1][0] / x[1][1])
    return [("overlap", depth, limit, time, f"{geom_name(m, pair[0])} and {geom_name(m, pair[1])}")]


def centres(world, rec):
    """Centres of mass of all bodies and their speeds from one row to the next by the recorded velocities: (rows, bodies, 3) twice."""
    m, d = world.m, world.d
    x = np.empty((len(rec), m.nbody, 3))
    v = np.empty((len(rec), m.nbody, 3))
    for row in range(len(rec)):
        world.place(rec, row)
        mujoco.mj_comVel(m, d)
        x[row] = d.xipos
        root = m.body_rootid
        v[row] = d.cvel[:, 3:] + np.cross(d.cvel[:, :3], d.xipos - d.subtree_com[root])
    return x, v


def passed_or_teleported(world, rec, case):
    """Bodies that moved further than their velocities say, and bodies that swept through another between two rows."""
    m, found = world.m, []
    if len(rec) < 2 or len(rec) > 40000:
        return found
    x, v = centres(world, rec)
    h = np.diff(rec.time)[:, None]
    moved = np.linalg.norm(np.diff(x, axis=0), axis=2)
    speed = np.linalg.norm(v, axis=2)
    size = body_sizes(m)
    mocap = m.body_mocapid[m.body_rootid] >= 0
    reach = 2 * h * np.maximum(speed[1:], speed[:-1]) + 0.25 * size + h * h * np.linalg.norm(m.opt.gravity)
    world.place(rec, 0)
    first = depths(world)  # what starts in each other, or with open loops, may be put right by that much
    reach = reach + 1.5 * (sum(first.values()) + sum(error for _, error in world.loops()))
    reach[0] += beyond_limits(world, rec) * m.stat.extent
    if case.every == 1:
        far = np.where(mocap, 0.0, moved / reach)
        row, body = np.unravel_index(np.argmax(far), far.shape)
        if far[row, body] > 1:
            found.append(("teleported", float(moved[row, body]), float(reach[row, body]), float(rec.time[row + 1]), m.body(int(body)).name))
    budget = POSES
    for row in np.argsort(-np.max(np.where(size > 0, moved / np.where(size > 0, size, 1), 0), axis=1, initial=0)):
        stride = float(np.max(np.where(size > 0, moved[row] / np.where(size > 0, size, 1), 0)))
        if stride < 0.5 or budget <= 0:
            break
        n = int(min(SWEEPS, 1 + 8 * stride))
        budget -= n
        hit = swept(world, rec, int(row), n, first)
        if hit:
            found.append(hit)
            break
    return found


def body_sizes(m):
    """The smallest extent of each body's colliding geoms; 0 without."""
    size = np.zeros(m.nbody)
    for g in range(m.ngeom):
        if m.geom_contype[g] or m.geom_conaffinity[g]:
            b, s = int(m.geom_bodyid[g]), smallest(m, g)
            if np.isfinite(s):
                size[b] = min(size[b], s) if size[b] else s
    return size


def swept(world, rec, row, n, first):
    """A pair that is deep in each other on the straight way between two rows, and at neither end nor in the first row."""
    m, d = world.m, world.d
    step = np.zeros(m.nv)
    mujoco.mj_differentiatePos(m, step, 1.0, rec.qpos[row], rec.qpos[row + 1])
    ends = {}
    for end in (row, row + 1):
        world.place(rec, end)
        for pair, depth in depths(world).items():
            ends[pair] = max(depth, ends.get(pair, 0.0))
    world.place(rec, row)
    for k in range(1, n):
        q = rec.qpos[row].copy()
        mujoco.mj_integratePos(m, q, step, k / n)
        d.qpos[:] = q
        mujoco.mj_kinematics(m, d)
        mujoco.mj_comPos(m, d)
        for pair, depth in depths(world).items():
            limit = 0.3 * min(smallest(m, pair[0]), smallest(m, pair[1]))
            if pair not in first and depth > limit + 2 * ends.get(pair, 0.0):
                return ("passed through", depth, limit, float(rec.time[row + 1]), f"{geom_name(m, pair[0])} and {geom_name(m, pair[1])}")
    return None


def joints(world, rec, loop_limit):
    """Limits of joints and loops that do not hold, beyond how they were in the first row."""
    m, found = world.m, []
    for j in range(m.njnt):
        if not m.jnt_limited[j] or int(m.jnt_type[j]) in (FREE, BALL):
            continue
        q, (low, high) = rec.qpos[:, m.jnt_qposadr[j]], m.jnt_range[j]
        out = np.maximum(low - q, q - high)
        limit = 1e-3 * (high - low) + 1e-6 + max(0.0, 1.01 * float(out[0]))
        if float(out.max()) > limit:
            row = int(np.argmax(out))
            found.append(("joint", float(out.max()), limit, float(rec.time[row]), f"limit of {m.joint(j).name or j}"))
    if m.neq:
        world.place(rec, 0)
        first = dict(world.loops())
        worst = None
        for row in some_rows(rec):
            world.place(rec, row)
            for name, error in world.loops():
                limit = loop_limit + 1.01 * first.get(name, 0.0)
                if error > limit and (worst is None or error > worst[1]):
                    worst = ("joint", error, limit, float(rec.time[row]), f"loop {name}")
        found += [worst] if worst else []
    return found[:3]


def beyond_limits(world, rec):
    """By how much the joints of the first row are outside their limits, rad or m, in all."""
    m, total = world.m, 0.0
    for j in np.flatnonzero(m.jnt_limited):
        if int(m.jnt_type[j]) not in (FREE, BALL):
            q, (low, high) = float(rec.qpos[0, m.jnt_qposadr[j]]), m.jnt_range[j]
            total += max(0.0, low - q, q - high)
    return total


def energy(world, rec, share, driven):
    """Energy that no recorded drive and no start explains: kinetic, of gravity and of springs, by MuJoCo's model."""
    m, d = world.m, world.d
    if driven or m.nmocap or m.opt.wind.any():
        return []
    rows = some_rows(rec)
    total, kinetic = [], []
    for row in rows:
        world.place(rec, row)
        mujoco.mj_fwdPosition(m, d)
        mujoco.mj_energyPos(m, d)
        mujoco.mj_energyVel(m, d)
        total.append(d.energy[0] + d.energy[1])
        kinetic.append(d.energy[1])
    total = np.array(total)
    world.place(rec, 0)
    if len(total) > 1 and (beyond_limits(world, rec) > 0 or any(error > 1e-6 for _, error in world.loops())):
        total[0] = max(total[0], total[1])  # what is put right at the start may raise weights and stretch springs
    size = float(np.max(body_sizes(m), initial=0.0))
    world.place(rec, 0)
    raised = 2 * float(np.sum(m.body_mass[1:])) * float(np.linalg.norm(m.opt.gravity)) * sum(depths(world).values())  # by overlaps put right
    scale = max(kinetic) + float(np.sum(m.body_mass[1:])) * float(np.linalg.norm(m.opt.gravity)) * 0.1 * size + 1e-12
    gain = total - total[0]
    row = int(np.argmax(gain))
    if gain[row] > share * scale + raised:
        where = f"from {total[0]:.6g} J, kinetic at most {max(kinetic):.3g} J"
        return [("energy", float(gain[row]), share * scale + raised, float(rec.time[rows[row]]), where)]
    return []


def momenta_of_trees(world, rec, roots):
    """Momenta of trees (rows, trees, 3), centres of mass and velocities of all bodies (rows, bodies, 3)."""
    x, v = centres(world, rec)
    each = world.m.body_mass[None, :, None] * v
    return np.stack([each[:, world.m.body_rootid == b].sum(axis=1) for b in roots], axis=1), x, v


def put_right(world, rec):
    """By how much the largest position of each row is from where the mean velocity leads, rad or m."""
    m, way, off = world.m, np.zeros(world.m.nv), np.zeros(len(rec) - 1)
    for row in range(1, len(rec)):
        mujoco.mj_differentiatePos(m, way, 1.0, rec.qpos[row - 1], rec.qpos[row])
        mean = 0.5 * (rec.time[row] - rec.time[row - 1]) * (rec.qvel[row] + rec.qvel[row - 1])
        off[row - 1] = np.max(np.abs(way - mean), initial=0.0)
    return off


def momentum(world, rec, case):
    """Linear momentum of free trees against gravity and the recorded contact impulses, where nothing else acts on them."""
    m, d, c = world.m, world.d, rec.contacts
    if c is None or case.every != 1 or m.neq or m.ntendon or m.nmocap or m.opt.density or m.opt.viscosity or len(rec) < 2:
        return []
    if any(int(t) not in (int(mujoco.mjtTrn.mjTRN_JOINT),) for t in m.actuator_trntype) or m.body_gravcomp.any():
        return []
    free = [b for b in range(1, m.nbody) if m.body_parentid[b] == 0 and m.body_jntnum[b] == 1
            and int(m.jnt_type[m.body_jntadr[b]]) == FREE and not m.dof_damping[m.jnt_dofadr[m.body_jntadr[b]]]]
    if not free:
        return []
    alone = {b: bool(np.sum(m.body_rootid == b) == 1 and np.linalg.norm(m.body_ipos[b]) < 1e-12) for b in free}
    p, _, v = momenta_of_trees(world, rec, free)
    given = np.zeros_like(p)
    size = np.zeros(p.shape[:2])
    of = {b: i for i, b in enumerate(free)}
    for row, body, impulse in zip(c.row, c.body, c.impulse):
        for which, sign in ((0, -1), (1, 1)):
            i = of.get(int(m.body_rootid[body[which]]))
            if i is not None:
                given[row, i] += sign * impulse
                size[row, i] += float(np.linalg.norm(impulse))
    h = np.diff(rec.time)[:, None, None]
    whole = np.ones(len(rec), bool)  # rows whose contacts are those of the whole step
    whole[c.row[np.abs(c.duration - np.diff(rec.time, prepend=rec.time[0] - 1)[c.row]) > 1e-9 * rec.time[1]]] = False
    weight = m.body_subtreemass[free][:, None] * m.opt.gravity
    off = np.linalg.norm(np.diff(p, axis=0) - h * weight - given[1:], axis=2)
    scale = size[1:] + np.linalg.norm(h * weight, axis=2) + 1e-9 * np.linalg.norm(p[1:], axis=2)
    single = np.array([alone[b] for b in free])
    limit = np.where(single, 1e-6, 0.05)
    # A tree's momentum is taken in another configuration than its impulses: they differ by the turn within the step, of what
    # any body's change of velocity and (in second order) its velocity would carry if the whole tree had it.
    inside = [m.body_rootid == b for b in free]
    mass = m.body_subtreemass[free]
    changed = mass * np.stack([np.linalg.norm(np.diff(v[:, of_tree], axis=0), axis=2).max(axis=1) for of_tree in inside], axis=1)
    carried = mass * np.stack([np.linalg.norm(v[1:, of_tree], axis=2).max(axis=1) for of_tree in inside], axis=1)
    speed = np.max(np.abs(rec.qvel), axis=1, initial=0.0)
    turn = h[:, :, 0] * np.maximum(speed[1:], speed[:-1])[:, None]
    astray = put_right(world, rec)[:, None]  # a position that is put right turns what velocities are along
    slack = np.where(single, 0.0, 2 * turn * changed + (turn ** 2 + 2 * astray) * carried)
    share = (off - slack) / (scale + 1e-12 * np.max(np.linalg.norm(p, axis=2)) + 1e-300) / limit
    share[~whole[1:]] = 0
    row, i = np.unravel_index(np.argmax(share), share.shape)
    if share[row, i] > 1 and off[row, i] > 3 * size[row + 1, i]:  # what is recorded is too small to be a wrong impulse: it is not all
        where = f"{m.body(free[i]).name}: impulses without a recorded contact"
        return [("recording", float(off[row, i]), float(size[row + 1, i]), float(rec.time[row + 1]), where)]
    if share[row, i] > 1:
        return [("law of motion", float(off[row, i] / scale[row, i]), float(limit[i]), float(rec.time[row + 1]), m.body(free[i]).name)]
    return []
