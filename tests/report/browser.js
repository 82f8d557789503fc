// A browser, pages that weir report made, and what tests ask of them.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";

export const weir = process.env.WEIR;
export const out = process.env.WEIR_REPORT_OUT;
export const source = process.env.WEIR_SOURCE;

let browser;
export async function open_browser() {
  mkdirSync(out, { recursive: true });
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"] });
}
export async function close_browser() {
  await browser?.close();
}

// Writes documents (or takes paths) and makes a page of them with weir; gives its path.
export function make_page(name, ...results) {
  const paths = results.map((one, i) => {
    if (typeof one === "string") return one;
    const path = join(out, `${name}-${i + 1}.json`);
    writeFileSync(path, JSON.stringify(one));
    return path;
  });
  const page = join(out, `${name}.html`);
  execFileSync(weir, ["report", ...paths, "--out", page], { cwd: out, stdio: ["ignore", "ignore", "inherit"] });
  return page;
}

export const looks = {
  light: { viewport: { width: 1280, height: 900 }, colorScheme: "light" },
  dark: { viewport: { width: 1280, height: 900 }, colorScheme: "dark" },
  narrow: { viewport: { width: 390, height: 844 }, colorScheme: "light", hasTouch: true, isMobile: true },
};

// Opens a page and hands it to `use`; whatever goes wrong in it, or goes out of it, fails the test.
export async function with_page(path, look, use) {
  const context = await browser.newContext({ ...looks[look], acceptDownloads: true, reducedMotion: "reduce" });
  const problems = [];
  try {
    const page = await context.newPage();
    page.on("console", (message) => { if (message.type() !== "log" && message.type() !== "info") problems.push(`console: ${message.text()}`); });
    page.on("pageerror", (error) => problems.push(`error: ${error.message}`));
    page.on("request", (request) => { if (!/^(file|data|blob):/.test(request.url())) problems.push(`asks for ${request.url()}`); });
    page.setDefaultTimeout(60000);
    await page.goto(`file://${path}`);
    await page.waitForSelector("html[data-ready]");
    await use(page);
  } finally {
    await context.close();
  }
  assert.deepEqual(problems, []);
}

// Charts are made when they come near the window.
export async function draw_all(page) {
  for (const chart of await page.$$(".chart")) {
    await chart.scrollIntoViewIfNeeded();
    await page.waitForFunction((box) => box.chart !== undefined, chart);
  }
}

// Nothing is wider than the window, and no text leaves its box; what scrolls by itself may.
export async function fits(page) {
  assert.deepEqual(await page.evaluate(() => {
    const told = (one) => `${one.tagName.toLowerCase()}.${one.className}: ${one.scrollWidth} wide in ${one.clientWidth}: ${one.textContent.slice(0, 40)}`;
    const boxes = [...document.querySelectorAll("body *")].filter((one) => one.clientWidth > 0 && one.closest(".table, .chart, select") === null);
    return [document.documentElement, ...boxes].filter((one) => one.scrollWidth > one.clientWidth).map(told);
  }), []);
}

// The figure with this title.
export function figure(page, title) {
  return page.locator("figure.view", { has: page.locator("h3", { hasText: title }) }).first();
}

// What a chart shows, from the chart itself: its series with their data.
export async function series_of(page, title) {
  const box = figure(page, title).locator(".chart");
  await box.scrollIntoViewIfNeeded();
  const handle = await box.elementHandle();
  await page.waitForFunction((one) => one.chart !== undefined, handle);
  return handle.evaluate((one) => one.chart.getOption().series.map((series) => ({ name: series.name, type: series.type, id: series.id,
    data: (series.id === "cells" ? one.cells() : series.data ?? []).map((item) => (item !== null && typeof item === "object" && !Array.isArray(item) ? item.value : item)),
    marks: (series.markLine?.data ?? []).map((mark) => mark.xAxis ?? mark.yAxis) })));
}

export async function save_csv(page, title) {
  const [download] = await Promise.all([page.waitForEvent("download"), figure(page, title).getByRole("button", { name: /as CSV/ }).click()]);
  const stream = await download.createReadStream();
  let text = "";
  for await (const piece of stream) text += piece;
  const rows = text.trimEnd().split("\n").map((line) => line.split(","));
  return { name: download.suggestedFilename(), columns: rows[0], rows: rows.slice(1), text };
}

export const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
export function near(value, expected, relative = 1e-9) {
  assert.ok(Math.abs(value - expected) <= relative * Math.max(1, Math.abs(expected)), `${value} is not ${expected}`);
}
