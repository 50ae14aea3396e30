// The 3-D view: one world a run, side by side under one camera; light, shadows, and a quality that adapts to the machine.
import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { Bodies, typicalRadius } from "./bodies.js";
import { Contacts } from "./contacts.js";
import { addGround } from "./ground.js";
import { plainBodies, plainGround } from "./plain.js";
import { Trails } from "./trails.js";

const THEMES = {
  light: { sky: "#e9edf2", ground: "#d3d8de", grid: "#9aa5b1", sun: 2.4, fill: 1.5, trail: "#c2255c" },
  dark: { sky: "#171a20", ground: "#2b3038", grid: "#4d5663", sun: 2.2, fill: 0.9, trail: "#ff8fab" },
};

const SCALES = [2, 1, 0.8, 0.6, 0.45]; // of the picture's pixels to the screen's, from the finest to the simplest
const FILLED = 0.86; // of the picture, by what moves
const MANY = 200; // bodies: more are drawn simply from the start where the processor draws

// True where the processor draws, for want of a graphics card: then antialiasing is dear, and pictures start simpler.
function drawsInSoftware() {
  const gl = document.createElement("canvas").getContext("webgl2"), info = gl?.getExtension("WEBGL_debug_renderer_info");
  const name = info ? gl.getParameter(info.UNMASKED_RENDERER_WEBGL) : "";
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}

// Where everything that moves is over the run, without what flies off: the middle 98 of 100 positions on each axis.
function boundsOf(run) {
  const low = [0, 0, 0], high = [0, 0, 0];
  const every = Math.max(1, Math.floor((run.frames * run.moving.length) / 50000));
  const radius = typicalRadius(run);
  for (let axis = 0; axis < 3; axis++) {
    const values = [];
    for (let f = 0; f < run.frames; f += every) {
      for (const body of run.moving) values.push(run.positionOf(body, f)[axis]);
    }
    values.sort((a, b) => a - b);
    low[axis] = (values[Math.floor(0.01 * (values.length - 1))] ?? 0) - radius;
    high[axis] = (values[Math.ceil(0.99 * (values.length - 1))] ?? 0) + radius;
  }
  return new THREE.Box3(new THREE.Vector3(...low), new THREE.Vector3(...high));
}

class World {
  constructor(run, size, lowest, theme, renderer) {
    this.run = run;
    this.scene = new THREE.Scene();
    this.scene.background = new THREE.Color(theme.sky);
    this.scene.fog = new THREE.Fog(theme.sky, 9 * size, 45 * size);
    this.scene.add(new THREE.HemisphereLight(0xffffff, theme.ground, theme.fill));
    this.sun = new THREE.DirectionalLight(0xffffff, theme.sun);
    this.sun.castShadow = renderer.shadowMap.enabled;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.bias = -0.0004;
    this.sun.shadow.normalBias = 0.002 * size;
    const reach = 1.3 * size;
    Object.assign(this.sun.shadow.camera, { left: -reach, right: reach, top: reach, bottom: -reach, near: 0.1 * size, far: 8 * size });
    this.scene.add(this.sun, this.sun.target);
    this.theme = theme;
    this.grounds = addGround(run, this.scene, size, lowest, theme);
    this.bodies = new Bodies(run, this.scene);
    this.contacts = new Contacts(run, this.scene, Math.min(0.22 * size, Math.max(2.2 * typicalRadius(run), 0.06 * size)));
    this.trails = new Trails(run, this.scene, theme.trail);
  }

  show(time) {
    this.frame = this.run.frameAt(time);
    this.bodies.show(time, this.frame);
    this.contacts.show(this.frame);
    this.trails.show(this.frame);
  }

  // Without shadows and highlights, and with no more than some contacts: what a slow machine can draw.
  simplify() {
    if (this.plain) return;
    this.plain = true;
    this.sun.castShadow = false;
    this.contacts.most = 300;
    for (const mesh of this.bodies.meshes) mesh.material = plainBodies(mesh.material, this.theme, this.scene.fog);
    for (const plane of this.grounds) plane.material = plainGround(plane.material, this.theme);
  }

  aimSun(target, size) {
    this.sun.target.position.copy(target);
    this.sun.position.copy(target).add(new THREE.Vector3(1.4, -1.1, 2.9).multiplyScalar(size));
  }
}

