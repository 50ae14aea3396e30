#!/usr/bin/env python3
"""scenes/herd.xml: eight beetles, each a box on six legs of two hinges, let go above the floor one after the other."""
ROWS, COLUMNS, SPACE = 2, 4, 1.0
print("""<!-- Eight beetles, 13 links each, their knees on springs and their hips with motors, let go at different heights, a metre from each other. What keeps out of the
     others' reach is stepped by itself, by whatever thread is free.
     Right answer: each comes to rest on its six feet, and the floor carries 36.227 N of each.
     Written by tools/make_herd.py -->
<mujoco model="herd">
  <compiler angle="radian" autolimits="true"/>
  <option timestep="0.002"/>
  <default>
    <geom density="500" friction="0.8" rgba="0.20 0.36 0.30 1"/>
    <joint type="hinge" armature="0.001"/>
    <default class="hip">
      <joint axis="0 0 1" range="-0.6 0.6" damping="0.05" stiffness="2"/>
      <geom type="capsule" size="0.014" rgba="0.90 0.49 0.13 1"/>
    </default>
    <default class="knee">
      <joint axis="1 0 0" range="-0.8 0.8" damping="0.05" stiffness="8"/>
      <geom type="capsule" size="0.011" rgba="0.75 0.22 0.17 1"/>
    </default>
  </default>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 1" rgba="0.8 0.8 0.8 1"/>""")
hips = []
for row in range(ROWS):
    for column in range(COLUMNS):
        k = row * COLUMNS + column
        print(f'    <body name="beetle{k}" pos="{SPACE * column:g} {SPACE * row:g} {0.3 + 0.05 * k:g}" euler="0 0 {0.5 * k:g}">')
        print('      <freejoint/>\n      <geom type="box" size="0.2 0.1 0.04"/>')
        for leg in range(6):
            side, ahead = (1 if leg % 2 == 0 else -1), 0.16 * (leg // 2 - 1)
            hips.append(f"{k}.hip{leg}")
            print(f'      <body pos="{ahead:g} {0.1 * side:g} 0">\n        <joint name="{k}.hip{leg}" class="hip"/>')
            print(f'        <geom class="hip" fromto="0 {0.02 * side:g} 0 0 {0.12 * side:g} 0.05"/>')
            print(f'        <body pos="0 {0.12 * side:g} 0.05">\n          <joint name="{k}.knee{leg}" class="knee"/>')
            print(f'          <geom class="knee" fromto="0 0 0 0 {0.05 * side:g} -0.2"/>\n        </body>\n      </body>')
        print("    </body>")
print("  </worldbody>\n  <actuator>")
for hip in hips:
    print(f'    <motor joint="{hip}" gear="0.5" ctrlrange="-1 1"/>')
print("  </actuator>\n</mujoco>")
