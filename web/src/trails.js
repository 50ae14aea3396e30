// The paths that bodies have taken up to now: of the body that is followed, or of the tips of every mechanism.
import * as THREE from "three";

const MOST = 24;

export class Trails {
  constructor(run, scene, colour) {
    this.run = run;
    this.material = new THREE.LineBasicMaterial({ color: colour, transparent: true, opacity: 0.75 });
    const parents = new Set(run.moving.map((body) => run.parents[body]));
    const tips = run.moving.filter((body) => !parents.has(body));
    const stride = Math.ceil(tips.length / MOST);
    this.tips = tips.filter((_, i) => i % stride === 0);
    this.lines = new Map();
    this.scene = scene;
    this.on = false;
    this.followed = undefined;
  }

  lineOf(body) {
    if (!this.lines.has(body)) {
      const points = new Float32Array(3 * this.run.frames);
      for (let f = 0; f < this.run.frames; f++) points.set(this.run.positionOf(body, f), 3 * f);
      const geometry = new THREE.BufferGeometry().setAttribute("position", new THREE.BufferAttribute(points, 3));
      const line = new THREE.Line(geometry, this.material);
      line.frustumCulled = false;
      this.scene.add(line);
      this.lines.set(body, line);
    }
    return this.lines.get(body);
  }

  show(frame) {
    for (const line of this.lines.values()) line.visible = false;
    if (!this.on) return;
    for (const body of this.followed === undefined ? this.tips : [this.followed]) {
      const line = this.lineOf(body);
      line.visible = true;
      line.geometry.setDrawRange(0, frame + 1);
    }
  }
}
