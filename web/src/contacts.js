// Contact points, force arrows and friction cones of a frame, green where a contact sticks and orange where it slides.
import * as THREE from "three";

export const STICKS = "#12906b", SLIDES = "#e8590c";
const up = new THREE.Vector3(0, 0, 1);

export class Contacts {
  constructor(run, scene, size) { // an arrow of a usual force is `size` long
    this.run = run;
    this.newtons = this.typicalForce(); // an arrow of this force is as long as `reach`
    this.reach = size;
    this.capacity = 1;
    for (let f = 0; f < run.frames; f++) {
      this.capacity = Math.max(this.capacity, run.contactStart[f + 1] - run.contactStart[f]);
    }
    const glow = (opacity) => new THREE.MeshBasicMaterial({ transparent: opacity < 1, opacity, depthWrite: opacity === 1,
      side: opacity < 1 ? THREE.DoubleSide : THREE.FrontSide, toneMapped: false });
    const many = this.capacity > 400; // then each is drawn with fewer faces
    this.points = this.add(scene, many ? new THREE.OctahedronGeometry(1) : new THREE.SphereGeometry(1, 12, 8), glow(1));
    this.shafts = this.add(scene, new THREE.CylinderGeometry(1, 1, 1, many ? 4 : 10, 1, many).rotateX(Math.PI / 2).translate(0, 0, 0.5), glow(1));
    this.heads = this.add(scene, new THREE.ConeGeometry(1, 1, many ? 5 : 14).rotateX(Math.PI / 2).translate(0, 0, 0.5), glow(1));
    this.cones = this.add(scene, new THREE.ConeGeometry(1, 1, many ? 12 : 32, 1, true).rotateX(-Math.PI / 2).translate(0, 0, 0.5),
      glow(0.22));
    this.most = Infinity; // drawn in a frame; of more, every second, third ... one is
    this.showArrows = true;
    this.showCones = false;
  }

  add(scene, geometry, material) {
    const mesh = new THREE.InstancedMesh(geometry, material, this.capacity);
    mesh.setColorAt(0, new THREE.Color());
    mesh.frustumCulled = false;
    mesh.count = 0;
    scene.add(mesh);
    return mesh;
  }

  // The force that nine of ten contacts stay below.
  typicalForce() {
    const forces = [], every = Math.max(1, Math.floor(this.run.contactStart[this.run.frames] / 20000));
    for (let f = 0; f < this.run.frames; f += every) {
      this.run.eachContact(f, (_, force) => forces.push(Math.hypot(...force)));
    }
    forces.sort((a, b) => a - b);
    return forces[Math.floor(0.9 * forces.length)] || 1;
  }

  // Long for the usual forces, longer but never endless for blows.
  lengthOf(force) {
    const ratio = force / this.newtons;
    return this.reach * (ratio < 1 ? ratio : 1 + Math.log(ratio));
  }

  show(frame) {
    const green = new THREE.Color(STICKS), orange = new THREE.Color(SLIDES);
    const matrix = new THREE.Matrix4(), turn = new THREE.Quaternion(), at = new THREE.Vector3(), along = new THREE.Vector3();
    const scale = new THREE.Vector3(), thin = 0.024 * this.reach;
    const count = this.run.contactStart[frame + 1] - this.run.contactStart[frame], stride = Math.ceil(count / this.most) || 1;
    let points = 0, arrows = 0, cones = 0, seen = 0;
    const put = (mesh, i, colour) => {
      mesh.setMatrixAt(i, matrix.compose(at, turn, scale));
      mesh.setColorAt(i, colour);
    };
    this.run.eachContact(frame, (point, force, normal, friction, slides) => {
      const colour = slides ? orange : green, newtons = Math.hypot(...force);
      if (newtons === 0 || seen++ % stride) return;
      turn.identity();
      scale.setScalar(1.9 * thin);
      put(this.points, points++, (at.fromArray(point), colour));
      const length = this.lengthOf(newtons);
      if (this.showCones && friction > 0) {
        turn.setFromUnitVectors(up, along.fromArray(normal));
        const high = 0.6 * this.reach;
        put(this.cones, cones++, (scale.set(friction * high, friction * high, high), colour));
      }
      if (this.showArrows && length > 3 * thin) {
        turn.setFromUnitVectors(up, along.fromArray(force).normalize());
        const head = Math.min(7 * thin, 0.5 * length);
        put(this.shafts, arrows, (scale.set(thin, thin, length - head), colour));
        at.addScaledVector(along, length - head);
        put(this.heads, arrows++, (scale.set(2.6 * thin, 2.6 * thin, head), colour));
      }
    });
    for (const [mesh, count] of [[this.points, points], [this.shafts, arrows], [this.heads, arrows], [this.cones, cones]]) {
      mesh.count = count;
      mesh.instanceMatrix.needsUpdate = true;
      mesh.instanceColor.needsUpdate = true;
    }
  }

  set visible(on) {
    for (const mesh of [this.points, this.shafts, this.heads, this.cones]) mesh.visible = on;
  }
}
