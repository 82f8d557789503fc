// How a page opens and pans in headless Chromium; prints one JSON object. For bench/report_figures.py:
//   node report_page.mjs PLAYWRIGHT CHROMIUM PAGE
import { createRequire } from "node:module";
import { join } from "node:path";

const [, , packages, executablePath, file] = process.argv;
const { chromium } = createRequire(join(packages, "package.json"))("playwright-core");
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"] });
const open = [];
const pan = [];
for (let turn = 0; turn < 3; ++turn) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  const begin = performance.now();
  await page.goto(`file://${file}`);
  // Open: everything is in its place, and what is in the window is drawn.
  await page.waitForSelector("html[data-ready]");
  await page.waitForFunction(() => [...document.querySelectorAll(".chart")].filter((box) => box.getBoundingClientRect().top < innerHeight).every((box) => box.chart !== undefined));
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  open.push((performance.now() - begin) / 1000);
  // Pan: one step for each picture; how long from a step until the next picture.
  pan.push(await page.evaluate(async () => {
    const box = document.querySelector(".chart");
    const picture = () => new Promise((done) => requestAnimationFrame(done));
    box.chart.dispatchAction({ type: "dataZoom", start: 0, end: 20 });
    await picture();
    const times = [];
    for (let i = 0; i < 60; ++i) {
      const before = performance.now();
      box.chart.dispatchAction({ type: "dataZoom", start: i, end: 20 + i });
      await picture();
      await picture(); // the timeline sums up its cells in the first one
      times.push(performance.now() - before);
    }
    return times;
  }));
  await page.close();
}
await browser.close();
const sorted = pan.flat().sort((a, b) => a - b);
console.log(JSON.stringify({ open_s: Math.max(...open), opens_s: open, step_ms: sorted[Math.floor(sorted.length / 2)], slow_step_ms: sorted[Math.floor(sorted.length * 0.95)] }));
