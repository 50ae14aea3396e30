// A picture of a report: node screenshot.mjs REPORT.html OUT.png SECONDS [SCRIPT]     SCRIPT runs in the page first.
import { resolve } from "node:path";
import { chromium } from "playwright-core";

const [report, out, seconds, script] = process.argv.slice(2);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-background-networking"],
});
const page = await browser.newPage({ viewport: { width: 1400, height: 820 } });
await page.goto(`file://${resolve(report)}`);
await page.waitForFunction(() => window.thud);
if (script) await page.evaluate(script);
await page.evaluate((time) => thud.player.seek(time), Number(seconds));
await page.waitForFunction(() => !thud.stage.software || thud.stage.fine || thud.stage.quality > 1); // drawn at its best
await page.waitForTimeout(300);
await page.screenshot({ path: out });
await browser.close();
