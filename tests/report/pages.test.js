// Every kind of page in every look: opened, drawn, readable; pictures stay in the build directory.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { close_browser, draw_all, fits, looks, make_page, open_browser, out, with_page } from "./browser.js";
import { every, long_named } from "./documents.js";

before(open_browser);
after(close_browser);

// Every text in the window against what lies behind it, as WCAG 2 counts it: 4.5, or 3 for large letters.
function weak_texts() {
  const channel = (value) => (value / 255 <= 0.03928 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const numbers = (text) => (text.match(/[\d.]+/g) ?? []).map(Number);
  const behind = (element) => {
    for (let one = element; one !== null; one = one.parentElement) {
      const colour = numbers(getComputedStyle(one).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  const weak = [];
  for (const element of document.querySelectorAll("h1,h2,h3,p,a,dt,dd,th,td,button,label,select,small,footer")) {
    if (element.textContent.trim() === "" || element.offsetParent === null) continue;
    const style = getComputedStyle(element);
    const [a, b] = [light(numbers(style.color)), light(behind(element))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < (parseFloat(style.fontSize) >= 24 ? 3 : 4.5)) weak.push(`${element.tagName} ${ratio.toFixed(2)}: ${element.textContent.slice(0, 40)}`);
  }
  return weak;
}

function unlabelled() {
  const name = (element) => (element.getAttribute("aria-label") ?? element.textContent ?? "").trim();
  const wrong = [];
  for (const element of document.querySelectorAll("button, a, [role=img], [role=region]")) if (name(element) === "") wrong.push(element.outerHTML.slice(0, 80));
  for (const element of document.querySelectorAll("select")) if (element.closest("label") === null) wrong.push("select without a label");
  for (const element of document.querySelectorAll("figure.view")) if (element.querySelector("h3") === null || (element.querySelector(".says")?.textContent ?? "").length < 20) wrong.push(`figure without a sentence: ${element.textContent.slice(0, 60)}`);
  for (const element of document.querySelectorAll("figure.view")) if (![...element.querySelectorAll("button")].some((one) => one.textContent === "CSV")) wrong.push(`no CSV: ${element.textContent.slice(0, 60)}`);
  for (const element of document.querySelectorAll(".chart")) if (element.tabIndex < 0) wrong.push("a chart that the keyboard does not reach");
  const levels = [...document.querySelectorAll("h1,h2,h3")].map((one) => Number(one.tagName[1]));
  levels.forEach((level, i) => { if (i > 0 && level > (levels[i - 1] ?? 0) + 1) wrong.push("a heading that skips a level"); });
  return wrong;
}

// Boxes whose chart has drawn nothing.
async function blank(page) {
  return page.evaluate(() => [...document.querySelectorAll(".chart")].filter((box) => {
    const marks = box.querySelectorAll("svg path, svg text").length;
    const canvas = box.querySelector("canvas");
    if (marks > 3) return false;
    if (canvas === null) return true;
    const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
    const seen = new Set();
    for (let i = 0; i < pixels.length; i += 4 * 97) seen.add((pixels[i] << 24) | (pixels[i + 1] << 16) | (pixels[i + 2] << 8) | pixels[i + 3]);
    return seen.size < 3;
  }).map((box) => box.getAttribute("aria-label").slice(0, 60)));
}

for (const [name, make] of Object.entries(every)) {
  test(`a page of ${name}`, async () => {
    const path = make_page(name, make());
    for (const look of Object.keys(looks)) {
      await with_page(path, look, async (page) => {
        assert.equal(await page.getByText("could not be made").count(), 0);
        assert.ok(await page.locator("figure.view").count() > 0, "no views");
        await draw_all(page);
        assert.deepEqual(await blank(page), []);
        assert.deepEqual(await page.evaluate(weak_texts), []);
        assert.deepEqual(await page.evaluate(unlabelled), []);
        await fits(page);
        await page.evaluate(() => window.scrollTo(0, 0));
        await page.screenshot({ path: join(out, `${name}-${look}.png`), fullPage: true });
      });
    }
  });
}

test("names longer than the window break, and nothing leaves it", async () => {
  const path = make_page("long-names", ...Object.values(every).map((make) => long_named(make())));
  for (const look of Object.keys(looks)) {
    await with_page(path, look, async (page) => {
      assert.equal(await page.locator(".problem").filter({ hasText: "could not be made" }).count(), 0);
      await draw_all(page);
      await fits(page);
      await page.evaluate(() => window.scrollTo(0, 0));
      await page.screenshot({ path: join(out, `long-names-${look}.png`), fullPage: true });
    });
  }
});
