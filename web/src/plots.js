// Linked plots: one chart a group of columns, a cursor at the replay's time, and a click or drag to go there.
import uPlot from "uplot";

const COLOURS = ["#2f6fde", "#e8590c", "#12906b", "#9c36b5", "#c92a2a", "#0b7285", "#5c940d", "#868e96"];
const NOTHING = 1e-17; // on a logarithmic scale; rounding alone is larger
const MOST = 8; // lines shown at first; the others are one click away

const engineering = (value) => {
  if (value == null) return "–";
  const size = Math.abs(value);
  return size !== 0 && (size < 1e-3 || size >= 1e5) ? value.toExponential(2) : String(+value.toPrecision(4));
};

export class Plots {
  constructor(runs, element, onSeek) {
    this.runs = runs;
    this.onSeek = onSeek;
    this.element = element;
    this.charts = [];
    for (const group of new Set(runs[0].columns.map((column) => column.group))) this.addChart(group);
    new ResizeObserver(() => this.resize()).observe(element);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.charts.forEach((c) => c.plot.redraw()));
  }

  // Series of one group: of the first run solid, of the second dashed. All runs share the times of the longest.
  seriesOf(group, times) {
    const lines = [];
    this.runs.forEach((run, r) => {
      let n = 0;
      run.columns.forEach((column, c) => {
        if (column.group !== group) return;
        const of = this.runs.length > 1 ? ` (${run.label})` : "";
        const values = run.time === times ? run.series[c] : Array.from(times, (t) => (t <= run.duration ? run.series[c][run.frameAt(t)] : null));
        const clean = column.log ? Array.from(values, (v) => (v > 0 ? Math.max(v, NOTHING) : null)) : values;
        lines.push({ label: column.name + of, stroke: COLOURS[n % COLOURS.length], dash: r ? [7, 5] : undefined,
          show: n < MOST, values: clean, unit: column.unit, log: column.log });
        n++;
      });
    });
    return lines;
  }

  addChart(group) {
    const longest = this.runs.reduce((a, b) => (b.duration > a.duration ? b : a));
    const lines = this.seriesOf(group, longest.time).filter((line) => !line.log || line.values.some((v) => v !== null));
    if (!lines.some((line) => line.values.some((v) => v !== 0))) return; // nothing ever happened here
    const box = document.createElement("section");
    box.className = "chart";
    const title = document.createElement("h3");
    const units = [...new Set(lines.map((line) => line.unit))].filter(Boolean);
    title.textContent = units.length === 1 ? `${group} / ${units[0]}` : group;
    box.append(title);
    this.element.append(box);
    const ink = () => getComputedStyle(box).getPropertyValue("--soft"), faint = () => getComputedStyle(box).getPropertyValue("--faint");
    const axis = { stroke: ink, grid: { stroke: faint, width: 1 }, ticks: { show: false }, font: "11px system-ui", size: 26 };
    const plot = new uPlot({
      width: Math.max(this.element.clientWidth - 30, 200), height: 150, legend: { live: true },
      cursor: { sync: { key: "thud" }, drag: { x: false, y: false }, points: { size: 6 } },
      scales: { x: { time: false }, y: { distr: lines[0].log ? 3 : 1 } },
      axes: [axis, { ...axis, size: 58, values: (_, ticks) => ticks.map((v) => (v === null ? "" : engineering(v))) }],
      series: [{ label: "s", value: (_, v) => engineering(v) }, ...lines.map((line) => ({
        label: line.label, stroke: line.stroke, dash: line.dash, width: 1.6, show: line.show, spanGaps: true,
        points: { show: false }, value: (_, v) => engineering(v) }))],
    }, [Array.from(longest.time), ...lines.map((line) => Array.from(line.values))], box);
    const now = document.createElement("div");
    now.className = "now";
    plot.over.append(now);
    this.seekable(plot);
    this.charts.push({ plot, now, group });
  }

  seekable(plot) {
    const seek = (event) => this.onSeek(plot.posToVal(event.clientX - plot.over.getBoundingClientRect().left, "x"));
    plot.over.addEventListener("pointerdown", (event) => {
      plot.over.setPointerCapture(event.pointerId);
      seek(event);
    });
    plot.over.addEventListener("pointermove", (event) => event.buttons & 1 && seek(event));
  }

  resize() {
    const width = this.element.clientWidth - 30;
    if (width > 0) this.charts.forEach(({ plot }) => plot.setSize({ width, height: 150 }));
    this.show(this.time ?? 0);
  }

  show(time) {
    this.time = time;
    for (const { plot, now } of this.charts) {
      now.style.transform = `translateX(${plot.valToPos(time, "x").toFixed(1)}px)`;
      const frame = plot.valToIdx(time);
      if (!plot.over.matches(":hover")) plot.setLegend({ idx: frame }, false);
    }
  }
}
