// A recorded run as it lies in the page: a description (JSON) and one block of single-precision numbers (base64).
// Frames are the moments that were kept; bodies are numbered as in the model, and those that never move have one pose.

const CONTACT = 11; // point, force on body 2 (N), normal, friction coefficient, 1 if it slides
const POSE = 7; // position, quaternion w x y z

function decode(text) {
  const raw = atob(text.trim());
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return new Float32Array(bytes.buffer);
}

export class Run {
  constructor(description, numbers) {
    Object.assign(this, description); // model, scene, table, omitted, bodies, geoms, meshes, columns, frames, moving
    let at = 0;
    const take = (count) => numbers.subarray(at, (at += count));
    this.time = take(this.frames);
    this.pose = take(this.frames * this.moving.length * POSE);
    this.contactStart = take(this.frames + 1);
    this.contact = take(this.contactStart[this.frames] * CONTACT);
    this.series = this.columns.map(() => take(this.frames));
    for (const mesh of this.meshes) {
      mesh.position = take(3 * mesh.vertices);
      mesh.index = Uint32Array.from(take(3 * mesh.triangles));
    }
    this.slot = new Map(this.moving.map((body, slot) => [body, slot]));
  }

  get duration() {
    return this.time[this.frames - 1];
  }

  // The last frame at or before a time.
  frameAt(time) {
    let low = 0, high = this.frames - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.time[middle] <= time) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  // Writes position and quaternion (three.js order x y z w) of a body at a time, between frames by interpolation.
  poseAt(body, time, frame, position, quaternion) {
    const slot = this.slot.get(body), next = Math.min(frame + 1, this.frames - 1);
    const span = this.time[next] - this.time[frame];
    const s = span > 0 ? Math.min(Math.max((time - this.time[frame]) / span, 0), 1) : 0;
    const a = (frame * this.moving.length + slot) * POSE, b = (next * this.moving.length + slot) * POSE, p = this.pose;
    position.set(p[a] + s * (p[b] - p[a]), p[a + 1] + s * (p[b + 1] - p[a + 1]), p[a + 2] + s * (p[b + 2] - p[a + 2]));
    const same = p[a + 3] * p[b + 3] + p[a + 4] * p[b + 4] + p[a + 5] * p[b + 5] + p[a + 6] * p[b + 6] < 0 ? -s : s;
    quaternion.set((1 - s) * p[a + 4] + same * p[b + 4], (1 - s) * p[a + 5] + same * p[b + 5],
      (1 - s) * p[a + 6] + same * p[b + 6], (1 - s) * p[a + 3] + same * p[b + 3]).normalize();
  }

  positionOf(body, frame) {
    const at = (frame * this.moving.length + this.slot.get(body)) * POSE;
    return this.pose.subarray(at, at + 3);
  }

  // Calls visit(point, force, normal, friction, slides) for every contact of a frame; the first three are subarrays.
  eachContact(frame, visit) {
    for (let i = this.contactStart[frame]; i < this.contactStart[frame + 1]; i++) {
      const c = this.contact.subarray(i * CONTACT, (i + 1) * CONTACT);
      visit(c.subarray(0, 3), c.subarray(3, 6), c.subarray(6, 9), c[9], c[10] > 0);
    }
  }

  nameOf(body) {
    return this.bodies[body] ?? (body === 0 ? "world" : `body ${body}`);
  }
}

export function readRuns(document) {
  return [...document.querySelectorAll("script[data-run]")].map(
    (element) => new Run(JSON.parse(element.textContent), decode(element.nextElementSibling.textContent)),
  );
}