export class Stage {
  constructor(runs, element, onNotice) {
    this.element = element;
    this.onNotice = onNotice;
    this.theme = THEMES[matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"];
    this.software = drawsInSoftware();
    this.renderer = new THREE.WebGLRenderer({ antialias: !this.software });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.renderer.autoClear = false;
    element.append(this.renderer.domElement);
    const bounds = runs.map(boundsOf).reduce((all, one) => all.union(one));
    this.centre = bounds.getCenter(new THREE.Vector3());
    this.extent = bounds.getSize(new THREE.Vector3());
    this.corners = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => new THREE.Vector3(i & 1 ? bounds.min.x : bounds.max.x,
      i & 2 ? bounds.min.y : bounds.max.y, i & 4 ? bounds.min.z : bounds.max.z));
    this.size = Math.max(this.extent.length() / 1.7, 1e-3);
    this.worlds = runs.map((run) => new World(run, this.size, bounds.min.z, this.theme, this.renderer));
    this.camera = new THREE.PerspectiveCamera(36, 1, 0.01 * this.size, 400 * this.size);
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, this.renderer.domElement);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.12;
    this.controls.addEventListener("change", () => (this.dirty = true));
    this.controls.addEventListener("start", () => (this.untouched = false));
    this.followed = undefined;
    this.quality = 0;
    this.slow = 0;
    new ResizeObserver(() => this.resize()).observe(element);
    this.resize();
    this.look();
    this.show(0);
    if (this.software && runs.some((run) => run.moving.length > MANY)) this.degrade();
  }

  // From the side that shows the widest spread, a little from above, as near as all of it fits and with it in the middle
  // (cli/viewpoint.c does the same).
  look() {
    const across = this.extent.x >= this.extent.y ? new THREE.Vector3(0.5, -1, 0.34) : new THREE.Vector3(1, -0.5, 0.34);
    const back = across.normalize(), right = new THREE.Vector3(0, 0, 1).cross(back).normalize(), up = back.clone().cross(right);
    const high = FILLED * Math.tan((this.camera.fov * Math.PI) / 360), wide = high * this.camera.aspect;
    const target = this.centre.clone(), seen = new THREE.Vector3();
    let far = 0;
    for (let round = 0; round < 5; round++) {
      const low = [Infinity, Infinity], top = [-Infinity, -Infinity];
      for (const corner of round ? this.corners : []) { // where they are seen from here
        seen.subVectors(corner, target);
        [right, up].forEach((axis, k) => {
          const at = seen.dot(axis) / (far - seen.dot(back));
          low[k] = Math.min(low[k], at);
          top[k] = Math.max(top[k], at);
        });
      }
      if (round) target.addScaledVector(right, (far * (low[0] + top[0])) / 2).addScaledVector(up, (far * (low[1] + top[1])) / 2);
      far = Math.max(...this.corners.map((corner) => {
        seen.subVectors(corner, target);
        return Math.max(Math.abs(seen.dot(right)) / wide, Math.abs(seen.dot(up)) / high) + seen.dot(back);
      }));
    }
    this.controls.target.copy(target);
    this.camera.position.copy(target).addScaledVector(back, far);
    this.camera.lookAt(target);
    this.untouched = true;
    this.dirty = true;
  }

  resize() {
    const { clientWidth: wide, clientHeight: high } = this.element;
    if (!wide || !high) return;
    this.refine(false);
    this.renderer.setSize(wide, high);
    this.camera.aspect = wide / this.worlds.length / high;
    this.camera.updateProjectionMatrix();
    if (this.untouched && this.followed === undefined) this.look(); // nobody chose another view
    this.dirty = true;
  }

  follow(body) {
    this.followed = body;
    for (const world of this.worlds) world.trails.followed = body;
    this.last = this.placeOf(body);
    if (this.last) this.controls.target.copy(this.last);
    this.show(this.time);
  }

  placeOf(body) {
    const world = this.worlds[0], slot = world.run.slot.get(body);
    return slot === undefined ? undefined : new THREE.Vector3().setFromMatrixPosition(world.bodies.moving[slot]);
  }

  show(time) {
    this.time = time;
    for (const world of this.worlds) world.show(time);
    const now = this.placeOf(this.followed);
    if (now && this.last) {
      this.camera.position.add(now).sub(this.last);
      this.controls.target.add(now).sub(this.last);
    }
    this.last = now;
    this.dirty = true;
  }

  pick(event) {
    const { left, top, width, height } = this.renderer.domElement.getBoundingClientRect();
    const part = width / this.worlds.length, which = Math.min(Math.floor((event.clientX - left) / part), this.worlds.length - 1);
    const point = new THREE.Vector2((2 * (event.clientX - left - which * part)) / part - 1, 1 - (2 * (event.clientY - top)) / height);
    const raycaster = new THREE.Raycaster();
    raycaster.setFromCamera(point, this.camera);
    return this.worlds[which].bodies.pick(raycaster);
  }

  // Draws if anything changed. `playing` frames are timed, and where they take too long the picture gets simpler.
  draw(playing) {
    this.controls.update();
    if (!this.dirty) return this.settle();
    const start = performance.now();
    this.dirty = false;
    this.changed = start;
    if (this.fine) this.refine(false);
    this.render();
    if (playing) this.judge(start);
  }

  render() {
    const { clientWidth: wide, clientHeight: high } = this.element, part = wide / this.worlds.length;
    this.renderer.setScissorTest(true);
    this.worlds.forEach((world, i) => {
      this.renderer.setViewport(i * part, 0, part, high);
      this.renderer.setScissor(i * part, 0, part, high);
      this.renderer.clear();
      world.aimSun(this.followed === undefined ? this.centre : this.controls.target, this.size);
      this.renderer.render(world.scene, this.camera);
    });
  }

  // Where the processor draws, a picture that rests is drawn once more, with twice the pixels in place of antialiasing.
  settle() {
    if (this.software && !this.fine && this.quality < 2 && performance.now() - this.changed > 250) {
      this.refine(true);
      this.render();
    }
  }

  refine(fine) {
    this.fine = fine;
    this.renderer.setPixelRatio(fine ? 2 : Math.min(devicePixelRatio, SCALES[this.quality]));
  }

  judge(start) {
    const gap = start - (this.lastDraw ?? start - 16);
    this.lastDraw = start;
    this.slow = gap > 33 ? this.slow + Math.min(gap / 33, 8) : Math.max(0, this.slow - 1);
    if (this.slow > 16 && this.quality < SCALES.length - 1) this.degrade();
  }

  // One step simpler, of those that make a difference on this screen; said in the picture.
  degrade() {
    this.quality += this.quality === 0 && devicePixelRatio <= 1 ? 2 : 1;
    this.slow = 0;
    const plain = this.quality > 1;
    if (plain) for (const world of this.worlds) world.simplify();
    this.resize();
    this.draw(false); // a canvas that changed its size is blank until then
    this.onNotice(`drawn more simply to keep up (coarser${plain ? ", no shadows, fewer forces" : ""})`);
  }

  paused() {
    this.lastDraw = undefined;
  }
}
