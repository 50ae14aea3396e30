// The bodies of a run, drawn in a few calls whatever their number: every geom is one or more scaled copies ("parts") of a
// unit shape, and all parts of one shape and opacity are one instanced mesh.
import * as THREE from "three";

const PALETTE = ["#4878cf", "#d65f5f", "#6acc65", "#b47cc7", "#c4ad66", "#77bedb", "#e8935a", "#8c8c8c"];

const unit = {
  box: () => new THREE.BoxGeometry(2, 2, 2),
  sphere: (around) => new THREE.SphereGeometry(1, around, Math.ceil(0.6 * around)),
  cylinder: (around) => new THREE.CylinderGeometry(1, 1, 2, around).rotateX(Math.PI / 2),
  tube: (around) => new THREE.CylinderGeometry(1, 1, 2, around, 1, true).rotateX(Math.PI / 2),
};

function meshGeometry(mesh) {
  const indexed = new THREE.BufferGeometry();
  indexed.setAttribute("position", new THREE.BufferAttribute(mesh.position, 3));
  indexed.setIndex(new THREE.BufferAttribute(mesh.index, 1));
  const flat = indexed.toNonIndexed(); // faces, not the smooth look of a blob
  flat.computeVertexNormals();
  return flat;
}

const moved = (z, sx, sy, sz) => new THREE.Matrix4().makeScale(sx, sy, sz).setPosition(0, 0, z);

// [unit shape, matrix in the geom's frame] of every part of a geom.
function partsOf(geom) {
  const [a, b, c] = geom.size;
  switch (geom.type) {
    case "sphere": return [["sphere", moved(0, a, a, a)]];
    case "ellipsoid": return [["sphere", moved(0, a, b, c)]];
    case "box": return [["box", moved(0, a, b, c)]];
    case "cylinder": return [["cylinder", moved(0, a, a, b)]];
    case "capsule": return [["tube", moved(0, a, a, b)], ["sphere", moved(b, a, a, a)], ["sphere", moved(-b, a, a, a)]];
    case "mesh": return [[geom.mesh, new THREE.Matrix4()]];
    default: return [];
  }
}

export function poseMatrix(pose) {
  const [x, y, z, qw, qx, qy, qz] = pose;
  return new THREE.Matrix4().compose(new THREE.Vector3(x, y, z), new THREE.Quaternion(qx, qy, qz, qw),
    new THREE.Vector3(1, 1, 1));
}

// The size of the middle one of the bodies that move: of a sphere around its parts, from its origin.
export function typicalRadius(run) {
  const radii = new Map();
  for (const { body, type, radius, pose } of run.geoms) {
    if (type !== "plane") radii.set(body, Math.max(radii.get(body) ?? 0, radius + Math.hypot(...pose.slice(0, 3))));
  }
  const known = run.moving.map((body) => radii.get(body) ?? 0).filter((radius) => radius > 0).sort((a, b) => a - b);
  return known[known.length >> 1] ?? 0;
}

export class Bodies {
  constructor(run, scene) {
    this.run = run;
    this.batches = new Map();
    const dull = run.geoms.every((g) => g.type === "plane" || g.rgba.slice(0, 3).every((v) => Math.abs(v - 0.5) < 1e-6));
    const shown = run.geoms.some((g) => g.group < 3 && g.type !== "plane");
    for (const geom of run.geoms) {
      if (geom.rgba[3] === 0 || (shown && geom.group >= 3)) continue;
      const colour = new THREE.Color();
      if (dull && geom.body > 0) colour.set(PALETTE[(geom.body - 1) % PALETTE.length]);
      else colour.setRGB(...geom.rgba.slice(0, 3), THREE.SRGBColorSpace);
      const inBody = poseMatrix(geom.pose);
      for (const [shape, matrix] of partsOf(geom)) {
        this.batch(shape, geom.rgba[3]).push({ body: geom.body, colour, matrix: inBody.clone().multiply(matrix) });
      }
    }
    this.meshes = [...this.batches.values()].map((batch) => this.instance(batch, scene));
    this.moving = run.moving.map(() => new THREE.Matrix4());
  }

  batch(shape, opacity) {
    const key = `${shape}/${opacity}`;
    if (!this.batches.has(key)) this.batches.set(key, Object.assign([], { shape, opacity }));
    return this.batches.get(key);
  }

  instance(batch, scene) {
    const geometry = typeof batch.shape === "number" ? meshGeometry(this.run.meshes[batch.shape]) : unit[batch.shape](batch.length > 200 ? 16 : 40);
    const material = new THREE.MeshStandardMaterial({ roughness: 0.55, metalness: 0.05, transparent: batch.opacity < 1,
      opacity: batch.opacity, side: typeof batch.shape === "number" ? THREE.DoubleSide : THREE.FrontSide });
    const mesh = new THREE.InstancedMesh(geometry, material, batch.length);
    batch.forEach((part, i) => {
      mesh.setColorAt(i, part.colour);
      mesh.setMatrixAt(i, part.matrix);
    });
    mesh.castShadow = batch.opacity > 0.5;
    mesh.receiveShadow = true;
    mesh.frustumCulled = false; // its instances are all over the place
    mesh.userData.parts = batch;
    scene.add(mesh);
    return mesh;
  }

  show(time, frame) {
    const position = new THREE.Vector3(), quaternion = new THREE.Quaternion(), one = new THREE.Vector3(1, 1, 1);
    this.run.moving.forEach((body, slot) => {
      this.run.poseAt(body, time, frame, position, quaternion);
      this.moving[slot].compose(position, quaternion, one);
    });
    const matrix = new THREE.Matrix4();
    for (const mesh of this.meshes) {
      mesh.userData.parts.forEach((part, i) => {
        const slot = this.run.slot.get(part.body);
        if (slot !== undefined) mesh.setMatrixAt(i, matrix.multiplyMatrices(this.moving[slot], part.matrix));
      });
      mesh.instanceMatrix.needsUpdate = true;
      mesh.boundingSphere = null; // picking asks for it again
    }
  }

  // The body under a ray, or undefined.
  pick(raycaster) {
    const [hit] = raycaster.intersectObjects(this.meshes, false);
    return hit?.object.userData.parts[hit.instanceId].body;
  }
}
