// Loads the reports of a folder in Chromium and uses them as a person would.
// usage: node reports_live_in_a_browser.mjs WEB FOLDER     SCREENSHOTS=FOLDER in the environment keeps pictures.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";

const [web, folder] = process.argv.slice(2).map((path) => resolve(path));
const { chromium } = createRequire(join(web, "package.json"))("playwright-core");
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-background-networking",
    "--disable-component-update"],
});

// Colours on a grid of points of the picture.
const coloursOf = (page) => page.evaluate(() => {
  thud.stage.dirty = true;
  thud.stage.draw(false);
  const gl = thud.stage.renderer.getContext(), wide = gl.drawingBufferWidth, high = gl.drawingBufferHeight;
  const pixels = new Uint8Array(4 * wide * high), seen = new Set();
  gl.readPixels(0, 0, wide, high, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
  for (let i = 0; i < pixels.length; i += 4 * 97) seen.add((pixels[i] << 16) | (pixels[i + 1] << 8) | pixels[i + 2]);
  return seen.size;
});
const cursor = (page) => page.evaluate(() => document.querySelector(".chart .now").getBoundingClientRect().x);
const poses = (page) => page.evaluate(() => thud.stage.worlds[0].bodies.moving.flatMap((matrix) => matrix.elements));
const clock = (page) => page.evaluate(() => thud.player.time);

async function use(name) {
  const page = await browser.newPage({ viewport: { width: 1000, height: 560 } });
  const complaints = [], fetched = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && !/GL Driver Message|GPU stall/.test(message.text())
    && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("request", (request) => !/^(file|data|blob):/.test(request.url()) && fetched.push(request.url()));
  await page.goto(`file://${join(folder, name)}.html`);
  await page.waitForFunction(() => window.thud);

  // The picture is not blank.
  assert.ok((await coloursOf(page)) > 40, `${name}: the picture is blank`);

  // Scrubbing to the middle moves the plots' cursors there, and the bodies.
  const before = await cursor(page);
  const last = await page.evaluate(() => thud.runs[0].moving.at(-1));
  const start = await poses(page);
  await page.evaluate(() => {
    const bar = document.querySelector(".scrub");
    bar.value = thud.player.duration / 2;
    bar.dispatchEvent(new Event("input"));
  });
  const half = await clock(page), middle = await poses(page);
  assert.ok(Math.max(...middle.map((x, i) => Math.abs(x - start[i]))) > 0.01, `${name}: nothing moved`);
  assert.ok(Math.abs(half - (await page.evaluate(() => thud.player.duration)) / 2) < 1e-3, `${name}: the clock did not follow`);
  const expected = await page.evaluate((t) => thud.plots.charts[0].plot.valToPos(t, "x") - thud.plots.charts[0].plot.valToPos(0, "x"), half);
  assert.ok(expected > 20 && Math.abs((await cursor(page)) - before - expected) < 1, `${name}: the plot's cursor did not follow`);

  // A click on a plot goes to its time.
  const over = await page.locator(".chart .u-over").first().boundingBox();
  await page.mouse.click(over.x + over.width * 0.25, over.y + over.height / 2);
  const asked = await page.evaluate((x) => thud.plots.charts[0].plot.posToVal(x, "x"), over.width * 0.25);
  assert.ok(Math.abs((await clock(page)) - asked) < 0.02, `${name}: a click on a plot did not move the replay`);

  // Playing moves time on and, at the end, the bodies are where the recording has them: in the state that run --json printed.
  await page.evaluate(() => thud.player.seek(thud.player.duration * 0.95));
  await page.locator(".play").click();
  await page.waitForFunction(() => !thud.player.playing && thud.player.time === thud.player.duration, null, { timeout: 20000 });
  const endPlace = await page.evaluate((body) => thud.placeOf(body), last);
  const said = JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8"));
  if (name === "humanoid") {
    const root = await page.evaluate(() => thud.placeOf(thud.runs[0].moving[0]));
    root.forEach((x, i) => assert.ok(Math.abs(x - said.qpos[i]) < 1e-5, `humanoid: ${root} is not where qpos says`));
  }
  if (name === "dominoes") {
    endPlace.forEach((x, i) => assert.ok(Math.abs(x - said.qpos.at(-7 + i)) < 1e-5, "dominoes: the last is not where qpos says"));
  }
  // Two runs stand side by side, each where its own recording has it; the shorter one waits at its end.
  if (name === "compare") {
    assert.deepEqual(await page.locator(".label").allTextContents(), ["cone", "box"]);
    const second = await page.evaluate(() => thud.placeOf(thud.runs[1].moving[0], 1));
    second.forEach((x, i) => assert.ok(Math.abs(x - said.qpos[i]) < 1e-5, `compare: ${second} is not where qpos says`));
    const seen = await page.evaluate(() => thud.plots.charts[0].plot.series.map((line) => line.label));
    assert.ok(seen.includes("total (cone)") && seen.includes("total (box)"), `compare: the plot has ${seen}`);
  }

  // Following a body, trails and cones work; contacts are drawn where there are any.
  await page.locator(".trails").check();
  await page.locator(".cones").check();
  await page.locator(".follow").selectOption({ index: 1 });
  await page.evaluate(() => thud.player.seek(thud.player.duration * 0.7));
  const contacts = await page.evaluate(() => thud.stage.worlds[0].contacts.points.count);
  assert.equal(contacts > 0, name !== "gyroscope", `${name}: contacts shown: ${contacts}`);
  if (process.env.SCREENSHOTS) await page.screenshot({ path: join(process.env.SCREENSHOTS, `${name}.png`) });

  // As simple as it gets, the picture is still one, says so, and has the bodies where they were.
  const before_plain = await poses(page);
  await page.evaluate(() => { while (thud.stage.quality < 4) thud.stage.degrade(); });
  assert.ok((await coloursOf(page)) > 20, `${name}: the simplest picture is blank`);
  assert.match(await page.locator(".notice").textContent(), /simply/);
  assert.deepEqual(await poses(page), before_plain);

  assert.deepEqual(complaints, [], `${name}: the console has complaints`);
  assert.deepEqual(fetched, [], `${name}: something was asked of a network`);
  await page.close();
}

try {
  const names = readdirSync(folder).filter((name) => name.endsWith(".html")).map((name) => name.slice(0, -5)).sort();
  assert.equal(names.length, 4);
  for (const name of names) await use(name);
  console.log(`${names.length} reports live: ${names.join(", ")}`);
} finally {
  await browser.close();
}
