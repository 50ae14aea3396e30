#!/usr/bin/env python3
"""Prints the n-link pendulum of the operational-space paper (Table I) as MJCF, without contact.

Planar hinges 6/n apart from a base at 10 m, a ball of 1 kg and radius 3/n at the middle of each link, starting level with
-1 rad/s at the first hinge.  usage: tools/make_chain.py N >scenes/chainN.xml
"""
import sys

n = int(sys.argv[1])
spacing, radius = 6 / n, 3 / n
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
print(f"""  </worldbody>
  <keyframe>
    <key name="start" qvel="-1{' 0' * (n - 1)}"/>
  </keyframe>
</mujoco>""")
