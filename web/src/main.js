// The report's page: reads the runs that lie in it, builds the picture, the bar, the plots and the tables, and ties them to
// one clock. `window.thud` is how tests (and the curious) look inside.
import uplotStyle from "uplot/dist/uPlot.min.css";
import { buildBar, Player } from "./controls.js";
import { Plots } from "./plots.js";
import { readRuns } from "./run.js";
import { Stage } from "./stage.js";
import style from "./style.css";

const element = (tag, name, text) => Object.assign(document.createElement(tag), { className: name ?? "", textContent: text ?? "" });

function buildTable(runs) {
  const table = element("table");
  if (runs.length > 1) {
    const head = table.insertRow();
    ["", ...runs.map((run) => run.label)].forEach((text) => head.append(element("th", "", text)));
  }
  runs[0].table.forEach(([name], i) => {
    const row = table.insertRow();
    [name, ...runs.map((run) => run.table[i]?.[1] ?? "")].forEach((text) => (row.insertCell().textContent = text));
  });
  return table;
}

function buildNotes(runs) {
  const notes = element("div", "notes");
  const omitted = [...new Set(runs.flatMap((run) => run.omitted))];
  notes.append(element("h3", "", "Left out of the model"));
  notes.append(element("p", "", omitted.length ? omitted.join(", ") : "Nothing: all of its physics was simulated."));
  return notes;
}

function buildHead(runs) {
  const head = element("header");
  head.append(element("h1", "", runs.map((run) => run.model).filter((m, i, all) => all.indexOf(m) === i).join(" · ")));
  head.append(element("p", "", runs.map((run) => run.subtitle).join(" | ")));
  return head;
}

function start() {
  document.head.append(element("style", "", uplotStyle + style));
  const runs = readRuns(document);
  const page = element("main"), view = element("div", "view"), side = element("aside"), bar = element("div", "bar");
  const picture = element("div", "picture"), notice = element("div", "notice"), charts = element("div", "charts");
  const legend = element("div", "legend");
  legend.innerHTML = "<i class='sticks'></i>sticks<i class='slides'></i>slides";
  view.append(picture, bar);
  picture.append(notice, legend);
  if (runs.length > 1) {
    runs.forEach((run, i) => {
      const label = element("div", i ? "label second" : "label", run.label);
      label.style.left = `${(100 * i) / runs.length}%`;
      picture.append(label);
    });
  }
  side.append(charts);
  const tables = element("div", "tables");
  tables.append(buildTable(runs), buildNotes(runs), element("footer", "", `thud ${runs[0].version} (${runs[0].commit})`));
  side.append(tables);
  page.append(buildHead(runs), view, side);
  document.body.append(page);

  const duration = Math.max(...runs.map((run) => run.duration));
  const stage = new Stage(runs, picture, (text) => (notice.textContent = text));
  const player = new Player(duration, show);
  const plots = new Plots(runs, charts, (time) => player.seek(time));
  const every = (act) => (on) => {
    stage.worlds.forEach((world) => act(world, on));
    stage.show(player.time);
  };
  const actions = {
    follow: (body) => stage.follow(body),
    forces: every((world, on) => (world.contacts.visible = on)),
    cones: every((world, on) => (world.contacts.showCones = on)),
    trails: every((world, on) => (world.trails.on = on)),
    home: () => (controls.choose(), stage.follow(undefined), stage.look()),
  };
  const controls = buildBar(bar, player, runs[0], actions);
  legend.hidden = runs.every((run) => run.contact.length === 0);
  picture.addEventListener("dblclick", (event) => {
    const body = stage.pick(event);
    if (body !== undefined && runs[0].slot.has(body)) controls.choose(body), actions.follow(body);
  });

  function show(time) {
    stage.show(time);
    plots.show(time);
  }
  function turn(now) {
    const playing = player.playing;
    player.tick(now);
    controls.show(player.time);
    stage.draw(playing);
    if (!playing) stage.paused();
    requestAnimationFrame(turn);
  }
  show(0);
  requestAnimationFrame(turn);
  window.thud = { runs, stage, player, plots, placeOf: (body, world = 0) => {
    const { run, bodies } = stage.worlds[world];
    return bodies.moving[run.slot.get(body)].elements.slice(12, 15);
  } };
}

start();
