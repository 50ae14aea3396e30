#!/usr/bin/env python3
"""Prints the n-link pendulum of the operational-space paper (Table I) as MJCF.

Planar hinges 6/n apart from a base at 10 m, a ball of 1 kg and radius 3/n at the middle of each link, starting level with
-1 rad/s at the first hinge. With BASE, the height of the base in metres, the balls meet each other, a wall (face at
x = 3.9) and a floor (face at z = 0.1), with friction 0.5; without it nothing touches anything.

usage: tools/make_chain.py N >scenes/chainN.xml
       tools/make_chain.py N BASE >scenes/pendulumN.xml         BASE 10 as printed; 5 (pendulumN_low.xml) reaches the floor
       tools/make_chain.py N tail >scenes/parts/pendulumN_tail.xml     from N = 90 on: MuJoCo reads at most 100 elements deep,
                                                                so the links after the 50th are a file of their own
"""
import sys

n = int(sys.argv[1])
base = sys.argv[2] if len(sys.argv) > 2 else None
head = n if n < 90 else 50  # links in the main file
spacing, radius = 6 / n, 3 / n


def free_chain():
    print(f"""<!-- The pendulum of {n} links, 6 m long in all, that starts level; made by tools/make_chain.py {n}. -->
<mujoco model="chain{n}">
  <option timestep="0.001" gravity="0 0 -9.8"/>
  <default>
    <joint type="hinge" axis="0 1 0"/>
    <geom type="sphere" size="{radius:.6g}" pos="{spacing / 2:.6g} 0 0" mass="1" contype="0" conaffinity="0" rgba="0.16 0.42 0.80 1"/>
  </default>
  <worldbody>""")
    for i in range(n):
        place = "0 0 10" if i == 0 else f"{spacing:.6g} 0 0"
        print(f'    <body name="link{i}" pos="{place}"><joint name="hinge{i}"/><geom/>')
    print("    " + "</body>" * n)


REACH = {
    "10": "It meets the wall and itself; the floor is out of its reach.",
    "5": "It drags over the floor, and meets the wall and itself.",
}
HEIGHTS = """
     The centre of the last link is at 5.5047, 5.0585, 5.9226, 5.1130, 5.7241 m after 1 ... 5 s (limit of small steps; 3 mm at this step)."""


def links(first, last):
    for i in range(first, last):
        place = f"0 0 {base}" if i == 0 else f"{-spacing!r} 0 0"
        print(f'    <body name="link{i}" pos="{place}"><joint name="hinge{i}"/><geom class="link"/>')


def touching_chain():
    print(f"""<!-- The pendulum of {n} links of the operational-space paper (Jain et al. 2012, V-E and Table I), its base at {base} m: 6 m of chain
     let go level on the left, swinging to the right. {REACH.get(base, '')}
     Right answer: inelastic, so its energy never grows (1 % at most above the start), and minimal and maximal coordinates agree
     to first order in the step. Made by tools/make_chain.py {n} {base}.{HEIGHTS if (n, base) == (3, '10') else ''} -->
<mujoco model="pendulum{n}{'' if base == '10' else '_low'}">
  <option timestep="0.001" gravity="0 0 -9.8"/>
  <default>
    <joint type="hinge" axis="0 1 0"/>
    <geom friction="0.5" rgba="0.16 0.42 0.80 1"/>
    <default class="link">
      <geom type="sphere" size="{radius!r}" pos="{-spacing / 2!r} 0 0" mass="1"/>
    </default>
    <default class="room">
      <geom type="plane" size="0 0 1" rgba="0.8 0.8 0.8 1"/>
    </default>
  </default>
  <worldbody>
    <geom name="floor" class="room" pos="0 0 0.1"/>
    <geom name="wall" class="room" pos="3.9 0 0" zaxis="-1 0 0"/>""")
    links(0, head)
    if head < n:
        print(f'    <include file="parts/pendulum{n}_tail.xml"/>')
    print("    " + "</body>" * head)


if base == "tail":
    print(f"""<!-- The links of the pendulum of {n} after the first {head}; made by tools/make_chain.py {n} tail. -->
<mujoco>""")
    links(head, n)
    print(f"""    {"</body>" * (n - head)}
</mujoco>""")
else:
    touching_chain() if base else free_chain()
    print(f"""  </worldbody>
  <keyframe>
    <key name="start" qvel="-1{' 0' * (n - 1)}"/>
  </keyframe>
</mujoco>""")
