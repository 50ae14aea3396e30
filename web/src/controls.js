// What plays: the clock, the bar under the picture, and the keys.

const SPEEDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 4];

export class Player {
  constructor(duration, onTime) {
    Object.assign(this, { duration, onTime, time: 0, playing: false, speed: 1 });
  }

  seek(time) {
    this.time = Math.min(Math.max(time, 0), this.duration);
    this.onTime(this.time);
  }

  toggle(on = !this.playing) {
    this.playing = on;
    if (on && this.time >= this.duration) this.seek(0);
    this.before = undefined;
  }

  // Called before every picture; `now` in ms.
  tick(now) {
    if (this.playing) {
      const passed = Math.min(now - (this.before ?? now), 100) / 1000; // a hidden page does not jump
      this.before = now;
      this.seek(this.time + passed * this.speed);
      if (this.time >= this.duration) this.playing = false;
    }
  }
}

const icon = { play: "M8 5v14l11-7z", pause: "M7 5h4v14H7zM13 5h4v14h-4z" };

export function buildBar(element, player, run, actions) {
  element.innerHTML = `
    <button class="play" title="play or pause (space)"><svg viewBox="0 0 24 24"><path/></svg></button>
    <input class="scrub" type="range" min="0" max="1" step="any" value="0" aria-label="time">
    <output class="clock"></output>
    <div class="options">
    <label>speed <select class="speed">${SPEEDS.map((s) => `<option value="${s}" ${s === 1 ? "selected" : ""}>${s} ×</option>`).join("")}</select></label>
    <label>follow <select class="follow"><option value="">nothing</option></select></label>
    <label title="contact forces: green sticks, orange slides"><input type="checkbox" class="forces" checked> forces</label>
    <label><input type="checkbox" class="cones"> cones</label>
    <label><input type="checkbox" class="trails"> trails</label>
    <button class="home" title="look at everything (home)">reset view</button>
    </div>`;
  const $ = (name) => element.querySelector(name);
  for (const body of run.moving) $(".follow").add(new Option(run.nameOf(body), body));
  $(".scrub").max = player.duration;
  $(".play").onclick = () => player.toggle();
  $(".scrub").oninput = (event) => player.seek(+event.target.value);
  $(".speed").onchange = (event) => (player.speed = +event.target.value);
  $(".follow").onchange = (event) => actions.follow(event.target.value === "" ? undefined : +event.target.value);
  $(".forces").onchange = (event) => actions.forces(event.target.checked);
  $(".cones").onchange = (event) => actions.cones(event.target.checked);
  $(".trails").onchange = (event) => actions.trails(event.target.checked);
  $(".home").onclick = () => actions.home();
  const frame = run.frames > 1 ? player.duration / (run.frames - 1) : 0;
  addEventListener("keydown", (event) => {
    if (event.target.matches("select, input:not(.scrub)")) return;
    const step = event.shiftKey ? 10 * frame : frame;
    const act = { " ": () => player.toggle(), ArrowLeft: () => player.seek(player.time - step),
      ArrowRight: () => player.seek(player.time + step), Home: () => actions.home() }[event.key];
    if (act) {
      event.preventDefault();
      act();
    }
  });
  return {
    show(time) {
      $(".scrub").value = time;
      $(".clock").textContent = `${time.toFixed(2)} / ${player.duration.toFixed(2)} s`;
      $(".play path").setAttribute("d", player.playing ? icon.pause : icon.play);
    },
    choose(body) {
      $(".follow").value = body ?? "";
    },
  };
}
