// Planes and height fields: the ground with its grid, faded into the horizon.
import * as THREE from "three";
import { poseMatrix } from "./bodies.js";

// Lines a cell apart, drawn where the surface is drawn and so never flickering, thin at any distance.
function addGrid(material, cell, line) {
  material.onBeforeCompile = (shader) => {
    shader.uniforms.cell = { value: cell };
    shader.uniforms.line = { value: line };
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", "#include <common>\nvarying vec2 onPlane;")
      .replace("#include <begin_vertex>", "#include <begin_vertex>\nonPlane = position.xy;");
    shader.fragmentShader = shader.fragmentShader
      .replace("#include <common>", "#include <common>\nvarying vec2 onPlane;\nuniform float cell;\nuniform vec3 line;")
      .replace("#include <color_fragment>", `#include <color_fragment>
        vec2 at = onPlane / cell, width = fwidth(at);
        vec2 near = 1.0 - min(abs(fract(at - 0.5) - 0.5) / (0.75 * width), 1.0);
        vec2 far = 1.0 - min(abs(fract(at / 5.0 - 0.5) - 0.5) / (0.75 * width / 5.0), 1.0);
        float seen = 1.0 - smoothstep(0.05, 0.3, max(width.x, width.y));
        float seenFar = 1.0 - smoothstep(0.05, 0.3, max(width.x, width.y) / 5.0);
        float ink = max(0.35 * seen * max(near.x, near.y), 0.65 * seenFar * max(far.x, far.y));
        diffuseColor.rgb = mix(diffuseColor.rgb, line, ink);`);
  };
}

// A round number of metres so that a scene of this size spans some ten cells.
export function cellFor(size) {
  const power = 10 ** Math.floor(Math.log10(size / 10));
  const left = size / 10 / power;
  return power * (left < 2 ? 1 : left < 5 ? 2 : 5);
}

// A scene without a floor gets one to cast shadows on, just below everything in it.
function floorOf(run, lowest) {
  const fixed = run.geoms.filter((geom) => !run.slot.has(geom.body)).map((geom) => geom.pose[2] - geom.radius);
  return { type: "plane", size: [0, 0], pose: [0, 0, Math.min(lowest, ...fixed), 1, 0, 0, 0] };
}

export function addGround(run, scene, size, lowest, theme) {
  const planes = run.geoms.filter((geom) => geom.type === "plane");
  const shown = planes.length || run.geoms.some((g) => g.type === "mesh" && g.body === 0) ? planes : [floorOf(run, lowest)];
  return shown.map((geom) => {
    const finite = geom.size[0] > 0 && geom.size[1] > 0 && geom.size[0] < 20 * size;
    const [wide, high] = finite ? [2 * geom.size[0], 2 * geom.size[1]] : [400 * size, 400 * size];
    const material = new THREE.MeshStandardMaterial({ color: theme.ground, roughness: 0.95, side: THREE.DoubleSide });
    addGrid(material, cellFor(size), new THREE.Color(theme.grid));
    const plane = new THREE.Mesh(new THREE.PlaneGeometry(wide, high), material);
    plane.applyMatrix4(poseMatrix(geom.pose));
    plane.receiveShadow = true;
    scene.add(plane);
    return plane;
  });
}
