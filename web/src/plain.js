// Materials for machines that draw slowly: lit at the corners only, without shadows and highlights.
import * as THREE from "three";

// What MeshStandardMaterial makes of light on a rough surface that faces it, near enough.
const lightOn = (theme, facing) => (theme.sun * facing + theme.fill) / Math.PI;

// For instanced meshes: the colour of each corner by the direction it faces, fog included.
export function plainBodies({ transparent, opacity, side }, theme, fog) {
  return new THREE.ShaderMaterial({
    transparent, side,
    uniforms: { sky: { value: fog.color }, near: { value: fog.near }, far: { value: fog.far }, opacity: { value: opacity },
      sun: { value: new THREE.Vector3(1.4, -1.1, 2.9).normalize() }, strength: { value: new THREE.Vector2(theme.sun, theme.fill).divideScalar(Math.PI) } },
    vertexShader: `
      uniform vec3 sky, sun; uniform vec2 strength; uniform float near, far;
      varying vec3 shade;
      void main() {
        vec3 up = normalize(mat3(modelMatrix) * mat3(instanceMatrix) * normal);
        vec4 seen = modelViewMatrix * instanceMatrix * vec4(position, 1.0);
        float light = strength.x * max(dot(up, sun), 0.0) + strength.y * (0.75 + 0.25 * up.z);
        shade = mix(instanceColor * light, sky, smoothstep(near, far, -seen.z));
        shade = pow(clamp(shade, 0.0, 1.0), vec3(0.4545));
        gl_Position = projectionMatrix * seen;
      }`,
    fragmentShader: `
      uniform float opacity;
      varying vec3 shade;
      void main() { gl_FragColor = vec4(shade, opacity); }`,
  });
}

// The ground's colour as the lights would have it, without asking them.
export function plainGround(material, theme) {
  const plain = new THREE.MeshBasicMaterial({ color: material.color.clone().multiplyScalar(lightOn(theme, 0.85)), side: material.side });
  plain.onBeforeCompile = material.onBeforeCompile;
  return plain;
}
